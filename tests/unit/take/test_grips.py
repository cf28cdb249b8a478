"""Grips: palms are where they are asked to be, at any depth of holding; what cannot be is refused with a sentence."""

from functools import cache

import numpy as np
import pytest

import take_scenes as scenes
from walkon._base.errors import InvalidValue, UnknownName
from walkon.geometry.tracks import Track
from walkon.motion.body import Body
from walkon.motion.limbs.arms import palm_frame
from walkon.motion.limbs.hands import HAND_SHAPES
from walkon.stage import Prop, prop_models
from walkon.stage.prop_parts import GRIP_HAND_SHAPES
from walkon.take import TakeWriter, load_take, save_take
from walkon.take.posing.holding import grip_frames, held_poses
from walkon.take.posing.posing import pose_pairs
from walkon.take.posing.props import grip_pose, hold_pose, palm_poses, prop_poses, prop_row
from walkon.take.take import Take
from walkon.transforms import quaternions as quat
from walkon.transforms import rigid

HALF_MM, HALF_DEG = 0.5e-3, np.radians(0.5)
HERE = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@cache
def straight() -> np.ndarray:
    """Where the palms [2, 7] of somebody are who stands at the origin, arms hanging."""
    take = people(1).close()
    return palm_poses(take, [0], take.pose(1.0))[0]


def people(count: int, *, apart: float = 1.0) -> TakeWriter:
    """People side by side who stand and sway for three seconds."""
    writer = TakeWriter()
    body = writer.add_body(Body.of(scenes.standing().skeleton))
    for k in range(count):
        who = writer.add_character(f"p{k}", body=body)
        writer.perform(who, scenes.standing(), start=0.0, place=(0.0, apart * k, 0.0))
    return writer


def ahead(k: int = 0, hand: int = 0, *, apart: float = 1.0) -> np.ndarray:
    """A pose [7] that the palm of p{k} can reach: half a forearm up and forward of where it hangs, turned a little."""
    turn = quat.multiply(quat.about([0.0, 1.0, 0.0], -0.6), straight()[hand, 3:])
    return np.append(straight()[hand, :3] + [0.25, apart * k, 0.22], turn)


def seen_from(take: Take, prop: str, time: float, pose: np.ndarray) -> np.ndarray:
    """A pose [7] in the world as it is seen from a prop at a time."""
    found, row = prop_poses(take, [time]), prop_row(take, prop)
    return rigid.relative(np.append(found.positions[0, row], found.rotations[0, row]), pose)


def off_grip(take: Take, row: int, times: np.ndarray) -> tuple[float, float]:
    """How far, m and rad, a palm is from what its grip asks for, at most; by the tables and the posed wrist alone."""
    grips = take.grips.rows(np.full(len(times), row))
    wanted = rigid.compose(grip_frames(take, grips, times), held_poses(grips, times))
    found = palm_poses(take, grips.character, pose_pairs(take, grips.character, times))
    palm = found[np.arange(len(times)), grips.hand]
    return (
        float(np.linalg.norm(palm[:, :3] - wanted[:, :3], axis=1).max()),
        float(quat.angle_between(palm[:, 3:], wanted[:, 3:]).max()),
    )


def assert_kept(take: Take, *, times: np.ndarray | None = None) -> None:
    for row in range(len(take.grips)):
        start, stop = take.grips.start[row], take.grips.stop[row]
        when = np.linspace(start, stop - 1e-9, 40) if times is None else times
        g = take.grips
        poses = pose_pairs(take, np.full(len(when), g.character[row]), when)
        assert poses.hands_missed[:, g.hand[row]].max() == 0.0, (row, poses.hands_missed[:, g.hand[row]].max())
        metres, radians = off_grip(take, row, when)
        assert metres < HALF_MM and radians < HALF_DEG, (row, metres, np.degrees(radians))


