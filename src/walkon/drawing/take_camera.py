"""Cameras for takes: one that stands where it sees all who come by, one that travels with a character.

The travelling camera moves with the character's root over the floor, up and down with it, smoothed over about a second,
so that steps and sway do not shake the picture; its direction stays. World frame, metres, seconds.
"""

import numpy as np
from scipy.ndimage import gaussian_filter1d

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue
from walkon.drawing.camera import Camera, box_corners, heading_of_way
from walkon.motion.body import Body
from walkon.take.clips import stands
from walkon.take.posing.posing import PLANAR, Poses
from walkon.take.posing.props import prop_poses
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = ["MAX_MOMENTS", "around", "following_camera", "level_direction", "standing_camera"]

ELEVATIONS_RAD = {"three_quarter": 0.42, "side": 0.12, "front": 0.12}
"""Radians above the floor: a crowd is seen from higher up than a single person, so that fewer hide one another."""
ROOM_M = 0.42
"""What a body needs around its root."""
NEAR_FLOOR_M = 0.3
"""m above the floor: joints of who is on it are not all higher than this."""
NEAR_ROOM_M = 0.8
"""What is shown to each side of a followed character."""
MARGIN_SHARE = 0.06
"""Share of the picture left free on each side."""
MAX_MOMENTS = 64
"""Times at which a stretch of a take is looked at to frame it."""
POSES_AT_ONCE = 20_000
"""To bound memory."""
TRAVEL_HZ, SMOOTH_S = 12.0, 0.4
"""Samples per second of a travel, and the standard deviation over which it is smoothed."""


def standing_camera(take: Take, start: float, stop: float, *, view: str, aspect: float) -> Camera:
    """Frame everyone and every prop that is there from `start` to `stop`."""
    times = np.unique(np.linspace(start, stop, MAX_MOMENTS))
    points = np.concatenate([_people(take, times), _props(take, times)])
    if len(points) == 0:
        floor = take.stage.floor(np.zeros(2)).heights
        points = around(np.zeros(2), room=2.0, height=1.8) + np.array([0.0, 0.0, np.nan_to_num(floor)])
    return Camera.view(points, view, aspect=aspect, margin=MARGIN_SHARE, elevation=ELEVATIONS_RAD.get(view))


def following_camera(
    take: Take, row: int, span: tuple[float, float], *, view: str, aspect: float
) -> tuple[Camera, Array]:
    """Frame one character standing at the origin, and say how to travel with it from span[0] to span[1] seconds: where
    it is on the floor, [T, 4] = (time, x, y, z).
    """
    times = np.unique(np.linspace(*span, max(int((span[1] - span[0]) * TRAVEL_HZ), 1) + 1))
    poses = take.sample(times, characters=[row])
    there = np.flatnonzero(poses.present[:, 0])
    if len(there) == 0:
        raise InvalidValue(
            f"{take.names[row]!r} is not there from {span[0]:g} to {span[1]:g} s; it enters at {take.enters[row]:g} s "
            f"and leaves at {take.leaves[row]:g} s"
        )
    planar, soles = poses.planar[there, 0], _soles(take, poses, np.array([row]))[there, 0]
    ground = take.stage.floor_under(planar[:, :2], near=soles)
    # Whoever is far above the floor, as birds are, is followed there.
    z = np.where(soles - ground < take.body(row).height, ground, soles)
    places = np.column_stack([np.interp(times, times[there], way) for way in (planar[:, 0], planar[:, 1], z)])
    if len(times) > 1:
        places = gaussian_filter1d(places, SMOOTH_S / (times[1] - times[0]), axis=0, mode="nearest")
    points = around(np.zeros(2), room=NEAR_ROOM_M, height=1.08 * take.body(row).height)
    camera = Camera.view(points, view, heading=heading_of_way(planar), aspect=aspect, margin=MARGIN_SHARE)
    return camera, np.column_stack([times, places])


def around(place: Array, *, room: float, height: float) -> Array:
    """Return [8, 3] corners of an upright box around a place [2] on the floor."""
    return box_corners([*(place - room), 0.0], [*(place + room), height])


def level_direction(camera: Camera) -> Array:
    """Return the unit vector [2] along the floor from what a camera looks at towards it; zero where it looks down."""
    back = (camera.eye - camera.target)[:2]
    far = float(np.hypot(*back))
    steep = far < 0.2 * float(np.linalg.norm(camera.eye - camera.target))
    return np.zeros(2) if steep else back / far


def _people(take: Take, times: Array) -> Array:
    """Return [P, 3] points that hold everyone at these times: around the root, from the feet up as high as the body, or
    as far as the body reaches at rest where it cannot stand.
    """
    found = [np.zeros((0, 3))]
    rooms = np.array([_room(body) for body in take.bodies]).reshape(-1, 3)[take.characters.body]
    rooms = rooms * take.characters.scale[:, None]
    legged = np.array([stands(body.skeleton) for body in take.bodies], bool)[take.characters.body]
    step = max(POSES_AT_ONCE // max(len(take), 1), 1)
    for first in range(0, len(times), step):
        poses = take.sample(times[first : first + step])
        moment, row = np.nonzero(poses.present)
        roots, feet = poses.positions[moment, row, 0], _soles(take, poses, np.arange(len(take)))[moment, row]
        ground = take.stage.floor_under(roots[:, :2], near=feet)
        floor = np.where(feet - ground < NEAR_FLOOR_M, ground, feet - 0.1)
        low = np.where(legged[row], floor, roots[:, 2] - rooms[row, 1])
        high = np.where(legged[row], floor, roots[:, 2]) + rooms[row, 2]
        for a, b in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
            corner = roots[:, :2] + rooms[row, :1] * np.array([a, b])
            found += [np.column_stack([corner, low]), np.column_stack([corner, high])]
    return np.concatenate(found)


def _soles(take: Take, poses: Poses, rows: IntArray) -> Array:
    """Return z [T, K] of the lowest joints of the characters `rows` [K]; of who is a track, of where feet would be."""
    rest = take.score.rigs.rest_height[take.characters.body[rows]] * take.characters.scale[rows]
    tracked = poses.positions[..., 0, 2] - rest
    return np.where(poses.presence == PLANAR, tracked, poses.positions[..., 2].min(axis=-1))


def _room(body: Body) -> tuple[float, float, float]:
    """Return how far a body reaches beside its root, below it and above it; of who can stand, above the floor."""
    if stands(body.skeleton) or not len(body.capsule_parts):
        return ROOM_M, 0.0, body.height
    rest = body.skeleton.rest_positions[body.capsule_joints] - body.skeleton.rest_positions[0]
    ends = np.stack([rest + body.capsule_starts, rest + body.capsule_ends], axis=1)
    aside = np.linalg.norm(ends[..., :2], axis=2) + body.capsule_radii
    up, down = ends[..., 2] + body.capsule_radii, body.capsule_radii - ends[..., 2]
    return max(float(aside.max()), ROOM_M), float(down.max()), float(up.max())


def _props(take: Take, times: Array) -> Array:
    """Return [P, 3] points that hold every prop at these times."""
    if not take.props:
        return np.zeros((0, 3))
    positions, rotations, there = prop_poses(take, times)
    corners = np.array([box_corners(*prop.bounds) for prop in take.props])
    return (positions[:, :, None] + quat.rotate(rotations[:, :, None], corners))[there].reshape(-1, 3)
