"""Charts of a snap-together graph: how far hubs bend the source, where edges lead, and the graph itself.

* `displacement_picture`: for each hub a histogram of the angles by which joints of its match frames turn, with their
  median and 95th percentile: a bad hub is wider than the others.
* `fan_picture`: for ordered pairs of hubs, all edges from above: the way of the root and an arrow where the stop hub
  stands and faces; the body starts at the cross and faces to the right. Straight edges are grey, turns to the left
  green and to the right orange, darker where they are sharp.
* `schema_picture`: hubs with their poses, arrows with the number of edges (Gleicher 2003, figure 9).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image as PillowImage
from PIL import ImageDraw, ImageFont

from walkon._base.arrays import Array
from walkon.drawing.canvas import FAINT, INK, PAPER, arc, new_canvas, plan, reduce_canvas, sheet_of, write
from walkon.drawing.picture import Image
from walkon.drawing.snap_pictures import hub_figure
from walkon.graphs.snap_together.judging.quality import displacement, main_pairs, turn_kinds
from walkon.graphs.snap_together.snap_graph import SnapGraph

__all__ = ["displacement_picture", "fan_picture", "schema_picture"]

LINES, BARS, MEDIAN, HIGH = (226, 229, 235), (140, 168, 206), (40, 90, 160), (214, 96, 44)
KIND_COLOURS = ((176, 74, 20), (236, 150, 84), (120, 128, 144), (96, 184, 142), (24, 116, 76))
"""From sharp right to sharp left, as `quality.KINDS`."""
OVERSAMPLING = 2
"""Everything is drawn so many times larger, and reduced."""
MAX_ANGLE_DEG = 15.0
"""Degrees at the right end of a histogram; what is larger is counted there."""
FAR_RATIO = 2.0
"""Edges that lead farther than so many times the median of their fan run out of its picture, if they are few."""
MAX_FAR_SHARE = 0.1
HEAD_PIXELS = 40
"""Pixels over a fan."""
MIN_LOOPS = 10
"""A hub with so many edges to itself has a fan of its own."""


def displacement_picture(graph: SnapGraph, *, width: int = 900, row: int = 92) -> Image:
    """Draw a histogram of joint displacements for each hub, one above the other, on one scale."""
    bent, turning = displacement(graph), ~graph.source.skeleton.end_sites
    H, left, right, bottom = len(graph.hubs), 170, 20, 34
    canvas, draw = new_canvas(OVERSAMPLING * width, OVERSAMPLING * (H * row + bottom + 30))
    scale = OVERSAMPLING * (width - left - right) / MAX_ANGLE_DEG
    edges = np.linspace(0.0, MAX_ANGLE_DEG, 61)
    for degrees in range(0, int(MAX_ANGLE_DEG) + 1):
        x = OVERSAMPLING * left + scale * degrees
        draw.line((x, OVERSAMPLING * 30, x, OVERSAMPLING * (30 + H * row)), fill=LINES, width=OVERSAMPLING)
        if degrees % 5 == 0:
            _text(draw, (x / OVERSAMPLING, 34 + H * row), f"{degrees}°", FAINT, 13, anchor="ma")
    overall = bent.overall
    title = (
        f"turn of each joint at match frames: median {np.degrees(overall.median):.2f}°, "
        f"95 % under {np.degrees(overall.p95):.2f}°, at most {np.degrees(overall.largest):.1f}°"
    )
    _text(draw, (8, 6), title, INK, 15)
    for h, (name, spread) in enumerate(zip(graph.hub_names, bent.hubs, strict=True)):
        base = OVERSAMPLING * (30 + (h + 1) * row - 8)
        angles = np.degrees(graph.displacements[graph.matches.hub == h][:, turning].ravel())
        counts = np.histogram(np.minimum(angles, MAX_ANGLE_DEG - 1e-9), edges)[0]
        # Roots of the counts: the tail is what one looks for.
        tall = np.sqrt(counts / max(counts.max(initial=1), 1)) * OVERSAMPLING * (row - 20)
        for low, high, size in zip(edges[:-1], edges[1:], tall, strict=True):
            if size > 0:
                x0, x1 = OVERSAMPLING * left + scale * low, OVERSAMPLING * left + scale * high - OVERSAMPLING
                draw.rectangle((x0, base - max(size, OVERSAMPLING), x1, base), fill=BARS)
        for value, colour in ((spread.median, MEDIAN), (spread.p95, HIGH)):
            x = OVERSAMPLING * left + scale * min(float(np.degrees(value)), MAX_ANGLE_DEG)
            draw.line((x, base, x, base - OVERSAMPLING * (row - 16)), fill=colour, width=2 * OVERSAMPLING)
        draw.line((OVERSAMPLING * left, base, OVERSAMPLING * (width - right), base), fill=FAINT, width=OVERSAMPLING)
        _text(draw, (8, 30 + h * row + 20), name, INK, 15)
        caption = f"{np.degrees(spread.median):.1f}°  {np.degrees(spread.p95):.1f}°  {np.degrees(spread.largest):.1f}°"
        _text(draw, (8, 30 + h * row + 42), caption, FAINT, 13)
        _text(draw, (8, 30 + h * row + 58), "median, 95 %, most", FAINT, 11)
    return reduce_canvas(canvas, OVERSAMPLING)


def fan_picture(
    graph: SnapGraph, *, pairs: Sequence[tuple[str | int, str | int]] | None = None, columns: int = 4, size: int = 380
) -> Image:
    """Draw where the edges of ordered pairs lead; of the main pairs, and of hubs with many loops, unless given."""
    chosen = _fans(graph) if pairs is None else [(graph.hub(a), graph.hub(b)) for a, b in pairs]
    fans = [np.array(_fan(graph, a, b, size)) for a, b in chosen]
    return reduce_canvas(PillowImage.fromarray(sheet_of(fans, columns=max(columns, 1), gap=(0, 0))), OVERSAMPLING)


def _fans(graph: SnapGraph) -> list[tuple[int, int]]:
    both = [way for a, b in main_pairs(graph) for way in dict.fromkeys(((a, b), (b, a)))]
    loops = [(h, h) for h in range(len(graph.hubs)) if graph.counts[h, h] >= MIN_LOOPS and (h, h) not in both]
    # A loop that goes nowhere is no fan.
    return both + [(h, h) for h, _ in loops if graph.edges.path[graph.between(h, h)].max() > 0.3]


def _fan(graph: SnapGraph, a: int, b: int, size: int) -> PillowImage.Image:
    rows = graph.between(a, b)
    poses = graph.edges.planar_displacement[rows]
    ways = [graph.planar[graph.clips.starts[e] : graph.clips.stops[e], :2] for e in rows.tolist()]
    far = np.array([np.abs(way).max() for way in ways])
    inside = far <= FAR_RATIO * np.median(far) + 0.1
    if np.count_nonzero(~inside) > MAX_FAR_SHARE * len(far):
        inside[:] = True
    every = np.concatenate([np.zeros((1, 2)), *(way for way, near in zip(ways, inside, strict=True) if near)])
    low, high = every.min(axis=0), every.max(axis=0)
    half = 0.5 * max(float((high - low).max()), 0.6) + 0.12
    middle, side = 0.5 * (low + high), OVERSAMPLING * (size - 16)
    place = plan(middle, half, side)
    field, draw = new_canvas(side, side)
    step = 0.5 if half > 0.8 else 0.1
    reach = np.arange(np.floor((middle - half).min() / step), np.ceil((middle + half).max() / step) + 1) * step
    for at in reach:
        for axis in (0, 1):
            if abs(at - middle[axis]) < half:
                ends = np.tile(middle, (2, 1))
                ends[:, axis] = at
                ends[:, 1 - axis] += (-half, half)
                draw.line([tuple(p) for p in place(ends)], fill=LINES, width=OVERSAMPLING)
    turns = graph.edges.turn[rows].astype(np.float64)
    kinds = turn_kinds(turns)
    # Straight ones first: there are many, and they lie over one another.
    order = np.argsort(np.abs(turns), kind="stable").tolist()
    for k in order:
        pale = tuple(round(0.55 * 255 + 0.45 * c) for c in KIND_COLOURS[kinds[k]])
        draw.line([tuple(p) for p in place(ways[k])], fill=pale, width=OVERSAMPLING)
    for k in order:
        _arrow(draw, place(poses[k, :2]), float(poses[k, 2]), 8.0 * OVERSAMPLING, KIND_COLOURS[kinds[k]])
    _arrow(draw, place(np.zeros(2)), 0.0, 13.0 * OVERSAMPLING, INK)
    most = np.degrees([turns.min(), turns.max()])
    caption = f"{len(rows)} edges, {most[0]:+.0f}° to {most[1]:+.0f}°, squares of {step:g} m"
    if not inside.all():
        caption += f", {np.count_nonzero(~inside)} beyond"
    panel, draw = new_canvas(OVERSAMPLING * size, OVERSAMPLING * (size + HEAD_PIXELS))
    panel.paste(field, (OVERSAMPLING * 8, OVERSAMPLING * (HEAD_PIXELS + 4)))
    _text(draw, (8, 2), f"{graph.hub_names[a]} > {graph.hub_names[b]}", INK, 15)
    _text(draw, (8, 22), caption, FAINT, 12)
    return panel


def schema_picture(graph: SnapGraph, *, size: int = 1100) -> Image:
    """Draw the graph: hubs on a circle in their order, with their poses, and the number of edges on each arrow."""
    H = len(graph.hubs)
    canvas, draw = new_canvas(OVERSAMPLING * size, OVERSAMPLING * size)
    angle = 0.5 * np.pi - 2 * np.pi * np.arange(H) / H + (np.pi / H if H % 2 == 0 and H > 2 else 0.0)
    ring = OVERSAMPLING * 0.385 * size
    # Neighbours leave each other room for their arrows.
    radius = min(OVERSAMPLING * 0.085 * size, 0.29 * 2 * np.pi * ring / H) if H > 1 else OVERSAMPLING * 0.2 * size
    centre = np.array([0.5, 0.5]) * OVERSAMPLING * size
    places = centre + ring * np.stack([np.cos(angle), -np.sin(angle)], axis=1) if H > 1 else centre[None]
    most = max(int(graph.counts.max(initial=1)), 1)
    labels: list[tuple[Array, str, tuple[int, int, int]]] = []
    for a, b in sorted(np.argwhere(graph.counts > 0).tolist(), key=lambda way: int(graph.counts[way[0], way[1]])):
        count = int(graph.counts[a, b])
        share = np.log1p(count) / np.log1p(most)
        colour = tuple(round(205 - (205 - c) * share) for c in MEDIAN)
        curve = _loop(places[a], centre, radius) if a == b else _bow(places[a], places[b], radius)
        draw.line(
            [tuple(p) for p in curve], fill=colour, width=round(OVERSAMPLING * (1.0 + 3.5 * share)), joint="curve"
        )
        way = curve[-1] - curve[-6]
        _arrow(
            draw, curve[-1], float(np.arctan2(-way[1], way[0])), OVERSAMPLING * (9.0 + 5.0 * share), colour, tip=True
        )
        labels.append((curve[round(0.3 * len(curve))] if a != b else curve[len(curve) // 2], str(count), colour))
    for at, text, colour in labels:
        dark = tuple(round(0.7 * c) for c in colour)
        _label(draw, at, text, dark, size=13 * OVERSAMPLING, room=(4, 8 * OVERSAMPLING), radius=6)
    for h, name in enumerate(graph.hub_names):
        _hub(canvas, graph, h, places[h], radius)
        at, rim = places[h] + np.array([0.0, radius - 4 * OVERSAMPLING]), {"outline": LINES, "width": OVERSAMPLING}
        _label(
            draw, at, name, INK, size=15 * OVERSAMPLING, room=(12, 11 * OVERSAMPLING), radius=10 * OVERSAMPLING, **rim
        )
    _text(draw, (10, 8), f"{H} hubs, {len(graph.edges)} edges; numbers: edges along each arrow", FAINT, 14)
    return reduce_canvas(canvas, OVERSAMPLING)


def _label(
    draw: ImageDraw.ImageDraw,
    at: Array,
    words: str,
    colour: tuple[int, ...],
    *,
    size: int,
    room: tuple[int, int],
    **box: Any,
) -> None:
    """Write words about a place, on a box with some room to their sides and over and under their middle."""
    half = np.array([0.5 * draw.textlength(words, font=ImageFont.load_default(size=size)), 0.0])
    draw.rounded_rectangle((*(at - half - room), *(at + half + room)), fill=PAPER, **box)
    write(draw, (at[0], at[1]), words, size=size, colour=colour, anchor="mm")


def _hub(canvas: PillowImage.Image, graph: SnapGraph, hub: int, place: Array, radius: float) -> None:
    """Draw a hub's pose in a disc; a dead end has an orange rim."""
    side = 2 * int(radius)
    figure = PillowImage.fromarray(hub_figure(graph, hub, (side, side)))
    mask = PillowImage.new("L", (side, side), 0)
    ImageDraw.Draw(mask).ellipse((0, 0, side - 1, side - 1), fill=255)
    corner = (int(place[0] - radius), int(place[1] - radius))
    canvas.paste(figure, corner, mask)
    box = (*corner, corner[0] + side, corner[1] + side)
    ImageDraw.Draw(canvas).ellipse(box, outline=INK if graph.core[hub] else HIGH, width=2 * OVERSAMPLING)


