"""Blender opens what Walkon writes: the same joints in the same places at the same times. Run by `make clients`."""

import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from clients import blender_client
from clients.blender_client import KINDS, ask_blender, compare, some_frames, view
from small_take import small_take
from terrain_takes import hill_walkers
from walkon.export import export
from walkon.export.excerpt import Excerpt

REASON = blender_client.why_not() if os.environ.get("WALKON_CLIENTS") else "asked only by `make clients`"
pytestmark = pytest.mark.skipif(bool(REASON), reason=REASON or "Blender is there")

MILLIMETRE = 1e-3
PAGE = Path(__file__).resolve().parents[2] / "docs" / "into_blender.md"


@pytest.fixture(scope="module")
def crowd():
    return blender_client.square_take()


@pytest.fixture(scope="module")
def small():
    return small_take()


@pytest.mark.parametrize("kind", KINDS)
def test_joints_are_where_the_take_has_them_at_ten_random_times(crowd, tmp_path, kind):
    frames = some_frames(Excerpt.of(crowd).count)
    seen = compare(crowd, kind, tmp_path, fps=crowd.fps, frames=frames)
    joints = crowd.bodies[0].skeleton
    bones = int((~joints.end_sites).sum()) if kind == "bvh" else len(joints)  # BVH has end sites, which are no bones
    assert seen.bodies == len(crowd) * len(frames)
    assert seen.joints == seen.bodies * bones
    assert seen.worst < MILLIMETRE


@pytest.mark.parametrize("kind", ["bvh", "glb", "usdc"])
def test_a_frame_too_late_would_show(crowd, tmp_path, kind):
    frames = some_frames(Excerpt.of(crowd).count - 1)
    seen = compare(crowd, kind, tmp_path, fps=crowd.fps, frames=frames, late=1)
    assert seen.worst > 10 * MILLIMETRE


@pytest.mark.parametrize("kind", KINDS)
def test_a_part_begins_at_frame_zero(small, tmp_path, kind):
    seen = compare(small, kind, tmp_path, fps=24.0, frames=[0, 3, 12, 17], start=0.5, stop=1.25, characters=["bob"])
    assert seen.bodies == 4
    assert seen.worst < MILLIMETRE


@pytest.mark.parametrize("kind", ["glb", "usdc"])
def test_props_move_with_the_hands_that_hold_them(small, tmp_path, kind):
    seen = compare(small, kind, tmp_path, fps=30.0, frames=[0, 20, 45, 60])
    assert seen.props < MILLIMETRE


def test_who_is_absent_is_not_seen_in_gltf(small, tmp_path):
    assert compare(small, "glb", tmp_path, fps=30.0, frames=[0, 29, 30, 31, 32, 60]).unseen


def test_names_and_marks_are_custom_properties_in_gltf(small, tmp_path):
    seen = compare(small, "glb", tmp_path, fps=30.0, frames=[0])
    assert {"character", "colour", "height_m", "marks"} <= set(seen.told["properties"]["ann"])


@pytest.mark.parametrize("kind", ["bvh", "glb", "usdc"])
def test_a_picture_can_be_rendered(small, tmp_path, kind):
    name, options = KINDS[kind]
    path = export(small, tmp_path / name, fps=30.0, **options)
    pictures = []
    for frame in (0, 45):
        file = tmp_path / f"{frame}.png"
        wish = view(small, 0.5, file=file, samples=4, size=(160, 90)) | {"frame": frame}
        ask_blender(kind, path, fps=30.0, frames=[0], picture=wish)
        pictures.append(np.array(Image.open(file).convert("L"), float))
    assert np.abs(pictures[0] - pictures[1]).max() > 60.0  # people have moved, far above the noise of few samples


@pytest.mark.parametrize("kind", ["glb", "usdc"])
def test_feet_stand_on_the_mesh_of_the_terrain(tmp_path, kind):
    """Rays in Blender, down from half a metre over every heel and ball that is planted, end at the plant."""
    take = hill_walkers(6, count=4, seconds=2.0)
    take = replace(take, names=tuple(name.replace(" ", "_") for name in take.names))  # as USD has them
    stances = take.stances
    heels, balls = (np.diff(span, axis=1)[:, 0] > 0 for span in (stances.heel, stances.ball))
    feet = np.concatenate([stances.heel_place[heels], stances.ball_place[balls]])
    name, options = KINDS[kind]
    path = export(take, tmp_path / name, fps=30.0, **options)
    told = ask_blender(kind, path, fps=30.0, frames=[0], casts=(feet + np.array([0.0, 0.0, 0.5])).tolist())
    assert len(feet) > 20
    assert np.abs(np.array(told["casts"], float) - feet[:, 2]).max() < MILLIMETRE
    assert compare(take, kind, tmp_path, fps=30.0, frames=[0, 17, 40]).worst < MILLIMETRE


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(RuntimeError, match="Blender failed"):
        ask_blender("glb", tmp_path / "nothing.glb", fps=30.0, frames=[0])


def test_what_the_page_tells_to_type_works(small, tmp_path):
    for name in ("crowd.glb", "crowd.usdc"):
        export(small, tmp_path / name, fps=30.0)
    export(small, tmp_path / "crowd_bvh", format="bvh", fps=30.0)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) == 3
    look = """
scene, found = bpy.context.scene, [it for it in bpy.data.objects if it.type == "ARMATURE"]
assert (len(found), scene.render.fps) == (3, 30), (found, scene.render.fps)
assert scene.frame_end in (60, 250), scene.frame_end  # BVH only ever lengthens a new scene's 250
"""
    for block in blocks:
        code = f"import bpy\nbpy.ops.wm.read_factory_settings(use_empty=True)\n{block}{look}"
        done = subprocess.run(
            [blender_client.client(), "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
