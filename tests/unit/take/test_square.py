"""The square: twelve who touch nobody, the same each time."""

import numpy as np
import pytest

from square import DURATION, NAMES, clearest_moment, square
from walkon.capture import builtin_library


@pytest.fixture(scope="module")
def made():
    return square(builtin_library(), seed=3)


def test_a_dozen_people_of_different_sizes_are_there_all_the_time(made):
    take, _ = made
    assert take.names == NAMES
    assert len(set(take.characters.scale.tolist())) == 12
    assert take.sample(np.linspace(0.0, DURATION, 20)).present.all()
    assert take.start < clearest_moment(take) < take.stop


def test_the_audit_finds_nothing_wrong(made):
    _, audit = made
    assert audit.broken({"bodies.pair_frames": 0, "marks.unmet": 0, "foot_slide.max_m_s": 0.001, "stuck": 0}) == []
    assert audit.figures["props"]["max_jump_m"] < 0.001
    assert audit.figures["marks"]["count"] == 1


def test_the_same_seed_gives_the_same_crowd_and_another_another(made):
    take, _ = made
    again, _ = square(builtin_library(), seed=3)
    other, _ = square(builtin_library(), seed=4)
    np.testing.assert_array_equal(again.segments.place, take.segments.place)
    assert (other.segments.place != take.segments.place).any()
