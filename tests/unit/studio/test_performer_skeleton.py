import numpy as np
import pytest

from walkon._base.errors import InvalidValue
from walkon.motion import FOOT_CONTACTS, ROLES
from walkon.motion.body import Body
from walkon.motion.roles import find_roles
from walkon.studio import performer_skeleton


def test_it_has_every_role_and_finding_them_by_name_agrees():
    skeleton = performer_skeleton()
    report = find_roles(skeleton)
    assert set(skeleton.roles) == set(ROLES)
    assert dict(report.skeleton.roles) == dict(skeleton.roles)
    assert report.convention == "Mixamo"


def test_roles_are_also_found_by_the_shape_of_the_rest_pose():
    skeleton = performer_skeleton()
    plain = type(skeleton)(
        names=tuple(f"j{i}" for i in range(len(skeleton))),
        parents=skeleton.parents,
        offsets=skeleton.offsets,
        end_sites=skeleton.end_sites,
    )
    found = find_roles(plain).skeleton.roles
    for role in ("left_knee", "right_ankle", "left_elbow", "right_wrist", "head", "hips"):
        assert found[role] == skeleton.roles[role]


@pytest.mark.parametrize("height", [1.2, 1.75, 2.0])
def test_it_is_as_tall_as_asked_with_its_soles_on_the_floor(height):
    skeleton = performer_skeleton(height=height, leg_ratio=0.5)
    places = skeleton.rest_positions
    assert places[skeleton.index("HeadEnd"), 2] == pytest.approx(height)
    soles = places[skeleton.contact_joints] + skeleton.contact_offsets
    np.testing.assert_allclose(soles[:, 2], 0.0, atol=1e-12)
    assert skeleton.contact_names == FOOT_CONTACTS
    assert Body.of(skeleton).height == pytest.approx(height, rel=0.02)


def test_it_is_the_same_on_both_sides_and_faces_forward():
    skeleton = performer_skeleton()
    places = skeleton.rest_positions
    for j, name in enumerate(skeleton.names):
        if name.startswith("Left"):
            other = places[skeleton.index(name.replace("Left", "Right"))]
            np.testing.assert_allclose(places[j] * [1, -1, 1], other, atol=1e-12)
            assert places[j, 1] > 0
    assert places[skeleton.index("LeftToeEnd"), 0] > places[skeleton.index("LeftFoot"), 0]


@pytest.mark.parametrize(
    ("field", "value"), [("height", 3.0), ("height", float("nan")), ("leg_ratio", 0.7), ("breadth", 0)]
)
def test_an_impossible_body_is_refused_with_the_allowed_range(field, value):
    with pytest.raises(InvalidValue, match=rf"{field} must be .* to .*, got"):
        performer_skeleton(**{field: value})
