"""A walk cycle made of a phase: feet stand still while the body passes, nothing sinks, both sides do the same."""

import numpy as np
import pytest
from rigs import CMU_LIKE, person

from take_scenes import slender, walking
from walkon.motion.anatomy.limits import limit_excess
from walkon.motion.body import Body
from walkon.motion.gait.walk_cycle import PARTS, STANCE_SHARE, WalkCycle, make_walk_cycle, walk_joints, walk_parts
from walkon.motion.roles import find_roles
from walkon.motion.skeleton import FOOT_CONTACTS, SIDES, Skeleton
from walkon.studio.skeleton import performer_skeleton
from walkon.transforms import quaternions as quat

PHASES = np.linspace(0.0, 1.0, 240, endpoint=False)
STRIDES = [0.2, 0.5, 0.8]
MILLIMETRE = 1e-3


def standing_contacts(skeleton: Skeleton) -> Skeleton:
    """Contact points under the ankles and balls of a skeleton that has none."""
    joints = [skeleton.role(f"{side}_{part}") for side in SIDES for part in ("ankle", "ball")]
    sole = skeleton.rest_positions[joints, 2].min() - 0.03
    offsets = [[-0.05 if k % 2 == 0 else 0.0, 0.0, sole - skeleton.rest_positions[j, 2]] for k, j in enumerate(joints)]
    return skeleton.with_contacts(FOOT_CONTACTS, np.array(joints), np.array(offsets))


def splayed(skeleton: Skeleton) -> Skeleton:
    """Legs 20 degrees apart at rest, as those of CMU's."""
    from dataclasses import replace

    offsets = np.array(skeleton.offsets)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        tilt = quat.about(np.array([1.0, 0.0, 0.0]), sign * 0.35)
        for part in ("knee", "ankle"):
            offsets[skeleton.role(f"{side}_{part}")] = quat.rotate(tilt, offsets[skeleton.role(f"{side}_{part}")])
    return replace(skeleton, offsets=offsets)


BODIES = {
    "performer": performer_skeleton(),
    "child": performer_skeleton(height=1.1),
    "long legs": slender(walking().skeleton),
    "rig": standing_contacts(find_roles(person(CMU_LIKE)).skeleton),
    "splayed": standing_contacts(splayed(find_roles(person(CMU_LIKE)).skeleton)),
}


@pytest.fixture(params=list(BODIES))
def body(request: pytest.FixtureRequest) -> Body:
    return Body.of(BODIES[request.param])


