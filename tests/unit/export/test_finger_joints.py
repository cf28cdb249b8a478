"""Hand shapes in files: finger joints under the wrists of those who need them, where pictures have their fingers."""

import numpy as np
import pytest

from glb_player import Player
from gltf_validation import validator
from shaped_hands import shaped_take
from small_take import small_take
from walkon.drawing.hand_flesh import bend_fingers, fingers_of, with_hand_flesh
from walkon.export.excerpt import Excerpt
from walkon.export.finger_joints import find_shaped_hands, finger_turns, with_finger_joints
from walkon.export.gltf import write
from walkon.motion.body import Body, world_capsules
from walkon.motion.kinematics import forward_numpy
from walkon.studio.skeleton import performer_skeleton
from walkon.take import Take
from walkon.transforms import quaternions as quat

MILLIMETRE = 1e-3
FPS = 30.0


@pytest.fixture(scope="module")
def take() -> Take:
    return shaped_take()


def write_glb(excerpt: Excerpt, path, **options):
    write(excerpt, path, progress=lambda share: None, **options)
    return path


def stage_points(points: np.ndarray) -> np.ndarray:
    """The file's (x, y, z) on the stage."""
    return np.column_stack([points[:, 0], -points[:, 2], points[:, 1]])


def fingers_in_the_take(take: Take, row: int, time: float) -> tuple[np.ndarray, np.ndarray]:
    """Starts and ends of the finger capsules as pictures have them."""
    poses = take.pose(time)
    body = take.body(row)
    fingers = fingers_of(body)
    wrists = np.array([body.skeleton.role(f"{side}_wrist") for side in ("left", "right")])[fingers.sides]
    return tuple(
        poses.positions[row, wrists] + quat.rotate(poses.rotations[row, wrists], local[0])
        for local in bend_fingers(fingers, poses.hand_shapes[row, None], poses.hand_weights[row, None])
    )


def test_a_body_with_finger_joints_is_the_same_body_at_rest():
    body = Body.of(performer_skeleton())
    made, drawn, J = with_finger_joints(body), with_hand_flesh(body), len(body.skeleton)
    assert made.skeleton.names[:J] == body.skeleton.names
    assert made.skeleton.names[J:][:2] == ("LeftHandIndex1", "LeftHandIndex2")
    assert len(made.skeleton) == J + 12
    assert with_finger_joints(body) is made
    assert with_hand_flesh(made) is made
    still = np.tile(quat.IDENTITY, (len(made.skeleton), 1))
    got = world_capsules(made, made.skeleton.rest_positions, still)
    wanted = world_capsules(drawn, drawn.skeleton.rest_positions, still[:J])
    np.testing.assert_allclose(got, wanted, atol=1e-12)


def test_finger_joints_bring_capsules_where_pictures_have_them(take):
    excerpt = Excerpt.of(take, fps=FPS)
    _, poses = next(excerpt.by_character())
    assert find_shaped_hands(poses).tolist() == [True, False, False]
    body = with_finger_joints(take.bodies[0])
    turns, J = finger_turns(take.bodies[0], poses, 0), len(take.bodies[0].skeleton)
    local = np.concatenate([poses.local_rotations[:, 0, :J], turns], axis=1)
    posed = forward_numpy(body.skeleton, poses.positions[:, 0, 0], local)
    starts, ends = world_capsules(body, posed.positions, posed.rotations)
    capsules = fingers_of(take.bodies[0]).capsules
    for frame in (0, 7, 31, 44):
        wanted = fingers_in_the_take(take, 0, float(excerpt.times[frame]))
        np.testing.assert_allclose(starts[frame, capsules], wanted[0], atol=1e-9)
        np.testing.assert_allclose(ends[frame, capsules], wanted[1], atol=1e-9)
    assert np.ptp(ends[:, capsules[0]] - posed.positions[:, body.skeleton.role("left_wrist")], axis=0).max() > 0.01


@pytest.mark.parametrize("rotations", ["float32", "int16"])
def test_gltf_has_fingers_of_those_whose_hands_are_shaped(take, tmp_path, rotations):
    excerpt = Excerpt.of(take, fps=FPS)
    path = write_glb(excerpt, tmp_path / "hands.glb", rotations=rotations)
    player = Player(path)
    J = len(take.bodies[0].skeleton)
    assert [len(player.character(name)[0]) for name in take.names] == [J + 12, J, J]
    joints, _ = player.character("ann")
    assert list(joints)[:J] == list(take.bodies[0].skeleton.names)
    for frame in (5, 20, 41):
        starts, ends = fingers_in_the_take(take, 0, frame / FPS)
        points = stage_points(player.skinned("ann", frame / FPS))
        radii = with_hand_flesh(take.body("ann")).capsule_radii[fingers_of(take.body("ann")).capsules]
        for a, b, (ra, rb) in zip(starts, ends, radii, strict=True):
            near = np.linalg.norm(points - a, axis=1).min(), np.linalg.norm(points - b, axis=1).min()
            assert near[0] < ra + 3 * MILLIMETRE, "the skin is around every end of every finger"
            assert near[1] < rb + 3 * MILLIMETRE


def test_gltf_with_fingers_is_valid(take, tmp_path, tmp_path_factory):
    validate = validator(tmp_path_factory.mktemp("validator"))
    for rotations in ("float32", "int16"):
        excerpt = Excerpt.of(take, fps=FPS)
        issues = validate(write_glb(excerpt, tmp_path / f"{rotations}.glb", rotations=rotations))["issues"]
        assert (issues["numErrors"], issues["numWarnings"], issues["numInfos"]) == (0, 0, 0), issues["messages"][:5]


def test_relaxed_hands_cost_no_joints_and_no_keys(take, tmp_path):
    plain = write_glb(Excerpt.of(small_take(), fps=FPS), tmp_path / "plain.glb")
    shaped = write_glb(Excerpt.of(take, fps=FPS), tmp_path / "shaped.glb")
    player = Player(plain)
    J = len(take.bodies[0].skeleton)
    assert all(len(player.character(name)[0]) == J for name in take.names)
    assert len(player.gltf.animations[0].channels) < len(Player(shaped).gltf.animations[0].channels)


@pytest.mark.parametrize("way", [{}, {"per_character": True}, {"instanceable": True}], ids=str)
def test_usd_has_fingers_of_those_whose_hands_are_shaped(take, tmp_path, way):
    pytest.importorskip("pxr", reason="USD is read back with the extra 'usd'")
    from pxr import Usd, UsdValidation

    import usd_reading
    from walkon.export import usd

    excerpt, path = Excerpt.of(take, fps=FPS), tmp_path / "hands.usdc"
    usd.write(excerpt, path, progress=lambda share: None, **way)
    stage = Usd.Stage.Open(str(path))
    cast, J = usd_reading.cast(stage), len(take.bodies[0].skeleton)
    frames = np.array([3, 20, 50])
    body = with_finger_joints(take.body("ann"))
    places, turns = usd_reading.joints(cast[0], frames.astype(float))
    assert places.shape[1] == J + 12
    capsules = fingers_of(take.body("ann")).capsules
    for k, frame in enumerate(frames):
        starts, ends = world_capsules(body, places[k], turns[k])
        wanted = fingers_in_the_take(take, 0, frame / FPS)
        np.testing.assert_allclose(starts[capsules], wanted[0], atol=MILLIMETRE)
        np.testing.assert_allclose(ends[capsules], wanted[1], atol=MILLIMETRE)
    assert usd_reading.joints(cast[1], frames.astype(float))[0].shape[1] == J
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    assert list(UsdValidation.ValidationContext(list(validators)).Validate(stage)) == []
