#!/usr/bin/env bash
# Checks of rind-advect: advect_checks.sh TOPIC PROGRAM MAKE_DATA MPIEXEC FOLDER. Silent when right.
set -uo pipefail
topic="$1" program="$2" make_data="$3" mpiexec="$4" folder="$5"
export OMPI_MCA_orte_execute_quiet=1
source_data="$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../apps/data/jacksboro_dem.h5")"
failed=0 passed=0
rm -rf "$folder" && mkdir -p "$folder" && cd "$folder" || exit 1

# check WHAT COMMAND...: the command must succeed.
check() {
  local what="$1"
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "failed: $what" >&2
  fi
}

# advect RANKS OPTION...: one line of JSON.
advect() {
  local ranks="$1"
  shift
  "$mpiexec" -n "$ranks" "$program" --json --progress none "$@"
}

# number KEY JSON
number() {
  sed -n "s/.*\"$1\":\"\{0,1\}\([-+0-9a-fA-F.]*\).*/\1/p" <<<"$2"
}

# holds EXPRESSION: of numbers, by awk.
holds() {
  awk "BEGIN { exit !($1) }"
}

# order LIMIT OPTION...: L1 errors with 8, 16 and 32 cells a block.
order() {
  local limit="$1" previous="" l1 line cells
  shift
  for cells in 8 16 32; do
    line="$(advect 1 --cells "$cells" "$@")"
    l1="$(number l1 "$line")"
    check "a positive error with $cells cells ($line)" holds "${l1:-0} > 0"
    if [ -n "$previous" ]; then
      check "order of $previous to ${l1:-0} with $cells cells ($*), at least $limit" \
        holds "log($previous / ${l1:-1}) / log(2) >= $limit"
    fi
    previous="${l1:-0}"
  done
}

check_order_2d() {
  # The bell begins on the coarse-fine interface and leaves it.
  order 1.8 --dim 2 --level 3 --region half --time 0.3
}

check_order_3d() {
  order 1.8 --dim 3 --level 1 --region half --time 0.4 --radius 0.3
}

check_mass() {
  local line
  line="$(advect 2 --dim 2 --level 3 --cells 8 --refine 0)"
  check "mass in 2D: $line" holds "($(number mass_drift "$line")) ^ 2 <= 1e-26"
  line="$(advect 2 --dim 3 --level 1 --cells 8 --refine 0 --periodic 0,1,0 --limiter albada)"
  check "mass in 3D: $line" holds "($(number mass_drift "$line")) ^ 2 <= 1e-26"
  # At coarse-fine faces it is not conserved: the check above can fail.
  line="$(advect 2 --dim 2 --level 3 --cells 8 --refine 1 --region half)"
  check "some drift: $line" holds "($(number mass_drift "$line")) ^ 2 > 1e-26"
}

# same_bits OPTION...: the same checksum on 1, 2, 3 and 5 ranks.
same_bits() {
  local ranks line sum first="" count=0
  for ranks in 1 2 3 5; do
    line="$(advect "$ranks" "$@")"
    sum="$(number checksum "$line") $(number l1 "$line") $(number l2 "$line") $(number mass "$line")"
    [ -n "$first" ] || first="$sum"
    check "$* on $ranks ranks: $sum, on one $first" test "$sum" = "$first"
    [ "${#sum}" -lt 40 ] || count=$((count + 1))
  done
  check "four checksums of $*" test "$count" -eq 4
}

check_ranks() {
  same_bits --dim 2 --level 2 --refine 2 --cells 8 --time 0.3
  same_bits --dim 2 --level 2 --cells 4 --time 0.3 --type f32 --limiter albada --periodic 1
  same_bits --dim 3 --level 1 --cells 8 --region half --time 0.2
  same_bits --dim 3 --level 0 --cells 8 --refine 1 --trees 2,1,1 --time 0.1 --type f32
  same_bits --dim 2 --level 2 --cells 8 --time 0.1 --variation 0.1 \
    --data "$source_data" --dataset elevation
}

