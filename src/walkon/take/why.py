"""Why a character does what is seen: clip or edge, mark, the reason given, and who is near; in ids and in words.

Everything here is read off the take; what a planner did not write down is not known. Metres, seconds, radians; a
bearing is counter-clockwise from where the character faces.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from walkon._base.errors import InvalidValue
from walkon.motion.footprint import MAX_MEETING_RISE_M
from walkon.motion.skeleton import FOOT_CONTACTS, SIDES
from walkon.take.posing.posing import ABSENT, PLANAR, Poses
from walkon.take.posing.posing_rule import SEAM_TOLERANCE_S
from walkon.take.reasons import reason_at, reason_words
from walkon.take.tables import FACING, MEANT, POSITION, WINDOW
from walkon.take.take import Take
from walkon.transforms import angles
from walkon.transforms.easing import smoothstep

__all__ = ["Blending", "Held", "Meeting", "Neighbour", "Reason", "why"]

NAMED_WITHIN_M = 3.0
"""m within which others are named."""
MAX_NAMED_COUNT = 6
"""Neighbours that are named at most, the nearest ones."""
DIRECTIONS = ("ahead", "ahead to the left", "to the left", "behind to the left", "behind")
"""Eighths of a turn, counter-clockwise from straight ahead."""


@dataclass(frozen=True, kw_only=True)
class Blending:
    """The clip that is fading out."""

    clip: str
    share: float
    """0 to 1, falling."""


@dataclass(frozen=True, kw_only=True)
class Meeting:
    """The mark behind what is seen. What it leaves free is None."""

    name: str
    row: int
    position: tuple[float, float] | None
    facing: float | None
    pose: str | None
    due: tuple[float, float] | None
    """Seconds: earliest and latest time."""
    met: float | None
    """Seconds: when the take means to meet it; None where it does not."""
    hold: float

    def words(self, time: float) -> str:
        """Say what the character has to do with it at this time."""
        due = "" if self.due is None else f"due {_number(self.due[0])} to {_number(self.due[1])} s, "
        if self.met is None:
            return f"on the way to mark {self.name!r} ({due}not meant to be met)"
        meant = f"({due}meant for {self.met:.2f} s)"
        if time < self.met:
            return f"on the way to mark {self.name!r} {meant}"
        kept = "holding" if time <= self.met + self.hold else "past"
        return f"{kept} mark {self.name!r} {meant}"


@dataclass(frozen=True, kw_only=True)
class Neighbour:
    """Another character nearby."""

    name: str
    row: int
    distance: float
    """Metres from root to root over the floor."""
    bearing: float
    """Radians from where the character faces, in (−π, π], positive to the left."""
    clip: str | None

    def __str__(self) -> str:
        side = DIRECTIONS[round(abs(self.bearing) / (np.pi / 4))]
        return f"{self.name} {self.distance:.2f} m {side.replace('left', 'left' if self.bearing >= 0 else 'right')}"


@dataclass(frozen=True, kw_only=True)
class Held:
    """A prop that the character holds."""

    name: str
    row: int
    joints: tuple[str, ...]
    """Joints that carry it."""
    hands: tuple[str, ...] = ()
    """Hands that grip it, "left" or "right"."""

    def __str__(self) -> str:
        return f"{self.name!r} ({_join_words([*self.joints, *(f'{hand} palm' for hand in self.hands)])})"


@dataclass(frozen=True, kw_only=True)
class Reason:
    """What is known of a character at a time; its string is a few plain sentences."""

    character: str
    row: int
    time: float
    there: tuple[tuple[float, float], ...]
    """Stretches of seconds in which the character is there."""
    present: bool
    planar: bool = False
    """Whether it is only on a track, without joints."""
    segment: int | None = None
    """Row of `Take.segments`."""
    clip: str | None = None
    clip_time: float | None = None
    """Seconds from the clip's first frame."""
    clip_duration: float | None = None
    rate: float | None = None
    """Times the clip's own speed; 0 holds a pose."""
    edge: int | None = None
    """Number of the graph's edge."""
    blending_from: Blending | None = None
    mark: Meeting | None = None
    reason: str = ""
    """What the maker of the take says, in words; "" where nothing is told."""
    reason_row: int | None = None
    """Row of `Take.reasons`."""
    labels: tuple[str, ...] = ()
    contacts: tuple[str, ...] = ()
    """Which heels and balls bear ("left heel" …)."""
    props: tuple[Held, ...] = ()
    neighbours: tuple[Neighbour, ...] = ()
    """Nearest first."""

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain types, with the sentences under "text"."""
        return asdict(self) | {"text": str(self)}

    def __str__(self) -> str:
        who = f"At {self.time:.2f} s {self.character} (character {self.row})"
        if not self.present:
            return f"{who} is not there. {self.character} {self._when_there()}."
        why = f"Why: {self.reason.rstrip('.')}." if self.reason else ""
        near = ", ".join(str(other) for other in self.neighbours)
        others = f"Near: {near}." if near else f"Nobody is within {NAMED_WITHIN_M:g} m."
        return " ".join(part for part in (f"{who} {self._playing()}.", why, self._state(), others) if part)

    def _when_there(self) -> str:
        if not self.there:
            return "never enters"
        spans = [f"from {_number(start)} to {_number(stop)} s" for start, stop in self.there]
        more = f" and {len(spans) - 4} more times" if len(spans) > 4 else ""
        return f"is there {', '.join(spans[:4]) + more if more else _join_words(spans)}"

    def _playing(self) -> str:
        mark = f", {self.mark.words(self.time)}" if self.mark else ""
        edge = f", edge {self.edge}" if self.edge is not None else ""
        if self.clip is None or self.rate is None:
            return f"is only on a track, without a body's motion{edge}{mark}"
        pace = f"at {self.rate:.2f} times its speed" if self.rate > 0 else "held"
        fade = ""
        if self.blending_from:
            fade = f", blending from {self.blending_from.clip!r} (still {100 * self.blending_from.share:.0f} %)"
        return f"plays {self.clip!r} ({self.clip_time:.2f} s of {self.clip_duration:.2f} s, {pace}){fade}{edge}{mark}"

    def _state(self) -> str:
        lists = {"Labels": self.labels, "down": self.contacts}
        parts = [f"{name}: {_join_words(words)}" for name, words in lists.items() if words]
        parts += [f"holds {prop}" for prop in self.props]
        text = "; ".join(parts)
        return f"{text[:1].upper()}{text[1:]}." if text else ""


def why(take: Take, character: str | int, time: float) -> Reason:
    """Say what a character plays at a time in seconds, towards which mark, on what grounds, and who is near."""
    row = take.character(character)
    if not isinstance(time, int | float | np.number) or not np.isfinite(time):
        raise InvalidValue(f"time must be a finite number of seconds, got {time!r}")
    t = float(time)
    poses = take.pose(t)
    there = _find_stays(take, row)
    if poses.presence[row] == ABSENT:
        return Reason(character=take.names[row], row=row, time=t, there=there, present=False)
    s, told = int(poses.segments[row]), reason_at(take, row, t)
    columns = {name: values[s].item() for name, values in take.segments.columns.items() if values.ndim == 1}
    return Reason(
        character=take.names[row],
        row=row,
        time=t,
        there=there,
        present=True,
        planar=bool(poses.presence[row] == PLANAR),
        segment=s,
        edge=columns["edge"] if columns["edge"] >= 0 else None,
        mark=_meeting(take, columns["mark"]) if columns["mark"] >= 0 else None,
        reason="" if told is None else reason_words(take, told),
        reason_row=told,
        contacts=tuple(FOOT_CONTACTS[k].replace("_", " ") for k in np.flatnonzero(poses.contacts[row])),
        props=_list_held(take, row, t),
        neighbours=_neighbours(take, row, poses),
        **(_read_clip(take, columns, t) if columns["clip"] >= 0 else {}),
    )


def _find_stays(take: Take, row: int) -> tuple[tuple[float, float], ...]:
    """Return the stretches in which a character is there, segments that abut joined."""
    mine = take.segments.rows(take.segments.character == row)
    if not len(mine):
        return ()
    fresh = np.flatnonzero(np.append(True, mine.start[1:] > mine.stop[:-1] + SEAM_TOLERANCE_S))
    starts = np.maximum(mine.start[fresh], take.enters[row])
    stops = np.minimum(mine.stop[np.append(fresh[1:], len(mine)) - 1], take.leaves[row])
    return tuple(zip(starts.tolist(), stops.tolist(), strict=True))


def _read_clip(take: Take, s: dict[str, Any], time: float) -> dict[str, Any]:
    """Read the clip, its time and rate, what it fades in from, and its labels."""
    clip, tau, length = s["clip"], time - s["start"], s["stop"] - s["start"]
    growth = (s["rate_stop"] - s["rate_start"]) / max(length, 1e-9)
    duration = float(take.clips.durations[clip])
    u = min(max(s["clip_start"] + (s["rate_start"] + 0.5 * growth * tau) * tau, 0.0), duration)
    frame = round(u * float(take.clips.rows.fps[clip]))
    labels = take.clips.labels.rows(take.clips.labels.clip == clip)
    now = (labels.start <= frame) & (frame < labels.stop)
    blending = None
    if s["blend"] >= 0 and tau < take.blends.duration[s["blend"]]:
        share = 1.0 - float(smoothstep(tau / take.blends.duration[s["blend"]]))
        blending = Blending(clip=take.clips.names[take.blends.clip[s["blend"]]], share=share)
    return {
        "clip": take.clips.names[clip],
        "clip_time": u,
        "clip_duration": duration,
        "rate": s["rate_start"] + growth * tau,
        "blending_from": blending,
        "labels": tuple(take.clips.label_names[k] for k in labels.label[now]),
    }


def _meeting(take: Take, row: int) -> Meeting:
    m = {name: values[row].tolist() for name, values in take.marks.columns.items()}
    asks = m["asks"]
    return Meeting(
        name=take.mark_names[row],
        row=row,
        position=(m["position"][0], m["position"][1]) if asks & POSITION else None,
        facing=m["facing"] if asks & FACING else None,
        pose=take.mark_poses[row] or None,
        due=(m["window"][0], m["window"][1]) if asks & WINDOW else None,
        met=m["met"] if asks & MEANT else None,
        hold=m["hold"],
    )


def _list_held(take: Take, row: int, time: float) -> tuple[Held, ...]:
    a = take.attachments
    now = a.rows((a.character == row) & (a.start <= time) & (time < a.stop))
    g = take.grips
    gripped = g.rows((g.character == row) & (g.prop >= 0) & (g.start <= time) & (time < g.stop))
    names = take.bodies[int(take.characters.body[row])].skeleton.names
    return tuple(
        Held(
            name=take.props[k].name,
            row=int(k),
            joints=tuple(names[j] for j in now.joint[now.prop == k]),
            hands=tuple(SIDES[hand] for hand in gripped.hand[gripped.prop == k]),
        )
        for k in np.union1d(now.prop, gripped.prop)
    )


def _neighbours(take: Take, row: int, poses: Poses) -> tuple[Neighbour, ...]:
    planar = poses.planar
    away = planar[:, :2] - planar[row, :2]
    distance = np.hypot(away[:, 0], away[:, 1])
    rise = np.abs(poses.positions[:, 0, 2] - poses.positions[row, 0, 2])
    # NaN, of those who are absent, is not near.
    near = np.setdiff1d(np.flatnonzero((distance <= NAMED_WITHIN_M) & (rise <= MAX_MEETING_RISE_M)), row)
    near = near[np.argsort(distance[near], kind="stable")][:MAX_NAMED_COUNT]
    bearing = angles.wrap(np.arctan2(away[:, 1], away[:, 0]) - planar[row, 2])
    clip = take.segments.clip[poses.segments[near]]
    return tuple(
        Neighbour(
            name=take.names[k],
            row=int(k),
            distance=float(distance[k]),
            bearing=float(bearing[k]),
            clip=take.clips.names[c] if c >= 0 else None,
        )
        for k, c in zip(near, clip, strict=True)
    )


def _join_words(words: tuple[str, ...] | list[str]) -> str:
    """Return "a, b and c"."""
    return " and ".join([*([", ".join(words[:-1])] if len(words) > 1 else []), words[-1]])


def _number(seconds: float) -> str:
    return f"{seconds:.2f}".rstrip("0").rstrip(".")
