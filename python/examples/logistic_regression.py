"""Logistic regression with `kp` and a shader in GLSL: two dispatches, recorded once and evaluated 300 times.

Needs Vulkan and glslangValidator. Draws the loss, which falls from 0.69 to below 0.1.
"""

import argparse

import kp
import numpy as np
import table as data

# Gradients of all rows, then a step for each weight.
GRADIENT = """#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint columns = 1;
layout(binding = 0) buffer Table { float table[]; };
layout(binding = 1) buffer Labels { float labels[]; };
layout(binding = 2) buffer Weights { float weights[]; };
layout(binding = 3) buffer Parts { float parts[]; };
void main() {
    uint row = gl_GlobalInvocationID.x;
    if (row >= labels.length()) return;
    float sum = weights[columns];
    for (uint c = 0; c < columns; ++c) sum += table[row * columns + c] * weights[c];
    float off = 1 / (1 + exp(-sum)) - labels[row];
    for (uint c = 0; c < columns; ++c) parts[row * (columns + 1) + c] = off * table[row * columns + c];
    parts[row * (columns + 1) + columns] = off;
}
"""
DESCEND = """#version 450
layout(local_size_x = 1) in;
layout(push_constant) uniform Push { float rate; } push;
layout(binding = 0) buffer Weights { float weights[]; };
layout(binding = 1) buffer Parts { float parts[]; };
void main() {
    uint weight = gl_GlobalInvocationID.x, count = weights.length(), rows = parts.length() / count;
    float sum = 0;
    for (uint row = 0; row < rows; ++row) sum += parts[row * count + weight];
    weights[weight] -= push.rate * sum / rows;
}
"""

arguments = argparse.ArgumentParser(description=__doc__)
arguments.add_argument("--output", default="loss.svg")
output = arguments.parse_args().output

values, labels = data.load()
rows, columns = values.shape
mgr = kp.Manager()
print("device:", mgr.device)
table, truth = mgr.tensor(values), mgr.tensor(labels)
weights, parts = mgr.tensor(np.zeros(columns + 1)), mgr.tensor(np.zeros(rows * (columns + 1)))
gradient = mgr.algorithm([table, truth, weights, parts], kp.compile(GRADIENT), ((rows + 63) // 64,), [columns])
descend = mgr.algorithm([weights, parts], kp.compile(DESCEND), (columns + 1,), push_consts=[0.5])

mgr.sequence().eval(kp.OpSyncDevice([table, truth, weights]))
step = mgr.sequence().record(kp.OpAlgoDispatch(gradient)).record(kp.OpAlgoDispatch(descend)).record(kp.OpSyncLocal([weights]))
losses = [data.loss(values, labels, weights.data())]
for _ in range(30):
    for _ in range(10):
        step.eval()
    losses.append(data.loss(values, labels, weights.data()))

right = np.mean((values @ weights.data()[:-1] + weights.data()[-1] > 0) == labels)
data.draw(losses, output)
print(f"loss {losses[0]:.3f} to {losses[-1]:.3f}, {right:.1%} of the table told right, drawn in {output}")
assert abs(losses[0] - 0.693) < 1e-3 and losses[-1] < 0.08 and right > 0.97
