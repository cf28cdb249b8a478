"""People on tracks stride along them: the phase follows from the way alone, feet do not slide, who stays stands."""

import numpy as np
import pytest

from take_scenes import contact_points, robot_arm, walking
from walkon._base.arrays import Array
from walkon.geometry.tracks import Track
from walkon.motion.body import Body
from walkon.take import Take, TakeWriter
from walkon.take.editing.editing import move
from walkon.take.posing.posing import PLANAR
from walkon.take.posing.walk_phases import WALKING_OVER_M_S, walk_phases
from walkon.take.posing.walkers import find_walkers, with_walking_poses
from walkon.transforms import angles
from walkon.transforms import quaternions as quat

HEIGHT = Body.of(walking().skeleton).height


def tracks_take(*tracks: Track, name: str = "ann", scale: float = 1.0) -> Take:
    """One person on these tracks, one after the other."""
    writer = TakeWriter()
    who = writer.add_character(name, body=writer.add_body(Body.of(walking().skeleton)), scale=scale)
    for track in tracks:
        writer.follow(who, track)
    return writer.close()


def straight(speed: float, seconds: float = 4.0, *, start: float = 0.0, at: float = 0.0) -> Track:
    return Track(times=[start, start + seconds], places=[[at, 0.0], [at + speed * seconds, 0.0]])


def phases(take: Take, times: Array) -> tuple[Array, Array]:
    """Phase and stride of the first character; the phase without jumps from 1 to 0."""
    segments = np.array([take.pose(t).segments[0] for t in times])
    phase, stride = walk_phases(take, segments, times)
    return np.unwrap(phase, period=1.0), stride


@pytest.mark.parametrize("speed", [0.5, 1.0, 1.4, 2.0])
@pytest.mark.parametrize("scale", [0.8, 1.1])
def test_feet_that_touch_the_floor_do_not_slide_at_constant_speed(speed: float, scale: float) -> None:
    take = tracks_take(straight(speed), scale=scale)
    rate, moving = 100.0, []
    times = np.arange(0.5, 2.5, 1 / rate)
    posed = [with_walking_poses(take, take.pose(t), t) for t in times]
    points = np.stack([contact_points(take, poses)[0] for poses in posed])
    floor = points[..., 2] < 0.002
    assert points[..., 2].min() > -0.003
    assert floor.any(axis=1).all(), "somebody who walks always has something on the floor"
    for point in range(4):
        stays = floor[1:, point] & floor[:-1, point]
        moving.append((np.linalg.norm(np.diff(points[:, point, :2], axis=0), axis=1) * rate)[stays])
    assert np.median(np.concatenate(moving)) < 0.01
    assert np.percentile(np.concatenate(moving), 90) < 0.2 * speed


def test_strides_are_those_of_people_and_grow_with_speed_and_size() -> None:
    shares = [phases(tracks_take(straight(speed)), np.array([2.0]))[1][0] for speed in (0.4, 0.8, 1.35, 2.0)]
    assert (np.diff(shares) > 0.02).all()
    assert shares[2] * HEIGHT == pytest.approx(1.40, abs=0.05)  # metres at 1.35 m/s
    small, tall = (phases(tracks_take(straight(1.35), scale=s), np.array([2.0]))[1][0] * s for s in (0.7, 1.1))
    assert small < shares[2] < tall


def test_the_phase_is_the_way_over_the_stride_whatever_was_asked_before() -> None:
    take = tracks_take(straight(1.2))
    times = np.linspace(0.3, 3.7, 50)
    forth, stride = phases(take, times)
    np.testing.assert_allclose(np.diff(forth), 1.2 * np.diff(times) / (stride[0] * HEIGHT), atol=1e-4)
    back, _ = phases(take, times[::-1])
    np.testing.assert_allclose(np.mod(back[::-1] - forth + 0.5, 1.0), 0.5, atol=1e-9)


def test_whoever_goes_backwards_walks_backwards_and_aside_stands() -> None:
    times = np.linspace(1.0, 2.0, 20)
    for facing, sign in ((0.0, 1.0), (np.pi, -1.0), (0.5 * np.pi, 0.0)):
        take = tracks_take(Track(times=[0.0, 4.0], places=[[0, 0], [4.0, 0]], headings=[facing] * 2))
        phase, stride = phases(take, times)
        np.testing.assert_allclose(np.diff(phase), sign * np.abs(np.diff(phase)).max(), atol=1e-4)
        assert np.sign(np.ptp(phase).round(3)) == abs(sign)
        assert (stride > 0.3).all() if sign else (stride < 1e-3).all()


