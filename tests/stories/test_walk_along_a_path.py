"""A performer walks in three styles; their walks become a graph, and a character follows paths nobody has walked."""

import numpy as np
import pytest

from walkon.capture.build import planted_drift
from walkon.graphs.build import build_graph
from walkon.reproduce.recordings import MotionSource
from walkon.synthesis import Path, PathFollower, follow_path

MILLIMETRE = 1e-3
STYLES = ("brisk", "neutral", "tired")


@pytest.fixture(scope="module")
def graph():
    return build_graph(MotionSource(folder=None).styles(), labels=STYLES)


def test_a_new_path_is_followed_within_centimetres_and_no_foot_slides(graph):
    path = Path.through([(0, 0), (4, 0.5), (6, 3.5), (10, 4), (12, 1), (9, -2)], rounding=0.9)
    result = follow_path(graph, path)
    assert result.mean < 0.06
    assert result.worst < 0.35
    assert result.transitions_per_second < 1.3
    assert result.sustained > 0.9
    clip = result.clip()
    assert planted_drift(clip) < 3 * MILLIMETRE
    assert clip.contacts.any(axis=1).mean() > 0.97
    assert np.abs(clip.contact_positions[clip.contacts][:, 2]).max() < 2 * MILLIMETRE


def test_three_styles_take_turns_along_one_path(graph):
    path = Path.through([(0, 0), (5, 0), (8.5, 1), (9.5, 4), (7, 6.5), (3, 6.5), (0.5, 8.5)], rounding=1.2)
    third = path.length / 3
    result = follow_path(graph, path, labels=[("brisk", third), ("neutral", 2 * third), ("tired", None)])
    assert result.worst < 0.35
    assert max(switch.distance for switch in result.switches) <= 1.0
    labels = result.clip().labels
    halves = len(labels["brisk"]) // 2
    assert labels["brisk"][:halves].mean() > labels["brisk"][halves:].mean()
    assert labels["tired"][-30:].all()


def test_a_small_crowd_walks_the_same_path_differently_and_reproducibly(graph):
    path = Path.through([(0, 0), (3, 1), (6, 0)], rounding=0.8)
    ready = PathFollower.of(graph, labels="neutral")
    walks = [ready.follow(path, best=5, seed=seed) for seed in (1, 2, 3, 1)]
    assert np.array_equal(walks[0].walk.edge, walks[3].walk.edge)
    assert len({walk.walk.edge.tobytes() for walk in walks}) > 1
    assert max(walk.worst for walk in walks) < 0.35
