"""The kernels of guides and distance fields do what their rule in plain Python does."""

import numpy as np
import pytest

from twins import guide as plain
from walkon.navigation import guide as module
from walkon.navigation.distance_field import distance_field, grain_axis
from walkon.planning.occupancy import Occupancy
from walkon.stage import Obstacle, Stage
from walkon.stage.free_space import FreeSpace


def box(x0, y0, x1, y1):
    return Obstacle(polygon=[(x0, y0), (x1, y0), (x1, y1), (x0, y1)], height=2.0)


HALL = Stage(
    bounds=[(-1, -1), (9, -1), (9, 7), (-1, 7)], obstacles=[box(3, -1, 3.2, 2), box(3, 3, 3.2, 7), box(6, 1, 7, 4)]
)
FIELDS = Stage(obstacles=[box(3, 0, 3.4, 4), box(5, 2, 6, 6)])
RADIUS, ASIDE = 0.245, 0.02
NEED = RADIUS + ASIDE
"""m from what arms hang beside is what it takes, through the doors of a metre too."""
STAGES = {"open": Stage(), "hall": HALL, "endless": FIELDS}
USUAL = {("open", 0), ("open", 1), ("hall", 0), ("endless", 1)}
SEARCHES = [
    pytest.param(name, seed, marks=[] if (name, seed) in USUAL else [pytest.mark.slow])
    for name in STAGES
    for seed in range(3)
]
"""Plain searches take seconds each."""


def crowd(seed, people=60, bins=220):
    rng, occupancy = np.random.default_rng(seed), Occupancy()
    for who in range(people):
        start, speed = rng.uniform((0.9, -1), (9, 7)), rng.uniform(-0.6, 0.6, 2) * (who % 4 > 0)
        path = start + speed * 0.1 * np.arange(bins)[:, None]
        occupancy.add(who, np.arange(bins), np.column_stack([path, np.full(bins, 0.245)]))
    return occupancy


def prepared(name, number, **more):
    """A task as `find_guide` makes it, caught on its way to the kernels."""
    space, occupancy, caught = FreeSpace.of(STAGES[name]), crowd(number), []

    def catch(entries, ground, field, task, windows, latest, **options):
        caught.append((entries, field, task, windows, latest))
        return np.zeros((0, 3)), 0

    ask = {"departs": 0.23, "earliest": 3.0 + number % 3 * 4, "latest": 20.0, "speed": 1.2, "hold": 1.5}
    keep, module._search = module._search, catch
    try:
        module.find_guide(
            occupancy, space, start=(0.0, 0.5), goal=(8.2, 5.1), radius=RADIUS, aside=ASIDE, **(ask | more)
        )
    finally:
        module._search = keep
    return space, occupancy, caught[0]


@pytest.mark.parametrize(("name", "seed"), SEARCHES)
def test_searches_pulled_ways_and_blame_are_equal(name, seed):
    from walkon.navigation import _guide_kernels as kernels

    space, _, (entries, field, task, windows, latest) = prepared(name, seed, spread=0.2 * (seed % 2), seed=seed)
    ground, most = space.walking_grid, 600
    for through, drive in ((False, 0.0), (False, 6.0), (True, 0.0)):
        now = task._replace(drive=drive)
        scratch = module._scratch(most, int((latest - task.begin) / task.dt) + 8)
        count, seen = kernels.search(entries, ground, field, now, windows, through, most, *scratch)
        raw, looked = plain.search(entries, space, field, now, windows, through, most)
        assert (count, seen) == (len(raw), looked)
        np.testing.assert_allclose(scratch[-1][:count], raw, atol=1e-9)
        if count and not through:
            out = np.zeros_like(raw)
            out = out[: kernels.pull(entries, ground, task, raw, out)]
            np.testing.assert_array_equal(out, plain.pull(entries, space, task, raw))
        if count and through:
            who = np.zeros(64, np.int64)
            who = np.sort(who[: kernels.met(entries, task, raw, 1.5, who)])
            np.testing.assert_array_equal(who, plain.met(entries, task, raw, 1.5))


