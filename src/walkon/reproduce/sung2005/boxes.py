"""Experiment 5 of Sung 2005: 20 people rise, fetch a box each in a second room, place it, and return (figure 9).

Two rows of seats stand back to back in a waiting room between two store rooms, each seat before a doorway. Behind it
the box stands on a table and goes to another one beside; in every third row it stands on the floor, and the table that
it goes to is some steps away:

    rise → through the doorway → lift → a quarter turn with the box (and some steps) → put down
         → turn → back → about-face → sit

    y ↑         ┌───┐ box
    x →  seat → lift│         the right side of the waiting room; the left one is its mirror image
                put └
               ┌───┐ place

That is about as short as such a trip can be: in the built-in library rising, lifting, turning with the box, putting
down, two turns and sitting down take 17 s before a step is walked. Table 1's 23.6 s within 15 % is at most 27.1 s, for
which distances and windows are chosen. Metres, seconds.
"""

from math import inf, pi

import numpy as np

from walkon._base.chance import Purpose, stream
from walkon.reproduce.sung2005.building import block, rectangle, wall, wall_openings
from walkon.reproduce.sung2005.rooms import BOX_SIZE_M, LIFTER_TO_BOX_M, LIFTER_TO_TABLE_M, TABLE_HEIGHT_M
from walkon.script import Action, Character, Mark, PlacedProp, Scene, Seeds
from walkon.stage import Door, Obstacle, Prop, Seat, Stage

__all__ = ["SIDE_SEAT_COUNT", "experiment_5"]

SIDE_SEAT_COUNT = 10
"""People on each side."""
ROW_SPACING_M = 3.0
"""m between two people of a side."""
SEATS_FROM_MIDDLE_M = 0.75
"""m from the middle of the waiting room to its seats."""
SEAT_TO_STAND_M = 0.28
"""m from the place of the hips on a seat to where one stands before it."""
STAND_TO_LIFT_M = 1.75
"""m from there to where the box is lifted, straight ahead."""
QUARTER_TURN_SHIFT_M = (-0.055, 0.067)
"""m ahead and aside by which the body is moved by a quarter turn with a box."""
CARRIED_ON_SHIFT_M = {1: (0.14, 1.05), -1: (0.18, 1.50)}
"""m ahead and aside by a start that turns to the right or to the left, and a stop."""
DOORWAY_SPAN_M = (-1.15, 0.75)
"""m: the doorway, aside of the seat."""
STAND_TO_WALL_M = 0.62
"""m from where one stands up to the wall."""
STORE_END_X_M, MIN_Y_M, MAX_Y_M = (
    SEATS_FROM_MIDDLE_M + SEAT_TO_STAND_M + STAND_TO_LIFT_M + LIFTER_TO_TABLE_M + 1.2,
    -1.6,
    (SIDE_SEAT_COUNT - 1) * ROW_SPACING_M + 2.2,
)
"""m: how far the store rooms reach along x, and the room along y."""
HIPS_TO_SEAT_BACK_M, SEAT_BACK_DEPTH_M = 0.27, 0.08
BOX_JITTER_M = 0.05
"""m by which boxes stand off their places."""
CARRY_ON_EVERY_ROWS = 3
"""Of so many rows there is one in which the box is carried on."""
LIFT_WINDOWS_S, PLACE_WINDOWS_S, SEAT_WINDOWS_S = (
    ((4.5, 7.4), (4.5, 7.4)),
    ((8.0, 12.0), (8.0, 16.2)),
    ((21.0, 25.5), (24.0, 30.5)),
)
"""s of the windows, for boxes beside and for those farther on. Lifting and putting down begin in theirs."""


