"""The same regression by kernels in Rust, which the package of `python/template` brings. It runs without Vulkan, too."""

import argparse

import my_kernels
import numpy as np
import table as data

arguments = argparse.ArgumentParser(description=__doc__)
arguments.add_argument("--output", default="loss.svg")
output = arguments.parse_args().output

values, labels = data.load()
rows, columns = values.shape
with my_kernels.Manager() as mgr:
    print("device:", mgr.device)
    table, truth = mgr.array(values.ravel()), mgr.array(labels)
    weights, parts = mgr.zeros(columns + 1), mgr.zeros(rows * (columns + 1))
    step = mgr.sequence()
    my_kernels.gradient(rows, columns, table, truth, weights, parts, seq=step)
    my_kernels.descend(columns + 1, rows, 0.5, parts, weights, seq=step)
    losses = [data.loss(values, labels, weights.numpy())]
    for _ in range(30):
        for _ in range(10):
            step.eval()
        losses.append(data.loss(values, labels, weights.numpy()))
    trained = weights.numpy()

right = np.mean((values @ trained[:-1] + trained[-1] > 0) == labels)
data.draw(losses, output)
print(f"loss {losses[0]:.3f} to {losses[-1]:.3f}, {right:.1%} of the table told right, drawn in {output}")
assert abs(losses[0] - 0.693) < 1e-3 and losses[-1] < 0.08 and right > 0.97
