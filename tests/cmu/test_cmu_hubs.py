"""Snap-together graphs of real performers: what subject 69 with mirror images offers, and what 143 allows."""

import numpy as np
import pytest

from walkon.capture.build import assemble
from walkon.capture.recordings import find_recordings, import_recording
from walkon.graphs.point_clouds import compared_joints
from walkon.graphs.snap_together.build import build_connected_graph, build_snap_graph
from walkon.graphs.snap_together.judging.quality import main_pairs
from walkon.motion.mirror_images import with_images
from walkon.transforms import quaternions as quat

pytestmark = [pytest.mark.mocap, pytest.mark.slow]
MILLIMETRE = 1e-3


def performer(folder, subject):
    """All clips of one subject."""
    entries = [entry for entry in find_recordings(folder) if entry.name.split("_")[0] == subject]
    recordings = [recording for entry in entries for recording in import_recording(entry)]
    return assemble(recordings, folder=folder).library


@pytest.fixture(scope="module")
def subject69(mocap):
    return performer(mocap, "69")


@pytest.fixture(scope="module")
def graph69(subject69):
    """All suggested hubs, those that nothing joins too: none is left out of what is measured."""
    return build_snap_graph(with_images(subject69))


def bends(graph, hubs=None):
    """Degrees by which the joints that move are bent at match frames, of all hubs or some."""
    rows = np.ones(len(graph.matches), bool) if hubs is None else np.isin(graph.matches.hub, hubs)
    return np.degrees(graph.displacements[rows][:, compared_joints(graph.source.skeleton)])


def mean_pose(clips):
    rotations = [np.array(clip.local_rotations) for clip in clips]
    for clip, mine in zip(clips, rotations, strict=True):
        mine[:, 0] = quat.multiply(quat.turn(-clip.planar_poses[:, 2]), mine[:, 0])
    return quat.mean(np.concatenate(rotations))


def test_69_has_forty_edges_each_way_between_its_main_hubs(graph69):
    a, b = main_pairs(graph69)[0]
    assert a != b
    assert graph69.counts[a, b] >= 40
    assert graph69.counts[b, a] >= 40
    assert graph69.core[[a, b]].all()
    turns = np.degrees(graph69.edges.turn[graph69.between(a, b)])
    assert turns.min() < -30
    assert turns.max() > 30


def test_69_becomes_a_graph_of_walking_and_its_other_hubs_are_told(subject69, graph69):
    made = build_connected_graph(with_images(subject69))
    assert made.core.all()
    assert {"left", "right"} <= {name.split("_")[1] for name in made.hub_names if name.startswith("walk_")}
    assert set(made.hub_names) >= {name for name, inside in zip(graph69.hub_names, graph69.core, strict=True) if inside}
    told = [note for note in made.notes if note.startswith("left out: ")]
    for name in set(graph69.hub_names) - set(made.hub_names):
        assert any(name in note for note in told)
    assert any("are in no edge: 69_43 (41.4 s)" in note for note in made.notes)


def test_69_with_mirror_images_is_hardly_bent(graph69):
    every, main = bends(graph69), bends(graph69, main_pairs(graph69)[0])
    assert np.median(every) <= 3.0
    assert np.percentile(every, 95) <= 9.0
    assert np.median(main) <= 3.0
    assert np.percentile(main, 95) <= 9.0


def test_images_of_69_lose_the_performer_s_asymmetry_and_stand_on_the_floor(subject69):
    joints = compared_joints(subject69.skeleton)
    found = {}
    for symmetric in (False, True):
        library = with_images(subject69, symmetric=symmetric)
        images = [clip for clip in library if clip.name.endswith(":mirrored")]
        found[symmetric] = np.degrees(quat.angle_between(mean_pose(list(subject69)), mean_pose(images)))[joints]
        for image in images:
            above = (image.contact_positions[..., 2] - image.contact_heights)[image.contacts]
            assert np.abs(above).max(initial=0.0) < MILLIMETRE, image.name
    assert found[False].max() > 8.0
    assert found[True].max() < 0.5 * found[False].max()
    assert found[True].mean() < 0.5 * found[False].mean()


def test_143_gives_what_its_clips_allow(mocap):
    graph = build_connected_graph(with_images(performer(mocap, "143")))
    assert graph.core.all()
    pair = main_pairs(graph)[0]
    assert min(graph.counts[pair], graph.counts[pair[::-1]]) >= 5
    assert np.median(bends(graph)) <= 4.5
    assert any(name.startswith("sit") for name in graph.hub_names)
