"""Small stages to find ways over, and the shortest way by a slow visibility graph in Shapely."""

import numpy as np
import shapely
from scipy.sparse.csgraph import dijkstra

from walkon.stage import Obstacle, Stage
from walkon.stage.free_space import FreeSpace


def box(x, y, width, depth, turn=0.0):
    c, s = np.cos(turn), np.sin(turn)
    corners = 0.5 * np.array([[-width, -depth], [width, -depth], [width, depth], [-width, depth]])
    return Obstacle(polygon=corners @ np.array([[c, s], [-s, c]]) + [x, y], height=2.0)


def column(x, y, radius, corners=24):
    angle = 2 * np.pi * np.arange(corners) / corners
    return Obstacle(polygon=np.array([x, y]) + radius * np.stack([np.cos(angle), np.sin(angle)], 1), height=3.0)


def room(width, depth, *obstacles):
    return Stage(bounds=[[0, 0], [width, 0], [width, depth], [0, depth]], obstacles=tuple(obstacles))


def furnished(count, size, seed):
    """Return a square room with boxes and columns at random."""
    rng = np.random.default_rng(seed)
    things = []
    for k in range(count):
        x, y = rng.uniform(1.5, size - 1.5, 2)
        if k % 3 == 2:
            things.append(column(x, y, rng.uniform(0.2, 0.6)))
        else:
            things.append(box(x, y, *rng.uniform(0.3, 2.0, 2), rng.uniform(0, np.pi)))
    return room(size, size, *things)


def two_rooms(door, *, at=4.0, thick=0.2):
    """Return two rooms of 6 m × 8 m side by side with a door of this width in the wall between them."""
    low, high = at - door / 2, at + door / 2
    return room(12, 8, box(6, low / 2, thick, low), box(6, (high + 8) / 2, thick, 8 - high))


def path_length(path):
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())


def path_clearance(stage, path):
    """Return the smallest distance from a path to what is not free, by Shapely."""
    area = FreeSpace.of(stage).area
    line = shapely.LineString(path)
    return shapely.distance(line, area.boundary) if shapely.contains(area, line) else 0.0


def shortest_lengths(stage, starts, goals, clearance):
    """Return the lengths of the shortest paths that keep a clearance: all corners that see each other, Dijkstra."""
    free = shapely.buffer(FreeSpace.of(stage).area, -clearance, quad_segs=12)
    slack = shapely.buffer(free, 1e-4)
    shapely.prepare(slack)
    N = len(starts)
    nodes = np.concatenate([starts, goals, _reflex(free)])
    i, j = np.triu_indices(len(nodes), 1)
    wanted = (j >= 2 * N) | (j == i + N)
    i, j = i[wanted], j[wanted]
    apart = np.linalg.norm(nodes[i] - nodes[j], axis=1)
    seen = shapely.covers(slack, shapely.linestrings(np.stack([nodes[i], nodes[j]], axis=1))) & (apart > 1e-9)
    weights = np.zeros((len(nodes), len(nodes)))
    weights[i[seen], j[seen]] = apart[seen]
    return dijkstra(weights, directed=False, indices=np.arange(N))[np.arange(N), N + np.arange(N)]


def _reflex(area):
    """Return the corners at which a rim turns away from the area."""
    found = []
    for ring in shapely.get_rings(shapely.get_parts(shapely.orient_polygons(area))):
        corners = shapely.get_coordinates(ring)[:-1]
        u, v = corners - np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0) - corners
        found.append(corners[u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0] < 0])
    return np.concatenate(found)
