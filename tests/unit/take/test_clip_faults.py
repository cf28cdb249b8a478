"""What clips bring along is listed clip by clip, and what is beyond the ceiling is no excuse."""

from dataclasses import replace

import numpy as np
import pytest

import walkon
from walkon.cli.library import _print_faults
from walkon.motion.anatomy.self_overlaps import with_overlaps
from walkon.motion.library import Library
from walkon.take.auditing.clip_faults import ClipFault, find_clip_faults
from walkon.transforms import quaternions as quat


@pytest.mark.parametrize(("beyond", "excused"), [(3.0, None), (12.0, True), (24.0, False)])
def test_a_knee_that_a_clip_bends_backwards(beyond: float, excused: bool | None) -> None:
    library = walkon.builtin_library()
    skeleton, idle = library.skeleton, library["idle_neutral"]
    rotations = np.array(idle.local_rotations[:60])
    rotations[:, skeleton.index("LeftLeg")] = quat.about(np.array([0.0, 1.0, 0.0]), -np.radians(5.0 + beyond))
    part = {"root_positions": idle.root_positions[:60], "labels": {}, "events": ()}
    part |= {"contacts": idle.contacts[:60], "contact_heights": idle.contact_heights[:60]}
    clean = replace(idle, local_rotations=idle.local_rotations[:60], **part)
    bent = replace(idle, name="bent", local_rotations=rotations, **part)
    faults = [f for f in find_clip_faults(Library.of([clean, bent])) if f.figure == "anatomy.max_beyond_limit_deg"]
    if excused is None:
        assert faults == []
    else:
        (fault,) = faults
        assert (fault.clip, fault.excused) == ("bent", excused)
        assert fault.value == pytest.approx(beyond, rel=0.1)


def test_a_library_keeps_the_deepest_overlaps_of_its_own_clips() -> None:
    library = walkon.builtin_library()
    few = Library.of([library["wander_fast"], library["idle_neutral"]])
    found = with_overlaps(few).skeleton.self_overlaps or {}
    whole = library.skeleton.self_overlaps or {}
    assert found
    assert all(depth <= whole[joints] + 1e-4 for joints, depth in found.items())


def test_the_table_of_faults_is_whole_in_a_narrow_window(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    numbers = {
        "posture.max_tilt_deg": (112.963, 120.0),
        "posture.max_head_speed_deg_s": (1789.2, 900.0),
        "smoothness.max_joint_speed_deg_s": (7199.0, 3000.0),
        "anatomy.max_self_penetration_m": (0.11414, 0.08),
    }
    clip = "983:walk_left_0.84>walk_right_0.84:sharp_right_180_1.25_outer@4.93"
    faults = tuple(
        ClipFault(clip=clip, figure=figure, value=value, limit=0.0, ceiling=ceiling, excused=value <= ceiling)
        for figure, (value, ceiling) in numbers.items()
    )
    _print_faults(faults)
    told = capsys.readouterr().out
    assert "…" not in told and max(map(len, told.splitlines())) <= 80
    for words in ("112.96 deg", "1,789 deg/s", "7,199 deg/s", "0.1141 m", "3000 deg/s", "beyond", "excused to"):
        assert words in told
    assert told.replace(" ", "").replace("\n", "").count("983:") == 4
