"""Who the people of a scene are: sizes, walking speeds and colours, drawn from the population's seed."""

from dataclasses import dataclass

import numpy as np

from walkon._base.arrays import Array
from walkon._base.chance import Purpose, stream
from walkon.script import Scene

__all__ = ["People", "draw_people"]

SIZE_STEP_RATIO = 0.01
"""Sizes are multiples of this, so that people of one size share a plan graph."""
SHIRT_COLOURS = (
    *((0.78, 0.36, 0.30), (0.29, 0.47, 0.66), (0.42, 0.58, 0.40), (0.86, 0.66, 0.34), (0.52, 0.42, 0.60)),
    *((0.35, 0.60, 0.62), (0.72, 0.52, 0.42), (0.60, 0.60, 0.58), (0.82, 0.50, 0.58), (0.38, 0.40, 0.48)),
)
"""Red, green, blue in 0 to 1."""


@dataclass(frozen=True, eq=False, kw_only=True)
class People:
    """N people."""

    scale: Array
    """[N] size over the library's body."""
    speed: Array
    """[N] m/s they like to walk at."""
    colour: Array
    """[N, 3]."""


def draw_people(scene: Scene, *, seed: int) -> People:
    """Draw the people of a scene; each from a stream of its own name, so that adding one changes no other."""
    N = len(scene.characters)
    scale, speed, colour = np.ones(N), np.ones(N), np.ones((N, 3))
    cast = scene.cast
    for k, one in enumerate(scene.characters):
        rng = stream(seed, Purpose.PEOPLE, one.name)
        size, pace, shirt = rng.uniform(*cast.scale), rng.uniform(*cast.speed), int(rng.integers(len(SHIRT_COLOURS)))
        size = size if one.scale is None else one.scale
        scale[k] = np.round(size / SIZE_STEP_RATIO) * SIZE_STEP_RATIO
        speed[k] = pace if one.speed is None else one.speed
        colour[k] = SHIRT_COLOURS[shirt] if one.colour is None else one.colour
    return People(scale=scale, speed=speed, colour=colour)
