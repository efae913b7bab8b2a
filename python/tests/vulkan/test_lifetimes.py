"""What outlives what, on Vulkan and on the host alike."""

import gc
import os
import threading
import time

import kp
import numpy as np
import pytest


def test_a_view_keeps_its_memory(mgr):
    tensor = mgr.tensor([1, 2, 3])
    view = tensor.data()
    assert view.base.is_init() and view.flags.writeable
    del tensor
    gc.collect()
    assert view.tolist() == [1, 2, 3]
    mgr.destroy()
    assert not view.base.is_init()
    view += 1
    assert view.tolist() == [2, 3, 4]


def test_a_thousand_views_after_destroy(mgr):
    tensors = [mgr.tensor(np.full(7, i)) for i in range(1000)]
    views = [tensor.data() for tensor in tensors]
    mgr.destroy()
    del tensors
    gc.collect()
    for i, view in enumerate(views):
        assert view.tolist() == [i] * 7
        view[:] = -i
    assert [view[3] for view in views] == [-i for i in range(1000)]


def test_views_of_one_tensor_are_one_memory(mgr):
    tensor = mgr.tensor([1, 2])
    one, other = tensor.data(), tensor.data()
    one[0] = 9
    assert other[0] == 9 and np.shares_memory(one, other)


def test_what_is_destroyed_says_so(mgr):
    tensor = mgr.tensor([1, 2])
    seq = mgr.sequence()
    tensor.destroy()
    assert not tensor.is_init()
    tensor.destroy()
    with pytest.raises(kp.Destroyed, match="tensor was destroyed"):
        tensor.data()
    with pytest.raises(kp.Destroyed):
        seq.record(kp.OpSyncDevice([tensor]))
    other = mgr.tensor([1])
    mgr.destroy()
    assert not mgr.is_init() and not other.is_init() and not seq.is_init()
    with pytest.raises(kp.Destroyed, match="manager"):
        mgr.tensor([1])
    with pytest.raises(RuntimeError):
        seq.eval()


def test_a_recording_keeps_destroyed_tensors(mgr):
    a, b = mgr.tensor([1, 2]), mgr.tensor([0, 0])
    seq = mgr.sequence().record(kp.OpSyncDevice([a])).record(kp.OpCopy([a, b])).record(kp.OpSyncLocal([b]))
    a.destroy()
    del a
    gc.collect()
    seq.eval()
    assert b.data().tolist() == [1, 2]


def test_any_order_of_deletion():
    mgr = kp.Manager()
    tensor, seq = mgr.tensor(np.ones(100_000)), mgr.sequence()
    seq.record(kp.OpSyncDevice([tensor])).record(kp.OpSyncLocal([tensor])).eval_async()
    del mgr, tensor
    gc.collect()
    seq.eval_await()
    del seq
    gc.collect()


def test_empty_tensors(mgr):
    tensor = mgr.tensor([])
    assert tensor.size() == len(tensor) == 0 and tensor.data().shape == (0,)
    mgr.sequence().record(kp.OpSyncDevice([tensor])).record(kp.OpSyncLocal([tensor])).eval()
    assert tensor.numpy().shape == (0,)


def test_threads_share_a_manager(mgr):
    failures = []

    def work(number):
        try:
            for _ in range(20):
                a, b = mgr.tensor(np.full(1000, number)), mgr.tensor(np.zeros(1000))
                mgr.sequence().record(kp.OpSyncDevice([a])).record(kp.OpCopy([a, b])).record(kp.OpSyncLocal([b])).eval()
                assert (b.data() == number).all()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not failures


def test_waiting_lets_other_threads_run(mgr):
    tensor = mgr.tensor(np.ones(8 << 20))
    seq = mgr.sequence()
    for _ in range(20):
        seq.record(kp.OpSyncDevice([tensor])).record(kp.OpSyncLocal([tensor]))
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    seq.eval()
    during = counted[0] - before
    done.set()
    thread.join()
    assert during > 10


def test_a_forked_process_is_refused(mgr):
    tensor = mgr.tensor([1])
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            mgr.tensor([2])
            said = b"nothing"
        except kp.Forked:
            said = b"forked"
        try:
            tensor.numpy()
        except kp.Forked:
            said += b" twice"
        os.write(writer, said)
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 100) == b"forked twice"
    assert tensor.numpy().tolist() == [1]
