#!/usr/bin/env bash
# bench_checks.sh PROGRAM MPIEXEC FOLDER - rind-bench counts what docs/rows.md says, on any number of
# ranks, prints lines of JSON, and ends with a line and a status when asked for what there is not.
set -u
program=$1 mpiexec=$2 folder=$3
mkdir -p "$folder"
failed=0

# FOREST RANKS KEY VALUE...: of rind-bench adjoint.
expect() {
  local forest=$1 ranks=$2 line=$folder/$1.$2.json
  shift 2
  if ! "$mpiexec" -n "$ranks" "$program" adjoint --forest "$forest" --repeat 3 --sample-us 1 --json \
    >"$line"; then
    echo "rind-bench adjoint --forest $forest failed on $ranks ranks"
    failed=1
    return
  fi
  while [ $# -gt 1 ]; do
    if ! grep -q "\"$1\": $2[,}]" "$line"; then
      echo "$forest on $ranks ranks: $1 should be $2 in $(cat "$line")"
      failed=1
    fi
    shift 2
  done
}
for ranks in 1 3; do
  expect R8 $ranks bench '"adjoint"' scatter_adds 77824 collisions 40960 ghost_cells 105472
  expect R4 $ranks scatter_adds 77824 collisions 0
done

# The adjoint is at most three times the schedule, in bytes.
value() {
  grep -o "\"$2\": [0-9]*" "$1" | grep -o '[0-9]*$'
}
for forest in R8 R4; do
  line=$folder/$forest.1.json
  if [ "$(value "$line" metadata_bytes_adjoint)" -gt $((3 * $(value "$line" metadata_bytes))) ]; then
    echo "$forest: the adjoint is too large: $(cat "$line")"
    failed=1
  fi
done

# Every key of fill is one of adjoint.
"$program" fill --repeat 3 --sample-us 1 --json >"$folder/fill.json" || failed=1
for key in $(grep -o '"[a-z_0-9]*":' "$folder/fill.json"); do
  if ! grep -q "$key" "$folder/R8.1.json"; then
    echo "rind-bench adjoint lacks $key"
    failed=1
  fi
done
for rows in quadratic coarse-only injection conservative; do
  if ! "$program" fill --repeat 3 --sample-us 1 --interpolation $rows | grep -q " $rows and average rows"; then
    echo "rind-bench --interpolation $rows prints no table of it"
    failed=1
  fi
done

# Metadata: at most 24 bytes a ghost cell.
for forest in R8 L12; do
  line=$folder/fill_$forest.json
  "$mpiexec" -n 2 "$program" fill --forest $forest --repeat 3 --sample-us 1 --json >"$line" || failed=1
  # Bytes are of the largest rank, ghosts of both: a rank may have half of them.
  bytes=$(($(value "$line" metadata_bytes) + $(value "$line" exchange_metadata_bytes)))
  if [ $((2 * bytes)) -gt $((24 * $(value "$line" ghost_cells))) ]; then
    echo "$forest: $bytes bytes of metadata a rank are too many: $(cat "$line")"
    failed=1
  fi
done

# The messages that are timed alone are those of the fill.
if ! "$mpiexec" -n 2 "$program" messages --forest R8 --repeat 3 --sample-us 1 --json >"$folder/messages.json"; then
  echo "rind-bench messages failed"
  failed=1
fi
for key in messages bytes_sent; do
  if [ "$(value "$folder/messages.json" $key)" != "$(value "$folder/fill_R8.json" $key)" ]; then
    echo "messages: $key is not that of the fill: $(cat "$folder/messages.json")"
    failed=1
  fi
done

# Weak scaling: from 2 ranks on nothing grows with their number but the messages to two neighbours that
# are one rank there.
if ! "$mpiexec" -n 8 "$program" scaling --cells 4 --repeat 3 --sample-us 1 --json >"$folder/scaling.json"; then
  echo "rind-bench scaling failed"
  failed=1
fi
of_ranks() {
  grep "\"ranks\": $1," "$folder/scaling.json" >"$folder/line"
  value "$folder/line" "$2"
}
for key in blocks ghost_cells bytes_sent metadata_bytes exchange_metadata_bytes buffer_bytes; do
  two=$(of_ranks 2 $key) four=$(of_ranks 4 $key) eight=$(of_ranks 8 $key)
  if [ "$four" != "$eight" ] || [ $((10 * two)) -lt $((9 * four)) ] || [ $((10 * two)) -gt $((11 * four)) ]; then
    echo "scaling: $key on 2, 4, 8 ranks is $two, $four, $eight"
    failed=1
  fi
done
if [ "$(of_ranks 2 messages) $(of_ranks 4 messages) $(of_ranks 8 messages)" != "1 2 2" ]; then
  echo "scaling: other messages than to two neighbours"
  failed=1
fi
for shape in cube curve; do
  if ! "$mpiexec" -n 3 "$program" scaling --shape $shape --repeat 3 --sample-us 1 | grep -q '^ *3 '; then
    echo "rind-bench scaling --shape $shape prints no row of 3 ranks"
    failed=1
  fi
done

# Sums over segments: two shapes, lengths alike and not.
"$program" segments --type f32 --repeat 3 --sample-us 1 --json >"$folder/segments.json" || failed=1
for skewed in 0 1; do
  if [ "$(grep -c "\"skewed\": $skewed, \"us_sum\": [0-9.]*," "$folder/segments.json")" != 2 ]; then
    echo "rind-bench segments: $(cat "$folder/segments.json")"
    failed=1
  fi
done

refuse() {
  local lines
  lines=$("$program" "$@" 2>&1 >/dev/null)
  local got=$?
  if [ $got != 2 ] || [ "$(printf '%s\n' "$lines" | wc -l)" != 1 ] || [ -z "$lines" ]; then
    echo "rind-bench $*: status $got instead of 2: $lines"
    failed=1
  fi
}
refuse adjoin
refuse adjoint --forest R9
refuse adjoint --forest R8 --dim 2
refuse export --space device -o "$folder/never.h5"
refuse messages --space device
if "$mpiexec" -n 2 "$program" messages --components 1000000 --cells 16 2>"$folder/line" ||
  ! grep -q 'exceed 2147483647 bytes' "$folder/line"; then
  echo "rind-bench messages of more bytes than an int counts: $(cat "$folder/line")"
  failed=1
fi
exit $failed
