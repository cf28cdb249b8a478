"""The built-in library: made once, kept, remade when damaged, the same for two who make it at once."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest

import walkon
from walkon._base.kept import forget
from walkon.capture import builtin
from walkon.capture.build import planted_drift


@pytest.fixture(scope="module")
def library():
    return walkon.builtin_library()


def test_it_has_what_a_crowd_needs(library):
    assert library.duration >= 300.0
    assert library.fps == 60.0
    wanted = {"walk", "turn", "sharp_turn", "start", "stop", "sidestep", "backward", "idle", "sit", "pickup", "carry"}
    assert wanted <= set(library.label_names)
    assert len(set(library.names)) == len(library)


def test_its_joints_have_limits(library):
    assert len(library.skeleton.limits) == len(walkon.studio.performer_skeleton().limits)


def test_feet_stay_put_and_on_the_floor(library):
    for clip in library:
        assert planted_drift(clip) < 1e-3, clip.name
        planted = clip.contact_positions[clip.contacts][:, 2]
        assert np.abs(planted).max() < 2e-3, clip.name
        assert clip.contacts.any(axis=1).mean() > 0.3, clip.name


def test_boxes_have_events_with_their_poses(library):
    kinds = {event.kind for clip in library for event in clip.events}
    assert {"grasp", "release", "sit", "rise"} <= kinds
    grasp = next(event for clip in library for event in clip.events if event.kind == "grasp")
    assert len(grasp.object_pose) == 7


def test_it_is_loaded_from_the_cache_the_second_time(library, monkeypatch):
    forget()
    monkeypatch.setattr(builtin, "_make", lambda progress: pytest.fail("it was made again"))
    again = walkon.builtin_library()
    assert again.names == library.names


def test_a_damaged_file_is_made_again(library, monkeypatch, own_cache):
    (own_cache / f"builtin-{builtin.library_fingerprint()}.library").write_bytes(b"damaged")
    monkeypatch.setattr(builtin, "_make", lambda progress: library)
    assert walkon.builtin_library().names == library.names
    forget()
    monkeypatch.setattr(builtin, "_make", lambda progress: pytest.fail("it was not kept"))
    assert walkon.builtin_library().names == library.names


def test_versions_that_nobody_used_for_a_month_are_removed(library, monkeypatch, own_cache):
    monkeypatch.setattr(builtin, "_make", lambda progress: library)
    for name, days in (("builtin-0000000000000000.library", 60), ("builtin-1111111111111111.library", 1)):
        (own_cache / name).write_bytes(b"old")
        os.utime(own_cache / name, (time.time() - days * 86400,) * 2)
    walkon.builtin_library()
    mine = f"builtin-{builtin.library_fingerprint()}.library"
    assert sorted(file.name for file in own_cache.glob("*.library")) == sorted(
        [mine, "builtin-1111111111111111.library"]
    )


@pytest.mark.slow
def test_two_processes_may_make_it_at_once_and_agree(tmp_path):
    code = "import walkon, hashlib; l = walkon.builtin_library(); print(hashlib.sha256(l.local_rotations).hexdigest())"
    environment = os.environ | {"WALKON_CACHE": str(tmp_path)}
    pair = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment | extra)
        for extra in ({"WALKON_THREADS": "1"}, {"WALKON_THREADS": "2"})
    ]
    first, second = (process.communicate(timeout=300)[0] for process in pair)
    assert [process.returncode for process in pair] == [0, 0]
    assert first == second
