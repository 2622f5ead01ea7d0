#!/usr/bin/env bash
# draw_checks.sh PROGRAM MPIEXEC PICTURES FOLDER - the pictures in docs are what rind-draw
# makes, and its mistakes end with a line and a status. With UPDATE=1 writes the pictures instead.
set -u
program=$1 mpiexec=$2 pictures=$3 folder=$4
mkdir -p "$folder"
[ "${UPDATE:-0}" = 1 ] && folder=$pictures
failed=0

draw() {
  local name=$1
  shift
  if ! "$mpiexec" -n 2 "$program" --refine corner "$@" --output "$folder/$name.svg" >/dev/null; then
    echo "rind-draw $* failed"
    failed=1
  elif ! cmp "$folder/$name.svg" "$pictures/$name.svg"; then
    failed=1
  fi
}
draw quadratic --block 1 --region right --box 1
draw average --block 4 --region left --box 1
draw corner --block 3 --region upper-right --ghosts 2 --interpolation coarse-only
draw conservative --block 3 --region right --box 3 --interpolation conservative
draw adjoint --adjoint --block 4 --region right --box 4

# The example of --help.
example=$("$program" --help | sed -n 's/^Example: mpiexec -n 2 rind-draw //p')
# shellcheck disable=SC2086
if [ -z "$example" ] || ! "$mpiexec" -n 2 "$program" $example --output "$4/example.svg" >/dev/null; then
  echo "the example of --help fails: $example"
  failed=1
fi

# WORDS OPTION...: what there is instead of what was chosen.
refuse_choice() {
  local words=$1
  shift
  if "$mpiexec" -n 2 "$program" --refine corner "$@" >/dev/null 2>"$folder/line" ||
    [ "$(grep '^rind-draw' "$folder/line")" != "rind-draw: $words" ]; then
    echo "rind-draw $*: $(cat "$folder/line")"
    failed=1
  fi
}
refuse_choice "--block is 99, there are 7: 0 to 6" --block 99
refuse_choice "block 0 has no fill in region left" --block 0 --region left
refuse_choice "--box is 9, region left of block 4 has boxes 0 to 1" --block 4 --region left --box 9

# Statuses: 2 for what was asked, 4 for a file that cannot be written; one line each.
refuse() {
  local status=$1 lines
  shift
  lines=$("$program" "$@" 2>&1 >/dev/null)
  local got=$?
  if [ "$got" != "$status" ] || [ "$(printf '%s\n' "$lines" | wc -l)" != 1 ] || [ -z "$lines" ]; then
    echo "rind-draw $*: status $got instead of $status: $lines"
    failed=1
  fi
}
refuse 2 --block 99
refuse 2 --cells 5
refuse 2 --region east
refuse 4 --output "$folder/no/such/folder.svg"
exit $failed
