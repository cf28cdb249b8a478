"""Picking props up and putting them down: where to stand, which edge to play, and what the take is told of it.

Where a prop is, is a function of time: it rests where the scene has it until it is picked up, and then wherever it was
put down last, by whomever (`find_prop`). Whoever picks it up comes after that.
"""

from collections.abc import Iterable
from math import inf
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.graphs.snap_together.lifts import Lifts
from walkon.script import Action, Mark
from walkon.script.scene import PlacedProp
from walkon.synthesis.goal_directed.legs import LegJob, go
from walkon.synthesis.goal_directed.lifting import (
    carried_pose,
    laid_pose,
    lift_for,
    picked_pose,
    prop_pose,
    standings,
)
from walkon.synthesis.goal_directed.prop_score import HoldInterval
from walkon.synthesis.goal_directed.route import Route, RouteReason, Unmet
from walkon.take.reasons import ReasonKind
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

__all__ = ["ActionRecord", "RestingProp", "find_prop", "hold_intervals", "perform_action"]

STANDING_TRY_COUNT = 3
"""Places to stand that are tried, the best first."""


class ActionRecord(NamedTuple):
    """Something done with a prop."""

    kind: str
    prop: str
    time: float
    """Seconds: when hands close, or let go."""
    row: int
    """Row of the lifts."""
    pose_in_body: Array
    """[7] picked up: where it was, as seen from where that was begun; put down: where it stands afterwards."""


class RestingProp(NamedTuple):
    """A prop, and where it was put last."""

    placed: PlacedProp
    pose: Array
    """[7] where it rests."""
    since: float
    """s from when on it rests there."""
    held: bool
    """Whether somebody has picked it up since."""


def find_prop(placed: PlacedProp, actions: Iterable[ActionRecord]) -> RestingProp:
    """Return where a prop is when all of these actions are over, whoever does them."""
    mine = sorted((done for done in actions if done.prop == placed.prop.name), key=lambda done: done.time)
    down = next((done for done in reversed(mine) if done.kind == "put_down"), None)
    held = bool(mine) and mine[-1].kind == "pick_up"
    if down is None:
        return RestingProp(placed, prop_pose(placed), -inf, held)
    return RestingProp(placed, down.pose_in_body, down.time, held)


def perform_action(
    job: LegJob, route: Route, mark: Mark, number: int, *, window: tuple[float, float], prop: RestingProp
) -> Unmet | None:
    """Extend a route to where a prop is picked up or put down, and by doing so."""
    action = mark.action
    assert action is not None
    try:
        return _act(job, route, mark, action, number, window=window, prop=prop)
    except InvalidValue as error:
        return Unmet(mark=number, reason=str(error))


def _act(
    job: LegJob,
    route: Route,
    mark: Mark,
    action: Action,
    number: int,
    *,
    window: tuple[float, float],
    prop: RestingProp,
) -> Unmet | None:
    context, placed = job.context, prop.placed
    held = _held(route, action.prop)
    down = action.kind == "put_down"
    if down and held is None:
        return Unmet(mark=number, reason=f"it does not carry {action.prop!r}")
    if not down and prop.held and held is None:
        return Unmet(mark=number, reason=f"{action.prop!r} is in somebody else's hands by then")
    place = np.array(action.place) if down else prop.pose[:3]
    _, upright = quat.swing_twist(prop.pose[3:], np.array([0.0, 0.0, 1.0]))
    heading = 2.0 * float(np.arctan2(upright[3], upright[0]))
    # Lifts are recorded on a floor at 0.
    low = float(job.space.stage.floor_under(place[:2], near=place[2]))
    rows = lift_for(context.lifts, action.kind, prop=placed.prop, height=float(place[2]) - low, scale=job.scale)
    row = int(rows[0])
    carried = None
    if down and held is not None:
        carried = carried_pose(context.lifts, row, pick=held.row, picked=held.pose_in_body, scale=job.scale)
    found = standings(
        context.lifts,
        row,
        graph=context.graph,
        prop=placed.prop,
        place=place,
        heading=heading,
        facing=mark.facing,
        approach=route.pose[:2],
        space=None if job.space.is_open else job.space,
        scale=job.scale,
        carried=carried,
    )
    stands = found.pose[found.clear][:STANDING_TRY_COUNT] if found.clear.any() else found.pose[:1]
    graph = context.plan_graph(job.scale)
    edge = int(graph.rows[int(context.lifts.edge[row])])
    seconds = float(graph.steps.seconds[edge])
    # It is over before the scene is.
    window = (max(window[0], prop.since) if not down else window[0], min(window[1], job.horizon - seconds))
    failed: Unmet | None = None
    for stood in stands:
        hub = int(context.lifts.start[row])
        failed = go(job, route, hub=hub, place=stood, z=low, window=window, number=number, hold=4.0)
        if failed is None:
            break
    if failed is not None:
        return failed
    stood, begin = route.pose, route.time
    still = np.zeros((1, 3))
    walk = graph.walk(
        np.array([edge]), starts=np.array([begin, begin + seconds]), poses=stood[None], offsets=still, slopes=still
    )
    end = planar.compose(stood, graph.steps.move[edge])
    reason = RouteReason(ReasonKind.PUTS_DOWN if down else ReasonKind.PICKS_UP, mark=number, prop=action.prop)
    route.append(walk, hub=int(context.lifts.stop[row]), pose=end, mark=number, reason=reason)
    when = begin + float(context.lifts.time[row]) * float(np.sqrt(job.scale))
    over_floor = prop.pose - [0.0, 0.0, low, 0.0, 0.0, 0.0, 0.0]
    seen = picked_pose(stood, over_floor) if carried is None else laid_pose(carried, stood, place=place)
    route.actions.append(ActionRecord(action.kind, action.prop, when, row, seen))
    return None


def _held(route: Route, prop: str) -> ActionRecord | None:
    for done in reversed(route.actions):
        if done.prop == prop:
            return done if done.kind == "pick_up" else None
    return None


def hold_intervals(route: Route, *, character: int, lifts: Lifts, numbers: dict[str, int]) -> list[HoldInterval]:
    """Return what a character's route does with props, as the take is told; `numbers` are the props' in the scene."""
    found = []
    for k, done in enumerate(route.actions):
        if done.kind != "pick_up":
            continue
        down = next((later for later in route.actions[k + 1 :] if later.prop == done.prop), None)
        found.append(
            HoldInterval(
                prop=numbers[done.prop],
                character=character,
                grasp=done.time,
                release=inf if down is None else down.time,
                joints=tuple(lifts.holders(done.row)),
                laid=None if down is None else down.pose_in_body,
            )
        )
    return found
