"""Compiled loops over the numbers of BVH files: bytes → numbers, channels → rotations, numbers → bytes.

Plain twins: tests/twins/bvh.py, and `quaternions.continuous`.
"""
# mypy: ignore-errors

import numpy as np

from walkon._base.jit import kernel, reads, writes

POWERS_OF_TEN = np.array([10.0**k for k in range(23)])
"""The powers of ten that a double holds exactly."""
MAX_MAGNITUDE = 1e9
"""Keep equal to `bvh_numbers.MAX_MAGNITUDE`."""

# How a run of `parse_numbers` ends; `bvh_numbers` has the same names.
FINISHED, ALMOST_FULL, NOT_A_NUMBER, TOO_MANY, TOO_FEW, TOO_LARGE = 0, 1, 2, 3, 4, 5

NONE, ONE, NINE, TEN = np.uint64(0), np.uint64(1), np.uint64(9), np.uint64(10)
MAX_EXACT_INTEGER = np.uint64(2**53)
"""Up to here a double holds every whole number."""
MAX_SAFE_DIGITS = np.uint64(18)
"""Digits that stay inside 63 bits, whatever they are."""

SPLITTER = 134217729.0
"""2²⁷ + 1, which cuts a double into two halves of 26 bits (Dekker 1971)."""


@kernel()
def _two_product_error(a, b, product):
    """Return a b − product without rounding, for product = a b rounded (Dekker 1971)."""
    t = SPLITTER * a
    ah = t - (t - a)
    al = a - ah
    t = SPLITTER * b
    bh = t - (t - b)
    bl = b - bh
    return ((ah * bh - product) + ah * bl + al * bh) + al * bl


@kernel()
def _decimal(mantissa, exponent):
    """Return mantissa × 10^exponent and whether it is certain to be rounded as if once.

    Up to 2⁵³ the mantissa and up to 10²² the power are exact, and one operation rounds once (Clinger 1990). A longer
    mantissa over a power of ten is divided in two steps: q + c with q = hi / p and c = (hi − q p + lo) / p, where c has
    a relative error below 2⁻⁵⁰. Where nudging c by 2⁻⁴⁸ does not change the rounded sum, the sum is right.
    """
    if mantissa == 0:
        return 0.0, True
    if exponent < -22 or exponent > 22:
        return 0.0, False
    if exponent == 0:
        return float(mantissa), True
    if exponent > 0:
        return float(mantissa) * POWERS_OF_TEN[exponent], mantissa <= 9007199254740992
    p = POWERS_OF_TEN[-exponent]
    hi = float(mantissa)
    lo = float(mantissa - np.int64(hi))
    q = hi / p
    product = q * p
    c = (((hi - product) - _two_product_error(q, p, product)) + lo) / p
    value = q + c
    certain = value == q + c * (1.0 + 2.0**-48) and value == q + c * (1.0 - 2.0**-48)
    return value, certain


@kernel(reads(1, "uint8"), "int64", "int64", writes(2), writes(2, "int64"), writes(1, "int64"))
def parse_numbers(text, start, frame, values, uncertain, outcome) -> None:
    """Fill values [rows, C] from `frame` on with the lines of numbers from text[start] on.

    A number that cannot be rounded here with certainty is listed in `uncertain` [K, 3] = (start, stop, flat index).
    `outcome` = (status, offset, frame, how many uncertain, numbers on the last unfinished line, its offset): the run
    stops at the end, at the first mistake, or at the start of a line that may not fit into `uncertain`.

    Decimals are read in place, because handing the text to a helper would count its references at each number, and
    with unsigned indices, because signed ones are checked for being negative: together most of the time.
    """
    n, C, room = text.shape[0], values.shape[1], uncertain.shape[0]
    i, used = np.uint64(start), 0
    end = np.uint64(n)
    short, short_at, line_at = 0, np.int64(-1), np.int64(start)
    status, offset = FINISHED, np.int64(n)
    going = True
    while going:
        if short == 0 and room - used < C:
            status, offset = ALMOST_FULL, np.int64(i)
            break
        c = 0
        while i < end:
            ch = text[i]
            if ch == 10:
                break
            if ch == 13:
                break
            if ch == 32 or 9 <= ch <= 12:
                i += ONE
                continue
            if c == 0:
                if short > 0:  # only the last line may be cut off, and here is another one
                    status, offset, going = TOO_FEW, short_at, False
                    break
                line_at = np.int64(i)
            if c == C:
                status, offset, going = TOO_MANY, np.int64(i), False
                break
            token = i
            negative = ch == 45
            if negative or ch == 43:
                i += ONE
            mantissa, exponent, first = np.uint64(0), np.int64(0), i
            while i < end:
                ch = text[i]
                if ch < 48 or ch > 57:
                    break
                mantissa = mantissa * TEN + np.uint64(ch - 48)
                i += ONE
            count = i - first
            if i < end and text[i] == 46:
                i += ONE
                first = i
                while i < end:
                    ch = text[i]
                    if ch < 48 or ch > 57:
                        break
                    mantissa = mantissa * TEN + np.uint64(ch - 48)
                    i += ONE
                count += i - first
                exponent = -np.int64(i - first)
            good, certain = count > NONE, count <= MAX_SAFE_DIGITS
            if good and i < end and (text[i] == 101 or text[i] == 69):
                i += ONE
                down = i < end and text[i] == 45
                if i < end and (text[i] == 45 or text[i] == 43):
                    i += ONE
                power, first = np.uint64(0), i
                while i < end:
                    ch = text[i]
                    if ch < 48 or ch > 57:
                        break
                    power = power * TEN + np.uint64(ch - 48)
                    i += ONE
                good, certain = i > first, certain and i - first <= NINE
                exponent += -np.int64(power) if down else np.int64(power)
            if good and i < end:
                good = text[i] == 32 or (9 <= text[i] <= 13)
            if not good:
                status, offset, going = NOT_A_NUMBER, np.int64(token), False
                short, short_at = c, line_at
                break
            value = 0.0
            if certain:
                if exponent <= 0 and exponent >= -22 and mantissa <= MAX_EXACT_INTEGER:
                    value = np.float64(np.int64(mantissa)) / POWERS_OF_TEN[np.uint64(-exponent)]
                else:
                    value, certain = _decimal(np.int64(mantissa), exponent)
            if certain:
                if value > MAX_MAGNITUDE:
                    status, offset, going = TOO_LARGE, np.int64(token), False
                    break
                values[frame, c] = -value if negative else value
            else:
                uncertain[used, 0], uncertain[used, 1] = np.int64(token), np.int64(i)
                uncertain[used, 2] = frame * C + c
                used += 1
            c += 1
        if not going:
            break
        if c == C and C > 0:
            frame += 1
        elif c > 0:
            short, short_at = c, line_at
        if i >= end:
            break
        i += ONE
    outcome[0], outcome[1], outcome[2] = status, offset, frame
    outcome[3], outcome[4], outcome[5] = used, short, short_at


