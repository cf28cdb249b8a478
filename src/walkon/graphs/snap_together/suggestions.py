"""Suggested hubs: which poses of a library everything should meet in, found without a designer.

Frames are sorted into families by what the body does, and by labels where the library has them; families never mix, so
no threshold joins sitting with walking. Each family gives one hub or several:

| family | frames | hubs |
|---|---|---|
| walk | over 0.35 m/s, upright | left and right stance, in up to three bands of speed |
| stand | still, upright, both feet down | one |
| sit | still and low, or labelled seated | one |
| carry | labelled carry, over 0.35 m/s | one, with whole strides from it to itself |
| carry_stand | labelled carry, still, upright | one |

A hub is the largest match set of its family (`match_sets.largest`), passing poses preferred. Bands are `BAND` m/s
apart: within one, poses differ by about 2 degrees at the median. The band with the most steps comes first; further
ones are taken where they hold at least `LEAST` match frames of their own.

Metres, seconds. Reference: Gleicher, Shin, Kovar, Jepsen 2003, sections 4.1 and 5.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.graphs.point_clouds import FrameSet
from walkon.graphs.snap_together import match_sets
from walkon.graphs.snap_together.match_sets import MatchSet
from walkon.graphs.snap_together.passing import Posture, postures
from walkon.graphs.snap_together.snap_graph import BOTH, LEFT, RIGHT
from walkon.motion.library import Library

__all__ = ["BAND", "Families", "families", "library_frames", "suggest_hubs"]

BAND = 0.35
"""m/s between the middles of two bands of walking speed."""
WALKING, STILL = 0.35, 0.08
"""m/s above which somebody walks, and below which stands."""
UPRIGHT, LOW = 0.9, 0.75
"""Height of the root over that of the rest pose: above the first people stand, below the second they sit."""
LEAST = 12
"""Match frames that a further band of speed must have."""
FEWEST = 3
"""Match frames that any suggested hub must have."""
RESTING = 1.5
"""s between match frames of somebody who stands or sits: shorter edges would be fidgeting."""
LOOSER = {"stand": 1.0, "sit": 1.0, "carry": 1.4, "carry_stand": 1.0}
"""By what the threshold is multiplied: a box keeps the arms still, so larger distances are in the legs alone."""
OTHER_GAITS = ("jog", "sidestep", "backward", "pivot")
"""Labels of ways to move that are not walking ahead."""


class Families(NamedTuple):
    """Which compared frames [F] belong to which family."""

    walk: BoolArray
    stand: BoolArray
    sit: BoolArray
    carry: BoolArray
    carry_stand: BoolArray


def library_frames(library: Library, frames: FrameSet) -> IntArray:
    """Return [F] the library's frame nearest to each compared frame."""
    clips = frames.clips_of(np.arange(len(frames)))
    nearest = library.starts[clips] + np.rint(frames.times * library.fps).astype(np.int64)
    return np.minimum(nearest, library.stops[clips] - 1)


def families(library: Library, frames: FrameSet, posture: Posture | None = None) -> Families:
    """Sort the compared frames of a library."""
    posture = postures(library) if posture is None else posture
    at = library_frames(library, frames)

    def labelled(*names: str) -> BoolArray:
        columns = [library.label_names.index(name) for name in names if name in library.label_names]
        return np.asarray(library.labels[at][:, columns].any(axis=1))

    speed, height = posture.speed[at], posture.height[at]
    carry, seated = labelled("carry"), labelled("seated")
    upright = (height > UPRIGHT) & ~seated
    still = speed < STILL
    walk = upright & (speed > WALKING) & ~labelled(*OTHER_GAITS)
    stand = upright & still & (posture.stance[at] == BOTH)
    sit = still & (seated | (height < LOW)) & ~carry
    return Families(walk & ~carry, stand & ~carry, sit, walk & carry, stand & carry)


def suggest_hubs(
    library: Library,
    frames: FrameSet,
    *,
    threshold: float,
    spacing: float = 1 / 3,
    bands: int = 3,
) -> dict[str, MatchSet]:
    """Return match sets by the names of their hubs, the main ones first; empty where nothing is alike.

    Sets hold compared frames under `threshold` metres and `spacing` seconds apart; `bands` limits the walking speeds.
    """
    posture = postures(library)
    at = library_frames(library, frames)
    kind = families(library, frames, posture)
    passing, stance, speed = posture.passing[at], posture.stance[at], posture.speed[at]
    found: dict[str, MatchSet] = {}
    for middle in _bands(speed[kind.walk & passing], bands):
        near = kind.walk & (np.abs(speed - middle) <= 0.5 * BAND)
        pair: dict[str, MatchSet | None] = {}
        for side, name in ((LEFT, "left"), (RIGHT, "right")):
            seeds = near & passing & (stance == side)
            one = match_sets.largest(frames, threshold=threshold, spacing=spacing, seeds=seeds, among=near)
            # Steps of other bands that are alike as well lead over from one band to another.
            pair[name] = one and match_sets.grow(
                frames, one.seed, threshold=threshold, spacing=spacing, among=kind.walk
            )
        enough = FEWEST if not found else LEAST
        if all(one is not None and len(one.frames) >= enough for one in pair.values()):
            found |= {f"walk_{name}_{middle:.2f}": one for name, one in pair.items() if one is not None}
    for name, mine, gap in (
        ("stand", kind.stand, RESTING),
        ("sit", kind.sit, RESTING),
        ("carry", kind.carry, 2 * spacing),
        ("carry_stand", kind.carry_stand, RESTING),
    ):
        seeds = mine & passing if name == "carry" else mine
        one = match_sets.largest(frames, threshold=threshold * LOOSER[name], spacing=gap, seeds=seeds, among=mine)
        if one is not None and len(one.frames) >= FEWEST:
            found[name] = one
    return found


def _bands(speeds: Array, count: int) -> list[float]:
    """Return the middles (m/s) of up to `count` bands of walking speed, the fullest first, `BAND` apart or more."""
    middles: list[float] = []
    left = np.array(speeds)
    while len(left) >= FEWEST and len(middles) < count:
        tries = np.unique(np.round(left, 2))
        inside = np.abs(left[:, None] - tries) <= 0.5 * BAND
        free = np.array([all(abs(t - m) >= BAND - 1e-9 for m in middles) for t in tries])
        if not free.any():
            break
        best = int(np.argmax(np.where(free, inside.sum(axis=0), -1)))
        middles.append(float(np.median(left[inside[:, best]])))
        left = left[np.abs(left - middles[-1]) > 0.5 * BAND]
    return middles
