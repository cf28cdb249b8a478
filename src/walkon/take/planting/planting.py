"""Planting (foot-skate clean-up): one place in the world for every foot contact, and what it takes to keep it.

Clips come with feet that stand still; warps, blends and other bodies make them slide. For each stance of a foot
(contacts of its heel and its ball that overlap) the ball keeps the place it has in the middle of its contact, and the
heel lies at the foot's own length from it, as the clip has it while both are down. From these plants follow the turn
and the shift that the clip's foot needs when it lands and when it leaves (`solving`); between stances posing eases from
one to the next (`walkon.take.posing.posing`). Where a leg would then be too long, the root comes down, smoothly.

A take that grows is planted as it grows (`extend_feet`), section by section (`sections`): what is returned is final.
One that is there at once goes through the same sections, so that both have the same feet to the last bit.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.take.planting.clearing import clear_floor, open_ends
from walkon.take.planting.contact_spans import contact_spans
from walkon.take.planting.drops import TimeSpan, characters_of_new, find_drops, first_steps, leg_needs
from walkon.take.planting.floor_heights import FloorKnots, curve_over_plants, curve_through, look_under_roots
from walkon.take.planting.heels import allowed_rise, free_balls, free_heels, start_swings
from walkon.take.planting.placing import place_stances
from walkon.take.planting.releasing import release
from walkon.take.planting.sections import CONTEXT_S, Chains, next_sections
from walkon.take.planting.solving import make_stances
from walkon.take.planting.stance_rows import StanceRows, stance_rows
from walkon.take.posing.score import keep_largest
from walkon.take.tables import Drops, Heights, Stances, in_order
from walkon.take.take import Take

__all__ = ["FeetSoFar", "PlantedFeet", "extend_feet", "plant_feet"]

SETTLE_ROUNDS = 4
"""Rounds in which risen heels and drops are fitted to each other on floors that are not level."""
KEPT_STANCE_COUNT, KEPT_KNOT_COUNT, KEPT_DROP_COUNT = 4, 3, 8
"""Last stances of a foot, knots of a height curve and drops that later sections look back at."""
KEPT_ROW_S = 1.0
"""s before the end of a section for which its stances have a say in the height curve after it."""


class PlantedFeet(NamedTuple):
    """What planting adds to a take."""

    stances: Stances
    drops: Drops
    heights: Heights


@dataclass(frozen=True, eq=False, kw_only=True)
class FeetSoFar:
    """What is final of N characters' feet in a take that grows, as far as later sections look back."""

    until: Array
    """[N] s up to which the feet of each are final; −∞ where nothing is."""
    near: Array
    """[N] m: the floor on which each goes on is the nearest to this height."""
    stances: Stances
    drops: Drops
    heights: Heights
    rows: StanceRows
    """The last stances as they were before they were solved, on floors that are not level."""

    @classmethod
    def none(cls, near: Array) -> "FeetSoFar":
        """Return that of characters, nothing of whom is final yet, who enter near these heights [N] m."""
        return cls(
            until=np.full(len(near), -np.inf),
            near=np.array(near, np.float64),
            stances=Stances(),
            drops=Drops(),
            heights=Heights(),
            rows=StanceRows(),
        )

    def with_characters(self, near: Array) -> "FeetSoFar":
        """Return the same with more characters, who enter near these heights [M] m."""
        more = len(near)
        return replace(self, until=np.append(self.until, np.full(more, -np.inf)), near=np.append(self.near, near))


def plant_feet(take: Take) -> Take:
    """Return the take with its feet planted: `stances` and `drops` made anew from segments and clips."""
    feet, _ = extend_feet(take, FeetSoFar.none(take.characters.near), final=True)
    return take.with_feet(feet.stances, feet.drops, Heights.joined([take.heights, feet.heights]))


def extend_feet(take: Take, so_far: FeetSoFar, *, final: bool) -> tuple[PlantedFeet, FeetSoFar]:
    """Plant what is final now, and return it with what is final then; with `final` nothing more comes, and all is.

    The take has at least the segments that end less than `CONTEXT_S` before what is final of their characters, sorted;
    of characters without segments nothing changes.
    """
    lifted = np.isin(np.arange(len(take)), take.heights.character)
    bare, under = _put_on_floor(take.with_feet(Stances(), Drops()), lifted, so_far)
    rows = stance_rows(contact_spans(bare))
    chains = Chains.of(rows, len(take))
    there = np.isin(np.arange(len(take)), take.segments.character)
    parts = []
    while there.any():
        section = next_sections(take, chains, so_far.until, there, final=final)
        there = section.stop > section.start
        if not there.any():
            break
        span = TimeSpan(np.where(there, section.start, np.inf), np.where(there, section.stop, -np.inf))
        mine = (rows.began >= span.start[rows.character]) & (rows.began <= section.horizon[rows.character])
        feet, so_far = _plant_section(bare, rows.rows(mine & there[rows.character]), so_far, span, under, lifted)
        parts.append(feet)
        there = there & np.isfinite(section.stop)
    stances = Stances.joined([part.stances for part in parts])
    return PlantedFeet(
        in_order(stances, stances.whose, stances.start),
        keep_largest(Drops.joined([part.drops for part in parts])),
        _sorted_heights(Heights.joined([part.heights for part in parts])),
    ), so_far


