"""BVH files with the joints of a user's own rig: read back they are where they are posed."""

import numpy as np
import pytest

import rig_files
import take_scenes
from rig_files import person_joints, write_rig
from small_take import small_take
from walkon._base.errors import InvalidValue
from walkon.export import export
from walkon.export.rig_motion import pose_rig
from walkon.io import read_bvh
from walkon.transforms import quaternions as quat
from walkon.viewer import read_character

RIGS = {
    "metres": {},
    "centimetres, z up": {"unit": 0.01, "turn": quat.about(np.eye(3)[0], np.pi / 2)},
    "an armature, in a pose": {"armature": True, "posed": True},
    "names of VRM": {"joints": person_joints(naming=rig_files.vrm)},
}


@pytest.mark.parametrize("how", RIGS)
def test_joints_of_the_rig_read_back_where_they_are_posed(tmp_path, how):
    take = small_take()
    rig = write_rig(tmp_path / "robot.glb", **RIGS[how])
    folder = export(take, tmp_path / "crowd", format="bvh", fps=30.0, character=rig)
    character = read_character(rig, take)
    poses = take.sample(np.arange(61) / 30.0)
    for row, name in enumerate(("ann", "bob")):
        motion = pose_rig(
            character.rig,
            character.fits[0],
            skeleton=take.bodies[0].skeleton,
            positions=poses.positions[:, row],
            rotations=poses.rotations[:, row],
            scale=1.0,
        )
        clip = read_bvh(folder / f"{name}.bvh", drop_tpose=False).clip
        mine = [clip.skeleton.index(joint) for joint in character.rig.names]
        np.testing.assert_allclose(clip.world.positions[:, mine], motion.positions, atol=1e-5)


def test_who_is_small_or_absent_or_no_person_is_written_too(tmp_path):
    crowd = take_scenes.every_feature(np.random.default_rng(5))
    rig = write_rig(tmp_path / "robot.glb")
    character = read_character(rig, crowd)
    folder = export(crowd, tmp_path / "crowd", format="bvh", fps=30.0, character=character)
    sizes = {}
    for row, name in enumerate(crowd.names):
        if name == "nobody":
            continue
        joints = read_bvh(folder / f"{name}.bvh", drop_tpose=False).clip.skeleton
        body = int(crowd.characters.body[row])
        fit = character.fits[body]
        assert ("mixamorig:Hips" in joints.names) == (fit is not None)
        if fit is not None:
            thigh = np.linalg.norm(joints.offsets[joints.index("mixamorig:LeftLeg")])
            sizes[name] = thigh / (fit.scale * float(crowd.characters.scale[row]))
    assert len(sizes) > 3
    np.testing.assert_allclose(list(sizes.values()), np.hypot(0.46, np.hypot(0.005, 0.01)), rtol=1e-4)


def test_a_rig_that_does_not_fit_is_refused_before_a_folder_is_made(tmp_path):
    bust = {name: told for name, told in person_joints().items() if told[2] in rig_files.CENTRE}
    with pytest.raises(InvalidValue, match="not those of a person"):
        export(small_take(), tmp_path / "crowd", format="bvh", character=write_rig(tmp_path / "bust.glb", bust))
    assert not (tmp_path / "crowd").exists()
