"""A body over time: skeletons, clips and libraries of them, kinematics, contacts, foot lock and editing.

Takes arrays and gives arrays: no files (see `walkon.io`), no stage, no other people. Everything that needs feet asks
the skeleton for its roles and says so where they are missing.
"""

from walkon.motion.clip import Clip, Ensemble, Event
from walkon.motion.skeleton import FOOT_CONTACTS, ROLES, Skeleton

__all__ = ["FOOT_CONTACTS", "ROLES", "Clip", "Ensemble", "Event", "Skeleton"]
