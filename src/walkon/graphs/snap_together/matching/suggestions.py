"""Suggested hubs: which poses of a library everything should meet in, found without a designer.

Frames are sorted into families by what the body does, and by labels where the library has them; families never mix, so
no threshold joins sitting with walking. Each family gives one hub or several:

| family | frames | hubs |
|---|---|---|
| walk | ahead at over 0.35 m/s, upright | left and right stance, in up to three bands of speed |
| stand | still, upright, both feet down | one |
| sit | still and low, or labelled seated | one |
| side_left, side_right | to the side, upright | one each, with single steps from it to itself |
| back | backwards, upright | one, with whole strides from it to itself |
| carry | labelled carry, over 0.35 m/s | one, with whole strides from it to itself |
| carry_stand | labelled carry, still, upright | one |
| hub | all, where none of the others gives a hub | one |
| hub_1 … | of no family, and in no edge by over `LEFT_OVER_FROM_S` | up to four, of `MIN_LEFT_OVER_MATCHES` or more |

A hub is the largest match set of its family (`match_sets.largest`); walks start from passing poses. Bands are
`SPEED_BAND_M_S` apart: within one, poses differ by about 2 degrees at the median. The band with the most steps
comes first; further ones are taken where they hold at least `MIN_BAND_MATCHES` match frames of their own. The number in
a walking hub's name is the middle of its band, a speed over about a step; with how much the root passes the pose itself
is `Hubs.speed`.

With hubs for several speeds in one clip every step is cut, and what lies across them is lost: a sharp turn, before
which one slows down, would never lead from brisk to brisk. So clips are cut once more for each band, at its own hubs
and those of the other families (`copies`).

Metres, seconds. Reference: Gleicher, Shin, Kovar, Jepsen 2003, sections 4.1 and 5.
"""

from collections.abc import Mapping

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import InvalidValue
from walkon.graphs.point_clouds import FrameSet, library_frames
from walkon.graphs.snap_together.matching import match_sets
from walkon.graphs.snap_together.matching.match_sets import MatchSet
from walkon.graphs.snap_together.matching.passing import Posture, postures
from walkon.graphs.snap_together.snap_graph import BOTH, LEFT, RIGHT
from walkon.motion.library import Library

__all__ = [
    "FAMILY_SPACING_S",
    "SPEED_BAND_M_S",
    "families",
    "have_label",
    "suggest_hubs",
]

SPEED_BAND_M_S = 0.35
"""m/s between the middles of two bands of walking speed."""
WALKING_FROM_M_S, STANDING_BELOW_M_S = 0.35, 0.08
"""m/s above which a body walks, and below which it stands."""
SIDEWAYS_FROM_M_S, BACKWARDS_FROM_M_S = 0.1, 0.2
"""m/s from which a body steps to the side, mostly, or walks backwards."""
UPRIGHT_HEIGHT_RATIO, SEATED_HEIGHT_RATIO = 0.9, 0.75
"""Height of the root over that of the rest pose: above the first a body stands, below the second it sits."""
MIN_BAND_MATCHES = 50
"""Match frames that a further band of speed must have."""
MIN_HUB_MATCHES = 3
"""Match frames that any suggested hub must have."""
LEFT_OVER_FROM_S, MIN_LEFT_OVER_MATCHES, MAX_LEFT_OVER_HUBS = 1.0, 8, 4
"""s before the first or after the last match frame of a clip from which motion is left over, match frames that a hub of
such motion must have, and how many of these hubs there may be."""
RESTING_SPACING_S, STRIDE_SPACING_S = 1.5, 0.7
"""s between match frames of a body that stands or sits, where shorter edges would be fidgeting, and of those who make
whole strides."""
FAMILY_SPACING_S = {
    "stand": RESTING_SPACING_S,
    "sit": RESTING_SPACING_S,
    "side_left": STRIDE_SPACING_S,
    "side_right": STRIDE_SPACING_S,
    "back": STRIDE_SPACING_S,
    "carry": STRIDE_SPACING_S,
    "carry_stand": RESTING_SPACING_S,
}
"""Least s between match frames of the families that are not walking ahead, in the order in which hubs are suggested."""
CARRYING_THRESHOLD_RATIO = 1.4
"""By what the threshold of carrying is multiplied: its steps are few. Those of walking backwards are few too, but its
first and last strides are half as long: between them and the others a foot would swing out and back again."""
SEED_ALL_UP_TO_FRAMES = 6000
"""Frames up to which sets are grown from each of them; of more, from every tenth."""
OTHER_GAITS = ("jog", "sidestep", "backward", "pivot")
"""Labels of ways to move that are not walking ahead."""


