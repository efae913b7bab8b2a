"""Steps of training in PyTorch, as `gradients` trains: a perceptron of two layers. A line for each size, with the time of a step in µs.

The first name is eager autograd; the second is the same step captured as a graph of CUDA, if that is asked for by `--graph`.
"""

import sys
import time

import torch

HIDDEN, COLUMNS, STEPS, RATE = 6, 31, 100, 0.5


def measure(samples, captured):
    torch.manual_seed(1)
    table = torch.rand(samples, COLUMNS, device="cuda") * 2 - 1
    table[:, -1] = 1
    label = (table[:, 0] * table[:, 1] > 0).float()
    first = (torch.rand(HIDDEN, COLUMNS, device="cuda") - 0.5).requires_grad_()
    second = (torch.rand(HIDDEN + 1, device="cuda") - 0.5).requires_grad_()
    optimizer = torch.optim.SGD([first, second], lr=RATE)

    def step():
        optimizer.zero_grad(set_to_none=not captured)
        score = torch.tanh(table @ first.t()) @ second[:HIDDEN] + second[HIDDEN]
        loss = torch.nn.functional.binary_cross_entropy_with_logits(score, label)
        loss.backward()
        optimizer.step()
        return loss

    run = step
    if captured:
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(5):
                step()
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        run = graph.replay
    taken = []
    for turn in range(14):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(STEPS):
            run()
        torch.cuda.synchronize()
        if turn >= 3:
            taken.append((time.perf_counter() - start) * 1e6 / STEPS)
    taken.sort()
    print(f"{f'training {samples} samples':36} {taken[len(taken) // 2]:10.2f} µs")


def main():
    print(torch.__version__, torch.cuda.get_device_name())
    for samples in (569, 8192, 65536):
        measure(samples, "--graph" in sys.argv)


main()
