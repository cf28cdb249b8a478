"""Streams belong to a seed, a purpose and names; the hash of counters is the same compiled and plain."""

import re
from itertools import combinations
from pathlib import Path

import numba
import numpy as np
import pytest

import walkon
from walkon._base._chance_kernels import draw, hash_counter, unit
from walkon._base.chance import Purpose, stream, uniforms
from walkon._base.errors import InvalidValue

DRAWS = 4
RECORDED = [637, 572, 259]


def test_no_two_purposes_share_a_stream():
    names = [(), ("anna",), ("anna", 0), ("anna", 1), ("anna", 0, 1), ("a", "nna"), (0,), ("0",)]
    keys = [(seed, purpose, *rest) for seed in (0, 1, 2) for purpose in Purpose for rest in names]
    drawn = {key: tuple(stream(*key).integers(1 << 62, size=DRAWS)) for key in keys}
    assert len(set(drawn.values())) == len(keys)
    # Not shifted against each other either: no number of one occurs in another.
    for a, b in combinations(drawn.values(), 2):
        assert not set(a) & set(b)


def test_a_stream_is_the_same_every_time_and_for_ever():
    # Written down once: other numbers would be other crowds for every seed there is.
    np.testing.assert_array_equal(stream(7, Purpose.LEG, "anna", 2).integers(1000, size=3), RECORDED)


def test_a_seed_below_zero_is_refused():
    with pytest.raises(InvalidValue, match="a seed is a whole number from 0, got -1"):
        stream(-1, Purpose.LEG)


def test_all_chance_comes_from_here():
    sources = Path(walkon.__file__).parent
    found = [
        f"{path.relative_to(sources)}: {line.strip()}"
        for path in sources.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"default_rng\(|RandomState|SeedSequence\(|import random$", line)
    ]
    # A message that says what to pass, and a performer asked for with a seed of its own.
    allowed = ("_base/chance.py", "studio/")
    assert [line for line in found if not line.startswith(allowed) and "give rng=" not in line] == []


@numba.njit
def _hashed(key, counters, numbers):
    for i in range(len(counters)):
        numbers[i] = unit(hash_counter(hash_counter(hash_counter(key, counters[i, 0]), counters[i, 1]), counters[i, 2]))


@numba.njit
def _drawn(state, numbers):
    for i in range(len(numbers)):
        numbers[i] = draw(state)


def test_kernels_and_arrays_hash_counters_alike():
    rng = np.random.default_rng(3)
    counters = rng.integers(-(1 << 40), 1 << 40, size=(500, 3))
    for key in (0, 1, 12345, (1 << 63) - 1):
        numbers = np.zeros(len(counters))
        _hashed(key, counters, numbers)
        np.testing.assert_array_equal(numbers, uniforms(key, *counters.T))


def test_numbers_of_counters_are_spread_evenly_and_do_not_follow_each_other():
    numbers = uniforms(5, np.repeat(np.arange(100), 100), np.tile(np.arange(100), 100))
    counts = np.histogram(numbers, bins=20, range=(0, 1))[0]
    assert ((counts - 500) ** 2 / 500).sum() < 44  # chi squared, 19 degrees of freedom, 0.999
    for step in (1, 100):
        assert abs(np.corrcoef(numbers[step:], numbers[:-step])[0, 1]) < 0.04


def test_the_generator_of_kernels_is_splitmix64():
    numbers = np.zeros(3)
    _drawn(np.array([1234567], np.int64), numbers)
    # The first outputs of SplitMix64 with the seed 1234567, as published with its reference implementation.
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    np.testing.assert_array_equal(numbers, [(word >> 11) / 2.0**53 for word in published])
