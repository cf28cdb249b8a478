"""From routes to a take: every edge a segment, displaced as planned; rests until the scene ends; marks and props."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from walkon._base.arrays import Array, IntArray
from walkon.crowd.people import People
from walkon.graphs.walks import with_height
from walkon.motion.body import Body
from walkon.script import Mark, Scene
from walkon.synthesis.goal_directed.context import PlanningContext
from walkon.synthesis.goal_directed.idling import PlayedNearby, idle_walk
from walkon.synthesis.goal_directed.prop_actions import hold_intervals
from walkon.synthesis.goal_directed.prop_score import write_props
from walkon.synthesis.goal_directed.route import Piece, Route
from walkon.take.storing.writer import TakeWriter
from walkon.take.tables import NONE, Segments, Warps
from walkon.take.take import Take

__all__ = ["write_routes"]

BESIDE = 3.0
"""m within which people see that two do the same."""


def write_routes(
    scene: Scene,
    routes: Sequence[Route],
    *,
    context: PlanningContext,
    people: People,
    ends: float,
    seed: int,
    provenance: Mapping[str, Any],
    path: Path | None = None,
) -> Take:
    """Return the take of routes, who all rest where they are until `ends` unless they left."""
    graph = context.graph
    with TakeWriter(path, fps=graph.clips.fps, stage=scene.stage, provenance=provenance) as writer:
        body = writer.add_body(Body.of(graph.source.skeleton))
        names = [c.name for c in scene.characters]
        who = writer.add_characters(names, body=body, scale=people.scale, colour=people.colour)
        rows = _marks(writer, scene, routes, ends=ends)
        filled = _filled(context, people, routes, ends, seed)
        pieces = [(int(who[i]), i, piece) for i, mine in enumerate(filled) for piece in mine]
        _segments(writer, pieces, context=context, people=people, marks=rows, ends=ends)
        if scene.props:
            numbers = {placed.prop.name: k for k, placed in enumerate(scene.props)}
            deeds = [
                deed
                for i, route in enumerate(routes)
                for deed in hold_intervals(route, character=int(who[i]), lifts=context.lifts, numbers=numbers)
            ]
            write_props(writer, scene.props, deeds, start=0.0, stop=ends)
        return writer.close()


def _filled(
    context: PlanningContext, people: People, routes: Sequence[Route], ends: float, seed: int
) -> list[list[Piece]]:
    """Return everybody's pieces and the rest until the end, in which nobody moves in step with those beside it."""
    found = [list(route.pieces) for route in routes]
    if not routes:
        return found
    places = np.array([route.pose[:2] for route in routes])
    near = cKDTree(places).query_ball_point(places, BESIDE)
    for i, route in enumerate(routes):
        if route.gone or route.time >= ends - 1e-6:
            continue
        graph = context.plan_graph(float(people.scale[i]), carrying=bool(context.carrying[route.hub]), start=route.hub)
        plans = [piece.plan for k in near[i] if k != i for piece in found[k] if piece.plan.starts[-1] > route.time]
        beside = PlayedNearby(
            np.concatenate([np.zeros(0, np.int64), *(plan.edges for plan in plans)]),
            np.concatenate([np.zeros(0), *(plan.starts[:-1] for plan in plans)]),
        )
        rests = idle_walk(
            graph,
            route.hub,
            pose=route.pose,
            start=route.time,
            seconds=ends - route.time,
            rng=np.random.default_rng([seed, i, 4]),
            beside=beside,
        )
        if rests is not None:
            found[i].append(Piece(plan=rests, mark=max(route.met, default=-1), reason="stays", graph=graph))
    return found


def _marks(writer: TakeWriter, scene: Scene, routes: Sequence[Route], *, ends: float) -> dict[tuple[int, int], int]:
    """Add all marks, as they were resolved; returns (character, number) → row."""
    rows = {}
    for i, (one, route) in enumerate(zip(scene.characters, routes, strict=True)):
        for number, mark in enumerate(one.marks):
            met = route.met.get(number)
            rows[i, number] = writer.add_mark(i, _resolved(mark, route, number, met, ends), met=met)
    return rows


def _resolved(mark: Mark, route: Route, number: int, met: float | None, ends: float) -> Mark:
    """Return a mark with what it asks on the scene's clock; a place that followed from a prop is told."""
    window = mark.window
    if window is not None and mark.clock is not None:
        window = None  # it counts from another mark; when that was met is in the provenance of the window below
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


def _segments(
    writer: TakeWriter,
    pieces: Sequence[tuple[int, int, Piece]],
    *,
    context: PlanningContext,
    people: People,
    marks: Mapping[tuple[int, int], int],
    ends: float,
) -> None:
    if not pieces:
        return
    graph = context.graph
    counts = np.array([len(piece.plan.edges) for _, _, piece in pieces])
    edges: IntArray = np.concatenate([piece.graph.edges[piece.plan.edges] for _, _, piece in pieces])
    starts = np.concatenate([piece.plan.starts[:-1] for _, _, piece in pieces])
    stops = np.concatenate([piece.plan.starts[1:] for _, _, piece in pieces])
    rate = np.repeat([piece.plan.rate / np.sqrt(people.scale[i]) for _, i, piece in pieces], counts)
    offsets = np.concatenate([piece.plan.offsets for _, _, piece in pieces])
    slopes = np.concatenate([piece.plan.slopes for _, _, piece in pieces])
    reasons = {reason: writer.add_reason(reason) for reason in dict.fromkeys(p.reason for _, _, p in pieces)}
    shown = starts < ends - 1e-6
    stops = np.minimum(stops, ends)
    length = (stops - starts)[:, None]
    displaced = (np.abs(offsets) > 1e-12).any(axis=1) | (np.abs(slopes) > 1e-12).any(axis=1)
    warp = np.where(displaced & shown, np.cumsum(displaced & shown) - 1, NONE)
    moved = displaced & shown
    warps = Warps.filled(
        int(moved.sum()),
        offsets=np.stack([offsets, offsets + slopes * length], axis=1)[moved],
        slopes=np.stack([slopes, slopes], axis=1)[moved],
    )
    used = np.unique(edges[shown])
    clips = np.full(len(graph.clips), NONE)
    for edge in used.tolist():
        clips[edge] = writer.add_clip(graph.clip(edge))
    poses: Array = np.concatenate([piece.plan.poses for _, _, piece in pieces])
    segments = Segments.filled(
        int(shown.sum()),
        character=np.repeat([who for who, _, _ in pieces], counts)[shown],
        start=starts[shown],
        stop=stops[shown],
        clip=clips[edges][shown],
        rate_start=rate[shown],
        rate_stop=rate[shown],
        place=with_height(poses)[shown],
        warp=warp[shown],
        blend=NONE,
        track=NONE,
        edge=edges[shown],
        mark=np.repeat([marks.get((i, p.mark), NONE) for _, i, p in pieces], counts)[shown],
        reason=np.repeat([reasons[p.reason] for _, _, p in pieces], counts)[shown],
    )
    writer.add_segments(segments, warps=warps)
