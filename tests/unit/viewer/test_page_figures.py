"""The page draws people on tracks, hands and seats by the rules of Python: phases, walk cycles, fingers, what folds."""

import numpy as np
import pytest

from page_posing import ask_rules, build_modules, pose_on_page, why_no_node
from take_scenes import every_feature, flight, robot_arm, slender, walking
from walkon.drawing.stage_picture import SEAT_SIDE_M, seat_backs, tip_up_boxes
from walkon.geometry.tracks import Track
from walkon.motion.body import Body
from walkon.motion.gait.walk_cycle import make_walk_cycle, walk_parts
from walkon.motion.limbs.hands import HAND_SHAPES, finger_poses
from walkon.motion.skeleton import SIDES
from walkon.stage import Obstacle, Seat, Stage
from walkon.studio.skeleton import performer_skeleton
from walkon.take import Take, TakeWriter
from walkon.take.posing.walk_phases import walk_phases
from walkon.take.posing.walkers import find_walkers
from walkon.take.storing.file import save_take

pytestmark = pytest.mark.skipif(why_no_node() is not None, reason=why_no_node() or "")


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    return build_modules(tmp_path_factory.mktemp("modules"))


def assert_walks_equal(modules, take: Take, times, folder) -> int:
    """Compare phases and strides of everybody at times; returns how many were walking."""
    frames = pose_on_page(modules, save_take(take, folder / "some.take"), times)
    count = 0
    for k, time in enumerate(times):
        poses = take.pose(float(time))
        rows = np.flatnonzero(find_walkers(take, poses))
        others = np.setdiff1d(np.arange(len(take)), rows)
        assert not frames.walks[k, others].any()
        if not len(rows):
            continue
        phase, stride = walk_phases(take, poses.segments[rows], np.full(len(rows), time))
        apart = np.mod(frames.walks[k, rows, 0] - phase + 0.5, 1.0) - 0.5
        np.testing.assert_allclose(apart, 0.0, atol=2e-5)
        np.testing.assert_allclose(frames.walks[k, rows, 1], stride, atol=2e-6)
        count += len(rows)
    return count


@pytest.mark.parametrize("seed", range(3))
def test_strides_on_random_tracks_are_those_of_python(modules, tmp_path, seed):
    rng = np.random.default_rng(seed)
    writer = TakeWriter()
    bodies = [writer.add_body(Body.of(s)) for s in (performer_skeleton(), slender(walking().skeleton), robot_arm())]
    for number in range(14):
        who = writer.add_character(f"person {number} é", body=bodies[number % 3], scale=float(rng.uniform(0.7, 1.2)))
        start = float(rng.uniform(0, 1))
        for _ in range(1 + number % 3):
            K = int(rng.integers(2, 9))
            times = start + np.append(0.0, np.cumsum(rng.uniform(0.05, 0.9, K - 1)))
            places = np.cumsum(rng.normal(scale=0.6, size=(K, 2)), axis=0)
            headings = None if rng.random() < 0.4 else rng.uniform(-9, 9, K)
            velocities = None if rng.random() < 0.5 else rng.normal(size=(K, 2))
            track = Track(times=times, places=places, headings=headings, velocities=velocities)
            start = writer.follow(who, track, place=rng.uniform(-3, 3, 3)) + float(rng.choice([0.0, 0.3]))
    banking = writer.add_character("banks", body=bodies[0])
    writer.follow(banking, flight(rng))
    take = writer.close()
    times = np.sort(rng.uniform(take.start, take.stop, 60))
    assert assert_walks_equal(modules, take, times, tmp_path) > 150


def test_strides_in_takes_that_hold_everything(modules, tmp_path):
    take = every_feature(np.random.default_rng(5))
    assert assert_walks_equal(modules, take, np.linspace(take.start, take.stop, 40), tmp_path) > 20


