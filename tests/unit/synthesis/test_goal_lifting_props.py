from dataclasses import replace

import numpy as np
import pytest

from walkon._base.errors import InvalidValue
from walkon.geometry.tracks import Track
from walkon.graphs.snap_together import builtin_snap_graph
from walkon.graphs.snap_together.lifts import lifts_of
from walkon.graphs.walk import walk_along
from walkon.graphs.walk_segments import add_walk
from walkon.motion.body import Body
from walkon.script import PlacedProp
from walkon.stage import Obstacle, Prop, Stage
from walkon.synthesis.goal_directed.lifting import (
    carried_pose,
    laid_pose,
    lift_for,
    picked_pose,
    prop_pose,
    standing_place,
    standings,
)
from walkon.synthesis.goal_directed.prop_score import HoldInterval, write_props
from walkon.take.posing.props import prop_poses
from walkon.take.storing.writer import TakeWriter
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

TABLE, FLOOR = 0.875, 0.125
BOX = PlacedProp(prop=Prop(name="box", size=(0.3, 0.4, 0.25)), place=(3.0, 1.0, TABLE), heading=0.5)


@pytest.fixture(scope="module")
def graph():
    return builtin_snap_graph()


@pytest.fixture(scope="module")
def lifts(graph):
    return lifts_of(graph)


class Fetching:
    """Somebody picks a box up, walks some way with it, puts it down and stands."""

    def __init__(self, graph, lifts, box, height, *, seed=0, nth=0, sunk=0.0):
        rng = np.random.default_rng(seed)
        pick = int(lift_for(lifts, "pick_up", prop=box.prop, height=box.place[2])[nth])
        put = int(lift_for(lifts, "put_down", prop=box.prop, height=height)[nth])
        stood = standings(lifts, pick, graph=graph, prop=box.prop, place=box.place, heading=box.heading).pose[0]
        between = [rng.choice(graph.between("carry", "carry")) for _ in range(3)]
        self.walk = np.array(
            [
                graph.between("stand", "stand")[0],
                lifts.edge[pick],
                graph.between("carry_stand", "carry")[nth],
                *between,
                graph.between("carry", "carry_stand")[nth],
                lifts.edge[put],
                graph.between("stand", "stand")[1],
            ]
        )
        steps = graph.edges.planar_displacement[self.walk]
        poses = [planar.compose(stood, planar.inverse(steps[0]))]
        for step in steps:
            poses.append(planar.compose(poses[-1], step))
        self.pose = poses[0]
        times = np.append(0.0, np.cumsum(graph.edges.duration[self.walk]))
        self.stop = float(times[-1])
        carried = carried_pose(lifts, put, pick=pick, picked=picked_pose(stood, prop_pose(box)))
        self.place = np.append(planar.apply(poses[-3], carried[:2]), height - sunk)
        again = standing_place(lifts, put, place=self.place, facing=poses[-3][2], carried=carried)
        assert again == pytest.approx(poses[-3], abs=1e-9)
        self.deed = HoldInterval(
            prop=0,
            character=0,
            grasp=float(times[1] + lifts.time[pick]),
            release=float(times[-3] + lifts.time[put]),
            joints=lifts.holders(pick),
            laid=laid_pose(carried, poses[-3], place=self.place),
        )
        self.facings = poses[1][2], poses[-3][2]

    def tables(self, box):
        def top(place, heading):
            corners = np.array([(-0.12, -0.6), (0.6, -0.6), (0.6, 0.6), (-0.12, 0.6)])
            return planar.apply(np.array([*place[:2], heading]), corners)

        places = zip((box.place, self.place), self.facings, strict=True)
        return tuple(
            Obstacle(name=f"table {n}", polygon=top(place, heading), height=float(place[2]) - 0.125)
            for n, (place, heading) in enumerate(places)
            if place[2] > 0.3
        )

    def writer(self, graph, box):
        writer = TakeWriter(fps=60.0, stage=Stage(obstacles=self.tables(box)))
        body = writer.add_body(Body.of(graph.source.skeleton))
        who = writer.add_character("ann", body=body)
        add_walk(writer, walk_along(graph, [self.walk], characters=who, poses=self.pose), graph=graph)
        return writer


