"""A gait report: what a gait laboratory would print about a walk, measured over its whole, steady, straight strides.

Per stride, from heel strike to the same foot's next (see `walkon.motion.gait.events` for the detectors), with u the
line from a footprint to the same foot's next one:

    speed           |hips moved| / duration                         cadence      120 / duration
    step length     |print → next print| / 2                        step width   distance of the other print from u
    stance share    (toe-off − strike) / duration                   double support   the time with both feet down
    rise, sway      range of the midpoint of the hip joints, up and across u
    rotation, list  range of the line through the hip joints, about the vertical and against the floor
    hip             range of the thigh's angle to the vertical, in the plane of u and the vertical
    knee            range of the angle between thigh and shank, in space
    ankle           range of foot pitch (slope of the line from heel to ball joint) minus shank angle in that plane
    toe clearance   lowest height in mid-swing of the sole under the ball, over where it rested before and rests after

Ranges are taken after removing the straight line from a stride's first to its last frame, so that drift of a body
that turns or of a floor that leans is not counted. Joint rows are ranges, not angles: fitted skeletons of captured
people read up to 30 degrees of knee bend when standing straight. A value of the clip is the mean of the middle half
of its strides: whole frames average out, and a stride with a spike does not count.

Left out, and counted: strides that turn by more than `MAX_STRAIGHT_TURN_RAD`, and strides that speed up or slow down by
more than `MAX_STEP_SPEED_CHANGE_SHARE` from their first step to their second. Not counted at all: strides that are no
walk forward (slower than `MIN_WALK_SPEED_M_S`, faster than `MAX_WALK_SPEED_M_S`, or with the hips facing more than 45
degrees away from where they go).
"""

from dataclasses import dataclass, fields

import numpy as np
from scipy.ndimage import gaussian_filter1d
from scipy.stats import trim_mean

from walkon._base.arrays import Array, BoolArray
from walkon.motion.clip import Clip
from walkon.motion.contacts.detection import stance
from walkon.motion.contacts.ground_plane import SMOOTHING_SIGMA_S
from walkon.motion.gait.events import DETECTOR, FLAT_FOOT_SHARE, Stride, find_strides, travel
from walkon.motion.skeleton import FOOT_CONTACTS, SIDES
from walkon.transforms.angles import difference

__all__ = ["GaitReport", "gait_report", "sort_strides"]

MAX_STRAIGHT_TURN_RAD = np.radians(10.0)
"""rad of turn over a stride beyond which it is a turning stride."""
MAX_STEP_SPEED_CHANGE_SHARE = 0.15
"""Share of its speed by which the two steps of a stride may differ."""
MIN_WALK_SPEED_M_S, MAX_WALK_SPEED_M_S = 0.4, 2.2
"""m/s between which a stride is a walk: below it is shuffling, above people run."""
MAX_FACING_OFF_TRAVEL_RAD = np.radians(45.0)
"""rad between the hips' heading and the direction of travel beyond which a step goes sideways or backward."""
MID_SWING_SHARE = (0.30, 0.85)
"""Shares of the swing between which the toes pass closest over the floor: before they rise, after it they land."""


@dataclass(frozen=True, kw_only=True)
class GaitReport:
    """The gait of one clip; every value is the mean over the middle half of `strides` strides of both feet."""

    clip: str
    strides: int
    """Strides measured: whole, straight and steady."""
    turning: int
    """Walking strides left out because they turn."""
    unsteady: int
    """Walking strides left out because they speed up or slow down."""
    detector: str = DETECTOR
    speed_m_s: float
    cadence_per_min: float
    step_length_m: float
    step_width_m: float
    stance_share: float
    """By the named detector, 0 to 1."""
    double_support: float
    """By the named detector: share of the stride with both feet down, both times together."""
    contact_share: float
    """Plain share of frames in which the clip's contacts have the foot down."""
    pelvis_rise_m: float
    pelvis_sway_m: float
    pelvis_rotation_deg: float
    pelvis_list_deg: float
    hip_range_deg: float
    knee_range_deg: float
    ankle_range_deg: float
    toe_clearance_m: float


def sort_strides(clip: Clip) -> tuple[list[Stride], list[Stride], list[Stride]]:
    """Return the clip's walking strides: steady and straight ones, turning ones, and ones that change their speed."""
    kinds: tuple[list[Stride], list[Stride], list[Stride]] = ([], [], [])
    steady, turning, unsteady = kinds
    if not clip.skeleton.has_feet:
        return kinds
    hips = clip.world.positions[:, clip.skeleton.role("hips"), :2]
    direction, _ = travel(clip)
    way = np.arctan2(direction[:, 1], direction[:, 0])
    facing = clip.planar_poses[:, 2]
    for stride in find_strides(clip):
        a, c, b = stride.start, stride.other_strike, stride.stop
        first, second = (np.linalg.norm(hips[j] - hips[i]) / (j - i) * clip.fps for i, j in ((a, c), (c, b)))
        speed = float(np.linalg.norm(hips[b] - hips[a])) / (b - a) * clip.fps
        off = difference(facing[a:b], way[a:b])
        mean_off = np.arctan2(np.sin(off).mean(), np.cos(off).mean())
        if not MIN_WALK_SPEED_M_S <= speed <= MAX_WALK_SPEED_M_S or abs(mean_off) > MAX_FACING_OFF_TRAVEL_RAD:
            continue
        if abs(stride.turn) > MAX_STRAIGHT_TURN_RAD:
            turning.append(stride)
        elif abs(first - second) > MAX_STEP_SPEED_CHANGE_SHARE * speed:
            unsteady.append(stride)
        else:
            steady.append(stride)
    return kinds


