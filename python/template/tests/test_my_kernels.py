"""The template's kernels, from Python."""

import my_kernels
import numpy as np
import pytest


@pytest.fixture(scope="module")
def mgr():
    with my_kernels.Manager() as mgr:
        yield mgr


def test_saxpy(mgr):
    x, y = mgr.array(np.arange(1000, dtype="float32")), mgr.array(np.ones(1000, "float32"))
    my_kernels.saxpy(1000, 2.0, x, y)
    assert np.array_equal(y.numpy(), 2 * np.arange(1000, dtype="float32") + 1)
