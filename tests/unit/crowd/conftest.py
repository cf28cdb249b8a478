"""What tests of crowds share: the built-in graph, and what planning reads of it, made once."""

import pytest

import walkon.synthesis.goal_directed.context as context_module
from crowd_worlds import builtin, plan_graph_of


@pytest.fixture(scope="session")
def graph():
    return builtin()


@pytest.fixture(scope="session", autouse=True)
def one_plan_graph():
    """Reading the built-in graph for planning takes a second: all performances here read it once."""
    read = context_module.plan_graph
    kept = {}

    def once(graph, **options):
        if id(graph) not in kept:
            kept[id(graph)] = graph, read(graph, **options)
        return kept[id(graph)][1]

    plan_graph_of()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(context_module, "plan_graph", once)
        yield
