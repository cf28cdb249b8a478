"""The kinds of scenes: furniture, doors, queues, hundreds of people. Each function draws one from a generator.

Sizes, counts of rows, places of furniture, who goes where and the angle of everything are drawn; what a kind is made
of is in its docstring. Metres, seconds, radians; the axes are the draft's own.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from benchmarks.unseen.draft import Draft, wait_at_door

__all__ = ["KINDS"]

SEAT_PITCH_M = (0.58, 0.64)
ROW_S = 4.0
"""s that one person keeps the end of a row: to go in and sit down."""
TIGHT_ROW_M, WIDE_ROW_M = 0.95, 1.4
SEATED_COUNT = 200
SERVED_S = 8.0
"""s for which the first of a queue is served."""


def auditorium_in_order(rng: np.random.Generator) -> Draft:
    """200 seats with chairs in rows 0.95 m apart; who sits farther from the end of a row comes earlier."""
    return _auditorium(rng, pitch=TIGHT_ROW_M, in_order=True)


def auditorium(rng: np.random.Generator) -> Draft:
    """200 seats with chairs in rows 1.4 m apart, taken in any order."""
    return _auditorium(rng, pitch=WIDE_ROW_M, in_order=False)


def _auditorium(rng: np.random.Generator, *, pitch: float, in_order: bool) -> Draft:
    """Rows that face +y, an aisle on either side, and a lobby behind them from which all come at once."""
    draft = Draft(f"An auditorium, rows {pitch:g} m apart", rng)
    per_row = int(rng.choice([10, 20]))
    rows, apart = SEATED_COUNT // per_row, float(rng.uniform(*SEAT_PITCH_M))
    half, aisle = 0.5 * (per_row - 1) * apart, float(rng.uniform(1.5, 2.2))
    edge, deep = half + 0.35 + aisle, float(rng.uniform(13.0, 16.0))
    edge = max(edge, 0.5 * SEATED_COUNT / (deep - 2.0) * 1.1)
    front = rows * pitch + 1.5
    draft.bounds(-edge - 0.3, -deep, edge + 0.3, front + 2.0)
    seats = [(row, k) for row in range(rows) for k in range(per_row)]
    for row, k in seats:
        draft.seat(f"s{row:02}x{k:02}", k * apart - half, row * pitch + 1.0, np.pi / 2)
    starts = _spread(rng, (-edge + 0.5, -deep + 0.6, edge - 0.5, -1.6), SEATED_COUNT, apart=0.85)
    # The nearer half of a row is filled from its own aisle; the middle first.
    rank = {(row, k): min(k, per_row - 1 - k) for row, k in seats}
    order = sorted(seats, key=lambda seat: (-rank[seat], rng.random())) if in_order else list(rng.permutation(seats))
    if in_order:
        starts = starts[np.argsort(-starts[:, 1], kind="stable")]
    served = np.zeros((rows, 2), int)
    for person, seat in enumerate(order):
        row, k = (int(number) for number in seat)
        side = int(k >= per_row // 2)
        wait = wait_at_door(person // 2, aisle) + ROW_S * (served[row, side] if in_order else per_row / 2)
        served[row, side] += 1
        mark = {"name": "seat", "seat": f"s{row:02}x{k:02}_1", "hold": "end", "wait": wait}
        draft.person(f"guest_{person + 1:03}", [mark], position=starts[person])
    return draft


def square(rng: np.random.Generator) -> Draft:
    """Four gates, a fountain and benches: 300 people come to a square and leave it within two minutes."""
    draft = Draft("A square with four gates", rng)
    half = float(rng.uniform(14.0, 20.0))
    draft.bounds(-half, -half, half, half)
    widths = rng.uniform(3.0, 6.0, 4)
    for gate, width in enumerate(widths):
        middle, along = half * _direction(gate), 0.5 * width * _direction(gate + 1)
        draft.door(f"gate_{gate + 1}", tuple(middle - along), tuple(middle + along))
    angles = np.linspace(-np.pi, np.pi, 13)[:-1]
    radius = float(rng.uniform(1.5, 3.0))
    draft.block("fountain", [draft.at(radius * np.cos(a), radius * np.sin(a)) for a in angles], height=0.8)
    for k, (x, y) in enumerate(_spread(rng, (-half + 5, -half + 5, half - 5, half - 5), 6, apart=5.0, clear=4.5)):
        draft.block(f"bench {k + 1}", draft.box(x - 0.9, y - 0.25, x + 0.9, y + 0.25), height=0.45)
    times = np.sort(rng.uniform(0.0, 100.0, 300))
    for k, time in enumerate(times):
        enters, leaves = rng.choice(4, 2, replace=False) + 1
        draft.person(f"walker_{k + 1:03}", [], enters=f"{time:.1f}s at gate_{enters}", leaves=f"gate_{leaves}")
    return draft


def queue(rng: np.random.Generator) -> Draft:
    """Eight people before a counter who move up slot by slot, and go aside when they were served."""
    draft = Draft("A queue of eight", rng)
    apart, count = float(rng.uniform(0.8, 1.0)), 8
    draft.bounds(-6.0, -4.0, 10.0, 4.0)
    draft.block("counter", draft.box(-1.4, -1.5, -0.6, 1.5), height=1.1)
    bend = int(rng.integers(4, 9))
    slots = [(k * apart, 0.0) if k < bend else ((bend - 1) * apart, -(k - bend + 1) * apart) for k in range(count)]
    for person in range(count):
        marks = []
        for k in range(person - 1, -1, -1):
            time = 6.0 + SERVED_S * (person - 1 - k)
            marks.append(
                {"name": f"slot_{k}", "position": slots[k], "pose": "stand", "between": [time, time + SERVED_S - 1.0]}
            )
        exit_place = (-3.5, 3.0 - 0.8 * person)
        time = 6.0 + SERVED_S * person
        marks.append({"name": "served", "position": exit_place, "pose": "stand", "between": [time, time + 25.0]})
        angle = np.pi if person < bend else np.pi / 2
        draft.person(f"waiting_{person + 1}", marks, position=slots[person], facing=draft.facing(angle))
    return draft


def meeting(rng: np.random.Generator) -> Draft:
    """Nine people take chairs around a table, 0.5 m from its edge."""
    draft = Draft("A meeting of nine", rng)
    long, wide = float(rng.uniform(2.8, 3.4)), float(rng.uniform(1.0, 1.4))
    draft.bounds(-0.5 * long - 3.0, -0.5 * wide - 3.0, 0.5 * long + 3.0, 0.5 * wide + 3.0)
    draft.block("table", draft.box(-0.5 * long, -0.5 * wide, 0.5 * long, 0.5 * wide), height=0.74)
    places = [
        ((k - 1.5) * long / 4, side * (0.5 * wide + 0.5), -side * np.pi / 2) for side in (-1, 1) for k in range(4)
    ]
    places.append((0.5 * long + 0.5, 0.0, np.pi))
    for k, (x, y, angle) in enumerate(places):
        draft.seat(f"place{k}", x, y, angle)
    walls = (-0.5 * long - 2.5, -0.5 * wide - 2.5, 0.5 * long + 2.5, 0.5 * wide + 2.5)
    starts = _spread(rng, walls, 9, apart=0.9, box=(0.5 * long + 1.5, 0.5 * wide + 1.5))
    for k, seat in enumerate(rng.permutation(9)):
        mark = {"name": "seat", "seat": f"place{seat}_1", "hold": "end", "wait": ROW_S * 9}
        draft.person(f"member_{k + 1}", [mark], position=starts[k])
    return draft


def swap(rng: np.random.Generator) -> Draft:
    """Two people on chairs change seats, and one chair stands alone with its person before it."""
    draft = Draft("Two swap seats", rng)
    apart = float(rng.uniform(1.2, 3.5))
    draft.bounds(-5.0, -4.0, 5.0, 4.0)
    angles = rng.uniform(-np.pi, np.pi, 3)
    draft.seat("left", -0.5 * apart - 0.6, 0.0, angles[0])
    draft.seat("right", 0.5 * apart + 0.6, 0.0, angles[1])
    draft.seat("third", 0.0, 2.8, -np.pi / 2 + 0.3 * angles[2])
    for name, mine, other in (("ada", "left", "right"), ("ben", "right", "left")):
        marks = [{"name": "other", "seat": f"{other}_1", "hold": "end", "wait": 25.0}]
        draft.person(name, marks, seat=f"{mine}_1")
    marks = [{"name": "seat", "seat": "third_1", "hold": "end", "wait": 10.0}]
    draft.person("cleo", marks, position=(float(rng.uniform(-3, 3)), -2.8))
    return draft


def boxes(rng: np.random.Generator) -> Draft:
    """Five people with twenty marks each, in which boxes are moved several times by whoever moved them before."""
    draft = Draft("Ten minutes with boxes", rng)
    draft.bounds(-9.0, -7.0, 9.0, 7.0)
    lanes = np.linspace(-5.6, 5.6, 5)
    pillars = np.column_stack([rng.uniform(-5.0, 5.0, 4), 0.5 * (lanes[1:] + lanes[:-1])])
    for k, (x, y) in enumerate(pillars):
        draft.block(f"pillar {k + 1}", draft.box(x - 0.3, y - 0.3, x + 0.3, y + 0.3), height=2.5)
    for k, lane in enumerate(lanes):
        draft.box_prop(f"box_{k + 1}", -8.0, float(lane), 0.0)
        marks = []
        for n in range(20):
            if n % 4 == 0:
                marks.append({"name": f"lift_{n}", "pick_up": f"box_{k + 1}", "wait": 20.0})
            elif n % 4 == 1:
                x, y = rng.uniform((-6.0, lane - 0.5), (6.0, lane + 0.5))
                place = draft.at(float(x), float(y))
                marks.append({"name": f"drop_{n}", "put_down": {"prop": f"box_{k + 1}", "place": place}, "wait": 20.0})
            else:
                place = rng.uniform((-8.0, -6.0), (8.0, 6.0))
                while np.hypot(*(pillars - place).T).min() < 0.9:
                    place = rng.uniform((-8.0, -6.0), (8.0, 6.0))
                marks.append({"name": f"walk_{n}", "position": place, "pose": "stand", "hold": 2.0, "wait": 6.0})
        draft.person(f"porter_{k + 1}", marks, position=(-6.5, float(lane)))
    return draft


def parade(rng: np.random.Generator) -> Draft:
    """Sixty people in step, four abreast, who go around a corner: exact times at three places."""
    draft = Draft("A parade around a corner", rng)
    across, ranks, pace = float(rng.uniform(0.95, 1.1)), 15, float(rng.uniform(0.95, 1.02))
    apart, leg = float(rng.uniform(1.4, 1.7)), float(rng.uniform(14.0, 18.0))
    # The outermost file walks at 1.2 m/s at most, which people can who are alone.
    radius = float(rng.uniform(9.0, 12.0))
    lead = 4.0
    for rank in range(ranks):
        for file in range(4):
            aside = (file - 1.5) * across
            back = rank * apart
            marks = []
            corner = 0.5 * np.pi * radius
            for name, along in (("in", leg), ("corner", leg + 0.5 * corner), ("out", leg + corner + leg)):
                time = lead + along / pace
                x, y, angle = _on_corner(along - back, aside, leg, radius)
                keys = {"name": name, "position": (x, y), "angle": angle, "at": round(float(time), 2)}
                marks.append(keys | ({"pose": "stand", "hold": 3.0} if name == "out" else {}))
            x, y, angle = _on_corner(-back, aside, leg, radius)
            draft.person(f"marcher_{4 * rank + file + 1:02}", marks, position=(x, y), facing=draft.facing(angle))
    return draft


def _on_corner(along: float, aside: float, leg: float, radius: float) -> tuple[float, float, float]:
    """Return the place and heading that far along a way: straight, a quarter turn to the left, straight."""
    if along < leg:
        return along, aside, 0.0
    turned = min((along - leg) / radius, 0.5 * np.pi)
    rest = max(along - leg - 0.5 * np.pi * radius, 0.0)
    middle, out = (leg, radius), radius - aside
    x, y = middle[0] + out * np.sin(turned), middle[1] - out * np.cos(turned)
    return x + rest * np.cos(turned), y + rest * np.sin(turned), turned


def doorway(rng: np.random.Generator) -> Draft:
    """Twelve people change rooms through a 0.9 m door, six from either side."""
    draft = Draft("Twelve through one door", rng)
    draft.bounds(-6.0, -3.5, 6.0, 3.5)
    y = float(rng.uniform(-2.0, 2.0))
    draft.wall("wall low", (0.0, -3.5), (0.0, y - 0.45))
    draft.wall("wall high", (0.0, y + 0.45), (0.0, 3.5))
    left = _spread(rng, (-5.5, -3.0, -1.0, 3.0), 12, apart=0.9)
    right = _spread(rng, (1.0, -3.0, 5.5, 3.0), 12, apart=0.9)
    for k in range(12):
        start, goal = (left[k], right[k]) if k < 6 else (right[k], left[k])
        mark = {"name": "there", "position": goal, "pose": "stand", "hold": "end", "wait": wait_at_door(12, 0.9)}
        draft.person(f"person_{k + 1:02}", [mark], position=start)
    return draft


def corners(rng: np.random.Generator) -> Draft:
    """Twelve people with marks 0.3 m from walls and in the corners of a room with a niche."""
    draft = Draft("Along walls and in corners", rng)
    x, y = rng.uniform(3.5, 5.0, 2)
    draft.bounds(-x - 0.1, -y - 0.1, x + 0.1, y + 0.1)
    draft.wall("around", (-x, -y), (x, -y), (x, y), (-x, y), (-x, -y + 0.001), thickness=0.1)
    draft.wall("niche", (0.0, y), (0.0, y - float(rng.uniform(1.0, 1.6))), thickness=0.1)
    near = 0.35  # 0.3 m from the face of a wall 0.1 m thick
    spots = [(sx * (x - near), sy * (y - near)) for sx in (-1, 1) for sy in (-1, 1)]
    spots += [(near, y - near), (-near, y - near)]
    spots += [(float(rng.uniform(-x + 1, x - 1)), -y + near) for _ in range(2)]
    spots += [(side * (x - near), float(rng.uniform(-y + 1, y - 1))) for side in (-1, 1)]
    spots = _apart(spots, 0.7)
    starts = _spread(rng, (-x + 0.8, -y + 0.8, x - 0.8, y - 2.2), 12, apart=0.9)
    for k, spot in enumerate(spots[:12]):
        mark = {"name": "spot", "position": spot, "angle": float(rng.uniform(-np.pi, np.pi)), "pose": "stand"}
        draft.person(f"person_{k + 1:02}", [mark | {"hold": 5.0, "wait": 12.0}], position=starts[k])
    return draft


def rooms(rng: np.random.Generator) -> Draft:
    """Forty people at once through rooms that are joined by doors of 0.9 to 1.2 m."""
    draft = Draft("Forty through rooms", rng)
    columns, floors = ((3, 2), (2, 3), (4, 2), (3, 3))[int(rng.integers(4))]
    w, h = rng.uniform(5.0, 6.5, 2)
    draft.bounds(0.0, 0.0, columns * w, floors * h)
    for i in range(1, columns):
        for j in range(floors):
            _wall_with_door(draft, rng, f"x{i}{j}", (i * w, j * h), (i * w, (j + 1) * h))
    for i in range(columns):
        for j in range(1, floors):
            _wall_with_door(draft, rng, f"y{i}{j}", (i * w, j * h), ((i + 1) * w, j * h))
    cells = [(i, j) for i in range(columns) for j in range(floors)]
    each = int(np.ceil(40 / len(cells)))
    places = [
        _spread(rng, (i * w + 0.9, j * h + 0.9, (i + 1) * w - 0.9, (j + 1) * h - 0.9), 2 * each, apart=0.75)
        for i, j in cells
    ]
    starts = [(room, tuple(places[room][k])) for k in range(each) for room in range(len(cells))][:40]
    goals = [(room, tuple(places[room][each + k])) for k in range(each) for room in range(len(cells))][:40]
    shift = int(rng.integers(1, len(cells)))
    for k in range(40):
        goal = goals[(k + shift) % 40][1]
        mark = {"name": "place", "position": goal, "pose": "stand", "hold": "end", "wait": wait_at_door(40, 1.0)}
        draft.person(f"person_{k + 1:02}", [mark], position=starts[k][1])
    return draft


def _wall_with_door(
    draft: Draft, rng: np.random.Generator, name: str, a: tuple[float, float], b: tuple[float, float]
) -> None:
    start, stop, width = np.array(a), np.array(b), float(rng.uniform(0.9, 1.2))
    along = (stop - start) / np.linalg.norm(stop - start)
    middle = start + (stop - start) * float(rng.uniform(0.3, 0.7))
    draft.wall(f"{name} a", a, tuple(middle - 0.5 * width * along))
    draft.wall(f"{name} b", tuple(middle + 0.5 * width * along), b)


def _direction(quarter: int) -> np.ndarray:
    return np.array([(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)][quarter % 4])


def _spread(
    rng: np.random.Generator,
    area: tuple[float, float, float, float],
    count: int,
    *,
    apart: float,
    clear: float = 0.0,
    box: tuple[float, float] | None = None,
) -> np.ndarray:
    """Return random places [count, 2] in a box (low x, low y, high x, high y), so far apart or, where full, nearly.

    They are `clear` m from the origin, and outside of a box of these half sizes around it.
    """
    found: list[np.ndarray] = []
    least = apart
    while len(found) < count:
        for place in rng.uniform(area[:2], area[2:], (2000, 2)):
            if np.hypot(*place) < clear or (box is not None and (np.abs(place) < box).all()):
                continue
            if not found or np.hypot(*(np.array(found) - place).T).min() >= least:
                found.append(place)
                if len(found) == count:
                    break
        least *= 0.95
    return np.array(found)


def _apart(spots: list[tuple[float, float]], least: float) -> list[tuple[float, float]]:
    """Return the first of places that are nearer to each other."""
    kept: list[tuple[float, float]] = []
    for spot in spots:
        if all(np.hypot(spot[0] - x, spot[1] - y) >= least for x, y in kept):
            kept.append(spot)
    return kept


KINDS: Mapping[str, Callable[[np.random.Generator], Draft]] = MappingProxyType(
    {
        "auditorium_in_order": auditorium_in_order,
        "auditorium": auditorium,
        "square": square,
        "queue": queue,
        "meeting": meeting,
        "swap": swap,
        "boxes": boxes,
        "parade": parade,
        "doorway": doorway,
        "corners": corners,
        "rooms": rooms,
    }
)
"""Name → what draws a scene of the kind."""
