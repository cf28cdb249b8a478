"""Sung 2005, section 4: the scenes are as large, as far and as crowded as the paper and our honest measures say."""

from collections.abc import Callable

import numpy as np
import pytest
import shapely  # type: ignore[import-untyped]
from scipy.spatial import KDTree
from scipy.spatial.distance import pdist

from walkon.crowd import check_scene
from walkon.graphs.snap_together import SnapGraph, builtin_snap_graph
from walkon.graphs.snap_together.lifts import Lifts, lifts_of
from walkon.reproduce.sung2005 import boxes, open_floor, rooms, theatre
from walkon.reproduce.sung2005.columns import TABLE_1
from walkon.script import Scene
from walkon.stage.free_space import FreeSpace
from walkon.synthesis.goal_directed.lifting import lift_for, standings

SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 5))]
"""One is enough to see that a builder works; the five of the paper's runs are looked at with the slow tests."""
DISC = 0.245
SCENES: dict[str, Callable[..., Scene]] = {
    "1": open_floor.experiment_1,
    "2": open_floor.experiment_2,
    "3": rooms.experiment_3,
    "4": theatre.experiment_4,
    "5": boxes.experiment_5,
    "6a": lambda seed: open_floor.experiment_6(300, seed=seed),
    "6b": lambda seed: open_floor.experiment_6(500, seed=seed),
    "rooms": rooms.rooms_crowd,
}


def starts(scene: Scene) -> np.ndarray:
    return np.array([c.place[:2] for c in scene.characters])


def goals(scene: Scene) -> np.ndarray:
    return np.array([c.marks[-1].position for c in scene.characters if c.marks and c.marks[-1].position is not None])


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("seed", SEEDS)
def test_people_start_and_end_where_there_is_room(name: str, seed: int) -> None:
    scene = SCENES[name](seed=seed)
    space = FreeSpace.of(scene.stage)
    for places in (starts(scene), goals(scene)):
        if len(places):
            assert space.distance(places).min() > DISC + 0.01
            assert len(places) < 2 or pdist(places).min() > 2 * DISC


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("seed", SEEDS)
def test_no_scene_asks_for_what_cannot_be(name: str, seed: int) -> None:
    assert check_scene(SCENES[name](seed=seed)) == ()


@pytest.mark.parametrize("name", SCENES)
def test_a_seed_gives_the_same_scene_and_another_seed_another_one(name: str) -> None:
    def told(seed: int) -> str:
        scene = SCENES[name](seed=seed)
        return repr((scene.characters, [p.place for p in scene.props]))

    assert told(3) == told(3)
    assert told(3) != told(4)


@pytest.mark.parametrize("name", TABLE_1)
@pytest.mark.parametrize("seed", SEEDS)
def test_windows_keep_the_mean_duration_within_15_percent_of_table_1(name: str, seed: int) -> None:
    scene = SCENES[name](seed=seed)
    own = [c for c in scene.characters if c.marks and c.group != "others"]
    windows = np.array([c.marks[-1].window for c in own])
    assert len(own) == TABLE_1[name].agents
    assert all(TABLE_1[name].fits(mean) for mean in windows.mean(axis=0))


def test_experiment_1_asks_everybody_for_one_instant_and_a_whole_configuration() -> None:
    for character in open_floor.experiment_1().characters:
        (mark,) = character.marks
        assert mark.window == (14.8, 14.8)
        assert None not in (mark.position, mark.facing, mark.pose)


def test_experiment_2_spells_with_people_1_to_1_2_m_apart() -> None:
    places = goals(open_floor.experiment_2())
    nearest = np.asarray(KDTree(places).query(places, k=2)[0])[:, 1]
    assert nearest.min() >= 1.0
    assert nearest.max() <= 1.2


@pytest.mark.parametrize("name", ["1", "2"])
@pytest.mark.parametrize("seed", SEEDS)
def test_nobody_must_hurry_on_the_open_floor(name: str, seed: int) -> None:
    scene = SCENES[name](seed=seed)
    for character in scene.characters:
        (mark,) = character.marks
        assert mark.position is not None
        assert mark.window is not None
        far = float(np.hypot(*np.subtract(mark.position, character.place[:2])))
        assert open_floor.walking_time(far) < mark.window[1]


@pytest.fixture(scope="module")
def graph() -> SnapGraph:
    return builtin_snap_graph()


@pytest.fixture(scope="module")
def lifts(graph: SnapGraph) -> Lifts:
    return lifts_of(graph)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_visitor_of_experiment_3_can_reach_the_box_from_where_the_lift_begins(
    graph: SnapGraph, lifts: Lifts, seed: int
) -> None:
    scene = rooms.experiment_3(seed=seed)
    assert_standing_clear(graph, lifts, scene, rooms.HERO, 0, FreeSpace.of(scene.stage))


def test_all_lifts_of_experiment_5_have_room(graph: SnapGraph, lifts: Lifts) -> None:
    scene = boxes.experiment_5(seed=1)
    space = FreeSpace.of(scene.stage)
    for character in scene.characters:
        for number in (0, 1):
            assert_standing_clear(graph, lifts, scene, character.name, number, space)


