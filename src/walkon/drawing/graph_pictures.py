"""Pictures of a motion graph: how alike two clips are, how all clips hang together, what can be reached from a pose.

* `distance_picture`: the distance between all frames of two clips (dark is near), with the local minima that became
  transitions as bright dots and those over the threshold as faint ones (Kovar 2002, figure 3).
* `graph_picture`: clips as lines along time, the parts in the graph dark, what was cut pale, and transitions as curves
  that bow to the left of their way, blue where they are good and orange where they are near the threshold. Thousands
  would be a wall, so of those from about one moment to about another the best is drawn, and every pair of clips that
  is joined at all first.
* `reach_picture`: from one node, where many random walks are after 1, 2 and 3 s; the body stands at the cross and
  faces to the right, lines are a metre apart.
"""

import numpy as np
from PIL import Image as PillowImage
from PIL import ImageDraw

from walkon._base.arrays import Array, IntArray
from walkon._base.chance import Purpose, stream
from walkon._base.errors import InvalidValue
from walkon.drawing.canvas import INK, arc, disc, new_canvas, plan, write
from walkon.drawing.picture import Image
from walkon.graphs.build import frames_of
from walkon.graphs.frame_distance import distance_matrix
from walkon.graphs.inspection import reach
from walkon.graphs.motion_graph import PIECE, TRANSITION, MotionGraph
from walkon.graphs.thresholds import Recipe

__all__ = ["distance_picture", "graph_picture", "reach_picture"]

CUT_COLOUR = (200, 204, 212)
GOOD_COLOUR, LIMIT_COLOUR = np.array([60.0, 120.0, 190.0]), np.array([226.0, 120.0, 40.0])
"""Colours of transitions: at no distance, and at the threshold."""
FAN_S = ((1.0, (52, 110, 190)), (2.0, (40, 160, 120)), (3.0, (222, 120, 44)))
"""Seconds and colours of the fan."""
MARGIN_PIXELS = 46
TEXT_PIXELS = 15


def distance_picture(graph: MotionGraph, *, clips: tuple[str | int, str | int] | None = None, size: int = 900) -> Image:
    """Draw the distances between two clips (names or numbers; None: the two with the most transitions), as an image."""
    a, b = _most_joined(graph) if clips is None else (_number(graph, clips[0]), _number(graph, clips[1]))
    frames = frames_of(graph.library, Recipe.from_settings(graph.settings))
    matrix = distance_matrix(frames, (a, b))
    threshold = graph.settings["threshold"]
    near = np.clip(matrix / (4 * threshold), 0.0, 1.0)[..., None] ** 0.7
    tones = np.where(np.isfinite(matrix)[..., None], 40 + 205 * near, (238, 234, 228)).astype(np.uint8)
    scale = size / max(matrix.shape)
    high, wide = (max(round(scale * n), 1) for n in matrix.shape)
    canvas, draw = new_canvas(wide + 2 * MARGIN_PIXELS, high + 2 * MARGIN_PIXELS)
    canvas.paste(
        PillowImage.fromarray(tones).resize((wide, high), PillowImage.Resampling.BILINEAR),
        (MARGIN_PIXELS, MARGIN_PIXELS),
    )
    minima = graph.candidates
    mine = (frames.clips_of(minima.frame_a) == a) & (frames.clips_of(minima.frame_b) == b)
    for row in np.flatnonzero(mine)[np.argsort(-minima.distance[mine], kind="stable")]:
        x = MARGIN_PIXELS + scale * (minima.frame_b[row] - frames.starts[b] + 0.5)
        y = MARGIN_PIXELS + scale * (minima.frame_a[row] - frames.starts[a] + 0.5)
        radius, colour = (2.6, (255, 176, 32)) if minima.distance[row] < threshold else (1.4, (150, 156, 168))
        disc(draw, (x, y), radius, fill=colour)
    for seconds in _ticks(matrix.shape[1] / frames.rate):
        at = (MARGIN_PIXELS + scale * seconds * frames.rate, MARGIN_PIXELS - 20)
        write(draw, at, f"{seconds:g}", size=TEXT_PIXELS, anchor="ma")
    for seconds in _ticks(matrix.shape[0] / frames.rate):
        at = (MARGIN_PIXELS - 6, MARGIN_PIXELS + scale * seconds * frames.rate)
        write(draw, at, f"{seconds:g}", size=TEXT_PIXELS, anchor="rm")
    names = graph.library.names
    count = int(np.count_nonzero(minima.distance[mine] < threshold))
    title = f"from {names[a]} (down, s) to {names[b]} (across, s): {count} minima under {100 * threshold:.1f} cm"
    write(draw, (MARGIN_PIXELS, MARGIN_PIXELS - 42), title, size=TEXT_PIXELS)
    return np.array(canvas)


