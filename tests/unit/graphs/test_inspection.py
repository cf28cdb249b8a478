import msgspec
import numpy as np
import pytest

from walkon.graphs.inspection import inspect_graph, worst_seams
from walkon.graphs.motion_graph import TRANSITION


def test_everything_can_be_told_as_json(graph):
    told = inspect_graph(graph)
    assert msgspec.json.decode(msgspec.json.encode(told)) == told


def test_counts_and_seconds_add_up(graph):
    told = inspect_graph(graph)
    assert told["pieces"] + told["transitions"] == len(graph.edges)
    assert told["motion_s"] == pytest.approx(graph.seconds)
    assert told["components"] == [pytest.approx(graph.seconds)]
    assert told["motion_s"] + sum(told["cut_s"].values()) == pytest.approx(told["library_s"], abs=0.3)
    assert told["labels"]["walk"]["kept_s"] <= told["labels"]["walk"]["of_s"]
    assert told["transitions"] <= told["transitions_before_pruning"]


def test_the_worst_seams_come_first_and_say_where(graph):
    seams = worst_seams(graph, count=5)
    sizes = [seam["seam_m_s"] for seam in seams]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == pytest.approx(float(graph.edges.seam.max()))
    first = seams[0]
    assert graph.edges.kind[first["edge"]] == TRANSITION
    assert graph.library.names[graph.nodes.clip[first["from"]["node"]]] == first["from"]["clip"]


def test_the_longest_wait_is_found_by_following_the_only_way(graph):
    told = inspect_graph(graph)
    longest = 0.0
    for edge in np.flatnonzero(graph.out_degree[graph.edges.start] > 1):
        seconds, node = float(graph.edges.duration[edge]), int(graph.edges.stop[edge])
        while graph.out_degree[node] == 1:
            on = int(graph.out_first[node])
            seconds, node = seconds + float(graph.edges.duration[on]), int(graph.edges.stop[on])
        longest = max(longest, seconds)
    assert told["longest_wait_s"] == pytest.approx(longest)
