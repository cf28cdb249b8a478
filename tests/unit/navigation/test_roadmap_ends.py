import numpy as np

from roadmap_scenes import box, path_clearance, room, two_rooms
from walkon.navigation.roadmap import Roadmap
from walkon.stage import Obstacle
from walkon.stage.low_solids import LEGS_NARROWER_M

RADIUS = 0.245
"""m of a body on its way."""


def test_a_place_by_a_wall_is_left_without_a_step_aside():
    stage = room(10, 10, box(5, 5, 2, 2))
    path = Roadmap.of(stage, radius=RADIUS).path((3.9, 5.0), (1.0, 8.0))
    np.testing.assert_array_equal(path, [[3.9, 5.0], [1.0, 8.0]])


def test_nobody_walks_along_a_wall_that_they_stand_at():
    stage = room(20, 10, box(10, 5, 16, 2))
    path = Roadmap.of(stage, radius=RADIUS).path((3.0, 6.1), (17.0, 6.1))
    assert path[0].tolist() == [3.0, 6.1]
    assert path[-1].tolist() == [17.0, 6.1]
    inner = path[1:-1]
    assert path_clearance(stage, inner) >= 0.265 - 1e-9
    assert np.linalg.norm(inner[0] - path[0]) < 0.6


def test_a_seat_in_a_chair_is_left_the_shortest_way_or_ahead():
    stage = room(10, 10, Obstacle(polygon=box(5, 5, 0.6, 0.5).polygon, height=0.45, name="chair"))
    roadmap = Roadmap.of(stage, radius=RADIUS)
    # A chair meets legs only, so it is drawn in.
    (short,) = roadmap.approach((5.0, 5.05))
    np.testing.assert_allclose(short, [5.0, 5.25 - LEGS_NARROWER_M + 0.27], atol=0.01)
    (ahead,) = roadmap.approach((5.0, 5.05), facing=0.0)
    np.testing.assert_allclose(ahead, [5.3 - LEGS_NARROWER_M + 0.27, 5.05], atol=0.03)
    path = roadmap.path((1.0, 1.0), (5.0, 5.05), goal_facing=-np.pi / 2)
    np.testing.assert_array_equal(path[-1], [5.0, 5.05])
    assert abs(path[-2, 0] - 5.0) < 1e-9
    assert path[-2, 1] < 4.75


def test_places_in_free_space_are_their_own_approach():
    places = np.array([[1.0, 1.0], [11.0, 7.0]])
    np.testing.assert_array_equal(Roadmap.of(two_rooms(1.0), radius=RADIUS).approach(places), places)


def test_a_seat_at_a_thin_wall_is_not_left_through_the_wall():
    # The free space behind the wall is nearer than that before the table.
    wall, table = box(5, 5.0, 8, 0.02), box(5, 5.7, 8, 0.3)
    stage = room(10, 10, wall, table)
    seat = (5.0, 5.1)
    roadmap = Roadmap.of(stage, radius=RADIUS)
    assert roadmap.path((5.0, 1.0), seat) is None
    assert "wall" in roadmap.why_not((5.0, 1.0), seat)


def test_a_place_between_two_rooms_is_reached_from_either():
    # By a thin wall, a little nearer to the free space of one side; the other side is taken where the start is.
    roadmap = Roadmap.of(two_rooms(0.3, thick=0.02), radius=RADIUS)
    for start in ((1.0, 4.0), (11.0, 4.0)):
        path = roadmap.path(start, (6.0, 4.0))
        assert path is not None
        assert (path[:-1, 0] < 6.0).all() == (start[0] < 6.0)


def test_a_goal_deep_in_a_wall_is_refused_with_its_place():
    stage = room(20, 20, box(10, 10, 10, 10))
    why = Roadmap.of(stage, radius=RADIUS).why_not((1.0, 1.0), (10.0, 10.0))
    assert "goal (10.00, 10.00)" in why
    assert "1.25 m" in why


def test_starts_and_goals_outside_free_space_go_to_their_own_paths():
    stage = room(20, 10, box(10, 5, 16, 2))
    roadmap = Roadmap.of(stage, radius=RADIUS)
    rng = np.random.default_rng(0)
    rim = np.stack([rng.uniform(2.5, 17.5, 40), rng.choice([3.9, 6.1], 40)], axis=1)
    inner = rng.uniform([1, 7], [19, 9], (40, 2))
    starts, goals = (
        np.where(rng.random((40, 1)) < 0.5, rim, inner),
        np.where(rng.random((40, 1)) < 0.5, rim[::-1], inner[::-1]),
    )
    paths = roadmap.paths(starts, goals)
    assert paths.found.all()
    for i, path in enumerate(paths):
        np.testing.assert_array_equal(path[[0, -1]], [starts[i], goals[i]])
        assert len(np.unique(path, axis=0)) == len(path)
