"""Gait measured from contacts: whole strides of steady walking, and the share of each that a foot is down.

A stride of a foot runs from one landing to its next. Shares are taken over whole strides only: a clip of two seconds
that begins and ends anywhere would otherwise say more about its cut than about its walk.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array
from walkon.motion.clip import Clip
from walkon.motion.contacts.detection import pace, stance
from walkon.motion.contacts.runs import find_runs
from walkon.motion.skeleton import SIDES

__all__ = ["StanceShare", "frames_in_the_air", "stance_shares"]


class StanceShare(NamedTuple):
    """How much of its strides one foot is down."""

    side: str
    share: float
    """Share of frames, 0 to 1."""
    strides: int
    """Whole strides that it was measured over."""
    seconds: float
    """Mean duration of a stride."""


def stance_shares(clip: Clip, *, faster_than: float = 0.5, longest: float = 2.0) -> list[StanceShare]:
    """Return the stance share of each foot over whole strides at more than `faster_than` m/s and under `longest` s.

    A foot without a whole stride is left out.
    """
    down, speed = stance(clip), pace(clip)
    found = []
    for foot, side in enumerate(SIDES):
        starts, _ = find_runs(down[:, foot])
        landings = starts[starts > 0]
        spans = [
            (int(a), int(b))
            for a, b in pairwise(landings)
            if _steady(speed[a:b], faster_than) and b - a <= longest * clip.fps
        ]
        if spans:
            frames = sum(b - a for a, b in spans)
            share = sum(int(down[a:b, foot].sum()) for a, b in spans) / frames
            found.append(StanceShare(side, share, len(spans), frames / len(spans) / clip.fps))
    return found


def _steady(speed: Array, faster_than: float) -> bool:
    return bool(speed.min() > faster_than)


def frames_in_the_air(clip: Clip, *, faster_than: float = 0.5) -> tuple[int, int]:
    """Return how many frames faster than that have no foot down, and how many such frames there are."""
    moving = pace(clip) > faster_than
    return int(np.count_nonzero(~stance(clip)[moving].any(axis=1))), int(np.count_nonzero(moving))
