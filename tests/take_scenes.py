"""Small takes for tests: walkers in pieces, warped and blended, other bodies, an arm without legs, discs, overrides."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

import walker
from walkon._base.arrays import Array
from walkon.geometry.tracks import Track
from walkon.motion.body import Body
from walkon.motion.clip import Clip
from walkon.motion.skeleton import Skeleton
from walkon.stage import Prop
from walkon.take.posing.posing import Poses
from walkon.take.reasons import KINDS
from walkon.take.storing.writer import TakeWriter
from walkon.take.tables import NONE, Blends, Reasons, Warps
from walkon.take.take import Take
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

Move = tuple[float, float, float]


@lru_cache
def walking(speed: float = 1.1, seconds: float = 6.0, fps: float = 60.0) -> Clip:
    """The analytic walk, which has feet that stand still and says when."""
    return walker.walk(speed=speed, seconds=seconds, fps=fps, cadence=80.0 + 25.0 * speed)


@lru_cache
def standing(seconds: float = 3.0, fps: float = 50.0) -> Clip:
    """Someone who stands, knees a little bent, and sways."""
    source = walking()
    T = round(seconds * fps) + 1
    sway = 0.05 * np.sin(np.linspace(0.0, 4.0, T))
    rotations = np.broadcast_to(quat.IDENTITY, (T, len(source.skeleton), 4)).copy()
    for side in ("left", "right"):
        for part, turn in (("hip", -0.3), ("knee", 0.6), ("ankle", -0.3)):
            # The knees bend about another axis than those of the walk.
            axis = np.array([0.15, 1.0, -0.1] if part == "knee" else [0.0, 1.0, 0.0])
            rotations[:, source.skeleton.role(f"{side}_{part}")] = quat.about(axis / np.linalg.norm(axis), turn)
    rotations[:, source.skeleton.role("spine")] = quat.about(np.array([1.0, 0.0, 0.0]), sway)
    clip = Clip(skeleton=source.skeleton, fps=fps, root_positions=np.zeros((T, 3)), local_rotations=rotations)
    low = clip.contact_positions[..., 2].min()
    return Clip(
        skeleton=source.skeleton,
        fps=fps,
        root_positions=np.tile([0.0, 0.0, -low], (T, 1)),
        local_rotations=rotations,
        contacts=np.ones((T, 4), bool),
        name="standing",
    )


def robot_arm() -> Skeleton:
    """Four joints without a role: it has no feet to plant."""
    return Skeleton(
        names=("base", "upper", "lower", "tip"),
        parents=[-1, 0, 1, 2],
        offsets=[[0, 0, 0.4], [0, 0, 0.3], [0.1, 0, 0.5], [0.3, 0, 0]],
        end_sites=[False, False, False, True],
    )


@lru_cache
def waving(seconds: float = 2.0, fps: float = 30.0) -> Clip:
    """The arm at work; it also rolls along the floor."""
    skeleton = robot_arm()
    T = round(seconds * fps) + 1
    u = np.linspace(0.0, seconds, T)
    rotations = np.broadcast_to(quat.IDENTITY, (T, len(skeleton), 4)).copy()
    for joint, axis in ((0, (0, 0, 1)), (1, (0, 1, 0)), (2, (1, 0, 0))):
        rotations[:, joint] = quat.about(np.array(axis, float), 1.7 * np.sin((joint + 1) * u))
    roots = np.column_stack([0.4 * u, 0.1 * np.sin(u), np.full(T, 0.4)])
    return Clip(skeleton=skeleton, fps=fps, root_positions=roots, local_rotations=quat.continuous(rotations))


def slender(skeleton: Skeleton) -> Skeleton:
    """The same joints, of a person with longer legs, shorter feet and a longer back."""
    from dataclasses import replace

    offsets = np.array(skeleton.offsets)
    for side in ("left", "right"):
        offsets[skeleton.role(f"{side}_knee")] *= 1.12
        offsets[skeleton.role(f"{side}_ankle")] *= 1.08
        offsets[skeleton.role(f"{side}_ball")] *= 0.93
    offsets[skeleton.role("chest")] *= 1.1
    return replace(skeleton, offsets=offsets)


def root_of(clip: Clip, seconds: float, place: Sequence[float], *, stride: float = 1.0) -> Array:
    """Where a clip's root is [2] at a time of the clip, placed."""
    frames = np.arange(len(clip)) / clip.fps
    own = [stride * np.interp(seconds, frames, clip.root_positions[:, i]) for i in range(2)]
    return planar.apply(np.asarray(place[:3], float), np.array(own))


