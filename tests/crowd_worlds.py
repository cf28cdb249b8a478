"""What the tests of crowds and of the planner share: the built-in graph, people and scenes, schedules, and plain looks.

Everything that depends on the graph alone is made once. What people take up is compared with everybody's, without any
grid, so that a fault of the grid would show. Metres, seconds, radians.
"""

# mypy: ignore-errors

from functools import cache

import numpy as np

from walkon.crowd.people import draw_people
from walkon.crowd.performing import _horizon
from walkon.crowd.schedule import Schedule
from walkon.graphs.snap_together import builtin_snap_graph
from walkon.navigation.roadmap import Roadmap
from walkon.planning.occupancy import BIN_S, NOBODY
from walkon.script import Character, Mark, Scene
from walkon.stage import Obstacle, Stage
from walkon.stage.free_space import FreeSpace
from walkon.synthesis.goal_directed.context import PlanningContext
from walkon.synthesis.goal_directed.leg_request import LegRequest, PlannedLeg
from walkon.synthesis.goal_directed.search_rule import SearchRule

RADIUS = 0.245
"""m of a body's footprint."""


@cache
def builtin():
    """The built-in graph, read once."""
    return builtin_snap_graph()


@cache
def _shared():
    """A context whose plan graphs all others take over: they depend on the graph alone."""
    return _context(Stage(), SearchRule())


def _context(stage, rule):
    return PlanningContext(
        graph=builtin(),
        space=FreeSpace.of(stage, radius=RADIUS),
        roadmap=Roadmap.of(stage, radius=RADIUS, seed=0),
        rule=rule,
    )


def context_on(stage=None, *, rule=None):
    """What the people of a scene on a stage share, without anybody on it."""
    made = _context(stage or Stage(), rule or SearchRule())
    made.__dict__["_whole"] = _shared()._whole
    made._graphs = _shared()._graphs
    return made


def plan_graph_of(scale=1.0, **options):
    """The built-in graph as planning reads it."""
    return _shared().plan_graph(scale, **options)


def hub(name):
    """The number of a hub of the built-in graph."""
    return builtin().hub_names.index(name)


def person(name, place, *marks, **options):
    """Somebody at (x, y, heading)."""
    return Character(name=name, place=place, marks=marks, **options)


def at(x, y, *window, name="there", **options):
    """A mark at a place, standing, within a window of time if one is given."""
    options.setdefault("pose", "stand")
    return Mark(name=name, position=(x, y), window=window or None, **options)


def swapping(*, far=0.0):
    """Two who change places head on, so that one of them must give way; or side by side, `far` m apart."""
    return (
        person("ann", (-3.0, 0.0, 0.0), at(3.0, 0.0, 0, 20)),
        person("bob", (3.0, far, np.pi), at(-3.0, far, 0, 20)),
    )


class BodiesOnly(Schedule):
    """A schedule that plans bodies without a coarse plan, so that they get in each other's way."""

    _plans_coarsely = False


def schedule_of(
    *people, stage=None, batch=1, workers=1, seed=0, staged=False, horizon=None, rule=None, props=(), coarse=True
):
    """A schedule of people, not yet run; without a coarse plan if it is not to be `coarse`."""
    scene = Scene(characters=people, stage=stage or Stage(), props=props)
    return (Schedule if coarse else BodiesOnly)(
        scene=scene,
        context=context_on(scene.stage, rule=rule),
        people=draw_people(scene, seed=0),
        seed=seed,
        horizon=_horizon(scene) if horizon is None else horizon,
        batch=batch,
        workers=workers,
        staged=staged,
    )


def run(*people, **options):
    """A schedule of people, run."""
    schedule = schedule_of(*people, **options)
    schedule.run()
    return schedule


def before_making_way(*people, **options):
    """A schedule of people as it is before anybody steps aside for those who found no way."""
    schedule = schedule_of(*people, **options)
    schedule.repairs.finish = lambda: None
    schedule.run()
    del schedule.repairs.finish
    return schedule


