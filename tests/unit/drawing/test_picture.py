from dataclasses import replace

import numpy as np
import pytest

from cameras import camera_at
from walkon._base.errors import InvalidShape, InvalidValue
from walkon.drawing import (
    Boxes,
    Camera,
    FloorPaint,
    Look,
    RoundCones,
    draw_bodies,
    render_capsules,
)
from walkon.motion import Clip, Skeleton
from walkon.motion.body import Body
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

RED, GREEN = (0.9, 0.1, 0.1), (0.1, 0.9, 0.1)
SMALL = (160, 120)


def one(place: tuple[float, float, float], radius: float, colour: tuple[float, float, float]) -> RoundCones:
    return RoundCones(starts=[place], ends=[place], radii=[[radius, radius]], colours=[colour])


def figure(rng: np.random.Generator, count: int = 20) -> RoundCones:
    starts = rng.uniform([-0.3, -0.3, 0.1], [0.3, 0.3, 1.7], (count, 3))
    ends = starts + rng.normal(0.0, 0.15, (count, 3))
    return RoundCones(
        starts=starts, ends=ends, radii=rng.uniform(0.03, 0.1, (count, 2)), colours=rng.uniform(0.2, 0.9, (count, 3))
    )


def is_red(image: np.ndarray) -> np.ndarray:
    return image[..., 0].astype(int) > image[..., 1].astype(int) + 30


@pytest.mark.parametrize("height", [None, 1.5])
def test_the_silhouette_of_a_sphere_has_its_analytic_area(height: float | None) -> None:
    distance, radius = 5.0, 0.4
    camera = camera_at((0, 0, 1), azimuth=0.3, elevation=0.1, distance=distance, field_of_view=0.3, height=height)
    size = (480, 400)
    flat = Look(edge=0.0, backdrop=(1, 1, 1), backdrop_above=(1, 1, 1))
    image = render_capsules(one((0, 0, 1), radius, (0.0, 0.0, 0.0)), camera, size=size, floor=False, look=flat)
    grey = image[..., 1].astype(float)  # a black ball on white, with some sheen
    assert len(np.unique(grey[(grey > 90) & (grey < 240)])) >= 3  # its outline is smooth
    per_pixel = size[1] / (2.0 * np.tan(0.15)) if height is None else size[1] / height
    seen = radius / np.sqrt(distance**2 - radius**2) if height is None else radius
    assert np.count_nonzero(grey < 160) == pytest.approx(np.pi * (per_pixel * seen) ** 2, rel=0.01)


def test_what_is_in_front_hides_what_is_behind() -> None:
    both = RoundCones(
        starts=[[1, 0, 1], [0, 0, 1]], ends=[[1, 0, 1], [0, 0, 1]], radii=[[0.2] * 2] * 2, colours=[RED, GREEN]
    )
    front = camera_at((0.5, 0, 1), azimuth=0.0, elevation=0.0, distance=5.0)
    back = camera_at((0.5, 0, 1), azimuth=np.pi, elevation=0.0, distance=5.0)
    centre = render_capsules(both, front, size=SMALL)[60, 80].astype(int)
    assert centre[0] > centre[1] + 30
    centre = render_capsules(both, back, size=SMALL)[60, 80].astype(int)
    assert centre[1] > centre[0] + 30


def test_the_floor_hides_what_is_under_it() -> None:
    camera = camera_at((0, 0, 0), azimuth=0.0, elevation=0.5, distance=5.0)
    assert not is_red(render_capsules(one((0, 0, -0.5), 0.2, RED), camera, size=SMALL)).any()
    assert is_red(render_capsules(one((0, 0, -0.5), 0.2, RED), camera, size=SMALL, floor=False)).any()


def test_nothing_is_drawn_for_what_is_outside_or_behind_the_camera() -> None:
    camera = camera_at((0, 0, 1), azimuth=0.0, elevation=0.1, distance=5.0)
    empty = render_capsules(one((0, 0, 90.0), 0.1, RED), camera, size=SMALL)
    for place in ((20.0, 0.0, 1.0), (0.0, 60.0, 1.0), (5.5, 0.0, 8.0)):
        assert not is_red(render_capsules(one(place, 0.3, RED), camera, size=SMALL)).any()
    none = RoundCones(starts=np.zeros((0, 3)), ends=np.zeros((0, 3)), radii=np.zeros((0, 2)), colours=np.zeros((0, 3)))
    np.testing.assert_array_equal(render_capsules(none, camera, size=SMALL), empty)


