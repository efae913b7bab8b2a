# What the scripts of this folder share: messages and the places they agree on.
# Sourced, never run; must not change the machine.

repo_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache_dir=${GRIDWISE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gridwise}
current_suite=forky
# The current Mesa unpacked beside the system by current-mesa.sh.
current_dir=$cache_dir/$current_suite
# Debian's PyTorch unpacked beside the system by pytorch.sh.
pytorch_dir=$cache_dir/pytorch

note() { printf '%s\n' "$*"; }

fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# Runs a command as root: as it is when we are root, through sudo when that
# asks for no password, else with a message that says what to do.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        sudo -n -- "$@"
    else
        fail "this step needs root: run tests/run as root (or with passwordless sudo) once, or run by hand: $*"
    fi
}

# Where the loader finds the libraries of a PyTorch that pytorch.sh unpacked.
pytorch_libraries() { # DIRECTORY
    local dirs=("$1"/usr/lib "$1"/usr/lib/*-linux-gnu{,/blas,/lapack})
    (IFS=: && printf '%s' "${dirs[*]}")
}
