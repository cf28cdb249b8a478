"""Who is where in the coarse plan: held against all pieces and rests, one by one, without any table."""

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

from coarse_worlds import WALKER, disc, least_distance
from walkon.navigation.coarse import _traffic_kernels as kernels
from walkon.navigation.coarse.coarse_rule import NO_STEP, PASSING_RADIUS_M
from walkon.navigation.coarse.traffic import TrafficTable

NOTHING = np.zeros((0, 3))
DOUBT = 1e-5
"""m of a gap that 32 bits may take either way."""


class Everybody:
    """A table, and the same in lists."""

    def __init__(self):
        self.table, self.ways, self.rests = TrafficTable(), [], []

    def add_way(self, me, step, places, radii):
        self.table.add_way(me, step=step, places=places, radii=radii)
        self.ways += [(me, step + k, *places[k], *places[k + 1], radii[k]) for k in range(len(radii))]

    def add_rest(self, me, discs, first, stop):
        self.table.add_rest(me, discs=discs, first=first, stop=stop)
        self.rests += [(me, first, stop, *one) for one in discs]

    def remove(self, me):
        self.table.remove(me)
        self.ways = [row for row in self.ways if row[0] != me]
        self.rests = [row for row in self.rests if row[0] != me]

    def gaps(self, a, b, radius, first, stop, *, rests):
        """Who there is in steps first to stop [n], in which of them, and m between it and who goes from a to b [n].

        Who walks needs little of who rests.
        """
        ways, there = (np.reshape(rows, (-1, width)) for rows, width in ((self.ways, 7), (self.rests, 6)))
        ways = ways[(ways[:, 1] >= first) & (ways[:, 1] < stop)]
        theirs = np.minimum(ways[:, 6], PASSING_RADIUS_M) if rests else ways[:, 6]
        yield ways[:, 0], ways[:, 1], ways[:, 1] + 1, least_distance(a, b, ways[:, 2:4], ways[:, 4:6]) - radius - theirs
        there = there[(there[:, 1] < stop) & (there[:, 2] > first)]
        mine = radius if rests else min(radius, PASSING_RADIUS_M)
        gap = least_distance(a, b, there[:, 3:5], there[:, 3:5]) - mine - there[:, 5]
        yield there[:, 0], np.maximum(there[:, 1], first), np.minimum(there[:, 2], stop), gap

    def met(self, me, knots, radius, discs=NOTHING):
        """Who is met for sure, and who is met in doubt."""
        asked = [(p[:2], q[:2], radius, p[2], max(q[2], p[2] + 1), False) for p, q in pairwise(knots)]
        asked += [(one[:2], one[:2], one[2], knots[-1, 2], NO_STEP, True) for one in discs]
        sure, doubt = set(), set()
        for a, b, r, first, stop, rests in asked:
            for who, _, _, gap in self.gaps(a, b, r, first, stop, rests=rests):
                sure |= set(who[gap < -DOUBT].astype(int).tolist()) - {me}
                doubt |= set(who[np.abs(gap) <= DOUBT].astype(int).tolist()) - {me}
        return sure, doubt

    def blocked(self, me, discs, steps):
        """[steps + 1] whether somebody is in the way of discs that rest."""
        found = np.zeros(steps + 1, bool)
        for x, y, r in discs:
            for who, first, stop, gap in self.gaps((x, y), (x, y), r, 0, steps + 1, rests=True):
                for k in np.flatnonzero((gap < 0) & (who != me)):
                    found[int(first[k]) : int(stop[k])] = True
        return found


def strolls(count, *, seed=0, wide=20.0, everybody=None):
    """People who stroll about and then rest somewhere."""
    rng, all_of_them = np.random.default_rng(seed), everybody or Everybody()
    for me in range(count):
        n, step = int(rng.integers(4, 30)), int(rng.integers(0, 60))
        places = rng.uniform(0, wide, 2) + np.cumsum(rng.uniform(-0.6, 0.6, (n + 1, 2)), axis=0)
        all_of_them.add_way(me, step, places, rng.uniform(0.2, 0.4, n))
        stands = np.column_stack([places[-1] + rng.uniform(-0.1, 0.1, (2, 2)), rng.uniform(0.15, 0.3, 2)])
        all_of_them.add_rest(me, stands, step + n, NO_STEP if me % 2 else step + n + int(rng.integers(1, 30)))
    return all_of_them