def gait_report(clip: Clip) -> GaitReport | None:
    """Measure the gait of a grounded clip with contacts; None where it has no whole, straight, steady stride."""
    if not clip.skeleton.contact_names:
        return None
    steady, turning, unsteady = sort_strides(clip)
    if not steady:
        return None
    positions = gaussian_filter1d(clip.world.positions, SMOOTHING_SIGMA_S * clip.fps, axis=0, mode="nearest")
    points = clip.contact_positions[:, [clip.skeleton.contact(name) for name in FOOT_CONTACTS]]
    soles = gaussian_filter1d(points, SMOOTHING_SIGMA_S * clip.fps, axis=0, mode="nearest")
    down = stance(clip)
    rows = [_measure(clip, stride, positions, soles, down) for stride in steady]
    counts = {"strides": len(rows), "turning": len(turning), "unsteady": len(unsteady)}
    values = {name: float(trim_mean([row[name] for row in rows], 0.25)) for name in VALUES}
    return GaitReport(clip=clip.name, **counts, **values)  # type: ignore[arg-type]


VALUES = tuple(
    field.name
    for field in fields(GaitReport)
    if field.name not in ("clip", "strides", "turning", "unsteady", "detector")
)
"""Names of the measured values, in the order of the report."""


def _measure(clip: Clip, stride: Stride, positions: Array, soles: Array, down: BoolArray) -> dict[str, float]:
    """Measure one stride, given the filtered places of joints [T, J, 3] and contact points [T, 4, 3]."""
    a, b = stride.start, stride.stop
    span, seconds = slice(a, b + 1), (b - a) / clip.fps
    own, other, following = (np.array(place) for place in stride.prints)
    length = float(np.linalg.norm(following - own))
    along = (following - own) / max(length, 1e-9)
    aside = float(along[0] * (other - own)[1] - along[1] * (other - own)[0])
    root = positions[[a, b], clip.skeleton.role("hips"), :2]
    left, right = (positions[span, clip.skeleton.role(f"{side}_hip")] for side in SIDES)
    # The midpoint, because skeletons put their root joint at very different heights above the hip joints.
    hips, across = 0.5 * (left + right), left - right
    hip, knee, ankle, ball = (
        positions[span, clip.skeleton.role(f"{SIDES[stride.side]}_{part}")] for part in ("hip", "knee", "ankle", "ball")
    )
    thigh, shank, foot = knee - hip, ankle - knee, ball - soles[span, 2 * stride.side]
    cosine = np.einsum("ti,ti->t", thigh, shank) / np.linalg.norm(thigh, axis=1) / np.linalg.norm(shank, axis=1)
    # The slope of the foot itself, not its shadow in the plane of travel: captured feet lean in and out at toe-off.
    pitch = np.arctan2(foot[:, 2], np.linalg.norm(foot[:, :2], axis=1))
    return {
        "speed_m_s": float(np.linalg.norm(root[1] - root[0])) / seconds,
        "cadence_per_min": 120.0 / seconds,
        "step_length_m": 0.5 * length,
        # The right foot is right of the left one; a negative width is a walk that crosses its own line.
        "step_width_m": -aside if stride.side == 0 else aside,
        "stance_share": (stride.toe_off - a) / (b - a),
        "double_support": (stride.other_toe_off - a + stride.toe_off - stride.other_strike) / (b - a),
        "contact_share": float(down[a:b, stride.side].mean()),
        "pelvis_rise_m": _range(hips[:, 2]),
        "pelvis_sway_m": _range(hips[:, :2] @ np.array([-along[1], along[0]])),
        "pelvis_rotation_deg": np.degrees(_range(np.unwrap(np.arctan2(across[:, 1], across[:, 0])))),
        "pelvis_list_deg": np.degrees(_range(np.arctan2(across[:, 2], np.linalg.norm(across[:, :2], axis=1)))),
        "hip_range_deg": np.degrees(_range(_lean(thigh, along))),
        "knee_range_deg": np.degrees(_range(np.arccos(np.clip(cosine, -1.0, 1.0)))),
        "ankle_range_deg": np.degrees(_range(pitch - _lean(shank, along))),
        "toe_clearance_m": _clearance(stride, soles[:, 2 * stride.side + 1]),
    }


def _clearance(stride: Stride, ball: Array) -> float:
    """Return how high the sole under the ball passes over the level on which it rested before and rests after."""
    length, swing = stride.stop - stride.start, stride.stop - stride.toe_off
    low, high = (round(share * length) for share in FLAT_FOOT_SHARE)
    rest = [ball[at + low : max(at + high, at + low + 1), 2].mean() for at in (stride.start, stride.stop)]
    first, last = (stride.toe_off + round(share * swing) for share in MID_SWING_SHARE)
    return float(ball[first : last + 1, 2].min() - np.mean(rest))


def _lean(segment: Array, along: Array) -> Array:
    """Return [T] rad, angle of a hanging segment to the vertical in the plane of travel; forward positive."""
    return np.asarray(np.arctan2(segment[:, :2] @ along, -segment[:, 2]))


def _range(curve: Array) -> float:
    """Return the range of a curve over a stride after removing the line from its first to its last value."""
    return float(np.ptp(curve - np.linspace(0.0, curve[-1] - curve[0], len(curve))))
