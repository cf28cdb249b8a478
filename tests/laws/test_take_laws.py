"""The laws of takes: a pose depends on its character and its time alone, and moves with what moves it."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import take_scenes as scenes
from walkon._base.arrays import Array
from walkon.motion.body import Body
from walkon.take import TakeWriter
from walkon.take.posing.posing import Poses, pose_pairs
from walkon.take.tables import Attachments, Drops, Grips, Stances, Warps
from walkon.take.take import Take
from walkon.transforms import planar, rigid
from walkon.transforms import quaternions as quat

FIELDS = (
    *("positions", "rotations", "presence", "contacts", "missed", "hands_missed", "hand_shapes", "hand_weights"),
    "segments",
)


@lru_cache
def rich(seed: int = 5) -> Take:
    return scenes.every_feature(np.random.default_rng(seed))


def same(a: Poses, b: Poses) -> bool:
    return all(np.array_equal(getattr(a, name), getattr(b, name), equal_nan=name in FIELDS[:2]) for name in FIELDS)


def pick(poses: Poses, index: object) -> list[Array]:
    return [getattr(poses, name)[index] for name in FIELDS]


# Nothing but the character and the time


def test_sampling_is_posing_time_by_time() -> None:
    times = np.linspace(-1.0, 5.0, 23)
    together = rich().sample(times)
    for k, t in enumerate(times):
        for a, b in zip(pick(together, k), pick(rich().pose(t), ...), strict=True):
            assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def test_the_order_of_questions_and_what_else_is_asked_change_nothing() -> None:
    rng = np.random.default_rng(2)
    who, when = rng.integers(0, len(rich()), 500), rng.uniform(-1, 6, 500)
    straight = pose_pairs(rich(), who, when)
    order = rng.permutation(500)
    shuffled = pose_pairs(rich(), who[order], when[order])
    for a, b in zip(pick(straight, order), pick(shuffled, ...), strict=True):
        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    alone = pose_pairs(rich(), who[:1], when[:1])
    for a, b in zip(pick(straight, slice(1)), pick(alone, ...), strict=True):
        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def test_the_number_of_threads_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from walkon.take.posing import posing

    times = np.linspace(0.0, 4.0, 40)
    whole = rich().sample(times)
    monkeypatch.setattr(posing, "CHUNK_BODY_COUNT", 7)
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("WALKON_THREADS", threads)
        assert same(rich().sample(times), whole)


def test_other_characters_change_nothing() -> None:
    take = rich()
    times = np.linspace(0.0, 4.0, 30)
    for n in (0, 7, 10):
        mine = {
            table: getattr(take, table).rows(getattr(take, table).character == n)
            for table in ("segments", "stances", "drops", "overrides", "heights", "grips", "hand_shapes")
        }
        alone = replace(take, **mine)
        a, b = take.sample(times, characters=[n]), alone.sample(times, characters=[n])
        J = b.positions.shape[2]  # those of bodies that nobody plays a clip with any more are not posed
        for name in FIELDS[:-1]:
            cut = (slice(None), slice(None), slice(J)) if name in FIELDS[:2] else ()
            assert np.array_equal(getattr(a, name)[cut], getattr(b, name), equal_nan=name in FIELDS[:2])


def test_the_order_of_rows_changes_nothing() -> None:
    take, rng = rich(), np.random.default_rng(0)
    mixed = {}
    for name in ("stances", "drops", "overrides", "segments", "attachments", "grips", "hand_shapes"):
        table = getattr(take, name)
        mixed[name] = table.rows(rng.permutation(len(table)))
    times = np.linspace(0.0, 4.0, 30)
    assert same(replace(take, **mixed).sample(times), take.sample(times))


# What moves a take moves its poses


def moved(take: Take, by: Array) -> Take:
    """The take turned and slid along the floor, everything in it that has a place."""

    def place(rows: Array) -> Array:
        return planar.compose(by, rows)

    turn = quat.turn(by[2])
    stances, warps = take.stances, take.warps
    vectors = {
        name: quat.rotate(turn, stances.columns[name])
        for name in ("turn_in", "turn_out", "turn_off", "shift_in", "shift_out", "rate_in", "rate_out")
    }
    places = {name: planar.apply_3d(by, stances.columns[name]) for name in ("heel_place", "ball_place")}

    def turned(rows: Array) -> Array:
        flat = planar.apply([0.0, 0.0, by[2]], rows[..., :2])
        return np.concatenate([flat, rows[..., 2:]], axis=-1)

    def moved_if(rows: Attachments | Grips, flags: Array) -> Array:
        there = rigid.compose(rigid.from_planar(by), rows.pose)
        return np.where(flags[:, None, None], there, rows.pose)

    a, g = take.attachments, take.grips
    return replace(
        take,
        attachments=a.with_columns(pose=moved_if(a, (a.character < 0) & (a.track < 0))),
        grips=g.with_columns(pose=moved_if(g, (g.prop < 0) & (g.other < 0))),
        segments=take.segments.with_columns(place=place(take.segments.place)),
        blends=take.blends.with_columns(place=place(take.blends.place)),
        warps=warps.with_columns(offsets=turned(warps.offsets), slopes=turned(warps.slopes)),
        stances=stances.with_columns(**vectors, **places),
        override_roots=take.override_roots.with_columns(offset=turned(take.override_roots.offset)),
    )


@settings(max_examples=15, deadline=None)
@given(st.floats(-30, 30), st.floats(-30, 30), st.floats(-3, 3))
def test_moving_the_places_moves_the_poses(x: float, y: float, heading: float) -> None:
    by = np.array([x, y, heading])
    times = np.linspace(0.0, 4.0, 15)
    # Three hold on to a prop on a track, or to those who do; tracks of props have no place of their own.
    who = np.setdiff1d(np.arange(len(rich())), [2, 3, 4])
    a, b = rich().sample(times, characters=who), moved(rich(), by).sample(times, characters=who)
    there = a.present
    assert np.array_equal(there, b.present)
    # Plants are float32: micrometres at tens of metres; a straight leg makes more of them.
    off = np.linalg.norm(planar.apply_3d(by, a.positions) - b.positions, axis=-1)[there]
    assert np.quantile(off, 0.99) < 2e-5
    assert off.max() < 5e-3
    assert np.array_equal(a.contacts, b.contacts)


@settings(max_examples=15, deadline=None)
@given(st.floats(-500, 500))
def test_shifting_the_times_shifts_the_poses(shift: float) -> None:
    take = rich()
    changed = {}
    for name in ("segments", "stances", "overrides", "attachments", "grips", "hand_shapes"):
        table = getattr(take, name)
        changed[name] = table.with_columns(start=table.start + shift, stop=table.stop + shift)
    changed["heights"] = take.heights.with_columns(time=take.heights.time + shift)
    late = replace(
        take, characters=take.characters.with_columns(drop_start=take.characters.drop_start + shift), **changed
    )
    # Not at the very borders: there the last digit of the shifted time decides.
    times = np.linspace(0.0123, 4.0321, 15)
    a, b = take.sample(times), late.sample(times + shift)
    assert np.array_equal(a.presence, b.presence)
    off = np.linalg.norm(a.positions - b.positions, axis=-1)[a.present]
    assert np.quantile(off, 0.99) < 1e-8
    assert off.max() < 1e-4


# Clips


@pytest.mark.parametrize("place", [(0, 0, 0), (12.0, -7.0, 2.0)], ids=["as it is", "placed"])
def test_a_clip_cut_in_two_is_the_clip(place: tuple[float, float, float]) -> None:
    clip = scenes.walking()
    whole, cut = TakeWriter(), TakeWriter()
    for writer in (whole, cut):
        writer.add_character("ann", body=writer.add_body(Body.of(clip.skeleton)))
    whole.perform(0, clip, start=0.0, stop=4.0, place=place)
    middle = cut.perform(0, clip, start=0.0, stop=1.937, place=place)
    cut.perform(0, clip, start=middle, stop=4.0, clip_start=middle, place=place)
    times = np.linspace(0.0, 4.0, 333)
    a, b = whole.close().sample(times), cut.close().sample(times)
    assert np.abs(a.positions - b.positions).max() < 1e-6
    assert np.array_equal(a.contacts, b.contacts)


@pytest.mark.parametrize("rate", [0.7, 1.3])
def test_playing_at_another_rate_is_the_same_path_at_another_time(rate: float) -> None:
    clip = scenes.walking()
    takes = []
    for r in (1.0, rate):
        writer = TakeWriter()
        writer.add_character("ann", body=writer.add_body(Body.of(clip.skeleton)))
        writer.perform(0, clip, start=0.0, stop=3.0 / r, rate=r)
        takes.append(writer.close())
    u = np.linspace(0.05, 2.9, 100)
    a, b = takes[0].sample(u), takes[1].sample(u / rate)
    assert np.abs(a.positions - b.positions).max() < 1e-5


def test_a_scaled_body_makes_the_same_walk_larger() -> None:
    moves = [(0.0, 0.0, 0.0)] * 5
    one, large = scenes.one_walker(moves=moves), scenes.one_walker(moves=moves, scale=1.12)
    t = np.linspace(0, 3.4, 150)
    scale = float(large.characters.scale[0])
    assert np.abs(scale * one.sample(t).positions - large.sample(t).positions).max() < 1e-4


# Smoothness


def bent(take: Take, times: Array, *, step: float = 1e-4) -> tuple[Array, Array]:
    """Jumps of speed of roots (m/s) and joints (rad/s) across times, by differences over `step` to either side."""
    poses = [take.sample(times + k * step) for k in (-1.5, -0.5, 0.5, 1.5)]
    roots = np.stack([p.positions[:, 0, 0] for p in poses])
    turns = np.stack([p.local_rotations[:, 0] for p in poses])
    speed = np.diff(roots, axis=0) / step
    spin = quat.log(quat.multiply(turns[1:], quat.conjugate(turns[:-1]))) / step
    return np.linalg.norm(speed[2] - speed[0], axis=-1), np.linalg.norm(spin[2] - spin[0], axis=-1)


def smooth(seconds: float = 4.0) -> object:
    """A clip at a thousand frames per second of an arm that turns evenly: without corners of its own."""
    return scenes.waving(seconds, 1000.0)


def test_a_fade_begins_and_ends_without_a_jump_of_speed() -> None:
    clip = smooth()
    writer = TakeWriter()
    who = writer.add_character("arm", body=writer.add_body(Body.of(clip.skeleton)))
    writer.perform(who, clip, start=0.0, stop=1.0)
    fade = scenes.fade(writer.add_clip(clip), clip_start=1.0, place=(0, 0, 0), duration=0.5)
    writer.perform(who, clip, start=1.0, stop=2.5, clip_start=1.7, place=(-0.3, 0.1, 0.4), blend=fade)
    take = writer.close()
    ends, inside = np.array([1.0, 1.5]), np.array([1.21, 1.25, 1.29])
    jumps, usual = bent(take, ends), bent(take, inside)
    # Across the ends speeds change as little as they do in the middle of the fade.
    assert jumps[0].max() < 1e-2
    assert jumps[1].max() < 0.1
    assert usual[0].max() < 1e-2
    # A fade that begins with some weight does jump, and would be seen.
    cut = replace(take, blends=take.blends.with_columns(duration=[1e-3]))
    assert bent(cut, ends[:1])[0].max() > 1.0


def test_joined_warps_are_smooth() -> None:
    clip = smooth()
    writer = TakeWriter()
    who = writer.add_character("arm", body=writer.add_body(Body.of(clip.skeleton)))
    middle, slope = (0.1, -0.2, 0.3), (0.3, 0.1, -0.4)
    first = Warps.filled(1, offsets=[[(0, 0, 0), middle]], slopes=[[(0.2, 0, 0), slope]])
    second = Warps.filled(1, offsets=[[middle, (0.3, 0.3, 0.0)]], slopes=[[slope, (0, 0, 0)]])
    writer.perform(who, clip, start=0.0, stop=1.0, warp=first)
    writer.perform(who, clip, start=1.0, stop=2.0, clip_start=1.0, warp=second)
    jumps = bent(writer.close(), np.array([1.0]))
    assert jumps[0].max() < 1e-2
    assert jumps[1].max() < 0.1
    writer, who = TakeWriter(), 0
    writer.add_character("arm", body=writer.add_body(Body.of(clip.skeleton)))
    writer.perform(who, clip, start=0.0, stop=1.0, warp=first)
    writer.perform(who, clip, start=1.0, stop=2.0, clip_start=1.0, warp=second.with_columns(slopes=np.zeros((1, 2, 3))))
    assert bent(writer.close(), np.array([1.0]))[0].max() > 0.2


def test_a_warp_is_the_cubic_that_its_ends_ask_for() -> None:
    rng = np.random.default_rng(4)
    offsets, slopes = rng.normal(0, 0.3, (1, 2, 3)), rng.normal(0, 0.3, (1, 2, 3))
    clip = smooth()
    takes = []
    for warp in (None, Warps.filled(1, offsets=offsets, slopes=slopes)):
        writer = TakeWriter()
        writer.add_character("arm", body=writer.add_body(Body.of(clip.skeleton)))
        writer.perform(0, clip, start=0.5, stop=2.5, warp=warp)
        takes.append(writer.close())
    h = 1e-4
    t = np.array([0.5, 0.5 + h, 1.5, 2.5 - h, 2.5])
    plain, warped = (take.sample(t) for take in takes)
    d = (warped.positions - plain.positions)[:, 0, 0, :2]
    turn = quat.log(quat.multiply(warped.rotations[:, 0, 0], quat.conjugate(plain.rotations[:, 0, 0])))
    assert np.abs(turn[:, :2]).max() < 1e-9
    found = np.column_stack([d, turn[:, 2]])
    assert np.allclose(found[[0, 4]], offsets[0], atol=1e-6)
    assert np.allclose((found[1] - found[0]) / h, slopes[0, 0], atol=2e-3)
    assert np.allclose((found[4] - found[3]) / h, slopes[0, 1], atol=2e-3)
    middle = offsets[0].mean(axis=0) + 2.0 * (slopes[0, 0] - slopes[0, 1]) / 8
    assert np.allclose(found[2], middle, atol=1e-6)


# Feet, with motion of every kind that the built-in library has


@pytest.mark.parametrize(
    "name", ["walk_1.35", "sharp_left_90_1.25_outer", "jog", "turn_in_place_left_180", "sit_front"]
)
def test_feet_of_all_kinds_of_motion_stand_still_and_stay_smooth(name: str) -> None:
    import walkon

    clip = walkon.builtin_library()[name]
    rng = np.random.default_rng(len(name))
    count = int(clip.duration / 0.75)
    moves = [(*rng.choice([-0.02, 0.02], 2), rng.choice([-0.035, 0.035])) for _ in range(count)]
    take = scenes.one_walker(clip, moves=moves, scale=0.93, rate=1 / np.sqrt(0.93))
    t = np.sort(rng.uniform(take.start, take.stop, 1500))
    poses = take.sample(t)
    points = scenes.contact_points(take, poses)[:, 0]
    assert poses.missed.max() < 1e-4
    for k in range(len(take.stances)):
        row = take.stances.rows([k])
        for point, kind in enumerate(("heel", "ball")):
            since, until = row.start[0] + row.columns[kind][0]
            mine = (t > since + 1e-5) & (t < until - 1e-5) & (until > since)
            off = points[mine, 2 * row.foot[0] + point] - row.columns[f"{kind}_place"][0]
            assert np.abs(off).max(initial=0.0) < 1e-6
    even = np.arange(take.start, take.stop, 1 / 60)
    own = replace(take, stances=Stances(), drops=Drops())
    fastest = []
    for one in (own, take):
        turns = one.sample(even).local_rotations[:, 0]
        fastest.append(float(quat.angle_between(turns[1:], turns[:-1]).max()))
    assert fastest[1] < 1.3 * fastest[0]
