"""Common poses: alignment through the most central frame, means, velocities, and the hub's own frame."""

from dataclasses import replace

import numpy as np
import pytest
from wandering_clouds import wandering

import walker
from snap_libraries import FPS, bird, performer, walker_frames, walkers
from walkon.graphs import FrameSet, align
from walkon.graphs.point_clouds import compared_joints
from walkon.graphs.snap_together.build import build_snap_graph, compared
from walkon.graphs.snap_together.cutting import common_pose
from walkon.graphs.snap_together.cutting.common_pose import (
    find_central,
    in_frame,
    lay_on_base,
    mean_pose,
    mean_velocity,
    move_frames,
    stance_weights,
)
from walkon.graphs.snap_together.cutting.displacement import Frames
from walkon.graphs.snap_together.matching.match_sets import has_window
from walkon.graphs.snap_together.snap_graph import BOTH, LEFT, NEITHER, RIGHT
from walkon.motion.editing import move
from walkon.motion.kinematics import forward, planar_poses
from walkon.motion.library import Library
from walkon.transforms import planar
from walkon.transforms import quaternions as quat


@pytest.mark.parametrize(("stance", "sides"), [(LEFT, ("left",)), (RIGHT, ("right",)), (BOTH, ("left", "right"))])
def test_standing_feet_have_half_of_all_weight(stance, sides):
    skeleton = walkers().skeleton
    clip = walkers()["slow"]
    frames = FrameSet.of([clip], joint_weights=stance_weights(skeleton, stance))
    feet = {skeleton.names[skeleton.role(f"{side}_{part}")] for side in sides for part in ("ankle", "ball")}
    on_feet = sum(weight for joint, weight in zip(frames.joints, frames.weights, strict=True) if joint in feet)
    assert on_feet == pytest.approx(0.5)
    assert len(frames.joints) == len(compared_joints(skeleton))


def test_no_stance_or_no_feet_give_equal_weights():
    assert stance_weights(walkers().skeleton, NEITHER) == {}
    assert stance_weights(bird().skeleton, BOTH) == {}


def test_the_central_member_has_the_smallest_sum_of_distances(rng):
    frames = wandering(layout="centred")
    for _ in range(5):
        members = np.sort(rng.choice(np.arange(4, 55), 6, replace=False))
        sums = [sum(float(align(frames, [[a, b]]).distances[0]) for b in members if b != a) for a in members]
        assert find_central(frames, members) == int(np.argmin(sums))
    assert find_central(frames, np.array([30])) == 0


def test_clips_that_were_moved_are_laid_back_and_transforms_agree(rng):
    clip = walker.walk(seconds=2.0, fps=FPS)
    places = np.column_stack([rng.uniform(-8, 8, (4, 2)), rng.uniform(-3, 3, 4)])
    library = Library.of([replace(move(clip, place), name=str(k)) for k, place in enumerate(places)])
    frames = compared(library)
    members = frames.starts + 25
    for base in range(4):
        laid = lay_on_base(frames, members, base)
        assert (laid[base] == 0.0).all()
        # T_kb takes the world of k to that of the base: place_b ∘ place_k⁻¹.
        wanted = planar.compose(places[base], planar.inverse(places))
        assert np.abs(planar.relative(laid, wanted)).max() < 1e-5
        # Equation 5: T_pq T_qr = T_pr, where T_pq = T_bq T_bp⁻¹.
        p, q, r = laid[0], laid[1], laid[2]
        pq, qr = planar.compose(planar.inverse(p), q), planar.compose(planar.inverse(q), r)
        apart = planar.relative(planar.compose(pq, qr), planar.compose(planar.inverse(p), r))
        assert np.abs(apart).max() < 1e-12


def test_poses_are_moved_as_clips_are():
    clip = walkers()["slow"]
    place = np.array([3.0, -2.0, 1.2])
    frames = move_frames(np.tile(place, (len(clip), 1)), Frames(clip.root_positions, clip.local_rotations))
    wanted = move(clip, place)
    assert frames.roots == pytest.approx(wanted.root_positions, abs=1e-12)
    assert quat.angle_between(frames.rotations, wanted.local_rotations).max() < 1e-7


