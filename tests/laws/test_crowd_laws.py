"""Laws of crowds: permuting the characters of a scene permutes its take, to the bit, because chance goes by name."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import walkon
from walkon.take.reasons import reason_words

SCENES = Path(__file__).parents[2] / "examples" / "scenes"
REFERENCES = ("character", "mark", "prop", "note", "clip", "warp", "blend", "track")
"""Columns that are rows of other tables."""


def rows_by_name(take, table):
    """Columns of a table of a take, its rows by the name of the character, then as they are."""
    rows = getattr(take, table)
    names = np.array(take.names)[rows.character]
    order = np.argsort(names, kind="stable")
    columns = {name: np.asarray(v)[order] for name, v in rows.columns.items() if name not in REFERENCES}
    return columns | {"name": names[order]}


def words_by_name(take):
    """Why everybody does what they do, in words, in the order of time."""
    owners = np.array(take.names)[take.reasons.character]
    rows = np.argsort(owners, kind="stable").tolist()
    return [(owners[k], reason_words(take, k)) for k in rows]


@pytest.mark.parametrize("name", ["first_walk", "boxes", "theatre_small", "meeting"])
def test_permuting_characters_permutes_the_take(name):
    scene = walkon.load_scene(SCENES / f"{name}.yaml")
    order = np.random.default_rng(8).permutation(len(scene.characters))
    turned = replace(scene, characters=tuple(scene.characters[k] for k in order))
    one, two = (walkon.perform(each, seed=41) for each in (scene, turned))
    assert two.names == tuple(one.names[k] for k in order)
    for table in ("segments", "stances", "marks", "reasons"):
        columns, others = rows_by_name(one, table), rows_by_name(two, table)
        for column, values in columns.items():
            np.testing.assert_array_equal(values, others[column], err_msg=f"{table}.{column}")
    assert words_by_name(one) == words_by_name(two)
    assert len(one.reasons) > len(one)
    times = np.random.default_rng(9).uniform(0.0, one.duration, 20)
    posed, again = one.sample(times), two.sample(times)
    np.testing.assert_array_equal(posed.positions[:, order], again.positions)
