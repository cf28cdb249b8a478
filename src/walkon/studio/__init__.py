"""The built-in performer: motion made in code, so that everything runs without data.

A walk begins with its footprints: a path and a speed give a list of them, feet roll over them, the pelvis is carried
over the feet, and legs, trunk, arms and head follow, with seeded irregularity. Other actions step, stand, sit, lift and
gesture; `session` is a whole day in the studio. Clips have exact contacts and otherwise nothing that recorded ones have
not: what comes after does not know the difference.
"""

from walkon.geometry.path import Path
from walkon.studio.carrying import carry_walk
from walkon.studio.footsteps import Footsteps
from walkon.studio.gestures import talk, wave
from walkon.studio.jogging import jog
from walkon.studio.lifting import pick_up, put_down
from walkon.studio.performer import BRISK, NEUTRAL, STYLES, TIRED, Style
from walkon.studio.seating import rise, sit, sit_down, sit_down_and_rise
from walkon.studio.session import session
from walkon.studio.shuffles import back_steps, side_steps, turn_in_place
from walkon.studio.skeleton import performer_skeleton
from walkon.studio.standing import idle
from walkon.studio.turning import sharp_turn, turning_start, turning_stop
from walkon.studio.walk import walk

__all__ = [
    "BRISK",
    "NEUTRAL",
    "STYLES",
    "TIRED",
    "Footsteps",
    "Path",
    "Style",
    "back_steps",
    "carry_walk",
    "idle",
    "jog",
    "performer_skeleton",
    "pick_up",
    "put_down",
    "rise",
    "session",
    "sharp_turn",
    "side_steps",
    "sit",
    "sit_down",
    "sit_down_and_rise",
    "talk",
    "turn_in_place",
    "turning_start",
    "turning_stop",
    "walk",
    "wave",
]
