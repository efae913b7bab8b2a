#!/usr/bin/env bash
# CPU time of `cargo check` and `cargo build` for one kernel of many statements:
#   benches/growth.sh [COMMAND [STATEMENTS…]]
# COMMAND is `check` or `build`; both when it is left out. A row is one form of statement; the time of an empty crate is subtracted. The ratio
# is the time of a statement at the largest size to that at the smallest. Times are of the processor, user and system, in dev builds, with
# the macro as cargo builds it for users: without optimisation.
set -euo pipefail

repo_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
commands=(check build)
[ $# -eq 0 ] || { commands=("$1"); shift; }
sizes=("${@:-}")
[ -n "${sizes[0]}" ] || sizes=(500 2000 8000)
goal=1.5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Straight-line code of a form; each kernel stores what it computes.
statements() { # FORM COUNT
    awk -v form="$1" -v count="$2" 'BEGIN {
        if (form == "lets") print "let v0 = x[i];"
        if (form == "assignments") print "let mut v = x[i]; let mut w = 1.0f32;"
        for (j = 1; j < count; j++) {
            if (form == "lets") printf "let v%d = v%d * 1.5 + %d.0;\n", j, j - 1, j
            if (form == "assignments" && j % 2) printf "v = w * 1.5 + %d.0;\n", j
            if (form == "assignments" && j % 2 == 0) printf "w += v * %d.0;\n", j
            if (form == "checks") printf "y[i] += x[(n + %d) %% 100];\n", j
            if (form == "branches") printf "if x[i] > %d.0 { y[i] = %d.5; }\n", j, j
            if (form == "arrays" && j % 4 == 0) printf "let mut a%d = [0.0f32; 8];\na%d[(n %% 8) as usize] = x[i];\na%d[1] += %d.0;\ny[i] += a%d[(i %% 8) as usize];\n", j, j, j, j, j
        }
        if (form == "lets") printf "y[i] = v%d;\n", count - 1
        if (form == "assignments") print "y[i] = v + w;"
    }'
}

the_crate() { # FORM COUNT
    printf 'use gridwise::prelude::*;\n'
    [ "$2" -gt 0 ] || return 0
    printf '#[kernel]\npub fn k(x: &[f32], y: &mut [f32], n: u32) {\nlet i = global_id().x;\nlet _ = n;\n'
    statements "$1" "$2"
    printf '}\n'
}

# Milliseconds of the processor.
cpu_time() { # COMMAND FORM COUNT
    the_crate "$2" "$3" >"$folder/src/lib.rs"
    TIMEFORMAT='%U %S'
    { time cargo "$1" --quiet --offline --manifest-path "$folder/Cargo.toml" 2>"$folder/errors" || cat "$folder/errors" >&2; } 2>&1 |
        awk '{ printf "%d\n", ($1 + $2) * 1000 }'
}

mkdir "$folder/src"
cp "$repo_root/Cargo.lock" "$folder/"
printf '[package]\nname = "one-long-kernel"\nedition = "2024"\n[dependencies]\ngridwise = { path = "%s" }\n[workspace]\n' "$repo_root" >"$folder/Cargo.toml"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$repo_root/target}/growth CARGO_INCREMENTAL=0
for command in "${commands[@]}"; do
    cpu_time "$command" none 0 >/dev/null
    without=$(cpu_time "$command" empty 0)
    printf 'cargo %s of a crate without kernels: %d ms\n' "$command" "$without"
    for form in lets assignments arrays checks branches; do
        row="$form:" first= last=
        for size in "${sizes[@]}"; do
            last=$((($(cpu_time "$command" $form "$size") - without) * 1000 / size))
            [ -n "$first" ] || first=$last
            row="$row $size: $last µs a statement,"
        done
        awk -v row="$row" -v first="$first" -v last="$last" -v goal=$goal 'BEGIN {
            ratio = last / first
            printf "%s ratio %.2f %s %.1f\n", row, ratio, ratio <= goal ? "within" : "over", goal
        }'
    done
done
