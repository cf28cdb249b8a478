"""Building snap-together graphs: bodies of all kinds, hubs made by hand, and what is refused in words."""

from dataclasses import replace

import numpy as np
import pytest

from arc_graphs import glide
from snap_libraries import bird, drifts, performances, performer, performer_graph, walker_frames, walkers
from take_scenes import waving
from walker import spoil, walk
from walkon._base.errors import InvalidValue, UnknownName
from walkon.graphs import FrameSet
from walkon.graphs.snap_together.build import build_snap_graph, compared
from walkon.graphs.snap_together.matching.match_sets import grow, largest, picked
from walkon.motion.clip import Event
from walkon.motion.editing import cut, move
from walkon.motion.library import Library
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

MILLIMETRE = 1e-3


def one_hub(library, *, threshold=0.05, **options):
    frames = compared(library)
    found = largest(frames, threshold=threshold)
    return build_snap_graph(library, {"hub": found}, frames=frames, **options)


def assert_snaps(graph, *, drift=3 * MILLIMETRE):
    """Every edge begins and ends in its hubs' poses, and no foot moves."""
    clips, edges = graph.clips, graph.edges
    assert clips.root_positions[clips.starts] == pytest.approx(graph.roots[edges.start], abs=1e-9)
    stop = planar.apply_3d(edges.displacement, graph.roots[edges.stop])
    assert clips.root_positions[clips.stops - 1] == pytest.approx(stop, abs=1e-9)
    assert quat.angle_between(clips.local_rotations[clips.starts], graph.rotations[edges.start]).max() < 1e-7
    for e in range(len(edges)):
        assert max(drifts(graph.clip(e)), default=0.0) < drift


# What it is built from


def test_a_few_walks_give_two_passing_hubs_and_a_standing_one():
    graph = performer_graph()
    assert [name.rsplit("_", 1)[0] for name in graph.hub_names[:2]] == ["walk_left", "walk_right"]
    assert graph.hub_names[2] == "stand"
    assert graph.core.all()
    assert graph.counts[0, 1] > 3
    assert graph.counts[1, 0] > 3
    assert graph.counts[2].any()
    assert (np.diff(graph.edges.start) >= 0).all()
    assert graph.hubs.stance.tolist()[:2] == [0, 1]
    assert_snaps(graph)


def test_one_clip_is_enough():
    graph = build_snap_graph(Library.of([walkers()["slow"]]))
    assert len(graph.hubs) == 2
    assert_snaps(graph)
    assert_snaps(one_hub(Library.of([walkers()["slow"]])))


def test_clips_shorter_than_a_window_are_left_out_and_do_no_harm():
    slow = walkers()["slow"]
    short = [replace(cut(slow, 0.0, 0.2), name="short"), replace(cut(slow, 1.0, 1.0), name="moment")]
    graph = build_snap_graph(Library.of([short[0], slow, short[1], walkers()["fast"]]))
    alone = build_snap_graph(walkers())
    assert np.array_equal(graph.counts, alone.counts)
    assert set(graph.matches.clip.tolist()) == {1, 3}
    assert graph.edges.displacement == pytest.approx(alone.edges.displacement, abs=1e-9)


def test_clips_without_contacts_have_hubs():
    bare = replace(walkers()["slow"], contacts=np.zeros((0, 0), bool))
    graph = one_hub(Library.of([bare]))
    assert not graph.contacts.any()
    assert_snaps(graph)


@pytest.mark.parametrize(
    "clip",
    [bird(), replace(waving(20.0), name="arm"), spoil(walk(seconds=6.0, fps=30.0), np.random.default_rng(0))],
    ids=["bird", "robot arm", "person without contact points"],
)
def test_bodies_without_feet_have_hubs(clip):
    graph = one_hub(Library.of([clip]), threshold=0.3)
    assert len(graph.edges) >= 2
    assert_snaps(graph)


def test_a_gliding_point_has_a_hub():
    graph = one_hub(Library.of([glide("straight", 0.0), glide("left", 0.5)]), threshold=0.5)
    assert_snaps(graph)


def test_hubs_are_suggested_for_any_motion_that_repeats_itself():
    """A library of no known family, all alike every two seconds: the largest set will do."""
    bare = replace(walkers()["slow"], contacts=np.zeros((0, 0), bool))
    for clips in ([bare], [bird()], [replace(waving(20.0), name="arm")]):
        graph = build_snap_graph(Library.of(clips))
        assert graph.hub_names == ("hub",)
        assert_snaps(graph)