def test_palms_look_inwards_where_arms_hang_and_down_where_they_are_spread():
    """In the palm's frame x goes to the fingers and z out of the palm; left and right are mirror images."""
    skeleton = scenes.standing().skeleton
    left, right = (palm_frame(skeleton, side) for side in ("left", "right"))
    for palm, inward in ((left, -1.0), (right, 1.0)):
        np.testing.assert_allclose(quat.rotate(palm.rotation, [1.0, 0.0, 0.0]), [0, 0, -1], atol=1e-12)
        np.testing.assert_allclose(quat.rotate(palm.rotation, [0.0, 0.0, 1.0]), [0, inward, 0], atol=1e-12)
    np.testing.assert_allclose(left.place * [1, -1, 1], right.place, atol=1e-12)
    from walkon import builtin_library

    spread = builtin_library().skeleton
    for side, out in (("left", 1.0), ("right", -1.0)):
        palm = palm_frame(spread, side)
        np.testing.assert_allclose(quat.rotate(palm.rotation, [1.0, 0.0, 0.0]), [0, out, 0], atol=1e-12)
        np.testing.assert_allclose(quat.rotate(palm.rotation, [0.0, 0.0, 1.0]), [0, 0, -1], atol=1e-12)


@pytest.mark.parametrize("hand", ["left", "right"])
def test_a_hand_stays_on_a_point_of_the_stage_while_the_body_sways(hand):
    writer = people(1)
    writer.grip(0, hand, pose=ahead(hand=int(hand == "right")), start=0.5, stop=2.0)
    take = writer.close()
    assert_kept(take)
    moved = take.sample(np.linspace(0.5, 2.0, 20)).positions[:, 0]
    skeleton = take.bodies[0].skeleton
    assert np.ptp(moved[:, skeleton.role(f"{hand}_shoulder")], axis=0).max() > 0.005  # the shoulder moves meanwhile


@pytest.mark.parametrize("place", [(0.0, 0.0, 0.0), (3.0, -2.0, 2.1), (8_000.0, -6_000.0, -1.0)])
def test_moving_and_turning_everything_changes_nothing(place):
    """Also ten kilometres from the origin."""
    writer = TakeWriter()
    who = writer.add_character("ann", body=writer.add_body(Body.of(scenes.standing().skeleton)))
    writer.perform(who, scenes.standing(), start=0.0, place=place)
    writer.grip(who, "left", pose=rigid.compose(rigid.from_planar(place), ahead()), start=0.5, stop=2.0, swivel=0.3)
    take = writer.close()
    assert_kept(take)
    times = np.linspace(0.1, 2.6, 26)
    near = people(1)
    near.grip(0, "left", pose=ahead(), start=0.5, stop=2.0, swivel=0.3)
    wanted = near.close().sample(times).positions[:, 0]
    found = take.sample(times).positions[:, 0]
    back = rigid.apply(rigid.inverse(rigid.from_planar(place)), found)
    assert np.abs(back - wanted).max() < 1e-6


def test_both_hands_are_on_a_box_that_one_of_them_has():
    """The box hangs on the right hand; the left one grips it, and a second person holds on as well."""
    writer = people(2, apart=0.5)
    box = writer.add_prop(Prop(name="box"))
    writer.attach(box, 0, "RightHand", pose=(0.1, 0.2, -0.1, 1, 0, 0, 0), start=0.0, stop=2.5)
    writer.override(0, {"RightArm": quat.about([0, 1, 0], np.linspace(0, -0.8, 76))}, start=0.0, rate=30.0)
    so_far = writer.take
    at = [seen_from(so_far, "box", 1.0, ahead(k, hand, apart=0.5)) for k, hand in ((0, 0), (1, 1))]
    nearer = [np.append(pose[:3] + np.array([0.02, -0.03, 0.02]), pose[3:]) for pose in at]
    writer.grip(0, "left", prop=box, pose=at[0], pose_stop=nearer[0], start=0.8, stop=1.6)
    writer.grip(1, "right", prop=box, pose=at[1], pose_stop=nearer[1], start=0.9, stop=1.2)
    take = writer.close()
    assert np.ptp(prop_poses(take, np.linspace(0.8, 1.6, 9)).positions[:, 0], axis=0).max() > 0.05  # it moves
    assert_kept(take)


