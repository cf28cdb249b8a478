"""How every example scene does on five seeds: `python -m benchmarks.example_scenes [first seed] [scene …]`.

The table that stands beside every change that may change results: marks met, ms of planning per person (mean over
everybody), and what the audit finds. Seeds replace the scene's seed of behaviour; people stay the same.
"""

import sys
from pathlib import Path

import numpy as np

import walkon
from benchmarks.measuring import calibrate
from walkon.crowd import perform_with_report
from walkon.drawing.audit_words import verdict
from walkon.graphs.snap_together import builtin_snap_graph

SCENES = Path(__file__).parent.parent / "examples" / "scenes"
SEEDS = 5


def main() -> None:
    """Print a line for every scene and seed, and one for all."""
    first = int(sys.argv[1]) if len(sys.argv) > 1 else 31_000
    names = sys.argv[2:] or sorted(path.stem for path in SCENES.glob("*.yaml"))
    graph = builtin_snap_graph()
    calibrate()
    met = asked = people = 0
    seconds = 0.0
    for name in names:
        scene = walkon.load_scene(SCENES / f"{name}.yaml")
        marks = sum(len(one.marks) for one in scene.characters)
        for seed in range(first, first + SEEDS):
            made = perform_with_report(scene, graph=graph, seed=seed, workers=1)
            named = {one.name: {mark.name for mark in one.marks} for one in scene.characters}
            missed = sum(mark in named[who] for who, mark, _ in made.unmet)
            met, asked, people = met + marks - missed, asked + marks, people + len(scene.characters)
            seconds += float(made.planning_s.sum())
            words = verdict(made.take.audit(source=False))[1]
            each = 1e3 * float(np.mean(made.planning_s))
            print(f"{name:14s} {seed}  {marks - missed:3d} of {marks:3d}  {each:6.1f} ms  {words}", flush=True)
    print(f"in all: {met} of {asked} marks met, {1e3 * seconds / max(people, 1):.1f} ms per person")


if __name__ == "__main__":
    main()
