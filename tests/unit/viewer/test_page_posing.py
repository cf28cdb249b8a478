"""The page poses takes as Python does: every joint, rotation, contact and prop, at random times and at all borders."""

from dataclasses import replace

import numpy as np
import pytest

import walkon
from moving_stages import moved_stage, moving_stage
from page_posing import Refused, build_modules, pose_on_page, why_no_node
from prop_take import every_prop
from square import square
from take_scenes import crossfade, every_feature, interesting_times, one_walker, slender, walking
from terrain_takes import hill_walkers
from walkon._base.array_file import ArrayFileWriter
from walkon.stage.moving import frames_at
from walkon.take.posing.props import prop_poses
from walkon.take.storing.file import KIND, TABLES, VERSION, new_part, save_take
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

pytestmark = pytest.mark.skipif(why_no_node() is not None, reason=why_no_node() or "")

MOST = 2e-5
"""Metres: float32 some tens of metres from the origin; asked for is a millimetre."""


@pytest.fixture(scope="session")
def modules(tmp_path_factory):
    return build_modules(tmp_path_factory.mktemp("modules"))


@pytest.fixture(scope="module")
def crowd():
    return square(walkon.builtin_library())[0]


def apart(one, two) -> float:
    """How far two lists of quaternions are apart at most; q and −q are one rotation."""
    return float(np.minimum(np.abs(one - two).max(axis=-1), np.abs(one + two).max(axis=-1)).max())


def assert_equal(take: Take, frames, times) -> None:
    poses = take.sample(times)
    there = poses.present
    assert there.any()
    np.testing.assert_array_equal(frames.present, poses.presence)
    np.testing.assert_array_equal(frames.segments, poses.segments)
    np.testing.assert_array_equal(frames.contacts.astype(bool), poses.contacts)
    np.testing.assert_allclose(frames.positions[there], poses.positions[there], atol=MOST, rtol=0)
    assert apart(frames.rotations[there], poses.rotations[there]) < 1e-6
    planar = poses.planar[there]
    np.testing.assert_allclose(frames.planar[there][:, :2], planar[:, :2], atol=MOST, rtol=0)
    turned = frames.planar[there][:, 2] - planar[:, 2]
    np.testing.assert_allclose(np.cos(turned), 1.0, atol=1e-6)
    np.testing.assert_allclose(frames.hands, 2.0 * poses.hand_shapes + poses.hand_weights, atol=1e-6)
    props = prop_poses(take, times)
    np.testing.assert_array_equal(frames.prop_present.astype(bool), props.present)
    np.testing.assert_allclose(frames.prop_positions[props.present], props.positions[props.present], atol=MOST, rtol=0)
    if props.present.any():
        assert apart(frames.prop_rotations[props.present], props.rotations[props.present]) < 1e-6


def check(modules, take: Take, folder, seed: int = 0, count: int = 60) -> None:
    times = interesting_times(take, np.random.default_rng(seed), count)
    file = save_take(take, folder / "some.take")
    assert_equal(take, pose_on_page(modules, file, times), times)


@pytest.mark.parametrize("seed", range(4))
def test_everything_a_take_can_hold_is_posed_as_python_does(modules, tmp_path, seed):
    rng = np.random.default_rng(seed)
    check(modules, every_feature(rng), tmp_path, seed)


@pytest.mark.parametrize("far", [1_000.0, 10_000.0])
def test_far_from_the_origin_the_page_is_within_a_millimetre(modules, tmp_path, far):
    """Frames of the page are float32, in steps of a millimetre at 10 km; plants and places of both are float64."""
    take = one_walker(moves=[(0.02, -0.01, 0.05)] * 4, place=(far, -0.7 * far, 0.4, 3.0))
    times = interesting_times(take, np.random.default_rng(3), 60)
    frames = pose_on_page(modules, save_take(take, tmp_path / "far.take"), times)
    poses = take.sample(times)
    there = poses.present
    assert np.abs(frames.positions[there] - poses.positions[there]).max() < 1e-3
    assert np.degrees(quat.angle_between(frames.rotations[there], poses.rotations[there])).max() < 0.1
    near = one_walker(moves=[(0.02, -0.01, 0.05)] * 4, place=(0.0, 0.0, 0.4, 3.0)).sample(times).positions
    assert np.nanmax(np.abs(poses.positions - near - [far, -0.7 * far, 0.0])) < 1e-6


