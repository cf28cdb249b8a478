"""The numbers of a BVH file: lines of decimals to doubles and back, exact and fast.

Reading rounds every decimal to the nearest double, bit for bit as Python's `float` does: a compiled loop over the raw
bytes handles what it can round with certainty, and `float` itself the rest. One line is one frame. Writing gives fixed
decimals. Memory is bounded by the size of the text, never by what a header claims.

The frame rate that a printed frame time stands for is found by taste, since files print 1/rate with few digits:
`.0083333` is 120, not 120.00048. The nearest whole rate or NTSC rate is taken if it is within what the digits leave
open; a frame time with more digits than a double has (as `write_bvh` prints) is taken at its word, rounded once, so
that any rate survives writing and reading.
"""

import re
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import UnreadableFile

__all__ = [
    "MAX_MAGNITUDE",
    "NUMBER",
    "format_frame_time",
    "format_numbers",
    "line_at",
    "parse_numbers",
    "quote_token",
    "rate_from_frame_time",
]

MAX_MAGNITUDE = 1e9
"""No length or angle of a motion is larger, in any unit; a file with a larger number is damaged."""
MAX_TOKEN_BYTES = 512
"""Characters; a longer number is damage, not precision."""
NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
"""What counts as a decimal."""
UNCERTAIN_ROOM_COUNT = 1 << 16
NTSC_RATES_HZ = (23.976, 29.97, 47.952, 59.94, 119.88)
COARSE_DIGITS, COARSE_SHARE = 9, 1e-3
"""A frame time of at most so many digits was rounded, truncated or typed by hand: within 0.1 % means equal."""
SINGLE_DIGITS, SINGLE_SHARE = 18, 2e-7
"""A frame time of so many digits may still be a single-precision number printed in full."""
PRINTED_DIGITS = 25

FINISHED, ALMOST_FULL, NOT_A_NUMBER, TOO_MANY, TOO_FEW, TOO_LARGE = range(6)

_BREAK = re.compile(rb"\r\n|\r|\n")
_TOKEN = re.compile(rb"\S+")
_CUT_OFF = re.compile(rb"[+-]?\d*\.?\d*(?:[eE][+-]?)?")


def line_at(content: bytes, offset: int) -> int:
    """Return the line number, from 1, of a byte; LF, CRLF and CR all end lines."""
    return content.count(b"\n", 0, offset) + content.count(b"\r", 0, offset) - content.count(b"\r\n", 0, offset) + 1


def quote_token(token: bytes) -> str:
    """Return a token for a message, at most 40 characters of it."""
    return repr(token[:40].decode("utf-8", "replace")) + ("…" if len(token) > 40 else "")


