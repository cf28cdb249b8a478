"""Linked constraints: what bears all along an edge stays in one place, and stances of linked hubs become one."""

from dataclasses import replace

import numpy as np
import pytest

from snap_libraries import performer_graph
from take_scenes import standing
from walkon.graphs.snap_together.cutting.constraints import CommonPoses
from walkon.graphs.snap_together.cutting.displacement import Frames
from walkon.graphs.snap_together.cutting.edges import edge_contacts
from walkon.graphs.snap_together.cutting.linked import find_links, foot_poses, join_feet, linked_stops
from walkon.graphs.snap_together.matching.pairing import Pairs
from walkon.graphs.snap_together.matching.passing import feet_down
from walkon.motion.clip import Clip
from walkon.motion.contacts.foot_lock import lock_feet
from walkon.motion.library import Library
from walkon.transforms import angles, planar
from walkon.transforms import quaternions as quat

SKELETON = standing(1.0, 30.0).skeleton
HEEL, BALL = SKELETON.contact("left_heel"), SKELETON.contact("left_ball")
TEN_MICROMETRES = 1e-5


def library(contacts):
    return Library.of([replace(standing(1.0, 30.0), contacts=np.broadcast_to(contacts, (31, 4)))])


def posed(*, heel_up=0.0, spread=0.0, sway=0.0):
    """A stance: the left heel raised by so many radians about the ball, feet spread apart at the hips, hips shifted."""
    clip = standing(1.0, 30.0)
    rotations = np.array(clip.local_rotations[0])
    for side, sign in (("left", 1.0), ("right", -1.0)):
        hip = SKELETON.role(f"{side}_hip")
        rotations[hip] = quat.multiply(quat.about(np.array([1.0, 0, 0]), 0.5 * sign * spread), rotations[hip])
    ankle, ball = SKELETON.role("left_ankle"), SKELETON.role("left_ball")
    lift = quat.about(np.array([0.0, 1, 0]), heel_up)
    rotations[ankle] = quat.multiply(rotations[ankle], lift)
    rotations[ball] = quat.multiply(quat.conjugate(lift), rotations[ball])
    return clip.root_positions[0] + [sway, 0.5 * sway, 0.0], rotations


def common_of(stances, contacts):
    roots, rotations = (np.array(values) for values in zip(*stances, strict=True))
    H = len(roots)
    zero = Frames(np.zeros((H, 3)), np.zeros((H, len(SKELETON), 3)))
    places = np.column_stack([np.arange(H), -np.arange(H), 0.4 * np.arange(H)]).astype(float)
    return CommonPoses(
        Frames(roots, rotations), zero, zero, np.broadcast_to(contacts, (H, 4)), np.zeros((H, 4)), places
    )


def points_of(poses):
    clip = Clip(skeleton=SKELETON, fps=30.0, root_positions=poses.roots, local_rotations=poses.rotations)
    return clip.contact_positions


def pair(a, b):
    return Pairs(first=np.array([a]), last=np.array([b]))


def links_of(sources, frame, hub, common, pairs):
    return find_links(sources, frame, pairs, edge_contacts(sources, hub, frame, common, pairs))


@pytest.mark.parametrize("held", [(BALL,), (HEEL,), (HEEL, BALL)])
def test_points_that_bear_throughout_stay_where_they_are(held):
    contacts = np.isin(np.arange(4), held)
    sources = library(contacts)
    common = common_of([posed(), posed(heel_up=0.3 if held == (BALL,) else 0.0, sway=0.05)], contacts)
    hub, frame = np.array([0, 1]), np.array([3, 20])
    links = links_of(sources, frame, hub, common, pair(0, 1))
    assert feet_down(SKELETON, links).tolist() == [[True, False]]
    stops = linked_stops(sources, hub, common, pair(0, 1), links)
    points = points_of(common.poses)
    here = planar.apply_3d(common.places[0], points[0, list(held)])
    there = planar.apply_3d(stops[0], points[1, list(held)])
    assert there[:, :2] == pytest.approx(here[:, :2], abs=TEN_MICROMETRES)


