"""A change that should not change results does not: every table of known takes, bit for bit.

Where libraries or the processor are others than those the hashes were made with, takes that are the same still pass;
others are skipped, because there the last bits may differ.
"""

import json

import pytest

from golden.cases import CASES, HASHES, digests, surroundings
from small_take import small_take

KNOWN = json.loads(HASHES.read_text())


@pytest.mark.parametrize("name", CASES)
def test_every_table_is_what_it_was(name):
    known, found = KNOWN["cases"][name], digests(CASES[name]())
    changed = [table for table in {**known, **found} if known.get(table) != found.get(table)]
    here = surroundings()
    others = [f"{what} {value}" for what, value in here.items() if value != KNOWN["surroundings"].get(what)]
    if changed and others:
        pytest.skip(f"the hashes were made with another {', '.join(others)}")
    assert changed == [], 'if that is meant: make golden REASON="..." and say the reason in the commit'


def test_every_case_is_known_and_a_reason_is_given():
    assert set(KNOWN["cases"]) == set(CASES)
    assert KNOWN["reason"]


def test_one_bit_in_any_column_is_seen():
    take = small_take()
    before = digests(take)
    place = take.segments.place.copy()
    place.view("uint32")[0, 0] ^= 1
    from dataclasses import replace

    after = digests(replace(take, segments=take.segments.with_columns(place=place)))
    assert [table for table in before if before[table] != after[table]] == ["segments"]
