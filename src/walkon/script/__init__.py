"""What must happen: scenes, characters, and marks that they must meet. Types and checks; no files, no planning."""

from walkon.script.checks import Problem, find_notes, find_problems, require_sound
from walkon.script.mark import Action, Mark, Moment
from walkon.script.scene import Cast, Character, PlacedProp, Scene, Seeds
from walkon.script.timing import timing_order

__all__ = [
    "Action",
    "Cast",
    "Character",
    "Mark",
    "Moment",
    "PlacedProp",
    "Problem",
    "Scene",
    "Seeds",
    "find_notes",
    "find_problems",
    "require_sound",
    "timing_order",
]
