"""The table of the examples: 569 tumours by 30 measurements, and whether each is malignant."""

from __future__ import annotations

from pathlib import Path

import numpy as np

FILE = Path(__file__).parents[2] / "examples/data/breast_cancer.csv"


def load() -> tuple[np.ndarray, np.ndarray]:
    """The measurements, each with mean 0 and deviation 1, and the labels: 1 for malignant."""
    rows = np.loadtxt(FILE, delimiter=",", skiprows=1, dtype="float32")
    values, benign = rows[:, :-1], rows[:, -1]
    return ((values - values.mean(0)) / values.std(0)).astype("float32"), 1 - benign


def loss(table: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> float:
    """The mean cross entropy of a model, whose last weight is the bias."""
    sums = table @ weights[:-1] + weights[-1]
    return float(np.mean(np.logaddexp(0, sums) - labels * sums))


def draw(losses: list[float], path: str) -> None:
    """The losses as a curve."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    axes.plot(np.arange(len(losses)) * 10, losses)
    axes.set(xlabel="step", ylabel="mean cross entropy", title="Logistic regression of 569 tumours", ylim=(0, None))
    figure.savefig(path)
