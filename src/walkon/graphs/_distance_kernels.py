"""Compiled distances between windows, and their local minima. Plain twins: tests/twins/frame_distance.py
and tests/twins/minima.py.

The products are written out here rather than handed to BLAS: there the last bits of an element depend on the shape of
the matrix it is in. Here every distance is the same sum in the same order wherever it stands, so a result depends
neither on tiles and threads nor on what else is compared. Working rows stay in the nearest caches: two rows of frames
are multiplied with all columns of the tile, added along diagonals, and turned into two rows of distances.
"""

# mypy: ignore-errors

import platform

import llvmlite.binding
import numpy as np
from numba.extending import intrinsic

from walkon._base.jit import group, kernel, reads, writes
from walkon.graphs.point_cloud_rule import Operands

PITCH = 528
"""Floats per row. It is fixed, so that the compiler can prove that rows do not overlap, and use vectors."""
PLANES = 3 * PITCH
"""A row of products: the cosine part, the sine part and the heights, PITCH each."""
INFINITE = np.float32(np.inf)
RING_ROWS = 6
"""Rows of distances that are kept: the two just made, and those that are still to be judged or judge."""

FUSES = platform.machine().lower() in ("arm64", "aarch64") or llvmlite.binding.get_host_cpu_features().get("fma", False)
"""Whether this machine multiplies and adds in one step; where it does not, asking for it would be very slow."""

if FUSES:

    @intrinsic
    def fused(_, a, b, c):
        """Return a b + c, rounded once: a quarter quicker, and asked for, so that all of a row is rounded alike."""
        return a(a, b, c), lambda context, builder, signature, arguments: builder.fma(*arguments)

else:

    @kernel()
    def fused(a, b, c):
        """Return a b + c."""
        return a * b + c


@kernel()
def add_planar(rows, a, i, panel, w):
    """Add to the cosine and sine parts of two rows Σ_p u_ip conj(u'_jp) for rows i, i + 1 of `a`, two points at once.

    `a` [F, 2 P] and `panel` [2 P · PITCH] have x and y by turns; the panel is transposed: columns follow each other.
    """
    # The second row of the last pair, and what a window beyond the last would need, may not exist: any row will do.
    i, last = min(i, a.shape[0] - 1), min(i + 1, a.shape[0] - 1)
    for p in range(0, a.shape[1], 4):
        x0, y0, x1, y1 = a[i, p], a[i, p + 1], a[i, p + 2], a[i, p + 3]
        u0, v0, u1, v1 = a[last, p], a[last, p + 1], a[last, p + 2], a[last, p + 3]
        b = panel[p * PITCH : (p + 4) * PITCH]
        for j in range(w):
            b0, b1, b2, b3 = b[j], b[PITCH + j], b[2 * PITCH + j], b[3 * PITCH + j]
            rows[j] = fused(y1, b3, fused(x1, b2, fused(y0, b1, fused(x0, b0, rows[j]))))
            rows[PITCH + j] = fused(-x1, b3, fused(y1, b2, fused(-x0, b1, fused(y0, b0, rows[PITCH + j]))))
            rows[PLANES + j] = fused(v1, b3, fused(u1, b2, fused(v0, b1, fused(u0, b0, rows[PLANES + j]))))
            s = rows[PLANES + PITCH + j]
            rows[PLANES + PITCH + j] = fused(-u1, b3, fused(v1, b2, fused(-u0, b1, fused(v0, b0, s))))


@kernel()
def add_heights(rows, a, i, panel, w):
    """Add to the height part of two rows Σ_p z_ip z'_jp for rows i, i + 1 of `a` [F, P], four points at once."""
    i, last = min(i, a.shape[0] - 1), min(i + 1, a.shape[0] - 1)
    for p in range(0, a.shape[1], 4):
        x0, x1, x2, x3 = a[i, p], a[i, p + 1], a[i, p + 2], a[i, p + 3]
        u0, u1, u2, u3 = a[last, p], a[last, p + 1], a[last, p + 2], a[last, p + 3]
        b = panel[p * PITCH : (p + 4) * PITCH]
        for j in range(w):
            b0, b1, b2, b3 = b[j], b[PITCH + j], b[2 * PITCH + j], b[3 * PITCH + j]
            h0, h1 = rows[2 * PITCH + j], rows[PLANES + 2 * PITCH + j]
            rows[2 * PITCH + j] = fused(x3, b3, fused(x2, b2, fused(x1, b1, fused(x0, b0, h0))))
            rows[PLANES + 2 * PITCH + j] = fused(u3, b3, fused(u2, b2, fused(u1, b1, fused(u0, b0, h1))))


