import numpy as np
import pytest
from acting_checks import bend, check_body, check_feet_stay, check_stands, trunk, turned

from walkon._base.errors import InvalidValue
from walkon.motion.editing import join
from walkon.studio import performer_skeleton
from walkon.studio.seating import rise, sit, sit_down, sit_down_and_rise

MADE = {
    "down": lambda: sit_down(seed=3),
    "down, low": lambda: sit_down(0.36, seed=3),
    "sitting": lambda: sit(5.0, seed=3),
    "up": lambda: rise(seed=3),
    "up, high": lambda: rise(0.55, seed=3),
    "both": lambda: sit_down_and_rise(3.0, seed=3),
}


@pytest.fixture(scope="module", params=MADE, ids=str)
def clip(request):
    return MADE[request.param]()


@pytest.fixture(scope="module")
def both():
    return sit_down_and_rise(3.0, seed=1)


def hip_heights(clip):
    return clip.world.positions[:, clip.skeleton.role("left_hip"), 2]


def test_feet_stay_planted(clip):
    check_feet_stay(clip)


def test_it_stays_a_body(clip):
    check_body(clip, fastest=450.0)


@pytest.mark.parametrize("height", [0.35, 0.45, 0.55])
def test_hips_come_to_rest_just_above_the_seat(height):
    clip = sit_down(height, seed=2)
    assert hip_heights(clip)[-1] == pytest.approx(height + 0.04, abs=0.003)
    assert hip_heights(clip).min() > height + 0.03


def test_hips_travel_back_while_ankles_stay(both):
    sat = both.label("seated")
    ankle = both.world.positions[:, both.skeleton.role("left_ankle"), 0]
    hip = both.world.positions[:, both.skeleton.role("left_hip"), 0]
    assert 0.22 < np.median((ankle - hip)[sat]) < 0.30
    assert abs((ankle - hip)[0]) < 0.02


def test_the_seated_pose_is_that_of_people(both):
    frame = both.frame_at(both.events[0].time + 1.2)
    places, skeleton = both.world.positions[frame], both.skeleton
    thigh = places[skeleton.role("left_knee")] - places[skeleton.role("left_hip")]
    assert abs(np.degrees(np.arcsin(thigh[2] / np.linalg.norm(thigh)))) < 12
    assert 95 < bend(both, "left_hip", "left_knee", "left_ankle")[frame] < 112
    assert -12 < trunk(both)[frame] < 3
    for side in ("left", "right"):
        hip, knee, wrist = (places[skeleton.role(f"{side}_{part}")] for part in ("hip", "knee", "wrist"))
        along = (wrist - hip) @ (knee - hip) / ((knee - hip) @ (knee - hip))
        assert 0.4 < along < 0.8
        assert np.linalg.norm(wrist - hip - along * (knee - hip)) < 0.15


def test_the_trunk_leans_most_on_the_way_down_and_at_seat_off(both):
    lean, (down, up) = trunk(both), (event.time for event in both.events)
    times = both.times
    going = times < down
    assert 28 < lean[going].max() < 50
    assert 0.55 < times[going][lean[going].argmax()] / down < 1.0
    rising = times > up - 0.6
    assert 28 < lean[rising].max() < 50
    assert abs(times[rising][lean[rising].argmax()] - up) < 0.4


def test_events_and_labels_tell_when_the_seat_bears(both):
    down, up = both.events
    assert (down.kind, up.kind) == ("sit", "rise")
    assert down.joints == up.joints == ("Hips",)
    seated = both.label("seated")
    assert seated[both.frame_at(down.time)] and not seated[both.frame_at(down.time) - 1]
    assert seated[both.frame_at(up.time)] and not seated[both.frame_at(up.time) + 1]
    assert np.ptp(hip_heights(both)[seated]) < 0.02
    assert both.label("sit").all()
    assert (both.label("sit_down") | seated | both.label("rise")).all()


def test_it_begins_and_ends_standing(both):
    check_stands(both, 0)
    check_stands(both, -1)


def test_sitting_down_sitting_and_rising_join_without_a_seam():
    down, still, up = sit_down(seed=1), sit(3.0, seed=2), rise(seed=3)
    for before, after in ((down, still), (still, up)):
        assert turned(before.local_rotations[-1], after.local_rotations[0]).max() < 1.0
        assert np.abs(before.root_positions[-1] - after.root_positions[0]).max() < 0.002
    whole = join(join(down, still), up)
    assert np.abs(np.ptp(whole.contact_positions, axis=0)).max() < 0.004
    assert [event.kind for event in whole.events] == ["sit", "rise"]


def test_the_root_comes_to_sit_where_a_sitter_sits(both):
    x, y = sit(2.0).root_positions[0, :2]
    frame = both.frame_at(both.events[0].time + 1.2)
    assert np.abs(both.root_positions[frame, :2] - [x, y]).max() < 0.02
    assert x < -0.2 and abs(y) < 1e-9


@pytest.mark.parametrize("make", [sit_down, rise])
@pytest.mark.parametrize("height", [3.0, 0.2, np.nan])
def test_a_seat_no_one_can_sit_on_is_refused(make, height):
    with pytest.raises(InvalidValue, match=r"height must be 0\.35 to 0\.55 m, got"):
        make(height)


def test_a_seat_as_high_as_a_small_body_is_refused():
    with pytest.raises(InvalidValue, match=r"too high for this body.*up to 0\.\d\d m"):
        sit_down(0.5, skeleton=performer_skeleton(height=1.0))


def test_too_short_a_time_is_refused():
    with pytest.raises(InvalidValue, match="duration must be 1 to 3600 s"):
        sit(0.2)
    with pytest.raises(InvalidValue, match=r"duration must be 1\.5 to 3600 s"):
        sit_down_and_rise(0.5)
