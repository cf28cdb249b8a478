import numpy as np
import pytest

from roadmap_scenes import box, furnished, path_clearance, path_length, room, shortest_lengths, two_rooms
from walkon._base.errors import InvalidShape, InvalidValue
from walkon.navigation.roadmap import Roadmap
from walkon.stage import Stage

RADIUS = 0.245


def free_pairs(roadmap, stage, count, seed):
    """Return starts and goals in free space."""
    rng = np.random.default_rng(seed)
    low, high = stage.bounds.min(axis=0), stage.bounds.max(axis=0)
    places = rng.uniform(low, high, (20 * count, 2))
    places = places[roadmap.parts.holds(places, roadmap.parts.part_of(places))][: 2 * count]
    return places[:count], places[count:]


@pytest.mark.parametrize("seed", range(6))
def test_paths_stay_clear_of_walls_and_are_no_shorter_than_the_straight_line(seed):
    stage = furnished(12, 12.0, seed)
    roadmap = Roadmap.of(stage, radius=RADIUS, seed=seed)
    starts, goals = free_pairs(roadmap, stage, 60, seed)
    paths = roadmap.paths(starts, goals)
    assert paths.found.mean() > 0.8
    bent = 0
    for i, path in enumerate(paths):
        if path is None:
            assert "walled off" in paths.reasons[i]
            continue
        np.testing.assert_array_equal(path[[0, -1]], [starts[i], goals[i]])
        assert path_clearance(stage, path) >= RADIUS + 0.02 - 1e-9
        assert paths.lengths[i] == pytest.approx(path_length(path))
        assert paths.lengths[i] >= np.linalg.norm(goals[i] - starts[i]) - 1e-9
        bent += len(path) > 2
    assert bent > 10


@pytest.mark.parametrize("seed", range(4))
def test_paths_are_within_five_per_cent_of_the_shortest(seed):
    stage = furnished(5, 9.0, seed)
    roadmap = Roadmap.of(stage, seed=seed, radius=RADIUS)
    starts, goals = free_pairs(roadmap, stage, 30, seed + 100)
    paths = roadmap.paths(starts, goals)
    best = shortest_lengths(stage, starts, goals, roadmap.need)
    found = paths.found & np.isfinite(best)
    assert found.mean() > 0.8
    assert (best[found] > 1.0001 * np.linalg.norm(goals - starts, axis=1)[found]).sum() >= 4
    assert (paths.lengths[found] >= best[found] * (1 - 1e-3)).all()
    # Bending 8 cm farther out costs 8 cm per radian: of long ways little, of short ones around a column more.
    assert (paths.lengths[found] <= np.maximum(1.05 * best, best + 0.08 * np.pi)[found]).all()
    assert paths.lengths[found].sum() <= 1.02 * best[found].sum()


def test_random_samples_alone_find_ways_as_in_the_paper():
    stage = furnished(5, 9.0, 1)
    roadmap = Roadmap.of(stage, samples=400, corners=False, radius=RADIUS)
    assert not roadmap.graph.corners.any()
    starts, goals = free_pairs(roadmap, stage, 20, 7)
    paths = roadmap.paths(starts, goals)
    assert paths.found.all()
    for path in paths:
        assert path_clearance(stage, path) >= roadmap.need - 1e-9
    assert (paths.lengths <= 1.1 * shortest_lengths(stage, starts, goals, roadmap.need)).all()


@pytest.mark.parametrize("door", [0.56, 0.7, 1.0])
def test_doors_are_found_with_every_seed(door):
    stage = two_rooms(door)
    for seed in range(20):
        path = Roadmap.of(stage, seed=seed, radius=RADIUS).path((1.0, 1.0), (11.0, 7.0))
        assert path is not None
        assert path_clearance(stage, path) >= RADIUS + 0.02 - 1e-9
        at_wall = np.interp(6.0, path[:, 0], path[:, 1])
        assert abs(at_wall - 4.0) < door / 2 - RADIUS


def test_a_door_that_is_too_narrow_is_no_door():
    roadmap = Roadmap.of(two_rooms(0.5), radius=RADIUS)
    assert roadmap.path((1.0, 1.0), (11.0, 7.0)) is None
    assert "walled off" in roadmap.why_not((1.0, 1.0), (11.0, 7.0))
    assert roadmap.path((1.0, 1.0), (5.0, 7.0)) is not None
    assert Roadmap.of(two_rooms(0.5), radius=0.2).path((1.0, 1.0), (11.0, 7.0)) is not None


def test_paths_bend_around_corners_with_room_to_spare_where_there_is_room():
    stage = room(10, 10, box(5, 3, 2, 6))
    path = Roadmap.of(stage, radius=RADIUS).path((1.0, 1.0), (9.0, 1.0))
    assert path is not None
    assert path_clearance(stage, path) >= RADIUS + 0.05


