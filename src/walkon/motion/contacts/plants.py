"""Plants: footplant constraints, one place in the world for every contact of a foot.

A foot is rigid from heel to ball. Contacts of its heel and its ball that overlap, or follow each other closely, belong
to one stance and form a chain: the longest ball contact of the chain stays where it was captured (in the middle of its
run, because feet roll on and off at its ends), and each neighbour is placed at the foot's own length from it, in the
direction in which it was captured, at the height of its support.

A stance with a *pinned* frame is held where that frame has it. Where pinned frames of one stance disagree, each of them
places the whole chain, and the stance goes over evenly from one to the next, heel and ball always at the foot's length:
the foot slides slowly instead of jumping. A stance without any that ends shortly before a pinned frame, or begins
shortly after one, is held where it ends or begins: there is no time to come from anywhere else.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.motion.clip import Clip
from walkon.motion.contacts.runs import find_runs

__all__ = ["place_plants"]

MAX_STANCE_GAP_S = 0.1
"""s; contacts of heel and ball that are no farther apart than this belong to one stance of one rigid foot."""
NEAR_PIN_WITHIN_S = 0.15
"""s from the end of a stance to a pinned frame within which the stance is held where it ends."""
SAME_PLACE_WITHIN_M = 0.02
"""m from where a pinned frame has a point within which that point, down again in the same stance, is in that place."""
Contact = tuple[int, int, int]
"""A column of the contacts, the first frame of one of its runs, and the frame after its last."""
Places = dict[Contact, Array]


class _Foot(NamedTuple):
    """One foot of a clip of T frames."""

    clip: Clip
    heel: int
    """Columns of the contacts."""
    ball: int
    runs: dict[int, tuple[IntArray, IntArray]]
    """Column → starts and stops of its contacts."""
    above: Array
    """[T, 3] m sole → ball joint."""
    length: float
    """m from heel to ball joint."""


def place_plants(
    clip: Clip, side: str, ball_above_sole: Array, *, pinned: BoolArray | None = None
) -> tuple[Array, Array]:
    """Return where heel and sole (below the ball) of a foot are held, [T, 3] each; outside contacts it means nothing.

    `ball_above_sole` [T, 3] m is sole → ball joint in the world, as the toes will lie. Frames may be `pinned` [T].
    """
    skeleton = clip.skeleton
    heel, ball = skeleton.contact(f"{side}_heel"), skeleton.contact(f"{side}_ball")
    length = np.linalg.norm(skeleton.offsets[skeleton.role(f"{side}_ball")] - skeleton.contact_offsets[heel])
    runs = {c: find_runs(clip.contacts[:, c]) for c in (heel, ball)}
    foot = _Foot(clip, heel, ball, runs, ball_above_sole, float(length))
    pins = np.zeros(0, np.int64) if pinned is None else np.flatnonzero(pinned)
    held = {heel: np.zeros((len(clip), 3)), ball: np.zeros((len(clip), 3))}
    for stance in _find_stances(foot):
        anchors = _find_anchors(foot, stance, pins)
        known = [place for given in anchors.values() for place in given.items()]
        placed = [_place_chain(foot, given, known) for given in anchors.values()]
        for contact in stance:
            column, start, stop = contact
            places = np.array([places[contact] for places in placed])
            # The places at the anchors' frames, evenly from one to the next.
            held[column][start:stop] = np.column_stack(
                [np.interp(np.arange(start, stop), list(anchors), along) for along in places.T]
            )
        if len(placed) > 1:
            first, last = min(start for _, start, _ in stance), max(stop for _, _, stop in stance)
            flat = first + np.flatnonzero(clip.contacts[first:last, heel] & clip.contacts[first:last, ball])
            joints = held[ball][flat] + ball_above_sole[flat]
            heels = held[heel][flat]
            held[heel][flat] = _place_at_foot_length(joints, heels - joints, length=foot.length, height=heels[:, 2])
    return held[heel], held[ball]


def _find_stances(foot: _Foot) -> list[list[Contact]]:
    """Return the contacts of each stance, those of the ball first, the longest first."""
    every = [(c, int(a), int(b)) for c in (foot.heel, foot.ball) for a, b in zip(*foot.runs[c], strict=True)]
    every.sort(key=lambda contact: (contact[0] != foot.ball, contact[1] - contact[2]))
    rank = {contact: k for k, contact in enumerate(every)}
    seen: set[Contact] = set()
    stances = []
    for first in every:
        if first in seen:
            continue
        seen.add(first)
        stance = [first]
        for contact in stance:
            near = [other for other in _neighbours(foot, contact) if other not in seen]
            seen.update(near)
            stance += near
        stances.append(sorted(stance, key=rank.__getitem__))
    return stances


def _find_anchors(foot: _Foot, stance: list[Contact], pins: IntArray) -> dict[int, Places]:
    """Return the frames, in order, by which a stance is placed, and where each of them has some of its contacts."""
    points = foot.clip.contact_positions
    found: dict[int, Places] = {}
    for contact in stance:
        column, start, stop = contact
        for pin in pins[np.searchsorted(pins, start) : np.searchsorted(pins, stop)].tolist():
            found.setdefault(pin, {})[contact] = points[pin, column]
    if found:
        return dict(sorted(found.items()))
    first, last = min(start for _, start, _ in stance), max(stop for _, _, stop in stance) - 1
    after = np.searchsorted(pins, first)
    behind = first - int(pins[after - 1]) if after > 0 else len(points)
    ahead = int(pins[after]) - last if after < len(pins) else len(points)
    if min(behind, ahead) > NEAR_PIN_WITHIN_S * foot.clip.fps:
        return {first: {stance[0]: _middle(foot.clip, stance[0])}}
    frame = last if ahead <= behind else first
    contact = next(c for c in stance if c[1] <= frame < c[2])
    place = np.array(points[frame, contact[0]])
    place[2] = foot.clip.contact_heights[frame, contact[0]]
    return {frame: {contact: place}}


def _place_chain(foot: _Foot, given: Places, known: list[tuple[Contact, Array]]) -> Places:
    """Return the places of all contacts of a stance, from those of some: neighbours at the foot's own length.

    They lie in the direction in which they were captured, or in that of a place where the same point is `known` to be.
    """
    points, heights = foot.clip.contact_positions, foot.clip.contact_heights
    places = dict(given)
    chain = list(given)
    for contact in chain:
        for near in _neighbours(foot, contact):
            if near in places:
                continue
            (column, a, b), (other, c, d) = contact, near
            start, stop = max(a, c), min(b, d)
            start, stop = min(start, stop - 1), max(stop, start + 1)
            lift = foot.above[(start + stop) // 2]
            here, there = (lift if point == foot.ball else np.zeros(3) for point in (column, other))
            direction = (points[start:stop, other] + there - points[start:stop, column] - here).mean(axis=0)
            height, anchor = heights[c, other] + there[2], places[contact] + here
            place = _place_at_foot_length(anchor, direction, length=foot.length, height=height)
            for at, target in known:
                if at == near or (at[0] == other and np.linalg.norm(target + there - place) < SAME_PLACE_WITHIN_M):
                    place = _place_at_foot_length(anchor, target + there - anchor, length=foot.length, height=height)
                    break
            places[near] = place - there
            chain.append(near)
    return places


def _middle(clip: Clip, contact: Contact) -> Array:
    """Return where a point is in the middle three fifths of a run, at the height of its support."""
    column, start, stop = contact
    margin = (stop - start) // 5
    # The mean, because the median of coordinates would depend on how the world is turned.
    place = clip.contact_positions[start + margin : stop - margin, column].mean(axis=0)
    place[2] = clip.contact_heights[start, column]
    return place


def _neighbours(foot: _Foot, contact: Contact) -> list[Contact]:
    """Return which contacts of the other point overlap this one or follow it closely: one stance."""
    column, start, stop = contact
    other = foot.heel if column == foot.ball else foot.ball
    (starts, stops), gap = foot.runs[other], round(MAX_STANCE_GAP_S * foot.clip.fps)
    # Runs are in order of time, so those that share a frame with the widened span are neighbours of each other.
    low, high = np.searchsorted(stops + gap, start, side="right"), np.searchsorted(starts, stop + gap)
    return [(other, int(starts[r]), int(stops[r])) for r in range(int(low), int(high))]


def _place_at_foot_length(anchor: Array, direction: Array, *, length: float, height: Array | float) -> Array:
    """Return the places [..., 3] at `length` from the anchors, at the given heights, in the ground directions given."""
    rise = np.clip(height - anchor[..., 2], -0.9 * length, 0.9 * length)
    ground = direction[..., :2] / np.maximum(np.linalg.norm(direction[..., :2], axis=-1, keepdims=True), 1e-9)
    place = np.array(anchor)
    place[..., :2] += ground * np.sqrt(length**2 - rise**2)[..., None]
    place[..., 2] += rise
    return place