def walk_in_pieces(
    writer: TakeWriter,
    character: int,
    clip: Clip,
    *,
    moves: Sequence[Move],
    seconds: float = 0.7,
    start: float = 0.0,
    clip_start: float = 0.0,
    place: Sequence[float] = (0.0, 0.0, 0.0),
    rate: float = 1.0,
    stride: float = 1.0,
    even: bool = False,
) -> float:
    """Play one clip in abutting segments, each moved by (x, y, turn) on its way; returns when it stops.

    Each segment begins where the one before has brought the body, so poses are continuous; with `even` the moves are
    made at constant speed, otherwise with smoothstep.
    """
    where = np.array([*place, 0.0][:4], float)
    t, u = start, clip_start
    for move in moves:
        offsets = np.array([(0.0, 0.0, 0.0), move], np.float32)
        slopes = np.tile((offsets[1] - offsets[0]) / seconds, (2, 1)) if even else np.zeros((2, 3))
        warp = Warps.filled(1, offsets=offsets[None], slopes=slopes[None])
        stop = writer.perform(
            character, clip, start=t, stop=t + seconds, clip_start=u, place=where, rate=rate, warp=warp
        )
        t, u = stop, u + rate * seconds
        root = root_of(clip, u, where, stride=stride)
        moved = offsets[1].astype(np.float64)
        turned = planar.apply([0.0, 0.0, moved[2]], root)
        where[:3] = planar.compose([*(root + moved[:2] - turned), moved[2]], where[:3])
    return t


def one_walker(
    clip: Clip | None = None, *, scale: float = 1.0, body: Skeleton | None = None, **options: object
) -> Take:
    """One person who walks in pieces (see `walk_in_pieces`)."""
    clip = walking() if clip is None else clip
    writer = TakeWriter()
    who = writer.add_character("ann", body=writer.add_body(Body.of(body or clip.skeleton)), scale=scale)
    walk_in_pieces(writer, who, clip, stride=scale, **options)  # type: ignore[arg-type]
    return writer.close()


def fade(
    clip: int, *, clip_start: float, place: Sequence[float], duration: float, rate: tuple[float, float] = (1.0, 1.0)
) -> Blends:
    """What a segment fades in from."""
    return Blends.filled(
        1,
        clip=clip,
        clip_start=clip_start,
        rate_start=rate[0],
        rate_stop=rate[1],
        place=place[:3],
        duration=duration,
    )


def crossfade(
    first: Clip, second: Clip, *, seconds: float = 2.0, duration: float = 0.4, move: Move = (0.02, -0.02, 0.03)
) -> Take:
    """One person who walks by one clip and fades into another that begins at the same phase and place."""
    writer = TakeWriter()
    who = writer.add_character("ann", body=writer.add_body(Body.of(first.skeleton)))
    offsets = np.array([(0.0, 0.0, 0.0), move])
    stop = writer.perform(who, first, start=0.0, stop=seconds)
    at = root_of(first, seconds, (0.0, 0.0, 0.0))
    # The cycle of a walk at this speed: the second clip is taken up at the same phase of it.
    u = seconds
    place = (*(at - root_of(second, u, (0.0, 0.0, 0.0))), 0.0)
    writer.perform(
        who,
        second,
        start=stop,
        stop=stop + 2.0,
        clip_start=u,
        place=place,
        blend=fade(writer.add_clip(first), clip_start=seconds, place=(0.0, 0.0, 0.0), duration=duration),
        warp=Warps.filled(1, offsets=offsets[None]),
    )
    return writer.close()


