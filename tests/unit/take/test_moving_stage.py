"""Takes on stages on which things move: stored to the bit, shifted with the take, seen by the audit where they are."""

from dataclasses import replace

import numpy as np
import pytest

from layout_scenes import rich
from moving_stages import BOX, held_still, moved_stage, moving_stage
from small_take import SECONDS, small_take
from take_scenes import standing
from walkon._base.errors import InvalidValue
from walkon.geometry.tracks import Track
from walkon.motion.body import Body
from walkon.motion.footprint import footprint_radius
from walkon.stage import Door, Obstacle, Prop, Seat, Stage
from walkon.take import Take, TakeWriter
from walkon.take.auditing import audit
from walkon.take.editing.editing import cut, delete, duplicate, merge, move, shift
from walkon.take.storing.file import load_take, save_take, stage_fields

TIMES = np.linspace(-0.5, 5.0, 41)
BENCH = Obstacle(polygon=[(1.0, -0.2), (1.5, -0.2), (1.5, 0.3), (1.0, 0.3)], height=0.4, name="bench")


def places(stage: Stage, times=TIMES) -> np.ndarray:
    """Corners of all that moves, [corners, 2]."""
    return np.concatenate([one.placed(times).polygons.reshape(-1, 2) for one in stage.moving])


def stander(stage: Stage, place=(0.0, 0.0, 0.0), seconds: float = 3.0) -> Take:
    """Ann stands somewhere for a while."""
    clip = standing(seconds)
    writer = TakeWriter(stage=stage)
    ann = writer.add_character("ann", body=writer.add_body(Body.of(clip.skeleton)))
    writer.perform(ann, clip, start=0.0, place=place)
    return writer.close()


# Storing


@pytest.mark.parametrize("seed", range(3))
def test_tracks_are_stored_with_their_exact_numbers(seed, tmp_path):
    stage = moving_stage(np.random.default_rng(seed))
    read = load_take(save_take(replace(small_take(), stage=stage), tmp_path / "some.take")).stage
    assert stage_fields(read) == stage_fields(stage)
    for one, other in zip(stage.moving, read.moving, strict=True):
        assert one.name == other.name
        np.testing.assert_array_equal(other.placed(TIMES).polygons, one.placed(TIMES).polygons)
    assert (read.doors[1].hinge, read.doors[1].leaf_height) == (1, 1.4)


def test_a_growing_file_has_them_too(tmp_path):
    stage = moving_stage(np.random.default_rng(1))
    writer = TakeWriter(tmp_path / "some.take", stage=stage)
    clip = standing()
    ann = writer.add_character("ann", body=writer.add_body(Body.of(clip.skeleton)))
    writer.perform(ann, clip, start=0.0)
    writer.flush()
    growing = load_take(tmp_path / "some.take")
    writer.close()
    assert not growing.complete and stage_fields(growing.stage) == stage_fields(stage)


# Editing


@pytest.fixture(scope="module")
def take() -> Take:
    return replace(rich(), stage=moving_stage(np.random.default_rng(4)))


def test_a_cut_keeps_everything_where_it_is_and_from_zero_shifts_it(take):
    part = cut(take, 0.7, 3.1, audit=False).take
    assert part.stage is take.stage
    anew = cut(take, 0.7, 3.1, to_zero=True, audit=False).take
    np.testing.assert_allclose(places(anew.stage, TIMES - 0.7), places(take.stage), atol=1e-9)


def test_a_merged_take_brings_its_stage_later(take):
    alone = replace(take, stage=Stage())
    both = merge(alone, take, shift=10.0, audit=False).take
    np.testing.assert_allclose(places(both.stage, TIMES + 10.0), places(take.stage), atol=1e-9)
    assert merge(take, alone, shift=3.0, audit=False).take.stage is take.stage


def test_one_stage_cannot_be_at_two_times(take):
    assert merge(take, take, audit=False).take.stage is take.stage
    with pytest.raises(InvalidValue, match="what moves must do so at the same times, also after a shift"):
        merge(take, take, shift=1.0, audit=False)


def test_edits_of_characters_leave_the_stage_alone(take):
    for edit in (
        move(take, "ann", (1.0, 0.0, 0.3), audit=False),
        shift(take, "ann", 0.5, audit=False),
        delete(take, "ann", audit=False),
        duplicate(take, "ann", seconds=0.5, audit=False),
    ):
        assert edit.take.stage is take.stage


# The audit


@pytest.mark.parametrize("pose", [(0.0, 0.0, 0.0), (1.2, -0.3, 2.0), (0.0, 0.0, 0.4, 1.5)])
def test_on_a_track_that_stays_an_obstacle_counts_as_without_one(pose):
    stage = Stage(obstacles=(BENCH,), seats=(Seat(place=(1.2, 0.0, 0.0), name="seat"),))
    plain, held = (audit(small_take(stage=one)) for one in (stage, held_still(stage, 0, pose)))
    assert plain["collisions.obstacle_frames"] > 5
    assert held["collisions.obstacle_frames"] == plain["collisions.obstacle_frames"]
    for name, value in plain.figures["collisions"].items():
        assert held.figures["collisions"][name] == pytest.approx(value, abs=1e-9)
    if not any(pose):
        assert held.to_json() == plain.to_json()
        assert held.worst == plain.worst


def run_over(speed: float = 1.5) -> tuple[Stage, float]:
    """A box that comes along x and is deepest in somebody at the origin when its middle is there."""
    way = Track(times=[0.0, 6.0 / speed], places=[[-3.0, 0.0], [3.0, 0.0]])
    return Stage(obstacles=(Obstacle(polygon=0.4 * BOX, height=1.0, name="box", track=way),)), 3.0 / speed


