"""Kernels with structs, lists of tensors and images, and grids of workgroups: the template's, on whatever device there is."""

import my_kernels
import numpy as np
import pytest

PARTICLE = my_kernels.Particle


@pytest.fixture
def own():
    with my_kernels.Manager() as manager:
        yield manager


def particles(count=5):
    array = np.zeros(count, PARTICLE)
    array["position"] = np.arange(3 * count, dtype="float32").reshape(count, 3)
    array["mass"], array["charges"] = 2, [[1, 2]] * count
    return array


CENTER = {"position": (1, 1, 1), "mass": 1.0, "charges": [5, 7]}


@pytest.mark.parametrize(
    "center",
    [
        CENTER,
        tuple(CENTER.values()),
        [np.ones(3), np.float64(1), np.array([5, 7])],
        np.array([((1, 1, 1), 1, (5, 7))], PARTICLE)[0],
        np.array(((1, 1, 1), 1, (5, 7)), PARTICLE),
    ],
    ids=["dict", "tuple", "list", "scalar", "array"],
)
def test_structs(own, center):
    array = particles()
    tensor = own.array(array)
    assert tensor.dtype == PARTICLE and tensor.nbytes == 5 * 24 and tensor.shape == (5,)
    my_kernels.attract(5, 0.5, center, tensor)
    result = tensor.numpy()
    assert result.dtype == PARTICLE
    assert np.array_equal(result["position"], array["position"] + (1 - array["position"]) * 0.25)
    assert result["charges"].tolist() == [[8, 2]] * 5 and result["mass"].tolist() == [2] * 5


def test_views_and_writes_of_structs(own):
    tensor = own.array(particles(3))
    view = tensor.data()
    assert view.dtype == PARTICLE and view["mass"].tolist() == [2, 2, 2]
    view["mass"][1] = 4
    own.sequence().eval(my_kernels.OpSyncDevice([tensor]))
    assert tensor.numpy()["mass"].tolist() == [2, 4, 2]
    tensor.write(particles(3))
    assert tensor.numpy()["mass"].tolist() == [2, 2, 2] and np.asarray(tensor).dtype == PARTICLE
    assert own.zeros(2, PARTICLE).numpy()["charges"].tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("center", "error", "said"),
    [
        ({**CENTER, "color": 1}, TypeError, "a dict with `color`"),
        ({"mass": 1.0}, TypeError, "a dict without `position`"),
        ((1, 2), TypeError, "got 2 values"),
        ("abc", TypeError, "got <class 'str'>"),
        (3, TypeError, "got <class 'int'>"),
        ({**CENTER, "position": (1, 2)}, TypeError, r"expected 3 items for `Particle.position`"),
        ({**CENTER, "mass": "heavy"}, TypeError, r"expected a number for `Particle.mass: f32`"),
        ({**CENTER, "charges": [1.5, 2]}, TypeError, r"expected an integer for `Particle.charges: i32`"),
        ({**CENTER, "charges": [1, 2**31]}, ValueError, r"2147483648 does not fit into `Particle.charges: i32`"),
        (np.zeros(1, [("mass", "f4")])[0], TypeError, "an array of"),
        (np.zeros(2, PARTICLE), TypeError, "an array of"),
    ],
)
def test_structs_that_do_not_fit(own, center, error, said):
    tensor = own.array(particles())
    with pytest.raises(error, match=said):
        my_kernels.attract(5, 0.5, center, tensor)
    assert np.array_equal(tensor.numpy(), particles())


def test_tensors_of_other_structs(own):
    other = np.dtype([("position", "f4", 3), ("mass", "f4"), ("charges", "u4", 2)])
    for wrong in (own.array(np.zeros(5, other)), own.array(np.zeros((5, 6), "float32"))):
        with pytest.raises(TypeError, match="expected a tensor of `Particle`"):
            my_kernels.attract(5, 0.5, CENTER, wrong)
    # Bytes between fields are another type, too.
    aligned = np.dtype({"names": list(PARTICLE.names), "formats": [PARTICLE[n] for n in PARTICLE.names], "itemsize": 32})
    with pytest.raises(TypeError, match="expected a tensor of `Particle`"):
        my_kernels.attract(5, 0.5, CENTER, own.array(np.zeros(5, aligned)))


