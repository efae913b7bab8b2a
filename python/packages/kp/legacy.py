"""Kompute's Python package as it was in versions 0.4 to 0.6, on today's classes: ``import kp.legacy as kp``.

Tensors exist before a manager has them, sequences have names, and operations are methods. SPIR-V is bytes, or what
pyshader's ``to_spirv()`` gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import kp
from kp import Error, MemoryTypes

__all__ = ["Error", "Manager", "OpAlgoBase", "Sequence", "Tensor", "TensorTypes"]

Workgroup = tuple[int, int, int]
_WHOLE: Workgroup = (0, 0, 0)


class TensorTypes:
    """Where a tensor lies. Staging memory is the host's."""

    device = MemoryTypes.device
    staging = MemoryTypes.host
    storage = MemoryTypes.storage


class Tensor:
    """Numbers of float32, on the host alone until a manager creates the tensor."""

    def __init__(self, data: ArrayLike, tensor_type: MemoryTypes = MemoryTypes.device) -> None:
        self._data: NDArray[Any] = np.array(data, dtype=np.float32).ravel()
        self._type = tensor_type
        self._made: kp.Tensor | None = None

    def _create(self, manager: kp.Manager) -> kp.Tensor:
        if self._made is None or not self._made.is_init():
            self._made = manager.tensor(self._data, self._type)
            if self._type is not MemoryTypes.storage:
                self._data = self._made.data()
        return self._made

    def data(self) -> list[float]:
        """The numbers on the host, as a list."""
        return [float(number) for number in self._data]

    def numpy(self) -> NDArray[Any]:
        """The numbers on the host, without a copy."""
        return self._data

    def set_data(self, data: ArrayLike) -> None:
        """Replaces the numbers on the host."""
        new = np.asarray(data, dtype=np.float32).ravel()
        if new.shape != self._data.shape:
            raise Error(f"set_data() with {new.size} numbers for a tensor of {self._data.size}")
        self._data[:] = new

    def size(self) -> int:
        return int(self._data.size)

    def tensor_type(self) -> MemoryTypes:
        return self._type

    def is_init(self) -> bool:
        """Whether a manager created it."""
        return self._made is not None and self._made.is_init()

    def __len__(self) -> int:
        return self.size()

    def __getitem__(self, index: int) -> float:
        return float(self._data[index])

    def __setitem__(self, index: int, value: float) -> None:
        self._data[index] = value

    def __iter__(self) -> Iterator[float]:
        return iter(self.data())

    def __contains__(self, value: float) -> bool:
        return bool((self._data == np.float32(value)).any())

    def __reversed__(self) -> Iterator[float]:
        return reversed(self.data())

    def __repr__(self) -> str:
        return f"Tensor({self.data()})"


def _spirv(module: Any) -> bytes:
    """Bytes of SPIR-V: of bytes, of a list of numbers, or of a function that pyshader made."""
    if hasattr(module, "to_spirv"):
        module = module.to_spirv()
    return bytes(module)


class OpAlgoBase:
    """An algorithm to be recorded: tensors, SPIR-V and the number of workgroups."""

    def __init__(self, tensors: Iterable[Tensor], module: Any, workgroup: Workgroup = _WHOLE) -> None:
        self._tensors, self._module, self._workgroup = list(tensors), _spirv(module), workgroup

    def _made(self, manager: kp.Manager) -> kp.OpBase:
        tensors = [tensor._create(manager) for tensor in self._tensors]
        return kp.OpAlgoDispatch(manager.algorithm(tensors, self._module, self._workgroup))


