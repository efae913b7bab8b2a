"""What a stranger tries: each use is a right result or a typed error, and the interpreter stays, on whatever device there is."""

import copy
import gc
import pickle
import weakref

import gridwise as gw
import kp
import numpy as np
import pytest


class Changing:
    """An array that is another one each time that it is asked for."""

    def __init__(self):
        self.sizes = iter([1 << 20, 1, 1, 1])

    def __array__(self, dtype=None, copy=None):
        return np.ones(next(self.sizes), "float32")


class Raising:
    def __array__(self, dtype=None, copy=None):
        raise ZeroDivisionError("no array")


def test_arrays_that_change_between_two_looks(mgr):
    tensor = mgr.array(Changing())
    assert tensor.numpy().shape == tensor.shape and (tensor.numpy() == 1).all()


@pytest.mark.parametrize("make", ["tensor", "tensor_t", "array"])
def test_what_arrays_raise_arrives(mgr, make):
    with pytest.raises(ZeroDivisionError, match="no array"):
        getattr(mgr, make)(Raising())
    with pytest.raises(ZeroDivisionError):
        mgr.array([1.0]).write(Raising())


def test_arrays_that_only_are_read(mgr):
    array = np.arange(5, dtype="float32")
    array.flags.writeable = False
    assert mgr.tensor(array).data().flags.writeable and mgr.array(array).numpy().tolist() == [0, 1, 2, 3, 4]
    assert mgr.array(np.frombuffer(b"\x01\x02", "uint8")).numpy().tolist() == [1, 2]
    assert mgr.array(np.broadcast_to(np.float32(7), (3, 2))).numpy().tolist() == [[7, 7]] * 3


def test_arrays_of_no_elements(mgr):
    for shape in ((0,), (0, 3), (2, 0, 4)):
        tensor = mgr.array(np.zeros(shape, "uint16"))
        assert tensor.shape == shape and tensor.numpy().shape == shape and tensor.data().shape == shape
        tensor.write(np.zeros(shape))
        assert np.asarray(tensor).size == 0 and tensor.nbytes == 0
    a, b = mgr.tensor([]), mgr.tensor([])
    mgr.sequence().record(kp.OpSyncDevice([a])).record(kp.OpCopy([a, b])).record(kp.OpMult([a, b, mgr.tensor([])])).eval()


def test_arrays_that_are_freed_at_once(mgr):
    tensors = [mgr.array(np.full(100_000, number, "float32")) for number in range(20)]
    gc.collect()
    assert [tensor.numpy()[99_999] for tensor in tensors] == list(range(20))


def test_views_are_freed_with_their_last_user(mgr):
    view = mgr.tensor(np.ones(1000)).data()
    owner = weakref.ref(view.base) if hasattr(view.base, "__weakref__") else None
    part = view[10:20]
    del view
    gc.collect()
    assert part.tolist() == [1] * 10
    del part
    assert owner is None or owner() is None


def test_sizes_beyond_all_memory(mgr):
    with pytest.raises((MemoryError, ValueError)):
        mgr.zeros((1 << 50,))
    with pytest.raises((MemoryError, ValueError, kp.Error)):
        mgr.array(np.broadcast_to(np.uint8(1), (1 << 50,)))
    with pytest.raises(ValueError):
        mgr.zeros(-1)
    with pytest.raises(kp.Error):
        mgr.image([1.0] * 4, 1 << 31, 1 << 31, 4)
    for sizes in ((0, 1, 1), (1, 1, 3), (1 << 20, 0, 4)):
        with pytest.raises(kp.Error):
            mgr.image([], *sizes)
    with pytest.raises(OverflowError):
        mgr.image([1.0], -1, 1, 1)


@pytest.mark.parametrize("value", [{}, "abc", [[1], [2, 3]], (number for number in range(3)), object()], ids=str)
def test_what_is_no_array(mgr, value):
    for make in (mgr.tensor, mgr.array, mgr.tensor_t):
        with pytest.raises((TypeError, ValueError, kp.Error)):
            make(value)


def test_values_of_the_wrong_kind(mgr):
    tensor, seq = mgr.tensor([1.0]), mgr.sequence()
    for act in (
        lambda: seq.record(None),
        lambda: seq.eval(tensor),
        lambda: seq.eval_await("soon"),
        lambda: mgr.sequence("first"),
        lambda: kp.OpSyncDevice(None),
        lambda: kp.OpSyncDevice(tensor),
        lambda: kp.OpAlgoDispatch(tensor),
        lambda: kp.Manager(1.5),
        lambda: kp.Manager(-1),
        lambda: mgr.tensor([1], memory_type=3),
        lambda: mgr.tensor([1], kp.MemoryTypes.host, tensor_type=kp.MemoryTypes.host),
        lambda: kp.Tensor(),
        lambda: kp.Sequence(),
        lambda: kp.OpBase(),
        lambda: memoryview(tensor),
        lambda: list(tensor),
        lambda: gw.from_dlpack([1.0], mgr),
        lambda: mgr.array([1], "nonsense"),
    ):
        with pytest.raises((TypeError, AttributeError)):
            act()
    for act in (lambda: seq.eval_await(-1), lambda: mgr.sequence(-1), lambda: mgr.sequence(1 << 70)):
        with pytest.raises(OverflowError):
            act()
    with pytest.raises(kp.NoQueue):
        mgr.sequence(99)
    with pytest.raises(kp.Error):
        mgr.sequence().record(kp.OpCopy([tensor, mgr.tensor_t(np.ones(1))]))


@pytest.mark.parametrize("act", [pickle.dumps, copy.copy, copy.deepcopy])
def test_what_a_device_has_is_not_pickled(mgr, act):
    for item in (mgr, mgr.tensor([1]), mgr.sequence(), kp.OpSyncLocal([mgr.tensor([1])])):
        with pytest.raises(TypeError, match="pickle"):
            act(item)
    assert pickle.loads(pickle.dumps(mgr.tensor([1, 2]).numpy())).tolist() == [1, 2]


def test_errors_and_kinds_are_pickled(mgr):
    mgr.destroy()
    with pytest.raises(kp.Destroyed) as caught:
        mgr.tensor([1])
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is kp.Destroyed and again.args == caught.value.args
    for name, kind in kp.errors.items():
        assert pickle.loads(pickle.dumps(kind)) is kind is getattr(gw, name) and kind.__module__ == "gridwise" and kind.__doc__
    assert type(pickle.loads(pickle.dumps(kp.Error("text")))) is kp.Error and kp.Error.__name__ == "Error"
    for member in (*kp.MemoryTypes, *kp.DataTypes):
        assert pickle.loads(pickle.dumps(member)) is member
    assert type(pickle.loads(pickle.dumps(kp.NoCompiler("text")))) is kp.NoCompiler


def test_subclasses_and_attributes():
    class Mine(kp.Manager):
        pass

    with Mine() as mine:
        mine.note = "kept"
        assert mine.note == "kept" and mine.tensor([1]).numpy().tolist() == [1]
    with pytest.raises(AttributeError):
        kp.Manager().note = 1


def test_help_has_a_line_for_each_method():
    for kind in (kp.Manager, kp.Sequence, kp.Tensor, kp.Image, kp.Algorithm, kp.OpBase, kp.OpSyncDevice, kp.OpAlgoDispatch, kp.OpMult):
        assert kind.__doc__
        for name in dir(kind):
            if not name.startswith("_"):
                assert getattr(kind, name).__doc__, f"{kind.__name__}.{name} has no documentation"
