"""Compiled inverse kinematics of feet: where a foot shall be, and the two-bone leg that brings it there.

The readable rule is `stepping_numpy`; the leg is also `motion.limbs.limb.solve_limb`. The rule is in `posing`.
"""

# mypy: ignore-errors

import math

from walkon._base.jit import kernel
from walkon.motion.limbs._limb_kernels import solve_limb
from walkon.take.posing import _row_kernels as rows
from walkon.take.posing.posing_rule import (
    ABUTTING_WITHIN_S,
    MAX_TOE_BEND_RAD,
    MIN_KNEE_BEND_RAD,
)
from walkon.transforms import _kernels as vec


@kernel(borrowed=True)
def flat_span(heel, ball, k):
    """Return when heel and ball of a stance are both down, seconds after its start; stop < start where never."""
    return max(heel[k, 0], ball[k, 0]), min(heel[k, 1], ball[k, 1])


@kernel(borrowed=True)
def stance_turn(steps, k, first, stop, t):
    """Return how a foot in stance k turns while not flat, and its toes: even, or eased towards an abutting stance."""
    begin, end = flat_span(steps.heel, steps.ball, k)
    tau = t - steps.start[k]
    early, late = k, k
    if end > begin and tau > end and k + 1 < stop and steps.start[k + 1] - steps.stop[k] < ABUTTING_WITHIN_S:
        late = k + 1
    elif end > begin and tau < begin and k > first and steps.start[k] - steps.stop[k - 1] < ABUTTING_WITHIN_S:
        early = k - 1
    w = 0.0 if tau >= begin else 1.0
    if early < late:
        low_begin, low_end = flat_span(steps.heel, steps.ball, early)
        since = steps.start[early] + max(low_begin, low_end)
        until = steps.start[late] + flat_span(steps.heel, steps.ball, late)[0]
        w = vec.smoothstep((t - since) / max(until - since, 1e-9))
    turn = vec.mix(vec.vector(steps.turn_out, early), vec.vector(steps.turn_in, late), w)
    return vec.exp(turn), (1.0 - w) * steps.toe_out[early] + w * steps.toe_in[late]


@kernel(borrowed=True)
def swing_shift(steps, first, stop, k, t):
    """Return by how much the ankle is moved in the swing after row k, and the weight of the stance after it."""
    before, after = max(k, first), min(k + 1, stop - 1)
    w = 1.0 if k < first else 0.0
    p, swing = 0.0, 0.0
    if k >= first and k + 1 < stop:
        swing = steps.start[k + 1] - steps.stop[k]
        p = (t - steps.stop[k]) / swing
        w = vec.smoothstep(p)
    shift = vec.mix(vec.vector(steps.shift_out, before), vec.vector(steps.shift_in, after), w)
    # The slopes of a Hermite cubic: the ankle leaves and lands as fast as the stances on either side have it.
    shift = vec.plus(shift, vec.scale(swing * p * (1.0 - p) * (1.0 - p), vec.vector(steps.rate_out, before)))
    shift = vec.plus(shift, vec.scale(-swing * p * p * (1.0 - p), vec.vector(steps.rate_in, after)))
    q = 4.0 * p * (1.0 - p)
    shift = vec.plus(shift, (0.0, 0.0, q * q * steps.lift[before]))
    return shift, w


@kernel(borrowed=True)
def foot_target(steps, first, stop, t, ankle, heel, joint, ball):
    """Return where the ankle goes, how the foot turns, how the toes do before it, and what holds (1 heel, 2 ball).

    Then by how much the heel may rise (where the foot is on its ball after its heel and a swing follows; else 0), and
    the axis across the clip's foot.

    The foot's stances are rows first to stop − 1; ankle, heel, ball joint and ball are the clip's own, in the world.
    """
    k = rows.last_not_after(steps.start, first, stop, t)
    # Toes turn about the ball joint, across the foot, from its line on to the ball's.
    sole, toe = vec.minus(joint, heel), vec.minus(ball, joint)
    across = vec.cross(sole, toe)
    size = math.sqrt(vec.dot(across, across))
    axis = vec.scale(1.0 / max(size, 1e-9), across)
    if k >= first and t <= steps.stop[k]:
        tau = t - steps.start[k]
        slack = 1e-6 + 2e-7 * tau  # the ends are float32 seconds after a float64 start
        on_heel = steps.heel[k, 1] > steps.heel[k, 0] and steps.heel[k, 0] - slack <= tau <= steps.heel[k, 1] + slack
        on_ball = steps.ball[k, 1] > steps.ball[k, 0] and steps.ball[k, 0] - slack <= tau <= steps.ball[k, 1] + slack
        H, B = vec.vector(steps.heel_place, k), vec.vector(steps.ball_place, k)
        lies = vec.minus(B, H)
        flat = on_heel and on_ball
        turn, bend = (1.0, 0.0, 0.0, 0.0), 0.0
        if not flat:
            turn, bend = stance_turn(steps, k, first, stop, t)
        else:
            long2 = vec.dot(sole, sole) * vec.dot(toe, toe)
            cosine = (
                0.5 * (vec.dot(lies, lies) - vec.dot(sole, sole) - vec.dot(toe, toe)) / math.sqrt(max(long2, 1e-18))
            )
            bend = math.acos(min(max(cosine, -1.0), 1.0)) - math.atan2(size, vec.dot(sole, toe))
            bend = min(max(bend, -MAX_TOE_BEND_RAD), MAX_TOE_BEND_RAD)
        bent = vec.about(axis, bend if size > 1e-9 else 0.0)
        ball = vec.plus(joint, vec.rotate(bent, toe))
        if flat:
            turn = vec.between(vec.minus(ball, heel), lies)
            if steps.roll[k] != 0.0:
                size = math.sqrt(max(vec.dot(lies, lies), 1e-18))
                turn = vec.multiply(vec.about(vec.scale(1.0 / size, lies), 1.0 * steps.roll[k]), turn)
        if on_ball:
            target = vec.minus(B, vec.rotate(turn, vec.minus(ball, ankle)))
        else:
            target = vec.minus(H, vec.rotate(turn, vec.minus(heel, ankle)))
        rises = on_ball and steps.rise[k] > 0.0 and tau > steps.heel[k, 1] + slack
        if rises and k + 1 < stop and steps.start[k + 1] - steps.stop[k] < ABUTTING_WITHIN_S:
            rises = False
        most = 1.0 * steps.rise[k] if rises else 0.0
        return target, turn, bent, (1 if on_heel else 0) + (2 if on_ball else 0), most, axis
    shift, w = swing_shift(steps, first, stop, k, t)
    before, after = max(k, first), min(k + 1, stop - 1)
    turn = vec.exp(vec.mix(vec.vector(steps.turn_off, before), vec.vector(steps.turn_in, after), w))
    bend = (1.0 - w) * steps.toe_off[before] + w * steps.toe_in[after]
    return vec.plus(ankle, shift), turn, vec.about(axis, bend if size > 1e-9 else 0.0), 0, 0.0, axis


