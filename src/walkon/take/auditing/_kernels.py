"""Compiled parts of the audit: finite differences of rotations, forward kinematics, bounding boxes of capsules.

Plain twins: tests/twins/auditing.py.
"""

# mypy: ignore-errors

import math

import numpy as np

from walkon._base.jit import kernel, reads, writes
from walkon.transforms import _kernels as vec


@kernel()
def _step(q, k, j):
    """Return the rotation vector that turns joint j from row k to row k + 1, in its own frame, the shorter way."""
    w, x, y, z = vec.multiply(vec.conjugate(vec.rotation(q[k], j)), vec.rotation(q[k + 1], j))
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    size = math.sqrt(x * x + y * y + z * z)
    f = 2.0 if size < 1e-9 else 2.0 * math.atan2(size, w) / size
    return f * x, f * y, f * z


@kernel()
def _pop(q, k, j):
    """Return tan² of half the angle between joint j's rotation at row k and the middle of its neighbours'."""
    dot = 0.0
    for i in range(4):
        dot += q[k - 1, j, i] * q[k + 1, j, i]
    sign = -1.0 if dot < 0.0 else 1.0
    w0, x0, y0, z0 = (
        q[k - 1, j, 0] + sign * q[k + 1, j, 0],
        q[k - 1, j, 1] + sign * q[k + 1, j, 1],
        q[k - 1, j, 2] + sign * q[k + 1, j, 2],
        q[k - 1, j, 3] + sign * q[k + 1, j, 3],
    )
    w1, x1, y1, z1 = q[k, j, 0], q[k, j, 1], q[k, j, 2], q[k, j, 3]
    # conj(middle) · now: its vector part has the sine of half the angle, its scalar part the cosine.
    w = w0 * w1 + x0 * x1 + y0 * y1 + z0 * z1
    x = w0 * x1 - x0 * w1 - y0 * z1 + z0 * y1
    y = w0 * y1 - y0 * w1 - z0 * x1 + x0 * z1
    z = w0 * z1 - z0 * w1 - x0 * y1 + y0 * x1
    return (x * x + y * y + z * z) / (w * w)


@kernel(
    reads(3),
    reads(1, "boolean"),
    reads(1, "boolean"),
    writes(1),
    writes(1, "int64"),
    writes(1),
    writes(1, "int64"),
    writes(2),
)
def joint_steps(local, linked, moving, fastest, fast_joint, pop, pop_joint, jerk):
    """Fill, per row, what its joints do; see `smoothness`."""
    R, J = local.shape[0], local.shape[1]
    for k in range(R):
        fastest[k], fast_joint[k], pop[k], pop_joint[k] = -1.0, -1, -1.0, -1
    for j in range(J):
        ax, ay, az, bx, by, bz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        run = 0  # steps in a row up to this one
        for k in range(R):
            jerk[k, j] = -1.0
            if not moving[j] or k + 1 >= R or not linked[k]:
                run = 0
                continue
            cx, cy, cz = _step(local, k, j)
            run += 1
            size = math.sqrt(cx * cx + cy * cy + cz * cz)
            if size > fastest[k]:
                fastest[k], fast_joint[k] = size, j
            if run >= 2:
                bend = _pop(local, k, j)
                if bend > pop[k]:
                    pop[k], pop_joint[k] = bend, j
            if run >= 3:
                # A step beyond both of its neighbours, on the scale of the pops: tan² of half of it.
                beside = max(math.sqrt(ax * ax + ay * ay + az * az), size)
                snap = math.sqrt(bx * bx + by * by + bz * bz) - beside
                if snap > 0.0:
                    snap = math.tan(0.5 * snap)
                    if snap * snap > pop[k - 1]:
                        pop[k - 1], pop_joint[k - 1] = snap * snap, j
                x, y, z = ax - 2.0 * bx + cx, ay - 2.0 * by + cy, az - 2.0 * bz + cz
                jerk[k - 2, j] = math.sqrt(x * x + y * y + z * z)
            ax, ay, az, bx, by, bz = bx, by, bz, cx, cy, cz
    for k in range(R):
        if pop_joint[k] >= 0:
            pop[k] = 2.0 * math.atan(math.sqrt(pop[k]))