# fails STATUS TEXT RANKS OPTION...: the status, and one line on stderr that has the text. One rank
# needs no launcher.
fails() {
  local status="$1" text="$2" ranks="$3" got launcher
  shift 3
  launcher=("$mpiexec" -n "$ranks")
  [ "$ranks" -gt 1 ] || launcher=()
  timeout 60 "${launcher[@]}" "$program" "$@" >out 2>err
  got=$?
  check "status of $* is $status, not $got" test "$got" -eq "$status"
  check "one line about $*: $(cat err)" test "$(wc -l <err)" -eq 1
  check "$* says '$text': $(cat err)" grep -qF -- "$text" err
  check "$* prints nothing else: $(cat out)" test ! -s out
}

check_options() {
  fails 2 "did you mean --cells?" 3 --cels 8
  fails 2 "there is no option --frobnicate" 2 --frobnicate
  fails 2 "there is no option 8" 1 8
  fails 2 "--cells is 7, should be even: 6 or 8" 3 --cells 7
  fails 2 "--cells is 0, should be a whole number from 4 to 256" 2 --cells 0
  fails 2 "--cells is 8x" 1 --cells 8x
  fails 2 "--cells needs a value" 1 --cells
  fails 2 "did you mean f64?" 1 --type f65
  fails 2 "--dim is 4" 1 --dim 4
  fails 2 "--cfl is nan" 1 --cfl nan
  fails 2 "--json takes no value" 1 --json=yes
  fails 2 "--trees is 1,2,3,4" 1 --trees 1,2,3,4
  fails 2 "should be at least" 2 --steps 3
  fails 2 "--level and --refine" 1 --level 17 --refine 8
  "$mpiexec" -n 2 "$program" --help >out 2>err
  check "status of --help" test $? -eq 0
  check "usage, once" test "$(grep -c '^usage: rind-advect' out)" -eq 1
  check "defaults in the usage" grep -q -- '--cells N .*\[16\]' out
}

check_data() {
  "$make_data" data.h5 || exit 1
  echo "no HDF5" >other.h5
  fails 4 "cannot read none.h5: No such file" 3 --data none.h5 --dataset doubles
  fails 3 "other.h5 is not an HDF5 file" 2 --data other.h5 --dataset doubles
  fails 3 "has no dataset double; it holds big_endian_shorts" 2 --data data.h5 --dataset double
  fails 3 "has no dataset group; it holds big_endian_shorts, bytes, cube, doubles, e101, e11, e152, e308, e37, group/, large, line, long, nan, words" \
    2 --data data.h5 --dataset group
  fails 3 "has no dataset no?ne; it holds" 1 --data data.h5 --dataset $'no\nne'
  fails 3 "large is 16777216 x 1099511627776, should be" 2 --data data.h5 --dataset large
  fails 3 "long is 2 x 268435456, should be" 1 --data data.h5 --dataset long
  fails 3 "nan[3][4] is nan" 3 --data data.h5 --dataset nan
  fails 3 "line has 1 dimensions, should have 2" 1 --data data.h5 --dataset line
  fails 3 "cube has 3 dimensions, should have 2" 1 --data data.h5 --dataset cube
  fails 3 "words does not hold numbers" 1 --data data.h5 --dataset words
  local set line options="--data data.h5 --level 1 --cells 8 --time 0.01 --refine 0"
  for set in doubles big_endian_shorts bytes; do
    line="$(advect 2 $options --dataset "$set")"
    check "a result of $set: $line" holds "$(number checksum "$line" | wc -c) > 16"
    # A plane from 100 to 100 + 11 * 4.
    check "range of $set: $line" holds "$(number greatest "$line") <= 144.5 && $(number least "$line") >= 99.5"
    check "mass of $set: $line" holds "($(number mass "$line") - 122) ^ 2 < 1"
  done
  # In each row what is too large for the row before is not too large.
  local fits type limiter large
  while read -r fits type limiter large; do
    line="$(advect 2 $options --dataset "$fits" --type "$type" --limiter "$limiter")"
    check "a result of $fits, $type, $limiter: $line" holds "$(number l2 "$line" | wc -c) > 4"
    check "all of it finite: $line" test -z "$(grep -oiE 'inf[^o"]|nan' <<<"$line")"
    fails 3 "the data are too large, $large of data.h5 reaches 1" 2 $options --dataset "$large" \
      --type "$type" --limiter "$limiter"
  done <<<"e11 f32 albada e37
