"""The nodes and edges of a roadmap: random ones as in Sung 2005, section 3.2, and corners, where shortest paths bend.

A line must keep `need` from walls and costs its length, `NEAR_WALL_COST_RATIO` times as much where it comes within
`comfort` of one anywhere but near its ends (who stands by a wall may leave it any way): paths prefer a little room, and
take the narrow way where the detour is longer than that.

Random samples join when they see each other within a threshold distance. Corner to corner (`roadmap_corners`) only taut
lines are kept, which touch the rim at both ends: shortest paths have no others (the reduced visibility graph). Metres.
"""

import numpy as np
import shapely  # type: ignore[import-untyped]
from scipy.spatial import cKDTree

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.navigation.roadmap_corners import NO_CORNERS, Corners, corners_of
from walkon.navigation.roadmap_rule import FREE_END_M, NEAR_WALL_COST_RATIO, RoadGraph
from walkon.stage.free_parts import FreeParts
from walkon.stage.walls import ENDLESS_M, Walls, are_clear

__all__ = ["NO_ROADS", "RoadGraph", "listed", "prices", "road_graph", "sampled_box"]

MAX_PAIR_COUNT = 1_000_000
"""Corners farther apart than the nearest so many pairs are not joined directly."""
SAMPLE_TRY_COUNT = 6
"""Places tried for each sample."""
SAMPLED_AROUND_M = 3.0
"""m around the obstacles of an endless floor in which samples are taken."""


def road_graph(
    space: FreeParts,
    walls: Walls,
    *,
    rng: np.random.Generator,
    samples: int,
    threshold: float,
    comfort: float,
    ring: float,
    corners: bool,
) -> RoadGraph:
    """Build the roadmap of a free space; `ring` is the distance from walls at which paths bend around corners."""
    bends = corners_of(space, comfort=comfort, ring=ring) if corners else NO_CORNERS
    nodes = np.concatenate([bends.places, bends.narrows, _samples(space, rng, samples)])
    is_corner = np.arange(len(nodes)) < len(bends.places)
    pairs = np.concatenate([_taut_pairs(bends), _near_pairs(nodes, len(bends.places), threshold)])
    costs = prices(walls, nodes[pairs[:, 0]], nodes[pairs[:, 1]], need=space.need, comfort=comfort)
    seen = np.isfinite(costs)
    return listed(nodes, pairs[seen], costs[seen], is_corner)


def prices(walls: Walls, starts: Array, ends: Array, *, need: float, comfort: float) -> Array:
    """Return [N] what lines from starts to ends [N, 2] cost, infinite where they are blocked."""
    costs = np.full(len(starts), np.inf)
    seen = np.flatnonzero(are_clear(walls, starts, ends=ends, radius=need))
    a, along = starts[seen], ends[seen] - starts[seen]
    lengths = np.linalg.norm(along, axis=1)
    trim = np.minimum(FREE_END_M / np.maximum(lengths, 1e-9), 0.5)[:, None] * along
    easy = are_clear(walls, a + trim, ends=a + along - trim, radius=comfort)
    costs[seen] = lengths * np.where(easy, 1.0, NEAR_WALL_COST_RATIO)
    return costs


def _samples(space: FreeParts, rng: np.random.Generator, count: int) -> Array:
    """Return up to `count` random places of free space; tight stages get fewer."""
    low, high = sampled_box(space)
    # A fixed number of tries, so that one sample more or less does not change the others.
    tried = rng.uniform(low, high, (SAMPLE_TRY_COUNT * count, 2))
    return tried[space.holds(tried, space.part_of(tried))][:count]


def sampled_box(space: FreeParts) -> tuple[Array, Array]:
    """Return the corners of the box to take samples from."""
    places = shapely.get_coordinates(space.area)
    inner = places[(np.abs(places) < ENDLESS_M).all(axis=1)]
    endless = len(inner) < len(places)
    margin = SAMPLED_AROUND_M if endless else 0.0
    return inner.min(axis=0) - margin, inner.max(axis=0) + margin


def _far(places: Array) -> float:
    """Return how far apart corners are joined: at any distance, unless those are too many."""
    if len(places) * (len(places) - 1) // 2 <= MAX_PAIR_COUNT:
        return np.inf
    # Counting is cheap while there are few: from near to far, as long as there are not too many.
    tree, within = cKDTree(places), float(np.ptp(places, axis=0).max()) / len(places)
    while tree.count_neighbors(tree, 1.25 * within) <= 2 * MAX_PAIR_COUNT:
        within *= 1.25
    return within


def _taut_pairs(bends: Corners) -> IntArray:
    """Return [P, 2] pairs of corners joined by lines that touch the rim at both ends, whatever is in between."""
    places = bends.places
    if not len(places):
        return np.zeros((0, 2), np.int64)
    far = _far(places)
    if np.isinf(far):
        pairs = np.stack(np.triu_indices(len(places), 1), axis=1)
    else:
        pairs = cKDTree(places).query_pairs(far, output_type="ndarray")
        pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    back, ahead = bends.before - places, bends.after - places
    for side in (0, 1):
        at = pairs[:, side]
        taut = _touches(places[pairs[:, 1]] - places[pairs[:, 0]], back[at], ahead[at])
        # A path that squeezes through a narrow place comes off a comfortable rim at any angle.
        pairs = pairs[taut | (bends.tight[pairs[:, 0]] != bends.tight[pairs[:, 1]])]
    return np.asarray(pairs, np.int64)


def _touches(along: Array, back: Array, ahead: Array) -> BoolArray:
    """Return whether the rim before and after a corner is on one side of lines through it."""
    a = along[:, 0] * back[:, 1] - along[:, 1] * back[:, 0]
    b = along[:, 0] * ahead[:, 1] - along[:, 1] * ahead[:, 0]
    slack = 1e-6 * np.hypot(along[:, 0], along[:, 1])
    return np.asarray(((a >= -slack) & (b >= -slack)) | ((a <= slack) & (b <= slack)))


def _near_pairs(nodes: Array, corners: int, threshold: float) -> IntArray:
    """Return [P, 2] pairs within the threshold of which at least one is a random sample."""
    if len(nodes) == corners:
        return np.zeros((0, 2), np.int64)
    pairs = cKDTree(nodes).query_pairs(threshold, output_type="ndarray")
    pairs = pairs[(pairs >= corners).any(axis=1)]
    return np.asarray(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))], np.int64)


def listed(nodes: Array, pairs: IntArray, costs: Array, corners: BoolArray) -> RoadGraph:
    """List edges in both directions by the node they leave."""
    a, b = np.concatenate([pairs, pairs[:, ::-1]]).T
    order = np.lexsort((b, a))
    starts = np.concatenate([[0], np.cumsum(np.bincount(a, minlength=len(nodes)))]).astype(np.int64)
    ends = np.ascontiguousarray(b[order], np.int32)
    graph = RoadGraph(nodes, starts, ends, np.concatenate([costs, costs])[order], corners)
    for array in graph:
        array.flags.writeable = False
    return graph


NO_ROADS = listed(np.zeros((0, 2)), np.zeros((0, 2), np.int64), np.zeros(0), np.zeros(0, np.bool_))
"""A roadmap without nodes: every way is straight."""