@kernel(borrowed=True)
def _limit(own, longest):
    return max(math.cos(0.5 * MIN_KNEE_BEND_RAD) * longest, own)


@kernel(borrowed=True)
def shorten_leg(hip, own, longest, target):
    """Return where the ankle of a swinging foot goes, so that its leg need not stretch; see `raise_heel`."""
    leg = vec.minus(target, hip)
    share = _limit(own, longest) / max(math.sqrt(vec.dot(leg, leg)), 1e-9)
    return vec.plus(hip, vec.scale(share, leg)) if share < 1.0 else target


@kernel(borrowed=True)
def raise_heel(hip, own, longest, target, joint, axis, highest):
    """Return how a foot on its ball turns about the ball joint so that its leg need not stretch, and the ankle then.

    `own` is the clip's distance from hip to ankle and `longest` that of a straight leg; target and joint are where
    ankle and ball joint would be without, `axis` is across the foot, and `highest` the most in radians. The rule is
    `heel_rise`.
    """
    limit = _limit(own, longest)
    leg, v, w = vec.minus(target, hip), vec.minus(target, joint), vec.minus(hip, joint)
    still = (1.0, 0.0, 0.0, 0.0)
    if vec.dot(leg, leg) <= limit * limit:
        return still, target
    high, along = vec.dot(axis, v), vec.dot(axis, w)
    v_across, w_across = vec.minus(v, vec.scale(high, axis)), vec.minus(w, vec.scale(along, axis))
    sizes = math.sqrt(vec.dot(v_across, v_across) * vec.dot(w_across, w_across))
    most = math.atan2(vec.dot(axis, vec.cross(v_across, w_across)), vec.dot(v_across, w_across))
    wanted = 0.5 * (vec.dot(v, v) + vec.dot(w, w) - limit * limit) - high * along
    angle = most - math.acos(min(max(wanted / max(sizes, 1e-18), -1.0), 1.0))
    angle = min(max(angle, 0.0), highest)
    rise = vec.about(axis, angle)
    return rise, vec.plus(joint, vec.rotate(rise, v))


@kernel(borrowed=True)
def solve_leg(leg, parents, hinge, target, turn, toe_turn, locals_, positions, rotations):
    """Turn hip and knee so that the ankle comes to the target, and foot and toes; return how short the leg is."""
    hip, knee, ankle, ball = leg[0], leg[1], leg[2], leg[3]
    R_hip = vec.rotation(rotations, hip)
    axis = vec.rotate(R_hip, hinge)
    thigh = vec.minus(vec.vector(positions, knee), vec.vector(positions, hip))
    shin = vec.minus(vec.vector(positions, ankle), vec.vector(positions, knee))
    hip_turn, knee_turn, short = solve_limb(thigh, shin, axis, vec.minus(target, vec.vector(positions, hip)))

    # Local rotations from the turns in the world; joints between hip, knee and ankle ride along.
    above = vec.rotation(rotations, parents[hip])
    vec.put(locals_, hip, vec.multiply(vec.conjugate(above), vec.multiply(hip_turn, R_hip)))
    above = vec.rotation(rotations, parents[knee])
    vec.put(locals_, knee, vec.multiply(vec.conjugate(above), vec.multiply(knee_turn, vec.rotation(rotations, knee))))
    above = vec.multiply(vec.multiply(hip_turn, knee_turn), vec.rotation(rotations, parents[ankle]))
    vec.put(
        locals_,
        ankle,
        vec.normalize(vec.multiply(vec.conjugate(above), vec.multiply(turn, vec.rotation(rotations, ankle)))),
    )
    above = vec.rotation(rotations, parents[ball])
    vec.put(locals_, ball, vec.multiply(vec.conjugate(above), vec.multiply(toe_turn, vec.rotation(rotations, ball))))
    return short
