"""Takes in glTF, played by another reader: joints, skin, props and absence as in the take; nothing is stored twice."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import take_scenes
from glb_player import Player
from prop_take import every_prop
from small_take import SECONDS, small_take
from walkon._base.errors import CannotWrite, InvalidValue
from walkon.drawing.hand_flesh import with_hand_flesh
from walkon.export import export
from walkon.export.body_mesh import to_linear
from walkon.export.excerpt import fill_frames
from walkon.motion.body import Body, world_capsules
from walkon.motion.skeleton import Skeleton
from walkon.stage import Door, Obstacle, Stage
from walkon.take import TakeWriter
from walkon.take.editing.editing import merge
from walkon.take.posing.props import prop_poses
from walkon.take.posing.resting import with_rest_poses
from walkon.transforms import quaternions as quat

FPS = 30.0
MILLIMETRE, DEGREES = 1e-3, 0.05


def stage_point(point):
    """The file's (x, y, z) on the stage."""
    x, y, z = np.asarray(point)
    return np.array([x, -z, y])


def errors(take, player, who, seconds):
    """The largest error of a character's joints in metres, and in degrees, at a time after the take's start."""
    joints, _ = player.character(who)
    row = take.character(who)
    poses = with_rest_poses(take, np.array([row]), take.pose(take.start + seconds, characters=[row]))
    assert poses.present[0]
    far = turned = 0.0
    skeleton = take.bodies[take.characters.body[row]].skeleton
    assert list(joints)[: len(skeleton)] == list(skeleton.names)  # and fingers, of some
    axes = np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]]).T  # stage → file
    for joint, name in enumerate(skeleton.names):
        world = player.world(joints[name], seconds)
        far = max(far, np.abs(stage_point(world[:3, 3]) - poses.positions[0, joint]).max())
        mine = axes @ quat.to_matrix(poses.rotations[0, joint]) @ axes.T
        theirs = world[:3, :3] / float(take.characters.scale[row])
        turned = max(turned, np.degrees(2 * np.arcsin(min(np.linalg.norm(mine - theirs) / np.sqrt(8), 1.0))))
    return far, turned


@pytest.fixture(scope="module")
def take():
    return small_take()


@pytest.fixture(scope="module")
def played(take, tmp_path_factory):
    return Player(export(take, tmp_path_factory.mktemp("glb") / "small.glb", fps=FPS))


@pytest.fixture(scope="module")
def crowd():
    return take_scenes.every_feature(np.random.default_rng(5))


@pytest.mark.parametrize("rotations", ["float32", "int16"])
def test_joints_of_all_kinds_of_bodies_are_where_the_take_has_them(crowd, tmp_path, rng, rotations):
    player = Player(export(crowd, tmp_path / "crowd.glb", fps=FPS, rotations=rotations))
    frames = int((crowd.stop - crowd.start) * FPS) + 1
    checked = 0
    for frame in rng.choice(frames, 10, replace=False):
        present = crowd.pose(crowd.start + frame / FPS).present
        for who in np.flatnonzero(present):
            far, turned = errors(crowd, player, crowd.names[who], frame / FPS)
            assert far < MILLIMETRE
            assert turned < DEGREES
            checked += 1
    assert checked > 10


def test_single_precision_is_far_better_than_a_millimetre(take, played):
    far, turned = errors(take, played, "bob", 17 / FPS)
    assert far < 2e-6
    assert turned < 1e-3


def test_time_is_right_to_half_a_frame(take, played):
    joints, _ = played.character("ann")
    hand = take.bodies[0].skeleton.index("LeftHand")
    for seconds in (0.31, 0.947, 1.52):
        theirs = stage_point(played.world(joints["LeftHand"], seconds)[:3, 3])
        off = [
            np.linalg.norm(take.pose(seconds + late).positions[0, hand] - theirs) for late in (-0.5 / FPS, 0, 0.5 / FPS)
        ]
        assert off[1] < MILLIMETRE
        assert off[1] < 0.2 * min(off[0], off[2])