def test_labels_are_not_needed():
    graph = build_snap_graph(Library.of([replace(clip, labels={}) for clip in performances()]))
    assert (graph.edges.labels == 0).all()
    assert (graph.hubs.labels == 0).all()
    assert np.array_equal(graph.counts, performer_graph().counts)


def test_a_library_at_an_odd_rate_has_the_same_hubs():
    graph = build_snap_graph(Library.of([replace(walk(seconds=6.0, fps=59.94), name="odd")]))
    assert len(graph.hubs) == 2
    # 108 steps a minute; at the ends of a clip a little less may have to do.
    assert graph.edges.duration == pytest.approx(5 / 9, abs=0.07)
    assert_snaps(graph)


def test_feet_on_a_platform_stay_on_it():
    up = np.array([0.0, 0.0, 0.3])
    raised = [
        replace(clip, root_positions=clip.root_positions + up, contact_heights=np.where(clip.contacts, 0.3, 0.0))
        for clip in performances()
    ]
    graph = build_snap_graph(Library.of(raised))
    assert_snaps(graph)
    for e in range(len(graph.edges)):
        clip = graph.clip(e)
        assert clip.contact_positions[clip.contacts][:, 2] == pytest.approx(0.3, abs=MILLIMETRE)


def test_edges_say_at_which_height_their_contacts_are():
    up = np.array([0.0, 0.0, 0.3])
    raised = [
        replace(clip, root_positions=clip.root_positions + up, contact_heights=np.where(clip.contacts, 0.3, 0.0))
        for clip in performances()
    ]
    clips = build_snap_graph(Library.of(raised)).clips
    assert clips.contact_heights[clips.contacts] == pytest.approx(0.3, abs=1e-6)  # single precision


def test_events_go_with_their_moments():
    clips = [
        replace(clip, events=(Event(time=2.0, kind="wave"), Event(time=4.5, kind="nod"))) for clip in performances()
    ]
    graph = build_snap_graph(Library.of(clips))
    begin = graph.match_times[graph.edges.first_match]
    for e in range(len(graph.edges)):
        inside = {
            (kind, round(time - begin[e], 6))
            for kind, time in (("wave", 2.0), ("nod", 4.5))
            if 0 <= time - begin[e] < graph.edges.duration[e]
        }
        assert {(event.kind, round(event.time, 6)) for event in graph.clip(e).events} == inside
    assert any(graph.clip(e).events for e in range(len(graph.edges)))


# Hubs made by hand


def test_hubs_picked_by_hand_are_taken_as_they_are():
    frames = walker_frames()
    left, right = picked(frames, [30, 63, 97]), picked(frames, [47, 80, 113])
    graph = build_snap_graph(walkers(), {"left": left, "right": right}, frames=frames)
    assert graph.hub_names == ("left", "right")
    assert graph.matches.frame.tolist() == [30, 63, 97, 47, 80, 113]
    assert graph.counts.tolist() == [[0, 3], [2, 0]]
    assert_snaps(graph)


def test_one_frame_a_hub_makes_one_edge():
    frames = walker_frames()
    graph = build_snap_graph(walkers(), {"a": picked(frames, [40]), "b": picked(frames, [80])}, frames=frames)
    assert graph.counts.tolist() == [[0, 1], [0, 0]]
    # The pose of a hub with one frame is that frame: what lies between is hardly changed.
    clip, own = graph.clip(0), cut(walkers()["slow"], 40 / 30, 80 / 30)
    assert np.degrees(np.percentile(quat.angle_between(clip.local_rotations, own.local_rotations), 95)) < 2.0
    assert not graph.core.all()
    assert any("dead end" in note for note in graph.notes)


def test_a_hub_that_cuts_off_the_rest_is_told():
    frames = compared(performer())
    walks = grow(frames, 60, threshold=0.05)
    sit = int(frames.starts[3]) + 90
    graph = build_snap_graph(performer(), {"walk": walks, "sit": picked(frames, [sit, sit + 12])}, frames=frames)
    assert not graph.core.all()
    assert any("leave it out" in note for note in graph.notes)


