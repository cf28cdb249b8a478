"""Roles by name in the rigs people have, by shape in those nobody has named, and none where there is no person."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rigs import CMU_LIKE, MIXAMO, RIGS, expected, person

from walkon._base.errors import UnknownName
from walkon.io import read_bvh
from walkon.motion.roles import find_roles
from walkon.motion.skeleton import ROLES, SIDES, Skeleton

CONVENTIONS = {"Mixamo with underscores": "Mixamo", "Mixamo numbered": "Mixamo", "Xsens segments": "Xsens"}
OTHERS = ("Unreal", "Rigify", "SMPL", "AMASS", "Acclaim")


@pytest.mark.parametrize("rig", RIGS)
def test_every_role_is_found_by_name_in_the_rigs_people_have(rig: str) -> None:
    report = find_roles(person(RIGS[rig]))
    assert dict(report.roles) == expected(RIGS[rig])
    assert report.missing == ()
    assert report.convention == ("other names" if rig in OTHERS else CONVENTIONS.get(rig, rig))
    limbs = {how for role, how in report.how.items() if role.startswith(SIDES)}
    assert limbs == {"name"}


@pytest.mark.parametrize("rig", RIGS)
def test_the_case_of_names_does_not_matter(rig: str) -> None:
    skeleton = person(RIGS[rig])
    report = find_roles(replace(skeleton, names=[name.lower() for name in skeleton.names]))
    assert {role: name.lower() for role, name in expected(RIGS[rig]).items()} == dict(report.roles)


def test_left_shoulder_is_the_clavicle_where_an_arm_follows_and_the_shoulder_where_an_elbow_does() -> None:
    assert find_roles(person(CMU_LIKE)).roles["left_clavicle"] == "LeftShoulder"
    collarless = {**RIGS["Xsens"]}
    skeleton = person(
        collarless,
        without=("left_clavicle", "right_clavicle"),
        under={"left_shoulder": "chest", "right_shoulder": "chest"},
    )
    report = find_roles(skeleton)
    assert report.roles["left_shoulder"] == "LeftShoulder"
    assert report.missing == ("left_clavicle", "right_clavicle")


def test_a_reference_node_above_the_hips_is_not_the_hips() -> None:
    plain = person(CMU_LIKE)
    above = Skeleton(
        names=("Reference", *plain.names),
        parents=[-1, *(plain.parents + 1)],
        offsets=[[0, 0, 0], *plain.offsets],
        end_sites=[False, *plain.end_sites],
    )
    assert find_roles(above).roles["hips"] == "Hips"


def test_a_biped_that_hangs_its_clavicles_on_the_neck_has_its_chest_below() -> None:
    skeleton = person(RIGS["Biped"], under={"left_clavicle": "neck", "right_clavicle": "neck"})
    report = find_roles(skeleton)
    assert report.roles["chest"] == "Bip01 Spine1"
    assert report.roles["neck"] == "Bip01 Neck"


def test_a_name_that_contradicts_the_tree_is_dropped_and_the_shape_tells_instead() -> None:
    names = list(person(CMU_LIKE).names)
    knee, wrist = names.index("LeftLeg"), names.index("LeftHand")
    names[knee], names[wrist] = names[wrist], names[knee]  # the hand hangs on the thigh now
    report = find_roles(replace(person(CMU_LIKE), names=names))
    assert report.skeleton.roles["left_knee"] == knee
    assert report.skeleton.roles["left_wrist"] == wrist
    assert report.how["left_knee"] == report.how["left_wrist"] == "topology"
    assert report.how["right_knee"] == "name"


def test_a_person_without_names_is_found_by_shape() -> None:
    named = person(CMU_LIKE)
    report = find_roles(replace(named, names=[f"joint{i}" for i in range(len(named))]))
    wanted = find_roles(named).skeleton.roles
    assert dict(report.skeleton.roles) == dict(wanted)
    assert report.convention == "topology"
    assert set(report.how.values()) == {"topology"}


@pytest.mark.parametrize(
    "skeleton",
    [
        Skeleton(names=("bird",), parents=[-1], offsets=[[0, 0, 0]]),
        Skeleton(
            names=("base", "shoulder", "elbow", "wrist", "hand"),
            parents=[-1, 0, 1, 2, 3],
            offsets=[[0, 0, 0], [0, 0, 0.4], [0, 0, 0.4], [0.3, 0, 0], [0.1, 0, 0]],
        ),
    ],
    ids=["one joint", "robot arm"],
)
def test_what_is_no_person_gets_no_roles_and_is_no_error(skeleton: Skeleton) -> None:
    report = find_roles(skeleton)
    assert report.convention == "none"
    assert dict(report.roles) == {}
    assert report.missing == ROLES
    assert "no roles" in repr(report)


def test_given_roles_override_and_count_as_given() -> None:
    report = find_roles(person(CMU_LIKE), given={"chest": "Spine", "left_ball": "LeftToeBase tip"})
    assert report.roles["chest"] == "Spine"
    assert report.roles["left_ball"] == "LeftToeBase tip"
    assert report.how["chest"] == report.how["left_ball"] == "given"
    assert "2 given" in report.summary()


def test_a_given_name_or_role_that_does_not_exist_is_refused_with_close_matches() -> None:
    with pytest.raises(UnknownName, match="'LeftFoot'"):
        find_roles(person(CMU_LIKE), given={"left_ankle": "LeftFeet"})
    with pytest.raises(UnknownName, match="there is no role 'left_toe'"):
        find_roles(person(CMU_LIKE), given={"left_toe": "LeftFoot"})


def test_the_report_is_one_line() -> None:
    assert repr(find_roles(person(MIXAMO))) == "RoleReport(Mixamo: 21 of 21 roles (21 by name))"


def test_zero_offset_joints_of_the_cmu_skeleton_are_not_taken_for_hips_and_shoulders() -> None:
    """LHipJoint, LowerBack, Neck and LeftShoulder sit on their parents; LHipJoint is not the hip."""
    plain = person(
        CMU_LIKE,
        without=("left_clavicle", "right_clavicle"),
        under={"left_shoulder": "chest", "right_shoulder": "chest"},
    )
    names, parents, offsets, ends = list(plain.names), list(plain.parents), list(plain.offsets), list(plain.end_sites)
    cmu = Skeleton(
        names=["Hips", "LHipJoint", "RHipJoint", "LowerBack", *names[1:]],
        parents=[-1, 0, 0, 0, *(0 if p == 0 else p + 3 for p in parents[1:])],
        offsets=[offsets[0], np.zeros(3), np.zeros(3), np.zeros(3), *offsets[1:]],
        end_sites=[False, False, False, False, *ends[1:]],
    )
    moved = np.array(cmu.parents)
    for joint, holder in (("LeftUpLeg", 1), ("RightUpLeg", 2), ("Spine", 3)):
        moved[cmu.index(joint)] = holder
    report = find_roles(replace(cmu, parents=moved))
    assert report.convention == "CMU"
    assert report.roles["left_hip"] == "LeftUpLeg"
    assert report.roles["spine"] == "Spine"
    assert report.roles["hips"] == "Hips"


@pytest.mark.mocap
@pytest.mark.parametrize("clip", ["07_12", "26_10", "69_01", "91_62", "143_02"])
def test_the_shape_of_real_skeletons_tells_the_same_as_their_names(mocap: Path, clip: str) -> None:
    skeleton = read_bvh(mocap / "cmu" / f"{clip}.bvh").clip.skeleton
    by_name = find_roles(skeleton)
    by_shape = find_roles(replace(skeleton, names=[f"joint{i}" for i in range(len(skeleton))]))
    assert by_name.convention == "CMU"
    assert by_name.missing == ()
    assert by_name.roles["left_hip"] == "LeftUpLeg"
    assert by_name.roles["chest"] == "Spine1"
    assert by_shape.convention == "topology"
    assert dict(by_shape.skeleton.roles) == dict(by_name.skeleton.roles)