def test_walk_cycles_are_those_of_python(modules, tmp_path, rng):
    writer = TakeWriter()
    bodies = [Body.of(s) for s in (performer_skeleton(height=1.6), slender(walking().skeleton), walking().skeleton)]
    for number, body in enumerate(bodies):
        writer.add_character(f"p{number}", body=writer.add_body(body))
    file = save_take(writer.close(), tmp_path / "some.take")
    asked = [(int(rng.integers(3)), float(rng.uniform(-2, 3)), float(rng.uniform(0, 0.85))) for _ in range(150)]
    answers = ask_rules(modules, file, {"walks": asked})
    cycles = [make_walk_cycle(body) for body in bodies]
    for body, places, rotations, parts in answers["cycles"]:
        np.testing.assert_allclose(np.reshape(places, (-1, 3)), cycles[body].places, atol=1e-9)
        np.testing.assert_allclose(np.reshape(rotations, (-1, 4)), cycles[body].rotations, atol=1e-9)
        assert parts == cycles[body].parts.tolist()
    for (body, phase, stride), (places, pitch) in zip(asked, answers["walks"], strict=True):
        wanted = walk_parts(cycles[body], np.array([phase]), np.array([stride]))
        np.testing.assert_allclose(np.reshape(places, (-1, 2)), wanted[0][0], atol=1e-9)
        np.testing.assert_allclose(pitch, wanted[1][0], atol=1e-9)


def test_finger_poses_are_those_of_python(modules, tmp_path, rng):
    writer = TakeWriter()
    writer.add_character("somebody", body=writer.add_body(Body.of(performer_skeleton())))
    file = save_take(writer.close(), tmp_path / "some.take")
    shapes, weights = range(len(HAND_SHAPES)), (0.0, 1.0, *rng.uniform(0, 1, 4).tolist())
    hands = [(shape, weight, side) for shape in shapes for weight in weights for side in SIDES]
    answers = ask_rules(modules, file, {"hands": hands})
    for (shape, weight, side), (places, rotations) in zip(hands, answers["hands"], strict=True):
        wanted = finger_poses(shape, weight, side=side)
        np.testing.assert_allclose(np.reshape(places, (6, 3)), wanted[0], atol=1e-12)
        np.testing.assert_allclose(np.reshape(rotations, (6, 4)), wanted[1], atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_seats_fold_as_in_pictures(modules, tmp_path, seed):
    rng = np.random.default_rng(seed)
    seats, obstacles = [], []
    for number in range(60):
        place = np.append(rng.uniform(-8, 8, 2), rng.uniform(-4, 4))
        seats.append(Seat(place=place, height=float(rng.uniform(0.3, 0.6)), name=f"seat {number}"))
        if number % 3:
            behind = place[:2] - rng.uniform(0.0, 0.7) * np.array([np.cos(place[2]), np.sin(place[2])])
            corners = behind + rng.uniform(0.05, 0.3) * np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])
            obstacles.append(Obstacle(polygon=corners, height=float(rng.uniform(0.3, 1.0)), name=f"back {number}"))
    stage = Stage(seats=tuple(seats), obstacles=tuple(obstacles))
    hips = np.column_stack([rng.uniform(-8, 8, (400, 2)), rng.uniform(0.4, 1.0, 400)])
    writer = TakeWriter(stage=stage)
    writer.add_character("nobody", body=writer.add_body(Body.of(robot_arm())))
    file = save_take(writer.close(), tmp_path / "some.take")
    answers = ask_rules(modules, file, {"hips": hips.tolist()})
    backs = seat_backs(stage)
    found = np.array([np.nan if back is None else back for back in answers["backs"]])
    assert 10 < np.isfinite(backs).sum() < 55
    np.testing.assert_allclose(found, backs, atol=1e-9)
    tipping = np.isfinite(backs)
    down = tip_up_boxes(stage, backs, hips).sizes[:, 0] == SEAT_SIDE_M
    assert 0 < down.sum() < len(down)
    np.testing.assert_array_equal(np.array(answers["down"])[tipping] == 1, down)
    assert not np.array(answers["down"])[~tipping].any()
