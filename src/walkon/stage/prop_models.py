"""Props that people ask for, built of boxes, balls and cylinders, with masses and grips: compounds to start from.

Sizes in metres, masses in kilograms; they are those of ordinary things, to the centimetre. In its own frame each stands
as it is used: z up, x ahead of who uses it. Grips are as in `walkon.stage.props`: the palm lies on the surface.
"""

import numpy as np

from walkon.stage.prop_parts import Colour, PropGrip, PropPart
from walkon.stage.props import Prop
from walkon.transforms import quaternions as quat

__all__ = ["cup", "stretcher", "suitcase", "tray", "umbrella"]

STEEL, WOOD, RUBBER = (0.62, 0.63, 0.65), (0.55, 0.38, 0.22), (0.16, 0.16, 0.17)
GORES, GORE_BANDS = 16, 4
"""Into how many strips the canopy of an umbrella is cut, around and from its top to its edge."""


def umbrella(name: str = "umbrella", *, colour: Colour = (0.20, 0.24, 0.34)) -> Prop:
    """Return an open umbrella, 1.0 m across and 0.9 m high, 0.45 kg, upright over the middle of its handle.

    The handle is 0.13 m long around the origin; the canopy's edge is 0.56 m, its top 0.79 m above it. Grips: `left` and
    `right`, around the handle with the thumb up.
    """
    parts = [
        _upright("cylinder", (0.028, 0.028, 0.13), 0.0, RUBBER),
        _upright("cylinder", (0.012, 0.012, 0.78), 0.445, STEEL),
        _upright("cylinder", (0.020, 0.020, 0.035), 0.81, STEEL),
    ]
    # A dome z = 0.79 − 0.23 (r / 0.5)², as flat strips: one after the other outwards, 16 side by side.
    rims = np.linspace(0.0, 0.5, GORE_BANDS + 1)
    tops = 0.79 - 0.23 * (rims / 0.5) ** 2
    for band in range(GORE_BANDS):
        long, drop = rims[band + 1] - rims[band], tops[band] - tops[band + 1]
        middle = 0.5 * (rims[band] + rims[band + 1]), 0.5 * (tops[band] + tops[band + 1])
        wide = 2.0 * rims[band + 1] * np.tan(np.pi / GORES)
        tilt = quat.about([0.0, 1.0, 0.0], np.arctan2(drop, long))
        for turn in quat.turn(np.arange(GORES) * 2.0 * np.pi / GORES):
            place = quat.rotate(turn, np.array([middle[0], 0.0, middle[1]]))
            pose = (*place.tolist(), *quat.multiply(turn, tilt).tolist())
            parts.append(PropPart(size=(float(np.hypot(long, drop)), float(wide), 0.003), pose=pose))
    grips = _upright_grips(radius=0.014, height=0.0)
    return Prop(name=name, shape="compound", colour=colour, parts=tuple(parts), mass=0.45, grips=grips)


def suitcase(name: str = "suitcase", *, colour: Colour = (0.45, 0.20, 0.16)) -> Prop:
    """Return a suitcase, 0.57 m long, 0.22 m thick and 0.42 m high with its handle, 10 kg, around its body's middle.

    Grip: `handle`, from above, for either hand: the palm looks to +y, so in the other hand it is the other way round.
    """
    body = PropPart(size=(0.55, 0.20, 0.35))
    corners = [(x, y, z) for x in (-0.26, 0.26) for y in (-0.085, 0.085) for z in (-0.16, 0.16)]
    feet = [PropPart(shape="sphere", size=(0.045, 0.045, 0.045), pose=_at(c), colour=RUBBER) for c in corners]
    posts = [PropPart(size=(0.015, 0.02, 0.045), pose=_at((x, 0.0, 0.195)), colour=RUBBER) for x in (-0.07, 0.07)]
    bar = PropPart(size=(0.155, 0.024, 0.018), pose=_at((0.0, 0.0, 0.226)), colour=RUBBER)
    # The bar lies in the bend of the fingers, 4 cm below the middle of the palm.
    handle = PropGrip.facing((0.0, -0.012, 0.266), fingers=(0, 0, -1), palm=(0, 1, 0), shape="hook")
    parts = (body, *feet, *posts, bar)
    return Prop(name=name, shape="compound", colour=colour, parts=parts, mass=10.0, grips={"handle": handle})


