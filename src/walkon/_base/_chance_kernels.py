"""The compiled half of `chance`: its hash of counters, and the one generator that kernels draw from (SplitMix64)."""

# mypy: ignore-errors

from walkon._base.jit import kernel

# The constants of `chance` as signed numbers: compiled whole numbers are signed, and wrap.
PHI = -7046029254386353131
FIRST, SECOND = -4658895280553007687, -7723592293110705685


@kernel(borrowed=True)
def mix(word):
    """Return a whole number whose every bit depends on every bit of a word (SplitMix64's finalizer)."""
    word = (word ^ ((word >> 30) & 0x3FFFFFFFF)) * FIRST
    word = (word ^ ((word >> 27) & 0x1FFFFFFFFF)) * SECOND
    return word ^ ((word >> 31) & 0x1FFFFFFFF)


@kernel(borrowed=True)
def hash_counter(word, counter):
    """Return the hash of a word and one more counter."""
    return mix(word + PHI * (counter + 1))


@kernel(borrowed=True)
def unit(word):
    """Return the number in [0, 1) of a hash."""
    return ((word >> 11) & 0x1FFFFFFFFFFFFF) / 9007199254740992.0


@kernel(borrowed=True)
def draw(state):
    """Return the next number in [0, 1) of a generator, and advance its state [1]."""
    state[0] += PHI
    return unit(mix(state[0]))
