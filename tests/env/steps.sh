# The steps of tests/run that take more than one command. Sourced by it; each
# function fails by its status and prints what a reader of its log wants.

target_dir() { printf '%s' "${CARGO_TARGET_DIR:-$repo_root/target}"; }

# `PASSED FAILED IGNORED` of a log: the sum of its test results, or one for the
# step itself where it has none. A failed step never counts zero failures.
count_results() { # LOG STATUS
    awk -v status="$2" '
        /^test result: / { seen = 1; passed += $4; failed += $6; ignored += $8 }
        END {
            if (!seen && status == 0) passed = 1
            if (status != 0 && failed == 0) failed = 1
            printf "%d %d %d\n", passed, failed, ignored
        }' "$1"
}

# All tests are built from the whole workspace with these features: cargo then compiles each dependency once for all of them. Lints, examples
# and packages are built without the sanitizer. The
# packages left out of the second list have nothing but suites.
features=gridwise/algorithms,gridwise/tracing,gridwise/guide,gridwise/sanitizer
with_suites=(--workspace --features "$features,gridwise-tests/sanitizer")
without_suites=(--workspace --exclude gridwise-tests --exclude gridwise-differential --exclude gridwise-gradients --features "$features")

# Where a run of the tests keeps the paths of the suites that it built: a file for each. Later steps touch what suites are made of.
built_suites() { printf '%s/test-suites%s' "$(target_dir)" "${1:+/${1//[^a-z]/-}}"; } # [FEATURE]

# Builds suites, and keeps their paths.
build_tests() { # FEATURE NAME…
    local feature=$1 name path kept chosen=()
    kept=$(built_suites "$feature")
    shift
    for name in "$@"; do chosen+=(--test "$name"); done
    mkdir -p "$kept"
    # Two packages have tests called spirv: suites are in files of this folder or of the runtime.
    cargo test "${with_suites[@]}" ${feature:+--features "$feature"} "${chosen[@]}" --no-run --message-format=json-render-diagnostics |
        jq -r 'select(.reason == "compiler-artifact" and .target.kind == ["test"] and (.target.src_path | contains("/kernel-ir/") | not)) |
            "\(.target.name) \(.executable)"' |
        while read -r name path; do printf '%s' "$path" >"$kept/$name"; done
}

# The path of a suite's test binary, built if need be.
suite_binary() { # NAME [FEATURE]
    local kept
    kept=$(built_suites "${2:-}")/$1
    [ -e "$kept" ] || build_tests "${2:-}" "$1" >&2
    [ -x "$(cat "$kept")" ] || fail "cargo built no test binary \`$1\`"
    cat "$kept"
}

show_versions() {
    rustc --version
    local device
    for device in debian current; do
        printf '%-8s ' "$device"
        "$repo_root/tests/env/on" "$device" "$(vulkaninfo_of "$device")" --summary 2>/dev/null |
            sed -n 's/^\s*\(driverInfo\|apiVersion\)\s*= /\1 /p' | paste -sd ' '
    done
    # Proof that the environments hide what they claim to hide.
    if "$repo_root/tests/env/on" no-driver vulkaninfo --summary >/dev/null 2>&1; then
        fail "the environment no-driver shows a driver"
    fi
}

vulkaninfo_of() { # DEVICE
    case $1 in
    current) printf '%s' "$current_dir/usr/bin/vulkaninfo" ;;
    *) command -v vulkaninfo ;;
    esac
}

# Random programs are many, and all of a kind: lints and documentation do without them, and documentation without the corpus.
run_clippy() {
    GRIDWISE_PROGRAMS=3 dumping_words clippy cargo clippy --quiet --workspace --all-targets -- -D warnings
}

# Where a run keeps the words of the kernels that a process of the compiler made.
words() { printf '%s/words%s' "$(target_dir)" "${1:+/$1}"; } # [NAME]

# Runs a command of cargo that compiles kernels. Each of their files is named after the kernel and its words.
dumping_words() { # NAME COMMAND…
    local folder
    folder=$(words "$1")
    shift
    mkdir -p "$folder"
    KERNEL_DUMP=spv KERNEL_DUMP_DIR=$folder "$@"
}

