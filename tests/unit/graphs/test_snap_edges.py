"""Edges: which match frames they join, what contacts they have, and that they begin and end in the common poses."""

import itertools

import numpy as np
import pytest

from snap_libraries import drifts, performer_graph
from walkon.graphs.snap_together.cutting.displacement import MAX_MAP_S
from walkon.graphs.snap_together.cutting.reels import HUB_MARGIN_S, Approach, contacts_near, heights_near
from walkon.motion.kinematics import forward
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

MILLIMETRE = 1e-3


def sides(length, start, stop):
    """Both ends of one edge, whose hubs have these contacts; supports are 10 and 20 cm high."""
    heights = np.where([[start], [stop]], np.array([[[0.1]], [[0.2]]]), 0.0)
    room = np.array([length - 1])
    return [
        Approach(np.array([0]), 1, room, np.array([start]), heights[0]),
        Approach(np.array([length - 1]), -1, room, np.array([stop]), heights[1]),
    ]


def cut_contacts(source, start, stop):
    """Contacts of one edge whose source has these [K, 4], between hubs with these."""
    return contacts_near(source, sides(len(source), start, stop), fps=30.0)


def flags(text):
    """One point's contacts in time as a row of letters; the other three points never bear."""
    return np.array([[letter == "x", False, False, False] for letter in text])


def letters(contacts):
    return "".join("x" if flag else "." for flag in contacts[:, 0])


M = round(HUB_MARGIN_S * 30.0)


@pytest.mark.parametrize(
    ("source", "start", "stop", "wanted"),
    [
        ("x" * 16, True, True, "x" * 16),
        ("." * 16, False, False, "." * 16),
        # The hubs lose it: it is over a margin before, and begins a margin after.
        ("x" * 16, False, False, "." * (M + 1) + "x" * (16 - 2 * (M + 1)) + "." * (M + 1)),
        (".xxxxxxxxxxxxxx.", False, False, "." * (M + 1) + "x" * (16 - 2 * (M + 1)) + "." * (M + 1)),
        # The hubs gain it: there and nowhere else, if the source has it nowhere near.
        ("." * 16, True, True, "x" + "." * 14 + "x"),
        # ... and joined, where the source's begins within the margin.
        ("..xxxx.....xxxxx", True, True, "xxxxxx.....xxxxx"),
        ("xxxxxx....xxxx..", True, True, "xxxxxx....xxxxxx"),
        ("....xxxxxxxx....", True, True, "x" * 16),
        ("......xxxx......", True, True, "x.....xxxx.....x"),
        # What begins and ends within the margin goes on up to the hub as well, or is not there at all.
        (".xx..........xx.", True, True, "xxx..........xxx"),
        (".xx..........xx.", False, False, "." * 16),
        # One hub has it, the other has not.
        ("x" * 16, True, False, "x" * (15 - M) + "." * (M + 1)),
        ("x" * 16, False, True, "." * (M + 1) + "x" * (15 - M)),
    ],
)
def test_contacts_of_hubs_are_gained_and_lost(source, start, stop, wanted):
    assert M == 4
    only = np.array([True, False, False, False])
    found = cut_contacts(flags(source), start & only, stop & only)
    assert letters(found) == wanted
    assert not found[:, 1:].any()


@pytest.mark.parametrize("length", [2, 3, 4, 7, 12])
def test_ends_have_the_contacts_of_their_hubs_however_short_an_edge_is(length):
    for source, start, stop in itertools.product(itertools.product((0, 1), repeat=2), (0, 1), (0, 1)):
        half = length // 2
        row = "".join("x" if source[k >= half] else "." for k in range(length))
        only = np.array([True, False, False, False])
        found = letters(cut_contacts(flags(row), bool(start) & only, bool(stop) & only))
        assert (found[0] == "x", found[-1] == "x") == (bool(start), bool(stop)), (row, start, stop, found)


