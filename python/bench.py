"""What calls of `kp` cost the host: ours, and with `--peer PYTHON` the real package of another environment, in turns.

    python bench.py --peer /path/to/environment/bin/python

Prints the best of several rounds in microseconds, and the quotient. Both run on the same device.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SHADER = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer A { float a[]; };
layout(binding = 1) buffer B { float b[]; };
void main() { uint i = gl_GlobalInvocationID.x; b[i] = 2 * a[i]; }
"""


def best(act, repeats: int) -> float:
    """The shortest time of a call, in microseconds."""
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        act()
        times.append(time.perf_counter() - begun)
    return min(times) * 1e6


def measure(module: bytes) -> dict[str, float]:
    """The costs with whatever `kp` this interpreter has."""
    import kp
    import numpy as np

    upload, download = getattr(kp, "OpSyncDevice", None), getattr(kp, "OpSyncLocal", None)
    upload, download = upload or kp.OpTensorSyncDevice, download or kp.OpTensorSyncLocal
    mgr = kp.Manager(0)
    a, b = mgr.tensor(np.ones(64)), mgr.tensor(np.zeros(64))
    algorithm = mgr.algorithm([a, b], module, (64, 1, 1))
    large = mgr.tensor(np.ones(16 << 20))

    def record_and_eval():
        seq = mgr.sequence()
        seq.record(upload([a])).record(kp.OpAlgoDispatch(algorithm)).record(download([b])).eval()

    replayed = mgr.sequence().record(kp.OpAlgoDispatch(algorithm)).eval()
    up, down = mgr.sequence().record(upload([large])).eval(), mgr.sequence().record(download([large])).eval()
    return {
        "record and eval": best(record_and_eval, 300),
        "replay": best(replayed.eval, 1000),
        "upload of 64 MiB": best(up.eval, 20),
        "download of 64 MiB": best(down.eval, 20),
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--peer", help="an interpreter whose `kp` is the real one")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--measure", help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.measure:
        print(json.dumps(measure(Path(given.measure).read_bytes())))
        return
    import kp

    with tempfile.NamedTemporaryFile(suffix=".spv") as file:
        Path(file.name).write_bytes(kp.compile(SHADER, target="vulkan1.0"))
        sides = {"gridwise": sys.executable} | ({"kp": given.peer} if given.peer else {})
        results: dict[str, list[dict[str, float]]] = {side: [] for side in sides}
        for _ in range(given.rounds):
            for side, python in sides.items():
                command = [python, __file__, "--measure", file.name]
                said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
                results[side].append(json.loads(said.splitlines()[-1]))
    for name in results["gridwise"][0]:
        least = {side: min(round_[name] for round_ in rounds) for side, rounds in results.items()}
        quotient = f"{least['gridwise'] / least['kp']:8.2f}" if given.peer else ""
        print(f"{name:20}", *(f"{side} {value:10.1f} µs" for side, value in least.items()), quotient)


if __name__ == "__main__":
    main()
