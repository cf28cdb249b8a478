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
    x = 2.0 * (q[2] * v[2] - q[3] * v[1])
    y = 2.0 * (q[3] * v[0] - q[1] * v[2])
    z = 2.0 * (q[1] * v[1] - q[2] * v[0])
    return (
        v[0] + q[0] * x + q[2] * z - q[3] * y,
        v[1] + q[0] * y + q[3] * x - q[1] * z,
        v[2] + q[0] * z + q[1] * y - q[2] * x,
    )


@kernel()
def _unit(q):
    size = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (q[0] / size, q[1] / size, q[2] / size, q[3] / size)


@kernel()
def _nlerp(a, b, w):
    """Return the normalised mix of two near rotations."""
    dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    v = -w if dot < 0.0 else w
    u = 1.0 - w
    return _unit((u * a[0] + v * b[0], u * a[1] + v * b[1], u * a[2] + v * b[2], u * a[3] + v * b[3]))


@kernel()
def _slerp(a, b, w):
    """Return the rotation at w of the way from a to b."""
    dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    sign = -1.0 if dot < 0.0 else 1.0
    dot = min(sign * dot, 1.0)
    if dot > 0.9995:
        return _nlerp(a, b, w)
    angle = math.acos(dot)
    u, v = math.sin((1.0 - w) * angle) / math.sin(angle), sign * math.sin(w * angle) / math.sin(angle)
    return _unit((u * a[0] + v * b[0], u * a[1] + v * b[1], u * a[2] + v * b[2], u * a[3] + v * b[3]))


@kernel()
def _exp(x, y, z):
    angle = math.sqrt(x * x + y * y + z * z)
    k = 0.5 if angle < 1e-8 else math.sin(0.5 * angle) / angle
    return (math.cos(0.5 * angle), k * x, k * y, k * z)


@kernel()
def _between(a, b):
    """Return the smallest rotation that turns the direction of a to that of b."""
    dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    x, y, z = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    sizes = math.sqrt((a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]))
    w = sizes + dot
    if sizes < 1e-12 or w < 1e-9 * sizes:
        return (1.0, 0.0, 0.0, 0.0)
    return _unit((w, x, y, z))


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
def _read_clip(sources, rigs, b, clip, u, place, stride, height, locals_, root):
    """Fill local rotations [J, 4] and the root's place [3] of a clip at u seconds, placed; return the frame before."""
    x = min(max(u * sources.fps[clip], 0.0), sources.frames[clip] - 1.0)
    before = int(x)
    part = x - before
    after = min(before + 1, sources.frames[clip] - 1)
    count = sources.channels[clip]
    row = sources.first_rotation[clip] + before * count
    next_row = sources.first_rotation[clip] + after * count
    for j in range(rigs.joints[b]):
        c = rigs.channels[b, j]
        if c < 0:
            locals_[j, 0], locals_[j, 1], locals_[j, 2], locals_[j, 3] = 1.0, 0.0, 0.0, 0.0
        else:
            q = _nlerp(_unpacked(sources.rotations, row + c), _unpacked(sources.rotations, next_row + c), part)
            locals_[j, 0], locals_[j, 1], locals_[j, 2], locals_[j, 3] = q
    frame = sources.first_frame[clip] + before
    next_frame = sources.first_frame[clip] + after
    px = stride * ((1.0 - part) * sources.roots[frame, 0] + part * sources.roots[next_frame, 0])
    py = stride * ((1.0 - part) * sources.roots[frame, 1] + part * sources.roots[next_frame, 1])
    pz = height * ((1.0 - part) * sources.roots[frame, 2] + part * sources.roots[next_frame, 2])
    c, s = math.cos(place[2]), math.sin(place[2])
    root[0] = c * px - s * py + place[0]
    root[1] = s * px + c * py + place[1]
    root[2] = pz + place[3]
    half = 0.5 * place[2]
    q = _times((math.cos(half), 0.0, 0.0, math.sin(half)), (locals_[0, 0], locals_[0, 1], locals_[0, 2], locals_[0, 3]))
    locals_[0, 0], locals_[0, 1], locals_[0, 2], locals_[0, 3] = q
    # The nearest frame says which contacts hold.
    return frame if part < 0.5 else next_frame


