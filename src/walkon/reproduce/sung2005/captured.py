"""The paper's scenes on captured motion: CMU subject 143, everyday clips of one person and their mirror images.

What the clips allow: a stroll at 0.65 m/s between two hubs, some 10 edges each way, nearly all straight on or an
about-face; two short ways into standing and two out of it, one long rest, sitting down and rising. So the scenes are
asked for with twice the time. Nobody of 143 lifts or carries in an edge: the clips with a box and a basket (143_11,
143_13) neither begin nor end like the others, so experiments 3 and 5 are not run, and 6b would be 6a again. His clips
have no label for standing, so that marks are asked for without that pose; people stand all the same. Metres, seconds.
"""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from walkon.capture.recordings import find_recordings
from walkon.graphs.snap_together import SnapGraph, build_connected_graph
from walkon.reproduce.recordings import MotionSource
from walkon.script import Mark, Scene

__all__ = ["ALLOWED", "SUBJECT", "captured_graph", "slowed"]

SUBJECT = "143"
ALLOWED = ("1", "2", "4", "6a")
"""Experiments for which the graph has motion."""
SLOWER = 2.0
"""Times as long."""
SPEED = 0.62
"""m/s that he walks."""


def captured_graph(motion: MotionSource) -> SnapGraph | None:
    """Return the graph of subject 143 with mirror images; None where the recordings are not here."""
    return None if motion.folder is None else _graph(motion.folder)


@lru_cache(maxsize=1)
def _graph(folder: Path) -> SnapGraph:
    names = [entry.name for entry in find_recordings(folder) if entry.name.split("_")[0] == SUBJECT]
    return build_connected_graph(MotionSource(folder=folder).clips(names))


def slowed(scene: Scene) -> Scene:
    """Return a scene for people who stroll: all windows later and longer."""

    def later(mark: Mark) -> Mark:
        window = None if mark.window is None else (SLOWER * mark.window[0], SLOWER * mark.window[1])
        return replace(mark, window=window, pose=None if mark.pose == "stand" else mark.pose)

    people = [replace(one, speed=SPEED, marks=tuple(later(mark) for mark in one.marks)) for one in scene.characters]
    return replace(scene, characters=tuple(people))
