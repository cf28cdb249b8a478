"""Holding in plain NumPy, one character at one time: the rule of `walkon.take.posing.holding` as one reads it.

It reads the take's tables themselves and shares with the compiled way only the rule. Part of `posing_numpy`.
"""

from collections.abc import Callable

import numpy as np

from walkon._base.arrays import Array
from walkon.motion.kinematics import WorldPose, forward_numpy
from walkon.motion.limbs.arms import Arm, has_arm, palm_frame
from walkon.motion.limbs.limb import Limb, limb_misses, solve_limb
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.take.posing.track_poses import track_poses
from walkon.take.tables import Grips, HandShapes
from walkon.take.take import Take
from walkon.transforms import quaternions as quat
from walkon.transforms import rigid
from walkon.transforms.easing import smoothstep

__all__ = ["JointAt", "holding_rows", "prop_at", "solve_arm"]

JointAt = Callable[[int, int, float], Array]
"""The pose [7] of a character's joint at a time, its own arm solved; NaN where the character is absent."""


def holding_rows(table: Grips | HandShapes, who: int, hand: int, t: float, *, share: float) -> list[tuple[int, float]]:
    """Return the rows that hold a hand at a time, and their weights: held or let go first, then reached for."""
    mine = np.flatnonzero((table.character == who) & (table.hand == hand))
    mine = mine[np.argsort(table.start[mine], kind="stable")]
    begun = int(np.sum(table.start[mine] <= t))
    last, after = (mine[begun - 1] if begun else None), (mine[begun] if begun < len(mine) else None)
    if last is not None and t < table.stop[last]:
        return [(int(last), 1.0)]
    gap = np.inf if last is None or after is None else share * (table.start[after] - table.stop[last])
    found = []
    if last is not None and t < table.stop[last] + (fade := min(float(table.fade_out[last]), gap)):
        found.append((int(last), 1.0 - float(smoothstep((t - table.stop[last]) / fade))))
    if after is not None and t > table.start[after] - (fade := min(float(table.fade_in[after]), gap)):
        found.append((int(after), float(smoothstep(1.0 - (table.start[after] - t) / fade))))
    return found


def prop_at(take: Take, prop: int, t: float, joint_at: JointAt) -> Array:
    """Return the pose [7] of a prop at a time; NaN where it is nowhere."""
    a = take.attachments
    mine = np.flatnonzero(a.prop == prop)
    if not len(mine):
        return np.full(7, np.nan)
    mine = mine[np.argsort(a.start[mine], kind="stable")]
    row = int(mine[max(int(np.sum(a.start[mine] <= t)) - 1, 0)])
    posed = float(np.clip(t, a.start[row], a.stop[row]))
    frame = rigid.from_planar(np.zeros(3))
    if a.track[row] >= 0:
        clock = a.track_start[row] + posed - a.start[row]
        frame = np.concatenate(track_poses(take, a.track[[row]].astype(np.int64), np.array([clock])), axis=1)[0]
    elif a.character[row] >= 0:
        frame = joint_at(int(a.character[row]), int(a.joint[row]), posed)
    pose = rigid.compose(frame, _mixed(a.pose[row], _share(a.start[row], a.stop[row], posed)))
    if take.props[prop].keep_level:
        pose[3:] = quat.swing_twist(pose[3:], np.array([0.0, 0.0, 1.0]))[1]
    return pose


def grip_target(take: Take, row: int, t: float, joint_at: JointAt) -> Array:
    """Return where a grip wants the palm [7] at a time; NaN where what it holds on to is absent."""
    g = take.grips
    frame = rigid.from_planar(np.zeros(3))
    if g.prop[row] >= 0:
        frame = prop_at(take, int(g.prop[row]), t, joint_at)
    elif g.other[row] >= 0:
        frame = joint_at(int(g.other[row]), int(g.joint[row]), t)
    return rigid.compose(frame, _mixed(g.pose[row], _share(g.start[row], g.stop[row], t)))


def solve_arm(
    take: Take,
    skeleton: Skeleton,
    hand: int,
    held: tuple[int, float],
    t: float,
    hinge: Array,
    pose: WorldPose,
    joint_at: JointAt,
) -> tuple[WorldPose, float]:
    """Return a body, posed [J], with one arm solved onto a grip (row, weight), and m by which it falls short."""
    row, weight = held
    palm = grip_target(take, row, t, joint_at)
    if np.isnan(palm).any() or not has_arm(skeleton, SIDES[hand]) or np.linalg.norm(hinge) < 1e-6:
        return pose, 0.0
    arm, frame = Arm.of(skeleton, SIDES[hand]), palm_frame(skeleton, SIDES[hand])
    wrist = rigid.compose(palm, rigid.inverse(np.concatenate(frame)))
    positions, R = pose
    limb = Limb(
        positions[[arm.shoulder]],
        positions[[arm.elbow]] - positions[[arm.shoulder]],
        positions[[arm.wrist]] - positions[[arm.elbow]],
        quat.rotate(R[[arm.shoulder]], hinge[None] / np.linalg.norm(hinge)),
    )
    root, bend = (turn[0] for turn in solve_limb(limb, limb.roots, wrist[None, :3]))
    aim = wrist[:3] - positions[arm.shoulder]
    first, last = take.grips.swivel[row].astype(np.float64)
    share = _share(take.grips.start[row], take.grips.stop[row], t)
    root = quat.multiply(quat.about(aim / np.linalg.norm(aim), (1 - share) * first + share * last), root)
    parents = skeleton.parents
    above = R[np.maximum(parents, 0)]
    local = np.where((parents >= 0)[:, None], quat.multiply(quat.conjugate(above), R), R)
    turned = quat.multiply(root, bend)
    for joint, parent, here in (
        (arm.shoulder, above[arm.shoulder], quat.multiply(root, R[arm.shoulder])),
        (arm.elbow, above[arm.elbow], quat.multiply(bend, R[arm.elbow])),
        (arm.wrist, quat.multiply(turned, above[arm.wrist]), wrist[3:]),
    ):
        wanted = quat.multiply(quat.conjugate(parent), here)
        local[joint] = quat.slerp(local[joint], wanted, np.array(weight))
    whole = forward_numpy(skeleton, positions[:1], local[None])
    short = float(limb_misses(limb, aim[None])[0]) if weight == 1.0 else 0.0
    return WorldPose(whole.positions[0], whole.rotations[0]), short


def _share(start: float, stop: float, t: float) -> float:
    return float(np.clip((t - start) / max(stop - start, 1e-9), 0.0, 1.0))


def _mixed(ends: Array, share: float) -> Array:
    first, last = ends
    sign = -1.0 if first[3:] @ last[3:] < 0 else 1.0
    turn = quat.normalize((1 - share) * first[3:] + share * sign * last[3:])
    return np.concatenate([(1 - share) * first[:3] + share * last[:3], turn])
