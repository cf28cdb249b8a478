"""What all benchmarks share: the best of some runs, a calibration of the machine, and where the real clips are."""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

__all__ = ["RUNS", "best", "calibrate", "clips_folder"]

RUNS = 5


def best(work: Callable[[], object], runs: int = RUNS) -> float:
    """Return the shortest of some runs in seconds; results are dropped before the next run starts."""
    times = []
    for _ in range(runs):
        begun = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - begun)
        del result
    return min(times)


def clips_folder() -> Path:
    """Return the folder of the CMU clips (the one with manifest.csv), or stop with a sentence."""
    given = os.environ.get("WALKON_MOCAP")
    folder = Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "mocap"
    if not (folder / "manifest.csv").is_file():
        sys.exit(f"this needs the CMU clips, and {folder} has none: set WALKON_MOCAP to their folder")
    return folder


def calibrate() -> None:
    """Print what this machine does at this moment: figures of the same run can be read against it."""
    import numba

    n = 1500
    a = np.random.default_rng(0).normal(size=(n, n))
    product = best(lambda: a @ a)

    @numba.njit("float64(int64)")
    def loop(count):  # type: ignore[no-untyped-def]
        x = 1.0
        for i in range(count):  # each step waits for the one before: nothing to unroll or to skip
            x = 1.0 / (x + 1e-9 * i)
        return x

    steps = 20_000_000
    chain = best(lambda: loop(steps))
    print(f"calibration: {n}^3 matrix product {2 * n**3 / product / 1e9:.1f} GFLOP/s, ", end="")
    print(f"compiled loop {chain / steps * 1e9:.2f} ns per step, {os.cpu_count()} processors")