def test_a_point_that_lifts_on_the_way_or_is_missing_at_a_hub_links_nothing():
    contacts = np.isin(np.arange(4), (BALL,))
    flags = np.tile(contacts, (31, 1))
    hub, frame = np.array([0, 1]), np.array([3, 20])
    both = [posed(), posed(sway=0.05)]
    for lifted, linked in ((2, True), (10, False), (21, True)):
        moved = flags.copy()
        moved[lifted] = False
        links = links_of(library(moved), frame, hub, common_of(both, contacts), pair(0, 1))
        assert feet_down(SKELETON, links).any() == linked, lifted
    absent = common_of(both, contacts)._replace(contacts=np.array([contacts, np.zeros(4, bool)]))
    links = links_of(library(contacts), frame, hub, absent, pair(0, 1))
    assert not feet_down(SKELETON, links).any()
    stops = linked_stops(library(contacts), hub, absent, pair(0, 1), links)
    assert np.array_equal(stops[0], absent.places[1])


@pytest.mark.parametrize("lifted", [3, 4, 19, 20])
def test_a_contact_that_the_edge_has_throughout_is_a_link_even_if_the_source_lifts_it_beside_a_hub(lifted):
    contacts = np.isin(np.arange(4), (BALL,))
    flags = np.tile(contacts, (31, 1))
    flags[slice(3, lifted + 1) if lifted < 10 else slice(lifted, 21)] = False
    sources, hub, frame = library(flags), np.array([0, 1]), np.array([3, 20])
    common = common_of([posed(), posed(sway=0.05)], contacts)
    assert edge_contacts(sources, hub, frame, common, pair(0, 1))[:, BALL].all()
    links = links_of(sources, frame, hub, common, pair(0, 1))
    assert feet_down(SKELETON, links)[0, 0]


def rocking(turned=0.0):
    """Both hubs flat on the left foot; in between the ball lifts first and then the heel. The source ends turned."""
    flags = np.zeros((31, 4), bool)
    flags[:, [HEEL, BALL]] = True
    flags[8:11, BALL] = flags[13:16, HEEL] = False
    clip = replace(standing(1.0, 30.0), contacts=flags)
    rotations = np.array(clip.local_rotations)
    rotations[:, 0] = quat.multiply(quat.turn(np.linspace(0.0, turned, 31)), rotations[:, 0])
    return Library.of([clip.with_motion(clip.root_positions, rotations)])


def test_a_foot_that_rocks_from_ball_to_heel_and_back_has_stayed():
    contacts = np.isin(np.arange(4), (HEEL, BALL))
    common = common_of([posed(), posed(sway=0.05)], contacts)
    hub, frame = np.array([0, 1]), np.array([0, 30])
    links = links_of(rocking(), frame, hub, common, pair(0, 1))
    assert links.tolist() == [contacts.tolist()]
    assert feet_down(SKELETON, links).tolist() == [[True, False]]
    # One that pivots meanwhile has not, and neither has one that leaves the floor.
    assert not links_of(rocking(turned=0.5), frame, hub, common, pair(0, 1)).any()
    lifted = rocking()
    flags = np.array(lifted.contacts)
    flags[10:13, BALL] = flags[10:13, HEEL] = False
    assert not links_of(replace(lifted, contacts=flags), frame, hub, common, pair(0, 1)).any()


def test_standing_still_on_both_feet_does_not_creep():
    contacts = np.ones(4, bool)
    common = common_of([posed()], contacts)._replace(places=np.array([[1.0, 2, 3], [1.01, 2.02, 3.05]]))
    hub, frame = np.array([0, 0]), np.array([3, 20])
    links = links_of(library(contacts), frame, hub, common, pair(0, 1))
    stops = linked_stops(library(contacts), hub, common, pair(0, 1), links)
    assert np.array_equal(stops, common.places[:1])


