"""A clip: one skeleton moving for T frames at a fixed rate, with its contacts, labels and events."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np

from walkon._base.arrays import Array, BoolArray, lock, lock_array, lock_fields
from walkon._base.errors import InvalidClip, InvalidValue, UnknownName
from walkon.motion.kinematics import WorldPose, forward, planar_poses, points_on_joints
from walkon.motion.skeleton import Skeleton
from walkon.transforms import quaternions as quat

__all__ = ["Clip", "Ensemble", "Event"]


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happens at a moment of a clip: grasp, release, sit, rise."""

    time: float
    """Seconds from the clip's first frame."""
    kind: str
    joints: tuple[str, ...] = ()
    """Names of the joints that take part (the hands of a grasp)."""
    object_pose: tuple[float, ...] | None = None
    """Place (x, y, z) and rotation (w, x, y, z) of the object relative to the body's planar pose, if there is one."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Clip:
    """One motion. World frame is z-up, metres; frame t is at t / fps seconds."""

    skeleton: Skeleton
    fps: float
    """Frames per second; any positive number (119.88 stays 119.88)."""
    root_positions: Array
    """[T, 3] metres, world."""
    local_rotations: Array
    """[T, J, 4] unit quaternions, w first, joint → parent (root → world); neighbouring frames share a hemisphere."""
    local_translations: Array | None = None
    """[T, J, 3] metres in the parent's frame, or None where all joints stay at their rest offsets (most clips)."""
    contacts: BoolArray = field(default_factory=lambda: np.zeros((0, 0), bool))
    """[T, C] which contact points of the skeleton bear on something; all False where nothing was detected yet."""
    contact_heights: Array = field(default_factory=lambda: np.zeros((0, 0)))
    """[T, C] metres, height of the support in each run of contact; 0 on the floor and where there is no contact."""
    labels: Mapping[str, BoolArray] = field(default_factory=dict)
    """Label → [T] frames that have it (walk, carry, sit …)."""
    events: tuple[Event, ...] = ()
    name: str = ""

    def __post_init__(self) -> None:
        T, J, C = len(self.local_rotations), len(self.skeleton), len(self.skeleton.contact_names)
        if T == 0:
            raise InvalidClip(f"clip {self.name!r} has no frames; a clip needs at least one")
        if not (np.isfinite(self.fps) and self.fps > 0):
            raise InvalidClip(f"fps must be positive, got {self.fps}")
        object.__setattr__(self, "fps", float(self.fps))
        lock(self, "root_positions", (T, 3))
        lock(self, "local_rotations", (T, J, 4))
        norms = np.einsum("tji,tji->tj", self.local_rotations, self.local_rotations)
        if np.abs(norms - 1.0).max() > 1e-5:
            t, j = np.unravel_index(np.abs(norms - 1.0).argmax(), norms.shape)
            raise InvalidClip(
                f"rotations must be unit quaternions, but frame {t} of {self.skeleton.names[j]!r} has length "
                f"{norms[t, j] ** 0.5:.6g}; use transforms.quaternions.normalize"
            )
        if self.local_translations is not None:
            lock(self, "local_translations", (T, J, 3))
        for name, dtype in (("contacts", np.bool_), ("contact_heights", np.float64)):
            if np.size(getattr(self, name)) == 0:
                object.__setattr__(self, name, np.zeros((T, C), dtype))
            lock(self, name, (T, C), dtype)
        labels = {
            str(label): lock_array(frames, (T,), name=f"label {label!r}", dtype=np.bool_)
            for label, frames in self.labels.items()
        }
        object.__setattr__(self, "labels", MappingProxyType(labels))
        object.__setattr__(self, "events", tuple(sorted(self.events, key=lambda event: event.time)))

    def __repr__(self) -> str:
        parts = [f"{len(self)} frames", f"{len(self.skeleton)} joints", f"{self.fps:g} fps", f"{self.duration:.2f} s"]
        parts.append(f"{self.distance:.1f} m travelled")
        if self.contacts.any():
            parts.append("contacts " + " ".join(f"{share:.0%}" for share in self.contacts.mean(axis=0)))
        if self.labels:
            parts.append("labels " + ", ".join(self.labels))
        return f"Clip({self.name!r}: {', '.join(parts)})"

    def __len__(self) -> int:
        return len(self.local_rotations)

    @property
    def duration(self) -> float:
        """Seconds from the first to the last frame."""
        return (len(self) - 1) / self.fps

    @property
    def times(self) -> Array:
        """[T] seconds, 0 at the first frame."""
        return np.arange(len(self)) / self.fps

    @property
    def distance(self) -> float:
        """Metres travelled by the root along the floor."""
        return float(np.linalg.norm(np.diff(self.root_positions[:, :2], axis=0), axis=1).sum())

    @cached_property
    def world(self) -> WorldPose:
        """Places and rotations of all joints in the world; computed on first use."""
        return lock_fields(forward(self.skeleton, self.root_positions, self.local_rotations, self.local_translations))

    @cached_property
    def contact_positions(self) -> Array:
        """[T, C, 3] metres, world places of the skeleton's contact points."""
        skeleton = self.skeleton
        return lock_fields((points_on_joints(self.world, skeleton.contact_joints, skeleton.contact_offsets),))[0]

    @cached_property
    def planar_poses(self) -> Array:
        """[T, 3] planar pose of each frame (see `walkon.motion.kinematics`)."""
        return lock_fields((planar_poses(self.skeleton, self.world),))[0]

    def label(self, name: str) -> BoolArray:
        """Return [T] which frames have this label; `UnknownName` if none can have it."""
        UnknownName.check("label", name, self.labels)
        return self.labels[name]

    def frame_at(self, time: float) -> int:
        """Return the frame nearest to a time in seconds; times outside the clip are refused."""
        # Half a frame of grace at either end, so that clip.duration itself and rounded times are inside.
        if not -0.5 <= time * self.fps <= len(self) - 0.5:
            raise InvalidValue(
                f"time {time:g} s is outside clip {self.name!r}, which runs from 0 to {self.duration:g} s"
            )
        return int(np.clip(round(time * self.fps), 0, len(self) - 1))

    def with_motion(self, root_positions: Array, local_rotations: Array) -> "Clip":
        """Return a copy with another motion of the same length; rotations are made unit and sign-continuous."""
        rotations = quat.continuous(quat.normalize(local_rotations))
        return replace(self, root_positions=root_positions, local_rotations=rotations)


@dataclass(frozen=True, eq=False, kw_only=True)
class Ensemble:
    """Clips recorded or simulated together: one clock, one frame of reference, the same number of frames."""

    clips: tuple[Clip, ...]
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "clips", tuple(self.clips))
        if not self.clips:
            raise InvalidClip("an ensemble needs at least one clip")
        first = self.clips[0]
        for clip in self.clips[1:]:
            if len(clip) != len(first) or clip.fps != first.fps:
                raise InvalidClip(
                    f"clips of an ensemble share one clock, but {clip.name!r} has {len(clip)} frames at "
                    f"{clip.fps:g} fps and {first.name!r} has {len(first)} at {first.fps:g}; cut or resample one"
                )

    def __repr__(self) -> str:
        first = self.clips[0]
        return f"Ensemble({self.name!r}: {len(self.clips)} clips, {len(first)} frames, {first.fps:g} fps)"
