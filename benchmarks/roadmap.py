"""Roadmaps: building them, and finding many ways at once, over stages of 0 to 500 obstacles; and their picture.

    python -m benchmarks.roadmap            # times, one thread, best of five
    python -m benchmarks.roadmap picture    # docs/pictures/roadmap.png

Asked for are under 0.5 s to build the roadmap of 50 obstacles, under 1 ms for a way among them, and under 0.1 ms for
one with nothing in between.
"""

import os
import sys
from pathlib import Path

import numpy as np

from benchmarks.measuring import best, calibrate

RADIUS = 0.245
"""m of a body on its way."""

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "roadmap.png"
STAGES = ((0, 20.0), (5, 12.0), (50, 30.0), (50, 20.0), (500, 100.0))
"""Obstacles, and the side of the room in m."""
PAIRS = 2000


def furnished(count: int, size: float, *, seed: int):
    """Return a square room with boxes and round columns at random, as many of each."""
    from walkon.stage import Obstacle, Stage

    rng = np.random.default_rng(seed)
    things = []
    for k in range(count):
        place = rng.uniform(1.5, size - 1.5, 2)
        if k % 2:
            angle = 2 * np.pi * np.arange(32) / 32
            shape = rng.uniform(0.2, 0.8) * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        else:
            width, depth = 0.5 * rng.uniform(0.3, 2.0, 2)
            c, s = np.cos(turn := rng.uniform(0, np.pi)), np.sin(turn)
            shape = np.array([[-width, -depth], [width, -depth], [width, depth], [-width, depth]]) @ [[c, s], [-s, c]]
        things.append(Obstacle(polygon=place + shape, height=2.0))
    return Stage(bounds=[[0, 0], [size, 0], [size, size], [0, size]], obstacles=tuple(things))


def main() -> None:
    os.environ["WALKON_THREADS"] = "1"
    from walkon.navigation.roadmap import Roadmap

    calibrate()
    print(f"{'obstacles':>9} {'side m':>7} {'nodes':>6} {'edges':>7} {'build ms':>9} {'a way ms':>9} {'found':>11}")
    for count, size in STAGES:
        stage = furnished(count, size, seed=1)
        roadmap = Roadmap.of(stage, radius=RADIUS)
        building = best(lambda stage=stage: Roadmap.of(stage, radius=RADIUS))
        starts, goals = np.random.default_rng(2).uniform(0.5, size - 0.5, (2, PAIRS, 2))
        ways = roadmap.paths(starts, goals)
        finding = best(lambda r=roadmap, a=starts, b=goals: r.paths(a, b)) / PAIRS
        nodes, edges = len(roadmap.graph.nodes), len(roadmap.graph.ends) // 2
        found = f"{int(ways.found.sum())}/{PAIRS}"
        print(f"{count:9} {size:7g} {nodes:6} {edges:7} {1e3 * building:9.1f} {1e3 * finding:9.4f} {found:>11}")


def picture() -> None:
    """Draw the paper's roadmap and ours over three rooms, and the same six ways over each."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.collections import LineCollection

    from walkon.navigation.roadmap import Roadmap
    from walkon.stage import Obstacle, Stage

    def box(x: float, y: float, width: float, depth: float):
        return Obstacle(polygon=[[x, y], [x + width, y], [x + width, y + depth], [x, y + depth]], height=2.0)

    angle = 2 * np.pi * np.arange(24) / 24
    column = Obstacle(polygon=np.stack([9.5 + 0.6 * np.cos(angle), 5.7 + 0.6 * np.sin(angle)], axis=1), height=3.0)
    walls = [box(4, 0, 0.2, 3), box(4, 4, 0.2, 4), box(4.2, 4, 4, 0.2), box(9.2, 4, 2.8, 0.2)]
    tables = [box(1, 5, 1.6, 0.9), box(1.2, 1.5, 1.0, 1.8), box(6, 1.2, 2.2, 0.8), box(10, 1.5, 0.8, 1.6)]
    stage = Stage(bounds=[[0, 0], [12, 0], [12, 8], [0, 8]], obstacles=(*walls, *tables, column))
    starts = np.array([[0.6, 7.4], [0.6, 0.6], [2.6, 4.2], [11.4, 0.6], [1.9, 3.6], [5.0, 0.6]])
    goals = np.array([[11.4, 7.4], [7.1, 2.6], [5.0, 7.3], [0.5, 4.0], [11.4, 2.2], [11.0, 5.0]])
    figure, (left, right) = plt.subplots(1, 2, figsize=(12.5, 4.5), layout="constrained")
    titles = ("random samples only", "corners of free space as well")
    for axes, corners, title in zip((left, right), (False, True), titles, strict=True):
        roadmap = Roadmap.of(stage, corners=corners, samples=90 if not corners else None, radius=RADIUS)
        graph = roadmap.graph
        for thing in stage.obstacles:
            axes.fill(*thing.polygon.T, color="#8a8f98", lw=0)
        edges = np.stack([np.repeat(graph.nodes, np.diff(graph.starts), axis=0), graph.nodes[graph.ends]], axis=1)
        axes.add_collection(LineCollection(edges, colors="#5b8def", linewidths=0.3, alpha=0.5, zorder=1))
        axes.plot(*graph.nodes[~graph.corners].T, "o", color="#5b8def", ms=2.5)
        axes.plot(*graph.nodes[graph.corners].T, "s", color="#b03a8c", ms=2.5)
        ways = roadmap.paths(starts, goals)
        for way in ways:
            if way is not None:
                axes.plot(*way.T, "-", color="#d9622b", lw=1.8)
                axes.plot(*way[[0, -1]].T, "o", color="#d9622b", ms=5)
        total = ways.lengths[ways.found].sum()
        axes.set_title(
            f"{title}: {len(graph.nodes)} nodes, {int(ways.found.sum())} of 6 ways, {total:.1f} m", fontsize=10
        )
        axes.set(xlim=(-0.1, 12.1), ylim=(-0.1, 8.1), aspect="equal", xticks=[], yticks=[])
    figure.savefig(PICTURE, dpi=90)
    print(PICTURE)


if __name__ == "__main__":
    picture() if sys.argv[1:] == ["picture"] else main()
