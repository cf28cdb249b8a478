"""Compiled inverse kinematics of a two-bone limb with a hinge, one at a time: `limb.solve_limb` for kernels."""

# mypy: ignore-errors

import math

from walkon._base.jit import kernel
from walkon.transforms import _kernels as vec


@kernel(borrowed=True)
def solve_limb(upper, lower, axis, aim):
    """Return the turns of root and hinge that bring the limb's end to `aim` (from the root), and m by which it cannot.

    That is by how much the target is farther than the limb is long, or nearer than it can be folded.
    """
    along, other = vec.dot(upper, axis), vec.dot(lower, axis)
    u, v = vec.minus(upper, vec.scale(along, axis)), vec.minus(lower, vec.scale(other, axis))
    u_size, v_size = math.sqrt(vec.dot(u, u)), math.sqrt(vec.dot(v, v))
    straight = (along + other) * (along + other)
    distance2 = vec.dot(aim, aim)
    longest = math.sqrt(straight + (u_size + v_size) * (u_size + v_size))
    least = math.sqrt(straight + (u_size - v_size) * (u_size - v_size))
    cosine = (distance2 - straight - u_size * u_size - v_size * v_size) / (2.0 * u_size * v_size)
    wanted = math.acos(min(max(cosine, -1.0), 1.0))
    hinge_turn = vec.about(axis, wanted - math.atan2(vec.dot(axis, vec.cross(u, v)), vec.dot(u, v)))
    root_turn = vec.between(vec.plus(upper, vec.rotate(hinge_turn, lower)), aim)
    distance = math.sqrt(distance2)
    return root_turn, hinge_turn, max(distance - longest, least - distance, 0.0)
