#!/usr/bin/env bash
# tests/run.sh - configures, builds and runs all tests; on Debian, as root, installs what is missing.
#
#   tests/run.sh [--release | --dev] [argument of ctest...]
#
# --release: optimised, in build/test. --dev: with sanitizers, in build/dev. Neither: one after the
# other. Warnings are errors. Everything else goes to ctest: tests/run.sh -R core.field
# Status: 0 all tests passed, 1 not, 2 packages are missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. apps/setup.sh

case "${1:-}" in
  -h | --help)
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' tests/run.sh
    exit 0
    ;;
  --release | --dev)
    kinds="${1#--}"
    shift
    ;;
  *) kinds="release dev" ;;
esac

# shellcheck disable=SC2086
rind_need_packages $rind_build_packages $rind_test_packages
rind_mpi_environment

jobs="$(nproc)"
[ "$jobs" -le 8 ] || jobs=8

for kind in $kinds; do
  # dev is the preset's folder; release's is left to the user, whose options may differ.
  folder="build/$kind"
  [ "$kind" = dev ] || folder=build/test
  echo "== $kind: configure and build in $folder"
  cmake --preset "$kind" -B "$folder" -DRIND_WARNINGS_AS_ERRORS=ON -DRIND_TESTS=ON -DRIND_APPS=ON \
    </dev/null
  cmake --build "$folder" --parallel "$jobs" </dev/null
  echo "== $kind: test"
  ctest --test-dir "$folder" --output-on-failure --no-tests=error -j2 "$@" </dev/null || exit 1
done