def test_hubs_that_overlap_share_frames_each_the_nearer():
    frames = walker_frames()
    near, wide = grow(frames, 60, threshold=0.03), grow(frames, 62, threshold=0.08)
    graph = build_snap_graph(walkers(), {"near": near, "wide": wide}, frames=frames)
    assert_snaps(graph)
    assert np.isfinite(graph.roots).all()


def test_a_hub_given_twice_is_refused_in_words_or_built():
    frames = walker_frames()
    found = grow(frames, 60, threshold=0.05)
    try:
        graph = build_snap_graph(walkers(), {"one": found, "two": found}, frames=frames)
    except InvalidValue as error:
        assert "two" in str(error)
    else:
        assert_snaps(graph)


def test_copies_name_hubs_that_exist():
    frames = walker_frames()
    hubs = {"a": grow(frames, 60, threshold=0.05)}
    with pytest.raises(UnknownName, match="'b'"):
        build_snap_graph(walkers(), hubs, frames=frames, copies=[("a", "b")])


def short_edges():
    """A third of a second between match frames, where maps would like 0.6 s to either side."""
    frames = walker_frames()
    hubs = {"a": picked(frames, [30, 63, 97]), "b": picked(frames, [40, 73, 107]), "c": picked(frames, [51, 84, 118])}
    return build_snap_graph(walkers(), hubs, frames=frames)


def test_edges_shorter_than_the_maps_still_snap():
    graph = short_edges()
    assert graph.edges.duration.min() < 0.4
    assert_snaps(graph, drift=np.inf)
    frames = walker_frames()
    again = build_snap_graph(walkers(), {"a": picked(frames, [30, 36, 42], spacing=0.1)}, frames=frames, spacing=0.1)
    assert again.edges.duration == pytest.approx(0.2)
    assert np.isfinite(again.clips.local_rotations).all()


def test_feet_stand_still_in_edges_between_hubs_in_one_stance():
    assert_snaps(short_edges())


# What is refused


def test_a_library_with_nothing_in_common_is_refused_in_words():
    slow = walkers()["slow"]
    lone = cut(slow, 0.0, 0.6)
    with pytest.raises(InvalidValue, match="no hub; raise the threshold, or give clips that have a pose in common"):
        build_snap_graph(Library.of([lone]))
    with pytest.raises(InvalidValue, match="no hub"):
        build_snap_graph(performer(), threshold=1e-6)
    with pytest.raises(InvalidValue, match="no hub"):
        build_snap_graph(walkers(), {})


def test_match_frames_one_to_a_clip_make_no_edge():
    frames = walker_frames()
    with pytest.raises(InvalidValue, match="no edge"):
        build_snap_graph(walkers(), {"a": picked(frames, [40])}, frames=frames)


def test_clips_all_too_short_are_refused_in_words():
    slow = walkers()["slow"]
    short = Library.of([replace(cut(slow, k / 4, k / 4 + 0.2), name=str(k)) for k in range(4)])
    with pytest.raises(InvalidValue, match="give longer clips"):
        build_snap_graph(short)
    with pytest.raises(InvalidValue, match="no hub"):
        build_snap_graph(short, threshold=0.1)


@pytest.mark.parametrize("threshold", [0.0, -0.01, np.nan, np.inf])
def test_thresholds_must_be_positive(threshold):
    with pytest.raises(InvalidValue, match="threshold must be positive"):
        build_snap_graph(walkers(), threshold=threshold)


@pytest.mark.parametrize("spacing", [-0.1, np.nan, np.inf])
def test_spacing_must_be_a_time(spacing):
    with pytest.raises(InvalidValue, match="spacing must be"):
        build_snap_graph(walkers(), spacing=spacing)


@pytest.mark.parametrize(
    "options",
    [{"spacing": np.nan}, {"spacing": np.inf}, {"spacing": -1.0}, {"threshold": np.nan}, {"rounds": -1}],
    ids=str,
)
def test_wrong_numbers_are_refused_with_hubs_given_too(options):
    frames = walker_frames()
    hubs = {"a": grow(frames, 60, threshold=0.05)}
    with pytest.raises(InvalidValue, match=r"spacing must|threshold must|rounds must"):
        build_snap_graph(walkers(), hubs, frames=frames, **options)


@pytest.mark.parametrize("spacing", [0.0, 0.01])
def test_a_spacing_of_nothing_still_gives_edges(spacing):
    graph = build_snap_graph(walkers(), spacing=spacing)
    assert len(graph.edges) > 0
    assert graph.edges.duration.min() > 0


