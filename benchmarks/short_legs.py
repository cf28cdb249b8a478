"""How often somebody alone on an empty floor finds a short leg: random ways, turns and times, by length of the way.

    python -m benchmarks.short_legs [SEED]

Each leg begins and ends standing, with the place, the facing and the instant of arrival given; there are as many
seconds to spare as `crowd.legs` leaves to the search.
"""

import sys
import time

import numpy as np

import walkon
from walkon.navigation.roadmap import Roadmap
from walkon.stage import Stage
from walkon.stage.free_space import FreeSpace
from walkon.synthesis.goal_directed.context import PlanningContext
from walkon.synthesis.goal_directed.legs import SEARCHED_S, SHORT_LEG_SEARCHED_S
from walkon.synthesis.goal_directed.planner import SHORT_LEG_M, Failure, LegRequest
from walkon.synthesis.goal_directed.search_rule import SearchRule

LEGS = 40
LENGTHS_M = ((0.02, 0.1), (0.1, 0.3), (0.3, 0.6), (0.6, 1.0), (1.0, 1.6), (1.6, 3.0), (3.0, 6.0))
SPEED_M_S = 1.25


def main() -> None:
    rng = np.random.default_rng(int(sys.argv[1]) if len(sys.argv) > 1 else 2026)
    stage, radius = Stage(), 0.25
    context = PlanningContext(
        graph=walkon.builtin_snap_graph(),
        space=FreeSpace.of(stage, radius=radius),
        roadmap=Roadmap.of(stage, radius=radius, seed=0),
        rule=SearchRule(),
    )
    stand = context.hub_for("stand")
    planner = context.planner(1.0, carrying=False, start=stand, goal=stand)
    print("way, m       not found   ms per leg (worst)   attempts in the mean (most)")
    for low, high in LENGTHS_M:
        missed, spent, attempts = 0, [], []
        for number in range(LEGS):
            far, along, facing = rng.uniform(low, high), *rng.uniform(-np.pi, np.pi, 2)
            goal = np.array([far * np.cos(along), far * np.sin(along), facing])
            arrives = (SHORT_LEG_SEARCHED_S if far < SHORT_LEG_M else SEARCHED_S) + rng.uniform(-1, 1) + far / SPEED_M_S
            ask = LegRequest(
                hub=stand,
                pose=np.zeros(3),
                time=0.0,
                goal_hub=stand,
                goal=goal,
                window=(arrives, arrives),
                path=np.array([[0.0, 0.0], goal[:2]]),
                speed=SPEED_M_S,
                hold=4.0,
            )
            begun = time.perf_counter()
            found = planner.plan(ask, me=0, rng=np.random.default_rng(number))
            spent.append(time.perf_counter() - begun)
            if isinstance(found, Failure):
                missed += 1
            else:
                attempts.append(found.attempts + 1)
        print(
            f"{low:4.2f} to {high:4.2f} {missed:5d} of {LEGS} {1e3 * np.mean(spent):10.1f} ({1e3 * max(spent):6.1f})"
            f" {np.mean(attempts):14.1f} ({max(attempts)})"
        )


if __name__ == "__main__":
    main()
