"""Which grips an edit breaks: hands that let go because what they held is not there, and hands that fall short now.

Grips are looked at when they begin, in their middle and before they end, on the posed take. Metres, seconds.
"""

import numpy as np

from walkon._base.arrays import IntArray
from walkon.motion.skeleton import SIDES
from walkon.take.posing.holding import grip_frames
from walkon.take.posing.posing import pose_pairs
from walkon.take.tables import Grips
from walkon.take.take import Take

__all__ = ["lost_grips", "short_grips"]

SHORT_M = 0.005
"""m from the palm to where it should be, over which a grip is broken."""
BEFORE_STOP_S = 1e-6
"""s before its stop at which the end of a grip is looked at."""


def lost_grips(take: Take, kept: IntArray, held: IntArray) -> tuple[str, ...]:
    """Say which grips of characters `kept` are lost where only they and the props `held` are left of a take."""
    g = take.grips
    gone = ((g.other >= 0) & ~np.isin(g.other, kept)) | ((g.prop >= 0) & ~np.isin(g.prop, held))
    rows = np.flatnonzero(np.isin(g.character, kept) & gone)
    return tuple(f"{_describe(take, g.rows([row]))} is gone: what it held is not there any more" for row in rows)


def short_grips(take: Take, changed: IntArray) -> tuple[str, ...]:
    """Say which grips that have to do with characters `changed` are not kept: the thing is absent, or out of reach."""
    g, a = take.grips, take.attachments
    carried = a.prop[np.isin(a.character, changed)]
    touched = np.isin(g.character, changed) | np.isin(g.other, changed) | np.isin(g.prop, carried)
    rows = np.flatnonzero(touched)
    if not len(rows):
        return ()
    mine = g.rows(rows)
    looks = np.stack([mine.start, 0.5 * (mine.start + mine.stop), mine.stop - BEFORE_STOP_S], axis=1)
    who, hand, when = np.repeat(mine.character, 3), np.repeat(mine.hand, 3), looks.ravel()
    poses = pose_pairs(take, who, when)
    there = poses.presence == 1
    short = np.where(there, poses.hands_missed[np.arange(len(who)), hand], 0.0).reshape(-1, 3)
    absent = np.isnan(grip_frames(take, g.rows(np.repeat(rows, 3)), when)[:, 0]) & there
    found = []
    for k, row in enumerate(rows.tolist()):
        words, at = _describe(take, g.rows([row])), int(short[k].argmax())
        if absent.reshape(-1, 3)[k].any():
            found.append(f"{words} finds nothing to hold: it is not there")
        elif short[k, at] > SHORT_M:
            found.append(f"{words} falls {short[k, at]:.2f} m short at {looks[k, at]:.2f} s")
    return tuple(found)


def _describe(take: Take, grip: Grips) -> str:
    """Return the words for a grip, one row: whose hand, on what, when."""
    prop, other = int(grip.prop[0]), int(grip.other[0])
    thing = repr(take.props[prop].name) if prop >= 0 else repr(take.names[other]) if other >= 0 else "the stage"
    return (
        f"the grip of the {SIDES[grip.hand[0]]} hand of {take.names[grip.character[0]]!r} on {thing} from "
        f"{grip.start[0]:g} to {grip.stop[0]:g} s"
    )
