"""Point clouds: which joints, which frames, which weights, and that a clip's share does not depend on the others."""

from dataclasses import replace

import numpy as np
import pytest

from walker import skeleton, walk
from walkon._base.errors import InvalidClip, InvalidValue, UnknownName
from walkon.graphs import FrameSet
from walkon.graphs._distance_kernels import PITCH
from walkon.graphs.point_clouds import MAX_WINDOW_FRAMES, compared_joints
from walkon.motion import Clip, Skeleton
from walkon.motion.editing import move, resample
from walkon.motion.library import Library
from walkon.transforms import quaternions as quat


def named(clip: Clip, name: str) -> Clip:
    return replace(clip, name=name)


@pytest.fixture(scope="module")
def walks() -> list[Clip]:
    clips = [walk(speed=speed, seconds=3.0, fps=60.0) for speed in (0.9, 1.1, 1.3)]
    return [named(move(clip, [40.0 * i, -3.0, i]), f"walk {i}") for i, clip in enumerate(clips)]


def test_points_are_the_joints_of_a_person_without_end_sites() -> None:
    body = skeleton()
    names = [body.names[j] for j in compared_joints(body)]
    assert len(names) == 19
    assert not any(name.endswith("_end") for name in names)


def test_fingers_and_joints_that_sit_on_their_parent_are_no_points() -> None:
    body = skeleton()
    wrist = body.names.index("LeftHand")
    more = Skeleton(
        names=(*body.names, "LeftIndex", "LeftIndex2", "Twin"),
        parents=[*body.parents, wrist, len(body), 0],
        offsets=[*body.offsets, [0.08, 0, 0], [0.03, 0, 0], [0, 0, 0]],
        end_sites=[*body.end_sites, False, False, False],
        roles=dict(body.roles),
    )
    assert compared_joints(more).tolist() == compared_joints(body).tolist()


def test_a_skeleton_of_one_joint_lends_its_end_sites() -> None:
    bird = Skeleton(
        names=("body", "beak", "tail"),
        parents=[-1, 0, 0],
        offsets=[[0, 0, 1], [0.1, 0, 0.05], [-0.1, 0, 0]],
        end_sites=[False, True, True],
    )
    assert compared_joints(bird).tolist() == [0, 1, 2]
    clip = Clip(
        skeleton=bird, fps=30, root_positions=np.zeros((20, 3)), local_rotations=np.tile([1.0, 0, 0, 0], (20, 3, 1))
    )
    assert len(FrameSet.of([clip]).joints) == 3


def test_every_second_frame_is_taken_where_the_rate_is_a_multiple(walks: list[Clip]) -> None:
    frames = FrameSet.of(walks)
    assert frames.stops.tolist() == [91, 182, 273]
    assert frames.times[frames.starts[1] : frames.stops[1]] == pytest.approx(np.arange(91) / 30)
    there = walks[1].world.positions[10, walks[1].skeleton.index("Head")]
    frame, point = frames.starts[1] + 5, frames.joints.index("Head")
    assert frames.points[frame, point, :2] + frames.centroids[frame] == pytest.approx(there[:2], abs=1e-6)
    assert frames.points[frame, point, 2] == pytest.approx(there[2], abs=1e-6)


def test_other_rates_are_resampled() -> None:
    clip = walk(seconds=3.0, fps=119.88)
    frames = FrameSet.of([clip])
    same = resample(clip, 30.0)
    assert frames.times == pytest.approx(same.times)
    head = clip.skeleton.index("Head")
    places = frames.points[:, frames.joints.index("Head"), :2] + frames.centroids
    assert places == pytest.approx(same.world.positions[:, head, :2], abs=1e-6)


def test_a_clip_gives_the_same_bits_with_and_without_others(walks: list[Clip]) -> None:
    every, alone = FrameSet.of(walks), FrameSet.of([walks[2]])
    part, windows = slice(every.starts[2], every.stops[2]), slice(every.starts[2], every.window_stops[2])
    assert np.array_equal(every.points[part], alone.points)
    assert np.array_equal(every.centroids[part], alone.centroids)
    for name in ("planar", "heights"):
        assert np.array_equal(getattr(every.operands, name)[part], getattr(alone.operands, name))
    for name in ("paths", "energies"):
        there = getattr(alone.operands, name)[: alone.window_stops[0]]
        assert np.array_equal(getattr(every.operands, name)[windows], there)


