"""The gait report against an analytic walker whose gait is known, and against walks that must be left out."""

from dataclasses import asdict, fields, replace

import msgspec
import numpy as np
import pytest

from walker import TOE_OFF, walk
from walkon.motion.editing import resample
from walkon.motion.gait.report import VALUES, GaitReport, gait_report, sort_strides
from walkon.motion.mirroring import mirror
from walkon.studio import walk as perform
from walkon.transforms import quaternions as quat


@pytest.fixture(scope="module")
def clip():
    return walk(speed=1.1, seconds=8.0, cadence=108.0)


@pytest.fixture(scope="module")
def report(clip):
    return gait_report(clip)


def test_speed_cadence_and_steps_are_the_walker_s(report):
    assert report.strides >= 9
    assert (report.turning, report.unsteady) == (0, 0)
    assert report.speed_m_s == pytest.approx(1.1, abs=0.005)
    assert report.cadence_per_min == pytest.approx(108.0, abs=0.8)
    assert report.step_length_m == pytest.approx(60 * 1.1 / 108.0, abs=0.005)
    assert report.step_width_m == pytest.approx(0.18, abs=0.002)


def test_stance_and_double_support_are_the_walker_s(report):
    assert report.contact_share == pytest.approx(TOE_OFF, abs=0.01)
    assert report.stance_share == pytest.approx(TOE_OFF, abs=0.02)
    assert report.double_support == pytest.approx(2 * TOE_OFF - 1, abs=0.04)


def test_pelvis_moves_as_the_walker_moves_it(report):
    assert report.pelvis_rise_m == pytest.approx(0.024, abs=0.001)
    assert report.pelvis_sway_m < 1e-6
    assert report.pelvis_rotation_deg < 1e-6
    assert report.pelvis_list_deg < 1e-6


def test_pelvis_sway_rotation_and_list_are_measured_from_peak_to_peak(clip):
    phase = 2 * np.pi * clip.times / (120.0 / 108.0)
    turns = quat.multiply(
        quat.about(np.array([0.0, 0.0, 1.0]), np.radians(5.0) * np.sin(phase)),
        quat.about(np.array([1.0, 0.0, 0.0]), np.radians(4.0) * np.sin(phase)),
    )
    rotations = np.array(clip.local_rotations)
    rotations[:, 0] = quat.multiply(turns, rotations[:, 0])
    roots = clip.root_positions + np.column_stack([0 * phase, 0.03 * np.sin(phase), 0 * phase])
    found = gait_report(replace(clip, root_positions=roots, local_rotations=quat.continuous(rotations)))
    assert found.pelvis_rotation_deg == pytest.approx(10.0, rel=0.03)
    assert found.pelvis_list_deg == pytest.approx(8.0, rel=0.03)
    # The hip joints hang 2 cm below the root, so list carries them along by 2 cm × sin 4°.
    assert found.pelvis_sway_m == pytest.approx(0.06, abs=0.004)


def test_joint_ranges_are_those_of_the_rotations(clip, report):
    inner = slice(120, 840)
    for part, value in (("hip", report.hip_range_deg), ("knee", report.knee_range_deg)):
        local = clip.local_rotations[inner, clip.skeleton.role(f"left_{part}")]
        angle = 2 * np.degrees(np.arctan2(local[:, 2], local[:, 0]))
        assert value == pytest.approx(np.ptp(angle), rel=0.06)


def test_toe_clearance_is_the_lowest_ball_in_mid_swing(clip, report):
    lifted = np.array(clip.local_rotations)
    # Half the swing's lift from the knee alone: bend both knees by 10 degrees more and the ball rises.
    for side in ("left", "right"):
        joint = clip.skeleton.role(f"{side}_knee")
        swing = ~clip.contacts[:, [clip.skeleton.contact(f"{side}_{end}") for end in ("heel", "ball")]].any(axis=1)
        more = quat.about(np.array([0.0, 1.0, 0.0]), np.where(swing, np.radians(10.0), 0.0))
        lifted[:, joint] = quat.multiply(lifted[:, joint], more)
    found = gait_report(replace(clip, local_rotations=quat.continuous(lifted)))
    assert found is not None
    assert abs(found.toe_clearance_m - report.toe_clearance_m) > 0.005
    assert -0.02 < report.toe_clearance_m < 0.1


def test_a_report_does_not_depend_on_place_heading_or_side(clip, report):
    turn = quat.about(np.array([0.0, 0.0, 1.0]), -1.3)
    rotations = np.array(clip.local_rotations)
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    moved = replace(
        clip,
        root_positions=quat.rotate(turn, clip.root_positions) + np.array([5.0, 2.0, 0.0]),
        local_rotations=quat.continuous(rotations),
    )
    for other in (moved, mirror(clip)):
        found = gait_report(other)
        for name in VALUES:
            assert getattr(found, name) == pytest.approx(getattr(report, name), abs=2e-3, rel=5e-3), name


def test_a_report_hardly_depends_on_the_frame_rate(clip, report):
    found = gait_report(resample(clip, 60.0))
    for name in VALUES:
        # A frame of 60 is 1.5 % of the stride; and this walker's toes have no lowest point in mid-swing.
        within = {"double_support": 0.02, "stance_share": 0.01, "toe_clearance_m": 0.012}.get(name, 0.004)
        assert getattr(found, name) == pytest.approx(getattr(report, name), rel=0.04, abs=within), name


def test_turning_strides_are_left_out_and_counted():
    angles = np.linspace(0.0, np.pi, 40)
    circle = np.column_stack([2.0 * np.sin(angles), 2.0 - 2.0 * np.cos(angles)])
    clip = perform(path=circle, speed=1.0, seed=3)
    steady, turning, _ = sort_strides(clip)
    assert len(turning) >= 4
    assert len(steady) <= 2


def test_strides_that_speed_up_are_left_out_and_counted():
    table = [(0.0, 0.9), (5.0, 0.9), (6.0, 1.6), (11.0, 1.6)]
    steady, _, unsteady = sort_strides(perform(speed=table, duration=11.0, seed=3))
    assert sort_strides(perform(speed=1.4, duration=11.0, seed=3))[2] == []
    assert len(unsteady) >= 1
    assert len(steady) >= 8


def test_standing_walking_backward_and_skeletons_without_soles_have_no_gait(clip, stick):
    still = replace(
        clip,
        root_positions=np.tile(clip.root_positions[:1], (len(clip), 1)),
        local_rotations=np.tile(clip.local_rotations[:1], (len(clip), 1, 1)),
    )
    backward = replace(
        clip,
        root_positions=clip.root_positions[::-1],
        local_rotations=clip.local_rotations[::-1],
        contacts=clip.contacts[::-1],
    )
    bare = replace(
        clip,
        skeleton=replace(
            clip.skeleton,
            contact_names=(),
            contact_joints=np.zeros(0, np.int64),
            contact_offsets=np.zeros((0, 3)),
        ),
        contacts=np.zeros((0, 0), bool),
        contact_heights=np.zeros((0, 0)),
    )
    strange = replace(
        bare,
        skeleton=stick,
        local_rotations=np.tile(quat.IDENTITY, (len(clip), 5, 1)),
    )
    for other in (still, backward, bare, strange):
        assert gait_report(other) is None


def test_a_report_is_plain_data(report):
    assert [field.name for field in fields(GaitReport)] == list(asdict(report))
    assert msgspec.json.decode(msgspec.json.encode(report)) == asdict(report)
    with pytest.raises(AttributeError):
        report.speed_m_s = 2.0
