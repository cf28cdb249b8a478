"""From routes to a take: edges as segments, displaced as planned; idle edges until the scene ends; marks and props."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from walkon._base.arrays import Array, IntArray
from walkon._base.chance import Purpose, stream
from walkon.crowd.people import People
from walkon.crowd.planning_frame import PlanningFrame
from walkon.graphs.walk import NO_ROW, Walk
from walkon.graphs.walk_segments import add_walk
from walkon.motion.body import Body
from walkon.motion.footprint import MAX_MEETING_RISE_M
from walkon.script import Mark, Scene
from walkon.script.standing import height_of_start
from walkon.stage.floor import ABOVE_ALL_M
from walkon.synthesis.goal_directed.context import PlanningContext
from walkon.synthesis.goal_directed.idling import idle_walk
from walkon.synthesis.goal_directed.prop_actions import hold_intervals
from walkon.synthesis.goal_directed.prop_score import write_props
from walkon.synthesis.goal_directed.route import Route, RouteReason
from walkon.synthesis.goal_directed.storeys import route_places
from walkon.take.reasons import ReasonKind
from walkon.take.storing.writer import TakeWriter
from walkon.take.tables import Reasons
from walkon.take.take import Take

__all__ = ["write_routes"]

WORLD = PlanningFrame()
BESIDE_M = 3.0
"""m within which motion clones are noticed."""


def write_routes(
    scene: Scene,
    routes: Sequence[Route],
    *,
    context: PlanningContext,
    people: People,
    ends: float,
    seed: int,
    provenance: Mapping[str, Any],
    frame: PlanningFrame = WORLD,
    path: Path | None = None,
) -> Take:
    """Return the take of routes that were planned in a frame; characters idle until `ends` unless they left."""
    graph = context.graph
    with TakeWriter(path, fps=graph.clips.fps, stage=scene.stage, provenance=provenance) as writer:
        body = writer.add_body(Body.of(graph.source.skeleton))
        names = [c.name for c in scene.characters]
        entered = [height_of_start(scene.stage, one) for one in scene.characters]
        near = np.array([ABOVE_ALL_M if z is None else z for z in entered])
        who = writer.add_characters(names, body=body, scale=people.scale, colour=people.colour, near=near)
        staying = [frame.route(one) for one in _stay_on(context, people, names, routes, ends, seed, near)]
        routes = [frame.route(one) for one in routes]
        marks = _marks(writer, scene, routes, ends=ends)
        walk = _crowd_walk(staying, marks, who).before(ends)
        asked = {mark.pose for one in scene.characters for mark in one.marks if mark.pose is not None}
        add_walk(writer, walk, graph=graph, poses=asked)
        props = {}
        if scene.props:
            numbers = {placed.prop.name: k for k, placed in enumerate(scene.props)}
            holds = [
                interval
                for i, route in enumerate(routes)
                for interval in hold_intervals(route, character=int(who[i]), lifts=context.lifts, numbers=numbers)
            ]
            rows = write_props(writer, scene.props, holds, start=0.0, stop=ends).rows
            props = {name: int(rows[k]) for name, k in numbers.items()}
        writer.add_reasons(_reasons(writer, walk, staying, marks, props))
        return writer.close()


def _stay_on(
    context: PlanningContext,
    people: People,
    names: Sequence[str],
    routes: Sequence[Route],
    ends: float,
    seed: int,
    entered: Array,
) -> list[Route]:
    """Return all routes with idling until the end, in which no character moves in step with those beside it."""
    found = [route.copy() for route in routes]
    if not routes:
        return found
    places = np.array([route.pose[:2] for route in routes])
    near = cKDTree(places).query_ball_point(places, BESIDE_M)
    if (floor := context.space.stage.floor).is_layered:
        graphs = [context.plan_graph(float(scale)) for scale in people.scale]
        ways = [
            route_places(graph, route, floor, near=z, until=route.time)[1]
            for graph, route, z in zip(graphs, routes, entered, strict=True)
        ]
        z = np.array([way[-1, 2] for way in ways])
        near = [[k for k in mine if abs(z[k] - z[i]) <= MAX_MEETING_RISE_M] for i, mine in enumerate(near)]
    for i in sorted(range(len(routes)), key=names.__getitem__):
        route = routes[i]
        if route.gone or route.time >= ends - 1e-6:
            continue
        graph = context.plan_graph(float(people.scale[i]), carrying=bool(context.carrying[route.hub]), start=route.hub)
        beside = [walk for k in near[i] if k != i for walk in found[k].walks if walk.stop[-1] > route.time]
        idling = idle_walk(
            graph,
            route.hub,
            pose=route.pose,
            start=route.time,
            seconds=ends - route.time,
            rng=stream(seed, Purpose.END, names[i]),
            nearby=Walk.joined(beside),
            room=min(context.arm_room(route.pose), _room_beside(places[near[i]], places[i])),
        )
        if idling is not None:
            mark = max(route.met, default=-1)
            found[i].append(idling, hub=route.hub, pose=route.pose, mark=mark, reason=RouteReason(ReasonKind.STAYS))
    return found


def _room_beside(others: Array, place: Array) -> float:
    """Return m of room for arms at a place beside those who stay at others [n, 2]: half the way to the nearest."""
    away = np.hypot(*(others - place).T)
    return 0.5 * float(away[away > 0].min(initial=inf))


def _marks(writer: TakeWriter, scene: Scene, routes: Sequence[Route], *, ends: float) -> dict[tuple[int, int], int]:
    """Add all marks, as they were resolved; returns (character, number) → row."""
    rows = {}
    times = {
        (one.name, one.marks[m].name): t
        for one, route in zip(scene.characters, routes, strict=True)
        for m, t in route.met.items()
        if m < len(one.marks)
    }
    for i, (one, route) in enumerate(zip(scene.characters, routes, strict=True)):
        for number, mark in enumerate(one.marks):
            met = route.met.get(number)
            clock = None if mark.clock is None else times.get((mark.clock.character, mark.clock.mark))
            rows[i, number] = writer.add_mark(i, _resolved(mark, route, number, met, ends, clock), met=met)
    return rows


def _resolved(
    mark: Mark, route: Route, number: int, met: float | None, ends: float, clock: float | None = None
) -> Mark:
    """Return a mark with what it asks on the scene's clock; a place that followed from a prop is filled in.

    A window that counts from another mark, met at the second `clock`, is told where the mark is late.
    """
    window = mark.window
    if window is not None and mark.clock is not None:
        late = clock is not None and any(u.mark == number for u in route.unmet)
        window = (clock + window[0], clock + window[1]) if late and clock is not None else None
    if window is not None:
        window = (window[0], min(window[1], max(ends, window[0])))
    hold = mark.hold
    if mark.until is not None:
        hold = max(mark.until - (met or 0.0), 0.0)
    if hold == inf or (met is not None and met + hold > ends):
        hold = max(ends - (met or 0.0) - 1e-6, 0.0)
    position, facing = mark.position, mark.facing
    if mark.action is not None and number in route.placed:
        x, y, facing = (float(v) for v in route.placed[number])
        position = (x, y)
    pose = mark.pose
    if position is None and facing is None and pose is None and window is None:
        position = (float(route.pose[0]), float(route.pose[1]))
    return replace(
        mark, window=window, clock=None, hold=hold, until=None, action=None, position=position, facing=facing, pose=pose
    )


def _crowd_walk(routes: Sequence[Route], marks: Mapping[tuple[int, int], int], who: IntArray) -> Walk:
    """Return the walks of all characters as one; marks and characters are rows of the take, reasons of all routes'."""
    walks = [(i, walk) for i, route in enumerate(routes) for walk in route.walks]
    counts = np.array([len(walk) for _, walk in walks], np.int64)
    before = np.cumsum([0, *(len(route.reasons) for route in routes)])
    reasons = [before[i] + walk.reason[0] for i, walk in walks]
    numbers = [marks.get((i, int(walk.mark[0])), NO_ROW) for i, walk in walks]
    return Walk.joined([walk for _, walk in walks]).with_columns(
        character=np.repeat(np.array([who[i] for i, _ in walks], np.int64), counts),
        mark=np.repeat(np.array(numbers, np.int64), counts),
        reason=np.repeat(np.array(reasons, np.int64), counts),
    )


def _reasons(
    writer: TakeWriter,
    walk: Walk,
    routes: Sequence[Route],
    marks: Mapping[tuple[int, int], int],
    props: Mapping[str, int],
) -> Reasons:
    """Return the reasons of a crowd's walk, a row for each unbroken stretch; a walk's rows with one reason abut."""
    every = [(i, reason) for i, route in enumerate(routes) for reason in route.reasons]
    first = np.flatnonzero(np.diff(walk.reason, prepend=NO_ROW))
    last = np.flatnonzero(np.diff(walk.reason, append=NO_ROW))
    told = [every[k] for k in walk.reason[first].tolist()]
    return Reasons.filled(
        len(told),
        character=walk.character[first],
        start=walk.start[first],
        stop=walk.stop[last],
        kind=[reason.kind for _, reason in told],
        mark=[marks.get((i, reason.mark), NO_ROW) for i, reason in told],
        other=NO_ROW,
        prop=[props.get(reason.prop, NO_ROW) for _, reason in told],
        note=[writer.add_note(reason.note) if reason.note else NO_ROW for _, reason in told],
        number=[reason.number for _, reason in told],
    )