def test_weights_sum_to_one_in_time_and_over_joints(walks: list[Clip]) -> None:
    frames = FrameSet.of(walks, joint_weights={"left_ball": 5.0, "Head": 0.0, "LeftToeBase_end": 2.0})
    assert frames.weights.sum() == pytest.approx(1.0)
    assert "Head" not in frames.joints
    shares = dict(zip(frames.joints, frames.weights / frames.weights.min(), strict=True))
    assert shares["LeftToeBase"] == pytest.approx(5.0)
    assert shares["LeftToeBase_end"] == pytest.approx(2.0)
    assert shares["Hips"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("options", "taper"),
    [
        ({}, [1, 2, 3, 4, 5, 5, 4, 3, 2, 1]),
        ({"taper": "uniform"}, [1] * 10),
        ({"layout": "centred"}, [1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1]),
        ({"window": 0.01}, [1]),
        ({"window": 0.1}, [1, 2, 1]),
        ({"window": 0.1, "rate": 20.0}, [1, 1]),
    ],
)
def test_windows_taper_as_they_should(walks: list[Clip], options: dict[str, object], taper: list[int]) -> None:
    frames = FrameSet.of(walks, **options)
    assert frames.length == len(taper)
    assert frames.taper == pytest.approx(np.array(taper) / sum(taper))


def test_speeds_are_those_of_the_hips(walks: list[Clip]) -> None:
    frames = FrameSet.of(walks)
    for clip, speed in enumerate((0.9, 1.1, 1.3)):
        assert frames.speeds[frames.starts[clip] : frames.stops[clip]] == pytest.approx(speed, abs=1e-6)


def test_clips_shorter_than_the_window_have_no_windows(walks: list[Clip]) -> None:
    short = named(walk(seconds=0.2, fps=60.0), "short")
    frames = FrameSet.of([short, *walks])
    assert (frames.window_stops - frames.starts).tolist() == [0, 82, 82, 82]
    assert frames.clips_of([0, 6, 7, 97, 98]).tolist() == [0, 0, 1, 1, 2]


def test_libraries_are_welcome_and_the_report_is_one_line(walks: list[Clip]) -> None:
    frames = FrameSet.of(Library.of(walks))
    assert repr(frames) == ("FrameSet(273 frames of 3 clips at 30 frames/s, 19 points, windows of 10 frames, kovar)")


def test_rows_of_the_kernel_hold_the_longest_window() -> None:
    assert PITCH >= 2 * MAX_WINDOW_FRAMES


def test_bad_input_is_refused(walks: list[Clip]) -> None:
    with pytest.raises(InvalidValue, match="rate must be positive"):
        FrameSet.of(walks, rate=0.0)
    with pytest.raises(InvalidValue, match="window must be positive"):
        FrameSet.of(walks, window=float("nan"))
    with pytest.raises(InvalidValue, match="longer than 200"):
        FrameSet.of(walks, window=7.0)
    with pytest.raises(InvalidValue, match="'triangular', 'uniform'"):
        FrameSet.of(walks, taper="gauss")
    with pytest.raises(InvalidValue, match="'kovar', 'centred'"):
        FrameSet.of(walks, layout="gleicher")
    with pytest.raises(UnknownName, match="left_ball"):
        FrameSet.of(walks, joint_weights={"left_bal": 1.0})
    with pytest.raises(InvalidValue, match="must be 0 or more, got -1"):
        FrameSet.of(walks, joint_weights={"Head": -1.0})
    with pytest.raises(InvalidValue, match="all joint weights are 0"):
        FrameSet.of(walks, joint_weights=dict.fromkeys(walks[0].skeleton.names, 0.0))
    other = Skeleton(names=("root",), parents=[-1], offsets=[[0, 0, 1]])
    alien = Clip(
        skeleton=other, fps=60, root_positions=np.zeros((9, 3)), local_rotations=np.tile(quat.IDENTITY, (9, 1, 1))
    )
    with pytest.raises(InvalidClip, match="retarget"):
        FrameSet.of([*walks, alien])
