"""Random holds: what a writer takes in can be posed at any time, and what it refuses as a circle is one.

The judge is brute force: at a moment, follow from every arm what it rests on, by the rule of `take.posing.holding`
alone; a circle is an arm that comes up again.
"""

import numpy as np
import pytest

import take_scenes as scenes
from walkon._base.errors import InvalidValue
from walkon.motion.body import Body
from walkon.stage import Prop
from walkon.take import TakeWriter
from walkon.take.hold_checking import arm_of_joint
from walkon.take.tables import Attachments, Grips

HERE = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
PEOPLE, PROPS, ROWS = 3, 3, 26
JOINTS = ("LeftHand", "RightHand", "LeftForeArm", "Head")
STEP_S = 0.1
"""Times of rows are multiples of this, so that moments between them see everything."""


def cast() -> TakeWriter:
    writer = TakeWriter()
    body = writer.add_body(Body.of(scenes.standing().skeleton))
    for k in range(PEOPLE):
        writer.perform(
            writer.add_character(f"p{k}", body=body), scenes.standing(), start=0.0, place=(0.0, 0.7 * k, 0.0)
        )
    for k in range(PROPS):
        writer.rest(writer.add_prop(Prop(name=f"thing {k}")), HERE, start=0.0, stop=STEP_S)
    return writer


def random_row(rng: np.random.Generator) -> tuple[str, dict[str, object]]:
    """A hold of some kind, at some time."""
    start = STEP_S * int(rng.integers(1, 22))
    span = {"start": start, "stop": start + STEP_S * int(rng.integers(1, 8))}
    who, prop = int(rng.integers(PEOPLE)), int(rng.integers(PROPS))
    if rng.random() < 0.4:
        return "attach", {"prop": prop, "character": who, "joint": str(rng.choice(JOINTS)), "pose": HERE, **span}
    fades = {"fade_in": STEP_S * int(rng.integers(0, 3)), "fade_out": STEP_S * int(rng.integers(0, 3))}
    row = {"character": who, "hand": str(rng.choice(["left", "right"])), "pose": HERE, **span, **fades}
    if rng.random() < 0.7:
        return "grip", row | {"prop": prop}
    return "grip", row | {"other": int(rng.integers(PEOPLE)), "joint": str(rng.choice(JOINTS))}


def goes_round(attachments: Attachments, grips: Grips, arm: tuple[int, int], t: float, path: tuple = ()) -> bool:
    """Follow what an arm rests on at a moment; True where it rests on itself at that moment."""
    if (arm, t) in path:
        return True
    skeleton, line = scenes.standing().skeleton, (*path, (arm, t))
    for row in np.flatnonzero((grips.character == arm[0]) & (grips.hand == arm[1])):
        # Rows that overlap by less than a microsecond follow each other.
        if not grips.start[row] - grips.fade_in[row] <= t < grips.stop[row] + grips.fade_out[row] - 1e-6:
            continue
        holder, joint, when = int(grips.other[row]), int(grips.joint[row]), t
        if grips.prop[row] >= 0:
            mine = np.flatnonzero(attachments.prop == grips.prop[row])
            mine = mine[np.argsort(attachments.start[mine])]
            source = mine[max(int(np.sum(attachments.start[mine] <= t)) - 1, 0)]
            holder, joint = int(attachments.character[source]), int(attachments.joint[source])
            when = float(np.clip(t, attachments.start[source], attachments.stop[source]))
        side = arm_of_joint(skeleton, joint) if holder >= 0 else -1
        if side >= 0 and goes_round(attachments, grips, (holder, side), when, line):
            return True
    return False


def any_circle(attachments: Attachments, grips: Grips) -> bool:
    moments = np.arange(0.25 * STEP_S, 3.3, STEP_S / 2)  # off the borders, which rounding decides
    arms = [(who, side) for who in range(PEOPLE) for side in range(2)]
    return any(goes_round(attachments, grips, arm, float(t)) for t in moments for arm in arms)


@pytest.mark.parametrize("seed", range(12))
def test_holds_that_are_taken_in_can_be_posed_and_circles_that_are_refused_are_circles(seed):
    rng = np.random.default_rng(seed)
    writer, refused = cast(), 0
    for _ in range(ROWS):
        kind, row = random_row(rng)
        before = writer.take
        try:
            getattr(writer, kind)(**row)
        except InvalidValue as error:
            if "hold on to itself" not in str(error):
                continue
            refused += 1
            a, g = before.attachments, before.grips
            skeleton = scenes.standing().skeleton
            names = {"joint": skeleton.index(row["joint"]) if "joint" in row else -1}
            if kind == "attach":
                a = Attachments.joined([a, Attachments.filled(1, **(row | names | {"track": -1, "pose": HERE}))])
            else:
                given = {"prop": -1, "other": -1} | row | names | {"hand": int(row["hand"] == "right")}
                g = Grips.joined([g, Grips.filled(1, **given)])
            assert any_circle(a, g), error
    take = writer.close()
    assert not any_circle(take.attachments, take.grips)
    borders = np.concatenate([take.grips.start, take.grips.stop, take.attachments.start, take.attachments.stop])
    times = np.concatenate([np.linspace(0.0, 3.0, 61), np.clip(borders, 0.0, 3.0)])
    assert np.isfinite(take.sample(times).positions).all()


def test_the_generator_makes_circles():
    """Or the test above would prove nothing."""
    refused = 0
    for seed in range(12):
        rng, writer = np.random.default_rng(seed), cast()
        for _ in range(ROWS):
            kind, row = random_row(rng)
            try:
                getattr(writer, kind)(**row)
            except InvalidValue as error:
                refused += "hold on to itself" in str(error)
    assert refused >= 6
