"""Takes: the score of a crowd. Written piece by piece, small on disk, posed at any time, audited, edited, explained.

A take carries everything that is needed to understand and to play it: bodies, clips, who plays which when and where,
plants, props, the stage, marks, and where it comes from. It knows nothing of how it was planned. Pictures of it are
made by `walkon.drawing`.
"""

from walkon.take.posing.posing import Poses
from walkon.take.storing.file import load_take, save_take
from walkon.take.storing.writer import TakeWriter
from walkon.take.take import Take

__all__ = ["Poses", "Take", "TakeWriter", "load_take", "save_take"]