def graph_picture(graph: MotionGraph, *, width: int = 1500, transitions: int = 900) -> Image:
    """Draw clips as lines along time, and so many of the transitions between them as curves."""
    library = graph.library
    lengths = (library.stops - library.starts - 1) / library.fps
    row, start = _shelves(lengths)
    across = float((start + lengths).max())
    scale = (width - 2 * MARGIN_PIXELS) / max(across, 1e-6)
    rows = int(row.max()) + 1
    pitch = int(np.clip(900 / rows, 34, 150))
    height = rows * pitch + MARGIN_PIXELS + 30

    def places(nodes: IntArray) -> Array:
        clip = graph.nodes.clip[nodes]
        x = MARGIN_PIXELS + scale * (start[clip] + graph.nodes.time[nodes])
        return np.stack([x, MARGIN_PIXELS + pitch * (row[clip] + 0.5)], axis=1)

    count = int(np.count_nonzero(graph.edges.kind == TRANSITION))
    edges = graph.edges.rows(_choose_transitions(graph, transitions))
    part = np.clip(2.0 * edges.distance / graph.settings["threshold"] - 1.0, 0.0, 1.0)
    canvas = PillowImage.fromarray(_curves(places(edges.start), places(edges.stop), part, (height, width)))
    draw = ImageDraw.Draw(canvas)
    for clip, name in enumerate(library.names):
        x, y = MARGIN_PIXELS + scale * start[clip], MARGIN_PIXELS + pitch * (row[clip] + 0.5)
        draw.line((x, y, x + scale * lengths[clip], y), fill=CUT_COLOUR, width=3)
        room = int(scale * lengths[clip] / 6.2)
        if room >= 4:
            write(draw, (x, y + 4), name if len(name) <= room else name[: room - 1] + "…", size=12)
    pieces = graph.edges.rows(graph.edges.kind == PIECE)
    for a, b in zip(places(pieces.start), places(pieces.stop), strict=True):
        draw.line((*a, *b), fill=INK, width=4)
    title = (
        f"{graph.seconds:.0f} s in the graph (dark; cut: pale), {across:.0f} s across; {len(edges)} of {count} "
        f"transitions, blue: good, orange: near the threshold of {100 * graph.settings['threshold']:.1f} cm"
    )
    write(draw, (MARGIN_PIXELS, 14), title, size=TEXT_PIXELS)
    return np.array(canvas)


def reach_picture(
    graph: MotionGraph, *, node: int | None = None, walks: int = 4000, seed: int = 0, size: int = 900
) -> Image:
    """Draw what can be reached from a node (None: one in motion with many ways on) in 1, 2 and 3 s."""
    node = _liveliest_node(graph) if node is None else node
    if not 0 <= node < len(graph.nodes):
        raise InvalidValue(f"nodes are numbered 0 to {len(graph.nodes) - 1}, got {node}")
    times = np.arange(1, 31) / 10
    found = reach(graph, stream(seed, Purpose.RANDOM_WALK), node=node, times=times, walks=walks)
    every = np.concatenate([np.zeros((1, 2)), found[..., :2].reshape(-1, 2)])
    low, high = every.min(axis=0), every.max(axis=0)
    half = 0.53 * max(float((high - low).max()), 1.0)
    place = plan(0.5 * (low + high), half, size)
    canvas, draw = new_canvas(size, size)
    reach_of = int(np.abs(every).max() + 2 * half) + 1
    for metre in range(-reach_of, reach_of + 1):
        for line in (((metre, -reach_of), (metre, reach_of)), ((-reach_of, metre), (reach_of, metre))):
            draw.line([tuple(p) for p in place(line)], fill=(234, 236, 240))
    x, y = place(np.zeros(2))
    for path in place(found[:250, :, :2]):
        draw.line([(x, y), *map(tuple, path)], fill=(216, 220, 228))
    for seconds, colour in reversed(FAN_S):
        for at in place(found[:, int(np.argmin(np.abs(times - seconds))), :2]):
            disc(draw, at, 1.6, fill=colour)
    draw.line((x - 9, y, x + 16, y), fill=INK, width=3)
    draw.line((x, y - 9, x, y + 9), fill=INK, width=3)
    draw.polygon([(x + 24, y), (x + 13, y - 6), (x + 13, y + 6)], fill=INK)
    title = f"from {graph.library.names[graph.nodes.clip[node]]} at {graph.nodes.time[node]:.2f} s; a square is 1 m"
    write(draw, (12, 10), title, size=TEXT_PIXELS)
    for k, (seconds, colour) in enumerate(FAN_S):
        disc(draw, (19, 45 + 22 * k), 5, fill=colour)
        write(draw, (32, 36 + 22 * k), f"after {seconds:g} s", size=TEXT_PIXELS)
    return np.array(canvas)


def _number(graph: MotionGraph, clip: str | int) -> int:
    if isinstance(clip, str):
        graph.nodes_of_clip(clip)  # says which names there are, if this is none
        return graph.library.names.index(clip)
    return range(len(graph.library))[clip]


