"""The frame rate that a printed frame time stands for.

Files print 1/rate with few digits, so the rate is found by taste: `.0083333` is 120, not 120.00048. The nearest whole
rate or NTSC rate is taken if it is within what the digits leave open; a frame time with more digits than a double has
(as `write_bvh` prints) is taken at its word, rounded once, so that any rate survives writing and reading.
"""

from fractions import Fraction

__all__ = ["NTSC_RATES", "printed_frame_time", "rate_from_frame_time"]

NTSC_RATES = (23.976, 29.97, 47.952, 59.94, 119.88)
COARSE_DIGITS, COARSE = 9, 1e-3
"""A frame time of at most so many digits was rounded, truncated or typed by hand: within 0.1 % means equal."""
SINGLE_DIGITS, SINGLE = 18, 2e-7
"""A frame time of so many digits may still be a single-precision number printed in full."""
PRINTED_DIGITS = 25


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
    tolerance = COARSE if digits <= COARSE_DIGITS else SINGLE if digits <= SINGLE_DIGITS else 0.0
    nearest = min([float(whole), *NTSC_RATES], key=lambda candidate: abs(candidate - rate))
    return nearest if abs(nearest - rate) <= tolerance * nearest else rate


def printed_frame_time(fps: float) -> str:
    """Return 1/fps as a decimal from which `rate_from_frame_time` recovers exactly `fps`."""
    from decimal import Context, Decimal

    text = format(Context(prec=PRINTED_DIGITS).divide(Decimal(1), Decimal(fps)), "f")
    # A rate such as 390.625 has a short reciprocal, which zeros mark as exact.
    return text if rate_from_frame_time(text) == fps else text + "0" * PRINTED_DIGITS
