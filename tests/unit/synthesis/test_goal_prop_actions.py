"""Picking props up and putting them down: where one stands, what the take is told, and why it cannot be."""

import re
from dataclasses import replace
from math import inf

import numpy as np
import pytest

from crowd_worlds import at, builtin, hub, legs_of, person, plan_graph_of, run, wall
from walkon.crowd import perform_with_report
from walkon.script import Mark
from walkon.script.mark import Action, Moment
from walkon.script.scene import PlacedProp
from walkon.stage import Prop, Stage
from walkon.synthesis.goal_directed.prop_actions import hold_intervals
from walkon.synthesis.goal_directed.reservations import places_at
from walkon.synthesis.goal_directed.route import RouteReason
from walkon.take.reasons import ReasonKind
from walkon.transforms import planar

MILLIMETRE = 1e-3
"""m: what is seen of a prop that is not where it should be."""
INSTANT = 1e-9
"""s and m: sums of exact numbers."""
REACH = (0.2, 0.8)
"""m from where one stands to the middle of the box."""
DOWN = (4.0, 2.0, 0.125)
BOX = Prop(name="box", size=(0.3, 0.4, 0.25))
PLACED = PlacedProp(prop=BOX, place=(2.0, 0.0, 0.125), heading=0.2)


def lift(name="lift", **options):
    return Mark(name=name, action=Action(kind="pick_up", prop="box"), **options)


def drop(place=DOWN, name="drop", **options):
    return Mark(name=name, action=Action(kind="put_down", prop="box", place=place), **options)


def porter(*marks, **options):
    return run(person("ann", (0.0, 0.0, 0.0), *marks, **options), props=[PLACED])


def test_a_prop_is_picked_up_carried_and_put_down():
    schedule = porter(lift(), drop(), at(0.0, 3.0, name="home"))
    (route,) = schedule.routes
    assert list(route.met) == [0, 1, 2]
    up, down = route.actions
    assert [(d.kind, d.prop) for d in route.actions] == [("pick_up", "box"), ("put_down", "box")]
    # Hands close while the body plays the lift, which begins when the mark is met.
    lifts = {piece.reason.kind: piece for piece in legs_of(route) if piece.reason.prop == "box"}
    for mark, done, kind in ((0, up, ReasonKind.PICKS_UP), (1, down, ReasonKind.PUTS_DOWN)):
        piece = lifts[kind]
        assert piece.reason == RouteReason(kind, mark=mark, prop="box")
        assert (piece.mark, piece.starts[0]) == (mark, route.met[mark])
        assert piece.starts[0] < done.time < piece.starts[-1]
        assert len(piece.edges) == 1
    assert down.pose_in_body[:3] == pytest.approx(DOWN, abs=INSTANT)
    assert REACH[0] < np.hypot(*(route.placed[0][:2] - PLACED.place[:2])) < REACH[1]
    # Seen from where one stands it is where it is on the floor.
    assert planar.apply(route.placed[0], up.pose_in_body[:2]) == pytest.approx(PLACED.place[:2], abs=INSTANT)
    assert builtin().hub_names[route.hub] == "stand"


def test_a_body_of_another_size_lifts_for_as_much_longer():
    times = []
    for scale in (1.0, 0.94):
        (route,) = porter(lift(), scale=scale).routes
        piece = legs_of(route)[-1]
        times.append((route.actions[0].time - piece.starts[0], piece.starts[-1] - piece.starts[0]))
    np.testing.assert_allclose(np.array(times[1]), np.sqrt(0.94) * np.array(times[0]), atol=INSTANT)


def test_where_one_ends_after_a_lift_is_where_its_edge_leads():
    (route,) = porter(lift()).routes
    piece = legs_of(route)[-1]
    move = plan_graph_of().steps.move[piece.edges[0]]
    assert route.pose == pytest.approx(planar.compose(route.placed[0], move), abs=INSTANT)
    assert route.hub == hub("carry_stand")


def test_one_faces_as_asked_to_put_something_down():
    (route,) = porter(lift(), drop(facing=-1.0)).routes
    assert route.placed[1][2] == pytest.approx(-1.0, abs=INSTANT)


