"""Where to stand, and how, to pick a prop up or to put it down, so that hands and prop meet exactly.

An edge that lifts has the prop at X in its start hub's frame (`lift_tables`). Turned by the facing θ, it must be
started at

    (x, y) = prop's (x, y) − R(θ) s X_xy                                                            (1)

for a body of size s; then hands close where the prop is, to rounding, for any θ. Heights cannot be chosen that way: the
prop's middle must be within `HEIGHT_TOLERANCE_M` of s X_z. Between two hands must be a prop as wide as they are apart,
within `WIDTH_TOLERANCE_M`: a box is gripped by two parallel sides, within `ASKEW_RAD` of them; what is round, from
anywhere. Compounds and meshes count as boxes of their extents, around their origin.

For putting down, X is not what that edge's own recording says but what is carried: with the joints' poses J in both
edges, and Y the prop in the first edge's start frame when it was grasped,

    A_j = J_j(grasp)⁻¹ ∘ Y,        X = mean of J_j(release) ∘ A_j                                   (2)

so the prop comes to the asked place by standing in the right place, and nothing is left to be put straight but what
planting moves the posed body by (see `prop_score`). Metres, radians; poses [7] as in `lift_tables`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import InvalidValue, UnknownName
from walkon.graphs.snap_together.lifts import KINDS, Lifts
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.script.scene import PlacedProp
from walkon.stage import Prop
from walkon.stage.free_space import FreeSpace
from walkon.transforms import angles, planar, rigid
from walkon.transforms import quaternions as quat

__all__ = [
    "Standings",
    "carried_pose",
    "grip_facings",
    "laid_pose",
    "lift_for",
    "picked_pose",
    "prop_pose",
    "standing_place",
    "standings",
]

HEIGHT_TOLERANCE_M = 0.03
"""m by which the middle of a prop may be higher or lower than that of the recorded one."""
WIDTH_TOLERANCE_M = 0.06
"""m by which a prop may be wider or narrower than what the hands were recorded with: 3 cm at each hand."""
ASKEW_RAD = np.deg2rad(10.0)
"""rad between the sides of a box and the hands."""
APPROACH_COUNT = 8
"""From how many sides things are approached that have no sides of their own, and put down."""


class Standings(NamedTuple):
    """K ways to stand for a lift, best first."""

    pose: Array
    """[K, 3] where the edge must be started."""
    clear: BoolArray
    """[K] whether the body's disc meets no obstacle while the edge is played there."""
    spare: Array
    """[K] m that are left between disc and obstacles; negative where they overlap."""


def lift_for(
    lifts: Lifts, kind: str, *, prop: Prop, height: float, scale: float = 1.0, within: float = HEIGHT_TOLERANCE_M
) -> IntArray:
    """Return the rows of lifts of a kind that fit a prop whose middle is at this height, best first.

    Refused, with what can be done, where none does: the height must be a recorded one (times the body's `scale`) within
    `within`; to be picked up the prop must fit between the hands from some side.
    """
    if kind not in KINDS:
        raise UnknownName.among("kind of lift", kind, KINDS)
    rows = lifts.of_kind(kind)
    words = kind.replace("_", " ")
    if not len(rows):
        raise InvalidValue(f"nobody can {words} {prop.name!r}: no edge of the graph does; build it with such clips")
    heights = scale * lifts.pose[rows, 2]
    off = np.abs(heights - height)
    fits = off <= within
    if not fits.any():
        known = ", ".join(f"{z:.3f}" for z in _apart(np.sort(heights)))
        raise InvalidValue(
            f"cannot {words} {prop.name!r} with its middle at {height:.3f} m: it must be within {within * 100:g} cm of "
            f"a recorded height, {known} m; change its place or what it stands on"
        )
    if kind == "pick_up":
        wide = np.array([_best_width(prop, scale * across) for across in lifts.across[rows]])
        if not (fits & (wide <= WIDTH_TOLERANCE_M)).any():
            hands = scale * float(lifts.across[rows][fits][0])
            raise InvalidValue(
                f"cannot pick up {prop.name!r} of size {prop.size}: hands hold what is about {hands:.2f} m wide, "
                f"within {WIDTH_TOLERANCE_M * 100:g} cm; change its size"
            )
        fits &= wide <= WIDTH_TOLERANCE_M
    order = np.lexsort((rows, np.rint(off / 1e-3)))
    return np.asarray(rows[order][fits[order]], dtype=np.int64)


def prop_pose(placed: PlacedProp) -> Array:
    """Return where a prop stands at first, [7]."""
    return np.concatenate([np.asarray(placed.place, dtype=np.float64), quat.turn(placed.heading)])


def standing_place(
    lifts: Lifts,
    row: int,
    *,
    place: ArrayLike,
    facing: ArrayLike,
    scale: float = 1.0,
    carried: Array | None = None,
) -> Array:
    """Return the planar poses [..., 3] at which to start the edge so that the prop is at `place` (x, y, …), eq. (1).

    For any `facing` [...], the heading of the start hub. `carried` [7] is `carried_pose`, where something is put down.
    """
    facing = np.asarray(facing, dtype=np.float64)
    ahead = scale * lifts.pose[row, :2] if carried is None else carried[:2]
    turned = planar.apply(np.stack([0 * facing, 0 * facing, facing], axis=-1), ahead)
    return np.concatenate([np.asarray(place, dtype=np.float64)[:2] - turned, angles.wrap(facing)[..., None]], axis=-1)