def tray(name: str = "tray", *, colour: Colour = (0.36, 0.26, 0.18)) -> Prop:
    """Return a tray, 0.35 m deep, 0.48 m wide and 0.03 m high, 0.9 kg, around the middle of its board; kept level.

    Grips: `left` and `right`, at its short sides with the thumb on the rim; `below`, on the flat of either hand.
    """
    board = PropPart(size=(0.35, 0.48, 0.008))
    rims = [
        PropPart(size=size, pose=_at((x, y, 0.011)), colour=WOOD)
        for size, x, y in (
            ((0.35, 0.010, 0.030), 0.0, 0.235),
            ((0.35, 0.010, 0.030), 0.0, -0.235),
            ((0.010, 0.46, 0.030), 0.170, 0.0),
            ((0.010, 0.46, 0.030), -0.170, 0.0),
        )
    ]
    grips = {
        "left": PropGrip.facing((0.0, 0.24, 0.011), fingers=(1, 0, 0), palm=(0, -1, 0), hand="left", shape="pinch"),
        "right": PropGrip.facing((0.0, -0.24, 0.011), fingers=(1, 0, 0), palm=(0, 1, 0), hand="right", shape="pinch"),
        "below": PropGrip.facing((0.0, 0.0, -0.004), fingers=(1, 0, 0), palm=(0, 0, 1), shape="flat"),
    }
    parts = (board, *rims)
    return Prop(name=name, shape="compound", colour=colour, parts=parts, mass=0.9, grips=grips, keep_level=True)


def cup(name: str = "cup", *, colour: Colour = (0.86, 0.85, 0.81)) -> Prop:
    """Return a full cup without a handle, 0.082 m across and 0.1 m high, 0.5 kg, around its middle; kept level.

    Grips: `left` and `right`, around its side with the thumb up.
    """
    parts = (
        _upright("cylinder", (0.082, 0.082, 0.1), 0.0, None),
        _upright("cylinder", (0.072, 0.072, 0.002), 0.0495, (0.26, 0.15, 0.09)),
    )
    grips = _upright_grips(radius=0.041, height=0.0)
    return Prop(name=name, shape="compound", colour=colour, parts=parts, mass=0.5, grips=grips, keep_level=True)


def stretcher(name: str = "stretcher", *, colour: Colour = (0.44, 0.47, 0.36)) -> Prop:
    """Return a stretcher for two bearers, 2.3 m long and 0.58 m wide, 7 kg; x ahead, the origin between its poles.

    Grips, a pair at either end, arms hanging and both bearers facing ahead: `front_left`, `front_right`, `back_left`,
    `back_right`.
    """
    along = quat.about([0.0, 1.0, 0.0], 0.5 * np.pi)
    poles = [
        PropPart(shape="cylinder", size=(0.036, 0.036, 2.3), pose=(0.0, y, 0.0, *along.tolist()), colour=WOOD)
        for y in (-0.27, 0.27)
    ]
    bed = PropPart(size=(1.86, 0.52, 0.012), pose=_at((0.0, 0.0, 0.012)))
    spreaders = [PropPart(size=(0.03, 0.54, 0.012), pose=_at((x, 0.0, -0.012)), colour=STEEL) for x in (-0.7, 0.7)]
    legs = [
        PropPart(size=(0.03, 0.03, 0.12), pose=_at((x, y, -0.075)), colour=STEEL)
        for x in (-0.7, 0.7)
        for y in (-0.27, 0.27)
    ]
    grips = {
        f"{end}_{hand}": PropGrip.facing(
            (x, side * 0.288, 0.0), fingers=(0, 0, -1), palm=(0, -side, 0), hand=hand, shape="cylinder"
        )
        for end, x in (("front", 1.06), ("back", -1.06))
        for hand, side in (("left", 1), ("right", -1))
    }
    parts = (*poles, bed, *spreaders, *legs)
    return Prop(name=name, shape="compound", colour=colour, parts=parts, mass=7.0, grips=grips)


def _upright_grips(*, radius: float, height: float) -> dict[str, PropGrip]:
    """Return grips around something upright, from either side: fingers ahead, thumbs up."""
    return {
        hand: PropGrip.facing(
            (0.0, side * radius, height), fingers=(1, 0, 0), palm=(0, -side, 0), hand=hand, shape="cylinder"
        )
        for hand, side in (("left", 1), ("right", -1))
    }


def _upright(shape: str, size: tuple[float, float, float], height: float, colour: Colour | None) -> PropPart:
    return PropPart(shape=shape, size=size, pose=_at((0.0, 0.0, height)), colour=colour)


def _at(place: tuple[float, float, float]) -> tuple[float, ...]:
    return (*place, 1.0, 0.0, 0.0, 0.0)
