"""Performing a scene: what is refused at once, what the result tells, and how long a scene may take."""

from dataclasses import replace

import numpy as np
import pytest

import walkon
from crowd_worlds import at, person, wall
from walkon._base.errors import InvalidValue, UnknownName
from walkon._base.threads import thread_count
from walkon.crowd import perform_with_report, performing
from walkon.crowd.performing import AFTER_LAST_MARK_S, _horizon
from walkon.script import Mark, Scene
from walkon.script.mark import Moment
from walkon.script.scene import Seeds
from walkon.stage import Door, Stage
from walkon.synthesis.goal_directed.search_rule import SearchRule
from walkon.take import load_take
from walkon.take.tables import MEANT

INSTANT = 1e-9
"""s: times that are added up."""
LIMITS = np.array([0.02, np.deg2rad(2.0), 1 / 15])
"""m/s, rad/s and s/s by which motion is adjusted at most."""
DOOR = Door(name="door", ends=np.array([(5.0, -0.6), (5.0, 0.6)]))
ROOM = np.array([(-5.0, -5.0), (5.0, -5.0), (5.0, 5.0), (-5.0, 5.0)])
PAIR = Scene(
    characters=(
        person("ann", (0.0, 0.0, 0.0), at(3.0, 0.0, 0, 20)),
        person("bob", (0.0, 2.0, 0.0), at(3.0, 2.0, 0, 20)),
    ),
    seeds=Seeds(population=4, behaviour=6),
    title="a pair",
)


@pytest.fixture(scope="module")
def done(graph):
    return perform_with_report(PAIR, graph=graph)


def same(one, two):
    return all(
        np.array_equal(values, getattr(getattr(two, table), name))
        for table in ("segments", "warps", "stances", "marks")
        for name, values in getattr(one, table).columns.items()
    )


def test_what_comes_of_a_scene(done):
    assert done.unmet == ()
    assert done.take.names == ("ann", "bob")
    assert done.planning_s.shape == (2,)
    assert (done.planning_s > 0).all()
    assert done.replanned == 0
    assert done.tried > 0
    assert (done.adjustment <= LIMITS + INSTANT).all()
    assert done.adjustment.max() > 0.0
    assert min(done.graph_s, done.roadmap_s, done.writing_s) >= 0.0


def test_a_scene_without_an_end_goes_on_for_a_while_after_the_last_mark(done):
    assert done.take.stop == pytest.approx(float(done.take.marks.met.max()) + AFTER_LAST_MARK_S)


def test_the_take_tells_where_it_comes_from(done, graph):
    told = done.take.provenance
    assert told["title"] == "a pair"
    assert told["seeds"] == {"population": 4, "behaviour": 6}
    assert told["unmet"] == []
    assert told["graph"] == dict(graph.settings)


def test_a_performance_tells_in_short_what_it_is(done):
    assert repr(done).startswith("Performance(Take(2 characters")
    assert "all marks met, planned in" in repr(done)
    assert "1 marks not met" in repr(replace(done, unmet=(("ann", "there", "because"),)))


def test_the_seed_of_behaviour_can_be_given(done, graph):
    given = perform_with_report(replace(PAIR, seeds=Seeds(population=4, behaviour=1)), graph=graph, seed=6)
    assert same(given.take, done.take)
    other = perform_with_report(PAIR, graph=graph, seed=7)
    assert not same(other.take, done.take)
    np.testing.assert_array_equal(other.take.characters.colour, done.take.characters.colour)


def test_people_are_drawn_by_the_other_seed(done, graph):
    other = perform_with_report(replace(PAIR, seeds=Seeds(population=5, behaviour=6)), graph=graph)
    assert not np.array_equal(other.take.characters.colour, done.take.characters.colour)


def test_progress_is_told_from_planning_to_planting(graph, tmp_path):
    told = []
    path = tmp_path / "x.take"
    made = perform_with_report(PAIR, graph=graph, progress=lambda *what: told.append(what), path=path)
    assert told == [("planning", 0.5), ("planning", 1.0), ("planting feet", 0.0)]
    assert same(load_take(path), made.take)


def test_the_take_alone_is_made_likewise(done, graph):
    told = []
    assert same(walkon.perform(PAIR, graph=graph, progress=lambda what, share: told.append(what)), done.take)
    assert told == ["planning", "planning", "planting feet"]
    assert not same(walkon.perform(PAIR, graph=graph, seed=7), done.take)


class Asked(Exception):
    """What was asked of a schedule, instead of planning."""


@pytest.fixture
def asked(monkeypatch):
    def stop(**options):
        raise Asked(options)

    monkeypatch.setattr(performing, "Schedule", stop)


