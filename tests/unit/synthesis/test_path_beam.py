import numpy as np
import pytest

from arc_graphs import arc_graph, glide
from twins.path_beam import beam_python
from walkon.geometry.path import Path
from walkon.synthesis.path_beam import beam, path_table
from walkon.synthesis.path_following import PathFollower
from walkon.synthesis.planar_steps import Limits

CLIPS = (
    glide("straight", 0.0, labels=("walk",)),
    glide("left", 0.6, labels=("walk",)),
    glide("right", -0.6, labels=("walk",)),
    glide("slow", 0.1, speed=0.4, labels=("sneak",)),
    glide("slow right", -0.4, speed=0.4, labels=("sneak",)),
)


@pytest.fixture(scope="module")
def graph():
    return arc_graph(list(CLIPS))


def limits_of(path, **changed):
    _, spacing = path_table(path)
    made = Limits(path.length, spacing, 0.15, 1.0, 1.0, 1.0, 0.3, 1 / 6, np.inf, 12, 3, 4)
    return made._replace(**changed)


@pytest.mark.parametrize("labels", [None, [("walk", 3.0), ("sneak", None)]])
@pytest.mark.parametrize(
    ("width", "horizon"),  # layers that overflow, and layers that do not
    [(12, np.inf), (12, 2.5), (60, 2.5), pytest.param(60, np.inf, marks=pytest.mark.slow)],
)
def test_the_kernel_and_plain_python_find_the_same_walks(graph, rng, labels, horizon, width):
    path = Path.through([(0, 0), (2, 0.5), (3.5, -0.5), (6, 0)], rounding=0.4)
    ready = PathFollower.of(graph, labels=labels)
    borders = np.array([] if labels is None else [3.0])
    nodes, states = ready._starts(path, None, None)
    table, _ = path_table(path)
    given = {"table": table, "borders": borders, "nodes": nodes, "states": states}
    limits = limits_of(path, horizon=horizon, width=width, layer=0.1713)  # no layer ends at a sample
    # All moments of an arc are alike: a little noise keeps rounding from deciding between equal walks.
    steps = ready.steps._replace(points=ready.steps.points + rng.normal(scale=1e-3, size=ready.steps.points.shape))
    steps.points.flags.writeable = False
    fast, slow = beam(steps, limits, **given), beam_python(steps, limits, **given)
    assert fast.states == pytest.approx(slow.states, abs=1e-9)
    assert np.array_equal(fast.links, slow.links)
    assert np.array_equal(fast.leaves, slow.leaves)
    assert fast.weighed == slow.weighed


def test_a_wider_beam_is_not_worse(graph):
    path = Path.circle(1.8)
    ready = PathFollower.of(graph)
    nodes, states = ready._starts(path, None, None)
    table, _ = path_table(path)
    errors = []
    for width in (4, 64, 1024):
        limits = limits_of(path, width=width, per_node=5, leaves=1)
        found = beam(ready.steps, limits, table=table, borders=np.zeros(0), nodes=nodes, states=states)
        errors.append(found.states[found.leaves[0], 4])
    assert errors[0] > errors[1] >= errors[2]


def test_walks_that_are_about_to_leave_the_path_are_ranked_behind(graph):
    path = Path.circle(1.8)
    ready = PathFollower.of(graph)
    nodes, states = ready._starts(path, None, None)
    table, _ = path_table(path)
    errors = {}
    for foresight in (0.0, 0.3):
        limits = limits_of(path, width=64, per_node=5, leaves=1, foresight=foresight)
        found = beam(ready.steps, limits, table=table, borders=np.zeros(0), nodes=nodes, states=states)
        errors[foresight] = found.states[found.leaves[0], 4]
    assert errors[0.3] < 0.5 * errors[0.0]


def test_layers_that_overflow_keep_their_best(graph):
    path = Path(points=[(0, 0), (6, 0)])
    ready = PathFollower.of(graph)
    nodes, states = ready._starts(path, None, None)
    table, _ = path_table(path)
    limits = limits_of(path, width=1, leaves=1)
    crowded = limits._replace(layer=3.0, width=2)
    found = beam(ready.steps, crowded, table=table, borders=np.zeros(0), nodes=nodes, states=states)
    assert found.states[found.leaves[0], 3] >= path.length - 1e-9
