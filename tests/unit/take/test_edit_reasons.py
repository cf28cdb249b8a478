"""Editing takes with reasons: every edit keeps them with their characters, in time, and about what is still there."""

import numpy as np
import pytest

from layout_scenes import clips
from reason_scenes import NAMES, told, words_at
from walkon.motion.body import Body
from walkon.take import load_take, save_take
from walkon.take.editing.editing import cut, delete, duplicate, merge, move, shift, swap_body
from walkon.take.tables import NONE

TIMES = np.arange(-0.025, 3.05, 0.05)
"""s; no border of a reason is among them."""


def same(one, two, *, names=None, later=0.0):
    """Whether everybody (or those renamed to `names`) has the same reasons, some seconds later."""
    renamed = names or {name: name for name in one.names}
    return all(words_at(two, new, TIMES + later) == words_at(one, old, TIMES) for old, new in renamed.items())


def test_the_scene_has_reasons_to_keep():
    assert len({words for name in NAMES for words in words_at(told(), name, TIMES)}) == 11


def test_a_move_and_another_body_change_no_reason():
    assert same(told(), move(told(), ["ann", "bob"], (1.0, 2.0, 0.5), marks=True, audit=False).take)
    slow, _ = clips()
    assert same(told(), swap_body(told(), "ann", Body.of(slow.skeleton), scale=1.1, audit=False).take)


@pytest.mark.parametrize("seconds", [0.5, -0.25])
def test_a_shift_takes_the_reasons_of_its_character_along_and_no_others(seconds):
    later = shift(told(), "bob", seconds, audit=False).take
    assert same(told(), later, names={"bob": "bob"}, later=seconds)
    assert same(told(), later, names={"ann": "ann", "cid": "cid"})


def test_a_cut_trims_reasons_to_what_is_seen():
    part = cut(told(), 1.1, 2.2, audit=False).take
    r = part.reasons
    assert (r.start.min(), r.stop.max()) == (1.1, 2.2)
    assert (r.stop > r.start).all()
    inside = TIMES[(TIMES > 1.1) & (TIMES < 2.2)]
    for name in ("bob", "cid"):
        assert words_at(part, name, inside) == words_at(told(), name, inside)
    # Marks that are met outside are gone; what led to them is told in general words, its number is the whole way's.
    assert words_at(part, "ann", [1.15, 1.5, 2.1]) == ["holds a mark", "picks up box", "on the way to a mark, 2.1 m"]
    zero = cut(told(), 1.1, 2.2, to_zero=True, audit=False).take
    assert words_at(zero, "ann", inside - 1.1) == words_at(part, "ann", inside)


def test_a_cut_leaves_out_who_is_not_there_with_all_their_reasons():
    part = cut(told(), 2.55, 2.9, audit=False).take
    assert part.names == ("ann", "bob")
    assert (part.reasons.character.tolist(), part.notes) == ([0, 1], ("north {gate}",))
    assert part.reasons.other.tolist() == [NONE, NONE]  # cid is gone
    assert words_at(part, "ann", [2.7]) == ["stays"]


def test_a_cut_of_a_cut_is_the_inner_one():
    inner = cut(cut(told(), 0.6, 2.7, audit=False).take, 1.0, 2.4, audit=False).take
    straight = cut(told(), 1.0, 2.4, audit=False).take
    for name, values in straight.reasons.columns.items():
        np.testing.assert_array_equal(inner.reasons.columns[name], values)


@pytest.mark.parametrize("gone", NAMES)
def test_a_deleted_character_takes_its_reasons_and_notes_along(gone):
    left = delete(told(), gone, audit=False).take
    rest = [name for name in NAMES if name != gone]
    assert set(np.array(left.names)[left.reasons.character]) == set(rest)
    assert left.notes == {"ann": ("he said so", "north {gate}"), "bob": ("he said so",), "cid": ("north {gate}",)}[gone]
    assert same(told(), left, names={name: name for name in rest})


def test_whom_or_what_a_reason_was_about_may_go():
    alone = delete(told(), ["bob", "cid"], audit=False).take
    r = alone.reasons
    assert r.other.tolist() == [NONE] * 5
    assert [prop.name for prop in alone.props] == ["box"]  # nobody else holds the bag
    assert r.prop.tolist() == [NONE, NONE, 0, NONE, NONE]
    assert same(told(), alone, names={"ann": "ann"})
    others = delete(told(), "cid", audit=False).take
    assert others.reasons.other.tolist() == [NONE, NONE, 1, NONE, NONE, NONE, NONE, NONE]


def test_a_copy_has_reasons_of_its_own_about_its_own_marks_and_props():
    both = duplicate(told(), ["ann", "bob"], seconds=0.5, audit=False).take
    assert same(told(), both)
    r = both.reasons.rows(both.reasons.character == 3)
    assert r.mark.tolist() == [4, 4, NONE, 5, NONE]
    assert r.other.tolist() == [NONE, NONE, 4, NONE, NONE]  # the copy of bob; cid has none
    assert [both.props[k].name for k in r.prop if k >= 0] == ["box_2", "bag_2"]
    copies = words_at(both, "ann_2", TIMES + 0.5), words_at(both, "bob_2", TIMES + 0.5)
    for found, name in zip(copies, ("ann", "bob"), strict=True):
        assert [words.replace("box_2", "box") for words in found] == words_at(told(), name, TIMES)
    assert both.notes == told().notes


def test_merged_takes_keep_all_reasons_and_equal_notes_once():
    both = merge(told(), told(), shift=0.25, audit=False).take
    assert same(told(), both)
    assert len(both.reasons) == 2 * len(told().reasons)
    assert both.notes == told().notes
    r = both.reasons.rows(both.reasons.character >= 3)
    old = told().reasons
    np.testing.assert_array_equal(r.mark, np.where(old.mark >= 0, old.mark + 4, NONE))
    np.testing.assert_array_equal(r.other, np.where(old.other >= 0, old.other + 3, NONE))
    np.testing.assert_array_equal(r.prop, np.where(old.prop >= 0, old.prop + 2, NONE))
    np.testing.assert_array_equal(r.note, old.note)
    assert same(told(), both, names={"cid": "cid_2"}, later=0.25)


def test_halves_of_a_take_merge_to_its_reasons():
    parts = [delete(told(), [other for other in NAMES if other != name], audit=False).take for name in NAMES]
    whole = merge(merge(parts[0], parts[1], audit=False).take, parts[2], audit=False).take
    found = {name: [words.replace("box_2", "box") for words in words_at(whole, name, TIMES)] for name in NAMES}
    assert found == {name: words_at(told(), name, TIMES) for name in NAMES}


def test_reasons_come_back_from_a_file(tmp_path):
    take = load_take(save_take(told(), tmp_path / "told.take"))
    for name, values in told().reasons.columns.items():
        np.testing.assert_array_equal(take.reasons.columns[name], values)
    assert same(told(), take)