def test_somebody_is_run_over_at_the_right_time():
    stage, when = run_over()
    take = stander(stage, seconds=4.0)
    measured = audit(take)
    radius = footprint_radius(take.bodies[0])
    assert measured["collisions.max_obstacle_penetration_m"] == pytest.approx(radius + 0.2, abs=0.02)
    worst = next(case for case in measured.worst if "into box" in case.text)
    assert (worst.character, worst.other) == ("ann", "box")
    assert worst.time == pytest.approx(when, abs=0.2)
    # From when the footprint is touched to when it is left: 1.5 m/s over 0.8 m and twice the radius.
    fps = 60.0
    assert measured["collisions.obstacle_frames"] == pytest.approx((0.8 + 2 * radius) / 1.5 * fps, abs=3)


def test_who_stands_aside_is_met_by_what_moves_and_not_by_what_stands():
    """Within a footprint of the side of a box: who stands there is touched if it passes, and not if it is a wall."""
    stage, _ = run_over()
    beside = (0.0, 0.2 + 0.15, 0.0)
    assert audit(stander(stage, beside, seconds=4.0))["collisions.obstacle_frames"] > 5
    stays = Stage(obstacles=(replace(stage.obstacles[0], track=None),))
    assert audit(stander(stays, beside))["collisions.obstacle_frames"] == 0
    parked = stage.shifted(-100.0)
    at = (3.0, 0.35, 0.0)
    assert audit(stander(parked, at))["collisions.obstacle_frames"] == 0


def test_a_leaf_hits_who_stands_in_its_way_and_nobody_behind_it():
    swing = Track(times=[0.5, 1.5], places=np.zeros((2, 2)), headings=[0.0, 1.5])
    stage = Stage(doors=(Door(name="gate", ends=[[0, 0], [1, 0]], track=swing),))
    hit = audit(stander(stage, (0.6, 0.6, 0.0)))
    assert hit["collisions.obstacle_frames"] > 5
    worst = next(case for case in hit.worst if "gate.leaf" in case.text)
    assert 0.5 + 0.3 < worst.time < 1.5
    assert audit(stander(stage, (0.6, -0.6, 0.0)))["collisions.obstacle_frames"] == 0


def test_what_is_lifted_over_heads_is_walked_under():
    lift = Track(times=[0.0, 1.0], places=[[0, 0, 0], [0, 0, 3]], headings=[0, 0])
    stage = Stage(obstacles=(Obstacle(polygon=BOX, height=0.5, name="load", track=lift),))
    frames = audit(stander(stage))["collisions.obstacle_frames"]
    assert frames == pytest.approx(0.7 * 60, abs=2)  # until its underside is 2.1 m up


def test_moved_and_turned_as_a_whole_a_take_has_the_same_figures():
    stage = moving_stage(np.random.default_rng(11), span=(0.0, SECONDS), reach=1.5)
    take = small_take(stage=stage)
    before = audit(take)
    assert before["collisions.obstacle_frames"] > 30
    pose = np.array([40.0, -20.0, 1.1])
    moved = move(take, list(take.names), pose, pivot=(0.0, 0.0), audit=False).take
    after = audit(replace(moved, stage=moved_stage(stage, pose)))
    assert after["collisions.obstacle_frames"] == before["collisions.obstacle_frames"]
    deepest = before["collisions.max_obstacle_penetration_m"]
    assert after["collisions.max_obstacle_penetration_m"] == pytest.approx(deepest, abs=1e-5)


def test_a_box_that_rides_on_a_cart_lies_on_something():
    way = Track(times=[0.0, 3.0], places=[[0.0, 3.0], [4.0, 3.0]])
    cart = Obstacle(polygon=BOX, height=0.6, name="cart", track=way)
    hanging = []
    for stage in (Stage(obstacles=(cart,)), Stage(obstacles=(replace(cart, track=None),)), Stage()):
        clip = standing(3.0)
        writer = TakeWriter(stage=stage)
        writer.perform(writer.add_character("ann", body=writer.add_body(Body.of(clip.skeleton))), clip, start=0.0)
        crate = writer.add_prop(Prop(name="crate"))
        lifted = np.column_stack([way.places, np.full(2, 0.75)])
        writer.ride(crate, replace(way, places=lifted))
        hanging.append(audit(writer.close())["props.max_unsupported_m"])
    assert hanging == pytest.approx([0.0, 0.6, 0.6], abs=2e-3)


def test_a_foot_stands_on_what_moves_only_where_that_is_then():
    """A clip that stands 40 cm high: a block comes there after a second, and leaves a second later."""
    clip = standing(3.0)
    raised = replace(
        clip,
        contact_heights=np.full(clip.contacts.shape, 0.4),
        root_positions=clip.root_positions + np.array([0, 0, 0.4]),
    )
    far = (50.0, 0.0)
    way = Track(times=[0.0, 1.0, 1.0001, 2.0, 2.0001, 3.0], places=[far, far, (0, 0), (0, 0), far, far])
    block = Obstacle(polygon=BOX, height=0.4, name="block", track=replace(way, headings=np.zeros(6)))
    writer = TakeWriter(stage=Stage(obstacles=(block,)))
    writer.perform(writer.add_character("ann", body=writer.add_body(Body.of(clip.skeleton))), raised, start=0.0)
    take = writer.close()
    assert audit(take, start=1.1, stop=1.9)["floor.max_float_m"] < 1e-3
    assert audit(take, start=0.1, stop=0.9)["floor.max_float_m"] == pytest.approx(0.4, abs=1e-3)
