"""The source of `pyshader.spv`, which pyshader 0.7.0 made on Python 3.9: `python pyshader.py` writes it beside this file."""

import pathlib

from pyshader import Array, f32, ivec3, python2shader


@python2shader
def compute(
    index=("input", "GlobalInvocationId", ivec3),
    data1=("buffer", 0, Array(f32)),
    data2=("buffer", 1, Array(f32)),
    data3=("buffer", 2, Array(f32)),
):
    i = index.x
    a = data1[i]
    b = data2[i]
    data3[i] = a * b if a > 1.5 else a + b


pathlib.Path(__file__).with_suffix(".spv").write_bytes(compute.to_spirv())