@kernel()
def _forward(rigs, b, scale, locals_, only_legs, positions, rotations):
    """Place the joints of one body from its root down; with `only_legs`, the joints of legs alone."""
    for j in range(1, rigs.joints[b]):
        if only_legs and rigs.leg_of[b, j] < 0:
            continue
        p = rigs.parents[b, j]
        above = (rotations[p, 0], rotations[p, 1], rotations[p, 2], rotations[p, 3])
        q = _times(above, (locals_[j, 0], locals_[j, 1], locals_[j, 2], locals_[j, 3]))
        rotations[j, 0], rotations[j, 1], rotations[j, 2], rotations[j, 3] = q
        offset = (scale * rigs.offsets[b, j, 0], scale * rigs.offsets[b, j, 1], scale * rigs.offsets[b, j, 2])
        v = _turned(above, offset)
        positions[j, 0] = positions[p, 0] + v[0]
        positions[j, 1] = positions[p, 1] + v[1]
        positions[j, 2] = positions[p, 2] + v[2]


@kernel()
def _override(limbs, rigs, b, who, t, locals_):
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
        for j in range(rigs.joints[b]):
            count += (limbs.joints[o, j // 63] >> (j % 63)) & 1
        c = 0
        for j in range(rigs.joints[b]):
            if (limbs.joints[o, j // 63] >> (j % 63)) & 1:
                first = limbs.row[o] + before * count + c
                second = limbs.row[o] + after * count + c
                q = _nlerp(_unpacked(limbs.rotations, first), _unpacked(limbs.rotations, second), x - before)
                q = _slerp((locals_[j, 0], locals_[j, 1], locals_[j, 2], locals_[j, 3]), q, weight)
                locals_[j, 0], locals_[j, 1], locals_[j, 2], locals_[j, 3] = q
                c += 1


@kernel()
def _drop(steps, who, t):
    """Return the metres by which the root comes down: a cubic B-spline through its control points."""
    first, stop = steps.drop_first[who], steps.drop_first[who + 1]
    if first == stop:
        return 0.0
    x = (t - steps.drop_start[who]) / DROP_STEP
    i = int(math.floor(x))
    f = x - i
    total = 0.0
    row = max(_last_not_after(steps.drop_step, first, stop, i - 2) + 1, first)
    while row < stop and steps.drop_step[row] <= i + 2:
        k = steps.drop_step[row] - i
        if k == -1:
            w = (1.0 - f) ** 3
        elif k == 0:
            w = 3.0 * f**3 - 6.0 * f**2 + 4.0
        elif k == 1:
            w = -3.0 * f**3 + 3.0 * f**2 + 3.0 * f + 1.0
        elif k == 2:
            w = f**3
        else:
            w = 0.0
        total += w / 6.0 * steps.drop[row]
        row += 1
    return total


@kernel()
def _flat(steps, k):
    """Return when heel and ball of a stance are both down, seconds after its start; stop < start where never."""
    return max(steps.heel[k, 0], steps.ball[k, 0]), min(steps.heel[k, 1], steps.ball[k, 1])


@kernel()
def _turn(steps, k, first, stop, t):
    """Return the rotation vector of a foot in stance k while not flat: even, or eased towards an abutting stance."""
    begin, end = _flat(steps, k)
    tau = t - steps.start[k]
    other = k
    if end > begin and tau > end and k + 1 < stop and steps.start[k + 1] - steps.stop[k] < ABUTS:
        other = k + 1
    elif end > begin and tau < begin and k > first and steps.start[k] - steps.stop[k - 1] < ABUTS:
        other = k - 1
    late = tau >= begin
    x = steps.turn_out[k, 0] if late else steps.turn_in[k, 0]
    y = steps.turn_out[k, 1] if late else steps.turn_in[k, 1]
    z = steps.turn_out[k, 2] if late else steps.turn_in[k, 2]
    if other == k:
        return x, y, z
    early = min(k, other)
    low_begin, low_end = _flat(steps, early)
    high_begin, high_end = _flat(steps, early + 1)
    since = steps.start[early] + (low_end if low_end > low_begin else low_begin)
    until = steps.start[early + 1] + high_begin
    w = _ease((t - since) / max(until - since, 1e-9))
    return (
        (1.0 - w) * steps.turn_out[early, 0] + w * steps.turn_in[early + 1, 0],
        (1.0 - w) * steps.turn_out[early, 1] + w * steps.turn_in[early + 1, 1],
        (1.0 - w) * steps.turn_out[early, 2] + w * steps.turn_in[early + 1, 2],
    )


@kernel()
def _foot_target(steps, row, t, ankle, heel, ball):
    """Return where the ankle goes, how the foot turns, and which contacts hold (1 heel, 2 ball).

    `row` is the foot's place in `steps.first`; ankle, heel and ball are the clip's own, in the world.
    """
    first, stop = steps.first[row], steps.first[row + 1]
    k = _last_not_after(steps.start, first, stop, t)
    if k >= first and t <= steps.stop[k]:
        tau = t - steps.start[k]
        slack = 1e-6  # the ends are float32 seconds after a float64 start
        on_heel = steps.heel[k, 1] > steps.heel[k, 0] and steps.heel[k, 0] - slack <= tau <= steps.heel[k, 1] + slack
        on_ball = steps.ball[k, 1] > steps.ball[k, 0] and steps.ball[k, 0] - slack <= tau <= steps.ball[k, 1] + slack
        if on_heel and on_ball:
            now = (ball[0] - heel[0], ball[1] - heel[1], ball[2] - heel[2])
            then = (
                steps.ball_place[k, 0] - steps.heel_place[k, 0],
                steps.ball_place[k, 1] - steps.heel_place[k, 1],
                steps.ball_place[k, 2] - steps.heel_place[k, 2],
            )
            turn = _between(now, then)
        else:
            x, y, z = _turn(steps, k, first, stop, t)
            turn = _exp(x, y, z)
        if on_ball:
            arm = _turned(turn, (ball[0] - ankle[0], ball[1] - ankle[1], ball[2] - ankle[2]))
            place = (steps.ball_place[k, 0], steps.ball_place[k, 1], steps.ball_place[k, 2])
        else:
            arm = _turned(turn, (heel[0] - ankle[0], heel[1] - ankle[1], heel[2] - ankle[2]))
            place = (steps.heel_place[k, 0], steps.heel_place[k, 1], steps.heel_place[k, 2])
        held = (1 if on_heel else 0) + (2 if on_ball else 0)
        return (place[0] - arm[0], place[1] - arm[1], place[2] - arm[2]), turn, held
    before, after = max(k, first), min(k + 1, stop - 1)
    w = 1.0 if k < first else 0.0
    if k >= first and k + 1 < stop:
        w = _ease((t - steps.stop[k]) / (steps.start[k + 1] - steps.stop[k]))
    out, into = 1.0 - w, w
    shift = (
        out * steps.shift_out[before, 0] + into * steps.shift_in[after, 0],
        out * steps.shift_out[before, 1] + into * steps.shift_in[after, 1],
        out * steps.shift_out[before, 2] + into * steps.shift_in[after, 2],
    )
    turn = _exp(
        out * steps.turn_out[before, 0] + into * steps.turn_in[after, 0],
        out * steps.turn_out[before, 1] + into * steps.turn_in[after, 1],
        out * steps.turn_out[before, 2] + into * steps.turn_in[after, 2],
    )
    return (ankle[0] + shift[0], ankle[1] + shift[1], ankle[2] + shift[2]), turn, 0


@kernel()
def _solve_leg(leg, parents, hinge, target, turn, locals_, positions, rotations):
    """Turn hip and knee so that the ankle comes to the target, and the foot by `turn`; return how short the leg is.

    The same law of cosines as `motion.legs.solve_leg`, for one leg.
    """
    hip, knee, ankle = leg[0], leg[1], leg[2]
    R_hip = (rotations[hip, 0], rotations[hip, 1], rotations[hip, 2], rotations[hip, 3])
    axis = _turned(R_hip, hinge)
    thigh = (
        positions[knee, 0] - positions[hip, 0],
        positions[knee, 1] - positions[hip, 1],
        positions[knee, 2] - positions[hip, 2],
    )
    shin = (
        positions[ankle, 0] - positions[knee, 0],
        positions[ankle, 1] - positions[knee, 1],
        positions[ankle, 2] - positions[knee, 2],
    )
    aim = (target[0] - positions[hip, 0], target[1] - positions[hip, 1], target[2] - positions[hip, 2])
    along = thigh[0] * axis[0] + thigh[1] * axis[1] + thigh[2] * axis[2]
    t = (thigh[0] - along * axis[0], thigh[1] - along * axis[1], thigh[2] - along * axis[2])
    other = shin[0] * axis[0] + shin[1] * axis[1] + shin[2] * axis[2]
    s = (shin[0] - other * axis[0], shin[1] - other * axis[1], shin[2] - other * axis[2])
    t_size = math.sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2])
    s_size = math.sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2])
    straight = (along + other) ** 2
    distance = math.sqrt(aim[0] * aim[0] + aim[1] * aim[1] + aim[2] * aim[2])
    short = max(distance - math.sqrt(straight + (t_size + s_size) ** 2), 0.0)
    cosine = (distance * distance - straight - t_size * t_size - s_size * s_size) / (2.0 * t_size * s_size)
    wanted = math.acos(min(max(cosine, -1.0), 1.0))
    sine = (
        axis[0] * (t[1] * s[2] - t[2] * s[1])
        + axis[1] * (t[2] * s[0] - t[0] * s[2])
        + axis[2] * (t[0] * s[1] - t[1] * s[0])
    )
    now = math.atan2(sine, t[0] * s[0] + t[1] * s[1] + t[2] * s[2])
    half = 0.5 * (wanted - now)
    k = math.sin(half)
    knee_turn = (math.cos(half), k * axis[0], k * axis[1], k * axis[2])
    bent = _turned(knee_turn, shin)
    hip_turn = _between((thigh[0] + bent[0], thigh[1] + bent[1], thigh[2] + bent[2]), aim)

    # Local rotations from the turns in the world; joints between hip, knee and ankle ride along.
    p = parents[hip]
    above = (rotations[p, 0], rotations[p, 1], rotations[p, 2], rotations[p, 3])
    q = _times(_back(above), _times(hip_turn, R_hip))
    locals_[hip, 0], locals_[hip, 1], locals_[hip, 2], locals_[hip, 3] = q
    p = parents[knee]
    above = (rotations[p, 0], rotations[p, 1], rotations[p, 2], rotations[p, 3])
    R_knee = (rotations[knee, 0], rotations[knee, 1], rotations[knee, 2], rotations[knee, 3])
    q = _times(_back(above), _times(knee_turn, R_knee))
    locals_[knee, 0], locals_[knee, 1], locals_[knee, 2], locals_[knee, 3] = q
    p = parents[ankle]
    above = (rotations[p, 0], rotations[p, 1], rotations[p, 2], rotations[p, 3])
    above = _times(_times(hip_turn, knee_turn), above)
    R_ankle = (rotations[ankle, 0], rotations[ankle, 1], rotations[ankle, 2], rotations[ankle, 3])
    q = _unit(_times(_back(above), _times(turn, R_ankle)))
    locals_[ankle, 0], locals_[ankle, 1], locals_[ankle, 2], locals_[ankle, 3] = q
    return short


