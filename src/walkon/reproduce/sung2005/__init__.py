"""Sung, Kovar, Gleicher 2005, "Fast and accurate goal-directed motion synthesis for crowds": its scenes and tables.

Modules of scenes (`open_floor`, `grids`, `rooms`, `theatre`, `boxes`) return `walkon.script.Scene` for a seed and plan
nothing; `experiments` performs them (`performing`), makes rows beside Table 1 (`published`, `rows`) and `pictures`.
"""

from walkon.reproduce.sung2005.experiments import EXPERIMENTS, MOTION, OPTIONS, SCENES, TITLE

__all__ = ["EXPERIMENTS", "MOTION", "OPTIONS", "SCENES", "TITLE"]
