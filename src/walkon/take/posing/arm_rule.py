"""The arms of a take's bodies as kernels read them (see `holds`). Metres."""

from dataclasses import dataclass

from walkon._base.table import Column, Table, column

__all__ = ["ArmRigs"]


@dataclass(frozen=True, eq=False, kw_only=True)
class ArmRigs(Table):
    """The arms of the B bodies of a take, of J joints at most."""

    joints: Column = column("int32", 2, 3)
    """[B, 2, 3] shoulder, elbow and wrist of the left and the right arm; −1 without one."""
    side: Column = column("int8", None)
    """[B, J] which arm a joint hangs on, 0 left, 1 right, −1 none."""
    palm_places: Column = column("float64", 2, 3)
    """[B, 2, 3] metres, in the wrist's frame."""
    palm_turns: Column = column("float64", 2, 4)
    """[B, 2, 4] palm → wrist."""
