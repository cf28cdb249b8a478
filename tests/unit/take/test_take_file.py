"""Takes as files: what is written is what is read, whatever happens in between."""

import os
import resource
import signal
import subprocess
import sys
from dataclasses import fields, replace

import numpy as np
import pytest

import take_scenes as scenes
from walker import walk
from walkon._base.array_file import write_array_file
from walkon._base.errors import CannotWrite, NewerFile, UnreadableFile
from walkon.motion.body import Body
from walkon.motion.clip import Clip, Event
from walkon.motion.skeleton import Skeleton
from walkon.script import Mark
from walkon.stage import Door, Obstacle, Prop, Seat, Stage
from walkon.take import TakeWriter, load_take, save_take
from walkon.take.storing.file import KIND, TABLES, VERSION
from walkon.take.tables import Warps

TIMES = np.linspace(0.0, 3.0, 23)


@pytest.fixture(scope="module")
def clip():
    clip = walk(seconds=3.0)
    return replace(clip, events=(Event(time=0.5, kind="grasp", joints=("left_hand",), object_pose=None),))


def write(clip, path=None, parts=3):
    square = [(4, 4), (5, 4), (5, 5), (4, 5)]
    stage = Stage(
        bounds=[(-9, -9), (9, -9), (9, 9), (-9, 9)],
        obstacles=(Obstacle(polygon=square, height=2.0, name="pillar"),),
        seats=(Seat(place=(1, 2, 0.5), name="seat 1"),),
        doors=(Door(ends=[(0, 9), (1, 9)], name="door"),),
    )
    writer = TakeWriter(path, stage=stage, provenance={"seeds": {"population": 1, "behaviour": 2}, "scene": "a: 1"})
    with writer:
        body = writer.add_body(Body.of(clip.skeleton))
        box = writer.add_prop(Prop(name="box"))
        for part in range(parts):
            for who in range(2):
                if part == 0:
                    writer.add_character(f"walker {who}", body=body, scale=1.0 + 0.05 * who)
                    writer.add_mark(who, Mark(name="there", position=(1.0, 2.0), window=(0, 9)), met=2.5)
                at = float(part)
                warp = Warps.filled(1, offsets=[[[0, 0, 0], [0.01, 0.02, 0.01]]])
                writer.perform(
                    who,
                    clip,
                    start=at,
                    stop=at + 1,
                    clip_start=at,
                    place=(0, 2 * who, 0.3),
                    warp=warp,
                    reason="told to",
                )
            writer.flush()
        writer.rest(box, (1, 1, 0.2, 1, 0, 0, 0), start=0.0, stop=3.0)
        wave = np.tile([0.9, 0.1, 0.2, 0.3] / np.linalg.norm([0.9, 0.1, 0.2, 0.3]), (20, 1))
        writer.override(0, {clip.skeleton.names[1]: wave}, start=0.5, rate=30.0)
    return writer.take


def assert_same(a, b):
    for field in fields(a):
        one, other = getattr(a, field.name), getattr(b, field.name)
        if field.name in TABLES:
            assert all(np.array_equal(one.columns[name], other.columns[name]) for name in one.columns), field.name
        elif field.name in ("names", "mark_names", "mark_poses", "notes", "provenance", "fps", "complete", "props"):
            assert one == other, field.name
    assert a.clips.names == b.clips.names and dict(a.clips.events) == dict(b.clips.events)
    assert [o.name for o in a.stage.obstacles] == [o.name for o in b.stage.obstacles]
    assert np.array_equal(a.stage.bounds, b.stage.bounds) and a.stage.seats[0].name == b.stage.seats[0].name
    x, y = a.sample(TIMES), b.sample(TIMES)
    assert np.array_equal(x.positions, y.positions, equal_nan=True)
    assert np.array_equal(x.rotations, y.rotations, equal_nan=True)
    assert np.array_equal(x.contacts, y.contacts)


def test_a_take_comes_back_bit_for_bit(clip, tmp_path):
    take = write(clip)
    assert take.complete
    assert_same(take, load_take(save_take(take, tmp_path / "a.take")))


def test_a_grown_take_is_the_take_that_its_writer_has(clip, tmp_path):
    take = write(clip, tmp_path / "a.take")
    assert_same(take, load_take(tmp_path / "a.take"))


def test_a_whole_take_is_not_copied_on_reading(clip, tmp_path):
    take = load_take(save_take(write(clip), tmp_path / "a.take"))
    for array in (take.clips.rotations, take.segments.start, take.stances.heel_place):
        assert not array.flags.owndata and not array.flags.writeable


def test_a_take_can_be_read_while_it_grows_and_is_then_unfinished(clip, tmp_path):
    path = tmp_path / "a.take"
    with TakeWriter(path) as writer:
        writer.add_body(Body.of(clip.skeleton))
        who = writer.add_character("ann")
        for part in range(3):
            writer.perform(who, clip, start=part, stop=part + 1, clip_start=part)
            writer.flush()
            seen = load_take(path)
            assert not seen.complete and "unfinished" in repr(seen)
            assert len(seen.segments) == part + 1 and seen.stop == part + 1
    assert load_take(path).complete


def test_an_error_leaves_what_was_flushed_and_the_old_file_before_that(clip, tmp_path):
    path = tmp_path / "a.take"
    old = save_take(write(clip), path).read_bytes()
    with pytest.raises(RuntimeError), TakeWriter(path) as writer:
        writer.add_body(Body.of(clip.skeleton))
        raise RuntimeError
    assert path.read_bytes() == old
    with pytest.raises(RuntimeError), TakeWriter(path) as writer:
        writer.add_body(Body.of(clip.skeleton))
        writer.perform(writer.add_character("ann"), clip, start=0.0)
        writer.flush()
        raise RuntimeError
    assert load_take(path).names == ("ann",) and not load_take(path).complete
    assert list(tmp_path.glob(".*")) == []