def test_a_chain_of_holds_is_posed_from_its_end():
    """A cart on a track; a hand on it; a tray on that arm; another hand on the tray; a third hand on that arm."""
    writer = people(3, apart=0.6)
    cart, tray = writer.add_prop(Prop(name="cart")), writer.add_prop(Prop(name="tray", keep_level=True))
    track = Track(times=[0.0, 1.5, 3.0], places=[[0.0, 0, 0], [0.1, 0.02, 0], [0.02, -0.05, 0.05]])
    writer.ride(cart, track)
    writer.grip(0, "right", prop=cart, pose=ahead(0, 1), start=0.4, stop=2.4)
    writer.attach(tray, 0, "RightHand", pose=(0.0, 0.1, -0.2, 1, 0, 0, 0), start=0.0, stop=3.0)
    so_far = writer.take
    on_tray = seen_from(so_far, "tray", 1.0, ahead(1, 1, apart=0.6))
    writer.grip(1, "right", prop=tray, pose=on_tray, start=0.9, stop=1.4)
    elbow = pose_pairs(writer.take, [1], [1.0])
    joint = scenes.standing().skeleton.index("RightForeArm")
    frame = np.append(elbow.positions[0, joint], elbow.rotations[0, joint])
    pose = rigid.relative(frame, ahead(2, 1, apart=0.6))
    writer.grip(2, "right", other=1, joint="RightForeArm", pose=pose, start=0.95, stop=1.2)
    take = writer.close()
    assert_kept(take)
    # Who is asked for alone is posed as among all.
    times = np.linspace(0.8, 1.5, 8)
    alone, all_of_them = take.sample(times, characters=[2]), take.sample(times)
    assert np.array_equal(alone.positions[:, 0], all_of_them.positions[:, 2])


def test_a_hand_may_rest_on_its_owner():
    """On the hip, on the other arm: any joint that does not hang on the arm itself."""
    writer = people(1)
    hips = rigid.relative(np.append(np.array(writer.take.pose(1.0).positions[0, 0]), [1, 0, 0, 0]), ahead())
    writer.grip(0, "left", other=0, joint="Hips", pose=hips, start=0.5, stop=2.5)
    writer.grip(0, "right", other=0, joint="LeftForeArm", pose=(0.02, -0.1, -0.1, 1, 0, 0, 0), start=1.0, stop=2.0)
    take = writer.close()
    assert off_grip(take, 0, np.linspace(0.5, 2.4, 30))[0] < HALF_MM
    assert_kept(take)


def test_arms_come_and_go_without_a_jump():
    writer = people(1)
    writer.grip(0, "left", pose=ahead(), start=0.8, stop=1.2, fade_in=0.4, fade_out=0.3)
    writer.grip(
        0, "left", pose=ahead() + np.array([0.05, 0.1, 0, 0, 0, 0, 0]), start=1.4, stop=1.8, fade_in=0.9, fade_out=0.3
    )
    take = writer.close()
    times = np.arange(0.0, 2.6, 1e-3)
    wrist = take.bodies[0].skeleton.role("left_wrist")
    places = take.sample(times).positions[:, 0, wrist]
    speed = np.linalg.norm(np.diff(places, axis=0), axis=1) / 1e-3
    assert speed.max() < 3.0  # m/s: half a metre in 0.4 s
    assert np.abs(np.diff(speed)).max() < 0.1  # and no sudden start
    assert_kept(take)  # also where the second is reached for before the first is let go
    bare = people(1).close().sample(times[times < 0.4]).positions[:, 0]
    assert np.array_equal(take.sample(times[times < 0.4]).positions[:, 0], bare)


