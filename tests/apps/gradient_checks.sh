#!/usr/bin/env bash
# gradient_checks.sh PROGRAM MPIEXEC FOLDER - the three derivatives of the example agree, and are the
# same to the last digit on any number of ranks.
set -u
program=$1 mpiexec=$2 folder=$3
mkdir -p "$folder"
for ranks in 1 2 3 5; do
  if ! "$mpiexec" -n $ranks "$program" >"$folder/$ranks.txt"; then
    echo "on $ranks ranks the derivatives differ:"
    cat "$folder/$ranks.txt"
    exit 1
  fi
  cmp "$folder/1.txt" "$folder/$ranks.txt" || exit 1
done
grep -q '^reverse sweep  *[1-9]' "$folder/1.txt"
