#!/usr/bin/env bash
# examples_checks.sh FOLDER PROGRAM... - examples say in one line that what they print is lost, and fail.
set -u
folder=$1
shift
mkdir -p "$folder"
failed=0
for program in "$@"; do
  name=${program##*/}
  "$program" >"$folder/out" 2>"$folder/line"
  status=$?
  # No GPU.
  [ $status = 77 ] && continue
  if [ $status != 0 ] || ! [ -s "$folder/out" ]; then
    echo "$name: status $status, $(head -3 "$folder/line")"
    failed=1
  fi
  for unbuffered in "" "stdbuf -o0"; do
    timeout 60 $unbuffered "$program" >/dev/full 2>"$folder/line"
    status=$?
    if [ $status != 1 ] || [ "$(wc -l <"$folder/line")" != 1 ] ||
      ! grep -q "^$name: cannot write to standard output: " "$folder/line"; then
      echo "$unbuffered $name to a full device: status $status, $(head -3 "$folder/line")"
      failed=1
    fi
  done
done
exit $failed
