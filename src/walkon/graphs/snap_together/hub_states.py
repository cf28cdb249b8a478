"""Behaviour states of hubs: what a body can do next there, from the labels of its match frames, never from its name.

| word | seated | carrying | walking | resting |
|---|---|---|---|---|
| stand | no | no | no | yes |
| sit | yes | | | |
| walk | no | no | yes | no |
| carry | no | yes | yes | no |
| carry_stand | no | yes | no | yes |

The words are what marks ask for; a hub that has such a name is meant itself.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import BoolArray, IntArray
from walkon._base.table import Column, Table, column

__all__ = ["STATE_WORDS", "HubState", "HubStates", "hub_states"]

RESTING_M_S = 0.05
"""m/s below which motion passes through a hub standing still."""


class HubState(NamedTuple):
    """The behaviour state of a body at a hub."""

    seated: bool
    carrying: bool
    """Whether something is in the hands."""
    walking: bool
    """Whether it goes forward step by step; side steps and backward ones are no walk."""
    resting: bool
    """Whether it stands or sits still."""


@dataclass(frozen=True, eq=False, kw_only=True)
class HubStates(Table):
    """The states of H hubs."""

    seated: Column = column("bool")
    carrying: Column = column("bool")
    walking: Column = column("bool")
    resting: Column = column("bool")

    def which(self, word: str) -> BoolArray:
        """Return [H] which hubs are in the state that a word means (`STATE_WORDS`)."""
        wanted = STATE_WORDS[word]
        found = np.ones(len(self), bool)
        for name, value in wanted.items():
            found &= getattr(self, name) == value
        return found


STATE_WORDS = {
    "stand": {"seated": False, "carrying": False, "walking": False, "resting": True},
    "sit": {"seated": True},
    "walk": {"seated": False, "carrying": False, "walking": True, "resting": False},
    "carry": {"seated": False, "carrying": True, "walking": True, "resting": False},
    "carry_stand": {"seated": False, "carrying": True, "walking": False, "resting": True},
}


def hub_states(labels: IntArray, speed: Column, names: tuple[str, ...]) -> HubStates:
    """Return the states of hubs with these labels [H] (bit b is label b of `names`) and speeds [H] m/s."""

    def has(label: str) -> BoolArray:
        return np.asarray(labels >> names.index(label) & 1 > 0) if label in names else np.zeros(len(labels), bool)

    return HubStates(
        seated=has("seated"), carrying=has("carry"), walking=has("walk"), resting=np.asarray(speed < RESTING_M_S)
    )
