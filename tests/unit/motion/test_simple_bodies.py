"""Birds and cars: of their size, facing +x, mirror images left and right, with joints to flap and wheels to turn."""

import numpy as np
import pytest

from walkon._base.errors import InvalidValue
from walkon.motion.body import Body, world_capsules
from walkon.motion.simple_bodies import make_bird, make_car
from walkon.transforms import quaternions as quat


def extent(body: Body, rotations: np.ndarray | None = None) -> np.ndarray:
    """Least and most x, y, z [2, 3] of the flesh with the root at the origin."""
    J = len(body.skeleton)
    places = body.skeleton.rest_positions - body.skeleton.rest_positions[0]
    starts, ends = world_capsules(body, places, np.tile(quat.IDENTITY, (J, 1)) if rotations is None else rotations)
    points, radii = np.concatenate([starts, ends]), body.capsule_radii.T.reshape(-1, 1)
    return np.array([(points - radii).min(axis=0), (points + radii).max(axis=0)])


def mirrored(body: Body) -> bool:
    places = body.skeleton.rest_positions[body.capsule_joints]
    points = np.round(np.concatenate([places + body.capsule_starts, places + body.capsule_ends]), 9)
    left = sorted(map(tuple, points * [1.0, -1.0, 1.0] + 0.0))
    return left == sorted(map(tuple, points + 0.0))


@pytest.mark.parametrize("wingspan", [0.3, 1.0, 2.2])
def test_a_bird_is_as_wide_as_its_wings_and_flies_ahead(wingspan):
    bird = make_bird(wingspan)
    low, high = extent(bird)
    assert high[1] - low[1] == pytest.approx(wingspan, rel=0.05)
    beak = bird.capsule_parts.index("beak")
    assert (bird.skeleton.rest_positions[1] + bird.capsule_ends[beak])[0] == pytest.approx(high[0], abs=0.02 * wingspan)
    assert mirrored(bird)
    assert bird.height == pytest.approx(high[2] - low[2])
    assert bird.masses.sum() == pytest.approx(0.45 * wingspan**3)


def test_wings_flap_about_the_way_it_flies():
    bird = make_bird(1.0)
    rotations = np.tile(quat.IDENTITY, (len(bird.skeleton), 1))
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        rotations[bird.skeleton.index(f"{side}Wing")] = quat.about(np.array([1.0, 0.0, 0.0]), 0.7 * sign)
    assert extent(bird, rotations)[1, 2] > extent(bird)[1, 2] + 0.05


@pytest.mark.parametrize(("length", "width", "height"), [(4.3, 1.75, 1.5), (2.7, 1.6, 1.55), (12.0, 2.5, 3.2)])
def test_a_car_has_its_sizes_and_stands_on_its_wheels(length, width, height):
    car = make_car(length, width=width, height=height)
    low, high = extent(car)
    np.testing.assert_allclose(high - low, [length, width, height], rtol=0.05)
    assert low[2] == pytest.approx(0.0, abs=0.01 * height)
    assert mirrored(car)
    assert [name for name in car.skeleton.names if name.endswith("Wheel")] == [
        *("FrontLeftWheel", "FrontRightWheel", "BackLeftWheel", "BackRightWheel")
    ]
    tyres = np.array([part == "tyre" for part in car.capsule_parts])
    rim = np.linalg.norm(car.capsule_starts[tyres][:, [0, 2]], axis=1)
    assert np.ptp(rim) < 1e-9, "wheels are round about their axles"


def test_sizes_that_are_none_are_refused():
    for make in (make_bird, make_car):
        with pytest.raises(InvalidValue, match="must be a positive number of metres, got 0"):
            make(0.0)
    with pytest.raises(InvalidValue, match="height must be a positive number of metres, got -1"):
        make_car(height=-1.0)