def have_label(library: Library, at: IntArray, *names: str) -> BoolArray:
    """Say which library frames `at` [n] have one of these labels; a label that exists nowhere, none has."""
    columns = [library.label_names.index(name) for name in names if name in library.label_names]
    return np.asarray(library.labels[at][:, columns].any(axis=1))


def families(library: Library, frames: FrameSet, posture: Posture | None = None) -> dict[str, BoolArray]:
    """Sort the compared frames of a library: which of them [F] belong to which family, by name."""
    posture = postures(library) if posture is None else posture
    at = library_frames(library, frames)

    speed, height = posture.speed[at], posture.height[at]
    ahead, aside = posture.ahead[at], posture.aside[at]
    carry, seated = have_label(library, at, "carry"), have_label(library, at, "seated")
    # A bird neither walks nor sits, whatever its speed and height.
    upright = (height > UPRIGHT_HEIGHT_RATIO) & ~seated & library.skeleton.has_feet
    still = (speed < STANDING_BELOW_M_S) & library.skeleton.has_feet
    walk = upright & (ahead > WALKING_FROM_M_S) & (np.abs(aside) < 0.5 * ahead) & ~have_label(library, at, *OTHER_GAITS)
    stand = upright & still & (posture.stance[at] == BOTH)
    side = upright & (np.abs(aside) > SIDEWAYS_FROM_M_S) & (np.abs(aside) > 2.0 * np.abs(ahead)) & ~carry
    back = upright & (ahead < -BACKWARDS_FROM_M_S) & (np.abs(aside) < -0.5 * ahead) & ~carry
    if "sidestep" in library.label_names:
        side &= have_label(library, at, "sidestep")
    if "backward" in library.label_names:
        back &= have_label(library, at, "backward")
    return {
        "walk": walk & ~carry,
        "stand": stand & ~carry,
        "sit": still & (seated | (height < SEATED_HEIGHT_RATIO)) & ~carry,
        "side_left": side & (aside > 0),
        "side_right": side & (aside < 0),
        "back": back,
        "carry": walk & carry,
        "carry_stand": stand & carry,
    }


def suggest_hubs(
    library: Library,
    frames: FrameSet,
    *,
    threshold: float,
    spacing: float = 1 / 3,
    bands: int = 3,
    posture: Posture | None = None,
) -> tuple[dict[str, MatchSet], tuple[tuple[str, ...], ...]]:
    """Return match sets by the names of their hubs, the main ones first; empty where nothing is alike.

    Also returns the copies: names of the hubs that each further copy of the library is cut at; the first one is cut at
    all.

    Sets hold compared frames under `threshold` metres and `spacing` seconds apart; `bands` limits the walking speeds.
    """
    if not (isinstance(bands, int) and bands >= 0):
        raise InvalidValue(f"bands must be a whole number, 0 or more, got {bands}")
    posture = postures(library) if posture is None else posture
    at = library_frames(library, frames)
    kind = families(library, frames, posture)
    passing, stance, speed = posture.passing[at], posture.stance[at], posture.speed[at]
    found: dict[str, MatchSet] = {}
    walks: list[tuple[str, ...]] = []
    for middle in _speed_bands(speed[kind["walk"] & passing], bands):
        near = kind["walk"] & (np.abs(speed - middle) <= 0.5 * SPEED_BAND_M_S)
        pair: dict[str, MatchSet] = {}
        for side, name in ((LEFT, "left"), (RIGHT, "right")):
            seeds = near & passing & (stance == side)
            one = match_sets.largest(frames, threshold=threshold, spacing=spacing, seeds=seeds, among=near)
            if one is not None and len(one.frames) >= (MIN_BAND_MATCHES if found else MIN_HUB_MATCHES):
                # Steps of other bands that are alike as well lead over from one band to another.
                pair[f"walk_{name}_{middle:.2f}"] = match_sets.grow(
                    frames, one.seed, threshold=threshold, spacing=spacing, among=kind["walk"]
                )
        if len(pair) == 2:
            found |= pair
            walks.append(tuple(pair))
    # Rest hardly changes from frame to frame: every tenth will do to start from.
    tenth = (np.arange(len(frames)) - frames.starts[frames.clips_of(np.arange(len(frames)))]) % 10 == 0
    for name, gap in FAMILY_SPACING_S.items():
        mine = kind[name]
        one = match_sets.largest(
            frames,
            threshold=(CARRYING_THRESHOLD_RATIO if name == "carry" else 1.0) * threshold,
            spacing=max(gap, spacing),
            seeds=mine & (tenth if gap == RESTING_SPACING_S else passing if name in ("back", "carry") else True),
            among=mine,
        )
        if one is not None and len(one.frames) >= MIN_HUB_MATCHES:
            found[name] = one
    if not found:
        # No body that walks, stands or sits: a bird, an arm, a dance. The largest set there is.
        thin = np.ones(len(frames), bool) if len(frames) <= SEED_ALL_UP_TO_FRAMES else tenth
        one = match_sets.largest(frames, threshold=threshold, spacing=spacing, seeds=thin, preferred=passing)
        found = {} if one is None else {"hub": one}
    kinds = (
        have_label(library, at, "carry"),
        have_label(library, at, "seated") | (posture.height[at] < SEATED_HEIGHT_RATIO),
    )
    outside = ~np.logical_or.reduce(list(kind.values()))
    found |= _suggest_left_over(
        frames, found, kinds, outside, threshold=threshold, spacing=spacing, seeds=tenth, preferred=passing
    )
    others = tuple(name for name in found if not any(name in pair for pair in walks))
    return found, tuple(pair + others for pair in walks) if len(walks) > 1 else ()