def wall(x0, y0, x1, y1):
    """A box that nobody walks through."""
    return Obstacle(polygon=np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)]), height=2.5)


def standing(occupancy, who, place, start, stop, *, radius=0.25):
    """Let somebody stand at (x, y) from one second to another."""
    bins = np.arange(round(start / BIN_S), round(stop / BIN_S) + 1)
    occupancy.add(who, bins, np.tile([*place, radius], (len(bins), 1)))


def ask_for(start, goal, *window, pose="stand", begins="stand", time=0.0, **options):
    """What a planner is asked: from a planar pose [3] to another one, straight, within a window."""
    start, goal = np.array(start, float), np.array(goal, float)
    path = options.pop("path", np.array([start[:2], goal[:2]]))
    return LegRequest(
        hub=hub(begins), pose=start, time=time, goal_hub=hub(pose), goal=goal, window=window, path=path, **options
    )


def taken_up(schedule, i):
    """Bins [n] and discs [n, 3] of somebody's route."""
    scale = float(schedule.people.scale[i])
    return schedule.routes[i].discs(schedule.context.plan_graph(scale), until=schedule.horizon)


def deepest(one, two):
    """By how many metres two people's discs overlap at worst: (bins, discs) each; below 0: the nearest they come."""
    worst = -np.inf
    for k in np.intersect1d(one[0], two[0]):
        a, b = one[1][one[0] == k], two[1][two[0] == k]
        apart = np.hypot(*(a[:, None, :2] - b[None, :, :2]).transpose(2, 0, 1))
        worst = max(worst, float((a[:, None, 2] + b[None, :, 2] - apart).max()))
    return worst


def worst_overlap(schedule):
    """By how many metres any two people of a schedule overlap at worst."""
    all_of_them = [taken_up(schedule, i) for i in range(len(schedule.routes))]
    pairs = [(i, j) for j in range(len(all_of_them)) for i in range(j)]
    return max((deepest(all_of_them[i], all_of_them[j]) for i, j in pairs), default=-np.inf)


def kept_by(occupancy):
    """All that is in an occupancy, as sorted rows (who, bin, x, y, r)."""
    e = occupancy.entries
    there = np.flatnonzero(e.who != NOBODY)
    return sorted(zip(*(getattr(e, name)[there].tolist() for name in ("who", "bins", "x", "y", "r")), strict=True))


class Planned:
    """A walk as its planner sees it: rows of the plan graph, poses, and even displacements."""

    def __init__(self, walk, graph, *, mark=-1, reason=None, leg=None):
        self.walk, self.graph, self.mark, self.reason = walk, graph, mark, reason
        self.edges, self.poses = graph.rows[walk.edge], walk.place[:, :3]
        self.offsets, self.slopes = walk.offset[:, 0], walk.slope[:, 0]
        self.starts = np.append(walk.start, walk.stop[-1:])
        self.rate = float(walk.rate[0, 0]) * np.sqrt(graph.scale) if len(walk) else 1.0
        if leg is not None:
            self.attempts, self.adjustment = leg.attempts, leg.adjustment


def planned(found, graph):
    """What a planner found as a test looks at it; a failure as it is."""
    return Planned(found.walk, graph, leg=found) if isinstance(found, PlannedLeg) else found


def legs_of(route, *, scale=1.0):
    """The parts of a route."""
    graph = plan_graph_of(scale)
    return [Planned(w, graph, mark=int(w.mark[0]), reason=route.reasons[int(w.reason[0])]) for w in route.walks]


def same_route(one, two):
    """Whether two routes are equal, bit for bit."""
    return len(one.walks) == len(two.walks) and one.met == two.met and all(map(same_walk, one.walks, two.walks))


def same_walk(one, two):
    """Whether two walks are equal, bit for bit."""
    return all(np.array_equal(values, two.columns[name]) for name, values in one.columns.items())


def same_plan(one, two):
    """Whether two plans are equal, bit for bit."""
    return same_walk(one.walk, two.walk)
