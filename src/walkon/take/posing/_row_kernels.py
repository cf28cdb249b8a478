"""Compiled reading of rows: quantized rotations (in NumPy: `rotations48`), and binary search of rows by time.

They are compiled into the kernels that call them.
"""

# mypy: ignore-errors

import math

from walkon._base.jit import kernel

PART_STEP = 2.0 * math.sqrt(0.5) / 32767
MAX_PART = math.sqrt(0.5)


@kernel(borrowed=True)
def unpack(words, row):
    """Read a rotation in 48 bits."""
    a, b, c = int(words[row, 0]), int(words[row, 1]), int(words[row, 2])
    largest = (a >> 15) | ((b >> 15) << 1)
    x, y, z = (a & 32767) * PART_STEP - MAX_PART, (b & 32767) * PART_STEP - MAX_PART, (c & 32767) * PART_STEP - MAX_PART
    rest = math.sqrt(max(1.0 - x * x - y * y - z * z, 0.0))
    # Chosen part by part, without a branch that no processor could foresee.
    return (
        rest if largest == 0 else x,
        x if largest == 0 else rest if largest == 1 else y,
        y if largest < 2 else rest if largest == 2 else z,
        rest if largest == 3 else z,
    )


@kernel(borrowed=True)
def last_not_after(times, first, stop, t):
    """Return the last row in [first, stop) whose time is at most t, first − 1 if there is none."""
    low, high = first, stop
    while low < high:
        middle = (low + high) // 2
        if times[middle] <= t:
            low = middle + 1
        else:
            high = middle
    return low - 1
