"""A small take to draw and to check: two walkers, one who is only a disc, a box on the floor and one in a hand."""

from dataclasses import replace

import numpy as np

from walker import walk
from walkon.motion.body import Body
from walkon.script import Mark
from walkon.stage import Obstacle, Prop, Seat, Stage
from walkon.take import Take, TakeWriter

SECONDS = 2.0
STAGE = Stage(
    bounds=np.array([[-2, -3], [5, -3], [5, 5], [-2, 5]]),
    obstacles=(
        Obstacle(polygon=np.array([[3, 3.5], [4, 3.5], [4, 4], [3, 4]]), height=0.8, name="table"),
        Obstacle(polygon=np.array([[-1.5, 3], [-0.5, 3], [-1, 4]]), height=2.5, name="pillar"),
    ),
    seats=(Seat(place=np.array([1.0, 3.8, -1.5]), name="stool"),),
)


def small_take(names: tuple[str, str, str] = ("ann", "bob", "disc"), *, stage: Stage = STAGE) -> Take:
    """Ann and Bob walk along +x, 1.5 m apart; the third glides and leaves halfway."""
    clip = walk(seconds=SECONDS, fps=60.0)
    writer = TakeWriter(stage=stage)
    body = writer.add_body(Body.of(clip.skeleton))
    colours = ((0.9, 0.2, 0.2), (0.2, 0.3, 0.9), (0.2, 0.8, 0.3))
    rows = [writer.add_character(name, body=body, colour=c) for name, c in zip(names, colours, strict=True)]
    mark = Mark(name="spot", position=(1.1 * SECONDS, 0.0), facing=0.0)
    writer.add_mark(rows[0], mark, met=SECONDS)
    writer.perform(rows[0], clip, start=0.0)
    writer.perform(rows[1], clip, start=0.0, place=(0.0, 1.5, 0.0))
    writer.glide(rows[2], [[0.0, -1.5, 0.0], [1.0, -1.5, 0.0]], start=0.0, rate=1.0)
    crate = writer.add_prop(Prop(name="crate", colour=(0.9, 0.8, 0.1)))
    writer.rest(crate, (2.0, -1.5, 0.15, 1, 0, 0, 0), start=0.0, stop=SECONDS)
    for shape, joint in (("sphere", "LeftHand"), ("cylinder", "RightHand")):
        prop = writer.add_prop(Prop(name=shape, shape=shape, size=(0.2, 0.2, 0.3)))
        writer.attach(prop, rows[1], joint, pose=(0, 0, -0.15, 1, 0, 0, 0), start=0.0, stop=SECONDS)
    return writer.close()


def sliding(take: Take, speed: float) -> Take:
    """Move the plants of the first character's clip: its feet slide at this speed (m/s), and nothing else changes."""
    from walkon.take.tables import Drops, Stances, Warps

    warps = Warps.filled(1, offsets=[[[0, 0, 0], [0, speed * SECONDS, 0]]], slopes=[[[0, speed, 0], [0, speed, 0]]])
    warp = np.array(take.segments.warp)
    warp[0] = 0
    return replace(take, stances=Stances(), drops=Drops(), warps=warps, segments=take.segments.with_columns(warp=warp))
