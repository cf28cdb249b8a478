"""Experiments 1, 2 and 6 of Sung 2005: people on an empty floor.

1: 20 people arrive at one instant, t^a = t^b, each standing at its place and facing its way (figure 5): two rings, one
that looks in and one that looks out. 2: 70 spell SCA, 1.0 to 1.2 m apart (figure 6); only places are asked for, as in
the paper. 6: people on a grid go to the same grid, moved on, with figure 11's spacings. Each goes to a place a little
off its own on the moved grid (figure 10). Targets are a permutation, and near enough to one's own that all ways are
about equally long, and cross. The grid is moved by 30 m, 25.9 s of a usual walk, whatever its spacing: in figure 11
only the spacing changes.

The paper prints neither sizes nor distances. Distances here follow from Table 1's durations at a usual walk, with 2.8 s
for a start and a stop that go 1.1 m between them.
"""

from math import inf

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.chance import Purpose, stream
from walkon._base.errors import InvalidValue
from walkon.geometry.path import arc_lengths
from walkon.reproduce.sung2005.building import pair_goals, rectangle, towards
from walkon.reproduce.sung2005.columns import TABLE_1
from walkon.script import Character, Mark, Scene, Seeds
from walkon.script.arranging import in_circle, in_region
from walkon.script.stroke_font import letter
from walkon.transforms import angles

__all__ = [
    "GRID_SHAPES",
    "GRID_SPACINGS_M",
    "crowd_of",
    "experiment_1",
    "experiment_2",
    "experiment_6",
    "grid_targets",
    "sca",
    "walking_distance",
    "walking_time",
]

WALK_SPEED_M_S, START_AND_STOP_S, START_AND_STOP_M = 1.25, 2.8, 1.1
"""m/s of a usual walk; seconds and metres of a start and a stop together."""
A_LEG_SPACING_M, A_TOP_GAP_M = 1.195, 1.004
"""m between people on a leg of the A, and between its legs at the first people below its top."""
A_LEG_COUNT, A_BAR_COUNT = 10, 6
"""People on a leg below the top, and below the top at which the bar is."""
LETTER_COUNTS = (("S", 23), ("C", 21))
"""The other letters and how many people stand on them."""
LETTER_GAP_M = 4.0
"""m between letters."""


def walking_time(metres: float) -> float:
    """Return the seconds that a person usually takes from standing to standing."""
    return START_AND_STOP_S + max(metres - START_AND_STOP_M, 0.0) / WALK_SPEED_M_S


def walking_distance(seconds: float) -> float:
    """Return the metres that a person usually goes in so many seconds: the inverse of `walking_time`."""
    return START_AND_STOP_M + max(seconds - START_AND_STOP_S, 0.0) * WALK_SPEED_M_S


def experiment_1(*, seed: int = 0) -> Scene:
    """Return 20 people who arrive at 14.8 s, all at once, in given configurations."""
    rng = stream(seed, Purpose.EXPERIMENT, "configurations")
    when = TABLE_1["1"].duration_s
    inner, outer = in_circle(8, radius=1.9), in_circle(12, radius=3.6, first=0.26)
    goals = np.concatenate([inner, outer])
    facing = np.concatenate([towards(inner, 0 * inner), towards(0 * outer, outer)])
    floor = shapely.Point(0, 0).buffer(12.5) - shapely.Point(0, 0).buffer(6.5)
    starts = in_region(floor, count=20, apart=1.5, generator=rng)
    # Five seconds less than there is: to turn about at the end, which takes four, and to give way.
    goal = pair_goals(starts, goals, far=walking_distance(when - 5.0), spread=1.5, rng=rng)
    marks = [
        Mark(name="place", position=(x, y), facing=a, pose="stand", window=(when, when), hold=inf)
        for (x, y), a in zip(goals[goal].tolist(), facing[goal].tolist(), strict=True)
    ]
    heading = towards(starts, goals[goal]) + rng.uniform(-0.7, 0.7, len(starts))
    return crowd_of("Twenty people arrive at one instant", starts=starts, headings=heading, marks=marks, seed=seed)


def experiment_2(*, seed: int = 0) -> Scene:
    """Return 70 people who come to spell SCA."""
    rng = stream(seed, Purpose.EXPERIMENT, "spelling")
    when = TABLE_1["2"].duration_s
    goals = sca()
    # Some seconds are left to give way. They come from a square as large as the word, in front of it.
    far = walking_distance(when - 2.5)
    low, high = goals.min(axis=0), goals.max(axis=0)
    floor = shapely.Polygon(rectangle(low - (0, far), high - (0, far)))
    starts = in_region(floor, count=70, apart=1.3, generator=rng)
    goal = pair_goals(starts, goals, far=far, spread=1.5, rng=rng)
    # Those at the top of the letters come first: nobody can pass between people who stand a metre apart.
    y = goals[goal, 1]
    middle = when - 2.0 * (y - y.mean()) / np.ptp(y)
    marks = [
        Mark(name="place", position=(x, y), pose="stand", window=(t - 1.5, t + 1.5), hold=inf)
        for (x, y), t in zip(goals[goal].tolist(), middle.tolist(), strict=True)
    ]
    heading = towards(starts, goals[goal]) + rng.uniform(-0.5, 0.5, len(starts))
    return crowd_of("Seventy people spell SCA", starts=starts, headings=heading, marks=marks, seed=seed)