def _most_joined(graph: MotionGraph) -> tuple[int, int]:
    edges = graph.edges.rows(graph.edges.kind == TRANSITION)
    N = len(graph.library)
    pair = graph.nodes.clip[edges.start].astype(np.int64) * N + graph.nodes.clip[edges.stop]
    best = int(np.bincount(pair, minlength=1).argmax())
    return best // N, best % N


def _liveliest_node(graph: MotionGraph) -> int:
    """Return the node with the most ways on among those where the body moves, if it does anywhere."""
    pieces = graph.edges.rows(graph.edges.kind == PIECE)
    speed = np.zeros(len(graph.nodes))
    speed[pieces.start] = np.linalg.norm(pieces.displacement[:, :2], axis=1) / pieces.duration
    moving = speed > 0.6
    return int(np.argmax(np.where(moving, graph.out_degree, 0) if moving.any() else graph.out_degree))


def _ticks(seconds: float) -> Array:
    step = next((s for s in (0.5, 1.0, 2.0, 5.0, 10.0, 20.0) if seconds / s <= 12), 50.0)
    return np.arange(0.0, seconds, step)


def _shelves(lengths: Array) -> tuple[IntArray, Array]:
    """Put lines of these lengths in rows, in order: return [N] row and where each starts (s)."""
    widest = max(float(lengths.max()), float(np.sqrt(lengths.sum() * 4.0)))
    row, start = np.zeros(len(lengths), np.int64), np.zeros(len(lengths))
    here, used = 0, 0.0
    for clip, length in enumerate(lengths.tolist()):
        if used > 0 and used + length > widest:
            here, used = here + 1, 0.0
        row[clip], start[clip] = here, used
        used += length + 0.02 * widest
    return row, start


def _choose_transitions(graph: MotionGraph, most: int) -> IntArray:
    """Return the transitions to draw: the best of each few seconds of one clip to each few of another, spread."""
    rows = np.flatnonzero(graph.edges.kind == TRANSITION)
    rows = rows[np.argsort(graph.edges.distance[rows], kind="stable")]
    a, b = graph.edges.start[rows], graph.edges.stop[rows]
    clips = graph.nodes.clip[a].astype(np.int64) * len(graph.library) + graph.nodes.clip[b]
    cells = np.stack([clips, graph.nodes.time[a] // 2, graph.nodes.time[b] // 2], axis=1)
    best = np.sort(np.unique(cells, axis=0, return_index=True)[1])
    # Rank within each pair of clips, so that the first of every pair comes before the second of any; where there is not
    # room for all of a rank, some of it evenly.
    order = best[np.argsort(clips[best], kind="stable")]
    sizes = np.unique(clips[order], return_counts=True)[1]
    rank = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    chosen: list[IntArray] = []
    for level in range(int(sizes.max(initial=0))):
        mine, room = order[rank == level], most - sum(map(len, chosen))
        if len(mine) > room:
            chosen.append(mine[np.linspace(0, len(mine) - 1, room).astype(np.int64)])
            break
        chosen.append(mine)
    return rows[np.sort(np.concatenate([np.zeros(0, np.int64), *chosen]))]


def _curves(a: Array, b: Array, part: Array, shape: tuple[int, int]) -> Image:
    """Draw curves from points a to b [M, 2], each as it is blended: all of them, the denser the darker."""
    height, width = shape
    density, colour = np.zeros(height * width), np.zeros((height * width, 3))
    weight = np.clip(250.0 / max(len(a), 1), 0.15, 0.9)  # the more there are, the fainter each
    for first in range(0, len(a), 256):
        p, q = a[first : first + 256, None], b[first : first + 256, None]
        way = q - p
        bow = np.stack([way[..., 1], -way[..., 0]], axis=-1) * 0.18
        flat = np.abs(way[..., 1:]) < 1.0  # along one line: over it or under it, by direction
        bow = np.where(flat, np.concatenate([0 * way[..., :1], -np.clip(0.35 * way[..., :1], -60, 60)], axis=-1), bow)
        at = arc(p, 0.5 * (p + q) + bow, q, 1500)
        x, y = np.rint(at[..., 0]).astype(np.int64), np.rint(at[..., 1]).astype(np.int64)
        inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        pixel = (y * width + x)[inside]
        share = np.broadcast_to(part[first : first + 256, None], inside.shape)[inside]
        density += np.bincount(pixel, minlength=height * width)
        for channel, (good, limit) in enumerate(zip(GOOD_COLOUR, LIMIT_COLOUR, strict=True)):
            colour[:, channel] += np.bincount(pixel, good + share * (limit - good), minlength=height * width)
    cover = (1.0 - np.exp(-weight * density))[:, None]
    mean = colour / np.maximum(density, 1)[:, None]
    picture = np.rint(255.0 * (1 - cover) + mean * cover)
    return np.asarray(picture.astype(np.uint8).reshape(height, width, 3))
