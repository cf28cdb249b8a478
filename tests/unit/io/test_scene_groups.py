"""Groups of a scene file: written out one by one, each with a place of its own, from the population's seed."""

from math import pi

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from walkon._base.errors import UnreadableFile
from walkon.io import scene_from_text

STAGE = """walkon: 1
seeds: {population: 5}
stage:
  bounds: {box: [-20, -20, 20, 20]}
  obstacles:
    - {box: [-2, -12, 2, -8]}
  seats:
    - {row: "a_{n}", count: 6, from: [0, 10], spacing: 0.6, facing: 90deg}
    - {row: "b_{n}", count: 6, from: [0, 12], spacing: 0.6, facing: 90deg}
  doors:
    - {name: gate, ends: [[-20, -1.5], [-20, 1.5]]}
  props:
    - {row: "box_{n}", count: 3, from: [8, 0], spacing: 2, along: 90deg}
characters:
"""


def group(*lines, before=""):
    return scene_from_text(STAGE + before + "  - group: g\n" + "".join(f"    {line}\n" for line in lines))


def places(scene):
    return np.array([c.place for c in scene.characters])


def test_people_of_a_group_are_numbered_and_know_it() -> None:
    scene = group("arranged: {grid: [4, 3], spacing: 2, position: [5, 5]}", "colour: tomato", "scale: 0.95")
    assert [c.name for c in scene.characters] == [f"g_{i:02d}" for i in range(1, 13)]
    assert {c.group for c in scene.characters} == {"g"}
    assert {c.scale for c in scene.characters} == {0.95}
    assert places(scene)[:, :2].mean(axis=0) == pytest.approx([5, 5])
    many = scene_from_text("walkon: 1\ncharacters: [{group: g, arranged: {grid: [40, 30], spacing: 1}}]")
    assert many.characters[0].name == "g_0001"


def test_a_grid_is_turned_around_its_middle_and_may_have_free_places() -> None:
    scene = group("count: 2", "arranged: {grid: [2, 2], spacing: [2, 4], position: [1, 1], turned: 90deg}")
    assert places(scene)[:, :2] == pytest.approx(np.array([[3, 0], [3, 2]]))


def test_a_circle_faces_its_middle() -> None:
    scene = group("count: 4", "arranged: {circle: [1, 1], radius: 2, facing: inward}")
    assert np.cos(places(scene)[:, 2]) == pytest.approx([-1, 0, 1, 0])


def test_regions_keep_clear_of_obstacles_and_of_others() -> None:
    first = "  - {group: h, count: 15, arranged: {region: {box: [-5, -14, 5, -6]}, apart: 1}}\n"
    scene = group("count: 20", "arranged: {region: {box: [-5, -14, 5, -6]}, apart: 1m}", before=first)
    where = places(scene)[:, :2]
    assert pdist(where).min() > 1.0
    inside = (np.abs(where[:, 0]) < 2.25) & (np.abs(where[:, 1] + 10) < 2.25)
    assert not inside.any()


def test_what_stands_elsewhere_in_the_file_moves_nobody() -> None:
    lines = ("count: 10", "arranged: {region: {box: [-5, 0, 5, 8]}}")
    alone, beside = group(*lines), group(*lines, before="  - {name: x, position: [15, 15]}\n")
    assert np.array_equal(places(alone), places(beside)[1:])


