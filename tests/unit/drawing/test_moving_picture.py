"""What moves on a stage, in pictures: where it is at that time; on a track that stays, the very same picture."""

from dataclasses import replace

import numpy as np
import pytest

from moving_stages import held_still, moving_stage
from small_take import SECONDS, STAGE, small_take
from walkon.drawing import draw_take, shoot
from walkon.drawing.stage_picture import CUT_HEIGHT_M, DOOR, OBSTACLE, OVERHEAD_M, moving_boxes, stage_boxes
from walkon.geometry.tracks import Track
from walkon.stage import Door, Obstacle, Stage

SQUARE = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("view", ["three_quarter", "top", "side"])
def test_on_a_track_that_stays_the_picture_is_the_same_to_the_byte(which, view):
    """The table is a box; the pillar is a wedge filled with strips, and cut low where it stands before people."""
    plain, held = small_take(), small_take(stage=held_still(STAGE, which))
    one, other = (draw_take(take, 1.0, view=view, size=(320, 180)) for take in (plain, held))
    np.testing.assert_array_equal(one, other)
    without = replace(STAGE, obstacles=STAGE.obstacles[:which] + STAGE.obstacles[which + 1 :])
    if view != "side":
        assert (draw_take(small_take(stage=without), 1.0, view=view, size=(320, 180)) != one).any()


@pytest.mark.parametrize("seed", range(3))
def test_boxes_are_where_the_prisms_are_at_that_time(seed):
    rng = np.random.default_rng(seed)
    stage, time = moving_stage(rng), rng.uniform(0, 4.5)
    boxes = moving_boxes(stage, time)
    corners = boxes.corners()
    drawn = 0
    for one in stage.moving:
        polygon, base, height = (values[0] for values in one.placed([time]))
        if base >= OVERHEAD_M or height <= 0.0:
            continue
        colour = DOOR if one.name.endswith(".leaf") else OBSTACLE
        assert (np.abs(boxes.colours - colour).max(axis=1) < 1e-9).any()
        bound = np.array([[*polygon.min(axis=0), max(base, 0.0)], [*polygon.max(axis=0), height]])
        inside = ((corners >= bound[0] - 0.02) & (corners <= bound[1] + 0.02)).all(axis=(1, 2))
        assert inside.any(), one.name
        mine = corners[inside].reshape(-1, 3)
        np.testing.assert_allclose([mine.min(axis=0)[2], mine.max(axis=0)[2]], bound[:, 2], atol=1e-9)
        np.testing.assert_allclose(mine.min(axis=0)[:2], bound[0, :2], atol=0.02)
        np.testing.assert_allclose(mine.max(axis=0)[:2], bound[1, :2], atol=0.02)
        drawn += 1
    assert drawn >= 4
    assert len(stage_boxes(stage)) == 2


def test_it_is_seen_where_it_is_with_a_shadow_and_gone_from_where_it_was():
    way = Track(times=[0.0, SECONDS], places=[[3.0, -2.0], [-1.0, -2.0]])
    stage = Stage(obstacles=(Obstacle(polygon=0.6 * SQUARE, height=0.6, name="box", track=way),))
    shot = shoot(small_take(stage=stage), view="top", size=(480, 300))
    empty = replace(shot, take=small_take(stage=Stage()))
    for time in (0.2, 1.8):
        changed = np.abs(shot.at(time).astype(int) - empty.at(time)).max(axis=2) > 6
        place = stage.moving[0].placed([time]).polygons[0].mean(axis=0)
        x, y, _ = shot.camera.project(np.array([*place, 0.6]), (480, 300))
        assert changed[round(y), round(x)]
        rows, columns = np.nonzero(changed)
        assert np.hypot(np.median(columns) - x, np.median(rows) - y) < 25
        wide = float(np.ptp(shot.camera.project(np.array([[-0.3, 0, 0.6], [0.3, 0, 0.6]]), (480, 300))[:, 0]))
        assert changed.sum() > 1.2 * wide * wide  # more than its top: the shadow


def test_a_leaf_is_in_the_colour_of_doors_and_opens():
    swing = Track(times=[0.0, 1.0], places=np.zeros((2, 2)), headings=[0.0, 0.5 * np.pi])
    stage = Stage(doors=(Door(name="gate", ends=[[0, 0], [1, 0]], track=swing),))
    for time, middle in ((0.0, (0.5, 0.0)), (1.0, (0.0, 0.5))):
        boxes = moving_boxes(stage, time)
        np.testing.assert_allclose(boxes.centres, [[*middle, 1.0]], atol=1e-9)
        np.testing.assert_allclose(boxes.colours, [DOOR])


def test_what_comes_before_people_is_low_in_the_whole_shot():
    """A tall block that passes between the camera and people must neither hide them nor shrink on its way."""
    way = Track(times=[0.0, SECONDS], places=[[2.0, 9.0], [2.0, -9.0]], headings=[0.0, 0.0])
    take = small_take(stage=Stage(obstacles=(Obstacle(polygon=SQUARE, height=3.0, track=way),)))
    shot = shoot(take)
    assert shot.cut is not None and shot.cut.all()
    for time in (0.1, 1.9):
        assert moving_boxes(take.stage, time, cut=shot.cut).sizes[0, 2] == pytest.approx(CUT_HEIGHT_M)
    behind = replace(way, places=np.array([[-1.0, 40.0], [5.0, 40.0]]))
    far = small_take(stage=Stage(obstacles=(Obstacle(polygon=SQUARE, height=3.0, track=behind),)))
    assert not shoot(far).cut.any()
