"""Experiment 4 of Sung 2005: 40 people walk from a lobby into a theatre and take their seats (figure 8).

    x →   lobby | wall with three doors | two blocks of seats, five rows, that face +x | stage
    y ↑   aisle, six seats, aisle, six seats, aisle

Seats are 0.60 m apart, rows 1.05 m, aisles 1.2 m wide. They are tip-up seats, as in theatres: an empty one folds up, so
that what stands in the way is its back alone, 0.27 m behind the place of the hips; between the backs of two rows there
is a way of 0.95 m. Nobody can pass the knees of a person who sits. So of the seats of a row, the ones between those
reached from its two aisles are taken from the start, and the open ones fill from the inside out: window by window, in
passes over all rows, the front row first.

Metres, seconds.
"""

from math import inf

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon._base.arrays import Array
from walkon._base.chance import Purpose, stream
from walkon.reproduce.sung2005.building import block, column, rectangle, towards, wall, wall_openings
from walkon.reproduce.sung2005.columns import TABLE_1
from walkon.reproduce.sung2005.open_floor import walking_time
from walkon.script import Character, Mark, Scene, Seeds
from walkon.script.arranging import in_region
from walkon.stage import Seat, Stage
from walkon.transforms import angles

__all__ = [
    "AISLE_WIDTH_M",
    "BLOCK_SEAT_COUNT",
    "ROW_COUNT",
    "ROW_PITCH_M",
    "SEAT_PITCH_M",
    "experiment_4",
    "theatre_stage",
]

ROW_COUNT, BLOCK_SEAT_COUNT, BLOCK_COUNT = 5, 6, 2
SEAT_PITCH_M, ROW_PITCH_M, AISLE_WIDTH_M = 0.60, 1.05, 1.2
"""m between seats, between rows, and across an aisle."""
LOBBY_DEPTH_M, BEHIND_ROWS_M, FRONT_ROW_TO_STAGE_M, STAGE_DEPTH_M = 12.0, 2.2, 1.7, 2.6
"""m along x: the lobby, the way behind the last row, from the first row's hips to the stage, and the stage."""
HOUSE_WIDTH_M = BLOCK_COUNT * BLOCK_SEAT_COUNT * SEAT_PITCH_M + (BLOCK_COUNT + 1) * AISLE_WIDTH_M
HIPS_TO_SEAT_BACK_M, SEAT_BACK_DEPTH_M, SEAT_BACK_WIDTH_M = 0.27, 0.10, 0.54
"""m from the hips to the seat's back, the back's thickness and width."""
SEAT_HEIGHT_M = 0.45
DOOR_WIDTH_M = 1.6
TAKEN_SEAT_COUNTS = (1, 1, 1, 2, 2, 2, 2, 3, 3, 3)
"""How many seats of the rows are taken, in a random order: 20 of 60."""
INNER_SEAT_COUNTS = {1: 2, 2: 1, 3: 1}
"""Of the open seats of a row with so many taken, how many are reached from the aisle in the middle."""
AISLE_INTERVAL_S, PASS_INTERVAL_S = 1.7, 2.0
"""s between two who use one aisle, and more from the last of one pass to the first of the next."""
SEAT_SLACK_S = 1.2
"""s before and after a person's time in which sitting down may be done."""
AISLE_TO_SEATED_S = 6.0
"""s from leaving the aisle to sitting: to stop, turn to the stage, step back, sit."""


OpenSeat = tuple[int, int, int, int, str]
"""A seat to be taken: how many open ones of its side are farther in, rows before it, its block, from which aisle one
comes to it, and its name. An aisle's seats fill in this order: innermost first, of these the front row's."""


