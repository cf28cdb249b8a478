"""Compiled forward kinematics. The same in NumPy, joint by joint: `kinematics.forward_numpy`."""

# mypy: ignore-errors

from walkon._base.jit import kernel, reads, writes


@kernel(reads(1, "int64"), reads(2), reads(2), reads(3), reads(3), writes(3), writes(3))
def forward(parents, offsets, root_positions, local_rotations, local_translations, positions, rotations):
    """Fill world positions [T, J, 3] and rotations [T, J, 4]; no local translations means rest offsets."""
    T, J = local_rotations.shape[0], local_rotations.shape[1]
    moving = local_translations.shape[0] > 0
    for t in range(T):
        for i in range(3):
            positions[t, 0, i] = root_positions[t, i]
        for i in range(4):
            rotations[t, 0, i] = local_rotations[t, 0, i]
        for j in range(1, J):
            p = parents[j]
            aw, ax, ay, az = rotations[t, p, 0], rotations[t, p, 1], rotations[t, p, 2], rotations[t, p, 3]
            bw, bx = local_rotations[t, j, 0], local_rotations[t, j, 1]
            by, bz = local_rotations[t, j, 2], local_rotations[t, j, 3]
            rotations[t, j, 0] = aw * bw - ax * bx - ay * by - az * bz
            rotations[t, j, 1] = aw * bx + ax * bw + ay * bz - az * by
            rotations[t, j, 2] = aw * by - ax * bz + ay * bw + az * bx
            rotations[t, j, 3] = aw * bz + ax * by - ay * bx + az * bw
            if moving:
                x, y, z = local_translations[t, j, 0], local_translations[t, j, 1], local_translations[t, j, 2]
            else:
                x, y, z = offsets[j, 0], offsets[j, 1], offsets[j, 2]
            # v + w t + u × t, with t = 2 u × v
            tx = 2.0 * (ay * z - az * y)
            ty = 2.0 * (az * x - ax * z)
            tz = 2.0 * (ax * y - ay * x)
            positions[t, j, 0] = positions[t, p, 0] + x + aw * tx + ay * tz - az * ty
            positions[t, j, 1] = positions[t, p, 1] + y + aw * ty + az * tx - ax * tz
            positions[t, j, 2] = positions[t, p, 2] + z + aw * tz + ax * ty - ay * tx
