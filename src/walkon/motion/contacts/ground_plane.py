"""Ground plane estimation: where the floor is, and where the soles are, which raw capture leaves open.

Files put the floor near zero, but the height of a resting foot differs by person, foot and recording by several
centimetres, some floors lean by a degree, and files know neither heels nor soles. From the frames in which feet are
slow and low this finds

* the floor as a plane, z = h + a x + b y, fitted robustly to both feet (the ball joints lie a sole above it);
* the four contact points of a person: the balls, straight below the ball joint on the floor, fixed to the ball joint;
  and virtual heels, `HEEL_BEHIND_ANKLE_SHARE` behind the ankle on the floor, fixed to the ankle. (The ankle itself is
  no heel: used as one it finds only half of each stance.)

`ground` then levels the clip onto z = 0 and gives its skeleton those contact points, so that every later step can
rely on "a planted point is at its support's height".
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import gaussian_filter1d

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.motion.clip import Clip
from walkon.motion.limbs.legs import leg_length
from walkon.motion.skeleton import FOOT_CONTACTS, SIDES
from walkon.transforms import quaternions as quat

__all__ = ["Ground", "find_ground", "ground", "speeds"]

MAX_RESTING_SPEED_M_S = 0.2
"""m/s under which a foot may be resting: it separates stance from swing at every walking speed in CMU."""
SMOOTHING_SIGMA_S = 0.02
"""s, standard deviation of the filter under which speeds are measured: capture jitter is faster, feet are slower."""
BALL_HEIGHT_SHARE = 0.017
"""Height of the ball joint above the sole, as a share of the body's height: about 3 cm."""
LEG_SHARE = 0.49
"""Thigh plus shin as a share of the body's height (Winter 2009, figure 4.1: 0.245 + 0.246)."""
HEEL_BEHIND_ANKLE_SHARE = 0.026
"""Distance of the virtual heel behind the ankle, as a share of the body's height: 4.5 cm."""
FILE_FLOOR_WITHIN_M = 0.01
"""m, how far the soles may be from the file's own floor before the clip is moved."""
FLOOR_BAND_M = 0.06
"""m, band above and below the floor in which a slow foot counts as standing on it (a stair is higher)."""
LOWEST_LEVEL_QUANTILE = 0.05
"""Quantile of resting heights at which the search for the floor starts: the lowest level where feet really rest."""
TILT_PRIOR_RAD = 0.006
"""rad, how much a floor usually leans: keeps the plane sane when all steps lie on one line."""
RESTING_HEIGHT_NOISE_M = 0.01
"""m, spread of resting heights around the floor."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Ground:
    """The floor under a clip and the soles above it, in the clip's own frame."""

    height: float
    """m, height of the floor below the place where the clip's steps are centred; 0 where the file's floor is right."""
    slope: tuple[float, float]
    """Rise of the floor per metre along x and y."""
    centre: tuple[float, float]
    """m, ground point about which the floor is levelled."""
    contact_offsets: Array
    """[4, 3] m, the contact points (in the order of `FOOT_CONTACTS`) in the frames of their joints."""
    spread: float
    """m, standard deviation of the resting heights around the floor."""

    @property
    def tilt_deg(self) -> float:
        """Degrees by which the floor leans."""
        return float(np.degrees(np.arctan(np.hypot(*self.slope))))


def speeds(positions: Array, fps: float) -> Array:
    """Return speeds [T, ...] in m/s of points [T, ..., 3], measured under a filter of `SMOOTHING_SIGMA_S` seconds."""
    if len(positions) < 2:
        return np.zeros(positions.shape[:-1])
    smooth = gaussian_filter1d(positions, SMOOTHING_SIGMA_S * fps, axis=0, mode="nearest")
    return np.linalg.norm(np.gradient(smooth, axis=0), axis=-1) * fps


def _find_resting(clip: Clip) -> tuple[Array, BoolArray]:
    """Return the ball joints' places [T, 2, 3] and when they rest [T, 2]."""
    joints = [clip.skeleton.role(f"{side}_ball") for side in SIDES]
    balls = clip.world.positions[:, joints]
    speed = speeds(balls, clip.fps)
    slow = speed < MAX_RESTING_SPEED_M_S
    # A runner's foot hardly rests: take the slowest tenth of the frames instead.
    hardly = np.count_nonzero(slow, axis=0) < 0.1 * clip.fps
    return balls, slow | (hardly & (speed <= np.quantile(speed, 0.1, axis=0)))