e37 f32 none e101
e101 f64 albada e152
e152 f64 none e308"
  ln -sf data.h5 link.h5
  cp data.h5 before.h5
  fails 2 "--output is ./data.h5, should be another file than that of --data" 2 $options \
    --dataset doubles --output ./data.h5
  fails 2 "--picture is link.h5, should be another file than that of --data" 1 $options \
    --dataset doubles --picture link.h5
  cp data.h5 data.png.part
  fails 2 "--picture is data.png, should be another file than that of --data" 1 --data data.png.part \
    --dataset doubles --level 1 --cells 8 --refine 0 --picture data.png
  check "what was read stays" cmp -s data.h5 before.h5
  check "what was read stays" cmp -s data.png.part before.h5
}

check_files() {
  local folder_error
  check "a run with files" advect 2 --level 2 --cells 8 --time 0.1 --output a.hdf --picture a.png >/dev/null
  check "a PNG" test "$(head -c 4 a.png | tail -c 3)" = PNG
  check "an HDF5 file" test "$(head -c 4 a.hdf | tail -c 3)" = HDF
  check "a run with files in 3D" advect 1 --dim 3 --level 1 --cells 4 --time 0.1 --output b.hdf --picture b.png >/dev/null
  check "both files" test -s b.hdf -a -s b.png
  fails 4 "no/such/folder.hdf" 2 --level 1 --cells 4 --time 0.01 --output no/such/folder.hdf
  fails 4 "no/such/folder.png" 2 --level 1 --cells 4 --time 0.01 --picture no/such/folder.png
}

# same_device OPTION...: the host's result on the device, with stored and with gathered ghosts.
same_device() {
  local ranks way line sum wanted
  line="$(advect 1 "$@")"
  wanted="$(number checksum "$line") $(number l1 "$line") $(number mass "$line")"
  check "a checksum of $*: $line" test "${#wanted}" -gt 40
  for ranks in 1 2 4; do
    for way in --device "--device --fused-ghosts"; do
      line="$(advect "$ranks" $way "$@")"
      sum="$(number checksum "$line") $(number l1 "$line") $(number mass "$line")"
      check "$* $way on $ranks ranks: $sum, on the host $wanted" test "$sum" = "$wanted"
    done
  done
}

check_device() {
  "$program" --device --level 1 --cells 4 --time 0.01 >out 2>err
  if [ $? -eq 6 ]; then
    fails 6 "--device needs a GPU" 2 --device
    [ "$failed" -eq 0 ] || exit 1
    exit 77
  fi
  same_device --dim 2 --level 2 --refine 2 --cells 8 --time 0.3
  same_device --dim 2 --level 2 --cells 4 --time 0.3 --type f32 --limiter albada --periodic 1
  same_device --dim 2 --level 1 --cells 40 --time 0.05 --region half --limiter albada
  same_device --dim 2 --level 2 --cells 8 --time 0.1 --variation 0.1 \
    --data "$source_data" --dataset elevation
  same_device --dim 3 --level 1 --cells 8 --region half --time 0.2
  same_device --dim 3 --level 1 --cells 4 --refine 2 --time 0.2 --limiter albada --periodic 0,1,0
  same_device --dim 3 --level 0 --cells 6 --trees 3,1,2 --time 0.1
  same_device --dim 3 --level 1 --cells 16 --region half --time 0.02
  same_device --dim 3 --level 0 --cells 20 --trees 2,1,1 --region half --time 0.02 --type f32
  local line sum
  line="$(advect 1 --dim 3 --level 0 --cells 36 --time 0.01)"
  sum="$(advect 1 --dim 3 --level 0 --cells 36 --time 0.01 --device)"
  check "large blocks" test "$(number checksum "$sum")" = "$(number checksum "$line")"
  fails 2 "--fused-ghosts with blocks of 36 cells" 2 --dim 3 --level 0 --cells 36 --time 0.01 \
    --device --fused-ghosts
  advect 2 --level 2 --cells 8 --time 0.1 --picture host.png >/dev/null
  advect 2 --level 2 --cells 8 --time 0.1 --picture device.png --device >/dev/null
  check "the same picture" cmp host.png device.png
}

"check_$topic"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
