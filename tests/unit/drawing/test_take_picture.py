"""Takes in pictures: everyone is in them, where and as they are posed."""

from dataclasses import replace

import numpy as np
import pytest

from cameras import camera_at
from prop_shapes import lamp, wheel
from small_take import SECONDS, STAGE, small_take
from walker import walk
from walkon._base.errors import InvalidValue, UnknownName
from walkon.drawing import Camera, Look, draw_take, figures, shoot, take_frames, take_sheet
from walkon.drawing.figures import PAPER, crowd_figures
from walkon.drawing.stage_picture import (
    mark_paint,
    prop_solids,
    seat_backs,
    stage_boxes,
    stage_paint,
    tip_up_boxes,
)
from walkon.drawing.take_picture import frame_times, people
from walkon.motion.body import Body
from walkon.stage import Obstacle, Prop, Seat, Stage, prop_models
from walkon.take import Take, TakeWriter
from walkon.transforms import quaternions as quat

SIZE = (320, 180)


@pytest.fixture(scope="module")
def take() -> Take:
    return small_take()


def saturated(image: np.ndarray, channel: int) -> np.ndarray:
    """Tell which pixels are clearly of one colour."""
    rest = np.delete(image.astype(int), channel, axis=2).max(axis=2)
    return image[..., channel] > rest + 60


@pytest.mark.parametrize("view", ["three_quarter", "top", "side", "front"])
@pytest.mark.parametrize("size", [(320, 180), (180, 320)])
def test_everyone_is_in_the_picture_all_the_time(take, view, size):
    shot = shoot(take, view=view, size=size)
    for time in np.linspace(0.0, SECONDS, 9):
        crate = np.array([[2.0, -1.5, 0.0], [2.0, -1.5, 0.3]])
        points = np.concatenate([people(take, take.pose(time), time).points(), crate])
        seen = shot.camera.project(points, size)
        assert (seen[:, 2] > 0).all()
        assert (seen[:, :2] >= 0).all()
        assert (seen[:, :2] <= size).all()


def test_people_are_drawn_in_their_colours_where_they_are(take):
    shot = shoot(take, size=SIZE)
    image = shot.at(1.0)
    assert image.shape == (180, 320, 3)
    chests = take.pose(1.0).positions[:2, 2]
    for channel, chest in zip((0, 2), chests, strict=True):
        rows, cols = np.nonzero(saturated(image, channel))
        x, y, _ = shot.camera.project(chest, SIZE)
        assert len(rows) > 30
        assert np.hypot(np.median(cols) - x, np.median(rows) - y) < 12


def test_a_crowd_dressed_at_once_is_what_figures_dress_one_by_one(take):
    poses = take.pose(0.9)
    got = crowd_figures(take, poses, shown=np.array([True, True, False]))
    bodies = [take.body(row) for row in (0, 1)]
    wanted = figures(bodies, poses.positions[:2], rotations=poses.rotations[:2])
    for name in ("starts", "ends", "radii", "colours", "kin"):
        np.testing.assert_allclose(getattr(got, name), getattr(wanted, name), atol=1e-12)
    last = crowd_figures(take, poses, shown=np.array([False, True, False]))
    one = figures(bodies[1], poses.positions[1:2], rotations=poses.rotations[1:2])
    np.testing.assert_array_equal(last.kin, one.kin)


def test_those_who_are_absent_are_not_drawn(take):
    before, after = (people(take, take.pose(time), time) for time in (0.5, 1.5))
    assert 2 * len(before) == 3 * len(after)  # the walker who left


