import numpy as np
import pytest

from walkon._base.errors import InvalidValue, UnknownName
from walkon.graphs.snap_together import builtin_snap_graph
from walkon.graphs.snap_together.edge_tracks import carried_disc
from walkon.graphs.snap_together.lifts import KINDS, Lifts, lifts_of
from walkon.stage import Obstacle, Prop, Stage
from walkon.stage.free_space import FreeSpace
from walkon.synthesis.goal_directed.lifting import (
    carried_pose,
    grip_facings,
    laid_pose,
    lift_for,
    picked_pose,
    standing_place,
    standings,
)
from walkon.transforms import planar, rigid
from walkon.transforms import quaternions as quat

BOX = Prop(name="box", size=(0.3, 0.4, 0.25))
TABLE, FLOOR = 0.875, 0.125


@pytest.fixture(scope="module")
def graph():
    return builtin_snap_graph()


@pytest.fixture(scope="module")
def lifts(graph):
    return lifts_of(graph)


def test_every_edge_between_standing_and_carrying_is_a_lift(graph, lifts):
    up, down = (np.sort(lifts.edge[lifts.of_kind(kind)]) for kind in KINDS)
    assert np.array_equal(up, graph.between("stand", "carry_stand"))
    assert np.array_equal(down, graph.between("carry_stand", "stand"))
    assert np.array_equal(lifts.start, graph.edges.start[lifts.edge])
    assert np.array_equal(lifts.stop, graph.edges.stop[lifts.edge])
    assert ((lifts.time > 0) & (lifts.time < graph.edges.duration[lifts.edge])).all()


def test_a_lift_has_the_object_where_the_event_has_it_from_the_body(graph, lifts):
    for row in range(len(lifts)):
        clip = graph.clip(int(lifts.edge[row]))
        (event,) = clip.events
        body = clip.planar_poses[clip.frame_at(event.time)]
        assert rigid.compose(rigid.from_planar(body), np.array(event.object_pose)) == pytest.approx(
            lifts.pose[row], abs=1e-12
        )


def test_joints_hold_the_object_where_it_is(graph, lifts):
    skeleton = graph.source.skeleton
    for row in range(len(lifts)):
        assert [skeleton.names[j] for j in lifts.holders(row)] == ["LeftHand", "RightHand"]
        for joint, hold in zip(lifts.joint_pose[row], lifts.hold[row], strict=True):
            assert rigid.compose(joint, hold)[:3] == pytest.approx(lifts.pose[row, :3], abs=1e-12)
        # The studio's box is 0.40 m wide, and hands give way a little.
        assert 0.34 < lifts.across[row] < 0.41
        assert abs(lifts.aside[row] - np.pi / 2) < np.radians(3)


@pytest.mark.parametrize("facing", [0.0, 0.7, -2.9, np.pi])
@pytest.mark.parametrize("scale", [1.0, 0.9])
def test_started_at_the_standing_place_an_edge_brings_the_hands_to_the_prop(lifts, facing, scale):
    for row in range(len(lifts)):
        stood = standing_place(lifts, row, place=(3.0, -2.0, 0.5), facing=facing, scale=scale)
        there = planar.apply(stood, scale * lifts.pose[row, :2])
        assert np.abs(there - (3.0, -2.0)).max() < 1e-9
        assert np.exp(1j * stood[2]) == pytest.approx(np.exp(1j * facing))


def test_what_is_carried_can_be_put_exactly_where_it_is_asked(lifts):
    prop = np.concatenate([[3.0, 1.0, TABLE + 0.012], quat.turn(0.3)])
    for pick in lifts.of_kind("pick_up"):
        # Stood a little askew, and the box is a centimetre too high: both are carried along.
        stood = standing_place(lifts, pick, place=prop, facing=0.34)
        picked = picked_pose(stood, prop)
        for put in lifts.of_kind("put_down"):
            carried = carried_pose(lifts, put, pick=pick, picked=picked)
            there = standing_place(lifts, put, place=(-4.0, 2.0, 0.1), facing=-2.0, carried=carried)
            hands = [rigid.compose(rigid.from_planar(there), joint) for joint in lifts.joint_pose[put]]
            holds = [
                rigid.relative(rigid.compose(rigid.from_planar(stood), joint), prop) for joint in lifts.joint_pose[pick]
            ]
            box = rigid.mean(rigid.compose(hands, holds))
            assert np.abs(box[:2] - (-4.0, 2.0)).max() < 1e-9
            laid = laid_pose(carried, there, place=(-4.0, 2.0, 0.1))
            assert laid[:3] == pytest.approx((-4.0, 2.0, 0.1))
            assert quat.rotate(laid[3:], [0, 0, 1]) == pytest.approx((0, 0, 1))
            assert np.degrees(quat.angle_between(laid[3:], box[3:])) < 1.0


