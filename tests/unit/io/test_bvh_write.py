import numpy as np
import pytest
from bvh_texts import person_text

from walkon._base.errors import CannotWrite, InvalidValue
from walkon.io import parse_bvh, read_bvh, write_bvh
from walkon.motion import Clip, Ensemble, Skeleton
from walkon.transforms import quaternions as quat

HUNDRED_NANOMETRES = 1e-7
ANGLE = np.radians(1e-5)


@pytest.fixture
def swaying(rng):
    """A tree with end sites, one with a name of its own, in random motion."""
    skeleton = Skeleton(
        names=("root", "a", "a_end", "b", "Bip01 L Toe", "tip"),
        parents=[-1, 0, 1, 0, 3, 4],
        offsets=rng.normal(size=(6, 3)),
        end_sites=[False, False, True, False, False, True],
    )
    rotations = quat.continuous(quat.normalize(rng.normal(size=(30, 6, 4))))
    rotations = np.where(skeleton.end_sites[None, :, None], quat.IDENTITY, rotations)
    return Clip(
        skeleton=skeleton, fps=119.88, root_positions=rng.normal(size=(30, 3)), local_rotations=rotations, name="s"
    )


def same_motion(a: Clip, b: Clip) -> None:
    assert a.skeleton.names == b.skeleton.names
    assert np.array_equal(a.skeleton.parents, b.skeleton.parents)
    assert np.array_equal(a.skeleton.end_sites, b.skeleton.end_sites)
    assert a.fps == b.fps
    assert np.abs(a.skeleton.offsets - b.skeleton.offsets).max() < HUNDRED_NANOMETRES
    assert np.abs(a.world.positions - b.world.positions).max() < HUNDRED_NANOMETRES
    assert quat.angle_between(a.local_rotations, b.local_rotations).max() < ANGLE


@pytest.mark.parametrize("order", ["xyz", "xzy", "yxz", "yzx", "zxy", "zyx"])
def test_what_is_written_reads_back_the_same(tmp_path, swaying, order):
    path = write_bvh(swaying, tmp_path / "s.bvh", order=order)
    clip = read_bvh(path, scale=0.01, up="y").clip
    same_motion(clip, swaying)
    assert clip.name == "s"
    letters = [channel[0].lower() for channel in parse_bvh(path.read_bytes()).channels[1]]
    assert "".join(letters) == order


@pytest.mark.parametrize("scale", [1.0, 0.01, 0.001, 0.0254])
def test_any_unit_can_be_written(tmp_path, swaying, scale):
    path = write_bvh(swaying, tmp_path / "s.bvh", scale=scale)
    same_motion(read_bvh(path, scale=scale, up="y").clip, swaying)


def test_the_file_is_y_up_in_centimetres_with_plain_end_sites(tmp_path, swaying):
    text = write_bvh(swaying, tmp_path / "s.bvh").read_text()
    document = parse_bvh(text.encode())
    x, y, z = swaying.root_positions[0]
    assert np.allclose(document.values[0, :3], [100 * y, 100 * z, 100 * x], atol=1e-6)
    assert text.count("End Site\n") == 1
    assert "End Site tip\n" in text
    assert document.warnings == ()


def test_a_person_reads_back_without_being_told_anything(tmp_path):
    (tmp_path / "a.bvh").write_text(person_text(axes="z up, facing -y", unit=0.0254))
    first = read_bvh(tmp_path / "a.bvh").clip
    again = read_bvh(write_bvh(first, tmp_path / "b.bvh"))
    assert again.report.scale == 0.01
    assert again.clip.skeleton.roles == first.skeleton.roles
    same_motion(again.clip, first)


