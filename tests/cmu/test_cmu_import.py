"""All 90 real clips: they import, the README's check values hold, and writing them loses nothing."""

import csv

import numpy as np
import pytest

from walkon.io import read_bvh, write_bvh
from walkon.transforms import axes
from walkon.transforms import quaternions as quat

pytestmark = pytest.mark.mocap
TENTH_OF_A_MILLIMETRE = 1e-4


def rows(mocap):
    with (mocap / "manifest.csv").open() as file:
        return list(csv.DictReader(file))


def test_all_files_import_in_metres_without_their_t_pose(mocap):
    for row in rows(mocap):
        reading = read_bvh(mocap / row["file"], fps=float(row["fps"]))
        assert reading.report.scale == 0.0254 / 0.45, row["file"]
        assert reading.report.tpose_dropped, row["file"]
        assert len(reading.clip) == int(row["frames"]) - 1, row["file"]
        assert reading.clip.fps == float(row["fps"])
        assert len(reading.clip.skeleton.roles) == 21, row["file"]
        assert reading.clip.skeleton.has_feet


def test_check_values_of_69_01(mocap):
    """World positions in the file's axes, from the README beside the clips; frame 0 is the T-pose."""
    clip = read_bvh(mocap / "cmu" / "69_01.bvh", drop_tpose=False).clip
    joints = [clip.skeleton.index(name) for name in ("Hips", "Head_end", "LeftHand", "RightToeBase_end")]
    expected = {
        0: [(0.8650, 1.0251, -0.5515), (0.8714, 1.5451, -0.5678), (1.5537, 1.2513, -0.5825), (0.8015, 0.0283, -0.3325)],
        1: [(0.8650, 1.0251, -0.5515), (0.8692, 1.5429, -0.5468), (0.9676, 0.8414, -0.3397), (0.7618, 0.0499, -0.5137)],
        469: [
            (-0.9659, 1.0148, 1.0525),
            (-0.9780, 1.5329, 1.0753),
            (-0.8213, 0.8230, 1.2057),
            (-1.0041, 0.0397, 1.0823),
        ],
    }
    for frame, places in expected.items():
        found = axes.z_up_to_y_up(clip.world.positions[frame, joints])
        assert np.abs(found - np.array(places)).max() < TENTH_OF_A_MILLIMETRE, frame


@pytest.mark.parametrize("name", ["69_01", "16_47", "143_17", "138_33", "07_12"])
def test_writing_and_reading_is_lossless(mocap, tmp_path, name):
    clip = read_bvh(mocap / "cmu" / f"{name}.bvh").clip
    back = read_bvh(write_bvh(clip, tmp_path / "x.bvh"), drop_tpose=False).clip
    assert np.abs(back.world.positions - clip.world.positions).max() < 1e-4
    assert np.degrees(quat.angle_between(back.local_rotations, clip.local_rotations).max()) < 1e-3
    assert back.fps == clip.fps
