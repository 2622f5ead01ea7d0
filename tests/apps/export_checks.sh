#!/usr/bin/env bash
# export_checks.sh PROGRAM MPIEXEC FOLDER CHECKER - the matrix that rind-bench export writes is the fill:
# CHECKER multiplies it. The file has the same bytes from any number of ranks.
set -u
program=$1 mpiexec=$2 folder=$3 checker=$4
mkdir -p "$folder"
failed=0

# FOREST DIM GHOSTS REGIONS
compare() {
  local ranks
  for ranks in 1 3; do
    "$mpiexec" -n $ranks "$program" export --forest "$1" --dim "$2" --ghosts "$3" --regions "$4" \
      -o "$folder/$ranks.h5" >"$folder/line" || failed=1
  done
  if ! cmp "$folder/1.h5" "$folder/3.h5"; then
    echo "$*: three ranks write another file than one"
    failed=1
  fi
  for ranks in 1 3; do
    if ! "$mpiexec" -n $ranks "$checker" "$folder/1.h5" "$@" >"$folder/line"; then
      echo "$*, $ranks ranks: the matrix is not the fill"
      cat "$folder/line"
      failed=1
    fi
  done
}
compare R8 3 1 faces
compare R4 3 1 all
compare C3 3 2 all
compare C3 2 3 all
compare R2 2 1 faces

# STATUS ARGUMENTS...: ends with one line and that status, and leaves no file.
refuse() {
  local want=$1 lines got
  shift
  lines=$("$mpiexec" -n 2 "$program" export "$@" 2>&1 >/dev/null)
  got=$?
  lines=$(printf '%s\n' "$lines" | grep '^rind-bench:')
  if [ $got != "$want" ] || [ "$(printf '%s\n' "$lines" | wc -l)" != 1 ] || [ -z "$lines" ]; then
    echo "rind-bench export $*: status $got instead of $want: $lines"
    failed=1
  fi
}
refuse 2
refuse 2 --restriction flux-matched -o "$folder/never.h5"
refuse 4 -o "$folder/there/is/none.h5"
refuse 4 -o "$folder"
"$program" export --forest C3 -o "$folder/a\"b.h5" --json >"$folder/line"
if ! grep -q '"file": "[^"]*/a\\"b.h5"' "$folder/line"; then
  echo "a quote in a file's name is not escaped: $(cat "$folder/line")"
  failed=1
fi
rm -f "$folder/pipe"
mkfifo "$folder/pipe"
refuse 4 -o "$folder/pipe"
if [ ! -p "$folder/pipe" ]; then
  echo "a refused export removed what was there"
  failed=1
fi
rm -f "$folder/pipe"
refuse 2 -o
if [ -e "$folder/never.h5" ]; then
  echo "a refused export left a file"
  failed=1
fi
rm -f "$folder"/*.h5
exit $failed
