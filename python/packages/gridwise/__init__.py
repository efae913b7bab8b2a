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
    Sequence,
    Tensor,
    __version__,
    errors,
)


def from_dlpack(array: Any, manager: Manager) -> Tensor:
    """A tensor with a copy of any array in the host's memory that speaks DLPack, such as PyTorch's."""
    import numpy

    return manager.array(numpy.from_dlpack(array))


def devices() -> list[str]:
    """The names of all devices; the last is the host."""
    return [str(device["device_name"]) for device in _native.Manager("host").list_devices()]


__all__ = [
    "Algorithm",
    "Error",
    "Image",
    "Kernel",
    "Manager",
    "Memory",
    "OpBase",
    "Sequence",
    "Tensor",
    "__version__",
    "devices",
    "errors",
    "from_dlpack",
]
