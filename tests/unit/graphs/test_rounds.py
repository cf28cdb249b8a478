"""The rounds in which common poses are found: what they hold, that they settle, and what they leave alone."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from snap_libraries import performer, performer_graph
from snap_walks import walks
from walkon.graphs.point_clouds import library_frames
from walkon.graphs.snap_together.build import compared
from walkon.graphs.snap_together.cutting.common_pose import find_central, in_clips, lay_on_base
from walkon.graphs.snap_together.cutting.constraints import WholeClips, majority, solve_common_poses
from walkon.graphs.snap_together.cutting.displacement import Frames
from walkon.graphs.snap_together.cutting.edges import edge_contacts
from walkon.graphs.snap_together.cutting.reels import Reel
from walkon.graphs.snap_together.matching import match_sets
from walkon.graphs.snap_together.matching.pairing import Pairs
from walkon.graphs.snap_together.matching.suggestions import suggest_hubs
from walkon.transforms import quaternions as quat

MILLIMETRE = 1e-3


@lru_cache
def landing():
    """Walks of three speeds and the frames [M] a moment before the left heel comes down: the paper's example.

    Their feet slide by up to a centimetre, as captured ones do.
    """
    library = walks(0.9, 1.1, 1.3, seconds=5.0)
    t = np.arange(len(library.root_positions)) / library.fps
    wobble = 0.01 * np.sin(np.outer(t, [4.0, 5.1, 6.3]))
    library = replace(library, root_positions=library.root_positions + wobble - [0, 0, 0.01])
    frames = compared(library)
    at = library_frames(library, frames)
    heel = library.contacts[:, library.skeleton.contact("left_heel")]
    soon = ~heel[at] & heel[np.minimum(at + 4, len(heel) - 1)] & match_sets.has_window(frames)
    found = match_sets.grow(frames, int(np.flatnonzero(soon)[2]), threshold=0.2, spacing=0.5)
    laid = lay_on_base(frames, found.frames, find_central(frames, found.frames))
    return library, np.zeros(len(found.frames), int), at[found.frames], laid


@lru_cache
def performed():
    """The suggested hubs of the performer."""
    library = performer()
    frames = compared(library)
    hubs = list(suggest_hubs(library, frames, threshold=0.08)[0].values())
    laid = [lay_on_base(frames, found.frames, find_central(frames, found.frames)) for found in hubs]
    hub = np.repeat(np.arange(len(hubs)), [len(found.frames) for found in hubs])
    at = library_frames(library, frames)[np.concatenate([found.frames for found in hubs])]
    return library, hub, at, np.concatenate(laid)


def solved(given, rounds):
    library, hub, frame, laid = given
    return solve_common_poses(library, hub, frame, laid, primary=np.ones(len(frame), bool), rounds=rounds)


def whole_clips(given):
    library, hub, frame, _ = given
    contacts = majority(library.contacts[frame], hub, hub.max() + 1)
    primary = np.ones(len(frame), bool)
    return WholeClips.of(library, hub, frame, primary=primary, contacts=contacts, heights=np.zeros(contacts.shape))


@pytest.mark.parametrize("given", [landing, performed])
def test_rounds_settle(given):
    few, many = (solved(given(), rounds).poses for rounds in (5, 10))
    assert np.abs(few.roots - many.roots).max() < MILLIMETRE
    assert np.degrees(quat.angle_between(few.rotations, many.rotations)).max() < 0.2


@pytest.mark.parametrize("given", [landing, performed])
def test_rounds_do_not_push_the_hips_down(given):
    none, many = (solved(given(), rounds).poses for rounds in (0, 10))
    assert np.abs(none.roots[:, 2] - many.roots[:, 2]).max() < MILLIMETRE


def test_what_rounds_average_is_held():
    none, one = (solved(landing(), rounds) for rounds in (0, 1))
    assert np.degrees(quat.angle_between(none.poses.rotations, one.poses.rotations)).max() > 0.1


def test_a_foot_that_is_down_at_the_hub_stays_where_the_mean_has_it():
    given = performed()
    whole = whole_clips(given)
    common = solved(given, 0)
    places = common.places[whole.rows]
    held = whole.hold_through(common.poses, common.speeds, places)
    target, _ = in_clips(common.poses, common.speeds, whole.hub, places)
    assert np.array_equal(held.roots, target.roots)
    skeleton = performer().skeleton
    for side, name in enumerate(("left", "right")):
        joints = [skeleton.role(f"{name}_{part}") for part in ("hip", "knee", "ankle", "ball")]
        assert whole.down[:, side].any()
        down = np.flatnonzero(whole.down[:, side])[:, None]
        assert np.array_equal(held.rotations[down, joints], target.rotations[down, joints])


def test_clips_are_bent_from_the_source_whatever_the_rounds_before_did(monkeypatch):
    """What is given to the locking passes through the common poses and is the source's own far from match frames."""
    given = landing()
    seen = []

    def spy(self, motion, contacts, heights, *, pinned, rule):
        seen.append(motion)
        # A lock that turns every joint: a second round from its results would show it.
        return Frames(motion.roots, quat.multiply(motion.rotations, quat.about(np.array([0.0, 1, 0]), 0.1))), None

    monkeypatch.setattr(Reel, "lock_feet", spy)
    whole = whole_clips(given)
    common = solved(given, 0)
    seen.clear()
    for _ in range(3):
        whole.hold_through(common.poses, common.speeds, common.places[whole.rows])
    target, _ = in_clips(common.poses, common.speeds, whole.hub, common.places[whole.rows])
    for bent in seen:
        assert bent.roots[whole.at] == pytest.approx(target.roots, abs=1e-9)
        assert quat.angle_between(bent.rotations[whole.at], target.rotations).max() < 1e-6
        assert np.array_equal(bent.rotations, seen[0].rotations)


def test_contacts_are_those_that_edges_will_have():
    graph = performer_graph()
    library, hub = graph.source, graph.matches.hub.astype(np.int64)
    frame = library.starts[graph.matches.clip] + graph.matches.frame
    common = solve_common_poses(library, hub, frame, np.zeros((len(hub), 3)), primary=np.ones(len(hub), bool), rounds=0)
    whole = WholeClips.of(
        library, hub, frame, primary=np.ones(len(hub), bool), contacts=common.contacts, heights=common.heights
    )
    assert np.array_equal(whole.contacts[whole.at], common.contacts[whole.hub])
    changed = 0
    for first, last, a, b in zip(whole.at[:-1], whole.at[1:], whole.rows[:-1], whole.rows[1:], strict=True):
        if graph.matches.clip[a] == graph.matches.clip[b]:
            wanted = edge_contacts(library, hub, frame, common, Pairs(np.array([a]), np.array([b])))
            assert np.array_equal(whole.contacts[first : last + 1], wanted)
            changed += int((wanted != library.contacts[frame[a] : frame[b] + 1]).sum())
    assert changed > 0


def test_clips_without_match_frames_are_left_out():
    given = performed()
    library, hub, frame, _ = given
    mine = frame < library.stops[0]
    contacts = majority(library.contacts[frame], hub, hub.max() + 1)
    whole = WholeClips.of(library, hub, frame, primary=mine, contacts=contacts, heights=np.zeros(contacts.shape))
    assert np.array_equal(whole.reel.sources, np.arange(library.stops[0]))
    assert np.array_equal(np.sort(whole.rows), np.flatnonzero(mine))
