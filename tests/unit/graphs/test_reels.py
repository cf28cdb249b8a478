"""Reels: many motions locked at once come out as if each were alone."""

import numpy as np
import pytest

from snap_libraries import performer, walkers
from walkon.graphs.snap_together.cutting.displacement import Frames
from walkon.graphs.snap_together.cutting.reels import Reel
from walkon.motion.clip import Clip
from walkon.motion.contacts.foot_lock import lock_feet
from walkon.transforms import quaternions as quat

FIRST, LAST = np.array([60, 10, 200, 130, 20]), np.array([100, 45, 240, 133, 90])


def bent(reel, motions, *, size=0.02):
    """The reel's motion with feet that slide: each motion is bent by itself, whatever its neighbours are."""
    roots, rotations = (np.array(values) for values in reel.motion)
    for number, start, stop in zip(motions, reel.starts, reel.stops, strict=True):
        rng = np.random.default_rng(int(number))
        u = np.linspace(0.0, 1.0, stop - start)[:, None]
        roots[start:stop] += size * np.sin(3 * u + rng.uniform(0, 6, 3))
        roots[start:stop, 2] += 2.5 * size * rng.random()
        # The first and the last frame stay: they are the common poses.
        roots[[start, stop - 1]] = reel.motion.roots[[start, stop - 1]]
    return Frames(roots, rotations)


def locked(library, order, *, pinned):
    reel = Reel.of(library, FIRST[order], LAST[order])
    made, missed = reel.lock_feet(
        bent(reel, order), library.contacts[reel.sources], library.contact_heights[reel.sources], pinned=pinned
    )
    return {
        number: (made.roots[a:b], made.rotations[a:b], missed[a:b])
        for number, a, b in zip(order, reel.starts, reel.stops, strict=True)
    }


def test_a_reel_lays_ranges_of_the_library_end_to_end():
    library = walkers()
    reel = Reel.of(library, FIRST, LAST)
    assert (reel.stops - reel.starts).tolist() == (LAST - FIRST + 1).tolist()
    for k in range(len(FIRST)):
        assert reel.sources[reel.starts[k] : reel.stops[k]].tolist() == list(range(FIRST[k], LAST[k] + 1))
    assert np.array_equal(reel.motion.roots, library.root_positions[reel.sources])
    assert np.array_equal(reel.motion.rotations, library.local_rotations[reel.sources])


@pytest.mark.parametrize(
    ("library", "pinned"),
    [
        pytest.param(walkers(), True, id="walker, pinned"),
        pytest.param(walkers(), False, id="walker"),
        pytest.param(performer(), True, id="performer, pinned"),
        pytest.param(performer(), False, id="performer"),
    ],
)
def test_a_motion_does_not_notice_its_neighbours(library, pinned):
    one = locked(library, [0, 1, 2, 3, 4], pinned=pinned)
    other = locked(library, [3, 1, 4, 0, 2], pinned=pinned)
    alone = {k: locked(library, [k], pinned=pinned)[k] for k in range(5)}
    for k in range(5):
        for twin in (other, alone):
            assert twin[k][0] == pytest.approx(one[k][0], abs=1e-9), k
            assert quat.angle_between(twin[k][1], one[k][1]).max() < 1e-7, k
            assert twin[k][2] == pytest.approx(one[k][2], abs=1e-9), k


def test_pinned_ends_are_kept():
    library = walkers()
    reel = Reel.of(library, FIRST, LAST)
    motion = bent(reel, range(5))
    made, _ = reel.lock_feet(motion, library.contacts[reel.sources], library.contact_heights[reel.sources], pinned=True)
    ends = np.concatenate([reel.starts, reel.stops - 1])
    assert np.array_equal(made.roots[ends], motion.roots[ends])
    assert quat.angle_between(made.rotations[ends], motion.rotations[ends]).max() < 1e-7
    assert np.abs(made.rotations[ends]) == pytest.approx(np.abs(motion.rotations[ends]), abs=1e-15)


@pytest.mark.parametrize("pinned", [True, False])
def test_one_motion_on_a_reel_is_a_locked_clip(pinned):
    library = walkers()
    reel = Reel.of(library, FIRST[:1], LAST[:1])
    motion = bent(reel, [0])
    contacts, heights = library.contacts[reel.sources], library.contact_heights[reel.sources]
    clip = Clip(
        skeleton=library.skeleton,
        fps=library.fps,
        root_positions=motion.roots,
        local_rotations=motion.rotations,
        contacts=contacts,
        contact_heights=heights,
    )
    fixed = np.zeros(len(clip), bool)
    fixed[[0, -1]] = pinned
    direct = lock_feet(clip, pinned=fixed)
    made, missed = reel.lock_feet(motion, contacts, heights, pinned=pinned)
    down = contacts.any(axis=1)
    assert missed == pytest.approx(direct.missed, abs=5e-3)
    # Corrections may come and go a little differently at the ends, where a reel goes on; plants are the same.
    world = Clip(skeleton=clip.skeleton, fps=clip.fps, root_positions=made.roots, local_rotations=made.rotations)
    apart = np.linalg.norm(world.contact_positions - direct.clip.contact_positions, axis=-1)
    assert apart[contacts].max() < 1e-3
    assert down.any()


def test_feet_on_a_reel_stand_still():
    library = walkers()
    reel = Reel.of(library, FIRST, LAST)
    contacts = library.contacts[reel.sources]
    made, missed = reel.lock_feet(
        bent(reel, range(5), size=0.005), contacts, library.contact_heights[reel.sources], pinned=False
    )
    assert missed.max() < 1e-9
    for a, b in zip(reel.starts, reel.stops, strict=True):
        clip = Clip(
            skeleton=library.skeleton,
            fps=library.fps,
            root_positions=made.roots[a:b],
            local_rotations=made.rotations[a:b],
            contacts=contacts[a:b],
        )
        assert np.abs(clip.contact_positions[clip.contacts][:, 2]).max() < 1e-6
