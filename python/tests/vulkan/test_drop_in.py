"""What programs for Kompute do, on Vulkan."""

import kp
import numpy as np
import pytest

MULTIPLY = """
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer A { float a[]; };
layout(set = 0, binding = 1) buffer B { float b[]; };
layout(set = 0, binding = 2) buffer C { float c[]; };
void main() { uint i = gl_GlobalInvocationID.x; c[i] = a[i] * b[i]; }
"""

ADD_CONSTANTS = """
layout(local_size_x = 1) in;
layout(constant_id = 0) const float scale = 1;
layout(push_constant) uniform P { float x; float y; } p;
layout(binding = 0) buffer A { float a[]; };
void main() { a[0] += scale * p.x; a[1] += scale * p.y; }
"""


def test_array_multiplication(mgr, glsl):
    a, b, c = mgr.tensor([2, 2, 2]), mgr.tensor([1, 2, 3]), mgr.tensor(np.zeros(3))
    algorithm = mgr.algorithm([a, b, c], glsl(MULTIPLY))
    seq = (
        mgr.sequence()
        .record(kp.OpSyncDevice([a, b, c]))
        .record(kp.OpAlgoDispatch(algorithm))
        .record(kp.OpSyncLocal([c]))
        .eval()
    )
    assert c.data().tolist() == [2, 4, 6]
    a.data()[:] = 10
    seq.eval()
    assert c.data().tolist() == [10, 20, 30]
    assert algorithm.get_mem_objects()[1] is b and algorithm.get_tensors()[2] is c


def test_names_of_0_9(mgr, glsl):
    a, b = mgr.tensor([1, 2], tensor_type=kp.TensorTypes.device), mgr.tensor([3, 4], kp.TensorTypes.device)
    c = mgr.tensor([0, 0])
    seq = mgr.sequence()
    seq.record(kp.OpTensorSyncDevice([a, b]))
    seq.record(kp.OpAlgoDispatch(mgr.algorithm([a, b, c], glsl(MULTIPLY), [2])))
    seq.record(kp.OpTensorSyncLocal([c]))
    seq.eval()
    assert np.array_equal(c.data(), [3, 8])
    assert a.tensor_type() == kp.TensorTypes.device and a.data_type() == kp.TensorDataTypes.float


def test_nothing_moves_without_a_transfer(mgr, glsl):
    a, b, c = mgr.tensor([1, 1]), mgr.tensor([5, 6]), mgr.tensor([7, 7])
    seq = mgr.sequence().eval(kp.OpAlgoDispatch(mgr.algorithm([a, b, c], glsl(MULTIPLY))))
    assert c.data().tolist() == [7, 7]
    seq.eval(kp.OpSyncLocal([c]))
    assert c.data().tolist() == [5, 6]


@pytest.mark.parametrize("kind", [kp.MemoryTypes.host, kp.MemoryTypes.deviceAndHost])
def test_memory_in_reach_needs_no_transfer(mgr, glsl, kind):
    a, b, c = mgr.tensor([1, 2], kind), mgr.tensor([5, 6], kind), mgr.tensor([0, 0], kind)
    seq = mgr.sequence().record(kp.OpSyncDevice([a, b, c])).record(kp.OpAlgoDispatch(mgr.algorithm([a, b, c], glsl(MULTIPLY))))
    seq.eval()
    assert c.data().tolist() == [5, 12]
    a.data()[:] = 3
    seq.eval()
    assert c.data().tolist() == [15, 18] and c.memory_type() == kind


def test_storage_is_out_of_reach(mgr):
    a, b = mgr.tensor([1, 2], kp.MemoryTypes.storage), mgr.tensor([0, 0])
    with pytest.raises(kp.Error, match="storage"):
        a.data()
    mgr.sequence().record(kp.OpCopy([a, b])).record(kp.OpSyncLocal([b])).eval()
    assert b.data().tolist() == [1, 2]


def test_constants(mgr, glsl):
    tensor = mgr.tensor([0, 0])
    algorithm = mgr.algorithm([tensor], glsl(ADD_CONSTANTS), (1, 1, 1), [2], [1, 2])
    (
        mgr.sequence()
        .record(kp.OpSyncDevice([tensor]))
        .record(kp.OpAlgoDispatch(algorithm))
        .record(kp.OpAlgoDispatch(algorithm, [10, 20]))
        .record(kp.OpSyncLocal([tensor]))
        .eval()
    )
    assert tensor.data().tolist() == [22, 44]
    with pytest.raises(RuntimeError, match="12 bytes"):
        kp.OpAlgoDispatch(algorithm, [1, 2, 3])