def test_what_is_out_of_reach_is_met_as_nearly_as_the_arm_can_and_told():
    writer = people(1)
    far = np.append(straight()[0, :3] + [2.0, 0.0, 0.0], straight()[0, 3:])
    writer.grip(0, "left", pose=far, start=0.5, stop=2.0)
    take = writer.close()
    poses = take.pose(1.0)
    palm = palm_poses(take, [0], poses)[0, 0]
    gap = float(np.linalg.norm(palm[:3] - far[:3]))
    assert 1.0 < gap < 2.0
    assert abs(poses.hands_missed[0, 0] - gap) < 1e-6
    assert quat.angle_between(palm[3:], far[3:]) < HALF_DEG
    assert take.pose(2.2).hands_missed[0, 0] == 0.0


def test_the_elbow_swivels_and_the_palm_stays():
    writer = people(1)
    writer.grip(0, "left", pose=ahead(), start=0.5, stop=2.5, swivel=(-0.5, 0.7))
    take = writer.close()
    assert_kept(take)
    elbow = take.bodies[0].skeleton.role("left_elbow")
    places = take.sample(np.linspace(0.5, 2.49, 9)).positions[:, 0, elbow]
    assert np.linalg.norm(places[-1] - places[0]) > 0.05


def test_straight_above_is_reached_too():
    """From an arm that hangs straight down, the way there is half a turn about any axis."""
    writer = people(1)
    shoulder = writer.take.pose(1.0).positions[0, scenes.standing().skeleton.role("left_shoulder")]
    up = np.append(shoulder + np.array([0.0, 0.0, 0.5]), quat.multiply(quat.about([0, 1, 0], np.pi), straight()[0, 3:]))
    writer.grip(0, "left", pose=up, start=0.5, stop=2.0)
    assert_kept(writer.close())


def test_a_prop_that_is_not_there_leaves_the_arm_alone():
    writer = people(2)
    box = writer.add_prop(Prop(name="box"))
    ghost = writer.add_character("ghost", body=0)
    writer.perform(ghost, scenes.standing(), start=1.5, stop=2.0)
    writer.attach(box, ghost, "LeftHand", pose=HERE, start=0.0, stop=2.0)
    writer.grip(0, "left", prop=box, pose=HERE, start=0.5, stop=2.0)
    take = writer.close()
    assert np.array_equal(take.pose(1.0).positions[0], people(2).close().pose(1.0).positions[0])


