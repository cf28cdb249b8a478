"""The place: walkable bounds, obstacles, seats, doors, and props: their shapes, masses and grips.

Takes and gives plain geometry: no people, no time, no files. `stage.floor(points, near=z)` gives height and normal of
the floor, and nothing else assumes that the floor is flat.
"""

from walkon.stage import prop_models
from walkon.stage.floor import FlatFloor, Floor, RampFloor, TerrainFloor
from walkon.stage.props import Prop, PropGrip, PropPart
from walkon.stage.stage import Door, Obstacle, Seat, Stage

__all__ = [
    "Door",
    "FlatFloor",
    "Floor",
    "Obstacle",
    "Prop",
    "PropGrip",
    "PropPart",
    "RampFloor",
    "Seat",
    "Stage",
    "TerrainFloor",
    "prop_models",
]
