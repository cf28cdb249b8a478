"""Rooms joined by doors: experiment 3 of Sung 2005, and forty people sent through 1 m doors at once.

3: one person starts in the lower right room of a house and goes through all of its rooms, past furniture and people who
stand or walk about, to lift a box from a table in the upper right room (figure 7). Table 1 counts that one only; the
others are as much a part of the scene as the furniture. Metres, seconds.
"""

from collections.abc import Iterator
from math import inf, pi

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon._base.arrays import Array
from walkon._base.chance import Purpose, stream
from walkon.reproduce.sung2005.building import Doorway, House, Room, block, column
from walkon.reproduce.sung2005.columns import TABLE_1
from walkon.script import Action, Character, Mark, PlacedProp, Scene, Seeds
from walkon.script.arranging import in_region
from walkon.stage import Obstacle, Prop

__all__ = [
    "BOX_SIZE_M",
    "HERO",
    "LIFTER_TO_BOX_M",
    "LIFTER_TO_TABLE_M",
    "TABLE_HEIGHT_M",
    "experiment_3",
    "rooms_crowd",
]

HERO = "visitor"
"""Name of the one whom experiment 3 is about."""
BOX_SIZE_M = (0.30, 0.40, 0.25)
"""m ahead, across and up: a box that the built-in lifts hold."""
TABLE_HEIGHT_M, LIFTER_TO_BOX_M, LIFTER_TO_TABLE_M = 0.75, 0.388, 0.295
"""m: how high a table is, and how far its box and its edge are from who lifts the box."""
HIGH_DOOR_SHARE, LOW_DOOR_SHARE = 0.8, 0.2
"""Where the doors of experiment 3 are in their walls, by turns, so that one crosses every room."""
MANSION = House(
    columns=3,
    floors=4,
    size=(8.6, 7.2),
    doorways=(
        Doorway((2, 0), (1, 0), HIGH_DOOR_SHARE),
        Doorway((1, 0), (0, 0), LOW_DOOR_SHARE),
        Doorway((0, 0), (0, 1), 0.3),
        Doorway((0, 1), (1, 1), HIGH_DOOR_SHARE),
        Doorway((1, 1), (2, 1), LOW_DOOR_SHARE),
        Doorway((2, 1), (2, 2), 0.7),
        Doorway((2, 2), (1, 2), HIGH_DOOR_SHARE),
        Doorway((1, 2), (0, 2), LOW_DOOR_SHARE),
        Doorway((0, 2), (0, 3), 0.3),
        Doorway((0, 3), (1, 3), LOW_DOOR_SHARE),
        Doorway((1, 3), (2, 3), HIGH_DOOR_SHARE),
    ),
)
FLAT = House(
    columns=3,
    floors=2,
    size=(6.0, 6.0),
    doorways=tuple(
        Doorway(a, b, part, 1.0)
        for a, b, part in (
            ((0, 0), (1, 0), 0.35),
            ((1, 0), (2, 0), 0.65),
            ((0, 1), (1, 1), 0.65),
            ((1, 1), (2, 1), 0.35),
            ((0, 0), (0, 1), 0.5),
            ((1, 0), (1, 1), 0.5),
            ((2, 0), (2, 1), 0.5),
        )
    ),
)
MIN_PASSAGE_M = 1.3
"""m between furniture, and between it and walls and doors: a person and a half."""
STROLL_COUNT, STROLL_S = 4, 19.0
"""Places that people who walk about go to, one after another, and s for each."""