def walks(seed, count=40, wide=20.0):
    """Knots [n + 1, 3] of ways to ask about."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(rng.integers(1, 12))
        places = rng.uniform(0, wide, 2) + np.cumsum(rng.uniform(-0.5, 0.5, (n + 1, 2)), axis=0)
        yield np.column_stack([places, rng.integers(0, 80) + np.arange(n + 1)]).astype(float)


def says_right(everybody, seed, *, me=-7):
    """Compare who is met on the way, and what is blocked, with the lists; return how often there was somebody."""
    seen = 0
    for knots in walks(seed):
        found = everybody.table.met(me, knots, radius=0.3, discs=NOTHING)
        sure, doubt = everybody.met(me, knots, 0.3)
        assert sure <= found <= sure | doubt
        one = disc(*knots[0, :2], 0.3)
        first = everybody.table.blocked(one, me=me, steps=120)
        expected = everybody.blocked(me, one, 120)
        later = [np.flatnonzero(expected[t:]) for t in range(121)]
        assert first.tolist() == [t + int(k[0]) if len(k) else NO_STEP for t, k in enumerate(later)]
        seen += bool(sure) + bool(expected.any())
    return seen


def test_the_least_distance_of_two_is_that_of_dense_samples():
    rng, u = np.random.default_rng(0), np.linspace(0, 1, 2001)[:, None]
    for p, v in zip(rng.uniform(-2, 2, (300, 2)), rng.uniform(-2, 2, (300, 2)), strict=True):
        found = kernels.apart.py_func(*p, *v)
        dense = np.linalg.norm(p + u * v, axis=1).min()
        assert dense - 1e-3 <= found <= dense + 1e-12
        assert found == pytest.approx(least_distance(p, p + v, (0, 0), (0, 0)))
    assert kernels.apart.py_func(0.3, 0.4, 0.0, 0.0) == pytest.approx(0.5)


@pytest.mark.parametrize("seed", range(3))
def test_who_is_met_and_what_is_blocked_is_so(seed):
    assert says_right(strolls(60, seed=seed), seed + 10) > 15


def test_tables_that_grow_keep_everybody_and_forget_who_was_taken_out():
    everybody = strolls(300, seed=1, wide=11.0)
    for me in range(0, 300, 3):
        everybody.remove(me)
    rows = len(everybody.table.arrays.pieces)
    for again in range(4):
        strolls(300, seed=again, wide=11.0, everybody=everybody)
        for me in range(0, 300, 2):
            everybody.remove(me)
    assert len(everybody.table.arrays.pieces) > rows
    assert says_right(everybody, 5) > 15
    for me in range(300):
        everybody.remove(me)
    assert says_right(everybody, 6) == 0


def test_taking_somebody_out_brings_back_what_was_there_before():
    everybody = strolls(30)
    asked = list(walks(3))
    ask = lambda: [everybody.table.met(-7, k, radius=0.3, discs=NOTHING) for k in asked]  # noqa: E731
    before = ask()
    everybody.add_way(99, 0, asked[0][:, :2], np.full(len(asked[0]) - 1, 0.5))
    everybody.add_rest(99, np.column_stack([asked[1][:, :2], np.full(len(asked[1]), 0.5)]), 0, NO_STEP)
    assert ask() != before
    everybody.remove(99)
    assert ask() == before
    everybody.remove(99)
    assert ask() == before


def test_nobody_is_in_the_own_way_and_the_order_in_which_people_come_has_no_say():
    one, two = Everybody(), Everybody()
    ways = list(walks(0, 30, 6.0))
    for everybody, order in ((one, range(30)), (two, reversed(range(30)))):
        for me in order:
            everybody.add_way(me, int(ways[me][0, 2]), ways[me][:, :2], np.full(len(ways[me]) - 1, WALKER))
    for me, knots in enumerate(ways):
        found = one.table.met(me, knots, radius=WALKER, discs=NOTHING)
        assert me not in found
        assert found == two.table.met(me, knots, radius=WALKER, discs=NOTHING)


@pytest.mark.parametrize("seed", range(3))
def test_who_rests_at_the_end_meets_those_for_whom_its_place_is_blocked(seed):
    everybody, met = strolls(60, seed=seed), 0
    for knots in walks(seed + 20):
        rest = disc(*knots[-1, :2], 0.28)
        found = everybody.table.met(-7, knots[-1:], radius=0.3, discs=rest)
        sure, doubt = everybody.met(-7, knots[-1:], 0.3, rest)
        assert sure <= found <= sure | doubt
        met += len(sure)
    assert met > 3


@pytest.mark.parametrize("knots", [[(0, 0, 0), (0, 0, 300)], [(0, 0, 0)]], ids=["waits", "stays"])
def test_who_comes_after_everybody_else_has_stopped_is_met(knots):
    table = TrafficTable()
    table.add_rest(1, discs=disc(0.0, 0.1), first=100, stop=200)
    assert table.met(0, np.array(knots, float), radius=0.3, discs=disc(0.0, 0.0)) == {1}


def test_a_way_of_no_steps_and_a_rest_of_no_time_are_nothing():
    table = TrafficTable()
    table.add_way(0, step=3, places=np.zeros((1, 2)), radii=np.zeros(0))
    table.add_rest(0, discs=disc(0.0, 0.0), first=5, stop=5)
    table.remove(0)
    assert table.last == 0
    assert (table.blocked(disc(0.0, 0.0), me=1, steps=9) == NO_STEP).all()


SPREAD = """
import numpy as np
from walkon.navigation.coarse.traffic import TrafficTable
table = TrafficTable()
for k in range(700):
    place = np.array([2.0 * (k % 30), 2.0 * (k // 30)])
    if {rests}:
        table.add_rest(k, discs=np.array([[*place, 0.25]]), first=0, stop=10)
    else:
        table.add_way(k, step=8, places=place + [[0.0, 0.0], [0.5, 0.0]], radii=np.array([0.3]))
for k in range(700):
    x, y = 2.0 * (k % 30), 2.0 * (k // 30)
    assert table.met(-7, np.array([[x, y, 8.0], [x, y, 9.0]]), radius=0.3, discs=np.zeros((0, 3))) == {{k}}
"""


@pytest.mark.parametrize("rests", [True, False], ids=["rests", "steps at one time"])
def test_many_who_are_somewhere_at_one_time_find_their_places_in_the_tables(rests):
    """In a process of its own: a table that is full would be searched for ever."""
    subprocess.run([sys.executable, "-c", SPREAD.format(rests=rests)], check=True, timeout=5)
