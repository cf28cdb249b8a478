"""Linked constraints: feet that stay planted all along an edge tie its two hubs together (the paper's appendix).

Where a contact point bears throughout an edge, the stop hub's frame must lie so that both common poses put that point
in the same place. One point fixes where that frame is and leaves its heading to the alignment (a foot may pivot on its
ball); two or more fix it whole, by the rigid motion that fits their places best. A foot that rocks from heel to ball
and back, always on one of them, has stayed as well if it lies at the end where it lay at the beginning.

Where points of both feet do, that fits exactly only if the two poses' feet are rigidly similar: the distance of their
middles and each foot's angle to the line between them are equal. Hubs that are so linked form classes; every pose of a
class is given the class's mean distance and angles, by turning and moving its feet on the floor.

Planar poses (x, y, heading). Reference: Gleicher, Shin, Kovar, Jepsen 2003, appendix and figure 11. Difference: two or
three linked points of different feet are fitted as they are, where the paper first lays such a foot flat.
"""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.graphs.snap_together.cutting.constraints import CommonPoses
from walkon.graphs.snap_together.cutting.displacement import Frames
from walkon.graphs.snap_together.matching.pairing import Pairs
from walkon.graphs.snap_together.matching.passing import feet_down
from walkon.motion.clip import Clip
from walkon.motion.library import Library
from walkon.motion.limbs.legs import Leg, read_leg
from walkon.motion.limbs.limb import solve_limb
from walkon.motion.skeleton import SIDES
from walkon.transforms import angles, planar
from walkon.transforms import quaternions as quat

__all__ = ["find_links", "foot_poses", "join_feet", "linked_stops"]

STAYED_WITHIN_M = 0.02
"""m by which heel and ball of a foot that stayed may be elsewhere at the end, as captured."""


def find_links(library: Library, frame: IntArray, pairs: Pairs, contacts: BoolArray) -> BoolArray:
    """Say which contact points [E, C] stay planted through which edges, by the edges' own contacts [K, C]."""
    lengths = frame[pairs.last] - frame[pairs.first] + 1
    last = np.cumsum(lengths) - 1
    first = last - lengths + 1
    points: BoolArray = np.logical_and.reduceat(contacts, first, axis=0)
    down = np.logical_and.reduceat(feet_down(library.skeleton, contacts), first, axis=0)
    held = _held_places(library, frame, pairs)
    for side, columns in enumerate(_foot_columns(library)):
        stayed = down[:, side] & held[:, columns].all(axis=1)
        points[:, columns] |= (contacts[first] & contacts[last])[:, columns] & stayed[:, None]
    return points


def _foot_columns(library: Library) -> list[list[int]]:
    """Return the contact points of the left and of the right foot."""
    skeleton = library.skeleton
    names = [[f"{side}_{part}" for part in ("heel", "ball")] for side in SIDES]
    return [[skeleton.contact(name) for name in feet if name in skeleton.contact_names] for feet in names]


def _held_places(library: Library, frame: IntArray, pairs: Pairs) -> BoolArray:
    """Say which contact points [E, C] lie, in the source, where the last frame is as in the first."""
    ends = [Frames(library.root_positions[frame[rows]], library.local_rotations[frame[rows]]) for rows in pairs]
    apart = np.diff([_clip(library, poses).contact_positions[..., :2] for poses in ends], axis=0)[0]
    return np.asarray(np.linalg.norm(apart, axis=-1) < STAYED_WITHIN_M)


def foot_poses(library: Library, poses: Frames) -> Array:
    """Return planar poses [H, 2, 3] of the left and right foot of common poses, in their hubs' frames."""
    points = _clip(library, poses).contact_positions
    found = np.zeros((len(poses.roots), 2, 3))
    for side, name in enumerate(SIDES):
        heel = points[:, library.skeleton.contact(f"{name}_heel"), :2]
        ball = points[:, library.skeleton.contact(f"{name}_ball"), :2]
        along = ball - heel
        found[:, side] = np.column_stack([0.5 * (heel + ball), np.arctan2(along[:, 1], along[:, 0])])
    return found


