"""Compiled posing: clips read, blended and warped, forward and inverse kinematics, for any list of (character, time).

In readable NumPy it is `posing_numpy.pose_numpy`. The rule, step by step, is in `posing`.
"""

# mypy: ignore-errors

import math

import numpy as np

from walkon._base.jit import group_of, kernel, reads, writes
from walkon.take.posing import _foot_kernels as feet
from walkon.take.posing import _row_kernels as rows
from walkon.take.posing import _track_kernels as along
from walkon.take.posing.posing_rule import DROP_STEP_S
from walkon.take.posing.score_rule import Score
from walkon.transforms import _kernels as vec


@kernel(borrowed=True)
def _clip_time(start, rate_start, rate_stop, length, tau):
    """Return the clip's time: its speed runs evenly from one rate to the other."""
    return start + (rate_start + 0.5 * (1.0 * rate_stop - rate_start) / max(length, 1e-9) * tau) * tau


@kernel(borrowed=True)
def _read_clip(clips, frames, channels, clip, u, place, stride, height, locals_):
    """Fill local rotations [J, 4] of a clip at u seconds, placed; return the root's place and the frame before."""
    x = min(max(u * clips.fps[clip], 0.0), clips.frames[clip] - 1.0)
    before = int(x)
    part = x - before
    after = min(before + 1, clips.frames[clip] - 1)
    count = frames.channels[clip]
    row = clips.first_rotation[clip] + before * count
    next_row = clips.first_rotation[clip] + after * count
    for j in range(len(channels)):
        c = channels[j]
        if c < 0:
            vec.put(locals_, j, (1.0, 0.0, 0.0, 0.0))
        else:
            first, second = rows.unpack(frames.rotations, row + c), rows.unpack(frames.rotations, next_row + c)
            vec.put(locals_, j, vec.nlerp(first, second, part))
    frame, next_frame = clips.first_frame[clip] + before, clips.first_frame[clip] + after
    p = vec.mix(vec.vector(frames.roots, frame), vec.vector(frames.roots, next_frame), part)
    yaw = vec.about((0.0, 0.0, 1.0), place[2])
    vec.put(locals_, 0, vec.multiply(yaw, vec.rotation(locals_, 0)))
    v = vec.rotate(yaw, (stride * p[0], stride * p[1], height * p[2]))
    # The nearest frame says which contacts hold.
    return vec.plus(v, (place[0], place[1], 0.0)), frame if part < 0.5 else next_frame


@kernel(borrowed=True)
def place_joints(count, parents, offsets, scale, locals_, leg_of, positions, rotations):
    """Place `count` joints of one body from its root down; those on no leg are left out (`leg_of` is empty: none)."""
    for j in range(1, count):
        if len(leg_of) and leg_of[j] < 0:
            continue
        p = parents[j]
        above = vec.rotation(rotations, p)
        vec.put(rotations, j, vec.multiply(above, vec.rotation(locals_, j)))
        v = vec.plus(vec.vector(positions, p), vec.rotate(above, vec.scale(scale, vec.vector(offsets, j))))
        positions[j, 0], positions[j, 1], positions[j, 2] = v