def test_the_crowd_of_the_demo_is_posed_as_python_does(modules, crowd, tmp_path):
    check(modules, crowd, tmp_path, count=150)


@pytest.mark.parametrize("seed", range(2))
def test_people_on_hills_are_posed_as_python_does(modules, tmp_path, seed):
    check(modules, hill_walkers(seed, count=6, seconds=3.0), tmp_path, seed)


@pytest.mark.parametrize("scale", [0.85, 1.2])
def test_other_bodies_and_sizes(modules, tmp_path, scale):
    clip = walking()
    moves = [(0.05, -0.03, 0.1), (-0.04, 0.02, -0.2), (0.0, 0.06, 0.1)]
    check(modules, one_walker(clip, scale=scale, body=slender(clip.skeleton), moves=moves), tmp_path)


def test_props_of_every_kind_are_read_and_posed_as_python_does(modules, tmp_path):
    check(modules, every_prop(), tmp_path)


def test_crossfades(modules, tmp_path):
    check(modules, crossfade(walking(), walking(1.4)), tmp_path)


def test_legs_that_reach_too_far_bring_the_root_down(modules, tmp_path):
    clip = walking()
    moves = [(0.3, 0.0, 0.0), (0.3, 0.1, 0.0), (0.25, -0.1, 0.2)]
    take = one_walker(clip, moves=moves)
    assert len(take.drops) and take.drops.drop.max() > 0.005
    check(modules, take, tmp_path)


def test_a_cut_take_with_shifted_and_moved_characters(modules, crowd, tmp_path):
    from walkon.take.editing.editing import cut, move, shift

    take = shift(move(crowd, "Ada", (1.0, 2.0, 0.5), audit=False).take, "Ben", 1.25, audit=False).take
    check(modules, cut(take, 2.0, 5.0, audit=False).take, tmp_path)


def test_a_take_that_was_grown_part_by_part_is_read_like_one_written_whole(modules, tmp_path):
    take = every_feature(np.random.default_rng(9))
    half = len(take.segments) // 2
    path = tmp_path / "growing.take"
    growing = ArrayFileWriter(path, KIND, version=VERSION)
    first = {name: getattr(take, name) for name in TABLES} | {"segments": take.segments.rows(slice(half, None))}
    growing.append(*new_part(take, first, Take()))
    growing.append(*new_part(take, {"segments": take.segments.rows(slice(0, half))}, take))
    times = interesting_times(take, np.random.default_rng(1), 20)
    frames = pose_on_page(modules, path, times)
    assert not frames.told["complete"]
    assert_equal(take, frames, times)
    growing.close()
    assert pose_on_page(modules, path, times[:1]).told["complete"]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("far", [0.0, 10_000.0])
def test_what_moves_on_the_stage_is_where_python_has_it(modules, tmp_path, seed, far):
    """Obstacles on straight and on Hermite tracks, with and without z, and leaves on either hinge, at random times."""
    rng = np.random.default_rng(seed)
    stage = moved_stage(moving_stage(rng), np.array([far, -0.5 * far, rng.uniform(-3, 3)]))
    take = one_walker(moves=[(0.0, 0.0, 0.0)], place=(far, -0.5 * far, 0.0))
    times = np.concatenate([rng.uniform(-1, 6, 40), *(one.track.times for one in stage.moving)])
    told = pose_on_page(modules, save_take(replace(take, stage=stage), tmp_path / "some.take"), times).told["moving"]
    assert [one["name"] for one in told] == [one.name for one in stage.moving]
    for one, page in zip(stage.moving, told, strict=True):
        frames, placed = frames_at(one.track, times), one.placed(times)
        np.testing.assert_allclose(np.array(page["corners"]), placed.polygons, atol=1e-6, rtol=0)
        poses = np.array(page["poses"])
        np.testing.assert_allclose(poses[:, [0, 1, 3]], frames[:, [0, 1, 3]], atol=1e-6, rtol=0)
        np.testing.assert_allclose(np.cos(poses[:, 2] - frames[:, 2]), 1.0, atol=1e-12)


