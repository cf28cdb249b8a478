"""Ways through place and time: clear of everybody at every bin, no faster than asked, on time, through doors."""

from functools import partial

import numpy as np
import pytest

from walkon._base.errors import InvalidValue
from walkon.navigation import guide as guides
from walkon.navigation.guide import distance_field
from walkon.planning.occupancy import BIN_S, BODY_MARGIN_M, Occupancy
from walkon.stage import Obstacle, Stage
from walkon.stage.free_space import FreeSpace

RADIUS, SPEED = 0.245, 1.35
ASIDE = 0.02
"""m that are kept from walls in narrow doors, beside what arms need."""
OPEN = FreeSpace.of(Stage())
find_guide = partial(guides.find_guide, radius=RADIUS)


def places(knots, times):
    return np.column_stack([np.interp(times, knots[:, 2], knots[:, axis]) for axis in (0, 1)])


def stand_in(occupancy, who, knots, until=140.0):
    """Add somebody who walks along knots and then stays."""
    knots = np.asarray(knots, dtype=float)
    bins = np.arange(int(np.ceil(knots[0, 2] / BIN_S - 1e-9)), int(until / BIN_S))
    occupancy.add(who, bins, np.column_stack([places(knots, bins * BIN_S), np.full(len(bins), RADIUS)]))


def crossing_crowd(seed, people=300, still=40):
    """People on a 2 m grid, who walk 25 m in all directions, or stand."""
    rng, occupancy, walks = np.random.default_rng(seed), Occupancy(), []
    side = int(np.ceil(np.sqrt(people)))
    for who in range(people):
        start, angle = 2.0 * np.array(divmod(who, side)), rng.uniform(0, 2 * np.pi)
        end = start + 25.0 * np.array([np.cos(angle), np.sin(angle)])
        knots = [[*start, 0.0], [*(start if who < still else end), 25.0 / rng.uniform(1.05, 1.45)]]
        stand_in(occupancy, who, knots, until=60.0)
        walks.append(np.array(knots))
    return occupancy, walks


def check(guide, walks, *, start, goal, departs, earliest, latest, hold, speed=SPEED, space=OPEN):
    """Measure a guide against everybody, without the hashed grid."""
    knots = guide.knots
    assert guide.found
    assert guide.reason == ""
    np.testing.assert_allclose(knots[0], [*start, departs], atol=1e-9)
    np.testing.assert_allclose(knots[-1, :2], goal, atol=1e-9)
    assert earliest - 1e-6 <= knots[-1, 2] <= latest + 1e-6
    lengths, seconds = np.hypot(*np.diff(knots[:, :2], axis=0).T), np.diff(knots[:, 2])
    assert (seconds > 0).all()
    assert (lengths <= speed * seconds * (1 + 1e-6)).all()
    ends = knots[-1, 2] + min(hold, 100.0)
    times = BIN_S * np.arange(int(np.floor(departs / BIN_S + 1e-9)) + 1, int(ends / BIN_S + 1e-9) + 1)
    mine = places(knots, times)
    for walk in walks:
        gaps = np.hypot(*(places(walk, times) - mine).T) - 2 * RADIUS
        assert gaps.min() >= BODY_MARGIN_M - 1e-4
        far = np.minimum(np.hypot(*(mine - start).T), np.hypot(*(mine - goal).T)) > 0.6
        assert (gaps[far] >= 0.10 - 1e-4).all()
    assert space.distance(mine).min() >= RADIUS


def asked(rng, occupancy, walks):
    while True:
        start, angle = rng.uniform(0, 34, 2), rng.uniform(0, 2 * np.pi)
        if min(np.hypot(*(walk[0, :2] - start)) for walk in walks) > 0.8:
            break
    earliest = 25 / SPEED + rng.uniform(0, 6)
    goal = start + 25 * np.array([np.cos(angle), np.sin(angle)])
    return {"start": start, "goal": goal, "departs": 0.0, "earliest": earliest, "latest": earliest + 8, "hold": 2.0}


