"""Contacts on the take's clock: carried over by rates, cut by segments, joined at seams."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import take_scenes as scenes
from walkon.motion.body import Body
from walkon.motion.clip import Clip
from walkon.motion.contacts.runs import find_runs
from walkon.take import TakeWriter
from walkon.take.planting.contact_spans import ContactSpans, contact_spans
from walkon.take.take import Take

HEEL, BALL = 0, 1


def played(clip: Clip, *segments: dict[str, object], scale: float = 1.0) -> Take:
    writer = TakeWriter()
    who = writer.add_character("ann", body=writer.add_body(Body.of(clip.skeleton)), scale=scale)
    for options in segments:
        writer.perform(who, clip, **options)
    return writer.close()


def of(spans: ContactSpans, point: int) -> list[tuple[float, float]]:
    mine = spans.point == point
    return list(zip(spans.start[mine].tolist(), spans.stop[mine].tolist(), strict=True))


def test_contacts_of_a_plain_clip_are_its_runs() -> None:
    clip = scenes.walking()
    spans = contact_spans(played(clip, {"start": 2.0}))
    for point in range(4):
        runs = find_runs(clip.contacts[:, point])
        wanted = [(2.0 + a / clip.fps, 2.0 + (b - 1) / clip.fps) for a, b in zip(*runs, strict=True)]
        wanted = [(a, b) for a, b in wanted if b - a >= 0.03]
        assert np.allclose(of(spans, point), wanted)
    assert not spans.height.any()


@pytest.mark.parametrize("rate", [0.5, 1.7, (0.6, 1.4), (1.4, 0.6), (1.0, 0.0), (0.0, 1.0)], ids=str)
def test_the_clip_has_at_a_moment_what_the_span_says(rate: float | tuple[float, float]) -> None:
    """Reading the clip at the ends of each span, by the law of rates, gives the ends of its runs."""
    clip = scenes.walking()
    stop = 2.0
    take = played(clip, {"start": 0.0, "stop": stop, "clip_start": 0.4, "rate": rate})
    r0, r1 = (rate, rate) if isinstance(rate, float) else rate
    spans = contact_spans(take)
    assert len(spans) > 2

    def clip_time(t: float) -> float:
        return 0.4 + r0 * t + (r1 - r0) * t * t / (2 * stop)

    for point in range(4):
        starts, stops = find_runs(clip.contacts[:, point])
        for start, end in of(spans, point):
            for t, frames, border in ((start, starts, 0.0), (end, stops - 1, stop)):
                assert t == border or np.abs(clip_time(t) * clip.fps - frames).min() < 1e-3


def test_a_held_pose_keeps_its_contacts() -> None:
    clip = scenes.walking()
    down = clip.contacts[30]
    spans = contact_spans(played(clip, {"start": 1.0, "stop": 4.0, "clip_start": 0.5, "rate": 0.0}))
    assert [of(spans, point) for point in range(4)] == [[(1.0, 4.0)] if down[point] else [] for point in range(4)]


def test_contacts_at_the_end_of_a_clip_go_on_while_its_last_pose_is_held() -> None:
    take = played(scenes.standing(), {"start": 0.0})
    spans = contact_spans(replace(take, segments=take.segments.with_columns(stop=[9.0])))
    assert [of(spans, point) for point in range(4)] == [[(0.0, 9.0)]] * 4


def test_a_seam_does_not_cut_a_contact() -> None:
    clip = scenes.walking()
    cuts = [0.0, 0.31, 0.9, 1.77, 2.5]
    pieces = [{"start": a, "stop": b, "clip_start": a} for a, b in pairwise(cuts)]
    whole, cut = (contact_spans(played(clip, *parts)) for parts in ([{"start": 0.0, "stop": 2.5}], pieces))
    for point in range(4):
        assert np.allclose(of(whole, point), of(cut, point))


def test_scraps_shorter_than_a_step_are_left_out() -> None:
    clip = scenes.walking()
    first = int(find_runs(clip.contacts[:, HEEL])[0][1])
    begin = first / clip.fps
    take = played(clip, {"start": 0.0, "stop": begin + 0.02})
    assert all(stop < begin for _, stop in of(contact_spans(take), HEEL))


def test_contacts_of_a_fade_are_the_old_ones_up_to_its_middle() -> None:
    walk, stand = scenes.walking(), scenes.standing()
    writer = TakeWriter()
    who = writer.add_character("ann", body=writer.add_body(Body.of(walk.skeleton)))
    begin = int(find_runs(walk.contacts[:, BALL])[1][1])  # the left ball has just left
    assert not walk.contacts[begin : begin + 15, BALL].any()
    writer.perform(who, walk, start=0.0, stop=1.0)
    fade = scenes.fade(writer.add_clip(walk), clip_start=begin / walk.fps, place=(0, 0, 0), duration=0.5)
    writer.perform(who, stand, start=1.0, stop=2.0, place=(1.1, 0, 0), blend=fade)
    spans = contact_spans(writer.close())
    assert of(spans, BALL)[-1] == (1.25, 2.0)


def test_heights_are_scaled_with_the_body_and_lifted_with_the_place() -> None:
    clip = scenes.standing()
    raised = replace(clip, contact_heights=np.full(clip.contacts.shape, 0.3))
    spans = contact_spans(played(raised, {"start": 0.0, "place": (0, 0, 0, 0.5)}, scale=1.1))
    assert np.allclose(spans.height, 0.5 + 1.1 * 0.3)


def test_bodies_and_clips_without_feet_have_none() -> None:
    arm = scenes.waving()
    assert len(contact_spans(played(arm, {"start": 0.0}))) == 0
    clip = scenes.walking()
    bare = replace(
        clip,
        skeleton=clip.skeleton.with_contacts(("nose",), np.array([4]), np.zeros((1, 3))),
        contacts=np.ones((len(clip), 1), bool),
        contact_heights=np.zeros((len(clip), 1)),
    )
    writer = TakeWriter()
    who = writer.add_character("ann", body=writer.add_body(Body.of(clip.skeleton)))
    writer.perform(who, bare, start=0.0)
    assert len(contact_spans(writer.close())) == 0


def away(seconds: float, *, disc: bool = False, x: float = 5.0, flush: bool = False) -> Take:
    """Someone who stands for a second, and then, after some seconds (of which a disc may tell), stands elsewhere."""
    clip = scenes.standing()
    writer = TakeWriter()
    who = writer.add_character("ann", body=writer.add_body(Body.of(clip.skeleton)))
    stop = writer.perform(who, clip, start=0.0, stop=1.0)
    if disc:
        writer.glide(who, [(0, 0, 0), (x, 0, 0)], start=stop, rate=1 / seconds)
    if flush:
        writer.flush()
    writer.perform(who, clip, start=stop + seconds, stop=2.0, place=(x, 0, 0))
    return writer.close()


@pytest.mark.parametrize("seconds", [0.0, 1e-7, 1e-3, 0.02, 0.05])
@pytest.mark.parametrize("flush", [False, True])
def test_nobody_stands_in_two_places_at_once(seconds: float, flush: bool) -> None:
    take = away(seconds, flush=flush)
    spans = contact_spans(take)
    assert [of(spans, point) for point in range(4)] == [[(0.0, 1.0), (1.0 + seconds, 2.0)]] * 4
    assert len(take.stances) == 4
    poses = take.sample(np.linspace(0.0, 2.0, 101))
    assert poses.missed[poses.present].max() < 1e-6


def test_a_disc_between_two_stands_ends_the_contact() -> None:
    take = away(0.05, disc=True, x=0.01)
    assert len(take.stances) == 4


def test_a_seam_that_moves_the_feet_a_little_does_not_cut_a_contact() -> None:
    take = away(0.0, x=0.03)
    assert [of(contact_spans(take), point) for point in range(4)] == [[(0.0, 2.0)]] * 4


@pytest.mark.parametrize("cut", np.linspace(0.5, 2.5, 9))
@pytest.mark.parametrize("flush", [False, True])
def test_legs_reach_the_ground_on_both_sides_of_a_hard_seam(cut: float, flush: bool) -> None:
    """Whatever the feet do there: stances, swings and contacts that only one side has."""
    clip = scenes.walking()
    writer = TakeWriter()
    who = writer.add_character("ann", body=writer.add_body(Body.of(clip.skeleton)))
    stop = writer.perform(who, clip, start=0.0, stop=cut)
    if flush:
        writer.flush()
    writer.perform(who, clip, start=stop, stop=stop + 2.0, clip_start=0.7 * cut, place=(3.0, 2.0, 1.0))
    take = writer.close()
    assert take.sample(np.linspace(0.0, stop + 2.0, 500)).missed.max() < 1e-3


def test_a_skeleton_with_another_contact_point_has_the_same_contacts() -> None:
    clip = scenes.walking()
    own, T = clip.skeleton, len(clip)
    skeleton = own.with_contacts(
        ("left_hand", *own.contact_names),
        np.append(own.index("LeftHand"), own.contact_joints),
        np.vstack([np.zeros(3), own.contact_offsets]),
    )
    more = replace(
        clip,
        skeleton=skeleton,
        contacts=np.column_stack([np.ones(T, bool), clip.contacts]),
        contact_heights=np.column_stack([np.full(T, 0.9), clip.contact_heights]),
    )
    options = {"start": 0.0, "stop": 3.0}
    one, two = played(clip, options), played(more, options)
    assert len(two.stances) > 4
    for name, values in contact_spans(one).columns.items():
        assert np.array_equal(values, contact_spans(two).columns[name]), name
    times = np.linspace(0.0, 3.0, 61)
    assert np.array_equal(one.sample(times).positions, two.sample(times).positions)
    assert np.array_equal(one.sample(times).contacts, two.sample(times).contacts)
