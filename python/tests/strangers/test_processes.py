"""Signals, forks, threads and interpreters: each use is a right result or a typed error, and nothing hangs."""

import _thread
import functools
import gc
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import kp
import numpy as np
import pytest


def busy(mgr, rounds=150):
    """A sequence that takes a good part of a second."""
    tensor, seq = mgr.tensor(np.ones(4 << 20)), mgr.sequence()
    for _ in range(rounds):
        seq.record(kp.OpSyncDevice([tensor])).record(kp.OpSyncLocal([tensor]))
    return tensor, seq


@pytest.mark.parametrize("wait", ["eval", "eval_await"])
def test_ctrl_c_ends_a_wait(mgr, wait):
    tensor, seq = busy(mgr)
    if wait == "eval_await":
        seq.eval_async()
    timer = threading.Timer(0.05, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        getattr(seq, wait)()
        # On a fast machine, the signal comes afterwards.
        timer.join()
        threading.Event().wait(5)
    if seq.is_running():
        with pytest.raises(kp.SequenceInFlight):
            seq.record(kp.OpSyncLocal([tensor]))
    seq.eval_await()
    assert not seq.is_running() and (tensor.data() == 1).all()
    seq.eval(kp.OpSyncLocal([tensor]))


def forked(act):
    """What `act` gives in a child, which has half a minute."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # Python 3.12 and newer warn of forks beside threads, with good reason.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        import signal

        signal.alarm(30)
        try:
            said = str(act())
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    _, status = os.waitpid(child, 0)
    with os.fdopen(reader) as file:
        said = file.read()
    assert status == 0, f"the child ended by {status}: {said}"
    return said


def test_a_forked_process_drops_what_it_has(mgr):
    objects = [mgr.tensor(np.ones(1000)), mgr.sequence(), mgr.array([1, 2]), kp.Manager("host")]
    objects += [objects[0].data(), kp.OpSyncLocal([objects[0]]), mgr.image([1.0], 1, 1, 1)]
    objects[1].record(objects[5]).eval()

    def drop():
        objects[0].destroy()
        objects[3].destroy()
        with mgr.sequence.__self__:
            pass
        objects.clear()
        gc.collect()
        return "dropped"

    assert forked(drop) == "dropped"
    assert (objects[0].numpy() == 1).all() and objects[1].eval() and objects[3].is_init()


def test_a_forked_process_is_told_of_each_use(mgr):
    tensor, seq = mgr.tensor([1]), mgr.sequence()
    uses = {
        "record": lambda: seq.record(kp.OpSyncLocal([tensor])),
        "eval": seq.eval,
        "numpy": tensor.numpy,
        "write": lambda: tensor.write([2]),
        "sequence": mgr.sequence,
        "data": tensor.data,
    }

    def use():
        said = []
        for name, act in uses.items():
            try:
                act()
                said.append(f"{name} went on")
            except kp.Forked:
                pass
        return said

    assert forked(use) == "[]"
    assert tensor.numpy().tolist() == [1]


def child_of_pool(number):
    with kp.Manager() as mgr:
        a, b = mgr.tensor([number]), mgr.tensor([0])
        mgr.sequence().record(kp.OpSyncDevice([a])).record(kp.OpCopy([a, b])).record(kp.OpSyncLocal([b])).eval()
        if number == 2:
            b.destroy()
            b.data()
        return b.data().tolist()


def test_spawned_processes_have_their_own():
    # Errors travel from the child by pickle.
    program = textwrap.dedent("""
        import multiprocessing, sys
        sys.path.insert(0, sys.argv[1])
        multiprocessing.set_executable(sys.argv[2])
        import kp
        from test_processes import child_of_pool
        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                assert pool.map(child_of_pool, [1, 3]) == [[1], [3]]
                try:
                    pool.apply(child_of_pool, (2,))
                except kp.Destroyed as error:
                    print("told:", error)
    """)
    ended = python(program, os.path.dirname(__file__), interpreter())
    assert "told: the tensor was destroyed" in ended.stdout


@functools.cache
def interpreter():
    """What starts Python as this process was started: by the system's loader of programs, or with another's libraries."""
    loader = os.readlink("/proc/self/exe")
    if not os.path.basename(loader).startswith("ld-"):
        return sys.executable
    started = pathlib.Path("/proc/self/cmdline").read_text().split("\0")
    libraries = started[started.index("--library-path") + 1]
    script = pathlib.Path(tempfile.mkdtemp(), "python")
    script.write_text(f'#!/bin/sh\nexec "{loader}" --library-path "{libraries}" "{sys.executable}" "$@"\n')
    script.chmod(0o755)
    return str(script)


def python(program, *arguments):
    """A program in an interpreter of its own, which ends well and soon."""
    # As a file: children of `spawn` import it.
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(program)
        file.flush()
        ended = subprocess.run([interpreter(), file.name, *arguments], capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, f"{ended.returncode}\n{ended.stdout}\n{ended.stderr}"
    return ended


@pytest.mark.parametrize("end", ["", "sys.exit(0)", "raise SystemExit", "del mgr, seq, tensor"])
def test_programs_end_while_something_runs(end):
    python(
        f"""
import sys, kp, numpy as np
mgr = kp.Manager()
tensor, seq = mgr.tensor(np.ones(1 << 20)), mgr.sequence()
for _ in range(20):
    seq.record(kp.OpSyncDevice([tensor])).record(kp.OpSyncLocal([tensor]))
seq.eval_async()
view = tensor.data()
{end}
"""
    )


def test_programs_end_while_daemons_wait():
    python(
        """
import threading, time, kp, numpy as np
def work():
    mgr = kp.Manager()
    tensor, seq = mgr.tensor(np.ones(1 << 20)), mgr.sequence()
    for _ in range(200):
        seq.record(kp.OpSyncDevice([tensor])).record(kp.OpSyncLocal([tensor]))
    while True:
        seq.eval()
threading.Thread(target=work, daemon=True).start()
time.sleep(0.7)
"""
    )


def test_subinterpreters_are_refused():
    ended = python(
        """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
import gridwise._native
made = interpreters.create()
try:
    said = interpreters.run_string(made, "import gridwise._native")
except Exception as error:
    said = error
print(said)
"""
    )
    assert "ImportError" in ended.stdout or "subinterpreter" in ended.stdout


def test_threads_use_everything_at_once(mgr):
    shared = mgr.tensor(np.ones(1000))

    def work(number):
        own = mgr.array(np.full(1000, number, "float32"))
        seq = mgr.sequence().record(kp.OpSyncLocal([shared])).record(kp.OpCopy([own, mgr.tensor(np.zeros(1000))]))
        for _ in range(20):
            seq.eval_async().eval_await()
            assert (own.numpy() == number).all() and shared.data()[0] == 1
        own.destroy()
        try:
            own.numpy()
        except kp.Destroyed:
            return number

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(16))) == list(range(16))


def test_threads_share_one_sequence(mgr):
    _, seq = busy(mgr, 5)

    def work(_):
        try:
            seq.eval()
            return None
        except kp.SequenceInFlight:
            return None

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(40))) == [None] * 40
    seq.eval_await()
    seq.eval()


def test_a_manager_is_destroyed_under_its_users(mgr):
    _, seq = busy(mgr, 30)
    seq.eval_async()
    mgr.destroy()
    with pytest.raises(kp.Destroyed):
        seq.eval_await()


def test_loggers_that_raise_are_left_alone():
    class Broken(logging.Handler):
        def emit(self, record):
            raise ZeroDivisionError

    logger, handler = logging.getLogger("kp"), Broken()
    logger.addHandler(handler)
    level = logger.level
    logger.setLevel(logging.DEBUG)
    try:
        with kp.Manager() as mgr:
            assert mgr.tensor([1]).numpy().tolist() == [1]
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