def test_every_truncation_of_a_whole_take_is_refused(clip, tmp_path):
    content = save_take(write(clip), tmp_path / "a.take").read_bytes()
    short = tmp_path / "b.take"
    for length in np.linspace(0, len(content) - 1, 60).astype(int):
        short.write_bytes(content[:length])
        with pytest.raises(UnreadableFile, match=r"b\.take"):
            load_take(short)


def test_flipped_bytes_are_refused(clip, tmp_path):
    content = bytearray(save_take(write(clip), tmp_path / "a.take").read_bytes())
    broken = tmp_path / "b.take"
    for place in np.random.default_rng(0).integers(0, len(content), 40):
        content[place] ^= 0x55
        broken.write_bytes(content)
        content[place] ^= 0x55
        try:
            load_take(broken)
        except (UnreadableFile, NewerFile):
            continue
        # Only the padding between arrays may be anything.
        assert bytes(content[place : place + 1]) == b"\0"


def test_a_newer_version_another_kind_and_no_take_at_all_are_told_apart(clip, tmp_path):
    path = tmp_path / "a.take"
    write_array_file(path, KIND, version=VERSION + 1, header={}, arrays={})
    with pytest.raises(NewerFile, match="newer"):
        load_take(path)
    write_array_file(path, "graph", version=1, header={}, arrays={})
    with pytest.raises(UnreadableFile, match="graph"):
        load_take(path)
    path.write_text("HIERARCHY")
    with pytest.raises(UnreadableFile, match="not a Walkon take"):
        load_take(path)


def test_sound_bytes_that_are_no_take_are_refused(clip, tmp_path):
    path = tmp_path / "a.take"
    write_array_file(path, KIND, version=VERSION, header={"fps": 60}, arrays={})
    with pytest.raises(UnreadableFile, match=r"another version of Walkon \(the column .* is missing\); write it again"):
        load_take(path)
    take = write(clip)
    wild = replace(take, drops=take.drops)
    object.__setattr__(wild, "segments", take.segments.with_columns(clip=np.full(len(take.segments), 99)))
    with pytest.raises(UnreadableFile, match="the clip of a segment must be"):
        load_take(save_take(wild, path))


def test_a_target_that_cannot_be_written_is_a_sentence(clip, tmp_path):
    for target in (tmp_path, tmp_path / "missing" / "a.take"):
        with pytest.raises(CannotWrite):
            save_take(write(clip), target)
        with pytest.raises(CannotWrite):
            TakeWriter(target)


def test_a_full_disk_leaves_a_readable_take(clip, tmp_path):
    path = tmp_path / "a.take"
    size = save_take(write(clip, parts=1), path).stat().st_size
    code = f"""
import resource, signal, sys
sys.path[:0] = {sys.path!r}
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from test_take_file import *
clip = walk(seconds=3.0)
resource.setrlimit(resource.RLIMIT_FSIZE, ({size + 3000}, {size + 3000}))
try:
    write(clip, {str(path)!r}, parts=200)
except CannotWrite as error:
    print(error)
"""
    assert hasattr(resource, "RLIMIT_FSIZE") and hasattr(signal, "SIGXFSZ")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=dict(os.environ), timeout=120
    )
    assert "a.take" in done.stdout, done.stderr
    take = load_take(path)
    assert not take.complete and len(take.segments) >= 2


@pytest.mark.parametrize("parts", [1, 3])
def test_bodies_of_all_kinds_come_back(tmp_path, parts):
    """A robot arm and a bird have no contact points, and a list of none has no second axis of its own."""
    bird = Skeleton(names=("bird",), parents=[-1], offsets=np.zeros((1, 3)))
    flight = Clip(
        skeleton=bird, fps=10.0, root_positions=np.ones((11, 3)), local_rotations=np.tile([1.0, 0, 0, 0], (11, 1, 1))
    )
    rich = scenes.every_feature(np.random.default_rng(3))
    assert not rich.bodies[2].skeleton.contact_names
    path = save_take(rich, tmp_path / "rich.take")
    times = np.linspace(rich.start, rich.stop, 31)
    assert np.array_equal(load_take(path).sample(times).positions, rich.sample(times).positions, equal_nan=True)
    with TakeWriter(tmp_path / "grown.take") as writer:
        for part in range(parts):
            for number, clip in enumerate((flight, scenes.waving())):
                body = writer.add_body(Body.of(clip.skeleton))
                who = writer.add_character(f"{number} {part}", body=body)
                writer.perform(who, clip, start=float(part), stop=part + 1.0)
            writer.flush()
    grown, found = writer.take, load_take(tmp_path / "grown.take")
    assert len(found) == 2 * parts
    assert np.array_equal(found.pose(0.5).positions, grown.pose(0.5).positions, equal_nan=True)


def test_a_writer_whose_file_was_replaced_says_so(clip, tmp_path):
    path = tmp_path / "a.take"
    first = TakeWriter(path)
    first.perform(first.add_character("ann", body=first.add_body(Body.of(clip.skeleton))), clip, start=0.0)
    first.flush()
    save_take(write(clip), path)
    first.add_character("bob")
    with pytest.raises(CannotWrite, match="another program has replaced this file"):
        first.close()
    assert load_take(path).names == ("walker 0", "walker 1")
    assert list(tmp_path.iterdir()) == [path]