def test_the_same_seed_gives_the_same_roadmap_and_another_seed_another():
    stage = furnished(8, 10.0, 2)
    first, again, other = (Roadmap.of(stage, seed=seed, radius=RADIUS) for seed in (3, 3, 4))
    for a, b in zip(first.graph, again.graph, strict=True):
        np.testing.assert_array_equal(a, b)
    assert first.graph.nodes.shape != other.graph.nodes.shape or not np.array_equal(
        first.graph.nodes, other.graph.nodes
    )


def test_paths_in_batch_are_the_paths_one_by_one_on_any_number_of_threads(monkeypatch):
    stage = furnished(12, 12.0, 5)
    roadmap = Roadmap.of(stage, radius=RADIUS)
    starts, goals = np.random.default_rng(0).uniform(0, 12, (2, 300, 2))
    monkeypatch.setenv("WALKON_THREADS", "1")
    one = roadmap.paths(starts, goals)
    monkeypatch.setenv("WALKON_THREADS", "3")
    three = roadmap.paths(starts, goals)
    np.testing.assert_array_equal(one.points, three.points)
    assert one.reasons == three.reasons
    for i in range(0, 300, 7):
        alone = roadmap.path(starts[i], goals[i])
        assert (alone is None) == (one[i] is None)
        if alone is not None:
            np.testing.assert_array_equal(alone, one[i])


def test_a_way_there_is_as_long_as_the_way_back():
    stage = furnished(12, 12.0, 3)
    roadmap = Roadmap.of(stage, radius=RADIUS)
    starts, goals = free_pairs(roadmap, stage, 100, 1)
    there, back = roadmap.paths(starts, goals), roadmap.paths(goals, starts)
    np.testing.assert_array_equal(there.found, back.found)
    found = there.found
    # Of ways that cost the same, one that scrapes may be shorter than one that does not.
    np.testing.assert_allclose(there.lengths[found], back.lengths[found], rtol=0.01)


def test_an_empty_endless_stage_has_straight_ways_only():
    roadmap = Roadmap.of(Stage(), radius=RADIUS)
    paths = roadmap.paths([[0, 0], [5, 5]], [[100, -3], [5, 5]])
    np.testing.assert_array_equal(paths.points, [[0, 0], [100, -3], [5, 5], [5, 5]])
    assert roadmap.path((0, 0), (1e5, 0)) is not None
    assert len(roadmap.paths(np.zeros((0, 2)), np.zeros((0, 2)))) == 0


def test_ways_on_an_endless_stage_go_around_what_stands_there():
    stage = Stage(obstacles=(box(0, 0, 1, 6),))
    roadmap = Roadmap.of(stage, radius=RADIUS)
    path = roadmap.path((-50.0, 0.0), (50.0, 0.5))
    assert path is not None
    assert len(path) > 2
    assert path_clearance(stage, path) >= roadmap.need - 1e-9
    assert path_length(path) < 100.4


def test_what_is_walked_under_or_over_is_not_in_the_way():
    from walkon.stage import Obstacle

    beam = Obstacle(polygon=box(5, 5, 10, 1).polygon, height=3.0, base=2.5, name="beam")
    mat = Obstacle(polygon=box(5, 3, 10, 1).polygon, height=0.02, name="mat")
    assert len(Roadmap.of(room(10, 10, beam, mat), radius=RADIUS).path((5, 1), (5, 9))) == 2


def test_a_corridor_of_many_corners_is_followed_to_its_end():
    walls = [box(6.0 if k % 2 else 4.0, 1.5 * k + 1.5, 8.0, 0.2) for k in range(160)]
    stage = room(10, 242, *walls)
    roadmap = Roadmap.of(stage, radius=RADIUS)
    pair = [[5.0, 0.7], [5.0, 2.0]], [[5.0, 241.0], [5.0, 2.2]]
    paths = roadmap.paths(pair[0], pair[1])
    assert paths.found.all()
    assert len(paths[0]) > 256
    assert len(paths[1]) == 2
    assert path_clearance(stage, paths[0]) >= roadmap.need - 1e-9


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"radius": 0.0}, "radius"),
        ({"radius": np.nan}, "radius"),
        ({"samples": -1}, "samples"),
        ({"threshold": 0}, "threshold"),
    ],
)
def test_what_cannot_be_is_refused(given, word):
    with pytest.raises(InvalidValue, match=word):
        Roadmap.of(Stage(), **({"radius": RADIUS} | given))


def test_pairs_must_be_pairs_of_finite_places():
    roadmap = Roadmap.of(Stage(), radius=RADIUS)
    with pytest.raises(InvalidShape):
        roadmap.paths([[0, 0]], [[1, 1], [2, 2]])
    with pytest.raises(InvalidValue):
        roadmap.path((np.nan, 0), (1, 1))
    with pytest.raises(InvalidShape):
        roadmap.path((0, 0, 0), (1, 1))
    with pytest.raises(InvalidShape):
        roadmap.paths([[0, 0]], [[1, 1]], goal_facing=[0.0, 1.0])


def test_a_body_that_fits_nowhere_is_told_so():
    roadmap = Roadmap.of(room(1, 1), radius=0.6)
    assert "fits nowhere" in roadmap.why_not((0.5, 0.5), (0.6, 0.5))
