"""Cutting, joining, resampling and placing clips. Every edit returns a new clip; times are seconds."""

from dataclasses import replace

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue
from walkon.motion.clip import Clip
from walkon.transforms import planar
from walkon.transforms import quaternions as quat
from walkon.transforms.easing import smoothstep

__all__ = ["cut", "join", "move", "place", "resample", "take_frames"]


def take_frames(clip: Clip, frames: IntArray) -> Clip:
    """Return the clip made of these frames [T'], in this order; events keep their moment if its frame is kept."""
    frames = np.asarray(frames)
    where = {int(frame): new for new, frame in reversed(list(enumerate(frames)))}
    events = [
        replace(event, time=where[frame] / clip.fps)
        for event in clip.events
        if (frame := round(event.time * clip.fps)) in where
    ]
    return replace(
        clip,
        root_positions=clip.root_positions[frames],
        local_rotations=clip.local_rotations[frames],
        local_translations=None if clip.local_translations is None else clip.local_translations[frames],
        contacts=clip.contacts[frames],
        contact_heights=clip.contact_heights[frames],
        labels={label: flags[frames] for label, flags in clip.labels.items()},
        events=tuple(events),
    )


def cut(clip: Clip, start: float = 0.0, stop: float | None = None) -> Clip:
    """Return the part from `start` to `stop` seconds, both frames included; it stays where it was in the world."""
    first, last = clip.frame_at(start), clip.frame_at(clip.duration if stop is None else stop)
    if last < first:
        raise InvalidValue(f"stop must not be before start, got {start:g} s to {stop:g} s")
    return take_frames(clip, np.arange(first, last + 1))


def resample(clip: Clip, fps: float) -> Clip:
    """Return the clip at another rate: rotations by slerp, places linearly, contacts and labels from the nearest frame.

    New frame k is at k / fps seconds, so the clip loses at most the rest of its last new frame.
    """
    if not (np.isfinite(fps) and fps > 0):
        raise InvalidValue(f"fps must be positive, got {fps}")
    if fps == clip.fps:
        return clip
    count = int(np.floor(clip.duration * fps + 1e-6)) + 1
    at = np.minimum(np.arange(count) * (clip.fps / fps), len(clip) - 1)
    before = np.minimum(np.floor(at + 1e-9).astype(np.int64), len(clip) - 1)
    after = np.minimum(before + 1, len(clip) - 1)
    part = np.clip(at - before, 0.0, 1.0)
    nearest = np.minimum(np.floor(at + 0.5 - 1e-9).astype(np.int64), len(clip) - 1)

    def blend(values: Array) -> Array:
        weight = part.reshape((-1,) + (1,) * (values.ndim - 1))
        return (1.0 - weight) * values[before] + weight * values[after]

    rotations = quat.slerp(clip.local_rotations[before], clip.local_rotations[after], part[:, None])
    return replace(
        clip,
        fps=fps,
        root_positions=blend(clip.root_positions),
        local_rotations=quat.continuous(quat.normalize(rotations)),
        local_translations=None if clip.local_translations is None else blend(clip.local_translations),
        contacts=clip.contacts[nearest],
        contact_heights=clip.contact_heights[nearest],
        labels={label: flags[nearest] for label, flags in clip.labels.items()},
    )


def move(clip: Clip, pose: Array) -> Clip:
    """Turn and slide the whole clip along the floor by a planar pose (x, y, heading), about the world's origin."""
    pose = np.asarray(pose, dtype=np.float64)
    rotations = np.array(clip.local_rotations)
    rotations[:, 0] = quat.multiply(quat.turn(pose[2]), rotations[:, 0])
    return replace(clip, root_positions=planar.apply_3d(pose, clip.root_positions), local_rotations=rotations)


def place(clip: Clip, pose: Array, *, time: float = 0.0) -> Clip:
    """Move the clip so that its planar pose at `time` is the given one."""
    here = clip.planar_poses[clip.frame_at(time)]
    return move(clip, planar.compose(pose, planar.inverse(here)))


def join(first: Clip, second: Clip, *, blend: float = 0.0) -> Clip:
    """Play `second` after `first`, placed so that it starts where the first ends; the two meeting frames become one.

    With `blend` seconds the difference in pose at the seam fades out over the start of the second clip, by the cubic
    1 − 3u² + 2u³; without it the seam is hard. Labels are united.
    """
    a, b = first.skeleton, second.skeleton
    both_names = f"{first.name!r} and {second.name!r}"
    for is_broken, words in (
        (
            not (a.same_topology(b) and np.allclose(a.offsets, b.offsets, atol=1e-6)),
            f"{both_names} have different skeletons; retarget one of them first",
        ),
        (
            a.contact_names != b.contact_names,
            f"{both_names} have different contact points; call walkon.ground(clip) on both, or on neither",
        ),
        (not (np.isfinite(blend) and blend >= 0), f"blend must be 0 or more seconds, got {blend}"),
        (
            abs(first.fps - second.fps) > 1e-9 * first.fps,
            f"{first.name!r} has {first.fps:g} fps and {second.name!r} {second.fps:g}; resample one of them first",
        ),
        (
            (first.local_translations is None) != (second.local_translations is None),
            "only one of the clips has local translations, so they cannot be one clip",
        ),
    ):
        if is_broken:
            raise InvalidValue(words)
    second = place(second, first.planar_poses[-1])
    rotations, roots = np.array(second.local_rotations), np.array(second.root_positions)
    if blend > 0:
        weight = 1.0 - smoothstep(np.arange(len(second)) / (blend * second.fps))
        gap = quat.log(quat.multiply(quat.conjugate(rotations[0]), first.local_rotations[-1]))
        rotations = quat.multiply(rotations, quat.exp(weight[:, None, None] * gap))
        roots = roots + weight[:, None] * (first.root_positions[-1] - roots[0])
    shift = len(first) - 1
    names = {**dict.fromkeys(first.labels), **dict.fromkeys(second.labels)}
    none_first, none_second = np.zeros(len(first), bool), np.zeros(len(second), bool)

    def both(a: Array, b: Array) -> Array:
        return np.concatenate([a, b[1:]])

    return replace(
        first,
        root_positions=both(first.root_positions, roots),
        local_rotations=quat.continuous(both(first.local_rotations, rotations)),
        local_translations=None
        if first.local_translations is None or second.local_translations is None
        else both(first.local_translations, second.local_translations),
        contacts=np.concatenate([first.contacts, second.contacts[1:]]),
        contact_heights=both(first.contact_heights, second.contact_heights),
        labels={
            name: np.concatenate([first.labels.get(name, none_first), second.labels.get(name, none_second)[1:]])
            for name in names
        },
        events=first.events + tuple(replace(e, time=e.time + shift / first.fps) for e in second.events),
        name=f"{first.name}+{second.name}",
    )
