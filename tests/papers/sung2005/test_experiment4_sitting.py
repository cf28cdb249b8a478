"""Sung 2005, experiment 4: people can sit down in every seat of the theatre beside others who sit, without touching."""

import numpy as np
import pytest

from walkon.graphs.snap_together import SnapGraph, builtin_snap_graph
from walkon.graphs.walk import walk_along
from walkon.graphs.walk_segments import add_walk
from walkon.motion.body import Body
from walkon.reproduce.sung2005.theatre import theatre_stage
from walkon.take.auditing.report import Audit
from walkon.take.storing.writer import TakeWriter
from walkon.transforms import planar

BEFORE = 8.0
"""s for which those who sit first have sat when the others begin."""


@pytest.fixture(scope="module")
def graph() -> SnapGraph:
    return builtin_snap_graph()


@pytest.fixture(scope="module")
def audit(graph: SnapGraph) -> Audit:
    """Two rows of a block: every other seat is taken, then people sit down in those between, each in another way."""
    rng = np.random.default_rng(1)
    down, idle = graph.between("stand", "sit"), graph.between("sit", "sit")
    seats = [seat for seat in theatre_stage().seats if seat.name in {f"{row}{n}" for row in "AB" for n in range(1, 7)}]
    writer = TakeWriter(fps=graph.clips.fps, stage=theatre_stage())
    who = writer.add_characters([seat.name for seat in seats], body=writer.add_body(Body.of(graph.source.skeleton)))
    walks, poses, starts = [], [], []
    for k, seat in enumerate(seats):
        later = k % 2 == 1
        edge = int(down[k // 2 % len(down)])
        walks.append([edge, *rng.choice(idle, 2)] if later else list(rng.choice(idle, 12)))
        back = planar.inverse(graph.edges.displacement[edge])
        poses.append(planar.compose(seat.place, back) if later else seat.place)
        starts.append(BEFORE if later else 0.0)
    walk = walk_along(graph, walks, characters=who, starts=np.array(starts), poses=np.array(poses))
    add_walk(writer, walk, graph=graph)
    return writer.close().audit(start=BEFORE - 0.5, stop=BEFORE + 4.0, source=False, fps=30.0)


def test_limbs_of_neighbours_overlap_by_less_than_a_centimetre(audit: Audit) -> None:
    assert audit.figures["bodies"]["max_penetration_m"] < 0.01


def test_nobody_touches_the_back_of_a_seat(audit: Audit) -> None:
    assert audit.figures["collisions"]["obstacle_frames"] == 0
    assert audit.figures["collisions"]["pair_frames"] == 0