def experiment_4(*, seed: int = 0) -> Scene:
    """Return 40 people in the lobby, each with a seat, and 20 who sit already."""
    rng = stream(seed, Purpose.EXPERIMENT, "theatre")
    stage = theatre_stage()
    seats = {seat.name: seat for seat in stage.seats}
    taken, open_seats = _fill_seats(rng)
    doors = np.array([door.ends.mean(axis=0) for door in stage.doors])
    queues = [sorted(seat for seat in open_seats if seat[3] == aisle) for aisle in range(BLOCK_COUNT + 1)]
    walkers: list[tuple[float, str, Array]] = []
    for queue, places in zip(queues, _lobby_places(stage, [len(queue) for queue in queues], doors, rng), strict=True):
        times = AISLE_INTERVAL_S * np.arange(len(queue)) + PASS_INTERVAL_S * np.array([depth for depth, *_ in queue])
        walkers += zip((times - times.mean()).tolist(), [name for *_, name in queue], places, strict=True)
    people = [
        Character(name=f"seated {k + 1:02}", group="seated", place=_place(seats[name]), pose="sit", seat=name)
        for k, name in enumerate(taken)
    ]
    soonest = [_soonest(start, seats[name].place, doors) for _, name, start in walkers]
    # The mean is the paper's, unless the first of them would have to run.
    mean = max(TABLE_1["4"].duration_s, max(s - t for s, (t, _, _) in zip(soonest, walkers, strict=True)) + 1.0)
    walkers.sort(key=lambda walker: walker[0])
    for k, (time, name, start) in enumerate(walkers):
        x, y, facing = _place(seats[name])
        near = doors[np.argmin(np.hypot(*(doors - start).T))]
        heading = float(angles.wrap(towards(start[None], near[None])[0] + rng.uniform(-1.2, 1.2)))
        mark = Mark(
            name="seat",
            seat=name,
            position=(x, y),
            facing=facing,
            pose="sit",
            window=(mean + time - SEAT_SLACK_S, mean + time + SEAT_SLACK_S),
            hold=inf,
        )
        place = (*start.tolist(), heading)
        people.append(Character(name=f"guest {k + 1:02}", group="guests", place=place, marks=(mark,)))
    return Scene(
        title="Forty people take their seats in a theatre",
        stage=stage,
        characters=tuple(people),
        seeds=Seeds(population=seed, behaviour=seed),
    )


def theatre_stage() -> Stage:
    """Return the house: lobby, doors, seats with their backs, a raised stage."""
    first = LOBBY_DEPTH_M + 0.1 + BEHIND_ROWS_M + HIPS_TO_SEAT_BACK_M + SEAT_BACK_DEPTH_M
    front = first + (ROW_COUNT - 1) * ROW_PITCH_M + FRONT_ROW_TO_STAGE_M
    end = front + STAGE_DEPTH_M
    middles = [
        AISLE_WIDTH_M / 2 + k * (AISLE_WIDTH_M + BLOCK_SEAT_COUNT * SEAT_PITCH_M) for k in range(BLOCK_COUNT + 1)
    ]
    middles[0], middles[-1] = DOOR_WIDTH_M / 2 + 0.1, HOUSE_WIDTH_M - DOOR_WIDTH_M / 2 - 0.1
    openings = [(y - DOOR_WIDTH_M / 2, y + DOOR_WIDTH_M / 2) for y in middles]
    names = ("left door", "middle door", "right door")
    obstacles = wall("lobby wall", at=LOBBY_DEPTH_M, along="y", span=(0.0, HOUSE_WIDTH_M), openings=openings)
    obstacles += wall("right wall", at=-0.1, along="x", span=(-0.2, end))
    obstacles += wall("left wall", at=HOUSE_WIDTH_M + 0.1, along="x", span=(-0.2, end))
    obstacles += wall("street wall", at=-0.1, along="y", span=(0.0, HOUSE_WIDTH_M))
    obstacles.append(block("stage front", low=(front, 0.0), high=(end, HOUSE_WIDTH_M), height=0.9))
    obstacles.append(
        block("box office", low=(0.0, 0.5 * HOUSE_WIDTH_M - 1.4), high=(0.9, 0.5 * HOUSE_WIDTH_M + 1.4), height=1.1)
    )
    obstacles += [
        column(f"pillar {k + 1}", (8.0, y), radius=0.25)
        for k, y in enumerate((0.3 * HOUSE_WIDTH_M, 0.7 * HOUSE_WIDTH_M))
    ]
    seats = []
    for b, r, s in np.ndindex(BLOCK_COUNT, ROW_COUNT, BLOCK_SEAT_COUNT):
        x = first + r * ROW_PITCH_M
        y = AISLE_WIDTH_M + b * (BLOCK_SEAT_COUNT * SEAT_PITCH_M + AISLE_WIDTH_M) + (s + 0.5) * SEAT_PITCH_M
        seats.append(Seat(name=_name(b, r, s), place=np.array([x, y, 0.0]), height=SEAT_HEIGHT_M))
        low, high = (
            (x - HIPS_TO_SEAT_BACK_M - SEAT_BACK_DEPTH_M, y - SEAT_BACK_WIDTH_M / 2),
            (x - HIPS_TO_SEAT_BACK_M, y + SEAT_BACK_WIDTH_M / 2),
        )
        obstacles.append(block(f"back of {_name(b, r, s)}", low=low, high=high, height=0.95))
    return Stage(
        bounds=rectangle((0.0, 0.0), (front, HOUSE_WIDTH_M)),
        obstacles=tuple(obstacles),
        seats=tuple(seats),
        doors=tuple(wall_openings(reversed(names), at=LOBBY_DEPTH_M, along="y", openings=openings)),
    )