def test_strides_shorten_to_standing_where_it_is_slow_and_change_without_a_jump() -> None:
    stopping = Track(times=[0.0, 2.0, 3.0, 5.0], places=[[0, 0], [2.4, 0], [2.4, 0], [4.8, 0]])
    take = tracks_take(stopping)
    times = np.arange(0.0, 5.0, 0.01)
    phase, stride = phases(take, times)
    still = (times > 2.35) & (times < 2.65)
    assert stride[still].max() == 0.0
    assert np.ptp(phase[still]) < 1e-9
    assert stride[(times > 0.3) & (times < 1.6)].min() > 0.6
    assert np.abs(np.diff(stride)).max() < 0.1  # of 0.75, in a hundredth of a second
    slow, _ = (phases(tracks_take(straight(v)), np.array([2.0]))[1][0] for v in (0.5 * WALKING_OVER_M_S, 1.0))
    assert 0.05 < slow < 0.3


def test_the_phase_goes_on_from_one_track_to_the_next() -> None:
    take = tracks_take(straight(1.2, 2.0), straight(0.8, 2.0, start=2.0, at=2.4), straight(1.5, start=4.0, at=4.0))
    times = np.arange(0.1, 6.0, 0.01)
    phase, _ = phases(take, times)
    assert len(np.unique(take.segments.track)) == 3
    assert np.diff(phase).max() < 0.02
    assert np.diff(phase).min() > 0.003


def test_people_are_not_in_step_and_where_a_track_lies_changes_nothing() -> None:
    starts = [phases(tracks_take(straight(1.2), name=name), np.array([1.0]))[0][0] for name in ("ann", "bob", "cleo")]
    assert np.abs(angles.wrap(2 * np.pi * (np.array(starts) - np.roll(starts, 1)))).min() > 0.05
    take = tracks_take(straight(1.2))
    moved = move(take, "ann", (30.0, -7.0, 2.0), audit=False).take
    assert phases(moved, np.array([1.0]))[0] == pytest.approx(phases(take, np.array([1.0]))[0], abs=1e-6)


def test_the_way_of_a_curve_is_its_length() -> None:
    t = np.linspace(0.0, 6.0, 13)
    places = 3.0 * np.column_stack([np.cos(0.5 * t), np.sin(0.5 * t)])
    speeds = 1.5 * np.column_stack([-np.sin(0.5 * t), np.cos(0.5 * t)])
    take = tracks_take(Track(times=t, places=places, velocities=speeds, headings=0.5 * t + 0.5 * np.pi))
    phase, stride = phases(take, np.linspace(0.5, 5.5, 60))
    assert np.ptp(phase) * stride[0] * HEIGHT == pytest.approx(1.5 * 5.0, rel=0.01)


def test_only_people_walk_all_others_rest_and_bodies_that_are_posed_stay_as_they_are() -> None:
    writer = TakeWriter()
    person, arm = writer.add_body(Body.of(walking().skeleton)), writer.add_body(Body.of(robot_arm()))
    for name, body in (("ann", person), ("arm", arm), ("bob", person)):
        writer.add_character(name, body=body)
    writer.follow("ann", straight(1.2))
    writer.follow("arm", straight(1.2))
    writer.perform("bob", walking(), start=0.0, stop=4.0)
    take = writer.close()
    poses = take.pose(1.3)
    assert find_walkers(take, poses).tolist() == [True, False, False]
    posed = with_walking_poses(take, poses, 1.3)
    J = len(walking().skeleton)
    np.testing.assert_array_equal(posed.positions[2, :J], poses.positions[2, :J])
    assert (posed.presence[:2] == PLANAR).all()
    rest = robot_arm().rest_positions
    np.testing.assert_allclose(posed.positions[1, :4] - posed.positions[1, 0], rest - rest[0], atol=1e-9)
    spread = np.ptp(posed.positions[0, :J, 2])
    assert 1.3 < spread < HEIGHT
    heading = quat.rotate(posed.rotations[0, 0], np.array([1.0, 0.0, 0.0]))
    assert heading[0] > 0.99


def test_a_whole_crowd_of_tracks_walks_at_once() -> None:
    writer = TakeWriter()
    rows = writer.add_characters([f"p{k}" for k in range(500)], body=writer.add_body(Body.of(walking().skeleton)))
    ways = np.zeros((41, 500, 2))
    ways[:, :, 0] = np.linspace(0, 4, 41)[:, None] * np.linspace(0.2, 1.6, 500)
    ways[:, :, 1] = np.arange(500)
    writer.add_trajectories(rows, ways, start=0.0, rate=10.0)
    take = writer.close()
    assert take.pose(2.0).positions.shape[1] == 1
    posed = with_walking_poses(take, take.pose(2.0), 2.0)
    points = contact_points(take, posed)
    lowest = points[..., 2].min(axis=1)
    assert np.abs(lowest).max() < 0.003
