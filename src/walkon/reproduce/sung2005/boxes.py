"""Experiment 5 of Sung 2005: 20 people rise, fetch a box each in a second room, place it, and return (figure 9).

A waiting room lies between two store rooms, open towards both through a row of wide doorways. Everybody sits facing +y,
beside a doorway; the box lies on the floor behind it, the place to put it is a table a step on:

    rise → a quarter turn through the doorway → lift → a step → put down → about-face → back → a quarter turn → sit

That is as short as such a trip can be: rising, lifting, a carried step, putting down and sitting down take 13 s in
the built-in library before a single step is walked, and turning another 8. Table 1's 23.6 s within 15 % is at most
27.1 s, for which the distances are chosen. Boxes lie on the floor because nobody can step forward over a table with a
box in hands, nor turn on the spot with one. Metres, seconds.
"""

from math import inf, pi

import numpy as np

from walkon.reproduce.sung2005.building import block, rectangle, wall, wall_openings
from walkon.reproduce.sung2005.published import TABLE_1, TOLERANCE
from walkon.reproduce.sung2005.rooms import BOX, ON_TABLE, TABLE, TABLE_EDGE
from walkon.script import Action, Character, Mark, PlacedProp, Scene, Seeds
from walkon.stage import Obstacle, Prop, Seat, Stage

__all__ = ["ON_FLOOR", "SEATS", "experiment_5"]

SEATS = 10
"""People on each side."""
APART = 3.2
"""m between two people of a side."""
MIDDLE = 1.1
"""m from the middle of the waiting room to its seats."""
RISE = 0.28
"""m from the place of the hips on a seat to where one stands before it."""
ACROSS, AHEAD = 1.60, 1.25
"""m aside and ahead from there to where the box is lifted."""
ON_FLOOR = 0.625
"""m from somebody to a box that is lifted from the floor before them."""
CARRIED = 0.90
"""m that the box is carried: a start and a stop."""
OPENING = (-0.55, 1.95)
"""m ahead of where one stands up: the doorway."""
WALL_AT = 0.75
"""m from where one stands up to the wall, aside."""
BACK, THICK = 0.27, 0.08
JITTER = 0.06
"""m by which boxes lie off their places."""


def experiment_5(*, seed: int = 0) -> Scene:
    """Return 20 people on their seats, with a box each to fetch and place."""
    rng = np.random.default_rng([seed, 5])
    latest = (1 + TOLERANCE) * TABLE_1["5"].duration_s
    seats, props, people, furniture = [], [], [], []
    doorways: dict[int, list[tuple[float, float]]] = {-1: [], 1: []}
    for k in range(2 * SEATS):
        side, row = (-1, 1)[k % 2], k // 2
        x, y = side * MIDDLE, row * APART
        name = f"{row + 1}{'L' if side < 0 else 'R'}"
        facing = 0.0 if side > 0 else pi
        seats.append(Seat(name=f"seat {name}", place=np.array([x, y, pi / 2]), height=0.45))
        furniture.append(
            block(f"back {name}", low=(x - 0.24, y - BACK - THICK), high=(x + 0.24, y - BACK), height=0.95)
        )
        doorways[side].append((y + RISE + OPENING[0], y + RISE + OPENING[1]))
        lift_x, lift_y = x + side * (ACROSS + rng.uniform(0.0, JITTER)), y + RISE + AHEAD + rng.uniform(-JITTER, JITTER)
        box = (lift_x + side * ON_FLOOR, lift_y, BOX[2] / 2)
        put = lift_x + side * CARRIED
        place = (put + side * ON_TABLE, lift_y, TABLE + BOX[2] / 2)
        edge = put + side * TABLE_EDGE
        sides = sorted((edge, edge + side * 0.6))
        furniture.append(
            block(f"table {name}", low=(sides[0], lift_y - 0.45), high=(sides[1], lift_y + 0.45), height=TABLE)
        )
        prop = Prop(name=f"box {name}", size=BOX)
        props.append(PlacedProp(prop=prop, place=box, heading=0.0))
        marks = (
            Mark(
                name="lift", action=Action(kind="pick_up", prop=prop.name), facing=facing, window=(0.0, 0.32 * latest)
            ),
            Mark(
                name="place",
                action=Action(kind="put_down", prop=prop.name, place=place),
                facing=facing,
                window=(0.0, 0.56 * latest),
            ),
            Mark(
                name="seat",
                seat=f"seat {name}",
                position=(x, y),
                facing=pi / 2,
                pose="sit",
                window=(0.85 * latest, latest),
                hold=inf,
            ),
        )
        people.append(
            Character(name=f"porter {name}", place=(x, y, pi / 2), pose="sit", seat=f"seat {name}", marks=marks)
        )
    far_x = MIDDLE + ACROSS + CARRIED + TABLE_EDGE + 1.2
    low, high = -1.2, (SEATS - 1) * APART + 3.2
    obstacles = list(furniture)
    doors = []
    for side, word in ((-1, "left"), (1, "right")):
        at = side * (MIDDLE + WALL_AT)
        obstacles += wall(f"{word} arcade", at=at, along="y", span=(low, high), openings=doorways[side])
        names = [f"{word} doorway {row + 1}" for row in range(SEATS)]
        doors += wall_openings(names, at=at, along="y", openings=doorways[side])
        obstacles += wall(f"{word} wall", at=side * (far_x + 0.1), along="y", span=(low, high))
    obstacles += _ends(low, high, far_x)
    return Scene(
        title="Twenty people fetch a box each",
        stage=Stage(
            bounds=rectangle((-far_x, low), (far_x, high)),
            obstacles=tuple(obstacles),
            seats=tuple(seats),
            doors=tuple(doors),
        ),
        characters=tuple(people),
        props=tuple(props),
        seeds=Seeds(population=seed, behaviour=seed),
    )


def _ends(low: float, high: float, far: float) -> list[Obstacle]:
    walls = []
    for name, y in (("near wall", low - 0.1), ("far wall", high + 0.1)):
        walls += wall(name, at=y, along="x", span=(-far - 0.2, far + 0.2))
    return walls
