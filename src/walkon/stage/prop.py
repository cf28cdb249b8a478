"""A prop: a simple solid that people carry, sit on or walk around. Where it is over time is the take's to say."""

from dataclasses import dataclass

import numpy as np

from walkon._base.errors import InvalidValue, UnknownName

__all__ = ["SHAPES", "Prop"]

SHAPES = ("box", "sphere", "cylinder")


@dataclass(frozen=True, kw_only=True)
class Prop:
    """A solid centred on its own origin, its axes along x, y and z. Metres."""

    name: str
    shape: str = "box"
    """One of `SHAPES`; a cylinder stands along z."""
    size: tuple[float, float, float] = (0.3, 0.3, 0.3)
    """Full extent along x, y and z, metres; of a sphere and across a cylinder the extent along x is the diameter."""
    colour: tuple[float, float, float] = (0.72, 0.58, 0.42)
    """Red, green, blue in 0 to 1."""

    def __post_init__(self) -> None:
        if self.shape not in SHAPES:
            raise UnknownName.among("shape of a prop", self.shape, SHAPES)
        for name, rule in (("size", (0.0, 1e3)), ("colour", (-1e-12, 1.0))):
            values = tuple(float(v) for v in getattr(self, name))
            if len(values) != 3 or not all(np.isfinite(v) and rule[0] < v <= rule[1] for v in values):
                raise InvalidValue(
                    f"the {name} of prop {self.name!r} must be three numbers over {max(rule[0], 0):g} and up to "
                    f"{rule[1]:g}, got {getattr(self, name)}"
                )
            object.__setattr__(self, name, values)