def test_pixels_far_from_a_figure_do_not_change(rng: np.random.Generator) -> None:
    camera = camera_at((0, 0, 1), azimuth=0.0, elevation=0.1, distance=30.0)
    none = RoundCones(starts=np.zeros((0, 3)), ends=np.zeros((0, 3)), radii=np.zeros((0, 2)), colours=np.zeros((0, 3)))
    body = figure(rng)
    changed = (render_capsules(body, camera, size=SMALL) != render_capsules(none, camera, size=SMALL)).any(axis=-1)
    rows, _ = np.nonzero(changed)
    box = camera.project(body.points(), SMALL)
    assert changed.any()
    assert rows.min() >= np.floor(box[:, 1].min()) - 3  # nothing above the figure; below and beside it is its shadow


@pytest.mark.parametrize("turn", [0.0, 0.5 * np.pi, np.pi])
def test_moving_camera_and_scene_together_gives_the_same_picture(rng: np.random.Generator, turn: float) -> None:
    # The grid is part of the scene: whole metres and quarter turns bring it onto itself.
    body = figure(rng)
    camera = camera_at((0, 0, 0.9), azimuth=-1.0, elevation=0.3, distance=6.0)
    move = np.array([3.0, -7.0, turn])
    moved = replace(body, starts=planar.apply_3d(move, body.starts), ends=planar.apply_3d(move, body.ends))
    eye, target = planar.apply_3d(move, camera.eye), planar.apply_3d(move, camera.target)
    a = render_capsules(body, camera, size=SMALL).astype(int)
    b = render_capsules(moved, Camera(eye=eye, target=target), size=SMALL).astype(int)
    # Shadows live on cells of the floor, which a turn cuts differently; rays on an edge may fall to either side.
    assert (np.abs(a - b).max(axis=-1) > 4).mean() < 0.002
    assert np.abs(a - b).mean() < 0.2


