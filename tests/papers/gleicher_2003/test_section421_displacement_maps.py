"""Gleicher, Shin, Kovar, Jepsen 2003, section 4.2.1, figures 6 and 7: displacement maps that keep C1."""

import numpy as np
import pytest

from snap_walks import FPS, walks
from walkon.graphs.snap_together.build import build_snap_graph, compared
from walkon.graphs.snap_together.cutting.displacement import MAX_MAP_S, Frames, apply_maps, maps_to, velocities
from walkon.graphs.snap_together.matching import match_sets
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

FINE = 2000.0
"""frames/s: fine enough to read slopes off differences."""


@pytest.fixture(scope="module")
def graph():
    library = walks(0.95, 1.1, 1.25)
    frames = compared(library)
    return build_snap_graph(library, {"hub": match_sets.largest(frames, threshold=0.05)}, frames=frames)


@pytest.fixture(scope="module")
def bent():
    """A motion of a second, moving and turning, with one map in its middle, and the one wanted there."""
    rng = np.random.default_rng(3)
    T, J = int(FINE) + 1, 4
    middle = T // 2
    seconds = (np.arange(T) - middle) / FINE
    going, spin = rng.standard_normal(3), 2.0 * rng.standard_normal((J, 3))
    source = Frames(seconds[:, None] * going, quat.exp(seconds[:, None, None] * spin))
    now = Frames(source.roots[[middle]], source.rotations[[middle]])
    target = Frames(0.05 * rng.standard_normal((1, 3)), quat.exp(0.5 * rng.standard_normal((1, J, 3))))
    speed = Frames(0.4 * rng.standard_normal((1, 3)), 1.5 * rng.standard_normal((1, J, 3)))
    own = Frames(going[None], spin[None])
    made = apply_maps(
        source,
        maps_to(now, own, target, speed),
        before=np.where(seconds >= 0, 0, -1),
        after=np.where(seconds < 0, 0, -1),
        since=np.abs(seconds),
        until=np.abs(seconds),
        gap=np.full(T, 0.5),
    )
    return made, middle, target, speed, source


def slope(motion, a, b):
    """Velocities between two frames of a fine motion."""
    turned = quat.log(quat.multiply(quat.conjugate(motion.rotations[a]), motion.rotations[b]))
    seconds = (b - a) / FINE
    return (motion.roots[b] - motion.roots[a]) / seconds, turned / seconds


def test_a_map_passes_the_wanted_pose_with_the_wanted_velocity_from_both_sides(bent):
    made, middle, target, speed, _ = bent
    assert np.allclose(made.roots[middle], target.roots[0])
    assert quat.angle_between(made.rotations[middle], target.rotations[0]).max() < 1e-7
    for a, b in ((middle - 1, middle), (middle, middle + 1)):
        roots, spins = slope(made, a, b)
        assert np.allclose(roots, speed.roots[0], atol=0.01)
        assert np.allclose(spins, speed.rotations[0], atol=0.05)


def test_a_map_ends_with_zero_value_and_slope_at_its_neighbours(bent):
    made, *_, source = bent
    assert np.abs(made.roots - source.roots)[[0, -1]].max() < 1e-12
    assert quat.angle_between(made.rotations, source.rotations)[[0, -1]].max() < 1e-7
    for a, b in ((0, 1), (len(made.roots) - 2, len(made.roots) - 1)):
        for found, wanted in zip(slope(made, a, b), slope(source, a, b), strict=True):
            assert np.abs(found - wanted).max() < 0.05


def test_every_edge_begins_and_ends_in_its_hubs_common_pose(graph):
    for edge in range(len(graph.edges)):
        clip = graph.clip(edge)
        assert np.abs(clip.root_positions[0] - graph.roots[graph.edges.start[edge]]).max() < 1e-9
        there = planar.apply_3d(graph.edges.displacement[edge], graph.roots[graph.edges.stop[edge]])
        assert np.abs(clip.root_positions[-1] - there).max() < 1e-9
        turned = np.array(graph.rotations[graph.edges.stop[edge]])
        turned[0] = quat.multiply(quat.turn(graph.edges.displacement[edge, 2]), turned[0])
        assert quat.angle_between(clip.local_rotations[0], graph.rotations[graph.edges.start[edge]]).max() < 1e-6
        assert quat.angle_between(clip.local_rotations[-1], turned).max() < 1e-6


def test_motion_is_c1_across_every_cut(graph):
    """The jump of velocity at a cut is no larger than the source's own change from frame to frame."""
    source = graph.source
    own = []
    for clip in source:
        steps = quat.log(quat.multiply(quat.conjugate(clip.local_rotations[:-1]), clip.local_rotations[1:])) * FPS
        own.append(np.linalg.norm(np.diff(steps, axis=0), axis=-1).ravel())
    limit = np.percentile(np.concatenate(own), 99)
    ends, begins = [], []
    for edge in range(len(graph.edges)):
        q = graph.clip(edge).local_rotations
        ends.append(quat.log(quat.multiply(quat.conjugate(q[-2]), q[-1])) * FPS)
        begins.append(quat.log(quat.multiply(quat.conjugate(q[0]), q[1])) * FPS)
    jumps = np.linalg.norm(np.array(ends)[:, None] - np.array(begins)[None], axis=-1)
    assert jumps.shape[0] > 5
    assert jumps.max() < limit


def test_the_hub_s_velocity_is_the_mean_of_its_match_frames(graph):
    source = graph.source
    at = source.starts[graph.matches.clip] + graph.matches.frame
    motion = Frames(source.root_positions, source.local_rotations)
    first, last = source.starts[graph.matches.clip], source.stops[graph.matches.clip] - 1
    found = velocities(motion, at, first, last, fps=source.fps)
    assert np.allclose(graph.angular_velocities[0], found.rotations.mean(axis=0), atol=1e-6)
    turned = quat.rotate(quat.turn(-graph.matches.pose[:, 2]), found.roots)
    assert np.allclose(graph.root_velocities[0], turned.mean(axis=0), atol=1e-6)


def test_frames_beyond_a_map_s_reach_are_the_source_s_own():
    """Edges of one clip with hubs far apart keep the source in their middle, up to where they are placed."""
    library = walks(1.1, seconds=6.0)
    frames = compared(library)
    chosen = frames.starts[0] + np.array([15, 160])
    graph = build_snap_graph(library, {"hub": match_sets.picked(frames, chosen)}, frames=frames)
    clip, first = graph.clip(0), int(graph.matches.frame[graph.edges.first_match[0]])
    middle = len(clip) // 2
    assert middle / FPS > MAX_MAP_S
    arms = [library.skeleton.role(f"{side}_{part}") for side in ("left", "right") for part in ("shoulder", "elbow")]
    assert (
        quat.angle_between(clip.local_rotations[middle, arms], library.local_rotations[first + middle, arms]).max()
        < 1e-6
    )