def test_the_skin_follows_the_capsules(take, played):
    body = with_hand_flesh(take.body("bob"))
    for seconds in (0.2, 1.4):
        poses = take.pose(seconds)
        starts, ends = world_capsules(body, poses.positions[1], poses.rotations[1])
        points = np.array([stage_point(point) for point in played.skinned("bob", seconds)])
        away = np.full(len(points), np.inf)
        for a, b, (ra, rb) in zip(starts, ends, body.capsule_radii, strict=True):
            t = np.clip((points - a) @ (b - a) / max((b - a) @ (b - a), 1e-12), 0, 1)
            reach = np.linalg.norm(points - (a + t[:, None] * (b - a)), axis=1)
            away = np.minimum(away, reach - (ra + t * (rb - ra)))
        assert away.max() < 0.03  # hair is the outermost
        assert np.median(np.abs(away)) < 0.02
        assert points[:, 2].min() == pytest.approx(0.0, abs=0.03)


def test_who_leaves_has_no_size_from_then_on(take, played):
    joints, _ = played.character("disc")
    sizes = [np.linalg.det(played.world(joints["Hips"], t)[:3, :3]) for t in (0.0, 0.5, 1.0, 1.0 + 1.01 / FPS, 1.9)]
    np.testing.assert_allclose(sizes, [1, 1, 1, 0, 0], atol=1e-6)
    assert take.pose(1.0).present[2]
    assert not take.pose(1.01).present[2]


def test_who_comes_goes_and_comes_back_is_seen_only_then(crowd, tmp_path):
    player = Player(export(crowd, tmp_path / "crowd.glb", fps=FPS))
    who = crowd.names.index("fader 0")
    (top,) = player.named("fader 0")
    frames = np.arange(int((crowd.stop - crowd.start) * FPS) + 1)
    present = crowd.sample(crowd.start + frames / FPS, characters=[who]).present[:, 0]
    assert np.count_nonzero(np.diff(present)) >= 3
    seen = [player.value(top, "scale", frame / FPS, (1, 1, 1))[0] > 0 for frame in frames]
    np.testing.assert_array_equal(seen, present)


def test_who_is_never_there_is_left_out(crowd, tmp_path):
    player = Player(export(crowd, tmp_path / "crowd.glb", fps=FPS))
    assert player.named("nobody") == []
    assert len(player.gltf.skins) == len(crowd) - 1


def test_props_move_with_the_hands_that_hold_them(take, played):
    for seconds in (0.0, 0.7, 1.5):
        poses = prop_poses(take, [seconds])
        for row, prop in enumerate(take.props):
            (node,) = played.named(prop.name)
            world = played.world(node, seconds)
            np.testing.assert_allclose(stage_point(world[:3, 3]), poses.positions[0, row], atol=MILLIMETRE)
            size = np.linalg.norm(world[:3, :3], axis=0)
            wide, deep, high = prop.size
            expected = {"box": (wide, high, deep), "sphere": (wide, wide, wide), "cylinder": (wide, high, wide)}
            np.testing.assert_allclose(size, expected[prop.shape], atol=1e-6)
    (crate,) = played.named("crate")
    assert crate not in played.moves


