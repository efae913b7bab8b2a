"""What works on a machine without Vulkan, and what says why it does not."""

import asyncio
import logging

import kp
import numpy as np
import pytest


def test_modules_say_why_they_do_not_run(mgr, glsl):
    shader = "layout(local_size_x = 1) in; layout(binding = 0) buffer A { float a[]; }; void main() { a[0] = 1; }"
    with pytest.raises(kp.NeedsVulkan, match="Vulkan"):
        mgr.algorithm([mgr.tensor([0])], glsl(shader))


def test_transfers_and_products_run(mgr):
    assert mgr.get_device_properties()["device_name"] == "host" and not mgr.is_vulkan
    a, b, c = mgr.tensor([1, 2]), mgr.tensor([3, 4]), mgr.tensor([0, 0])
    mgr.sequence().record(kp.OpSyncDevice([a, b])).record(kp.OpMult([a, b, c])).record(kp.OpSyncLocal([c])).eval()
    assert c.data().tolist() == [3, 8]
    assert kp.Manager(0).is_init() and len(mgr.list_devices()) == 1


def test_tasks_wait(mgr):
    async def main():
        a, b = mgr.tensor([1, 2]), mgr.tensor([0, 0])
        await mgr.sequence().record(kp.OpSyncDevice([a])).record(kp.OpCopy([a, b])).record(kp.OpSyncLocal([b])).eval_async()
        return b.data().tolist()

    assert asyncio.run(main()) == [1, 2]


def test_timestamps(mgr):
    a = mgr.tensor(np.ones(1000))
    assert len(mgr.sequence(total_timestamps=1).eval(kp.OpSyncLocal([a])).get_timestamps()) == 2
