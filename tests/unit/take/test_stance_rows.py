"""From contacts to stances: a step is one row, a rocking foot several that share their plants."""

import numpy as np

from walkon.take.planting.contact_spans import ContactSpans
from walkon.take.planting.stance_rows import StanceRows, stance_rows

LEFT_HEEL, LEFT_BALL, RIGHT_HEEL, RIGHT_BALL = range(4)
HEEL, BALL = range(2)


def spans(*rows: tuple[int, int, float, float]) -> ContactSpans:
    """(character, point, start, stop) each."""
    character, point, start, stop = np.array(rows).T
    return ContactSpans.filled(len(point), character=character, point=point, start=start, stop=stop, height=0.1 * point)


def times(rows: StanceRows, point: int) -> list[tuple[float, float]]:
    return [(start, stop) for start, stop in rows.spans[:, point].tolist()]


def test_a_step_is_one_row() -> None:
    rows = stance_rows(spans((0, LEFT_HEEL, 1.0, 1.4), (0, LEFT_BALL, 1.2, 1.7)))
    assert len(rows) == 1
    assert (rows.start[0], rows.stop[0]) == (1.0, 1.7)
    assert times(rows, HEEL) == [(1.0, 1.4)]
    assert times(rows, BALL) == [(1.2, 1.7)]
    assert rows.heights.tolist() == [[0.0, 0.1]]


def test_a_missing_point_is_an_empty_time_at_the_start() -> None:
    rows = stance_rows(spans((0, LEFT_HEEL, 1.0, 1.4), (0, RIGHT_BALL, 1.2, 1.7)))
    assert rows.foot.tolist() == [0, 1]
    assert times(rows, HEEL) == [(1.0, 1.4), (1.2, 1.2)]
    assert times(rows, BALL) == [(1.0, 1.0), (1.2, 1.7)]


def test_rows_are_sorted_by_character_foot_and_start() -> None:
    given = [(c, p, s, s + 0.3) for c in (1, 0) for p in (RIGHT_HEEL, LEFT_HEEL) for s in (2.0, 1.0)]
    rows = stance_rows(spans(*given))
    order = list(zip(rows.character.tolist(), rows.foot.tolist(), rows.start.tolist(), strict=True))
    assert order == sorted(order)
    assert len(order) == 8


def test_far_apart_times_of_many_feet_do_not_mix() -> None:
    given = [(c, p, 1000.0 * c, 1000.0 * c + 0.3) for c in range(50) for p in range(4)]
    rows = stance_rows(spans(*given))
    assert len(rows) == 100
    assert np.allclose(rows.stop - rows.start, 0.3)


def test_a_foot_that_rocks_is_cut_in_the_middle_of_the_gap_and_keeps_its_ball() -> None:
    rows = stance_rows(spans((0, LEFT_HEEL, 0.0, 1.0), (0, LEFT_BALL, 0.5, 3.0), (0, LEFT_HEEL, 2.0, 2.5)))
    assert rows.start.tolist() == [0.0, 1.5]
    assert rows.stop.tolist() == [1.5, 3.0]
    assert times(rows, HEEL) == [(0.0, 1.0), (2.0, 2.5)]
    assert times(rows, BALL) == [(0.5, 1.5), (1.5, 3.0)]
    assert rows.whole[:, BALL].tolist() == [[0.5, 3.0]] * 2
    anchor = int(np.flatnonzero(rows.order == 0)[0])
    other = 1 - anchor
    assert rows.order[other] == 1
    assert rows.towards[other] == anchor - other
    assert rows.same[other].tolist() == [False, True]


def test_something_bears_at_every_moment_of_a_stance() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        given, t = [], 0.0
        for point in rng.integers(0, 2, 8):
            given.append((0, int(point), t, t + rng.uniform(0.1, 0.5)))
            t += rng.uniform(0.0, 0.4)
        # Contacts of one point do not overlap, as in every clip.
        kept: list[tuple[int, int, float, float]] = []
        for row in given:
            if all(row[1] != k[1] or row[2] > k[3] + 0.08 for k in kept):
                kept.append(row)
        rows = stance_rows(spans(*kept))
        for k in range(len(rows)):
            moments = np.linspace(rows.start[k], rows.stop[k], 101)
            held = np.zeros(101, bool)
            for point in (HEEL, BALL):
                a, b = times(rows, point)[k]
                held |= (a < b) & (moments >= a - 1e-9) & (moments <= b + 1e-9)
            assert held.all()
        assert (rows.start[1:] >= rows.stop[:-1] - 1e-12).all()


def test_a_ball_that_lands_as_the_heel_leaves_goes_on_with_the_stance() -> None:
    for gap in (0.0, 1 / 60):
        rows = stance_rows(spans((0, LEFT_HEEL, 0.0, 0.1), (0, LEFT_BALL, 0.1 + gap, 0.3)))
        assert len(rows) == 1
        assert np.allclose(times(rows, HEEL), [(0.0, 0.1 + gap / 2)])
        assert np.allclose(times(rows, BALL), [(0.1 + gap / 2, 0.3)])
    assert len(stance_rows(spans((0, LEFT_HEEL, 0.0, 0.1), (0, LEFT_BALL, 0.2, 0.3)))) == 2


def test_no_contacts_are_no_stances() -> None:
    assert len(stance_rows(ContactSpans())) == 0
