#!/usr/bin/env bash
# sph_checks.sh PROGRAM MPIEXEC FOLDER - rind-sph prints the golden values, relaxes particles, writes
# its files, and ends with a line and a status when asked for what there is not.
set -u
program=$1 mpiexec=$2 folder=$3
mkdir -p "$folder"
failed=0

complain() {
  echo "$*"
  failed=1
}

# LINE KEY: a number.
value() {
  printf '%s' "$1" | grep -o "\"$2\": [-+0-9.e]*" | sed 's/.*: //'
}

# LINE KEY FORMAT DIGITS: all digits that are given.
expect() {
  local got
  got=$(printf "$3" "$(value "$1" "$2")")
  [ "$got" = "$4" ] || complain "$2 is $got, should be $4, in $1"
}

for threads in 1 3; do
  line=$("$mpiexec" -n 1 "$program" --particles 1000 --seed 42 --threads $threads --json --repeat 1) ||
    complain "rind-sph failed with $threads threads"
  expect "$line" loss %.10f 12476.3617428793
  expect "$line" loss_exact %.14g 12476.361742879
  expect "$line" gradient_norm %.6f 7526.066606
  expect "$line" mean_density %.10f 11.7027120777
  expect "$line" largest_cell %d 23
  expect "$line" pair_slots %d 91026
done
# The same on any number of ranks.
for ranks in 2 3; do
  line=$("$mpiexec" -n $ranks "$program" --particles 1000 --seed 42 --json --repeat 1) ||
    complain "rind-sph failed on $ranks ranks"
  expect "$line" loss %.10f 12476.3617428793
  expect "$line" gradient_norm %.6f 7526.066606
done
line=$("$mpiexec" -n 2 "$program" --particles 1000 --seed 42 --forest 0 --split 60 --json --repeat 1) ||
  complain "rind-sph failed on a refined forest"
expect "$line" loss %.10f 12476.3617428793
expect "$line" gradient_norm %.6f 7526.066606
[ "$(value "$line" blocks)" -gt 16 ] && [ "$(value "$line" blocks)" -lt 64 ] ||
  complain "no leaf was split: $line"
line=$("$program" --particles 1 --json --repeat 1) || complain "one particle: status $?"
expect "$line" mean_density %.10f 1.8189136353
expect "$line" gradient_norm %g 0

picture=$folder/relaxed.png file=$folder/relaxed.hdf
rm -f "$picture" "$file"
line=$("$program" --particles 1000 --relax 60 --picture "$picture" --output "$file" --json) ||
  complain "relaxing failed"
awk -v r="$(value "$line" reduction)" 'BEGIN { exit !(r >= 100) }' ||
  complain "the loss is not 100 times less: $line"
[ -s "$picture" ] && [ -s "$file" ] || complain "no picture or file of a relaxation"

# Through links: these stay, and what they lead to is replaced.
for kind in png hdf; do
  rm -f "$folder/link.$kind"
  echo old >"$folder/target.$kind"
  ln -s "target.$kind" "$folder/link.$kind"
done
"$program" --particles 9 --relax 1 --picture "$folder/link.png" --output "$folder/link.hdf" --json \
  >"$folder/out" || complain "links are not written through"
for kind in png hdf; do
  [ -L "$folder/link.$kind" ] || complain "link.$kind is no link any more"
  [ "$(wc -c <"$folder/target.$kind")" -gt 100 ] || complain "target.$kind is the old file"
done
[ -z "$(find "$folder" -name '*.part')" ] || complain "a part is left"

refuse() {
  local status=$1 lines
  shift
  lines=$("$program" "$@" 2>&1 >/dev/null)
  local got=$?
  if [ $got != "$status" ] || [ "$(printf '%s\n' "$lines" | wc -l)" != 1 ] || [ -z "$lines" ]; then
    complain "rind-sph $*: status $got instead of $status: $lines"
  fi
}
refuse 2 --particles 0
refuse 2 --particles many
refuse 2 --dim 4
refuse 2 --picture "$picture"
refuse 2 --relax 3 --type f32
refuse 2 --relax 3 --forest 2
refuse 2 --forest 8
# Before a forest of 16 million leaves is made.
refuse 2 --particles 100 --forest 12
refuse 2 --split 9
refuse 4 --particles 9 --relax 1 --picture "$folder/none/x.png"
refuse 4 --particles 9 --relax 1 --output "$folder/none/x.hdf"
"$program" --particles 9 --relax 1 --output "$folder/none/x.hdf" 2>&1 | grep -q 'No such file' ||
  complain "rind-sph does not say why it cannot write"
exit $failed
