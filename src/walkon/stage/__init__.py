"""The place: walkable bounds, obstacles, seats, doors, and the shapes of props.

Takes and gives plain geometry: no people, no time, no files. `Stage.floor` gives height and normal of the floor, and
nothing else assumes that the floor is flat.
"""

from walkon.stage.stage import Door, Obstacle, Prop, Seat, Stage

__all__ = ["Door", "Obstacle", "Prop", "Seat", "Stage"]