# Licences, sources and wildcard versions of all dependencies, as deny.toml allows them.
check_dependencies() {
    local tools
    tools=$(target_dir)/tools
    [ -x "$tools/bin/cargo-deny" ] || CARGO_TARGET_DIR=$tools/build cargo install --quiet --locked --debug --root "$tools" cargo-deny
    rm -rf "$tools/build"
    "$tools/bin/cargo-deny" --all-features check licenses bans sources
}

# The packages that a registry would get, checked from nothing but their own files and those of the others, by the toolchain that
# `rust-version` promises. The README names the same one. They are checked for Windows, too, which nothing here could run: what is there in
# place of Unix's, as workers that there are none of and memory that is not shared.
package_all() {
    local name list version published=()
    version=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    [ -n "$version" ] || fail "Cargo.toml has no rust-version"
    grep -q "toolchain ($version or newer)" README.md || fail "README.md names another toolchain than Cargo.toml, which says $version"
    # Cargo of that age packs no crates that need each other.
    local rustc
    rustc=$(rustup which --toolchain "$version" rustc 2>/dev/null) || {
        rustup toolchain install "$version" --profile minimal
        rustc=$(rustup which --toolchain "$version" rustc)
    }
    for name in gridwise-ir gridwise-macro gridwise-runtime gridwise gridwise-inspect; do
        published+=(-p "$name")
        list=$(cargo package --quiet --allow-dirty --list -p "$name")
        local file
        for file in README.md LICENSE-MIT LICENSE-APACHE; do
            grep -qx "$file" <<<"$list" || fail "$name would be published without $file"
        done
    done
    # Members of a workspace of their own share what is compiled.
    local fresh log host windows=x86_64-pc-windows-gnu
    fresh=$(target_dir)/packages
    log=$fresh/log
    rm -rf "$fresh"
    CARGO_TARGET_DIR=$fresh cargo package --quiet --allow-dirty --no-verify "${published[@]}"
    for file in "$fresh"/package/*.crate; do tar -xzf "$file" -C "$fresh"; done
    {
        printf '[workspace]\nresolver = "3"\nmembers = ["gridwise*"]\n[patch.crates-io]\n'
        for name in gridwise{,-ir,-macro,-runtime}; do printf '%s.path = "%s"\n' "$name" "$(cd "$fresh" && echo "$name"-[0-9]*)"; done
    } >"$fresh/Cargo.toml"
    cp Cargo.lock "$fresh"
    rustup target add --toolchain "$version" "$windows"
    host=$(rustc -vV | sed -n 's/^host: //p')
    # Each by itself, as another one might turn on a feature that it forgot to ask for.
    for name in gridwise-ir gridwise-macro gridwise-runtime gridwise gridwise-inspect; do
        (cd "$fresh" && RUSTC=$rustc CARGO_TARGET_DIR=$fresh/target \
            cargo check --quiet -p "$name" --all-features --target "$host" --target "$windows") 2>&1 | tee -a "$log"
    done
    ! grep -q '^warning' "$log" || fail "the packages have the warnings above"
    rm -rf "$fresh"
}

build_docs() {
    RUSTDOCFLAGS="-D warnings" cargo doc --quiet --workspace --features "$features" --exclude gridwise-tests --exclude gridwise-differential --no-deps \
        --document-private-items
}

run_unit_tests() {
    local of_rows
    export GRIDWISE_SPIRV_VAL="${current_validator[*]}"
    local suites=(--lib --bin gridwise-inspect --test grad --test interpret --test passes --test races --test scalars --test spirv --test text --test rows --test spans)
    cargo test "${without_suites[@]}" "${suites[@]}" --no-run
    # It compiles changed copies, one after the other.
    cargo test "${without_suites[@]}" --test rows &
    of_rows=$!
    cargo test "${without_suites[@]}" "${suites[@]/rows/spans}"
    cargo test "${without_suites[@]}" --doc
    # It is the first that compiles the corpus.
    dumping_words suites cargo test "${with_suites[@]}" --test documents
    wait "$of_rows"
}

# What has no foreign calls, in Miri: the schedule and its hazards, descriptions of launches, memory that twins share, launches on the
# host device of arguments that begin anywhere. Random histories of the schedule take an hour there, searches and orders have no unsafe
# code, and fibers switch stacks, which Miri does not know. Slices of constants are read as buffers are, by atomics: trees of borrows know
# that this is a read, stacks take it for more.
run_miri() {
    if ! cargo +nightly miri --version; then
        rustup toolchain install nightly --profile minimal --component miri --component rust-src
        cargo +nightly miri --version || fail "Miri cannot be installed: nothing was tested"
    fi
    MIRIFLAGS=-Zmiri-tree-borrows cargo +nightly miri test --config profile.dev.package.gridwise-ir.opt-level=0 -p gridwise-runtime --lib -- \
        sync:: launch:: profile:: print:: image:: manager:: indirect:: algorithm:: vulkan::timestamps twin:: \
        --skip random --skip crew --skip stack --skip ranges:: --skip twin::search --skip twin::order
}

run_compile_fail() { cargo test "${with_suites[@]}" --test ui --test pass-quiet --test pass-together --test pass-unordered; }

run_editor() {
    rust-analyzer --version || rustup component add rust-analyzer
    cargo test "${with_suites[@]}" --test editor
}

# Many more programs than rustc could compile in the time, through the passes alone.
run_random_programs() {
    local of_macro
    export CASES=${GRIDWISE_CASES:-1200} SEED=${GRIDWISE_SEED:-1000000}
    cargo test "${without_suites[@]}" --lib --no-run
    # Each takes a core.
    cargo test "${without_suites[@]}" --lib random::passes &
    of_macro=$!
    cargo test "${without_suites[@]}" --test passes random::passes
    wait "$of_macro"
}

# A few cases in memcheck: a launch and its replays on Vulkan, which maps, copies and frees, and kernels on the host device, whose
# twins reach buffers by pointers. Without the validation layer, and with one thread of lavapipe, as valgrind runs one at a time.
run_in_valgrind() {
    local memcheck=(valgrind --quiet --error-exitcode=9 --fair-sched=yes "--suppressions=$repo_root/tests/env/valgrind.supp") binary log
    log=$(mktemp)
    binary=$(suite_binary devices)
    (cd "$repo_root/tests" && VK_LAYER_PATH=/nonexistent LP_NUM_THREADS=1 timeout --signal=KILL 300 \
        "$repo_root/tests/env/on" debian "${memcheck[@]}" "$binary" --test-threads 1 "saxpy_runs_and_replays on vulkan") 2>&1 | tee "$log"
    grep -q 'saxpy_runs_and_replays on vulkan *\.\.\. ok' "$log" || fail "no launch of Vulkan's ran in valgrind"
    rm -f "$log"
    binary=$(suite_binary corpus)
    (cd "$repo_root/tests" && timeout --signal=KILL 300 "$repo_root/tests/env/on" no-driver "${memcheck[@]}" "$binary" lists::)
}

# All at once, which keeps both cores busy.
build_suites() {
    dumping_words suites build_tests '' corpus errors reports devices differential precision tuning together gradients loops subnormals \
        algorithms spirv faults steady scarce stress
    # Lints have no such suite, which needs a feature.
    build_tests '' sanitizer
    compiled_once
}

# The lints of two systems have compilers of their own. All else shares one, which takes a minute to compile: a dev-dependency that turns on
# a feature of what gridwise-ir is made of (`cargo tree -d` names it) makes them two.
compiled_once() {
    local count
    count=$(find "$(target_dir)/debug/deps" -name 'libgridwise_ir-*.rlib' -newer "$logs/started" | wc -l)
    [ "$count" -le 3 ] || fail "gridwise-ir was compiled $count times"
}

# Fails when the layers said anything, whatever the program made of it.
no_validation_message() { # LOG
    if grep -nE '^validation: |VUID-|SYNC-HAZARD|Validation (Error|Warning)|UNASSIGNED-' "$1"; then
        fail "the validation layer reported the messages above"
    fi
}

# Holds the ignored cases of a log to the list of the device and the suite, so that a feature that is lost does not pass for one that a
# device never had. A name behind `?` is ignored on some machines. `GRIDWISE_PIN=1` writes the list. A suite without a list ignores
# nothing.
same_ignored() { # LOG DEVICE SUITE
    local list="$repo_root/tests/env/ignored/$2-$3" found
    found=$(sed -nE 's/^test (.*[^ ]) +\.\.\. ignored.*/\1/p' "$1" | LC_ALL=C sort)
    if [ -n "${GRIDWISE_PIN:-}" ] && [ -n "$found$(cat "$list" 2>/dev/null)" ]; then sed '/^$/d' <<<"$found" >"$list"; fi
    [ -e "$list" ] || list=/dev/null
    local always maybe
    always=$(grep -v '^?' "$list" || true)
    maybe=$(sed -n 's/^?//p' "$list")
    found=$(comm -23 <(printf '%s\n' "$found") <(LC_ALL=C sort <<<"$maybe"))
    diff <(printf '%s\n' "$always") <(printf '%s\n' "$found") ||
        fail "the device \`$2\` ignores other cases than tests/env/ignored/$2-$3 lists: \`<\` is listed and ran, \`>\` is ignored anew"
}