def test_compounds_and_meshes_have_their_own_size_colours_and_grips(tmp_path):
    take = every_prop()
    player = Player(export(take, tmp_path / "props.glb", fps=FPS))
    for row, prop in enumerate(take.props):
        (node,) = player.named(prop.name)
        told, primitives = player.gltf.nodes[node], player.gltf.meshes[player.gltf.nodes[node].mesh].primitives
        wanted = {part.colour for part in prop.pieces} or {prop.colour}
        assert len(primitives) == len(wanted)
        colours = [player.gltf.materials[one.material].pbrMetallicRoughness.baseColorFactor[:3] for one in primitives]
        np.testing.assert_allclose(sorted(colours), sorted(to_linear(colour) for colour in wanted), atol=1e-6)
        own = np.concatenate([player.array(one.attributes.POSITION) for one in primitives])
        normals = np.concatenate([player.array(one.attributes.NORMAL) for one in primitives])
        np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-6)
        for seconds in (0.0, 0.7):
            place, turn, _ = (column[0, row] for column in prop_poses(take, [seconds]))
            world = player.world(node, seconds)
            points = np.array([stage_point(point) for point in own @ world[:3, :3].T + world[:3, 3]])
            back = quat.rotate(quat.conjugate(turn), points - place)
            np.testing.assert_allclose([back.min(axis=0), back.max(axis=0)], prop.bounds, atol=2e-3)
            # Its corners lie on it: drawn balls and cylinders have theirs on the true ones.
            assert np.abs(back).max() < 2.0
            assert prop.distances(back).max() < 1e-5
        assert told.extras["mass_kg"] == pytest.approx(prop.mass, abs=1e-4)
        assert list(told.extras.get("grips", {})) == list(prop.grips)
        for name, grip in prop.grips.items():
            noted = told.extras["grips"][name]
            np.testing.assert_allclose(stage_point(np.array(noted["translation"])), grip.pose[:3], atol=1e-6)
            assert (noted["hand"], noted["shape"]) == (grip.hand, grip.shape)
            x, y, z, w = noted["rotation"]
            fingers = quat.rotate(np.array([w, x, y, z]), np.array([1.0, 0.0, 0.0]))
            wanted_way = quat.rotate(np.array(grip.pose[3:]), np.array([1.0, 0.0, 0.0]))
            np.testing.assert_allclose(stage_point(fingers), wanted_way, atol=1e-6)


def test_props_that_look_alike_share_a_mesh(tmp_path):
    take = every_prop()
    both = merge(take, take, audit=False).take
    player = Player(export(both, tmp_path / "props.glb", fps=FPS))
    for prop in take.props:
        (one,), (two,) = player.named(prop.name), player.named(f"{prop.name}_2")
        assert player.gltf.nodes[one].mesh == player.gltf.nodes[two].mesh


def test_the_stage_is_there_at_its_size(played):
    (pillar,) = played.named("pillar")
    (primitive,) = played.gltf.meshes[played.gltf.nodes[pillar].mesh].primitives
    points = np.array([stage_point(point) for point in played.array(primitive.attributes.POSITION)])
    np.testing.assert_allclose(points.min(axis=0), [-1.5, 3.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(points.max(axis=0), [-0.5, 4.0, 2.5], atol=1e-6)
    (stage,) = played.named("stage")
    kinds = [played.gltf.nodes[child].extras["kind"] for child in played.gltf.nodes[stage].children]
    assert kinds == ["floor", "obstacle", "obstacle", "seat"]


def test_solids_are_closed_and_look_outward(tmp_path):
    hollow = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], float)
    stage = Stage(obstacles=(Obstacle(polygon=hollow, height=1.0),), doors=(Door(ends=np.array([[0, 0], [0, 2.0]])),))
    player = Player(export(small_take(stage=stage), tmp_path / "small.glb", fps=10.0))
    volumes = {"obstacle 0": 3.0, "box": 1.0, "sphere": np.pi / 6, "cylinder": np.pi / 4, "door 0": 0.0}
    for mesh in (mesh for mesh in player.gltf.meshes if mesh.name in volumes):
        (primitive,) = mesh.primitives
        points, normals = player.array(primitive.attributes.POSITION), player.array(primitive.attributes.NORMAL)
        triangles = player.array(primitive.indices).astype(int).reshape(-1, 3)
        a, b, c = (points[triangles[:, k]] for k in range(3))
        assert (np.einsum("ij,ij->i", np.cross(b - a, c - a), normals[triangles].mean(axis=1)) > 0).all()
        if mesh.name != "door 0":
            volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6
            assert volume == pytest.approx(volumes.pop(mesh.name), rel=0.02)
    assert list(volumes) == ["door 0"]


