"""The route of one character: it grows plan by plan, copies grow on their own, and its discs are where the body is."""

import numpy as np
import pytest

from crowd_worlds import at, hub, legs_of, person, plan_graph_of, run, same_walk, taken_up
from walkon.crowd.writing import write_routes
from walkon.motion.body import world_capsules
from walkon.motion.footprint import LEGS, footprint_radius
from walkon.planning.occupancy import BIN_S
from walkon.script import Mark
from walkon.synthesis.goal_directed.idling import idle_walk
from walkon.synthesis.goal_directed.plan_graph import placed_discs
from walkon.synthesis.goal_directed.reservations import places_at, reservations
from walkon.synthesis.goal_directed.route import LEAVING_S, Route, RouteReason, Unmet
from walkon.take.reasons import ReasonKind
from walkon.transforms import angles

MICROMETRE = 1e-6
"""m between planned and posed roots at the samples of an edge, which have 32 bits."""
BETWEEN_M, BETWEEN_RAD = 0.01, np.deg2rad(2.0)
"""Between two samples, 0.1 s apart, the plan is straight and the root sways: by about 5 mm and a degree."""
POSED_RAD = np.deg2rad(0.01)
"""Posed rotations are stored with few bits."""
END = 40.0


def rested(route, graph, seconds):
    plan = idle_walk(graph, route.hub, pose=route.pose, start=route.time, seconds=seconds, rng=np.random.default_rng(1))
    route.append(plan, hub=route.hub, pose=route.pose, mark=2, reason=RouteReason(ReasonKind.HOLDS, mark=2))
    return plan


@pytest.fixture
def route():
    return Route(hub=hub("stand"), pose=np.array([1.0, 2.0, 0.5]), time=3.0, enters=3.0)


def test_a_route_ends_where_and_when_its_last_plan_does(route):
    graph = plan_graph_of()
    plan = rested(route, graph, 5.0)
    assert route.time == plan.stop[-1] >= 8.0
    (piece,) = legs_of(route)
    assert (same_walk(piece.walk, plan.with_columns(mark=piece.walk.mark, reason=piece.walk.reason)), piece.mark) == (
        True,
        2,
    )
    assert piece.reason == RouteReason(ReasonKind.HOLDS, mark=2)
    later = rested(route, graph, 1.0)
    assert later.start[0] == plan.stop[-1]
    assert len(legs_of(route)) == 2
    assert len(route.reasons) == 1
    route.append(plan, hub=3, pose=[4, 5, 6], mark=-1, reason=RouteReason(ReasonKind.STAYS))
    assert (route.hub, route.pose.tolist(), route.pose.dtype) == (3, [4.0, 5.0, 6.0], np.float64)


def test_a_reason_that_goes_on_is_one_and_its_numbers_add_up(route):
    graph = plan_graph_of()
    for number, kind in enumerate([ReasonKind.WAITS_BEFORE] * 3 + [ReasonKind.HOLDS, ReasonKind.WAITS_BEFORE]):
        plan = idle_walk(graph, route.hub, pose=route.pose, start=route.time, seconds=1, rng=np.random.default_rng(1))
        reason = RouteReason(kind, mark=4, number=0.0 if kind == ReasonKind.HOLDS else 1.5 + number)
        route.append(plan, hub=route.hub, pose=route.pose, mark=-1, reason=reason)
    assert [(reason.kind, reason.number) for reason in route.reasons] == [
        (ReasonKind.WAITS_BEFORE, 1.5 + 2.5 + 3.5),
        (ReasonKind.HOLDS, 0.0),
        (ReasonKind.WAITS_BEFORE, 5.5),
    ]
    assert [int(walk.reason[0]) for walk in route.walks] == [0, 0, 0, 1, 2]


