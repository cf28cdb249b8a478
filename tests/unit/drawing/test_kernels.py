"""Each compiled kernel against its NumPy twin, on a small scene that has everything."""

import numpy as np
import pytest

from cameras import camera_at
from twins import drawing as twins
from walkon.drawing import Boxes, FloorPaint, Look, RoundCones, Triangles, _kernels, _light_kernels
from walkon.drawing.light import floor_map, sun_map
from walkon.transforms import quaternions as quat

SIZE = (72, 48)
LEVEL = 1.0 / 255.0
"""One step of an 8-bit picture."""


class Scene:
    """A few solids and strokes, and what the steps before the one under test give."""

    def __init__(self, orthographic: bool) -> None:
        rng = np.random.default_rng(5)
        starts = rng.uniform([-0.6, -0.6, 0.1], [0.6, 0.6, 1.2], (12, 3))
        radii = rng.uniform(0.05, 0.2, (12, 2))
        kin = np.full((12, 3), -1)
        kin[0, :2], kin[1, 0], kin[2, 0] = (1, 2), 0, 0
        ends = starts + rng.normal(0.0, 0.25, (12, 3))
        ends[1], ends[2] = starts[0], ends[0]
        ends[3] = starts[3] + 0.01  # nearly a lone sphere, with one radius inside the other
        self.capsules = RoundCones(
            starts=starts, ends=ends, radii=radii, colours=rng.uniform(0.2, 0.9, (12, 3)), kin=kin
        )
        turns = quat.normalize(rng.normal(size=(2, 4)))
        self.boxes = Boxes(
            centres=[[0.7, 0.2, 0.3], [-0.8, 0.5, 0.2]], sizes=[[0.3, 0.4, 0.5], [0.2] * 3], rotations=turns
        )
        corners = rng.uniform([-0.9, -0.9, 0.05], [0.9, 0.9, 0.9], (3, 1, 3)) + rng.normal(0.0, 0.3, (3, 3, 3))
        faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals = faces[:, None] / np.linalg.norm(faces, axis=1)[:, None, None] + rng.normal(0.0, 0.2, (3, 3, 3))
        normals /= np.linalg.norm(normals, axis=2, keepdims=True)
        self.triangles = Triangles(corners=corners, normals=normals, colours=rng.uniform(0.2, 0.9, (3, 3)))
        path = FloorPaint.path([[-1.0, -1.0], [0.2, -0.7], [1.0, -1.0]], width=0.2, opacity=0.6)
        self.paint = path + FloorPaint.spots([[-0.4, -0.9], [0.5, -0.8]], radius=0.15)
        self.camera = camera_at(
            (0.0, 0.0, 0.5), azimuth=-1.3, elevation=0.4, distance=6.0, height=2.6 if orthographic else None
        )
        self.look = Look()
        self.rays = self.camera.rays(SIZE)
        self.cones = self.capsules.table()
        self.flats = np.concatenate([self.boxes.table(), self.triangles.table()])
        self.bounds, self.cones[:, 12] = self.capsules.bounds(self.camera, SIZE)
        W, H = SIZE
        self.depth, self.ids = np.empty((H, W), np.float32), np.empty((H, W), np.int32)
        flat_bounds = np.concatenate([flat.bounds(self.camera, SIZE) for flat in (self.boxes, self.triangles)])
        _kernels.trace(self.cones, self.bounds, self.flats, flat_bounds, self.rays, True, 0, H, self.depth, self.ids)
        self.table = self.look.table(self.camera)


@pytest.fixture(params=[False, True], ids=["perspective", "orthographic"])
def scene(request: pytest.FixtureRequest) -> Scene:
    return Scene(request.param)


def test_a_picture_sees_what_the_twin_sees(scene: Scene) -> None:
    depth, ids = twins.trace_numpy(scene.cones, scene.flats, scene.rays, True, SIZE)
    assert len(np.unique(ids)) > 10
    assert (ids >= len(scene.cones) + 3 * len(scene.boxes)).sum() > 50  # triangles
    np.testing.assert_array_equal(scene.ids, ids)
    np.testing.assert_allclose(scene.depth, depth, rtol=1e-6)


def test_paint_covers_what_the_twin_covers(scene: Scene) -> None:
    H, W = scene.ids.shape
    coat, last = np.zeros((H, W, 4), np.float32), np.full((H, W, 2), -1.0, np.float32)
    bounds = scene.paint.bounds(scene.camera, SIZE)
    _kernels.paint(scene.paint.strokes, bounds, scene.rays, scene.ids, 0, H, coat, last)
    twin = twins.paint_numpy(scene.paint.strokes, scene.rays, scene.ids)
    assert twin[..., 3].max() > 0.5
    np.testing.assert_allclose(coat, twin, atol=2e-6)


