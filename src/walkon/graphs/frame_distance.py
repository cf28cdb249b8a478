"""Frame distance: two windows as point clouds, after the best rigid alignment on the floor (Procrustes).

Two windows of frames are compared as weighted point clouds (see `point_clouds`), after the second is turned about the
vertical and slid along the floor to fit the first as well as possible:

    D²(A_i, B_j) = min over (θ, x₀, y₀) of  Σ w |p − T(θ, x₀, y₀) p'|²                                             (1)

D is its root, in metres. With positions on the floor as complex numbers u = x + iy, and c = Σ w u the centroids:

    Z = C + iS = Σ w (u − c) conj(u' − c'),    θ = atan2(S, C)                                                     (2)
    (x₀, y₀) = c − R(θ) c'                                                                                      (3, 4)
    D² = n + n' − 2 (Σ w z z' + |Z|),          n = Σ w (|u − c|² + z²)

Written over all pairs of frames the sums over a window are sums along diagonals: with g the centroid of one frame, and
points relative to it, Z is the taper-weighted diagonal sum of Q(a, b) = Σ μ u_a conj(u'_b), a matrix product over P
points rather than k P, plus the product of the two windows' centroid paths, Σ v (g − c) conj(g' − c'). No term is
larger than a body, so float32 keeps D to a fraction of a millimetre anywhere in the world.

Reference: Kovar, Gleicher, Pighin 2002, "Motion Graphs", section 3.1, equations (1) to (4).
Differences from the paper: z is up (the paper's x, y, z are our y, z, x), radians, weights sum to 1, D is the root.

Comparing many clips is cut into tiles. Every pair of clips is a rectangle of its own, cut from its own corner into
tiles of at most `MAX_TILE_ROWS` by `MAX_TILE_COLUMNS` windows. What a tile gives does not depend on how it was cut (see
`_distance_kernels`), so this is about speed and memory only. The distance is symmetric: a pair of clips is compared one
way round, the lower number first, and a clip with itself only above the diagonal.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import InvalidShape, InvalidValue
from walkon._base.threads import in_chunks
from walkon.graphs.point_clouds import FrameSet
from walkon.transforms import planar

__all__ = ["Alignment", "align", "default_threshold", "distance_matrix", "most_minima", "tiles_of", "typical_distance"]

MAX_TILE_ROWS, MAX_TILE_COLUMNS = 512, 512
"""The largest tile: windows along the first clip, and along the second."""
NO_LEAST_GAP_FRAMES = -(2**40)
"""Less than any difference of two frames: all pairs of two different clips are candidates."""


def tiles_of(frames: FrameSet, wanted: BoolArray, *, whole: bool = False) -> IntArray:
    """Return the tiles of the wanted pairs of clips [N, N] (either way round), sorted by columns, then rows.

    They are the [T, 9] ranges that `_distance_kernels.scan_tiles` reads: the rows of a tile, its columns, those of the
    whole pair of clips, and how far a column lies after its row at least.

    Of a clip with itself only pairs whose windows do not overlap are candidates, and only tiles that have some are
    made; `whole` makes all of them.
    """
    from walkon.graphs._distance_kernels import PITCH

    k = frames.length
    # A working row holds the windows of the tile, one more on each side, and the k − 1 frames after.
    height, width = MAX_TILE_ROWS, min(MAX_TILE_COLUMNS, PITCH - k - 1)
    first, second = np.nonzero(np.triu(wanted | wanted.T))
    counts = frames.window_stops - frames.starts
    down, across = -(-counts[first] // height), -(-counts[second] // width)
    pair = np.repeat(np.arange(len(first)), down * across)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(down * across) - down * across, down * across)
    first, second, across = first[pair], second[pair], across[pair]
    row, column = frames.starts[first] + within // across * height, frames.starts[second] + within % across * width
    row_stop = np.minimum(row + height, frames.window_stops[first])
    column_stop = np.minimum(column + width, frames.window_stops[second])
    same = first == second
    if not whole:
        row_stop = np.where(same, np.minimum(row_stop, column_stop - k), row_stop)
    ranges = np.stack(
        [
            *(row, row_stop, column, column_stop),
            *(frames.starts[first], frames.window_stops[first], frames.starts[second], frames.window_stops[second]),
            np.where(same, k, NO_LEAST_GAP_FRAMES),
        ],
        axis=1,
    )
    kept = np.flatnonzero(row_stop > row)
    # Columns are prepared once for all tiles that share them.
    return np.asarray(ranges[kept[np.lexsort((row[kept], column[kept]))]])


def most_minima(tiles: IntArray) -> int:
    """Return the most minima that one tile can have: of four pairs in a square, only one can be."""
    rows, columns = tiles[:, 1] - tiles[:, 0], tiles[:, 3] - tiles[:, 2]
    return int((((rows + 1) // 2) * ((columns + 1) // 2)).max(initial=0))


CHUNK_PAIRS = 1024
"""Pairs that are aligned at once: a few megabytes."""
DEFAULT_THRESHOLD_RATIO = 0.8
"""The default threshold is this share of the typical distance."""


class Alignment(NamedTuple):
    """How the second window of each of M pairs fits best onto the first."""

    poses: Array
    """[M, 3] (x, y, heading): the turn, then slide, that takes the second clip's place in the world to the first's."""
    distances: Array
    """[M] metres, what is left after that."""


def align(frames: FrameSet, pairs: ArrayLike) -> Alignment:
    """Fit the window of frame j onto that of frame i, for pairs [M, 2] of compared frames (i, j); float64.

    The distance is measured on the fitted clouds themselves, which makes this the slow twin of everything faster.
    """
    begins = _window_starts(frames, pairs)
    poses, distances = np.empty((len(begins), 3)), np.empty(len(begins))

    def fit(start: int, stop: int) -> None:
        poses[start:stop], distances[start:stop] = _fit(frames, *begins[start:stop].T)

    in_chunks(fit, len(begins), chunk=CHUNK_PAIRS)
    return Alignment(poses, distances)


def _fit(frames: FrameSet, a: IntArray, b: IntArray) -> tuple[Array, Array]:
    """Align windows that begin at frames b [M] with those that begin at a [M]; return poses and distances."""
    v, w = frames.taper, frames.taper[:, None] * frames.weights
    clouds, middles = [], []
    for begin in (a, b):
        every = begin[:, None] + np.arange(frames.length)
        middle = np.einsum("t,mti->mi", v, frames.centroids[every])
        cloud = frames.points[every].astype(np.float64)
        cloud[..., :2] += (frames.centroids[every] - middle[:, None])[:, :, None]
        clouds.append(cloud)
        middles.append(middle)
    (x, y, z), (x1, y1, z1) = (np.moveaxis(cloud, -1, 0) for cloud in clouds)
    # Equation (2), on clouds about their own means.
    cosine = np.einsum("tp,mtp->m", w, x * x1 + y * y1)
    sine = np.einsum("tp,mtp->m", w, y * x1 - x * y1)
    heading = np.arctan2(sine, cosine)
    c, s = np.cos(heading)[:, None, None], np.sin(heading)[:, None, None]
    left = (x - c * x1 + s * y1) ** 2 + (y - s * x1 - c * y1) ** 2 + (z - z1) ** 2
    # Equations (3) and (4).
    turn = np.stack([np.zeros_like(heading), np.zeros_like(heading), heading], axis=1)
    slide = middles[0] - planar.apply(turn, middles[1])
    return np.column_stack([slide, heading]), np.sqrt(np.einsum("tp,mtp->m", w, left))


def _window_starts(frames: FrameSet, pairs: ArrayLike) -> IntArray:
    """Return [M, 2] where the windows of pairs of frames begin; refuse frames that have none."""
    pairs = np.asarray(pairs)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise InvalidShape(f"pairs must be whole numbers of shape (any, 2), got {pairs.dtype} {pairs.shape}")
    begins: IntArray = pairs.astype(np.int64) - np.array(frames.leads)
    clips = frames.clips_of(np.clip(pairs, 0, len(frames) - 1))
    wrong = (begins < frames.starts[clips]) | (begins >= frames.window_stops[clips])
    wrong |= (pairs < 0) | (pairs >= len(frames))
    if wrong.any():
        row, side = np.argwhere(wrong)[0]
        raise InvalidValue(
            f"frame {pairs[row, side]} cannot be the {('first', 'second')[side]} of a pair: its window of "
            f"{frames.length} frames would run over an end of its clip"
        )
    return begins


def distance_matrix(frames: FrameSet, clips: tuple[int, int]) -> Array:
    """Return D [Fa, Fb] in metres between all frames of two clips (numbers); infinite where a frame has no window.

    Its numbers are the very ones that `find_minima` compares.
    """
    from walkon.graphs import _distance_kernels as kernels

    first, second = _check_pair(frames, clips)
    wanted = np.zeros((len(frames.names), len(frames.names)), bool)
    wanted[first, second] = True
    counts = frames.window_stops - frames.starts
    squares = np.empty((counts[first], counts[second]), np.float32)
    tiles = tiles_of(frames, wanted, whole=True)
    room, operands, no_minima = most_minima(tiles), frames.operands, np.full(len(tiles), -1.0, np.float32)

    def fill(start: int, stop: int) -> None:
        found, kept = np.empty((room, 2), np.int64), np.empty(room, np.float32)
        kernels.scan_tiles(operands, *frames.boxes, tiles[start:stop], no_minima[start:stop], found, kept, squares)

    in_chunks(fill, len(tiles), chunk=1)
    if first == second:
        squares = np.triu(squares) + np.triu(squares, 1).T  # both halves are the same to the last bit
    return _put_at_frames(frames, clips, np.sqrt(squares.astype(np.float64)))


def _check_pair(frames: FrameSet, clips: tuple[int, int]) -> tuple[int, int]:
    """Return two clip numbers, the lower first: each pair of clips is compared one way round only."""
    if min(clips) < 0 or max(clips) >= len(frames.names):
        raise InvalidValue(f"clips must be numbers from 0 to {len(frames.names) - 1}, got {clips[0]} and {clips[1]}")
    return min(clips), max(clips)


def _put_at_frames(frames: FrameSet, clips: tuple[int, int], windows: Array) -> Array:
    """Put distances between windows, lower clip first, where their frames are."""
    if clips[0] > clips[1]:
        windows = windows.T
    counts = frames.stops - frames.starts
    matrix = np.full((counts[clips[0]], counts[clips[1]]), np.inf)
    (i, j), (rows, columns) = frames.leads, windows.shape
    matrix[i : i + rows, j : j + columns] = windows
    return matrix


def typical_distance(frames: FrameSet, *, apart: float = 0.1, moving: float = 0.5) -> float:
    """Return the median distance in metres between windows `apart` seconds apart in the same clip: a yardstick.

    Only windows in which the hips move, on the mean, at `moving` m/s or more count: standing about would pull the
    median down several times. Where nothing moves (a library of gestures), all windows do.
    """
    lag = max(round(apart * frames.rate), 1)
    spans = zip(frames.starts, frames.window_stops - lag, strict=True)
    begins = np.concatenate([np.arange(start, stop) for start, stop in spans])
    if len(begins) == 0:
        raise InvalidValue(
            f"no clip is as long as a window and {apart:g} s, {(frames.length - 1 + lag) / frames.rate:.2f} s in all; "
            "give longer clips or a shorter window"
        )
    travelled = np.concatenate([[0.0], np.cumsum(frames.speeds)])
    fast = travelled[begins + frames.length + lag] - travelled[begins] >= moving * (frames.length + lag)
    begins = begins[fast] if fast.any() else begins
    first, second = frames.leads
    return float(np.median(align(frames, np.stack([begins + first, begins + lag + second], axis=1)).distances))


def default_threshold(frames: FrameSet) -> float:
    """Return 0.8 of the typical distance, metres: what joins walks of one person, and the styles that can be joined."""
    return DEFAULT_THRESHOLD_RATIO * typical_distance(frames)