def test_a_copy_grows_on_its_own(route):
    graph = plan_graph_of()
    rested(route, graph, 2.0)
    route.met[0], route.placed[0] = 3.0, route.pose
    route.unmet.append(Unmet(mark=1, reason="no"))
    route.actions.append("deed")
    route.gone = True
    copy = route.copy()
    names = ("hub", "time", "enters", "walks", "reasons", "met", "placed", "unmet", "actions", "gone")
    assert all(getattr(copy, name) == getattr(route, name) for name in names)
    before = (
        route.time,
        list(route.reasons),
        len(legs_of(route)),
        dict(route.met),
        list(route.unmet),
        list(route.actions),
        dict(route.placed),
    )
    rested(copy, graph, 2.0)
    copy.append(copy.walks[-1], hub=3, pose=copy.pose, mark=-1, reason=RouteReason(ReasonKind.STAYS))
    copy.met[5], copy.placed[5], copy.gone = 9.0, copy.pose, False
    copy.unmet.append(Unmet(mark=2, reason="no"))
    copy.actions.append("more")
    assert (
        route.time,
        route.reasons,
        len(legs_of(route)),
        route.met,
        route.unmet,
        route.actions,
        route.placed,
    ) == before
    assert route.gone


def test_a_route_without_plans_takes_up_its_place_from_when_it_enters_until_the_end(route):
    graph = plan_graph_of()
    bins, discs = route.discs(graph, until=5.0)
    there = placed_discs(graph.hub_discs[route.hub], route.pose)
    assert sorted(set(bins.tolist())) == list(range(30, 51))
    assert len(bins) == 21 * len(there)
    np.testing.assert_array_equal(discs.reshape(21, -1, 3), np.tile(there, (21, 1, 1)))


def test_who_left_takes_up_its_place_for_a_moment_more_and_nothing_afterwards(route):
    graph = plan_graph_of()
    plan = rested(route, graph, 2.0)
    stayed = route.discs(graph, until=20.0)[0]
    route.gone = True
    gone = route.discs(graph, until=20.0)[0]
    assert (
        plan.stop[-1]
        < gone.max() * BIN_S
        <= plan.stop[-1] + LEAVING_S + 1e-9
        < stayed.max() * BIN_S
        == pytest.approx(20.0)
    )
    assert set(gone.tolist()) < set(stayed.tolist())


def test_who_left_without_ever_having_been_there_takes_up_nothing(route):
    route.gone = True
    bins, discs = route.discs(plan_graph_of(), until=20.0)
    assert (bins.shape, discs.shape) == ((0,), (0, 3))


@pytest.fixture(scope="module")
def walked():
    """Somebody small who walks, turns, holds, passes, sits, and somebody who waits first; with the take of it."""
    small = person(
        "small",
        (0.0, 0.0, 0.3),
        at(4.0, 1.0, 5, 6, facing=2.0, hold=2.0),
        Mark(name="on", position=(1.0, 3.0)),
        at(-2.0, 3.0, name="seat", pose="sit", facing=0.0),
        scale=0.9,
    )
    schedule = run(small, person("big", (0.0, 6.0, 0.3), at(5.0, 7.0, 16, 17, facing=2.0)), horizon=END)
    assert not any(route.unmet for route in schedule.routes)
    return schedule, write_routes(
        schedule.scene,
        schedule.routes,
        context=schedule.context,
        people=schedule.people,
        ends=END,
        seed=0,
        provenance={},
    )


def pieces_of(schedule):
    scales = schedule.people.scale.tolist()
    return [(i, leg) for i, route in enumerate(schedule.routes) for leg in legs_of(route, scale=scales[i])]


def sampled(piece):
    """Seconds of all samples of a piece's edges, a moment later so that they belong to the edge that begins there."""
    steps, plan = piece.graph.steps, piece
    counts = np.diff(steps.sample_first)[plan.edges] - 1
    times = [
        start + np.arange(n) * steps.tick[0] / plan.rate for start, n in zip(plan.starts[:-1], counts, strict=True)
    ]
    found = np.concatenate(times) + 1e-9
    return found[found < plan.starts[-1]]


def test_planned_places_are_those_of_the_posed_body(walked):
    schedule, take = walked
    for i, piece in pieces_of(schedule):
        times = sampled(piece)
        posed = take.sample(times, characters=[i]).planar[:, 0]
        planned, _ = places_at(piece.graph, piece.walk, times)
        assert np.hypot(*(posed - planned)[:, :2].T).max() < MICROMETRE
        assert np.abs(angles.difference(posed[:, 2], planned[:, 2])).max() < POSED_RAD
        bins = BIN_S * np.arange(np.ceil(piece.starts[0] / BIN_S), np.floor(piece.starts[-1] / BIN_S))
        posed = take.sample(bins, characters=[i]).planar[:, 0]
        planned, _ = places_at(piece.graph, piece.walk, bins)
        assert np.hypot(*(posed - planned)[:, :2].T).max() < BETWEEN_M
        assert np.abs(angles.difference(posed[:, 2], planned[:, 2])).max() < BETWEEN_RAD


