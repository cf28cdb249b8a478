"""What the designer shows: distance images, slices and motions, against the slow way to the same."""

import gzip

import numpy as np
import pytest

from snap_libraries import performer
from walkon._base.errors import InvalidValue
from walkon.graphs.frame_distance import distance_matrix
from walkon.graphs.snap_together.matching.match_sets import distances_from
from walkon.motion.kinematics import forward
from walkon.take.storing.file import load_take
from walkon.take.storing.rotations48 import unpack
from walkon.transforms import planar
from walkon.viewer.designer import DesignSession, pictures
from walkon.viewer.designer.pictures import clip_take, edge_arrays, edge_take
from walkon.viewer.packing import pack_take


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    made = DesignSession.open(tmp_path_factory.mktemp("graphs") / "x.graph", library=performer())
    made.build()
    return made


def unpacked(take, tmp_path):
    path = tmp_path / "preview.take"
    path.write_bytes(gzip.decompress(pack_take(take)))
    return load_take(path)


def test_an_image_of_two_clips_is_their_distance_matrix(session):
    found = pictures.image_of_clips(session.material, (0, 2), metres_max=0.3)
    matrix = distance_matrix(session.material.frames, (0, 2))
    np.testing.assert_array_equal(found, np.rint(np.minimum(matrix / 0.3, 1) * 255))
    across = pictures.image_of_clips(session.material, (2, 0), metres_max=0.3)
    np.testing.assert_array_equal(across, found.T)


def test_pixels_of_a_large_image_are_the_nearest_pairs_that_they_cover(session, monkeypatch):
    whole = pictures.image_of_clips(session.material, (0, 1), metres_max=0.3)
    monkeypatch.setattr(pictures, "_blocks", lambda count, largest=50: np.arange(50) * count // 50)
    small = pictures.image_of_clips(session.material, (0, 1), metres_max=0.3)
    assert small.shape == (50, 50)
    rows, columns = (np.append(np.arange(50) * n // 50, n) for n in whole.shape)
    for i, j in ((0, 0), (13, 27), (49, 49)):
        assert small[i, j] == whole[rows[i] : rows[i + 1], columns[j] : columns[j + 1]].min()


def test_the_image_of_all_is_symmetric_and_dark_along_its_diagonal(session):
    metres_max = pictures.image_scale(session.material)
    found = pictures.image_of_all(session.material, metres_max, largest=100)
    assert found.shape == (100, 100)
    np.testing.assert_array_equal(found, found.T)
    assert np.count_nonzero(np.diag(found) > 2) <= 8  # blocks without a window, at the ends of clips
    assert 0.02 < metres_max < 1.0


def test_distances_are_remembered_and_forgotten_but_stay_the_same(session, monkeypatch):
    from walkon.viewer.designer import material

    monkeypatch.setattr(material, "ROWS_KEPT", 3)
    for frame in (20, 50, 90, 130, 20, 50):
        np.testing.assert_allclose(
            session.material.distances(frame), distances_from(session.material.frames, frame), atol=1e-4
        )
    assert len(session.material._rows) == 3


def test_a_stretch_of_a_clip_begins_at_the_origin(session, tmp_path):
    take = unpacked(clip_take(session.material, 0, begin=2.0, end=3.5), tmp_path)
    assert take.start == 0 and take.stop == pytest.approx(1.5)
    clip = session.material.library[0]
    wanted = planar.apply_3d(planar.inverse(clip.planar_poses[60]), clip.root_positions[60])
    np.testing.assert_allclose(take.pose(0.0).positions[0, 0], wanted, atol=2e-3)


def test_a_join_of_the_graph_goes_on_where_the_first_edge_ends(session, tmp_path):
    graph, look = session.graph, session.look()
    one = 0
    other = int(graph.out_edges(int(graph.edges.stop[one]))[-1])
    take = unpacked(edge_take(session.material, look, [one, other], graph=graph), tmp_path)
    seam = graph.edges.duration[one]
    assert take.stop == seam + graph.edges.duration[other]
    before, after = (take.pose(seam + step).positions[0] for step in (-1e-4, 1e-4))
    assert np.abs(after - before).max() < 0.005
    end = planar.compose(graph.edges.displacement[one], graph.edges.displacement[other])
    np.testing.assert_allclose(take.pose(take.stop).positions[0, 0, :2], end[:2], atol=0.02)


def test_before_building_an_edge_is_the_source_as_it_is(session, tmp_path):
    look = session.look()
    take = unpacked(edge_take(session.material, look, [3], graph=None), tmp_path)
    clip, frame = session.material.library[int(look.clip[look.first[3]])], int(look.frame[look.first[3]])
    wanted = planar.apply_3d(planar.inverse(clip.planar_poses[frame]), clip.world.positions[frame])
    np.testing.assert_allclose(take.pose(0.0).positions[0], wanted, atol=5e-3)


def test_motions_that_are_not_there_are_refused_in_words(session):
    look, graph = session.look(), session.graph
    wrong = next(e for e in range(len(graph.edges)) if graph.edges.start[e] != graph.edges.stop[0])
    for ask, match in (
        (lambda: clip_take(session.material, 9), "clips are numbered 0 to 3"),
        (lambda: clip_take(session.material, 0, begin=3.0, end=3.0), "lasts 0.1 s or more"),
        (lambda: clip_take(session.material, 0, begin=99.0), "lasts 0.1 s or more"),
        (lambda: edge_take(session.material, look, [9999], graph=graph), "edges are numbered"),
        (lambda: edge_take(session.material, look, [0, wrong], graph=graph), "does not begin in the hub"),
        (lambda: pictures.image_of_clips(session.material, (0, 4), metres_max=1.0), "clips are numbered"),
    ):
        with pytest.raises(InvalidValue, match=match):
            ask()


def test_edge_arrays_hold_all_that_concatenation_needs(session):
    graph = session.graph
    arrays = edge_arrays(graph)
    assert arrays["first"][-1] == len(arrays["roots"]) == len(arrays["rotations"])
    assert arrays["core"].all()
    last, first = arrays["first"][1:] - 1, arrays["first"][:-1]
    skeleton = graph.source.skeleton
    ends, begins = (
        forward(skeleton, arrays["roots"][rows].astype(float), unpack(arrays["rotations"][rows])).positions
        for rows in (last, first)
    )
    for edge in range(len(graph.edges)):
        placed = planar.apply_3d(planar.inverse(arrays["displacement"][edge].astype(float)), ends[edge])
        for other in graph.out_edges(int(arrays["stop"][edge])):
            np.testing.assert_allclose(placed, begins[other], atol=2e-3)  # 48 bits a rotation