@kernel(borrowed=True)
def override(limbs, joints, words, offsets, first_row, stop_row, t, locals_):
    """Mix the dense tracks of limbs, rows first to stop − 1 of the overrides, into local rotations.

    Returns the root's offset.
    """
    root = (0.0, 0.0, 0.0)
    for o in range(first_row, stop_row):
        if t < limbs.start[o] or t > limbs.stop[o]:
            continue
        weight = 1.0
        if limbs.fade_in[o] > 0.0:
            weight = min(weight, vec.smoothstep((t - limbs.start[o]) / limbs.fade_in[o]))
        if limbs.fade_out[o] > 0.0:
            weight = min(weight, vec.smoothstep((limbs.stop[o] - t) / limbs.fade_out[o]))
        x = min(max((t - limbs.start[o]) * limbs.rate[o], 0.0), limbs.frames[o] - 1.0)
        before = int(x)
        after = min(before + 1, limbs.frames[o] - 1)
        begin, count = limbs.joints[o, 0], limbs.joints[o, 1] - limbs.joints[o, 0]
        first, second = limbs.rotations[o, 0] + before * count, limbs.rotations[o, 0] + after * count
        for i in range(count):
            j = joints[begin + i]
            q = vec.nlerp(rows.unpack(words, first + i), rows.unpack(words, second + i), x - before)
            own = vec.rotation(locals_, j)
            if limbs.added[o]:
                vec.put(locals_, j, vec.multiply(own, vec.slerp((1.0, 0.0, 0.0, 0.0), q, weight)))
            else:
                vec.put(locals_, j, vec.slerp(own, q, weight))
        if limbs.roots[o, 1] > limbs.roots[o, 0]:
            row = limbs.roots[o, 0]
            moved = vec.mix(vec.vector(offsets, row + before), vec.vector(offsets, row + after), x - before)
            root = vec.plus(root, vec.scale(weight, moved))
    return root


@kernel(borrowed=True)
def height_at(heights, first, stop, t):
    """Return the height of the floor under a character at t: cubic Hermite between knots first to stop − 1."""
    if first == stop:
        return 0.0
    low = max(rows.last_not_after(heights.time, first, stop, t), first)
    high = min(low + 1, stop - 1)
    h = heights.time[high] - heights.time[low]
    u = min(max((t - heights.time[low]) / h, 0.0), 1.0) if h > 0.0 else 0.0
    v = 1.0 - u
    ends = (1.0 + 2.0 * u) * v * v * heights.height[low] + u * u * (3.0 - 2.0 * u) * heights.height[high]
    return ends + h * u * v * (v * heights.slope[low] - u * heights.slope[high])


@kernel(borrowed=True)
def _drop(steps, drops, first, stop, x):
    """Return the metres by which a root comes down at x steps: a cubic B-spline of control points first to stop − 1."""
    i = int(math.floor(x))
    total = 0.0
    row = rows.last_not_after(steps, first, stop, i - 2) + 1
    while row < stop and steps[row] <= i + 2:
        # The weight of a control point at a distance of |d| steps, 0 from 2 on.
        d = abs(x - steps[row])
        w = (3.0 * d - 6.0) * d * d + 4.0 if d < 1.0 else (2.0 - d) * (2.0 - d) * (2.0 - d)
        total += w / 6.0 * drops[row]
        row += 1
    return total


@kernel(borrowed=True)
def base_pose(clips, frames, parts, warps, blends, place, sizes, channels, s, t, locals_, other, hinges):
    """Fill local rotations and the knees' hinges [2, 3] of segment s at time t, blended and warped.

    `place` [3] is where its clip lies, `sizes` are the body's stride, scale and heights [K]. Returns the root's place
    and the frame whose contacts hold.
    """
    stride, scale, heights = sizes
    clip = parts.clip[s]
    tau, length = t - parts.start[s], parts.stop[s] - parts.start[s]
    u = _clip_time(parts.clip_start[s], parts.rate_start[s], parts.rate_stop[s], length, tau)
    height = scale * heights[clips.skeleton[clip]]
    root, frame = _read_clip(clips, frames, channels, clip, u, place, stride, height, locals_)
    blend = parts.blend[s]
    old, w = clip, 1.0
    if blend >= 0 and tau < blends.duration[blend]:
        span = blends.duration[blend]
        old = blends.clip[blend]
        u = _clip_time(blends.clip_start[blend], blends.rate_start[blend], blends.rate_stop[blend], span, tau)
        height = scale * heights[clips.skeleton[old]]
        old_root, old_frame = _read_clip(clips, frames, channels, old, u, blends.place[blend], stride, height, other)
        w = vec.smoothstep(tau / span)
        root = vec.mix(old_root, root, w)
        for j in range(len(channels)):
            vec.put(locals_, j, vec.slerp(vec.rotation(other, j), vec.rotation(locals_, j), w))
        frame = old_frame if w < 0.5 else frame
    for foot in range(2):
        for i in range(3):
            hinges[foot, i] = (1.0 - w) * clips.hinges[old, foot, i] + w * clips.hinges[clip, foot, i]
    warp = parts.warp[s]
    if warp >= 0:
        p = tau / max(length, 1e-9)
        d, v = warps.offsets[warp], warps.slopes[warp]
        ramp = vec.mix(vec.vector(d, 0), vec.vector(d, 1), p * p * (3.0 - 2.0 * p))
        ramp = vec.plus(ramp, vec.scale(length * p * (1.0 - p) * (1.0 - p), vec.vector(v, 0)))
        ramp = vec.plus(ramp, vec.scale(-length * p * p * (1.0 - p), vec.vector(v, 1)))
        root = vec.plus(root, (ramp[0], ramp[1], 0.0))
        vec.put(locals_, 0, vec.multiply(vec.about((0.0, 0.0, 1.0), ramp[2]), vec.rotation(locals_, 0)))
    return root, frame


