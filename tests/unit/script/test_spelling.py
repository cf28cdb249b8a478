"""Spelling with people: exactly as many as asked, never too near, evenly, and readable."""

import numpy as np
import pytest
from scipy.spatial import KDTree

from walkon._base.errors import InvalidValue, UnknownName
from walkon.script.arranging import spell
from walkon.script.stroke_font import letter, letters


def nearest(places):
    return KDTree(places).query(places, k=2)[0][:, 1]


def test_there_is_every_capital_letter_and_digit() -> None:
    assert set(letters()) == set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")


def test_every_letter_stands_on_its_line_and_is_one_high() -> None:
    for character in letters():
        width, curves = letter(character)
        points = np.concatenate(curves)
        assert points[:, 0].min() == 0, character
        assert points[:, 0].max() == pytest.approx(width), character
        assert points[:, 1].max() == pytest.approx(1.0, abs=0.01), character  # bends are chords
        assert -0.15 <= points[:, 1].min() <= 0.01, character
        assert width <= 1.25, character


@pytest.mark.parametrize("count", [16, 25])
def test_every_letter_is_written_by_exactly_as_many_as_asked_for(count: int) -> None:
    for character in letters():
        places = spell(character, spacing=1.0, count=count)
        assert places.shape == (count, 2), character
        assert nearest(places).min() >= 1.0 - 1e-9, character
        assert nearest(places).mean() < 1.3, character


@pytest.mark.parametrize(("text", "count"), [("SCA", 70), ("WALKON", 110), ("2005", 60), ("GO ON", 60), ("I", 2)])
def test_words_too(text: str, count: int) -> None:
    places = spell(text, spacing=0.9, count=count)
    apart = nearest(places)
    assert len(places) == count
    assert apart.min() >= 0.9 - 1e-9
    assert apart.mean() <= 0.9 * 1.2
    assert (places.min(axis=0) + places.max(axis=0)) == pytest.approx([0, 0])


def test_any_number_of_people_can_spell_the_papers_letters() -> None:
    for count in range(40, 90):
        assert len(spell("SCA", spacing=1.0, count=count)) == count


def test_a_given_height_takes_as_many_as_fit() -> None:
    few, many = spell("H", spacing=1.0, height=5.0), spell("H", spacing=0.5, height=5.0)
    assert np.ptp(few[:, 1]) == pytest.approx(5.0)
    assert len(few) == 12
    assert len(many) > 1.7 * len(few)
    assert nearest(many).min() >= 0.5 - 1e-9


def test_the_same_text_in_small_letters_is_the_same() -> None:
    assert np.array_equal(spell("sca", spacing=1.0, count=50), spell("SCA", spacing=1.0, count=50))


def test_what_cannot_be_spelled_is_refused_with_the_rule() -> None:
    with pytest.raises(UnknownName, match="there is no letter '&'"):
        spell("A&B", spacing=1.0, count=30)
    with pytest.raises(InvalidValue, match="nothing to spell"):
        spell("  ", spacing=1.0, count=30)
    with pytest.raises(InvalidValue, match=r"it takes at least 12 people to spell .EE., got 4"):
        spell("EE", spacing=1.0, count=4)
    with pytest.raises(InvalidValue, match="either how many people spell, or how high"):
        spell("A", spacing=1.0)
    with pytest.raises(InvalidValue, match="more than 0 m apart"):
        spell("A", spacing=0.0, count=10)
