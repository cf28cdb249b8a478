"""bvhio, an independent reader, sees the same places: in what we write and in the CMU clips."""

import numpy as np
import pytest

from walkon.io import read_bvh, write_bvh
from walkon.motion import Clip, Skeleton
from walkon.transforms import quaternions as quat

bvhio = pytest.importorskip("bvhio")

TENTH_OF_A_MILLIMETRE = 1e-4
"""bvhio computes in single precision."""


def places(path, frames, scale):
    """World places [frames, joints, 3] of all joints but end sites, in metres and our axes, with their names."""
    root = bvhio.readAsHierarchy(str(path))
    joints = [joint for joint, _, _ in root.layout()]
    result = np.empty((len(frames), len(joints), 3))
    for row, frame in enumerate(frames):
        root.loadPose(frame)
        for column, joint in enumerate(joints):
            x, y, z = joint.PositionWorld
            result[row, column] = z, x, y
    return result * scale, [joint.Name for joint in joints]


def same_places(clip, path, frames, scale):
    theirs, names = places(path, frames, scale)
    ours = clip.world.positions[frames][:, [clip.skeleton.index(name) for name in names]]
    assert len(names) == np.count_nonzero(~clip.skeleton.end_sites)
    assert np.abs(theirs - ours).max() < TENTH_OF_A_MILLIMETRE


@pytest.mark.parametrize("order", ["xyz", "yzx", "zxy", "zyx"])
@pytest.mark.parametrize("sliding", [False, True])
def test_bvhio_reads_what_we_write(tmp_path, rng, order, sliding):
    skeleton = Skeleton(
        names=("root", "a", "a_end", "b", "c", "crown"),
        parents=[-1, 0, 1, 0, 3, 4],
        offsets=rng.normal(size=(6, 3)) * 0.4,
        end_sites=[False, False, True, False, False, True],
    )
    rotations = quat.continuous(quat.normalize(rng.normal(size=(12, 6, 4))))
    translations = np.tile(skeleton.offsets, (12, 1, 1))
    translations[:, 3] += 0.2 * rng.normal(size=(12, 3))
    clip = Clip(
        skeleton=skeleton,
        fps=60,
        root_positions=rng.normal(size=(12, 3)),
        local_rotations=np.where(skeleton.end_sites[None, :, None], quat.IDENTITY, rotations),
        local_translations=translations if sliding else None,
    )
    path = write_bvh(clip, tmp_path / "ours.bvh", order=order)
    same_places(clip, path, list(range(12)), 0.01)
    assert bvhio.readAsBvh(str(path)).FrameTime == pytest.approx(1 / 60, rel=1e-12)


@pytest.mark.mocap
@pytest.mark.parametrize("name", ["16_36", "16_39", "143_02"])
def test_bvhio_and_we_see_the_same_places_in_real_clips(mocap, name):
    path = mocap / "cmu" / f"{name}.bvh"
    reading = read_bvh(path, drop_tpose=False)
    same_places(reading.clip, path, [0, 1, 50, 100, len(reading.clip) - 1], reading.report.scale)


@pytest.mark.mocap
def test_bvhio_reads_a_real_clip_that_we_wrote(mocap, tmp_path):
    clip = read_bvh(mocap / "cmu" / "16_39.bvh").clip
    same_places(clip, write_bvh(clip, tmp_path / "ours.bvh"), [0, 30, 60, 146], 0.01)