def test_the_population_seed_moves_people() -> None:
    text = (
        "walkon: 1\nseeds: {{population: {}}}\ncharacters:\n"
        "  - {{group: g, count: 5, arranged: {{region: {{box: [0, 0, 9, 9]}}}}}}\n"
    )
    one, same, other = (places(scene_from_text(text.format(seed))) for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_lists_and_lines() -> None:
    listed = group("arranged: {list: [[1, 2], [3, 4, 90deg]]}")
    assert listed.characters[1].place == pytest.approx((3, 4, pi / 2))
    line = group("count: 5", "arranged: {line: [[0, 0], [4, 0], [4, 4]]}", "facing: 0")
    assert places(line)[:, :2] == pytest.approx(np.array([[0, 0], [2, 0], [4, 0], [4, 2], [4, 4]]))


def test_a_word_is_spelled_by_whoever_is_nearest() -> None:
    scene = group(
        "count: 30",
        "arranged: {grid: [6, 5], spacing: 2, position: [0, 12]}",
        "marks:",
        "  - {name: word, arranged: {spell: SC, spacing: 1m, position: [1, -14], assign: nearest}, at: 30s}",
    )
    goals = np.array([c.marks[0].position for c in scene.characters])
    assert pdist(goals).min() >= 1 - 1e-9
    assert (goals.min(axis=0) + goals.max(axis=0)) / 2 == pytest.approx([1, -14])
    starts = places(scene)[:, :2]
    ways = np.linalg.norm(goals - starts, axis=1)
    shifted = np.linalg.norm(np.roll(goals, 7, axis=0) - starts, axis=1)
    assert (ways**2).sum() < (shifted**2).sum()
    assert scene.characters[0].place[2] == pytest.approx(np.arctan2(*(goals[0] - starts[0])[::-1]))


def test_a_group_takes_seats_by_pattern() -> None:
    scene = group(
        "count: 8",
        "arranged: {grid: [4, 2], spacing: 2}",
        'marks: [{arranged: {seats: ["a_*", "b_[12]"], assign: shuffled}, before: 60s, hold: end}]',
    )
    seats = [c.marks[0].seat for c in scene.characters]
    assert sorted(seats) == ["a_1", "a_2", "a_3", "a_4", "a_5", "a_6", "b_1", "b_2"]
    assert seats != sorted(seats)
    assert {c.marks[0].pose for c in scene.characters} == {"sit"}
    begun = group("arranged: {seats: a_*}")
    assert [(c.seat, c.pose) for c in begun.characters] == [(f"a_{i}", "sit") for i in range(1, 7)]


def test_a_number_in_names_is_the_persons() -> None:
    scene = group(
        "count: 3",
        "arranged: {line: [[0, 0], [0, 4]]}",
        "marks:",
        '  - {name: lift, pick_up: "box_{n}"}',
        '  - {name: drop, put_down: {prop: "box_{n}", arranged: {line: [[3, 0], [3, 4]]}}, after: "lift + 1s"}',
        '  - {name: sit, seat: "a_{n}", after: "g_0{n}.drop"}',
    )
    third = scene.characters[2].marks
    assert (third[0].action.prop, third[1].action.place, third[2].seat) == ("box_3", (3, 4, 0.15), "a_3")
    assert str(third[2].clock) == "g_03.drop"
    assert str(third[1].clock) == "g_03.lift"


def test_groups_enter_by_doors_side_by_side_or_one_after_another() -> None:
    beside = group("count: 3", "enters: 2s at gate")
    assert [c.enters for c in beside.characters] == [2, 2, 2]
    assert pdist(places(beside)[:, :2]).min() >= 0.6 - 1e-9
    after = group("count: 3", "enters: 2s at gate", "every: 1.5s")
    assert [c.enters for c in after.characters] == [2, 3.5, 5]
    assert {c.door for c in after.characters} == {"gate"}


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["count: 9", "enters: at gate"], "too narrow for 9 people at once"),
        (["enters: at gate"], "needs the key 'count'"),
        (["count: 9", "arranged: {grid: [2, 2], spacing: 1}"], "9 people do not fit into 4 places"),
        (["arranged: {circle: [0, 0], radius: 3}"], "must be counted"),
        (["arranged: {spell: HI, spacing: 1}"], "give how many people there are"),
        (["count: 30", "arranged: {spell: H+I, spacing: 1}"], r"there is no letter '\+'"),
        (["count: 3", "arranged: {seats: c_*}"], r"there is no seat 'c_\*'"),
        (["count: 99", "arranged: {region: {box: [0, 0, 2, 2]}}"], "99 people find a place"),
        (["count: 3"], "where does this begin"),
        (["count: 3", "arranged: {grid: [2, 2]}"], "the grid needs the key 'spacing'"),
        (["count: 3", "arranged: {gird: [2, 2]}"], "did you mean 'grid'"),
        (["count: 3", "arranged: {spacing: 2}"], "needs one of the keys 'grid', 'circle'"),
    ],
)
def test_what_does_not_work_is_said(lines: list[str], said: str) -> None:
    with pytest.raises(UnreadableFile, match=said) as caught:
        group(*lines)
    assert len(str(caught.value).splitlines()) == 1
