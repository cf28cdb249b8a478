"""Tables of the clips that a take carries."""

from dataclasses import dataclass

from walkon._base.table import Column, Table, column

__all__ = ["ClipRows", "ContactRuns", "LabelRuns"]


@dataclass(frozen=True, eq=False, kw_only=True)
class ClipRows(Table):
    """One row per clip."""

    skeleton: Column = column("int32", to="skeletons")
    """Row of the take's skeletons."""
    fps: Column = column("float64")
    first_frame: Column = column("int64")
    """Where the clip begins in the roots."""
    frames: Column = column("int32")
    first_rotation: Column = column("int64")
    """Where it begins in the rotations: frame after frame, in each frame channel after channel."""
    hinges: Column = column("float32", 4, 3)
    """Axes about which the left and the right knee bend, in the frames of the hip joints, and the left and the right
    elbow, in those of the shoulder joints; zero without the limb.
    """


@dataclass(frozen=True, eq=False, kw_only=True)
class ContactRuns(Table):
    """Unbroken contacts of clips, frames start to stop − 1, on a support of this height (metres)."""

    clip: Column = column("int32", to="clips")
    point: Column = column("int8")
    start: Column = column("int32")
    stop: Column = column("int32")
    height: Column = column("float32")


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelRuns(Table):
    """Frames start to stop − 1 of a clip that have a label (row of the take's label names)."""

    clip: Column = column("int32", to="clips")
    label: Column = column("int32", to="label_names")
    start: Column = column("int32")
    stop: Column = column("int32")