@pytest.mark.parametrize("given", [[-2, 3], np.array([-2, 3], "int32"), np.array([-2, 3], "int32").view("uint32")])
def test_integers_as_constants(mgr, glsl, given):
    shader = """
    layout(local_size_x = 1) in;
    layout(constant_id = 0) const int a = 7;
    layout(constant_id = 1) const uint b = 7;
    layout(push_constant) uniform P { int x; uint y; } p;
    layout(binding = 0) buffer A { int out_[]; };
    void main() { out_[0] = a; out_[1] = int(b); out_[2] = p.x; out_[3] = int(p.y); }
    """
    tensor = mgr.tensor_t(np.zeros(4, "int32"))
    algorithm = mgr.algorithm([tensor], glsl(shader), (1,), given, given)
    mgr.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([tensor])).eval()
    assert tensor.data().tolist() == [-2, 3, -2, 3]


def test_doubles_as_constants(mgr, glsl):
    shader = """
    layout(local_size_x = 1) in;
    layout(constant_id = 0) const double a = 7;
    layout(push_constant) uniform P { double x; } p;
    layout(binding = 0) buffer A { double sum[]; };
    void main() { sum[0] = a + p.x; }
    """
    tensor = mgr.tensor_t(np.zeros(1))
    third = np.array([1 / 3])
    algorithm = mgr.algorithm([tensor], glsl(shader), (1,), third, third)
    mgr.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([tensor])).eval()
    assert tensor.data()[0] == 2 / 3


@pytest.mark.parametrize(
    ("dtype", "glsl_type", "extension"),
    [
        ("float32", "float", ""),
        ("float64", "double", ""),
        ("int32", "int", ""),
        ("uint32", "uint", ""),
        ("int64", "int64_t", "explicit_arithmetic_types_int64"),
        ("uint64", "uint64_t", "explicit_arithmetic_types_int64"),
        ("int16", "int16_t", "16bit_storage"),
        ("uint16", "uint16_t", "16bit_storage"),
        ("int8", "int8_t", "8bit_storage"),
        ("uint8", "uint8_t", "8bit_storage"),
        ("float16", "float16_t", "16bit_storage"),
    ],
)
def test_every_type_arrives(mgr, glsl, dtype, glsl_type, extension):
    enable = f"#extension GL_EXT_shader_{extension} : require\n" if extension else ""
    shader = f"""{enable}
    layout(local_size_x = 1) in;
    layout(binding = 0) buffer A {{ {glsl_type} a[]; }};
    layout(binding = 1) buffer B {{ {glsl_type} b[]; }};
    void main() {{ uint i = gl_GlobalInvocationID.x; b[i] = a[gl_NumWorkGroups.x - 1 - i]; }}
    """
    values = np.array([1, 2, 3, 100], dtype)
    a, b = mgr.tensor_t(values), mgr.tensor_t(np.zeros(4, dtype))
    (
        mgr.sequence()
        .record(kp.OpSyncDevice([a, b]))
        .record(kp.OpAlgoDispatch(mgr.algorithm([a, b], glsl(shader))))
        .record(kp.OpSyncLocal([b]))
        .eval()
    )
    assert b.data().dtype == dtype and np.array_equal(b.data(), values[::-1])


@pytest.mark.parametrize("channels", [1, 2, 4])
@pytest.mark.parametrize("dtype", ["float32", "int32", "uint32", "int16", "uint16", "int8", "uint8"])
def test_images(mgr, glsl, dtype, channels):
    prefix = {"f": "", "i": "i", "u": "u"}[dtype[0]]
    bits = dtype.strip("flointu" + "a")
    layout = "rgba"[:channels] + bits + {"": "f", "i": "i", "u": "ui"}[prefix]
    shader = f"""
    layout(local_size_x = 1) in;
    layout(binding = 0, {layout}) uniform {prefix}image2D from;
    layout(binding = 1, {layout}) uniform {prefix}image2D to;
    void main() {{
        ivec2 at = ivec2(gl_GlobalInvocationID.xy);
        imageStore(to, at, imageLoad(from, at) + imageLoad(from, at));
    }}
    """
    values = np.arange(3 * 2 * channels).astype(dtype)
    make = mgr.image if dtype == "float32" else mgr.image_t
    a, b = make(values, 3, 2, channels), make(np.zeros_like(values), 3, 2, channels)
    (
        mgr.sequence()
        .record(kp.OpSyncDevice([a, b]))
        .record(kp.OpAlgoDispatch(mgr.algorithm([a, b], glsl(shader), (3, 2))))
        .record(kp.OpSyncLocal([b]))
        .eval()
    )
    assert np.array_equal(b.data(), 2 * values) and b.data().dtype == dtype
    assert np.array_equal(b.numpy(), 2 * values) and len(b) == values.size