def picked_pose(stood: Array, prop: Array) -> Array:
    """Return the prop's world pose [7] as seen from the planar pose [3] at which the lift is started: Y of eq. (2)."""
    return rigid.relative(rigid.from_planar(stood), prop)


def carried_pose(lifts: Lifts, put: int, *, pick: int, picked: Array | None = None, scale: float = 1.0) -> Array:
    """Return where, in the frame of its start hub, edge `put` releases what edge `pick` grasped, [7], eq. (2).

    `picked` is `picked_pose`; without it the prop was exactly where the recording has it.
    """
    size = np.array([scale, scale, scale, 1.0, 1.0, 1.0, 1.0])
    count = len(lifts.holders(pick))
    if not np.array_equal(lifts.joints[pick], lifts.joints[put]):
        raise InvalidValue(
            f"edge {lifts.edge[pick]} grasps with joints {lifts.joints[pick].tolist()}, but edge {lifts.edge[put]} "
            f"releases with {lifts.joints[put].tolist()}; choose lifts with the same joints"
        )
    seen = lifts.pose[pick] * size if picked is None else picked
    holds = rigid.relative(lifts.joint_pose[pick, :count] * size, seen)
    return rigid.mean(rigid.compose(lifts.joint_pose[put, :count] * size, holds))


def laid_pose(carried: Array, stood: Array, *, place: ArrayLike) -> Array:
    """Return the world pose [7] of a prop put down at `place` (x, y, z) by somebody who stood at `stood`: upright."""
    _, upright = quat.swing_twist(rigid.compose(rigid.from_planar(stood), carried)[3:], np.array([0.0, 0.0, 1.0]))
    return np.concatenate([np.asarray(place, dtype=np.float64), upright])


def grip_facings(lifts: Lifts, row: int, *, prop: Prop, heading: float = 0.0, scale: float = 1.0) -> Array:
    """Return the headings [K] of a start hub from which hands meet the prop's sides: of a box up to 4, else 8.

    For putting down all directions will do.
    """
    around = 2 * np.pi / APPROACH_COUNT * np.arange(APPROACH_COUNT)
    across = scale * float(lifts.across[row])
    if KINDS[lifts.kind[row]] == "put_down" or prop.is_round or across == 0:
        return np.asarray(angles.wrap(heading + around))
    # The line through the hands along the box's y axis, or along its x axis.
    first = heading + 0.5 * np.pi - float(lifts.aside[row])
    found = [
        first + quarter * 0.5 * np.pi
        for quarter in range(4)
        if abs(prop.size[1 if quarter % 2 == 0 else 0] - across) <= WIDTH_TOLERANCE_M
    ]
    return np.asarray(angles.wrap(np.array(found)))


def standings(
    lifts: Lifts,
    row: int,
    *,
    graph: SnapGraph,
    prop: Prop,
    place: ArrayLike,
    heading: float = 0.0,
    facing: float | None = None,
    approach: ArrayLike | None = None,
    space: FreeSpace | None = None,
    scale: float = 1.0,
    carried: Array | None = None,
) -> Standings:
    """Return where to stand for a lift, best first: clear of obstacles, then facing as one does who comes straight.

    `place` and `heading` are the prop's; `facing` leaves only that one, which must suit a box's sides; `approach`
    (x, y) is where the person comes from. The disc of a body on its way follows the root along the edge.
    """
    where = np.asarray(place, dtype=np.float64)
    suits = grip_facings(lifts, row, prop=prop, heading=heading, scale=scale)
    if facing is not None:
        askew = np.abs(angles.wrap(suits - facing)).min(initial=np.pi)
        if KINDS[lifts.kind[row]] == "pick_up" and not prop.is_round and askew > ASKEW_RAD:
            known = ", ".join(f"{a:.0f}" for a in np.degrees(suits))
            raise InvalidValue(
                f"facing {np.degrees(facing):.0f} degrees, hands do not meet the sides of {prop.name!r}; face within "
                f"{np.degrees(ASKEW_RAD):.0f} degrees of {known}, or leave it free"
            )
        suits = np.array([float(facing)])
    poses = standing_place(lifts, row, place=where, facing=suits, scale=scale, carried=carried)
    spare = np.full(len(poses), np.inf)
    if space is not None:
        edge = int(lifts.edge[row])
        path = graph.planar[graph.clips.starts[edge] : graph.clips.stops[edge] : 5] * np.array([scale, scale, 1.0])
        spare = space.distance(planar.compose(poses[:, None], path)[..., :2]).min(axis=1)
        spare -= scale * graph.radius
    turn = np.zeros(len(poses))
    if approach is not None:
        way = where[:2] - np.asarray(approach, dtype=np.float64)[:2]
        turn = np.abs(angles.wrap(suits - np.arctan2(way[1], way[0])))
    clear = spare >= 0
    order = np.lexsort((np.arange(len(poses)), np.rint(turn / 1e-6), ~clear))
    return Standings(poses[order], clear[order], spare[order])


def _best_width(prop: Prop, across: float) -> float:
    """Return m by which hands so far apart miss the sides of a prop, from the side that suits best."""
    if across == 0:
        return 0.0
    widths = prop.size[:1] if prop.is_round else prop.size[:2]
    return min(abs(width - across) for width in widths)


def _apart(heights: Array) -> Array:
    """Return heights without those that are the same to the millimetre."""
    return heights[np.append(True, np.diff(heights) > 1e-3)]
