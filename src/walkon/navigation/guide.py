"""A way through place and time around people who are already planned.

A disc starts at a place at a time, moves at up to `speed` or waits, and reaches its goal within a window of time,
where it can stay. On its way it is clear of obstacles (by `FreeSpace.grid`) and of every disc of others at every bin of
`Occupancy`.

A* over a lattice in place and time. A step lasts `dt` and leads by (±2, ±1), (±2, 0), (±1, ±1), (±1, 0) cells or
nowhere; the lattice starts at the start and is turned so that the straight way to the goal is a row of (2, 1) steps at
full speed, or, where obstacles are in the straight way, so that rows of (2, 1) and (−1, 2) steps run along and across
most walls, 0.1 m apart, so that some lead through a narrow door. A cell is about 0.22 m. What a way costs, in seconds:

    time + EFFORT · length / speed + IDLE · (time lost, once it has left) + STOP per halt + TURN · (1 − cos turn)

so time to spare is spent before leaving, then by strolling, then by detours, then by halts. What is left to go is
estimated by the lattice's own metric, or by `distance_field` where obstacles are in the straight way, and by the next
time at which the goal is free to stay at. Moves are looked at only when their turn comes (most never do), and states
wait in buckets of cost, the last one first. At last the way is pulled straight in place and time.

Margins: `margin` around people and obstacles on the way; near start and goal, which nobody chose, others may be as
close as `occupancy.MARGIN`, and obstacles as close as they are to the start or the goal itself. Metres, seconds.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from walkon._base.arrays import Array, IntArray, lock, lock_array
from walkon._base.errors import InvalidValue
from walkon.navigation.distance_field import NOWHERE, Field, distance_field, grain_axis
from walkon.navigation.distance_rule import CLEARANCE_SLACK_M
from walkon.navigation.guide_rule import BUCKET_COUNT, MOVES, Task
from walkon.planning.occupancy import BIN_S, BODY_MARGIN_M, Entries, Occupants
from walkon.stage.distance_grid import read_grid
from walkon.stage.distance_rule import DistanceGrid
from walkon.stage.free_space import FreeSpace

__all__ = ["Guide", "Task", "distance_field", "find_guide"]

HEURISTIC_WEIGHT = 1.2
"""How much dearer what is left to go is held to be: ways may cost that much more than the best, but are found soon."""
DRIVES = ((0.0, 1500), (1.5, 3000), (6.0, 1 << 30))
"""By how many seconds per second of way left the search is driven on, and how many states it may look at before it is
driven more. Little leaves people at their start as long as may be; much makes them queue at doors, and is fast."""
FULL_STEP_M = 0.5
"""m: the length of a full step, made smaller so that a whole number of steps leads to the goal."""
SEARCHED_AROUND_M = 6.0
"""m around start, goal and way that are searched."""
MAX_WAIT_S = 120.0
"""s after the direct arrival, or after all others have left, until which arrivals are looked for at most."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Guide:
    """Where to be when."""

    knots: Array
    """[K, 3] x, y, seconds: straight, even pieces. [0, 3] where nothing was found."""
    blockers: IntArray
    """Characters in the way of the cheapest way through everybody; only when it was asked or nothing was found."""
    expanded: int
    """States that the search looked at."""
    reason: str
    """Why there is none: `too far` for the time, `walled off`, `goal taken`, `retryable`; empty if found."""

    def __post_init__(self) -> None:
        lock(self, "knots", (None, 3))
        lock(self, "blockers", (None,), np.int64)

    @property
    def found(self) -> bool:
        """Whether there is a way."""
        return len(self.knots) > 0


