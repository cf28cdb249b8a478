"""What the tests of the coarse plan share: finders, stops, and least distances of people.

Distances are worked out from the trips alone, in plain NumPy, so that a fault of the tables would show. Metres, steps.
"""

# mypy: ignore-errors

from functools import cache

import numpy as np

from crowd_worlds import RADIUS, context_on
from walkon.crowd.coarse_plan import CoarseCrowd
from walkon.crowd.people import draw_people
from walkon.crowd.performing import _horizon
from walkon.navigation.coarse.coarse_rule import PASSING_RADIUS_M, STEP_S
from walkon.navigation.coarse.lattice import make_lattice
from walkon.navigation.coarse.traffic import TrafficTable
from walkon.navigation.coarse.trips import Stop, TripFinder
from walkon.script import Scene
from walkon.stage import Stage
from walkon.stage.free_space import FreeSpace

NEED = RADIUS + 0.02
"""m that one needs from walls on the way."""
WALKER = 0.33
"""m of who walks."""


def disc(x, y, radius=0.25):
    """One disc [1, 3]."""
    return np.array([[x, y, radius]])


def stop(*places, radius=0.25, **options):
    """A stop at any one of some places, a disc at each."""
    rests = np.stack([disc(*place, radius) for place in places])
    return Stop(spots=np.array(places, float), rests=rests, **options)


@cache
def lattice_on(stage):
    """The lattice of a stage, made once."""
    return make_lattice(FreeSpace.of(stage, radius=RADIUS), np.zeros((1, 2)), need=NEED)


def finder_on(stage, *, steps=400):
    """A finder on a stage on which nobody is yet."""
    space = FreeSpace.of(stage, radius=RADIUS)
    return TripFinder(space=space, lattice=lattice_on(stage), traffic=TrafficTable(), need=NEED, steps=steps)


def is_walking(knots):
    """Which pieces [K − 1] of a trip are steps, not rests at a stop."""
    return np.diff(knots[:, 3]) == 0


def take_way(finder, me, trip, *, near=0.25):
    """Put the ways of a trip past one stop into the traffic of its finder, and its rest at the end."""
    count = np.count_nonzero(is_walking(trip.knots))
    radii = np.full(count, WALKER)
    radii[[0, -1]] = near
    first, last = int(trip.knots[0, 2]), int(trip.knots[count, 2])
    finder.traffic.add_way(me, step=first, places=trip.knots[: count + 1, :2], radii=radii)
    finder.traffic.add_rest(me, discs=disc(*trip.knots[-1, :2]), first=last, stop=1 << 30)


def least_distance(a, b, c, d):
    """The least distance of who goes from a to b [..., 2] and who goes from c to d in the same time."""
    p, v = np.asarray(a, float) - c, np.asarray(b, float) - a - np.subtract(d, c)
    square = (v * v).sum(axis=-1)
    u = np.clip(-(p * v).sum(axis=-1) / np.where(square > 0, square, 1.0), 0.0, 1.0)
    return np.linalg.norm(p + u[..., None] * v, axis=-1)


def crowd_of(*people, stage=None, horizon=None):
    """The coarse plan of people on a stage, run."""
    scene = Scene(characters=people, stage=stage or Stage())
    until = _horizon(scene) if horizon is None else horizon
    crowd = CoarseCrowd(scene, context_on(scene.stage), draw_people(scene, seed=0), horizon=until)
    crowd.run()
    return crowd


def trips_of(crowd):
    """The trips of a coarse plan by name."""
    return {one.name: trip for one, trip in zip(crowd.scene.characters, crowd.trips, strict=True)}


def promised_gaps(crowd):
    """By how much any two are further apart than the rule promises, at least, over continuous time: (gap, who, who).

    Who walks is `WALKER` wide, but in a first step and a last one; beside who rests it is narrower.
    """
    scales = crowd.people.scale.tolist()
    rows = zip(crowd.scene.characters, scales, crowd.trips, strict=True)
    every = [(one.name, *_parts(trip, scale)) for one, scale, trip in rows]
    found = [(np.inf, "", "")]
    for k, (name, steps, pieces, rests) in enumerate(every):
        for other, steps_too, pieces_too, rests_too in every[:k]:
            _, a, b = np.intersect1d(steps, steps_too, return_indices=True)
            p, q = pieces[a], pieces_too[b]
            away = least_distance(p[:, :2], p[:, 2:4], q[:, :2], q[:, 2:4]) - p[:, 4] - q[:, 4]
            gaps = [away, _beside(steps, pieces, rests_too), _beside(steps_too, pieces_too, rests)]
            found.append((min(gap.min(initial=np.inf) for gap in gaps), name, other))
    return min(found)


def _parts(trip, scale):
    """The steps [n] in which somebody walks, their pieces [n, 5] with what is promised of them, and its rests."""
    knots = trip.knots
    rows = np.flatnonzero(is_walking(knots))
    spots = np.unique(np.concatenate([knots[:1, :2], knots[np.flatnonzero(~is_walking(knots)), :2]]), axis=0)
    ends = np.stack([knots[rows, :2], knots[rows + 1, :2]], axis=1)
    touches = np.linalg.norm(ends[:, :, None] - spots, axis=-1).min(axis=(1, 2), initial=np.inf) < 1e-6
    radii = scale * np.where(touches, 0.25, WALKER)
    return np.round(knots[rows, 2] / STEP_S).astype(int), np.column_stack([ends.reshape(-1, 4), radii]), trip.rests


def _beside(steps, pieces, rests):
    """How far walking pieces are from rests beyond what is needed."""
    found = [np.zeros(0)]
    for first, stop, discs in rests:
        mine = pieces[(steps >= round(first / STEP_S)) & (steps * STEP_S < stop)]
        for x, y, r in discs:
            needed = np.minimum(mine[:, 4], PASSING_RADIUS_M) + r
            found.append(least_distance(mine[:, :2], mine[:, 2:4], (x, y), (x, y)) - needed)
    return np.concatenate(found)
