#!/usr/bin/env bash
# programs_checks.sh MPIEXEC FOLDER PROGRAM... - what all programs do alike: output that is lost, outputs
# that cannot be written, mistyped options, and demands that no memory can hold.
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
  [ -s "$folder/out" ] && complain "${*##*/} prints something: $(head -1 "$folder/out")"
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

# A run that takes longer than a program may take to refuse.
large() {
  case $1 in
    rind-advect) echo --level 6 --steps 1000000 ;;
    rind-bench) echo export --cells 64 ;;
    rind-draw) echo --trees 64 --level 3 --cells 64 ;;
    rind-particles) echo --particles 10000000 --repeat 1000 ;;
    rind-sph) echo --particles 1000000 --relax 100000 ;;
  esac
}

# A run that fails after its options are read.
failing() {
  case $1 in
    rind-advect) echo --dim 3 --trees 1024 --level 10 --refine 0 ;;
    rind-bench) echo export --restriction flux-matched ;;
    rind-draw) echo --trees 64 --level 6 ;;
    rind-particles) echo --dim 3 --level 12 ;;
    rind-sph) echo --relax 1 --type f32 ;;
  esac
}

# What is there stays as it is, what is not does not come to be, and nothing is computed.
check_output() {
  local program=$1 option=$2 name=${1##*/}
  local words file ranks=2
  [ "$name" != rind-sph ] || ranks=1 # relaxes on one rank
  words=$(large "$name")
  # shellcheck disable=SC2086
  refuse 4 "cannot write $folder/none/x.file: No such file or directory" \
    "$program" $words "$option" "$folder/none/x.file"
  # shellcheck disable=SC2086
  refuse 4 "cannot write $folder/no?ne/x.file: No such file or directory" \
    "$program" $words "$option" "$folder/no
ne/x.file"
  # shellcheck disable=SC2086
  refuse 4 "cannot write $folder: Is a directory" "$mpiexec" -n $ranks "$program" $words "$option" "$folder"
  rm -f "$folder/new.file" "$folder/pipe"
  mkfifo "$folder/pipe"
  # shellcheck disable=SC2086
  [ "$option$name" = --outputrind-draw ] || [ "$option" = --picture ] ||
    refuse 4 "cannot write $folder/pipe: Operation not supported" \
      "$mpiexec" -n $ranks "$program" $words "$option" "$folder/pipe"
  [ -p "$folder/pipe" ] || complain "$name $option removes a pipe"
  # shellcheck disable=SC2086
  if [ "$option" = --picture ]; then
    refuse 2 "should be another file than that of --" \
      "$mpiexec" -n $ranks "$program" $words --output "$folder/new.file" --picture "$folder/./new.file"
    refuse 2 "should be another file than that of --.*: until they are complete, .part is added" \
      "$mpiexec" -n $ranks "$program" $words --output "$folder/new.file" --picture "$folder/./new.file.part"
    refuse 2 "should be another file than that of --.*: until they are complete, .part is added" \
      "$program" $words --output "$folder/new.file.part" --picture "$folder/./new.file"
  fi
  ln -sf "$folder/old.file" "$folder/link.file.part"
  # shellcheck disable=SC2086
  refuse 4 "cannot write $folder/link.file: its name with .part is taken" \
    "$program" $words "$option" "$folder/link.file"
  echo precious >"$folder/old.file"
  for file in new old; do
    # shellcheck disable=SC2046
    timeout 20 "$program" $(failing "$name") "$option" "$folder/$file.file" >/dev/null 2>&1
    case $? in 2 | 5) ;; *) complain "$name $(failing "$name"): another status than of a failure" ;; esac
  done
  [ -e "$folder/new.file" ] && complain "$name $option leaves a file of nothing"
  [ "$(cat "$folder/old.file")" = precious ] || complain "$name $option spoils a file for nothing"
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
  refuse 2 "there is no option --new?line; --help lists them$" "$program" "--new
