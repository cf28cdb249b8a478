"""What all characters share: graphs by size and state, planners by thread, hubs of poses, and who does what beside."""

import threading
from dataclasses import replace

import numpy as np
import pytest

from crowd_worlds import at, builtin, context_on, hub, legs_of, person, run, same_route, schedule_of, wall
from snap_toys import loops
from walkon._base.errors import UnknownName
from walkon.crowd import perform_with_report
from walkon.graphs.walk import Walk
from walkon.navigation.roadmap import Roadmap
from walkon.script import Mark, Scene
from walkon.stage import Stage
from walkon.stage.free_space import FreeSpace
from walkon.synthesis.goal_directed.context import IN_STEP_M, PlanningContext
from walkon.synthesis.goal_directed.search_rule import SearchRule
from walkon.transforms import planar

INSTANT = 1e-12
"""s and m: products of exact numbers."""
ROOM = np.array([(-5.0, -5.0), (5.0, -5.0), (5.0, 5.0), (-5.0, 5.0)])


@pytest.fixture(scope="module")
def context():
    return context_on()


def chosen(graph):
    """Names of the hubs that seeds may pass through."""
    used = [graph.steps.branch_edges[way, : graph.steps.branch_first[way, -1]] for way in (0, 1)]
    branch_edges = np.concatenate(used)
    return {
        builtin().hub_names[k]
        for k in {*graph.steps.start[branch_edges].tolist(), *graph.steps.stop[branch_edges].tolist()}
    }


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({}, {"on foot"}),
        ({"start": "sit"}, {"on foot", "sit"}),
        ({"goal": "sit"}, {"on foot", "sit"}),
        ({"start": "walk_left_1.24", "goal": "stand"}, {"on foot"}),
        ({"carrying": True}, {"carry", "carry_stand"}),
    ],
)
def test_one_moves_among_the_hubs_of_ones_state_and_seats_only_at_the_ends(context, options, names):
    options = {key: hub(value) if isinstance(value, str) else value for key, value in options.items()}
    if "on foot" in names:
        on_foot = {name for name in builtin().hub_names if not name.startswith(("sit", "carry"))}
        names = on_foot | names - {"on foot"}
    assert chosen(context.plan_graph(1.0, **options)) == names


@pytest.mark.parametrize("ends", [{"start": "sit"}, {"goal": "sit"}, {"start": "sit", "goal": "sit"}])
def test_seeds_sit_down_at_the_end_only_and_rise_at_the_beginning_only(context, ends):
    steps = context.plan_graph(1.0, **{key: hub(value) for key, value in ends.items()}).steps
    forward, backward = (steps.branch_edges[way, : steps.branch_first[way, -1]] for way in (0, 1))
    moving = [edges[steps.start[edges] != steps.stop[edges]] for edges in (forward, backward)]
    assert hub("sit") not in steps.stop[moving[0]]
    assert hub("sit") not in steps.start[moving[1]]
    assert hub("sit") in steps.start[forward]
    assert hub("sit") in steps.stop[backward]


def test_people_of_one_size_and_state_share_a_graph(context):
    assert context.plan_graph(0.9) is context.plan_graph(0.9, start=hub("stand"), goal=hub("back"))
    assert context.plan_graph(0.9) is not context.plan_graph(0.9, goal=hub("sit"))
    assert context.plan_graph(0.9).scale == 0.9


def test_a_thread_has_planners_of_its_own(context):
    asked = {"carrying": False, "start": hub("stand"), "goal": hub("stand")}
    mine = context.planner(1.0, **asked)
    assert context.planner(1.0, **asked) is mine
    found = []
    thread = threading.Thread(target=lambda: found.append(context.planner(1.0, **asked)))
    thread.start()
    thread.join()
    assert found[0] is not mine
    assert found[0].graph is mine.graph
    assert found[0].occupancy is mine.occupancy


def test_the_way_is_straight_on_an_endless_floor_and_around_walls_elsewhere(context):
    ends = np.array([-3.0, 0.0]), np.array([3.0, 0.0])
    np.testing.assert_array_equal(context.way(*ends), np.array(ends))
    walled = context_on(Stage(bounds=ROOM, obstacles=[wall(-0.2, -2.0, 0.2, 2.0)]))
    path = walled.way(*ends)
    assert np.abs(path[1:-1, 1]).min() > 2.0
    assert walled.roadmap_s > 0.0
    assert context_on(Stage(bounds=ROOM, obstacles=[wall(-0.2, -5.0, 0.2, 5.0)])).way(*ends) is None


@pytest.mark.parametrize(
    ("pose", "name"),
    [("stand", "stand"), ("walk", "walk_left_1.24"), ("side_left", "side_left"), ("seated", "sit"), ("idle", "stand")],
)
def test_the_hub_of_a_pose_is_that_of_its_name_its_state_or_its_idling(context, pose, name):
    assert builtin().hub_names[context.hub_for(pose)] == name


def test_a_pose_that_nobody_has_is_refused(context):
    with pytest.raises(UnknownName):
        context.hub_for("fly")
    # A label that no rest has leads to no hub either.
    with pytest.raises(UnknownName, match="there is no pose 'pivot'"):
        context.hub_for("pivot")


