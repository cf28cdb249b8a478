"""Plants: one place in the world for every contact of a foot.

A foot is rigid from heel to ball. Contacts of its heel and its ball that overlap, or follow each other closely, belong
to one stance and form a chain: the longest ball contact of the chain stays where it was captured (in the middle of its
run, because feet roll on and off at its ends), and each neighbour is placed at the foot's own length from it, in the
direction in which it was captured, at the height of its support.
"""

import numpy as np

from walkon._base.arrays import Array, BoolArray
from walkon.motion.clip import Clip
from walkon.motion.runs import Runs, find_runs

__all__ = ["place_plants"]

JOINED = 0.1
"""s; contacts of heel and ball that are no farther apart than this belong to one stance of one rigid foot."""


def place_plants(
    clip: Clip, side: str, ball_above_sole: Array, *, pinned: BoolArray | None = None
) -> tuple[Array, Array]:
    """Return where heel and sole (below the ball) of a foot are held, [T, 3] each; outside contacts it means nothing.

    `ball_above_sole` [T, 3] m is sole → ball joint in the world, as the toes will lie. A contact that has a `pinned`
    frame [T] is held where that frame has it; one with several goes over evenly from one place to the next.
    """
    skeleton = clip.skeleton
    heel_column, ball_column = skeleton.contact(f"{side}_heel"), skeleton.contact(f"{side}_ball")
    length = float(
        np.linalg.norm(skeleton.offsets[skeleton.role(f"{side}_ball")] - skeleton.contact_offsets[heel_column])
    )
    points, contacts, columns = clip.contact_positions, clip.contacts, (heel_column, ball_column)
    runs = {c: find_runs(contacts[:, c]) for c in columns}
    held_at = np.zeros(0, np.int64) if pinned is None else np.flatnonzero(pinned)
    frames_of = {
        (c, r): held_at[np.searchsorted(held_at, runs[c].starts[r]) : np.searchsorted(held_at, runs[c].stops[r])]
        for c in columns
        for r in range(len(runs[c].starts))
    }
    places: dict[tuple[int, int], Array] = {
        (c, r): points[frames[0], c] for (c, r), frames in frames_of.items() if len(frames)
    }
    given = set(places)
    todo = sorted(
        ((c, r) for c in columns for r in range(len(runs[c].starts))),
        key=lambda item: (item not in given, item[0] != ball_column, -int(runs[item[0]].lengths[item[1]])),
    )
    for first in todo:
        if first in places and first not in given:
            continue
        if first not in places:
            places[first] = _middle(clip, first[0], runs[first[0]], first[1])
        chain = [first]
        while chain:
            column, run = chain.pop(0)
            other = heel_column if column == ball_column else ball_column
            for near in _joined(runs[column], run, runs[other], round(JOINED * clip.fps)):
                if (other, near) in places:
                    continue
                start = max(runs[column].starts[run], runs[other].starts[near])
                stop = min(runs[column].stops[run], runs[other].stops[near])
                start, stop = min(start, stop - 1), max(stop, start + 1)
                lift = ball_above_sole[(start + stop) // 2]
                here = lift if column == ball_column else np.zeros(3)
                there = lift if other == ball_column else np.zeros(3)
                place = _at_foot_length(
                    places[column, run] + here,
                    (points[start:stop, other] + there - points[start:stop, column] - here).mean(axis=0),
                    length=length,
                    height=clip.contact_heights[runs[other].starts[near], other] + there[2],
                )
                places[other, near] = place - there
                chain.append((other, near))
    held = np.zeros((2, len(clip), 3))
    for k, column in enumerate(columns):
        for run, (start, stop) in enumerate(zip(*runs[column], strict=True)):
            fixed = frames_of[column, run]
            held[k, start:stop] = places[column, run]
            if len(fixed) > 1:
                for axis in range(3):
                    held[k, start:stop, axis] = np.interp(np.arange(start, stop), fixed, points[fixed, column, axis])
    return held[0], held[1]


def _middle(clip: Clip, column: int, runs: Runs, run: int) -> Array:
    """Return where a point is in the middle three fifths of a run, at the height of its support."""
    start, stop = int(runs.starts[run]), int(runs.stops[run])
    margin = (stop - start) // 5
    # The mean, because the median of coordinates would depend on how the world is turned.
    place = clip.contact_positions[start + margin : stop - margin, column].mean(axis=0)
    place[2] = clip.contact_heights[start, column]
    return place


def _joined(runs: Runs, run: int, others: Runs, gap: int) -> list[int]:
    """Return which of the other point's runs overlap this one or follow it within `gap` frames: one stance."""
    shares = (others.starts < runs.stops[run] + gap) & (others.stops + gap > runs.starts[run])
    return [int(i) for i in np.flatnonzero(shares)]


def _at_foot_length(anchor: Array, direction: Array, *, length: float, height: float) -> Array:
    """Return the place at `length` from the anchor, at the given height, in the ground direction given."""
    rise = float(np.clip(height - anchor[2], -0.9 * length, 0.9 * length))
    ground = direction[:2] / max(float(np.linalg.norm(direction[:2])), 1e-9)
    place = anchor.copy()
    place[:2] += ground * np.sqrt(length**2 - rise**2)
    place[2] += rise
    return place
