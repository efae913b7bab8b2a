#!/usr/bin/env bash
# Unpacks Debian's PyTorch, which is one for the CPU, with its libraries in a directory of their own under the user's cache.
# Must not install it, nor leave a half-made directory under the final name.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

stamp=$pytorch_dir/gridwise-complete
# What `import torch` loads of the packages for Python.
modules=(torch numpy astunparse six.py typing_extensions.py)

if [ -e "$stamp" ]; then
    note "PyTorch $(cat "$stamp") (from $pytorch_dir)"
    exit 0
fi

apt-cache show python3-torch >/dev/null 2>&1 || as_root apt-get update -qq
mkdir -p "$cache_dir"
work=$(mktemp -d "$cache_dir/pytorch.XXXXXX")
trap 'rm -rf "$work"' EXIT

# What the system lacks; the rest is found in its own places.
mapfile -t packages < <(LC_ALL=C apt-get install --simulate --no-install-recommends python3-torch | awk '/^Inst/ { print $2 }')
note "PyTorch: unpacking ${#packages[@]} packages (about half a minute, 600 MB)"
mkdir -p "$work/packages" "$work/usr/lib" "$work/modules"
(cd "$work/packages" && [ ${#packages[@]} = 0 ] || apt-get download -qq "${packages[@]}" 2>"$work.log") || {
    cat "$work.log" >&2
    fail "the packages of PyTorch could not be fetched"
}
rm -f "$work.log"
for package in "$work"/packages/*.deb; do
    # A package of data only has no libraries, which tar calls a failure: the import below tells whether anything lacks.
    [ ! -e "$package" ] || dpkg-deb --fsys-tarfile "$package" | tar --extract --directory "$work" --wildcards './usr/lib/*' 2>/dev/null || true
done
rm -rf "$work/packages"
for module in "${modules[@]}"; do
    if [ -e "$work/usr/lib/python3/dist-packages/$module" ]; then
        ln -s "../usr/lib/python3/dist-packages/$module" "$work/modules/$module"
    elif [ -e "/usr/lib/python3/dist-packages/$module" ]; then
        ln -s "/usr/lib/python3/dist-packages/$module" "$work/modules/$module"
    else
        fail "the packages of PyTorch lack the module $module"
    fi
done
LD_LIBRARY_PATH=$(pytorch_libraries "$work") PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$work/modules \
    /usr/bin/python3 -c 'import torch; print(torch.__version__)' >"$work/gridwise-complete"
chmod 755 "$work"
# Another run may have finished meanwhile: the first one wins.
if [ ! -e "$stamp" ]; then
    rm -rf "$pytorch_dir"
    mv -T "$work" "$pytorch_dir"
    trap - EXIT
fi
note "PyTorch $(cat "$stamp") (in $pytorch_dir)"
