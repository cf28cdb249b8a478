"""Compiled forward kinematics. The same in NumPy, joint by joint: `kinematics.forward_numpy`."""

# mypy: ignore-errors

from walkon._base.jit import kernel, reads, writes
from walkon.transforms import _kernels as vec


@kernel(reads(1, "int64"), reads(2), reads(2), reads(3), reads(3), writes(3), writes(3))
def forward(parents, offsets, root_positions, local_rotations, local_translations, positions, rotations):
    """Fill world positions [T, J, 3] and rotations [T, J, 4]; no local translations means rest offsets."""
    T, J = local_rotations.shape[0], local_rotations.shape[1]
    moving = local_translations.shape[0] > 0
    for t in range(T):
        places, turns, locals_ = positions[t], rotations[t], local_rotations[t]
        places[0, 0], places[0, 1], places[0, 2] = vec.vector(root_positions, t)
        vec.put(turns, 0, vec.rotation(locals_, 0))
        for j in range(1, J):
            p = parents[j]
            above = vec.rotation(turns, p)
            vec.put(turns, j, vec.multiply(above, vec.rotation(locals_, j)))
            v = vec.vector(local_translations[t], j) if moving else vec.vector(offsets, j)
            places[j, 0], places[j, 1], places[j, 2] = vec.transform(vec.vector(places, p), above, v)