def test_everyone_has_a_node_of_its_own_and_a_skinned_mesh_at_the_root(take, played):
    roots = played.gltf.scenes[0].nodes
    for name in take.names:
        joints, mesh = played.character(name)
        (top,) = played.named(name)
        assert {top, mesh} <= set(roots)
        assert played.parents[joints["Hips"]] == top
        assert played.gltf.nodes[top].mesh is None
    assert len(played.gltf.animations) == 1


def test_nothing_is_stored_twice(take, played):
    ibms = {skin.inverseBindMatrices for skin in played.gltf.skins}
    assert len(ibms) == 1
    meshes = [played.gltf.meshes[played.gltf.nodes[played.character(name)[1]].mesh] for name in take.names]
    arrays = [[vars(primitive.attributes) for primitive in mesh.primitives] for mesh in meshes]
    assert arrays[0] == arrays[1] == arrays[2]
    assert len({mesh.name for mesh in meshes}) == 3  # three colours
    pieces = sorted((view.byteOffset or 0, view.byteLength) for view in played.gltf.bufferViews)
    assert all(a + n <= b for (a, n), (b, _) in pairwise(pieces))
    used = {sampler.input for sampler in played.gltf.animations[0].samplers}
    times = {played.gltf.accessors[number].bufferView for number in used}
    assert len(times) == 2  # the clock, and the steps of the one who leaves


def test_equal_colours_share_a_mesh(tmp_path):
    twins = replace(
        small_take(), characters=small_take().characters.with_columns(colour=np.full((3, 3), 0.5, np.float32))
    )
    player = Player(export(twins, tmp_path / "twins.glb", fps=10.0))
    assert len({player.gltf.nodes[player.character(name)[1]].mesh for name in twins.names}) == 1


def test_what_stands_still_has_no_keys(take, played):
    moving = {node for node, paths in played.moves.items() if "rotation" in paths}
    joints, _ = played.character("disc")
    assert not moving & set(joints.values())  # it glides in its rest pose
    joints, _ = played.character("ann")
    assert joints["LeftLeg"] in moving
    assert joints["Head_end"] not in moving


def test_whole_numbers_halve_the_motion(crowd, tmp_path):
    sizes = [
        export(crowd, tmp_path / f"{kind}.glb", fps=120.0, rotations=kind).stat().st_size
        for kind in ("float32", "int16")
    ]
    fixed = export(crowd, tmp_path / "one.glb", fps=1.0).stat().st_size
    assert sizes[1] - fixed < 0.62 * (sizes[0] - fixed)


def test_names_colours_and_marks_are_in_the_extras(take, played):
    (ann,) = played.named("ann")
    extras = played.gltf.nodes[ann].extras
    assert extras["character"] == "ann"
    assert extras["colour"] == pytest.approx([0.9, 0.2, 0.2], abs=1e-3)
    (mark,) = extras["marks"]
    assert mark["name"] == "spot"
    np.testing.assert_allclose(stage_point(mark["position"]), [1.1 * SECONDS, 0, 0], atol=1e-6)
    np.testing.assert_allclose(stage_point(mark["facing"]), [1, 0, 0], atol=1e-6)
    assert mark["met_s"] == SECONDS
    assert played.gltf.asset.extras["fps"] == FPS


def test_a_part_begins_at_zero(take, tmp_path):
    player = Player(export(take, tmp_path / "part.glb", fps=FPS, start=1.0, stop=1.5, characters=["bob"]))
    joints, _ = player.character("bob")
    place = stage_point(player.world(joints["Hips"], 0.2)[:3, 3])
    np.testing.assert_allclose(place, take.pose(1.2).positions[1, 0], atol=1e-5)
    assert len(player.gltf.skins) == 1
    sampler = player.moves[joints["Hips"]]["translation"]
    np.testing.assert_allclose(player.array(sampler.input)[:, 0], np.arange(16) / FPS, atol=1e-6)


