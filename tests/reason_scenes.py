"""A small take whose people have reasons of every kind, about marks, props, each other and nothing."""

from functools import cache
from typing import Any

import numpy as np

from layout_scenes import clips
from walkon._base.arrays import Array
from walkon.motion.body import Body
from walkon.script import Mark
from walkon.stage import Prop
from walkon.take import Take, TakeWriter
from walkon.take.reasons import ReasonKind
from walkon.take.tables import NONE, Reasons

NAMES = ("ann", "bob", "cid")


def reasons(count: int = 1, **columns: Any) -> Reasons:
    """Rows of reasons that refer to nothing but what is given."""
    return Reasons.filled(count, **(dict.fromkeys(("mark", "other", "prop", "note"), NONE) | columns))


@cache
def told() -> Take:
    """Three people of three seconds; ann lifts a box that bob has put down, both know of the other, cid says little."""
    slow, fast = clips()
    writer = TakeWriter()
    body = writer.add_body(Body.of(slow.skeleton))
    ann, bob, cid = (writer.add_character(name, body=body) for name in NAMES)
    early = writer.add_mark(ann, Mark(name="early", position=(1.0, 0.0)), met=0.8)
    late = writer.add_mark(ann, Mark(name="late", position=(3.0, 0.0)), met=2.9)
    shelf = writer.add_mark(bob, Mark(name="shelf", position=(9.0, 1.0)), met=1.5)
    nameless = writer.add_mark(cid, Mark(position=(0.0, 9.0)))
    box, bag = writer.add_prop(Prop(name="box")), writer.add_prop(Prop(name="bag"))
    writer.perform(ann, slow, start=0.0, stop=3.0)
    writer.perform(bob, fast, start=0.5, stop=3.0, place=(0.0, 2.0, 0.0))
    writer.perform(cid, slow, start=0.0, stop=1.0, place=(0.0, 4.0, 0.0), reason="he said so")
    writer.perform(cid, slow, start=1.0, stop=2.0, clip_start=1.0, place=(0.0, 4.0, 0.0), reason="he said so")
    writer.perform(cid, slow, start=2.0, stop=2.5, clip_start=2.0, place=(0.0, 4.0, 0.0))
    writer.attach(box, bob, "LeftHand", pose=(0.1, 0, 0, 1, 0, 0, 0), start=0.5, stop=1.5)
    writer.attach(box, ann, "LeftHand", pose=(0.1, 0, 0, 1, 0, 0, 0), start=2.2, stop=3.0)
    writer.attach(bag, bob, "RightHand", pose=(0.1, 0, 0, 1, 0, 0, 0), start=1.0, stop=3.0)
    kind = ReasonKind
    writer.add_reasons(
        reasons(
            5,
            character=ann,
            start=[0.0, 0.8, 1.2, 2.0, 2.5],
            stop=[0.8, 1.2, 2.0, 2.5, 3.0],
            kind=[kind.ON_THE_WAY, kind.HOLDS, kind.PICKS_UP, kind.ON_THE_WAY, kind.STAYS],
            mark=[early, early, NONE, late, NONE],
            other=[NONE, NONE, bob, NONE, cid],
            prop=[NONE, NONE, box, NONE, bag],
            number=[1.25, 0.0, 0.0, 2.05, 0.0],
        )
    )
    door = writer.add_note("north {gate}")
    writer.add_reasons(
        reasons(
            4,
            character=[bob, bob, bob, cid],
            start=[0.5, 1.5, 2.0, 2.0],
            stop=[1.5, 2.0, 3.0, 2.5],
            kind=[kind.PUTS_DOWN, kind.WAITS_TO_LEAVE, kind.LEAVES, kind.WAITS_FOR],
            mark=[shelf, NONE, NONE, nameless],
            prop=[box, NONE, NONE, NONE],
            note=[NONE, door, door, NONE],
            number=[0.0, 0.5, 12.3, 0.75],
        )
    )
    return writer.close()


def words_at(take: Take, who: str | int, times: Array) -> list[str]:
    """Why somebody does what they do, at times; "" where nothing is told."""
    return [take.why(who, float(t)).reason for t in np.asarray(times)]
