"""Who is where, when: the hashed grid answers what a search over all discs would."""

import numpy as np
import pytest

from walkon.planning.occupancy import BODY_MARGIN_M, Occupancy


def filled(rng, people=60, bins=40, size=8.0):
    occupancy, discs = Occupancy(), []
    for who in range(people):
        mine = np.column_stack([rng.uniform(-size, size, (bins, 2)), rng.uniform(0.1, 0.3, bins)])
        occupancy.add(who, np.arange(bins), mine)
        discs.append(mine)
    return occupancy, np.array(discs)


def asked(occupancy, bins, discs, me=-5):
    from walkon.planning import _occupancy_kernels as kernels

    depths = np.zeros(len(bins))
    kernels.overlaps(occupancy.entries, bins, discs, BODY_MARGIN_M, me, depths)
    return depths


def plain(discs, bins, asked_discs, me=-5):
    """How deep each disc is in the worst of all others, by comparing with everyone."""
    told = []
    for k, (x, y, r) in zip(bins, asked_discs, strict=True):
        others = np.delete(discs[:, k], me, axis=0) if me >= 0 else discs[:, k]
        others = others.astype(np.float32)
        depth = others[:, 2] + r + BODY_MARGIN_M - np.hypot(others[:, 0] - x, others[:, 1] - y)
        told.append(max(depth.max(), 0.0))
    return np.array(told)


@pytest.mark.parametrize("me", [-5, 7])
def test_questions_are_answered_as_by_looking_at_everybody(me):
    rng = np.random.default_rng(4)
    occupancy, discs = filled(rng)
    bins = rng.integers(0, 40, 2000)
    wanted = np.column_stack([rng.uniform(-9, 9, (2000, 2)), np.full(2000, 0.25)])
    told = asked(occupancy, bins, wanted, me)
    np.testing.assert_allclose(told, plain(discs, bins, wanted, me), atol=1e-6)
    assert (told > 0).sum() > 100  # the question was not empty


def test_who_is_taken_out_is_met_no_more_and_others_stay_through_growth():
    rng = np.random.default_rng(5)
    occupancy, discs = filled(rng, people=20)
    occupancy.remove(3)
    gone = np.delete(discs, 3, axis=0)
    bins = np.repeat(np.arange(40), 20)
    wanted = np.column_stack([rng.uniform(-9, 9, (800, 2)), np.full(800, 0.3)])
    np.testing.assert_allclose(asked(occupancy, bins, wanted), plain(gone, bins, wanted), atol=1e-6)
    # Thousands more make the table grow; what is there is found again.
    for who in range(100, 220):
        occupancy.add(who, np.arange(40), np.column_stack([np.full((40, 2), 500.0 + who), np.full(40, 0.2)]))
    np.testing.assert_allclose(asked(occupancy, bins, wanted), plain(gone, bins, wanted), atol=1e-6)
    assert occupancy.nbytes < 5_000_000


def test_discs_wider_than_half_a_cell_are_met_from_afar():
    rng = np.random.default_rng(6)
    occupancy, discs = Occupancy(), rng.uniform((-8, -8, 0.5), (8, 8, 1.4), (30, 1, 3))
    for who in range(30):
        occupancy.add(who, np.zeros(1, int), discs[who])
    wanted = np.column_stack([rng.uniform(-9, 9, (400, 2)), rng.uniform(0.1, 0.9, 400)])
    bins = np.zeros(400, int)
    np.testing.assert_allclose(asked(occupancy, bins, wanted), plain(discs, bins, wanted), atol=1e-6)


def test_discs_without_a_radius_are_not_there():
    occupancy = Occupancy()
    occupancy.add(0, np.array([0, 0]), np.array([[0.0, 0.0, -1000.0], [5.0, 5.0, 0.2]]))
    assert len(occupancy) == 1
    assert asked(occupancy, np.array([0]), np.array([[0.0, 0.0, 0.3]]))[0] == 0.0


def test_entries_of_another_floor_are_left_out_until_asked_again():
    occupancy = Occupancy()
    rng = np.random.default_rng(5)
    for who in range(40):  # enough for the arrays to grow in between
        bins = np.arange(200)
        discs = np.column_stack([rng.uniform(0, 5, (200, 2)), np.full(200, 0.3)])
        occupancy.add(who, bins, discs, heights=np.full(200, float(who)))
    occupancy.remove(7)
    rows, heights = occupancy.heights(first=100)
    assert len(rows) == 39 * 100 and 7.0 not in heights
    assert np.array_equal(occupancy.entries.who[rows], heights)
    assert (occupancy.entries.bins[rows] >= 100).all()
    there = occupancy.entries.bins[:1].astype(np.int64), np.array([[2.5, 2.5, 9.0]])
    some = occupancy.without(occupancy.heights()[0][occupancy.heights()[1] != 3.0])
    assert some.meets(99, *there).tolist() == [3]
    assert len(occupancy.meets(99, *there)) == 39
