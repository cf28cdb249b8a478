"""Bodies: capsules that look like a person and stand on their soles, masses that add up, and scaling."""

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rigs import CMU_LIKE, RIGS, person

from walkon._base.errors import InvalidShape, InvalidValue
from walkon.io import read_bvh
from walkon.motion.body import POINT_RADIUS_M, Body, world_capsules
from walkon.motion.kinematics import forward_numpy
from walkon.motion.roles import find_roles
from walkon.motion.skeleton import FOOT_CONTACTS, SIDES, Skeleton
from walkon.transforms import quaternions as quat

MILLIMETRE = 1e-3


@pytest.fixture
def skeleton() -> Skeleton:
    return find_roles(person(CMU_LIKE)).skeleton


@pytest.fixture
def body(skeleton: Skeleton) -> Body:
    return Body.of(skeleton)


def at_rest(body: Body) -> tuple[np.ndarray, np.ndarray]:
    rotations = np.tile(quat.IDENTITY, (len(body.skeleton), 1))
    return world_capsules(body, body.skeleton.rest_positions, rotations)


def lowest(body: Body) -> float:
    starts, ends = at_rest(body)
    return min((starts[:, 2] - body.capsule_radii[:, 0]).min(), (ends[:, 2] - body.capsule_radii[:, 1]).min())


def highest(body: Body) -> float:
    starts, ends = at_rest(body)
    return max((starts[:, 2] + body.capsule_radii[:, 0]).max(), (ends[:, 2] + body.capsule_radii[:, 1]).max())


def test_a_person_has_every_part_and_both_sides_are_mirror_images(body: Body) -> None:
    sided = ("clavicle", "upper_arm", "forearm", "hand", "thigh", "shank", "foot", "toes")
    parts = {"head", "neck", "chest", "abdomen", "pelvis", *(f"{side}_{part}" for side in SIDES for part in sided)}
    assert set(body.capsule_parts) == parts
    starts, ends = at_rest(body)
    for part in sided:
        left = [k for k, name in enumerate(body.capsule_parts) if name == f"left_{part}"]
        right = [k for k, name in enumerate(body.capsule_parts) if name == f"right_{part}"]
        mirrored = sorted((starts[left] * [1, -1, 1]).tolist())
        assert np.allclose(mirrored, sorted(starts[right].tolist()))
        assert np.allclose(sorted((ends[left] * [1, -1, 1]).tolist()), sorted(ends[right].tolist()))


def test_height_is_from_the_sole_to_the_crown_of_what_is_drawn(body: Body) -> None:
    assert body.height == pytest.approx(highest(body) - lowest(body), abs=5 * MILLIMETRE)
    assert 1.6 < body.height < 1.85


def test_the_head_is_as_tall_as_a_head(body: Body) -> None:
    starts, ends = at_rest(body)
    head = [k for k, part in enumerate(body.capsule_parts) if part == "head"]
    low = min(
        *(starts[k, 2] - body.capsule_radii[k, 0] for k in head), *(ends[k, 2] - body.capsule_radii[k, 1] for k in head)
    )
    assert highest(body) - low == pytest.approx(0.13 * body.height, rel=0.1)


@pytest.mark.parametrize("drop", [0.02, 0.06, 0.10])
def test_soles_stay_on_the_floor_of_the_contact_points(skeleton: Skeleton, drop: float) -> None:
    ankle, ball = skeleton.role("left_ankle"), skeleton.role("left_ball")
    floor = skeleton.rest_positions[ball, 2] - 0.02
    sole = [[-0.03, 0, floor - skeleton.rest_positions[ankle, 2]], [0, 0, -0.02]]
    joints = [skeleton.role(f"{side}_{part}") for side in SIDES for part in ("ankle", "ball")]
    standing = skeleton.with_contacts(FOOT_CONTACTS, np.array(joints), np.array(sole * 2))
    standing = replace(standing, contact_offsets=standing.contact_offsets - [0, 0, drop - 0.02])
    found = lowest(Body.of(standing))
    assert found == pytest.approx(floor - (drop - 0.02), abs=MILLIMETRE)


def test_splayed_legs_change_neither_height_nor_lengths(skeleton: Skeleton) -> None:
    """CMU's rest pose has its legs apart by 20 degrees; lengths come from the bones."""
    splayed = np.array(skeleton.offsets)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for part in ("knee", "ankle", "ball"):
            turn = quat.about([1.0, 0.0, 0.0], np.radians(20) * sign)
            joint = skeleton.role(f"{side}_{part}")
            splayed[joint] = quat.rotate(turn, splayed[joint])
    straight, apart = Body.of(skeleton), Body.of(replace(skeleton, offsets=splayed))
    assert apart.height == pytest.approx(straight.height, abs=2 * MILLIMETRE)
    assert np.allclose(apart.capsule_radii, straight.capsule_radii)


def test_masses_are_those_of_the_segments_and_sum_to_the_mass(skeleton: Skeleton) -> None:
    body = Body.of(skeleton, mass=80.0)
    assert body.masses.sum() == pytest.approx(80.0)
    assert body.masses[skeleton.role("left_hip")] == pytest.approx(8.0)
    assert body.masses[skeleton.role("head")] == pytest.approx(0.081 * 80)
    assert np.count_nonzero(body.masses) == 4 + 2 * 6
    assert 55 < Body.of(skeleton).masses.sum() < 80


