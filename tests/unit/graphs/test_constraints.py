"""Common poses that respect the feet: majorities, poses on their feet, and rounds that leave less to correct."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from snap_libraries import bird, performer, performer_graph, walker_frames, walkers
from walkon.graphs.snap_together.cutting.common_pose import in_clips, lay_on_base
from walkon.graphs.snap_together.cutting.constraints import majority, put_on_feet, solve_common_poses
from walkon.graphs.snap_together.cutting.displacement import Frames
from walkon.graphs.snap_together.matching.match_sets import grow
from walkon.motion.clip import Clip
from walkon.motion.kinematics import forward, planar_poses
from walkon.motion.library import Library
from walkon.motion.skeleton import SIDES
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

MICROMETRE = 1e-6


def test_a_majority_is_more_than_half(rng):
    flags, hubs = rng.random((60, 3)) < 0.5, rng.integers(0, 4, 60)
    found = majority(flags, hubs, 4)
    for h in range(4):
        mine = flags[hubs == h]
        for c in range(3):
            assert found[h, c] == (sum(mine[:, c]) > len(mine) / 2)
    tie = majority(np.array([[True], [False]]), np.zeros(2, int), 1)
    assert not tie.any()
    assert majority(np.array([[True]]), np.array([1]), 2).tolist() == [[False], [True]]


@pytest.mark.parametrize("height", [0.0, 0.15])
def test_a_pose_is_put_on_its_feet_and_only_its_legs_change(height):
    library = walkers()
    frame = int(np.flatnonzero(library.contacts[:, 0] & library.contacts[:, 1])[10])
    contacts = library.contacts[frame]
    pose = Frames(library.root_positions[frame] + [0, 0, height + 0.006], library.local_rotations[frame])
    made = put_on_feet(library, pose, contacts, np.where(contacts, height, 0.0))
    clip = Clip(
        skeleton=library.skeleton, fps=30.0, root_positions=made.roots[None], local_rotations=made.rotations[None]
    )
    assert clip.contact_positions[0, contacts, 2] == pytest.approx(height, abs=MICROMETRE)
    legs = {library.skeleton.role(f"{side}_{part}") for side in SIDES for part in ("hip", "knee", "ankle", "ball")}
    others = [j for j in range(len(library.skeleton)) if j not in legs]
    assert quat.angle_between(made.rotations[others], pose.rotations[others]).max() < 1e-7
    assert np.array_equal(made.roots[:2], pose.roots[:2])


def test_a_pose_without_contacts_is_left_as_it_is():
    library = Library.of([bird()])
    pose = Frames(library.root_positions[3], library.local_rotations[3])
    made = put_on_feet(library, pose, np.zeros(0, bool), np.zeros(0))
    assert np.array_equal(made.rotations, pose.rotations)


def solved(library=None, *, rounds=3, primary=None, hub=None):
    """One hub of the walkers' steps."""
    library = library or walkers()
    found = grow(walker_frames(), 60, threshold=0.05)
    laid = lay_on_base(walker_frames(), found.frames, 0)
    count = len(found.frames)
    flags = np.ones(count, bool) if primary is None else primary(count)
    hubs = np.zeros(count, int) if hub is None else hub(count)
    return found, solve_common_poses(library, hubs, found.frames, laid, primary=flags, rounds=rounds)


@pytest.mark.parametrize("rounds", [0, 1, 4])
def test_common_poses_stand_in_their_own_frame_with_planted_points_on_the_ground(rounds):
    library = walkers()
    _, common = solved(rounds=rounds)
    world = forward(library.skeleton, common.poses.roots, common.poses.rotations)
    assert np.abs(planar_poses(library.skeleton, world)).max() < 1e-9
    clip = Clip(
        skeleton=library.skeleton,
        fps=30.0,
        root_positions=common.poses.roots,
        local_rotations=common.poses.rotations,
        contacts=common.contacts,
    )
    assert common.contacts.any()
    assert np.abs(clip.contact_positions[common.contacts][:, 2]).max() < MICROMETRE


def test_the_common_pose_lies_where_its_match_frames_are():
    library = walkers()
    found, common = solved()
    target, speed = in_clips(common.poses, common.speeds, np.zeros(len(found.frames), int), common.places)
    apart = target.roots - library.root_positions[found.frames]
    assert np.linalg.norm(apart, axis=1).max() < 0.08
    assert np.abs(apart.mean(axis=0)).max() < 0.02
    assert quat.angle_between(target.rotations, library.local_rotations[found.frames]).max() < 0.25
    # The walkers walk along x at 1.1 and 1.2 m/s.
    assert speed.roots[:, 0] == pytest.approx(1.15, abs=0.1)


