"""Makes `small.take`, a take of the present format that later versions must read, or refuse with the right sentence.

Run it only when the format changes before a release; afterwards the file stays, and a newer one is put beside it:

    python tests/formats/make_small_take.py tests/formats/small.take
"""

import sys
from pathlib import Path

import numpy as np

from walkon.geometry.tracks import Track
from walkon.motion.body import Body
from walkon.motion.clip import Clip, Event
from walkon.motion.skeleton import Skeleton
from walkon.script import Mark
from walkon.stage import Door, Obstacle, Prop, Seat, Stage
from walkon.take import Take, TakeWriter, save_take
from walkon.take.reasons import ReasonKind
from walkon.take.tables import Blends, Reasons, Warps
from walkon.transforms import quaternions as quat

SIDES = ("left", "right")


def walker() -> Skeleton:
    """Hips, two legs with feet, and a left arm."""
    names, parents, offsets, roles = ["hips"], [-1], [(0.0, 0.0, 0.9)], {"hips": 0}
    joints, points, places = [], [], []
    for side, y in zip(SIDES, (0.1, -0.1), strict=True):
        first = len(names)
        names += [f"{side} {part}" for part in ("hip", "knee", "ankle", "ball")]
        parents += [0, first, first + 1, first + 2]
        offsets += [(0.0, y, 0.0), (0.0, 0.0, -0.4), (0.0, 0.0, -0.4), (0.15, 0.0, -0.08)]
        roles |= {f"{side}_{part}": first + k for k, part in enumerate(("hip", "knee", "ankle", "ball"))}
        joints += [first + 2, first + 3]
        points += [f"{side}_heel", f"{side}_ball"]
        places += [(-0.05, 0.0, -0.1), (0.0, 0.0, -0.02)]
    arm = ("shoulder", "elbow", "wrist")
    roles |= {f"left_{part}": len(names) + k for k, part in enumerate(arm)}
    parents += [0, len(names), len(names) + 1]
    names += [f"left {part}" for part in arm]
    offsets += [(0.0, 0.2, 0.5), (0.0, 0.0, -0.3), (0.0, 0.0, -0.25)]
    skeleton = Skeleton(names=names, parents=parents, offsets=offsets, roles=roles)
    return skeleton.with_contacts(tuple(points), np.array(joints), np.array(places))


def standing(skeleton: Skeleton) -> Clip:
    """Stands with bent knees for a second, at five frames."""
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (5, len(skeleton), 1))
    for side in SIDES:
        for part, turn in (("hip", -0.3), ("knee", 0.6), ("ankle", -0.3)):
            turns[:, skeleton.role(f"{side}_{part}")] = quat.about([0.0, 1.0, 0.0], turn)
    roots = np.tile([0.0, 0.0, 0.86], (5, 1))
    return Clip(
        skeleton=skeleton,
        fps=4.0,
        root_positions=roots,
        local_rotations=turns,
        contacts=np.ones((5, 4), bool),
        labels={"stand": np.ones(5, bool)},
        events=(Event(time=0.5, kind="grasp", joints=("left ankle",), object_pose=None),),
        name="standing",
    )


def small_take() -> Take:
    """Two people and a bird, with a row in every table but that of drops."""
    square = [(4, 4), (5, 4), (5, 5), (4, 5)]
    stage = Stage(
        obstacles=(Obstacle(polygon=square, height=2.0, name="pillar"),),
        seats=(Seat(place=(1, 2, 0.5), name="seat"),),
        doors=(Door(ends=[(0, 9), (1, 9)], name="door"),),
    )
    writer = TakeWriter(fps=24.0, stage=stage, provenance={"seed": 7})
    skeleton = walker()
    clip = standing(skeleton)
    bird = Skeleton(names=("bird",), parents=[-1], offsets=np.zeros((1, 3)))
    flight = Clip(skeleton=bird, fps=2.0, root_positions=[[0, 0, 1], [1, 0, 1]], local_rotations=[[[1, 0, 0, 0]]] * 2)
    body = writer.add_body(Body.of(skeleton))
    ann = writer.add_character("ann", body=body)
    bob = writer.add_character("bob", body=body, scale=1.1, colour=(0.2, 0.4, 0.6))
    mark = writer.add_mark(ann, Mark(name="here", position=(0, 0), facing=0.0, pose="stand", window=(-1, 2)), met=-0.5)
    writer.add_mark(bob, Mark(name="never", position=(9, 9)))
    warp = Warps.filled(1, offsets=[[[0, 0, 0], [0.05, 0.02, 0.1]]])
    stop = writer.perform(ann, clip, start=-1.0, place=(1.0, 0.0, 0.5), warp=warp, mark=mark, reason="told to")
    fade = Blends.filled(1, rate_start=1.0, rate_stop=1.0, place=(1.0, 0.0, 0.5), duration=0.3)
    writer.perform(ann, clip, start=stop, place=(1.02, 0.0, 0.5), blend=fade, edge=3, rate=(1.0, 0.5))
    writer.override(ann, {"left knee": np.tile(quat.about([0.0, 1.0, 0.0], 0.7), (3, 1))}, start=-0.5, rate=4.0)
    writer.glide(bob, [(0, 3, 0), (1, 3, 0.1), (2, 3, 0.2)], start=0.0, rate=2.0)
    writer.perform(writer.add_character("bird", body=writer.add_body(Body.of(bird))), flight, start=0.0)
    box = writer.add_prop(Prop(name="box"))
    writer.rest(box, (2, 0, 0, 1, 0, 0, 0), start=-1.0, stop=0.0)
    writer.attach(box, bob, "hips", pose=(0.3, 0, 0, 1, 0, 0, 0), start=0.0, stop=1.0)
    hand = {"start": -0.5, "stop": 0.5}
    writer.grip(ann, "left", prop=box, pose=(0, 0, 0, 1, 0, 0, 0), swivel=(0.0, 0.2), shape="hook", **hand)
    writer.refer(ann, Track(times=[-1.0, 1.0], places=[[1, 0], [1.1, 0]]))
    nothing = dict.fromkeys(("mark", "other", "prop", "note"), -1)
    wait = nothing | {"mark": mark, "kind": ReasonKind.WAITS_FOR, "number": 0.25}
    writer.add_reasons(Reasons.filled(1, character=ann, start=0.0, stop=0.25, **wait))
    lift = nothing | {"prop": box, "other": ann, "kind": ReasonKind.PICKS_UP}
    writer.add_reasons(Reasons.filled(1, character=bob, start=0.0, stop=0.5, **lift))
    return writer.close()


if __name__ == "__main__":
    save_take(small_take(), Path(sys.argv[1]))