@kernel(
    reads(1, "int32"),
    reads(2, "int32"),
    reads(3),
    reads(1, "int32"),
    reads(1),
    reads(3),
    reads(3),
    writes(3),
    writes(3),
    writes(1),
    writes(1),
)
def repose(joints, parents, offsets, body, scale, posed, rotations, positions, local, difference, reach):
    """Fill joints' places and local rotations anew from the root's place and the world rotations.

    Also how far the worst joint is from where posing has it, and how far along the floor the farthest is from the root.
    """
    for r in range(body.shape[0]):
        b, s = body[r], scale[r]
        for j in range(positions.shape[1]):
            for i in range(3):
                positions[r, j, i] = posed[r, 0, i]
            for i in range(4):
                local[r, j, i] = rotations[r, 0, i] if j == 0 else 1.0 if i == 0 else 0.0
        off, far = 0.0, 0.0
        for j in range(1, joints[b]):
            p = parents[b, j]
            above, v = vec.rotation(rotations[r], p), vec.scale(s, vec.vector(offsets[b], j))
            at = vec.transform(vec.vector(positions[r], p), above, v)
            positions[r, j, 0], positions[r, j, 1], positions[r, j, 2] = at
            vec.put(local[r], j, vec.multiply(vec.conjugate(above), vec.rotation(rotations[r], j)))
            dx, dy = positions[r, j, 0] - posed[r, j, 0], positions[r, j, 1] - posed[r, j, 1]
            dz = positions[r, j, 2] - posed[r, j, 2]
            off = max(off, dx * dx + dy * dy + dz * dz)
            ex, ey = positions[r, j, 0] - posed[r, 0, 0], positions[r, j, 1] - posed[r, 0, 1]
            far = max(far, ex * ex + ey * ey)
        there = not math.isnan(posed[r, 0, 0])
        difference[r], reach[r] = (math.sqrt(off), math.sqrt(far)) if there else (0.0, 0.0)


@kernel(
    reads(1, "int64"),
    reads(1),
    reads(3),
    reads(3),
    reads(1, "int64"),
    reads(2, "int64"),
    reads(3),
    reads(3),
    reads(3),
    writes(3),
    writes(3),
    writes(3),
    writes(3),
)
def place_capsules(
    body, scale, positions, rotations, counts, joints, capsule_starts, capsule_ends, capsule_radii,
    starts, ends, radii, boxes,
):  # fmt: skip
    """Place the capsules of R bodies in the world, with the box [6] (low corner, high corner) around each.

    Row K of a body's boxes is the box around all of it. Capsules that a body lacks are left as they are.
    """
    K = joints.shape[1]
    for r in range(body.shape[0]):
        b, s = body[r], scale[r]
        for i in range(3):
            boxes[r, K, i], boxes[r, K, 3 + i] = np.inf, -np.inf
        for c in range(counts[b]):
            j = joints[b, c]
            at, turned = vec.vector(positions[r], j), vec.rotation(rotations[r], j)
            for end in range(2):
                source, target = (capsule_starts, starts) if end == 0 else (capsule_ends, ends)
                placed = vec.transform(at, turned, vec.scale(s, vec.vector(source[b], c)))
                target[r, c, 0], target[r, c, 1], target[r, c, 2] = placed
                radii[r, c, end] = s * capsule_radii[b, c, end]
            for i in range(3):
                low = min(starts[r, c, i] - radii[r, c, 0], ends[r, c, i] - radii[r, c, 1])
                high = max(starts[r, c, i] + radii[r, c, 0], ends[r, c, i] + radii[r, c, 1])
                boxes[r, c, i], boxes[r, c, 3 + i] = low, high
                boxes[r, K, i] = min(boxes[r, K, i], low)
                boxes[r, K, 3 + i] = max(boxes[r, K, 3 + i], high)


@kernel()
def _meet(boxes, r, a, q, b):
    """Say whether two boxes have a point in common."""
    for i in range(3):
        if boxes[r, a, i] > boxes[q, b, 3 + i] or boxes[q, b, i] > boxes[r, a, 3 + i]:
            return False
    return True


@kernel(reads(2, "int64"), reads(1, "int64"), reads(3), writes(1, "int64"))
def count_hits(pairs, counts, boxes, found):
    """Count, for pairs of bodies [P, 2] with counts [R] capsules, the pairs of capsules whose boxes meet."""
    K = boxes.shape[1] - 1
    for p in range(pairs.shape[0]):
        r, q = pairs[p, 0], pairs[p, 1]
        n = 0
        if _meet(boxes, r, K, q, K):
            for a in range(counts[r]):
                if _meet(boxes, r, a, q, K):
                    for b in range(counts[q]):
                        n += _meet(boxes, r, a, q, b)
        found[p] = n


@kernel(reads(2, "int64"), reads(1, "int64"), reads(3), reads(1, "int64"), writes(2, "int64"))
def fill_hits(pairs, counts, boxes, first, hits):
    """Write those pairs of capsules, as rows of all capsules [R · K], from hits[first[p]] on."""
    K = boxes.shape[1] - 1
    for p in range(pairs.shape[0]):
        r, q = pairs[p, 0], pairs[p, 1]
        n = first[p]
        if n == first[p + 1]:
            continue
        for a in range(counts[r]):
            if _meet(boxes, r, a, q, K):
                for b in range(counts[q]):
                    if _meet(boxes, r, a, q, b):
                        hits[n, 0], hits[n, 1] = r * K + a, q * K + b
                        n += 1