def test_a_handover():
    """One has the cup, the other grips it, then the other has it: the cup stays in place, and no hand leaves it."""
    writer = people(2, apart=0.5)
    cup = writer.add_prop(Prop(name="cup"))
    writer.override(0, {"RightArm": quat.about([0, 1, 0], np.full(91, -0.8))}, start=0.0, rate=30.0)
    writer.attach(cup, 0, "RightHand", pose=(0.0, 0.0, -0.1, 1, 0, 0, 0), start=0.0, stop=1.5)
    where = seen_from(writer.take, "cup", 1.4, ahead(1, 1, apart=0.5))
    writer.grip(1, "right", prop=cup, pose=where, start=1.3, stop=1.5, fade_out=0.0)
    held = prop_poses(writer.take, [1.5 - 1e-9])
    there = np.append(held.positions[0, 0], held.rotations[0, 0])
    hold = hold_pose(writer.take, 1, joint="RightHand", time=1.5 - 1e-9, pose=there)
    writer.attach(cup, 1, "RightHand", pose=hold, start=1.5, stop=2.5)
    take = writer.close()
    assert_kept(take)
    sides = prop_poses(take, [1.5 - 1e-7, 1.5]).positions[:, 0]
    assert np.isfinite(sides).all()
    assert take.pose(1.5).hands_missed.max() == 0.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"hand": "left", "prop": 7}, "there is no prop 7; there are 2, 0 to 1"),
        ({"hand": "left", "prop": "bax"}, "there is no prop 'bax'"),
        ({"hand": "left", "swivel": (1, 2, 3)}, "a swivel is one angle, or two at start and stop"),
        ({"hand": "left", "prop": 1}, "prop 'ball' is nowhere, so no hand can grip it; rest, ride or attach it first"),
        ({"hand": "left", "other": 1}, "needs the joint it holds on to"),
        ({"hand": "left", "joint": "Head"}, "needs the joint it holds on to"),
        ({"hand": "left", "other": 1, "joint": "Tail"}, "there is no joint 'Tail'"),
        ({"hand": "middle"}, "there is no hand 'middle'"),
        ({"hand": "left", "prop": 0, "other": 1, "joint": "Head"}, "holds on to a prop or to somebody, not both"),
        ({"hand": "left", "stop": 0.5}, "a grip must last"),
        ({"hand": "left", "fade_in": -1.0}, "the fades of a grip must be 0 to 60 s"),
        ({"hand": "left", "pose": (0, 0, 0, 2, 0, 0, 0)}, "unit quaternion"),
        ({"hand": "left", "pose": (0, 0, 0)}, "must have shape"),
        ({"hand": "left", "shape": "fist"}, "there is no shape of a hand 'fist'"),
        (
            {"hand": "right", "prop": 0},
            "a hand has one of its grips at a time, but the right hand of 'p0' has one from",
        ),
        ({"who": "robot", "hand": "left"}, "'robot' has no left arm that could grip"),
    ],
)
def test_what_cannot_be_gripped_is_refused_and_the_writer_goes_on(options, words):
    writer = people(2)
    robot = writer.add_character("robot", body=writer.add_body(Body.of(scenes.robot_arm())))
    writer.perform(robot, scenes.waving(), start=0.0)
    box = writer.add_prop(Prop(name="box"))
    writer.add_prop(Prop(name="ball"))
    writer.rest(box, HERE, start=0.0, stop=3.0)
    writer.grip(0, "right", pose=ahead(0, 1), start=0.0, stop=1.5)
    given = {"who": 0, "pose": HERE, "start": 1.0, "stop": 2.0} | options
    with pytest.raises((InvalidValue, UnknownName), match=words):
        writer.grip(given.pop("who"), given.pop("hand"), **given)
    writer.grip(0, "left", pose=ahead(), start=1.0, stop=2.0, shape="flat")
    take = writer.close()
    assert (len(take.grips), len(take.hand_shapes)) == (2, 1)


def test_shapes_of_one_hand_do_not_overlap():
    writer = people(1)
    writer.shape_hand(0, "left", "hook", start=0.0, stop=1.0)
    with pytest.raises(InvalidValue, match="one of its shapes at a time, but the left hand of 'p0'"):
        writer.shape_hand(0, "left", "flat", start=0.9, stop=2.0)
    writer.shape_hand(0, "right", "flat", start=0.9, stop=2.0)
    poses = writer.close().pose(0.95)
    assert poses.hand_shapes[0].tolist() == [3, 2]
    assert poses.hand_weights[0, 1] == 1.0


def test_hands_relax_between_two_shapes():
    writer = people(1)
    writer.shape_hand(0, "left", "hook", start=0.5, stop=1.0, fade_out=0.4)
    writer.shape_hand(0, "left", "pinch", start=1.2, stop=2.0, fade_in=0.4)
    take = writer.close()
    times = np.linspace(0.0, 2.5, 2501)
    poses = take.sample(times)
    shape, weight = poses.hand_shapes[:, 0, 0], poses.hand_weights[:, 0, 0]
    change = np.flatnonzero(np.diff(shape.astype(int)) != 0)
    assert weight[change].max() < 1e-3 and weight[change + 1].max() < 1e-3  # it changes while nothing is seen of it
    assert (shape[(times >= 1.2) & (times < 2.0)] == 5).all()
    assert np.abs(np.diff(weight)).max() < 0.02