def test_a_contact_that_goes_on_up_to_a_hub_has_the_height_of_the_hub_s_support():
    source = flags("..xxxx.....xxxx.")
    only = np.array([True, False, False, False])
    contacts = cut_contacts(source, only, only)
    assert letters(contacts) == "xxxxxx.....xxxxx"
    own = np.where(source, 0.05, 0.0)
    found = heights_near(contacts, source, own, sides(16, only, only), fps=30.0)[:, 0]
    assert found.tolist() == [0.1, 0.1, 0.05, 0.05, 0.05, 0.05, 0, 0, 0, 0, 0, 0.05, 0.05, 0.05, 0.05, 0.2]


def test_the_heights_of_a_very_short_edge_are_those_of_its_own_hubs():
    only = np.array([True, False, False, False])
    for length in (2, 3, 4):
        source = flags("." * length)
        contacts = cut_contacts(source, only, only)
        found = heights_near(contacts, source, np.zeros(source.shape), sides(length, only, only), fps=30.0)
        assert found[[0, -1], 0].tolist() == [0.1, 0.2]


def placed_ends():
    """First and last frames of all edges in the frames of their hubs: roots, rotations, the hubs."""
    graph = performer_graph()
    clips, edges = graph.clips, graph.edges
    yield clips.root_positions[clips.starts], clips.local_rotations[clips.starts], edges.start
    back = planar.inverse(edges.displacement)
    rotations = np.array(clips.local_rotations[clips.stops - 1])
    rotations[:, 0] = quat.multiply(quat.turn(back[:, 2]), rotations[:, 0])
    yield planar.apply_3d(back, clips.root_positions[clips.stops - 1]), rotations, edges.stop


def test_edges_begin_and_end_in_the_common_poses():
    graph = performer_graph()
    for roots, rotations, hubs in placed_ends():
        assert roots == pytest.approx(graph.roots[hubs], abs=1e-9)
        apart = quat.multiply(quat.conjugate(rotations), graph.rotations[hubs])
        assert 2 * np.linalg.norm(apart[..., 1:], axis=-1).max() < 1e-9
        world = forward(graph.source.skeleton, roots, rotations).positions
        common = forward(graph.source.skeleton, graph.roots, graph.rotations).positions[hubs]
        assert world == pytest.approx(common, abs=1e-9)


def test_velocities_at_the_ends_are_those_of_the_hubs():
    """Compared with how fast velocities change by themselves: edges have a frame's acceleration to either side."""
    graph = performer_graph()
    clips, fps = graph.clips, graph.clips.fps
    first, last = clips.starts, clips.stops - 1
    begin = (clips.root_positions[first + 1] - clips.root_positions[first]) * fps
    end = (clips.root_positions[last] - clips.root_positions[last - 1]) * fps
    end = quat.rotate(quat.turn(-graph.edges.displacement[:, 2]), end)
    for found, hubs in ((begin, graph.edges.start), (end, graph.edges.stop)):
        assert np.abs(found - graph.root_velocities[hubs]).max() < 0.25

    def spin(a, b):
        return quat.log(quat.multiply(quat.conjugate(clips.local_rotations[a]), clips.local_rotations[b])) * fps

    legs = [graph.source.skeleton.role(f"{s}_{p}") for s in ("left", "right") for p in ("hip", "knee", "ankle", "ball")]
    upper = [j for j in range(len(graph.source.skeleton)) if j not in (0, *legs)]
    for found, hubs in ((spin(first, first + 1), graph.edges.start), (spin(last - 1, last), graph.edges.stop)):
        apart = np.abs(found - graph.angular_velocities[hubs])
        assert apart[:, upper].max() < 0.9  # rad/s at 30 frames/s


