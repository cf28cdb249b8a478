"""Kovar, Gleicher, Pighin 2002, section 3.3: what happens within a transition (equations 5 to 7)."""

import numpy as np
import pytest

from walkon.capture import builtin_library
from walkon.graphs.build import build_graph
from walkon.graphs.motion_graph import TRANSITION
from walkon.graphs.walk_segments import walk_take
from walkon.take.planting.contact_spans import contact_spans
from walkon.take.posing.posing import pose_pairs
from walkon.transforms import planar
from walkon.transforms import quaternions as quat


@pytest.fixture(scope="module")
def graph():
    library = builtin_library()
    return build_graph([library[name] for name in ("walk_1.10", "walk_1.35", "arc_left_1.20_50")])


@pytest.fixture(scope="module")
def rows(graph):
    across = graph.edges.kind == TRANSITION
    other = graph.nodes.clip[graph.edges.start] != graph.nodes.clip[graph.edges.stop]
    return np.flatnonzero(across & other)[::41]


def alpha(p):
    return 2 * p**3 - 3 * p**2 + 1


def test_eq5_root_places_are_mixed_by_the_cubic_weights(graph, rows):
    parts = np.linspace(0.0, 1.0, 13)
    w = graph.settings["blend"]
    for row in rows:
        take = walk_take(graph, [[row]])
        found = pose_pairs(take, np.zeros(13, int), parts * w, legs=False).positions[:, 0]
        a, b = int(graph.edges.start[row]), int(graph.edges.stop[row])
        old, new = graph.clip(int(graph.nodes.clip[a])), graph.clip(int(graph.nodes.clip[b]))

        def place(clip, pose, times):
            frames = times * clip.fps
            roots = np.stack([np.interp(frames, np.arange(len(clip)), clip.root_positions[:, i]) for i in range(3)], -1)
            return planar.apply_3d(pose, roots)

        from_old = place(old, planar.inverse(graph.nodes.pose[a]), graph.nodes.time[a] + parts * w)
        laid = planar.compose(graph.edges.displacement[row], planar.inverse(graph.nodes.pose[b]))
        from_new = place(new, laid, graph.nodes.time[b] - (1 - parts) * w)
        wanted = alpha(parts)[:, None] * from_old + (1 - alpha(parts))[:, None] * from_new
        assert found == pytest.approx(wanted, abs=2e-5)


def test_eq6_runs_from_the_old_clip_to_the_new_one(graph, rows):
    # Read literally, equation 6 would run the other way than equation 5: at the start it must be the old clip.
    w = graph.settings["blend"]
    for row in rows:
        take = walk_take(graph, [[row]])
        found = pose_pairs(take, np.zeros(2, int), np.array([0.0, w]), legs=False).local_rotations
        for k, node in enumerate((int(graph.edges.start[row]), int(graph.edges.stop[row]))):
            clip = graph.clip(int(graph.nodes.clip[node]))
            own = clip.local_rotations[round(graph.nodes.time[node] * clip.fps)]
            turned = np.degrees(quat.angle_between(found[k, 1:], own[1:]))
            assert turned.max() < 0.05


def test_eq7_weights_are_smooth_at_both_ends():
    p = np.linspace(0.0, 1.0, 1001)
    slope = np.gradient(alpha(p), p)
    assert alpha(0.0) == 1.0
    assert alpha(1.0) == 0.0
    assert abs(slope[0]) < 0.01
    assert abs(slope[-1]) < 0.01


def test_contacts_are_the_old_clips_in_the_first_half_and_the_new_ones_in_the_second(graph, rows):
    w = graph.settings["blend"]
    times = np.array([0.12, 0.25, 0.38, 0.62, 0.75, 0.88]) * w
    agree = []
    for row in rows:
        spans = contact_spans(walk_take(graph, [[row]]))
        for node, begin, mine in ((graph.edges.start[row], 0.0, times[:3]), (graph.edges.stop[row], -w, times[3:])):
            clip = graph.clip(int(graph.nodes.clip[node]))
            for t in mine:
                own = clip.contacts[round((graph.nodes.time[node] + begin + t) * clip.fps)]
                now = [bool(((spans.point == c) & (spans.start <= t) & (spans.stop >= t)).any()) for c in range(4)]
                agree += [a == b for a, b in zip(own, now, strict=True)]
    # Contacts of a frame or two at a seam are dropped, and short gaps are filled.
    assert np.mean(agree) > 0.97


def test_a_transition_has_the_labels_of_both(graph, rows):
    union = graph.edges.labels[rows]
    for end in (graph.edges.start, graph.edges.stop):
        for row, bits in zip(rows, union, strict=True):
            node = end[row]
            clip = graph.clip(int(graph.nodes.clip[node]))
            frame = round(graph.nodes.time[node] * clip.fps)
            for bit, label in enumerate(graph.library.label_names):
                if label in clip.labels and clip.labels[label][frame]:
                    assert bits >> bit & 1