@kernel(
    group_of(Score),
    reads(1, "int32"),
    reads(1),
    "boolean",
    writes(3),
    writes(3),
    writes(1, "uint8"),
    writes(1, "uint8"),
    writes(2),
    writes(1, "int64"),
)
def pose(score, who, when, legs, positions, rotations, presence, contacts, short, segments):
    """Pose character who[k] at when[k] seconds, for each k.

    Fills world positions [K, J, 3] and rotations [K, J, 4], presence (0 absent, 1 a body, 2 a track only), contacts
    (bits in the order of the contact points), how far each leg falls short [K, 2] m, and the segment (−1 absent) in the
    order of the score. Without `legs` the clip's own legs are left as they are.
    """
    rigs, people, parts, first = score.rigs, score.characters, score.segments, score.first
    J = positions.shape[1]
    locals_, other, hinges, still = np.zeros((J, 4)), np.zeros((J, 4)), np.zeros((2, 3)), np.zeros(3)
    for k in range(len(who)):
        n, t = who[k], when[k]
        presence[k], contacts[k], segments[k] = 0, 0, -1
        short[k, 0], short[k, 1] = 0.0, 0.0
        p, r = positions[k], rotations[k]
        s = along.segment_at(people, parts, first, n, t)
        if s < 0:
            for j in range(J):
                p[j, 0], p[j, 1], p[j, 2] = math.nan, math.nan, math.nan
                vec.put(r, j, (math.nan, math.nan, math.nan, math.nan))
            continue
        segments[k] = s
        b, scale = people.body[n], 1.0 * people.scale[n]
        count, parents, offsets = rigs.joints[b], rigs.parents[b], rigs.offsets[b]
        drop = 0.0
        tracked = parts.track[s] >= 0
        carried, carried_turn = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
        if tracked:
            carried, carried_turn = along.on_track(score.tracks, score.track_knots, score.track_turns, parts, s, t)
        if parts.clip[s] < 0:
            # No joints are posed: all of them are where the root is.
            presence[k], count = 2, 1
            root = vec.plus(carried, (0.0, 0.0, scale * rigs.rest_height[b]))
            vec.put(locals_, 0, carried_turn)
        else:
            presence[k] = 1
            sizes, channels = (1.0 * people.stride[n], scale, rigs.heights[b]), rigs.channels[b, :count]
            place = still if tracked else parts.place[s]
            root, frame = base_pose(
                score.clips, score.frames, parts, score.warps, score.blends, place, sizes, channels, s, t,
                locals_, other, hinges,
            )  # fmt: skip
            if tracked:
                root = vec.plus(carried, vec.rotate(carried_turn, root))
                vec.put(locals_, 0, vec.multiply(carried_turn, vec.rotation(locals_, 0)))
            else:
                high = height_at(score.heights, first.heights[n], first.heights[n + 1], t)
                root = vec.plus(root, (0.0, 0.0, high))
            begin, end = first.overrides[n], first.overrides[n + 1]
            moved = override(
                score.overrides, score.override_joints.joint, score.override_frames.rotation,
                score.override_roots.offset, begin, end, t, locals_,
            )  # fmt: skip
            root = vec.plus(root, moved)
            contacts[k] = score.frames.contacts[frame]
            if legs:
                x = (t - people.drop_start[n]) / DROP_STEP_S
                drop = _drop(score.drops.step, score.drops.drop, first.drops[n], first.drops[n + 1], x)
        p[0, 0], p[0, 1], p[0, 2] = root[0], root[1], root[2] - drop
        vec.put(r, 0, vec.rotation(locals_, 0))
        place_joints(count, parents, offsets, scale, locals_, rigs.leg_of[b, :0], p, r)
        for j in range(count, J):
            p[j, 0], p[j, 1], p[j, 2] = p[0, 0], p[0, 1], p[0, 2]
            vec.put(r, j, vec.rotation(r, 0))
        planted = legs and presence[k] == 1 and rigs.legs[b, 0, 0] >= 0
        if planted and first.stances[2 * n] < first.stances[2 * n + 2]:
            contacts[k] = 0
            for foot in range(2):
                begin, end = first.stances[2 * n + foot], first.stances[2 * n + foot + 1]
                if begin == end:
                    continue
                leg = rigs.legs[b, foot]
                # The clip's own foot does not come down with the root.
                up = (0.0, 0.0, drop)
                ankle, joint = vec.plus(vec.vector(p, leg[2]), up), vec.plus(vec.vector(p, leg[3]), up)
                heel = vec.plus(
                    ankle, vec.rotate(vec.rotation(r, leg[2]), vec.scale(scale, vec.vector(rigs.heels[b], foot)))
                )
                ball = vec.plus(
                    joint, vec.rotate(vec.rotation(r, leg[3]), vec.scale(scale, vec.vector(rigs.balls[b], foot)))
                )
                target, turn, toe_turn, held, most, across = feet.foot_target(
                    score.stances, begin, end, t, ankle, heel, joint, ball
                )
                contacts[k] |= held << (2 * foot)
                if most > 0.0 or held == 0:
                    hip, knee = vec.vector(p, leg[0]), vec.vector(p, leg[1])
                    ankle = vec.vector(p, leg[2])
                    own, thigh, shin = vec.minus(ankle, hip), vec.minus(knee, hip), vec.minus(ankle, knee)
                    longest = math.sqrt(vec.dot(thigh, thigh)) + math.sqrt(vec.dot(shin, shin))
                    own_length = math.sqrt(vec.dot(own, own))
                if held == 0:
                    target = feet.shorten_leg(hip, own_length, longest, target)
                elif most > 0.0:
                    ankle = vec.plus(ankle, up)
                    ball_joint = vec.plus(target, vec.rotate(turn, vec.minus(joint, ankle)))
                    across = vec.rotate(turn, across)
                    rise, target = feet.raise_heel(hip, own_length, longest, target, ball_joint, across, most)
                    # Toes stay where they are.
                    stay = vec.multiply(vec.conjugate(turn), vec.multiply(vec.conjugate(rise), turn))
                    toe_turn = vec.multiply(stay, toe_turn)
                    turn = vec.multiply(rise, turn)
                hinge = vec.vector(hinges, foot)
                hinge = vec.scale(1.0 / max(math.sqrt(vec.dot(hinge, hinge)), 1e-9), hinge)
                short[k, foot] = feet.solve_leg(leg, parents, hinge, target, turn, toe_turn, locals_, p, r)
            place_joints(count, parents, offsets, scale, locals_, rigs.leg_of[b], p, r)
