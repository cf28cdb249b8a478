"""Chance that is compiled into the planner's kernels."""

# mypy: ignore-errors

from walkon._base.jit import kernel


@kernel(borrowed=True)
def chance(state):
    """Return a number in [0, 1) and advance the state [1] (xorshift64*)."""
    x = state[0]
    x ^= (x >> 12) & 0x000FFFFFFFFFFFFF
    x ^= x << 25
    x ^= (x >> 27) & 0x0000001FFFFFFFFF
    state[0] = x
    y = x * 2685821657736338717
    return ((y >> 11) & 0x001FFFFFFFFFFFFF) / 9007199254740992.0
