"""Suggested hubs: families that never mix, bands of speed, both feet, and names."""

from dataclasses import replace

import numpy as np
import pytest

import walker
from snap_libraries import FPS, performances, performer, walkers
from walkon._base.errors import InvalidValue
from walkon.graphs.point_clouds import library_frames
from walkon.graphs.snap_together.build import compared
from walkon.graphs.snap_together.matching.passing import postures
from walkon.graphs.snap_together.matching.suggestions import SPEED_BAND_M_S, _speed_bands, families, suggest_hubs
from walkon.graphs.snap_together.snap_graph import BOTH, LEFT, RIGHT
from walkon.motion.clip import Clip
from walkon.motion.library import Library
from walkon.transforms import quaternions as quat


def hubs_of(library, frames, **options):
    return suggest_hubs(library, frames, **options)[0]


@pytest.fixture(scope="module")
def frames():
    return compared(performer())


def test_compared_frames_are_the_nearest_of_the_library():
    clip = replace(walker.walk(seconds=2.0, fps=119.88), name="a")
    library = Library.of([clip, replace(clip, name="b")])
    frames = compared(library)
    at = library_frames(library, frames)
    clips = frames.clips_of(np.arange(len(frames)))
    assert np.array_equal(np.searchsorted(library.stops, at, side="right"), clips)
    assert (at - library.starts[clips]) / library.fps == pytest.approx(frames.times, abs=0.5 / 119.88 + 1e-9)


def test_families_never_share_a_frame(frames):
    kinds = np.array(list(families(performer(), frames).values()))
    assert kinds.sum(axis=0).max() == 1
    assert kinds[:3].any(axis=1).all()  # some walk, some stand, some sit


def test_what_is_labelled_carry_is_in_no_family_without_a_box(frames):
    library = performer()
    labels = np.column_stack([library.labels, np.ones(len(library.labels), bool)])
    boxed = replace(library, label_names=(*library.label_names, "carry"), labels=labels)
    free, burdened = families(library, frames), families(boxed, frames)
    assert not any(mine.any() for name, mine in burdened.items() if not name.startswith("carry"))
    assert np.array_equal(burdened["carry"], free["walk"])
    assert np.array_equal(burdened["carry_stand"], free["stand"])


def test_labels_are_not_needed():
    plain = [replace(clip, labels={}) for clip in performances()]
    library = Library.of(plain)
    frames = compared(library)
    kinds = families(library, frames)
    assert kinds["sit"].any()
    assert not (kinds["sit"] & kinds["walk"]).any()
    assert set(hubs_of(library, frames, threshold=0.06)) == set(
        hubs_of(performer(), compared(performer()), threshold=0.06)
    )


@pytest.mark.parametrize("threshold", [0.05, 0.5, 50.0])
def test_no_threshold_joins_sitting_with_walking_or_standing(frames, threshold):
    library = performer()
    kinds, at = families(library, frames), library_frames(library, frames)
    seated = library.labels[at, library.label_names.index("seated")]
    hubs = hubs_of(library, frames, threshold=threshold)
    assert hubs
    for name, found in hubs.items():
        family = name.split("_left")[0].split("_right")[0]
        assert kinds[family][found.frames].all(), name
        assert len(set(seated[found.frames].tolist())) == 1, name


def test_walking_hubs_come_in_pairs_that_stand_on_one_foot_each(frames):
    library = performer()
    hubs = hubs_of(library, frames, threshold=0.05)
    walks = [name for name in hubs if name.startswith("walk_")]
    assert walks[0].startswith("walk_left_")
    assert [name.replace("left", "right") for name in walks[::2]] == walks[1::2]
    posture, at = postures(library), library_frames(library, frames)
    for name in walks:
        seed = at[hubs[name].seed]
        assert posture.passing[seed], name
        assert posture.stance[seed] == (LEFT if "left" in name else RIGHT), name
    assert posture.stance[at[hubs["stand"].frames]].tolist() == [BOTH] * len(hubs["stand"].frames)


def test_steps_of_both_feet_are_not_confused():
    hubs = hubs_of(walkers(), compared(walkers()), threshold=0.04)
    left, right = hubs.values()
    library = walkers()
    at = library_frames(library, compared(library))
    stance = postures(library).stance
    assert set(stance[at[left.frames]].tolist()) == {LEFT}
    assert set(stance[at[right.frames]].tolist()) == {RIGHT}


