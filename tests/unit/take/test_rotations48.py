"""Rotations in 48 bits: off by at most the promised angle, unit, and the same whichever sign went in."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from walkon.take.storing.rotations48 import pack, unpack
from walkon.transforms import quaternions as quat

PROMISED = np.radians(0.0087)


def test_no_rotation_is_off_by_more_than_promised(rng: np.random.Generator) -> None:
    q = quat.normalize(rng.normal(size=(200_000, 4)))
    off = quat.angle_between(unpack(pack(q)), q)
    assert off.max() < PROMISED
    assert off.max() > 0.5 * PROMISED  # the promise is not idle


def test_the_promise_holds_where_it_is_hardest() -> None:
    signs = np.stack(np.meshgrid(*[[-0.5, 0.5]] * 4), axis=-1).reshape(-1, 4)
    step = np.sqrt(2) / 32767
    nudges = step * np.random.default_rng(1).uniform(-1, 1, (500, 1, 4))
    q = quat.normalize(signs + nudges)
    assert quat.angle_between(unpack(pack(q)), q).max() < PROMISED


@given(arrays(np.float64, 4, elements=st.floats(-1, 1)).filter(lambda q: np.linalg.norm(q) > 1e-3))
def test_both_signs_pack_to_the_same_rotation(q: np.ndarray) -> None:
    q = quat.normalize(q)
    assert quat.angle_between(unpack(pack(q)), unpack(pack(-q))) < 2 * PROMISED
    assert abs(np.linalg.norm(unpack(pack(q))) - 1.0) < 1e-12
    assert quat.angle_between(unpack(pack(q)), q) < PROMISED


@pytest.mark.parametrize("part", range(4))
def test_a_single_part_comes_back_whole(part: int) -> None:
    q = np.eye(4)[part]
    assert quat.angle_between(unpack(pack(q)), q) < PROMISED
    assert unpack(pack(q))[part] > 0.99


def test_packing_what_was_unpacked_changes_nothing(rng: np.random.Generator) -> None:
    words = pack(quat.normalize(rng.normal(size=(5000, 4))))
    again = unpack(pack(unpack(words)))
    assert quat.angle_between(again, unpack(words)).max() < 1e-6


def test_shapes_are_kept() -> None:
    words = pack(np.broadcast_to(quat.IDENTITY, (2, 5, 4)))
    assert words.shape == (2, 5, 3)
    assert words.dtype == np.uint16
    assert unpack(words).shape == (2, 5, 4)