SAMPLED = """
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler2D from;
layout(binding = 1) buffer A { vec2 at[]; };
layout(binding = 2) buffer B { float texels[]; };
void main() { uint i = gl_GlobalInvocationID.x; texels[i] = textureLod(from, at[i], 0).x; }
"""


@pytest.mark.parametrize(
    ("sampler", "expected"),
    [
        (None, [1, 1.5, 4, 1]),
        ({}, [1, 1.5, 4, 1]),
        ({"filter": "nearest"}, [1, 2, 4, 1]),
        ({"filter": "nearest", "edge": "repeat"}, [1, 2, 3, 2]),
        ({"filter": "nearest", "edge": "mirror"}, [1, 2, 4, 1]),
        ({"filter": "nearest", "edge": "zero"}, [1, 2, 0, 0]),
    ],
    ids=str,
)
def test_images_are_sampled(mgr, glsl, sampler, expected):
    image = mgr.image([1, 2, 3, 4], 2, 2, 1)
    # The middle of a texel, the border of two, beyond the right edge, and beyond the left one.
    at, texels = mgr.tensor([0.25, 0.25, 0.5, 0.25, 1.1, 0.75, -0.1, 0.25]), mgr.tensor([0] * 4)
    given = image if sampler is None else image.sampled(**sampler)
    algorithm = mgr.algorithm([given, at, texels], glsl(SAMPLED), (4,))
    mgr.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([texels])).eval()
    assert np.allclose(texels.data(), expected)
    assert algorithm.get_mem_objects()[0] is image


def test_samplers_that_do_not_fit(mgr, glsl):
    image, tensor = mgr.image([1, 2, 3, 4], 2, 2, 1), mgr.tensor([0] * 8)
    with pytest.raises(ValueError, match='there is no filter `cubic`; there are "linear", "nearest"'):
        image.sampled("cubic")
    with pytest.raises(ValueError, match="there is no edge `wrap`"):
        image.sampled(edge="wrap")
    with pytest.raises(kp.ArgumentMismatch, match="number 1 of the list is an image with a sampler"):
        mgr.algorithm([image, image.sampled(), tensor], glsl(SAMPLED))
    algorithm = mgr.algorithm([tensor, tensor, tensor], glsl(SAMPLED))
    with pytest.raises(kp.ArgumentMismatch):
        mgr.sequence().record(kp.OpAlgoDispatch(algorithm))
    with pytest.raises(TypeError, match="no tensor and no image"):
        kp.OpSyncLocal([image.sampled()])
    image.destroy()
    with pytest.raises(kp.Destroyed):
        image.sampled()


def test_copies(mgr):
    a, b, c = mgr.tensor([1, 2, 3]), mgr.tensor([0, 0, 0]), mgr.tensor([0, 0, 0])
    mgr.sequence().record(kp.OpSyncDevice([a])).record(kp.OpCopy([a, b, c])).record(kp.OpSyncLocal([b, c])).eval()
    assert b.data().tolist() == c.data().tolist() == [1, 2, 3]
    image = mgr.image([0, 0, 0], 3, 1, 1)
    mgr.sequence().record(kp.OpCopy([a, image])).record(kp.OpSyncLocal([image])).eval()
    assert image.data().tolist() == [1, 2, 3]
    with pytest.raises(kp.Error, match="at least 2"):
        kp.OpCopy([a])
    with pytest.raises(kp.Error):
        mgr.sequence().record(kp.OpCopy([a, mgr.tensor([1])]))


