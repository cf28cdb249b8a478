"""Pictures of stages that are not level at z = 0: the lifting law, ramps, terrain, decks, cameras that frame them."""

from dataclasses import replace

import numpy as np
import pytest

from floors import hills, slope, two_layers
from small_take import small_take
from walker import walk
from walkon.drawing import Camera, Look, RoundCones, draw_take, render_capsules, shoot
from walkon.drawing.ground import floor_triangles
from walkon.drawing.stage_picture import stage_boxes, tip_up_boxes
from walkon.motion.body import Body
from walkon.stage import FlatFloor, Floor, Obstacle, RampFloor, Seat, Stage, TerrainFloor
from walkon.take import Take, TakeWriter

SIZE = (240, 150)
RED = np.array([[0.9, 0.1, 0.1]])
LIFT_M = 3.0


def ball(place: tuple[float, float, float], radius: float) -> RoundCones:
    return RoundCones(starts=[place], ends=[place], radii=[[radius, radius]], colours=RED)


def people_on(floor: Floor, places: list[tuple[float, float]], near: float | None = None) -> Take:
    clip = walk()
    with TakeWriter(stage=Stage(floor=floor)) as writer:
        body = writer.add_body(Body.of(clip.skeleton))
        for k, (x, y) in enumerate(places):
            options = {} if near is None else {"near": near}
            who = writer.add_character(f"one {k}", body=body, colour=(0.9, 0.1, 0.1), **options)
            writer.perform(who, clip, start=0.0, place=(x, y, 0.0))
    return writer.take


def lifted(stage: Stage, height: float) -> Stage:
    return replace(
        stage,
        floor=FlatFloor(height),
        obstacles=tuple(replace(o, base=o.base + height, height=o.height + height) for o in stage.obstacles),
        seats=tuple(replace(seat, height=seat.height + height) for seat in stage.seats),
        doors=tuple(replace(door, z=door.z + height) for door in stage.doors),
    )


@pytest.mark.parametrize("follow", [None, "one 0"])
def test_a_stage_lifted_by_three_metres_gives_the_same_picture(follow: str | None) -> None:
    stage = Stage(
        obstacles=(
            Obstacle(polygon=[(2, 1), (3, 1), (3, 2), (2, 2)], height=0.8, name="box"),
            Obstacle(polygon=[(2, -3), (3, -3), (3, -2), (2, -2)], height=2.5, name="pillar"),
            Obstacle(polygon=[(0, -3), (1, -3), (1, -2), (0, -2)], base=2.3, height=2.6, name="lamp"),
        ),
        seats=(Seat(place=[1.0, 2.0, 0.3], name="stool"),),
    )
    images = []
    for height in (0.0, LIFT_M):
        take = people_on(FlatFloor(height), [(0.0, 0.0), (1.0, -1.0)])
        take = replace(take, stage=lifted(stage, height))
        images.append(draw_take(take, 0.5, size=SIZE, follow=follow).astype(int))
    assert np.abs(images[0] - images[1]).max(axis=2).mean() < 0.05
    assert (np.abs(images[0] - images[1]).max(axis=2) > 20).mean() < 0.002


@pytest.mark.parametrize(
    "floor",
    [TerrainFloor(hills(seed=3, half=12.0)), TerrainFloor(slope(20.0)), RampFloor([-3, 0, 1], [4, 0, 3])],
    ids=["hills", "slope", "ramp"],
)
def test_ground_is_drawn_where_the_floor_is(floor: Floor) -> None:
    """A small ball on the floor is seen; one as far below it is hidden."""
    rng = np.random.default_rng(11)
    for x, y in rng.uniform(-3.0, 3.0, (6, 2)):
        z = float(floor([x, y]).heights)
        camera = Camera(eye=[x + 3.0, y - 4.0, z + 5.0], target=[x, y, z])
        ground = floor_triangles(floor, camera, Look())
        seen = []
        for off in (0.1, -0.1):
            image = render_capsules(ball((x, y, z + off), 0.09), camera, size=(60, 40), ground=ground).astype(int)
            seen.append((image[..., 0] > image[..., 1] + 60).sum())
        assert seen[0] > 3
        assert seen[1] == 0


def test_level_triangles_have_the_tone_of_the_floor() -> None:
    """A terrain that is level looks like the studio's floor between the lines of the grid, near and in its fade."""
    look, camera = Look(grid=0.0), Camera(eye=[4.0, -5.0, 4.0], target=[0.0, 0.0, 0.0])
    above = ball((0.0, 0.0, 50.0), 0.1)
    flat = render_capsules(above, camera, size=SIZE, look=look).astype(int)
    ground = floor_triangles(TerrainFloor(slope(0.0, half=300.0)), camera, look)
    terrain = render_capsules(above, camera, size=SIZE, look=look, ground=ground).astype(int)
    assert np.abs(flat - terrain).max() <= 3


