"""Cameras for takes: one that stands where it sees all who come by, one that travels with a character.

The travelling camera moves with the character's root along the floor, smoothed over about a second, so that steps and
sway do not shake the picture; its direction stays. World frame, metres, seconds.
"""

import numpy as np
from scipy.ndimage import gaussian_filter1d

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.drawing.camera import Camera, box_corners, heading_of_way
from walkon.take.posing.props import prop_poses
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = ["MAX_MOMENTS", "around", "following_camera", "level_direction", "standing_camera"]

ELEVATIONS_RAD = {"three_quarter": 0.42, "side": 0.12, "front": 0.12}
"""Radians above the floor: a crowd is seen from higher up than a single person, so that fewer hide one another."""
ROOM_M = 0.42
"""What a body needs around its root."""
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
        points = around(np.zeros(2), room=2.0, height=1.8)
    return Camera.view(points, view, aspect=aspect, margin=MARGIN_SHARE, elevation=ELEVATIONS_RAD.get(view))


def following_camera(
    take: Take, row: int, span: tuple[float, float], *, view: str, aspect: float
) -> tuple[Camera, Array]:
    """Frame one character standing at the origin, and say how to travel with it from span[0] to span[1] seconds: where
    it is on the floor, [T, 3] = (time, x, y).
    """
    times = np.unique(np.linspace(*span, max(int((span[1] - span[0]) * TRAVEL_HZ), 1) + 1))
    poses = take.sample(times, characters=[row])
    there = np.flatnonzero(poses.present[:, 0])
    if len(there) == 0:
        raise InvalidValue(
            f"{take.names[row]!r} is not there from {span[0]:g} to {span[1]:g} s; it enters at {take.enters[row]:g} s "
            f"and leaves at {take.leaves[row]:g} s"
        )
    planar = poses.planar[there, 0]
    places = np.column_stack([np.interp(times, times[there], planar[:, i]) for i in (0, 1)])
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
    """Return [P, 3] points that hold everyone at these times: around the root, and as high as the body."""
    found = [np.zeros((0, 3))]
    heights = np.array([take.body(row).height for row in range(len(take))])
    step = max(POSES_AT_ONCE // max(len(take), 1), 1)
    for first in range(0, len(times), step):
        poses = take.sample(times[first : first + step])
        moment, row = np.nonzero(poses.present)
        roots = poses.positions[moment, row, 0, :2]
        for a, b in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
            corner = roots + ROOM_M * np.array([a, b])
            found += [np.column_stack([corner, np.zeros(len(row))]), np.column_stack([corner, heights[row]])]
    return np.concatenate(found)


def _props(take: Take, times: Array) -> Array:
    """Return [P, 3] points that hold every prop at these times."""
    if not take.props:
        return np.zeros((0, 3))
    positions, rotations, there = prop_poses(take, times)
    corners = np.array([box_corners(*prop.bounds) for prop in take.props])
    return (positions[:, :, None] + quat.rotate(rotations[:, :, None], corners))[there].reshape(-1, 3)