def test_sliding_joints_get_position_channels_and_still_ones_do_not(tmp_path, swaying, rng):
    sliding = np.tile(swaying.skeleton.offsets, (30, 1, 1))
    sliding[:, 3] += rng.normal(size=(30, 3))
    clip = Clip(
        skeleton=swaying.skeleton,
        fps=30,
        root_positions=swaying.root_positions,
        local_rotations=swaying.local_rotations,
        local_translations=sliding,
    )
    path = write_bvh(clip, tmp_path / "s.bvh")
    assert [len(channels) for channels in parse_bvh(path.read_bytes()).channels] == [6, 3, 0, 6, 3, 0]
    same_motion(read_bvh(path, scale=0.01, up="y").clip, clip)
    sliding[:, 5] += 0.1  # an end site that slides can only be written as a joint
    moved = Clip(
        skeleton=swaying.skeleton,
        fps=30,
        root_positions=swaying.root_positions,
        local_rotations=swaying.local_rotations,
        local_translations=sliding,
    )
    back = read_bvh(write_bvh(moved, tmp_path / "s.bvh"), scale=0.01, up="y").clip
    assert np.abs(back.world.positions - moved.world.positions).max() < HUNDRED_NANOMETRES


def test_an_ensemble_is_written_as_several_roots(tmp_path, swaying):
    other = swaying.with_motion(swaying.root_positions + 1.0, swaying.local_rotations[::-1])
    path = write_bvh(Ensemble(clips=(swaying, other)), tmp_path / "pair.bvh")
    back = read_bvh(path, scale=0.01, up="y")
    for clip, original in zip(back.clips, (swaying, other), strict=True):
        same_motion(clip, original)


def test_joints_come_back_depth_first(tmp_path):
    skeleton = Skeleton(names=("r", "a", "b", "a1"), parents=[-1, 0, 0, 1], offsets=np.eye(4, 3))
    clip = Clip(
        skeleton=skeleton, fps=25, root_positions=np.zeros((1, 3)), local_rotations=np.tile(quat.IDENTITY, (1, 4, 1))
    )
    back = read_bvh(write_bvh(clip, tmp_path / "s.bvh"), scale=0.01, up="y").clip
    assert back.skeleton.names == ("r", "a", "a1", "b")


def test_long_clips_are_written_in_parts_without_a_seam(tmp_path, rng):
    T = 5000
    skeleton = Skeleton(names=("r",), parents=[-1], offsets=[[0, 0, 0]])
    rotations = quat.continuous(quat.exp(np.cumsum(rng.normal(size=(T, 1, 3)) * 0.01, axis=0)))
    clip = Clip(skeleton=skeleton, fps=60, root_positions=rng.normal(size=(T, 3)), local_rotations=rotations)
    same_motion(read_bvh(write_bvh(clip, tmp_path / "s.bvh"), scale=0.01, up="y").clip, clip)


@pytest.mark.parametrize("name", ["", "a{", "b}", "two\nlines", " edge", "two  spaces", "tab\tin"])
def test_names_that_bvh_cannot_hold_are_refused_and_the_old_file_stays(tmp_path, name):
    skeleton = Skeleton(names=(name,), parents=[-1], offsets=[[0, 0, 0]])
    clip = Clip(skeleton=skeleton, fps=60, root_positions=np.zeros((1, 3)), local_rotations=quat.IDENTITY[None, None])
    (tmp_path / "s.bvh").write_text("old")
    with pytest.raises(InvalidValue, match="rename"):
        write_bvh(clip, tmp_path / "s.bvh")
    assert (tmp_path / "s.bvh").read_text() == "old"


@pytest.mark.parametrize(
    ("wrong", "says"), [({"order": "zzz"}, "order"), ({"scale": 0.0}, "scale"), ({"scale": 1e-12}, "larger")]
)
def test_impossible_wishes_are_refused(tmp_path, swaying, wrong, says):
    with pytest.raises(InvalidValue, match=says):
        write_bvh(swaying, tmp_path / "s.bvh", **wrong)


def test_too_many_joints_are_refused_with_the_way_out(tmp_path, swaying):
    with pytest.raises(InvalidValue, match="one file per character"):
        write_bvh(Ensemble(clips=(swaying,) * 200), tmp_path / "s.bvh")


def test_a_missing_folder_is_refused(tmp_path, swaying):
    with pytest.raises(CannotWrite, match="does not exist"):
        write_bvh(swaying, tmp_path / "no" / "s.bvh")