def circle(writer: TakeWriter, box: int, plank: int) -> None:
    """The right hand of p0 grips the box, which p1 carries with the hand that grips the plank, which p0 carries."""
    writer.grip(0, "right", prop=box, pose=HERE, start=0.5, stop=1.0)
    writer.attach(box, 1, "LeftHand", pose=HERE, start=0.2, stop=2.0)
    writer.attach(plank, 0, "RightHand", pose=HERE, start=0.0, stop=2.0)
    writer.grip(1, "left", prop=plank, pose=HERE, start=0.8, stop=1.5)


def test_holds_that_go_round_in_a_circle_are_refused_wherever_one_closes_it():
    words = "would hold on to itself at .* s: .*; let one of them rest, ride a track, or be held by another joint"
    writer = people(2)
    box, plank = (writer.add_prop(Prop(name=name)) for name in ("box", "plank"))
    writer.rest(box, HERE, start=0.0, stop=0.2)
    with pytest.raises(InvalidValue, match=words):
        circle(writer, box, plank)
    assert len(writer.take.grips) == 1
    with pytest.raises(InvalidValue, match=words):  # a hand that grips what it carries
        writer.grip(0, "right", prop=plank, pose=HERE, start=1.3, stop=2.0)
    with pytest.raises(InvalidValue, match=words):  # or itself
        writer.grip(0, "right", other=0, joint="RightForeArm", pose=HERE, start=1.3, stop=2.0)
    assert len(writer.take.grips) == 1
    # The other hand may; and so may the same hands at other times.
    writer.grip(0, "left", prop=plank, pose=HERE, start=1.3, stop=2.0)
    writer.grip(1, "left", prop=plank, pose=HERE, start=2.5, stop=2.8)
    assert np.isfinite(writer.close().pose(0.9).positions).all()


def test_an_attachment_may_close_no_circle_either():
    writer = people(2)
    box = writer.add_prop(Prop(name="box"))
    writer.rest(box, HERE, start=0.0, stop=0.4)
    writer.grip(1, "left", prop=box, pose=HERE, start=0.5, stop=1.0)
    with pytest.raises(InvalidValue, match="the left hand of 'p1' would hold on to itself"):
        writer.attach(box, 1, "LeftHand", pose=HERE, start=0.4, stop=2.0)
    with pytest.raises(InvalidValue, match="would hold on to itself"):  # left there, and gripped where it was left
        writer.attach(box, 1, "LeftForeArm", pose=HERE, start=0.9, stop=0.95)
    writer.attach(box, 1, "RightHand", pose=HERE, start=0.4, stop=2.0)
    assert len(writer.close().attachments) == 2


def test_a_prop_may_be_gripped_where_the_same_hand_has_left_it():
    """In a gap a prop is where it was left, at a time at which that arm was free."""
    writer = people(1)
    box = writer.add_prop(Prop(name="box"))
    writer.attach(box, 0, "LeftHand", pose=HERE, start=0.0, stop=0.5)
    writer.grip(0, "left", prop=box, pose=seen_from(writer.take, "box", 1.0, ahead()), start=1.0, stop=2.0)
    take = writer.close()
    assert_kept(take)
    assert np.ptp(prop_poses(take, np.linspace(0.6, 2.5, 9)).positions[:, 0], axis=0).max() == 0.0


def test_a_grip_that_moves_nothing():
    """The pose that `grip_pose` tells is where the palm is already."""
    writer = people(1)
    box = writer.add_prop(Prop(name="box"))
    writer.rest(box, (0.3, 0.2, 1.0, 1, 0, 0, 0), start=0.0, stop=3.0)
    for options in ({"prop": "box"}, {"pose": (0.3, 0.2, 1.0, 1, 0, 0, 0)}):
        pose = grip_pose(writer.take, "p0", hand="left", time=1.0, **options)
        copy = people(1)
        copy.rest(copy.add_prop(Prop(name="box")), (0.3, 0.2, 1.0, 1, 0, 0, 0), start=0.0, stop=3.0)
        copy.grip(0, "left", prop=0, pose=pose, start=1.0, stop=1.5)
        assert np.abs(copy.close().pose(1.0).positions - writer.take.pose(1.0).positions).max() < 5e-5  # a straight arm
    with pytest.raises(InvalidValue, match="either a prop of the take or a pose in the world"):
        grip_pose(writer.take, "p0", hand="left", time=1.0)
    with pytest.raises(InvalidValue, match="'p0' is not there at 9 s"):
        grip_pose(writer.take, "p0", hand="left", time=9.0, prop="box")


