"""A performer is recorded, the recordings become a library, and other bodies perform from it: every foot stays put."""

import numpy as np
import pytest

import walkon
from walkon.capture.build import planted_drift
from walkon.motion.contacts.detection import stance

MILLIMETRE = 1e-3


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recordings")
    performances = {
        "walk": walkon.studio.walk(path=[(0, 0), (3, 0), (3, 3)], start="standing", end="standing", seed=1),
        "turn": walkon.studio.turn_in_place(np.pi / 2, seed=2),
        "sit": walkon.studio.sit_down_and_rise(2.0, seed=3),
    }
    for name, clip in performances.items():
        walkon.save(clip, folder / f"{name}.bvh")
    file = walkon.save_library(walkon.library_from_folder(folder, mirrored=True), folder / "day.library")
    return walkon.load_library(file)


def test_everyone_s_feet_stay_where_they_are_planted(library):
    assert len(library) == 6
    for clip in library:
        for size in (0.85, 1.0, 1.15):
            result = walkon.retarget(clip, library.skeleton.scaled(size)).clip
            assert planted_drift(result) < MILLIMETRE, (clip.name, size)
            assert np.abs(result.contact_positions[result.contacts][:, 2]).max() < MILLIMETRE, (clip.name, size)


def test_the_walk_arrives_and_never_flies(library):
    clip = library["walk"]
    arrived = clip.root_positions[-1, :2] - clip.root_positions[0, :2]
    assert np.linalg.norm(arrived - [3.0, 3.0]) < 0.3
    assert stance(clip).any(axis=1).mean() > 0.99
    turned = np.unwrap(clip.planar_poses[:, 2])
    assert np.degrees(turned[-1] - turned[0]) == pytest.approx(90.0, abs=8.0)


def test_the_mirror_image_arrives_on_the_other_side(library):
    clip, image = library["walk"], library["walk:mirrored"]
    assert np.allclose(image.root_positions[:, 1], -clip.root_positions[:, 1], atol=1e-4)


def test_a_clip_and_its_continuation_make_one_motion(library):
    walk, turn = library["walk"], library["turn"]
    both = walkon.join(walk, turn, blend=0.4)
    assert both.duration == pytest.approx(walk.duration + turn.duration, abs=0.02)
    seam = len(walk) - 1
    step = np.linalg.norm(np.diff(both.world.positions[seam - 3 : seam + 30], axis=0), axis=-1)
    assert step.max() * both.fps < 1.5  # m/s: standing bodies blend without a jump
