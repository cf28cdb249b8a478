"""People on a bridge and under it: at one place and one time, and none the wiser."""

import numpy as np
import pytest

from floors import two_layers
from walkon.crowd.performing import perform_with_report
from walkon.script import Character, Mark, Scene
from walkon.script.checks import find_problems
from walkon.stage import Obstacle, Stage, TerrainFloor

DECK_M = 4.0
WAYS = {
    "ann": ((-6.0, 0.0), (6.0, 0.0)),
    "bob": ((6.0, 0.0), (-6.0, 0.0)),
    "eve": ((0.0, -2.0), (0.0, 2.0)),
    "dan": ((0.3, 2.0), (0.3, -2.0)),
}
"""Straight ways that all cross in the middle."""


@pytest.fixture(scope="module")
def floor():
    """A road, and a deck of 20 by 6 m over its middle."""
    return TerrainFloor(two_layers(height=DECK_M))


def crossing(floor, heights, **stage):
    """Who is named in `heights` walks its way on the floor at that height."""
    people = []
    for name, z in heights.items():
        (a, b), (c, d) = WAYS[name]
        mark = Mark(name="over", position=(c, d), z=z, window=(0.0, 30.0))
        people.append(Character(name=name, place=(a, b, float(np.arctan2(d - b, c - a))), z=z, marks=(mark,)))
    bounds = [[-19.0, -18.0], [19.0, -18.0], [19.0, 18.0], [-19.0, 18.0]]
    return Scene(stage=Stage(floor=floor, bounds=bounds, **stage), characters=tuple(people), ends=16.0)


def walk_of(take, name):
    """When, what and where a character plays."""
    mine = take.segments.rows(take.segments.character == take.names.index(name))
    return np.column_stack([mine.start, mine.stop, mine.edge, mine.place])


def are_equal(one, other, name):
    """Say whether somebody does the same in two takes, to a tenth of a micrometre: frames of planning differ."""
    a, b = walk_of(one, name), walk_of(other, name)
    return a.shape == b.shape and np.allclose(a, b, rtol=0.0, atol=1e-7)


def box(x, y, name, **heights):
    return Obstacle(polygon=[[-x, -y], [x, -y], [x, y], [-x, y]], name=name, **heights)


@pytest.fixture(scope="module")
def both(floor):
    return perform_with_report(crossing(floor, {"ann": DECK_M, "bob": 0.0, "eve": DECK_M, "dan": 0.0}))


@pytest.mark.parametrize(("names", "height"), [(("ann", "eve"), DECK_M), (("bob", "dan"), 0.0)])
def test_each_storey_walks_as_if_the_other_were_not_there(floor, both, names, height):
    alone = perform_with_report(crossing(floor, dict.fromkeys(names, height)))
    assert not both.unmet and not alone.unmet
    assert all(are_equal(both.take, alone.take, name) for name in names)


def test_people_of_one_storey_give_way_to_each_other(floor, both):
    one = perform_with_report(crossing(floor, dict.fromkeys(WAYS, 0.0)))
    assert not one.unmet
    assert sum(not are_equal(both.take, one.take, name) for name in WAYS) >= 2
    assert one.take.audit().to_json()["collisions"]["pair_frames"] == 0


def test_they_pass_through_one_place_at_one_time_without_meeting(both):
    """Ann on the deck and Bob on the road come within a body's width seen from above; nothing finds them near."""
    take = both.take
    times = np.arange(0.0, take.duration, 0.1)
    roots = np.array([take.pose(t).positions[:2, 0] for t in times])
    apart = np.linalg.norm(roots[:, 0, :2] - roots[:, 1, :2], axis=1)
    closest = int(np.argmin(apart))
    assert apart[closest] < 0.3
    assert roots[closest, 0, 2] - roots[closest, 1, 2] == pytest.approx(DECK_M, abs=0.1)
    assert "bob" not in [other.name for other in take.why("ann", float(times[closest])).neighbours]
    assert take.audit().to_json()["collisions"]["pair_frames"] == 0


def test_an_obstacle_blocks_its_own_storey_only(floor):
    crate, kiosk = box(1.0, 1.5, "crate", height=1.0), box(1.0, 1.5, "kiosk", base=DECK_M, height=DECK_M + 1)
    for height, other, own in ((DECK_M, crate, kiosk), (0.0, kiosk, crate)):
        free, past, around = (
            perform_with_report(crossing(floor, {"ann": height}, obstacles=things)) for things in ((), (other,), (own,))
        )
        assert not free.unmet and not past.unmet and not around.unmet
        assert are_equal(free.take, past.take, "ann")
        assert np.abs(walk_of(around.take, "ann")[:, -2]).max() > 1.5 > np.abs(walk_of(free.take, "ann")[:, -2]).max()


def test_checks_know_storeys(floor):
    def problems(first, second, **stage):
        people = [Character(name=name, place=(0.0, 0.0, 0.0), z=z) for name, z in (("ann", first), ("bob", second))]
        scene = Scene(stage=Stage(floor=floor, **stage), characters=tuple(people))
        return [str(one) for one in find_problems(scene, poses=["stand"], fastest=2.0, radius=0.25)]

    crate = box(1.0, 1.5, "crate", height=1.0)
    assert problems(DECK_M, 0.0) == []
    assert "2 people must be 0 m apart" in problems(0.0, 0.0)[0]
    assert problems(DECK_M, 0.0, obstacles=(crate,)) == ["bob: (0, 0) is inside obstacle 'crate'"]


def test_a_mark_on_a_storey_that_no_way_leads_to_is_told(floor):
    mark = Mark(name="up", position=(0.0, 0.0), z=DECK_M)
    scene = Scene(stage=Stage(floor=floor), characters=(Character(name="ann", place=(-15, 0, 0), marks=(mark,)),))
    (told,) = perform_with_report(scene).unmet
    assert told == ("ann", "up", "walled off: the way there ends on the floor at 0 m, and not on that at 4 m")