def linked_stops(library: Library, hub: IntArray, common: CommonPoses, pairs: Pairs, links: BoolArray) -> Array:
    """Return [E, 3] where each stop hub's frame lies in the source's world, so that linked feet stay where they are."""
    stops = np.array(common.places[pairs.last])
    rows = np.flatnonzero(links.any(axis=1))
    if not len(rows):
        return stops
    places = _clip(library, common.poses).contact_positions[..., :2]
    a, b = hub[pairs.first[rows]], hub[pairs.last[rows]]
    begin = common.places[pairs.first[rows]]
    weights = links[rows] / links[rows].sum(axis=1, keepdims=True)
    there, here = planar.apply(begin[:, None], places[a]), places[b]
    middle, own = (np.einsum("ec,eci->ei", weights, points) for points in (there, here))
    x, y = np.moveaxis(there - middle[:, None], -1, 0)
    u, v = np.moveaxis(here - own[:, None], -1, 0)
    heading = np.arctan2((weights * (y * u - x * v)).sum(axis=1), (weights * (x * u + y * v)).sum(axis=1))
    heading = np.where(links[rows].sum(axis=1) > 1, heading, stops[rows, 2])
    turn = np.column_stack([np.zeros((len(rows), 2)), heading])
    stops[rows] = np.column_stack([middle - planar.apply(turn, own), heading])
    # A hub to itself, standing still on both feet: not even rounding may make it creep.
    still = (a == b) & feet_down(library.skeleton, links[rows]).all(axis=1)
    stops[rows[still]] = begin[still]
    return stops


def join_feet(library: Library, hub: IntArray, common: CommonPoses, pairs: Pairs, links: BoolArray) -> CommonPoses:
    """Give all common poses that are linked by both feet the same stance: distance and angles of their class's mean."""
    H = len(common.poses.roots)
    rows = np.flatnonzero(feet_down(library.skeleton, links).all(axis=1) & (hub[pairs.first] != hub[pairs.last]))
    if not len(rows):
        return common
    a, b = hub[pairs.first[rows]], hub[pairs.last[rows]]
    _, group = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(H, H)), directed=False)
    feet = foot_poses(library, common.poses)
    wanted = np.array(feet)
    for number in np.unique(group[a]).tolist():
        members = np.flatnonzero(group == number)
        left, right = feet[members, 0, :2], feet[members, 1, :2]
        line = left - right
        # Middle and direction of the line from the right to the left foot.
        lines = np.column_stack([0.5 * (left + right), np.arctan2(line[:, 1], line[:, 0])])
        distance = float(np.linalg.norm(line, axis=1).mean())
        for side, sign in ((0, 0.5), (1, -0.5)):
            angle = angles.wrap(feet[members, side, 2] - lines[:, 2])
            mean = np.arctan2(np.sin(angle).mean(), np.cos(angle).mean())
            wanted[members, side] = planar.compose(lines, np.array([sign * distance, 0.0, mean]))
    return common._replace(poses=_step(library, common.poses, feet, wanted))


def _step(library: Library, poses: Frames, feet: Array, wanted: Array) -> Frames:
    """Move and turn the feet of poses [H] on the floor, from planar poses to others [H, 2, 3]; the hips stay."""
    clip = _clip(library, poses)
    skeleton, world = clip.skeleton, clip.world
    rotations = np.array(clip.local_rotations)
    for side, name in enumerate(SIDES):
        leg = Leg.of(skeleton, name)
        move = planar.compose(wanted[:, side], planar.inverse(feet[:, side]))
        pose = read_leg(clip, leg)
        hip_turn, knee_turn = solve_limb(pose, pose.roots, planar.apply_3d(move, world.positions[:, leg.ankle]))
        for joint, turn in ((leg.hip, hip_turn), (leg.knee, knee_turn)):
            above = quat.conjugate(world.rotations[:, skeleton.parents[joint]])
            rotations[:, joint] = quat.multiply(above, quat.multiply(turn, world.rotations[:, joint]))
        shin = quat.multiply(quat.multiply(hip_turn, knee_turn), world.rotations[:, skeleton.parents[leg.ankle]])
        foot = quat.multiply(quat.turn(move[:, 2]), world.rotations[:, leg.ankle])
        rotations[:, leg.ankle] = quat.multiply(quat.conjugate(shin), foot)
    return Frames(poses.roots, quat.normalize(rotations))


def _clip(library: Library, poses: Frames) -> Clip:
    return Clip(
        skeleton=library.skeleton,
        fps=library.fps,
        root_positions=poses.roots,
        local_rotations=poses.rotations,
    )
