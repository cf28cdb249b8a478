"""Targets of foot inverse kinematics in plain NumPy: step 6 of the rule in `posing`, for one foot at one time.

The clip's own foot and the foot's stances go in; where the ankle goes, how foot and toes turn, and which contacts bear
come out. World frame, metres, seconds of the take's clock. Part of the readable rule, `posing_numpy`.
"""

from typing import Any

import numpy as np

from walkon._base.arrays import Array
from walkon.take.posing.posing_rule import ABUTTING_WITHIN_S
from walkon.take.posing.toes import Feet, toe_bend, toe_turn
from walkon.transforms import quaternions as quat
from walkon.transforms.easing import smoothstep

__all__ = ["foot_goal"]


def foot_goal(stances: dict[str, Array], foot: Feet, t: float) -> tuple[Array, Array, Array, list[bool], float]:
    """Return where the ankle goes, how foot and toes turn, whether heel and ball bear, and how far the heel may rise.

    Metres, quaternions, radians.
    """
    start, stop = stances["start"], stances["stop"]
    k = int(np.searchsorted(start, t, side="right")) - 1
    if k < 0 or t > stop[k]:
        w = 1.0 if k < 0 else 0.0
        if 0 <= k < len(start) - 1:
            w = float(smoothstep((t - stop[k]) / (start[k + 1] - stop[k])))
        early, late = max(k, 0), min(k + 1, len(start) - 1)
        mixed: list[Any] = [
            (1 - w) * np.float64(stances[begins][early]) + w * np.float64(stances[ends][late])
            for begins, ends in (("shift_out", "shift_in"), ("turn_off", "turn_in"), ("toe_off", "toe_in"))
        ]
        if early < late:
            swing = start[late] - stop[early]
            p = (t - stop[early]) / swing
            rates = (np.float64(stances["rate_out"][early]), np.float64(stances["rate_in"][late]))
            mixed[0] = mixed[0] + swing * (p * (1 - p) ** 2 * rates[0] - p**2 * (1 - p) * rates[1])
            mixed[0] = mixed[0] + np.array([0.0, 0.0, 16 * p**2 * (1 - p) ** 2 * float(stances["lift"][early])])
        return foot.ankles + mixed[0], quat.exp(mixed[1]), toe_turn(foot, bends=mixed[2]), [False, False], 0.0
    tau = t - start[k]
    slack = 1e-6 + 2e-7 * tau  # heel and ball are float32 seconds after a float64 start
    bears = [float(a) - slack <= tau <= float(b) + slack and b > a for a, b in (stances["heel"][k], stances["ball"][k])]
    H, B = (stances[f"{name}_place"][k].astype(np.float64) for name in ("heel", "ball"))
    turn, bend = _held_turn(stances, k, t)
    if all(bears):
        bend = float(toe_bend(foot, lengths=np.linalg.norm(B - H)))
    toes = toe_turn(foot, bends=bend)
    foot = foot.turn_toes(toes)
    if all(bears):
        along = (B - H) / max(float(np.linalg.norm(B - H)), 1e-9)
        roll = quat.about(along, np.float64(stances["roll"][k]))
        turn = quat.multiply(roll, quat.between(foot.balls - foot.heels, B - H))
    anchor, place = (foot.balls, B) if bears[1] else (foot.heels, H)
    follows = k + 1 < len(start) and start[k + 1] - stop[k] < ABUTTING_WITHIN_S
    rises = bears[1] and tau > float(stances["heel"][k][1]) + slack and not follows
    highest = float(stances["rise"][k]) if rises else 0.0
    return place - quat.rotate(turn, anchor - foot.ankles), turn, toes, bears, highest


def _held_turn(stances: dict[str, Array], k: int, t: float) -> tuple[Array, float]:
    """Return the turn (a quaternion) and the bend of the toes of a foot in stance k that does not lie flat."""
    flat = np.column_stack(
        [
            stances["start"] + np.maximum(stances["heel"][:, 0], stances["ball"][:, 0]),
            stances["start"] + np.minimum(stances["heel"][:, 1], stances["ball"][:, 1]),
        ]
    )
    gaps = stances["start"][1:] - stances["stop"][:-1]
    lies = flat[k, 1] > flat[k, 0]
    w = 0.0 if t >= flat[k, 0] else 1.0
    early = late = k
    if lies and t > flat[k, 1] and k < len(gaps) and gaps[k] < ABUTTING_WITHIN_S:
        late = k + 1
    elif lies and t < flat[k, 0] and k > 0 and gaps[k - 1] < ABUTTING_WITHIN_S:
        early = k - 1
    if early < late:
        since, until = flat[early].max(), flat[late, 0]
        w = float(smoothstep((t - since) / max(until - since, 1e-9)))
    turn, toe = (
        (1 - w) * np.float64(stances[f"{name}_out"][early]) + w * np.float64(stances[f"{name}_in"][late])
        for name in ("turn", "toe")
    )
    return quat.exp(turn), float(toe)
