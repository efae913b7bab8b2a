"""Fixtures, and the closing line that tests/run reads."""

import os

import pytest

from kp import Manager, compile


@pytest.fixture(scope="session")
def glsl():
    """Compiles each shader once."""
    modules = {}

    def of(source):
        if source not in modules:
            modules[source] = compile("#version 450\n" + source)
        return modules[source]

    return of


@pytest.fixture
def mgr():
    manager = Manager()
    expected = os.environ.get("EXPECTED_DEVICE", "")
    assert expected in manager.device, f"the tests are to run on {expected}"
    yield manager
    manager.destroy()


def pytest_terminal_summary(terminalreporter):
    count = {name: len(terminalreporter.stats.get(name, [])) for name in ("passed", "failed", "error", "skipped", "xfailed")}
    passed, failed = count["passed"], count["failed"] + count["error"]
    ignored = count["skipped"] + count["xfailed"]
    terminalreporter.write_line(f"test result: python. {passed} passed; {failed} failed; {ignored} ignored")
