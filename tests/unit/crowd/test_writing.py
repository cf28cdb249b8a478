"""From routes to a take: segments without gaps, rests until the end, marks as they were resolved."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from crowd_worlds import at, builtin, legs_of, person, run
from walkon.crowd.writing import _resolved, write_routes
from walkon.script import Mark
from walkon.script.mark import Moment
from walkon.stage import Door, Stage
from walkon.synthesis.goal_directed.idling import APART_S
from walkon.take.reasons import ReasonKind, reason_words
from walkon.take.tables import MEANT, NONE, POSITION, WINDOW
from walkon.transforms import angles

INSTANT = 1e-9
"""s: times that are added up."""
MICROMETRE = 1e-6
"""m by which a posed root may differ between two segments: places have 64 bits, warps and clips 32."""
STILL = 0.05
"""m that somebody who stays sways by."""
ENDS = 30.0
ROOM = np.array([(-5.0, -5.0), (5.0, -5.0), (5.0, 5.0), (-5.0, 5.0)])


def written(schedule, *, ends=ENDS, seed=0, path=None):
    return write_routes(
        schedule.scene,
        schedule.routes,
        context=schedule.context,
        people=schedule.people,
        ends=ends,
        seed=seed,
        provenance={"title": "t"},
        path=path,
    )


@pytest.fixture(scope="module")
def schedule():
    """Ann passes a mark, holds one and stays; bob enters late and leaves; cat waits for a time; dan has no marks."""
    stage = Stage(bounds=ROOM, doors=[Door(name="door", ends=np.array([(5.0, -0.6), (5.0, 0.6)]))])
    on = Mark(name="on", position=(-1.0, 2.0))
    people = (
        person("ann", (-4.0, 0.0, 0.0), on, at(2.0, 3.0, 0, 20, hold=3.0), scale=0.95),
        person("bob", (0.0, -3.0, 0.0), at(2.0, -3.0, 0, 20), enters=4.0, leaves="door"),
        person("cat", (-3.0, -3.0, 1.0), Mark(name="wait", window=(5.0, 6.0))),
        person("dan", (-3.0, -3.8, 1.0)),
    )
    schedule = run(*people, stage=stage, horizon=60.0)
    assert not any(route.unmet for route in schedule.routes)
    return schedule


@pytest.fixture(scope="module")
def take(schedule):
    return written(schedule)


def told(take, who):
    """Why somebody does what they do: (words, start, stop), in the order of time."""
    rows = np.flatnonzero(take.reasons.character == who).tolist()
    return [(reason_words(take, k), float(take.reasons.start[k]), float(take.reasons.stop[k])) for k in rows]


def mine(take, who):
    """Segments of somebody, in the order of time: rows."""
    rows = np.flatnonzero(take.segments.character == who)
    return rows[np.argsort(take.segments.start[rows])]


def test_segments_follow_each_other_without_gaps(take):
    for who in range(4):
        rows = mine(take, who)
        np.testing.assert_allclose(take.segments.stop[rows[:-1]], take.segments.start[rows[1:]], rtol=0, atol=INSTANT)


def test_everybody_is_there_from_entering_to_the_end_but_who_left(schedule, take):
    assert take.enters == pytest.approx([0.0, 4.0, 0.0, 0.0])
    left = schedule.routes[1].time
    assert take.leaves == pytest.approx([ENDS, left, ENDS, ENDS])
    assert schedule.routes[1].gone
    assert left < ENDS - 5.0


def test_the_root_is_continuous_from_segment_to_segment(take):
    for who in range(4):
        seams = take.segments.start[mine(take, who)[1:]]
        before = take.sample(seams - 1e-7, characters=[who]).planar[:, 0]
        after = take.sample(seams + 1e-7, characters=[who]).planar[:, 0]
        assert np.hypot(*(after - before)[:, :2].T).max() < 2 * MICROMETRE
        assert np.abs(angles.difference(after[:, 2], before[:, 2])).max() < 1e-3


def test_who_stays_stays_where_its_route_ends(schedule, take):
    for who in (0, 2, 3):
        route = schedule.routes[who]
        places = take.sample(np.arange(route.time, ENDS, 0.5), characters=[who]).planar[:, 0]
        assert np.hypot(*(places[:, :2] - route.pose[:2]).T).max() < STILL
    assert told(take, 3) == [("stays", 0.0, ENDS)]


def test_reasons_say_what_segments_are_for_a_row_for_each_unbroken_stretch(schedule, take):
    words = [words for words, _, _ in told(take, 0) if not words.startswith("waits")]
    assert [word.split(",")[0] for word in words] == ["on the way to on", "on the way to there", "holds there", "stays"]
    for row in mine(take, 0):
        word = take.why("ann", 0.5 * (take.segments.start[row] + take.segments.stop[row])).reason
        mark = -1 if word.startswith("waits") else 0 if word.startswith("on the way to on") else 1
        assert int(take.segments.mark[row]) == mark
    # Dan has no marks, so nothing leads to any.
    assert set(take.segments.mark[mine(take, 3)].tolist()) == {NONE}
    for who in range(4):
        stretches, rows = told(take, who), mine(take, who)
        ends = np.array([(start, stop) for _, start, stop in stretches])
        np.testing.assert_array_equal(ends[1:, 0], ends[:-1, 1])
        assert (ends[0, 0], ends[-1, 1]) == (take.segments.start[rows[0]], take.segments.stop[rows[-1]])
        assert all(one[0] != two[0] for one, two in pairwise(stretches))


def test_numbers_of_reasons_are_metres_of_the_way_and_seconds_of_the_wait(take):
    r = take.reasons
    way = r.rows((r.kind == ReasonKind.ON_THE_WAY) & (r.mark == 0))
    assert way.number[0] == pytest.approx(np.hypot(3.0, 2.0), abs=INSTANT)
    waits = r.rows(np.isin(r.kind, [ReasonKind.WAITS_BEFORE, ReasonKind.WAITS_FOR]))
    assert len(waits)
    np.testing.assert_allclose(waits.number, waits.stop - waits.start, rtol=0, atol=INSTANT)


def test_who_leaves_is_on_the_way_out_and_to_no_mark(schedule, take):
    words, start, stop = told(take, 1)[-1]
    assert words.startswith("on the way out through the door door, ")
    assert (stop, take.notes) == (schedule.routes[1].time, ("door",))
    row = mine(take, 1)[-1]
    assert (take.segments.mark[row], take.segments.start[row] >= start) == (NONE, True)


def test_reasons_end_with_the_scene_and_tell_of_the_whole_way(schedule, take):
    short = written(schedule, ends=3.0)
    whole, cut = (told(each, 0)[0] for each in (take, short))
    assert (cut[0], cut[1], cut[2]) == (whole[0], whole[1], min(whole[2], 3.0))
    assert short.reasons.stop.max() <= 3.0
    assert (set(short.reasons.character.tolist()), short.notes) == ({0, 2, 3}, ())


def test_a_take_of_nobody_has_no_reasons():
    assert len(written(run()).reasons) == 0


def test_a_small_body_plays_faster_by_the_root_of_its_size(schedule, take):
    rates = take.segments.rate_start[mine(take, 0)]
    plans = legs_of(schedule.routes[0], scale=0.95)
    expected = np.concatenate([np.full(len(plan.edges), plan.rate / np.sqrt(0.95)) for plan in plans])
    np.testing.assert_allclose(rates[: len(expected)], expected, rtol=1e-6)
    np.testing.assert_allclose(rates[len(expected) :], 1 / np.sqrt(0.95), rtol=1e-6)


def test_edges_are_those_of_the_graph_and_clips_are_theirs(schedule, take):
    for row in mine(take, 0):
        edge = int(take.segments.edge[row])
        assert take.clip(int(take.segments.clip[row])).name == builtin().clip(edge).name
    piece = legs_of(schedule.routes[0])[0]
    np.testing.assert_array_equal(take.segments.edge[mine(take, 0)][: len(piece.edges)], piece.graph.edges[piece.edges])


def test_marks_are_met_in_the_take_when_routes_meet_them(schedule, take):
    met = [t for route in schedule.routes for _, t in sorted(route.met.items())]
    np.testing.assert_allclose(take.marks.met, met)
    assert (take.marks.asks & MEANT > 0).all()
    # Walked through, to the micrometre.
    place = take.pose(float(take.marks.met[0])).planar[0, :2]
    assert np.hypot(*(place - (-1.0, 2.0))) < MICROMETRE


def test_neighbours_who_stay_do_not_begin_the_same_rest_together():
    """Six stand in a circle for half a minute; were they not to look, chance would let some do it."""
    circle = [(0.7 * np.cos(a), 0.7 * np.sin(a), a) for a in np.arange(6) * np.pi / 3]
    take = written(run(*(person(f"p{k}", place) for k, place in enumerate(circle))))
    segments = take.segments
    same_edge = segments.edge[:, None] == segments.edge
    same_time = np.abs(segments.start[:, None] - segments.start) < APART_S
    others = segments.character[:, None] != segments.character
    assert not (same_edge & same_time & others).any()
    assert (same_time & others).sum() > 50


def test_who_left_is_not_written_as_staying(schedule):
    routes = [*schedule.routes[:3], replace(schedule.routes[3], gone=True)]
    take = write_routes(
        schedule.scene, routes, context=schedule.context, people=schedule.people, ends=ENDS, seed=0, provenance={}
    )
    assert len(mine(take, 3)) == 0
    assert len(mine(take, 2)) > 0


def test_the_same_seed_writes_the_same_rests_and_another_one_others(schedule, take):
    again, other = written(schedule), written(schedule, seed=1)
    np.testing.assert_array_equal(again.segments.edge, take.segments.edge)
    assert not np.array_equal(other.segments.edge[mine(other, 3)], take.segments.edge[mine(take, 3)])


def test_a_take_that_ends_before_routes_do_is_cut_there(schedule):
    short = written(schedule, ends=3.0)
    assert short.stop == pytest.approx(3.0)
    assert set(short.segments.character.tolist()) == {0, 2, 3}  # bob enters at 4 s
    assert short.segments.stop.max() <= 3.0 + INSTANT
    full = written(schedule)
    times = np.arange(0.0, 3.0, 0.25)
    np.testing.assert_allclose(
        short.sample(times, characters=[0]).planar, full.sample(times, characters=[0]).planar, atol=MICROMETRE
    )


def test_a_take_with_a_path_is_in_the_file_too(schedule, tmp_path):
    from walkon.take import load_take

    made = written(schedule, path=tmp_path / "x.take")
    np.testing.assert_array_equal(load_take(tmp_path / "x.take").segments.place, made.segments.place)
    assert made.provenance["title"] == "t"


# Marks as they were resolved


def resolved(mark, schedule, *, met=4.0, ends=ENDS):
    return _resolved(mark, schedule.routes[0], 0, met, ends)


def test_a_window_is_cut_at_the_end_and_one_that_counts_from_another_mark_is_left_out(schedule):
    assert resolved(at(0, 0, 1, np.inf), schedule).window == (1.0, ENDS)
    assert resolved(at(0, 0, 1, 9), schedule).window == (1.0, 9.0)
    clocked = resolved(at(0, 0, 1, 9, clock=Moment(character="bob", mark="there")), schedule)
    assert (clocked.window, clocked.clock) == (None, None)


def test_a_hold_is_in_seconds_and_ends_with_the_scene(schedule):
    assert resolved(at(0, 0, hold=5.0), schedule).hold == 5.0
    assert resolved(at(0, 0, until=10.0), schedule).hold == pytest.approx(6.0)
    assert resolved(at(0, 0, until=3.0), schedule).hold == 0.0
    assert resolved(at(0, 0, until=10.0), schedule).until is None
    for long in (at(0, 0, hold=np.inf), at(0, 0, hold=100.0)):
        assert resolved(long, schedule).hold == pytest.approx(ENDS - 4.0, abs=1e-5)


def test_a_mark_that_asks_for_nothing_any_more_is_where_its_route_ends(schedule):
    only_time = Mark(name="m", window=(1.0, 2.0), clock=Moment(character="bob", mark="there"))
    assert resolved(only_time, schedule).position == tuple(schedule.routes[0].pose[:2])


def test_unmet_marks_are_in_the_take_but_not_meant():
    schedule = run(person("ann", (0.0, 0.0, 0.0), at(90.0, 0.0, 0, 5), at(1.0, 0.0, name="near")))
    take = written(schedule, ends=10.0)
    assert (take.marks.asks & MEANT > 0).tolist() == [False, True]
    assert take.marks.asks[0] & POSITION
    assert take.marks.asks[0] & WINDOW
