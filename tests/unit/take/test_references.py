"""Reference trajectories: where characters were asked to be; stored like tracks, and they move nobody."""

import numpy as np
import pytest

from layout_scenes import clips
from walkon._base.errors import InvalidValue
from walkon.geometry.tracks import Track
from walkon.motion.body import Body
from walkon.take import Take, TakeWriter, load_take, save_take
from walkon.take.editing.editing import cut, delete, duplicate, merge, move, shift
from walkon.take.posing.reference_poses import reference_poses
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

WAY = Track(times=[0.0, 1.0, 3.0], places=[[0, 0], [1.5, 0.2], [4, -0.5]], headings=[0.0, 0.1, -0.2])
TIMES = np.linspace(0.1, 2.9, 15)


def walkers() -> TakeWriter:
    slow, _ = clips()
    writer = TakeWriter()
    rows = writer.add_characters(["ann", "bob", "cid"], body=writer.add_body(Body.of(slow.skeleton)))
    for k, who in enumerate(rows.tolist()):
        writer.perform(who, slow, start=0.0, stop=3.0, place=(0.0, 2.0 * k, 0.0))
    return writer


def followed() -> Take:
    writer = walkers()
    writer.refer("ann", WAY, place=(1.0, 2.0, 0.5))
    ways = np.cumsum(np.random.default_rng(4).normal(0.1, 0.02, (31, 2, 2)), axis=0)
    writer.add_references([1, 2], ways, start=0.0, rate=10.0)
    return writer.close()


def asked(take: Take, who: str, times: np.ndarray) -> np.ndarray:
    return reference_poses(take, np.full(len(times), take.character(who)), times)


def test_a_reference_is_where_its_track_is_placed_and_moves_nobody():
    take = followed()
    there = planar.compose(np.array([1.0, 2.0, 0.5]), WAY.at(TIMES))
    found = asked(take, "ann", TIMES)
    np.testing.assert_allclose(found[:, :2], there[:, :2], atol=2e-3)
    assert quat.angle_between(found[:, 3:], quat.turn(there[:, 2])).max() < 1e-3
    assert np.isnan(asked(take, "ann", np.array([-0.1, 3.1]))).all()
    assert np.array_equal(take.sample(TIMES).positions, walkers().close().sample(TIMES).positions)


def test_many_at_once_are_as_near_as_trajectories():
    ways = np.cumsum(np.random.default_rng(4).normal(0.1, 0.02, (31, 2, 2)), axis=0)
    take = followed()
    for k, who in enumerate(("bob", "cid")):
        found = asked(take, who, np.arange(31) / 10)
        assert np.linalg.norm(found[:, :2] - ways[:, k], axis=1).max() < 0.02


def test_edits_treat_references_as_they_treat_marks(tmp_path):
    take, by = followed(), (1.0, -2.0, 0.4)
    before = asked(take, "ann", TIMES)
    np.testing.assert_array_equal(asked(move(take, "ann", by, audit=False).take, "ann", TIMES), before)
    moved = asked(move(take, "ann", by, pivot=(0, 0), marks=True, audit=False).take, "ann", TIMES)
    np.testing.assert_allclose(moved[:, :3], planar.apply_3d(np.array(by), before[:, :3]), atol=1e-9)
    np.testing.assert_array_equal(asked(shift(take, "ann", 0.5, audit=False).take, "ann", TIMES), before)
    later = shift(take, "ann", 0.5, marks=True, audit=False).take
    np.testing.assert_allclose(asked(later, "ann", TIMES + 0.5), before, atol=1e-9)
    part = cut(take, 1.0, 2.0, audit=False).take
    inside = TIMES[(TIMES > 1) & (TIMES < 2)]
    np.testing.assert_allclose(asked(part, "ann", inside), asked(take, "ann", inside), atol=1e-9)
    assert np.isnan(asked(part, "ann", np.array([0.9, 2.1]))).all()
    alone = delete(take, ["bob", "cid"], audit=False).take
    assert (len(alone.references), len(alone.tracks)) == (1, 1)
    both = duplicate(take, "ann", name="eve", by=(0, 5, 0), pivot=(0, 0), seconds=1.0, audit=False).take
    np.testing.assert_allclose(asked(both, "eve", TIMES + 1.0)[:, :3], before[:, :3] + (0, 5, 0), atol=1e-9)
    twice = merge(take, take, shift=4.0, audit=False).take
    np.testing.assert_allclose(asked(twice, "ann_2", TIMES + 4.0), before, atol=1e-9)
    np.testing.assert_array_equal(asked(load_take(save_take(take, tmp_path / "a.take")), "ann", TIMES), before)


def test_what_cannot_be_is_refused_and_the_writer_goes_on():
    writer = walkers()
    with pytest.raises(InvalidValue, match="a reference needs at least two knots, got 1"):
        writer.refer("ann", Track(times=[0.0], places=[[0, 0]]))
    writer.refer("ann", WAY)
    with pytest.raises(InvalidValue, match="references of one character must not overlap, but 'ann' has one"):
        writer.refer("ann", Track(times=[2.0, 4.0], places=[[0, 0], [1, 1]]))
    with pytest.raises(InvalidValue, match="the character of a reference must be 0 to 2, but one is 7"):
        writer.add_references([7], np.zeros((3, 1, 2)), start=0.0, rate=1.0)
    writer.refer("ann", Track(times=[3.0, 4.0], places=[[0, 0], [1, 1]]))
    take = writer.close()
    assert (len(take.references), len(take.tracks)) == (2, 2)