def test_the_take_is_told_who_holds_what_from_when_to_when():
    schedule = porter(lift(), drop(), lift("again"))
    first, second = hold_intervals(schedule.routes[0], character=5, lifts=schedule.context.lifts, numbers={"box": 3})
    up, down, again = schedule.routes[0].actions
    assert (first.prop, first.character, first.grasp, first.release) == (3, 5, up.time, down.time)
    np.testing.assert_array_equal(first.laid, down.pose_in_body)
    assert (second.grasp, second.release, second.laid) == (again.time, inf, None)
    assert first.joints == schedule.context.lifts.holders(up.row)
    assert [builtin().source.skeleton.names[joint] for joint in first.joints] == ["LeftHand", "RightHand"]


def test_a_prop_in_the_take_rests_is_held_and_rests_where_it_was_put():
    done = perform_with_report(porter(lift(), drop(), at(0.0, 3.0, name="home")).scene, graph=builtin())
    assert done.unmet == ()
    figures = done.take.audit(fps=20.0, source=False).figures["props"]
    assert figures["count"] == 1
    assert figures["held_frames"] > 0
    assert figures["max_jump_m"] < MILLIMETRE
    assert figures["max_gap_m"] < MILLIMETRE
    # Where one stood is told in the take, though the scene did not say it.
    assert np.hypot(*(done.take.marks.position[1] - DOWN[:2])) < REACH[1]


def test_nobody_puts_down_what_it_does_not_carry():
    (route,) = porter(drop()).routes
    assert [u.reason for u in route.unmet] == ["it does not carry 'box'"]
    (route,) = porter(lift(), drop(), drop((0.0, 4.0, 0.125), name="once more")).routes
    assert [(u.mark, u.reason) for u in route.unmet] == [(2, "it does not carry 'box'")]


@pytest.mark.parametrize(
    ("place", "size", "words"),
    [
        ((2.0, 0.0, 0.6), (0.3, 0.4, 0.25), r"^cannot pick up 'box' with its middle at 0.600 m: it must be within"),
        ((2.0, 0.0, 0.125), (1.3, 1.4, 0.25), r"^cannot pick up 'box' of size .*: hands hold what is about"),
    ],
)
def test_what_cannot_be_lifted_is_told_and_the_rest_goes_on(place, size, words):
    prop = PlacedProp(prop=Prop(name="box", size=size), place=place)
    (route,) = run(person("ann", (0.0, 0.0, 0.0), lift(), at(2.0, 2.0)), props=[prop]).routes
    (unmet,) = route.unmet
    assert unmet.mark == 0
    assert re.match(words, unmet.reason)
    assert list(route.met) == [1]


def test_a_facing_from_which_hands_miss_the_sides_is_told():
    (route,) = porter(lift(facing=0.9)).routes
    (unmet,) = route.unmet
    assert unmet.reason.startswith("facing 52 degrees, hands do not meet the sides of 'box'")


def test_one_stands_where_there_is_room():
    """A wall right behind the box: from there nobody can reach it, so it is picked up from another side."""
    room = np.array([(-4.0, -4.0), (6.0, -4.0), (6.0, 4.0), (-4.0, 4.0)])
    stage = Stage(bounds=room, obstacles=[wall(1.2, -0.7, 1.4, 0.7)])
    (route,) = run(person("ann", (0.0, 0.0, 0.0), lift()), props=[PLACED], stage=stage).routes
    assert list(route.met) == [0]
    assert route.placed[0][0] > 1.7
    (free,) = porter(lift()).routes
    assert free.placed[0][0] < 1.7


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_one_picks_up_from_the_side_that_one_comes_from(side):
    (route,) = run(person("ann", (2.0 + 3.0 * side, 0.0, 0.0), lift()), props=[PLACED]).routes
    assert np.sign(route.placed[0][0] - 2.0) == side


def test_where_somebody_stands_one_stands_elsewhere():
    (free,) = porter(lift()).routes
    place = free.placed[0]
    still = person("still", tuple(place))
    route, _ = run(person("ann", (0.0, 0.0, 0.0), lift()), still, props=[PLACED]).routes
    assert list(route.met) == [0]
    assert np.hypot(*(route.placed[0][:2] - place[:2])) > 0.4


