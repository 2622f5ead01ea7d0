#!/usr/bin/env bash
# programs_checks.sh MPIEXEC FOLDER PROGRAM... - what all programs do alike: output that is lost, mistyped options.
set -u
mpiexec=$1 folder=$2
shift 2
mkdir -p "$folder"
failed=0

complain() {
  echo "$*"
  failed=1
}

# STATUS WORDS COMMAND...: within 20 seconds, with one line on stderr.
refuse() {
  local status=$1 words=$2 got
  shift 2
  timeout 20 "$@" >"$folder/out" 2>"$folder/line"
  got=$?
  if [ $got != "$status" ] || [ "$(grep -c '^rind-' "$folder/line")" != 1 ] ||
    ! grep -q -- "$words" "$folder/line"; then
    complain "${*##*/}: status $got instead of $status, no single line of '$words': $(head -3 "$folder/line")"
  fi
}

# A run that takes a moment.
small() {
  case $1 in
    rind-advect) echo --level 1 --refine 0 --time 0.01 ;;
    rind-bench) echo --repeat 3 --sample-us 1 ;;
    rind-deposit) echo --particles 100 --repeat 1 ;;
    rind-draw) echo --output "$folder/small.svg" ;;
    rind-particles) echo --particles 100 --repeat 1 ;;
    rind-sph) echo --particles 100 --repeat 1 ;;
  esac
}

for program in "$@"; do
  name=${program##*/}
  for words in "" --json --help --version; do
    [ "$name$words" = rind-draw--json ] && continue
    timeout 20 "$program" $(small "$name") $words >/dev/full 2>"$folder/line"
    got=$?
    if [ $got != 4 ] || [ "$(wc -l <"$folder/line")" != 1 ] ||
      ! grep -q "^$name: cannot write to standard output" "$folder/line"; then
      complain "$name $words to a full device: status $got, $(head -3 "$folder/line")"
    fi
  done
  refuse 2 "no option --hlep; did you mean --help?" "$program" --hlep
  refuse 2 "no option -help; did you mean --help?" "$program" -help
  refuse 2 "no option --verison; did you mean --version?" "$mpiexec" -n 2 "$program" --verison
  [ "$("$program" --version)" = "$name 0.1.0" ] || complain "$name --version: $("$program" --version)"
done
exit $failed