def test_the_picture_does_not_depend_on_the_number_of_threads(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = figure(rng, 40)
    camera = camera_at((0, 0, 0.9), azimuth=-1.0, elevation=0.3, distance=5.0)
    paint = FloorPaint.path([[-1, -1], [1, 1]])
    images = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("WALKON_THREADS", threads)
        images.append(render_capsules(body, camera, size=(300, 222), paint=paint))
    np.testing.assert_array_equal(images[0], images[1])
    np.testing.assert_array_equal(images[0], images[2])


def test_the_order_of_capsules_does_not_matter(rng: np.random.Generator) -> None:
    body = figure(rng)
    camera = camera_at((0, 0, 0.9), azimuth=-1.0, elevation=0.3, distance=5.0)
    order = rng.permutation(len(body))
    mixed = RoundCones(
        starts=body.starts[order], ends=body.ends[order], radii=body.radii[order], colours=body.colours[order]
    )
    a, b = (render_capsules(c, camera, size=SMALL).astype(int) for c in (body, mixed))
    assert np.abs(a - b).max() <= 1  # shadows are multiplied up in another order


def test_a_figure_darkens_the_floor_on_the_side_away_from_the_light() -> None:
    look = Look(light=np.array([-1.0, 0.0, 1.0]), grid=0.0)
    camera = Camera.view(np.array([[-1.0, -1, 0], [1, 1, 1.0]]), "top", aspect=4 / 3)
    image = render_capsules(one((0, 0, 0.6), 0.15, RED), camera, size=SMALL, look=look).astype(int)
    right, left = (camera.project((x, 0.0, 0.0), SMALL)[:2].astype(int) for x in (0.6, -0.6))
    assert image[right[1], right[0], 1] < image[left[1], left[0], 1] - 20


def test_shadows_are_sharper_near_what_casts_them() -> None:
    look = Look(light=np.array([-1.0, 0.0, 1.0]), grid=0.0)
    edges = []
    for z in (0.1, 1.5):
        camera = camera_at((z, 0, 0), azimuth=-1.57, elevation=1.2, distance=5.0, height=1.5)
        image = render_capsules(one((0, 0, z), 0.1, RED), camera, size=(300, 200), look=look).astype(float)
        edges.append(np.abs(np.diff(image[..., 1], axis=1))[:, 150:].max())
    assert edges[0] > 2.0 * edges[1]


def test_boxes_hide_and_cast_shadows() -> None:
    camera = camera_at((0, 0, 0.3), azimuth=0.0, elevation=0.6, distance=6.0)
    wall = Boxes(centres=[[1.0, 0.0, 0.8]], sizes=[[0.1, 2.0, 1.6]], colours=[(0.2, 0.3, 0.9)])
    ball = one((0, 0, 0.2), 0.2, RED)
    assert is_red(render_capsules(ball, camera, size=SMALL)).any()
    hidden = render_capsules(ball, camera, size=SMALL, boxes=wall)
    assert not is_red(hidden).any()
    assert (hidden[..., 2].astype(int) > hidden[..., 0].astype(int) + 40).any()


def test_paint_is_seen_on_the_floor_and_under_figures() -> None:
    camera = Camera.view(np.array([[-1.0, -1, 0], [1, 1, 0.5]]), "top", aspect=4 / 3)
    far = one((50, 50, 0.2), 0.1, GREEN)
    red = is_red(render_capsules(far, camera, size=SMALL, paint=FloorPaint.spots([[0, 0]], colour=RED, radius=0.3)))
    area = np.pi * 0.3**2 * (SMALL[1] / camera.height) ** 2
    assert red.sum() == pytest.approx(area, rel=0.1)
    above = one((0, 0, 0.3), 0.35, GREEN)
    assert not is_red(
        render_capsules(above, camera, size=SMALL, paint=FloorPaint.spots([[0, 0]], colour=RED, radius=0.3))
    ).any()


def test_strokes_of_one_path_count_once_where_they_overlap() -> None:
    camera = Camera.view(np.array([[-1.0, -1, 0], [1, 1, 0.5]]), "top", aspect=4 / 3)
    far = one((50, 50, 0.2), 0.1, GREEN)
    look = Look(grid=0.0)
    once = FloorPaint.path([[-0.8, 0], [0.8, 0]], colour=RED, width=0.3, opacity=0.5)
    there_and_back = FloorPaint.path([[-0.8, 0], [0.8, 0], [-0.8, 0]], colour=RED, width=0.3, opacity=0.5)
    a, b, c = (
        render_capsules(far, camera, size=SMALL, paint=p, look=look) for p in (once, there_and_back, once + once)
    )
    np.testing.assert_array_equal(a, b)
    assert c[60, 80, 1] < a[60, 80, 1] - 20  # two paths do add up


def test_bodies_are_drawn_with_the_right_side_darker(person: Body) -> None:
    from walkon.drawing.figures import part_colours

    colours = dict(zip(person.capsule_parts, part_colours(person), strict=True))
    assert colours["right_thigh"].sum() < 0.9 * colours["left_thigh"].sum()
    assert colours["head"].sum() > colours["left_thigh"].sum()


def test_many_bodies_are_drawn_at_once(clip: Clip, person: Body) -> None:
    positions = clip.world.positions[[0, 10]] + np.array([[[0.0, -0.6, 0.0]], [[0.0, 0.6, 0.0]]])
    image = draw_bodies(person, positions, rotations=clip.world.rotations[[0, 10]], size=SMALL)
    assert image.std() > 15
    with pytest.raises(InvalidShape, match="2 poses, but there are 1 bodies"):
        draw_bodies([person], positions, rotations=clip.world.rotations[[0, 10]], size=SMALL)


def cone(ends, radii, colour) -> RoundCones:
    return RoundCones(starts=np.zeros((1, 3)), ends=ends, radii=radii, colours=np.array([colour]))


def test_bad_input_is_refused_with_the_value_and_the_rule() -> None:
    camera = camera_at((0, 0, 1), azimuth=0.0, elevation=0.1, distance=5.0)
    with pytest.raises(InvalidValue, match="radii must be positive, got -1"):
        cone([[0, 0, 1]], np.array([[0.1, -1.0]]), RED)
    with pytest.raises(InvalidValue, match="from 0 to 1, got 255; divide"):
        cone([[0, 0, 1]], np.array([[0.1, 0.1]]), (255, 0, 0))
    with pytest.raises(InvalidShape, match=r"RoundCones.ends must have shape \(1, 3\)"):
        cone([[0, 0]], np.array([[0.1, 0.1]]), RED)
    with pytest.raises(InvalidValue, match="wide and high, got 0 x 10"):
        render_capsules(cone([[0, 0, 1]], np.array([[0.1, 0.1]]), RED), camera, size=(0, 10))
    with pytest.raises(InvalidValue, match="come from above"):
        Look(light=np.array([1.0, 0.0, -1.0]))


def test_a_skeleton_that_is_no_person_is_drawn_too(stick: Skeleton) -> None:
    rotations = np.tile(quat.turn(0.0), (1, len(stick), 1))
    body = Body.of(stick, colour=RED)
    image = draw_bodies(body, stick.rest_positions[None], rotations=rotations, size=SMALL)
    assert is_red(image).any()