def test_one_moment_is_a_still(take, tmp_path):
    player = Player(export(take, tmp_path / "still.glb", start=0.5, stop=0.5))
    assert player.gltf.animations == []
    joints, _ = player.character("ann")
    place = stage_point(player.world(joints["LeftHand"], 0.0)[:3, 3])
    hand = take.bodies[0].skeleton.index("LeftHand")
    np.testing.assert_allclose(place, take.pose(0.5).positions[0, hand], atol=1e-5)


def test_a_body_without_flesh_moves_without_a_mesh(tmp_path):
    from walkon.motion.clip import Clip

    bird = Skeleton(names=("bird",), parents=[-1], offsets=[[0, 0, 1]])
    path = np.column_stack([np.linspace(0, 1, 11), np.zeros(11), np.ones(11)])
    clip = Clip(skeleton=bird, fps=10.0, root_positions=path, local_rotations=np.tile(quat.IDENTITY, (11, 1, 1)))
    empty = {"capsule_starts": np.zeros((0, 3)), "capsule_ends": np.zeros((0, 3)), "capsule_radii": np.zeros((0, 2))}
    bare = replace(Body.of(bird), capsule_joints=np.zeros(0, np.int64), capsule_parts=(), **empty)
    writer = TakeWriter()
    writer.perform(writer.add_character("bird", body=writer.add_body(bare)), clip, start=0.0)
    player = Player(export(writer.close(), tmp_path / "bird.glb", fps=10.0))
    assert player.gltf.skins == [] or player.gltf.skins is None
    top, joint = player.named("bird")
    np.testing.assert_allclose(stage_point(player.world(joint, 0.5)[:3, 3]), [0.5, 0, 1], atol=1e-5)
    assert player.parents[joint] == top


def test_without_the_stage_there_are_only_people(take, tmp_path):
    player = Player(export(take, tmp_path / "people.glb", fps=10.0, stage=False))
    assert player.named("stage") == player.named("crate") == []
    assert len(player.gltf.skins) == 3


def test_absent_frames_are_filled_with_the_last_pose_before():
    present = np.array([[0, 1, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0]], bool)
    np.testing.assert_array_equal(fill_frames(present).T, [[1, 1, 1, 3], [0, 0, 2, 2], [0, 0, 0, 0]])


def test_a_stop_halfway_leaves_the_old_file_and_nothing_else(take, tmp_path):
    path = tmp_path / "small.glb"
    path.write_bytes(b"old")

    def stop(share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(take, path, progress=stop)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_told_and_leaves_the_old_file(take, tmp_path, monkeypatch):
    from walkon.export.gltf import buffers

    path = tmp_path / "small.glb"
    path.write_bytes(b"old")

    def full(self, values):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(buffers.Buffers, "_append", full)
    with pytest.raises(CannotWrite, match="No space left"):
        export(take, path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_more_than_the_container_can_count_is_refused(take, tmp_path, monkeypatch):
    from walkon.export.gltf import buffers

    monkeypatch.setattr(buffers, "MAX_GLB_BYTES", 100_000)
    with pytest.raises(InvalidValue, match=r"at most 4 GB.*int16"):
        export(take, tmp_path / "small.glb")
    assert list(tmp_path.iterdir()) == []


def test_wrong_options_are_told(take, tmp_path):
    with pytest.raises(InvalidValue, match="rotations must be one of float32, int16, got 'int8'"):
        export(take, tmp_path / "small.glb", rotations="int8")


def test_progress_rises_to_one(take, tmp_path):
    shares = []
    export(take, tmp_path / "small.glb", progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_the_same_take_gives_the_same_bytes(take, tmp_path):
    one, two = (export(take, tmp_path / f"{k}.glb", fps=FPS).read_bytes() for k in range(2))
    assert one == two
