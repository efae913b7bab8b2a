"""Workloads of `gpu_work` by PyTorch, which calls cuBLAS and cuFFT: a line for each with the median time on the device in µs."""

import torch

torch.backends.cuda.matmul.allow_tf32 = False
torch.manual_seed(1)


def measure(name, times, run):
    samples = []
    for turn in range(14):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(times):
            run()
        stop.record()
        stop.synchronize()
        if turn >= 3:
            samples.append(start.elapsed_time(stop) * 1000 / times)
    samples.sort()
    print(f"{name:36} {samples[len(samples) // 2]:10.2f} µs")


def main():
    print(torch.__version__, torch.cuda.get_device_name())
    for side in (1000, 4096, 4097, 8192):
        a, b = (torch.rand(side, side, device="cuda") for _ in range(2))
        c = torch.empty(side, side, device="cuda")
        measure(f"sgemm {side}", 3, lambda: torch.mm(a, b, out=c))
    for name, ty in (("f16", torch.float16), ("bf16", torch.bfloat16)):
        for side in (4096, 8192):
            a, b = (torch.rand(side, side, device="cuda").to(ty) for _ in range(2))
            c = torch.empty(side, side, device="cuda", dtype=ty)
            measure(f"hgemm {name} {side}", 5, lambda: torch.mm(a, b, out=c))
    x = torch.rand(16384, 16384, device="cuda")
    measure("transpose 16384×16384", 5, lambda: x.t().contiguous())
    x = torch.rand(8192, 8192, device="cuda")
    measure("softmax 8192×8192", 5, lambda: torch.softmax(x, 1))
    x = torch.randn(256, 1 << 20, 2, device="cuda").view(256, 1 << 20, 2)
    x = torch.view_as_complex(x)
    measure("fft 2^20 × 256", 5, lambda: torch.fft.fft(x))


main()
