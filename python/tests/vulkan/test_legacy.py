"""Programs for Kompute 0.4 to 0.6."""

import kp.legacy as kp
import numpy as np
import pytest

SQUARE = """
layout(local_size_x = 1) in;
layout(binding = 0) buffer A { float a[]; };
layout(binding = 1) buffer B { float b[]; };
void main() { uint i = gl_GlobalInvocationID.x; b[i] = a[i] * a[i]; }
"""


class Shader:
    """What pyshader's decorator leaves."""

    def __init__(self, words):
        self.words = words

    def to_spirv(self):
        return self.words


def test_tensors_are_lists():
    tensor = kp.Tensor([1, 2, 3])
    assert not tensor.is_init() and tensor.data() == [1, 2, 3] and tensor.size() == len(tensor) == 3
    tensor[1] = 5
    tensor.set_data([value + 1 for value in tensor])
    assert list(reversed(tensor)) == [4, 6, 2] and 6 in tensor and 7 not in tensor and tensor[0] == 2
    with pytest.raises(kp.Error):
        tensor.set_data([1])


def test_evaluations_at_once(glsl):
    mgr = kp.Manager(0)
    a, b = kp.Tensor([2, 3]), kp.Tensor([0, 0])
    mgr.eval_tensor_create_def([a, b])
    assert a.is_init()
    mgr.eval_algo_data_def([a, b], list(glsl(SQUARE)))
    mgr.eval_tensor_sync_local_def([b])
    assert b.data() == [4, 9]
    a[0] = 10
    mgr.eval_tensor_sync_device_def([a])
    mgr.eval_async_algo_str_def([a, b], Shader(glsl(SQUARE)))
    mgr.eval_await_def()
    mgr.eval_tensor_sync_local_def([b])
    assert b.data() == [100, 9]
    with pytest.raises(AttributeError):
        mgr.eval_nothing_def([a])


def test_named_sequences(glsl):
    mgr = kp.Manager()
    a, b, c = mgr.build_tensor([2, 3]), mgr.build_tensor([4, 5]), mgr.build_tensor([0, 0])
    seq = mgr.create_sequence("name")
    assert mgr.get_create_sequence("name") is seq
    assert seq.begin() and seq.is_rec() and not seq.begin() and not seq.eval()
    assert seq.record_tensor_sync_device([a, b]) and seq.record_algo_mult([a, b, c])
    assert seq.record_algo_data([a, b], glsl(SQUARE)) and seq.record_tensor_sync_local([b])
    assert seq.end() and not seq.end() and seq.eval()
    assert c.data() == [8, 15] and b.data() == [4, 9]
    a.numpy()[:] = 1
    assert seq.eval_async() and seq.eval_await() and not seq.is_running()
    assert np.array_equal(b.numpy(), [1, 1])
    mgr.eval_tensor_copy([a, c], "another")
    mgr.eval_tensor_sync_local([c], "another")
    assert c.data() == [1, 1]
    with pytest.raises(kp.Error, match="name"):
        mgr.create_sequence("name")


def test_files(glsl, tmp_path):
    (tmp_path / "square.spv").write_bytes(glsl(SQUARE))
    mgr = kp.Manager()
    a, b = mgr.build_tensor([2, 3]), mgr.build_tensor([0, 0])
    mgr.eval_algo_file_def([a, b], str(tmp_path / "square.spv"))
    mgr.eval_tensor_sync_local_def([b])
    assert b.data() == [4, 9]
