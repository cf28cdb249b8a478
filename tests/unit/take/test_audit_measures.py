"""Single measures of the audit on small takes whose figures are known."""

from dataclasses import replace

import numpy as np
import pytest

import walker
from walkon.motion import Clip
from walkon.motion.body import Body
from walkon.motion.footprint import footprint_radius
from walkon.script import Mark
from walkon.stage import Obstacle, Prop, Stage
from walkon.take import Take, TakeWriter
from walkon.take.auditing import audit
from walkon.take.auditing.marks import MAX_SWAY_M
from walkon.take.tables import Blends, Drops, Stances


@pytest.fixture(scope="module")
def walk() -> Clip:
    return walker.walk(seconds=4.0, fps=60.0)


def standing(walk: Clip, *, height: float = 0.0, seconds: float = 2.0) -> Clip:
    """One frame of the walk, held, with all of both feet called planted on a support of this height."""
    T = round(seconds * 60) + 1
    frame = int(np.argmax(walk.contacts.sum(axis=1)))
    return replace(
        walk,
        root_positions=np.tile(walk.root_positions[frame] + [0, 0, height], (T, 1)),
        local_rotations=np.tile(walk.local_rotations[frame], (T, 1, 1)),
        contacts=np.tile(walk.contacts[frame], (T, 1)),
        contact_heights=height * np.tile(walk.contacts[frame], (T, 1)),
        labels={"stand": np.ones(T, bool)},
        name="standing",
    )


def alone(clip: Clip, **options: object) -> Take:
    writer = TakeWriter()
    who = writer.add_character("ann", body=writer.add_body(Body.of(clip.skeleton)))
    writer.perform(who, clip, start=0.0, **options)  # type: ignore[arg-type]
    return writer.close()


# Feet


def test_a_raised_support_is_the_floor_of_its_contact(walk: Clip) -> None:
    step = Obstacle(polygon=[(-9, -9), (9, -9), (9, 9), (-9, 9)], height=0.3, name="step")
    stair = audit(replace(alone(standing(walk, height=0.3)), stage=Stage(obstacles=(step,))))
    assert stair["floor.max_float_m"] < 1e-6
    assert stair["foot_slide.unlabelled_planted_share"] == 1.0
    unlabelled = replace(standing(walk, height=0.3), contact_heights=np.zeros(walk.contacts.shape)[:121])
    assert audit(replace(alone(unlabelled), stances=Stances(), drops=Drops()))["floor.max_float_m"] == pytest.approx(
        0.3, rel=0.01
    )


def test_planted_feet_stand_still_at_any_rate_of_looking(walk: Clip) -> None:
    """Looked at five times a second, a foot has been lifted and put down between two looks: that is no slide."""
    take = alone(walk)
    for fps in (5.0, 24.0, 60.0, 144.0):
        measured = audit(take, fps=fps, source=False)
        assert measured["foot_slide.planted_share"] > 0.9
        assert measured["foot_slide.max_m_s"] < 1e-6, fps
        assert measured["foot_slide.max_drift_m"] < 1e-6, fps


def test_a_walk_is_planted_for_its_true_share(walk: Clip) -> None:
    measured = audit(alone(walk), source=False)
    assert measured["foot_slide.planted_share"] == pytest.approx(walk.contacts.any(axis=1).mean(), abs=0.02)
    assert measured["foot_slide.unlabelled_mean_m_s"] < 0.02


# Adjustment


def test_a_fade_between_clips_that_lie_on_each_other_is_no_adjustment(walk: Clip) -> None:
    for aside, expected in ((0.0, 0.0), (0.1, 1.5 * 0.1 / 0.5)):
        writer = TakeWriter()
        who = writer.add_character("ann", body=writer.add_body(Body.of(walk.skeleton)))
        row = writer.add_clip(walk)
        writer.perform(who, row, start=0.0, stop=1.0, place=(0, aside, 0))
        fade = Blends.filled(
            1, clip=row, clip_start=1.0, rate_start=1.0, rate_stop=1.0, place=(0, aside, 0), duration=0.5
        )
        writer.perform(who, row, start=1.0, stop=3.0, clip_start=1.0, blend=fade)
        # A smoothstep is steepest in its middle, at 1.5 times its mean.
        assert audit(writer.close())["adjustment.max_m_s"] == pytest.approx(expected, rel=0.02, abs=1e-6)


