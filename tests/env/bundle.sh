#!/usr/bin/env bash
# Collects the device suites and the examples, built, in a directory that runs on a machine without Rust:
#   tests/env/bundle.sh DIRECTORY    then, on that machine: DIRECTORY/run.sh
# For a machine with a GPU; must not need anything there but libc and a Vulkan loader.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"

[ $# = 1 ] || fail "usage: tests/env/bundle.sh DIRECTORY"
mkdir -p "$1"
bundle=$(realpath "$1")
cd "$repo_root"

for suite in corpus errors reports together loops subnormals algorithms precision differential; do
    strip -o "$bundle/$suite" "$(suite_binary "$suite")"
done
cargo build --quiet --release --examples
for example in quickstart to_srgb mandelbrot reductions logistic_regression; do
    strip -o "$bundle/$example" "$(target_dir)/release/examples/$example"
done

cat >"$bundle/run.sh" <<'SCRIPT'
#!/usr/bin/env bash
# Runs what lies beside it on the device that GRIDWISE_DEVICE names, or the best one. Pictures go to OUT or here.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
out=${OUT:-.}
failed=0
try() {
    echo "== $*"
    timeout --signal=KILL 280 "$@" || {
        echo "FAILED: $*"
        failed=1
    }
}
try ./quickstart
try ./to_srgb --output "$out/to_srgb.png"
try ./to_srgb --fill --output "$out/fill.png"
try ./reductions 26
try ./mandelbrot --output "$out/mandelbrot.png"
try ./logistic_regression --output "$out/loss.svg"
try ./errors
try ./together
try ./loops
try ./subnormals
try ./algorithms
try ./reports
try ./precision
try ./corpus
try ./differential
exit $failed
SCRIPT
chmod +x "$bundle/run.sh"
du -sh "$bundle"