def experiment_5(*, seed: int = 0) -> Scene:
    """Return 20 people on their seats, with a box each to fetch and place."""
    rng = stream(seed, Purpose.EXPERIMENT, "boxes")
    seats, props, people, furniture = [], [], [], []
    doorways: dict[int, list[tuple[float, float]]] = {-1: [], 1: []}
    for k in range(2 * SIDE_SEAT_COUNT):
        side, row = (-1, 1)[k % 2], k // 2
        far = int(row % CARRY_ON_EVERY_ROWS == 1)
        x, y = side * SEATS_FROM_MIDDLE_M, row * ROW_SPACING_M
        name = f"{row + 1}{'L' if side < 0 else 'R'}"
        facing = 0.0 if side > 0 else pi
        seats.append(Seat(name=f"seat {name}", place=np.array([x, y, facing]), height=0.45))
        furniture.append(
            _block(
                f"back {name}", x - side * HIPS_TO_SEAT_BACK_M, y, wide=0.48, deep=SEAT_BACK_DEPTH_M, ahead=(-side, 0)
            )
        )
        doorways[side].append((y + DOORWAY_SPAN_M[0], y + DOORWAY_SPAN_M[1]))
        lift_x = x + side * (SEAT_TO_STAND_M + STAND_TO_LIFT_M + rng.uniform(0.0, BOX_JITTER_M))
        lift_y = y + rng.uniform(-BOX_JITTER_M, BOX_JITTER_M)
        ahead, aside = CARRIED_ON_SHIFT_M[side] if far else QUARTER_TURN_SHIFT_M
        put_x, put_y = lift_x + side * ahead, lift_y - aside
        box = (lift_x + side * LIFTER_TO_BOX_M, lift_y, (0.0 if far else TABLE_HEIGHT_M) + BOX_SIZE_M[2] / 2)
        if not far:
            furniture.append(
                _block(f"table {name}", lift_x + side * LIFTER_TO_TABLE_M, lift_y, wide=0.7, ahead=(side, 0))
            )
        furniture.append(_block(f"second table {name}", put_x, put_y - LIFTER_TO_TABLE_M, wide=0.6, ahead=(0, -1)))
        prop = Prop(name=f"box {name}", size=BOX_SIZE_M)
        props.append(PlacedProp(prop=prop, place=box))
        marks = (
            Mark(name="lift", action=Action(kind="pick_up", prop=prop.name), facing=facing, window=LIFT_WINDOWS_S[far]),
            Mark(
                name="place",
                action=Action(
                    kind="put_down",
                    prop=prop.name,
                    place=(put_x, put_y - LIFTER_TO_BOX_M, TABLE_HEIGHT_M + BOX_SIZE_M[2] / 2),
                ),
                facing=-pi / 2,
                window=PLACE_WINDOWS_S[far],
            ),
            Mark(
                name="seat",
                seat=f"seat {name}",
                position=(x, y),
                facing=facing,
                pose="sit",
                window=SEAT_WINDOWS_S[far],
                hold=inf,
            ),
        )
        people.append(
            Character(name=f"porter {name}", place=(x, y, facing), pose="sit", seat=f"seat {name}", marks=marks)
        )
    obstacles, doors = _walls(doorways)
    return Scene(
        title="Twenty people fetch a box each",
        stage=Stage(
            bounds=rectangle((-STORE_END_X_M, MIN_Y_M), (STORE_END_X_M, MAX_Y_M)),
            obstacles=(*furniture, *obstacles),
            seats=tuple(seats),
            doors=tuple(doors),
        ),
        characters=tuple(people),
        props=tuple(props),
        seeds=Seeds(population=seed, behaviour=seed),
    )


def _block(name: str, x: float, y: float, *, wide: float, deep: float = 0.5, ahead: tuple[int, int]) -> Obstacle:
    """Return a table (or the back of a seat) whose near edge has its middle at (x, y)."""
    aside = (abs(ahead[1]) * wide / 2, abs(ahead[0]) * wide / 2)
    corners = np.array([(x - aside[0], y - aside[1]), (x + aside[0], y + aside[1])])
    corners = np.concatenate([corners, corners + deep * np.array(ahead)])
    height = TABLE_HEIGHT_M if deep > SEAT_BACK_DEPTH_M else 0.95
    return block(name, low=corners.min(axis=0).tolist(), high=corners.max(axis=0).tolist(), height=height)


def _walls(doorways: dict[int, list[tuple[float, float]]]) -> tuple[list[Obstacle], list[Door]]:
    obstacles: list[Obstacle] = []
    doors: list[Door] = []
    for side, word in ((-1, "left"), (1, "right")):
        at = side * (SEATS_FROM_MIDDLE_M + SEAT_TO_STAND_M + STAND_TO_WALL_M)
        obstacles += wall(f"{word} arcade", at=at, along="y", span=(MIN_Y_M, MAX_Y_M), openings=doorways[side])
        names = [f"{word} doorway {row + 1}" for row in range(SIDE_SEAT_COUNT)]
        doors += wall_openings(names, at=at, along="y", openings=doorways[side])
        obstacles += wall(f"{word} wall", at=side * (STORE_END_X_M + 0.1), along="y", span=(MIN_Y_M, MAX_Y_M))
    for name, y in (("near wall", MIN_Y_M - 0.1), ("far wall", MAX_Y_M + 0.1)):
        obstacles += wall(name, at=y, along="x", span=(-STORE_END_X_M - 0.2, STORE_END_X_M + 0.2))
    return obstacles, doors
