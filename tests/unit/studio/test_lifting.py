import numpy as np
import pytest
from acting_checks import bend, check_body, check_feet_stay, check_stands, held_box, trunk, turned

from walkon._base.errors import InvalidValue
from walkon.studio.carrying import BOX_SIZE_M
from walkon.studio.lifting import pick_up, put_down
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

HEIGHTS = (0.0, 0.4, 0.85)


@pytest.fixture(
    scope="module",
    params=[(make, height) for make in (pick_up, put_down) for height in HEIGHTS],
    ids=lambda what: f"{what[0].__name__} {what[1]}",
)
def performed(request):
    make, height = request.param
    return make(height, seed=2), height


def test_feet_stay_planted(performed):
    check_feet_stay(performed[0])


def test_it_stays_a_body(performed):
    check_body(performed[0], fastest=450.0)


def test_hands_and_box_move_as_one_while_it_is_held(performed):
    clip, _ = performed
    held = clip.label("carry")
    hands = [clip.skeleton.role(f"{side}_wrist") for side in ("left", "right")]
    apart = np.diff(clip.world.positions[held][:, hands], axis=1)[:, 0]
    between = quat.multiply(quat.conjugate(clip.world.rotations[held, hands[0]]), clip.world.rotations[held, hands[1]])
    assert np.ptp(np.linalg.norm(apart, axis=1)) < 1e-6
    assert turned(between, between[0]).max() < 1e-4
    assert np.linalg.norm(apart, axis=1)[0] > BOX_SIZE_M[1]


def test_the_event_tells_where_the_box_stands(performed):
    clip, height = performed
    (event,) = clip.events
    assert event.kind == ("grasp" if "picks" in clip.name else "release")
    assert event.joints == ("LeftHand", "RightHand")
    frame = clip.frame_at(event.time)
    place = planar.apply_3d(clip.planar_poses[frame], event.object_pose[:3])
    assert place[2] == pytest.approx(height + 0.5 * BOX_SIZE_M[2])
    places, rotations = held_box(clip)
    assert np.allclose(place, places[frame], atol=1e-6)
    facing = quat.multiply(quat.turn(clip.planar_poses[frame, 2]), event.object_pose[3:])
    assert turned(facing, rotations[frame]).max() < 1e-3
    assert turned(facing, quat.IDENTITY).max() < 1e-3


def test_the_box_clears_the_surface_and_the_knees(performed):
    clip, height = performed
    held = clip.label("carry")
    places, rotations = held_box(clip)
    assert places[held, 2].min() > height + 0.5 * BOX_SIZE_M[2] - 0.002
    for side in ("left", "right"):
        knee = clip.world.positions[held, clip.skeleton.role(f"{side}_knee")]
        local = quat.rotate(quat.conjugate(rotations[held]), knee - places[held])
        assert np.linalg.norm(np.maximum(np.abs(local) - 0.5 * np.array(BOX_SIZE_M), 0.0), axis=1).min() > 0.05


def test_the_lower_the_box_the_deeper_the_body():
    lows = [pick_up(height, seed=1).root_positions[:, 2].min() for height in HEIGHTS]
    assert np.all(np.diff(lows) > 0)
    floor = pick_up(0.0, seed=1)
    assert 0.40 < floor.world.positions[:, floor.skeleton.role("left_hip"), 2].min() < 0.60
    assert 45 < trunk(floor).max() < 80
    assert lows[2] > 0.90


def test_the_trunk_leads_down_and_the_hips_lead_up():
    clip = pick_up(0.0, seed=1)
    grasp = clip.frame_at(clip.events[0].time)
    sunk = 1 - (clip.root_positions[:, 2] - clip.root_positions[:, 2].min()) / np.ptp(clip.root_positions[:, 2])
    lean = trunk(clip) / trunk(clip).max()
    assert np.argmax(lean[:grasp] > 0.5) < np.argmax(sunk[:grasp] > 0.5)
    assert np.argmax(sunk[grasp:] < 0.5) < np.argmax(lean[grasp:] < 0.5)


def test_picking_up_begins_standing_and_ends_where_putting_down_begins():
    up, down = pick_up(0.75, seed=1), put_down(0.0, seed=5)
    check_stands(up, 0)
    check_stands(down, -1)
    assert turned(up.local_rotations[-1], down.local_rotations[0]).max() < 1.0
    assert np.abs(up.root_positions[-1] - down.root_positions[0]).max() < 0.002


def test_the_box_is_carried_before_the_belly():
    clip = pick_up(0.0, seed=1)
    places, skeleton = clip.world.positions[-1], clip.skeleton
    ahead = places[skeleton.role("left_wrist"), 0] - places[skeleton.role("left_hip"), 0]
    assert 0.02 < ahead < 0.18
    assert 65 < bend(clip, "left_shoulder", "left_elbow", "left_wrist")[-1] < 95


def test_small_and_large_boxes_are_held_too():
    for size in ((0.2, 0.25, 0.15), (0.4, 0.55, 0.35)):
        clip = pick_up(0.3, size=size, seed=1)
        held = clip.label("carry")
        hands = [clip.world.positions[held, clip.skeleton.role(f"{side}_wrist")] for side in ("left", "right")]
        assert np.ptp(np.linalg.norm(hands[0] - hands[1], axis=1)) < 1e-6


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"height": 1.6}, r"height must be 0 to 0\.88 m, got 1\.6"),
        ({"height": -0.1}, "height must be"),
        ({"height": 0.75, "size": (0.3, 1.2, 0.2)}, r"the box's width must be 0\.2 to 0\.6 m"),
        ({"height": 0.75, "size": (0.3, 0.3)}, "size must be three lengths"),
        ({"height": 0.75, "distance": 3.0}, "distance must be"),
        ({"height": 0.0, "distance": 0.8}, "out of reach.*bring it nearer"),
    ],
)
def test_bad_parameters_are_named(wrong, told):
    for make in (pick_up, put_down):
        with pytest.raises(InvalidValue, match=told):
            make(wrong["height"], **{name: value for name, value in wrong.items() if name != "height"})