def test_a_held_pose_has_no_time_ratio(walk: Clip) -> None:
    assert audit(alone(walk, rate=0.0, stop=1.0))["adjustment.max_time_ratio"] == 1.0


# Marks


def test_a_mark_is_looked_at_over_its_hold(walk: Clip) -> None:
    take = alone(walk)
    x, y, _ = (float(v) for v in take.pose(1.0).planar[0])
    for hold, error in ((0.0, 0.0), (0.5, float(take.pose(1.5).planar[0, 0]) - x)):
        writer = TakeWriter()
        who = writer.add_character("ann", body=writer.add_body(Body.of(walk.skeleton)))
        writer.perform(who, walk, start=0.0)
        writer.add_mark(who, Mark(name="here", position=(x, y), hold=hold), met=1.0)
        measured = audit(writer.close())
        assert measured["marks.max_position_error_m"] == pytest.approx(0.0, abs=1e-9)
        assert measured["marks.max_sway_m"] == pytest.approx(error, abs=1e-9)
        assert len(measured.figures["marks"]["unmet"]) == (1 if hold else 0)


def test_who_sways_while_holding_a_mark_has_met_it(walk: Clip) -> None:
    take = alone(walk)
    x, y, heading = (float(v) for v in take.pose(1.0).planar[0])
    for hold, kept in ((0.5 * MAX_SWAY_M / 1.4, True), (2 * MAX_SWAY_M / 1.0, False)):
        writer = TakeWriter()
        who = writer.add_character("ann", body=writer.add_body(Body.of(walk.skeleton)))
        writer.perform(who, walk, start=0.0)
        writer.add_mark(who, Mark(name="here", position=(x, y), facing=heading, hold=hold), met=1.0)
        measured = audit(writer.close())
        assert measured["marks.max_sway_m"] > 1e-3
        assert (measured["marks.max_sway_m"] < MAX_SWAY_M) == kept
        assert (not measured.figures["marks"]["unmet"]) == kept


def test_who_leaves_during_a_hold_has_not_met_the_mark(walk: Clip) -> None:
    writer = TakeWriter()
    who = writer.add_character("ann", body=writer.add_body(Body.of(walk.skeleton)))
    writer.perform(who, walk, start=0.0, stop=1.0)
    other = writer.add_character("bob", body=0)
    writer.perform(other, walk, start=0.0, place=(0, 5, 0))
    writer.add_mark(who, Mark(name="wait", window=(0.0, 1.0), hold=1.0), met=0.9)
    (case,) = audit(writer.close()).figures["marks"]["unmet"]
    assert case["reason"] == "the character leaves during its hold"


def test_a_pose_that_no_clip_has_cannot_be_measured(walk: Clip) -> None:
    writer = TakeWriter()
    who = writer.add_character("ann", body=writer.add_body(Body.of(walk.skeleton)))
    writer.perform(who, walk, start=0.0)
    writer.add_mark(who, Mark(name="float", pose="floating"), met=1.0)
    measured = audit(writer.close())
    assert measured["marks.max_pose_error_deg"] is None
    assert "floating" in measured.figures["marks"]["unmet"][0]["reason"]


@pytest.mark.parametrize(("met", "names_it", "expected"), [(None, False, 1), (11.0, False, 0), (11.0, True, 1)])
def test_who_waits_for_a_later_mark_is_not_stuck(walk: Clip, met: float | None, names_it: bool, expected: int) -> None:
    writer = TakeWriter()
    who = writer.add_character("ann", body=writer.add_body(Body.of(walk.skeleton)))
    mark = writer.add_mark(who, Mark(name="far", position=(9.0, 0.0)), met=met)
    writer.perform(who, walk, start=0.0, stop=12.0, rate=0.0, mark=mark if names_it else -1)
    assert len(audit(writer.close()).figures["stuck"]) == expected


# People and things


def test_a_footprint_grows_with_its_body_and_covers_the_trunk(walk: Clip) -> None:
    body = Body.of(walk.skeleton)
    assert 0.15 < footprint_radius(body) < 0.35
    assert footprint_radius(body.scaled(1.1)) == pytest.approx(1.1 * footprint_radius(body))


