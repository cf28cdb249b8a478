"""Compiled inverse kinematics of arms: which rows hold a hand at a time, and the arm that brings its palm there.

The readable rule is `holding_numpy`; the limb is `motion.limbs.limb.solve_limb`. The rule is in `holding`.
"""

# mypy: ignore-errors

import math

import numpy as np

from walkon._base.jit import group_of, kernel, reads, writes
from walkon.motion.limbs._limb_kernels import solve_limb
from walkon.take.posing import _row_kernels as rows
from walkon.take.posing.arm_rule import ArmRigs
from walkon.transforms import _kernels as vec


@kernel(
    reads(1, "int64"),
    reads(1),
    reads(1),
    reads(1, "float32"),
    reads(1, "float32"),
    "float64",
    reads(1, "int32"),
    reads(1),
    writes(3, "int64"),
    writes(3),
    borrowed=True,
)
def find_holds(first, start, stop, fade_in, fade_out, share, who, when, found, weights):
    """Find the rows that hold each hand of character who[k] at when[k] seconds, and how much they count.

    Fills rows [K, 2, 2], −1 for none, and weights in 0 to 1: of the row that holds or is let go, and of the one that is
    reached for. A fade lasts at most `share` of the time to the next row.
    """
    for k in range(len(who)):
        t = when[k]
        for hand in range(2):
            low, high = first[2 * who[k] + hand], first[2 * who[k] + hand + 1]
            for i in range(2):
                found[k, hand, i], weights[k, hand, i] = -1, 0.0
            if low == high:
                continue
            row = rows.last_not_after(start, low, high, t)
            if row >= low and t < stop[row]:
                found[k, hand, 0], weights[k, hand, 0] = row, 1.0
                continue
            gap = math.inf
            if row >= low and row + 1 < high:
                gap = share * (start[row + 1] - stop[row])
            if row >= low:
                fade = min(1.0 * fade_out[row], gap)
                if t < stop[row] + fade:
                    found[k, hand, 0], weights[k, hand, 0] = row, 1.0 - vec.smoothstep((t - stop[row]) / fade)
            if row + 1 < high:
                fade = min(1.0 * fade_in[row + 1], gap)
                if t > start[row + 1] - fade:
                    share_of = 1.0 - (start[row + 1] - t) / fade
                    found[k, hand, 1], weights[k, hand, 1] = row + 1, vec.smoothstep(share_of)


@kernel(reads(1, "int64"), reads(1), reads(1, "int64"), reads(1), writes(1, "int64"), borrowed=True)
def find_sources(first, start, which, when, found):
    """Fill the last row of which[k] that has begun at when[k], or its first where none has; −1 where it has no rows."""
    for k in range(len(which)):
        low, high = first[which[k]], first[which[k] + 1]
        found[k] = -1 if low == high else max(rows.last_not_after(start, low, high, when[k]), low)


@kernel(
    group_of(ArmRigs),
    reads(1, "int32"),
    reads(2, "int32"),
    reads(3),
    reads(1, "int64"),
    reads(1, "int64"),
    reads(1, "int64"),
    reads(1),
    reads(2),
    reads(2),
    reads(1),
    reads(1),
    writes(3),
    writes(3),
    writes(2),
)
def solve_arms(
    arms, joints, parents, offsets, at, body, hand, scale, hinges, palms, swivels, weights, positions, rotations, short
):
    """Solve arm hand[m] of the posed body at[m] so that its palm is at palms[m] [7] in the world, by weights[m].

    Turns positions [K, J, 3] and rotations [K, J, 4] in place, and fills how far arms that count in full fall short.
    """
    locals_ = np.zeros((positions.shape[1], 4))
    for m in range(len(at)):
        p, r = positions[at[m]], rotations[at[m]]
        b, h, size, w = body[m], hand[m], scale[m], weights[m]
        shoulder, elbow, wrist = arms.joints[b, h, 0], arms.joints[b, h, 1], arms.joints[b, h, 2]
        for j in range(shoulder, joints[b]):
            if arms.side[b, j] == h:
                above = vec.conjugate(vec.rotation(r, parents[b, j]))
                vec.put(locals_, j, vec.multiply(above, vec.rotation(r, j)))
        palm = (palms[m, 3], palms[m, 4], palms[m, 5], palms[m, 6])
        hand_turn = vec.multiply(palm, vec.conjugate(vec.rotation(arms.palm_turns[b], h)))
        reach = vec.rotate(hand_turn, vec.scale(size, vec.vector(arms.palm_places[b], h)))
        aim = vec.minus(vec.minus(vec.vector(palms, m), reach), vec.vector(p, shoulder))
        upper = vec.minus(vec.vector(p, elbow), vec.vector(p, shoulder))
        lower = vec.minus(vec.vector(p, wrist), vec.vector(p, elbow))
        axis = vec.rotate(vec.rotation(r, shoulder), vec.vector(hinges, m))
        root_turn, hinge_turn, lack = solve_limb(upper, lower, axis, aim)
        if swivels[m] != 0.0:
            line = vec.scale(1.0 / max(math.sqrt(vec.dot(aim, aim)), 1e-9), aim)
            root_turn = vec.multiply(vec.about(line, swivels[m]), root_turn)
        # Local rotations from the turns in the world; joints between ride along.
        above = vec.conjugate(vec.rotation(r, parents[b, shoulder]))
        new = vec.multiply(above, vec.multiply(root_turn, vec.rotation(r, shoulder)))
        vec.put(locals_, shoulder, vec.slerp(vec.rotation(locals_, shoulder), new, w))
        above = vec.conjugate(vec.rotation(r, parents[b, elbow]))
        new = vec.multiply(above, vec.multiply(hinge_turn, vec.rotation(r, elbow)))
        vec.put(locals_, elbow, vec.slerp(vec.rotation(locals_, elbow), new, w))
        above = vec.multiply(vec.multiply(root_turn, hinge_turn), vec.rotation(r, parents[b, wrist]))
        new = vec.multiply(vec.conjugate(above), hand_turn)
        vec.put(locals_, wrist, vec.slerp(vec.rotation(locals_, wrist), new, w))
        for j in range(shoulder, joints[b]):
            if arms.side[b, j] == h:
                above = vec.rotation(r, parents[b, j])
                vec.put(r, j, vec.multiply(above, vec.rotation(locals_, j)))
                v = vec.rotate(above, vec.scale(size, vec.vector(offsets[b], j)))
                p[j, 0], p[j, 1], p[j, 2] = vec.plus(vec.vector(p, parents[b, j]), v)
        if w == 1.0:
            short[at[m], h] = lack
