"""Static checks of a scene: all that cannot be performed, found before anything is planned (`find_problems`), and what
one should know though it can be (`find_notes`).

Only what is certain is reported. A character is certainly at a mark from the latest time at which it is met to the
earliest at which it may be left; two are in each other's way if that is so for both at one time. Metres,
seconds.

What one sits on is in nobody's way who sits there: solids under a seat that are no higher than it.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from math import inf

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.script.mark import Mark
from walkon.script.scene import Character, Scene
from walkon.script.standing import find_floorless, height_of_mark, height_of_start
from walkon.script.timing import Stay, find_circles, find_crowded, find_stays
from walkon.stage import Seat, TerrainFloor
from walkon.stage.free_space import FreeSpace
from walkon.stage.storeys import stage_of

__all__ = ["ImpossibleScene", "Problem", "find_notes", "find_problems", "require_sound"]

MAX_LISTED_MOVING = 6
"""Things that move which a note names; of the others it says that there are some."""
LARGE_TERRAIN_M, LARGE_TERRAIN_RATIO = 1000.0, 300.0
"""m: of terrains that are larger, a note says where the places of people are so many times nearer to each other."""


@dataclass(frozen=True)
class Problem:
    """Something that cannot be."""

    character: str
    """Whose; empty if it is about the whole scene."""
    mark: str
    """Which mark of theirs; empty if it is about their start."""
    sentence: str

    def __str__(self) -> str:
        where = f"{self.character}.{self.mark}" if self.mark else self.character
        return f"{where}: {self.sentence}" if where else self.sentence


def find_problems(
    scene: Scene, *, poses: Collection[str], fastest: ArrayLike, radius: ArrayLike
) -> tuple[Problem, ...]:
    """Return everything that makes the scene impossible; nothing if it may be performed.

    `poses` are the labels, hubs and states of the cast, `fastest` [N] m/s the most that each character walks, `radius`
    [N] m those of their footprints; one number counts for all.
    """
    if not scene.characters:
        return (Problem("", "", "nobody is in this scene; add characters or a group"),)
    speeds, radii = (np.broadcast_to(np.asarray(v, float), len(scene.characters)) for v in (fastest, radius))
    times = find_stays(scene, fastest=speeds)
    found = [
        *_check_places(scene, radii),
        *(Problem(*words) for words in find_floorless(scene)),
        *_check_clocks(scene),
        *(p for c in range(len(scene.characters)) for p in _check_times(scene, c, times, float(speeds[c]))),
        *(p for one in scene.characters for p in _check_poses(one, poses)),
        *(Problem(*words) for words in find_crowded(scene, times, radius=radii)),
        *_check_props(scene),
        *_check_names(scene),
    ]
    order = {character.name: i for i, character in enumerate(scene.characters)}
    return tuple(sorted(dict.fromkeys(found), key=lambda p: order.get(p.character, -1)))


def find_notes(scene: Scene) -> tuple[str, ...]:
    """Return what one should know about a scene though it may be performed: a sentence each."""
    return (*_note_unit(scene), *_note_moving(scene))


def _note_unit(scene: Scene) -> Iterator[str]:
    """Note a terrain that is very much larger than where people go: its unit may be another."""
    floor = scene.stage.floor
    if not isinstance(floor, TerrainFloor):
        return
    extent = float(np.ptp(floor.corners.reshape(-1, 3)[:, :2], axis=0).max())
    places = [one.place[:2] for one in scene.characters]
    places += [mark.position for one in scene.characters for mark in one.marks if mark.position is not None]
    across = float(np.ptp(np.array(places).reshape(-1, 2), axis=0).max()) if places else np.inf
    if extent > LARGE_TERRAIN_M and across < extent / LARGE_TERRAIN_RATIO:
        yield (
            f"the terrain is {extent:,.0f} m across, and all starts and marks lie within {max(across, 0.1):.2g} m of "
            "each other; if its mesh is in millimetres set scale to 0.001, if in centimetres to 0.01"
        )


def _note_moving(scene: Scene) -> Iterator[str]:
    moving = [
        f"obstacle {one.name!r}" if one.name else "an obstacle"
        for one in scene.stage.obstacles
        if one.track is not None
    ]
    moving += [f"the leaf of door {door.name!r}" for door in scene.stage.doors if door.track is not None]
    moving += [f"prop {placed.prop.name!r}" for placed in scene.props if placed.track is not None]
    if not moving:
        return
    shown = ", ".join(moving[:MAX_LISTED_MOVING]) + (" and more" if len(moving) > MAX_LISTED_MOVING else "")
    yield (
        f"people are planned as if what moves were not there: they do not look at {shown} yet and may walk into it; "
        "give them times and places out of its way, and ask the audit who was met"
    )


class ImpossibleScene(InvalidValue):
    """A scene that cannot be performed, with all that is wrong with it."""

    def __init__(self, problems: Sequence[Problem], *, scene: str = "this scene", lines: Sequence[str] = ()) -> None:
        many = f" ({len(problems)} reasons)" if len(problems) > 1 else ""
        words = lines or [str(problem) for problem in problems]
        super().__init__("\n".join([f"{scene} cannot be performed{many}:", *(f"  {line}" for line in words)]))
        self.problems = tuple(problems)


def require_sound(scene: Scene, *, poses: Collection[str], fastest: ArrayLike, radius: ArrayLike) -> None:
    """Raise `ImpossibleScene` with everything that `find_problems` finds."""
    if problems := find_problems(scene, poses=poses, fastest=fastest, radius=radius):
        raise ImpossibleScene(problems)


def _check_places(scene: Scene, radii: Array) -> Iterator[Problem]:
    """Find starts and marks in walls, too near to them, or off the stage."""
    asked: list[tuple[int, str, tuple[float, float], str, bool]] = []
    near: list[float | None] = []
    for k, one in enumerate(scene.characters):
        placed = [mark for mark in one.marks if mark.position is not None]
        asked.append((k, "", one.place[:2], one.seat, bool(one.door)))
        asked += [(k, m.name, m.position, m.seat, False) for m in placed if m.position is not None]
        near += [height_of_start(scene.stage, one), *(height_of_mark(scene.stage, mark) for mark in placed)]
    stands = np.array([(*one[2], np.nan if z is None else z) for one, z in zip(asked, near, strict=True)])
    # What is on another floor is in nobody's way: those on one floor see one stage.
    seen = [stage_of(scene.stage, stand) for stand in stands[:, None]]
    for stage in dict.fromkeys(seen):
        mine = [i for i, other in enumerate(seen) if other is stage]
        yield from _check_places_on(scene, FreeSpace.of(stage), [asked[i] for i in mine], radii)


def _check_places_on(
    scene: Scene, space: FreeSpace, asked: Sequence[tuple[int, str, tuple[float, float], str, bool]], radii: Array
) -> Iterator[Problem]:
    """Find those of the places (character, mark, place, seat, whether it is a door's) that a space has no room for."""
    seats = {seat.name: seat for seat in scene.stage.seats}
    points = np.array([place for _, _, place, _, _ in asked])
    away, things = space.nearest(points)
    under = space.covering(points)
    for i, (k, mark, (x, y), seat, door) in enumerate(asked):
        room, thing, radius = float(away[i]), things[i], float(radii[k])
        # One sits close to walls, on one's own furniture, and comes in through walls.
        if room >= (0.0 if seat in seats or door else radius) - 1e-9:
            continue
        if seat in seats and thing != "the edge":
            thing = _blocking_seat(seats[seat], space=space, under=under[i])
            if not thing:
                continue
        at = f"({x:.6g}, {y:.6g})"
        if thing == "the edge":
            words = f"{at} is outside the stage" if room < 0 else f"{at} is {room:.2g} m from the edge of the stage"
        else:
            words = f"{at} is inside {thing}" if room < 0 else f"{at} is {room:.2g} m from {thing}"
        more = "" if room < 0 else f"; a body needs {radius:.3g} m"
        yield Problem(scene.characters[k].name, mark, f"{words}{more}")


def _check_clocks(scene: Scene) -> Iterator[Problem]:
    """Find clocks that name nobody or no mark, and circles of them."""
    marks = {one.name: [mark.name for mark in one.marks] for one in scene.characters}
    for one in scene.characters:
        for mark in one.marks:
            clock = mark.clock
            if clock is None:
                continue
            if clock.character not in marks:
                words = f"waits for {clock}, but there is no character {clock.character!r}"
                yield Problem(one.name, mark.name, words + _suggest_name(clock.character, marks))
            elif clock.mark not in marks[clock.character]:
                words = f"waits for {clock}, but {clock.character} has no mark {clock.mark!r}"
                yield Problem(one.name, mark.name, words + _suggest_name(clock.mark, marks[clock.character]))
    for circle in find_circles(scene):
        path = [(scene.characters[c].name, scene.characters[c].marks[m].name) for c, m in circle]
        words = "times wait for each other in a circle: " + " → ".join(f"{who}.{what}" for who, what in path)
        yield Problem(*path[0], words)


def _check_times(scene: Scene, c: int, times: dict[tuple[int, int], Stay], fastest: float) -> Iterator[Problem]:
    """Find windows that have passed, and speeds that nobody walks at."""
    one = scene.characters[c]
    if scene.ends is not None and one.enters > scene.ends:
        words = f"enters at {one.enters:g} s, when the scene is over ({scene.ends:g} s)"
        yield Problem(one.name, "", words)
    for m, mark in enumerate(one.marks):
        stay = times.get((c, m))
        if stay is None:
            continue
        words = _explain_late(one, m, mark, stay, fastest)
        if not words and scene.ends is not None and stay.earliest > scene.ends:
            words = f"cannot be met before {stay.earliest:.3g} s, and the scene ends at {scene.ends:g} s"
        if not words and mark.until is not None and mark.until < stay.earliest:
            words = f"is to be held until {mark.until:g} s, but cannot be met before {stay.earliest:.3g} s"
        if words:
            yield Problem(one.name, mark.name, words)


def _explain_late(one: Character, m: int, mark: Mark, stay: Stay, fastest: float) -> str:
    if stay.ready == inf:
        return f"cannot follow {one.marks[m - 1].name!r}, which is held until the scene ends"
    if stay.latest < stay.ready - 1e-9:
        if m == 0:
            return f"must be met by {stay.latest:.3g} s, but {one.name} enters at {one.enters:g} s"
        before = one.marks[m - 1].name
        return f"must be met by {stay.latest:.3g} s, but {before!r} keeps {one.name} until {stay.ready:.3g} s at least"
    if stay.walk > fastest * (1 + 1e-9):
        time = stay.latest - stay.ready
        how = f"{stay.walk:.3g} m/s" if stay.walk < inf else "no time at all"
        return (
            f"needs {how} for the straight way of {stay.way:.3g} m in {time:.3g} s, and nobody walks faster than "
            f"{fastest:g} m/s; give more time or a nearer place"
        )
    return ""


def _check_poses(one: Character, poses: Collection[str]) -> list[Problem]:
    asked = [("", one.pose), *((mark.name, mark.pose) for mark in one.marks if mark.pose is not None)]
    return [
        Problem(one.name, mark, f"the cast has no pose {pose!r}{_suggest_name(pose, poses)}")
        for mark, pose in asked
        if pose not in poses
    ]


def _check_props(scene: Scene) -> Iterator[Problem]:
    """Find props that are not there, move by themselves, are taken twice, or put down by who does not have them."""
    known = {placed.prop.name for placed in scene.props}
    moving = {placed.prop.name for placed in scene.props if placed.track is not None}
    takers: dict[str, list[str]] = {}
    givers: dict[str, list[str]] = {}
    for one in scene.characters:
        held: list[str] = []
        for mark in one.marks:
            action = mark.action
            if action is None:
                continue
            words = ""
            if action.prop not in known:
                words = f"there is no prop {action.prop!r}{_suggest_name(action.prop, known)}"
            elif action.prop in moving:
                words = f"prop {action.prop!r} is on a track, and nobody can pick it up or put it down; let it rest"
            elif action.kind == "pick_up":
                if held:
                    words = f"picks up {action.prop!r} while still carrying {held[-1]!r}; put that down first"
                held.append(action.prop)
                takers.setdefault(action.prop, []).append(one.name)
            elif action.prop not in held:
                words = f"puts down {action.prop!r} without having picked it up"
            else:
                held.remove(action.prop)
                givers.setdefault(action.prop, []).append(one.name)
            if words:
                yield Problem(one.name, mark.name, words)
    for prop, people in takers.items():
        # Each but the first needs another before that has put it down.
        if len(people) > 1 + len(givers.get(prop, [])):
            words = f"prop {prop!r} is picked up by {', '.join(people[:4])}, and nobody puts it down in between"
            yield Problem(people[1], "", words)


def _check_names(scene: Scene) -> Iterator[Problem]:
    """Find seats and doors that are not there."""
    seats, doors = {s.name for s in scene.stage.seats}, {d.name for d in scene.stage.doors}
    for one in scene.characters:
        for what, name in (("leaves by", one.leaves), ("enters by", one.door)):
            if name and name not in doors:
                yield Problem(one.name, "", f"{what} {name!r}, but there is no such door{_suggest_name(name, doors)}")
        for mark, seat in (("", one.seat), *((m.name, m.seat) for m in one.marks)):
            if seat and seat not in seats:
                yield Problem(one.name, mark, f"there is no seat {seat!r}{_suggest_name(seat, seats)}")


def _suggest_name(name: str, known: Collection[str]) -> str:
    close = get_close_matches(name, sorted(known), n=1, cutoff=0.5)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; there are {', '.join(sorted(known)[:12])}" if known else "; there is none at all"


MAX_ABOVE_SEAT_M = 0.02
"""m by which a solid may be higher than the seat that stands on it."""


def _blocking_seat(seat: Seat, *, space: FreeSpace, under: Collection[int]) -> str:
    """Return the name of what one would sit inside of on a seat, if anything; `under` it are these of the `solids`."""
    others = [i for i in under if space.solids[i].height > seat.height + MAX_ABOVE_SEAT_M]
    return space.name_of(others[0]) if others else ""
