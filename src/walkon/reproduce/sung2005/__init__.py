"""Sung, Kovar, Gleicher 2005, "Fast and accurate goal-directed motion synthesis for crowds": its scenes and tables.

Modules of scenes (`open_floor`, `rooms`, `theatre`, `boxes`) return `walkon.script.Scene` for a seed and plan
nothing; `experiments` performs them (`performing`) and makes rows beside Table 1 (`columns`) and `pictures`.
"""

from walkon.reproduce.sung2005.experiments import PAPER, SCENES

__all__ = ["PAPER", "SCENES"]
