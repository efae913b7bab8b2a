# The steps of tests/run for the Python packages: an environment, two wheels, and suites on each device.
# Sourced after steps.sh; must not change a tracked file.

python_dir() { printf '%s' "$(target_dir)/python"; }

# The interpreter of the environment that has the tests' packages, made anew when the list changes.
test_python() { printf '%s' "$(python_dir)/venv/bin/python"; }

prepare_python() {
    local made
    made=$(python_dir)/venv/requirements.txt
    if ! cmp -s "$repo_root/python/requirements.txt" "$made"; then
        rm -rf "$(python_dir)/venv"
        mkdir -p "$(python_dir)"
        python3 -m venv "$(python_dir)/venv"
        "$(test_python)" -m pip install --quiet --disable-pip-version-check --requirement "$repo_root/python/requirements.txt"
        cp "$repo_root/python/requirements.txt" "$made"
    fi
}

# The wheels of the package and of the template, installed. Unoptimised: they are compiled with what the suites use.
build_python() {
    local project
    prepare_python
    rm -rf "$(python_dir)/wheels"
    for project in python python/template; do
        (cd "$repo_root/$project" && CARGO_TARGET_DIR=$(target_dir) "$(python_dir)/venv/bin/maturin" build --quiet --profile dev \
            --interpreter "$(test_python)" --out "$(python_dir)/wheels")
    done
    ls -l "$(python_dir)/wheels"
    "$(test_python)" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps "$(python_dir)"/wheels/*.whl
}

# Runs the tests of some folders, of which none may be skipped.
run_python() { # DEVICE FOLDER…
    local device=$1 log expected=llvmpipe folder folders=()
    shift
    [ "$device" != no-driver ] || expected=host
    for folder in "$@"; do folders+=("$repo_root/python/$folder"); done
    log=$(mktemp)
    (cd "$repo_root/python" && PYTHONDONTWRITEBYTECODE=1 EXPECTED_DEVICE=$expected timeout --signal=KILL 600 \
        "$repo_root/tests/env/on" "$device" "${TEST_PYTHON:-$(test_python)}" -m pytest -q "${folders[@]}") 2>&1 | tee "$log"
    no_validation_message "$log"
    awk '/^test result: python\./ { ran += $4; left += $6 + $8 } END { exit !(ran > 0 && left == 0) }' "$log" ||
        fail "not all tests of Python ran and passed on \`$device\`"
    rm -f "$log"
}

# The tests with PyTorch's tensors, by Debian's interpreter, which Debian's PyTorch and numpy are made for.
run_pytorch() { # DEVICE
    local dir
    dir=$(python_dir)/pytorch
    "$repo_root/tests/env/pytorch.sh"
    rm -rf "$dir"
    /usr/bin/python3 -m venv "$dir"
    grep '^pytest==' "$repo_root/python/requirements.txt" >"$dir/requirements.txt"
    "$dir/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$dir/requirements.txt"
    "$dir/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps "$(python_dir)"/wheels/gridwise-*.whl
    LD_LIBRARY_PATH=$(pytorch_libraries "$pytorch_dir") PYTHONPATH=$pytorch_dir/modules TEST_PYTHON=$dir/bin/python \
        run_python "$1" tests/torch
}

# A wheel in an environment with numpy and nothing else, where no Rust is to be found.
try_wheel() {
    local bare
    bare=$(python_dir)/bare
    rm -rf "$bare"
    python3 -m venv "$bare"
    "$bare/bin/python" -m pip install --quiet --disable-pip-version-check "$(python_dir)"/wheels/gridwise-*.whl
    (cd / && PATH=/usr/bin:/bin "$repo_root/tests/env/on" debian "$bare/bin/python" - "$repo_root/runtime/tests/modules/scale.spv") <<'PROGRAM'
import importlib.metadata, shutil, sys
import kp, numpy as np
assert shutil.which("cargo") is None, "the environment is not bare"
names = {package.metadata["Name"] for package in importlib.metadata.distributions()}
assert names <= {"gridwise", "numpy", "pip", "setuptools"}, names
mgr = kp.Manager()
a, b = mgr.tensor([1, 2, 3]), mgr.tensor([0, 0, 0])
push = np.array([3, 0], "uint32")
push[1:].view("float32")[0] = 0.5
module = open(sys.argv[1], "rb").read()
# Constants 0, 1 and 7 of the module are 3.0, 0 and 64; those that it lacks are surplus.
algorithm = mgr.algorithm([a, b], module, (1,), [3.0, 0, 0, 0, 0, 0, 0, 64], push)
mgr.sequence().record(kp.OpSyncDevice([a])).record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([b])).eval()
print(mgr.device, b.data())
assert b.data().tolist() == [3.5, 6.5, 9.5]
# The compiler inside, which needs no other program.
shader = """
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) { b[id.x] *= 2.0; }
"""
mgr.sequence().record(kp.OpAlgoDispatch(mgr.algorithm([a, b], kp.compile(shader)))).record(kp.OpSyncLocal([b])).eval()
assert b.data().tolist() == [7, 13, 19]
PROGRAM
}

check_python_types() {
    (cd "$repo_root/python" && "$(test_python)" -m mypy --strict --cache-dir "$(python_dir)/mypy" packages/gridwise packages/kp tests/typed.py)
}

run_python_examples() { # DEVICE EXAMPLE…
    local device=$1 example log expected=llvmpipe
    shift
    [ "$device" != no-driver ] || expected=host
    log=$(mktemp)
    mkdir -p "$(python_dir)/out"
    for example in "$@"; do
        MPLBACKEND=Agg timeout --signal=KILL 300 "$repo_root/tests/env/on" "$device" "$(test_python)" \
            "$repo_root/python/examples/$example.py" --output "$(python_dir)/out/$example.svg" 2>&1 | tee "$log"
        no_validation_message "$log"
        grep -q -- "^device: $expected" "$log" || fail "example $example did not say that it ran on \`$expected\`"
    done
    rm -f "$log"
}
