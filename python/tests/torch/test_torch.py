"""Tensors of PyTorch in the host's memory, taken and given by DLPack. `tests/env/pytorch.sh` brings `torch`: the wheels of PyPI have CUDA in them."""

import gridwise as gw
import kp
import numpy as np
import pytest
import torch

DTYPES = [torch.float16, torch.float32, torch.float64, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8]
DOUBLE = """
layout(local_size_x = 1) in;
layout(binding = 0) buffer A { float a[]; };
void main() { a[gl_GlobalInvocationID.x] *= 2; }
"""


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_both_ways(mgr, dtype):
    theirs = torch.arange(6).reshape(2, 3).to(dtype)
    ours = gw.from_dlpack(theirs, mgr)
    assert ours.shape == (2, 3) and str(ours.dtype) == str(dtype).removeprefix("torch.")
    back = torch.from_dlpack(ours)
    assert back.dtype == dtype and torch.equal(back, theirs)


def test_a_kernel_between(mgr, glsl):
    theirs = torch.randn(1000)
    ours = gw.from_dlpack(theirs, mgr)
    algorithm = mgr.algorithm([ours], glsl(DOUBLE), (1000, 1, 1))
    mgr.sequence().eval(kp.OpAlgoDispatch(algorithm))
    assert torch.equal(torch.from_dlpack(ours), theirs * 2)
    assert np.array_equal(mgr.tensor(theirs).data(), theirs.numpy())


def test_an_export_is_a_copy(mgr):
    ours = mgr.array(np.zeros(4, "float32"))
    copy = torch.from_dlpack(ours)
    copy[0] = 1
    assert ours.numpy().tolist() == [0, 0, 0, 0]


def test_views_with_strides(mgr):
    theirs = torch.arange(24.0).reshape(4, 6).T[::2]
    assert torch.equal(torch.from_dlpack(gw.from_dlpack(theirs, mgr)), theirs)


def test_tensors_that_need_gradients_are_refused(mgr):
    with pytest.raises((BufferError, RuntimeError), match="grad"):
        gw.from_dlpack(torch.ones(2, requires_grad=True), mgr)


# Where there is no such GPU, there is nothing to be refused.
if torch.cuda.is_available():

    def test_tensors_of_a_gpu_are_refused(mgr):
        with pytest.raises((BufferError, RuntimeError, TypeError)):
            gw.from_dlpack(torch.ones(2, device="cuda"), mgr)
