"""What the tests of goal-directed planning share: a small graph with bodies, worlds full of people, and jobs.

The kernels of collisions and joins are compiled into others; here they stand alone, to be asked.
"""

# mypy: ignore-errors

import numpy as np

from arc_graphs import FPS
from snap_toys import CARRY, WALK, pole_graph
from walkon._base.jit import kernel, reads
from walkon.planning.occupancy import BIN_S, BODY_MARGIN_M, Occupancy
from walkon.stage import Obstacle, Stage
from walkon.stage.free_space import FreeSpace
from walkon.synthesis.goal_directed._collision_kernels import (
    STEPS,
    SURROUNDINGS,
    Placed,
    Shift,
    Surroundings,
    edge_depth,
)
from walkon.synthesis.goal_directed._join_kernels import JOB, Job, Pool, join_cost, join_fits
from walkon.synthesis.goal_directed._search_kernels import Trace
from walkon.synthesis.goal_directed.plan_graph import PlanGraph, Steps
from walkon.synthesis.goal_directed.search_rule import SearchRule

NOBODY = 99


@kernel(
    STEPS, SURROUNDINGS, "int64", reads(1), "float64", "float64", reads(1), reads(1), "int64", "float64", borrowed=True
)
def depth_of(steps, world, edge, pose, begin, rate, offset, slope, me, enough):
    """`edge_depth` alone."""
    placed = Placed(pose[0], pose[1], pose[2], begin, rate)
    shift = Shift(offset[0], offset[1], offset[2], slope[0], slope[1], slope[2])
    return edge_depth(steps, world, edge, placed, shift, me, enough)


@kernel(JOB, reads(1), reads(1), "float64", "float64", borrowed=True)
def cost_of(job, ends, begins, seconds, moving):
    """`join_cost` alone."""
    return join_cost(job, ends, begins, seconds, moving)


@kernel(JOB, reads(1), reads(1), "float64", "float64", borrowed=True)
def fits_of(job, ends, begins, seconds, moving):
    """`join_fits` alone."""
    return join_fits(job, ends, begins, seconds, moving)


def locked(values, dtype=np.float64):
    array = np.array(values, dtype=dtype)
    array.flags.writeable = False
    return array


def toy_graph(*, seed=1, each=7):
    """Hubs a, b (on foot) and c (carrying), `each` edges between a and b both ways; bodies of one to three discs."""
    rng = np.random.default_rng(seed)
    rows = [
        (0, 0, 0.5, 0.1, WALK),
        (1, 1, 0.8, -0.3, WALK),
        (1, 2, 0.9, 0.0, 0),
        (2, 0, 1.0, 0.0, 0),
        (2, 2, 0.8, 0.4, CARRY),
    ]
    for a, b in ((0, 1), (1, 0)):
        rows += [
            (a, b, s, k, WALK) for s, k in zip(rng.uniform(0.4, 1.3, each), rng.uniform(-0.9, 0.9, each), strict=True)
        ]
    return bodied(pole_graph(rows)).restricted_to(np.ones(3, bool))


def bodied(graph):
    """A plan graph of a pole's graph: one disc or two, loops are rests, and what enters hub c is excused."""
    table, first, places = graph.edges, [0], []
    for begin, end, seconds in zip(graph.clips.starts, graph.clips.stops, table.duration, strict=True):
        times = np.append(np.arange(0.0, seconds + 1e-9, BIN_S), seconds)
        frames = np.arange(end - begin) / FPS
        mine = graph.planar[begin:end]
        places.append(np.column_stack([np.interp(times, frames, mine[:, a]) for a in range(3)]))
        first.append(first[-1] + len(times))
    H, places = len(graph.hubs), np.concatenate(places)
    discs = np.full((len(places), 3, 3), -1000.0)
    discs[:, 0] = (0.0, 0.0, 0.22)
    discs[::3, 1] = (0.15, 0.1, 0.1)
    steps = Steps(
        start=locked(table.start, np.int32),
        stop=locked(table.stop, np.int32),
        move=locked(table.planar_displacement),
        seconds=locked(table.duration),
        path=locked(table.duration),
        moving=locked(table.start != table.stop, np.uint8),
        branch_first=locked(np.zeros((2, H + 1)), np.int32),
        branch_edges=locked(np.zeros((2, 0)), np.int32),
        pair_first=locked(np.searchsorted(table.start * H + table.stop, np.arange(H * H + 1)), np.int32),
        sample_first=locked(first, np.int32),
        places=locked(places, np.float32),
        discs=locked(discs, np.float32),
        excused=locked(table.stop == 2, np.uint8),
        trunk=locked([0.22]),
        tick=locked([BIN_S]),
    )
    return PlanGraph(graph=graph, edges=np.arange(len(table)), steps=steps, scale=1.0)


def toy_world(*, people=0, walls=False, seed=0, size=5.0, seconds=20.0):
    """People who stand about for a while each, and maybe a wall."""
    rng = np.random.default_rng(seed)
    occupancy = Occupancy()
    for who in range(people):
        first = int(rng.integers(0, 10 * seconds))
        bins = np.arange(first, first + int(rng.integers(5, 60)))
        drift = rng.uniform(-0.05, 0.05, 2)
        places = rng.uniform(-size, size, 2) + drift * (bins - first)[:, None]
        occupancy.add(who, bins, np.column_stack([places, np.full(len(bins), rng.uniform(0.15, 0.3))]))
    stage = Stage()
    if walls:
        corners = [(1.5, -1.0), (1.9, -1.0), (1.9, 1.3), (1.5, 1.3)]
        stage = Stage(obstacles=[Obstacle(polygon=np.array(corners), height=2.5)])
    space = FreeSpace.of(stage)
    return Surroundings(occupancy.entries, space.grid, space.arms_grid, locked([BODY_MARGIN_M, 0.01, 0.0]))


def toy_job(
    *, start=(0.0, 0.0, 0.0), goal=(4.0, 1.0, 0.3), times=(0.0, 4.0, 5.0), rule=None, stay=(0.0,), stay_at=(0, 0)
):
    limits = (rule or SearchRule()).limits()
    places, hubs = (locked(start), locked(goal), locked(times)), locked((0, 1), np.int64)
    return Job(*places, limits, locked(stay), locked(stay_at, np.int64), hubs)


def toy_pool(rows, longest=40):
    pool = Pool(
        np.zeros((rows, 2, longest), np.int32),
        np.zeros((rows, 2), np.int32),
        np.full(rows, np.inf),
        np.zeros((rows, 2), np.int32),
    )
    trace = Trace(
        np.zeros((2, longest + 1, 3)),
        np.zeros((2, longest + 1), np.int32),
        np.zeros((2, longest + 1)),
        np.zeros((2, longest + 1)),
    )
    return pool, trace


def random_walk(graph, hub, count, rng, *, backward=False):
    """Edges one after another from a hub, or into it."""
    made = []
    for _ in range(count):
        here = graph.steps.stop if backward else graph.steps.start
        edge = int(rng.choice(np.flatnonzero(here == hub)))
        made.append(edge)
        hub = int(graph.steps.start[edge] if backward else graph.steps.stop[edge])
    return made