@pytest.mark.parametrize(("height", "down", "nth"), [(TABLE, FLOOR, 0), (FLOOR, TABLE, 1), (TABLE, TABLE, 1)])
def test_a_box_is_fetched_without_a_jump_and_stands_exactly_where_it_is_asked(graph, lifts, height, down, nth):
    box = replace(BOX, place=(3.0, 1.0, height))
    fetching = Fetching(graph, lifts, box, down, seed=nth, nth=nth)
    writer = fetching.writer(graph, box)
    written = write_props(writer, [box], [fetching.deed], stop=fetching.stop)
    take = writer.close()
    # What standing in the right place leaves: the millimetre's tenths of stored rotations and planted feet.
    assert written.slips.max() < 5e-4
    assert written.turns.max() < np.radians(0.1)

    times = np.arange(0.0, fetching.stop, 1 / 240)
    found = prop_poses(take, times)
    assert found.present.all()
    at = found.positions[:, 0]
    before, after = times <= fetching.deed.grasp, times >= fetching.deed.release
    assert np.abs(at[before] - box.place).max() < 1e-12
    assert np.abs(at[after] - fetching.place).max() < 1e-12
    # Nothing jumps at edges or holds: within a 240th of a second it never moves further than a walk does.
    assert np.linalg.norm(np.diff(at, axis=0), axis=1).max() < 1.7 / 240
    held = ~before & ~after
    assert at[held, 2].min() > min(height, down) - 1e-3
    around = np.concatenate([[fetching.deed.grasp, fetching.deed.release], take.segments.start, take.segments.stop])
    sides = prop_poses(take, np.concatenate([around - 1e-6, around + 1e-6])).positions[:, 0].reshape(2, -1, 3)
    assert np.linalg.norm(sides[1] - sides[0], axis=1).max() < 1e-4

    figures = take.audit().figures["props"]
    assert figures["held_frames"] > 500
    assert figures["absent_holder_frames"] == 0
    assert figures["max_gap_m"] < 0.005
    assert figures["max_penetration_m"] < 0.02
    assert figures["max_jump_m"] < 1e-4
    assert figures["max_unsupported_m"] < 1e-9


def test_what_hands_were_not_recorded_to_do_is_spread_over_the_hold(graph, lifts):
    fetching = Fetching(graph, lifts, BOX, TABLE, sunk=0.012)
    writer = fetching.writer(graph, BOX)
    written = write_props(writer, [BOX], [fetching.deed], stop=fetching.stop)
    take = writer.close()
    assert written.slips[0] == pytest.approx(0.012, abs=5e-4)
    assert np.abs(prop_poses(take, [fetching.stop]).positions[0, 0] - fetching.place).max() < 1e-12
    changes = np.unique(np.concatenate([take.attachments.start, take.attachments.stop]))[1:-1]
    assert len(changes) == 2 and len(take.attachments) == 3
    sides = prop_poses(take, np.concatenate([changes - 1e-7, changes + 1e-7])).positions[:, 0].reshape(2, -1, 3)
    assert np.linalg.norm(sides[1] - sides[0], axis=1).max() < 6e-5


def test_a_prop_that_is_never_put_down_stays_in_the_hands(graph, lifts):
    fetching = Fetching(graph, lifts, BOX, TABLE)
    writer = fetching.writer(graph, BOX)
    still = replace(BOX, prop=Prop(name="other"), place=(0.0, 9.0, 0.15))
    kept = replace(fetching.deed, release=np.inf, laid=None)
    # The clip opens its hands in the end; here only who holds what is looked at.
    written = write_props(writer, [BOX, still], [kept], stop=fetching.deed.release - 0.5)
    take = writer.close()
    assert written.rows.tolist() == [0, 1]
    assert written.slips.tolist() == [0.0]
    found = prop_poses(take, [0.0, fetching.deed.release - 0.5]).positions
    assert found[:, 1] == pytest.approx(np.tile(still.place, (2, 1)))
    assert np.linalg.norm(found[1, 0] - found[0, 0]) > 1.0