class Sequence:
    """Operations between ``begin`` and ``end``."""

    def __init__(self, manager: kp.Manager, queue_index: int = 0) -> None:
        self._manager, self._sequence = manager, manager.sequence(queue_index)
        self._is_recording = False

    def begin(self) -> bool:
        """Forgets what was recorded, and begins anew; false if a recording is under way."""
        if self._is_recording:
            return False
        self._sequence.clear()
        self._is_recording = True
        return True

    def end(self) -> bool:
        """Ends the recording; false if there is none."""
        was, self._is_recording = self._is_recording, False
        return was

    def eval(self) -> bool:
        """Runs what is recorded; false while it is being recorded."""
        if self._is_recording:
            return False
        self._sequence.eval()
        return True

    def eval_async(self) -> bool:
        if self._is_recording:
            return False
        self._sequence.eval_async()
        return True

    def eval_await(self, wait_for: int = 2**64 - 1) -> bool:
        self._sequence.eval_await(wait_for)
        return not self._sequence.is_running()

    def is_running(self) -> bool:
        return self._sequence.is_running()

    def is_rec(self) -> bool:
        return self._is_recording

    def is_init(self) -> bool:
        return self._sequence.is_init()

    def _record(self, operation: kp.OpBase) -> bool:
        if not self._is_recording:
            return False
        self._sequence.record(operation)
        return True

    def _made(self, tensors: Iterable[Tensor]) -> list[kp.Tensor]:
        return [tensor._create(self._manager) for tensor in tensors]

    def record_tensor_create(self, tensors: list[Tensor]) -> bool:
        return self._record(kp.OpSyncDevice(self._made(tensors)))

    def record_tensor_copy(self, tensors: list[Tensor]) -> bool:
        return self._record(kp.OpCopy(self._made(tensors)))

    def record_tensor_sync_device(self, tensors: list[Tensor]) -> bool:
        return self._record(kp.OpSyncDevice(self._made(tensors)))

    def record_tensor_sync_local(self, tensors: list[Tensor]) -> bool:
        return self._record(kp.OpSyncLocal(self._made(tensors)))

    def record_algo_mult(self, tensors: list[Tensor]) -> bool:
        # It brings its result to the host, as no other did.
        made = self._made(tensors)
        return self._record(kp.OpMult(made)) and self._record(kp.OpSyncLocal(made[2:]))

    def record_algo_data(self, tensors: list[Tensor], bytes: Any, work_group: Workgroup = _WHOLE) -> bool:
        return self._record(OpAlgoBase(tensors, bytes, work_group)._made(self._manager))

    def record_algo_file(self, tensors: list[Tensor], file_path: str, work_group: Workgroup = _WHOLE) -> bool:
        return self.record_algo_data(tensors, Path(file_path).read_bytes(), work_group)


class Manager:
    """A device, tensors by hand and sequences by name."""

    def __init__(self, device: int | None = None, family_queue_indices: list[int] | None = None) -> None:
        self._manager = kp.Manager(device, family_queue_indices or [])
        self._named: dict[str, Sequence] = {}

    def create_sequence(self, name: str = "", queueIndex: int = 0) -> Sequence:
        """A sequence of a name, which must be new."""
        if name in self._named:
            raise Error(f"there is a sequence of the name `{name}`; get_create_sequence gives it")
        return self._named.setdefault(name, Sequence(self._manager, queueIndex))

    def get_create_sequence(self, name: str) -> Sequence:
        """The sequence of a name, made at the first call."""
        if name not in self._named:
            self._named[name] = Sequence(self._manager)
        return self._named[name]

    def build_tensor(self, data: ArrayLike, tensorType: MemoryTypes = MemoryTypes.device) -> Tensor:
        """A tensor that is on the device, too."""
        tensor = Tensor(data, tensorType)
        tensor._create(self._manager)
        return tensor

    def eval_await(self, sequenceName: str, waitFor: int = 2**64 - 1) -> None:
        self.get_create_sequence(sequenceName).eval_await(waitFor)

    def eval_await_def(self, waitFor: int = 2**64 - 1) -> None:
        self.eval_await(_DEFAULT, waitFor)

    def _eval(self, name: str, is_async: bool, method: str, *arguments: Any) -> None:
        sequence = self.get_create_sequence(name)
        sequence.end()
        sequence.begin()
        getattr(sequence, f"record_{method}")(*arguments)
        sequence.end()
        if is_async:
            sequence.eval_async()
        else:
            sequence.eval()

    def __getattr__(self, name: str) -> Any:
        """``eval_tensor_copy_def(tensors)``, ``eval_async_algo_data(tensors, spirv, sequence_name)``, and all their like."""
        if not name.startswith("eval_"):
            raise AttributeError(name)
        method = name[len("eval_") :]
        is_async = method.startswith("async_")
        method = method[len("async_") :] if is_async else method
        is_default = method.endswith("_def")
        method = method[: -len("_def")] if is_default else method
        # Text and data were two names for bytes.
        method = "algo_data" if method == "algo_str" else method
        if not hasattr(Sequence, f"record_{method}"):
            raise AttributeError(f"Manager has no `{name}`")

        def call(tensors: list[Tensor], *arguments: Any) -> None:
            *rest, sequence = arguments if not is_default else (*arguments, _DEFAULT)
            self._eval(sequence, is_async, method, tensors, *rest)

        return call


_DEFAULT = "DEFAULT"
