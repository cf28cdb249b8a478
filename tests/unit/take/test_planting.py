"""Planting: planted points stand still, legs reach, knees do not snap, whatever moves the clip."""

from dataclasses import replace

import numpy as np
import pytest

import take_scenes as scenes
from walkon.motion.clip import Clip
from walkon.take.planting.drops import MAX_DROP_M
from walkon.take.planting.planting import plant_feet
from walkon.take.posing.posing import pose_pairs
from walkon.take.tables import Drops, Stances
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

MOVES = [(0.02, 0.01, 0.03), (-0.02, 0.02, -0.02), (0.0, -0.02, 0.03), (0.02, 0.0, 0.0)]


def off_their_plants(take: Take, rng: np.random.Generator, count: int = 400) -> tuple[float, float]:
    """How far planted points are from their plants at random moments, and the most a leg lacks there."""
    rows = take.stances.rows(rng.integers(0, len(take.stances), count))
    when = rng.uniform(rows.start, rows.stop)
    poses = pose_pairs(take, rows.character, when)
    worst = 0.0
    for i in range(count):
        skeleton = take.bodies[poses.bodies[i]].skeleton
        scale = float(take.characters.scale[rows.character[i]])
        for point, name in enumerate(("heel", "ball")):
            since, until = rows.columns[name][i]
            if since < until and since <= when[i] - rows.start[i] <= until:
                c = 2 * rows.foot[i] + point
                joint = skeleton.contact_joints[c]
                arm = quat.rotate(poses.rotations[i, joint], scale * skeleton.contact_offsets[c])
                place = rows.columns[f"{name}_place"][i]
                worst = max(worst, float(np.linalg.norm(poses.positions[i, joint] + arm - place)))
    return worst, float(poses.missed.max())


def takes() -> dict[str, Take]:
    walk, fast = scenes.walking(), scenes.walking(1.3)
    return {
        "warped": scenes.one_walker(moves=MOVES),
        "warped evenly, slower": scenes.one_walker(moves=MOVES, even=True, rate=0.8),
        "small": scenes.one_walker(moves=MOVES, scale=0.85, rate=1 / np.sqrt(0.85)),
        "large": scenes.one_walker(moves=MOVES, scale=1.15, rate=1 / np.sqrt(1.15)),
        "another body": scenes.one_walker(moves=MOVES, body=scenes.slender(walk.skeleton)),
        "faded": scenes.crossfade(walk, fast),
        "on a step": scenes.one_walker(moves=MOVES, place=(3.0, 2.0, 1.0, 0.25)),
    }


@pytest.mark.parametrize("name", takes())
def test_planted_points_stand_still(name: str, rng: np.random.Generator) -> None:
    worst, missed = off_their_plants(takes()[name], rng)
    assert worst < 1e-6
    assert missed < 1e-4


@pytest.mark.parametrize("name", takes())
def test_contact_points_do_not_drift_by_the_takes_own_word(name: str) -> None:
    take = takes()[name]
    t = np.arange(take.start, take.stop, 1 / 240)
    poses = take.sample(t)
    points = scenes.contact_points(take, poses)[:, 0]
    held = poses.contacts[:-1, 0] & poses.contacts[1:, 0]
    assert held.any(axis=0).all()
    moved = np.linalg.norm(np.diff(points, axis=0), axis=-1)
    assert moved[held].max() < 1e-6
    assert moved[~held].max() > 1e-3


def jump(take: Take, times: np.ndarray, *, apart: float = 1e-5) -> float:
    """The farthest an ankle moves across these times, less what its own speed explains."""
    ankles = [take.bodies[0].skeleton.role(f"{side}_ankle") for side in ("left", "right")]
    a, b, c, d = (take.sample(times + k * apart).positions[:, 0][:, ankles] for k in (-3, -1, 1, 3))
    across, before, after = (np.linalg.norm(x, axis=-1) for x in (c - b, b - a, d - c))
    return float((across - np.maximum(before, after)).max())


@pytest.mark.parametrize("name", takes())
def test_feet_land_and_leave_without_a_jump(name: str) -> None:
    take = takes()[name]
    rows = take.stances
    borders = [rows.start, rows.stop]
    borders += [rows.start + rows.columns[point][:, end] for point in ("heel", "ball") for end in (0, 1)]
    times = np.unique(np.concatenate(borders))
    times = times[(times > take.start + 1e-4) & (times < take.stop - 1e-4)]
    assert jump(take, times) < 2e-5


def test_a_clip_that_nobody_moves_needs_no_drops_and_no_turns() -> None:
    take = scenes.one_walker(moves=[(0.0, 0.0, 0.0)] * 6)
    bare = replace(take, segments=take.segments.with_columns(warp=np.full(6, -1)))
    planted = plant_feet(bare)
    assert len(planted.drops) == 0
    assert np.abs(planted.stances.shift_in).max() < 2e-4  # the rounding of stored angles
    assert np.abs(planted.stances.turn_in).max() < 2e-3


