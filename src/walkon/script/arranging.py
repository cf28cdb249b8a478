"""Formations: where a number of people stand, as a grid, on a circle, anywhere in a region, or as letters.

Every function returns ground points [N, 2] in metres, in a fixed order. `assign` says who goes to which of them:
the nearest by linear assignment. A region is filled by dart throwing (Poisson disc sampling).

Spelling: people stand so that they write a text, seen from above. Somebody stands on every end, corner and junction of
the letters' strokes (`stroke_font`), others evenly between them, `spacing` metres apart or a little more. Where two
strokes leave a corner at an angle θ below 60 degrees, the first on each stand s / (2 sin θ/2) from it, so that they too
are s apart. The letters are made just as large as it takes for `count` people; no two are nearer than `spacing`. Text
reads along +x, centred on the origin.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import pdist

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue, UnknownName
from walkon.geometry import polygons
from walkon.geometry.path import arc_lengths
from walkon.script.stroke_font import BLANK_WIDTH_RATIO, LETTER_GAP_RATIO, letter

__all__ = ["ASSIGNMENTS", "assign", "in_circle", "in_grid", "in_region", "in_row", "spell"]

ASSIGNMENTS = ("order", "nearest", "shuffled")
"""Who goes where: first to first; so that all ways together are shortest; by lot."""
MAX_NEAREST_COUNT = 2000
"""People beyond whom the shortest ways of all together take too long to find."""
MAX_DRAW_ROUNDS = 400
"""Draws of candidates before a region counts as full."""


def in_grid(columns: int, rows: int, *, spacing: float | tuple[float, float], centre: ArrayLike = (0.0, 0.0)) -> Array:
    """Return places row by row from the corner with the smallest x and y; `spacing` m along x and y, or both."""
    if columns < 1 or rows < 1:
        raise InvalidValue(f"a grid has one or more columns and rows, got {columns} and {rows}")
    dx, dy = spacing if isinstance(spacing, tuple) else (spacing, spacing)
    _require_positive(min(dx, dy), "the spacing of a grid")
    x = (np.arange(columns) - (columns - 1) / 2) * dx
    y = (np.arange(rows) - (rows - 1) / 2) * dy
    return np.stack([np.tile(x, rows), np.repeat(y, columns)], axis=-1) + np.asarray(centre, dtype=np.float64)


def in_circle(count: int, *, radius: float, centre: ArrayLike = (0.0, 0.0), first: float = 0.0) -> Array:
    """Return `count` even places on a circle, counter-clockwise from the angle `first`."""
    _require_positive(radius, "the radius of a circle")
    turns = first + 2 * np.pi * np.arange(count) / max(count, 1)
    return np.asarray(centre, dtype=np.float64) + radius * np.stack([np.cos(turns), np.sin(turns)], axis=-1)


def in_row(count: int, *, start: ArrayLike, spacing: float, along: float) -> Array:
    """Return `count` places from `start` on, `spacing` m apart in the direction `along`."""
    _require_positive(spacing, "the spacing of a row")
    steps = spacing * np.arange(count)[:, None]
    return np.asarray(start, dtype=np.float64) + steps * np.array([np.cos(along), np.sin(along)])


def in_region(area: Any, *, count: int, apart: float, generator: np.random.Generator, taken: ArrayLike = ()) -> Array:
    """Return `count` places drawn evenly from a Shapely area, no two nearer than `apart` m, nor to places `taken`.

    Dart throwing: candidates are drawn by rounds; one stays unless an earlier one, of this or another round, is too
    near.
    """
    from scipy.spatial import KDTree

    _require_positive(apart, "the distance of people in a region")
    if area.is_empty or area.area <= 0:
        raise InvalidValue("the region has no free floor; make it larger or move it out of the obstacles")
    low, high = np.array(area.bounds[:2]), np.array(area.bounds[2:])
    share = max(area.area / max(float(np.prod(high - low)), 1e-12), 1e-3)
    before = np.asarray(taken, dtype=np.float64).reshape(-1, 2)
    kept = before
    for _ in range(MAX_DRAW_ROUNDS):
        wanted = count + len(before) - len(kept)
        if wanted <= 0:
            break
        drawn = generator.uniform(low, high, size=(min(int(2 * wanted / share) + 64, 200_000), 2))
        drawn = drawn[polygons.contains(area, drawn)]
        if len(kept):
            drawn = drawn[KDTree(kept).query(drawn, distance_upper_bound=apart)[0] > apart]
        pairs = KDTree(drawn).query_pairs(apart, output_type="ndarray") if len(drawn) else np.zeros((0, 2), int)
        alone = np.ones(len(drawn), dtype=bool)
        alone[pairs.max(axis=1)] = False
        kept = np.concatenate([kept, drawn[alone][:wanted]])
    if len(kept) < count + len(before):
        raise InvalidValue(
            f"only {len(kept) - len(before)} of {count} people find a place {apart:g} m apart in {area.area:.3g} m² of "
            "free floor; make the region larger or the distance smaller"
        )
    return kept[len(before) :]


def assign(places: ArrayLike, *, to: ArrayLike, how: str = "order", generator: np.random.Generator) -> IntArray:
    """Return [N] the index of the goal for each of N people: one of `ASSIGNMENTS`; there may be more goals than people.

    `nearest` makes the sum of squared distances smallest (linear assignment); ways then seldom cross.
    """
    starts, goals = np.atleast_2d(np.asarray(places, float)), np.atleast_2d(np.asarray(to, float))
    UnknownName.check("assignment", how, ASSIGNMENTS)
    if len(goals) < len(starts):
        raise InvalidValue(f"{len(starts)} people cannot have {len(goals)} places; give more places or fewer people")
    if how == "shuffled":
        return generator.permutation(len(goals))[: len(starts)]
    if how == "order":
        return np.arange(len(starts))
    if len(goals) > MAX_NEAREST_COUNT:
        raise InvalidValue(
            f"assign: nearest is for up to {MAX_NEAREST_COUNT} places, got {len(goals)}; assign by order, "
            "or in more groups"
        )
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    return np.asarray(linear_sum_assignment(cdist(starts, goals, "sqeuclidean"))[1])


def _require_positive(value: float, what: str) -> None:
    if not (np.isfinite(value) and value > 0):
        raise InvalidValue(f"{what} must be over 0 m, got {value:g} m")


SIZE_GROWTH_RATIO = 1.01
MAX_LETTER_HEIGHT_SPACINGS = 400.0
"""Letter heights, in spacings, that are tried."""
SHARP_CORNER_RAD = np.pi / 3
MAX_CORNER_GAP_SPACINGS = 2.5
"""Most spacings between the point of a sharp corner and the first on its strokes."""
MIN_LOOP_PEOPLE_COUNT = 3
"""People on a closed loop without corners."""


def spell(text: str, *, spacing: float, count: int | None = None, height: float | None = None) -> Array:
    """Return the places [N, 2] of people who spell `text` at `spacing` m, in order of the letters.

    Give `count`, and the letters become as large as needed for exactly so many; or their `height` in metres, and as
    many people as fit are used.
    """
    if not (np.isfinite(spacing) and spacing > 0):
        raise InvalidValue(f"people who spell stand more than 0 m apart, got {spacing:g} m")
    if (count is None) == (height is None):
        raise InvalidValue("give either how many people spell, or how high the letters are")
    nodes, strokes, gaps = _draw_text(text)
    if height is not None:
        if not (np.isfinite(height) and 0 < height <= MAX_LETTER_HEIGHT_SPACINGS * spacing):
            raise InvalidValue(
                f"letters are over 0 and at most {MAX_LETTER_HEIGHT_SPACINGS * spacing:g} m high, got {height:g} m"
            )
        size = height / spacing
        places = _place_people(nodes, strokes, gaps, _count_fitting(size * _lengths(strokes), gaps), size)
    else:
        assert count is not None
        places = _fit_letters(nodes, strokes, gaps, count, text)
    return np.asarray(spacing * (places - (places.min(axis=0) + places.max(axis=0)) / 2))


def _fit_letters(nodes: Array, strokes: list[Array], gaps: Array, count: int, text: str) -> Array:
    """Return places one spacing apart, with letters grown until `count` people fit."""
    fewest = len(nodes) + int(_min_people(gaps).sum())
    if count < fewest:
        raise InvalidValue(f"it takes at least {fewest} people to spell {text!r}, got {count}")
    size, unscaled = 1.0, _lengths(strokes)
    while size < MAX_LETTER_HEIGHT_SPACINGS:
        lengths = size * unscaled
        fits = _count_fitting(lengths, gaps)
        if len(nodes) + fits.sum() >= count:
            # People are taken away, one after another where they stand closest, until as many are left as wanted.
            while len(nodes) + fits.sum() > count:
                fits[np.argmin(np.where(fits > _min_people(gaps), _spread_factors(lengths, gaps, fits), np.inf))] -= 1
            places = _place_people(nodes, strokes, gaps, fits, size)
            nearest = pdist(places).min() if len(places) > 1 else 1.0
            if nearest >= 0.93:  # the rest is the bend of the curves: chords are shorter than arcs
                return places / min(nearest, 1.0)
        size *= SIZE_GROWTH_RATIO
    raise InvalidValue(f"no size was found at which {count} people spell {text!r}; take another number of people")


def _lengths(strokes: list[Array]) -> Array:
    """Return the lengths [S] of strokes, in letter heights."""
    return np.array([arc_lengths(stroke)[-1] for stroke in strokes])


def _min_people(gaps: Array) -> IntArray:
    """Return [S] how many people a stroke needs: some on a loop without corners, which has no gaps."""
    return np.where(gaps.any(axis=1), 0, MIN_LOOP_PEOPLE_COUNT)


def _count_fitting(lengths: Array, gaps: Array) -> IntArray:
    """Return [S] how many people find room on strokes of these lengths (in spacings), their ends not counted."""
    room = lengths - gaps.sum(axis=1)
    open_ended = np.where(room >= 0, room + 1 + 1e-9, 0.0)
    return np.maximum(np.where(gaps.any(axis=1), open_ended, room + 1e-9).astype(np.int64), _min_people(gaps))


def _spread_factors(lengths: Array, gaps: Array, people: IntArray) -> Array:
    """Return [S] by which factor the people on strokes stand wider than they must; infinite without any."""
    parts = np.where(gaps.any(axis=1), gaps.sum(axis=1) + people - 1, np.maximum(people, 1))
    return np.where(people > 0, lengths / parts, np.inf)


def _place_people(nodes: Array, strokes: list[Array], gaps: Array, people: IntArray, size: float) -> Array:
    places = [size * nodes]
    steps = _spread_factors(size * _lengths(strokes), gaps, people) / size
    for stroke, (gap, _), count, step in zip(strokes, gaps, people, steps, strict=True):
        arcs = arc_lengths(stroke)
        at = step * (gap + np.arange(count)) if gap else arcs[-1] * np.arange(count) / count
        places.append(size * np.stack([np.interp(at, arcs, stroke[:, k]) for k in (0, 1)], axis=-1))
    found = np.concatenate(places)
    # From left to right, and from the top down in a column: an order that one can follow by eye.
    return found[np.lexsort((-found[:, 1], np.round(found[:, 0], 6)))]


def _draw_text(text: str) -> tuple[Array, list[Array], Array]:
    """Return the nodes [N, 2] and the strokes of a text, and the gaps [S, 2] to be left at the ends of strokes.

    Strokes are curves [K, 2] between nodes, in letter heights. Gaps are in spacings; a loop without corners, on which
    nobody stands yet, has none.
    """
    pen = 0.0
    nodes: list[Array] = []
    strokes: list[Array] = []
    gaps: list[Array] = []
    for character in text:
        if character.isspace():
            pen += BLANK_WIDTH_RATIO
            continue
        width, curves = letter(character)
        curves = tuple(curve + np.array([pen, 0.0]) for curve in curves)
        found, left = _letter_gaps(curves)
        nodes += found
        strokes += curves
        gaps.append(left)
        pen += width + LETTER_GAP_RATIO
    if not strokes:
        raise InvalidValue(f"there is nothing to spell in {text!r}; give at least one letter or digit")
    return np.array(nodes).reshape(-1, 2), strokes, np.concatenate(gaps)


def _letter_gaps(curves: tuple[Array, ...]) -> tuple[list[Array], Array]:
    """Find where the curves of one letter meet, and how wide people must stand around sharp corners [S, 2]."""
    ends: dict[tuple[float, float], list[tuple[int, int, Array]]] = {}
    for i, curve in enumerate(curves):
        for side, (here, ahead) in enumerate(((curve[0], curve[1]), (curve[-1], curve[-2]))):
            key = (round(float(here[0]), 4), round(float(here[1]), 4))
            ends.setdefault(key, []).append((i, side, (ahead - here) / np.linalg.norm(ahead - here)))
    gaps = np.ones((len(curves), 2))
    nodes = []
    for key, meeting in ends.items():
        if len(meeting) == 2 and meeting[0][0] == meeting[1][0]:  # a closed loop that nothing else touches
            gaps[meeting[0][0]] = 0.0
            continue
        nodes.append(np.array(key))
        for i, side, ahead in meeting:
            turns = [float(np.arccos(np.clip(ahead @ other, -1, 1))) for j, o, other in meeting if (j, o) != (i, side)]
            sharpest = float(min(turns, default=np.pi))
            if sharpest < SHARP_CORNER_RAD:
                gaps[i, side] = min(1 / (2 * np.sin(max(sharpest, 1e-3) / 2)), MAX_CORNER_GAP_SPACINGS)
    return nodes, gaps