@kernel()
def _base_pose(rigs, sources, parts, limbs, who, s, t, locals_, other, root, other_root):
    """Fill local rotations and root of segment s at time t, blended and warped; return the frame and its clip."""
    b = parts.body[who]
    stride, scale = parts.stride[who], parts.scale[who]
    clip = parts.clip[s]
    tau, length = t - parts.start[s], parts.stop[s] - parts.start[s]
    pace = 0.5 * (parts.rate_stop[s] - parts.rate_start[s]) / max(length, 1e-9)
    u = parts.clip_start[s] + (parts.rate_start[s] + pace * tau) * tau
    height = scale * rigs.heights[b, sources.skeleton[clip]]
    frame = _read_clip(sources, rigs, b, clip, u, parts.place[s], stride, height, locals_, root)
    blend = parts.blend[s]
    if blend >= 0 and tau < parts.from_duration[blend]:
        span = parts.from_duration[blend]
        old = parts.from_clip[blend]
        pace = 0.5 * (parts.from_rate_stop[blend] - parts.from_rate_start[blend]) / span
        u = parts.from_start[blend] + (parts.from_rate_start[blend] + pace * tau) * tau
        height = scale * rigs.heights[b, sources.skeleton[old]]
        old_frame = _read_clip(sources, rigs, b, old, u, parts.from_place[blend], stride, height, other, other_root)
        w = _ease(tau / span)
        for i in range(3):
            root[i] = (1.0 - w) * other_root[i] + w * root[i]
        for j in range(rigs.joints[b]):
            q = _slerp(
                (other[j, 0], other[j, 1], other[j, 2], other[j, 3]),
                (locals_[j, 0], locals_[j, 1], locals_[j, 2], locals_[j, 3]),
                w,
            )
            locals_[j, 0], locals_[j, 1], locals_[j, 2], locals_[j, 3] = q
        if w < 0.5:
            frame, clip = old_frame, old
    warp = parts.warp[s]
    if warp >= 0:
        p = tau / max(length, 1e-9)
        h = p * p * (3.0 - 2.0 * p)
        h0, h1 = length * p * (1.0 - p) * (1.0 - p), -length * p * p * (1.0 - p)
        d = parts.warp_offsets[warp]
        v = parts.warp_slopes[warp]
        root[0] += (1.0 - h) * d[0, 0] + h * d[1, 0] + h0 * v[0, 0] + h1 * v[1, 0]
        root[1] += (1.0 - h) * d[0, 1] + h * d[1, 1] + h0 * v[0, 1] + h1 * v[1, 1]
        half = 0.5 * ((1.0 - h) * d[0, 2] + h * d[1, 2] + h0 * v[0, 2] + h1 * v[1, 2])
        yaw = (math.cos(half), 0.0, 0.0, math.sin(half))
        q = _times(yaw, (locals_[0, 0], locals_[0, 1], locals_[0, 2], locals_[0, 3]))
        locals_[0, 0], locals_[0, 1], locals_[0, 2], locals_[0, 3] = q
    _override(limbs, rigs, b, who, t, locals_)
    return frame, clip


