"""Compiled posing: from the score to joints in the world, for any list of (character, time).

The NumPy twin is `posing_numpy.pose_numpy`. The rule, step by step, is told in `posing`.
"""

# mypy: ignore-errors

import math

import numpy as np

from walkon._base.jit import group, kernel, reads, writes
from walkon.take.score import Limbs, Parts, Rigs, Sources, Steps

STEP = 2.0 * math.sqrt(0.5) / 32767
SPAN = math.sqrt(0.5)
DROP_STEP = 0.1
ABUTS = 1e-3
MOST_BEND = 0.35
"""rad by which toes turn at most to keep heel and ball as far apart as their plants are."""

RIGS = group(
    Rigs,
    reads(1, "int32"),
    reads(2, "int32"),
    reads(2, "int32"),
    reads(3),
    reads(3, "int32"),
    reads(2, "int8"),
    reads(3),
    reads(3),
    reads(2),
    reads(1),
)
SOURCES = group(
    Sources,
    reads(1, "int32"),
    reads(1),
    reads(1, "int64"),
    reads(1, "int32"),
    reads(1, "int64"),
    reads(1, "int32"),
    reads(3, "float32"),
    reads(2, "float32"),
    reads(2, "uint16"),
    reads(1, "uint8"),
)
PARTS = group(
    Parts,
    reads(1, "int32"),
    reads(1, "float32"),
    reads(1, "float32"),
    reads(1),
    reads(1),
    reads(1, "int64"),
    reads(1),
    reads(1),
    reads(1, "int32"),
    reads(1),
    reads(1, "float32"),
    reads(1, "float32"),
    reads(2),
    reads(1, "int32"),
    reads(1, "int32"),
    reads(1, "int32"),
    reads(3, "float32"),
    reads(3, "float32"),
    reads(1, "int32"),
    reads(1),
    reads(1, "float32"),
    reads(1, "float32"),
    reads(2),
    reads(1, "float32"),
    reads(1, "int64"),
    reads(1, "int32"),
    reads(1, "float32"),
    reads(2, "float32"),
)
STEPS = group(
    Steps,
    reads(1, "int64"),
    reads(1),
    reads(1),
    reads(2, "float32"),
    reads(2, "float32"),
    reads(2, "float32"),
    reads(2, "float32"),
    reads(2, "float32"),
    reads(2, "float32"),
    reads(2, "float32"),
    reads(2, "float32"),
    reads(1, "float32"),
    reads(1, "float32"),
    reads(1, "int64"),
    reads(1),
    reads(1, "int32"),
    reads(1, "float32"),
)
LIMBS = group(
    Limbs,
    reads(1, "int64"),
    reads(1),
    reads(1),
    reads(1, "float32"),
    reads(1, "float32"),
    reads(1, "float32"),
    reads(2, "int64"),
    reads(1, "int64"),
    reads(1, "int32"),
    reads(2, "uint16"),
)


@kernel()
def _vector(rows, i):
    """Read three numbers as float64, whatever they are stored as."""
    return (1.0 * rows[i, 0], 1.0 * rows[i, 1], 1.0 * rows[i, 2])


@kernel()
def _rotation(rows, i):
    return (rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3])


@kernel()
def _put(rows, i, q):
    rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3] = q


