"""Sung 2005, sections 3.1, 3.3 and 5: characters one after another, nobody runs into anybody, any number of workers."""

from dataclasses import replace

import numpy as np
import pytest

from walkon._base.errors import InvalidValue
from walkon.crowd import perform_with_report
from walkon.crowd.schedule import Schedule
from walkon.graphs.snap_together import builtin_snap_graph
from walkon.reproduce.sung2005 import open_floor
from walkon.script import Character, Mark, Scene
from walkon.script.mark import Moment


@pytest.fixture(scope="module")
def graph():
    return builtin_snap_graph()


def crossing(marks=1):
    """Four who change places crosswise, at about the same time, then maybe go on."""
    people = []
    for k, angle in enumerate(np.pi / 2 * np.arange(4)):
        x, y = 4 * np.cos(angle), 4 * np.sin(angle)
        asked = [Mark(name="over", position=(-x, -y), pose="stand", window=(0.0, 25.0))]
        asked += [Mark(name="back", position=(-x / 2, -y / 2), pose="stand", window=(0.0, 50.0))] * (marks > 1)
        people.append(Character(name=f"p{k}", place=(x, y, angle + np.pi), marks=tuple(asked)))
    return Scene(characters=tuple(people))


def same(one, two):
    """Whether two takes are equal, bit for bit."""
    for table in ("segments", "warps", "stances", "marks"):
        for name, values in getattr(one, table).columns.items():
            np.testing.assert_array_equal(values, getattr(getattr(two, table), name), err_msg=f"{table}.{name}")


def test_nobody_runs_into_what_was_planned_before_posed_and_measured(graph):
    done = perform_with_report(crossing(), graph=graph, seed=3, workers=1)
    assert not done.unmet
    figures = done.take.audit().figures
    assert figures["collisions"]["pair_frames"] == 0
    assert figures["marks"]["max_position_error_m"] < 1e-3
    # They did have to give way: all ways cross in the middle.
    met = [done.take.marks.met[k] for k in range(4)]
    assert np.ptp(met) < 20
    roots = done.take.sample(np.arange(0.0, max(met), 0.1)).positions[:, :, 0, :2]
    apart = np.linalg.norm(roots[:, :, None] - roots[:, None], axis=-1) + 10 * np.eye(4)
    assert apart.min() > 0.4
    assert np.linalg.norm(roots, axis=-1).min(axis=0).max() < 2.5


def test_the_staged_mode_plans_everybodys_first_mark_before_anybodys_second(graph, monkeypatch):
    order = []
    leg = Schedule._leg

    def noted(self, i, route, number, *how):
        order.append((i, number))
        return leg(self, i, route, number, *how)

    monkeypatch.setattr(Schedule, "_leg", noted)
    perform_with_report(crossing(marks=2), graph=graph, seed=1, workers=1, staged=True)
    # Who meets others of its batch is planned again, for the same mark.
    numbers = [number for _, number in order]
    assert numbers == sorted(numbers)
    assert {i for i, number in order if number == 0} == {0, 1, 2, 3}
    order.clear()
    perform_with_report(crossing(marks=2), graph=graph, seed=1, workers=1)
    assert [number for _, number in order[:4]] == [0, 1, 0, 1]


def test_who_waits_for_another_is_planned_after_it(graph):
    first, second, *rest = crossing().characters
    late = Mark(name="late", position=(1.0, 6.0), window=(1.0, 1.0), clock=Moment(character=second.name, mark="over"))
    done = perform_with_report(
        Scene(characters=(replace(first, marks=(late,)), second, *rest)), graph=graph, seed=2, workers=1
    )
    assert not done.unmet
    met = done.take.marks.met
    assert met[0] == pytest.approx(met[1] + 1.0, abs=1e-6)


def test_times_that_wait_for_each_other_are_named(graph):
    def mark(other):
        return Mark(name="m", position=(0.0, 0.0), window=(1.0, 2.0), clock=Moment(character=other, mark="m"))

    a, b = (
        Character(name=name, place=(3.0 * k, 3.0, 0.0), marks=(replace(mark(other), position=(3.0 * k, 5.0)),))
        for k, (name, other) in enumerate([("ann", "bob"), ("bob", "ann")])
    )
    with pytest.raises(InvalidValue, match=r"circle.*ann.*bob"):
        perform_with_report(Scene(characters=(a, b)), graph=graph)


def test_the_same_seed_gives_the_same_take_and_another_one_another(graph):
    takes = [perform_with_report(crossing(), graph=graph, seed=seed, workers=1).take for seed in (4, 4, 5)]
    same(takes[0], takes[1])
    with pytest.raises(AssertionError):
        same(takes[0], takes[2])


def test_the_number_of_workers_changes_nothing(graph):
    scene = open_floor.experiment_6(300, seed=1)
    scene = replace(scene, characters=scene.characters[:128])
    takes = [perform_with_report(scene, graph=graph, seed=1, workers=workers).take for workers in (1, 3)]
    same(takes[0], takes[1])


@pytest.mark.slow
@pytest.mark.parametrize("build", [open_floor.experiment_1, open_floor.experiment_2], ids=["1", "2"])
def test_the_papers_own_search_runs_its_experiments_and_tells_what_it_did_not_find(graph, build):
    scene = build(seed=0)
    done = perform_with_report(scene, graph=graph, seed=0, search="paper", workers=1)
    asked = sum(len(c.marks) for c in scene.characters)
    assert asked - len(done.unmet) > 0
    assert done.tried > 0
    assert all(reason.startswith("the search ended after 1000 rounds") for *_, reason in done.unmet)
    rule = np.array([0.02, np.deg2rad(2.0), 1 / 15])
    assert (done.adjustment <= rule + 1e-9).all()
    figures = done.take.audit(source=False).figures
    assert figures["collisions"]["pair_frames"] == 0 or done.unmet
