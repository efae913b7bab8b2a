"""What `mypy --strict` looks at: each part of the interface, as programs use it."""

from typing import Any

import gridwise as gw
import kp
import numpy as np
from numpy.typing import NDArray


def drop_in(module: bytes) -> NDArray[Any]:
    mgr = kp.Manager(0)
    a, b = mgr.tensor([1.0, 2.0]), mgr.tensor_t(np.zeros(2, np.float32), kp.MemoryTypes.device)
    algorithm: kp.Algorithm = mgr.algorithm([a, b], module, (2, 1, 1), [1.0], np.array([2], np.uint32))
    seq = mgr.sequence(total_timestamps=3)
    seq.record(kp.OpSyncDevice([a, b])).record(kp.OpAlgoDispatch(algorithm, [1.0])).eval_async().eval_await(10)
    ticks: list[int] = seq.eval(kp.OpSyncLocal([b])).get_timestamps()
    assert ticks
    try:
        mgr.sequence().eval(kp.OpCopy([a, b]))
    except kp.Error as error:
        print(error)
    return b.data()


async def arrays() -> NDArray[Any]:
    with gw.Manager() as mgr, mgr.array(np.zeros((2, 3))) as tensor:
        shape: tuple[int, ...] = tensor.shape
        assert shape == (2, 3)
        seq = await mgr.sequence().record(kp.OpSyncLocal([tensor])).eval_async()
        for name, start, end in seq.profile():
            print(name, end - start)
        copy = gw.from_dlpack(tensor, mgr)
        whole: NDArray[Any] = np.asarray(copy)
        return whole


def pictures(mgr: gw.Manager, module: bytes) -> gw.Algorithm:
    image: gw.Image = mgr.image_t(np.zeros(16, np.uint8), 2, 2, 4, format="Rgba8Unorm")
    sampled: gw.SampledImage = image.sampled("nearest", edge="repeat")
    assert sampled.image is image
    return mgr.algorithm([image, sampled], module)


def launch(kernel: gw.Kernel, seq: gw.Sequence, y: gw.Tensor) -> gw.OpBase:
    kernel(y.size(), 1.0, y, seq=seq)
    return kernel.op((4, 4), y)
