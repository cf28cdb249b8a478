"""Heel strikes, toe-offs and footprints against an analytic walker, whose contacts and prints are known."""

from dataclasses import replace

import numpy as np
import pytest

from walker import HEEL_OFF, TOE_OFF, walk
from walkon.motion import Clip
from walkon.motion.gait.events import find_strides, travel
from walkon.transforms import quaternions as quat

CADENCE = 108.0
CYCLE = 120.0 / CADENCE


@pytest.fixture(scope="module")
def clip():
    return walk(speed=1.1, seconds=8.0, cadence=CADENCE)


def test_every_inner_stride_is_found_once(clip):
    strides = find_strides(clip)
    assert len(strides) >= 9
    for side in (0, 1):
        starts = [stride.start for stride in strides if stride.side == side]
        assert np.diff(starts) == pytest.approx(CYCLE * clip.fps, abs=2)


def test_events_come_in_the_order_of_a_walk(clip):
    for stride in find_strides(clip):
        assert stride.start < stride.other_toe_off < stride.other_strike < stride.toe_off < stride.stop


def test_heel_strikes_and_toe_offs_are_where_the_walker_has_them(clip):
    cycle = CYCLE * clip.fps
    for stride in find_strides(clip):
        phase = stride.start / cycle + 0.5 * stride.side  # a whole number at contact
        assert abs(phase - round(phase)) < 0.025
        assert (stride.toe_off - stride.start) / cycle == pytest.approx(TOE_OFF, abs=0.025)


def test_footprints_give_whole_steps_where_ankles_at_heel_strike_fall_short(clip):
    assert HEEL_OFF < 0.5  # the rear heel is up when the other foot lands: that is the trap
    ankles = [clip.world.positions[:, clip.skeleton.role(f"{side}_ankle"), 0] for side in ("left", "right")]
    for stride in find_strides(clip):
        own, other, following = np.array(stride.prints)
        assert (other - own)[0] == pytest.approx(1.1 * CYCLE / 2, abs=0.01)
        assert (following - own)[0] == pytest.approx(1.1 * CYCLE, abs=0.01)
        apart = ankles[1 - stride.side][stride.other_strike] - ankles[stride.side][stride.other_strike]
        assert apart < 1.1 * CYCLE / 2 - 0.01


def test_direction_of_travel_has_no_sway_in_it(clip):
    sway = np.column_stack([0 * clip.times, 0.03 * np.sin(2 * np.pi * clip.times / CYCLE), 0 * clip.times])
    direction, speed = travel(replace(clip, root_positions=clip.root_positions + sway))
    inner = slice(120, -120)
    assert np.degrees(np.abs(np.arctan2(direction[inner, 1], direction[inner, 0]))).max() < 1.5
    assert speed[inner] == pytest.approx(1.1, abs=0.01)


def test_a_clip_too_short_for_a_stride_has_none(clip):
    part = Clip(
        skeleton=clip.skeleton,
        fps=clip.fps,
        root_positions=clip.root_positions[:40],
        local_rotations=clip.local_rotations[:40],
    )
    assert find_strides(part) == []
    one = Clip(
        skeleton=clip.skeleton,
        fps=120.0,
        root_positions=part.root_positions[:1],
        local_rotations=part.local_rotations[:1],
    )
    assert find_strides(one) == []


def test_strides_do_not_depend_on_where_the_walk_goes(clip):
    turn = quat.about(np.array([0.0, 0.0, 1.0]), 2.1)
    rotations = np.array(clip.local_rotations)
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    moved = replace(
        clip,
        root_positions=quat.rotate(turn, clip.root_positions) + np.array([3.0, -7.0, 0.0]),
        local_rotations=quat.continuous(rotations),
    )
    events = [(s.side, s.start, s.other_toe_off, s.other_strike, s.toe_off, s.stop) for s in find_strides(clip)]
    assert [
        (s.side, s.start, s.other_toe_off, s.other_strike, s.toe_off, s.stop) for s in find_strides(moved)
    ] == events
