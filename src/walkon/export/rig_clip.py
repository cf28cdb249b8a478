"""A user's own rig, posed as one character of a take, as a clip: its joints by name, at rest as the mesh is bound.

Axes of the joints are those of the world at rest (z up, facing +x), as clips and BVH have them, whatever axes the rig's
file gives its bones. Metres.
"""

from dataclasses import replace

import numpy as np

from walkon._base.arrays import Array
from walkon.export.rig_motion import pose_rig
from walkon.motion.clip import Clip
from walkon.motion.skeleton import Skeleton
from walkon.transforms import quaternions as quat
from walkon.viewer.character import CharacterFit
from walkon.viewer.glb_rig import Rig

__all__ = ["rig_clip"]


def rig_clip(
    rig: Rig, fit: CharacterFit, *, skeleton: Skeleton, positions: Array, rotations: Array, scale: float, fps: float
) -> Clip:
    """Return the rig as a character of a skeleton, whose joints are [T, K, 3] and [T, K, 4], at a size."""
    size = np.full(len(positions), scale)
    motion = pose_rig(rig, fit, skeleton=skeleton, positions=positions, rotations=rotations, scale=size)
    own = rig.skeleton.scaled(fit.scale * scale)
    if len(set(rig.names)) == len(rig.names):
        own = replace(own, names=rig.names)
    turned = quat.multiply(motion.rotations, quat.conjugate(rig.turns))
    local = quat.multiply(quat.conjugate(turned[:, own.parents]), turned)
    local[:, 0] = turned[:, 0]
    return Clip(
        skeleton=own,
        fps=fps,
        root_positions=motion.positions[:, 0],
        local_rotations=np.where(own.end_sites[:, None], quat.IDENTITY, quat.continuous(local)),
    )
