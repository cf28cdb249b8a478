"""The compiled half of `distance_field`, and what else asks obstacles: clearances, open lines."""

# mypy: ignore-errors

import math

import numpy as np

from walkon._base.jit import group, kernel, reads, writes
from walkon.navigation.distance_rule import CLEARANCE_SLACK_M, HOPS, NEAR_ENDS_M, SIGHT_SAMPLE_M, Field
from walkon.stage._distance_kernels import DISTANCES, distance_at

FIELD = group(Field, writes(2, "float32"), reads(1))


@kernel(borrowed=True)
def open_line(distances, x0, y0, x1, y1, ends, needs):
    """Say whether a straight piece keeps needs[0] off obstacles: needs[1] and [2] near the ends (x, y, x, y)."""
    samples = int(math.sqrt((x1 - x0) ** 2 + (y1 - y0) ** 2) / SIGHT_SAMPLE_M) + 1
    for i in range(samples + 1):
        x, y = x0 + (x1 - x0) * (i / samples), y0 + (y1 - y0) * (i / samples)
        need = needs[0]
        if (x - ends[0]) ** 2 + (y - ends[1]) ** 2 < NEAR_ENDS_M * NEAR_ENDS_M:
            need = min(need, needs[1])
        if (x - ends[2]) ** 2 + (y - ends[3]) ** 2 < NEAR_ENDS_M * NEAR_ENDS_M:
            need = min(need, needs[2])
        if distance_at(distances, x, y) < need:
            return False
    return True


@kernel(DISTANCES, reads(2), "float64", "float64", "float64", borrowed=True)
def sees(distances, ends, need, need_start, need_goal):
    """Say whether the straight line between the ends [2, 2] is clear of obstacles."""
    around = (ends[0, 0], ends[0, 1], ends[1, 0], ends[1, 1])
    return open_line(distances, ends[0, 0], ends[0, 1], ends[1, 0], ends[1, 1], around, (need, need_start, need_goal))


@kernel(borrowed=True)
def is_open(distances, field, every, i, j, x, y, need, tight):
    """Say whether a body's centre can be at a cell."""
    px, py = field.grid[0] + i * field.grid[2] - x, field.grid[1] + j * field.grid[2] - y
    return distances.nodes[i * every, j * every] >= (tight if px * px + py * py < NEAR_ENDS_M * NEAR_ENDS_M else need)


@kernel(DISTANCES, FIELD, "int64", "float64", "float64", "float64")
def flood(distances, field, every, x, y, need):
    """Fill a field (inf) with the distances to (x, y). Buckets as wide as the shortest hop hold what waits: exact."""
    values, pitch = field.values, field.grid[2]
    nx, ny = values.shape
    tight = min(need, distance_at(distances, x, y) - CLEARANCE_SLACK_M)
    wide = int(math.ceil((nx + ny) * 3.0)) + 4
    heads = np.full(wide, -1, np.int32)
    cells, following = np.empty(17 * nx * ny, np.int32), np.empty(17 * nx * ny, np.int32)
    count = 0
    u, v = (x - field.grid[0]) / pitch, (y - field.grid[1]) / pitch
    outside = not (0.0 <= u <= nx - 1 and 0.0 <= v <= ny - 1)
    base = math.inf
    for around in range(2):
        for i in range(nx):
            for j in range(ny):
                away = math.sqrt((u - i) * (u - i) + (v - j) * (v - j)) * pitch
                if outside:
                    if (0 < i < nx - 1 and 0 < j < ny - 1) or distances.nodes[i * every, j * every] < need:
                        continue
                elif away > NEAR_ENDS_M:
                    continue
                if around == 0:
                    base = min(base, away)
                    continue
                px, py = field.grid[0] + i * pitch, field.grid[1] + j * pitch
                if not open_line(distances, x, y, px, py, (x, y, x, y), (need, tight, tight)):
                    continue
                values[i, j] = away
                bucket = min(int((away - base) / pitch), wide - 1)
                cells[count], following[count] = i * ny + j, heads[bucket]
                heads[bucket] = count
                count += 1
    for low in range(wide):
        while heads[low] >= 0:
            at = heads[low]
            heads[low] = following[at]
            i, j = cells[at] // ny, cells[at] % ny
            here = values[i, j]
            if int((here - base) / pitch) < low:  # it was reached on a shorter way before
                continue
            for h in range(len(HOPS)):
                a, b = i + HOPS[h, 0], j + HOPS[h, 1]
                if not (0 <= a < nx and 0 <= b < ny):
                    continue
                there = np.float32(here + pitch * math.sqrt(HOPS[h, 0] * HOPS[h, 0] + HOPS[h, 1] * HOPS[h, 1]))
                if there >= values[a, b] or not is_open(distances, field, every, a, b, x, y, need, tight):
                    continue
                # A knight's hop passes between two cells, both of which must be open.
                if h >= 8:
                    p, q = (
                        HOPS[h, 0] // 2 if abs(HOPS[h, 0]) == 2 else 0,
                        HOPS[h, 1] // 2 if abs(HOPS[h, 1]) == 2 else 0,
                    )
                    if not is_open(distances, field, every, i + p, j + q, x, y, need, tight):
                        continue
                    if not is_open(distances, field, every, a - p, b - q, x, y, need, tight):
                        continue
                values[a, b] = there
                bucket = min(int((there - base) / pitch), wide - 1)
                cells[count], following[count] = a * ny + b, heads[bucket]
                heads[bucket] = count
                count += 1


@kernel(DISTANCES, FIELD, "float64", "float64", "float64", borrowed=True)
def entry(distances, field, x, y, need):
    """Return metres from a place, which may be tighter than the way, to the field's goal; inf where there is none."""
    values, pitch = field.values, field.grid[2]
    nx, ny = values.shape
    u, v = (x - field.grid[0]) / pitch, (y - field.grid[1]) / pitch
    tight = min(need, distance_at(distances, x, y) - CLEARANCE_SLACK_M)
    off, best = int(math.ceil(NEAR_ENDS_M / pitch)), math.inf
    if not (0.0 <= u <= nx - 1 and 0.0 <= v <= ny - 1):  # from off the grid: over its rim
        off = nx + ny if distances.frame[3] > 0.0 else -1
    for i in range(max(int(u) - off, 0), min(int(u) + off + 2, nx)):
        for j in range(max(int(v) - off, 0), min(int(v) + off + 2, ny)):
            if off > nx and 0 < i < nx - 1 and 0 < j < ny - 1:
                continue
            away = values[i, j] + math.sqrt((u - i) * (u - i) + (v - j) * (v - j)) * pitch
            if away < best:
                px, py = field.grid[0] + i * pitch, field.grid[1] + j * pitch
                if open_line(distances, x, y, px, py, (x, y, x, y), (need, tight, tight)):
                    best = away
    return best
