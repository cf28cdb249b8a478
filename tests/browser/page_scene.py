"""The take that the page is tested on: three walkers in strong colours, a disc, an arm, and a furnished stage."""

from dataclasses import replace

import numpy as np

from take_scenes import standing, walking, waving
from walkon.motion.body import Body
from walkon.script import Mark
from walkon.stage import Door, FlatFloor, Obstacle, Prop, Seat, Stage
from walkon.take import Take, TakeWriter

SECONDS = 4.0
STAGE = Stage(
    bounds=np.array([[-2.5, -3.5], [7, -3.5], [7, 4.5], [-2.5, 4.5]]),
    obstacles=(
        Obstacle(polygon=np.array([[5.2, 2.6], [6.4, 2.6], [6.4, 3.4], [5.2, 3.4]]), height=0.75, name="table"),
        Obstacle(polygon=np.array([[-2.2, 3.0], [-1.2, 3.0], [-1.7, 4.0]]), height=2.5, name="pillar"),
        Obstacle(polygon=np.array([[-2.5, -3.5], [2.0, -3.5], [2.0, -3.3], [-2.5, -3.3]]), height=2.4, name="wall"),
    ),
    seats=(Seat(place=np.array([5.0, 1.6, 2.6]), name="stool"),),
    doors=(Door(ends=np.array([[7.0, -1.0], [7.0, 0.2]]), name="exit"),),
)


def lifted(stage: Stage, height: float) -> Stage:
    """Return a stage on a floor so many metres higher, with everything on it."""
    return replace(
        stage,
        floor=FlatFloor(height),
        obstacles=tuple(replace(o, base=o.base + height, height=o.height + height) for o in stage.obstacles),
        seats=tuple(replace(seat, height=seat.height + height) for seat in stage.seats),
        doors=tuple(replace(door, z=door.z + height) for door in stage.doors),
    )


def page_take(*, height: float = 0.0) -> Take:
    """Ann in red, Bob in blue and Cy in green; "disc" is a disc and leaves halfway, "arm" is no person.

    All of it on a floor of some height (m).
    """
    walk, stand, arm = walking(), standing(), waving()
    writer = TakeWriter(stage=lifted(STAGE, height), provenance={"made by": "a test"})
    body, other = writer.add_body(Body.of(walk.skeleton)), writer.add_body(Body.of(arm.skeleton))
    ann = writer.add_character("ann", body=body, colour=(0.9, 0.15, 0.15))
    bob = writer.add_character("bob", body=body, colour=(0.15, 0.3, 0.95), scale=1.08)
    cy = writer.add_character("cy", body=body, colour=(0.1, 0.75, 0.25), scale=0.9)
    disc = writer.add_character("disc", body=body, colour=(0.8, 0.6, 0.1))
    robot = writer.add_character("arm", body=other, colour=(0.5, 0.5, 0.6))
    spot = Mark(name="spot", position=(1.1 * SECONDS, 0.0), facing=0.0)
    first = writer.add_mark(ann, spot, met=SECONDS)
    writer.add_mark(ann, Mark(name="never", position=(3.0, 3.0), window=(1.0, 2.0)))
    writer.perform(ann, walk, start=0.0, stop=2.0, mark=first, reason="the shortest way to the spot")
    writer.perform(ann, walk, start=2.0, stop=SECONDS, clip_start=2.0, mark=first)
    writer.perform(bob, walk, start=0.0, stop=SECONDS, place=(0.0, 1.5, 0.2))
    writer.perform(cy, stand, start=0.5, stop=2.5, place=(2.5, -1.8, 1.2))
    way = [[0.0, -1.5, 0.0], [1.2, -2.0, 0.4]]
    writer.glide(disc, way if not height else [[*at, height] for at in way], start=0.0, rate=0.5)
    writer.perform(robot, arm, start=0.0, place=(4.5, -2.4, 0.0))
    crate = writer.add_prop(Prop(name="crate", colour=(0.75, 0.6, 0.35)))
    writer.rest(crate, (5.8, 3.0, 0.9 + height, 1, 0, 0, 0), start=0.0, stop=SECONDS)
    for shape, joint in (("sphere", "LeftHand"), ("cylinder", "RightHand")):
        prop = writer.add_prop(Prop(name=shape, shape=shape, size=(0.2, 0.2, 0.3)))
        writer.attach(prop, bob, joint, pose=(0, 0, -0.15, 1, 0, 0, 0), start=0.0, stop=SECONDS)
    return writer.close()