def experiment_3(*, seed: int = 0) -> Scene:
    """Return one person on the way to a box through twelve rooms, and others in them."""
    rng = stream(seed, Purpose.EXPERIMENT, "twelve rooms")
    rooms = MANSION.rooms
    corner = np.array([MANSION.columns, MANSION.floors]) * MANSION.size
    box = np.array([corner[0] - 0.1 - 0.45, corner[1] - 2.0])
    stand = box - (LIFTER_TO_BOX_M, 0.0)
    edge = stand[0] + LIFTER_TO_TABLE_M
    table = block("table", low=(edge, box[1] - 0.6), high=(corner[0] - 0.15, box[1] + 0.6), height=TABLE_HEIGHT_M)
    start = MANSION.middle((2, 0)) + np.array([2.0, -1.6])
    kept = np.array([*(MANSION.door_place(door) for door in MANSION.doorways), start, stand])
    furniture = [table, *_furniture(rooms, kept, rng)]
    # Where one can stand: off walls and things by a margin, and off the ways.
    solid = shapely.union_all([shapely.Polygon(o.polygon) for o in (*MANSION.walls(), *furniture)])
    clear = shapely.Polygon(MANSION.bounds) - solid.buffer(0.45) - shapely.MultiPoint(kept).buffer(1.5)
    usual = TABLE_1["3"].duration_s
    lift = Mark(name="lift", action=Action(kind="pick_up", prop="box"), facing=0.0, window=(0.9 * usual, 1.1 * usual))
    people = [
        Character(
            name=HERO,
            group="visitors",
            place=(*start.tolist(), pi),
            speed=1.25,
            marks=(lift,),
            colour=(0.15, 0.15, 0.18),
        )
    ]
    standing = rng.permutation(len(rooms))[: len(rooms) // 2]
    for k, room in enumerate(rooms):
        floor = clear & shapely.Polygon(MANSION.room(room, margin=0.4))
        places = in_region(floor, count=STROLL_COUNT + 1, apart=1.0, generator=rng)
        marks: tuple[Mark, ...] = ()
        if k not in standing:
            marks = tuple(
                Mark(
                    name=f"stroll {i + 1}",
                    position=(x, y),
                    pose="stand",
                    window=((i + 0.6) * STROLL_S, (i + 1) * STROLL_S),
                )
                for i, (x, y) in enumerate(places[1:].tolist())
            )
        place = (*places[0].tolist(), float(rng.uniform(-pi, pi)))
        name = f"{'stroller' if marks else 'bystander'} {k + 1:02}"
        people.append(Character(name=name, group="others", place=place, marks=marks))
    return Scene(
        title="Through twelve rooms to a box",
        stage=MANSION.stage(furniture),
        characters=tuple(people),
        props=(
            PlacedProp(
                prop=Prop(name="box", size=BOX_SIZE_M), place=(*box.tolist(), TABLE_HEIGHT_M + BOX_SIZE_M[2] / 2)
            ),
        ),
        seeds=Seeds(population=seed, behaviour=seed),
    )


def rooms_crowd(*, people: int = 40, seed: int = 0) -> Scene:
    """Return people in six rooms joined by 1 m doors, each sent at once to a place in another room."""
    rng = stream(seed, Purpose.EXPERIMENT, "six rooms")
    doors = shapely.MultiPoint([FLAT.door_place(door) for door in FLAT.doorways]).buffer(1.4)
    area = shapely.union_all([shapely.Polygon(FLAT.room(room, margin=0.4)) for room in FLAT.rooms]) - doors
    starts = in_region(area, count=people, apart=1.1, generator=rng)
    goals = in_region(area, count=people, apart=1.1, generator=rng)
    # Nobody stays in its room: goals are dealt again until that is so.
    of_start, of_goal = (np.floor(places / FLAT.size) for places in (starts, goals))
    goal = rng.permutation(people)
    while (same := np.flatnonzero((of_start == of_goal[goal]).all(axis=1))).size:
        for i, j in zip(same, rng.integers(people, size=len(same)), strict=True):
            goal[i], goal[j] = goal[j], goal[i]
    cast = tuple(
        Character(
            name=f"person {k + 1:02}",
            place=(*start, float(rng.uniform(-pi, pi))),
            marks=(Mark(name="place", position=tuple(end), pose="stand", window=(0.0, 90.0), hold=inf),),
        )
        for k, (start, end) in enumerate(zip(starts.tolist(), goals[goal].tolist(), strict=True))
    )
    return Scene(
        title=f"{people} people through 1 m doors",
        stage=FLAT.stage(),
        characters=cast,
        seeds=Seeds(population=seed, behaviour=seed),
    )


def _furniture(rooms: list[Room], kept: Array, rng: np.random.Generator) -> Iterator[Obstacle]:
    """Draw a sofa or table and a pillar or two for each room, with room to pass between them."""
    for number, room in enumerate(rooms):
        inside = shapely.Polygon(MANSION.room(room, margin=1.4)) - shapely.MultiPoint(kept).buffer(1.6)
        middles = in_region(inside, count=2, apart=MIN_PASSAGE_M + 1.1, generator=rng)
        w, h = rng.uniform(0.5, 0.8), rng.uniform(0.3, 0.5)
        x, y = middles[0]
        kind, height = ("table", 0.75) if rng.random() < 0.5 else ("sofa", 0.8)
        if rng.random() < 0.5:
            w, h = h, w
        yield block(f"{kind} {number + 1}", low=(x - w, y - h), high=(x + w, y + h), height=height)
        yield column(f"pillar {number + 1}", middles[1].tolist(), radius=float(rng.uniform(0.2, 0.35)))
