"""Tensors as arrays: what `gridwise` adds to Kompute's classes."""

import gridwise as gw
import kp
import numpy as np
import pytest

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_types_and_shapes_stay(mgr, dtype):
    array = (np.arange(6) % 2).astype(dtype).reshape(2, 3)
    tensor = mgr.array(array)
    assert tensor.dtype == array.dtype and tensor.shape == (2, 3) and tensor.nbytes == array.nbytes
    assert len(tensor) == 2 and tensor.size() == 6
    for copy in (tensor.numpy(), np.asarray(tensor), np.from_dlpack(tensor) if dtype != "bool" else tensor.numpy()):
        assert copy.dtype == array.dtype and np.array_equal(copy, array)


@pytest.mark.parametrize("dtype", DTYPES)
def test_tensor_t_takes_every_type(mgr, dtype):
    array = (np.arange(7) % 2).astype(dtype)
    tensor = mgr.tensor_t(array)
    assert tensor.data().dtype == array.dtype and np.array_equal(tensor.data(), array)
    assert tensor.data_type() == kp.DataTypes[
        {"int8": "char", "int16": "short", "int32": "int", "uint8": "uchar", "uint16": "ushort", "uint32": "uint",
         "float32": "float", "float64": "double", "bool": "bool"}.get(dtype, "custom")
    ]


@pytest.mark.parametrize("array", [np.array([1j]), np.array(["a"]), np.array([1], ">f4"), np.array([None])])
def test_other_types_are_refused(mgr, array):
    if array.dtype != ">f4":
        with pytest.raises(kp.Error, match="no valid dtype"):
            mgr.tensor_t(array)
    else:
        with pytest.raises(kp.Error, match="no valid dtype"):
            mgr.array(array)
        assert mgr.tensor(array).data().tolist() == [1]


def test_arrays_that_are_not_contiguous(mgr):
    array = np.arange(24, dtype="float32").reshape(4, 6)
    for view in (array.T, array[::2, 1::2], array[::-1], np.asfortranarray(array)):
        assert np.array_equal(mgr.array(view).numpy(), view)
        assert np.array_equal(mgr.tensor(view).data(), view.ravel())
    odd = np.frombuffer(bytes(range(1, 18)), "uint8")[1:].view("uint32")
    assert np.array_equal(mgr.array(odd).numpy(), odd)


def test_scalars_and_lists(mgr):
    assert mgr.array(3.5).shape == () and mgr.array(3.5).numpy() == 3.5
    assert mgr.array([[1, 2], [3, 4]], "uint16").numpy().tolist() == [[1, 2], [3, 4]]
    assert mgr.zeros((2, 2)).numpy().tolist() == [[0, 0], [0, 0]]


def test_writes_are_made_at_once(mgr):
    tensor = mgr.array(np.zeros((2, 2), "float32"))
    tensor.write([[1, 2], [3, 4]])
    assert tensor.numpy().tolist() == [[1, 2], [3, 4]]
    with pytest.raises(kp.LengthMismatch):
        tensor.write([1])
    image = mgr.image([0, 0], 2, 1, 1)
    image.write([5, 6])
    assert image.numpy().tolist() == [5, 6]


def test_the_view_is_of_the_copy_for_transfers(mgr):
    tensor = mgr.array(np.array([1, 2], "float32"))
    view = tensor.data()
    view[:] = 9
    assert tensor.numpy().tolist() == [1, 2]
    mgr.sequence().eval(kp.OpSyncDevice([tensor]))
    assert tensor.numpy().tolist() == [9, 9]


def test_dlpack_both_ways(mgr):
    tensor = mgr.array(np.arange(6, dtype="float32").reshape(2, 3))
    assert tensor.__dlpack_device__() == (1, 0)
    exported = np.from_dlpack(tensor)
    assert exported.tolist() == [[0, 1, 2], [3, 4, 5]]
    imported = gw.from_dlpack(exported, mgr)
    assert imported.shape == (2, 3) and np.array_equal(imported.numpy(), exported)
    # numpy before 2.1 has no such argument.
    with pytest.raises((BufferError, TypeError)):
        np.from_dlpack(tensor, copy=False)
    # Nor has numpy before 2 this one.
    with pytest.raises((ValueError, TypeError), match="copy"):
        np.asarray(tensor, copy=False)
    assert np.asarray(tensor, "int64").dtype == "int64"


def test_contexts():
    with gw.Manager() as mgr, mgr.array([1.0]) as tensor, mgr.sequence() as seq:
        seq.eval(kp.OpSyncLocal([tensor]))
    assert not (mgr.is_init() or tensor.is_init() or seq.is_init())


def test_errors_are_classes(mgr):
    assert issubclass(kp.Error, RuntimeError) and kp.Error is gw.Error
    assert issubclass(kp.DeviceLost, kp.Error) and kp.errors["DeviceLost"] is kp.DeviceLost
    with pytest.raises(TypeError, match="no tensor"):
        kp.OpSyncDevice([1])
    with pytest.raises(TypeError, match="MemoryTypes"):
        mgr.tensor([1], "nowhere")
    other = kp.Manager()
    with pytest.raises(kp.ForeignTensor):
        mgr.sequence().record(kp.OpSyncDevice([other.tensor([1])]))


def test_all_errors_of_the_runtime_have_a_class():
    import pathlib
    import re

    folder = pathlib.Path(__file__).parents[3] / "runtime/src/core/error"
    text = "\n".join(path.read_text() for path in folder.glob("*.rs"))
    body = text[text.index("pub enum Error {") :]
    body = body[: body.index("\n}\n")]
    variants = re.findall(r"^    ([A-Z]\w+)(?: \{|\(|,)", body, re.M)
    assert len(variants) > 50 and not [name for name in variants if name not in kp.errors]
    stub = pathlib.Path(__file__).parents[2] / "packages/kp/__init__.pyi"
    assert set(re.findall(r"class (\w+)\(Error\)", stub.read_text())) == set(kp.errors)


def test_reprs(mgr):
    assert repr(mgr.array(np.zeros((2, 3)))) == "<Tensor of shape (2, 3), float64>"
    assert repr(kp.OpSyncDevice([mgr.tensor([1.0]), mgr.tensor([2.0])])) == "<OpSyncDevice of 2 tensors>"
    assert "Manager of" in repr(mgr) and repr(mgr.sequence()) == "<Sequence of []>"