def _bow(a: Array, b: Array, radius: float) -> Array:
    """Return a curve from disc to disc that bows to the left of its way, so that both directions can be told apart."""
    way = b - a
    side = np.array([way[1], -way[0]]) * 0.13
    curve = arc(a, 0.5 * (a + b) + side, b, 160)
    free = (np.linalg.norm(curve - a, axis=1) > radius) & (
        np.linalg.norm(curve - b, axis=1) > radius + 5 * OVERSAMPLING
    )
    return np.asarray(curve[free] if np.count_nonzero(free) > 8 else curve)


def _loop(place: Array, centre: Array, radius: float) -> Array:
    """Return a loop on the outer side of a disc."""
    out = place - centre
    size = float(np.linalg.norm(out))
    out = out / size if size > 1e-9 else np.array([0.0, -1.0])
    if out[1] > 0.7:  # the name is there
        out = np.array([np.copysign(0.8, out[0]), 0.6])
    middle, r = place + out * 1.08 * radius, 0.46 * radius
    turn = np.arctan2(out[1], out[0]) + np.linspace(-np.pi, np.pi, 120)
    curve = middle + r * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    return np.asarray(curve[np.linalg.norm(curve - place, axis=1) > radius + 5 * OVERSAMPLING])


def _arrow(
    draw: ImageDraw.ImageDraw,
    at: Array,
    heading: float,
    size: float,
    colour: tuple[int, ...],
    *,
    tip: bool = False,
) -> None:
    """Draw a slim triangle that points along a heading (counter-clockwise), about a point or with its tip there."""
    shape = np.array([[0.65, 0.0], [-0.35, 0.38], [-0.2, 0.0], [-0.35, -0.38]]) * size
    if tip:
        shape[:, 0] -= 0.35 * size
    c, s = np.cos(heading), np.sin(heading)
    turned = np.stack([c * shape[:, 0] - s * shape[:, 1], -(s * shape[:, 0] + c * shape[:, 1])], axis=1)
    draw.polygon([tuple(p) for p in at + turned], fill=colour)


def _text(
    draw: ImageDraw.ImageDraw,
    at: tuple[float, float],
    text: str,
    colour: tuple[int, int, int],
    size: int,
    *,
    anchor: str = "la",
) -> None:
    write(
        draw, (OVERSAMPLING * at[0], OVERSAMPLING * at[1]), text, size=OVERSAMPLING * size, colour=colour, anchor=anchor
    )
