"""Evaluations that are waited for later, and by tasks."""

import asyncio
import logging

import kp
import numpy as np
import pytest


def recorded(mgr, count=4, size=1 << 18):
    tensor = mgr.tensor(np.ones(size))
    seq = mgr.sequence()
    for _ in range(count):
        seq.record(kp.OpSyncDevice([tensor])).record(kp.OpSyncLocal([tensor]))
    return tensor, seq


def test_eval_async_and_await(mgr):
    _, seq = recorded(mgr)
    assert seq.eval_async().eval_await() is seq
    assert not seq.is_running()
    assert seq.eval_await() is seq, "nothing runs: nothing to wait for"


def test_a_wait_that_ends_early(mgr):
    _, seq = recorded(mgr, 40)
    seq.eval_async().eval_await(1)
    with_time = seq.eval_await(2**64 - 1)
    assert not with_time.is_running()


def test_a_running_sequence_is_left_alone(mgr):
    tensor, seq = recorded(mgr, 100)
    seq.eval_async()
    if seq.is_running():
        with pytest.raises(kp.SequenceInFlight):
            seq.record(kp.OpSyncLocal([tensor]))
    seq.eval_await()


def test_tasks_wait_side_by_side(mgr):
    async def one(number):
        a, b = mgr.tensor(np.full(10_000, number)), mgr.tensor(np.zeros(10_000))
        seq = mgr.sequence().record(kp.OpSyncDevice([a])).record(kp.OpCopy([a, b])).record(kp.OpSyncLocal([b]))
        assert await seq.eval_async() is seq
        return b.data()[5]

    async def all_of_them():
        return await asyncio.gather(*(one(number) for number in range(50)))

    assert asyncio.run(all_of_them()) == list(range(50))


def test_a_loop_turns_while_a_task_waits(mgr):
    async def main():
        turns = 0
        _, seq = recorded(mgr, 150, 1 << 20)
        task = asyncio.ensure_future(wait(seq.eval_async()))
        while not task.done():
            turns += 1
            await asyncio.sleep(0)
        return turns

    async def wait(seq):
        await seq

    assert asyncio.run(main()) > 1


def test_timeouts_of_asyncio(mgr):
    async def main():
        _, seq = recorded(mgr, 60)
        await asyncio.wait_for(wait(seq.eval_async()), timeout=60)

    async def wait(seq):
        return await seq

    asyncio.run(main())


def test_awaiting_what_does_not_run(mgr):
    async def main():
        return await mgr.sequence()

    assert isinstance(asyncio.run(main()), kp.Sequence)


def test_profiles_of_asynchronous_runs(mgr):
    tensor = mgr.tensor([1, 2])
    seq = mgr.sequence(total_timestamps=2).record(kp.OpSyncDevice([tensor]))
    seq.eval_async().eval_await()
    assert len(seq.get_timestamps()) == 2


def test_logging(caplog):
    with caplog.at_level(logging.DEBUG, logger="kp"):
        kp.Manager()
    assert all(record.name == "kp" for record in caplog.records)