def find_guide(
    occupancy: Occupants,
    space: FreeSpace,
    *,
    start: ArrayLike,
    goal: ArrayLike,
    departs: float,
    earliest: float,
    latest: float,
    speed: float,
    radius: float,
    margin: float = 0.10,
    aside: float | None = None,
    hold: float = 0.0,
    me: int = -1,
    way: ArrayLike | None = None,
    field: Field | None = None,
    spread: float = 0.0,
    seed: int = 0,
    blame: bool = False,
    most: int = 40_000,
    arms: bool = True,
) -> Guide:
    """Return a way from `start` [2] at `departs` to `goal` [2] within [earliest, latest], clear of everything.

    `margin` m are kept from people, and from obstacles, or `aside` m from these. After arrival the goal is clear for
    `hold` seconds. `me` is not in its own way. What is searched reaches around a `way` [P, 2]; a `field` of the goal
    saves its making. Where `arms` need room too, ways lead through fewer gaps. With `spread` > 0 every seed likes other
    places (by up to that many seconds per second). At most `most` states are looked at. With `blame`, those in the way
    are named even when a way was found.
    """
    from walkon.navigation import _distance_kernels as distances
    from walkon.navigation import _guide_kernels as kernels

    if not (speed > 0 and radius > 0):
        raise InvalidValue(f"a guide needs a speed and a radius above 0, got {speed} m/s and {radius} m")
    ends = np.array([start, goal], dtype=np.float64)
    path = lock_array(ends if way is None else way, (None, 2), name="way")
    if not (np.isfinite(ends).all() and np.isfinite([departs, earliest, margin]).all()):
        raise InvalidValue("a guide needs finite places, departure, earliest arrival and margin")
    grid, entries = space.walking_grid if arms else space.grid, occupancy.entries
    need = radius + (margin if aside is None else aside)
    spare = (
        [min(need, float(c) - CLEARANCE_SLACK_M) for c in read_grid(grid, ends)] if grid.nodes.size else [need, need]
    )
    far = float(np.hypot(*(ends[1] - ends[0])))
    direct = not grid.nodes.size or bool(distances.sees(grid, ends, need, *spare))
    if direct:
        field = NOWHERE
    elif field is None:
        field = distance_field(grid, ends[1], radius=need)
    length = float(distances.entry(grid, field, *ends[0], need)) if field.values.size else far
    if np.isinf(length):
        return _none("walled off")
    latest = min(latest, max(earliest, departs + length / speed, BIN_S * int(entries.last[0])) + MAX_WAIT_S)
    if departs + (1.0 if direct else 0.97) * length / speed > latest + 1e-9:
        return _none("too far")
    along = (ends[1] - ends[0]) / far if direct and far > 1e-6 else grain_axis(space)
    task = _task(ends, path, along, length if direct else 0.0, (departs, speed), (radius, margin, need, *spare))
    slack = earliest - departs - length / speed
    # The odd part of the time to spare is waited before the first step, so that steps end when they should.
    begin = departs + (slack % task.dt if slack > 0 else 0.0)
    task = task._replace(begin=begin, spread=spread, seed=seed, me=me)
    windows, used = np.zeros((64, 2)), 0
    used = int(kernels.arrivals(entries, task, max(earliest, departs + far / speed), latest, hold, windows))
    if kernels.state(entries, grid, task, *ends[0], departs, *ends[0], task.begin):
        task = task._replace(begin=departs)
    raw, expanded = _search(entries, grid, field, task, windows[:used], latest, through=False, most=most)
    count, knots = len(raw), np.zeros((0, 3))
    if count:
        if raw[0, 2] > departs:
            raw = np.concatenate([[[*ends[0], departs]], raw])
        knots = np.zeros_like(raw)
        knots = knots[: kernels.pull(entries, grid, task, raw, knots)]
    blockers: IntArray = np.zeros(0, np.int64)
    reason = "" if count else "crowded" if used else "goal taken"
    if blame or not count:
        blockers = _blockers(entries, grid, field, task, (earliest, latest, hold, far), windows[:used], most)
        if not count and not len(blockers):
            reason = "too far" if used else reason
    return Guide(knots=knots, blockers=blockers, expanded=expanded, reason=reason)


def _none(reason: str) -> Guide:
    return Guide(knots=np.zeros((0, 3)), blockers=np.zeros(0, np.int64), expanded=0, reason=reason)


def _task(
    ends: Array, path: Array, along: Array, length: float, timing: tuple[float, ...], room: tuple[float, ...]
) -> Task:
    """Lay the lattice along a direction [2], with whole steps to a goal `length` m straight ahead, if it is above 0."""
    departs, speed = timing
    radius, margin, need, need_start, need_goal = room
    step = length / float(np.ceil(length / FULL_STEP_M)) if length > FULL_STEP_M else FULL_STEP_M
    ux, uy = step * (2 * along + [along[1], -along[0]]) / 5
    places = np.concatenate([ends, path])
    box = [*(places.min(axis=0) - SEARCHED_AROUND_M), *(places.max(axis=0) + SEARCHED_AROUND_M)]
    numbers = [
        *ends.ravel(), ux, uy, departs, step / speed, speed, radius, margin, min(margin, BODY_MARGIN_M),
        need, need_start, need_goal, *box, 0.0, HEURISTIC_WEIGHT, 0.0,
    ]  # fmt: skip
    return Task._make([*(float(v) for v in numbers), 0, -1])


def _search(
    entries: Entries,
    grid: DistanceGrid,
    field: Field,
    task: Task,
    windows: Array,
    latest: float,
    *,
    through: bool,
    most: int,
) -> tuple[Array, int]:
    """Search with more and more drive; return raw knots [K, 3] (none: [0, 3]) and how many states were looked at."""
    from walkon.navigation import _guide_kernels as kernels

    expanded = 0
    for drive, budget in DRIVES if len(windows) else ():
        share = min(budget, most - expanded)
        if share <= 0:
            break
        scratch = _scratch(share, int((latest - task.begin) / task.dt) + 8)
        task = task._replace(drive=drive)
        count, seen = kernels.search(entries, grid, field, task, windows, through, share, *scratch)
        expanded += seen
        if count or seen <= share:  # found, or everything that can be reached was looked at
            return scratch[-1][:count], expanded
    return np.zeros((0, 3)), expanded


def _scratch(most: int, steps: int) -> tuple[NDArray[np.int32], Array, IntArray, NDArray[np.int32], Array]:
    """Make room for a search: blank pages cost nothing before they are touched."""
    rows = (most + 2) * (len(MOVES) + 1)
    table = 1 << int(np.ceil(np.log2(2 * (most + 2))))
    return (
        np.empty((rows, 8), np.int32),
        np.empty(rows),
        np.zeros(table, np.int64),
        np.zeros(BUCKET_COUNT, np.int32),
        np.empty((steps, 3)),
    )


def _blockers(
    entries: Entries,
    grid: DistanceGrid,
    field: Field,
    task: Task,
    asked: tuple[float, float, float, float],
    windows: Array,
    most: int,
) -> IntArray:
    """Return who is in the way of the cheapest way when people may be walked through at a price."""
    from walkon.navigation import _guide_kernels as kernels

    earliest, latest, hold, far = asked
    if not len(windows):
        lowest = max(earliest, task.begin + far / task.speed)
        windows = np.array([[lowest, max(latest, lowest)]])
    raw, _ = _search(entries, grid, field, task, windows, latest, through=True, most=most)
    if not len(raw):
        return np.zeros(0, np.int64)
    found = np.zeros(256, np.int64)
    return np.unique(found[: kernels.met(entries, task, raw, hold, found)])
