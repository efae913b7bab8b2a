"""Shaders in GLSL and WGSL, by naga and by glslangValidator."""

import pathlib
import shutil

import kp
import kp._compile
import numpy as np
import pytest

GLSL = """#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer A { float a[]; };
layout(set = 0, binding = 1) buffer B { float b[]; };
layout(push_constant) uniform P { float scale; } p;
void main() { uint i = gl_GlobalInvocationID.x; b[i] = p.scale * a[i]; }
"""
WGSL = """
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;

@compute @workgroup_size(64)
fn scale(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < arrayLength(&b)) { b[id.x] = 3.0 * a[id.x]; }
}

@compute @workgroup_size(1)
fn negate(@builtin(global_invocation_id) id: vec3<u32>) { b[id.x] = -a[id.x]; }
"""


def run(mgr, module, groups, push=()):
    a, b = mgr.tensor(np.arange(100)), mgr.tensor(np.zeros(100))
    algorithm = mgr.algorithm([a, b], module, groups, push_consts=list(push))
    mgr.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([b])).eval()
    return b.data()


@pytest.mark.parametrize("compiler", ["glslang", "naga"])
@pytest.mark.parametrize("target", ["vulkan1.0", "vulkan1.1", "vulkan1.2"])
def test_glsl(mgr, compiler, target):
    module = kp.compile(GLSL, compiler=compiler, target=target)
    assert np.array_equal(run(mgr, module, (100,), [3.0]), 3 * np.arange(100))
    named = kp.compile(GLSL, compiler=compiler, entry_point="scale")
    assert b"scale" in named and np.array_equal(run(mgr, named, (100,), [2.0]), 2 * np.arange(100))


def test_wgsl(mgr):
    assert np.array_equal(run(mgr, kp.compile(WGSL, entry_point="scale"), (2,)), 3 * np.arange(100))
    assert np.array_equal(run(mgr, kp.compile(WGSL, entry_point="negate", language="wgsl"), (100,)), -np.arange(100))
    only = WGSL[: WGSL.rindex("@compute")]
    assert np.array_equal(run(mgr, kp.compile(only), (2,)), 3 * np.arange(100))
    with pytest.raises(kp.CompileError, match="no compute entry point `main`; the shader has: scale, negate"):
        kp.compile(WGSL)


def test_accesses_out_of_range_stay_inside(mgr):
    shader = WGSL.replace("b[id.x] = -a[id.x]", "b[id.x * 1000u] = a[id.x + 1000000u]")
    assert run(mgr, kp.compile(shader, entry_point="negate"), (100,))[1:99].tolist() == [0] * 98


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("#version 450\nvoid main() { nothing; }", "nothing"),
        ("#version 450\nvoid main() {", "expected|Unexpected"),
        ("", "entry point"),
        ("\0", "compile"),
        ("@compute fn main() {}", "workgroup"),
        ("@compute @workgroup_size(1) fn main() { let x: i32 = 1.5; }", "i32"),
        ("@compute @workgroup_size(1) fn main() { missing(); }", "missing"),
        (GLSL.replace("set = 0, binding = 1", "std430"), "binding"),
        ("override n: u32 = 1; @compute @workgroup_size(1) fn main() { _ = n; }", "specialization constants, such as `n`"),
        (GLSL.replace("void main", "layout(constant_id = 0) const float n = 1;\nvoid main"), "specialization constants|constant_id"),
    ],
    ids=range(10),
)
def test_errors_of_naga(source, said):
    with pytest.raises(kp.CompileError, match=said) as caught:
        kp.compile(source, compiler="naga")
    assert not isinstance(caught.value, kp.NoCompiler)


@pytest.mark.parametrize(
    "body",
    [
        "if (x == 1) { x = 2; }" + " else if (x == 2) { x = 3; }" * 2_000,
        "x = x" + "+ x" * 100_000 + ";",
        "x = " + "(" * 100_000 + "1" + ")" * 100_000 + ";",
        "x = " + "- " * 100_000 + "1;",
        "{" * 50_000 + "}" * 50_000,
    ],
    ids=["chain", "sum", "brackets", "signs", "blocks"],
)
def test_naga_takes_nobody_along(body):
    source = "#version 450\nlayout(binding = 0) buffer A { int x; };\nvoid main() { " + body + " }"
    try:
        assert kp.compile(source, compiler="naga")[:4] == b"\x03\x02\x23\x07"
    except kp.CompileError as error:
        assert "crashed" in str(error) or "error" in str(error)