def test_joins_change_velocity_less_than_the_source_does():
    graph = performer_graph()
    clips, fps = graph.clips, graph.clips.fps
    world = forward(clips.skeleton, clips.root_positions, clips.local_rotations).positions
    first, last = clips.starts, clips.stops - 1
    leaving = (world[first + 1] - world[first]) * fps
    arriving = (world[last] - world[last - 1]) * fps
    arriving = quat.rotate(quat.turn(-graph.edges.displacement[:, 2])[:, None], arriving)
    own = np.concatenate([np.diff(clip.world.positions, 2, axis=0).reshape(-1, 3) for clip in graph.source]) * fps
    limit = np.percentile(np.linalg.norm(own, axis=1), 99)
    for h in range(len(graph.hubs)):
        jump = np.linalg.norm(arriving[graph.edges.stop == h][:, None] - leaving[graph.edges.start == h], axis=-1)
        assert jump.max() < limit


def test_planted_feet_stay_within_edges_and_are_on_the_floor():
    graph = performer_graph()
    for e in range(len(graph.edges)):
        clip = graph.clip(e)
        assert max(drifts(clip), default=0.0) < MILLIMETRE, clip.name
        assert np.abs(clip.contact_positions[clip.contacts][:, 2]).max(initial=0.0) < MILLIMETRE, clip.name


def test_contacts_at_the_ends_are_those_of_the_hubs():
    graph = performer_graph()
    clips = graph.clips
    assert np.array_equal(clips.contacts[clips.starts], graph.contacts[graph.edges.start])
    assert np.array_equal(clips.contacts[clips.stops - 1], graph.contacts[graph.edges.stop])


def test_between_the_maps_the_source_is_left_as_it_is():
    """More than 0.6 s from both ends nothing but the feet may be touched."""
    graph = performer_graph()
    edges, clips, source = graph.edges, graph.clips, graph.source
    reach = round(MAX_MAP_S * source.fps) + 1
    legs = [source.skeleton.role(f"{s}_{p}") for s in ("left", "right") for p in ("hip", "knee", "ankle", "ball")]
    upper = [j for j in range(len(source.skeleton)) if j not in (0, *legs)]
    long = np.flatnonzero(edges.duration > 2 * MAX_MAP_S + 0.2)
    assert len(long)
    for e in long.tolist():
        first = source.starts[graph.matches.clip[edges.first_match[e]]] + graph.matches.frame[edges.first_match[e]]
        length = int(clips.stops[e] - clips.starts[e])
        inside = np.arange(reach, length - reach)
        made, own = clips.local_rotations[clips.starts[e] + inside], source.local_rotations[first + inside]
        assert quat.angle_between(made[:, upper], own[:, upper]).max() < 1e-7
        # In the start hub's frame: the match frame's pose says where that lies in the source's world.
        place = graph.matches.pose[edges.first_match[e]]
        roots = planar.apply_3d(place, clips.root_positions[clips.starts[e] + inside])
        assert np.abs((roots - source.root_positions[first + inside])[:, :2]).max() < 1e-9


def test_edges_are_told_by_where_they_come_from():
    graph = performer_graph()
    edges, matches, names = graph.edges, graph.matches, graph.source.label_names
    assert np.array_equal(matches.hub[edges.first_match], edges.start)
    assert np.array_equal(matches.hub[edges.last_match], edges.stop)
    assert np.array_equal(matches.clip[edges.first_match], matches.clip[edges.last_match])
    frames = matches.frame[edges.last_match] - matches.frame[edges.first_match]
    assert edges.duration == pytest.approx(frames / graph.source.fps)
    assert np.array_equal(graph.clips.stops - graph.clips.starts, frames + 1)
    assert np.abs(graph.planar[graph.clips.starts]).max() < 1e-9
    at_end = planar.relative(edges.displacement, graph.planar[graph.clips.stops - 1])
    assert np.abs(at_end).max() < 1e-9
    for e in range(len(edges)):
        clip = graph.clip(e)
        assert edges.path[e] == pytest.approx(clip.distance, rel=1e-5)
        bits = sum(1 << b for b, name in enumerate(names) if name in clip.labels and clip.labels[name].any())
        every = sum(1 << b for b, name in enumerate(names) if name in clip.labels and clip.labels[name].all())
        assert (edges.labels[e], edges.common[e]) == (bits, every)