def test_the_audit_sees_palms_that_are_off_their_grips():
    """By its own joints: within reach nothing is wrong; out of reach it says whose palm, when, and by how much."""
    writer = people(2)
    box = writer.add_prop(Prop(name="box"))
    writer.rest(box, HERE, start=0.0, stop=3.0)
    writer.grip(0, "left", prop=box, pose=ahead(), start=0.5, stop=2.0)
    fine = writer.take.audit(source=False)
    assert (fine["hands.count"], fine["hands.held_frames"], fine["hands.idle_frames"]) == (1, 90, 0)
    assert fine["hands.max_gap_m"] < HALF_MM and fine["hands.max_gap_deg"] < 0.5
    far = np.append(straight()[1, :3] + np.array([2.0, 1.0, 0.0]), straight()[1, 3:])
    writer.grip(1, "right", pose=far, start=1.0, stop=2.0)
    take = writer.close()
    found = take.audit(source=False)
    gap = float(take.sample(np.arange(1.0, 2.0, 1 / 60)).hands_missed[:, 1, 1].max())
    assert found["hands.max_gap_m"] == pytest.approx(gap, abs=1e-9) and gap > 1.0
    worst = next(case for case in found.worst if case.figure == "hands.max_gap_m")
    assert worst.character == "p1" and 1.0 <= worst.time < 2.0
    assert "has its right palm" in worst.text and "off its grip on the stage" in worst.text
    assert take.audit(source=False, characters=[0])["hands.max_gap_m"] < HALF_MM


def test_the_audit_counts_grips_on_what_is_not_there():
    writer = people(1)
    ghost = writer.add_character("ghost", body=0)
    writer.perform(ghost, scenes.standing(), start=1.5, stop=2.0)
    writer.grip(0, "left", other=ghost, joint="Head", pose=HERE, start=1.0, stop=2.0, fade_in=0.0)
    assert writer.close().audit(source=False)["hands.idle_frames"] == 30


def test_props_have_named_grips():
    writer = people(1)
    cup = writer.add_prop(prop_models.cup("cup"))
    name, grip = next((name, grip) for name, grip in writer.take.props[0].grips.items() if grip.hand != "right")
    at = rigid.compose(ahead(), rigid.inverse(np.array(grip.pose)))
    writer.rest(cup, at, start=0.0, stop=3.0)
    writer.grip(0, "left", prop=cup, named=name, start=0.5, stop=2.0)
    with pytest.raises(InvalidValue, match=f"the grip {name!r} is a prop's: name the prop, and give no pose besides"):
        writer.grip(0, "left", named=name, start=2.1, stop=2.2)
    with pytest.raises(UnknownName, match="there is no grip"):
        writer.grip(0, "left", prop=cup, named="spout", start=2.1, stop=2.2)
    right = next(name for name, grip in writer.take.props[0].grips.items() if grip.hand == "right")
    with pytest.raises(InvalidValue, match=f"the grip {right!r} of 'cup' is for the right hand, not the left one"):
        writer.grip(0, "left", prop=cup, named=right, start=2.1, stop=2.2)
    with pytest.raises(InvalidValue, match="needs the pose of the palm"):
        writer.grip(0, "left", prop=cup, start=2.1, stop=2.2)
    take = writer.close()
    assert_kept(take)
    assert take.pose(1.0).hand_shapes[0, 0] == HAND_SHAPES.index(grip.shape)


