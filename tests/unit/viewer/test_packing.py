"""Packed takes pose as the whole ones do, and carry only what is played."""

import gzip

import numpy as np
import pytest

import walkon
from page_posing import build_modules, pose_on_page, why_no_node
from take_scenes import crossfade, every_feature, interesting_times, walking
from walkon._base.errors import InvalidValue
from walkon.take.storing.file import load_take, save_take
from walkon.take.take import Take
from walkon.viewer import pack_take, packing
from walkon.viewer.packing import trim_take


def assert_same_poses(take, other, seed=0):
    times = interesting_times(take, np.random.default_rng(seed))
    one, two = take.sample(times), other.sample(times)
    np.testing.assert_array_equal(one.presence, two.presence)
    np.testing.assert_array_equal(one.segments, two.segments)
    np.testing.assert_allclose(one.positions, two.positions, atol=1e-9)
    np.testing.assert_allclose(np.abs(np.sum(one.rotations * two.rotations, axis=-1))[one.present], 1.0, atol=1e-12)
    np.testing.assert_array_equal(one.contacts, two.contacts)


@pytest.mark.parametrize("seed", range(3))
def test_a_packed_take_poses_as_the_whole_one_does(seed):
    take = every_feature(np.random.default_rng(seed))
    packed = trim_take(take)
    assert_same_poses(take, packed, seed)
    assert len(packed.clips.roots) < len(take.clips.roots)


def test_what_nobody_plays_is_left_out(tmp_path):
    library = walkon.builtin_library()
    with walkon.TakeWriter() as writer:
        ann = writer.add_character("ann", body=writer.add_body(walkon.Body.of(library.skeleton)))
        for name in library.names[:20]:
            writer.add_clip(library[name])
        writer.perform(ann, library["wander_normal"], start=2.0, stop=4.0, clip_start=10.0, rate=(0.5, 1.5))
    take = writer.take
    packed = trim_take(take)
    assert packed.clips.names == ("wander_normal",)
    fps = library["wander_normal"].fps
    assert 2.0 * fps <= len(packed.clips.roots) <= 2.0 * fps + 5
    assert packed.segments.clip_start[0] == pytest.approx(1.0 / fps, abs=1.5 / fps)
    told = packed.provenance["packed"]
    assert told["clip_starts"][0] + packed.segments.clip_start[0] == pytest.approx(10.0)
    assert told["clip_durations"] == [pytest.approx(library["wander_normal"].duration)]
    assert_same_poses(take, packed)


def test_contacts_labels_and_events_are_cut_along():
    library = walkon.builtin_library()
    clip = library["fetch_floor"]
    assert clip.events
    with walkon.TakeWriter() as writer:
        ann = writer.add_character("ann", body=writer.add_body(walkon.Body.of(library.skeleton)))
        begun = clip.events[0].time - 0.5
        writer.perform(ann, clip, start=0.0, stop=1.0, clip_start=begun)
    packed = trim_take(writer.take)
    short, first = packed.clip(0), round(packed.provenance["packed"]["clip_starts"][0] * clip.fps)
    assert short.events[0].time == pytest.approx(clip.events[0].time - first / clip.fps)
    np.testing.assert_array_equal(short.contacts, clip.contacts[first : first + len(short)])
    for label, flags in short.labels.items():
        np.testing.assert_array_equal(flags, clip.labels[label][first : first + len(short)])


def test_cut_takes_carry_only_what_is_seen():
    from walkon.take.editing.editing import cut

    take = crossfade(walking(), walking(1.4))
    late = cut(take, 3.0, 3.5, audit=False).take
    packed = trim_take(late)
    assert len(packed.clips) == 1
    assert len(packed.clips.roots) < 0.4 * len(late.clips.roots)
    assert_same_poses(late, packed)


def test_packing_twice_changes_nothing_and_gives_the_same_bytes():
    take = every_feature(np.random.default_rng(1))
    assert pack_take(take) == pack_take(take)
    once, twice = trim_take(take), trim_take(trim_take(take))
    assert_same_poses(take, twice)
    np.testing.assert_allclose(twice.provenance["packed"]["clip_starts"], once.provenance["packed"]["clip_starts"])
    assert twice.provenance["packed"]["clip_durations"] == once.provenance["packed"]["clip_durations"]


def test_an_empty_take_can_be_packed(tmp_path):
    file = tmp_path / "empty.take"
    file.write_bytes(gzip.decompress(pack_take(Take())))
    assert len(load_take(file)) == 0


def test_a_packed_take_is_a_take_and_keeps_what_it_says(tmp_path):
    take = every_feature(np.random.default_rng(2))
    file = tmp_path / "packed.take"
    file.write_bytes(gzip.decompress(pack_take(take)))
    read = load_take(file)
    assert read.names == take.names
    assert (read.fps, read.start, read.stop) == (take.fps, take.start, take.stop)
    assert_same_poses(take, read)


def test_takes_that_are_too_large_for_a_page_are_refused_with_a_way_out(monkeypatch):
    take = every_feature(np.random.default_rng(3))
    monkeypatch.setattr(packing, "MAX_TAKE_BYTES", 1000)
    with pytest.raises(InvalidValue, match=r"a page can hold; cut it in time"):
        pack_take(take)
    monkeypatch.setattr(packing, "MAX_FRAME_NUMBERS", 100)
    with pytest.raises(InvalidValue, match=r"more than a page can show"):
        pack_take(take)


@pytest.mark.skipif(why_no_node() is not None, reason=why_no_node() or "")
def test_the_page_poses_the_packed_and_zipped_take_as_python_poses_the_whole_one(tmp_path):
    from test_page_posing import assert_equal

    take = every_feature(np.random.default_rng(5))
    file = tmp_path / "packed.gz"
    file.write_bytes(pack_take(take))
    times = interesting_times(take, np.random.default_rng(5))
    assert_equal(take, pose_on_page(build_modules(tmp_path), file, times), times)
    assert len(file.read_bytes()) < save_take(take, tmp_path / "whole.take").stat().st_size
