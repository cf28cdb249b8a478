"""Contacts near hubs: at a hub they are the hub's, and next to it nothing may happen that it does not allow.

Within `MARGIN` of a hub, a contact that it does not have is over, and one that it has goes on up to it: otherwise a
foot would have to rush into the hub's pose. Common poses are found with the same contacts that edges are made with.

Frames are those of a reel. Metres, seconds.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray

__all__ = ["MARGIN", "Approach", "contacts_near", "heights_near"]

MARGIN = 0.13
"""s next to a hub in which contacts are the hub's."""


class Approach(NamedTuple):
    """One side of n frames that are in hubs."""

    frames: IntArray
    """[n] of the reel."""
    step: int
    """1 for what comes after them, −1 for what lies before."""
    room: IntArray
    """[n] how many frames on that side, themselves included, are not another hub's or another motion's."""
    contacts: BoolArray
    """[n, C] of the hubs."""
    heights: Array
    """[n, C] m, of their supports."""


def contacts_near(source: BoolArray, sides: Sequence[Approach], *, fps: float) -> BoolArray:
    """Return contacts [F, C] that are the hubs' in hubs and the source's [F, C] away from them."""
    contacts = np.array(source)
    for frames, step, room, wanted, _ in sides:
        # From the far end of the margin to the hub: what the hub does not have ends; what it has, once begun, goes on.
        begun = np.zeros(wanted.shape, bool)
        for k in range(_margin(fps), 0, -1):
            inside = np.flatnonzero(k < room)
            at = frames[inside] + step * k
            begun[inside] |= contacts[at]
            contacts[at] = begun[inside] & wanted[inside]
            begun[inside] &= wanted[inside]
    for side in sides:
        contacts[side.frames] = side.contacts
    return contacts


def heights_near(
    contacts: BoolArray, source: BoolArray, source_heights: Array, sides: Sequence[Approach], *, fps: float
) -> Array:
    """Return support heights [F, C]: the source's, and where a contact goes on up to a hub, the hub's."""
    heights = np.where(contacts & source, source_heights, 0.0)
    for frames, step, room, _, wanted in sides:
        for k in range(1, _margin(fps) + 1):
            inside = np.flatnonzero(k < room)
            at = frames[inside] + step * k
            heights[at] = np.where(contacts[at] & ~source[at], wanted[inside], heights[at])
    for side in sides:
        heights[side.frames] = side.heights
    return np.where(contacts, heights, 0.0)


def _margin(fps: float) -> int:
    return max(round(MARGIN * fps), 1)