def assert_standing_clear(
    graph: SnapGraph, lifts: Lifts, scene: Scene, name: str, number: int, space: FreeSpace
) -> None:
    """Fail unless the graph has a lift for this mark and the body has room for it."""
    mark = scene.character(name).marks[number]
    assert mark.action is not None
    placed = next(p for p in scene.props if p.prop.name == mark.action.prop)
    place = mark.action.place or placed.place
    rows = lift_for(lifts, mark.action.kind, prop=placed.prop, height=place[2])
    stood = standings(
        lifts,
        int(rows[0]),
        graph=graph,
        prop=placed.prop,
        place=place,
        heading=placed.heading,
        facing=mark.facing,
        space=space,
    )
    assert stood.clear.any(), stood.spare


def test_theatre_seats_rows_and_aisles_have_the_widths_of_a_theatre() -> None:
    stage = theatre.theatre_stage()
    places = np.array([seat.place for seat in stage.seats])
    x, y = np.unique(places[:, 0].round(9)), np.unique(places[:, 1].round(9))
    apart = np.diff(y)
    assert len(places) == 60
    assert np.diff(x).min() >= 0.95
    assert 0.55 <= apart.min() <= 0.60
    assert apart.max() - apart.min() == pytest.approx(1.2)
    assert y[0] - apart.min() / 2 == pytest.approx(1.2)


@pytest.mark.parametrize("seed", SEEDS)
def test_open_theatre_seats_fill_from_the_inside_out_with_time_to_sit_down(seed: int) -> None:
    scene = theatre.experiment_4(seed=seed)
    seats = {seat.name: seat.place for seat in scene.stage.seats}
    asked = [mark for c in scene.characters for mark in c.marks]
    late = {mark.seat: mark.window[0] for mark in asked if mark.window}
    early = {mark.seat: mark.window[1] for mark in asked if mark.window}
    taken = {c.seat for c in scene.characters if c.seat}
    assert len(late) == 40
    assert len(taken) == 20
    assert not taken & set(late)
    for name, begins in late.items():
        row = [other for other in seats if abs(seats[other][0] - seats[name][0]) < 0.1]
        for ways in (-1, 1):
            run = _row_from(seats, name, row, ways)
            if not any(other in taken for other in run):
                # Along this way everybody else comes later, by more than sitting down takes.
                assert all(late[other] - early[name] > 2.0 for other in run), (name, run, begins)
                break
        else:
            pytest.fail(f"{name} is walled in")


def _row_from(seats: dict[str, np.ndarray], name: str, row: list[str], ways: int) -> list[str]:
    """Return the seats of a block between one and an aisle."""
    found, at = [], float(seats[name][1])
    for other in sorted(row, key=lambda o: ways * seats[o][1]):
        y = float(seats[other][1])
        if 0 < ways * (y - at) < 0.7:
            found.append(other)
            at = y
    return found


def test_theatre_rows_can_be_walked_along_up_to_every_seat() -> None:
    """A disc of a body passes between the backs of two rows and comes to where one stands before a seat."""
    stage = theatre.theatre_stage()
    space = FreeSpace.of(stage)
    for seat in stage.seats:
        along = seat.place[0] + np.linspace(0.0, 0.28, 8)
        before = np.column_stack([along, np.full(8, seat.place[1])])
        assert space.distance(before).min() > DISC + 0.01


def test_grid_targets_are_a_permutation_within_reach() -> None:
    found = open_floor.grid_targets(15, 20, ahead=1, aside=2, rng=np.random.default_rng(1))
    cells = np.arange(300)
    assert np.array_equal(np.sort(found), cells)
    assert np.abs(found // 20 - cells // 20).max() == 1
    assert np.abs(found % 20 - cells % 20).max() == 2
    assert np.mean(found == cells) < 0.3


@pytest.mark.parametrize("spacing", open_floor.GRID_SPACINGS_M)
def test_ways_of_figure_11_are_about_equally_long_at_every_spacing(spacing: float) -> None:
    scene = open_floor.experiment_6(300, spacing=spacing)
    ways = np.hypot(*(goals(scene) - starts(scene)).T)
    assert pdist(starts(scene)).min() == pytest.approx(spacing)
    assert 26.9 <= ways.min() <= ways.max() <= 34.0


def test_the_large_grid_has_ten_thousand_people() -> None:
    scene = open_floor.experiment_6(10_000)
    assert len(scene.characters) == 10_000
    assert len(np.unique(goals(scene), axis=0)) == 10_000


@pytest.mark.parametrize("seed", SEEDS)
def test_everybody_is_sent_to_another_room_through_1_m_doors(seed: int) -> None:
    scene = rooms.rooms_crowd(seed=seed)
    walls = shapely.union_all([shapely.Polygon(o.polygon) for o in scene.stage.obstacles])
    for door in scene.stage.doors:
        assert np.hypot(*(door.ends[1] - door.ends[0])) == pytest.approx(1.0)
        assert not walls.intersects(shapely.Point(door.ends.mean(axis=0)).buffer(0.45))
    ways = shapely.linestrings(np.stack([starts(scene), goals(scene)], axis=1))
    lines = shapely.union_all(
        [
            shapely.LineString([(6, 0), (6, 12)]),
            shapely.LineString([(12, 0), (12, 12)]),
            shapely.LineString([(0, 6), (18, 6)]),
        ]
    )
    assert len(ways) == 40
    assert shapely.intersects(ways, lines).all()
