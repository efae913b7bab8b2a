"""Rust kernels from Python: the template's, on whatever device there is."""

import asyncio

import my_kernels
import numpy as np
import pytest


@pytest.fixture
def own():
    with my_kernels.Manager() as manager:
        yield manager


def test_a_kernel_runs(own):
    x, y = own.array(np.arange(1000, dtype="float32")), own.array(np.ones(1000, "float32"))
    assert my_kernels.saxpy(1000, 2.0, x, y) is None
    assert np.array_equal(y.numpy(), 2 * np.arange(1000, dtype="float32") + 1)
    my_kernels.saxpy((1000,), x=x, y=y, a=1)
    assert np.array_equal(y.numpy(), 3 * np.arange(1000, dtype="float32") + 1)


def test_a_kernel_is_recorded(own):
    x, y = own.tensor([1, 2]), own.tensor([0, 0])
    seq = own.sequence()
    assert my_kernels.saxpy(2, 3.0, x, y, seq=seq) is seq
    my_kernels.saxpy(2, 1.0, x, y, seq)
    seq.record(my_kernels.OpSyncLocal([y]))
    seq.eval().eval()
    assert y.data().tolist() == [8, 16] and len(seq) == 3
    seq.rerecord().eval()
    assert y.data().tolist() == [12, 24]


def test_a_launch_as_an_operation(own):
    async def main():
        x, y = own.tensor([1, 2]), own.tensor([0, 0])
        await own.sequence().eval_async(my_kernels.saxpy.op(2, 5, x, y))
        return y.numpy().tolist()

    assert asyncio.run(main()) == [5, 10]


def test_rows_are_vectors(own):
    points = np.arange(12, dtype="float32").reshape(4, 3)
    tensor = own.array(points)
    my_kernels.translate(4, (1, 2, 3), tensor)
    assert np.array_equal(tensor.numpy(), points + [1, 2, 3])
    flat = own.tensor(points)
    my_kernels.translate(4, np.array([1, 2, 3]), flat)
    assert np.array_equal(flat.numpy().reshape(4, 3), points + [1, 2, 3])


def test_atomics_and_const_parameters(own):
    values = np.random.default_rng(1).random(10_000, "float32")
    bins = own.array(np.zeros(16, "uint32"))
    my_kernels.histogram(len(values), own.array(values), bins)
    expected, _ = np.histogram(values, 16, (0, 1))
    assert np.array_equal(bins.numpy(), expected)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (lambda own, x, y: (1.0, x, own.array(np.zeros(2, "uint32"))), r"saxpy\(\), `y`: .*float32, got a tensor of uint32"),
        (lambda own, x, y: (1.0, [1.0], y), r"`x`: expected a tensor of float32, got <class 'list'>"),
        (lambda own, x, y: ("one", x, y), r"`a`: expected a number for `f32`"),
        (lambda own, x, y: (1.0, x), r"saxpy\(\) lacks `y`"),
        (lambda own, x, y: (1.0, x, y, 4, 5), r"takes a grid and 3 arguments, and got 5"),
        (lambda own, x, y: (1.0, own.image([1, 2], 2, 1, 1), y), r"got an image"),
    ],
)
def test_wrong_types_are_type_errors(own, arguments, said):
    x, y = own.tensor([1, 2]), own.tensor([1, 2])
    with pytest.raises(TypeError, match=said):
        my_kernels.saxpy(2, *arguments(own, x, y))
    assert y.numpy().tolist() == [1, 2]


def test_wrong_values_and_names(own):
    x, y = own.tensor([1, 2]), own.tensor([1, 2])
    with pytest.raises(TypeError, match="no parameter `z`"):
        my_kernels.saxpy(2, 1.0, x, y, z=1)
    with pytest.raises(TypeError, match="two values for `a`"):
        my_kernels.saxpy(2, 1.0, x, y, a=1)
    with pytest.raises(TypeError, match="grid"):
        my_kernels.saxpy("all", 1.0, x, y)
    with pytest.raises(ValueError, match="-1 does not fit into `u32`"):
        my_kernels.gradient(1, -1, x, x, x, y)
    with pytest.raises(TypeError, match="expected an integer for `u32`"):
        my_kernels.gradient(1, 1.0, x, x, x, y)
    with pytest.raises(TypeError, match="shape"):
        my_kernels.translate(1, (1, 2, 3), own.tensor([1, 2]))
    with pytest.raises(TypeError, match="3 numbers"):
        my_kernels.translate(1, (1, 2), own.tensor([1, 2, 3]))


def test_faults_of_kernels_are_errors(own):
    x, y = own.tensor([1, 2]), own.tensor([1, 2])
    with pytest.raises(my_kernels.Error, match="launch fewer items"):
        my_kernels.saxpy(3, 1.0, x, y)
    with pytest.raises(my_kernels.Error, match="argument|twice|same"):
        my_kernels.saxpy(2, 1.0, y, y)
    my_kernels.saxpy(2, 1.0, x, y)
    assert y.numpy().tolist()[0] >= 2


def test_kernels_tell_of_themselves():
    assert my_kernels.saxpy.__name__ == "saxpy"
    assert my_kernels.saxpy.__doc__.startswith("saxpy(grid, a: f32, x: &[f32], y: &mut [f32], seq=None)")
    assert my_kernels.translate.__annotations__ == {"by": "Vec3", "points": "&mut [Vec3]"}
    assert "def saxpy(grid: Grid, a: float, x: Tensor, y: Tensor, seq: Sequence | None = None)" in my_kernels.__stubs__