def test_multiplication_without_a_shader(mgr):
    a, b, c = mgr.tensor([1, 2]), mgr.tensor([3, 4]), mgr.tensor([0, 0])
    mgr.sequence().record(kp.OpSyncDevice([a, b])).record(kp.OpMult([a, b, c])).record(kp.OpSyncLocal([c])).eval()
    assert c.data().tolist() == [3, 8]
    with pytest.raises(kp.Error, match="3 tensors"):
        kp.OpMult([a, b])


def test_one_tensor_at_two_bindings(mgr, glsl):
    a, b = mgr.tensor([2, 3]), mgr.tensor([0, 0])
    algorithm = mgr.algorithm([a, a, b], glsl(MULTIPLY))
    mgr.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([b])).eval()
    assert b.data().tolist() == [4, 9]


def test_vectors_on_a_tensor_of_floats(mgr, glsl):
    shader = """
    layout(local_size_x = 1) in;
    layout(binding = 0) buffer A { vec4 a[]; };
    void main() { a[gl_GlobalInvocationID.x] *= 2; }
    """
    a = mgr.tensor(range(8))
    mgr.sequence().record(kp.OpAlgoDispatch(mgr.algorithm([a], glsl(shader), (2,)))).record(kp.OpSyncLocal([a])).eval()
    assert a.data().tolist() == [0, 2, 4, 6, 8, 10, 12, 14]


def test_tensors_that_the_module_lacks(mgr, glsl):
    a, b, c = mgr.tensor([2, 3]), mgr.tensor([4, 5]), mgr.tensor([0, 0])
    algorithm = mgr.algorithm([a, b, c, mgr.tensor([9])], glsl(MULTIPLY), spec_consts=[1.0, 2.0], push_consts=[1.0])
    mgr.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([c])).eval()
    assert c.data().tolist() == [8, 15]
    with pytest.raises(kp.Error, match="3 tensors and images, and 2"):
        mgr.algorithm([a, b], glsl(MULTIPLY))


def test_recordings(mgr):
    a, b, c = mgr.tensor([2]), mgr.tensor([2]), mgr.tensor([0])
    seq = mgr.sequence()
    assert not seq.is_recording() and seq.is_init() and len(seq) == 0
    seq.record(kp.OpSyncDevice([a, b])).record(kp.OpMult([a, b, c])).record(kp.OpSyncLocal([c]))
    assert seq.is_recording() and len(seq) == 3
    seq.eval()
    assert not seq.is_recording() and len(seq) == 3
    a.data()[0] = 5
    seq.rerecord().eval()
    assert c.data()[0] == 10
    seq.record(kp.OpSyncLocal([a]))
    assert len(seq) == 1, "the first operation after an evaluation begins anew"
    seq.clear()
    assert len(seq) == 0
    seq.destroy()
    assert not seq.is_init()
    with pytest.raises(kp.Destroyed):
        seq.eval()


def test_timestamps(mgr):
    a = mgr.tensor(np.ones(1 << 16))
    seq = mgr.sequence(total_timestamps=3).record(kp.OpSyncDevice([a])).record(kp.OpSyncLocal([a])).eval()
    ticks = seq.get_timestamps()
    assert len(ticks) == 3 and ticks == sorted(ticks) and ticks[2] > ticks[0]
    with pytest.raises(kp.NoTimestamps):
        mgr.sequence().get_timestamps()
    names = [name for name, _, _ in mgr.sequence().record(kp.OpSyncLocal([a])).profile()]
    assert names == ["sync to host"]


def test_devices(mgr):
    properties = mgr.get_device_properties()
    assert properties["device_name"] and properties["timestamps_supported"] is True
    assert len(properties["max_work_group_count"]) == len(properties["max_work_group_size"]) == 3
    assert properties["max_work_group_invocations"] >= 128
    devices = mgr.list_devices()
    assert devices[0]["device_name"] in kp.Manager(0).device
    with pytest.raises(kp.NoDevice):
        kp.Manager(99)
    assert kp.Manager(0, [0], ["VK_EXT_shader_atomic_float"]).is_init()


@pytest.mark.parametrize(
    ("module", "said"),
    [(b"", "word"), (b"no module at all!", "multiple of four"), (b"\x03\x02\x23\x07" + bytes(16), "word")],
)
def test_modules_that_are_none(mgr, module, said):
    with pytest.raises(kp.ModuleRefused, match=said):
        mgr.algorithm([], module)


def test_shaders_that_do_not_compile():
    with pytest.raises(kp.CompileError, match="nothing"):
        kp.compile("#version 450\nvoid main() { nothing; }")
