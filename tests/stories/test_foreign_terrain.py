"""Recast's sample meshes as floors: rooms and walkways above each other, and steep hills."""

import numpy as np
import pytest

from walkon.crowd.performing import perform_with_report
from walkon.io.meshes import read_triangles
from walkon.script import Character, Mark, Scene
from walkon.stage import Stage, TerrainFloor
from walkon.stage.terrain_checks import check_mesh
from walkon.take.auditing.limits import good_limits

TENTH_OF_A_MILLIMETRE = 1e-4
GENTLE_RAD = np.radians(15.0)
"""rad from level that the ways of the test are at most."""


def floor_of(folder, name, *, scale=1.0):
    """The floor of a mesh around the origin, and its triangles [F, 3, 3] m."""
    corners = read_triangles(folder / f"{name}.obj", scale=scale)
    check_mesh(corners)
    middle = 0.5 * (corners.min(axis=(0, 1)) + corners.max(axis=(0, 1)))
    return TerrainFloor(corners - middle), corners - middle


@pytest.mark.parametrize("name", ["dungeon", "undulating"])
def test_heights_are_those_of_an_independent_ray(terrain, rng, name):
    trimesh = pytest.importorskip("trimesh")
    floor, corners = floor_of(terrain, name)
    mesh = trimesh.Trimesh(*trimesh.triangles.to_kwargs(corners).values(), process=False)
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    points = rng.uniform(low[:2], high[:2], (400, 2))
    rays = np.column_stack([points, np.full(len(points), high[2] + 1.0)])
    places, ray, triangle = mesh.ray.intersects_location(rays, np.tile([0.0, 0.0, -1.0], (len(rays), 1)))
    # Of all that the verticals meet, what faces up is floor; far from sides, where two meet, both agree which that is.
    up = mesh.face_normals[triangle, 2] > 1e-3
    places, ray = places[up], ray[up]
    assert len(places) > 150
    found = floor(points[ray], near=places[:, 2]).heights
    assert np.abs(found - places[:, 2]).max() <= TENTH_OF_A_MILLIMETRE
    highest = np.full(len(points), -np.inf)
    np.maximum.at(highest, ray, places[:, 2])
    asked = floor(points).heights
    assert (np.isfinite(asked) == np.isfinite(highest)).mean() > 0.995
    both = np.isfinite(asked) & np.isfinite(highest)
    assert np.abs(asked - highest)[both].max() <= TENTH_OF_A_MILLIMETRE


def gentle_ways(floor, rng, *, count=2, length=5.0):
    """Starts and goals [count, 2, 2] of straight ways on gentle slopes, 5 m or more apart."""
    starts, angles = rng.uniform(-40.0, 40.0, (20_000, 2)), rng.uniform(-np.pi, np.pi, 20_000)
    ends = starts + length * np.column_stack([np.cos(angles), np.sin(angles)])
    aside = 0.3 * np.column_stack([-np.sin(angles), np.cos(angles)])
    share = np.linspace(-0.1, 1.1, 41)[:, None, None, None]
    places = starts + share * (ends - starts) + np.array([-1.0, 0.0, 1.0])[:, None, None] * aside
    slopes = np.arccos(floor(places).normals[..., 2])
    steepest = np.nan_to_num(slopes, nan=np.pi).max(axis=(0, 1))
    ways: list = []
    for k in np.argsort(steepest):
        if all(np.linalg.norm(starts[k] - way[0]) > 2 * length for way in ways):
            ways.append((starts[k], ends[k]))
        if len(ways) == count:
            return np.array(ways), float(steepest[k])
    raise AssertionError("there are no gentle ways")


def test_two_people_walk_the_hills_and_meet_their_marks(terrain, rng):
    # As the file has them the hills are 10 m apart and nearly everywhere over 25 degrees steep.
    floor, _ = floor_of(terrain, "undulating", scale=3.0)
    ways, steepest = gentle_ways(floor, rng)
    assert steepest < GENTLE_RAD
    people = tuple(
        Character(
            name=name,
            place=(*a, float(np.arctan2(*(b - a)[::-1]))),
            marks=(Mark(name="there", position=tuple(b), window=(0.0, 25.0)),),
        )
        for name, (a, b) in zip(("ann", "bob"), ways, strict=True)
    )
    made = perform_with_report(Scene(stage=Stage(floor=floor), characters=people))
    assert made.unmet == ()
    audit = made.take.audit()
    faults = audit.broken(good_limits(audit))
    assert [fault for fault in faults if fault[0].startswith(("terrain.", "floor."))] == [], faults