def test_a_lift_without_more_said_carries_what_was_recorded(lifts):
    pick, put = (lifts.of_kind(kind)[0] for kind in KINDS)
    assert carried_pose(lifts, put, pick=pick)[:3] == pytest.approx(lifts.pose[put, :3], abs=1e-4)
    other = lifts.with_columns(joints=np.where(np.arange(len(lifts))[:, None] == put, [10, -1], lifts.joints))
    with pytest.raises(InvalidValue, match="same joints"):
        carried_pose(other, put, pick=pick)


def test_lifts_are_chosen_by_height(lifts):
    for kind in KINDS:
        for height in (TABLE, FLOOR):
            for off in (-0.029, 0.0, 0.029):
                rows = lift_for(lifts, kind, prop=BOX, height=height + off)
                assert len(rows) == 2
                assert lifts.pose[rows, 2] == pytest.approx(height)
    with pytest.raises(InvalidValue, match=r"middle at 0.500 m.*within 3 cm.*0.125, 0.875 m"):
        lift_for(lifts, "pick_up", prop=BOX, height=0.5)
    # Somebody smaller lifts from lower tables.
    assert len(lift_for(lifts, "put_down", prop=BOX, height=0.9 * TABLE, scale=0.9))
    with pytest.raises(InvalidValue):
        lift_for(lifts, "put_down", prop=BOX, height=TABLE, scale=0.9)
    with pytest.raises(UnknownName):
        lift_for(lifts, "throw", prop=BOX, height=TABLE)
    with pytest.raises(InvalidValue, match="no edge of the graph"):
        lift_for(Lifts(), "pick_up", prop=BOX, height=TABLE)


def test_hands_do_not_take_what_is_much_narrower_or_wider(lifts):
    for size in ((0.2, 0.2, 0.25), (0.55, 0.6, 0.25)):
        with pytest.raises(InvalidValue, match="change its size"):
            lift_for(lifts, "pick_up", prop=Prop(name="odd", size=size), height=TABLE)
    # It is in the hands already, so it can be put down.
    assert len(lift_for(lifts, "put_down", prop=Prop(name="odd", size=(0.2, 0.2, 0.25)), height=TABLE))


def test_boxes_are_gripped_by_sides_that_fit_and_drums_from_anywhere(lifts):
    pick, put = (lifts.of_kind(kind)[0] for kind in KINDS)
    heading = 0.4
    found = grip_facings(lifts, pick, prop=BOX, heading=heading)
    assert len(found) == 2
    assert np.abs(np.sin(found - heading)).max() < np.radians(3)
    along = grip_facings(lifts, pick, prop=Prop(name="b", size=(0.4, 0.25, 0.25)), heading=heading)
    assert np.abs(np.cos(along - heading)).max() < np.radians(3)
    assert len(grip_facings(lifts, pick, prop=Prop(name="cube", size=(0.38, 0.38, 0.25)))) == 4
    assert len(grip_facings(lifts, pick, prop=Prop(name="drum", shape="cylinder", size=(0.38, 0.38, 0.25)))) == 8
    assert len(grip_facings(lifts, put, prop=BOX)) == 8


def test_one_stands_where_it_is_clear_and_as_one_comes(graph, lifts):
    pick = int(lift_for(lifts, "pick_up", prop=BOX, height=TABLE)[0])
    asked = {"graph": graph, "prop": BOX, "place": (2.0, 1.0, TABLE), "heading": 0.0}
    for approach, ahead in (((-5.0, 1.2), 1), ((7.0, 0.9), -1)):
        found = standings(lifts, pick, approach=approach, **asked)
        assert np.sign(np.cos(found.pose[0, 2])) == ahead
        assert found.clear.all()
    # A table under the box, whose edge is 2 cm behind the box's near side: only from there.
    table = Obstacle(name="table", polygon=[(1.87, 0.0), (3.0, 0.0), (3.0, 2.0), (1.87, 2.0)], height=0.75)
    space = FreeSpace.of(Stage(obstacles=(table,)))
    found = standings(lifts, pick, approach=(7.0, 0.9), space=space, **asked)
    assert found.clear.tolist() == [True, False]
    assert abs(found.pose[0, 2]) < np.radians(3)
    assert found.spare[0] > 0 > found.spare[1]
    only = standings(lifts, pick, facing=0.1, **asked)
    assert only.pose[:, 2] == pytest.approx([0.1])
    with pytest.raises(InvalidValue, match="sides of 'box'"):
        standings(lifts, pick, facing=0.8, **asked)


def test_a_carried_box_needs_room_before_the_body(graph, lifts):
    disc = carried_disc(graph, lifts)
    assert 0.2 < disc[0] < 0.35
    assert abs(disc[1]) < 0.02
    assert 0.25 < disc[2] < 0.3
    assert carried_disc(graph, lifts, size=(0.6, 0.8))[2] == pytest.approx(disc[2] + 0.25)
    with pytest.raises(InvalidValue, match="nobody can carry"):
        carried_disc(graph, Lifts())
