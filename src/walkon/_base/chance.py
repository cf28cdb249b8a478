"""Chance: pseudo-random streams by seed, purpose and name, and a counter-based hash for kernels and arrays.

Every draw of the house belongs to a stream, and a stream to what it is for:

    stream(seed, Purpose.HOLD, "anna", 2)        a NumPy generator
    uniforms(key, who, step)                     [N] numbers in [0, 1) of counters [N], no state at all

A stream's key is a hash of its purpose and names, never a row or a count. So permuting people, or adding one, leaves
the streams of all others alone, and no two purposes can share one by a coincidence of numbers.

The hash is SplitMix64's finalizer, chained over the counters c₁, c₂ …:

    h₀ = key,    hₖ = mix(hₖ₋₁ + φ·(cₖ + 1)),    number = top 53 bits of the last h / 2⁵³

with φ the odd number next to 2⁶⁴ / golden ratio. Kernels have the same hash, and one generator made of it
(`walkon._base._chance_kernels`).

Reference: Steele, Lea, Flood 2014, "Fast Splittable Pseudorandom Number Generators", figure 17; Salmon et al. 2011,
"Parallel Random Numbers: As Easy as 1, 2, 3", for generators without state.
"""

import hashlib
from enum import IntEnum, unique

import numpy as np
from numpy.typing import ArrayLike, NDArray

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue

__all__ = ["Purpose", "stream", "uniforms"]

PHI = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@unique
class Purpose(IntEnum):
    """What a stream is for. A new use is a new number; numbers are never used again."""

    PEOPLE = 1
    """Sizes, speeds and colours of people."""
    ARRANGEMENT = 2
    """Places that a group of a scene is given."""
    PLANNING_ORDER = 3
    """Who is planned first among equals."""
    LEG = 4
    """Guides, seeds and search of one leg."""
    WAIT = 5
    """Idling before a leg."""
    STAY = 6
    """Idling that meets a mark where a character is already."""
    HOLD = 7
    """Idling while a mark is held."""
    END = 8
    """Idling after everything, until the scene is over."""
    ROADMAP = 9
    """Random nodes of a roadmap."""
    PATH_CHOICE = 10
    """Choices of a walk along a path."""
    RANDOM_WALK = 11
    """Random walks on graphs that are looked at or measured."""
    EXPERIMENT = 12
    """Scenes and trials of papers that are run again."""


def stream(seed: int, purpose: Purpose, *names: str | int) -> np.random.Generator:
    """Return the generator of a seed for a purpose and names, such as those of a character and of a mark."""
    if seed < 0:
        raise InvalidValue(f"a seed is a whole number from 0, got {seed}")
    digest = hashlib.blake2b(repr((int(purpose), *names)).encode(), digest_size=16).digest()
    words = np.frombuffer(digest, np.uint32)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=tuple(words.tolist())))


def uniforms(key: int, *counters: ArrayLike) -> Array:
    """Return [N] numbers in [0, 1) that belong to a key and counters [N]: the same ones always, in any order."""
    words: NDArray[np.uint64] = np.array([key & 0xFFFFFFFFFFFFFFFF], np.uint64)
    for counter in counters:
        words = _mix(words + PHI * (np.atleast_1d(np.asarray(counter)).astype(np.uint64) + np.uint64(1)))
    return np.asarray((words >> np.uint64(11)) * 2.0**-53)


def _mix(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    words = (words ^ (words >> np.uint64(30))) * FIRST
    words = (words ^ (words >> np.uint64(27))) * SECOND
    return np.asarray(words ^ (words >> np.uint64(31)))
