"""How the randomized search is run, and how much a motion may be adjusted."""

from dataclasses import dataclass

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import UnknownName

__all__ = ["SearchRule"]


@dataclass(frozen=True, kw_only=True)
class SearchRule:
    """Values of section 3.3; `SearchRule.named("paper")` has the paper's own."""

    kept: int = 12
    """k_m: pairs that go on from one round to the next."""
    made: int = 60
    """n_m: pairs made in a round."""
    rounds: tuple[int, ...] = (1, 2, 4, 8, 10, 12, 12, 12, 12, 12, 12, 12)
    """Rounds of each attempt; the paper's N_max is that of the only one."""
    yielding: int = 3
    """Rounds at most where something fits but runs into others."""
    editing: float = 0.2
    """Share of perturbations that insert or take out edges."""
    position: float = 0.02
    """ε: m/s of displacement."""
    facing: float = float(np.deg2rad(2.0))
    """ε: rad/s of turn."""
    time: float = 1 / 15
    """ε: s/s by which a motion is stretched."""
    most_position: float = 0.4
    """ε′: m in all."""
    most_facing: float = float(np.deg2rad(12.0))
    """ε′: rad in all: a body turned more against its way walks like a crab."""
    greedy: bool = False
    """Seeds by the paper's greedy planner, the paper's cost (1), displacement over the whole duration."""

    @classmethod
    def named(cls, name: str) -> "SearchRule":
        """Return the rule called `default` or `paper`: n_m 200, k_m 30, N_max 1000, no second limit."""
        if name == "default":
            return cls()
        if name == "paper":
            return cls(
                kept=30,
                made=200,
                rounds=(1000,),
                yielding=1000,
                editing=0.0,
                most_position=1e6,
                most_facing=float(np.pi),
                greedy=True,
            )
        raise UnknownName.among("search", name, ("default", "paper"))

    def limits(self, looseness: float = 1.0) -> Array:
        """Return [8] what kernels read, with ε times `looseness` (see `_join_kernels`)."""
        alpha_facing, alpha_time = 0.01 / np.deg2rad(1.0), 0.4
        limits = np.array(
            [
                self.position * looseness,
                self.facing * looseness,
                self.time * looseness,
                self.most_position,
                self.most_facing,
                alpha_facing,
                alpha_time,
                float(self.greedy),
            ]
        )
        limits.flags.writeable = False
        return limits