def test_the_common_pose_of_one_frame_is_that_frame():
    library = walkers()
    frame = np.array([60])
    one = solve_common_poses(library, np.zeros(1, int), frame, np.zeros((1, 3)), primary=np.ones(1, bool), rounds=3)
    target, _ = in_clips(one.poses, one.speeds, np.zeros(1, int), one.places)
    # The contacts of the walker are exact, so there is nothing to correct but the toes' clearance.
    assert target.roots[0] == pytest.approx(library.root_positions[60], abs=1e-3)
    assert np.degrees(quat.angle_between(target.rotations[0], library.local_rotations[60])).max() < 2.0


def test_rounds_begin_from_the_original_motion_and_leave_less_to_correct():
    """Section 4.2.2: after some rounds the pose hardly changes any more."""
    poses = [solved(rounds=rounds)[1].poses for rounds in (0, 1, 3, 4)]
    change = [quat.angle_between(a.rotations, b.rotations).max() for a, b in itertools.pairwise(poses)]
    assert change[-1] <= max(change[0], 1e-6)
    assert np.degrees(change[-1]) < 1.0


def test_frames_that_are_not_primary_do_not_shape_the_pose():
    found, common = solved(primary=lambda count: np.arange(count) < count - 1)
    library = walkers()
    twisted = np.array(library.local_rotations)
    upper = [library.skeleton.role(role) for role in ("spine", "left_shoulder", "neck")]
    twisted[found.frames[-1], upper] = quat.about(np.array([0.0, 0, 1]), 0.5)
    _, other = solved(replace(library, local_rotations=twisted), primary=lambda count: np.arange(count) < count - 1)
    assert quat.angle_between(common.poses.rotations, other.poses.rotations).max() < 1e-7
    _, shaped = solved(replace(library, local_rotations=twisted))
    assert quat.angle_between(common.poses.rotations, shaped.poses.rotations)[:, upper].max() > 0.01


def test_the_order_of_match_frames_does_not_matter():
    library = walkers()
    found, common = solved()
    order = np.arange(len(found.frames))[::-1]
    laid = lay_on_base(walker_frames(), found.frames, 0)
    turned = solve_common_poses(
        library, np.zeros(len(order), int), found.frames[order], laid[order], primary=np.ones(len(order), bool)
    )
    assert turned.poses.roots == pytest.approx(common.poses.roots, abs=1e-9)
    assert quat.angle_between(turned.poses.rotations, common.poses.rotations).max() < 1e-7
    assert turned.places[order] == pytest.approx(common.places, abs=1e-9)


def test_bodies_without_contacts_have_common_poses_too():
    library = Library.of([bird()])
    frame = np.array([60, 120, 180])
    laid = planar.compose(library["bird"].planar_poses[60], planar.inverse(library["bird"].planar_poses[frame]))
    found = solve_common_poses(library, np.zeros(3, int), frame, laid, primary=np.ones(3, bool))
    assert found.contacts.shape == (1, 0)
    # It flies the same way every two seconds.
    target, _ = in_clips(found.poses, found.speeds, np.zeros(3, int), found.places)
    assert target.roots == pytest.approx(library.root_positions[frame], abs=1e-6)
    assert quat.angle_between(target.rotations, library.local_rotations[frame]).max() < 1e-6


def test_heights_of_supports_are_those_of_the_frames_that_have_the_contact():
    library = walkers()
    raised = replace(
        library,
        root_positions=library.root_positions + np.array([0, 0, 0.2]),
        contact_heights=np.where(library.contacts, 0.2, 0.0),
    )
    _, common = solved(raised)
    assert np.array_equal(common.heights > 0, common.contacts)
    assert common.heights[common.contacts] == pytest.approx(0.2)


def test_hubs_of_the_performer_are_on_their_feet():
    graph, skeleton = performer_graph(), performer().skeleton
    clip = Clip(skeleton=skeleton, fps=30.0, root_positions=graph.roots, local_rotations=graph.rotations)
    assert graph.contacts.any(axis=1).all()
    assert np.abs(clip.contact_positions[graph.contacts][:, 2]).max() < 1e-3
    assert np.abs(clip.planar_poses).max() < 1e-9
    assert (clip.contact_positions[..., 2] > -0.002).all()