def test_a_disc_without_a_body_has_no_limbs_and_no_feet(walk: Clip) -> None:
    writer = TakeWriter()
    body = writer.add_body(Body.of(walk.skeleton))
    for name in ("ann", "bob"):
        writer.glide(writer.add_character(name, body=body), np.zeros((20, 3)), start=0.0, rate=10.0)
    measured = audit(writer.close())
    assert measured["bodies.pair_frames"] == 0
    assert measured["foot_slide.planted_share"] == 0.0
    assert measured["smoothness.max_joint_speed_deg_s"] == 0.0


def test_entrances_and_exits_are_no_pops(walk: Clip) -> None:
    writer = TakeWriter()
    who = writer.add_character("ann", body=writer.add_body(Body.of(walk.skeleton)))
    row = writer.add_clip(walk)
    writer.perform(who, row, start=0.0, stop=1.0)
    writer.perform(who, row, start=1.2, stop=2.0, place=(9.0, 0.0, 2.0))
    writer.glide(who, np.tile([3.0, 3.0, 0.0], (20, 1)), start=2.0, rate=20.0)
    measured = audit(writer.close())
    once = audit(alone(walk))
    assert measured["smoothness.max_pop_deg"] <= 1.2 * once["smoothness.max_pop_deg"]
    assert measured["smoothness.max_root_acceleration_m_s2"] <= 1.5 * once["smoothness.max_root_acceleration_m_s2"]


def test_a_seam_that_jumps_is_a_pop(walk: Clip) -> None:
    writer = TakeWriter()
    who = writer.add_character("ann", body=writer.add_body(Body.of(walk.skeleton)))
    row = writer.add_clip(walk)
    writer.perform(who, row, start=0.0, stop=1.0)
    writer.perform(who, row, start=1.0, stop=2.0, place=(9.0, 0.0, 2.0))
    assert audit(writer.close())["smoothness.max_root_acceleration_m_s2"] > 1000


def test_a_prop_held_by_nobody_who_is_there_is_counted(walk: Clip) -> None:
    writer = TakeWriter()
    body = writer.add_body(Body.of(walk.skeleton))
    who = writer.add_character("ann", body=body)
    writer.perform(who, walk, start=0.0, stop=1.0)
    writer.perform(writer.add_character("bob", body=body), walk, start=0.0, stop=2.0, place=(0, 5, 0))
    ball = writer.add_prop(Prop(name="ball", shape="sphere", size=(0.2, 0.2, 0.2)))
    writer.attach(ball, who, "LeftHand", pose=(0, 0, -0.2, 1, 0, 0, 0), start=0.0, stop=2.0)
    measured = audit(writer.close())
    assert measured["props.held_frames"] == 120
    assert measured["props.absent_holder_frames"] == 59
    (case,) = (case for case in measured.worst if case.figure == "props.absent_holder_frames")
    assert (case.character, case.other, case.value) == ("ann", "ball", 59.0)


def test_a_prop_that_turns_as_it_changes_hands_is_a_case(walk: Clip) -> None:
    writer = TakeWriter()
    writer.perform(writer.add_character("ann", body=writer.add_body(Body.of(walk.skeleton))), walk, start=0.0)
    box = writer.add_prop(Prop(name="box"))
    writer.rest(box, (3, 3, 0.15, 1, 0, 0, 0), start=0.0, stop=1.0)
    writer.rest(box, (3, 3, 0.15, np.cos(0.2), 0, 0, np.sin(0.2)), start=1.0, stop=2.0)
    measured = audit(writer.close())
    assert measured["props.max_jump_deg"] == pytest.approx(np.degrees(0.4))
    (case,) = (case for case in measured.worst if case.figure == "props.max_jump_deg")
    assert case.text == "At 1.00 s 'box' turns by 22.92 degrees as its hold changes."


def test_jerk_and_acceleration_do_not_depend_on_how_often_one_looks(walk: Clip) -> None:
    take = alone(walk)
    slow, fast = audit(take, source=False), audit(take, fps=120.0, source=False)
    for name in ("smoothness.p99_joint_jerk_deg_s3", "smoothness.max_root_acceleration_m_s2"):
        assert fast[name] == pytest.approx(slow[name], rel=0.05), name