@kernel(reads(2), reads(2, "int64"), reads(1, "int64"), reads(1), writes(3))
def channel_rotations(values, turns, source, signs, rotations) -> None:
    """Fill rotations [T, J, 4] with the product of each joint's turns, in the axes that `source` and `signs` make.

    turns [K, 3] = (joint, file axis, column) in file order; the column holds degrees. Part i of the new axes is part
    source[i] of the old ones times signs[i].
    """
    T, J, K = rotations.shape[0], rotations.shape[1], turns.shape[0]
    half = np.pi / 360.0
    axis, sign = np.empty(K, np.int64), np.empty(K)
    for k in range(K):
        for i in range(3):
            if source[i] == turns[k, 1]:
                axis[k], sign[k] = i, signs[i]
    for t in range(T):
        for j in range(J):
            rotations[t, j, 0] = 1.0
            rotations[t, j, 1] = rotations[t, j, 2] = rotations[t, j, 3] = 0.0
        for k in range(K):
            j = turns[k, 0]
            angle = half * values[t, turns[k, 2]]
            c, s = np.cos(angle), np.sin(angle) * sign[k]
            w, x, y, z = rotations[t, j, 0], rotations[t, j, 1], rotations[t, j, 2], rotations[t, j, 3]
            if axis[k] == 0:
                w, x, y, z = w * c - x * s, w * s + x * c, y * c + z * s, z * c - y * s
            elif axis[k] == 1:
                w, x, y, z = w * c - y * s, x * c - z * s, w * s + y * c, z * c + x * s
            else:
                w, x, y, z = w * c - z * s, x * c + y * s, y * c - x * s, w * s + z * c
            rotations[t, j, 0], rotations[t, j, 1], rotations[t, j, 2], rotations[t, j, 3] = w, x, y, z


@kernel(writes(3))
def make_continuous(rotations) -> None:
    """Flip signs in place along time [T, J, 4] so that neighbouring frames share a hemisphere."""
    for t in range(1, rotations.shape[0]):
        for j in range(rotations.shape[1]):
            dot = 0.0
            for i in range(4):
                dot += rotations[t, j, i] * rotations[t - 1, j, i]
            if dot < 0.0:
                for i in range(4):
                    rotations[t, j, i] = -rotations[t, j, i]


@kernel(reads(2), reads(1, "int64"), writes(1, "uint8"))
def format_numbers(values, decimals, text) -> int:
    """Write values [T, C] as lines of decimals, `decimals` [C] digits after the point; return the bytes used."""
    used = 0
    digits = np.empty(20, np.uint8)
    for t in range(values.shape[0]):
        for c in range(values.shape[1]):
            places = decimals[c]
            whole = np.int64(np.rint(abs(values[t, c]) * POWERS_OF_TEN[places]))
            if values[t, c] < 0.0 and whole > 0:
                text[used] = 45
                used += 1
            count = 0
            while whole > 0 or count <= places:
                digits[count] = 48 + whole % 10
                whole //= 10
                count += 1
            for k in range(count - 1, -1, -1):
                text[used] = digits[k]
                used += 1
                if k == places and places > 0:
                    text[used] = 46
                    used += 1
            text[used] = 32
            used += 1
        text[used - 1] = 10
    return used
