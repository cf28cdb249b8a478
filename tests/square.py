"""A dozen people on a small square, made of the built-in library by hand and a little luck: a take without a planner.

Three sit, rise or sit down on stools, three talk, one carries a box, and five wander between them: each wanderer is put
down at random until nobody comes near it at any time. A placement counts only when the audit of the posed take finds no
two limbs that touch; otherwise the next one is tried. The same seed gives the same square.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.drawing.figures import PALETTE
from walkon.motion.body import Body
from walkon.motion.clip import Clip
from walkon.motion.editing import cut
from walkon.motion.library import Library
from walkon.script import Mark
from walkon.stage import Prop, Seat, Stage
from walkon.take.posing.props import hold_pose
from walkon.take.storing.writer import TakeWriter
from walkon.take.take import Take
from walkon.transforms import planar

if TYPE_CHECKING:
    from walkon.take.auditing import Audit

__all__ = ["clearest_moment", "square"]

DURATION = 8.0
"""Seconds that everyone is there."""
TURN = -0.27 * np.pi
"""Radians: the side from which the picture is taken; the square is laid out across and towards it."""
LOOKING_DOWN = 0.42
"""Radians by which the camera of a crowd looks down."""
HALF = np.array([3.3, 4.9])
"""Metres: half axes of the oval on which people wander, towards the camera and across."""
CLEAR = 0.85
"""Metres between the roots of two people, at any time."""
SEAT = 0.45
"""Metres of a seat for a person of the library's size."""
TRIES, ATTEMPTS = 4000, 12
"""Placements of one wanderer, and of all of them, before giving up."""
NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gia", "Hugo", "Ida", "Jon", "Kim", "Leo")
SCALES = (0.97, 1.06, 0.92, 1.04, 0.98, 1.09, 1.01, 0.90, 1.03, 0.95, 1.08, 0.93)
BOX = np.array([0.30, 0.40, 0.25])
"""Metres: what the library's performer carries."""
REASONS = (
    "rests on the stool in the middle",
    "steps aside along the stools to the free one, and sits down there at the end",
    "gets up from the stool and leaves",
    "tells the other two something",
    "listens, arms crossed",
    "listens, hands on the hips",
    "fetches the box from the floor and carries it over the square",
)
"""Why the first of the cast do what they do; all others wander."""
WANDERS = "wanders over the square, put where nobody comes within 85 cm"
RATE = 15.0
"""Samples per second of a path when looking for room."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Part:
    """What one of the cast does: a stretch of a clip, placed."""

    clip: Clip
    clip_start: float
    scale: float
    place: Array
    """[3] where the clip's own world lies on the square."""

    @property
    def rate(self) -> float:
        """Small people move faster: times go with the root of lengths. Clips that are too short are slowed."""
        left = self.clip.duration - self.clip_start
        return min(1.0 / np.sqrt(self.scale), left / DURATION)

    def path(self) -> Array:
        """Return [T, 3] planar poses over the take."""
        times = self.clip_start + self.rate * np.linspace(0.0, DURATION, int(DURATION * RATE) + 1)
        frames = np.clip(np.round(times * self.clip.fps).astype(int), 0, len(self.clip) - 1)
        return planar.compose(self.place, _scaled(self.clip.planar_poses[frames], self.scale))


def square(library: Library, *, seed: int = 7) -> "tuple[Take, Audit]":
    """Make the square and its audit; deterministic."""
    rng = np.random.default_rng(seed)
    for _ in range(ATTEMPTS):
        parts = _cast(library, rng)
        if parts is None:
            continue
        take = _written(library, parts, seed)
        audit = take.audit()
        if audit.figures["bodies"]["pair_frames"] == 0:
            return take, audit
    raise InvalidValue(f"no square without touching was found with seed {seed}; try another seed")


def clearest_moment(take: Take) -> float:
    """Return the time at which people hide one another least, seen from the side of the picture; not near the ends."""
    times = np.linspace(0.25, 0.85, 49) * DURATION
    roots = take.sample(times).positions[..., 0, :]
    across = roots[..., :2] @ np.array([-np.sin(TURN), np.cos(TURN)])
    # Seen from above, what is farther away is higher in the picture.
    above = roots[..., 2] - np.sin(LOOKING_DOWN) * (roots[..., :2] @ np.array([np.cos(TURN), np.sin(TURN)]))
    hidden = np.maximum(1.0 - np.abs(across[:, :, None] - across[:, None]) / 0.5, 0.0)
    hidden *= np.maximum(1.0 - np.abs(above[:, :, None] - above[:, None]) / 1.5, 0.0)
    return float(times[hidden.sum(axis=(1, 2)).argmin()])