def test_people_on_tracks_are_drawn_as_pale_people(take):
    all_, without = (people(take, take.pose(0.5), 0.5, without=w) for w in (None, np.array([2])))
    assert 3 * len(without) == 2 * len(all_)
    walker, other = all_.colours[len(without) :], all_.colours[: len(all_) // 3]
    assert np.ptp(walker, axis=1).max() < 0.6 * np.ptp(take.characters.colour[2])
    assert walker.min() > 0.5 * PAPER > other.min()
    assert all_.points()[:, 2].min() > -0.05


def test_people_on_tracks_stride_along_them(take):
    times = np.linspace(0.1, 0.9, 9)
    walkers = [people(take, take.pose(t), t, without=np.array([0, 1])) for t in times]
    roots = np.array([take.pose(t).positions[2, 0] for t in times])
    shapes = np.array([cones.starts - root for cones, root in zip(walkers, roots, strict=True)])
    assert np.ptp(shapes, axis=0).max() > 0.2, "legs swing"


def test_only_who_is_near_has_fingers(take):
    poses = take.pose(1.5)
    all_, one, none = (people(take, poses, 1.5, near=np.array(near)) for near in ([1, 1, 1], [1, 0, 0], [0, 0, 0]))
    assert len(all_) - len(one) == len(one) - len(none) == 2 * (16 - 2)  # capsules of a hand and of a plain one


def test_those_whom_a_picture_is_not_about_are_pale(take):
    plain = people(take, take.pose(1.5), 1.5)
    about = people(take, take.pose(1.5), 1.5, about=np.array([0]))
    spread = [np.ptp(c.colours, axis=1) for c in (plain, about)]
    assert len(spread[0]) == len(spread[1])
    assert np.sort(spread[1]).sum() < 0.8 * np.sort(spread[0]).sum()


def test_a_camera_that_follows_keeps_its_character_in_the_middle_and_its_size(take):
    shot = shoot(take, follow="bob", size=SIZE)
    tall = []
    for time in np.linspace(0.0, SECONDS, 9):
        camera = shot.camera_at(time)
        pose = take.pose(time).positions[1]
        seen = camera.project(pose, SIZE)
        assert abs(seen[0, 0] - 160) < 40
        assert (seen[:, 1] > 0).all()
        assert (seen[:, 1] < 180).all()
        tall.append(np.ptp(seen[:, 1]))
    assert np.ptp(tall) < 0.1 * np.mean(tall)
    steps = np.diff([shot.camera_at(t).eye[0] for t in np.linspace(0.2, 1.8, 60)])
    assert (steps > 0).all()  # no to and fro with the steps


def test_a_camera_of_ones_own_is_used(take):
    camera = camera_at((1, 0, 1), azimuth=0.3, elevation=0.2, distance=5.0)
    assert shoot(take, view=camera).camera is camera


def test_props_are_drawn_where_they_are(take):
    shot = shoot(take, view="top", size=SIZE)
    image = shot.at(1.5).astype(int)
    yellow = (image[..., 0] > image[..., 2] + 80) & (image[..., 1] > image[..., 2] + 80)
    rows, cols = np.nonzero(yellow)
    x, y, _ = shot.camera.project(np.array([2.0, -1.5, 0.3]), SIZE)
    assert len(rows) > 20
    assert np.hypot(cols.mean() - x, rows.mean() - y) < 4


def test_shapes_of_props_become_solids():
    props = (Prop(name="a"), Prop(name="b", shape="sphere", size=(0.4, 1, 1)), Prop(name="c", shape="cylinder"))
    places = np.array([[0, 0, 1.0], [1, 0, 1], [2, 0, 1]])
    turns = np.tile([1.0, 0, 0, 0], (3, 1))
    boxes, balls, triangles = prop_solids(props, places, turns)
    assert len(triangles) == 0
    assert len(boxes) == 1 + 8
    np.testing.assert_allclose(boxes.centres[0], [0, 0, 1])
    assert len(balls) == 1
    np.testing.assert_allclose(balls.radii, 0.2)
    places[0] = np.nan
    assert len(prop_solids(props, places, turns)[0]) == 8


def test_parts_of_a_compound_and_triangles_of_a_mesh_are_where_the_prop_is(rng):
    props = (lamp(), wheel())
    places, turns = rng.uniform(0.5, 2.0, (2, 3)), quat.normalize(rng.normal(size=(2, 4)))
    boxes, balls, triangles = prop_solids(props, places, turns)
    assert (len(boxes), len(balls), len(triangles)) == (8 + 1, 1, len(props[1].triangles))
    for k, part in ((0, props[0].parts[0]), (8, props[0].parts[1])):
        np.testing.assert_allclose(boxes.centres[k], places[0] + quat.rotate(turns[0], part.pose[:3]))
    np.testing.assert_allclose(balls.starts[0], places[0] + quat.rotate(turns[0], props[0].parts[2].pose[:3]))
    np.testing.assert_allclose(boxes.colours[[0, 8]], [props[0].colour, props[0].parts[1].colour])
    np.testing.assert_allclose(balls.colours[0], props[0].parts[2].colour)
    back = quat.rotate(quat.conjugate(turns[1]), triangles.corners - places[1])
    np.testing.assert_allclose(back, props[1].vertices[props[1].triangles], atol=1e-12)
    # Normals look away from the middle of the ring's tube.
    middle = back * [1, 1, 0]
    middle *= 0.25 / np.linalg.norm(middle, axis=-1, keepdims=True)
    out = quat.rotate(turns[1], back - middle)
    assert (np.sum(out * triangles.normals, axis=-1) > 0.95 * np.linalg.norm(out, axis=-1)).all()


def test_a_mesh_is_seen_with_its_hole_and_casts_a_shadow_with_one():
    writer = TakeWriter()
    ring = writer.add_prop(replace(wheel(), colour=(0.1, 0.1, 0.9)))
    ann = writer.add_character("ann", body=writer.add_body(Body.of(walk().skeleton)))
    writer.perform(ann, walk(seconds=1.0), start=0.0, place=(50.0, 0.0, 0.0))
    writer.rest(ring, (0, 0, 0.6, 1, 0, 0, 0), start=0.0, stop=1.0)
    look = Look(light=np.array([0.0, 0.001, 1.0]), grid=0.0, softness=0.02)
    camera = Camera(eye=(0.0, -0.001, 5.0), target=(0, 0, 0.3), height=1.6)
    image = shoot(writer.close(), view=camera, size=(200, 200), look=look).at(0.5).astype(int)
    seen = image[..., 2] > image[..., 0] + 60
    turn = np.linspace(0, 2 * np.pi, 40)
    rim = camera.project(np.column_stack([0.25 * np.cos(turn), 0.25 * np.sin(turn), 0 * turn + 0.6]), (200, 200))
    assert seen[rim[:, 1].astype(int), rim[:, 0].astype(int)].all()
    assert not seen[95:105, 95:105].any()
    # Through the hole the floor is lit, but for the sky that the ring takes; from aside its shadow is dark.
    side = Camera(eye=(0.0, -5.0, 1.2), target=(0, 0, 0.0), height=1.6)
    image = shoot(writer.take, view=side, size=(200, 200), look=look).at(0.5).astype(int)
    spots = side.project(np.array([[0.0, 0.0, 0.0], [0.25, 0.0, 0.0], [-0.25, 0.0, 0.0], [0.7, 0.0, 0.0]]), (200, 200))
    middle, right, left, far = image[spots[:, 1].astype(int), spots[:, 0].astype(int)].sum(axis=1)
    assert max(right, left) < middle - 60
    assert far > middle - 60


def test_a_camera_frames_all_of_a_prop_that_is_not_around_its_origin():
    writer = TakeWriter()
    umbrella = writer.add_prop(prop_models.umbrella())
    writer.rest(umbrella, (0, 0, 1.0, 1, 0, 0, 0), start=0.0, stop=1.0)
    ann = writer.add_character("ann", body=writer.add_body(Body.of(walk().skeleton)))
    writer.perform(ann, walk(seconds=1.0), start=0.0)
    shot = shoot(writer.close(), start=0.5, stop=0.5, size=SIZE)
    top = shot.camera.project(np.array([[0.0, 0.0, 1.8], [0.5, 0.0, 1.55], [-0.5, 0.0, 1.55]]), SIZE)
    assert (top[:, :2] > 0).all()
    assert (top[:, :2] < SIZE).all()


def test_obstacles_have_their_heights_and_what_hangs_high_is_left_out():
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    stage = Stage(
        obstacles=(Obstacle(polygon=square, height=0.7), Obstacle(polygon=square + 5, height=3.0, base=2.2)),
        seats=(Seat(place=np.array([3.0, 0, 0]), height=0.45),),
    )
    boxes = stage_boxes(stage)
    assert len(boxes) == 3
    tops = boxes.corners()[..., 2].max(axis=1)
    np.testing.assert_allclose(sorted(tops), [0.41, 0.45, 0.7])


def test_tall_walls_between_the_camera_and_the_people_are_cut():
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    near, far = (Obstacle(polygon=square + np.array([x, 0]), height=2.5) for x in (5, -5))
    boxes = stage_boxes(Stage(obstacles=(near, far)), middle=np.zeros(2), towards_eye=np.array([1.0, 0.0]))
    tops = dict(zip(boxes.centres[:, 0], boxes.corners()[..., 2].max(axis=1), strict=True))
    assert tops[5.5] < 0.5
    assert tops[-4.5] == pytest.approx(2.5)


def test_bounds_and_marks_are_painted(take):
    assert len(stage_paint(STAGE)) == 4
    paint = mark_paint(take)
    assert len(paint) == 2
    np.testing.assert_allclose(paint.strokes[0, :4].reshape(2, 2).mean(axis=0), [1.1 * SECONDS, 0.0])
    assert len(mark_paint(take, np.zeros(0, np.int64))) == 0


def test_a_sheet_has_a_cell_per_moment(take):
    shares = []
    sheet = take_sheet(take, count=4, size_per_cell=(120, 90), labels=False, progress=shares.append)
    assert sheet.shape == (2 * 90 + 3, 2 * 120 + 3, 3)
    assert shares == [0.25, 0.5, 0.75, 1.0]
    first, last = sheet[:90, :120], sheet[-90:, -120:]
    assert saturated(first, 0).any()
    assert saturated(last, 0).any()
    assert (first != last).any()
    wide = take_sheet(take, times=[0.5, 1.0, 1.5], columns=3, size_per_cell=(60, 40))
    assert wide.shape == (40, 3 * 60 + 6, 3)


def test_frames_of_a_video_begin_at_the_start_and_stop_before_the_end(take):
    np.testing.assert_allclose(frame_times(take, fps=10, start=0.5, stop=1.0), [0.5, 0.6, 0.7, 0.8, 0.9])
    assert len(frame_times(take, fps=30)) == 60
    frames = list(take_frames(take, fps=4, size=(64, 36)))
    assert len(frames) == 8
    assert frames[0].shape == (36, 64, 3)


def test_the_same_picture_on_any_number_of_threads(take, monkeypatch):
    images = []
    for threads in ("1", "2"):
        monkeypatch.setenv("WALKON_THREADS", threads)
        images.append(draw_take(take, 0.7, size=SIZE))
    np.testing.assert_array_equal(*images)


def test_bad_input_is_refused(take):
    with pytest.raises(InvalidValue, match=r"runs from 0 to 2 s; got 9 s"):
        draw_take(take, 9.0)
    with pytest.raises(InvalidValue, match="stop must not be before start"):
        shoot(take, start=1.5, stop=0.5)
    with pytest.raises(UnknownName, match="no view 'tpo'"):
        draw_take(take, 1.0, view="tpo")
    with pytest.raises(UnknownName, match="no character 'an'"):
        draw_take(take, 1.0, follow="an")
    with pytest.raises(InvalidValue, match=r"'disc' is not there from 1\.5 to 2 s"):
        shoot(take, start=1.5, stop=2.0, follow="disc")
    with pytest.raises(InvalidValue, match="up to 1000 frames per second"):
        frame_times(take, fps=0.0)
    with pytest.raises(InvalidValue, match="at least 1"):
        take_sheet(take, count=0)


def test_a_seat_with_a_back_is_folded_up_until_somebody_sits_down() -> None:
    back = Obstacle(polygon=[(-0.4, -0.3), (-0.3, -0.3), (-0.3, 0.3), (-0.4, 0.3)], height=0.9, name="back")
    seats = (Seat(place=np.zeros(3), height=0.45, name="chair"), Seat(place=np.array([3.0, 0, 0]), name="stool"))
    stage = Stage(obstacles=(back,), seats=seats)
    backs = seat_backs(stage)
    assert backs[0] == pytest.approx(0.3)
    assert np.isnan(backs[1]), "a stool has none"
    assert len(stage_boxes(stage).centres) == 3, "the back, and the stool's board and post"
    for hips, across in (((0.0, 0.0, 0.95), 0.04), ((0.1, 0.0, 0.6), 0.42), ((1.0, 0.0, 0.6), 0.04)):
        (size,) = tip_up_boxes(stage, backs, np.array([hips])).sizes
        assert size[0] == pytest.approx(across), hips
