"""What must happen: scenes, characters, and marks that they must meet. Types and checks; no files, no planning."""

from walkon.script.mark import Action, Mark, Moment
from walkon.script.scene import Cast, Character, PlacedProp, Scene, Seeds

__all__ = ["Action", "Cast", "Character", "Mark", "Moment", "PlacedProp", "Scene", "Seeds"]
