"""Compiled posing of feet alone: the joints from the root to the ball of a foot, as `_kernels.pose` places them.

Joints are placed one by one, so leaving out what hangs elsewhere changes no bit of a foot. Planting asks this of every
footfall, and of every thirtieth of a second whether a leg may be too long for its plants.
"""

# mypy: ignore-errors

import math

import numpy as np

from walkon._base.jit import group_of, kernel, reads, writes
from walkon.motion.limbs._limb_kernels import solve_limb
from walkon.take.posing import _foot_kernels as feet
from walkon.take.posing import _kernels as whole
from walkon.take.posing import _row_kernels as rows
from walkon.take.posing import _track_kernels as along
from walkon.take.posing.score_rule import Score
from walkon.transforms import _kernels as vec


@kernel(borrowed=True)
def _place_feet(score, channels, wanted, n, t, still, locals_, other, hinges, p, r):
    """Place the joints of one body that have a place in `wanted` [J] at t; returns the segment, −1 where absent."""
    rigs, people, parts, first = score.rigs, score.characters, score.segments, score.first
    s = along.segment_at(people, parts, first, n, t)
    if s < 0:
        return s
    b, scale = people.body[n], 1.0 * people.scale[n]
    count = rigs.joints[b]
    tracked = parts.track[s] >= 0
    carried, carried_turn = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
    if tracked:
        carried, carried_turn = along.on_track(score.tracks, score.track_knots, score.track_turns, parts, s, t)
    if parts.clip[s] < 0:
        root, count = vec.plus(carried, (0.0, 0.0, scale * rigs.rest_height[b])), 1
        vec.put(locals_, 0, carried_turn)
    else:
        sizes = (1.0 * people.stride[n], scale, rigs.heights[b])
        place = still if tracked else parts.place[s]
        root, _ = whole.base_pose(
            score.clips, score.frames, parts, score.warps, score.blends, place, sizes, channels[:count], s, t,
            locals_, other, hinges,
        )  # fmt: skip
        if tracked:
            root = vec.plus(carried, vec.rotate(carried_turn, root))
            vec.put(locals_, 0, vec.multiply(carried_turn, vec.rotation(locals_, 0)))
        else:
            high = whole.height_at(score.heights, first.heights[n], first.heights[n + 1], t)
            root = vec.plus(root, (0.0, 0.0, high))
        moved = whole.override(
            score.overrides, score.override_joints.joint, score.override_frames.rotation,
            score.override_roots.offset, first.overrides[n], first.overrides[n + 1], t, locals_,
        )  # fmt: skip
        root = vec.plus(root, moved)
    p[0, 0], p[0, 1], p[0, 2] = root
    vec.put(r, 0, vec.rotation(locals_, 0))
    whole.place_joints(count, rigs.parents[b], rigs.offsets[b], scale, locals_, wanted, p, r)
    for j in range(count, len(wanted)):
        p[j, 0], p[j, 1], p[j, 2] = root
        vec.put(r, j, vec.rotation(r, 0))
    return s


@kernel(
    group_of(Score), reads(3, "int32"), reads(3, "int8"), reads(1, "int32"), reads(1, "int8"), reads(1),
    writes(3), writes(3),
)  # fmt: skip
def own_feet(score, channels, wanted, who, foot, when, positions, rotations):
    """Fill places [K, 2, 3] and rotations [K, 2, 4] of ankle and ball joint of foot[k] of who[k] at when[k] s.

    `channels` and `wanted` [B, 2, J] are those of the joints that lead to each foot, −1 elsewhere. Absent is NaN.
    """
    J = wanted.shape[2]
    locals_, other, hinges, still = np.zeros((J, 4)), np.zeros((J, 4)), np.zeros((2, 3)), np.zeros(3)
    p, r = np.zeros((J, 3)), np.zeros((J, 4))
    for k in range(len(who)):
        b = score.characters.body[who[k]]
        which = channels[b, foot[k]]
        s = _place_feet(score, which, wanted[b, foot[k]], who[k], when[k], still, locals_, other, hinges, p, r)
        for i in range(2):
            j = score.rigs.legs[b, foot[k], 2 + i]
            for c in range(4):
                if c < 3:
                    positions[k, i, c] = p[j, c] if s >= 0 else math.nan
                rotations[k, i, c] = r[j, c] if s >= 0 else math.nan


