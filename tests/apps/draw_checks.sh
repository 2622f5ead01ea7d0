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