def test_where_one_lifts_must_be_free_for_the_lift():
    """Somebody planned before comes through there two seconds later: the lift is begun when there is time for it."""
    bob = person("bob", (1.6, -7.0, np.pi / 2), at(1.6, 7.0, 0, 30))
    ann, bob = run(person("ann", (0.0, 0.0, 0.0), replace(lift(), window=(3.0, 30.0))), bob, props=[PLACED]).routes
    assert list(ann.met) == list(bob.met) == [0]
    graph = plan_graph_of()
    lifting = legs_of(ann)[-1]
    when = np.arange(lifting.starts[0], lifting.starts[-1], 0.1)
    away = places_at(graph, bob.walks[0], when)[0][:, :2] - ann.placed[0][:2]
    assert np.hypot(*away.T).min() > 0.45


def test_where_there_is_room_nowhere_the_failure_of_the_best_place_is_told():
    room = np.array([(-4.0, -4.0), (6.0, -4.0), (6.0, 4.0), (-4.0, 4.0)])
    fence = [wall(1.3, -0.7, 2.7, -0.6), wall(1.3, 0.6, 2.7, 0.7), wall(1.3, -0.7, 1.4, 0.7), wall(2.6, -0.7, 2.7, 0.7)]
    stage = Stage(bounds=room, obstacles=fence)
    (route,) = run(person("ann", (0.0, 0.0, 0.0), lift()), props=[PLACED], stage=stage).routes
    (unmet,) = route.unmet
    assert unmet.reason.startswith("walled off")
    assert route.actions == []


def test_a_mark_to_pick_up_can_wait_for_a_clock():
    waits = Mark(
        name="lift",
        action=Action(kind="pick_up", prop="box"),
        window=(3.0, 4.0),
        clock=Moment(character="bob", mark="there"),
    )
    bob = person("bob", (0.0, 6.0, 0.0), at(3.0, 6.0, 0, 20))
    ann, bob = run(person("ann", (0.0, 0.0, 0.0), waits), bob, props=[PLACED]).routes
    assert bob.met[0] + 3.0 - INSTANT <= ann.met[0] <= bob.met[0] + 4.0 + INSTANT


def test_what_was_put_down_is_picked_up_again_from_there():
    (route,) = porter(lift(), drop(), lift("again")).routes
    assert list(route.met) == [0, 1, 2]
    assert np.hypot(*(route.placed[2][:2] - DOWN[:2])) < REACH[1]


def test_what_one_puts_down_another_picks_up_from_there():
    bob = person("bob", (6.0, 4.0, 0.0), lift(window=(20.0, inf)), drop((2.0, 0.0, 0.125)))
    schedule = run(person("ann", (0.0, 0.0, 0.0), lift(), drop(window=(0.0, 18.0))), bob, props=[PLACED])
    ann, bob = schedule.routes
    assert (list(ann.met), list(bob.met)) == ([0, 1], [0, 1])
    assert ann.actions[-1].time < bob.met[0]
    assert np.hypot(*(bob.placed[0][:2] - DOWN[:2])) < REACH[1]
    made = perform_with_report(schedule.scene, graph=builtin())
    props = made.take.audit(fps=20.0, source=False).figures["props"]
    assert max(props["max_jump_m"], props["max_gap_m"], props["max_unsupported_m"]) < MILLIMETRE


def test_nobody_takes_what_another_keeps():
    ann = person("ann", (0.0, 0.0, 0.0), lift())
    bob = person("bob", (6.0, 4.0, 0.0), lift(window=(20.0, inf)), drop())
    routes = run(ann, bob, props=[PLACED]).routes
    assert routes[0].unmet == []
    assert [u.reason for u in routes[1].unmet] == [
        "'box' is in somebody else's hands by then",
        "it does not carry 'box'",
    ]


def test_what_would_be_grasped_after_the_end_is_told_before_anything_is_written():
    scene = porter(lift(), drop()).scene
    done = perform_with_report(replace(scene, ends=6.0), graph=builtin())
    assert [mark for _, mark, _ in done.unmet] == ["lift", "drop"]
    assert done.take.stop == pytest.approx(6.0)


def test_alone_among_open_times_a_carrier_takes_its_time_today():
    """Three metres with a box; attempts after the third arrive up to halfway to the end of the scene."""
    (route,) = porter(lift(), drop()).routes
    assert 3.0 < route.met[1] - route.met[0] < 60.0
