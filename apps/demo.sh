#!/usr/bin/env bash
# The demonstration: installs what is missing, builds rind-advect and turns the terrain of the
# Jacksboro fault once round on a refined forest, on two ranks. Results are in build/demo.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. apps/setup.sh

rind_need_packages $rind_build_packages
rind_mpi_environment
# One line says what is wrong; mpiexec need not add ten.
export OMPI_MCA_orte_execute_quiet=1
# Ranks cannot see the terminal, this script can.
if [ -z "${RIND_PROGRESS:-}" ] && [ -t 2 ]; then export RIND_PROGRESS=bar; fi

mkdir -p build/demo
quietly() {
  if ! "$@" >build/demo/build.log 2>&1; then
    tail -n 40 build/demo/build.log >&2
    echo "this failed: $*" >&2
    exit 1
  fi
}
echo "building rind-advect in build/release"
quietly cmake --preset release
quietly cmake --build --preset release --target rind-advect

mpiexec -n 2 build/release/apps/advect/rind-advect \
  --data apps/data/jacksboro_dem.h5 --dataset elevation \
  --level 3 --refine 2 --variation 0.3 \
  --output build/demo/terrain.hdf --picture build/demo/terrain.png "$@"

echo
echo "build/demo/terrain.png  the terrain before, half-way and after, and the blocks"
echo "build/demo/terrain.hdf  the final field for ParaView (5.11 or later: File, Open, VTKHDF)"
