"""BVH files to clips: the one place where file units, axes and rates become metres, z up, facing +x, and seconds.

A reading is a column of answers, each with its reason in the report: which axis is up, how long a unit is, which way
the body faces at rest, how fast the frames follow, and whether the first frame is an added T-pose. Any of
them can be given instead.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from walkon._base.arrays import Array, lock_fields
from walkon._base.errors import InvalidClip, InvalidValue, ScaleError, UnknownName, UnreadableFile
from walkon._base.files import read_whole
from walkon.io.bvh_body import (
    find_facing,
    find_scale,
    find_up,
    report_roles,
    starts_with_tpose,
    with_person_roles,
    with_roles,
)
from walkon.io.bvh_document import (
    FILE_AXES,
    AxisMap,
    BvhDocument,
    Up,
    axis_map,
    channel_rotations,
    parse_bvh,
    translations,
)
from walkon.io.bvh_numbers import rate_from_frame_time
from walkon.motion.clip import Clip, Ensemble
from walkon.motion.kinematics import forward
from walkon.motion.skeleton import Skeleton

__all__ = ["BvhReading", "BvhReport", "clips_from_bvh", "read_bvh"]

MAX_FILE_BYTES = 8 * 1024**3
"""Bytes; ten million frames of a person."""
POSTURE_SAMPLE_FRAMES = 64
"""Frames in which the body's posture is looked at."""
STILL_WITHIN_M = 1e-6
"""Metres; a joint whose position channels stay this near to its OFFSET does not slide."""


@dataclass(frozen=True, kw_only=True)
class BvhReport:
    """What was found in a file and what was done about it."""

    path: Path | None
    frames: int
    """Frames in the clips, without a dropped T-pose."""
    fps: float
    """Frames per second of the clips."""
    header_fps: float
    """Frames per second as the file's header says."""
    scale: float
    """Metres per file unit."""
    scale_reason: str
    up: Up
    """The file's axis that is up."""
    up_reason: str
    facing_reason: str
    """How the body's direction at rest was found."""
    roles: str
    """Which roles were found in the largest skeleton, and how."""
    tpose_dropped: bool
    """Whether the first frame was a T-pose that is not part of the motion."""
    warnings: tuple[str, ...] = ()
    """What was put right, left out or could not be found, one sentence each."""

    def summary(self) -> str:
        """Return one line for a log."""
        tpose = ", T-pose dropped" if self.tpose_dropped else ""
        warned = f", {len(self.warnings)} warnings" if self.warnings else ""
        unit = f"{self.scale:.6g} m per unit, {self.up} up"
        return f"{self.path}: {self.frames} frames at {self.fps:g} fps, {unit}{tpose}{warned}"


@dataclass(frozen=True, eq=False, kw_only=True)
class BvhReading:
    """The clips of a file, one per root, and the report."""

    clips: tuple[Clip, ...]
    report: BvhReport

    @property
    def clip(self) -> Clip:
        """The only clip; a file of several people has `ensemble` instead."""
        if len(self.clips) > 1:
            raise InvalidClip(
                f"{self.report.path or 'the file'} holds {len(self.clips)} people; use .ensemble or one of .clips"
            )
        return self.clips[0]

    @property
    def ensemble(self) -> Ensemble:
        """All clips, which share one clock and one floor."""
        return Ensemble(clips=self.clips, name=self.clips[0].name)


def read_bvh(
    path: str | Path,
    *,
    scale: float | None = None,
    up: Up | None = None,
    fps: float | None = None,
    drop_tpose: bool | None = None,
    roles: Mapping[str, str] | None = None,
    name: str | None = None,
) -> BvhReading:
    """Read a BVH file into clips; what is not given is found and reported.

    `scale` is metres per file unit, `up` the file's upward axis, `fps` the true frame rate where the header lies, and
    `drop_tpose` whether to leave out the first frame (None: if it is a T-pose unlike the rest), `roles` joint names for
    roles that are not found by themselves. Clips are called `name` or after the file, with a number if several.
    Raises `UnreadableFile` with the line, and `ScaleError`.
    """
    path = Path(path)
    document = parse_bvh(read_whole(path, limit=MAX_FILE_BYTES), path=path)
    return clips_from_bvh(
        document,
        path=path,
        scale=scale,
        up=up,
        fps=fps,
        drop_tpose=drop_tpose,
        roles=roles,
        name=path.stem if name is None else name,
    )


