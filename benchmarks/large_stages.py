"""How long a short walk takes on a large stage: `python -m benchmarks.large_stages [seed]`.

One person walks 1.1 m on a square of 200 m with more and more obstacles; a second one crosses the whole square. Stages
are drawn anew for every seed; nobody is left out. Each line is a process of its own kind: the free space of a stage is
made within it.
"""

import sys
import time

import numpy as np

from benchmarks.measuring import calibrate
from walkon.crowd import perform_with_report
from walkon.graphs.snap_together import builtin_snap_graph
from walkon.script import Mark, Scene
from walkon.script.scene import Character
from walkon.stage import Obstacle, Stage

SIDE_M = 200.0
COUNTS = (0, 100, 1000, 5000)
WALKS = ((1.1, "1.1 m"), (150.0, "across"))


def draw_stage(count: int, rng: np.random.Generator) -> Stage:
    """Return a square with boxes of 0.4 to 2 m, turned any way, that leave the middle and the corners free."""
    obstacles: list[Obstacle] = []
    while len(obstacles) < count:
        middle, half, angle = rng.uniform(2.0, SIDE_M - 2.0, 2), rng.uniform(0.2, 1.0, 2), rng.uniform(0.0, np.pi)
        if np.abs(middle - 0.5 * SIDE_M).max() < 3.0 or np.abs(middle - (25.0, 100.0)).max() < 3.0:
            continue
        if np.abs(middle - (175.0, 100.0)).max() < 3.0:
            continue
        c, s = np.cos(angle), np.sin(angle)
        corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * half @ np.array([[c, s], [-s, c]]) + middle
        obstacles.append(Obstacle(polygon=corners))
    return Stage(bounds=[(0, 0), (SIDE_M, 0), (SIDE_M, SIDE_M), (0, SIDE_M)], obstacles=obstacles)


def main() -> None:
    """Print a line for every number of obstacles and every walk."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 20261116
    graph = builtin_snap_graph()
    calibrate()
    print(f"a square of {SIDE_M:g} m, seed {seed}: s of perform, of that free space and ways; marks met")
    start = Character(name="warm up", place=(1.0, 1.0, 0.0), marks=(Mark(position=(3.0, 1.0)),))
    perform_with_report(Scene(characters=(start,), stage=Stage()), graph=graph)
    for count in COUNTS:
        for length, name in WALKS:
            stage = draw_stage(count, np.random.default_rng([seed, count]))
            x = 100.0 if length < 2 else 25.0
            one = Character(name="one", place=(x, 100.0, 0.0), marks=(Mark(position=(x + length, 100.0)),))
            begun = time.perf_counter()
            made = perform_with_report(Scene(characters=(one,), stage=stage), graph=graph)
            spent = time.perf_counter() - begun
            print(
                f"{count:5d} obstacles, {name:7s} {spent:7.2f} s, free space and ways {made.roadmap_s:6.2f} s, "
                f"{1 - len(made.unmet)} of 1"
            )


if __name__ == "__main__":
    main()