@kernel(borrowed=True)
def _reach(upper, lower, axis):
    """Return how near and how far a limb reaches that bends about this axis only, m."""
    beside = vec.dot(upper, axis) + vec.dot(lower, axis)
    u = vec.minus(upper, vec.scale(vec.dot(upper, axis), axis))
    v = vec.minus(lower, vec.scale(vec.dot(lower, axis), axis))
    a, b = math.sqrt(vec.dot(u, u)), math.sqrt(vec.dot(v, v))
    return math.sqrt(beside * beside + (a - b) * (a - b)), math.sqrt(beside * beside + (a + b) * (a + b))


@kernel(
    group_of(Score), reads(2, "int32"), reads(2, "int8"), "float64", reads(1, "int32"), reads(1), writes(1)
)  # fmt: skip
def estimate_needs(score, channels, wanted, straight, who, when, needs):
    """Fill [K] m by which roots must come down so that no leg is straighter than its clip has it, or than `straight`.

    As `planting.drops` has it from whole poses, to rounding. `channels` and `wanted` [B, J] are those of both legs.
    """
    rigs, first = score.rigs, score.first
    J = wanted.shape[1]
    locals_, other, hinges, still = np.zeros((J, 4)), np.zeros((J, 4)), np.zeros((2, 3)), np.zeros(3)
    p, r = np.zeros((J, 3)), np.zeros((J, 4))
    for k in range(len(who)):
        n, t = who[k], when[k]
        needs[k] = 0.0
        b, scale = score.characters.body[n], 1.0 * score.characters.scale[n]
        s = _place_feet(score, channels[b], wanted[b], n, t, still, locals_, other, hinges, p, r)
        if s < 0 or score.segments.clip[s] < 0:
            continue
        for foot in range(2):
            begin, end = first.stances[2 * n + foot], first.stances[2 * n + foot + 1]
            if begin == end:
                continue
            leg = rigs.legs[b, foot]
            hip, knee, ankle = vec.vector(p, leg[0]), vec.vector(p, leg[1]), vec.vector(p, leg[2])
            row = rows.last_not_after(score.stances.start, begin, end, t)
            if row >= begin and t <= score.stances.stop[row]:
                joint = vec.vector(p, leg[3])
                heel_offset = vec.scale(scale, vec.vector(rigs.heels[b], foot))
                ball_offset = vec.scale(scale, vec.vector(rigs.balls[b], foot))
                heel = vec.plus(ankle, vec.rotate(vec.rotation(r, leg[2]), heel_offset))
                ball = vec.plus(joint, vec.rotate(vec.rotation(r, leg[3]), ball_offset))
                target, _, _, _, _, _ = feet.foot_target(score.stances, begin, end, t, ankle, heel, joint, ball)
            else:
                target = vec.plus(ankle, feet.swing_shift(score.stances, begin, end, row, t)[0])
            aim, own = vec.minus(target, hip), vec.minus(ankle, hip)
            thigh, shin = vec.minus(knee, hip), vec.minus(ankle, knee)
            size = math.sqrt(vec.dot(aim, aim))
            longest = math.sqrt(vec.dot(thigh, thigh)) + math.sqrt(vec.dot(shin, shin))
            hinge = vec.vector(hinges, foot)
            hinge = vec.scale(1.0 / max(math.sqrt(vec.dot(hinge, hinge)), 1e-9), hinge)
            axis = vec.rotate(vec.rotation(r, leg[0]), hinge)
            limit = straight * longest
            least, most = _reach(thigh, shin, axis)
            if size < 1.001 * least:  # a leg that cannot be folded so far: whole poses say what it does
                needs[k] = math.inf
            elif size > straight * most:
                _, _, missed = solve_limb(thigh, shin, axis, aim)
                limit = straight * (size - missed) if missed > 0.0 else limit
                limit = max(limit, math.sqrt(vec.dot(own, own)))
                flat2 = aim[0] * aim[0] + aim[1] * aim[1]
                needs[k] = max(needs[k], -aim[2] - math.sqrt(max(limit * limit - flat2, 0.0)))