def sca() -> Array:
    """Return the places [70, 2] of the letters, centred: everybody 1.0 to 1.2 m from those beside them.

    `walkon.script.arranging` would leave the top of the A and its feet wider; this one has an angle at its top that is
    wide enough for neighbours on both legs, and a bar as many steps long as it is steps below the top.
    """
    down = A_LEG_SPACING_M * np.sqrt(1 - (0.5 * A_TOP_GAP_M / A_LEG_SPACING_M) ** 2)
    height = A_LEG_COUNT * down
    step = np.arange(1, A_LEG_COUNT + 1)
    legs = [np.column_stack([side * 0.5 * A_TOP_GAP_M * step, height - down * step]) for side in (-1, 1)]
    rungs = A_TOP_GAP_M * (np.arange(1, A_BAR_COUNT) - A_BAR_COUNT / 2)
    a = np.concatenate(
        [[[0.0, height]], *legs, np.column_stack([rungs, np.full(A_BAR_COUNT - 1, height - A_BAR_COUNT * down)])]
    )
    drawn, pen = [], 0.0
    for name, count in LETTER_COUNTS:
        width, (curve,) = letter(name)
        lengths = arc_lengths(curve)
        at = np.linspace(0.0, lengths[-1], count)
        drawn.append(height * np.column_stack([np.interp(at, lengths, curve[:, k]) for k in (0, 1)]) + (pen, 0.0))
        pen += height * width + LETTER_GAP_M
    places = np.concatenate([*drawn, a + np.array([pen + 0.5 * A_TOP_GAP_M * A_LEG_COUNT, 0.0])])
    return np.asarray(places - (places.min(axis=0) + places.max(axis=0)) / 2)


def crowd_of(title: str, *, starts: Array, headings: Array, marks: list[Mark], seed: int) -> Scene:
    """Return people who stand on an endless floor and have a mark each."""
    places = np.column_stack([starts, angles.wrap(headings)]).tolist()
    people = tuple(
        Character(name=f"person {k + 1:0{len(str(len(places)))}}", place=(x, y, a), marks=(mark,))
        for k, ((x, y, a), mark) in enumerate(zip(places, marks, strict=True))
    )
    return Scene(title=title, characters=people, seeds=Seeds(population=seed, behaviour=seed))


GRID_SHIFT_M = 30.0
"""m by which the grid is moved on."""
GRID_SHAPES = {300: (15, 20), 500: (10, 50), 10_000: (50, 200)}
"""People → rows along the way, and across it. The first two end before the moved grid begins."""
GRID_SPACINGS_M = (1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0)
"""m between people in figure 11."""
MAX_ASIDE_CELLS, MAX_ONWARDS_M = 2, 3.0
"""Cells aside, and metres ahead or back, by which a target is off at most."""
EARLIEST_SHARE, LATEST_SHARE = 0.87, 1.13
"""Shares of Table 1's duration between which people arrive."""
SWAP_ROUND_COUNT = 6


def experiment_6(count: int = 300, *, spacing: float = 2.0, seed: int = 0) -> Scene:
    """Return 300, 500 or 10,000 people on a grid who go to a grid 30 m on."""
    if count not in GRID_SHAPES:
        raise InvalidValue(f"there are grids of {', '.join(map(str, GRID_SHAPES))} people, got {count}")
    if not spacing > 0:
        raise InvalidValue(f"people of a grid stand over 0 m apart, got {spacing} m")
    rng = stream(seed, Purpose.EXPERIMENT, "grid")
    deep, wide = GRID_SHAPES[count]
    cell = np.stack(np.meshgrid(np.arange(deep), np.arange(wide), indexing="ij"), axis=-1).reshape(-1, 2)
    starts = spacing * (cell - (np.array([deep, wide]) - 1) / 2)
    goals = starts[grid_targets(deep, wide, ahead=int(MAX_ONWARDS_M / spacing), aside=MAX_ASIDE_CELLS, rng=rng)] + (
        GRID_SHIFT_M,
        0.0,
    )
    usual = TABLE_1["6b" if count == 500 else "6a"].duration_s
    window = (EARLIEST_SHARE * usual, LATEST_SHARE * usual)
    marks = [Mark(name="place", position=(x, y), pose="stand", window=window, hold=inf) for x, y in goals.tolist()]
    title = f"{count} people on a grid of {spacing:g} m go on by {GRID_SHIFT_M:g} m"
    return crowd_of(title, starts=starts, headings=towards(starts, goals), marks=marks, seed=seed)


def grid_targets(deep: int, wide: int, *, ahead: int, aside: int, rng: np.random.Generator) -> IntArray:
    """Return a permutation [deep · wide] of a grid's cells, row by row, that moves none farther than asked, in cells.

    Neighbours change places by lot, every other pair and then the pairs between, along both ways, for some rounds; a
    change that would take a person too far from home is left out.
    """
    home = np.arange(deep * wide).reshape(deep, wide)
    who = home.copy()
    row, place = np.indices(who.shape)
    for _ in range(SWAP_ROUND_COUNT):
        for axis, first in ((0, 0), (1, 0), (0, 1), (1, 1)):
            low = np.arange(first, who.shape[axis] - 1, 2)
            here, there = np.take(who, low, axis), np.take(who, low + 1, axis)
            cells = [tuple(np.take(index, low + k, axis) for index in (row, place)) for k in (0, 1)]
            fine = _within(here, cells[1], wide, ahead, aside) & _within(there, cells[0], wide, ahead, aside)
            swaps = fine & (rng.random(here.shape) < 0.5)
            who[cells[0]], who[cells[1]] = np.where(swaps, there, here), np.where(swaps, here, there)
    goals = np.empty(deep * wide, np.int64)
    goals[who.ravel()] = home.ravel()
    return goals


def _within(who: IntArray, cell: tuple[IntArray, ...], wide: int, ahead: int, aside: int) -> BoolArray:
    return np.asarray((np.abs(who // wide - cell[0]) <= ahead) & (np.abs(who % wide - cell[1]) <= aside))