def test_shapes_of_hands_are_the_same_for_grips_of_props():
    assert HAND_SHAPES[1:] == GRIP_HAND_SHAPES


def test_the_audit_measures_the_gap_of_gripping_hands_too():
    writer = people(1)
    box = writer.add_prop(Prop(name="box", size=(0.1, 0.1, 0.1)))
    off = rigid.compose(ahead(), np.array([0.0, 0.0, 0.30, 1, 0, 0, 0]))  # 30 cm out of the palm
    writer.rest(box, off, start=0.0, stop=3.0)
    writer.grip(0, "left", prop=box, pose=rigid.relative(off, ahead()), start=0.5, stop=2.0)
    found = writer.close().audit(source=False)
    assert 0.15 < found["props.max_gap_m"] < 0.3 and found["hands.max_gap_m"] < HALF_MM


def test_discs_have_no_hands_and_the_audit_says_so():
    """Of somebody who is only on a track no joints are posed: what hangs on its hand is at its root."""
    writer = TakeWriter()
    disc = writer.add_character("disc", body=writer.add_body(Body.of(scenes.standing().skeleton)))
    writer.follow(disc, Track(times=[0.0, 2.0], places=[[0, 0], [2, 0]]))
    case, box = writer.add_prop(Prop(name="case")), writer.add_prop(Prop(name="box"))
    writer.attach("case", disc, "LeftHand", pose=HERE, start=0.0, stop=2.0)
    writer.rest("box", (0, 0, 0.15, 1, 0, 0, 0), start=0.0, stop=2.0)
    writer.grip(disc, "left", prop="box", pose=HERE, start=0.5, stop=1.5)
    found = writer.close().audit(source=False)
    assert found["hands.idle_frames"] == found["hands.held_frames"] == 60
    assert (case, box) == (0, 1)


def test_what_is_gripped_does_not_hang_in_the_air():
    writer = people(1)
    box = writer.add_prop(Prop(name="box", size=(0.1, 0.1, 0.1)))
    writer.rest(box, ahead(), start=0.5, stop=2.0)
    hanging = writer.take.audit(source=False, start=0.6, stop=1.9)["props.max_unsupported_m"]
    writer.grip(0, "left", prop=box, pose=HERE, start=0.4, stop=2.1)
    held = writer.close().audit(source=False, start=0.6, stop=1.9)["props.max_unsupported_m"]
    assert hanging > 0.5 and held == 0.0


def test_a_damaged_file_with_a_circle_is_refused(tmp_path):
    from dataclasses import replace

    writer = people(1)
    box = writer.add_prop(Prop(name="box"))
    writer.attach(box, 0, "LeftHand", pose=HERE, start=0.0, stop=2.0)
    writer.grip(0, "right", prop=box, pose=HERE, start=0.5, stop=1.0)
    take = writer.close()
    with pytest.raises(InvalidValue, match="would hold on to itself"):
        replace(take, grips=take.grips.with_columns(hand=[0]))
    again = load_take(save_take(take, tmp_path / "holds.take"))
    assert np.array_equal(again.pose(0.7).positions, take.pose(0.7).positions)
    assert np.array_equal(again.grips.pose, take.grips.pose)


def test_a_take_with_grips_grows_as_it_is_written_at_once(tmp_path):
    def write(path, flushing):
        with people(2) as writer:
            box = writer.add_prop(Prop(name="box"))
            writer.rest(box, HERE, start=0.0, stop=3.0)
            if flushing:
                writer.flush()
            writer.grip(0, "left", prop=box, pose=ahead(), start=0.5, stop=1.0, shape="hook")
            if flushing:
                writer.flush()
            writer.grip(1, "left", pose=ahead(1), start=0.5, stop=1.0)
            return writer.close()

    one, two = write(None, False), write(None, True)
    for name, values in one.grips.columns.items():
        assert np.array_equal(values, two.grips.columns[name])
    assert np.array_equal(one.pose(0.7).positions, two.pose(0.7).positions)