run_suite() { # DEVICE NAME [FILTER…]
    local binary log threads=() filters=("${@:3}")
    binary=$(suite_binary "$2")
    # The validation layer of 1.3.239 looks the device of a call up in a map that it changes, without a lock, when another device
    # is made (KhronosGroup/Vulkan-ValidationLayers#4391): suites that make a manager in each case run one at a time there.
    case $1-$2 in debian-devices | debian-errors | debian-reports | debian-tuning | debian-gradients) threads=(--test-threads 1) ;; esac
    log=$(mktemp)
    (cd "$repo_root/tests" && timeout --signal=KILL 900 "$repo_root/tests/env/on" "$1" "$binary" "${threads[@]}" "${filters[@]}") 2>&1 |
        tee "$log"
    no_validation_message "$log"
    # Without the layer, its silence proves nothing.
    if grep -n '^no validation layer' "$log"; then fail "the device \`$1\` has no validation layer"; fi
    awk '/^test result: / { ran += $4 } END { exit !(ran > 0) }' "$log" || fail "no case ran on the device \`$1\`"
    [ ${#filters[@]} -gt 0 ] || same_ignored "$log" "$1" "$2"
    rm -f "$log"
}

# The results do not depend on the order in which the host device runs workgroups and invocations.
run_corpus_in_any_order() { GRIDWISE_HOST_SEED=7 run_suite no-driver corpus; }

# Kernels that find tensors by addresses, as on NVIDIA's driver. The corpus alone: lavapipe 26.1 loads from an address that all lanes share
# also where no lane gets to the load, and an index that is out of range there ends the process. So does the one before the first element,
# which reversed loops have behind their last round, where nothing is mapped before the tensor.
run_corpus_by_address() { GRIDWISE_BY_ADDRESS=1 run_suite current corpus --skip=chains::buffers --skip=carried::parts; }

# Some programs of the corpus, with each call to Vulkan failing in each way; GRIDWISE_SEED chooses others.
run_corpus_faults() {
    local binary
    binary=$(suite_binary faults gridwise-fault-layer/corpus)
    (cd "$repo_root/tests" && GRIDWISE_FAULTS_SAMPLE=${GRIDWISE_FAULTS_SAMPLE:-6} timeout --signal=KILL 900 \
        "$repo_root/tests/env/on" debian "$binary" corpus::)
}

# The corpus once more, each kernel compiled from what the printer of modules makes of it. The dumps say which were.
printed=gridwise-tests/printed

build_printed() {
    local dumps count
    dumps=$(target_dir)/printed
    rm -rf "$dumps"
    mkdir -p "$dumps"
    # Cargo knows nothing of the variables: what was built before is as old as the folder.
    touch tests/lib.rs
    KERNEL_PRINTED=gridwise_tests KERNEL_DUMP=printed KERNEL_DUMP_DIR=$dumps \
        cargo test "${with_suites[@]}" --features "$printed" --no-run --test corpus
    head --quiet --lines 1 "$dumps"/* | LC_ALL=C sort | uniq -c
    count=$(head --quiet --lines 1 "$dumps"/* | grep -c '^// compiled$')
    [ "$count" -ge 525 ] || fail "of the corpus's kernels $count are compiled from their printed text, fewer than before"
}

# Messages of panics show the printed text and no values: their cases are listed, as are the checks that such a text needs.
run_printed() { # DEVICE
    local binary log name device=("$repo_root/tests/env/on" "$1") skipped=(--skip overflow::)
    while read -r name; do skipped+=(--skip "$name"); done <"$repo_root/tests/env/printed"
    binary=$(suite_binary corpus "$printed")
    log=$(mktemp)
    (cd "$repo_root/tests" && timeout --signal=KILL 900 "${device[@]}" "$binary" "${skipped[@]}") 2>&1 | tee "$log"
    no_validation_message "$log"
    awk '/^test result: / { ran += $4 } END { exit !(ran > 500) }' "$log" || fail "fewer than 500 cases ran"
    rm -f "$log"
}

run_sanitizer_suite() { (cd "$repo_root/tests" && "$(suite_binary sanitizer)"); }

# Host twin and interpreter agree, and nothing races.
run_in_sanitizer() { # NAME [ARGUMENT…]
    local binary log
    binary=$(suite_binary "$1")
    shift
    log=$(mktemp)
    (cd "$repo_root/tests" && GRIDWISE_DEVICE=sanitizer timeout --signal=KILL 900 "$binary" "$@") 2>&1 | tee "$log"
    grep -q '^device: sanitizer' "$log" || fail "nothing ran in the sanitizer"
    rm -f "$log"
}

# All but the kernels that try all operations on many pairs of integers: they take minutes there, and the tests of the IR
# try the same without a launch.
run_corpus_in_sanitizer() { run_in_sanitizer corpus --skip overflow::; }

# The host's subgroups have 32 lanes unless it is told otherwise; devices have fewer. A run takes minutes: the least, and one of several.
run_narrow_algorithms() {
    local width
    for width in 1 4; do
        note "subgroups of $width"
        GRIDWISE_HOST_SUBGROUP=$width run_suite no-driver algorithms
    done
}

# The package for MPI is a workspace of its own: its format, lints, documentation, tests and examples.
build_mpi() {
    local mpi=(--manifest-path "$repo_root/mpi/Cargo.toml")
    export CARGO_TARGET_DIR
    CARGO_TARGET_DIR=$(target_dir)/mpi
    cargo fmt "${mpi[@]}" --check
    cargo clippy --quiet "${mpi[@]}" --all-targets -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --quiet "${mpi[@]}" --no-deps
    cargo test "${mpi[@]}" --lib
    cargo test "${mpi[@]}" --doc
    cargo test "${mpi[@]}" --test ranks --no-run
    cargo build --quiet "${mpi[@]}" --examples
}

# Programs on one to four ranks, and the examples, whose results have the same bits on any number of ranks.
run_mpi() { # DEVICE
    local binary log digests wrapper ranks built
    built=$(target_dir)/mpi
    wrapper="$repo_root/tests/env/on $1"
    binary=$(CARGO_TARGET_DIR=$built cargo test --quiet --manifest-path "$repo_root/mpi/Cargo.toml" --test ranks --no-run --message-format=json |
        jq -r 'select(.reason == "compiler-artifact" and .target.name == "ranks") | .executable // empty' | tail -n 1)
    [ -x "$binary" ] || fail "cargo built no test binary \`ranks\`"
    log=$(mktemp)
    GRIDWISE_MPI_WRAPPER=$wrapper timeout --signal=KILL 600 "$binary" 2>&1 | tee "$log"
    awk '/^test result: / { ran += $4 } END { exit !(ran > 0) }' "$log" || fail "no case ran on the device \`$1\`"
    digests=$(
        for ranks in 1 2 4; do
            timeout --signal=KILL 120 mpirun --allow-run-as-root --oversubscribe -n "$ranks" $wrapper \
                "$built/debug/examples/heat" --side 97 --steps 40 --output "$built/heat-$1.png"
            timeout --signal=KILL 120 mpirun --allow-run-as-root --oversubscribe -n "$ranks" $wrapper "$built/debug/examples/training"
        done 2>&1 | tee -a "$log" | grep -o 'digest [0-9a-f]*'
    )
    sed -n '/^rank 0/,$p' "$log"
    no_validation_message "$log"
    [ "$(sort <<<"$digests" | uniq -c | awk '{ print $1 }' | paste -sd ' ')" = "3 3" ] || fail "the results depend on the number of ranks: $digests"
    rm -f "$log"
}

# Runs one example and holds it to its device: the host where no driver is,
# llvmpipe where one is.
run_example() { # DEVICE NAME ARGUMENT…
    local device=$1 name=$2 expected log
    shift 2
    case $device in
    debian | current) expected=llvmpipe ;;
    *) expected=host ;;
    esac
    log=$(mktemp)
    timeout --signal=KILL 600 "$repo_root/tests/env/on" "$device" "$(example "$name")" "$@" 2>&1 |
        tee "$log"
    no_validation_message "$log"
    grep -q -- "^device: $expected" "$log" || fail "example $name did not say that it ran on \`$expected\`"
    rm -f "$log"
}

# The first as the README has it. The others as what the suites have compiled already.
build_examples() {
    cargo build --quiet --release --example quickstart
    cargo build --quiet "${without_suites[@]}" --examples
}

# The path of an example.
example() { # NAME
    local profile=debug
    [ "$1" != quickstart ] || profile=release
    printf '%s/%s/examples/%s' "$(target_dir)" "$profile" "$1"
}

run_examples() { # DEVICE
    local out
    out=$(target_dir)/examples-out/$1
    mkdir -p "$out"
    run_example "$1" quickstart
    run_example "$1" to_srgb --output "$out/to_srgb.png"
    run_example "$1" to_srgb --fill --output "$out/fill.png"
    run_example "$1" mandelbrot --output "$out/mandelbrot.png"
    run_example "$1" swirl --output "$out/swirl.png"
    run_example "$1" reductions 16
    run_example "$1" shallow_water --side 128 --steps 200 --output "$out/shallow_water.png"
    run_example "$1" logistic_regression --output "$out/loss.svg"
    run_example "$1" softmax --output "$out/softmax.svg"
    run_example "$1" perceptron --output "$out/perceptron.svg"
    run_example "$1" rope --output "$out/rope.svg"
    run_example "$1" blobs --output "$out/blobs"
    reject_unreadable_image "$1"
}

# Bad input is an error message and a status, not a panic.
reject_unreadable_image() { # DEVICE
    local log
    log=$(mktemp)
    if "$repo_root/tests/env/on" "$1" "$(example to_srgb)" \
        --input "$repo_root/Cargo.toml" --output /dev/null >"$log" 2>&1; then
        fail "to_srgb accepted a file that is no image"
    fi
    cat "$log"
    ! grep -q panicked "$log" || fail "to_srgb panicked on a file that is no image"
    rm -f "$log"
}

# The page of a kernel whose checks are known, with a roofline; a kernel that is not there is an error.
run_inspect() {
    local page measured log
    page=$(target_dir)/inspect.html
    measured=$(mktemp)
    log=$(mktemp)
    printf '%s' '{"device": "none", "peak_gb_per_s": 10, "peak_gflop_per_s": 100, "kernels":
        [{"name": "saxpy", "microseconds": 2000, "bytes": 12582912, "flops": 2097152}]}' >"$measured"
    cargo build --quiet "${without_suites[@]}" --bin gridwise-inspect
    local inspect wanted
    inspect=$(target_dir)/debug/gridwise-inspect
    "$inspect" --example quickstart --no-device --measured "$measured" --out "$page"
    for wanted in 'items.x - 1 &lt; x.len()' 'only where the launch does not meet' 'OpFAdd' 'saxpy: 63 % of the roof'; do
        grep -q -- "$wanted" "$page" || fail "the page does not say: $wanted"
    done
    "$inspect" --dumps "$(target_dir)/gridwise-inspect" --no-device --out "$page"
    grep -q OpFAdd "$page" || fail "what was dumped gives no page"
    if "$inspect" --example quickstart --no-device --kernel nothing 2>"$log"; then
        fail "gridwise-inspect showed a kernel that is not there"
    fi
    grep -q 'no kernel to show called nothing' "$log" || { cat "$log"; fail "the error is another one"; }
    rm -f "$measured" "$log"
}

# The reference shaders compile, both sides of every workload give the right result at sizes for a processor, and what was
# measured can be drawn.
run_gpu_work() {
    local out page binary
    out=$(target_dir)/gpu-work
    page=$out/inspect.html
    # Results are compared here, not times: what was built for the suites serves.
    cargo build --quiet "${without_suites[@]}" --bin gpu_work --bin untuned
    binary=$(target_dir)/debug/gpu_work
    rm -rf "$out"
    mkdir -p "$out"
    printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' "$current_dir/lib64/ld-linux-x86-64.so.2" \
        "$current_dir/usr/lib/x86_64-linux-gnu" "$current_dir/usr/bin/glslc" >"$out/glslc"
    chmod +x "$out/glslc"
    GLSLC=$out/glslc "$binary" --compile "$out/shaders"
    timeout --signal=KILL 900 "$repo_root/tests/env/on" current "$binary" --references "$out/shaders" --runs 1 --out "$out"
    binary=$(target_dir)/debug/untuned
    GLSLC=$out/glslc "$binary" --compile "$out/untuned"
    timeout --signal=KILL 300 "$repo_root/tests/env/on" current "$binary" --references "$out/untuned" --runs 1 --out "$out"
    cargo build --quiet "${without_suites[@]}" --bin gridwise-inspect
    "$(target_dir)/debug/gridwise-inspect" --example quickstart --no-device --measured "$out/rooflines.json" --out "$page"
    grep -q 'of the roof' "$page" || fail "the page has no roofline"
}

run_quickstart_without_loader() { run_example no-loader quickstart; }

# Lets the corpus suite write its SPIR-V modules to a fresh directory.
dump_modules() { # DIRECTORY
    local binary folder=$1
    binary=$(suite_binary corpus)
    rm -rf "$folder"
    mkdir -p "$folder"
    (cd "$repo_root/tests" && GRIDWISE_DUMP_SPIRV="$folder" "$repo_root/tests/env/on" no-driver "$binary" --list) >/dev/null
    compgen -G "$folder/*.spv" >/dev/null || fail "the corpus suite wrote no module"
}

# The current spirv-val, as a command.
current_validator=("$current_dir/lib64/ld-linux-x86-64.so.2" --library-path "$current_dir/usr/lib/x86_64-linux-gnu"
    "$current_dir/usr/bin/spirv-val")

validate_modules() { # debian|current
    local dir count=0 bad=0 unknown=0 module message target validator=(spirv-val)
    [ "$1" = debian ] || validator=("${current_validator[@]}")
    "${validator[@]}" --version | head -n 1
    dir=$(target_dir)/spirv/$1
    dump_modules "$dir"
    for module in "$dir"/*.spv; do
        count=$((count + 1))
        # The second word is the version: modules of SPIR-V 1.6 are for devices that have it.
        target=vulkan1.2
        [ "$(od -An -tx1 -j5 -N1 "$module")" != " 06" ] || target=vulkan1.3
        message=$("${validator[@]}" --target-env "$target" --scalar-block-layout "$module" 2>&1) && continue
        # Cooperative matrices are newer than Debian's SPIRV-Tools; the current ones look at them.
        if [ "$1" = debian ] && grep -q 'Invalid capability operand: 6022' <<<"$message"; then
            unknown=$((unknown + 1))
            continue
        fi
        note "rejected: $module: $message"
        bad=$((bad + 1))
    done
    note "test result: validated. $((count - bad - unknown)) passed; $bad failed; $unknown ignored"
    [ "$bad" = 0 ]
}

# The same tokens must give the same words in another process of the compiler: those of the lints and of the suites. Lints know fewer random
# programs.
compare_two_builds() {
    local name count
    for name in clippy suites; do
        # Cargo compiles nothing that it has.
        ! compgen -G "$(words $name)/*.spv" >/dev/null || continue
        touch tests/lib.rs
        dumping_words "$name" cargo check "${with_suites[@]}" --all-targets
    done
    list_words() { (cd "$(words "$1")" && printf '%s\n' *.spv | grep -v '^random' | LC_ALL=C sort); }
    LC_ALL=C comm -23 <(list_words suites) <(list_words clippy) >"$(words)/only-suites"
    count=$(list_words suites | wc -l)
    if [ -s "$(words)/only-suites" ]; then
        head -n 20 "$(words)/only-suites"
        fail "another process of the compiler made other words of these kernels"
    fi
    [ "$count" -ge 700 ] || fail "only $count kernels were compiled twice"
    note "test result: same. $count passed; 0 failed; 0 ignored"
}
