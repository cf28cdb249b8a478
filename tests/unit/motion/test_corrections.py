import numpy as np

from walkon.motion.contacts.runs import fill_between, smooth_cover


def test_given_frames_are_kept_and_long_gaps_fade_to_zero():
    given = np.zeros(100, bool)
    given[10:20] = given[80:90] = True
    values = np.where(given[:, None], np.array([[1.0, -2.0]]), 7.0)
    filled = fill_between(values, given, fade=10)
    assert np.array_equal(filled[given], values[given])
    assert np.abs(filled[35:65]).max() == 0.0
    assert np.abs(filled).max() <= 2.0 + 1e-12


def test_filling_has_no_jump_in_value_or_slope(rng):
    t = np.arange(120.0)
    given = (t > 20) & (t < 50) | (t > 70) & (t < 100)
    values = np.column_stack([0.1 * np.sin(0.1 * t), 0.05 * np.cos(0.07 * t)])
    filled = fill_between(values, given, fade=15)
    speed = np.diff(filled, axis=0)
    assert np.abs(np.diff(speed, axis=0)).max() < 0.008
    assert np.abs(speed).max() < 0.03


def test_a_short_gap_is_one_piece_between_its_ends():
    given = np.ones(30, bool)
    given[10:20] = False
    filled = fill_between(np.where(given, 1.0, 0.0)[:, None] * np.linspace(1, 2, 30)[:, None], given, fade=20)
    assert np.allclose(filled[:, 0], np.linspace(1, 2, 30), atol=1e-9)


def test_nothing_given_means_no_correction():
    assert fill_between(np.ones((5, 3)), np.zeros(5, bool), fade=3).max() == 0.0


def test_a_cover_is_above_the_need_smooth_and_local(rng):
    needed = np.zeros(300)
    needed[100:103] = 0.03
    needed[200] = 0.01
    cover = smooth_cover(needed, width=30)
    assert (cover >= needed - 1e-12).all()
    assert cover.max() <= 0.03 + 1e-12
    assert cover[:50].max() == 0.0
    assert np.abs(np.diff(cover, 2)).max() < 0.002
