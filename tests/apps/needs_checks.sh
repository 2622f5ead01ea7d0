#!/usr/bin/env bash
# needs_checks.sh MPIEXEC FOLDER PROGRAM... - options that do nothing beside the others are refused, and
# taken where they do something; --help says which these are.
set -u
mpiexec=$1 folder=$2
shift 2
mkdir -p "$folder"
failed=0 tried=

complain() {
  echo "$*"
  failed=1
}

# NAME of a program that is built; else nothing.
path_of() {
  local path
  for path in "${programs[@]}"; do
    [ "${path##*/}" = "$1" ] && echo "$path"
  done
}
programs=("$@")

# PROGRAM OPTION WORDS ARGUMENTS...: status 2, with the line "--OPTION works only WORDS"; on two ranks
# where RANKS is 2.
refuse() {
  local name=$1 option=$2 words=$3 got program launcher=()
  shift 3
  program=$(path_of "$name")
  [ -n "$program" ] || return
  tried="$tried $name--$option"
  [ "${RANKS:-1}" = 1 ] || launcher=("$mpiexec" -n "$RANKS")
  timeout 60 "${launcher[@]}" "$program" "$@" >"$folder/out" 2>"$folder/line"
  got=$?
  if [ $got != 2 ] || [ "$(grep -c "^$name" "$folder/line")" != 1 ] ||
    ! grep -qxF -- "$name: --$option works only $words" "$folder/line"; then
    complain "$name $*: status $got, no '--$option works only $words': $(head -3 "$folder/line")"
  fi
  [ -s "$folder/out" ] && complain "$name $* prints something"
}

# PROGRAM STATUS ARGUMENTS...: options that do something.
take() {
  local name=$1 status=$2 got program
  shift 2
  program=$(path_of "$name")
  [ -n "$program" ] || return
  timeout 60 "$program" "$@" >"$folder/out" 2>"$folder/line"
  got=$?
  if [ $got != "$status" ] || grep -q 'works only' "$folder/line"; then
    complain "$name $*: status $got instead of $status: $(head -3 "$folder/line")"
  fi
}

none=$folder/none/x

RANKS=2 refuse rind-advect fused-ghosts "with --device" --fused-ghosts
refuse rind-advect data "with --dataset" --data x
refuse rind-advect data "with --dim 2" --data x --dataset y --dim 3
refuse rind-advect dataset "with --data" --dataset y
refuse rind-advect region "with --refine >= 1" --refine 0 --region half
refuse rind-advect variation "with --refine >= 1" --refine 0 --data x --dataset y --variation 0.1
refuse rind-advect variation "with --region gradient or with --data" --variation 0.1
refuse rind-advect variation "with --region gradient or with --region auto" \
  --variation 0.1 --data x --dataset y --region half
refuse rind-advect radius "with --region path or without --data" --data x --dataset y --radius 0.2
refuse rind-advect cfl "without --steps" --steps 100 --cfl 0.4
take rind-advect 4 --device --fused-ghosts --output "$none"
take rind-advect 4 --data x --dataset y --variation 0.1 --steps 0 --cfl 0.1 --output "$none"
take rind-advect 4 --region gradient --variation 0.1 --radius 0.2 --output "$none"
take rind-advect 4 --data x --dataset y --region path --radius 0.2 --output "$none"

RANKS=2 refuse rind-sph target "with --relax >= 1" --target 0.3
refuse rind-sph target "with --relax >= 1" --target 0.3 --relax 0
refuse rind-sph picture "with --relax >= 1" --picture "$folder/x.png"
refuse rind-sph output "with --relax >= 1" --output "$folder/x.hdf"
refuse rind-sph progress "with --relax >= 1" --progress plain
refuse rind-sph repeat "without --relax" --relax 3 --repeat 9
refuse rind-sph split "with --forest >= 0 or on more than one rank" --split 9
refuse rind-sph split "with --forest >= 0 or on more than one rank" --split 9 --forest -1
refuse rind-sph relax "without --forest" --relax 3 --forest 0
RANKS=2 refuse rind-sph relax "on one rank" --relax 3
refuse rind-sph relax "without --device" --relax 3 --device
refuse rind-sph device "without --forest" --device --forest 0
RANKS=2 refuse rind-sph device "on one rank" --device
take rind-sph 4 --relax 3 --target 0.3 --progress none --output "$none"
take rind-sph 0 --particles 100 --repeat 1 --split 9 --forest 0
take rind-sph 0 --particles 100 --repeat 1 --split 0 --target 0 --relax 0 --progress none

