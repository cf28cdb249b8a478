"""Footprints: discs that cover the body's shadow on the floor."""

import numpy as np
import pytest

from snap_libraries import bird, performer, performer_graph
from walkon.motion.body import Body, world_capsules
from walkon.motion.footprint import LEGS, NO_DISC_RADIUS_M, TRUNK, cover, footprint_radius, footprints, limb_discs
from walkon.motion.kinematics import forward, planar_poses
from walkon.motion.library import Library
from walkon.transforms import planar

FRAMES = slice(700, 848, 7)
"""Some who sit."""


def shadows(library, frames, parts):
    """Discs of a part of the body on the floor, in its own planar frame: centres [n, k, 2], radii [k]."""
    body = Body.of(library.skeleton)
    world = forward(library.skeleton, library.root_positions[frames], library.local_rotations[frames])
    poses = planar_poses(library.skeleton, world)
    starts, ends = world_capsules(body, *world)
    centres = planar.apply(planar.inverse(poses)[:, None], np.concatenate([starts, ends], axis=1)[..., :2])
    mine = np.tile(np.isin(body.capsule_parts, parts), 2)
    return centres[:, mine], np.concatenate([body.capsule_radii[:, 0], body.capsule_radii[:, 1]])[mine]


def made(library, frames, *, moving):
    world = forward(library.skeleton, library.root_positions[frames], library.local_rotations[frames])
    poses = planar_poses(library.skeleton, world)
    return footprints(
        library.skeleton,
        library.root_positions[frames],
        library.local_rotations[frames],
        poses,
        moving=np.full(len(poses), moving),
    )


def test_on_the_way_there_is_one_disc_about_the_root():
    discs = made(performer(), FRAMES, moving=True)
    assert (discs[:, 0, :2] == 0.0).all()
    assert (discs[:, 0, 2] == footprint_radius(Body.of(performer().skeleton))).all()
    assert (discs[:, 1:, 2] == NO_DISC_RADIUS_M).all()


@pytest.mark.parametrize("frames", [slice(0, 12, 3), FRAMES], ids=["standing", "seated"])
def test_at_rest_three_discs_cover_trunk_and_legs(frames):
    discs = made(performer(), frames, moving=False)
    for k, parts in enumerate((TRUNK, *LEGS)):
        centres, radii = shadows(performer(), frames, parts)
        gap = np.linalg.norm(centres - discs[:, k, None, :2], axis=2) + radii - discs[:, k, None, 2]
        assert gap.max() < 1e-9
        assert gap.max(axis=1).min() > -1e-9  # and touch it: no larger than needed about their middle
    assert (discs[..., 2] > 0.03).all()
    assert (discs[..., 2] < 0.5).all()


def test_a_cover_holds_what_it_covers(rng):
    centres, radii = rng.normal(size=(20, 6, 2)), rng.uniform(0.1, 0.5, 6)
    discs = cover(centres, radii)
    reach = np.linalg.norm(centres - discs[:, None, :2], axis=2) + radii
    assert reach.max(axis=1) == pytest.approx(discs[:, 2])
    one = cover(centres[:, :1], radii[:1])
    assert one[:, :2] == pytest.approx(centres[:, 0])
    assert one[:, 2] == pytest.approx(radii[0])


@pytest.mark.parametrize("close", [False, True])
def test_for_planning_discs_cover_all_limbs(close):
    library, frames = performer(), slice(0, 300, 25)
    motion = library.root_positions[frames], library.local_rotations[frames]
    poses = planar_poses(library.skeleton, forward(library.skeleton, *motion))
    discs = limb_discs(library.skeleton, *motion, poses, close=np.full(len(poses), close))
    upper = tuple(set(Body.of(library.skeleton).capsule_parts) - set(LEGS[0] + LEGS[1]))
    for k, parts in enumerate((upper, *LEGS)):
        centres, radii = shadows(library, frames, parts)
        if k == 0 and close:
            centres = centres * [0.0, 1.0]  # as wide as the body is, and no deeper
        gap = np.linalg.norm(centres - discs[:, k, None, :2], axis=2) + radii - discs[:, k, None, 2]
        assert gap.max(axis=1) == pytest.approx(0.0, abs=1e-9)


def test_knees_of_the_seated_are_in_front_and_apart():
    library = performer()
    seated = np.flatnonzero(library.labels[:, library.label_names.index("seated")])[10:-10:15]
    discs = made(library, seated, moving=False)
    assert (discs[:, 1, 1] > 0.02).all()  # the left leg on the left
    assert (discs[:, 2, 1] < -0.02).all()
    assert (discs[:, 1:, 0] > discs[:, :1, 0]).all()


def test_a_graph_has_footprints_for_every_frame():
    graph = performer_graph()
    discs = graph.footprints
    assert discs.shape == (len(graph.planar), 3, 3)
    walking = graph.between(0, 1)
    for e in walking.tolist():
        mine = discs[graph.clips.starts[e] : graph.clips.stops[e]]
        assert (mine[:, 1:, 2] == NO_DISC_RADIUS_M).all()
    assert (discs[:, 0, 2] > 0).all()
    assert (discs[:, 1:, 2] > 0).any()


def test_a_bird_has_a_footprint_too():
    library = Library.of([bird()])
    for moving in (True, False):
        discs = made(library, slice(0, 5), moving=moving)
        assert (discs[:, 0, 2] > 0).all()
        assert np.isfinite(discs).all()
