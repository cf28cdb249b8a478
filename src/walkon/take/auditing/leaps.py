"""Leaps: roots that are suddenly elsewhere, whatever hides it: a seam, a change between body and disc, a blink.

For two looks at one character that follow each other, dt apart (neighbouring frames, or the two sides of an absence of
at most `BLINK`), with the root at p on the floor and v its speed just before and just after,

    leap = |Δp| − min(max(v_before, v_after), FASTEST) dt           metres

A walk goes on as fast as before and has next to none; what moves faster than anybody runs leaps all the while. Longer
absences are exits and entrances, which may be anywhere.
"""

import numpy as np

from walkon.take.auditing.findings import Findings
from walkon.take.auditing.tracks import PosedRows

__all__ = ["BLINK", "FASTEST", "look_for_leaps"]

BLINK = 0.5
"""s of absence that do not explain another place."""
FASTEST = 12.0
"""m/s; people are not faster."""


def look_for_leaps(track: PosedRows, fps: float, findings: Findings) -> None:
    """Measure these rows of whole characters."""
    if len(track.who) < 2:
        return
    frames = np.diff(track.frame)
    follows = (np.diff(track.who) == 0) & (frames <= max(BLINK * fps + 1e-6, 1.0))
    moved = np.linalg.norm(np.diff(track.root[:, :2], axis=0), axis=1)
    seconds = np.maximum(frames, 1) / fps
    # Speeds are taken between neighbours only: a step over a blink explains nothing.
    speed = np.where(follows & (frames == 1), moved / seconds, 0.0)
    around = np.maximum(np.append(0.0, speed[:-1]), np.append(speed[1:], 0.0))
    leap = np.where(follows, moved - np.minimum(around, FASTEST) * seconds, 0.0)

    def words(i: int) -> tuple[str, str]:
        away = f" over {seconds[i] * 1e3:.0f} ms of absence" if frames[i] > 1 else " within one frame"
        return "", f"leaps {leap[i]:.2f} m{away}"

    findings.offer(
        "smoothness.max_root_jump_m",
        leap,
        who=track.who[1:],
        times=track.times[1:],
        places=track.root[1:],
        least=0.01,
        words=words,
    )
