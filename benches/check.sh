#!/usr/bin/env bash
# Time of `cargo check` of a crate with many kernels, against the same crate without them:
#   benches/check.sh [KERNELS [OPT_LEVEL_OF_THE_MACRO…]]
# The kernels are those that `macro` measures, under new names. Each time is the least of five, with all dependencies built.
# Must not measure the building of the macro itself.
set -euo pipefail

repo_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
sources=$repo_root/benches/src/bin/macro_time/sources
kernels=${1:-100}
shift || true
levels=("${@:-3}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

the_crate() { # KERNELS
    local names=(saxpy blur matmul) attributes=("workgroup = 256" "workgroup = [16, 16]" "workgroup = [16, 16]") number
    printf '#![allow(unused_imports)]\nuse gridwise::prelude::*;\n'
    for ((number = 0; number < $1; number++)); do
        local which=$((number % 3))
        printf '#[kernel(%s)]\n' "${attributes[which]}"
        sed "s/^fn ${names[which]}(/pub fn ${names[which]}_$number(/" "$sources/${names[which]}.rs"
    done
}

least_of_five() {
    local round start end least=
    for round in 1 2 3 4 5; do
        touch "$folder/src/lib.rs"
        start=$(date +%s%N)
        cargo check --quiet --offline --manifest-path "$folder/Cargo.toml"
        end=$(date +%s%N)
        if [ -z "$least" ] || [ $((end - start)) -lt "$least" ]; then least=$((end - start)); fi
    done
    echo $((least / 1000000))
}

mkdir "$folder/src"
cp "$repo_root/Cargo.lock" "$folder/"
cat >"$folder/Cargo.toml" <<END
[package]
name = "many-kernels"
edition = "2024"
[dependencies]
gridwise = { path = "$repo_root" }
[workspace]
END
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$repo_root/target}/check CARGO_INCREMENTAL=0
for level in "${levels[@]}"; do
    export CARGO_PROFILE_DEV_BUILD_OVERRIDE_OPT_LEVEL=$level
    the_crate 0 >"$folder/src/lib.rs"
    cargo check --quiet --offline --manifest-path "$folder/Cargo.toml"
    without=$(least_of_five)
    the_crate "$kernels" >"$folder/src/lib.rs"
    with=$(least_of_five)
    printf 'macro at opt-level %s: %d kernels %d ms, none %d ms, one kernel %d µs\n' \
        "$level" "$kernels" "$with" "$without" $(((with - without) * 1000 / kernels))
done