@pytest.mark.parametrize("seed", range(3))
def test_drops_cover_every_need(seed: int) -> None:
    """3 cm/s and 3 degrees per second, on straight legs."""
    rng = np.random.default_rng(seed)
    clip = straight_legged()
    moves = [(*rng.choice([-0.021, 0.021], 2), rng.choice([-0.037, 0.037])) for _ in range(8)]
    take = scenes.one_walker(clip, moves=moves, even=True)
    assert len(take.drops)
    poses = take.sample(np.arange(take.start, take.stop, 1 / 500))
    assert poses.missed.max() < 1e-4
    assert take.drops.drop.max() < MAX_DROP_M
    without = replace(take, drops=Drops()).sample(np.arange(take.start, take.stop, 1 / 500))
    assert without.missed.max() > 1e-3  # the drops were needed


def straight_legged() -> Clip:
    """The walk with the hips as high as the legs allow."""
    clip = scenes.walking()
    from walkon.motion.limbs.legs import Leg, read_leg
    from walkon.motion.limbs.limb import limb_reach

    room = np.inf
    for side in ("left", "right"):
        leg = Leg.of(clip.skeleton, side)
        pose = read_leg(clip, leg)
        ankles = clip.world.positions[:, leg.ankle]
        away = ankles - pose.roots
        up = np.sqrt(limb_reach(pose) ** 2 - away[:, 0] ** 2 - away[:, 1] ** 2) + away[:, 2]
        room = min(room, float(up.min()))
    return raised(clip, room - 1e-3)


def raised(clip: Clip, up: float) -> Clip:
    """The clip with its hips higher and its feet where they were."""
    from walkon.motion.limbs.legs import Leg, read_leg
    from walkon.motion.limbs.limb import solve_limb

    rotations = np.array(clip.local_rotations)
    world = clip.world
    for side in ("left", "right"):
        leg = Leg.of(clip.skeleton, side)
        pose = read_leg(clip, leg)
        hip, knee = solve_limb(pose, pose.roots + np.array([0.0, 0.0, up]), world.positions[:, leg.ankle])
        for joint, above, here in (
            (leg.hip, quat.IDENTITY, hip),
            (leg.knee, hip, quat.multiply(hip, knee)),
            (leg.ankle, quat.multiply(hip, knee), quat.IDENTITY),
        ):
            parent = quat.multiply(above, world.rotations[:, clip.skeleton.parents[joint]])
            turned = quat.multiply(here, world.rotations[:, joint])
            rotations[:, joint] = quat.multiply(quat.conjugate(parent), turned)
    return clip.with_motion(clip.root_positions + np.array([0.0, 0.0, up]), rotations)


def test_knees_do_not_snap_where_legs_are_straight() -> None:
    clip = straight_legged()
    take = scenes.one_walker(clip, moves=[(0.03, 0.02, 0.04), (-0.03, -0.02, -0.04)] * 4)
    t = np.arange(take.start, take.stop, 1 / 60)
    knees = [clip.skeleton.role(f"{side}_knee") for side in ("left", "right")]

    def fastest(one: Take) -> float:
        turns = one.sample(t).local_rotations[:, 0][:, knees]
        return float(np.degrees(quat.angle_between(turns[1:], turns[:-1]).max()) * 60)

    own = fastest(replace(take, stances=Stances(), drops=Drops()))
    assert fastest(take) < 1.3 * own
    assert fastest(replace(take, drops=Drops())) > 1.1 * fastest(take)  # what the drops prevent


def test_a_plant_that_holds_over_into_a_plain_segment_is_reached_there() -> None:
    """Only the first segment is warped; the foot it planted stays down in the second."""
    clip = straight_legged()
    take = scenes.one_walker(clip, moves=[(-0.08, 0.0, 0.0), (0.0, 0.0, 0.0)], seconds=0.55, even=True)
    plain = plant_feet(replace(take, segments=take.segments.with_columns(warp=[0, -1])))
    assert plain.sample(np.arange(0, 1.1, 1 / 300)).missed.max() < 1e-4


def test_planting_again_changes_nothing() -> None:
    take = scenes.one_walker(moves=MOVES)
    again = plant_feet(take)
    for table in ("stances", "drops"):
        for name, values in getattr(take, table).columns.items():
            assert np.array_equal(values, getattr(again, table).columns[name])


def test_drops_count_from_the_characters_own_zero() -> None:
    clip = straight_legged()
    take = scenes.one_walker(clip, moves=MOVES)
    moved = plant_feet(replace(take, characters=take.characters.with_columns(drop_start=[0.234])))
    t = np.arange(0, take.stop, 1 / 200)
    assert moved.sample(t).missed.max() < 1e-4
    down = take.sample(t).positions[:, 0, 0, 2] - moved.sample(t).positions[:, 0, 0, 2]
    assert np.abs(down).max() < 0.01