def test_frames_of_another_library_are_refused_in_words():
    found = grow(walker_frames(), 200, threshold=0.05)
    with pytest.raises(InvalidValue):
        build_snap_graph(Library.of([walkers()["slow"]]), {"a": found}, frames=walker_frames())


def test_frames_must_be_centred():
    frames = FrameSet.of(walkers(), layout="kovar")
    with pytest.raises(InvalidValue, match="centred"):
        build_snap_graph(walkers(), {"a": grow(frames, 60, threshold=0.05)}, frames=frames)


def test_sitting_is_not_joined_with_walking_or_standing():
    library = performer()
    frames = compared(library)
    seated = int(frames.starts[3]) + 100
    walking = 60
    mixed = picked(frames, [walking, seated])
    with pytest.raises(InvalidValue, match=r"'all' would join sitting .* with standing or walking"):
        build_snap_graph(library, {"all": mixed}, frames=frames)
    grown = grow(frames, walking, threshold=100.0)
    with pytest.raises(InvalidValue, match=r"lower its threshold of 10000\.0 cm below \d+\.\d cm"):
        build_snap_graph(library, {"all": grown}, frames=frames)
    with pytest.raises(InvalidValue) as told:
        build_snap_graph(library, {"all": grown}, frames=frames)
    # What it proposes helps.
    less = float(str(told.value).rpartition("below ")[2].partition(" cm")[0]) / 100
    build_snap_graph(library, {"all": grow(frames, walking, threshold=0.999 * less)}, frames=frames)


def test_sitting_is_told_without_labels_too():
    library = Library.of([replace(clip, labels={}) for clip in performances()])
    frames = compared(library)
    with pytest.raises(InvalidValue, match="would join sitting"):
        build_snap_graph(library, {"all": picked(frames, [60, int(frames.starts[3]) + 100])}, frames=frames)


def test_full_hands_are_not_joined_with_empty_ones():
    clips = list(performances())
    boxed = replace(clips[1], labels={**clips[1].labels, "carry": np.ones(len(clips[1]), bool)})
    library = Library.of([clips[0], boxed, clips[2]])
    frames = compared(library)
    with pytest.raises(InvalidValue, match=r"would join carrying .* with empty hands"):
        build_snap_graph(library, {"all": grow(frames, 60, threshold=0.5)}, frames=frames)
    graph = build_snap_graph(library)
    carried = graph.edges_with("carry")
    assert not (carried & ~np.isin(graph.matches.clip[graph.edges.first_match], [1])).any()


# The same again


def test_progress_is_told():
    seen = []
    build_snap_graph(walkers(), progress=lambda done, total, what: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[0][0] == 0
    assert seen[-1][0] == seen[-1][1]


def test_hub_names_and_numbers_are_both_taken():
    graph = performer_graph()
    for number, name in enumerate(graph.hub_names):
        assert graph.hub(name) == graph.hub(number) == number
        assert np.array_equal(graph.out_edges(name), np.flatnonzero(graph.edges.start == number))
        for other in range(len(graph.hubs)):
            between = graph.between(name, other)
            assert len(between) == graph.counts[number, other]
            assert (graph.edges.stop[between] == other).all()
    with pytest.raises(UnknownName, match="hub"):
        graph.hub("moon")


def test_displacements_are_the_turns_from_match_frames_to_common_poses():
    graph = performer_graph()
    source, matches = graph.source, graph.matches
    for m in range(0, len(matches), 5):
        frame = source.starts[matches.clip[m]] + matches.frame[m]
        pose = move(
            replace(
                source[int(matches.clip[m])],
                root_positions=graph.roots[matches.hub[m]][None],
                local_rotations=graph.rotations[matches.hub[m]][None],
                contacts=np.zeros((0, 0), bool),
                contact_heights=np.zeros((0, 0)),
                labels={},
            ),
            matches.pose[m],
        )
        turns = quat.angle_between(source.local_rotations[frame], pose.local_rotations[0])
        assert graph.displacements[m] == pytest.approx(turns, abs=1e-6)
        assert np.linalg.norm(pose.root_positions[0] - source.root_positions[frame]) < 0.1
    assert np.degrees(np.median(graph.displacements)) < 3.0