def test_what_is_chosen(monkeypatch, tmp_path):
    monkeypatch.delenv("KP_GLSLANG", raising=False)
    assert shutil.which("glslangValidator"), "the tests need it"
    # Without one, naga takes its place.
    monkeypatch.setattr(kp._compile, "_glslang", lambda: None)
    assert kp.compile(GLSL)[:4] == b"\x03\x02\x23\x07"
    with pytest.raises(kp.NoCompiler, match="glslang-tools"):
        kp.compile(GLSL, compiler="glslang")
    # Without both, the error says what to install.
    monkeypatch.setattr(kp._compile, "_has_naga", False)
    with pytest.raises(kp.NoCompiler, match=r"gridwise\[glsl\]"):
        kp.compile(GLSL)
    with pytest.raises(kp.NoCompiler, match="feature `naga`"):
        kp.compile(WGSL)
    monkeypatch.undo()
    with pytest.raises(kp.NoCompiler, match="GLSL only"):
        kp.compile(WGSL, compiler="glslang")
    monkeypatch.setenv("KP_GLSLANG", str(tmp_path / "none"))
    with pytest.raises(kp.NoCompiler, match="does not run"):
        kp.compile(GLSL)


def test_arguments_that_are_none():
    for keywords in ({"target": "vulkan9"}, {"language": "hlsl"}, {"compiler": "dxc"}):
        with pytest.raises(ValueError, match="there is no"):
            kp.compile(GLSL, **keywords)
    with pytest.raises(TypeError, match="is a `str`, not bytes"):
        kp.compile(GLSL.encode())


def test_modules_by_pyshader(mgr):
    # SPIR-V's memory model `Simple`, and buffers as SPIR-V 1.0 had them.
    module = (pathlib.Path(__file__).parent / "modules/pyshader.spv").read_bytes()
    a, b, c = mgr.tensor([1, 2, 3, 4]), mgr.tensor([5, 6, 7, 8]), mgr.tensor([0] * 4)
    mgr.sequence().record(kp.OpAlgoDispatch(mgr.algorithm([a, b, c], module))).record(kp.OpSyncLocal([c])).eval()
    assert c.data().tolist() == [6, 12, 21, 32]


@pytest.mark.parametrize(
    ("format", "texel", "dtype", "channels"),
    [
        ("r32float", "f32", "float32", 1),
        ("rgba32float", "f32", "float32", 4),
        ("r32sint", "i32", "int32", 1),
        ("rgba16sint", "i32", "int16", 4),
        ("rgba8uint", "u32", "uint8", 4),
        ("r32uint", "u32", "uint32", 1),
    ],
)
def test_images_of_wgsl(mgr, format, texel, dtype, channels):
    source = f"""
    @group(0) @binding(0) var images: texture_storage_2d<{format}, read>;
    @group(0) @binding(1) var to: texture_storage_2d<{format}, write>;
    @compute @workgroup_size(1)
    fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
        let size = textureDimensions(images);
        let texel = textureLoad(images, vec2<u32>(size.x - 1u - id.x, id.y));
        textureStore(to, id.xy, texel + vec4<{texel}>({texel}(1)));
    }}
    """
    texels = np.arange(3 * 2 * channels).astype(dtype)
    a, b = mgr.image_t(texels, 3, 2, channels), mgr.image_t(np.zeros_like(texels), 3, 2, channels)
    algorithm = mgr.algorithm([a, b], kp.compile(source), (3, 2))
    mgr.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([b])).eval()
    assert np.array_equal(b.data().reshape(2, 3, channels), texels.reshape(2, 3, channels)[:, ::-1] + 1)


def test_uniform_buffers_and_sets(mgr):
    source = """
    struct Factors { scale: f32, shift: f32 }
    @group(0) @binding(0) var<uniform> factors: Factors;
    @group(1) @binding(0) var<storage, read> a: array<f32>;
    @group(1) @binding(3) var<storage, read_write> b: array<f32>;
    @compute @workgroup_size(1)
    fn main(@builtin(global_invocation_id) id: vec3<u32>) { b[id.x] = factors.scale * a[id.x] + factors.shift; }
    """
    factors, a, b = mgr.tensor([2, 3]), mgr.tensor([1, 2, 3]), mgr.tensor([0] * 3)
    algorithm = mgr.algorithm([factors, a, b], kp.compile(source), (3,))
    mgr.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([b])).eval()
    assert b.data().tolist() == [5, 7, 9]


def test_samplers_apart_are_refused(mgr):
    source = """
    @group(0) @binding(0) var image: texture_2d<f32>;
    @group(0) @binding(1) var how: sampler;
    @group(0) @binding(2) var<storage, read_write> b: array<f32>;
    @compute @workgroup_size(1) fn main() { b[0] = textureSampleLevel(image, how, vec2<f32>(0.5), 0.0).x; }
    """
    image, b = mgr.image([1, 2, 3, 4], 2, 2, 1), mgr.tensor([0])
    with pytest.raises(kp.ModuleRefused, match="sampler"):
        mgr.algorithm([image, image, b], kp.compile(source))


def test_modules_by_slang(mgr):
    # A count of elements that the module asks its buffer for, and memory that a workgroup shares.
    module = (pathlib.Path(__file__).parent / "modules/slang.spv").read_bytes()
    assert run(mgr, module, (2,), [3.0]).tolist() == [3 * at + (64 if at >= 64 else 0) for at in range(100)]