def _cast(library: Library, rng: np.random.Generator) -> list[Part] | None:
    """Return what all twelve do, or None where no room was found for one of them."""
    stools = [(-2.1, -2.6, 0.25), (-2.3, -1.65, 0.05), (-2.2, -0.7, -0.15)]
    parts = [
        _placed(stools[1], library["sit_idle"], 0.0, SCALES[0], at=0.0),
        _placed(stools[0], library["sit_along_row_left"], 0.0, SCALES[1], at=1.0),
        _placed(stools[2], library["rise_and_leave_left"], 0.0, SCALES[2], at=0.0),
    ]
    for i, name in enumerate(("talk", "idle_arms_crossed", "idle_hands_on_hips")):
        angle = 2.0 * np.pi * i / 3.0 + np.pi
        where = (-0.5 + 0.62 * np.cos(angle), 1.75 + 0.62 * np.sin(angle), angle + np.pi)
        parts.append(_placed(where, library[name], 0.0, SCALES[3 + i], at=0.0))
    parts.append(_placed((1.5, -3.1, 1.5), library["fetch_floor"], 0.6, SCALES[6], at=0.0))
    paths = [part.path() for part in parts]
    for i in range(7, len(NAMES)):
        found = _wanderer(library, rng, SCALES[i], np.array(paths))
        if found is None:
            return None
        parts.append(found)
        paths.append(found.path())
    return parts


def _wanderer(library: Library, rng: np.random.Generator, scale: float, others: Array) -> Part | None:
    """Put one down at random until it stays on the oval and away from all others."""
    clips = [library[name] for name in ("wander_slow", "wander_normal", "wander_fast")]
    for _ in range(TRIES):
        clip = clips[int(rng.integers(len(clips)))]
        start = float(rng.uniform(0.0, clip.duration - 1.1 * DURATION))
        middle = HALF * rng.uniform(-1.0, 1.0, 2)
        part = _placed((*middle, float(rng.uniform(-np.pi, np.pi))), clip, start, scale, at=0.5)
        path = part.path()[:, :2]
        if (np.linalg.norm(planar.apply((0.0, 0.0, -TURN), path) / HALF, axis=1) > 1.0).any():
            continue
        if np.linalg.norm(others[..., :2] - path, axis=-1).min() > CLEAR:
            # The take carries only the stretch that is played.
            played = cut(clip, start, min(start + part.rate * DURATION + 0.1, clip.duration))
            first = start - clip.frame_at(start) / clip.fps
            return Part(clip=played, clip_start=max(first, 0.0), scale=scale, place=part.place)
    return None


def _placed(where: tuple[float, ...], clip: Clip, clip_start: float, scale: float, *, at: float) -> Part:
    """Place a clip so that the character is there after the share `at` of the take: towards, across, heading."""
    pose = planar.compose((0.0, 0.0, TURN), where)
    there = Part(clip=clip, clip_start=clip_start, scale=scale, place=np.zeros(3)).path()[round(at * DURATION * RATE)]
    place = planar.compose(pose, planar.inverse(there))
    return Part(clip=clip, clip_start=clip_start, scale=scale, place=place)


def _written(library: Library, parts: list[Part], seed: int) -> Take:
    sitting = (parts[0].path()[0], parts[1].path()[-1], parts[2].path()[0])
    seats = tuple(
        Seat(place=place, height=SEAT * part.scale, name=f"stool {i + 1}")
        for i, (place, part) in enumerate(zip(sitting, parts, strict=False))
    )
    writer = TakeWriter(stage=Stage(seats=seats), provenance={"seed": seed})
    body = writer.add_body(Body.of(library.skeleton))
    for i, (name, part) in enumerate(zip(NAMES, parts, strict=True)):
        row = writer.add_character(name, body=body, scale=part.scale, colour=PALETTE[i % len(PALETTE)])
        mark = -1
        if i == 1:
            goal = Mark(
                name=seats[1].name,
                position=(float(sitting[1][0]), float(sitting[1][1])),
                facing=float(sitting[1][2]),
                pose="seated",
                window=(DURATION - 1.0, DURATION),
            )
            mark = writer.add_mark(row, goal, met=DURATION)
        writer.perform(
            row,
            part.clip,
            start=0.0,
            stop=DURATION,
            place=part.place,
            clip_start=part.clip_start,
            rate=part.rate,
            mark=mark,
            reason=REASONS[i] if i < len(REASONS) else WANDERS,
        )
    _carry(writer, 6, parts[6])
    return writer.close()


def _carry(writer: TakeWriter, row: int, part: Part) -> None:
    """Let a box stand on the floor until the clip's hands grasp it, and go with them from then on."""
    event = next(event for event in part.clip.events if event.kind == "grasp")
    if event.object_pose is None:
        return
    frame = round(event.time * part.clip.fps)
    stand = planar.compose(part.place, _scaled(part.clip.planar_poses[frame], part.scale))
    x, y, z, w, *_, k = event.object_pose
    turn = 2.0 * float(np.arctan2(k, w))
    on_floor = planar.compose(stand, np.array([part.scale * x, part.scale * y, turn]))
    half = 0.5 * on_floor[2]
    pose = (*on_floor[:2], part.scale * z, np.cos(half), 0.0, 0.0, np.sin(half))
    size = part.scale * BOX
    prop = writer.add_prop(Prop(name="box", size=(float(size[0]), float(size[1]), float(size[2]))))
    grasped = (event.time - part.clip_start) / part.rate
    writer.rest(prop, pose, start=0.0, stop=grasped)
    take = writer.take
    joint = event.joints[0]
    held = hold_pose(take, row, joint=joint, time=grasped, pose=pose)
    writer.attach(prop, row, joint, pose=held, start=grasped, stop=DURATION)


def _scaled(poses: Array, scale: float) -> Array:
    return poses * np.array([scale, scale, 1.0])
