"""Skeletons refuse what is no tree, say so in one sentence, and survive pickling."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from walkon._base.errors import InvalidShape, InvalidSkeleton, InvalidValue, MissingRole, UnknownName
from walkon.motion.skeleton import FOOT_CONTACTS, ROLES, Skeleton


def test_a_skeleton_is_locked_and_reported_in_one_line(stick: Skeleton) -> None:
    for array in (stick.parents, stick.offsets, stick.end_sites):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    assert repr(stick) == "Skeleton(5 joints, 1.80 m from foot to head at rest, 0 roles)"
    assert len(stick) == 5


def test_pickling_keeps_everything(stick: Skeleton) -> None:
    full = stick.with_roles(left_ankle="d", head="b").with_contacts(
        ("left_heel",), np.array([4]), np.array([[0, 0, -0.1]])
    )
    again = pickle.loads(pickle.dumps(full))
    assert again.names == full.names
    assert dict(again.roles) == dict(full.roles) == {"head": 2, "left_ankle": 4}
    assert np.array_equal(again.offsets, full.offsets)
    assert np.array_equal(again.contact_offsets, full.contact_offsets)
    assert not again.offsets.flags.writeable
    with pytest.raises(TypeError):
        again.roles["neck"] = 1


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"names": (), "parents": [], "offsets": np.zeros((0, 3))}, "at least one joint"),
        ({"names": ("a", "a"), "parents": [-1, 0], "offsets": np.zeros((2, 3))}, "'a' occurs more than once"),
        ({"names": ("a", "b"), "parents": [-1, 1], "offsets": np.zeros((2, 3))}, r"joint 1 \('b'\) has parent 1"),
        ({"names": ("a", "b"), "parents": [-1, -1], "offsets": np.zeros((2, 3))}, r"joint 1 \('b'\) has parent -1"),
        ({"names": ("a", "b"), "parents": [0, 0], "offsets": np.zeros((2, 3))}, r"joint 0 \('a'\) has parent 0"),
        ({"names": ("a", "b"), "parents": [-1, -2], "offsets": np.zeros((2, 3))}, r"joint 1 \('b'\) has parent -2"),
    ],
)
def test_a_hierarchy_that_is_no_tree_is_refused_by_joint(fields: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidSkeleton, match=message):
        Skeleton(**fields)


def test_wrong_shapes_and_numbers_are_refused_by_field(stick: Skeleton) -> None:
    with pytest.raises(InvalidShape, match=r"Skeleton.offsets must have shape \(5, 3\), got \(4, 3\)"):
        replace(stick, offsets=np.zeros((4, 3)))
    offsets = np.array(stick.offsets)
    offsets[3, 1] = np.nan
    with pytest.raises(InvalidValue, match=r"Skeleton.offsets must be finite, but entry \(3, 1\) is nan"):
        replace(stick, offsets=offsets)
    with pytest.raises(InvalidSkeleton, match="role 'head' names joint 9, but there are only 5 joints"):
        replace(stick, roles={"head": 9})
    with pytest.raises(InvalidSkeleton, match="contact joints must be 0 to 4"):
        stick.with_contacts(("left_heel",), np.array([5]), np.zeros((1, 3)))


def test_unknown_names_list_close_matches(stick: Skeleton) -> None:
    with pytest.raises(UnknownName, match=r"there is no joint 'roof'\. Close matches: 'root'"):
        stick.index("roof")
    with pytest.raises(UnknownName, match="there is no role 'left_toe'"):
        stick.role("left_toe")
    with pytest.raises(UnknownName, match="there is no role 'tail'"):
        replace(stick, roles={"tail": 1})
    with pytest.raises(UnknownName, match="there is no contact point 'left_heel'"):
        stick.contact("left_heel")


def test_a_missing_role_says_how_to_name_it(stick: Skeleton) -> None:
    with pytest.raises(MissingRole, match=r"with_roles\(left_ankle='NameOfTheJoint'\)"):
        stick.role("left_ankle")
    assert stick.with_roles(left_ankle="d").role("left_ankle") == 4
    assert not stick.has_feet


def test_roles_are_kept_in_the_order_of_the_list(stick: Skeleton) -> None:
    mixed = replace(stick, roles={"right_ball": 4, "hips": 0, "neck": 1})
    assert list(mixed.roles) == [role for role in ROLES if role in mixed.roles]


def test_rest_positions_add_up_along_the_chain(stick: Skeleton) -> None:
    assert np.allclose(stick.rest_positions[4], stick.offsets[0] + stick.offsets[3] + stick.offsets[4])
    assert stick.children == ((1, 3), (2,), (), (4,), ())
    assert stick.chain(0, 4) == (0, 3, 4)
    with pytest.raises(InvalidSkeleton, match="'b' does not hang on 'c'"):
        stick.chain(3, 2)


def test_scaling_scales_bones_and_contact_points(stick: Skeleton) -> None:
    feet = stick.with_contacts(FOOT_CONTACTS[:1], np.array([4]), np.array([[0.1, 0.0, -0.2]]))
    assert np.allclose(feet.scaled(1.1).offsets, 1.1 * feet.offsets)
    assert np.allclose(feet.scaled(1.1).contact_offsets, [[0.11, 0.0, -0.22]])
    assert feet.scaled(1.1).same_topology(stick)
    assert not feet.same_topology(replace(stick, parents=[-1, 0, 1, 0, 0]))