def parse_numbers(
    content: bytes, start: int, *, channels: int, path: str | Path | None = None
) -> tuple[Array, int, int | None]:
    """Read lines of `channels` numbers from content[start:]; the last line may be cut off.

    Returns the values [T, C] of all whole lines, how many numbers a last, incomplete line has (0 if it is whole), and
    the number of that line.

    Raises `UnreadableFile` with the line of the first thing that is not a finite number of at most `MAX_MAGNITUDE`, and
    of the first line with too many or too few numbers.
    """
    from walkon.io import _kernels

    text = np.frombuffer(content, dtype=np.uint8)
    lines = content.count(b"\n", start) + content.count(b"\r", start) + 1
    # A number takes two bytes, its own and a space, so a wall of empty lines claims no memory.
    rows = min(lines, (len(content) - start) // (2 * max(channels, 1)) + 2)
    values = np.empty((rows, channels))
    uncertain = np.empty((channels + UNCERTAIN_ROOM_COUNT, 3), dtype=np.int64)
    outcome = np.zeros(6, dtype=np.int64)
    offset, frame, status = start, 0, ALMOST_FULL
    while status == ALMOST_FULL:
        _kernels.parse_numbers(text, offset, frame, values, uncertain, outcome)
        status, offset, frame, used = (int(x) for x in outcome[:4])
        flat = values.reshape(-1)
        for first, stop, index in uncertain[:used].tolist():
            flat[index] = _parse_by_float(content, first, stop, path)
    short, short_at = int(outcome[4]), int(outcome[5])
    if status != FINISHED and not _is_cut_off(content, status, offset):
        raise _number_error(content, status=status, offset=offset, short=short, channels=channels, path=path)
    cut_off = max(short, 1) if status == NOT_A_NUMBER else short
    if cut_off and not frame:
        # Not a file that lost its end but one whose numbers never fitted.
        raise _number_error(
            content, status=TOO_FEW, offset=max(short_at, start), short=short, channels=channels, path=path
        )
    values = values[:frame]
    values.flags.writeable = False
    return values, cut_off, line_at(content, short_at) if cut_off else None


def _parse_by_float(content: bytes, start: int, stop: int, path: str | Path | None) -> float:
    if stop - start > MAX_TOKEN_BYTES:
        raise UnreadableFile(
            f"a number of {stop - start} digits; a number may have {MAX_TOKEN_BYTES}",
            path=path,
            line=line_at(content, start),
        )
    value = float(content[start:stop])
    if not abs(value) <= MAX_MAGNITUDE:
        raise _number_error(content, status=TOO_LARGE, offset=start, short=0, channels=0, path=path)
    return value


def _is_cut_off(content: bytes, status: int, offset: int) -> bool:
    """Say whether the file ends in the middle of a number (`-`, `12.5e`), as a cut-off file does."""
    at_end = status == NOT_A_NUMBER and len(content) - offset <= MAX_TOKEN_BYTES
    return at_end and bool(_CUT_OFF.fullmatch(content, offset))


def _number_error(
    content: bytes, *, status: int, offset: int, short: int, channels: int, path: str | Path | None
) -> UnreadableFile:
    found = _TOKEN.match(content, offset)
    token = content[offset : min(found.end(), offset + MAX_TOKEN_BYTES)] if found else b""
    if status in (TOO_MANY, TOO_FEW):
        ends = _BREAK.search(content, offset)
        before = max(content.rfind(b"\n", 0, offset), content.rfind(b"\r", 0, offset)) + 1
        count = short if status == TOO_FEW else len(content[before : ends.start() if ends else None].split())
        message = (
            f"this frame has {count} numbers, but the hierarchy has {channels} channels; "
            "each frame must be one line with one number per channel"
        )
    elif status == TOO_LARGE:
        message = (
            f"{quote_token(token)} is larger than any length or angle can be (at most {MAX_MAGNITUDE:g}); "
            "the file is damaged"
        )
    elif re.match(rb"[+-]?(nan|inf|1\.#)", token, re.IGNORECASE):
        message = f"{quote_token(token)} is not a finite number; mend or remove this frame"
    else:
        hint = "; write decimals with a point" if b"," in token else ""
        message = f"{quote_token(token)} is not a number{hint}"
    return UnreadableFile(message, path=path, line=line_at(content, offset))


def format_numbers(values: Array, decimals: IntArray) -> bytes:
    """Return lines of fixed decimals: values [T, C], at most 10⁹ in size, with `decimals` [C] (0 to 8) each."""
    from walkon.io import _kernels

    # A sign, ten digits, a point, the decimals and a space.
    text = np.empty(len(values) * int((decimals + 13).sum()), dtype=np.uint8)
    used = _kernels.format_numbers(np.ascontiguousarray(values), decimals, text)
    return text[:used].tobytes()


def rate_from_frame_time(text: str) -> float:
    """Return frames per second for the text of a frame time in seconds (a positive decimal)."""
    seconds = Fraction(text)
    rate = float(1 / seconds)
    mantissa, _, power = text.lower().partition("e")
    digits = len(mantissa.lstrip("+").replace(".", "").lstrip("0"))
    whole = max(round(rate), 1)
    # "0.0167" is 1/60 rounded to four places, though 59.88 is nearer to an NTSC rate.
    half_unit = Fraction(1, 2) * Fraction(10) ** (int(power or 0) - len(mantissa.partition(".")[2]))
    if digits <= COARSE_DIGITS and abs(Fraction(1, whole) - seconds) <= half_unit and abs(whole - rate) < 0.005 * rate:
        return float(whole)
    tolerance = COARSE_SHARE if digits <= COARSE_DIGITS else SINGLE_SHARE if digits <= SINGLE_DIGITS else 0.0
    nearest = min([float(whole), *NTSC_RATES_HZ], key=lambda candidate: abs(candidate - rate))
    return nearest if abs(nearest - rate) <= tolerance * nearest else rate


def format_frame_time(fps: float) -> str:
    """Return 1/fps as a decimal from which `rate_from_frame_time` recovers exactly `fps`."""
    text = format(Context(prec=PRINTED_DIGITS).divide(Decimal(1), Decimal(fps)), "f")
    # A rate such as 390.625 has a short reciprocal, which zeros mark as exact.
    return text if rate_from_frame_time(text) == fps else text + "0" * PRINTED_DIGITS