def test_the_mean_of_a_pose_and_its_opposites_is_the_pose(rng):
    pose = quat.normalize(rng.normal(size=(6, 4)))
    away = rng.normal(scale=0.2, size=(6, 3))
    both = np.stack([quat.multiply(pose, quat.exp(away)), -quat.multiply(pose, quat.exp(-away))])
    found = mean_pose(Frames(np.array([[0.0, 0, 1], [2.0, 0, 2]]), both))
    assert found.roots.tolist() == [1.0, 0.0, 1.5]
    assert quat.angle_between(found.rotations, pose).max() < 1e-7
    alone = mean_pose(Frames(np.ones((1, 3)), both[:1]))
    assert quat.angle_between(alone.rotations, both[0]).max() < 1e-7


def test_mean_velocities_are_turned_into_one_frame():
    poses = np.array([[5.0, 1.0, np.pi / 2], [0.0, 0.0, 0.0]])
    speeds = Frames(np.array([[1.0, 0, 0.5], [0.0, 1, 0.5]]), np.array([[[1.0, 2, 3]], [[3.0, 2, 1]]]))
    found = mean_velocity(poses, speeds)
    assert found.roots == pytest.approx([0.0, 1.0, 0.5])
    assert found.rotations.tolist() == [[2.0, 2.0, 2.0]]


@pytest.mark.parametrize("library", [walkers(), performer(), Library.of([bird()])], ids=["walker", "performer", "bird"])
def test_in_its_own_frame_a_pose_stands_at_the_origin_and_faces_ahead(library):
    poses = Frames(library.root_positions[40:42], library.local_rotations[40:42])
    speeds = Frames(np.array([[1.0, 2.0, 0.3], [0.0, 1.0, 0.0]]), np.ones((2, len(library.skeleton), 3)))
    found, found_speeds, origins = in_frame(library, poses, speeds)
    world = forward(library.skeleton, found.roots, found.rotations)
    assert np.abs(planar_poses(library.skeleton, world)).max() < 1e-12
    # Put back where it was, it is what it was; a velocity turns along.
    back = move_frames(origins, found)
    assert back.roots == pytest.approx(poses.roots, abs=1e-12)
    assert quat.angle_between(back.rotations, poses.rotations).max() < 1e-7
    assert quat.rotate(quat.turn(origins[:, 2]), found_speeds.roots) == pytest.approx(speeds.roots, abs=1e-12)
    assert np.array_equal(found_speeds.rotations, speeds.rotations)


def test_the_base_of_equal_steps_is_one_of_them():
    frames = walker_frames()
    members = np.array([30, 63, 97])  # strides of 33.3 frames
    laid = lay_on_base(frames, members, find_central(frames, members))
    # The walker walks straight along x: nothing turns, and steps are strides apart.
    assert np.abs(laid[:, 1:]).max() < 0.02


def test_large_sets_are_measured_against_a_sample(rng):
    frames = compared(performer())
    usable = np.flatnonzero(has_window(frames))
    members = np.sort(rng.choice(usable, 150, replace=False))
    sums = np.array([align(frames, np.column_stack([np.full(150, a), members])).distances.sum() for a in members])
    assert np.count_nonzero(sums < sums[find_central(frames, members)]) < 10


def test_the_standing_foot_is_laid_on_itself_more_closely_than_with_equal_weights(monkeypatch):
    """Hubs are built with the standing foot's weights: without them it lies about more."""

    def spread():
        graph = build_snap_graph(performer(), frames=compared(performer()), threshold=0.08)
        hub = [name.startswith("walk_left") for name in graph.hub_names].index(True)
        rows = np.flatnonzero(graph.matches.hub == hub)
        frame = performer().starts[graph.matches.clip[rows]] + graph.matches.frame[rows]
        world = forward(performer().skeleton, performer().root_positions[frame], performer().local_rotations[frame])
        foot = world.positions[:, performer().skeleton.role("left_ankle"), :2]
        places = planar.apply(planar.inverse(graph.matches.pose[rows]), foot)
        return float(np.linalg.norm(places - places.mean(axis=0), axis=1).mean())

    weighted = spread()
    monkeypatch.setattr(common_pose, "stance_weights", lambda skeleton, stance: {})
    assert weighted < 0.8 * spread()