def test_what_is_wished_for_is_asked_of_the_schedule(asked, graph):
    with pytest.raises(Asked) as told:
        perform_with_report(PAIR, graph=graph, staged=True, workers=3, seed=11)
    options = told.value.args[0]
    assert (options["staged"], options["workers"], options["seed"]) == (True, 3, 11)
    assert options["horizon"] == _horizon(PAIR)
    with pytest.raises(Asked) as told:
        perform_with_report(PAIR, graph=graph)
    options = told.value.args[0]
    assert (options["staged"], options["workers"], options["seed"]) == (False, thread_count(), 6)


def test_ways_are_wide_enough_for_the_largest_body(asked, graph):
    radii = []
    for scale in (1.0, 1.1):
        large = replace(PAIR.characters[0], scale=scale)
        with pytest.raises(Asked) as told:
            perform_with_report(replace(PAIR, characters=(large, PAIR.characters[1])), graph=graph)
        radii.append(told.value.args[0]["context"].roadmap.radius)
    assert radii[1] == pytest.approx(1.1 * radii[0])


def test_two_who_want_one_place_have_it_one_after_another_and_nobody_is_planned_again(graph):
    people = (
        person("ann", (-3.0, 0.0, 0.0), at(0.0, 0.0, 0, 60, hold=4.0), at(3.0, 3.0, 0, 90, name="on")),
        person("bob", (-3.0, -3.0, 0.0), at(0.0, 0.0, 6, 7, hold=2.0), at(3.0, -3.0, 0, 90, name="on")),
    )
    made = perform_with_report(Scene(characters=people), graph=graph)
    assert (made.unmet, made.replanned) == ((), 0)


def test_those_who_were_planned_again_are_counted_and_a_mark_that_was_only_come_near_is_not_meant_to_be_met(graph):
    marks = at(0.0, 0.0, 0, 20, hold=5.0), at(0.0, 3.0, name="on")
    people = person("still", (0.0, 0.0, 0.0)), person("ann", (-3.0, 0.0, 0.0), *marks)
    made = perform_with_report(Scene(characters=people), graph=graph)
    assert made.replanned == 1
    ((who, mark, reason),) = made.unmet
    assert (who, mark) == ("ann", "there")
    assert reason.startswith("comes near only: ")
    assert (made.take.marks.asks & MEANT > 0).tolist() == [False, True]
    assert made.take.audit(fps=20.0, source=False).figures["collisions"]["pair_frames"] == 0


def test_an_empty_scene_is_refused(graph):
    with pytest.raises(InvalidValue, match="the scene has nobody in it; add characters"):
        perform_with_report(Scene(), graph=graph)


def test_a_scene_that_cannot_be_is_refused_with_all_reasons(graph):
    bad = Scene(
        characters=(
            person("ann", (0.0, 0.0, 0.0), at(90.0, 0.0, 0, 5)),
            person("bob", (0.0, 2.0, 0.0), at(3.0, 2.0, pose="fly")),
        )
    )
    with pytest.raises(InvalidValue, match=r"(?s)2 reasons.*ann\.there: needs 18 m/s.*bob\.there: .*no pose 'fly'"):
        perform_with_report(bad, graph=graph)


def test_a_search_that_nobody_knows_is_refused(graph):
    with pytest.raises(UnknownName, match="'quick'"):
        perform_with_report(PAIR, graph=graph, search="quick")


def test_a_search_of_ones_own_is_used(graph):
    # Without a single round there is no plan, and that is told per mark.
    made = perform_with_report(PAIR, graph=graph, search=SearchRule(rounds=()))
    assert [(who, mark) for who, mark, _ in made.unmet] == [("ann", "there"), ("bob", "there")]
    assert (made.take.marks.asks & MEANT == 0).all()
    assert made.take.provenance["unmet"] == [list(row) for row in made.unmet]
    assert (made.tried, made.adjustment.tolist()) == (0, [0.0, 0.0, 0.0])


def test_the_papers_search_finds_a_way_or_says_after_how_many_rounds_it_ended(graph):
    one = replace(PAIR, characters=PAIR.characters[:1])
    made = perform_with_report(one, graph=graph, search=replace(SearchRule.named("paper"), rounds=(30,)))
    assert made.unmet == () or made.unmet[0][2].startswith("the search ended after 30 rounds; the best pair ")
    assert made.tried > 0


