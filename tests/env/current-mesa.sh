#!/usr/bin/env bash
# Unpacks a current Mesa, validation layer and SPIR-V tools beside the system,
# in a directory of their own under the user's cache. Must not touch the
# system's packages, nor leave a half-made directory under the final name.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

packages=(
    mesa-vulkan-drivers libvulkan1 vulkan-tools vulkan-validationlayers
    spirv-tools glslc glslang-tools
)
stamp=$current_dir/gridwise-complete

# The first mirror among the machine's apt sources that carries Debian itself.
debian_mirror() {
    local mirror
    mirror=$(
        {
            cat /etc/apt/sources.list.d/*.sources 2>/dev/null | sed -n 's/^URIs:[[:space:]]*\([^[:space:]]*\).*/\1/p'
            cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
                sed -n 's/^deb[[:space:]]\+\(\[[^]]*\][[:space:]]\+\)\?\([^[:space:]]*\).*/\2/p'
        } | grep -E '/debian/?$' | head -n 1 || true
    )
    printf '%s' "${mirror:-http://deb.debian.org/debian}"
}

# debootstrap's script for the suite; older versions lack the newest names,
# and all of Debian's releases share the one of sid.
debootstrap_script() {
    local scripts=/usr/share/debootstrap/scripts
    if [ -e "$scripts/$current_suite" ]; then
        printf '%s' "$scripts/$current_suite"
    else
        printf '%s' "$scripts/sid"
    fi
}

# What $1 holds must include the driver, the layer and the tools, else it is not complete.
check_contents() {
    local dir=$1 file
    for file in lib64/ld-linux-x86-64.so.2 usr/bin/spirv-val usr/bin/spirv-dis \
        usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json; do
        [ -e "$dir/$file" ] || fail "the current Mesa lacks $file"
    done
    compgen -G "$dir/usr/share/vulkan/icd.d/lvp_icd*.json" >/dev/null || fail "the current Mesa has no lavapipe"
    # The host's loader reads these files with the host's paths.
    compgen -G "$dir/usr/lib/x86_64-linux-gnu/libvulkan_lvp.so" >/dev/null || fail "the current Mesa has no libvulkan_lvp.so"
}

if [ -e "$stamp" ]; then
    note "current Mesa: $(cat "$stamp") (from $current_dir)"
    exit 0
fi

[ "$(uname -m)" = x86_64 ] || fail "the current Mesa is fetched for x86_64 only"
as_root true # says so now if we cannot
mirror=$(debian_mirror)
mkdir -p "$cache_dir"
work=$(mktemp -d "$cache_dir/$current_suite.XXXXXX")
trap 'as_root rm -rf --one-file-system "$work"' EXIT

note "current Mesa: unpacking $current_suite from $mirror (about half a minute, 600 MB)"
# On a failure the log says why; on success nobody needs it.
log=$work.log
if ! {
    as_root debootstrap --variant=minbase "$current_suite" "$work" "$mirror" "$(debootstrap_script)" &&
        as_root chroot "$work" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends "${packages[@]}" &&
        as_root chroot "$work" apt-get clean
} >"$log" 2>&1 </dev/null; then
    tail -n 30 "$log" >&2
    fail "the current Mesa could not be unpacked (log: $log)"
fi
rm -f "$log"
check_contents "$work"

as_root chmod 755 "$work"
version=$(as_root chroot "$work" dpkg-query -W -f '${Version}' mesa-vulkan-drivers)
as_root sh -c "echo 'Mesa $version' > '$work/gridwise-complete'"
# Another run may have finished meanwhile: the first one wins.
if [ ! -e "$stamp" ]; then
    as_root rm -rf --one-file-system "$current_dir"
    as_root mv -T "$work" "$current_dir"
    trap - EXIT
fi
note "current Mesa: $(cat "$stamp") (in $current_dir)"
