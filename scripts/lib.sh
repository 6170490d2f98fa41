# Shared by quickstart and test: what has to be installed, and how. Sourced with bash; the caller has set -euo pipefail.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '\n== %s\n' "$*"; }
die() {
  printf 'error: %s\n' "$*" >&2
  exit 2
}

have_package() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
# Whether apt could install it. (No pipe into grep -q: it ends early and the pipe would fail.)
can_install() { [[ $(apt-cache policy "$1" 2>/dev/null) =~ Candidate:\ [0-9] ]]; }

# The C++ compiler to build with: g++ 12 or newer.
gxx_version() { "$1" -dumpfullversion -dumpversion 2>/dev/null | cut -d. -f1; }
find_gxx() {
  local name
  for name in g++ g++-15 g++-14 g++-13 g++-12; do
    if [ "$(gxx_version "$name")" -ge 12 ] 2>/dev/null; then
      echo "$name"
      return
    fi
  done
}

has_nvcc() { command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; }
clang_names() { echo clang++-19 clang++-20 clang++-18 clang++-17 clang++-16 clang++-15; }
find_clang() {
  local name
  for name in $(clang_names); do
    if command -v "$name" >/dev/null; then
      echo "$name"
      return
    fi
  done
}

# The packages among the arguments that are not there yet.
missing_packages() {
  local package
  for package in "$@"; do
    have_package "$package" || echo "$package"
  done
}

# Commands that only some tests need, each the command and its package (":PACKAGE": what is no command); those that are
# missing are installed where the distribution has them.
optional_packages=()
missing_optional() {
  local entry
  for entry in "${optional_packages[@]}"; do
    if [ -n "${entry%%:*}" ]; then command -v "${entry%%:*}" >/dev/null; else have_package "${entry##*:}"; fi || echo "${entry##*:}"
  done
}

# The newest of the compilers that this release of the distribution has; apt's lists must be there.
add_compilers() {
  local name
  if [ -z "$(find_gxx)" ]; then
    for name in g++ g++-14 g++-13 g++-12; do
      local version
      version=$(apt-cache show "$name" 2>/dev/null | sed -n 's/^Version: \([0-9]*:\)\?\([0-9]*\).*/\2/p' | head -n 1) || true
      if [ "${version:-0}" -ge 12 ]; then
        wanted+=("$name")
        break
      fi
    done
  fi
  # Something must make PTX of CUDA C++: a CUDA toolkit that is there already, or clang.
  if [ -z "$(find_clang)" ] && { [ "$1" = with-clang ] || ! has_nvcc; }; then
    for name in $(clang_names); do
      name=${name/++/}
      if can_install "$name"; then
        wanted+=("$name")
        [ "$name" = clang-19 ] || echo "This distribution has no clang-19; $name does as well."
        return
      fi
    done
    [ "$1" = with-clang ] && has_nvcc && return
    die "this distribution has no clang from 15 to 20, and there is no CUDA toolkit with nvcc: install one of them"
  fi
}

# install_packages with-clang|nvcc-or-clang PACKAGE…: makes sure that they and the compilers are there.
install_packages() {
  local clang=$1 wanted
  shift
  wanted=("$@")
  command -v apt-get >/dev/null || die "there is no apt-get here; Debian 12, Ubuntu 22.04 or newer are supported. Needed: $*, g++ >= 12, clang-19 or nvcc"
  mapfile -t wanted < <(missing_packages "$@")
  local extra
  mapfile -t extra < <(missing_optional)
  local compilers=yes
  [ -n "$(find_gxx)" ] && { [ -n "$(find_clang)" ] || { [ "$clang" = nvcc-or-clang ] && has_nvcc; }; } && compilers=no
  if [ ${#wanted[@]} -eq 0 ] && [ $compilers = no ] && [ ${#extra[@]} -eq 0 ]; then
    return
  fi

  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if [ ${#wanted[@]} -eq 0 ] && [ $compilers = no ]; then return; fi # for what is optional nobody is asked
    command -v sudo >/dev/null || die "packages are missing (${wanted[*]:-}$([ $compilers = yes ] && echo ' and a compiler')), and this is neither root nor is there sudo: ask somebody who may install them"
    as_root=(sudo)
  fi
  say "Updating the list of packages"
  "${as_root[@]}" apt-get update -q
  [ $compilers = yes ] && add_compilers "$clang"
  local package
  for package in "${extra[@]}"; do
    if can_install "$package"; then wanted+=("$package"); else echo "This distribution has no $package; what needs it is left out."; fi
  done
  [ ${#wanted[@]} -eq 0 ] && return
  say "Installing ${wanted[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install -q -y --no-install-recommends "${wanted[@]}"
}

build_packages=(cmake ninja-build make libfmt-dev libcli11-dev nlohmann-json3-dev libopenblas-dev libzstd-dev liblz4-dev libxxhash-dev)
