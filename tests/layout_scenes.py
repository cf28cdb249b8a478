"""A small take with all that layout editing must keep: warps, blends, overrides, planar stretches, props, marks."""

from dataclasses import replace
from functools import cache

import numpy as np

from walker import walk
from walkon.motion import Clip
from walkon.motion.body import Body
from walkon.script import Mark
from walkon.stage import Prop
from walkon.take import Take, TakeWriter
from walkon.take.tables import Blends, Warps
from walkon.transforms import quaternions as quat

SLOW, FAST = walk(speed=1.0, seconds=4.0, fps=60.0), walk(speed=1.2, seconds=4.0, fps=60.0)


def named(clip: Clip, name: str, **labels: np.ndarray) -> Clip:
    return replace(clip, name=name, labels=labels)


def clips() -> tuple[Clip, Clip]:
    """A slow and a fast walk of four seconds; the slow one is labelled."""
    late = SLOW.times > 2.0
    return named(SLOW, "slow", walk=np.ones(len(SLOW), bool), late=late), named(FAST, "fast")


@cache
def rich() -> Take:
    """Three people and a box. Ann and bob use every feature there is; cid walks plainly."""
    slow, fast = clips()
    writer = TakeWriter()
    body = writer.add_body(Body.of(slow.skeleton))
    ann = writer.add_character("ann", body=body)
    bob = writer.add_character("bob", body=body, scale=1.05)
    cid = writer.add_character("cid", body=body, scale=0.95)
    seat = writer.add_mark(ann, Mark(name="seat", position=(3.0, 0.1), facing=0.0, window=(2.5, 3.5)), met=3.0)
    far = writer.add_mark(bob, Mark(name="far", position=(9.0, 1.0)))
    bend = Warps(offsets=[[[0, 0, 0], [0.06, 0.04, 0.05]]], slopes=[[[0, 0, 0], [0.01, 0.0, 0.02]]])
    t = writer.perform(ann, slow, start=0.25, stop=2.35, place=(1.0, 2.0, 0.3), rate=(0.9, 1.1), warp=bend, mark=seat)
    fade = Blends.filled(1, clip_start=2.1, rate_start=1.1, rate_stop=1.0, place=(1.05, 2.05, 0.34), duration=0.4)
    t = writer.perform(ann, fast, start=t, stop=t + 1.2, place=(1.0, 2.0, 0.35), clip_start=1.7, blend=fade, edge=117)
    line = np.column_stack([np.linspace(4, 6, 9), np.linspace(3, 3.5, 9), np.linspace(0.3, 0.8, 9)])
    writer.glide(ann, line, start=t, rate=8.0)
    arm = quat.about([0.0, 1.0, 0.0], np.linspace(0, -1.2, 31))
    writer.override(ann, {"LeftArm": arm, "LeftForeArm": arm}, start=1.0, rate=30.0, fade_in=0.3, fade_out=0.25)
    ramp = Warps.filled(1, offsets=[[[0, 0, 0], [-0.12, 0.05, 0.2]]])
    writer.perform(bob, fast, start=0.0, stop=3.3, place=(-2.0, -1.0, 1.2), warp=ramp, mark=far, reason="he is late")
    writer.perform(cid, slow, start=1.0, place=(0.0, 4.0, -2.0))
    box = writer.add_prop(Prop(name="box"))
    writer.add_prop(Prop(name="ghost"))
    hold = (0.1, 0.0, -0.1, 1.0, 0.0, 0.0, 0.0)
    writer.rest(box, (0.0, -1.0, 0.5, 1, 0, 0, 0), start=0.0, stop=0.8)
    writer.attach(box, bob, "LeftHand", pose=hold, start=0.8, stop=1.9)
    writer.attach(box, ann, "RightHand", pose=hold, start=2.2, stop=3.0)
    return writer.close()


def same(a: Take, b: Take, times: np.ndarray, *, rows: tuple = (None, None), exact: bool = False) -> float:
    """Return the largest difference of two takes' poses of some characters, whichever sign rotations have."""
    one, two = a.sample(times, characters=rows[0]), b.sample(times, characters=rows[1])
    assert np.array_equal(one.presence, two.presence)
    assert np.array_equal(one.contacts, two.contacts)
    if exact:
        assert np.array_equal(one.positions, two.positions, equal_nan=True)
        assert np.array_equal(one.rotations, two.rotations, equal_nan=True)
    here = one.present
    dots = np.abs(np.sum(one.rotations[here] * two.rotations[here], axis=-1))
    turn = np.sqrt(np.maximum(1.0 - np.minimum(dots, 1.0), 0.0)).max(initial=0.0) ** 2
    return float(max(np.abs(one.positions[here] - two.positions[here]).max(initial=0.0), turn))