def test_who_cannot_leave_says_so(graph):
    """The door is in the other half of the stage."""
    stage = Stage(bounds=ROOM, doors=[DOOR], obstacles=[wall(2.0, -5.0, 2.2, 5.0)])
    scene = Scene(stage=stage, characters=(person("ann", (0.0, 0.0, 0.0), leaves="door"),))
    made = perform_with_report(scene, graph=graph)
    ((who, mark, reason),) = made.unmet
    assert (who, mark) == ("ann", "leaving")
    assert reason.startswith("walled off")
    assert made.take.leaves[0] == made.take.stop


def test_who_leaves_is_gone_at_the_end(graph):
    scene = Scene(
        stage=Stage(bounds=ROOM, doors=[DOOR]),
        characters=(
            person("ann", (0.0, 0.0, 0.0), leaves="door"),
            person("bob", (-3.0, 0.0, 0.0), at(-3.0, 3.0, 15, 16)),
        ),
    )
    made = perform_with_report(scene, graph=graph)
    assert made.unmet == ()
    assert made.take.leaves[0] < made.take.leaves[1]
    x, y = made.take.pose(float(made.take.leaves[0]) - 1e-3).planar[0, :2]
    assert x > 4.0
    assert abs(y) < 0.6


# Until when everything is over


def lasts(*marks, enters=0.0, **options):
    return (
        _horizon(Scene(characters=(person("ann", (0.0, 0.0, 0.0), *marks, enters=enters, **options),)))
        - AFTER_LAST_MARK_S
    )


def test_a_scene_that_says_when_it_ends_ends_then():
    assert _horizon(replace(PAIR, ends=17.0)) == 17.0


def test_the_horizon_has_time_for_all_that_is_asked():
    assert lasts() == 0.0
    assert lasts(enters=5.0) == 5.0
    assert lasts(at(4.0, 3.0)) == pytest.approx(8.0 + 5.0 / 0.5)
    assert lasts(at(4.0, 3.0), at(4.0, 0.0)) == pytest.approx(8.0 + 10.0 + 8.0 + 6.0)
    assert lasts(Mark(pose="stand")) == 30.0
    assert lasts(at(4.0, 3.0, hold=7.0)) == pytest.approx(25.0)
    assert lasts(at(4.0, 3.0, hold=np.inf)) == pytest.approx(18.0)
    assert lasts(at(4.0, 3.0, until=50.0)) == 50.0
    assert lasts(at(4.0, 3.0, until=5.0)) == pytest.approx(18.0)
    assert lasts(leaves="door") == 60.0


def test_a_window_is_the_horizon_of_its_mark():
    assert lasts(at(4.0, 3.0, 1, 9)) == 9.0
    assert lasts(at(4.0, 3.0, 40, np.inf)) == 40.0
    assert lasts(at(4.0, 3.0, 1, np.inf)) == pytest.approx(18.0)
    clock = Moment(character="bob", mark="m")
    assert lasts(at(4.0, 3.0, 2, 3, clock=clock)) == pytest.approx(18.0 + 2.0 + 20.0)


def test_the_last_one_decides():
    assert _horizon(PAIR) == 20.0 + AFTER_LAST_MARK_S
    assert _horizon(replace(PAIR, characters=(*PAIR.characters, person("cat", (0.0, 0.0, 0.0), enters=99.0)))) == 101.0


# Whoever is added, and in whichever order


def test_characters_permuted_are_the_same_people_who_meet_the_same_marks(done, graph):
    turned = perform_with_report(replace(PAIR, characters=PAIR.characters[::-1]), graph=graph)
    assert turned.unmet == ()
    np.testing.assert_array_equal(turned.take.characters.scale, done.take.characters.scale[::-1])
    np.testing.assert_array_equal(turned.take.characters.colour, done.take.characters.colour[::-1])
    assert turned.take.marks.asks.tolist() == done.take.marks.asks[::-1].tolist()


def test_characters_permuted_play_the_same_segments(done, graph):
    turned = perform_with_report(replace(PAIR, characters=PAIR.characters[::-1]), graph=graph).take
    for who in (0, 1):
        mine, theirs = done.take.segments.character == who, turned.segments.character == 1 - who
        np.testing.assert_array_equal(done.take.segments.edge[mine], turned.segments.edge[theirs])


def test_audited_nobody_is_walked_through_who_stays_at_its_last_mark(graph):
    scene = Scene(
        characters=(
            person("ann", (-2.0, 0.0, 0.0), at(0.0, 0.0, 2, 60)),
            person("bob", (0.0, -12.0, np.pi / 2), at(0.0, 8.0, 0, 30)),
        )
    )
    made = perform_with_report(scene, graph=graph)
    assert made.unmet == ()
    assert made.take.audit(fps=20.0, source=False).figures["collisions"]["pair_frames"] == 0
