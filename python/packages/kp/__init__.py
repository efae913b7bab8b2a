"""Kompute's Python package, on gridwise: the names of 0.9 and of its master branch side by side."""

from gridwise._native import (
    Algorithm,
    DataTypes,
    Error,
    Image,
    Manager,
    Memory,
    MemoryTypes,
    OpAlgoDispatch,
    OpBase,
    OpCopy,
    OpMult,
    OpSyncDevice,
    OpSyncLocal,
    Sequence,
    Tensor,
    __version__,
    errors,
)

from ._compile import CompileError, NoCompiler, compile

# Kompute 0.9.
TensorDataTypes = DataTypes
TensorTypes = MemoryTypes
OpTensorCopy = OpCopy
OpTensorSyncDevice = OpSyncDevice
OpTensorSyncLocal = OpSyncLocal

device = MemoryTypes.device
host = MemoryTypes.host
storage = MemoryTypes.storage
deviceAndHost = MemoryTypes.deviceAndHost

bool = DataTypes["bool"]
int = DataTypes["int"]
uint = DataTypes["uint"]
float = DataTypes["float"]
double = DataTypes["double"]
custom = DataTypes["custom"]
short = DataTypes["short"]
ushort = DataTypes["ushort"]
char = DataTypes["char"]
uchar = DataTypes["uchar"]

# One exception class for each kind of error, all of them of `Error`.
globals().update(errors)

__all__ = [
    "Algorithm",
    "CompileError",
    "DataTypes",
    "Error",
    "Image",
    "Manager",
    "Memory",
    "MemoryTypes",
    "NoCompiler",
    "OpAlgoDispatch",
    "OpBase",
    "OpCopy",
    "OpMult",
    "OpSyncDevice",
    "OpSyncLocal",
    "OpTensorCopy",
    "OpTensorSyncDevice",
    "OpTensorSyncLocal",
    "Sequence",
    "Tensor",
    "TensorDataTypes",
    "TensorTypes",
    "__version__",
    "compile",
    "errors",
]
