"""Rotations and places: `quaternions` (w first), `rigid` and `planar` poses, `angles`, `easing`, and the
y-up border, `axes`.

Pure functions of arrays that broadcast over leading axes. Metres, radians, right-handed, z up. Nothing here knows
about skeletons or time.
"""

from walkon.transforms import angles, axes, easing, planar, quaternions, rigid

__all__ = ["angles", "axes", "easing", "planar", "quaternions", "rigid"]