@kernel()
def fill(row, value):
    """Set all of a row to one value."""
    for j in range(row.shape[0]):
        row[j] = value


@kernel()
def copy(values, row):
    """Copy values to the beginning of a row."""
    for j in range(values.shape[0]):
        row[j] = values[j]


@kernel()
def fill_panel(panel, b, start, w):
    """Transpose rows start … start + w − 1 of `b` [F, K] into a panel [K · PITCH]."""
    for p in range(b.shape[1]):
        row = panel[p * PITCH : (p + 1) * PITCH]
        for j in range(w):
            row[j] = b[start + j, p]


@kernel()
def sum_diagonals(ring, first, count, zeros, out, w):
    """Fill out[j] = Σ_t ring[first + t][j + t], t < count, in each plane: a plain sum down the diagonals.

    Six rows at once (missing ones are zeros), always in the same order: a running sum would be quicker for long
    windows, but carries its rounding along and makes it depend on where the tile began.
    """
    n = ring.shape[0]
    for plane in range(3):
        o = plane * PITCH
        sums = out[o : o + w]
        for t in range(0, count, 6):
            r0 = ring[(first + t) % n, o + t : o + t + w]
            r1 = ring[(first + t + 1) % n, o + t + 1 : o + t + 1 + w] if t + 1 < count else zeros
            r2 = ring[(first + t + 2) % n, o + t + 2 : o + t + 2 + w] if t + 2 < count else zeros
            r3 = ring[(first + t + 3) % n, o + t + 3 : o + t + 3 + w] if t + 3 < count else zeros
            r4 = ring[(first + t + 4) % n, o + t + 4 : o + t + 4 + w] if t + 4 < count else zeros
            r5 = ring[(first + t + 5) % n, o + t + 5 : o + t + 5 + w] if t + 5 < count else zeros
            if t == 0:
                for j in range(w):
                    sums[j] = ((r0[j] + r1[j]) + (r2[j] + r3[j])) + (r4[j] + r5[j])
            else:
                for j in range(w):
                    sums[j] += ((r0[j] + r1[j]) + (r2[j] + r3[j])) + (r4[j] + r5[j])


@kernel()
def fill_distances(out, row, energy, energies, limit, w):
    """Fill out[1 + j] = n_a + n_b − 2 (Y + √(C² + S²)), m², never below 0; return how many are under the limit.

    Both ends are infinite: beyond the clip there is nothing that could be nearer.
    """
    two = np.float32(2.0)
    zero = np.float32(0.0)
    under = np.int32(0)
    for j in range(w):
        c, s = row[j], row[PITCH + j]
        d = (energy + energies[j]) - two * (row[2 * PITCH + j] + np.sqrt(c * c + s * s))
        d = d if d > zero else zero
        out[1 + j] = d
        under += np.int32(d < limit)
    out[0] = INFINITE
    out[1 + w] = INFINITE
    return under


@kernel()
def keep_minima(above, here, below, a, b0, first, last, limit, found, squares, n):
    """Append the minima under `limit` of one row of distances, columns first … last − 1; return the new count.

    Of equal neighbours the first one in reading order is the minimum.
    """
    for j in range(first, last):
        d = here[j + 1]
        if d < limit and d < here[j] and d <= here[j + 2]:
            if d < above[j] and d < above[j + 1] and d < above[j + 2]:
                if d <= below[j] and d <= below[j + 1] and d <= below[j + 2]:
                    found[n, 0] = a
                    found[n, 1] = b0 + j
                    squares[n] = d
                    n += 1
    return n


