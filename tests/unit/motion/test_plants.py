"""Plants: where the contacts of a foot are held, and what pinned frames have to say about it."""

from dataclasses import replace

import numpy as np
import pytest

from take_scenes import standing
from walkon.motion.contacts.foot_lock import lock_feet
from walkon.motion.contacts.plants import NEAR_PIN_WITHIN_S, place_plants
from walkon.motion.contacts.runs import find_runs
from walkon.transforms import quaternions as quat

FPS = 60.0
SKELETON = standing(1.0, FPS).skeleton
HEEL, BALL = SKELETON.contact("left_heel"), SKELETON.contact("left_ball")


def swaying(*, turn=0.0, slide=0.0, back=True):
    """Somebody who stands for a second while all of him turns (rad) and slides ahead (m); and back again or not."""
    clip = lock_feet(replace(standing(1.0, FPS), contacts=np.ones((61, 4), bool))).clip
    u = np.linspace(0.0, 1.0, len(clip))
    part = np.sin(np.pi * u) ** 2 if back else u
    rotations = np.array(clip.local_rotations)
    rotations[:, 0] = quat.multiply(quat.turn(turn * part), rotations[:, 0])
    roots = clip.root_positions + part[:, None] * [slide, 0.0, 0.0]
    return replace(clip, contacts=np.zeros((len(clip), 4), bool)).with_motion(roots, rotations)


def on_left(clip, heel, ball):
    """The clip with contacts of the left heel and ball in these ranges of frames."""
    flags = np.zeros((len(clip), 4), bool)
    for column, ranges in ((HEEL, heel), (BALL, ball)):
        for start, stop in ranges:
            flags[start:stop, column] = True
    return replace(clip, contacts=flags)


def at(clip, *frames):
    flags = np.zeros(len(clip), bool)
    flags[list(frames)] = True
    return flags


def plants(clip, pinned=None):
    """Heel and sole places [T, 3] as `lock_feet` asks for them, toes as they are."""
    toes = clip.world.rotations[:, SKELETON.role("left_ball")]
    return place_plants(clip, "left", quat.rotate(toes, -SKELETON.contact_offsets[BALL]), pinned=pinned)


def drift(clip, column):
    """The farthest that a point is from where its first contact begins (m), over all its contacts."""
    points, runs = clip.contact_positions[:, column], find_runs(clip.contacts[:, column])
    first = points[runs[0][0]]
    return max(np.linalg.norm(points[a:b] - first, axis=1).max() for a, b in zip(*runs, strict=True))


ROCKS = {"heel": [(0, 40), (50, 61)], "ball": [(0, 15), (30, 61)]}


def test_a_foot_that_rocks_between_two_pinned_frames_that_agree_stays_where_it_is():
    """Heel and ball lift in turn, and the capture turns and slides meanwhile; both ends are one pose."""
    clip = on_left(swaying(turn=0.05, slide=0.005), **ROCKS)
    made = lock_feet(clip, pinned=at(clip, 0, 60)).clip
    assert drift(made, HEEL) < 5e-4
    assert drift(made, BALL) < 5e-4
    # Left to itself the second contact of each point would be elsewhere.
    free = lock_feet(clip).clip
    assert max(drift(free, HEEL), drift(free, BALL)) > 2e-3


def test_where_pinned_frames_disagree_a_stance_goes_over_evenly():
    clip = on_left(swaying(slide=0.03, back=False), **ROCKS)
    heels, soles = plants(clip, at(clip, 0, 60))
    wanted = clip.contact_positions  # the slide itself is even
    for places, column in ((heels, HEEL), (soles, BALL)):
        down = clip.contacts[:, column]
        assert places[down] == pytest.approx(wanted[down, column], abs=2e-3)
        assert np.abs(np.diff(places[30:40], axis=0)).max() < 2e-3


def test_a_foot_that_pivots_far_is_placed_as_it_was_captured():
    """Half a radian: the ball comes down five centimetres from where the pinned frame has it."""
    clip = on_left(swaying(turn=0.5, back=False), heel=[(0, 61)], ball=[(0, 10), (45, 61)])
    _, soles = plants(clip, at(clip, 0))
    assert np.linalg.norm(soles[50] - clip.contact_positions[0, BALL]) > 0.04


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_stance_beside_a_pinned_frame_is_held_where_it_ends(mirrored):
    clip = swaying(slide=0.05, back=False)
    span, near, far = (20, 40), 39 + round(NEAR_PIN_WITHIN_S * FPS), 41 + round(NEAR_PIN_WITHIN_S * FPS)
    end = 39
    if mirrored:
        span, near, far, end = (20, 40), 20 - round(NEAR_PIN_WITHIN_S * FPS), 18 - round(NEAR_PIN_WITHIN_S * FPS), 20
    clip = on_left(clip, heel=[span], ball=[span])
    middle = clip.contact_positions[29:31, BALL].mean(axis=0)
    _, soles = plants(clip, at(clip, near))
    assert soles[30] == pytest.approx(clip.contact_positions[end, BALL], abs=1e-6)
    _, soles = plants(clip, at(clip, far))
    assert soles[30] == pytest.approx(middle, abs=1e-3)


def test_a_pinned_frame_elsewhere_says_nothing():
    clip = on_left(swaying(slide=0.05), heel=[(2, 20)], ball=[(4, 25)])
    for places, others in zip(plants(clip), plants(clip, at(clip, 55)), strict=True):
        assert np.array_equal(places, others)