def test_tracks_of_a_stage_that_are_none_are_refused(modules, tmp_path):
    from walkon._base.array_file import read_array_file, write_array_file

    take = replace(one_walker(moves=[(0.0, 0.0, 0.0)]), stage=moving_stage(np.random.default_rng(0)))
    block = read_array_file(save_take(take, tmp_path / "some.take"), "take", version=2).blocks[0]
    cart = next(one for one in block.header["stage"]["obstacles"] if one["track"])
    for times, sentence in (([1.0], "there are 4 and 1 knots"), ([3.0, 1.0, 2.0, 4.0], "do not rise")):
        track = cart["track"] | {"times": times}
        stage = block.header["stage"] | {"obstacles": [cart | {"track": track}]}
        header = dict(block.header) | {"stage": stage}
        wrong = write_array_file(tmp_path / "wrong.take", "take", version=2, header=header, arrays=block.arrays)
        with pytest.raises(Refused, match=sentence):
            pose_on_page(modules, wrong, np.array([0.0]))


def test_what_the_take_says_of_itself_arrives(modules, crowd, tmp_path):
    told = pose_on_page(modules, save_take(crowd, tmp_path / "some.take"), np.array([1.0])).told
    assert told["names"] == list(crowd.names)
    assert (told["fps"], told["start"], told["stop"]) == (crowd.fps, crowd.start, crowd.stop)
    np.testing.assert_allclose(told["enters"], crowd.enters)


@pytest.mark.parametrize(
    ("harm", "sentence"),
    [
        (lambda b: b"", "is empty"),
        (lambda b: b"GIF89a" + b[6:], "not a Walkon take"),
        (lambda b: b[:40], "truncated"),
        (lambda b: b[:-64], "truncated"),
        (lambda b: b + bytes(64), "damaged"),
        (lambda b: b[:5000] + bytes([b[5000] ^ 1]) + b[5001:], "fails its checksum"),
        (lambda b: b[:60] + bytes(4) + b[64:], "does not match its checksum"),
        (lambda b: _with_version(b, 3), "newer Walkon"),
        (lambda b: _with_version(b, 1), "never released"),
    ],
)
def test_damaged_and_newer_takes_are_refused_with_a_sentence(modules, tmp_path, harm, sentence):
    file = save_take(one_walker(moves=[(0.0, 0.0, 0.0)]), tmp_path / "some.take")
    file.write_bytes(harm(file.read_bytes()))
    with pytest.raises(Refused, match=sentence):
        pose_on_page(modules, file, np.array([0.0]))


def test_references_to_rows_that_are_not_there_are_refused(modules, tmp_path):
    from walkon._base.array_file import read_array_file, write_array_file

    file = save_take(one_walker(moves=[(0.0, 0.0, 0.0)]), tmp_path / "some.take")
    block = read_array_file(file, "take", version=2).blocks[0]
    for name, value, sentence in (
        ("Segments.clip", 7, "no clip 7"),
        ("ClipRows.frames", 100_000, "longer than its frames"),
        ("Segments.character", -1, "no character -1"),
    ):
        arrays = block.arrays | {name: np.full_like(block.arrays[name], value)}
        wrong = write_array_file(tmp_path / "wrong.take", "take", version=2, header=block.header, arrays=arrays)
        with pytest.raises(Refused, match=sentence):
            pose_on_page(modules, wrong, np.array([0.0]))


def _with_version(content: bytes, version: int) -> bytes:
    import zlib

    head = content[:28] + version.to_bytes(4, "little") + content[32:60]
    return head + zlib.crc32(head).to_bytes(4, "little") + content[64:]
