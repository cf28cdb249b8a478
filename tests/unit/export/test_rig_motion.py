"""A user's own rig posed for export: as the page poses it, over the take's feet, with legs of its own lengths."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

import rig_files
import take_scenes
from page_posing import PAGE, why_no_node
from rig_files import person_joints, write_rig
from walkon.export.rig_motion import local_turns, pose_rig
from walkon.motion.body import Body
from walkon.take import TakeWriter
from walkon.transforms import quaternions as quat
from walkon.viewer import read_character

FPS = 30.0
AXES = np.eye(3)
RIGS = {
    "mixamo": {},
    "centimetres, z up": {"unit": 0.01, "turn": quat.about(AXES[0], np.pi / 2)},
    "an armature, in a pose": {"armature": True, "posed": True},
    "no toes": {"joints": person_joints(toes=False, naming=rig_files.rigify)},
}


@pytest.fixture(scope="module")
def take():
    """Ann walks, small Bob walks at an angle, Eve stands."""
    walk, stand = take_scenes.walking(), take_scenes.standing()
    writer = TakeWriter()
    bodies = [writer.add_body(Body.of(clip.skeleton)) for clip in (walk, stand)]
    ann, bob = (writer.add_character(name, body=bodies[0], scale=size) for name, size in (("ann", 1.0), ("bob", 0.85)))
    writer.perform(ann, walk, start=0.0, stop=3.0)
    writer.perform(bob, walk, start=0.0, stop=3.0, place=(0.0, 2.0, 1.2))
    writer.perform(writer.add_character("eve", body=bodies[1]), stand, start=0.0, stop=3.0)
    return writer.close()


@pytest.fixture(scope="module", params=RIGS)
def character(request, take, tmp_path_factory):
    return read_character(write_rig(tmp_path_factory.mktemp("rig") / "robot.glb", **RIGS[request.param]), take)


def posed(take, character, name, times):
    """A character's poses in the take, and those of the rig."""
    row = take.names.index(name)
    body = int(take.characters.body[row])
    poses = take.sample(times, characters=[row])
    motion = pose_rig(
        character.rig,
        character.fits[body],
        skeleton=take.bodies[body].skeleton,
        positions=poses.positions[:, 0],
        rotations=poses.rotations[:, 0],
        scale=take.characters.scale[row],
    )
    return poses, motion


@pytest.fixture(scope="session")
def script(tmp_path_factory):
    """The page's modules and their driver in one file for Node."""
    if why_no_node() is not None:
        pytest.skip(why_no_node())
    bundle = tmp_path_factory.mktemp("bundle") / "pose_rig.mjs"
    source = Path(__file__).with_name("pose_rig.mjs")
    command = [str(PAGE / "node_modules" / ".bin" / "rolldown"), str(source), "--platform", "node", "-o", str(bundle)]
    done = subprocess.run(command, cwd=PAGE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return bundle


@pytest.mark.parametrize("name", ["ann", "bob", "eve"])
def test_the_rig_is_posed_as_the_page_poses_it(take, character, script, tmp_path, name):
    poses, motion = posed(take, character, name, np.linspace(0.0, 2.9, 23))
    row = take.names.index(name)
    body = int(take.characters.body[row])
    skeleton = take.bodies[body].skeleton
    asked = {
        "character": json.loads(character.to_json()),
        "body": body,
        "skeleton": {
            "roles": dict(skeleton.roles),
            "contactNames": list(skeleton.contact_names),
            "contactOffsets": skeleton.contact_offsets.tolist(),
        },
        "scale": float(take.characters.scale[row]),
        "frames": [
            {"positions": p.ravel().tolist(), "rotations": r.ravel().tolist()}
            for p, r in zip(poses.positions[:, 0], poses.rotations[:, 0], strict=True)
        ],
    }
    (tmp_path / "asked.json").write_text(json.dumps(asked))
    command = ["node", str(script), str(tmp_path / "asked.json"), str(tmp_path / "answer.json")]
    subprocess.run(command, check=True, timeout=60)
    answer = json.loads((tmp_path / "answer.json").read_text())
    theirs = np.array([frame["positions"] for frame in answer]).reshape(motion.positions.shape)
    turned = np.array([frame["rotations"] for frame in answer]).reshape(motion.rotations.shape)
    assert np.abs(motion.positions - theirs).max() < 1e-4
    assert np.degrees(quat.angle_between(motion.rotations, turned)).max() < 0.05
    assert np.ptp(theirs[:, 0, 0]) > (1.0 if name == "ann" else -1.0)


@pytest.mark.parametrize("name", ["ann", "bob"])
def test_planted_feet_stay_where_they_are_over_the_takes(take, character, name):
    times = np.arange(0.2, 2.8, 1 / 60)
    poses, motion = posed(take, character, name, times)
    own, skeleton = character.rig.skeleton, take.bodies[0].skeleton
    stances = 0
    for side, points in (("left", (0, 1)), ("right", (2, 3))):
        ankle = motion.positions[:, own.role(f"{side}_ankle")]
        theirs = poses.positions[:, 0, skeleton.role(f"{side}_ankle")]
        flat = poses.contacts[:, 0][:, points].all(axis=1)
        edges = np.flatnonzero(np.diff(np.concatenate([[False], flat, [False]]).astype(int)))
        for a, b in edges.reshape(-1, 2):
            if b - a >= 3:
                stances += 1
                assert np.ptp(ankle[a:b], axis=0).max() < 0.002
                np.testing.assert_allclose(ankle[a:b, :2], theirs[a:b, :2], atol=0.002)
    assert stances >= 4


def test_bones_keep_their_lengths(take, character):
    _, motion = posed(take, character, "bob", np.linspace(0.0, 3.0, 40))
    rig = character.rig
    lengths = np.linalg.norm(motion.positions[:, 1:] - motion.positions[:, rig.skeleton.parents[1:]], axis=-1)
    size = character.fits[0].scale * 0.85
    bones = size * np.linalg.norm(rig.skeleton.offsets[1:], axis=1)
    assert np.abs(lengths - bones).max() < 1e-6


def test_joints_that_follow_nothing_keep_their_rest_pose(take, character):
    _, motion = posed(take, character, "ann", np.linspace(0.0, 3.0, 10))
    rig = character.rig
    alone = np.flatnonzero(character.fits[0].drives < 0)
    assert len(alone)
    turns = local_turns(rig, motion.rotations)[:, alone]
    # Some hundred-millionths of a degree, by which the arc cosine of almost 1 is off.
    assert quat.angle_between(turns, local_turns(rig, rig.turns)[alone]).max() < 1e-6
