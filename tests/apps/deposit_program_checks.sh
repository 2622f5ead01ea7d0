#!/usr/bin/env bash
# deposit_program_checks.sh PROGRAM MPIEXEC FOLDER - rind-deposit prints the golden values and every key, the
# same for any number of threads, and ends with a line and a status when asked for what there is not.
set -u
program=$1 mpiexec=$2 folder=$3
mkdir -p "$folder"
failed=0

expect() {
  local line=$1
  shift
  while [ $# -gt 1 ]; do
    if ! grep -q "\"$1\": $2[,}]" "$line"; then
      echo "$1 should be $2 in $(cat "$line")"
      failed=1
    fi
    shift 2
  done
}
for threads in 1 2 3; do
  line=$folder/$threads.json
  "$program" --particles 2000 --seed 42 --threads $threads --json >"$line" || failed=1
  expect "$line" loss 559.5605712700 gradient_norm 52854.055962 selected_once 983 \
    largest_selection 30 deposits 1018 threads $threads space '"host"' us_forward '[0-9.]*' \
    us_gradient '[0-9.]*' us_gradient_least '[0-9.]*' bytes_peak_host '[0-9]*'
done
"$program" | grep -q '^loss  *559.5605712700$' || { echo "the table lacks the loss"; failed=1; }

# Less than 4 bytes a particle.
"$program" --particles 100000 --repeat 1 --json >"$folder/many.json" || failed=1
bytes=$(grep -o '"bytes_extra": [0-9]*' "$folder/many.json" | grep -o '[0-9]*$')
if [ "$bytes" -ge 400000 ]; then
  echo "100000 particles take $bytes bytes more"
  failed=1
fi
"$program" --particles 0 --json >"$folder/none.json" || failed=1
expect "$folder/none.json" deposits 0 gradient_norm 0.000000

refuse() {
  local expected=$1 lines got
  shift
  lines=$("$@" 2>&1 >/dev/null)
  got=$?
  if [ $got != "$expected" ] || [ -z "$(printf '%s\n' "$lines" | grep '^rind-deposit: ')" ]; then
    echo "$*: status $got instead of $expected: $lines"
    failed=1
  fi
}
refuse 2 "$program" --particles -1
refuse 2 "$program" --particles 1e6
refuse 2 "$program" --particles 300000000
refuse 2 "$program" --threads 0
refuse 2 "$mpiexec" -n 2 "$program"
if [ ! -e /dev/nvidiactl ]; then
  refuse 6 "$program" --device
fi
exit $failed
