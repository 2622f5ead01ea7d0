# What demo.sh and tests/run.sh share: Debian packages and Open MPI's environment. Sourced by bash.

# What it takes to build the library and its programs.
rind_build_packages="cmake ninja-build gcc g++ libc6-dev openmpi-bin libopenmpi-dev libp4est-dev \
libhdf5-openmpi-dev libpng-dev"
# What the tests need beyond that.
rind_test_packages="git clang-format-14 binutils python3 pkg-config"

# rind_package_present PACKAGE: installed by dpkg, or its command came from elsewhere.
rind_package_present() {
  case "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true)" in
    installed) return 0 ;;
  esac
  case "$1" in
    ninja-build) command -v ninja ;;
    openmpi-bin) command -v mpiexec ;;
    binutils) command -v nm ;;
    cmake | gcc | g++ | git | python3 | pkg-config | clang-format-14) command -v "$1" ;;
    *) false ;;
  esac >/dev/null 2>&1
}

# rind_need_packages PACKAGE...: as root installs those that are missing; anybody else gets the line
# to type, and the script ends with status 2. Touches nothing when all are there.
rind_need_packages() {
  local package missing=""
  for package in "$@"; do
    rind_package_present "$package" || missing="$missing $package"
  done
  missing="${missing# }"
  [ -n "$missing" ] || return 0
  if ! command -v apt-get >/dev/null 2>&1; then
    # Not Debian: CMake will name what it does not find.
    echo "no apt-get here; Debian's names of what seems to be missing: $missing" >&2
    return 0
  fi
  if [ "$(id -u)" -ne 0 ]; then
    echo "packages are missing; as root: apt-get install -y --no-install-recommends $missing" >&2
    exit 2
  fi
  echo "installing $missing"
  local log
  log="$(mktemp)"
  # shellcheck disable=SC2086
  if ! rind_apt_get install -y --no-install-recommends $missing >"$log" 2>&1; then
    # The lists may be absent or old.
    if ! rind_apt_get -o APT::Update::Error-Mode=any update >"$log" 2>&1 ||
      ! rind_apt_get install -y --no-install-recommends $missing >"$log" 2>&1; then
      tail -n 20 "$log" >&2
      rm -f "$log"
      echo "apt-get could not install: $missing" >&2
      exit 2
    fi
  fi
  rm -f "$log"
}

# Waits for another apt-get to finish, asks nothing.
rind_apt_get() {
  DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

# rind_mpi_environment: more ranks than cores, and root, without complaints, on one machine.
rind_mpi_environment() {
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
  export OMPI_MCA_mpi_yield_when_idle=1
  # Shared memory only: no search for networks, no ptrace, which containers forbid.
  export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
  export OMPI_MCA_mca_base_component_show_load_errors=0 HWLOC_HIDE_ERRORS=2
  export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
}