def _put_on_floor(bare: Take, lifted: BoolArray, so_far: FeetSoFar) -> tuple[Take, FloorKnots]:
    """Return the take at the height of the floor, as it is known before feet are placed, and the floor under roots."""
    level = bare.stage.floor.level
    if level == 0.0:
        return bare, FloorKnots(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
    under = look_under_roots(bare, lifted, so_far.near)
    if level is not None:
        new = ~np.isin(under.who, so_far.heights.character)
        under = under.rows(new)
        curve = Heights.joined([so_far.heights, curve_through(under)])
    else:
        curve = curve_through(under)
    return bare.with_feet(Stances(), Drops(), Heights.joined([bare.heights, curve])), under


def _plant_section(
    bare: Take, rows: StanceRows, so_far: FeetSoFar, span: TimeSpan, under: FloorKnots, lifted: BoolArray
) -> tuple[PlantedFeet, FeetSoFar]:
    """Plant a section of each character's time; rows are the stances that begin in it, and some after it."""
    level = bare.stage.floor.level
    rows = place_stances(bare, rows)
    heights = Heights()
    if level is None:
        curve, new = _lay_curve(bare, rows, so_far, span, under, lifted)
        given = bare.heights.rows(lifted[bare.heights.character])
        bare, heights = bare.with_feet(Stances(), Drops(), Heights.joined([given, curve])), curve.rows(new)
    elif level != 0.0:
        enter = np.isneginf(span.start[under.who]) & (span.stop > span.start)[under.who]
        heights = curve_through(under.rows(enter))
    rows = release(bare, rows)
    section = _Section(bare, so_far, span)
    stances, drops, own = section.plant(rows) if level is not None else section.plant_uneven(rows)
    before, after = (first_steps(bare, times)[drops.character] for times in span)
    feet = PlantedFeet(stances.rows(own), drops.rows((drops.step >= before) & (drops.step < after)), heights)
    return feet, _look_back(bare, rows, so_far, span, feet, under)


def _lay_curve(
    bare: Take, rows: StanceRows, so_far: FeetSoFar, span: TimeSpan, under: FloorKnots, lifted: BoolArray
) -> tuple[Heights, BoolArray]:
    """Return the height curves of all who are in the span and not lifted by somebody else, and which knots are new."""
    who = under.who
    first = np.diff(who, prepend=-1) != 0
    last = np.append(first[1:], True)[: len(who)]
    ends = (first & np.isneginf(span.start[who])) | (last & np.isposinf(span.stop[who]))
    # Of who has no stance at all, the floor under the root is all there is.
    stands = np.isin(who, rows.character) | np.isin(who, so_far.rows.character)
    ends |= ~stands & np.isneginf(span.start[who]) & np.isposinf(span.stop[who])
    every = StanceRows.joined([so_far.rows, rows])
    mine = ~lifted[every.character] & (span.stop > span.start)[every.character]
    known = so_far.heights.rows((span.stop > span.start)[so_far.heights.character])
    return curve_over_plants(bare, every.rows(mine), under.rows(ends), known, span)


class _Section:
    """A section of the time of each of N characters: how its stances are solved."""

    def __init__(self, bare: Take, so_far: FeetSoFar, span: TimeSpan) -> None:
        self.bare, self.so_far, self.span = bare, so_far, span

    def hold(self, stances: Stances, drops: Drops) -> Take:
        """Return the take with these stances and drops, after what is final."""
        known = self.so_far
        return self.bare.with_feet(
            Stances.joined([known.stances, stances]), keep_largest(Drops.joined([known.drops, drops]))
        )

    def plant(self, rows: StanceRows) -> tuple[Stances, Drops, BoolArray]:
        """Return stances and drops on a level floor, and which of the stances begin in the section."""
        stances = make_stances(self.bare, rows)
        return stances, self._drops(stances), self._own(rows)

    def plant_uneven(self, rows: StanceRows) -> tuple[Stances, Drops, BoolArray]:
        """Return the same on any other floor: heels rise before roots come down, swings clear it."""
        planted = self.hold(make_stances(self.bare, rows), Drops())
        rows = free_heels(rows, planted, partial(leg_needs, self.bare, planted))
        for _ in range(SETTLE_ROUNDS):
            stances = make_stances(self.bare, rows)
            more = open_ends(self.bare, Stances.joined([self.so_far.stances, stances]), self.span)
            every = Stances.joined([stances, more])
            order, own = np.lexsort((every.start, every.whose)), np.append(self._own(rows), np.ones(len(more), bool))
            stances, drops = self._raise_heels(every.rows(order))
            # A ball that is up earlier changes the swing after it, and how far the root comes down for it.
            held = stances.rows(np.argsort(order)[: len(rows)])
            freed = free_balls(rows, held, self.bare, self.hold(stances, drops))
            if np.array_equal(freed.stop, rows.stop):
                break
            rows = freed
        stances = start_swings(stances, self.bare, self.hold(stances, drops))
        return clear_floor(stances, self.bare, self.hold(stances, drops)), drops, own[order]

    def _own(self, rows: StanceRows) -> BoolArray:
        return np.asarray(rows.began < self.span.stop[rows.character])

    def _drops(self, stances: Stances) -> Drops:
        return find_drops(self.bare, self.hold(stances, Drops()), self.span)

    def _raise_heels(self, stances: Stances) -> tuple[Stances, Drops]:
        """Return stances whose heels may rise, with swings that begin with them risen, and drops for what is left.

        How far a heel has risen at its lift-off depends on how far the root is down then, and that on the swing that
        begins there. Drops only grow from round to round, so that it comes to rest; whose do not grow is done.
        """
        stances, drops, span = stances.with_columns(rise=allowed_rise(stances)), Drops(), self.span
        for _ in range(SETTLE_ROUNDS):
            moves = (span.stop > span.start)[stances.character]
            stances = start_swings(stances, self.bare, self.hold(stances, drops), moves)
            before = drops
            drops = keep_largest(Drops.joined([before, find_drops(self.bare, self.hold(stances, Drops()), span)]))
            grows = np.isin(np.arange(len(self.bare)), characters_of_new(drops, before))
            if not grows.any():
                break
            span = TimeSpan(np.where(grows, span.start, np.inf), np.where(grows, span.stop, -np.inf))
        return stances, drops


def _look_back(
    bare: Take, rows: StanceRows, so_far: FeetSoFar, span: TimeSpan, feet: PlantedFeet, under: FloorKnots
) -> FeetSoFar:
    """Return what the next sections look back at."""
    here = span.stop > span.start
    until = np.where(here, span.stop, so_far.until)
    stances = Stances.joined([so_far.stances, feet.stances])
    stances = in_order(stances, stances.whose, stances.start)
    drops = keep_largest(Drops.joined([so_far.drops, feet.drops]))
    heights = _sorted_heights(Heights.joined([so_far.heights, feet.heights]))
    every = StanceRows()
    if bare.stage.floor.level is None:
        own = rows.rows(rows.began < span.stop[rows.character])
        every = StanceRows.joined([so_far.rows, own])
        every = every.rows(~here[every.character] | (every.stop > span.stop[every.character] - KEPT_ROW_S))
    return FeetSoFar(
        until=until,
        near=_near_later(bare, so_far.near, until, here, under),
        stances=stances.rows(_last_of(stances.whose, KEPT_STANCE_COUNT)),
        drops=drops.rows(_last_of(drops.character, KEPT_DROP_COUNT)),
        heights=heights.rows(_last_of(heights.character, KEPT_KNOT_COUNT)),
        rows=every,
    )


def _near_later(bare: Take, near: Array, until: Array, here: BoolArray, under: FloorKnots) -> Array:
    """Return [N] m: the floor under a root where it was looked at last before the segments of the next section."""
    if bare.stage.floor.level is not None:
        return near
    s = bare.segments
    first = np.full(len(near), np.inf)
    some = s.rows(s.stop > until[s.character] - CONTEXT_S)
    np.minimum.at(first, some.character, some.start)
    before = np.flatnonzero(under.when < first[under.who])
    found = np.array(near)
    found[under.who[before]] = under.height[before]  # of several the last counts
    return np.where(here, found, near)


def _last_of(group: IntArray, count: int) -> BoolArray:
    """Return [K] which rows are among the last `count` of their group; rows are sorted by group."""
    after = np.searchsorted(group, group, side="right") - np.arange(len(group))
    return np.asarray(after <= count)


def _sorted_heights(heights: Heights) -> Heights:
    return in_order(heights, heights.character, heights.time)