def test_shadows_lie_on_slopes_under_what_casts_them() -> None:
    """A ball that floats over a slope darkens it where the line from the light through the ball meets it."""
    look = Look(light=np.array([-0.5, 0.0, 1.0]), grid=0.0)
    floor = TerrainFloor(slope(15.0, half=15.0))
    camera = Camera(eye=[0.3, 0.0, 14.0], target=[0.0, 0.0, 0.0], height=6.0)
    ground = floor_triangles(floor, camera, look)
    place = np.array([0.0, 0.0, 1.0])
    clear = render_capsules(ball((0.0, 0.0, 40.0), 0.1), camera, size=(300, 200), look=look, ground=ground).astype(int)
    image = render_capsules(ball(tuple(place), 0.25), camera, size=(300, 200), look=look, ground=ground).astype(int)
    rise = np.tan(np.radians(15.0))
    t = (place[2] - rise * place[0]) / (1.0 + 0.5 * rise)  # place − t light is on z = rise x
    foot = np.array([place[0] + 0.5 * t, 0.0, place[2] - t])
    x, y, _ = camera.project(foot, (300, 200))
    dark = clear.sum(axis=2) - image.sum(axis=2) > 40
    hit = np.argwhere(dark)
    assert dark.sum() > 30
    beside = hit[np.hypot(hit[:, 1] - x, hit[:, 0] - y) < 12]
    assert len(beside) > 30


def test_a_deck_hides_and_shades_what_is_below() -> None:
    floor = TerrainFloor(two_layers(height=4.0))
    camera = Camera(eye=[0.0, -16.0, 2.0], target=[0.0, 0.0, 2.0])
    look = Look(light=np.array([0.0, -0.2, 1.0]), grid=0.0)
    ground = floor_triangles(floor, camera, look)
    balls = [ball((0.0, 0.0, z), 0.5) for z in (0.6, 4.6)]
    below, above = (
        render_capsules(one, camera, size=(200, 150), look=look, ground=ground).astype(int) for one in balls
    )
    brightness = [image[(image[..., 0] > image[..., 1] + 50)].max(axis=1).mean() for image in (below, above)]
    assert brightness[1] > brightness[0] + 20  # no sun under the deck
    from_above = Camera(eye=[0.5, 0.0, 30.0], target=[0.0, 0.0, 0.0])
    hidden = render_capsules(balls[0], from_above, size=(200, 150), look=look, ground=ground).astype(int)
    assert not (hidden[..., 0] > hidden[..., 1] + 50).any()


def test_cameras_frame_people_on_hills_and_on_decks() -> None:
    for floor, near in ((TerrainFloor(slope(20.0)), None), (TerrainFloor(two_layers()), 4.0), (FlatFloor(-7.0), None)):
        take = people_on(floor, [(-4.0, 0.0), (3.0, 1.0)], near)
        shot = shoot(take, start=0.2, stop=0.2, size=SIZE)
        poses = take.pose(0.2)
        pixels = shot.camera.project(poses.positions, SIZE)
        assert (pixels[..., 0] > 0).all() and (pixels[..., 0] < SIZE[0]).all()
        assert (pixels[..., 1] > 0).all() and (pixels[..., 1] < SIZE[1]).all()
        tall = np.ptp(pixels[..., 1])
        assert tall > 0.3 * SIZE[1] or np.ptp(pixels[..., 0]) > 0.5 * SIZE[0]


def test_a_camera_that_follows_climbs_with_its_character() -> None:
    take = people_on(TerrainFloor(slope(10.0)), [(0.0, 0.0)])
    shot = shoot(take, follow="one 0", size=SIZE)
    ends = [shot.camera_at(t).eye for t in (take.start, take.stop)]
    travelled = ends[1] - ends[0]
    assert travelled[0] > 1.0
    assert travelled[2] == pytest.approx(np.tan(np.radians(10.0)) * travelled[0], abs=0.08)


def test_seats_stand_on_the_floor_under_them_and_ignore_who_is_below() -> None:
    stage = Stage(floor=TerrainFloor(two_layers()), seats=(Seat(place=[0, 0, 0], height=4.45, name="up"),))
    boxes = stage_boxes(stage)
    low = boxes.centres[:, 2] - 0.5 * boxes.sizes[:, 2]
    assert low.min() == pytest.approx(4.0)
    backed = replace(
        stage, obstacles=(Obstacle(polygon=[(-0.4, -1), (-0.2, -1), (-0.2, 1), (-0.4, 1)], base=4, height=5),)
    )
    folded, down, below = (
        tip_up_boxes(backed, np.array([0.2]), np.array([[0.0, 0.0, z]])).sizes[0, 2] for z in (6.0, 4.6, 0.9)
    )
    assert folded > 0.3 > down
    assert below == folded


def test_small_takes_still_look_as_they_did() -> None:
    """On the level floor z = 0 nothing of this is asked: no ground, no shift."""
    shot = shoot(small_take(), size=SIZE)
    assert len(shot.ground) == 0