@kernel()
def _planar_pose(rigs, parts, who, s, t, locals_, root):
    """Fill the rest pose of a character that is only a disc at time t."""
    b, track = parts.body[who], parts.track[s]
    x = min(max((t - parts.start[s]) * parts.track_rate[track], 0.0), parts.track_count[track] - 1.0)
    before = int(x)
    part = x - before
    row = parts.track_first[track] + before
    after = row + (1 if before + 1 < parts.track_count[track] else 0)
    for j in range(rigs.joints[b]):
        locals_[j, 0], locals_[j, 1], locals_[j, 2], locals_[j, 3] = 1.0, 0.0, 0.0, 0.0
    for i in range(2):
        root[i] = (1.0 - part) * parts.planar[row, i] + part * parts.planar[after, i]
    root[2] = parts.scale[who] * rigs.rest_height[b] + parts.place[s, 3]
    half = 0.5 * ((1.0 - part) * parts.planar[row, 2] + part * parts.planar[after, 2])
    locals_[0, 0], locals_[0, 3] = math.cos(half), math.sin(half)


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
    locals_, other = np.zeros((J, 4)), np.zeros((J, 4))
    root, other_root = np.zeros(3), np.zeros(3)
    for k in range(len(who)):
        n, t = who[k], when[k]
        presence[k], contacts[k], segments[k] = 0, 0, -1
        short[k, 0], short[k, 1] = 0.0, 0.0
        s = _last_not_after(parts.start, parts.first[n], parts.first[n + 1], t)
        hidden = parts.leave[n] > parts.enter[n] and not parts.enter[n] <= t <= parts.leave[n]
        if hidden or s < parts.first[n] or t > parts.stop[s]:
            positions[k] = math.nan
            rotations[k] = math.nan
            continue
        segments[k] = s
        b, scale = parts.body[n], parts.scale[n]
        clip = parts.clip[s]
        presence[k] = 2 if clip < 0 else 1
        p, r = positions[k], rotations[k]
        drop = 0.0
        if clip < 0:
            _planar_pose(rigs, parts, n, s, t, locals_, root)
        else:
            frame, clip = _base_pose(rigs, sources, parts, limbs, n, s, t, locals_, other, root, other_root)
            contacts[k] = sources.contacts[frame]
            if legs:
                drop = _drop(steps, n, t)
        p[0, 0], p[0, 1], p[0, 2] = root[0], root[1], root[2] - drop
        for i in range(4):
            r[0, i] = locals_[0, i]
        _forward(rigs, b, scale, locals_, False, p, r)
        for j in range(rigs.joints[b], J):
            for i in range(3):
                p[j, i] = p[0, i]
            for i in range(4):
                r[j, i] = r[0, i]
        planted = legs and presence[k] == 1 and rigs.legs[b, 0, 0] >= 0
        if planted and steps.first[2 * n] < steps.first[2 * n + 2]:
            contacts[k] = 0
            for foot in range(2):
                if steps.first[2 * n + foot] == steps.first[2 * n + foot + 1]:
                    continue
                ankle_joint, ball_joint = rigs.legs[b, foot, 2], rigs.legs[b, foot, 3]
                # The clip's own foot does not come down with the root.
                ankle = (p[ankle_joint, 0], p[ankle_joint, 1], p[ankle_joint, 2] + drop)
                q = (r[ankle_joint, 0], r[ankle_joint, 1], r[ankle_joint, 2], r[ankle_joint, 3])
                v = _turned(
                    q,
                    (
                        scale * rigs.heels[b, foot, 0],
                        scale * rigs.heels[b, foot, 1],
                        scale * rigs.heels[b, foot, 2],
                    ),
                )
                heel = (ankle[0] + v[0], ankle[1] + v[1], ankle[2] + v[2])
                q = (r[ball_joint, 0], r[ball_joint, 1], r[ball_joint, 2], r[ball_joint, 3])
                v = _turned(
                    q,
                    (
                        scale * rigs.balls[b, foot, 0],
                        scale * rigs.balls[b, foot, 1],
                        scale * rigs.balls[b, foot, 2],
                    ),
                )
                ball = (p[ball_joint, 0] + v[0], p[ball_joint, 1] + v[1], p[ball_joint, 2] + drop + v[2])
                target, turn, held = _foot_target(steps, 2 * n + foot, t, ankle, heel, ball)
                contacts[k] |= held << (2 * foot)
                h = sources.hinges[clip, foot]
                short[k, foot] = _solve_leg(
                    rigs.legs[b, foot], rigs.parents[b], (h[0], h[1], h[2]), target, turn, locals_, p, r
                )
            _forward(rigs, b, scale, locals_, True, p, r)