def test_in_a_crossing_crowd_guides_are_clear_on_time_and_no_faster_than_asked():
    occupancy, walks = crossing_crowd(1)
    rng, found, seen = np.random.default_rng(2), 0, []
    for _ in range(60):
        ask = asked(rng, occupancy, walks)
        guide = find_guide(occupancy, OPEN, speed=SPEED, **ask)
        seen.append(guide.expanded)
        if guide.found:
            found += 1
            check(guide, walks, **ask)
        else:
            assert len(guide.blockers)  # whoever stands where it leads to, or walks over its start
    assert found >= 52
    assert np.median(seen) < 200  # a straight way alone has fifty steps


def test_time_to_spare_is_spent_before_leaving():
    guide = find_guide(
        Occupancy(), OPEN, start=(0, 0), goal=(10, 0), departs=3.3, earliest=20.0, latest=25.0, speed=1.25
    )
    np.testing.assert_allclose(guide.knots, [[0, 0, 3.3], [0, 0, 12.0], [10, 0, 20.0]], atol=1e-6)


def test_someone_who_must_make_way_at_the_start_leaves_sooner():
    occupancy = Occupancy()
    walk = np.array([[0.0, -8.0, 0.0], [0.0, 8.0, 12.0]])
    stand_in(occupancy, 0, walk)
    ask = {"start": (0, 0), "goal": (10, 0), "departs": 0.0, "earliest": 20.0, "latest": 20.0, "hold": 1.0}
    guide = find_guide(occupancy, OPEN, speed=1.25, **ask)
    check(guide, [walk], speed=1.25, **ask)
    assert np.hypot(*places(guide.knots, np.array([6.0]))[0]) > 0.5


@pytest.mark.parametrize("seed", [0, 7])
def test_the_same_seed_gives_the_same_guide_and_others_may_differ(seed):
    occupancy, walks = crossing_crowd(3, people=100)
    ask = asked(np.random.default_rng(5), occupancy, walks)
    one, two = (find_guide(occupancy, OPEN, speed=SPEED, spread=0.4, seed=seed, **ask).knots for _ in range(2))
    np.testing.assert_array_equal(one, two)
    others = [find_guide(occupancy, OPEN, speed=SPEED, spread=0.4, seed=seed + k, **ask).knots for k in range(1, 6)]
    assert any(len(o) != len(one) or not np.array_equal(o, one) for o in others)


def test_who_is_in_the_way_is_named():
    occupancy = Occupancy()
    for who, angle in enumerate(np.linspace(0, 2 * np.pi, 8, endpoint=False)):
        stand_in(occupancy, 10 + who, [[10 + np.cos(angle), np.sin(angle), 0.0]])
    stand_in(occupancy, 50, [[0.0, 30.0, 0.0]])
    ask = {"start": (0, 0), "goal": (10, 0), "departs": 0.0, "earliest": 0.0, "latest": 30.0, "speed": SPEED}
    ring = find_guide(occupancy, OPEN, **ask)
    assert (ring.found, ring.reason) == (False, "crowded")
    assert 1 <= len(ring.blockers) <= 2
    assert set(ring.blockers) < set(range(10, 18))
    occupancy.remove(int(ring.blockers[0]))
    for other in ring.blockers[1:]:
        occupancy.remove(int(other))
    assert find_guide(occupancy, OPEN, **ask).found
    stand_in(occupancy, 60, [[10.0, 0.1, 0.0]])
    taken = find_guide(occupancy, OPEN, **ask)
    assert (taken.found, taken.reason) == (False, "goal taken")
    assert 60 in taken.blockers
    assert find_guide(occupancy, OPEN, **(ask | {"goal": (-5, 0)}), blame=True).blockers.size == 0


def test_nobody_arrives_while_somebody_is_there_even_to_leave_at_once():
    occupancy = Occupancy()
    walk = np.array([[10.0, 0.0, 0.0], [10.0, 0.0, 15.0], [10.0, 30.0, 40.0]])
    stand_in(occupancy, 0, walk)
    ask = {"start": (0, 0), "goal": (10, 0), "departs": 0.0, "earliest": 0.0, "hold": 0.0}
    assert find_guide(occupancy, OPEN, speed=SPEED, latest=15.0, **ask).reason == "goal taken"
    guide = find_guide(occupancy, OPEN, speed=SPEED, latest=30.0, **ask)
    check(guide, [walk], latest=30.0, **ask)
    assert 15.0 < guide.knots[-1, 2] < 17.0


