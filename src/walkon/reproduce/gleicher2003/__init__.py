"""Gleicher, Shin, Kovar, Jepsen 2003, "Snap-Together Motion": the graphs of its section 5 made again.

`graphs` chooses clips, makes graphs of them and rows about them, `experiments` plays on these, and `columns` declares
what is measured.
"""

from walkon.reproduce.gleicher2003.experiments import PAPER

__all__ = ["PAPER"]
