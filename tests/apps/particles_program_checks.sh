#!/usr/bin/env bash
# particles_program_checks.sh PROGRAM MPIEXEC FOLDER - rind-particles keeps the sum, with the same bits on
# any number of ranks and threads; writes its files; and ends with a line and a status when it cannot.
set -u
program=$1 mpiexec=$2 folder=$3
mkdir -p "$folder"
failed=0

value() {
  grep -o "\"$2\": [^,}]*" "$1" | head -1 | sed 's/.*: //'
}

# NAME OPTION...: on 1, 2, 3 and 5 ranks; two threads on 2.
same() {
  local name=$1 ranks key
  shift
  for ranks in 1 2 3 5; do
    if ! "$mpiexec" -n $ranks "$program" "$@" --repeat 1 --threads $((ranks == 2 ? 2 : 1)) --json \
      >"$folder/$name.$ranks.json"; then
      echo "$name failed on $ranks ranks"
      failed=1
      continue
    fi
    for key in blocks largest_block largest_group sum checksum gradient_checksum; do
      if [ "$(value "$folder/$name.$ranks.json" $key)" != "$(value "$folder/$name.1.json" $key)" ]; then
        echo "$name: $key is $(value "$folder/$name.$ranks.json" $key) on $ranks ranks, $(value "$folder/$name.1.json" $key) on one"
        failed=1
      fi
    done
    if ! awk -v error="$(value "$folder/$name.$ranks.json" sum_error)" -v most="$most" \
      'BEGIN { exit !(error <= most) }'; then
      echo "$name: the sum is off by $(value "$folder/$name.$ranks.json" sum_error) on $ranks ranks"
      failed=1
    fi
  done
}
most=1e-14
same flat --particles 30000 --limit 500
same deep --dim 3 --particles 20000 --level 1 --refine 3 --cells 8 --limit 300
same round --dim 3 --particles 20000 --level 2 --cells 4 --periodic 1 --cloud uniform --limit 400
most=1e-6
same single --particles 20000 --type f32 --limit 500
most=0
same none --particles 0

"$mpiexec" -n 2 "$program" --particles 5000 --repeat 1 --picture "$folder/cloud.png" \
  --output "$folder/cloud.hdf" >"$folder/table.txt" || failed=1
for word in create sort migrate deposit gradient; do
  if ! grep -q "^$word  *[0-9.]" "$folder/table.txt"; then
    echo "the table has no line of $word"
    failed=1
  fi
done
if [ "$(head -c 4 "$folder/cloud.png" | tail -c 3)" != PNG ] || ! [ -s "$folder/cloud.hdf" ]; then
  echo "the picture or the file of fields is missing"
  failed=1
fi

# STATUS WORDS OPTION...: one line on stderr, and the status.
refuse() {
  local status=$1 words=$2 got
  shift 2
  "$mpiexec" -n 2 "$program" --repeat 1 --particles 1000 "$@" >/dev/null 2>"$folder/refused.txt"
  got=$?
  if [ $got -ne "$status" ] || ! grep -q -- "$words" "$folder/refused.txt"; then
    echo "$*: status $got, $status it should be: $(head -2 "$folder/refused.txt")"
    failed=1
  fi
}
refuse 2 "should be even: 6 or 8" --cells 7
refuse 2 "--dim" --dim 4
refuse 4 "cannot write" --picture "$folder/nowhere/cloud.png"
refuse 4 "nowhere" --output "$folder/nowhere/cloud.hdf"
exit $failed