def test_some_of_these_searches_find_a_way_and_some_meet_people():
    found, met = 0, 0
    for stage in STAGES.values():
        for seed in range(3):
            guide = module.find_guide(
                crowd(seed), FreeSpace.of(stage), start=(0.0, 0.5), goal=(8.2, 5.1), departs=0.23,
                earliest=3.0, latest=20.0, speed=1.2, radius=RADIUS, aside=ASIDE, blame=True,
            )  # fmt: skip
            found, met = found + guide.found, met + len(guide.blockers)
    assert found >= 5
    assert met >= 1


@pytest.mark.parametrize("hold", [0.0, 2.5, np.inf])
def test_windows_of_arrival_and_pieces_are_equal(hold):
    from walkon.navigation import _guide_kernels as kernels

    rng = np.random.default_rng(8)
    space, _, (entries, _, task, _, _) = prepared("hall", 1)
    ground, told = space.walking_grid, []
    for _ in range(40):
        now = task._replace(goal_x=rng.uniform(0, 8), goal_y=rng.uniform(0, 6))
        out = np.zeros((64, 2))
        out = out[: kernels.arrivals(entries, now, 2.0, 18.0, hold, out)]
        np.testing.assert_allclose(out, plain.arrivals(entries, now, 2.0, 18.0, hold), atol=1e-12)
        a = (*rng.uniform(0, 6, 2), 3.07)
        b = (a[0] + rng.uniform(-0.6, 0.6), a[1] + rng.uniform(-0.6, 0.6), rng.uniform(3.2, 4.2))
        told.append(kernels.state(entries, ground, now, *a, *b))
        assert told[-1] == plain.state(entries, space, now, a, b)
    assert set(told) == {0, 1, 2}


@pytest.mark.parametrize("goal", [(8.2, 5.1), (2.9 - 0.15, 0.5), (20.0, 3.0)])
@pytest.mark.parametrize("name", ["hall", "endless"])
def test_distances_are_equal(name, goal):
    from walkon.navigation import _distance_kernels as kernels

    space = FreeSpace.of(STAGES[name])
    ground = space.walking_grid
    field = distance_field(ground, goal, radius=NEED)
    every = round(field.grid[2] / ground.frame[2])
    np.testing.assert_allclose(field.values, plain.flood(space, field, every, goal, NEED), atol=1e-4)
    assert np.isfinite(field.values).any() == (name == "endless" or goal[0] < 9)
    for place in ((0.0, 0.5), (3.4, 2.5), (2.8, 0.2), (-6.0, 2.0)):
        told = kernels.entry(ground, field, *place, NEED)
        assert told == pytest.approx(plain.entry(space, field, place, NEED), abs=1e-6)
        ends = np.array([place, goal])
        assert kernels.sees(ground, ends, NEED, 0.2, 0.2) == plain.sees(space, ends, NEED, 0.2, 0.2)


def test_a_distance_is_that_of_the_way_around():
    from walkon.navigation import _distance_kernels as kernels

    space = FreeSpace.of(Stage(obstacles=[box(4, -5, 4.2, 5)]))
    field = distance_field(space.grid, (8.0, 0.0), radius=0.3)
    assert field.grid[0] > 0.0  # the start is off the grid: over the rim
    around = 2 * np.hypot(4.1, 5.3)
    assert kernels.entry(space.grid, field, 0.0, 0.0, 0.3) == pytest.approx(around, rel=0.06)


@pytest.mark.parametrize("angle", [0.0, 0.3, -0.6])
def test_the_grain_is_the_direction_of_walls(angle):
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    stage = Stage(bounds=np.array([(0, 0), (9, 0), (9, 5), (0, 5)]) @ turn)
    np.testing.assert_allclose(grain_axis(FreeSpace.of(stage)), [np.cos(angle), np.sin(angle)], atol=0.02)
