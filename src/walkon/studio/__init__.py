"""The built-in performer: walks made in code, so that everything runs without data.

A walk begins with its footprints: a path and a speed give a list of them, feet roll over them, the pelvis is carried
over the feet, and legs, trunk, arms and head follow, with seeded irregularity. Its clips have exact contacts and
otherwise nothing that recorded ones have not: what comes after does not know the difference.
"""

from walkon.studio.footsteps import Footsteps
from walkon.studio.path import Path
from walkon.studio.skeleton import performer_skeleton
from walkon.studio.styles import BRISK, NEUTRAL, STYLES, TIRED, Style
from walkon.studio.walk import walk

__all__ = ["BRISK", "NEUTRAL", "STYLES", "TIRED", "Footsteps", "Path", "Style", "performer_skeleton", "walk"]