def contacts(body: Body, places: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """Heels and balls [n, 4, 3] above the floor that the root is `rest` metres above."""
    skeleton = body.skeleton
    columns = [skeleton.contact(name) for name in FOOT_CONTACTS]
    joints, offsets = skeleton.contact_joints[columns], skeleton.contact_offsets[columns]
    rest = (skeleton.rest_positions[joints] + offsets)[:, 2].min() - skeleton.rest_positions[0, 2]
    return places[:, joints] + quat.rotate(turns[:, joints], offsets) - np.array([0.0, 0.0, rest])


def stride_of(cycle: WalkCycle, share: float) -> tuple[np.ndarray, np.ndarray]:
    return walk_joints(cycle, PHASES, np.full(len(PHASES), share))


@pytest.mark.parametrize("share", STRIDES)
def test_what_touches_the_floor_stands_still_while_the_body_passes(body: Body, share: float) -> None:
    cycle = make_walk_cycle(body)
    world = contacts(body, *stride_of(cycle, share))
    world[..., 0] += (share * body.height * PHASES)[:, None]
    for point in range(4):
        own = np.mod(PHASES + 0.5 * (point // 2), 1.0)
        order = np.argsort(own)
        # A heel from the landing until it rises, a ball from when the foot is flat until it leaves.
        down = (own[order] < 0.32) if point % 2 == 0 else (own[order] > 0.13) & (own[order] < STANCE_SHARE - 0.01)
        places = world[order][down, point]
        shift = np.where(own[order][down] + 0.5 * (point // 2) >= 1.0, share * body.height, 0.0)
        places[:, 0] += shift if point // 2 else 0.0
        assert np.ptp(places[:, 0]) < 2 * MILLIMETRE
        assert np.abs(places[:, 2]).max() < 2 * MILLIMETRE


@pytest.mark.parametrize("share", [*STRIDES, 0.82])
def test_no_foot_sinks_into_the_floor_and_swinging_ones_clear_it(body: Body, share: float) -> None:
    cycle = make_walk_cycle(body)
    heights = contacts(body, *stride_of(cycle, share))[..., 2]
    assert heights.min() > -2 * MILLIMETRE
    middle = np.abs(PHASES - 0.8) < 0.03  # of the left foot's swing
    assert heights[middle, :2].min() > 0.1 * share * 0.024 * body.height


def test_without_a_stride_it_stands_with_hanging_arms_on_both_feet(body: Body) -> None:
    cycle = make_walk_cycle(body)
    places, turns = stride_of(cycle, 0.0)
    np.testing.assert_allclose(places, np.broadcast_to(places[:1], places.shape), atol=1e-9)
    assert np.abs(contacts(body, places, turns)[..., 2]).max() < 2 * MILLIMETRE
    skeleton = body.skeleton
    for side in SIDES:
        for above, below in (("shoulder", "wrist"), ("hip", "ankle")):
            line = places[0, skeleton.role(f"{side}_{below}")] - places[0, skeleton.role(f"{side}_{above}")]
            assert line[2] < -0.95 * np.linalg.norm(line)
    assert places[0, skeleton.role("head"), 2] > 0.25 * body.height


def test_the_right_side_does_what_the_left_does_half_a_stride_later(body: Body) -> None:
    cycle = make_walk_cycle(body)
    for share in STRIDES:
        stride = np.full(len(PHASES), share)
        one, later = walk_parts(cycle, PHASES, stride), walk_parts(cycle, PHASES + 0.5, stride)
        np.testing.assert_allclose(one[0][:, 1:7], later[0][:, 7:], atol=1e-6)
        np.testing.assert_allclose(one[1][:, 1:7], later[1][:, 7:], atol=1e-6)


@pytest.mark.parametrize("share", [*STRIDES, 0.82])
def test_knees_and_elbows_bend_the_way_they_can(body: Body, share: float) -> None:
    _, pitch = walk_parts(make_walk_cycle(body), PHASES, np.full(len(PHASES), share))
    at = {part: pitch[:, PARTS.index(part)] for part in PARTS}
    for side in SIDES:
        knee, elbow = at[f"{side}_knee"] - at[f"{side}_hip"], at[f"{side}_shoulder"] - at[f"{side}_elbow"]
        assert 0.0 < knee.min() < knee.max() < np.radians(85)
        assert 0.0 < elbow.min() < elbow.max() < np.radians(60)
        assert np.ptp(at[f"{side}_hip"]) > share * np.radians(40)
        # An arm is back while the leg of its side is ahead.
        assert np.corrcoef(at[f"{side}_hip"], at[f"{side}_shoulder"])[0, 1] < -0.4


def test_the_performer_stays_within_the_limits_of_its_joints() -> None:
    body = Body.of(performer_skeleton())
    skeleton = body.skeleton
    _, turns = stride_of(make_walk_cycle(body), 0.8)
    local = quat.multiply(quat.conjugate(turns[:, np.maximum(skeleton.parents, 0)]), turns)
    local[:, 0] = turns[:, 0]
    assert np.degrees(limit_excess(skeleton.limits, local).max()) < 1.0


def test_bones_keep_their_lengths_and_nothing_jumps(body: Body) -> None:
    cycle, skeleton = make_walk_cycle(body), body.skeleton
    phases = np.linspace(0.0, 2.0, 800)
    places, _ = walk_joints(cycle, phases, np.full(800, 0.8))
    bones = np.linalg.norm(places[:, 1:] - places[:, skeleton.parents[1:]], axis=2)
    lengths = np.linalg.norm(skeleton.offsets[1:], axis=1)
    np.testing.assert_allclose(bones, np.broadcast_to(lengths, bones.shape), atol=1e-6)
    steps = np.linalg.norm(np.diff(places, axis=0), axis=2)
    assert steps.max() < 4.5 * 0.8 * body.height * np.diff(phases).max()


def test_a_taller_body_does_the_same_larger() -> None:
    small, tall = (Body.of(performer_skeleton(height=h)) for h in (1.2, 1.8))
    one, two = (stride_of(make_walk_cycle(body), 0.7) for body in (small, tall))
    np.testing.assert_allclose(1.5 * one[0], two[0], atol=1e-6)
    np.testing.assert_allclose(one[1], two[1], atol=1e-6)


def test_a_skeleton_that_lies_at_rest_stands_up_to_walk() -> None:
    from dataclasses import replace

    upright = BODIES["performer"]
    tilt = quat.about(np.array([0.0, 1.0, 0.0]), 0.5 * np.pi)
    lying = replace(
        upright,
        offsets=quat.rotate(tilt, upright.offsets),
        contact_offsets=quat.rotate(tilt, upright.contact_offsets),
    )
    places, _ = stride_of(make_walk_cycle(Body.of(lying)), 0.6)
    wanted, _ = stride_of(make_walk_cycle(Body.of(upright)), 0.6)
    moved = places - places[:, :1]
    np.testing.assert_allclose(moved, wanted - wanted[:, :1], atol=0.04)  # up to the slope of its back