@kernel(
    group(Operands, reads(2, "float32"), reads(2, "float32"), reads(2, "float32"), reads(1, "float32")),
    "int64",
    "int64",
    reads(2, "int64"),
    reads(1, "float32"),
    writes(2, "int64"),
    writes(1, "float32"),
    writes(2, "float32"),
)
def scan_tiles(clouds, box, second_box, tiles, limits, found, squares, matrix):
    """Find the minima of tiles [N, 9]; return (tiles done, minima found): it stops where `found` could run over.

    A tile is (first row, row after the last, first column, column after the last, the same four of the whole pair of
    clips, least b − a of a candidate), all as window starts in the flat list of frames. With a `matrix` (one pair of
    clips, not empty) squared distances are written there as well.
    """
    k = box + second_box - 1
    points_ring = np.empty((box + 2 + box % 2, PLANES), np.float32)
    boxes_ring = np.empty((second_box + 2 + second_box % 2, PLANES), np.float32)
    window_rows = np.empty((2, PLANES), np.float32)
    distances = np.empty((RING_ROWS, PITCH + 2), np.float32)
    planar_panel = np.empty(clouds.planar.shape[1] * PITCH, np.float32)
    height_panel = np.empty(clouds.heights.shape[1] * PITCH, np.float32)
    path_panel = np.empty(clouds.paths.shape[1] * PITCH, np.float32)
    energies = np.empty(PITCH, np.float32)
    zeros = np.zeros(PITCH, np.float32)
    under = np.zeros(RING_ROWS, np.int64)
    filled, filled_to = -1, -1
    n = 0
    for tile in range(tiles.shape[0]):
        row0, row1, col0, col1 = tiles[tile, 0], tiles[tile, 1], tiles[tile, 2], tiles[tile, 3]
        gap = tiles[tile, 8]
        if n + ((row1 - row0 + 1) // 2) * ((col1 - col0 + 1) // 2) > squares.shape[0]:
            return tile, n  # minima are never neighbours: this is the most that a tile can add
        # One more row and column around, where the clips have them: minima are judged by all their neighbours.
        a0, a1 = max(row0 - 1, tiles[tile, 4]), min(row1 + 1, tiles[tile, 5])
        b0, b1 = max(col0 - 1, tiles[tile, 6]), min(col1 + 1, tiles[tile, 7])
        w = b1 - b0
        frames = w + k - 1
        if filled != b0 or filled_to != b1:  # tiles with the same columns follow each other
            fill_panel(planar_panel, clouds.planar, b0, frames)
            fill_panel(height_panel, clouds.heights, b0, frames)
            fill_panel(path_panel, clouds.paths, b0, w)
            copy(clouds.energies[b0:b1], energies)
            filled, filled_to = b0, b1
        # Two rows of frames at a time; `box` of them make a row of first sums, `second_box` of those a row of windows,
        # and a row of windows is judged when the one below it is there. All counters are rows from a0 on.
        rows, made, summed, done, judged = a1 - a0, 0, 0, 0, 0
        fill(distances[RING_ROWS - 1], INFINITE)
        while judged < rows:
            slot = made % points_ring.shape[0]
            pair = points_ring[slot : slot + 2].reshape(2 * PLANES)
            fill(pair, np.float32(0.0))
            add_planar(pair, clouds.planar, a0 + made, planar_panel, frames)
            add_heights(pair, clouds.heights, a0 + made, height_panel, frames)
            made += 2
            while summed + box <= made:
                out = boxes_ring[summed % boxes_ring.shape[0]]
                sum_diagonals(points_ring, summed, box, zeros, out, frames - box + 1)
                summed += 1
            if summed < done + second_box + 1:
                continue
            for r in range(2):
                sum_diagonals(boxes_ring, done + r, second_box, zeros, window_rows[r], w)
            add_planar(window_rows.reshape(2 * PLANES), clouds.paths, a0 + done, path_panel, w)
            for r in range(2):
                here, a = distances[done % RING_ROWS], min(a0 + done, a1 - 1)
                under[done % RING_ROWS] = fill_distances(
                    here, window_rows[r], clouds.energies[a], energies, limits[tile], w
                )
                if matrix.shape[0] > 0 and done < rows:
                    copy(here[1 : 1 + w], matrix[a - tiles[tile, 4], b0 - tiles[tile, 6] :])
                done += 1
            ready = done - 1
            if done >= rows:
                # Below the last row, where the second of its pair may stand.
                fill(distances[rows % RING_ROWS], INFINITE)
                ready = rows
            while judged < ready:
                a = a0 + judged
                if row0 <= a < row1 and under[judged % RING_ROWS] > 0:
                    above, below = distances[(judged - 1) % RING_ROWS], distances[(judged + 1) % RING_ROWS]
                    first, last = max(col0 - b0, a + gap - b0), col1 - b0
                    here = distances[judged % RING_ROWS]
                    n = keep_minima(above, here, below, a, b0, first, last, limits[tile], found, squares, n)
                judged += 1
    return tiles.shape[0], n