def test_match_frames_are_spaced(frames):
    for spacing in (1 / 3, 0.5, 2.0):
        for name, found in hubs_of(performer(), frames, threshold=0.08, spacing=spacing).items():
            least = 1.5 if name in {"stand", "sit", "carry_stand"} else spacing if "walk" in name else 0.7
            least = max(least, spacing)
            same = np.diff(frames.clips_of(found.frames)) == 0
            assert (np.diff(frames.times[found.frames])[same] >= least - 1e-9).all(), name


def test_nothing_is_suggested_where_nothing_is_alike(frames):
    assert hubs_of(performer(), frames, threshold=1e-5) == {}


def test_bands_are_apart_and_the_fullest_comes_first(rng):
    speeds = np.concatenate([rng.normal(1.2, 0.05, 80), rng.normal(0.7, 0.04, 30), rng.normal(1.8, 0.05, 50)])
    middles = _speed_bands(speeds, 3)
    assert middles == pytest.approx([1.2, 1.8, 0.7], abs=0.05)
    assert _speed_bands(speeds, 1) == middles[:1]
    assert _speed_bands(speeds, 0) == []
    assert _speed_bands(np.zeros(0), 3) == []
    assert _speed_bands(speeds[:2], 3) == []


def test_bands_do_not_overlap(rng):
    for _ in range(20):
        middles = _speed_bands(rng.uniform(0.4, 2.2, 200), 3)
        assert np.diff(np.sort(middles)).min() >= SPEED_BAND_M_S - 1e-9


def test_bands_do_not_depend_on_the_order_of_frames(rng):
    speeds = rng.uniform(0.4, 2.2, 200)
    assert _speed_bands(rng.permutation(speeds), 3) == _speed_bands(speeds, 3)


def test_the_number_of_bands_is_obeyed():
    clips = [
        replace(walker.walk(seconds=8.0, fps=FPS, speed=speed, cadence=80 + 25 * speed), name=f"{speed}")
        for speed in (0.8, 0.82, 1.4, 1.42)
    ]
    library = Library.of(clips)
    frames = compared(library)
    for bands, most in ((1, 2), (2, 4)):
        names = list(hubs_of(library, frames, threshold=0.05, bands=bands))
        assert 2 <= len(names) <= most


def test_the_number_of_bands_is_checked():
    for wrong in (-1, 1.5):
        with pytest.raises(InvalidValue, match="bands must be a whole number"):
            suggest_hubs(walkers(), compared(walkers()), threshold=0.05, bands=wrong)


def test_motion_outside_the_families_gives_hubs_of_its_own():
    """A walker who also dances: squats, far from all walking, standing and sitting, would be dropped."""
    walk = replace(walker.walk(seconds=8.0, fps=FPS), name="walk")
    t = np.arange(round(20 * FPS)) / FPS
    rotations = np.tile(walk.local_rotations[0], (len(t), 1, 1))
    arms = [walk.skeleton.role(f"{side}_shoulder") for side in ("left", "right")]
    rotations[:, arms] = quat.about(np.array([1.0, 0, 0]), 2.0 + np.sin(np.pi * t))[:, None]
    roots = np.tile(walk.root_positions[0], (len(t), 1))
    roots[:, 2] *= 0.8 + 0.03 * np.sin(np.pi * t)
    roots[:, 0] += 0.2 * np.sin(np.pi * t)
    dance = Clip(skeleton=walk.skeleton, fps=FPS, root_positions=roots, local_rotations=rotations, name="dance")
    library = Library.of([walk, dance])
    frames = compared(library)
    hubs = hubs_of(library, frames, threshold=0.05)
    assert [name for name in hubs if name.startswith("hub_")][:1] == ["hub_1"]
    assert len([name for name in hubs if name.startswith("hub_")]) <= 4
    assert set(frames.clips_of(hubs["hub_1"].frames).tolist()) == {1}
    assert len(hubs["hub_1"].frames) >= 8
    # What lies within a clip's edges is not left over: the walk alone gives no further hubs.
    assert not any(
        name.startswith("hub_") for name in hubs_of(Library.of([walk]), compared(Library.of([walk])), threshold=0.05)
    )