def clips_from_bvh(
    document: BvhDocument,
    *,
    path: Path | None = None,
    scale: float | None = None,
    up: Up | None = None,
    fps: float | None = None,
    drop_tpose: bool | None = None,
    roles: Mapping[str, str] | None = None,
    name: str = "",
) -> BvhReading:
    """Turn a parsed document into clips, as `read_bvh` does with a file."""
    for what, given in (("scale", scale), ("fps", fps)):
        if given is not None and not (np.isfinite(given) and given > 0):
            raise InvalidValue(f"{what} must be positive, got {given}")
    if up not in (None, "y", "z"):
        raise InvalidValue(f"up must be 'y' or 'z', got {up!r}")
    for joint in (roles or {}).values():
        UnknownName.check("joint", joint, document.names)
    T = len(document.values)
    if T == 0:
        raise UnreadableFile("the file has no frames; a clip needs at least one", path=path)
    header_fps = rate_from_frame_time(document.frame_time_text) if document.frame_time_text else 1 / document.frame_time

    people = [range(first, stop) for first, stop in pairwise((*document.roots, len(document.names)))]
    largest = max(people, key=len)  # a prop beside a person has its own root; the person decides units and axes
    raw = _skeleton(document, largest, axes=FILE_AXES, scale=1.0)
    person = with_person_roles(raw, roles)
    warnings = list(document.warnings)
    up_reason = "given"
    if up is None:
        up, up_reason, doubts = find_up(raw, person, sample=_world_places(document, largest, raw))
        warnings.extend(doubts)
    axes, facing_reason = _facing(document, largest, axis_map(up), roles)
    try:
        scale, scale_reason = (scale, "given") if scale is not None else find_scale(raw, person, up=up)
    except ScaleError as error:
        raise ScaleError(f"{path}: {error}" if path else str(error)) from None
    if person is not None and "kept as it is" in facing_reason:
        warnings.append(facing_reason)

    moved = [_motion(document, joints, axes=axes, scale=scale, roles=roles) for joints in people]
    if drop_tpose is None:
        persons = [part for part in moved if part[0].roles] or moved  # a prop beside them strikes no pose
        drop_tpose = all(starts_with_tpose(skeleton, rotations) for skeleton, _, rotations, _ in persons)
    elif drop_tpose and T == 1:
        raise InvalidValue("drop_tpose=True would leave no frame of the only one; leave it out")
    first = int(drop_tpose)
    clips = tuple(
        Clip(
            skeleton=skeleton,
            fps=header_fps if fps is None else fps,
            root_positions=roots[first:],
            local_rotations=rotations[first:],
            local_translations=None if sliding is None else sliding[first:],
            name=name if len(moved) == 1 else f"{name}_{number}",
        )
        for number, (skeleton, roots, rotations, sliding) in enumerate(moved, start=1)
    )
    report = BvhReport(
        path=path,
        frames=T - first,
        fps=clips[0].fps,
        header_fps=header_fps,
        scale=scale,
        scale_reason=scale_reason,
        up=up,
        up_reason=up_reason,
        facing_reason=facing_reason,
        roles=found.summary() if (found := report_roles(clips[people.index(largest)].skeleton, roles)) else "no roles",
        tpose_dropped=drop_tpose,
        warnings=tuple(warnings),
    )
    return BvhReading(clips=clips, report=report)


def _skeleton(document: BvhDocument, joints: range, *, axes: AxisMap, scale: float) -> Skeleton:
    inside = slice(joints.start, joints.stop)
    parents = document.parents[inside] - joints.start
    parents[0] = -1
    return Skeleton(
        names=document.names[inside],
        parents=parents,
        offsets=axes.vectors(document.offsets[inside]) * scale,
        end_sites=document.end_sites[inside],
    )


def _world_places(document: BvhDocument, joints: range, skeleton: Skeleton) -> Array:
    """Return world places [S, J, 3] in file units and axes, of up to `POSTURE_SAMPLE_FRAMES` frames."""
    chosen = np.unique(np.linspace(0, len(document.values) - 1, POSTURE_SAMPLE_FRAMES).astype(int))
    few = replace(document, values=document.values[chosen])
    _, roots, rotations, sliding = _motion(few, joints, axes=FILE_AXES, scale=1.0, skeleton=skeleton)
    return forward(skeleton, roots, rotations, sliding).positions


def _facing(
    document: BvhDocument, joints: range, axes: AxisMap, roles: Mapping[str, str] | None
) -> tuple[AxisMap, str]:
    """Turn the axes so that the body faces +x at rest, if its direction can be found."""
    skeleton = with_roles(_skeleton(document, joints, axes=axes, scale=1.0), roles)
    quarters, reason = find_facing(skeleton)
    if not quarters:
        return axes, reason
    return axes.turn(-quarters), f"{reason}; turned by {-90 * quarters if quarters < 3 else 90} degrees to face +x"


def _motion(
    document: BvhDocument,
    joints: range,
    *,
    axes: AxisMap,
    scale: float,
    skeleton: Skeleton | None = None,
    roles: Mapping[str, str] | None = None,
) -> tuple[Skeleton, Array, Array, Array | None]:
    """Return the skeleton with roles, root positions, local rotations and, where joints slide, local translations."""
    if skeleton is None:
        skeleton = with_roles(_skeleton(document, joints, axes=axes, scale=scale), roles)
    rotations = channel_rotations(document, joints, axes=axes)
    T = len(rotations)
    moved = translations(document, joints.start, axes=axes, scale=scale)
    roots = np.tile(skeleton.offsets[0], (T, 1)) if moved is None else moved
    sliding = None
    for index, joint in enumerate(joints[1:], start=1):
        places = translations(document, joint, axes=axes, scale=scale)
        if places is not None and np.abs(places - skeleton.offsets[index]).max() > STILL_WITHIN_M:
            if sliding is None:
                sliding = np.tile(skeleton.offsets, (T, 1, 1))
            sliding[:, index] = places
    lock_fields((roots, sliding))
    return skeleton, roots, rotations, sliding