def every_feature(rng: np.random.Generator) -> Take:
    """A dozen characters that use all a take can hold; no two takes are alike."""
    walk, fast, stand, arm = walking(), walking(1.4), standing(), waving()
    writer = TakeWriter()
    bodies = [Body.of(walk.skeleton), Body.of(slender(walk.skeleton)), Body.of(arm.skeleton)]
    rows = [writer.add_body(body) for body in bodies]

    def place() -> Array:
        return np.append(rng.uniform(-20, 20, 2), [rng.uniform(-4, 4), rng.choice([0.0, 0.5])])

    def moves(count: int) -> list[Move]:
        return [(*rng.uniform(-0.04, 0.04, 2), rng.uniform(-0.06, 0.06)) for _ in range(count)]

    for number in range(6):
        scale = float(rng.uniform(0.85, 1.15))
        who = writer.add_character(f"walker {number}", body=rows[number % 2], scale=scale)
        walk_in_pieces(
            writer,
            who,
            fast if number == 3 else walk,
            moves=moves(4),
            seconds=float(rng.uniform(0.4, 0.9)),
            start=float(rng.uniform(-1, 1)),
            clip_start=float(rng.uniform(0, 1)),
            place=place(),
            rate=float(rng.uniform(0.8, 1.2)),
            stride=scale,
            even=number % 2 == 0,
        )
    for number in range(3):
        who = writer.add_character(f"fader {number}", body=rows[number % 2], scale=float(rng.uniform(0.9, 1.1)))
        where, start = place(), float(rng.uniform(0, 1))
        rates = tuple(rng.uniform(0.7, 1.3, 2))
        stop = writer.perform(who, stand, start=start, stop=start + 1.3, place=where, rate=rates)
        warp = Warps.filled(1, offsets=rng.uniform(-0.03, 0.03, (1, 2, 3)), slopes=rng.uniform(-0.03, 0.03, (1, 2, 3)))
        other = fade(writer.add_clip(stand), clip_start=1.3, place=where, duration=0.5, rate=(1.0, 0.6))
        stop = writer.perform(who, walk, start=stop, stop=stop + 1.6, place=where, blend=other, warp=warp)
        # A fade that is longer than its segment, and a pose that is held.
        other = fade(writer.add_clip(fast), clip_start=0.4, place=where, duration=1.1)
        stop = writer.perform(who, stand, start=stop, stop=stop + 0.8, place=where, blend=other, rate=(1.0, 0.0))
        writer.perform(who, walk, start=stop + 0.4, stop=stop + 1.0, clip_start=0.7, rate=0.0, place=where)
        tracks = {
            name: quat.normalize(rng.normal(size=(20, 4)))
            for name in ("LeftArm", "LeftForeArm", "RightHand", "Neck", "LeftUpLeg")
        }
        writer.override(who, tracks, start=start + 0.5, rate=25.0, fade_in=0.3, fade_out=0.0 if number else 0.2)
    who = writer.add_character("disc and body", body=rows[1], scale=1.05)
    path = np.column_stack([np.linspace(0, 3, 9), np.linspace(0, 1, 9), np.linspace(3.0, 4.4, 9)])
    stop = writer.glide(who, path, start=0.2, rate=5.0)
    writer.perform(who, walk, start=stop, stop=stop + 1.0, place=(3.0, 1.0, 4.4))
    who = writer.add_character("arm", body=rows[2], scale=0.8)
    stop = writer.perform(who, arm, start=0.0, place=place(), rate=(0.5, 2.0))
    writer.override(who, {"upper": quat.normalize(rng.normal(size=(8, 4)))}, start=0.3, rate=10.0)
    writer.glide(who, path, start=stop + 0.5, rate=10.0)
    writer.add_character("nobody", body=rows[0])
    who = writer.add_character("climber", body=rows[0])
    walk_in_pieces(writer, who, walk, moves=moves(3), start=0.3, place=place()[:3], stride=1.0)
    writer.lift(who, [0.4, 0.9, 1.5, 2.0], [3.0, 3.1, 2.6, 3.4])
    turned = {name: quat.about([0.3, 0.9, 0.1], np.linspace(0, 0.5, 12)) for name in ("Neck", "Head")}
    offsets = 0.04 * rng.normal(size=(12, 3))
    writer.override(who, turned, start=0.6, rate=10.0, root=offsets, added=True)
    writer.override(who, start=1.9, rate=20.0, root=offsets, fade_in=0.0)
    who = writer.add_character("bird", body=rows[2], scale=0.4)
    writer.follow(who, flight(rng), clip=arm, rate=1.3, clip_start=0.2, place=place()[:3])
    who = writer.add_character("kite", body=rows[2])
    writer.follow(who, flight(rng), start=0.4, stop=1.6)
    simulated = writer.add_characters(["one", "two", "three"], body=rows[1], scale=[0.9, 1.0, 1.1])
    ways = np.cumsum(rng.normal(scale=0.02, size=(41, 3, 3)), axis=0) + rng.uniform(-30, 30, (1, 3, 3))
    writer.add_trajectories(simulated, ways, start=0.5, rate=10.0)
    hold_things(writer, rng)
    times, numbers = 0.3 * np.arange(len(KINDS)), [2.25 if kind.unit else 0.0 for kind in KINDS]
    told = {
        "kind": KINDS,
        "mark": NONE,
        "other": 1,
        "prop": NONE,
        "note": writer.add_note("as told"),
        "number": numbers,
    }
    writer.add_reasons(Reasons.filled(len(KINDS), character=0, start=times, stop=times + 0.3, **told))
    return writer.close()


def some_pose(rng: np.random.Generator, spread: float) -> Array:
    """A pose [7] near the origin."""
    return np.append(rng.normal(scale=spread, size=3), quat.normalize(rng.normal(size=4)))


