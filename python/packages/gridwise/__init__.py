"""GPU computing on any Vulkan device, in numpy's terms.

    import gridwise as gw
    with gw.Manager() as mgr:
        x = mgr.array(numpy.arange(6.0, dtype="float32").reshape(2, 3))
        numpy.asarray(x)

Tensors keep the type and the shape of their array. `numpy.asarray`, DLPack and `numpy()` copy what the device has now.
`kp` has the same classes with Kompute's way of explicit transfers.
"""

from __future__ import annotations

from typing import Any

from . import _native
from ._native import (
    Algorithm,
    Error,
    Image,
    Kernel,
    Manager,
    Memory,
    OpBase,
    SampledImage,
    Sequence,
    Tensor,
    __version__,
    errors,
)


def from_dlpack(array: Any, manager: Manager) -> Tensor:
    """A tensor with a copy of any array in the host's memory that speaks DLPack, such as PyTorch's."""
    import numpy

    # numpy before 2.1 does not pass on arrays that it may only read, such as those that it took by DLPack itself.
    return manager.array(array if isinstance(array, numpy.ndarray) else numpy.from_dlpack(array))


def devices() -> list[str]:
    """The names of all devices; the last is the host."""
    return [str(device["device_name"]) for device in _native.Manager("host").list_devices()]


# One exception class for each kind of error, all of them of `Error`; pickle finds them here.
globals().update(errors)

__all__ = [
    "Algorithm",
    "Error",
    "Image",
    "Kernel",
    "Manager",
    "Memory",
    "OpBase",
    "SampledImage",
    "Sequence",
    "Tensor",
    "__version__",
    "devices",
    "errors",
    "from_dlpack",
]
