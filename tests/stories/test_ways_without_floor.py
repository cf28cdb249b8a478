"""Marks whose way leads through a hole or off a deck are told as not met, in the scene's own places; who is asked stays
on the floor.
"""

import numpy as np
import pytest

from command_line import run
from floors import sheet, two_layers
from mesh_files import write_floor
from walkon.take.storing.file import load_take

LINE = np.array([-10.0, -2.0, 2.0, 10.0])
PIT = np.concatenate(
    [
        sheet(LINE[[0, 1]], LINE[[0, 3]], np.zeros((2, 2))),
        sheet(LINE[[2, 3]], LINE[[0, 3]], np.zeros((2, 2))),
        sheet(LINE[[1, 2]], LINE[[0, 1]], np.zeros((2, 2))),
        sheet(LINE[[1, 2]], LINE[[2, 3]], np.zeros((2, 2))),
    ]
)
"""A floor of 20 m with a hole of 4 m in its middle."""
CASES = {
    "a pit": (
        PIT,
        "{name: ann, position: [-6, 0], marks: [{name: m, position: [6, 0], before: 40s}]}",
        ("there is no floor at (-", "0 of 1 marks met"),
    ),
    "around a pit": (
        PIT,
        "{name: ann, position: [-6, -5], marks: [{name: m, position: [6, -5], before: 40s}]}",
        ("1 of 1 marks met",),
    ),
    "off a deck": (
        two_layers(),
        "{name: ann, position: [0, 2.5], z: 4, marks: [{name: m, position: [0, 8], before: 30s}]}",
        ("the floor drops by 4 m at (0.00, 3.", "0 of 1 marks met"),
    ),
    "along a deck": (
        two_layers(),
        "{name: ann, position: [-8, 2.4], z: 4, marks: [{name: m, position: [8, 2.4], z: 4, before: 30s}]}",
        ("1 of 1 marks met",),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_nobody_walks_where_there_is_no_floor(tmp_path, case):
    triangles, who, words = CASES[case]
    write_floor(tmp_path / "floor.obj", triangles)
    scene = tmp_path / "scene.yaml"
    scene.write_text(f"walkon: 1\nstage:\n  floor: {{mesh: floor.obj, up: z}}\ncharacters: [{who}]\n")
    done = run("run", str(scene), "-o", str(tmp_path / "x.take"), "--no-audit")
    said = done.stdout + done.stderr
    assert all(one in said for one in words), said
    assert done.returncode == (0 if "1 of 1" in words[-1] else 1), said
    take = load_take(tmp_path / "x.take")
    roots = np.concatenate([take.pose(t).positions[:1] for t in np.arange(0.0, take.duration, 0.2)])
    floor = take.stage.floor(roots[:, 0, :2], near=roots[:, 0, 2] - 0.9).heights
    assert np.isfinite(floor).all() and (np.abs(roots[:, 0, 2] - floor) < 1.3).all()
