"""Crowds that hit their marks (Sung 2005): planning time per character, 10,000 people, memory, workers, compiling.

    python -m benchmarks.sung2005 [NAMES…] [--seeds N] [--search paper]

NAMES are experiments (1 2 3 4 5 6a 6b rooms) and `large` (10,000 people); all of them unless given. Times are of one
worker after a warm-up, over five seeds, everybody counted, those too who do not meet their marks. Roadmap and writing
are apart. `--search paper` runs Table 1's experiments with the paper's own search beside ours. Asked for are one
seventh of Table 1's average in 1, 2, 4 and 5, one twentieth in 6a and 6b, under 10 ms in 3; at 10,000 people at most
1.5 times the time per character at 500, under 2 GB, and two workers at least 1.4 times one over five alternating runs.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

from benchmarks.measuring import calibrate

SHARES = {"1": 7, "2": 7, "3": 1, "4": 7, "5": 7, "6a": 20, "6b": 20}
"""Asked for: so many times as fast as Table 1."""
RUNS = 5


def experiment(name: str, *, seeds: int, search: str) -> dict[str, float]:
    """Plan an experiment over some seeds and print its line."""
    from walkon.graphs.snap_together import builtin_snap_graph
    from walkon.reproduce.sung2005.experiments import SCENES
    from walkon.reproduce.sung2005.performing import ensure_compiled, perform_scene, row_of

    ensure_compiled()
    build = SCENES[name][1]
    graph = builtin_snap_graph()
    runs = [
        perform_scene(build(seed=seed), seed=seed, graph=graph, search=search, audit=False) for seed in range(seeds)
    ]
    row = row_of(name, runs, what="", published=name)
    found, published = row.values, row.theirs("mean_synthesis_s")
    asked = f"{1e3 * published / SHARES[name]:.1f}" if published else "-"
    paper = f"{1e3 * published:.0f}" if published else "-"
    ms = [1e3 * found[f"{which}_synthesis_s"] for which in ("mean", "median", "worst")]
    print(
        f"{name:>6} {search:>8} {found['agents']:6} {ms[0]:8.2f} {ms[1]:8.2f} {ms[2]:8.1f} {asked:>7} {paper:>7} "
        f"{found['total_s']:8.3f} {found['roadmap_s']:8.3f} {found['writing_s']:8.2f} {found['success_share']:8.2%} "
        f"{found['replanned_share']:9.2%} {found.get('mean_duration_s', 0.0):7.1f} "
        f"{sum(run.tried for run in runs) / len(runs):9.0f}",
        flush=True,
    )
    for note in row.notes:
        print(f"         {note}")
    return {"mean_ms": ms[0], "success": found["success_share"]}


def grid(count: int, workers: int, seed: int) -> dict[str, float]:
    """Perform a grid once and say what it took; run in a process of its own, for its memory."""
    from walkon.crowd import perform_with_report
    from walkon.graphs.snap_together import builtin_snap_graph
    from walkon.reproduce.sung2005.open_floor import experiment_6
    from walkon.reproduce.sung2005.performing import ensure_compiled

    ensure_compiled()
    graph, scene = builtin_snap_graph(), experiment_6(count, seed=seed)
    begun = time.perf_counter()
    made = perform_with_report(scene, graph=graph, seed=seed, workers=workers)
    elapsed = time.perf_counter() - begun
    return {
        "ms": 1e3 * float(made.planning_s.mean()),
        "planning_s": elapsed - made.writing_s,
        "writing_s": made.writing_s,
        "unmet": len(made.unmet),
        "replanned": made.replanned / count,
        "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
    }


def elsewhere(count: int, workers: int, seed: int = 0) -> dict[str, float]:
    """Run `grid` in a fresh process."""
    call = f"import json; from benchmarks.sung2005 import grid; print(json.dumps(grid({count}, {workers}, {seed})))"
    done = subprocess.run([sys.executable, "-c", call], check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def large() -> None:
    """Compare 10,000 people with 500, and two workers with one."""
    small = float(np.median([elsewhere(500, 1, seed)["ms"] for seed in range(3)]))
    print(f"\n500 people: {small:.2f} ms per character (median of three seeds), one worker")
    times: dict[int, list[float]] = {1: [], 2: []}
    for run in range(RUNS):
        for workers, taken in times.items():
            found = elsewhere(10_000, workers)
            taken.append(found["planning_s"])
            print(
                f"10,000 people, {workers} worker{'s' if workers > 1 else ' '}, run {run + 1}: planned in "
                f"{found['planning_s']:6.1f} s, {found['ms']:5.2f} ms per character ({found['ms'] / small:.2f} times "
                f"that at 500, asked 1.5), writing {found['writing_s']:.1f} s, {found['unmet']:.0f} not met, "
                f"{found['replanned']:.2%} replanned, peak {found['peak_gb']:.2f} GB (asked 2)",
                flush=True,
            )
    gain = np.array(times[1]) / np.array(times[2])
    print(f"two workers: {np.median(gain):.2f} times one ({gain.min():.2f} to {gain.max():.2f}; asked 1.4)")


def compiling() -> None:
    """Print how long all kernels take to compile in an empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        begun = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "walkon", "warm-up"],
            check=True,
            capture_output=True,
            env=os.environ | {"WALKON_CACHE": cache},
        )
        seconds = time.perf_counter() - begun
        print(f"compiling all kernels in an empty cache: {seconds:.1f} s (asked 45), not in what follows")


def main() -> None:
    parser = argparse.ArgumentParser(description="Planning times of the experiments of Sung 2005.")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--search", choices=("default", "paper"), default="default")
    options = parser.parse_args() if __name__ == "__main__" else parser.parse_args([])
    names = options.names or [*SHARES, "rooms", "large"]
    calibrate()
    compiling()
    wanted = [name for name in names if name != "large"]
    if wanted:
        print(
            f"{'':>6} {'search':>8} {'people':>6} {'mean ms':>8} {'median':>8} {'worst':>8} {'asked':>7} {'paper':>7} "
            f"{'total s':>8} {'roadmap':>8} {'writing':>8} {'met':>8} {'replanned':>9} {'length':>7} {'tried':>9}"
        )
    for name in wanted:
        experiment(name, seeds=options.seeds, search="default")
        if options.search == "paper" and name in SHARES:
            experiment(name, seeds=options.seeds, search="paper")
    if "large" in names:
        large()


if __name__ == "__main__":
    main()
