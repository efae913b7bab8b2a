#!/usr/bin/env bash
# Installs the Debian packages the suites need, only those that are missing.
# Must not touch a machine that has them all.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

packages=(
    python3 python3-venv libvulkan1 mesa-vulkan-drivers vulkan-validationlayers vulkan-tools
    spirv-tools glslang-tools debootstrap jq valgrind
    openmpi-bin libopenmpi-dev libclang-dev
)

# rustc links with the C compiler, of whatever kind.
command -v cc >/dev/null || packages+=(gcc libc6-dev)

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]; }

command -v dpkg-query >/dev/null || fail "tests/run knows Debian and its kin only; install by hand: ${packages[*]}"

missing=()
for package in "${packages[@]}"; do
    installed "$package" || missing+=("$package")
done
if [ ${#missing[@]} = 0 ]; then
    note "packages: all ${#packages[@]} present"
    exit 0
fi

note "packages: installing ${missing[*]}"
as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