refuse rind-particles radius "with --cloud plummer" --cloud uniform --radius 0.1
RANKS=2 refuse rind-particles limit "with --refine >= 1" --refine 0 --limit 9
take rind-particles 4 --radius 0.1 --limit 9 --output "$none"

refuse rind-draw levels "with --refine other than none" --refine none --levels 2
RANKS=2 refuse rind-draw refine "with --levels >= 1" --levels 0 --refine half
refuse rind-draw interpolation "with --levels >= 1" --levels 0 --interpolation injection
refuse rind-draw restriction "with --refine other than none" --refine none --restriction average
refuse rind-draw wall "without --periodic 1" --periodic 1 --wall even
take rind-draw 4 --wall even --periodic 1,0 --interpolation injection --output "$none"
take rind-draw 4 --wall none --periodic 1,1 --refine none --levels 0 --output "$none"

# More numbers than there are axes.
for program in rind-advect rind-draw; do
  path=$(path_of $program)
  [ -n "$path" ] || continue
  for option in trees periodic; do
    "$path" --$option 1,1,1 2>"$folder/line"
    [ $? = 2 ] && grep -qF -- "--$option is 1,1,1, should be at most 2 numbers" "$folder/line" ||
      complain "$program takes three numbers in 2D: $(head -3 "$folder/line")"
  done
  take $program 4 --trees 2,1 --periodic 1 --output "$none"
done
take rind-advect 4 --dim 3 --trees 2,1,1 --output "$none"

# OPTION VALUE COMMANDS: all the other commands refuse it.
bench_takes() {
  local option=$1 value=$2 list=$3 command
  for command in fill adjoint segments scaling messages export; do
    case ", ${list/ or /, }," in
      *", $command,"*) ;;
      *) refuse rind-bench "$option" "with $list, not $command" $command --"$option" "$value" ;;
    esac
  done
}
fields="fill, adjoint or scaling"
for option in "forest R4" "dim 3" "periodic all"; do
  bench_takes $option "fill, adjoint, messages or export"
done
for option in "cells 4" "ghosts 2" "layers 1" "regions all" "interpolation injection" \
  "restriction average"; do
  bench_takes $option "fill, adjoint, scaling, messages or export"
done
for option in "storage blocks" "order innermost"; do
  bench_takes $option "$fields"
done
bench_takes components 2 "fill, adjoint, scaling or messages"
for option in "type f32" "repeat 3" "sample-us 1"; do
  bench_takes $option "fill, adjoint, segments, scaling or messages"
done
for option in "space host" "threads 1"; do
  bench_takes $option "fill, adjoint, segments or scaling"
done
bench_takes shape cube scaling
bench_takes output "$folder/x.h5" export
RANKS=2 refuse rind-bench shape "with scaling, not fill" --shape cube
take rind-bench 0 scaling --cells 4 --ghosts 1 --layers 1 --regions all --restriction average --components 2 \
  --type f32 --storage blocks --order innermost --threads 1 --repeat 3 --sample-us 1 --shape cube
take rind-bench 0 messages --forest R4 --dim 3 --periodic all --cells 4 --components 2 --type f32 --repeat 3 \
  --sample-us 1
take rind-bench 0 export --forest R8 --cells 4 --layers 1 --output "$folder/x.h5"

# Every option whose help says when it does something has been tried.
for program in "${programs[@]}"; do
  name=${program##*/}
  for option in $("$program" --help | tr '\n' ' ' | sed 's/  --/\n--/g' |
    grep -E '; +(only|not) ' | sed 's/^--\([a-z-]*\).*/\1/'); do
    case "$tried " in
      *" $name--$option "*) ;;
      *) complain "$name --$option: a case is missing here" ;;
    esac
  done
done
exit $failed