def test_types_that_numpy_structures_and_devices_lack(own):
    for fields in ([("name", "S4")], [("object", "O")], [("big", ">f4")], []):
        with pytest.raises(my_kernels.BadArgument, match="no valid dtype"):
            own.array(np.zeros(2, np.dtype(fields)))
    nested = np.dtype([("a", PARTICLE), ("b", "f8", (2, 2))])
    array = np.zeros(3, nested)
    array["a"]["mass"], array["b"] = 3, 4
    assert np.array_equal(own.array(array).numpy(), array)
    assert "mass: float32" in repr(own.array(particles()))


@pytest.mark.parametrize("count", [0, 1, 3])
def test_lists_of_tensors(own, count):
    parts = [own.array(np.full(10, 2**number, "float32")) for number in range(count)]
    sums = own.array(np.ones(10, "float32"))
    my_kernels.total(10, parts, sums)
    assert sums.numpy().tolist() == [2**count - 1] * 10
    my_kernels.total(10, (part for part in parts), sums)
    seq = own.sequence()
    my_kernels.total(10, parts=tuple(parts), sums=sums, seq=seq)
    del parts
    seq.eval().eval()
    assert sums.numpy().tolist() == [2**count - 1] * 10


def test_lists_that_do_not_fit(own):
    part, sums = own.array(np.zeros(4, "float32")), own.array(np.zeros(4, "float32"))
    for wrong, said in [
        (part, "expected a list of tensors, got"),
        ([part, None], "number 1 of the list: expected a tensor of float32, got <class 'NoneType'>"),
        ([own.array(np.zeros(4, "int32"))], "number 0 of the list: .* a tensor of int32"),
        (3, "expected a list of tensors"),
    ]:
        with pytest.raises(TypeError, match=said):
            my_kernels.total(4, wrong, sums)
    with my_kernels.Manager() as other, pytest.raises(my_kernels.ForeignTensor):
        my_kernels.total(4, [other.array(np.zeros(4, "float32"))], sums)
    with pytest.raises(my_kernels.Error):
        my_kernels.total(4, [sums], sums)
    with pytest.raises(my_kernels.Error):
        my_kernels.total(4, [own.array(np.zeros(3, "float32"))], sums)


def test_pictures(own):
    texels = (np.arange(16 * 9 * 4) % 128).astype("uint8")
    picture = own.image_t(texels, 16, 9, 4, format="Rgba8Unorm")
    my_kernels.brighten((16, 9), 2.0, picture)
    assert np.abs(picture.numpy().astype(int) - 2 * texels.astype(int)).max() <= 1
    with pytest.raises(TypeError, match="Rgba8Unorm"):
        my_kernels.brighten((16, 9), 2.0, own.image_t(texels, 16, 9, 4))
    with pytest.raises(TypeError, match="expected an image"):
        my_kernels.brighten((16, 9), 2.0, own.array(texels))


def test_pictures_with_samplers(own):
    texels = np.repeat(np.array([0, 100, 200, 40], "uint8"), 4)
    small = own.image_t(texels, 2, 2, 4, format="Rgba8Unorm")
    large = own.image_t(np.zeros(4 * 4 * 4, "uint8"), 4, 4, 4, format="Rgba8Unorm")

    def first_row(given):
        my_kernels.resize((4, 4), given, large)
        return large.numpy().reshape(4, 4, 4)[0, :, 0].tolist()

    assert np.abs(np.array(first_row(small)) - [0, 25, 75, 100]).max() <= 1
    assert first_row(small.sampled()) == first_row(small)
    nearest = small.sampled(filter="nearest")
    assert first_row(nearest) == [0, 0, 100, 100]
    assert (nearest.filter, nearest.edge) == ("nearest", "clamp") and nearest.image is small
    assert repr(nearest) == "<SampledImage of <Image of shape (16), uint8>, nearest, clamp>"
    assert my_kernels.resize.__annotations__["from"] == "&Sampled2D<Rgba8Unorm>"
    assert "SampledImage | Image" in my_kernels.__stubs__
    with pytest.raises(TypeError, match="expected an image for `&Sampled2D<Rgba8Unorm>`"):
        my_kernels.resize((4, 4), own.array(texels), large)
    with pytest.raises(TypeError, match="Rgba8Unorm"):
        my_kernels.resize((4, 4), own.image_t(texels, 2, 2, 4).sampled(), large)
    seq = own.sequence()
    my_kernels.resize((4, 4), nearest, large, seq=seq)
    small.write(np.full(16, 8, "uint8"))
    seq.eval()
    assert (large.numpy() == 8).all()