def _name(block_: int, row: int, seat: int) -> str:
    """Return a seat's name: rows by letters from the stage back, seats by numbers through both blocks."""
    return f"{'ABCDEFGH'[ROW_COUNT - 1 - row]}{block_ * BLOCK_SEAT_COUNT + seat + 1}"


def _place(seat: Seat) -> tuple[float, float, float]:
    x, y, heading = seat.place.tolist()
    return x, y, heading


def _fill_seats(rng: np.random.Generator) -> tuple[list[str], list[OpenSeat]]:
    """Draw which seats are taken: one run in each row, with open seats on its sides only."""
    taken: list[str] = []
    found: list[OpenSeat] = []
    for (b, r), count in zip(
        np.ndindex(BLOCK_COUNT, ROW_COUNT), rng.permutation(TAKEN_SEAT_COUNTS).tolist(), strict=True
    ):
        inner, outer = INNER_SEAT_COUNTS[count], BLOCK_SEAT_COUNT - count - INNER_SEAT_COUNTS[count]
        right, left = (outer, inner) if b == 0 else (inner, outer)
        taken += [_name(b, r, s) for s in range(right, BLOCK_SEAT_COUNT - left)]
        found += [(right - 1 - s, ROW_COUNT - 1 - r, b, b, _name(b, r, s)) for s in range(right)]
        found += [(s, ROW_COUNT - 1 - r, b, b + 1, _name(b, r, BLOCK_SEAT_COUNT - left + s)) for s in range(left)]
    return taken, found


def _lobby_places(stage: Stage, counts: list[int], doors: Array, rng: np.random.Generator) -> list[list[Array]]:
    """Return places for the people of each door: in its part of the lobby, those who go first nearest to it."""
    solid = shapely.union_all([shapely.Polygon(o.polygon) for o in stage.obstacles]).buffer(0.7)
    floor = shapely.Polygon(rectangle((0.6, 0.6), (LOBBY_DEPTH_M - 1.8, HOUSE_WIDTH_M - 0.6))) - solid
    places = in_region(floor, count=sum(counts), apart=1.15, generator=rng)
    order = np.argsort(places[:, 1])
    found = []
    for door, count in zip(doors, counts, strict=True):
        mine, order = order[:count], order[count:]
        found.append(list(places[mine[np.argsort(np.hypot(*(places[mine] - door).T))]]))
    return found


def _soonest(start: Array, seat: Array, doors: Array) -> float:
    """Return the seconds that the way through the nearest door takes, with sitting down."""
    way = np.hypot(*(doors - start).T) + np.abs(doors - seat[:2]).sum(axis=1)
    return walking_time(float(way.min())) + AISLE_TO_SEATED_S