line"
  refuse 2 "no option --verison; did you mean --version?" "$mpiexec" -n 2 "$program" --verison
  case $name in rind-deposit | rind-sph) option=--particles ;; *) option=--cells ;; esac
  refuse 2 "$option is empty (" "$program" "$option" ""
  refuse 2 "$option is empty (" "$mpiexec" -n 2 "$program" "$option="
  [ "$("$program" --version)" = "$name 0.1.0" ] || complain "$name --version: $("$program" --version)"
  for option in $("$program" --help | grep -o '^  --[a-z]* FILE' | grep -o -- '--[a-z]*'); do
    check_output "$program" "$option"
  done
  case $name in
    rind-advect)
      refuse 5 "1.93428131138341e+25 blocks of 16^3 cells would take 4.381e+30 bytes or more" \
        "$mpiexec" -n 2 "$program" --trees 1024 --dim 3 --level 18 --refine 0
      refuse 5 "blocks of 16^2 cells would take" \
        "$program" --trees 64 --level 4 --refine 8 --region half
      ;;
    rind-bench)
      refuse 5 "blocks of 1024^3 cells with 1000000 components would take" \
        "$mpiexec" -n 2 "$program" --cells 1024 --components 1000000
      refuse 5 "blocks of 1024^3 cells with 1000000 components would take" \
        "$program" scaling --cells 1024 --components 1000000
      refuse 2 "the rules ask for 2 ghost layers" "$program" scaling --layers 2
      refuse 2 "there is no command without a name" "$program" ""
      refuse 2 "there is no option fill;" "$program" --json fill
      refuse 2 "--json takes no value$" "$program" fill --json=
      ;;
    rind-draw)
      refuse 2 "16777216 blocks or more would take 2.013e+09 bytes" \
        "$mpiexec" -n 2 "$program" --trees 64 --level 6
      refuse 2 "1000001 blocks or more" "$program" --level 6 --levels 6 --refine half
      for words in ,1 1, 1,,1 ,; do
        refuse 2 "--trees is $words, should be up to three" "$program" --trees "$words"
      done
      "$program" --help | grep -qE '^  --trees N\[,N\] .* \[1,1\]$' || complain "$name --help has three axes"
      ;;
    rind-particles)
      refuse 5 "68719476736 blocks of 16^3 cells would take 6.426e+15 bytes or more" \
        "$mpiexec" -n 2 "$program" --dim 3 --level 12
      refuse 5 "100000000000 particles would take 7.2e+12 bytes or more" \
        "$program" --dim 2 --particles 100000000000
      ;;
  esac
done
# What documents say is understood: no more than a second of each command of theirs, on one rank.
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..") commands=0
while read -r name words; do
  for program in "$@"; do
    [ "${program##*/}" = "$name" ] || continue
    # shellcheck disable=SC2086
    (cd "$folder" && timeout 1 "$program" $words >out 2>line)
    [ $? != 2 ] || complain "a document has $name $words: $(head -3 "$folder/line")"
    commands=$((commands + 1))
  done
done < <(awk '/^```sh/ { inside = 1; next } /^```/ { inside = 0 } inside' "$here"/*.md "$here"/docs/*.md |
  sed 's/#.*//' | grep -oE 'rind-[a-z]+ .*')
[ $# -lt 6 ] || [ $commands -ge 20 ] || complain "documents have only $commands commands"
# By ulimit -v it is known what there is; not for programs with sanitizers, which want it all.
for program in "$@"; do
  (
    ulimit -v 3000000
    ("$program" --version) >/dev/null 2>&1 || exit 0
    case ${program##*/} in
      rind-deposit)
        refuse 5 "200000000 particles would take 5e+09 bytes or more, there are 3.072e+09" \
          "$program" --particles 200000000
        ;;
      rind-particles)
        refuse 5 "would take .* bytes or more, there are 3.072e+09" "$program" --level 9 --cells 64
        ;;
      rind-sph)
        refuse 5 "100000000 particles would take 5.6e+09 bytes or more, there are 3.072e+09" \
          "$program" --particles 100000000
        ;;
    esac
    exit $failed
  ) || failed=1
done
exit $failed