def test_any_other_skeleton_gets_a_capsule_per_bone_and_none_for_bones_without_length(stick: Skeleton) -> None:
    offsets = np.array(stick.offsets)
    offsets[2] = 0
    body = Body.of(replace(stick, offsets=offsets))
    assert body.capsule_joints.tolist() == [0, 0, 3]
    assert body.capsule_parts == ("root", "root", "c")
    assert np.allclose(body.capsule_ends, offsets[[1, 3, 4]])
    assert np.allclose(body.capsule_radii[:, 0], 0.12 * np.linalg.norm(offsets[[1, 3, 4]], axis=1))
    assert Body.of(stick, mass=3.0).masses.sum() == pytest.approx(3.0)


def test_a_single_joint_is_a_ball_that_can_be_seen() -> None:
    body = Body.of(Skeleton(names=("bird",), parents=[-1], offsets=[[0, 0, 0]]), mass=0.1)
    assert body.capsule_parts == ("bird",)
    assert np.allclose(body.capsule_radii, POINT_RADIUS_M)
    assert body.height == pytest.approx(2 * POINT_RADIUS_M)
    assert body.masses.tolist() == [0.1]


def test_scaling_multiplies_lengths_and_cubes_masses(body: Body) -> None:
    bigger = body.scaled(1.1)
    assert bigger.scale == pytest.approx(1.1)
    assert bigger.height == pytest.approx(1.1 * body.height)
    assert np.allclose(bigger.masses, 1.331 * body.masses)
    assert np.allclose(bigger.capsule_radii, Body.of(body.skeleton.scaled(1.1)).capsule_radii)
    assert np.allclose(bigger.capsule_starts, Body.of(body.skeleton.scaled(1.1)).capsule_starts)


def test_capsules_follow_their_joints_in_any_batch(body: Body, rng: np.random.Generator) -> None:
    skeleton = body.skeleton
    turns = quat.normalize(rng.normal(size=(6, len(skeleton), 4)))
    pose = forward_numpy(skeleton, rng.normal(size=(6, 3)), turns)
    starts, ends = world_capsules(body, pose.positions.reshape(2, 3, -1, 3), pose.rotations.reshape(2, 3, -1, 4))
    assert starts.shape == ends.shape == (2, 3, len(body.capsule_parts), 3)
    lengths = np.linalg.norm(ends - starts, axis=-1)
    assert np.allclose(lengths, np.linalg.norm(body.capsule_ends - body.capsule_starts, axis=-1))
    thigh = body.capsule_parts.index("left_thigh")
    assert np.allclose(ends[..., thigh, :].reshape(6, 3), pose.positions[:, skeleton.role("left_knee")])


def test_bodies_are_locked_pickled_and_reported_in_one_line(body: Body) -> None:
    with pytest.raises(ValueError, match="read-only"):
        body.masses[0] = 1.0
    again = pickle.loads(pickle.dumps(body))
    assert np.array_equal(again.capsule_starts, body.capsule_starts)
    assert again.colour == body.colour
    assert "\n" not in repr(body)
    assert f"{body.height:.2f} m" in repr(body)


def test_bad_values_are_refused_by_name(body: Body, skeleton: Skeleton) -> None:
    with pytest.raises(InvalidValue, match="mass must be positive, got -1"):
        Body.of(skeleton, mass=-1)
    with pytest.raises(InvalidValue, match="positive factor, got 0"):
        body.scaled(0)
    with pytest.raises(InvalidValue, match="three numbers from 0 to 1"):
        Body.of(skeleton, colour=(2.0, 0.0, 0.0))
    with pytest.raises(InvalidShape, match=r"Body\.masses"):
        replace(body, masses=np.zeros(3))
    with pytest.raises(InvalidValue, match="radii must be positive"):
        replace(body, capsule_radii=-body.capsule_radii)


def test_a_rest_pose_that_is_one_straight_line_still_makes_a_person() -> None:
    """LAFAN1 rests with every bone along its own x axis, legs and spine alike; only sideways offsets are true."""
    standing = find_roles(person(RIGS["LAFAN1"])).skeleton
    along = np.zeros((len(standing), 3))
    along[:, 0] = np.linalg.norm(standing.offsets, axis=1)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        along[standing.role(f"{side}_hip")] = [0.0, 0.0, 0.09 * sign]
        along[standing.role(f"{side}_clavicle")] = [0.18, 0.0, 0.05 * sign]
    body, usual = Body.of(replace(standing, offsets=along)), Body.of(standing)
    assert body.capsule_parts == usual.capsule_parts
    assert body.height == pytest.approx(usual.height - 0.06, abs=0.01)  # the drop from hips to legs is lost
    assert np.allclose(body.capsule_radii, usual.capsule_radii, atol=0.02)
    # The foot points along its bone, and its sole is across it.
    k = body.capsule_parts.index("left_toes")
    assert body.capsule_ends[k, 0] - body.capsule_starts[k, 0] > 0.03


@pytest.mark.mocap
def test_a_real_performer_stands_on_the_floor_and_is_as_tall_as_the_clip_says(mocap: Path) -> None:
    """69_01 starts with a T-pose whose head end is 1.545 m up; the crown is some 9 cm above it."""
    clip = read_bvh(mocap / "cmu" / "69_01.bvh", drop_tpose=False).clip
    body = Body.of(find_roles(clip.skeleton).skeleton)
    starts, ends = world_capsules(body, clip.world.positions[:1], clip.world.rotations[:1])
    top = max((starts[0, :, 2] + body.capsule_radii[:, 0]).max(), (ends[0, :, 2] + body.capsule_radii[:, 1]).max())
    assert 1.60 < top < 1.70
    assert body.height == pytest.approx(1.63, abs=0.04)
    feet = [k for k, part in enumerate(body.capsule_parts) if part.endswith(("foot", "toes"))]
    low = np.minimum(starts[..., 2] - body.capsule_radii[:, 0], ends[..., 2] - body.capsule_radii[:, 1])[0, feet]
    assert abs(low.min()) < 0.04