def test_how_long_one_takes_to_rise_and_to_sit_down_and_where_one_stands(context):
    assert context.act_seconds(hub("stand"), rising=True)[0] == 0.0
    graph = builtin()
    for rising, ends in ((True, ("sit", "stand")), (False, ("stand", "sit"))):
        edges = graph.between(*ends)
        seconds, place = context.act_seconds(hub("sit"), rising=rising)
        assert seconds == pytest.approx(graph.edges.duration[edges].mean())
        move = graph.edges.planar_displacement[edges[0]]
        expected = move if rising else planar.inverse(move)
        assert place == pytest.approx(expected, abs=INSTANT)


def test_a_graph_without_chairs_or_loads_has_neither():
    stage = Stage()
    made = PlanningContext(
        graph=loops(),
        space=FreeSpace.of(stage),
        roadmap=Roadmap.of(stage, radius=0.2, seed=0),
        rule=SearchRule(),
    )
    assert not made.seated.any()
    assert not made.carrying.any()
    assert len(made.lifts) == 0
    assert made.act_seconds(0, rising=True)[0] == 0.0


def test_a_seat_that_is_entered_from_nowhere_takes_no_time(monkeypatch):
    """Without edges between the seat and standing nothing is known of rising."""
    alone = context_on()
    seats = np.array([name == "carry" for name in builtin().hub_names])
    monkeypatch.setattr(PlanningContext, "seated", property(lambda _: seats))
    seconds, place = alone.act_seconds(hub("carry"), rising=True)
    assert (seconds, place.tolist()) == (0.0, [0.0, 0.0, 0.0])


def plan_of(edges, places, starts):
    n = len(edges)
    place = np.column_stack([places, np.zeros((n, 2))])
    return Walk.filled(n, edge=edges, start=np.array(starts[:n], float), stop=np.array(starts[1:], float), place=place)


def test_neighbours_see_how_one_sets_out_and_arrives_but_not_what_is_between():
    context = context_on()
    context.note(plan_of([10, 11, 12, 13, 14], [(0.1 * k, 0.0) for k in range(5)], list(range(6))))
    everything = {"start": -np.inf, "stop": np.inf}
    assert sorted(context.in_step(np.array([0.0, 0.0]), **everything)) == [10, 11, 13, 14]
    assert sorted(context.in_step(np.array([0.0, 0.0]), start=0.5, stop=3.0)) == [11, 13]
    assert context.in_step(np.array([IN_STEP_M + 0.5, 0.0]), **everything) == []
    assert context.in_step(np.array([0.4 + IN_STEP_M - 0.01, 0.0]), **everything) == [14]


def test_a_plan_of_one_edge_is_noted_once():
    context = context_on()
    context.note(plan_of([10], [(-0.1, -0.1)], [0, 1]))
    assert context.in_step(np.array([0.1, 0.1]), start=0.0, stop=1.0) == [10]


@pytest.mark.parametrize("which", [0, -1], ids=["sets out", "arrives"])
def test_who_sees_a_neighbour_set_out_or_arrive_does_it_otherwise(which):
    """Ann alone, and ann when somebody beside her does what she would have done, at the same time."""
    ann = person("ann", (0.0, 0.0, 0.0), at(4.0, 0.0, 6, 7))
    (alone,) = run(ann).routes
    plan = legs_of(alone)[0]
    edge, place = plan.walk.edge[which], plan.poses[which : which + 1 or None, :2]
    begins = [plan.walk.start[which], 99.0]
    schedule = schedule_of(ann)
    schedule.context.note(plan_of([edge], place + 0.5, begins))
    schedule.run()
    assert legs_of(schedule.routes[0])[0].edges[which] != plan.edges[which]
    assert list(schedule.routes[0].met) == [0]
    # Somebody far away is not seen.
    schedule = schedule_of(ann)
    schedule.context.note(plan_of([edge], place + 50.0, begins))
    schedule.run()
    assert same_route(schedule.routes[0], alone)


def test_seconds_for_ways_are_those_of_the_thread_that_looked():
    """Or the planning time of one character would lack what another thread's ways took."""
    walled = context_on(Stage(bounds=ROOM, obstacles=[wall(-0.2, -2.0, 0.2, 2.0)]))
    other = threading.Thread(target=lambda: walled.way(np.array([-3.0, 0.0]), np.array([3.0, 0.0])))
    other.start()
    other.join()
    assert walled.thread_ways_s == 0.0
    assert walled.roadmap_s > 0.0
    walled.way(np.array([-3.0, 0.0]), np.array([3.0, 0.0]))
    assert 0.0 < walled.thread_ways_s < walled.roadmap_s


def test_what_a_hub_is_comes_from_its_labels_not_from_its_name():
    """The same graph with hubs named in any way, even misleadingly, plans the same."""
    graph = builtin()
    names = ["Sitzen", "walker_sits", *(f"carry {k}" for k in range(len(graph.hub_names) - 3)), "stand up"]
    renamed = replace(graph, hub_names=names)
    for hub_number in range(len(names)):
        assert renamed.state_of(hub_number) == graph.state_of(hub_number)
    people = (
        person("ann", (0.0, 0.0, 0.0), at(3.0, 1.0, 5, 9, name="seat", pose="sit"), at(0.0, 3.0, name="home")),
        person("bob", (4.0, 4.0, 1.0), Mark(name="by", position=(1.0, 4.0)), at(-2.0, 4.0)),
    )
    scene = Scene(characters=people, stage=Stage())
    one, two = (perform_with_report(scene, graph=each) for each in (graph, renamed))
    assert one.unmet == two.unmet == ()
    np.testing.assert_array_equal(one.take.segments.edge, two.take.segments.edge)
    np.testing.assert_array_equal(one.take.segments.place, two.take.segments.place)