@pytest.mark.parametrize(
    ("dtype", "channels", "format"),
    [("uint8", 1, "R8Unorm"), ("int8", 2, "Rg8Snorm"), ("uint16", 4, "Rgba16Unorm"), ("float16", 4, "Rgba16Float"), ("float16", 1, None)],
)
def test_formats(own, dtype, channels, format):
    texels = np.arange(6 * channels).astype(dtype)
    image = own.image_t(texels, 3, 2, channels, format=format)
    assert np.array_equal(image.numpy(), texels) and np.array_equal(image.data(), texels)
    with pytest.raises(my_kernels.BadArgument, match="there is no format `R8`"):
        own.image_t(texels, 3, 2, channels, format="R8")
    with pytest.raises(my_kernels.BadArgument, match="4 channels and 16 bytes"):
        own.image_t(texels, 3, 2, channels, format="Rgba32Float")


def test_grids_of_workgroups(own):
    x, y = own.array(np.ones(512, "float32")), own.array(np.zeros(512, "float32"))
    my_kernels.saxpy(3.0, x, y, groups=2)
    assert y.numpy().tolist() == [3] * 512
    seq = own.sequence()
    assert my_kernels.saxpy(a=1, x=x, y=y, groups=(2, 1), seq=seq) is seq
    seq.eval()
    own.sequence().eval(my_kernels.saxpy.op(1.0, x, y, groups=[1]))
    assert y.numpy().tolist() == [5] * 256 + [4] * 256
    my_kernels.saxpy(grid=512, a=1.0, x=x, y=y)
    assert y.numpy().tolist() == [6] * 256 + [5] * 256


def test_grids_that_are_none(own):
    x, y = own.array(np.ones(512, "float32")), own.array(np.zeros(512, "float32"))
    with pytest.raises(TypeError, match="give one"):
        my_kernels.saxpy(3.0, x, y, grid=2, groups=2)
    with pytest.raises(TypeError, match="lacks a grid"):
        my_kernels.saxpy()
    with pytest.raises(TypeError, match="lacks `a`"):
        my_kernels.saxpy(grid=2)
    for wrong in (1.5, None, (1.0,), "12", object()):
        with pytest.raises(TypeError, match="grid"):
            my_kernels.saxpy(wrong, 3.0, x, y)
    for wrong in ((), (1, 1, 1, 1)):
        with pytest.raises(TypeError, match="one to three"):
            my_kernels.saxpy(wrong, 3.0, x, y)
    for wrong in (-1, 2**64, 2**200, (1, -1)):
        with pytest.raises(ValueError, match="does not fit"):
            my_kernels.saxpy(wrong, 3.0, x, y)
    for wrong in (2**63, (2**40, 2**40), (2**32, 1, 1)):
        with pytest.raises(my_kernels.Error):
            my_kernels.saxpy(wrong, 3.0, x, y)
        with pytest.raises(my_kernels.Error):
            my_kernels.saxpy(3.0, x, y, groups=wrong)
    my_kernels.saxpy(0, 3.0, x, y)
    my_kernels.saxpy(3.0, x, y, groups=(0, 5))
    assert y.numpy().tolist() == [0] * 512


def test_stubs_and_documents_tell_of_all_of_it():
    assert my_kernels.attract.__annotations__ == {"by": "f32", "center": "Particle", "particles": "&mut [Particle]"}
    assert my_kernels.total.__annotations__["parts"] == "&[&[f32]]"
    assert my_kernels.brighten.__annotations__["picture"] == "&mut Image2D<Rgba8Unorm>"
    assert "def total(parts: Iterable[Tensor], sums: Tensor, *, groups: Grid" in my_kernels.__stubs__
    assert "groups=" in my_kernels.saxpy.__doc__
    assert PARTICLE.names == ("position", "mass", "charges") and PARTICLE.itemsize == 24
