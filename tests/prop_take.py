"""A take with a prop of every kind: at rest, on a track and in hands."""

from functools import cache

import numpy as np

from prop_shapes import box_mesh, lamp, wheel
from walker import walk
from walkon.geometry.tracks import Track
from walkon.motion.body import Body
from walkon.stage import Prop, PropGrip, prop_models
from walkon.take import Take, TakeWriter
from walkon.transforms import quaternions as quat

SECONDS = 2.0
HOLD = (0.05, 0.0, -0.1, 1.0, 0.0, 0.0, 0.0)


def crate(name="crate"):
    """Return a mesh of a box, with a grip whose name has an underscore, and numbers that no decimal fraction has."""
    vertices, triangles = box_mesh(np.array([0.4, 0.3, 0.2]) / 3 * np.pi)
    grip = PropGrip.facing((0, 0.1, 1 / 3), fingers=(1, 2, 3), palm=(0, 0, 1), hand="left", shape="flat")
    return Prop(name=name, shape="mesh", vertices=vertices, triangles=triangles, grips={"left_side": grip}, mass=1 / 3)


@cache
def every_prop() -> Take:
    """Ann holds a suitcase, Bob a mesh; a compound and a mesh rest, an umbrella is on a track."""
    clip = walk(seconds=SECONDS, fps=60.0)
    writer = TakeWriter()
    body = writer.add_body(Body.of(clip.skeleton))
    for k, name in enumerate(("ann", "bob")):
        writer.perform(writer.add_character(name, body=body), clip, start=0.0, place=(0.0, 1.5 * k, 0.0))
    bag, mine, still, ring, cover, can = (
        writer.add_prop(prop)
        for prop in (
            prop_models.suitcase(),
            crate(),
            lamp(),
            wheel(),
            prop_models.umbrella(),
            Prop(name="can", shape="cylinder", size=(0.1, 0.1, 0.2), keep_level=True),
        )
    )
    writer.attach(bag, "ann", "RightHand", pose=(0, 0, -0.3, *quat.turn(0.2)), start=0.0, stop=SECONDS)
    writer.attach(mine, "bob", "LeftHand", pose=HOLD, start=0.0, stop=SECONDS)
    writer.attach(can, "bob", "RightHand", pose=HOLD, start=0.0, stop=1.0)
    writer.rest(still, (3.0, 0.5, 0.0, *quat.turn(1.0)), start=0.0, stop=SECONDS)
    tilt = quat.about([1.0, 0.0, 0.0], 0.4)
    writer.rest(ring, (3.0, 2.5, 0.6, *tilt), start=0.0, stop=SECONDS)
    way = Track(times=[0.0, SECONDS], places=[[1, 3, 1], [3, 3, 1]], headings=[0.0, 1.0])
    writer.ride(cover, way)
    return writer.close()