def spheres_of(take, i, times):
    """Ends [n, 2 K, 2] of all capsules on the floor plan, their radii [2 K] and parts."""
    body = take.body(i)
    poses = take.sample(times, characters=[i])
    ends = world_capsules(body, poses.positions[:, 0], poses.rotations[:, 0])
    radii = np.concatenate([body.capsule_radii[:, 0], body.capsule_radii[:, 1]])
    return np.concatenate(ends, axis=1)[..., :2], radii, np.tile(body.capsule_parts, 2)


def sticks_out(spheres, radii, discs):
    """By how much spheres [k, 2] stick out of the one of discs [d, 3] that holds them best, at worst."""
    away = np.linalg.norm(spheres[:, None] - discs[None, :, :2], axis=2) + radii[:, None] - discs[None, :, 2]
    return away.min(axis=1).max()


PLANTED = 0.015
"""m by which a planted leg differs from that of its clip."""
SWAYED = 2e-4
"""m by which a posed trunk or arm differs from that of its clip."""
SLIMMER, SEATED = 0.055, 0.08
"""m by which the discs of somebody who stands, or who sits down, are slimmer than the footprint of audits."""


def test_while_walking_the_whole_body_is_in_its_discs(walked):
    """At the samples of edges between two walking hubs: trunk and arms in one disc, each leg in one of its own."""
    schedule, take = walked
    names = schedule.context.graph.hub_names
    looked_at = 0
    for i, piece in pieces_of(schedule):
        times = sampled(piece)
        planned, rows = places_at(piece.graph, piece.walk, times)
        at_edge = np.searchsorted(piece.starts, times, side="right") - 1
        edges = piece.edges[at_edge]
        ends = piece.graph.steps.start[edges], piece.graph.steps.stop[edges]
        walks = np.array(
            [names[a].startswith("walk") and names[b].startswith("walk") for a, b in zip(*ends, strict=True)]
        )
        spheres, radii, parts = spheres_of(take, i, times)
        upper = ~np.isin(parts, [part for leg in LEGS for part in leg])
        for k in np.flatnonzero(walks):
            discs = placed_discs(piece.graph.steps.discs[rows[k]], planned[k])
            assert sticks_out(spheres[k], radii, discs) < PLANTED
            assert sticks_out(spheres[k, upper], radii[upper], discs[:1]) < SWAYED
            looked_at += 1
    assert looked_at > 30


def test_the_footprint_is_nearly_in_the_discs_at_every_bin_today(walked):
    """Whoever walks has more room than the footprint that audits keep apart; standing and seated discs are slimmer."""
    schedule, take = walked
    walking = 0
    for i in range(2):
        bins, discs = taken_up(schedule, i)
        radius = footprint_radius(take.bodies[0]) * float(schedule.people.scale[i])
        sits = schedule.routes[i].placed.get(2) is not None
        for k in np.unique(bins):
            root = take.pose(float(BIN_S * k)).planar[i, :2]
            more = (discs[bins == k, 2] - np.hypot(*(discs[bins == k, :2] - root).T)).max() - radius
            walking += more > 0
            late = sits and BIN_S * k > schedule.routes[i].met[1]
            assert more > (-SEATED if late else -SLIMMER)
    assert walking > 30


def test_every_bin_of_a_route_is_taken_up_once(walked):
    schedule, _ = walked
    for i, route in enumerate(schedule.routes):
        bins, discs = taken_up(schedule, i)
        assert np.unique(bins).tolist() == list(range(round(END / BIN_S) + 1))
        assert np.unique(bins, return_counts=True)[1].max() <= 3
        assert (discs[:, 2] > 0).all()
        parts = legs_of(route, scale=float(schedule.people.scale[i]))
        mine = [reservations(p.graph, p.walk, until=float(p.starts[-1]) - 1e-6) for p in parts]
        moving = np.concatenate([found[0] for found in mine])
        np.testing.assert_array_equal(discs[: len(moving)], np.concatenate([found[1] for found in mine]))
        np.testing.assert_array_equal(bins[: len(moving)], moving)