def test_without_a_place_a_prop_is_left_upright_where_hands_let_go(graph, lifts):
    fetching = Fetching(graph, lifts, BOX, FLOOR)
    writer = fetching.writer(graph, BOX)
    write_props(writer, [BOX], [replace(fetching.deed, laid=None)], stop=fetching.stop)
    found = prop_poses(writer.close(), [fetching.stop])
    assert found.positions[0, 0] == pytest.approx(fetching.place, abs=1e-3)
    assert quat.rotate(found.rotations[0, 0], [0, 0, 1]) == pytest.approx((0, 0, 1))


def test_two_deeds_of_one_prop_follow_each_other(graph, lifts):
    fetching = Fetching(graph, lifts, BOX, TABLE)
    there = replace(BOX, place=tuple(fetching.place), heading=float(fetching.facings[1]))
    onward = Fetching(graph, lifts, there, FLOOR, seed=3)
    writer = fetching.writer(graph, BOX)
    bob = writer.add_character("bob", body=0)
    begin = fetching.stop
    walk = walk_along(graph, [onward.walk], characters=bob, starts=begin, poses=onward.pose)
    add_walk(writer, walk, graph=graph)
    second = replace(onward.deed, character=bob, grasp=begin + onward.deed.grasp, release=begin + onward.deed.release)
    written = write_props(writer, [BOX], [second, fetching.deed], stop=begin + onward.stop)
    take = writer.close()
    assert written.slips.max() < 1e-3
    at = prop_poses(take, [0.0, begin, begin + onward.stop]).positions[:, 0]
    assert at == pytest.approx(np.stack([BOX.place, fetching.place, onward.place]), abs=1e-12)
    assert take.audit()["props.max_jump_m"] < 1e-4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"release": 0.1}, "grasped before it is released"),
        ({"prop": 3}, "no prop 3"),
        ({"joints": ()}, "at least one joint"),
        ({"grasp": -2.0}, "before the take begins"),
        ({"release": 500.0}, "is not there at 500 s"),
    ],
)
def test_deeds_that_cannot_be_done_are_refused(graph, lifts, change, message):
    fetching = Fetching(graph, lifts, BOX, TABLE)
    with pytest.raises(InvalidValue, match=message):
        write_props(fetching.writer(graph, BOX), [BOX], [replace(fetching.deed, **change)], stop=1000.0)


def test_nobody_grasps_what_another_holds(graph, lifts):
    fetching = Fetching(graph, lifts, BOX, TABLE)
    late = replace(fetching.deed, grasp=fetching.deed.grasp + 1.0)
    with pytest.raises(InvalidValue, match="before it is put down"):
        write_props(fetching.writer(graph, BOX), [BOX], [fetching.deed, late], stop=fetching.stop)
    with pytest.raises(InvalidValue, match="last a while"):
        write_props(fetching.writer(graph, BOX), [BOX], [], stop=0.0)


def test_a_prop_on_a_track_rides_it_and_cannot_be_grasped(graph, lifts):
    fetching = Fetching(graph, lifts, BOX, TABLE)
    way = Track(times=[1.0, 3.0, 4.0], places=[[0, 9, 0.4], [6, 9, 0.4], [6, 12, 2.0]])
    cart = PlacedProp(prop=Prop(name="cart"), place=(0.0, 9.0, 0.4), track=way)
    writer = fetching.writer(graph, BOX)
    write_props(writer, [BOX, cart], [fetching.deed], stop=fetching.stop)
    times = np.array([0.0, 1.0, 1.7, 3.5, 4.0, fetching.stop])
    found = prop_poses(writer.close(), times)
    poses = cart.track.at(times)
    assert found.present.all()
    assert found.positions[:, 1] == pytest.approx(poses[:, [0, 1, 3]], abs=2e-3)
    assert quat.angle_between(found.rotations[:, 1], quat.turn(poses[:, 2])) == pytest.approx(np.zeros(6), abs=1e-3)
    with pytest.raises(InvalidValue, match="'box' is on a track and cannot be grasped"):
        write_props(fetching.writer(graph, BOX), [replace(BOX, track=way)], [fetching.deed], stop=fetching.stop)