def _fit_plane(points: Array, feet: IntArray) -> tuple[Array, Array]:
    """Fit z = h_foot + a x + b y to resting points [N, 3] of feet [N] in {0, 1}.

    Returns (h_left, h_right, a, b) and which points [N] were kept. Starts low, because what is slow and high stands on
    a stair or hangs in the air, and keeps what is within `FLOOR_BAND_M` of the plane.
    """
    design = np.column_stack([feet == 0, feet == 1, points[:, :2]]).astype(float)
    levels = [points[feet == f, 2] for f in (0, 1)]
    height = np.array([np.quantile(level, LOWEST_LEVEL_QUANTILE) if len(level) else np.nan for level in levels])
    height = np.where(np.isnan(height), np.nanmean(height), height)
    fit = np.array([*height, 0.0, 0.0])
    kept = np.ones(len(points), bool)
    prior = (RESTING_HEIGHT_NOISE_M / TILT_PRIOR_RAD) ** 2 * np.diag([0.0, 0.0, 1.0, 1.0])
    for _ in range(8):
        kept = np.abs(points[:, 2] - design @ fit) < FLOOR_BAND_M
        if not kept.any():
            break
        # One stance lasts a third of a second: its frames are one observation, not forty.
        stances = max(1.0, np.count_nonzero(kept) / 40.0)
        weight = stances / np.count_nonzero(kept)
        A = weight * design[kept].T @ design[kept] + prior + 1e-9 * np.eye(4)
        fit = np.linalg.solve(A, weight * design[kept].T @ points[kept, 2] + 1e-9 * fit)
    return fit, kept


def find_ground(clip: Clip) -> Ground:
    """Find the floor's plane and the four contact points of a person's feet."""
    skeleton, world = clip.skeleton, clip.world
    balls, slow = _find_resting(clip)
    frames, feet = np.nonzero(slow)
    points = balls[frames, feet]
    centre = points[:, :2].mean(axis=0)
    centred = points - np.array([*centre, 0.0])
    fit, kept = _fit_plane(centred, feet)
    body_height = leg_length(skeleton) / LEG_SHARE
    plane = fit[2:]
    height = float(fit[:2].mean()) - BALL_HEIGHT_SHARE * body_height
    if abs(height) < FILE_FLOOR_WITHIN_M:
        height = 0.0

    offsets = np.zeros((4, 3))
    for foot, side in enumerate(SIDES):
        mine = kept & (feet == foot)
        rest = frames[mine] if mine.any() else np.array([int(np.argmin(balls[:, foot, 2]))])
        ankle, ball = skeleton.role(f"{side}_ankle"), skeleton.role(f"{side}_ball")
        ankles, flat_balls = world.positions[rest, ankle], world.positions[rest, ball]
        # The foot is flat when its ankle is low and still: of the resting frames keep the lower half of the ankles.
        floor_here = height + (ankles[:, :2] - centre) @ plane
        flat = ankles[:, 2] - floor_here <= np.median(ankles[:, 2] - floor_here) + 1e-12
        ankles, flat_balls, rest = ankles[flat], flat_balls[flat], rest[flat]
        along = flat_balls[:, :2] - ankles[:, :2]
        along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
        heel = np.column_stack([ankles[:, :2] - HEEL_BEHIND_ANKLE_SHARE * body_height * along, np.zeros(len(rest))])
        sole = flat_balls.copy()
        for point in (heel, sole):
            point[:, 2] = height + (point[:, :2] - centre) @ plane
        for k, (joint, point, origin) in enumerate(((ankle, heel, ankles), (ball, sole, flat_balls))):
            local = quat.rotate(quat.conjugate(world.rotations[rest, joint]), point - origin)
            offsets[2 * foot + k] = np.median(local, axis=0)
    return Ground(
        height=height,
        slope=(float(plane[0]), float(plane[1])),
        centre=(float(centre[0]), float(centre[1])),
        contact_offsets=offsets,
        spread=float(np.std(centred[kept, 2] - np.column_stack([feet == 0, feet == 1, centred[:, :2]])[kept] @ fit))
        if kept.any()
        else 0.0,
    )


def ground(clip: Clip, found: Ground | None = None) -> Clip:
    """Level a clip onto the floor z = 0 and give its skeleton the contact points found (see `find_ground`).

    The world is turned by the floor's tilt about the centre of the steps and lowered by its height: joints keep their
    local rotations, except for the root.
    """
    found = found or find_ground(clip)
    joints = [clip.skeleton.role(f"{side}_{part}") for side in SIDES for part in ("ankle", "ball")]
    skeleton = clip.skeleton.with_contacts(FOOT_CONTACTS, np.array(joints), found.contact_offsets)
    normal = np.array([-found.slope[0], -found.slope[1], 1.0])
    level = quat.between(normal, np.array([0.0, 0.0, 1.0]))
    pivot = np.array([*found.centre, found.height])
    roots = quat.rotate(level, clip.root_positions - pivot) + np.array([*found.centre, 0.0])
    rotations = np.array(clip.local_rotations)
    rotations[:, 0] = quat.multiply(level, rotations[:, 0])
    return replace(
        clip,
        skeleton=skeleton,
        root_positions=roots,
        local_rotations=rotations,
        contacts=np.zeros((0, 0), bool),
        contact_heights=np.zeros((0, 0)),
    )