def _suggest_left_over(
    frames: FrameSet,
    found: Mapping[str, MatchSet],
    kinds: tuple[BoolArray, BoolArray],
    outside: BoolArray,
    *,
    threshold: float,
    spacing: float,
    seeds: BoolArray,
    preferred: BoolArray,
) -> dict[str, MatchSet]:
    """Return hubs of motion `outside` [F] all families, away from what is `found`; `kinds` [F] are never mixed."""
    more: dict[str, MatchSet] = {}
    away = int(np.ceil(LEFT_OVER_FROM_S * frames.rate))
    here = np.arange(len(frames))
    clips = frames.clips_of(here)
    while found and len(more) < MAX_LEFT_OVER_HUBS:
        # Between the first and the last match frame of a clip all is in some edge.
        taken = np.concatenate([one.frames for one in (*found.values(), *more.values())])
        first, last = np.full(len(frames.starts), len(frames)), np.full(len(frames.starts), -len(frames))
        np.minimum.at(first, frames.clips_of(taken), taken)
        np.maximum.at(last, frames.clips_of(taken), taken)
        left = outside & ((here < first[clips] - away) | (here > last[clips] + away))
        sets = []
        for carry, seated in ((False, False), (False, True), (True, False), (True, True)):
            mine = left & (kinds[0] == carry) & (kinds[1] == seated)
            start = mine if np.count_nonzero(mine) <= SEED_ALL_UP_TO_FRAMES else mine & seeds
            sets.append(
                match_sets.largest(
                    frames, threshold=threshold, spacing=spacing, seeds=start, preferred=preferred, among=mine
                )
            )
        best = max((one for one in sets if one is not None), key=lambda one: len(one.frames), default=None)
        if best is None or len(best.frames) < MIN_LEFT_OVER_MATCHES:
            break
        more[f"hub_{len(more) + 1}"] = best
    return more


def _speed_bands(speeds: Array, count: int) -> list[float]:
    """Return the middles (m/s) of up to `count` bands of walking speed, the fullest first, at least a band apart."""
    middles: list[float] = []
    left = np.array(speeds)
    while len(left) >= MIN_HUB_MATCHES and len(middles) < count:
        tries = np.unique(np.round(left, 2))
        inside = np.abs(left[:, None] - tries) <= 0.5 * SPEED_BAND_M_S
        free = np.array([all(abs(t - m) >= SPEED_BAND_M_S - 1e-9 for m in middles) for t in tries])
        if not free.any():
            break
        best = int(np.argmax(np.where(free, inside.sum(axis=0), -1)))
        middles.append(_keep_apart(float(np.median(left[inside[:, best]])), float(tries[best]), middles))
        left = left[np.abs(left - middles[-1]) > 0.5 * SPEED_BAND_M_S]
    return middles


def _keep_apart(median: float, middle: float, others: list[float]) -> float:
    """Return a speed near the median of those about `middle` that is a band from all others, as that middle is."""
    for other in others:
        low, high = (other + SPEED_BAND_M_S, np.inf) if middle > other else (-np.inf, other - SPEED_BAND_M_S)
        median = min(max(median, low), high)
    return median
