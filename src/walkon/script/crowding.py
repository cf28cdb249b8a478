"""Who must be at one place at one time: starts that overlap, seats and marks that two people must hold at once.

Of each start and mark it is certain from when to when somebody is there: from the latest time it is met to the earliest
it may be left. After the last mark people stay, unless they leave; two who end at one place are there together,
whenever that is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from operator import attrgetter

import numpy as np

from walkon.script.scene import Scene
from walkon.script.timing import Stay

__all__ = ["crowded"]

SHOWN = 4
"""Names in one sentence."""


@dataclass(frozen=True)
class _Certain:
    """Somebody is certainly here from `start` to `stop`."""

    character: int
    name: str
    mark: str
    x: float
    y: float
    seat: str
    start: float
    stop: float


def crowded(scene: Scene, times: dict[tuple[int, int], Stay], *, radius: float) -> Iterator[tuple[str, str, str]]:
    """Return (character, mark, sentence) for everybody who must be where somebody else is at that time."""
    held = list(_certain(scene, times))
    # All who are asked to be at the very same place at the very same time make one problem.
    alike: dict[tuple[object, ...], list[_Certain]] = {}
    for one in held:
        alike.setdefault((one.seat, one.x, one.y, one.start, one.stop), []).append(one)
    firsts = []
    for same in alike.values():
        firsts.append(same[0])
        people = list({one.character: one for one in same}.values())
        if len(people) > 1:
            yield (people[1].name, people[1].mark, _sentence(people))
    for a, b in _pairs(firsts, 2 * radius):
        if a.character != b.character and not (a.seat and b.seat and a.seat != b.seat):
            first, second = sorted((a, b), key=attrgetter("character"))
            yield (second.name, second.mark, _sentence([first, second]))


def _certain(scene: Scene, times: dict[tuple[int, int], Stay]) -> Iterator[_Certain]:
    for c, one in enumerate(scene.characters):
        stays_on = not one.leaves
        stop = inf if stays_on and not one.marks else one.enters
        yield _Certain(c, one.name, "", *one.place[:2], one.seat, one.enters, stop)
        for m, mark in enumerate(one.marks):
            stay = times.get((c, m))
            if stay is None or mark.position is None:
                continue
            last = m == len(one.marks) - 1 and stays_on
            free = inf if last else stay.free
            if stay.latest <= free:
                yield _Certain(c, one.name, mark.name, *mark.position, mark.seat, stay.latest, free)


def _pairs(held: list[_Certain], reach: float) -> Iterator[tuple[_Certain, _Certain]]:
    """Return pairs nearer than `reach` whose times overlap.

    Those who are somewhere for an instant only (people who enter one after another at one door) are compared with
    those of the same instant and with the long stays, not with each other.
    """
    from scipy.spatial import KDTree

    by_time: dict[float, list[_Certain]] = {}
    long = [one for one in held if one.stop > one.start]
    for one in held:
        if one.stop == one.start:
            by_time.setdefault(one.start, []).append(one)
    for some in (long, *by_time.values()):
        if len(some) > 1:
            near = KDTree([(one.x, one.y) for one in some]).query_pairs(reach * (1 - 1e-9), output_type="ndarray")
            for i, j in near[np.lexsort(near.T[::-1])].tolist():
                if _together(some[i], some[j]):
                    yield some[i], some[j]
    short = [one for some in by_time.values() for one in some]
    if long and short:
        tree = KDTree([(one.x, one.y) for one in long])
        for one, near_by in zip(
            short, tree.query_ball_point([(s.x, s.y) for s in short], reach * (1 - 1e-9)), strict=True
        ):
            for j in sorted(near_by):
                if _together(one, long[j]):
                    yield one, long[j]


def _together(a: _Certain, b: _Certain) -> bool:
    return max(a.start, b.start) <= min(a.stop, b.stop)


def _sentence(people: list[_Certain]) -> str:
    names = ", ".join(f"{p.name}.{p.mark}" if p.mark else f"the start of {p.name}" for p in people[:SHOWN])
    more = f" and {len(people) - SHOWN} more" if len(people) > SHOWN else ""
    start = max(p.start for p in people)
    when = f"at {start:.3g} s" if start < inf else "in the end"
    first, second = people[0], people[1]
    if first.seat and first.seat == second.seat:
        return f"{len(people)} people must be on seat {first.seat!r} {when}: {names}{more}"
    apart = float(np.hypot(first.x - second.x, first.y - second.y))
    return f"{len(people)} people must be {apart:.2g} m apart at ({second.x:.6g}, {second.y:.6g}) {when}: {names}{more}"