def test_stances_that_are_linked_become_rigidly_similar():
    contacts = np.ones(4, bool)
    sources = library(contacts)
    stances = [posed(), posed(spread=0.12), posed(spread=-0.03, sway=0.03), posed(spread=0.4)]
    common = common_of(stances, contacts)
    # Only the first three are linked, in a chain.
    hub, frame = np.array([0, 1, 2, 3]), np.array([1, 8, 16, 25])
    pairs = Pairs(first=np.array([0, 1]), last=np.array([1, 2]))
    links = links_of(sources, frame, hub, common, pairs)
    assert feet_down(SKELETON, links).all()
    joined = join_feet(sources, hub, common, pairs, links)
    feet = foot_poses(sources, joined.poses)
    apart = np.linalg.norm(feet[:, 0, :2] - feet[:, 1, :2], axis=1)
    assert apart[:3] == pytest.approx(apart[0], abs=TEN_MICROMETRES)
    before = foot_poses(sources, common.poses)
    assert apart[0] == pytest.approx(np.linalg.norm(before[:3, 0, :2] - before[:3, 1, :2], axis=1).mean(), abs=1e-4)
    line = np.arctan2(*(feet[:, 0, :2] - feet[:, 1, :2]).T[::-1])
    for side in (0, 1):
        turned = angles.wrap(feet[:3, side, 2] - line[:3])
        assert np.abs(angles.wrap(turned - turned[0])).max() < 1e-4
    # Whoever is not linked, and everything but the legs, is left alone; heights too.
    assert np.array_equal(joined.poses.roots, common.poses.roots)
    assert quat.angle_between(joined.poses.rotations[3], common.poses.rotations[3]).max() < 1e-7
    assert points_of(joined.poses)[..., 2] == pytest.approx(points_of(common.poses)[..., 2], abs=1e-4)
    # And now one displacement holds all four points.
    stops = linked_stops(sources, hub, joined, pairs, links)
    points = points_of(joined.poses)
    for e in range(2):
        here = planar.apply_3d(joined.places[pairs.first[e]], points[e])
        there = planar.apply_3d(stops[e], points[e + 1])
        assert there[:, :2] == pytest.approx(here[:, :2], abs=1e-4)


def test_without_links_nothing_is_joined():
    contacts = np.isin(np.arange(4), (BALL,))
    sources = library(contacts)
    common = common_of([posed(), posed(spread=0.1)], contacts)
    hub, frame = np.array([0, 1]), np.array([3, 20])
    links = links_of(sources, frame, hub, common, pair(0, 1))
    assert join_feet(sources, hub, common, pair(0, 1), links) is common


def test_somebody_who_stands_from_hub_to_hub_keeps_both_feet_where_they_are():
    graph = performer_graph()
    stand = graph.hub("stand")
    standing_edges = [e for e in graph.between(stand, stand).tolist() if graph.clip(e).contacts.all()]
    assert standing_edges
    for e in standing_edges:
        clip = graph.clip(e)
        assert np.abs(graph.edges.displacement[e]).max() == 0.0
        assert np.abs(clip.contact_positions - clip.contact_positions[0]).max() < 1e-3


def test_locking_has_nothing_to_move_in_a_linked_pose():
    """A pose whose feet were turned and moved is still one that the foot lock leaves where it is."""
    contacts = np.ones(4, bool)
    sources = library(contacts)
    common = common_of([posed(), posed(spread=0.1)], contacts)
    hub, frame = np.array([0, 1]), np.array([3, 20])
    links = links_of(sources, frame, hub, common, pair(0, 1))
    joined = join_feet(sources, hub, common, pair(0, 1), links)
    points = points_of(joined.poses)
    clip = Clip(
        skeleton=SKELETON,
        fps=30.0,
        root_positions=joined.poses.roots,
        local_rotations=joined.poses.rotations,
        contacts=np.ones((2, 4), bool),
    )
    held = lock_feet(clip, pinned=np.ones(2, bool)).clip
    assert held.contact_positions == pytest.approx(points, abs=1e-9)
