"""Takes in glTF with a user's own rig: joints as they are posed, the rig's look once, a skin for everybody."""

import hashlib
import json
import struct
import zlib

import numpy as np
import pygltflib as gl
import pytest
from typer.testing import CliRunner

import take_scenes
from glb_player import Player
from gltf_validation import validator
from rig_files import person_joints, write_rig
from small_take import small_take
from walkon._base.errors import InvalidValue, UnreadableFile
from walkon.cli.main import app
from walkon.export import export
from walkon.export.rig_motion import pose_rig
from walkon.motion.body import Body
from walkon.take import TakeWriter
from walkon.take.posing.resting import with_rest_poses
from walkon.take.storing.file import save_take
from walkon.transforms import quaternions as quat
from walkon.viewer import read_character

FPS = 30.0
AXES = np.eye(3)
RIGS = {
    "metres": {},
    "centimetres, z up": {"unit": 0.01, "turn": quat.about(AXES[0], np.pi / 2)},
    "facing askew": {"turn": quat.about(AXES[1], 0.6), "oriented": False},
    "an armature that turns and scales, in a pose": {"armature": True, "posed": True},
}


@pytest.fixture(scope="session")
def validate(tmp_path_factory):
    return validator(tmp_path_factory.mktemp("validator"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("rigs")


@pytest.fixture(scope="module")
def take():
    return small_take()


def stage_points(points):
    """The file's (x, y, z) on the stage, [..., 3]."""
    x, y, z = np.moveaxis(np.asarray(points), -1, 0)
    return np.stack([x, -z, y], axis=-1)


def expected(take, character, name, seconds):
    """Where the joints of the rig are at a time, by name."""
    row = take.names.index(name)
    body = int(take.characters.body[row])
    poses = with_rest_poses(take, np.array([row]), take.pose(take.start + seconds, characters=[row]))
    assert poses.present[0]
    motion = pose_rig(
        character.rig,
        character.fits[body],
        skeleton=take.bodies[body].skeleton,
        positions=poses.positions,
        rotations=poses.rotations,
        scale=take.characters.scale[[row]],
    )
    return dict(zip(character.rig.names, motion.positions[0], strict=True))


def assert_posed(player, take, character, name, seconds):
    joints, _ = player.character(name)
    for joint, place in expected(take, character, name, seconds).items():
        there = stage_points(player.world(joints[joint], seconds)[:3, 3])
        np.testing.assert_allclose(there, place, atol=2e-5, err_msg=f"{name} {joint}")


def picture(side=4):
    """A small PNG."""

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = b"".join(b"\0" + bytes([200, 40 * y, 30] * side) for y in range(side))
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def rich(gltf):
    """Give a rig a picture, an extension, a hat that hangs on its head, a shape key; and things nobody asked for."""
    blob = bytearray(gltf.binary_blob())

    def view(content):
        blob.extend(b"\0" * (-len(blob) % 4))
        gltf.bufferViews.append(gl.BufferView(buffer=0, byteOffset=len(blob), byteLength=len(content)))
        blob.extend(content)
        return len(gltf.bufferViews) - 1

    def accessor(values, shape, **more):
        told = gl.Accessor(
            bufferView=view(values.tobytes()), componentType=gl.FLOAT, count=len(values), type=shape, **more
        )
        gltf.accessors.append(told)
        return len(gltf.accessors) - 1

    primitive = gltf.meshes[0].primitives[0]
    count = gltf.accessors[primitive.attributes.POSITION].count
    nothing = np.zeros((count, 3), np.float32)
    for part in gltf.meshes[0].primitives:
        n = gltf.accessors[part.attributes.POSITION].count
        part.targets = [{"POSITION": accessor(nothing[:1].repeat(n, 0), "VEC3", min=[0.0] * 3, max=[0.0] * 3)}]
    gltf.meshes[0].weights = [0.0]
    primitive.attributes.TEXCOORD_0 = accessor(np.zeros((count, 2), np.float32), "VEC2")
    gltf.images = [
        gl.Image(bufferView=view(b"not a picture"), mimeType="image/png", name="nobody's"),
        gl.Image(bufferView=view(picture()), mimeType="image/png", name="cloth"),
    ]
    gltf.samplers = [gl.Sampler(wrapS=33071)]
    gltf.textures = [gl.Texture(source=0), gl.Texture(source=1, sampler=0)]
    info = gl.TextureInfo(index=1)
    info.extensions = {"KHR_texture_transform": {"scale": [2.0, 2.0]}}
    gltf.materials[0].pbrMetallicRoughness.baseColorTexture = info
    gltf.extensionsUsed = ["KHR_texture_transform", "KHR_lights_punctual"]
    gltf.asset.copyright = "2026 a friend"
    corners = 0.1 * np.array([[0, 1, 0], [1, 1, 0], [0, 1, 1]], np.float32)
    hat = gl.Primitive(
        attributes=gl.Attributes(
            POSITION=accessor(corners, "VEC3", min=corners.min(0).tolist(), max=corners.max(0).tolist())
        ),
        material=1,
    )
    gltf.meshes += [gl.Mesh(name="hat", primitives=[hat]), gl.Mesh(name="floor", primitives=[hat])]
    head = next(node for node in gltf.nodes if node.name.endswith("Head"))
    at = len(gltf.nodes)
    gltf.nodes += [
        gl.Node(name="brim", translation=[0.0, 0.1, 0.0], children=[at + 1]),
        gl.Node(name="hat", mesh=1),
        gl.Node(name="floor", mesh=2),
    ]
    head.children.append(at)
    gltf.scenes[0].nodes.append(at + 2)
    times = accessor(np.array([0, 1], np.float32), "SCALAR", min=[0.0], max=[1.0])
    values = accessor(np.tile(np.array([0, 0, 0, 1], np.float32), (2, 1)), "VEC4")
    gltf.animations = [
        gl.Animation(
            samplers=[gl.AnimationSampler(input=times, output=values)],
            channels=[
                gl.AnimationChannel(sampler=0, target=gl.AnimationChannelTarget(node=at, path="rotation")),
            ],
        )
    ]
    gltf.set_binary_blob(bytes(blob))
    gltf.buffers[0].byteLength = len(blob)


@pytest.fixture(scope="module")
def rich_rig(folder):
    return write_rig(folder / "rich.glb", edit=rich)


@pytest.mark.parametrize("how", RIGS)
@pytest.mark.parametrize("rotations", ["float32", "int16"])
def test_joints_of_the_rig_are_where_they_are_posed(take, tmp_path, how, rotations):
    rig = write_rig(tmp_path / "robot.glb", **RIGS[how])
    player = Player(export(take, tmp_path / "crowd.glb", fps=FPS, character=rig, rotations=rotations))
    character = read_character(rig, take)
    for name, frames in (("ann", (0, 17, 59)), ("bob", (33,)), ("disc", (12,))):
        for frame in frames:
            if rotations == "float32":
                assert_posed(player, take, character, name, frame / FPS)
                continue
            joints, _ = player.character(name)
            for joint, place in expected(take, character, name, frame / FPS).items():
                np.testing.assert_allclose(
                    stage_points(player.world(joints[joint], frame / FPS)[:3, 3]), place, atol=1e-3
                )


def test_the_skin_stands_on_the_floor_as_high_as_the_body(take, tmp_path):
    for how in RIGS.values():
        rig = write_rig(tmp_path / "robot.glb", **how)
        player = Player(export(take, tmp_path / "crowd.glb", fps=FPS, character=rig))
        points = stage_points(player.skinned("bob", 20 / FPS))
        head = expected(take, read_character(rig, take), "bob", 20 / FPS)["mixamorig:Head"]
        assert points[:, 2].min() == pytest.approx(0.0, abs=0.02)
        assert points[:, 2].max() == pytest.approx(head[2] + 0.2, abs=0.1)
        assert np.linalg.norm(points[:, :2] - head[:2], axis=1).max() < 1.2


def test_planted_ankles_in_the_file_stay(take, tmp_path):
    rig = write_rig(tmp_path / "robot.glb")
    player = Player(export(take, tmp_path / "crowd.glb", fps=60.0, character=rig))
    joints, _ = player.character("ann")
    times = np.arange(0, 119) / 60.0
    contacts = take.sample(times, characters=[0]).contacts[:, 0]
    stances = 0
    for side, points in (("Left", (0, 1)), ("Right", (2, 3))):
        flat = contacts[:, points].all(axis=1)
        edges = np.flatnonzero(np.diff(np.concatenate([[False], flat, [False]]).astype(int)))
        for a, b in edges.reshape(-1, 2):
            places = [player.world(joints[f"mixamorig:{side}Foot"], t)[:3, 3] for t in times[a:b]]
            assert np.ptp(places, axis=0).max() < 0.002
            stances += b - a >= 5
    assert stances >= 2


def test_the_look_of_the_rig_is_there_once_and_as_it_was(take, rich_rig, tmp_path):
    player = Player(export(take, tmp_path / "crowd.glb", fps=FPS, character=rich_rig, stage=False))
    mine, theirs = player.gltf, gl.GLTF2().load(str(rich_rig))
    assert [mesh.name for mesh in mine.meshes] == ["hat", "body"]
    assert sorted(m.name for m in mine.materials) == sorted(m.name for m in theirs.materials)
    assert [image.name for image in mine.images] == ["cloth"]
    view = mine.bufferViews[mine.images[0].bufferView]
    assert player.blob[view.byteOffset : view.byteOffset + view.byteLength] == picture()
    cloth = next(m for m in mine.materials if m.name == "cloth").pbrMetallicRoughness.baseColorTexture
    assert mine.textures[cloth.index].source == 0
    assert mine.samplers[mine.textures[cloth.index].sampler].wrapS == 33071
    assert cloth.extensions == {"KHR_texture_transform": {"scale": [2.0, 2.0]}}
    assert mine.extensionsUsed == ["KHR_texture_transform"]
    assert mine.asset.copyright == "2026 a friend"
    assert mine.asset.extras["rig"] == "rich.glb"
    assert len(mine.animations) == 1
    assert len(mine.skins) == 3
    assert {node.name for node in mine.nodes}.isdisjoint({"floor", "Armature 0"})
    assert len({skin.inverseBindMatrices for skin in mine.skins}) == 1
    assert len({node.mesh for node in mine.nodes if node.skin is not None}) == 1
    digests = [
        hashlib.sha1(player.blob[v.byteOffset or 0 :][: v.byteLength]).hexdigest()
        for v in mine.bufferViews
        if v.byteLength > 1000
    ]
    assert len(digests) == len(set(digests))


def test_arrays_of_the_mesh_are_those_of_the_rig(take, rich_rig, tmp_path):
    player = Player(export(take, tmp_path / "crowd.glb", fps=FPS, character=rich_rig, stage=False))
    rig = Player(rich_rig)
    (mesh,) = [m for m in player.gltf.meshes if m.name == "body"]
    for mine, theirs in zip(mesh.primitives, rig.gltf.meshes[0].primitives, strict=True):
        for name in ("POSITION", "NORMAL", "JOINTS_0", "WEIGHTS_0"):
            np.testing.assert_array_equal(
                player.array(getattr(mine.attributes, name)), rig.array(getattr(theirs.attributes, name))
            )
        np.testing.assert_array_equal(player.array(mine.indices), rig.array(theirs.indices))
    binds = player.array(player.gltf.skins[0].inverseBindMatrices)
    np.testing.assert_array_equal(binds, rig.array(rig.gltf.skins[0].inverseBindMatrices))


def test_a_hat_goes_along_with_the_head_that_it_hangs_on(take, rich_rig, tmp_path):
    player = Player(export(take, tmp_path / "crowd.glb", fps=FPS, character=rich_rig))
    hats = player.named("hat")
    assert len(hats) == 3
    joints, _ = player.character("ann")
    head = joints["mixamorig:Head"]
    hat = next(h for h in hats if player.parents[player.parents[h]] == head)
    for seconds in (0.0, 1.3):
        away = np.linalg.inv(player.world(head, seconds)) @ player.world(hat, seconds)
        np.testing.assert_allclose(away[:3, 3], [0.0, 0.1, 0.0], atol=1e-6)


def test_joints_that_follow_nothing_have_no_keys_and_others_rest_in_their_nodes(take, tmp_path):
    rig = write_rig(tmp_path / "robot.glb", posed=True)
    character = read_character(rig, take)
    player = Player(export(take, tmp_path / "crowd.glb", fps=FPS, character=rig))
    joints, _ = player.character("ann")
    for name in character.fits[0].extra:
        assert joints[name] not in player.moves
    assert "rotation" in player.moves[joints["mixamorig:LeftUpLeg"]]
    # Without the animation the nodes are in the pose in which the mesh was bound, though the rig's own were not.
    player.moves.clear()
    bare = Player(write_rig(tmp_path / "bare.glb"))
    for name in ("mixamorig:LeftLeg", "mixamorig:RightArm"):
        (theirs,) = bare.named(name)
        node, known = player.gltf.nodes[joints[name]], bare.gltf.nodes[theirs]
        np.testing.assert_allclose(node.translation, known.translation, atol=1e-6)
        assert abs(np.dot(node.rotation, known.rotation)) > 1 - 1e-9


def test_who_is_absent_is_hidden_and_who_is_no_person_keeps_a_body(tmp_path):
    crowd = take_scenes.every_feature(np.random.default_rng(5))
    rig = write_rig(tmp_path / "robot.glb")
    character = read_character(rig, crowd)
    player = Player(export(crowd, tmp_path / "crowd.glb", fps=FPS, character=character))
    assert player.named("nobody") == []
    (top,) = player.named("fader 0")
    frames = np.arange(int((crowd.stop - crowd.start) * FPS) + 1)
    who = crowd.names.index("fader 0")
    present = crowd.sample(crowd.start + frames / FPS, characters=[who]).present[:, 0]
    assert not present.all()
    seen = [player.value(top, "scale", frame / FPS, (1, 1, 1))[0] > 0 for frame in frames]
    np.testing.assert_array_equal(seen, present)
    for frame in np.flatnonzero(present)[[0, 7, -1]]:
        assert_posed(player, crowd, character, "fader 0", frame / FPS)
    others = [row for row in range(len(crowd)) if character.fits[int(crowd.characters.body[row])] is None]
    assert others
    for row in others:
        joints, _ = player.character(crowd.names[row])
        assert list(joints) == list(crowd.bodies[crowd.characters.body[row]].skeleton.names)


def test_sizes_of_characters_are_kept(tmp_path):
    walk = take_scenes.walking()
    writer = TakeWriter()
    body = writer.add_body(Body.of(walk.skeleton))
    for name, scale, y in (("large", 1.1, 0.0), ("small", 0.7, 2.0)):
        writer.perform(writer.add_character(name, body=body, scale=scale), walk, start=0.0, stop=1.0, place=(0, y, 0))
    take = writer.close()
    rig = write_rig(tmp_path / "robot.glb", unit=0.01)
    player = Player(export(take, tmp_path / "crowd.glb", fps=FPS, character=str(rig)))
    character = read_character(rig, take)
    for name in ("large", "small"):
        assert_posed(player, take, character, name, 0.5)
    high = {name: stage_points(player.skinned(name, 0.5))[:, 2].max() for name in ("large", "small")}
    assert high["large"] / high["small"] == pytest.approx(1.1 / 0.7, rel=0.02)


def test_a_still_has_the_pose_in_its_nodes(take, tmp_path):
    rig = write_rig(tmp_path / "robot.glb", armature=True)
    player = Player(export(take, tmp_path / "still.glb", start=0.5, stop=0.5, character=rig))
    assert not player.gltf.animations
    joints, _ = player.character("ann")
    for joint, place in expected(take, read_character(rig, take), "ann", 0.5).items():
        np.testing.assert_allclose(stage_points(player.world(joints[joint], 0.0)[:3, 3]), place, atol=2e-5)


def test_the_validator_finds_no_fault(validate, take, rich_rig, tmp_path):
    assert validate(rich_rig)["issues"]["numWarnings"] > 0  # the picture that is none, which nobody uses
    rigs = [rich_rig, *(write_rig(tmp_path / f"{k}.glb", **how) for k, how in enumerate(RIGS.values()))]
    for rig in rigs:
        issues = validate(export(take, tmp_path / "crowd.glb", fps=FPS, character=rig))["issues"]
        told = [message for message in issues["messages"] if message["severity"] < 3]
        assert told == []
    crowd = take_scenes.every_feature(np.random.default_rng(5))
    for options in ({}, {"start": 1.0, "stop": 1.0}, {"rotations": "int16"}):
        issues = validate(export(crowd, tmp_path / "crowd.glb", fps=FPS, character=rich_rig, **options))["issues"]
        assert [message for message in issues["messages"] if message["severity"] < 3] == []


def test_a_rig_that_does_not_fit_is_refused_and_the_old_file_kept(take, tmp_path):
    target = tmp_path / "crowd.glb"
    target.write_bytes(b"old")
    legless = {name: told for name, told in person_joints().items() if "Leg" not in name and told[2] not in LEGS}
    with pytest.raises(InvalidValue, match="not those of a person"):
        export(take, target, character=write_rig(tmp_path / "bust.glb", legless))
    (tmp_path / "no.glb").write_bytes(b"nothing")
    with pytest.raises(UnreadableFile, match=r"no \.glb"):
        export(take, target, character=tmp_path / "no.glb")
    writer = TakeWriter()
    body = writer.add_body(Body.of(take_scenes.robot_arm()))
    writer.perform(writer.add_character("arm", body=body), take_scenes.waving(), start=0.0)
    with pytest.raises(InvalidValue, match="leave the character out"):
        export(writer.close(), target, character=write_rig(tmp_path / "robot.glb"))
    crowd = take_scenes.every_feature(np.random.default_rng(5))
    with pytest.raises(InvalidValue, match="another take"):
        export(crowd, target, character=read_character(tmp_path / "robot.glb", take))
    assert target.read_bytes() == b"old"


def no_accessor(gltf):
    gltf.meshes[0].primitives[0].attributes.NORMAL = 999


def no_image(gltf):
    rich(gltf)
    gltf.textures[1].source = 7


@pytest.mark.parametrize("break_it", [no_accessor, no_image])
def test_a_damaged_look_is_refused_and_the_old_file_kept(take, tmp_path, break_it):
    target = tmp_path / "crowd.glb"
    target.write_bytes(b"old")
    with pytest.raises(InvalidValue, match=r"robot\.glb is damaged"):
        export(take, target, character=write_rig(tmp_path / "robot.glb", edit=break_it))
    assert target.read_bytes() == b"old"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["crowd.glb", "robot.glb"]


def test_numbers_that_lie_beyond_the_end_are_refused(take, tmp_path):
    rig = write_rig(tmp_path / "robot.glb")
    whole = rig.read_bytes()
    (size,) = struct.unpack_from("<I", whole, 12)
    told = json.loads(whole[20 : 20 + size])
    normals = told["accessors"][told["meshes"][0]["primitives"][0]["attributes"]["NORMAL"]]
    told["bufferViews"][normals["bufferView"]]["byteOffset"] = 10**7
    words = json.dumps(told).encode()
    words += b" " * (-len(words) % 4)
    rest = whole[20 + size :]
    head = struct.pack("<4sIII4s", b"glTF", 2, 20 + len(words) + len(rest), len(words), b"JSON")
    rig.write_bytes(head + words + rest)
    with pytest.raises(InvalidValue, match=r"robot\.glb is damaged: some of its numbers are missing"):
        export(take, tmp_path / "crowd.glb", character=rig)
    assert not (tmp_path / "crowd.glb").exists()


def two_skins(gltf):
    """A coat of the body's skin, and a belt with one of its own."""
    joints = gltf.skins[0].joints
    gltf.skins.append(gl.Skin(joints=list(joints), inverseBindMatrices=gltf.skins[0].inverseBindMatrices))
    gltf.meshes.append(gl.Mesh(name="coat", primitives=[gltf.meshes[0].primitives[0]]))
    gltf.nodes.append(gl.Node(name="coat", mesh=1, skin=0))
    gltf.nodes.append(gl.Node(name="belt", mesh=1, skin=1))
    gltf.scenes[0].nodes += [len(gltf.nodes) - 2, len(gltf.nodes) - 1]


def test_rigs_of_several_skins_keep_them_all(take, tmp_path):
    rig = write_rig(tmp_path / "robot.glb", edit=two_skins)
    gltf = Player(export(take, tmp_path / "crowd.glb", fps=FPS, character=rig)).gltf
    assert [skin.name for skin in gltf.skins] == ["ann", "ann 2", "bob", "bob 2", "disc", "disc 2"]
    assert gltf.skins[1].joints == gltf.skins[0].joints
    worn = [(node.name, gltf.skins[node.skin].name) for node in gltf.nodes if node.skin is not None]
    assert worn[:3] == [("ann body", "ann"), ("ann coat", "ann"), ("ann belt", "ann 2")]
    assert len({accessor.bufferView for accessor in gltf.accessors}) == len(gltf.bufferViews)


LEGS = ("Foot", "ToeBase", "Toe_End")


@pytest.mark.parametrize("name", ["crowd.usdc", "crowd.csv"])
def test_formats_that_cannot_say_which_can(take, tmp_path, name):
    rig = write_rig(tmp_path / "robot.glb")
    with pytest.raises(InvalidValue, match="'character'; leave it out, or write bvh or gltf or html, which can"):
        export(take, tmp_path / name, character=rig)


def test_the_command_takes_a_rig(take, tmp_path):
    save_take(take, tmp_path / "small.take")
    rig = write_rig(tmp_path / "robot.glb")
    command = ["export", str(tmp_path / "small.take"), "-o", str(tmp_path / "crowd.glb"), "--character", str(rig)]
    told = CliRunner().invoke(app, command)
    assert told.exit_code == 0, told.output
    assert "robot.glb (Mixamo): 20 of 28 joints follow the take" in told.output
    joints, _ = Player(tmp_path / "crowd.glb").character("ann")
    assert "mixamorig:Hips" in joints


def test_a_skin_without_inverse_binds_says_nothing_of_them(take, tmp_path):
    def unbind(gltf):
        gltf.skins[0].inverseBindMatrices = None

    target = export(take, tmp_path / "crowd.glb", fps=FPS, character=write_rig(tmp_path / "robot.glb", edit=unbind))
    assert b"null" not in target.read_bytes().split(b"BIN\0")[0]
