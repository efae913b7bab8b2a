"""The guide's programs run, and its kernel is the template's."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[3]
PAGE = (ROOT / "docs/guide/17-python.md").read_text()


@pytest.mark.parametrize("program", re.findall(r"```python\n(.*?)```", PAGE, re.S))
def test_programs_run(program):
    exec(compile(program, "guide", "exec"), {"__name__": "guide"})


def test_the_kernel_is_the_templates():
    parts = re.findall(r"```rust,ignore\n(.*?)```", PAGE, re.S)
    assert len(parts) == 2
    for part in parts:
        assert part in (ROOT / "python/template/src/lib.rs").read_text()
