"""Clips in a take: what comes back is what went in, to the promised rounding."""

from dataclasses import replace

import numpy as np
import pytest

import take_scenes as scenes
from walkon._base.errors import InvalidClip
from walkon.motion.clip import Event
from walkon.motion.limbs.legs import Leg, read_leg
from walkon.take.clips import ClipStore, channels, stands
from walkon.transforms import quaternions as quat


def told() -> ClipStore:
    walk, stand, arm = labelled(), scenes.standing(), scenes.waving()
    return ClipStore().extended([walk, arm], [0, 1]).extended([stand], [0])


def labelled() -> object:
    walk = scenes.walking()
    first = np.arange(len(walk)) < 100
    heights = np.where(walk.contacts, 0.25, 0.0)
    return replace(
        walk,
        contact_heights=heights,
        labels={"walk": np.ones(len(walk), bool), "start": first, "never": np.zeros(len(walk), bool)},
        events=(Event(time=0.5, kind="grasp", joints=("LeftHand",)),),
    )


@pytest.mark.parametrize("index", [0, 1, 2])
def test_a_clip_comes_back_to_the_promised_rounding(index: int) -> None:
    source = [labelled(), scenes.waving(), scenes.standing()][index]
    back = told().clip(index, source.skeleton)
    assert back.fps == source.fps
    assert len(back) == len(source)
    assert np.abs(back.root_positions - source.root_positions).max() < 1e-6
    assert np.degrees(quat.angle_between(back.local_rotations, source.local_rotations).max()) < 0.0087
    assert np.array_equal(back.contacts, source.contacts)
    assert np.allclose(back.contact_heights, source.contact_heights, atol=1e-6)
    assert back.name == source.name
    assert back.events == source.events
    wanted = {name for name, flags in source.labels.items() if flags.any()}
    assert set(back.labels) == wanted
    assert all(np.array_equal(back.labels[name], source.labels[name]) for name in wanted)


def test_end_sites_have_no_channel() -> None:
    skeleton = scenes.walking().skeleton
    found = channels(skeleton)
    assert (found[skeleton.end_sites] == -1).all()
    assert found[~skeleton.end_sites].tolist() == list(range(np.count_nonzero(~skeleton.end_sites)))
    frames = len(scenes.walking())
    assert len(ClipStore().extended([scenes.walking()], [0]).rotations) == frames * (found.max() + 1)


def test_feet_need_roles_and_the_four_contact_points() -> None:
    skeleton = scenes.walking().skeleton
    assert stands(skeleton)
    assert not stands(scenes.robot_arm())
    assert not stands(skeleton.with_contacts((), np.zeros(0, np.int64), np.zeros((0, 3))))


def test_hinges_are_those_of_the_clip() -> None:
    walk = scenes.walking()
    rows = ClipStore().extended([walk, scenes.waving()], [0, 1]).rows
    for foot, side in enumerate(("left", "right")):
        leg = Leg.of(walk.skeleton, side)
        world = quat.rotate(walk.world.rotations[:, leg.hip], rows.hinges[0, foot])
        assert np.abs(world - read_leg(walk, leg).hinges).max() < 1e-6
    assert not rows.hinges[1].any()


def test_durations_and_sizes_are_told() -> None:
    store = told()
    assert np.allclose(store.durations, [6.0, 2.0, 3.0])
    assert store.nbytes == store.roots.nbytes + store.rotations.nbytes
    assert "3 clips" in repr(store)
    assert store.extended([], []) is store


def test_moving_translations_are_refused_with_the_way_out() -> None:
    walk = scenes.walking()
    moving = replace(walk, local_translations=np.tile(walk.skeleton.offsets, (len(walk), 1, 1)))
    with pytest.raises(InvalidClip, match=r"local translations.*retarget"):
        ClipStore().extended([moving], [0])
