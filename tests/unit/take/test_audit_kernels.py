"""Kernels of the audit against their twins."""

import numpy as np
import pytest

import walker
from twins.auditing import hits_numpy, joint_steps_numpy, place_capsules_numpy, repose_numpy
from twins.neighbours import pairs_within_numpy
from walkon.motion import Clip, Skeleton
from walkon.motion.body import Body
from walkon.take import Take, TakeWriter
from walkon.take.auditing.bodily.smoothness import joint_steps
from walkon.take.auditing.meetings.bodies import find_hits, place_capsules
from walkon.take.auditing.meetings.ground import ground_rows, near_pairs, sort_by_frame
from walkon.take.auditing.reposing import AuditClock, make_track, repose, rows_of
from walkon.transforms import quaternions as quat


@pytest.fixture(scope="module")
def mixed() -> Take:
    """Three walkers of different sizes close to each other, and a two-joint thing; they come and go."""
    walk = walker.walk(seconds=3.0, fps=60.0)
    stick = Skeleton(names=("a", "b"), parents=[-1, 0], offsets=[[0, 0, 0], [0.3, 0, 0.2]])
    still = Clip(
        skeleton=stick, fps=30.0, root_positions=np.zeros((60, 3)), local_rotations=np.tile([1.0, 0, 0, 0], (60, 2, 1))
    )
    writer = TakeWriter()
    person, thing = writer.add_body(Body.of(walk.skeleton)), writer.add_body(Body.of(stick))
    for i, scale in enumerate((1.0, 1.1, 0.9)):
        who = writer.add_character(f"walker {i}", body=person, scale=scale)
        writer.perform(who, walk, start=0.3 * i, stop=0.3 * i + 1.0, place=(0.0, 0.3 * i, 0.1 * i))
        writer.perform(who, walk, start=0.3 * i + 1.5, stop=0.3 * i + 2.0, place=(0.2, 0.3 * i, 0.0))
    writer.perform(writer.add_character("thing", body=thing), still, start=0.0, place=(0.5, 0.2, 1.0))
    return writer.close()


def moments(take: Take) -> tuple[np.ndarray, np.ndarray]:
    who = np.repeat(np.arange(len(take)), 50)
    return who, np.tile(np.linspace(take.start, take.stop, 50), len(take))


def test_own_kinematics_agree_with_the_twin_and_with_posing(mixed: Take) -> None:
    who, times = moments(mixed)
    fast, plain = repose(mixed, who, times), repose_numpy(mixed, who, times)
    assert (fast.presence == 0).any(), "someone is absent at times"
    for name in ("positions", "local", "difference", "reach"):
        there = fast.present if name in ("positions", "local") else slice(None)
        np.testing.assert_allclose(getattr(fast, name)[there], getattr(plain, name)[there], atol=1e-12)
    assert fast.difference.max() < 1e-9


def test_joints_that_posing_puts_elsewhere_are_noticed(mixed: Take, monkeypatch: pytest.MonkeyPatch) -> None:
    from walkon.take.auditing import reposing

    def lying(*args: object) -> object:
        poses = honest(*args)
        poses.positions[:, 5] += [0.0, 0.0, 0.01]
        return poses

    honest = reposing.pose_pairs
    monkeypatch.setattr(reposing, "pose_pairs", lying)
    assert repose(mixed, np.array([0]), np.array([0.5])).difference[0] == pytest.approx(0.01)


def test_steps_of_joints_agree_with_the_twin(rng: np.random.Generator) -> None:
    wander = np.cumsum(rng.normal(size=(1200, 5, 4)) * 0.02, axis=0)
    local = quat.normalize(wander + np.array([1.0, 0.0, 0.0, 0.0]))
    local *= rng.choice([-1.0, 1.0], size=(1200, 5, 1))
    linked = rng.random(1200) < 0.9
    linked[-1] = False
    moving = np.array([True, True, False, True, True])
    for mine, twin in zip(joint_steps(local, linked, moving), joint_steps_numpy(local, linked, moving), strict=True):
        np.testing.assert_allclose(mine, twin, atol=1e-7)


@pytest.mark.parametrize("rows", [0, 1, 2, 3])
def test_few_rows_have_few_steps(rows: int) -> None:
    local = np.tile([1.0, 0.0, 0.0, 0.0], (rows, 2, 1))
    linked = np.arange(rows) < rows - 1
    moving = np.ones(2, bool)
    for mine, twin in zip(joint_steps(local, linked, moving), joint_steps_numpy(local, linked, moving), strict=True):
        np.testing.assert_array_equal(mine, twin)


def test_capsules_and_their_boxes_agree_with_the_twin(mixed: Take) -> None:
    who, times = moments(mixed)
    there = mixed.sample(times[:50]).present.T.ravel()
    who, times = who[there], times[there]
    bodies = repose(mixed, who, times)
    for mine, twin in zip(place_capsules(mixed, who, bodies), place_capsules_numpy(mixed, who, bodies), strict=True):
        np.testing.assert_allclose(mine, twin, atol=1e-12)


def test_hits_agree_with_the_twin(mixed: Take, rng: np.random.Generator) -> None:
    who, times = np.arange(4), np.full(4, 0.65)
    flesh = place_capsules(mixed, who, repose(mixed, who, times))
    pairs = np.array([(a, b) for a in range(4) for b in range(a + 1, 4)])
    mine, twin = find_hits(flesh, pairs), hits_numpy(flesh, pairs)
    assert len(twin[0]) > 10
    for one, other in zip(mine, twin, strict=True):
        np.testing.assert_array_equal(one, other)


def test_near_pairs_of_all_frames_are_those_of_each_frame(mixed: Take, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("walkon.take.auditing.meetings.ground.BATCH_ROW_COUNT", 50)
    clock = AuditClock(start=mixed.start, stop=mixed.stop, fps=30.0)
    who, frame = rows_of(mixed, clock, np.arange(4))
    ground = sort_by_frame([ground_rows(mixed, make_track(mixed, clock, who, frame, lambda *_: None)[0], clock.fps)])
    chosen = np.array([True, False, False, True])
    batches = list(near_pairs(ground, 0.45, chosen))
    found = {(int(a), int(b)) for near in batches for a, b in zip(near.a, near.b, strict=True)}
    expected = set()
    for frame in np.unique(ground.frame):
        mine = np.flatnonzero(ground.frame == frame)
        for a, b in mine[pairs_within_numpy(ground.places[mine], 0.45)]:
            if chosen[ground.who[a]] or chosen[ground.who[b]]:
                expected.add((int(a), int(b)))
    assert len(batches) > 2
    assert len(expected) > 20
    assert found == expected


def test_rows_run_from_entrance_to_exit(mixed: Take) -> None:
    clock = AuditClock(start=0.0, stop=2.6, fps=10.0)
    who, frame = rows_of(mixed, clock, np.array([1, 3]))
    assert frame[who == 1].tolist() == list(range(3, 24))
    assert frame[who == 3].tolist() == list(range(20))