def rooms():
    """Three rooms of 8 m × 8 m in a row, joined by doors of 1 m."""
    walls = []
    for x, y in ((8.0, 3.0), (16.2, 5.0)):
        for low, high in ((0.0, y - 0.5), (y + 0.5, 8.0)):
            walls.append(Obstacle(polygon=[(x, low), (x + 0.2, low), (x + 0.2, high), (x, high)], height=2.5))
    return Stage(bounds=[(0, 0), (24.4, 0), (24.4, 8), (0, 8)], obstacles=walls)


def test_too_far_and_walled_off_are_told_apart():
    halves = Stage(
        bounds=[(0, 0), (9, 0), (9, 4), (0, 4)],
        obstacles=[Obstacle(polygon=[(4, 0), (5, 0), (5, 4), (4, 4)], height=2)],
    )
    ask = {"start": (1, 2), "goal": (8, 2), "departs": 0.0, "earliest": 0.0, "speed": 1.0}
    assert find_guide(Occupancy(), FreeSpace.of(halves), latest=60.0, **ask).reason == "walled off"
    assert find_guide(Occupancy(), OPEN, latest=6.9, **ask).reason == "too far"
    assert find_guide(Occupancy(), OPEN, latest=7.0, **ask).found


@pytest.mark.parametrize("turned", [0.0, 0.6])
def test_forty_go_one_after_another_through_rooms_with_narrow_doors(turned):
    turn = np.array([[np.cos(turned), np.sin(turned)], [-np.sin(turned), np.cos(turned)]])
    stage = rooms()
    stage = Stage(
        bounds=stage.bounds @ turn, obstacles=[Obstacle(polygon=o.polygon @ turn, height=2.5) for o in stage.obstacles]
    )
    space, occupancy, walks = FreeSpace.of(stage), Occupancy(), []
    spots = np.stack(np.meshgrid(np.linspace(0.6, 7.4, 7), np.linspace(0.6, 7.4, 6)), axis=-1).reshape(-1, 2)
    # Nearest to the door first, and they go in deepest: nobody walks over those who come later, or is walled in.
    starts = spots[np.argsort(np.hypot(*(spots - [8.0, 3.0]).T))][:40] @ turn
    goals = np.add(spots[np.argsort(-np.hypot(*(spots - [0.0, 5.0]).T))][:40], (16.4, 0.0)) @ turn
    for who in range(40):
        ask = {
            "start": starts[who],
            "goal": goals[who],
            "departs": 0.0,
            "earliest": 0.0,
            "latest": 110.0,
            "hold": np.inf,
        }
        guide = find_guide(occupancy, space, speed=SPEED, me=who, aside=ASIDE, **ask)
        check(guide, walks, space=space, **ask)
        stand_in(occupancy, who, guide.knots)
        walks.append(guide.knots)


def test_a_field_made_before_gives_the_same_guide():
    space = FreeSpace.of(rooms())
    ask = {"start": (2, 6), "goal": (22, 2), "departs": 0.0, "earliest": 0.0, "latest": 60.0, "speed": SPEED}
    field = distance_field(space.walking_grid, ask["goal"], radius=RADIUS + ASIDE)
    one, two = (find_guide(Occupancy(), space, field=f, aside=ASIDE, **ask).knots for f in (None, field))
    assert len(one) > 2
    np.testing.assert_array_equal(one, two)


def test_nonsense_is_refused():
    ask = {"start": (0, 0), "goal": (1, 0), "departs": 0.0, "earliest": 0.0, "latest": 9.0}
    with pytest.raises(InvalidValue, match="speed"):
        find_guide(Occupancy(), OPEN, speed=0.0, **ask)
    with pytest.raises(InvalidValue, match="finite"):
        find_guide(Occupancy(), OPEN, speed=1.0, **(ask | {"departs": np.nan}))
