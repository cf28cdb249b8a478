"""Who people are: drawn by their own names, in steps of size, unless the scene says it."""

from dataclasses import replace

import numpy as np
import pytest

from crowd_worlds import person
from walkon.crowd.people import SHIRT_COLOURS, draw_people
from walkon.script import Cast, Scene

MANY = 200
HUNDREDTH = 1e-12
"""Sizes are whole hundredths but for rounding."""


def crowd(count=MANY, **cast):
    return Scene(
        cast=Cast(**{"scale": (0.9, 1.1), "speed": (1.1, 1.5), **cast}),
        characters=[person(f"p{k}", (float(k), 0.0, 0.0)) for k in range(count)],
    )


def rows(people, k):
    return people.scale[k], people.speed[k], people.colour[k].tolist()


def test_people_are_as_the_cast_says():
    people = draw_people(crowd(), seed=1)
    assert 0.9 - HUNDREDTH <= people.scale.min() < 0.93
    assert 1.07 < people.scale.max() <= 1.1 + HUNDREDTH
    assert 1.1 <= people.speed.min() < 1.13
    assert 1.47 < people.speed.max() <= 1.5
    assert {tuple(c) for c in people.colour.tolist()} == set(SHIRT_COLOURS)


def test_sizes_are_whole_hundredths_so_that_people_share_graphs():
    scale = draw_people(crowd(), seed=1).scale
    np.testing.assert_allclose(scale * 100, np.round(scale * 100), atol=100 * HUNDREDTH)
    assert len(np.unique(scale)) <= 21


@pytest.mark.parametrize("first", [False, True])
def test_somebody_far_away_changes_nobody_elses_size_speed_or_colour(first):
    scene = crowd(6)
    far = person("far", (900.0, 900.0, 0.0))
    others = (far, *scene.characters) if first else (*scene.characters, far)
    before, after = draw_people(scene, seed=3), draw_people(replace(scene, characters=others), seed=3)
    assert [rows(before, k) for k in range(6)] == [rows(after, k + first) for k in range(6)]


def test_people_permuted_are_the_same_people():
    scene = crowd(6)
    one, two = draw_people(scene, seed=3), draw_people(replace(scene, characters=scene.characters[::-1]), seed=3)
    assert [rows(one, k) for k in range(6)] == [rows(two, 5 - k) for k in range(6)]


def test_another_seed_draws_other_people():
    one, two = (draw_people(crowd(), seed=seed) for seed in (1, 2))
    assert (one.scale != two.scale).mean() > 0.8
    assert (one.speed != two.speed).all()


def test_what_a_character_says_of_itself_counts_and_changes_nothing_else_of_it():
    scene = crowd(3)
    given = [
        replace(scene.characters[0], scale=1.234),
        replace(scene.characters[1], speed=2.0),
        replace(scene.characters[2], colour=(0.1, 0.2, 0.3)),
    ]
    drawn, said = draw_people(scene, seed=3), draw_people(replace(scene, characters=given), seed=3)
    assert said.scale.tolist() == pytest.approx([1.23, *drawn.scale[1:]])
    assert said.speed.tolist() == [drawn.speed[0], 2.0, drawn.speed[2]]
    assert said.colour.tolist() == [*drawn.colour[:2].tolist(), [0.1, 0.2, 0.3]]


def test_nobody_is_drawn_for_nobody():
    people = draw_people(Scene(), seed=0)
    assert (people.scale.shape, people.speed.shape, people.colour.shape) == ((0,), (0,), (0, 3))
