"""Rigged characters: joints are matched by role whatever they are called and however the file is turned and scaled."""

import base64
import gzip
import json
import re
import struct
import urllib.request

import numpy as np
import pygltflib as gl
import pytest
from typer.testing import CliRunner

import rig_files
from rig_files import person_joints, write_rig
from small_take import small_take
from take_scenes import robot_arm, walking, waving
from walkon._base.errors import InvalidValue, UnreadableFile
from walkon.cli.main import app
from walkon.motion.body import Body
from walkon.motion.skeleton import ROLES
from walkon.take import TakeWriter
from walkon.take.storing.file import save_take
from walkon.transforms import quaternions as quat
from walkon.viewer import PageServer, read_character, show, write_page
from walkon.viewer.character import fit_rig
from walkon.viewer.glb_rig import read_rig

AXES = np.eye(3)
SAME = {
    "centimetres": {"unit": 0.01},
    "an armature that turns and scales": {"armature": True},
    "an armature, in a pose": {"armature": True, "posed": True},
    "axes of the world": {"oriented": False},
    "nodes in another pose than the skin": {"posed": True},
    "facing back": {"turn": quat.about(AXES[1], np.pi)},
    "facing askew": {"turn": quat.about(AXES[1], 0.6)},
    "z up": {"turn": quat.about(AXES[0], np.pi / 2)},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("rigs")


@pytest.fixture(scope="module")
def mixamo(folder):
    return write_rig(folder / "robot.glb")


@pytest.fixture(scope="module")
def take():
    walk = walking()
    writer = TakeWriter()
    body = writer.add_body(Body.of(walk.skeleton))
    writer.perform(writer.add_character("ann", body=body), walk, start=0.0, stop=2.0)
    return writer.close()


def test_mixamo_names_give_every_role_and_what_is_left_is_told(mixamo, take):
    character = read_character(mixamo, take)
    rig, (fit,) = character.rig, character.fits
    assert rig.roles.convention == "Mixamo"
    assert rig.roles.missing == ()
    followed = {
        rig.names[joint].removeprefix("mixamorig:"): take.bodies[0].skeleton.names[drive]
        for joint, drive in enumerate(fit.drives.tolist())
        if drive >= 0
    }
    for name in ("Hips", "Spine", "Neck", "Head", "LeftArm", "RightForeArm", "LeftUpLeg", "RightLeg", "LeftToeBase"):
        assert followed[name] == name
    assert followed["Spine2"] == "Chest"
    assert followed["Spine1"] == "Spine"  # between hips and chest
    assert set(fit.extra) == {
        f"mixamorig:{side}{part}"
        for side in ("Left", "Right")
        for part in ("Shoulder", "HandThumb1", "HandIndex1", "HandIndex2")
    }
    assert fit.missing == ()
    assert fit.matched == 20
    assert (
        character.notes()[0] == "robot.glb (Mixamo): 20 of 28 joints follow the take; none of the take's are left over"
    )
    assert "mixamorig:LeftHandThumb1" in character.notes()[1]


@pytest.mark.parametrize("naming", [rig_files.unreal, rig_files.rigify, rig_files.vrm, rig_files.plain])
def test_other_names_and_names_that_say_nothing_give_the_same_joints(naming, folder, mixamo):
    rig = read_rig(write_rig(folder / "other.glb", person_joints(naming=naming)))
    places, known = rig.skeleton.rest_positions, read_rig(mixamo).skeleton
    for role in ROLES:
        if naming is rig_files.plain and role == "head":
            continue  # the top of the chain, without a name to tell otherwise
        np.testing.assert_allclose(places[rig.skeleton.role(role)], known.rest_positions[known.role(role)], atol=1e-6)


@pytest.mark.parametrize("how", SAME)
def test_units_axes_and_poses_of_the_nodes_make_no_difference(how, folder, mixamo, take):
    skeleton = take.bodies[0].skeleton
    plain = fit_rig(read_rig(mixamo), skeleton)
    rig = read_rig(write_rig(folder / "same.glb", **SAME[how]))
    fit = fit_rig(rig, skeleton)
    unit = SAME[how].get("unit", 1.0)
    assert fit.scale == pytest.approx(plain.scale * unit, rel=1e-5)
    assert fit.leg_ratio == pytest.approx(plain.leg_ratio, rel=1e-5)
    np.testing.assert_array_equal(fit.drives, plain.drives)
    known = read_rig(mixamo).skeleton.rest_positions
    apart = rig.skeleton.rest_positions * unit - known
    np.testing.assert_allclose(apart - apart[0], 0.0, atol=2e-5)
    np.testing.assert_allclose(fit.feet[0].heel, plain.feet[0].heel, atol=1e-5)
    if "oriented" not in SAME[how]:
        assert quat.angle_between(fit.turns, plain.turns).max() < 1e-3


def test_at_rest_limbs_point_as_the_take_s_and_the_head_is_as_high(mixamo, take):
    skeleton, rig = take.bodies[0].skeleton, read_rig(mixamo)
    fit, own = fit_rig(rig, skeleton), rig.skeleton
    for start, stop in (("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee"), ("knee", "ankle")):
        for side in ("left", "right"):
            a, b = own.role(f"{side}_{start}"), own.role(f"{side}_{stop}")
            bone = quat.rotate(quat.conjugate(rig.turns[a]), own.rest_positions[b] - own.rest_positions[a])
            there = skeleton.rest_positions
            wanted = there[skeleton.role(f"{side}_{stop}")] - there[skeleton.role(f"{side}_{start}")]
            turned = quat.rotate(fit.turns[a], bone)
            np.testing.assert_allclose(turned / np.linalg.norm(turned), wanted / np.linalg.norm(wanted), atol=1e-9)
    head = fit.scale * own.rest_positions[own.role("head"), 2]  # its soles are at 0
    assert head == pytest.approx(skeleton.rest_positions[skeleton.role("head"), 2], abs=1e-6)
    assert fit.leg_ratio == pytest.approx(fit.scale * 1.0003 / 0.91, abs=2e-3)


def test_flat_feet_stay_flat_and_soles_are_those_of_the_mesh(mixamo, take):
    left, right = fit_rig(read_rig(mixamo), take.bodies[0].skeleton).feet
    for foot in (left, right):
        scale = 1.59 / 1.62
        assert foot.heel[2] == pytest.approx(-0.1 * scale, abs=1e-4)
        assert (foot.toes + foot.ball)[2] == pytest.approx(-0.1 * scale, abs=1e-4)
        assert foot.heel[0] == pytest.approx(-0.075 * scale, abs=1e-3)
        assert foot.heel_shift[0] == pytest.approx(-0.075 * scale + 0.045, abs=1e-3)
        assert foot.ball_shift[0] > 0.0
        np.testing.assert_allclose(foot.flat, quat.IDENTITY, atol=1e-9)
    # The rig's toes point outwards, the take's ahead: the feet are turned to match.
    assert quat.rotate(left.turn, [0, 1, 0])[0] > 0.05
    np.testing.assert_allclose(left.turn * [1, 1, 1, -1], right.turn, atol=1e-6)


def test_missing_fingers_and_toes_are_no_obstacle(folder, take):
    path = write_rig(folder / "bare.glb", person_joints(fingers=False, toes=False))
    character = read_character(path, take)
    (fit,) = character.fits
    assert fit.missing == ("LeftToeBase", "RightToeBase")
    assert "LeftToeBase, RightToeBase" in character.notes()[-1]
    assert fit.feet[0].toes[2] == pytest.approx(fit.feet[0].heel[2])
    np.testing.assert_allclose(fit.feet[0].ball, 0.0)


def test_what_hips_hang_on_goes_along_and_helpers_are_left_over(folder, take):
    joints = person_joints(fingers=False, naming=rig_files.unreal)
    pelvis = joints.pop("pelvis")
    rooted = {"root": ("", np.zeros(3), "x"), "pelvis": ("root", *pelvis[1:])} | joints
    rooted["thigh_twist_01_l"] = ("thigh_l", np.array([0.11, 0.8, 0.0]), "x")
    rooted["ik_foot_root"] = ("root", np.array([0.0, 0.0, -0.1]), "x")
    rooted["ik_foot_l"] = ("ik_foot_root", np.array([0.12, 0.1, -0.02]), "x")
    rig = read_rig(write_rig(folder / "unreal.glb", rooted))
    fit = fit_rig(rig, take.bodies[0].skeleton)
    assert set(fit.extra) == {"clavicle_l", "clavicle_r", "thigh_twist_01_l", "ik_foot_root", "ik_foot_l"}
    assert fit.drives[rig.names.index("root")] == take.bodies[0].skeleton.role("hips")
    assert rig.skeleton.names[rig.skeleton.role("left_ankle")] == "foot_l"
    assert fit.scale == pytest.approx(1.59 / 1.62, abs=1e-4)


def test_joints_with_one_name_follow_each_other_where_no_role_says_so(folder, mixamo):
    skeleton = read_rig(mixamo).skeleton
    fit = fit_rig(read_rig(mixamo), _with_contacts(skeleton))
    thumb = skeleton.index("mixamorig:LeftHandThumb1")
    assert fit.drives[thumb] == thumb
    assert fit.extra == ()


def _with_contacts(skeleton):
    names = ("left_heel", "left_ball", "right_heel", "right_ball")
    joints = [skeleton.role(name.replace("heel", "ankle")) for name in names]
    return skeleton.with_contacts(names, joints, np.tile([0.0, 0.0, -0.03], (4, 1)))


def test_bodies_that_are_no_persons_keep_their_shapes(mixamo):
    walk, arm = walking(), waving()
    writer = TakeWriter()
    bodies = [writer.add_body(Body.of(clip.skeleton)) for clip in (walk, arm)]
    for name, body, clip in zip(("ann", "arm"), bodies, (walk, arm), strict=True):
        writer.perform(writer.add_character(name, body=body), clip, start=0.0, stop=1.0)
    character = read_character(mixamo, writer.close())
    assert character.fits[0] is not None
    assert character.fits[1] is None
    assert character.notes()[-1] == "1 of 2 bodies lack the legs of a person and keep their shapes"
    writer = TakeWriter()
    writer.perform(writer.add_character("arm", body=writer.add_body(Body.of(robot_arm()))), arm, start=0.0, stop=1.0)
    with pytest.raises(InvalidValue, match="no body of this take has the hips, legs and feet"):
        read_character(mixamo, writer.close())


def strip_skins(gltf):
    gltf.skins = []
    for node in gltf.nodes:
        node.skin = None


def point_outside(gltf):
    gltf.images.append(gl.Image(uri="skin.png"))


def compress(gltf):
    gltf.extensionsRequired = ["KHR_draco_mesh_compression"]


def mirror(gltf):
    gltf.nodes[0].scale = [-1.0, 1.0, 1.0]


def circle(gltf):
    gltf.nodes[4].children.append(1)


def wrong_joint(gltf):
    gltf.skins[0].joints[3] = 999


def short_blob(gltf):
    gltf.accessors[0].count = 10**6


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (strip_skins, "has no skin"),
        (point_outside, r"refers to 'skin\.png'.*one \.glb"),
        (compress, "without compression"),
        (mirror, "mirrored"),
        (circle, "damaged.*circle"),
        (wrong_joint, "damaged"),
        (short_blob, "damaged"),
    ],
)
def test_files_that_cannot_be_shown_are_refused_in_a_sentence(edit, sentence, folder):
    path = write_rig(folder / "bad.glb", edit=edit)
    with pytest.raises(UnreadableFile, match=sentence) as caught:
        read_rig(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_what_is_no_glb_is_refused_in_a_sentence(folder, mixamo, monkeypatch):
    content = mixamo.read_bytes()
    cases = {
        b"": "is no .glb",
        b'{"asset": {"version": "2.0"}}': "is no .glb",
        content[:-100]: "truncated",
        b"glTF" + struct.pack("<II", 1, 20) + bytes(8): "not of glTF 2",
        b"glTF" + struct.pack("<II", 2, 20) + b"\xff" * 8: "damaged",
        b"glTF" + struct.pack("<IIII", 2, 24, 4, 0x4E4F534A) + b"[1] ": "damaged",
    }
    path = folder / "odd.glb"
    for data, sentence in cases.items():
        path.write_bytes(data)
        with pytest.raises(UnreadableFile, match=re.escape(sentence)):
            read_rig(path)
    with pytest.raises(UnreadableFile, match="no such file"):
        read_rig(folder / "none.glb")
    with pytest.raises(UnreadableFile, match="cannot be read"):
        read_rig(folder)
    monkeypatch.setattr("walkon.viewer.glb_rig.MAX_RIG_BYTES", 1000)
    with pytest.raises(UnreadableFile, match="smaller"):
        read_rig(mixamo)


def test_two_people_are_refused_but_two_skins_of_one_are_not(folder, mixamo):
    with pytest.raises(UnreadableFile, match=r"2 rigs .* one character per file"):
        read_rig(write_rig(folder / "two.glb", skins=2))

    def second_skin(gltf):
        gltf.skins.append(gl.Skin(joints=gltf.skins[0].joints, inverseBindMatrices=gltf.skins[0].inverseBindMatrices))
        gltf.nodes.append(gl.Node(name="coat", mesh=0, skin=1))
        gltf.scenes[0].nodes.append(len(gltf.nodes) - 1)

    rig = read_rig(write_rig(folder / "coat.glb", edit=second_skin))
    assert rig.names == read_rig(mixamo).names
    assert len(rig.points) == 2 * len(read_rig(mixamo).points)


def test_a_skeleton_that_is_no_person_is_refused_in_a_sentence(folder):
    arm = {
        "base": ("", np.array([0.0, 0.0, 0.0]), "x"),
        "upper": ("base", np.array([0.0, 0.5, 0.0]), "Arm"),
        "tip": ("upper", np.array([0.0, 1.0, 0.3]), "x"),
    }
    with pytest.raises(InvalidValue, match=r"3 joints are not those of a person: no hips, no left_hip.*Mixamo"):
        read_rig(write_rig(folder / "arm.glb", arm))


def test_pages_carry_the_file_and_what_matched(page, mixamo, take, tmp_path):
    text = write_page(take, tmp_path / "x.html", character=mixamo).read_text(encoding="utf-8")
    told = re.search(r'<script type="application/json" id="character-data">(.*?)</script>', text)[1]
    assert "<" not in told
    data = json.loads(told)
    assert data["name"] == "robot.glb"
    assert len(data["fits"][0]["drives"]) == len(data["nodes"]) == len(data["turns"])
    model = re.search(r'id="character-model">(.*?)</script>', text)[1]
    assert base64.b64decode(model) == mixamo.read_bytes()
    assert "character-data" not in write_page(take, tmp_path / "y.html").read_text(encoding="utf-8")
    assert "character-data" in show(take, character=read_character(mixamo, take)).page


def test_the_server_gives_the_file_and_without_one_nothing(page, mixamo, take):
    with PageServer(take, character=mixamo) as server:
        with urllib.request.urlopen(server.address) as answer:
            assert b'id="character-data"' in answer.read()
        ask = urllib.request.Request(server.address + "character", headers={"Accept-Encoding": "gzip"})
        with urllib.request.urlopen(ask) as answer:
            assert answer.headers["Content-Type"] == "model/gltf-binary"
            assert gzip.decompress(answer.read()) == mixamo.read_bytes()
    with PageServer(take) as server, pytest.raises(urllib.error.HTTPError, match="404") as refused:
        urllib.request.urlopen(server.address + "character")
    refused.value.close()


def test_the_command_line_tells_what_matched_and_refuses_in_a_sentence(page, mixamo, tmp_path):
    runner = CliRunner()
    file = save_take(small_take(), tmp_path / "small.take")
    done = runner.invoke(app, ["export", str(file), "-o", str(tmp_path / "x.html"), "--character", str(mixamo)])
    assert done.exit_code == 0, done.output
    assert "joints follow the take" in done.stdout
    assert "walkon: note: of the rig, these keep their rest pose: mixamorig:LeftShoulder, " in done.stderr
    odd = tmp_path / "odd.glb"
    odd.write_text("no")
    for command in (["view", str(file), "--no-browser"], ["export", str(file), "-o", str(tmp_path / "y.html")]):
        done = runner.invoke(app, [*command, "--character", str(odd)])
        assert done.exit_code == 2
        assert "is no .glb" in done.stderr
    assert not (tmp_path / "y.html").exists()
    done = runner.invoke(app, ["export", str(file), "-o", str(tmp_path / "y.png"), "--character", str(mixamo)])
    assert done.exit_code == 2
    assert "--character is not for pictures and videos" in done.stderr
