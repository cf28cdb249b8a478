"""What stands for somebody who is not there, in formats where everything always is somewhere."""

import numpy as np

from walkon._base.arrays import BoolArray, IntArray

__all__ = ["filled"]


def filled(present: BoolArray) -> IntArray:
    """Return [T, N] the frame whose pose stands for each of [T, N]: itself where `present`, else the last one before
    at which it was, else the first after; 0 where it never was.
    """
    frames = np.arange(len(present))[:, None]
    last = np.maximum.accumulate(np.where(present, frames, -1), axis=0)
    return np.where(last >= 0, last, present.argmax(axis=0))
