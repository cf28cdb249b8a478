"""Hands: how far palms are from what they grip. Metres, degrees.

The palm follows from the audit's own joints and the body's own palm (`motion.limbs.arms`); where it should be, from the
rows of the take: with F the frame that a grip holds on to and G its pose at that time,

    gap = |palm − F ∘ G|,     turn = angle(palm, F ∘ G)

while start ≤ t < stop. A grip whose prop or person is absent then, or whose own hand is not posed because its owner is
only on a track, holds nothing, and is counted.
"""

from typing import Any

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.motion.limbs.arms import palm_frame
from walkon.motion.skeleton import SIDES
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.reposing import AuditClock, Reposed, repose
from walkon.take.posing.holding import grip_frames, held_poses
from walkon.take.tables import Grips, flat_ranges
from walkon.take.take import Take
from walkon.transforms import quaternions as quat
from walkon.transforms import rigid

__all__ = ["measure_hands"]

BATCH_ROW_COUNT = 8192
"""Palms that are looked at at a time."""


def measure_hands(take: Take, clock: AuditClock, characters: IntArray, findings: Findings) -> dict[str, Any]:
    """Return the figures of all grips of these characters."""
    g = take.grips
    mine = np.flatnonzero(np.isin(g.character, characters))
    first = np.maximum(np.ceil((g.start[mine] - clock.start) * clock.fps - 1e-6), 0).astype(np.int64)
    last = np.ceil((g.stop[mine] - clock.start) * clock.fps - 1e-6).astype(np.int64)
    counts = np.maximum(np.minimum(last, clock.count) - first, 0)
    row, times = np.repeat(mine, counts), clock.at(flat_ranges(first, counts))
    idle = 0
    for begin in range(0, len(row), BATCH_ROW_COUNT):
        part = slice(begin, begin + BATCH_ROW_COUNT)
        idle += _measure_gaps(take, g.rows(row[part]), times[part], findings)
    figures = {"count": len(mine), "held_frames": len(row), "idle_frames": idle}
    return figures | findings.largest_of("hands", "max_gap_m", "max_gap_deg")


def _measure_gaps(take: Take, grips: Grips, times: Array, findings: Findings) -> int:
    """Measure palms at grips [M] and times [M]; returns how many hold nothing, because it is not there."""
    who = grips.character.astype(np.int64)
    bodies = repose(take, who, times)
    palms = _palms(take, grips, bodies)
    wanted = rigid.compose(grip_frames(take, grips, times), held_poses(grips, times))
    there = (bodies.presence == 1) & np.isfinite(wanted[:, 0])
    gap = np.where(there, np.linalg.norm(palms[:, :3] - wanted[:, :3], axis=1), 0.0)
    turn = np.where(there, np.degrees(quat.angle_between(palms[:, 3:], wanted[:, 3:])), 0.0)
    for figure, values, scale, unit, least in (
        ("max_gap_m", gap, 100.0, "cm", 1e-4),
        ("max_gap_deg", turn, 1.0, "degrees", 1e-2),
    ):
        findings.offer(
            f"hands.{figure}",
            values,
            who=who,
            times=times,
            places=np.where(there[:, None], wanted[:, :3], np.nan),
            least=least,
            words=lambda i, v=values * scale, unit=unit: (  # type: ignore[misc]
                _thing(take, grips, i),
                f"has its {SIDES[grips.hand[i]]} palm {v[i]:.1f} {unit} off its grip on {_thing(take, grips, i)}",
            ),
        )
    return int(np.count_nonzero(bodies.present & ~there))


def _palms(take: Take, grips: Grips, bodies: Reposed) -> Array:
    """Return the poses [M, 7] of the palms of grips [M], by the audit's joints; NaN where nobody is posed."""
    palms = np.full((len(grips), 7), np.nan)
    for b, hand in np.unique(np.column_stack([bodies.bodies, grips.hand]), axis=0).tolist():
        skeleton, side = take.bodies[b].skeleton, SIDES[hand]
        rows = np.flatnonzero((bodies.bodies == b) & (grips.hand == hand) & (bodies.presence == 1))
        if not len(rows):
            continue
        wrist, palm = skeleton.role(f"{side}_wrist"), palm_frame(skeleton, side)
        scale = take.characters.scale[grips.character[rows]].astype(np.float64)[:, None]
        wrists = np.concatenate([bodies.positions[rows, wrist], bodies.rotations[rows, wrist]], axis=1)
        offsets = np.concatenate([scale * palm.place, np.tile(palm.rotation, (len(rows), 1))], axis=1)
        palms[rows] = rigid.compose(wrists, offsets)
    return palms


def _thing(take: Take, grips: Grips, row: int) -> str:
    prop, other = int(grips.prop[row]), int(grips.other[row])
    return repr(take.props[prop].name) if prop >= 0 else take.names[other] if other >= 0 else "the stage"
