"""Algorithms of `gpu_work` that PyTorch has and the libraries of `algorithms.cu` have not, on the same numbers: a line for each with the
median time on the device in µs, and one with a weighted sum of the result."""

import numpy
import torch

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
torch.backends.cudnn.benchmark = True


def floats(first, count):
    """So many of the random numbers from 0 to 1 that `gpu_work` takes, from one on."""
    with numpy.errstate(over="ignore"):
        z = (numpy.arange(first + 2, first + 2 + count, dtype=numpy.uint64)) * numpy.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    words = (z ^ (z >> numpy.uint64(31))).astype(numpy.uint32)
    return (words >> numpy.uint32(8)).astype(numpy.float32) / numpy.float32(16777216.0)


def measure(name, times, run):
    samples = []
    for turn in range(14):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(times):
            result = run()
        stop.record()
        stop.synchronize()
        if turn >= 3:
            samples.append(start.elapsed_time(stop) * 1000 / times)
    samples.sort()
    print(f"{name:48} {samples[len(samples) // 2]:12.2f} µs")
    values = result.cpu().numpy().astype(numpy.float64).ravel()
    weights = 1.0 + numpy.arange(values.size) % 1009
    print(f"{name:48} {numpy.dot(values, weights):.15e} sum", flush=True)


def main():
    print(torch.__version__, torch.cuda.get_device_name())
    for exponent, count in ((22, 100), (26, 100), (26, 10000)):
        x = torch.from_numpy(floats(0, 1 << exponent)).cuda()
        measure(f"top {count} of 2^{exponent}", 5, lambda: torch.topk(x, count).values)
    count, channels, filters, side = 32, 64, 64, 56
    length = count * channels * side * side
    x = torch.from_numpy(floats(0, length) - numpy.float32(0.5)).cuda().view(count, channels, side, side)
    weights = torch.from_numpy(floats(length, filters * channels * 9) - numpy.float32(0.5)).cuda()
    weights = weights.view(filters, channels, 3, 3)
    name = f"convolution {count}×{channels}×{side}×{side}, {filters} of 3×3"
    measure(name, 3, lambda: torch.nn.functional.conv2d(x, weights, padding=1))


with torch.no_grad():
    main()