def hold_things(writer: TakeWriter, rng: np.random.Generator) -> None:
    """Let the walkers of `every_feature` hold things, each other and the stage, two deep."""
    cup, plank, tray, ball = (
        writer.add_prop(Prop(name=name, keep_level=name == "tray")) for name in ("cup", "plank", "tray", "ball")
    )
    writer.rest(cup, some_pose(rng, 3.0), start=-0.5, stop=0.2)
    writer.attach(cup, 0, "RightHand", pose=some_pose(rng, 0.1), start=0.2, stop=1.0, pose_stop=some_pose(rng, 0.1))
    writer.attach(cup, 1, "LeftHand", pose=some_pose(rng, 0.1), start=1.0, stop=1.6)
    writer.ride(plank, flight(rng))
    writer.attach(tray, 2, "LeftHand", pose=some_pose(rng, 0.2), start=0.0, stop=2.0)
    writer.attach(ball, "disc and body", "Head", pose=some_pose(rng, 0.2), start=0.0, stop=2.0)
    # Both hands on a thing that one of them has; the other's hand on it as well.
    writer.grip(0, "left", prop=cup, pose=some_pose(rng, 0.2), start=0.3, stop=0.8, shape="cylinder")
    writer.grip(2, "right", prop=cup, pose=some_pose(rng, 0.2), start=0.1, stop=1.5, pose_stop=some_pose(rng, 0.2))
    # A hand on a prop in the hand of somebody whose hand is on a prop on a track.
    writer.grip(2, "left", prop=plank, pose=some_pose(rng, 0.2), start=0.2, stop=1.2, swivel=(0.2, -0.4), fade_in=0.1)
    writer.grip(2, "left", pose=some_pose(rng, 1.0), start=1.3, stop=1.6, fade_in=0.4, fade_out=0.0)
    writer.grip(3, "right", prop=tray, pose=some_pose(rng, 0.2), start=0.0, stop=1.4, shape="flat")
    writer.grip(4, "left", other=3, joint="RightForeArm", pose=some_pose(rng, 0.2), start=0.2, stop=1.1)
    writer.grip(5, "right", other=5, joint="Spine", pose=some_pose(rng, 0.3), start=0.4, stop=1.0, fade_out=1.0)
    writer.grip(5, "left", prop=ball, pose=some_pose(rng, 0.3), start=0.4, stop=1.0)
    # While joints of that arm are overridden, and a clip fades in.
    writer.grip("fader 0", "left", pose=some_pose(rng, 8.0), start=0.9, stop=2.6)
    writer.shape_hand("fader 0", "left", "pinch", start=1.0, stop=1.3, fade_out=0.5)
    writer.shape_hand("fader 0", "left", "hook", start=1.5, stop=1.9)
    writer.shape_hand("walker 1", "right", "open", start=0.0, stop=0.5, fade_in=0.0, fade_out=0.0)


def flight(rng: np.random.Generator, seconds: float = 2.0) -> Track:
    """A track through the air that banks: places with velocities, and rotations."""
    times = np.sort(rng.uniform(0.0, seconds, 6)) + 0.1 * np.arange(6)
    turns = quat.continuous(
        quat.normalize(np.cumsum(rng.normal(scale=0.3, size=(6, 4)), axis=0) + np.array([4.0, 0, 0, 0]))
    )
    return Track(
        times=times,
        places=np.cumsum(rng.normal(size=(6, 3)), axis=0) + np.array([0.0, 0.0, 9.0]),
        rotations=turns,
        velocities=rng.normal(size=(6, 3)),
    )


def interesting_times(take: Take, rng: np.random.Generator, count: int = 60) -> Array:
    """Random times, and the borders of everything: segments, stances, overrides, and a hair to either side."""
    borders = np.concatenate(
        [
            *(take.segments.columns[end] for end in ("start", "stop")),
            *(take.stances.columns[end] for end in ("start", "stop")),
            *(take.overrides.columns[end] for end in ("start", "stop")),
            take.heights.time,
            *(rows.columns[end] for rows in (take.grips, take.hand_shapes) for end in ("start", "stop")),
            take.grips.start - take.grips.fade_in,
            take.grips.stop + take.grips.fade_out,
        ]
    )
    some = rng.choice(borders, min(count, len(borders)), replace=False)
    free = rng.uniform(take.start - 0.2, take.stop + 0.2, count)
    return np.sort(np.concatenate([some, some - 1e-7, some + 1e-7, free]))


def contact_points(take: Take, poses: Poses) -> Array:
    """World places [..., 4, 3] of heels and balls, by the bodies' own contact points; NaN for bodies without."""
    points = np.full((*poses.presence.shape, 4, 3), np.nan)
    for column, row in enumerate(poses.bodies):
        skeleton = take.bodies[row].skeleton
        if len(skeleton.contact_names) == 4:
            joints = skeleton.contact_joints
            offsets = skeleton.contact_offsets * float(take.characters.scale[column])
            turned = quat.rotate(poses.rotations[..., column, joints, :], offsets)
            points[..., column, :, :] = poses.positions[..., column, joints, :] + turned
    return points
