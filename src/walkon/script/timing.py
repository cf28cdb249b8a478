"""Scheduling of marks: a topological order in which to plan them, and between which times each of them lies.

A mark waits for the mark before it of the same character, and for the mark that its clock names; picking up a prop
waits for whoever has it before to put it down, in the order of their windows. `timing_order` sorts
all marks so that each comes after what it waits for (Kahn); marks that wait for each other in a circle are named.
Seconds on the scene's clock.

`find_crowded` says who must be at one place at one time: starts that overlap, seats and marks that two characters must
hold at once. Of each start and mark it is certain from when to when its character is there: from the latest time it is
met to the earliest it may be left. After the last mark characters stay, unless they leave; two that end at one place
are there together, whenever that is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import hypot, inf
from operator import attrgetter

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.motion.footprint import MAX_MEETING_RISE_M
from walkon.script.mark import Mark
from walkon.script.scene import Character, Scene
from walkon.script.standing import floor_height, height_of_mark, height_of_start

__all__ = ["Stay", "find_circles", "find_crowded", "find_stays", "timing_order"]

Index = tuple[int, int]
"""(character, mark) of a scene."""


@dataclass(frozen=True)
class Stay:
    """The times of one mark: met between `earliest` and `latest`, and then kept until `free` at the earliest."""

    earliest: float
    latest: float
    """Infinite where nothing limits it."""
    free: float
    """Earliest time to go on; infinite if the mark is held until the scene ends."""
    way: float
    """Metres straight from the place before; 0 where one of them is not given."""
    walk: float
    """m/s that this takes at least, using all the time there is."""
    ready: float
    """Earliest time at which one is free to set out for it."""


def timing_order(scene: Scene, *, ranks: Sequence[int] | None = None) -> list[Index]:
    """Return (character, mark) of all marks, each after those that it waits for; else as characters are ranked [N].

    Without ranks they come in the order of the scene. Clocks that name nobody are passed over. Raises `InvalidValue`
    naming the circle where marks wait for each other.
    """
    waits = _dependencies(scene)
    order = _sort_marks(waits, ranks)
    if len(order) < len(waits):
        raise InvalidValue(
            "times wait for each other in a circle: "
            + "; ".join(" → ".join(_name(scene, i) for i in circle) for circle in find_circles(scene))
            + "; give one of these marks a time of its own"
        )
    return order


def find_circles(scene: Scene) -> Iterator[list[Index]]:
    """Return circles of marks that wait for each other, each closed by its first mark; one for each knot of them."""
    waits = _dependencies(scene)
    left = set(waits) - set(_sort_marks(waits))
    done: set[Index] = set()
    for start in sorted(left):
        path: list[Index] = []
        here: Index | None = start
        while here is not None and here not in done and here not in path:
            path.append(here)
            # Everything left waits for something left, so this goes on until it comes round.
            here = min((other for other in waits[here] if other in left), default=None)
        if here is not None and here in path:
            circle = path[path.index(here) :]
            at = circle.index(min(circle))
            yield [*circle[at:], *circle[:at], circle[at]]
        done.update(path)


def find_stays(scene: Scene, *, fastest: Array) -> dict[Index, Stay]:
    """Return between which times every mark lies, if people walk straight at up to `fastest` [N] m/s.

    Windows that cannot be met are kept at their latest time, so that each fault counts once. Marks that are in a
    circle, or after one, are left out.
    """
    return _stays_in_order(scene, _sort_marks(_dependencies(scene)), fastest=fastest)


def _stays_in_order(scene: Scene, order: Sequence[Index], *, fastest: Array) -> dict[Index, Stay]:
    found: dict[Index, Stay] = {}
    where = _index(scene)
    for c, m in order:
        character = scene.characters[c]
        mark = character.marks[m]
        ready = found[c, m - 1].free if m else character.enters
        way = _way(character, m)
        low, high = _window(mark, found, where)
        latest = high
        earliest = max(low, ready + way / float(fastest[c]))
        if ready == inf or earliest > latest:
            earliest = latest if latest < inf else low
        time = latest - ready
        speed = 0.0 if way == 0 or ready == inf else way / time if time > 0 else inf
        held = max(earliest, mark.until) if mark.until is not None else earliest + mark.hold
        found[c, m] = Stay(earliest, latest, held, way, speed, ready)
    return found


def _window(mark: Mark, found: dict[Index, Stay], where: dict[tuple[str, str], Index]) -> tuple[float, float]:
    low, high = (-inf, inf) if mark.window is None else mark.window
    if mark.clock is not None:
        other = found.get(where.get((mark.clock.character, mark.clock.mark), (-1, -1)))
        if other is None:
            return -inf, inf
        low, high = low + other.earliest, high + other.latest
    return low, high


def _way(character: Character, m: int) -> float:
    """Return metres from the place before to that of mark m; 0 where one of them is free."""
    goal = character.marks[m].position
    if goal is None or (m and character.marks[m - 1].position is None):
        return 0.0
    before = character.marks[m - 1].position if m else character.place[:2]
    return hypot(goal[0] - before[0], goal[1] - before[1]) if before is not None else 0.0


def _index(scene: Scene) -> dict[tuple[str, str], Index]:
    return {
        (character.name, mark.name): (c, m)
        for c, character in enumerate(scene.characters)
        for m, mark in enumerate(character.marks)
    }


def _dependencies(scene: Scene) -> dict[Index, list[Index]]:
    """Return, for each mark, the marks that it waits for."""
    waits = _clock_dependencies(scene)
    holds = _holds(scene)
    if any(len({c for (c, _), _ in mine}) > 1 for mine in holds.values()):
        free = np.full(len(scene.characters), inf)
        stays = _stays_in_order(scene, _sort_marks(waits), fastest=free)
        for mine in holds.values():
            when = {pick: (stays[pick].earliest, stays[pick].latest) for pick, _ in mine if pick in stays}
            known = sorted((hold for hold in mine if hold[0] in when), key=lambda hold: (when[hold[0]], hold[0]))
            for (_, put), (pick, _) in pairwise(known):
                if put is not None and put[0] != pick[0]:
                    waits[pick].append(put)
    return waits


def _holds(scene: Scene) -> dict[str, list[tuple[Index, Index | None]]]:
    """Return, for each prop, the marks at which it is picked up, and at which it is put down after that, if it is."""
    found: dict[str, list[tuple[Index, Index | None]]] = {}
    for c, character in enumerate(scene.characters):
        for m, mark in enumerate(character.marks):
            if mark.action is None:
                continue
            mine = found.setdefault(mark.action.prop, [])
            if mark.action.kind == "pick_up":
                mine.append(((c, m), None))
            elif mine and mine[-1][0][0] == c:
                mine[-1] = mine[-1][0], (c, m)
    return found


def _clock_dependencies(scene: Scene) -> dict[Index, list[Index]]:
    where = _index(scene)
    waits: dict[Index, list[Index]] = {}
    for c, character in enumerate(scene.characters):
        for m, mark in enumerate(character.marks):
            waits[c, m] = [(c, m - 1)] if m else []
            other = mark.clock and where.get((mark.clock.character, mark.clock.mark))
            if other:
                waits[c, m].append(other)
    return waits


def _sort_marks(waits: dict[Index, list[Index]], ranks: Sequence[int] | None = None) -> list[Index]:
    """Sort topologically (Kahn) as many as can be, the lowest rank first, or the first of the scene."""
    after: dict[Index, list[Index]] = {index: [] for index in waits}
    missing = {}
    for index, others in waits.items():
        missing[index] = len(others)
        for other in others:
            after[other].append(index)

    def ranked(index: Index) -> tuple[int, Index]:
        return (index[0] if ranks is None else ranks[index[0]], index)

    ready = [ranked(index) for index, count in missing.items() if count == 0]
    heapify(ready)
    order = []
    while ready:
        _, here = heappop(ready)
        order.append(here)
        for index in after[here]:
            missing[index] -= 1
            if missing[index] == 0:
                heappush(ready, ranked(index))
    return order


def _name(scene: Scene, index: Index) -> str:
    character = scene.characters[index[0]]
    return f"{character.name}.{character.marks[index[1]].name or index[1] + 1}"


MAX_NAMES_SHOWN = 4
"""Names in one sentence."""


@dataclass(frozen=True)
class _CertainStay:
    """A character is certainly here from `start` to `stop`."""

    character: int
    name: str
    mark: str
    x: float
    y: float
    z: float
    """Metres: the height of the floor there."""
    seat: str
    start: float
    stop: float


def find_crowded(scene: Scene, times: dict[tuple[int, int], Stay], *, radius: Array) -> Iterator[tuple[str, str, str]]:
    """Return (character, mark, sentence) for each character that must be where another is; discs of `radius` [N] m."""
    held = list(_certain_stays(scene, times))
    # All who are asked to be at the very same place at the very same time make one problem.
    alike: dict[tuple[object, ...], list[_CertainStay]] = {}
    for one in held:
        alike.setdefault((one.seat, one.x, one.y, round(one.z, 3), one.start, one.stop), []).append(one)
    firsts = []
    for same in alike.values():
        firsts.append(same[0])
        people = list({one.character: one for one in same}.values())
        if len(people) > 1:
            yield (people[1].name, people[1].mark, _describe_crowd(people))
    for a, b in _pairs(firsts, 2 * float(radius.max())):
        meet = hypot(a.x - b.x, a.y - b.y) < (radius[a.character] + radius[b.character]) * (1 - 1e-9)
        meet = meet and abs(a.z - b.z) <= MAX_MEETING_RISE_M
        if meet and a.character != b.character and not (a.seat and b.seat and a.seat != b.seat):
            first, second = sorted((a, b), key=attrgetter("character"))
            yield (second.name, second.mark, _describe_crowd([first, second]))


def _certain_stays(scene: Scene, times: dict[tuple[int, int], Stay]) -> Iterator[_CertainStay]:
    stage = scene.stage
    for c, one in enumerate(scene.characters):
        stays_on = not one.leaves
        stop = inf if stays_on and not one.marks else one.enters
        z = floor_height(stage, one.place[:2], height_of_start(stage, one)) if stage.floor.is_layered else 0.0
        if not one.door:  # in a door there is room beside, and outside one can wait
            yield _CertainStay(c, one.name, "", *one.place[:2], z, one.seat, one.enters, stop)
        for m, mark in enumerate(one.marks):
            stay = times.get((c, m))
            if stay is None or mark.position is None:
                continue
            last = m == len(one.marks) - 1 and stays_on
            free = inf if last else stay.free
            if stay.latest <= free:
                z = floor_height(stage, mark.position, height_of_mark(stage, mark)) if stage.floor.is_layered else 0.0
                yield _CertainStay(c, one.name, mark.name, *mark.position, z, mark.seat, stay.latest, free)


def _pairs(held: list[_CertainStay], reach: float) -> Iterator[tuple[_CertainStay, _CertainStay]]:
    """Return pairs nearer than `reach` whose times overlap.

    Those who are somewhere for an instant only (people who enter one after another at one door) are compared with
    those of the same instant and with the long stays, not with each other.
    """
    from scipy.spatial import KDTree

    by_time: dict[float, list[_CertainStay]] = {}
    long = [one for one in held if one.stop > one.start]
    for one in held:
        if one.stop == one.start:
            by_time.setdefault(one.start, []).append(one)
    for some in (long, *by_time.values()):
        if len(some) > 1:
            near = KDTree([(one.x, one.y) for one in some]).query_pairs(reach * (1 - 1e-9), output_type="ndarray")
            for i, j in near[np.lexsort(near.T[::-1])].tolist():
                if _overlap(some[i], some[j]):
                    yield some[i], some[j]
    short = [one for some in by_time.values() for one in some]
    if long and short:
        tree = KDTree([(one.x, one.y) for one in long])
        for one, near_by in zip(
            short, tree.query_ball_point([(s.x, s.y) for s in short], reach * (1 - 1e-9)), strict=True
        ):
            for j in sorted(near_by):
                if _overlap(one, long[j]):
                    yield one, long[j]


def _overlap(a: _CertainStay, b: _CertainStay) -> bool:
    return max(a.start, b.start) <= min(a.stop, b.stop)


def _describe_crowd(people: list[_CertainStay]) -> str:
    names = ", ".join(f"{p.name}.{p.mark}" if p.mark else f"the start of {p.name}" for p in people[:MAX_NAMES_SHOWN])
    more = f" and {len(people) - MAX_NAMES_SHOWN} more" if len(people) > MAX_NAMES_SHOWN else ""
    start = max(p.start for p in people)
    when = f"at {start:.3g} s" if start < inf else "in the end"
    first, second = people[0], people[1]
    if first.seat and first.seat == second.seat:
        return f"{len(people)} people must be on seat {first.seat!r} {when}: {names}{more}"
    apart = float(np.hypot(first.x - second.x, first.y - second.y))
    return f"{len(people)} people must be {apart:.2g} m apart at ({second.x:.6g}, {second.y:.6g}) {when}: {names}{more}"
