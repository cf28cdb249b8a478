"""Feet on floors that are not level: they stand on them, swings clear them, and nothing else changes."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.floors import feet, knees

import take_scenes as scenes
from floors import sheet, slope, two_layers
from terrain_takes import hill_walkers, straight_walk
from walkon.stage import FlatFloor, RampFloor, Stage, TerrainFloor
from walkon.take.planting.planting import plant_feet
from walkon.take.posing.posing import pose_pairs
from walkon.take.posing.posing_numpy import pose_numpy
from walkon.transforms import quaternions as quat

MILLIMETRE, MICROMETRE, ROUNDING = 1e-3, 1e-6, 1e-9
WALKS = ("walk_0.50", "walk_0.70", "walk_0.90", "walk_1.10", "walk_1.35", "walk_1.60", "walk_1.90", "jog")


@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.parametrize(
    ("degrees", "heading", "most_down", "most_bent"),
    [
        (5, 0.0, 0.04, 8.0),
        (-5, 0.0, 0.04, 8.0),
        (5, np.pi / 2, 0.04, 8.0),
        (10, 0.0, 0.08, 16.0),
        (-10, 0.0, 0.08, 16.0),
        (10, -np.pi / 2, 0.08, 16.0),
        (10, 0.8, 0.08, 16.0),
        (-10, 2.1, 0.08, 16.0),
    ],
)
def test_slopes_are_walked_hardly_lower_and_hardly_more_bent(walk, degrees, heading, most_down, most_bent) -> None:
    level = straight_walk(walk, FlatFloor(), heading=heading)
    take = straight_walk(walk, TerrainFloor(slope(degrees)), heading=heading)
    times = np.arange(take.start, take.stop, 1 / 60)
    root, flat = take.sample(times).positions[:, 0, 0], level.sample(times).positions[:, 0, 0]
    assert np.abs(root[:, :2] - flat[:, :2]).max() < ROUNDING
    down = flat[:, 2] - (root[:, 2] - take.stage.floor(root[:, :2]).heights)
    assert down.max() <= most_down and down.min() > -0.005
    assert knees(take, times).max() - knees(level, times).max() <= most_bent
    off, deep, short = feet(take, times)
    assert off <= 0.1 and deep <= 3.0 and short <= 0.1  # mm


@pytest.mark.parametrize("degrees", [10.0, -10.0])
def test_soles_lie_on_slopes_across_as_they_do_on_level_ground(degrees) -> None:
    take = straight_walk("walk_1.35", TerrainFloor(slope(degrees)), heading=np.pi / 2)
    level = straight_walk("walk_1.35", FlatFloor(), heading=np.pi / 2)
    times = np.arange(take.start, take.stop, 1 / 60)
    poses, flat = take.sample(times), level.sample(times)
    ankle = take.bodies[0].skeleton.role("left_ankle")
    lies = poses.contacts[:, 0, :2].all(axis=1) & flat.contacts[:, 0, :2].all(axis=1)
    assert lies.sum() > 50
    # What a sole's up is on level ground is turned onto the slope's normal.
    turn = quat.multiply(poses.rotations[lies, 0, ankle], quat.conjugate(flat.rotations[lies, 0, ankle]))
    up = quat.rotate(turn, np.array([0.0, 0.0, 1.0]))
    normal = np.array([-np.sin(np.radians(degrees)), 0.0, np.cos(np.radians(degrees))])
    assert np.degrees(np.arccos(np.clip(up @ normal, -1, 1))).max() < 0.5


@pytest.mark.parametrize("seed", range(3))
def test_the_kernel_is_the_readable_rule_on_hills(seed) -> None:
    take = hill_walkers(seed, count=4, seconds=3.0)
    assert (take.stances.rise > 0).any() and (take.stances.roll != 0).any()
    rng = np.random.default_rng(seed)
    when = np.concatenate([rng.uniform(0.0, 3.0, 60), take.stances.stop - 1e-4, take.stances.stop + 1e-4])
    who = np.concatenate([rng.integers(0, 4, 60), take.stances.character, take.stances.character])
    found, wanted = pose_pairs(take, who, when), pose_numpy(take, who, when)
    there = found.present
    assert np.abs(found.positions - wanted.positions)[there].max() < ROUNDING
    assert np.array_equal(found.contacts, wanted.contacts)


@pytest.mark.parametrize("seed", range(3))
def test_feet_stand_on_hills_and_swings_clear_them(seed) -> None:
    take = hill_walkers(seed)
    off, deep, short = feet(take, np.arange(take.start, take.stop, 1 / 60))
    assert off <= 0.1 and deep <= 3.0 and short <= 0.1  # mm


def test_feet_leave_and_land_without_a_jump() -> None:
    take = hill_walkers(7, count=8)
    s = take.stances
    for edge in (s.start, s.stop):
        before, after = (pose_pairs(take, s.character, edge + d).positions for d in (-1e-5, 1e-5))
        there = np.isfinite(before[:, 0, 0]) & np.isfinite(after[:, 0, 0])
        assert np.linalg.norm(after - before, axis=-1)[there].max() < 5e-4


@pytest.mark.parametrize("lift", [3.0, -7.5])
def test_a_floor_that_is_lifted_lifts_everything_and_nothing_else(lift) -> None:
    rng = np.random.default_rng(3)
    take = scenes.one_walker(moves=[(0.03, 0.02, 0.05)] * 4)
    lifted = plant_feet(replace(take, stage=Stage(floor=FlatFloor(lift)), heights=take.heights.rows(slice(0, 0))))
    when = rng.uniform(take.start, take.stop, 100)
    a, b = (pose_pairs(one, np.zeros(100, int), when) for one in (take, lifted))
    assert np.abs(b.positions - a.positions - [0.0, 0.0, lift]).max() < MICROMETRE
    assert np.array_equal(a.contacts, b.contacts)
    hills = hill_walkers(2, count=3, seconds=3.0)
    floor = hills.stage.floor.placed([0.0, 0.0, 0.0, lift])
    higher = plant_feet(replace(hills, stage=Stage(floor=floor), heights=hills.heights.rows(slice(0, 0))))
    times = np.linspace(0.0, 3.0, 40)
    assert np.abs(higher.sample(times).positions - hills.sample(times).positions - [0.0, 0.0, lift]).max() < MICROMETRE


def test_a_level_terrain_is_a_level_floor() -> None:
    """But for heels that rise instead of roots that come down, and swings that clear it by a little more."""
    line = np.array([-60.0, 60.0])
    for height in (0.0, 2.0):
        flat = straight_walk("walk_1.10", FlatFloor(height))
        mesh = straight_walk("walk_1.10", TerrainFloor(sheet(line, line, np.full((2, 2), height))))
        times = np.linspace(flat.start, flat.stop, 100)
        assert np.abs(flat.sample(times).positions - mesh.sample(times).positions).max() < MILLIMETRE


def test_a_ramp_is_climbed_from_level_to_level() -> None:
    ramp = RampFloor([1.0, 0.0, 0.0], [4.0, 0.0, 0.4])
    take = straight_walk("walk_1.10", ramp)
    times = np.arange(take.start, take.stop, 1 / 60)
    off, deep, short = feet(take, times)
    assert off <= 0.1 and deep <= 3.0 and short <= 0.1
    root = take.sample([take.start, take.stop]).positions[:, 0, 0]
    assert root[1, 2] - root[0, 2] == pytest.approx(ramp(root[1:, :2]).heights[0], abs=0.01)


def test_who_begins_under_a_bridge_stays_under_it() -> None:
    """Without a height the highest floor counts where somebody begins; after that one stays on the floor one is on."""
    take = straight_walk("walk_1.35", TerrainFloor(two_layers(height=4.0) + np.array([12.5, 0.0, 0.0])))
    z = take.sample(np.linspace(take.start, take.stop, 50)).positions[:, 0, 0, 2]
    x = take.sample(np.linspace(take.start, take.stop, 50)).positions[:, 0, 0, 0]
    assert x.max() > 3.0  # well under the deck, which begins at 2.5 m
    assert z.max() < 1.2