@kernel()
def _plus(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel()
def _minus(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel()
def _scaled(k, a):
    return (k * a[0], k * a[1], k * a[2])


@kernel()
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel()
def _cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel()
def _mixed(a, b, w):
    u = 1.0 - w
    return (u * a[0] + w * b[0], u * a[1] + w * b[1], u * a[2] + w * b[2])


@kernel()
def _times(a, b):
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@kernel()
def _back(q):
    return (q[0], -q[1], -q[2], -q[3])


@kernel()
def _turned(q, v):
    u = (q[1], q[2], q[3])
    t = _scaled(2.0, _cross(u, v))
    return _plus(_plus(v, _scaled(q[0], t)), _cross(u, t))


@kernel()
def _unit(q):
    k = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (k * q[0], k * q[1], k * q[2], k * q[3])


@kernel()
def _nlerp(a, b, w):
    """Return the normalised mix of two near rotations."""
    v = -w if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0 else w
    u = 1.0 - w
    return _unit((u * a[0] + v * b[0], u * a[1] + v * b[1], u * a[2] + v * b[2], u * a[3] + v * b[3]))


@kernel()
def _slerp(a, b, w):
    """Return the rotation at w of the way from a to b."""
    dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    sign = -1.0 if dot < 0.0 else 1.0
    # Mixing linearly is as good where the angle is so small that its sine loses digits.
    u, v = 1.0 - w, sign * w
    if sign * dot < 1.0 - 1e-9:
        angle = math.acos(sign * dot)
        u, v = math.sin((1.0 - w) * angle), sign * math.sin(w * angle)
    return _unit((u * a[0] + v * b[0], u * a[1] + v * b[1], u * a[2] + v * b[2], u * a[3] + v * b[3]))


@kernel()
def _about(axis, angle):
    k = math.sin(0.5 * angle)
    return (math.cos(0.5 * angle), k * axis[0], k * axis[1], k * axis[2])


@kernel()
def _exp(v):
    angle = math.sqrt(_dot(v, v))
    k = 0.5 if angle < 1e-8 else math.sin(0.5 * angle) / angle
    return (math.cos(0.5 * angle), k * v[0], k * v[1], k * v[2])


@kernel()
def _between(a, b):
    """Return the smallest rotation that turns the direction of a to that of b."""
    sizes = math.sqrt(_dot(a, a) * _dot(b, b))
    w = sizes + _dot(a, b)
    if sizes < 1e-12 or w < 1e-9 * sizes:
        return (1.0, 0.0, 0.0, 0.0)
    c = _cross(a, b)
    return _unit((w, c[0], c[1], c[2]))


@kernel()
def _ease(p):
    p = min(max(p, 0.0), 1.0)
    return p * p * (3.0 - 2.0 * p)


@kernel()
def _unpacked(words, row):
    """Read a rotation in 48 bits."""
    a, b, c = int(words[row, 0]), int(words[row, 1]), int(words[row, 2])
    largest = (a >> 15) | ((b >> 15) << 1)
    x, y, z = (a & 32767) * STEP - SPAN, (b & 32767) * STEP - SPAN, (c & 32767) * STEP - SPAN
    rest = math.sqrt(max(1.0 - x * x - y * y - z * z, 0.0))
    if largest == 0:
        return (rest, x, y, z)
    if largest == 1:
        return (x, rest, y, z)
    if largest == 2:
        return (x, y, rest, z)
    return (x, y, z, rest)


@kernel()
def _last_not_after(times, first, stop, t):
    """Return the last row in [first, stop) whose time is at most t, first − 1 if there is none."""
    low, high = first, stop
    while low < high:
        middle = (low + high) // 2
        if times[middle] <= t:
            low = middle + 1
        else:
            high = middle
    return low - 1


@kernel()
def _clip_time(start, rate_start, rate_stop, length, tau):
    """Return the clip's time: its speed runs evenly from one rate to the other."""
    return start + (rate_start + 0.5 * (1.0 * rate_stop - rate_start) / max(length, 1e-9) * tau) * tau


@kernel()
def _read_clip(sources, channels, clip, u, place, stride, height, locals_):
    """Fill local rotations [J, 4] of a clip at u seconds, placed; return the root's place and the frame before."""
    x = min(max(u * sources.fps[clip], 0.0), sources.frames[clip] - 1.0)
    before = int(x)
    part = x - before
    after = min(before + 1, sources.frames[clip] - 1)
    count = sources.channels[clip]
    row = sources.first_rotation[clip] + before * count
    next_row = sources.first_rotation[clip] + after * count
    for j in range(len(channels)):
        c = channels[j]
        if c < 0:
            _put(locals_, j, (1.0, 0.0, 0.0, 0.0))
        else:
            first, second = _unpacked(sources.rotations, row + c), _unpacked(sources.rotations, next_row + c)
            _put(locals_, j, _nlerp(first, second, part))
    frame, next_frame = sources.first_frame[clip] + before, sources.first_frame[clip] + after
    p = _mixed(_vector(sources.roots, frame), _vector(sources.roots, next_frame), part)
    yaw = _about((0.0, 0.0, 1.0), place[2])
    _put(locals_, 0, _times(yaw, _rotation(locals_, 0)))
    v = _turned(yaw, (stride * p[0], stride * p[1], height * p[2]))
    # The nearest frame says which contacts hold.
    return _plus(v, (place[0], place[1], place[3])), frame if part < 0.5 else next_frame


@kernel()
def _forward(count, parents, offsets, scale, locals_, leg_of, positions, rotations):
    """Place `count` joints of one body from its root down; those on no leg are left out (`leg_of` is empty: none)."""
    for j in range(1, count):
        if len(leg_of) and leg_of[j] < 0:
            continue
        p = parents[j]
        above = _rotation(rotations, p)
        _put(rotations, j, _times(above, _rotation(locals_, j)))
        v = _plus(_vector(positions, p), _turned(above, _scaled(scale, _vector(offsets, j))))
        positions[j, 0], positions[j, 1], positions[j, 2] = v


@kernel()
def _override(limbs, joints, who, t, locals_):
    """Mix the dense tracks of limbs into local rotations."""
    for o in range(limbs.first[who], limbs.first[who + 1]):
        if t < limbs.start[o] or t > limbs.stop[o]:
            continue
        weight = 1.0
        if limbs.fade_in[o] > 0.0:
            weight = min(weight, _ease((t - limbs.start[o]) / limbs.fade_in[o]))
        if limbs.fade_out[o] > 0.0:
            weight = min(weight, _ease((limbs.stop[o] - t) / limbs.fade_out[o]))
        x = min(max((t - limbs.start[o]) * limbs.rate[o], 0.0), limbs.frames[o] - 1.0)
        before = int(x)
        after = min(before + 1, limbs.frames[o] - 1)
        count = 0
        for j in range(joints):
            count += (limbs.joints[o, j // 63] >> (j % 63)) & 1
        first, second = limbs.row[o] + before * count, limbs.row[o] + after * count
        for j in range(joints):
            if (limbs.joints[o, j // 63] >> (j % 63)) & 1:
                q = _nlerp(_unpacked(limbs.rotations, first), _unpacked(limbs.rotations, second), x - before)
                _put(locals_, j, _slerp(_rotation(locals_, j), q, weight))
                first, second = first + 1, second + 1


@kernel()
def _drop(steps, drops, first, stop, x):
    """Return the metres by which a root comes down at x steps: a cubic B-spline of control points first to stop − 1."""
    i = int(math.floor(x))
    total = 0.0
    row = _last_not_after(steps, first, stop, i - 2) + 1
    while row < stop and steps[row] <= i + 2:
        # The weight of a control point at a distance of |d| steps, 0 from 2 on.
        d = abs(x - steps[row])
        w = (3.0 * d - 6.0) * d * d + 4.0 if d < 1.0 else (2.0 - d) * (2.0 - d) * (2.0 - d)
        total += w / 6.0 * drops[row]
        row += 1
    return total


@kernel()
def _flat(heel, ball, k):
    """Return when heel and ball of a stance are both down, seconds after its start; stop < start where never."""
    return max(heel[k, 0], ball[k, 0]), min(heel[k, 1], ball[k, 1])


@kernel()
def _turn(steps, k, first, stop, t):
    """Return how a foot in stance k turns while not flat, and its toes: even, or eased towards an abutting stance."""
    begin, end = _flat(steps.heel, steps.ball, k)
    tau = t - steps.start[k]
    early, late = k, k
    if end > begin and tau > end and k + 1 < stop and steps.start[k + 1] - steps.stop[k] < ABUTS:
        late = k + 1
    elif end > begin and tau < begin and k > first and steps.start[k] - steps.stop[k - 1] < ABUTS:
        early = k - 1
    w = 0.0 if tau >= begin else 1.0
    if early < late:
        low_begin, low_end = _flat(steps.heel, steps.ball, early)
        since = steps.start[early] + max(low_begin, low_end)
        until = steps.start[late] + _flat(steps.heel, steps.ball, late)[0]
        w = _ease((t - since) / max(until - since, 1e-9))
    turn = _mixed(_vector(steps.turn_out, early), _vector(steps.turn_in, late), w)
    return _exp(turn), (1.0 - w) * steps.toe_out[early] + w * steps.toe_in[late]


@kernel()
def _foot_target(steps, row, t, ankle, heel, joint, ball):
    """Return where the ankle goes, how the foot turns, how the toes do before it, and what holds (1 heel, 2 ball).

    `row` is the foot's place in `steps.first`; ankle, heel, ball joint and ball are the clip's own, in the world.
    """
    first, stop = steps.first[row], steps.first[row + 1]
    k = _last_not_after(steps.start, first, stop, t)
    # Toes turn about the ball joint, across the foot, from its line on to the ball's.
    sole, toe = _minus(joint, heel), _minus(ball, joint)
    across = _cross(sole, toe)
    size = math.sqrt(_dot(across, across))
    axis = _scaled(1.0 / max(size, 1e-9), across)
    if k >= first and t <= steps.stop[k]:
        tau = t - steps.start[k]
        slack = 1e-6 + 2e-7 * tau  # the ends are float32 seconds after a float64 start
        on_heel = steps.heel[k, 1] > steps.heel[k, 0] and steps.heel[k, 0] - slack <= tau <= steps.heel[k, 1] + slack
        on_ball = steps.ball[k, 1] > steps.ball[k, 0] and steps.ball[k, 0] - slack <= tau <= steps.ball[k, 1] + slack
        turn, bend = _turn(steps, k, first, stop, t)
        H, B = _vector(steps.heel_place, k), _vector(steps.ball_place, k)
        lies = _minus(B, H)
        flat = on_heel and on_ball
        if flat:
            long2 = _dot(sole, sole) * _dot(toe, toe)
            cosine = 0.5 * (_dot(lies, lies) - _dot(sole, sole) - _dot(toe, toe)) / math.sqrt(max(long2, 1e-18))
            bend = math.acos(min(max(cosine, -1.0), 1.0)) - math.atan2(size, _dot(sole, toe))
            bend = min(max(bend, -MOST_BEND), MOST_BEND)
        bent = _about(axis, bend if size > 1e-9 else 0.0)
        ball = _plus(joint, _turned(bent, toe))
        if flat:
            turn = _between(_minus(ball, heel), lies)
        if on_ball:
            target = _minus(B, _turned(turn, _minus(ball, ankle)))
        else:
            target = _minus(H, _turned(turn, _minus(heel, ankle)))
        return target, turn, bent, (1 if on_heel else 0) + (2 if on_ball else 0)
    before, after = max(k, first), min(k + 1, stop - 1)
    w = 1.0 if k < first else 0.0
    if k >= first and k + 1 < stop:
        w = _ease((t - steps.stop[k]) / (steps.start[k + 1] - steps.stop[k]))
    shift = _mixed(_vector(steps.shift_out, before), _vector(steps.shift_in, after), w)
    turn = _exp(_mixed(_vector(steps.turn_out, before), _vector(steps.turn_in, after), w))
    bend = (1.0 - w) * steps.toe_out[before] + w * steps.toe_in[after]
    return _plus(ankle, shift), turn, _about(axis, bend if size > 1e-9 else 0.0), 0


@kernel()
def _solve_leg(leg, parents, hinge, target, turn, toe_turn, locals_, positions, rotations):
    """Turn hip and knee so that the ankle comes to the target, and foot and toes; return how short the leg is.

    The same law of cosines as `motion.legs.solve_leg`, for one leg.
    """
    hip, knee, ankle, ball = leg[0], leg[1], leg[2], leg[3]
    R_hip = _rotation(rotations, hip)
    axis = _turned(R_hip, hinge)
    thigh = _minus(_vector(positions, knee), _vector(positions, hip))
    shin = _minus(_vector(positions, ankle), _vector(positions, knee))
    aim = _minus(target, _vector(positions, hip))
    along, other = _dot(thigh, axis), _dot(shin, axis)
    t, s = _minus(thigh, _scaled(along, axis)), _minus(shin, _scaled(other, axis))
    t_size, s_size = math.sqrt(_dot(t, t)), math.sqrt(_dot(s, s))
    straight = (along + other) * (along + other)
    distance2 = _dot(aim, aim)
    longest = math.sqrt(straight + (t_size + s_size) * (t_size + s_size))
    short = max(math.sqrt(distance2) - longest, 0.0)
    cosine = (distance2 - straight - t_size * t_size - s_size * s_size) / (2.0 * t_size * s_size)
    wanted = math.acos(min(max(cosine, -1.0), 1.0))
    knee_turn = _about(axis, wanted - math.atan2(_dot(axis, _cross(t, s)), _dot(t, s)))
    hip_turn = _between(_plus(thigh, _turned(knee_turn, shin)), aim)

    # Local rotations from the turns in the world; joints between hip, knee and ankle ride along.
    above = _rotation(rotations, parents[hip])
    _put(locals_, hip, _times(_back(above), _times(hip_turn, R_hip)))
    above = _rotation(rotations, parents[knee])
    _put(locals_, knee, _times(_back(above), _times(knee_turn, _rotation(rotations, knee))))
    above = _times(_times(hip_turn, knee_turn), _rotation(rotations, parents[ankle]))
    _put(locals_, ankle, _unit(_times(_back(above), _times(turn, _rotation(rotations, ankle)))))
    above = _rotation(rotations, parents[ball])
    _put(locals_, ball, _times(_back(above), _times(toe_turn, _rotation(rotations, ball))))
    return short


@kernel()
def _base_pose(sources, parts, limbs, heights, channels, who, s, t, locals_, other, hinges):
    """Fill local rotations and the knees' hinges [2, 3] of segment s at time t, blended and warped.

    Returns the root's place and the frame whose contacts hold.
    """
    stride, scale = 1.0 * parts.stride[who], 1.0 * parts.scale[who]
    clip = parts.clip[s]
    tau, length = t - parts.start[s], parts.stop[s] - parts.start[s]
    u = _clip_time(parts.clip_start[s], parts.rate_start[s], parts.rate_stop[s], length, tau)
    height = scale * heights[sources.skeleton[clip]]
    root, frame = _read_clip(sources, channels, clip, u, parts.place[s], stride, height, locals_)
    blend = parts.blend[s]
    old, w = clip, 1.0
    if blend >= 0 and tau < parts.from_duration[blend]:
        span = parts.from_duration[blend]
        old = parts.from_clip[blend]
        u = _clip_time(parts.from_start[blend], parts.from_rate_start[blend], parts.from_rate_stop[blend], span, tau)
        height = scale * heights[sources.skeleton[old]]
        place = parts.from_place[blend]
        old_root, old_frame = _read_clip(sources, channels, old, u, place, stride, height, other)
        w = _ease(tau / span)
        root = _mixed(old_root, root, w)
        for j in range(len(channels)):
            _put(locals_, j, _slerp(_rotation(other, j), _rotation(locals_, j), w))
        frame = old_frame if w < 0.5 else frame
    for foot in range(2):
        for i in range(3):
            hinges[foot, i] = (1.0 - w) * sources.hinges[old, foot, i] + w * sources.hinges[clip, foot, i]
    warp = parts.warp[s]
    if warp >= 0:
        p = tau / max(length, 1e-9)
        d, v = parts.warp_offsets[warp], parts.warp_slopes[warp]
        ramp = _mixed(_vector(d, 0), _vector(d, 1), p * p * (3.0 - 2.0 * p))
        ramp = _plus(ramp, _scaled(length * p * (1.0 - p) * (1.0 - p), _vector(v, 0)))
        ramp = _plus(ramp, _scaled(-length * p * p * (1.0 - p), _vector(v, 1)))
        root = _plus(root, (ramp[0], ramp[1], 0.0))
        _put(locals_, 0, _times(_about((0.0, 0.0, 1.0), ramp[2]), _rotation(locals_, 0)))
    _override(limbs, len(channels), who, t, locals_)
    return root, frame


@kernel()
def _on_track(samples, first, count, x):
    """Return (x, y, heading) at the place x [samples] of a planar track."""
    x = min(max(x, 0.0), count - 1.0)
    before = int(x)
    row = first + before
    return _mixed(_vector(samples, row), _vector(samples, row + (1 if before + 1 < count else 0)), x - before)


@kernel(
    RIGS,
    SOURCES,
    PARTS,
    STEPS,
    LIMBS,
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
def pose(
    rigs, sources, parts, steps, limbs, who, when, legs, positions, rotations, presence, contacts, short, segments
):
    """Pose character who[k] at when[k] seconds, for each k.

    Fills world positions [K, J, 3] and rotations [K, J, 4], presence (0 absent, 1 a body, 2 planar only), contacts
    (bits in the order of the contact points), how far each leg falls short [K, 2] m, and the segment (−1 absent) in the
    order of the score. Without `legs` the clip's own legs are left as they are.
    """
    J = positions.shape[1]
    locals_, other, hinges = np.zeros((J, 4)), np.zeros((J, 4)), np.zeros((2, 3))
    for k in range(len(who)):
        n, t = who[k], when[k]
        presence[k], contacts[k], segments[k] = 0, 0, -1
        short[k, 0], short[k, 1] = 0.0, 0.0
        p, r = positions[k], rotations[k]
        s = _last_not_after(parts.start, parts.first[n], parts.first[n + 1], t)
        hidden = parts.leave[n] > parts.enter[n] and not parts.enter[n] <= t <= parts.leave[n]
        if hidden or s < parts.first[n] or t > parts.stop[s]:
            for j in range(J):
                p[j, 0], p[j, 1], p[j, 2] = math.nan, math.nan, math.nan
                _put(r, j, (math.nan, math.nan, math.nan, math.nan))
            continue
        segments[k] = s
        b, scale = parts.body[n], 1.0 * parts.scale[n]
        count, parents, offsets = rigs.joints[b], rigs.parents[b], rigs.offsets[b]
        drop = 0.0
        if parts.clip[s] < 0:
            presence[k] = 2
            track = parts.track[s]
            x = (t - parts.start[s]) * parts.track_rate[track]
            at = _on_track(parts.planar, parts.track_first[track], parts.track_count[track], x)
            root = (at[0], at[1], scale * rigs.rest_height[b] + parts.place[s, 3])
            for j in range(1, count):
                _put(locals_, j, (1.0, 0.0, 0.0, 0.0))
            _put(locals_, 0, _about((0.0, 0.0, 1.0), at[2]))
        else:
            presence[k] = 1
            heights, channels = rigs.heights[b], rigs.channels[b, :count]
            root, frame = _base_pose(sources, parts, limbs, heights, channels, n, s, t, locals_, other, hinges)
            contacts[k] = sources.contacts[frame]
            if legs:
                x = (t - steps.drop_start[n]) / DROP_STEP
                drop = _drop(steps.drop_step, steps.drop, steps.drop_first[n], steps.drop_first[n + 1], x)
        p[0, 0], p[0, 1], p[0, 2] = root[0], root[1], root[2] - drop
        _put(r, 0, _rotation(locals_, 0))
        _forward(count, parents, offsets, scale, locals_, rigs.leg_of[b, :0], p, r)
        for j in range(count, J):
            p[j, 0], p[j, 1], p[j, 2] = p[0, 0], p[0, 1], p[0, 2]
            _put(r, j, _rotation(r, 0))
        planted = legs and presence[k] == 1 and rigs.legs[b, 0, 0] >= 0
        if planted and steps.first[2 * n] < steps.first[2 * n + 2]:
            contacts[k] = 0
            for foot in range(2):
                if steps.first[2 * n + foot] == steps.first[2 * n + foot + 1]:
                    continue
                leg = rigs.legs[b, foot]
                # The clip's own foot does not come down with the root.
                up = (0.0, 0.0, drop)
                ankle, joint = _plus(_vector(p, leg[2]), up), _plus(_vector(p, leg[3]), up)
                heel = _plus(ankle, _turned(_rotation(r, leg[2]), _scaled(scale, _vector(rigs.heels[b], foot))))
                ball = _plus(joint, _turned(_rotation(r, leg[3]), _scaled(scale, _vector(rigs.balls[b], foot))))
                target, turn, toe_turn, held = _foot_target(steps, 2 * n + foot, t, ankle, heel, joint, ball)
                contacts[k] |= held << (2 * foot)
                hinge = _vector(hinges, foot)
                hinge = _scaled(1.0 / max(math.sqrt(_dot(hinge, hinge)), 1e-9), hinge)
                short[k, foot] = _solve_leg(leg, parents, hinge, target, turn, toe_turn, locals_, p, r)
            _forward(count, parents, offsets, scale, locals_, rigs.leg_of[b], p, r)