def test_the_floor_is_as_dark_as_the_twin_says(scene: Scene) -> None:
    # Every cell is asked for every cone: this also shows that the bounds of shadows leave nothing out.
    dark, frame = floor_map(scene.capsules, Boxes(), look=scene.look, camera=scene.camera, size=SIZE)
    light = scene.look.towards_light(scene.camera)
    side = np.array([-light[1], light[0], 0.0]) / np.hypot(light[0], light[1])
    across = np.stack([side, np.cross(light, side)])
    ends = np.stack([scene.capsules.starts, scene.capsules.ends], axis=1)
    seen = np.concatenate([ends @ across.T, ends[..., 2:]], axis=2).reshape(-1, 6)
    casts = np.concatenate([seen, ends[..., :2].reshape(-1, 4), scene.capsules.radii], axis=1)
    h, w = dark.shape[1:]
    twin = twins.darken_numpy(casts, across[:, :2], frame, (h, w))
    assert twin[0].max() > 0.9
    assert twin[1].max() > 0.1
    np.testing.assert_allclose(dark, twin, atol=2e-5)


def test_the_floor_has_the_colours_of_the_twin(scene: Scene) -> None:
    H, W = scene.ids.shape
    flat = {"triangles": scene.triangles, "look": scene.look, "camera": scene.camera}
    dark, frame = floor_map(scene.capsules, scene.boxes, size=SIZE, **flat)
    coat = twins.paint_numpy(scene.paint.strokes, scene.rays, scene.ids).astype(np.float32)
    image = np.empty((H, W, 3), np.float32)
    _light_kernels.shade_floor(scene.ids, scene.rays, dark, frame, coat, scene.table, 0, H, image)
    twin = twins.shade_floor_numpy(scene.ids, scene.rays, dark, frame, coat, scene.table)
    np.testing.assert_allclose(image, twin, atol=1e-5)


def test_light_is_blocked_and_solids_are_coloured_as_the_twins_say(scene: Scene) -> None:
    H, W = scene.ids.shape
    flat = {"triangles": scene.triangles, "look": scene.look, "camera": scene.camera}
    sun, frame = sun_map(scene.capsules, scene.boxes, **flat)
    blocked = np.zeros((H, W, 2), np.float32)
    common = (scene.depth, scene.ids, scene.rays, scene.cones, scene.flats)
    _light_kernels.occlude(*common, sun, frame, scene.table[0], 0, H, blocked)
    exact = scene.depth.astype(np.float64)
    twin = twins.occlude_numpy(exact, *common[1:], sun.astype(np.float64), frame, scene.table[0])
    assert twin[..., 0].max() > 0.05
    assert 0.1 < twin[scene.ids >= 0][:, 1].mean() < 0.9
    np.testing.assert_allclose(blocked, twin, atol=1e-4)

    flat_colours = np.repeat(np.concatenate([scene.boxes.colours, scene.triangles.colours]), 3, axis=0)
    colours = np.square(np.concatenate([scene.capsules.colours, flat_colours]))
    image = np.zeros((H, W, 3), np.float32)
    kin = np.array(scene.capsules.kin)
    _light_kernels.shade_solids(*common, colours, kin, blocked, scene.table, 0, H, image)
    shades, seen = twins.shade_solids_numpy(exact, *common[1:], colours, kin, blocked.astype(np.float64), scene.table)
    np.testing.assert_allclose(image[seen], shades, atol=1e-5)
    assert not image[~seen].any()


def test_edges_are_as_smooth_as_the_twins(scene: Scene) -> None:
    H, W = scene.ids.shape
    image = np.random.default_rng(1).uniform(0.0, 1.0, (H, W, 3)).astype(np.float32)
    pixels = np.empty((H, W, 3), np.uint8)
    _kernels.resolve(image, scene.ids, scene.cones, scene.flats, scene.rays, True, 0, H, pixels)
    twin = twins.resolve_numpy(image, scene.ids, scene.cones, scene.flats, scene.rays, True)
    assert np.abs(pixels.astype(int) - twin).max() <= 1
    assert (pixels != (255 * image + 0.5).astype(np.uint8)).any()


def test_a_round_cone_is_all_the_spheres_between_its_two(rng: np.random.Generator) -> None:
    # Independent of any cone equation: a dense row of spheres, of which a ray meets one first.
    for _ in range(20):
        a, b = rng.uniform(-0.5, 0.5, (2, 3))
        ra, rb = rng.uniform(0.05, 0.4, 2)
        eye = rng.normal(size=3)
        eye *= 4.0 / np.linalg.norm(eye)
        directions = -eye + rng.uniform(-0.8, 0.8, (200, 3))
        share = np.linspace(0.0, 1.0, 2001)[:, None]
        capsules = RoundCones(starts=[a], ends=[b], radii=[[ra, rb]], colours=[[1, 1, 1]])
        found = twins.cone_hits(capsules.table()[0], np.tile(eye, (200, 1)), directions)
        w = eye - (a + share * (b - a))
        wd, dd = w @ directions.T, np.sum(directions**2, axis=1)
        h = wd**2 - dd * (np.sum(w * w, axis=1, keepdims=True) - (ra + share * (rb - ra)) ** 2)
        with np.errstate(invalid="ignore"):
            t = np.where(h >= 0.0, (-wd - np.sqrt(h)) / dd, np.inf).min(axis=0)
        grazing = np.isfinite(found) != np.isfinite(t)
        assert grazing.sum() <= 2
        both = np.isfinite(t) & np.isfinite(found)
        assert both.any()
        # The row has gaps, so it is met a little later, and most so where rays graze it.
        assert (t[both] - found[both] > -1e-9).all()
        assert (t[both] - found[both] < 1e-3).all()
