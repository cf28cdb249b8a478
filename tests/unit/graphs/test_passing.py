"""What frames look like: stance, passing poses, speed, height and turning."""

from dataclasses import replace

import numpy as np
import pytest

import walker
from arc_graphs import glide
from snap_libraries import FPS, bird, performances, performer, walkers
from walkon.graphs.snap_together.matching.passing import PASSING_WITHIN_M, postures
from walkon.graphs.snap_together.snap_graph import BOTH, LEFT, NEITHER, RIGHT
from walkon.motion.editing import move
from walkon.motion.library import Library
from walkon.transforms import quaternions as quat


def test_stance_follows_the_contacts_alone():
    clip = walkers()["slow"]
    found = postures(Library.of([clip])).stance
    for t in range(len(clip)):
        left, right = clip.contacts[t, :2].any(), clip.contacts[t, 2:].any()
        assert found[t] == {(1, 1): BOTH, (1, 0): LEFT, (0, 1): RIGHT, (0, 0): NEITHER}[int(left), int(right)]
    assert set(found.tolist()) == {LEFT, RIGHT, BOTH}


def test_in_passing_poses_one_foot_is_down_and_the_other_beside_it():
    clip = walkers()["slow"]
    found = postures(Library.of([clip]))
    ankles = [clip.world.positions[:, clip.skeleton.role(f"{side}_ankle"), 0] for side in ("left", "right")]
    beside = np.abs(ankles[0] - ankles[1]) <= PASSING_WITHIN_M
    assert np.array_equal(found.passing, beside & np.isin(found.stance, (LEFT, RIGHT)))
    # Each of the ten or eleven steps of six seconds passes once.
    begins = found.passing & ~np.append(False, found.passing[:-1])
    assert begins.sum() in (10, 11)


def test_passing_does_not_depend_on_where_and_which_way_one_walks(rng):
    clips = performances()
    moved = [move(clip, np.array([*rng.uniform(-9, 9, 2), rng.uniform(-3, 3)])) for clip in clips]
    here, there = postures(Library.of(clips)), postures(Library.of(moved))
    assert np.array_equal(here.stance, there.stance)
    assert np.array_equal(here.passing, there.passing)
    for name in ("speed", "ahead", "aside", "height"):
        assert getattr(there, name) == pytest.approx(getattr(here, name), abs=1e-9)


def test_speed_is_that_of_the_way_and_seen_from_the_body():
    straight, arc = glide("straight", 0.0, speed=1.3), glide("arc", 0.5, speed=0.8, seconds=9.0)
    crab = replace(straight, local_rotations=np.tile([quat.turn(-np.pi / 2), quat.IDENTITY], (len(straight), 1, 1)))
    for clip, speed, ahead, aside in ((straight, 1.3, 1.3, 0.0), (arc, 0.8, 0.8, 0.0), (crab, 1.3, 0.0, 1.3)):
        found = postures(Library.of([clip]))
        # Over a chord of at most half a second the arc is a little longer, 1 - (0.2 rad)^2 / 24; at the ends of a clip
        # the chord lies to one side, up to 0.1 rad off.
        assert found.speed == pytest.approx(speed, rel=2e-3)
        assert found.ahead[15:-15] == pytest.approx(ahead, abs=2e-3)
        assert found.aside[15:-15] == pytest.approx(aside, abs=2e-3)
        assert found.aside == pytest.approx(aside, abs=0.09)


def test_clips_do_not_see_each_other():
    near, far = glide("near", 0.0), replace(move(glide("far", 0.0), [500.0, 0.0, 2.0]), name="far")
    found = postures(Library.of([near, far]))
    assert found.speed == pytest.approx(1.0, abs=1e-9)
    assert found.ahead == pytest.approx(1.0, abs=1e-9)


def test_a_clip_of_one_frame_stands_still():
    clip = glide("moment", 0.0, seconds=0.0)
    found = postures(Library.of([clip]))
    assert (found.speed[0], found.ahead[0], found.aside[0]) == (0.0, 0.0, 0.0)


def test_people_are_as_high_as_their_rest_pose_and_lower_when_seated():
    library = performer()
    found = postures(library)
    seated = library.labels[:, library.label_names.index("seated")]
    assert found.height[: len(library["straight"])] == pytest.approx(1.0, abs=0.1)
    assert found.height[seated].max() < 0.75


def test_bodies_without_feet_have_no_stance_and_never_pass():
    found = postures(Library.of([bird()]))
    assert (found.stance == NEITHER).all()
    assert not found.passing.any()
    assert found.speed == pytest.approx(1.0, rel=0.01)


def test_a_hand_on_a_rail_is_not_a_foot():
    clip = walker.walk(seconds=3.0, fps=FPS)
    body = clip.skeleton
    with_hand = replace(
        body,
        contact_names=(*body.contact_names, "left_hand"),
        contact_joints=np.append(body.contact_joints, body.role("left_wrist")),
        contact_offsets=np.vstack([body.contact_offsets, np.zeros(3)]),
    )
    leaning = replace(
        clip,
        skeleton=with_hand,
        contacts=np.column_stack([clip.contacts, np.ones(len(clip), bool)]),
        contact_heights=np.zeros((len(clip), 5)),
    )
    assert np.array_equal(postures(Library.of([leaning])).stance, postures(Library.of([clip])).stance)
