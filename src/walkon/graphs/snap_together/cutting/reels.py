"""Reels: batches of short motions, laid end to end with blank frames between them and locked as one long clip.

Locking feet costs the same per call whether a clip has forty frames or forty thousand, so edges are locked together.
Blank frames repeat the last one of the motion before them and have no contacts; no contact and no correction goes over
from one motion to the next.

Contacts near hubs: at a hub they are the hub's, and next to it nothing may happen that it does not allow. Within
`HUB_MARGIN_S` of a hub, a contact that it does not have is over, and one that it has goes on up to it: otherwise a foot
would have to rush into the hub's pose. Common poses are found with the same contacts that edges are made with.

Frames are those of a reel. Metres, seconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.graphs.snap_together.cutting.displacement import Frames
from walkon.motion.clip import Clip
from walkon.motion.contacts.foot_lock import FootLock, LockRule, lock_feet
from walkon.motion.library import Library

__all__ = ["HUB_MARGIN_S", "LOCK_RULE", "Approach", "Reel", "contacts_near", "heights_near"]

LOCK_RULE = LockRule(soft=0.4)
"""Plants are moved by centimetres here, and a leg that lands nearly straight would snap: the hips come down a little
instead. Without it, one landing in ten turns the knee by over 10 degrees more in one frame than in the next."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Reel:
    """R motions of frames of one library; motion r is frames starts[r] to stops[r] − 1 of the arrays that go in."""

    library: Library
    sources: IntArray
    """[F] the library's frame behind each frame."""
    starts: IntArray
    stops: IntArray

    @classmethod
    def of(cls, library: Library, first: IntArray, last: IntArray) -> "Reel":
        """Return a reel of the library's frames first[r] … last[r], both included."""
        lengths = last - first + 1
        stops = np.cumsum(lengths)
        starts = stops - lengths
        sources = np.arange(int(lengths.sum())) + np.repeat(first - starts, lengths)
        return cls(library=library, sources=sources, starts=starts, stops=stops)

    @property
    def motion(self) -> Frames:
        """The library's own motion."""
        return Frames(self.library.root_positions[self.sources], self.library.local_rotations[self.sources])

    def lock_feet(
        self, motion: Frames, contacts: BoolArray, heights: Array, *, pinned: bool, rule: LockRule = LOCK_RULE
    ) -> tuple[Frames, Array]:
        """Hold planted feet of a motion [F] with these contacts and support heights [F, C].

        Where `pinned`, the first and the last frame of every motion stay as they are. Also returns [F, 2] by how many
        metres legs fall short.
        """
        if not self.library.skeleton.has_feet or not contacts.any():
            return motion, np.zeros((len(self.sources), 2))
        # As wide as the root's lowering reaches, and more than the gap over which heel and ball count as one stance.
        blank = round((rule.root_width if pinned else 0.5) * self.library.fps) + 1
        R, F = len(self.starts), len(self.sources)
        spread = np.arange(F) + blank * (1 + np.repeat(np.arange(R), self.stops - self.starts))
        total = F + blank * (R + 1)
        behind = np.maximum(np.searchsorted(spread, np.arange(total), side="right") - 1, 0)
        down, held = np.zeros((total, contacts.shape[1]), bool), np.zeros((total, contacts.shape[1]))
        down[spread], held[spread] = contacts, heights
        fixed = np.ones(total, bool)
        fixed[np.delete(spread, [self.starts, self.stops - 1])] = False
        clip = Clip(
            skeleton=self.library.skeleton,
            fps=self.library.fps,
            root_positions=motion.roots[behind],
            local_rotations=motion.rotations[behind],
            contacts=down,
            contact_heights=held,
        )
        found: FootLock = lock_feet(clip, rule=rule, pinned=fixed if pinned else None)
        made = Frames(found.clip.root_positions[spread], found.clip.local_rotations[spread])
        return made, found.missed[spread]


HUB_MARGIN_S = 0.13
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
    return max(round(HUB_MARGIN_S * fps), 1)
