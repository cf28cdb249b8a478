"""Props: shapes, sizes, masses, parts, meshes and grips; what is wrong is answered in a sentence."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from prop_shapes import ball_mesh, box_mesh, lamp, ring_mesh, wheel
from walkon._base.errors import InvalidShape, InvalidValue, UnknownName, WalkonError
from walkon.geometry.capsules import Capsules
from walkon.geometry.solid_gaps import GAP_TOLERANCE_M
from walkon.stage import Prop, PropGrip, PropPart
from walkon.stage.props import DENSITY_KG_M3
from walkon.transforms import quaternions as quat

SIZE = (0.4, 0.3, 0.2)
VERTICES, TRIANGLES = box_mesh(SIZE)
HERE = (0, 0, 0, 1, 0, 0, 0)


def mesh_box() -> Prop:
    return Prop(name="crate", shape="mesh", vertices=VERTICES, triangles=TRIANGLES)


def test_a_prop_is_a_box_unless_told() -> None:
    prop = Prop(name="crate", size=np.array([1, 2, 3]))
    assert prop.shape == "box"
    assert prop.size == (1.0, 2.0, 3.0)
    assert hash(prop) == hash(Prop(name="crate", size=(1.0, 2.0, 3.0)))


def test_an_unknown_shape_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="'cylinder'"):
        Prop(name="pipe", shape="cylindre")


@pytest.mark.parametrize("size", [(1, 2), (1, 2, 0), (1, 2, -1), (1, 2, np.nan), (1, 2, 1e9)])
def test_a_size_is_three_positive_numbers(size: tuple[float, ...]) -> None:
    with pytest.raises(InvalidValue, match="the size of prop 'crate' must be three numbers"):
        Prop(name="crate", size=size)


@pytest.mark.parametrize("colour", [(0.5, 0.5), (0, 0, 1.1), (-0.1, 0, 0)])
def test_a_colour_is_three_numbers_from_0_to_1(colour: tuple[float, ...]) -> None:
    with pytest.raises(InvalidValue, match="the colour of prop 'crate'"):
        Prop(name="crate", colour=colour)


def test_black_and_white_are_colours() -> None:
    assert Prop(name="a", colour=(0, 0, 0)).colour == (0.0, 0.0, 0.0)
    assert Prop(name="a", colour=(1, 1, 1)).colour == (1.0, 1.0, 1.0)


def test_a_mass_follows_from_the_volume_unless_given() -> None:
    assert Prop(name="a", size=SIZE).mass == pytest.approx(0.024 * DENSITY_KG_M3)
    assert Prop(name="a", shape="sphere", size=(0.2, 9, 9)).mass == pytest.approx(DENSITY_KG_M3 * np.pi * 0.2**3 / 6)
    can = Prop(name="a", shape="cylinder", size=(0.2, 9, 0.5))
    assert can.mass == pytest.approx(DENSITY_KG_M3 * np.pi * 0.1**2 * 0.5)
    assert mesh_box().mass == pytest.approx(0.024 * DENSITY_KG_M3)
    assert Prop(name="a", mass=7).mass == 7.0
    assert replace(Prop(name="a", mass=7), name="b").mass == 7.0


@pytest.mark.parametrize("mass", [0, -1, np.nan, np.inf, 2e6])
def test_a_mass_is_a_positive_number(mass: float) -> None:
    with pytest.raises(InvalidValue, match="the mass of prop 'crate' must be over 0 and up to"):
        Prop(name="crate", mass=mass)


@pytest.mark.parametrize("shape", ["box", "sphere", "cylinder"])
def test_a_compound_of_one_part_is_that_shape(shape: str, rng: np.random.Generator) -> None:
    alone = Prop(name="a", shape=shape, size=SIZE)
    compound = Prop(name="a", shape="compound", parts=(PropPart(shape=shape, size=SIZE),))
    points = rng.uniform(-0.5, 0.5, (300, 3))
    np.testing.assert_array_equal(compound.distances(points), alone.distances(points))
    capsules = Capsules(points[:150], points[150:], rng.uniform(0.01, 0.1, (150, 2)))
    np.testing.assert_array_equal(compound.capsule_gaps(capsules), alone.capsule_gaps(capsules))
    np.testing.assert_array_equal(compound.bounds, alone.bounds)
    assert (compound.mass, compound.volume, compound.reach) == (alone.mass, alone.volume, alone.reach)
    x, _, z = SIZE
    assert compound.size == pytest.approx({"box": SIZE, "sphere": (x, x, x), "cylinder": (x, x, z)}[shape])


def test_a_mesh_of_a_box_is_the_box(rng: np.random.Generator) -> None:
    box, mesh = Prop(name="a", size=SIZE), mesh_box()
    points = rng.uniform(-0.4, 0.4, (400, 3))
    np.testing.assert_allclose(mesh.distances(points), box.distances(points), atol=1e-12)
    capsules = Capsules(points[:200], points[200:], rng.uniform(0.01, 0.1, (200, 2)))
    more = mesh.capsule_gaps(capsules) - box.capsule_gaps(capsules)
    assert -1e-9 < more.min() <= more.max() <= GAP_TOLERANCE_M
    np.testing.assert_allclose(mesh.bounds, box.bounds)
    assert mesh.size == pytest.approx(box.size)
    assert mesh.reach == pytest.approx(box.reach)
    assert len(mesh.hull_corners) == 8


def test_an_origin_need_not_be_the_middle() -> None:
    part = PropPart(size=(0.2, 0.4, 0.6), pose=(1, 2, 3, *quat.turn(np.pi / 2)))
    prop = Prop(name="a", shape="compound", parts=(part,))
    np.testing.assert_allclose(prop.bounds, [[0.8, 1.9, 2.7], [1.2, 2.1, 3.3]])
    np.testing.assert_allclose(prop.middle, [1, 2, 3])
    assert prop.size == pytest.approx((0.4, 0.2, 0.6))
    assert prop.reach == pytest.approx(np.linalg.norm([0.1, 0.2, 0.3]))
    moved = Prop(name="a", shape="mesh", vertices=np.add(VERTICES, [1, 2, 3]), triangles=TRIANGLES)
    np.testing.assert_allclose(moved.middle, [1, 2, 3])
    assert moved.size == pytest.approx(SIZE)


def test_vertices_that_no_triangle_has_do_not_count() -> None:
    more = Prop(name="a", shape="mesh", vertices=np.vstack([[[9, 9, 9]], VERTICES]), triangles=TRIANGLES + 1)
    np.testing.assert_allclose(more.bounds, mesh_box().bounds)
    assert more.reach == mesh_box().reach
    assert len(more.hull_corners) == 8


def test_a_mesh_that_is_inside_out_is_turned() -> None:
    turned = Prop(name="crate", shape="mesh", vertices=VERTICES, triangles=TRIANGLES[:, ::-1])
    assert turned.volume == pytest.approx(0.024)
    assert turned.distances(np.zeros(3)) == pytest.approx(-0.1)


def test_props_are_equal_where_all_of_them_is() -> None:
    assert lamp() == lamp()
    assert wheel() == wheel()
    assert hash(lamp()) == hash(lamp())
    assert hash(wheel()) == hash(wheel())
    assert lamp() != wheel()
    assert lamp() != "lamp"
    for other in ({"mass": 2.0}, {"grips": {}}, {"parts": lamp().parts[:2], "size": None}, {"colour": (0, 0, 0)}):
        assert replace(lamp(), **other) != lamp()
    assert replace(wheel(), vertices=2 * wheel().vertices, size=None) != wheel()
    for prop in (lamp(), wheel()):
        assert pickle.loads(pickle.dumps(prop)) == prop
        assert replace(prop, name="other").grips == prop.grips


def test_what_a_prop_has_is_locked() -> None:
    for name in ("vertices", "triangles", "bounds", "hull_corners", "corner_normals"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(wheel(), name)[0] = 0
    with pytest.raises(TypeError):
        lamp().grips["new"] = lamp().grips["stem"]  # type: ignore[index]


def test_a_grip_has_fingers_along_x_and_the_palm_along_z() -> None:
    grip = PropGrip.facing((1, 2, 3), fingers=(0, 0, -2), palm=(0, 3, 1), hand="left", shape="hook")
    axes = quat.to_matrix(np.array(grip.pose[3:]))
    np.testing.assert_allclose(axes[:, 0], [0, 0, -1], atol=1e-12)
    np.testing.assert_allclose(axes[:, 2], [0, 1, 0], atol=1e-12)
    assert np.linalg.det(axes) == pytest.approx(1.0)
    assert grip.pose[:3] == (1.0, 2.0, 3.0)
    prop = lamp()
    assert prop.grip("stem") is prop.grips["stem"]


def test_a_rotation_that_is_unit_to_rounding_stays_as_it_is() -> None:
    turn = (0.1, -0.7, 0.3, (1 - 0.1**2 - 0.7**2 - 0.3**2) ** 0.5)
    grip = PropGrip(pose=(0, 0, 0, *turn))
    assert grip.pose[3:] == turn
    rough = PropGrip(pose=(0, 0, 0, 1.0005, 0, 0, 0))
    assert rough.pose[3] == 1.0


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Prop(name="a", parts=(PropPart(size=SIZE),)), "parts belong to a compound, but prop 'a' is a box"),
        (lambda: Prop(name="a", vertices=VERTICES), "vertices belong to a mesh, but prop 'a' is a box"),
        (lambda: Prop(name="a", shape="compound"), "the parts of prop 'a' must be one or more PropPart"),
        (
            lambda: Prop(name="a", shape="compound", parts=("box",)),
            "the parts of prop 'a' must be one or more PropPart",
        ),
        (lambda: Prop(name="a", shape="mesh"), "the mesh of prop 'a' has no triangles"),
        (
            lambda: Prop(name="a", shape="mesh", vertices=VERTICES, triangles=TRIANGLES[1:]),
            "the mesh of prop 'a' must be closed, but 3 of its 18 edges are open",
        ),
        (
            lambda: Prop(name="a", shape="mesh", vertices=VERTICES, triangles=np.vstack([TRIANGLES, [[0, 1, 1]]])),
            "1 of the 13 triangles of prop 'a' have no area",
        ),
        (
            lambda: Prop(name="a", shape="mesh", vertices=VERTICES, triangles=1.0 * TRIANGLES),
            "triangles of prop 'a' are rows of vertices, whole numbers, got float64",
        ),
        (
            lambda: Prop(name="a", shape="mesh", vertices=VERTICES * np.nan, triangles=TRIANGLES),
            "the vertices of prop 'a' must be finite",
        ),
        (
            lambda: Prop(name="a", shape="mesh", vertices=VERTICES * 1e5, triangles=TRIANGLES),
            "the size of prop 'a' must be three numbers over 0 and up to 1000",
        ),
        (lambda: replace(mesh_box(), size=(1, 1, 1)), "the size of prop 'crate' follows from its geometry"),
        (lambda: Prop(name="a", grips={"": lamp().grip("stem")}), "grips of prop 'a' are names with a PropGrip each"),
        (lambda: Prop(name="a", grips={"b": HERE}), "grips of prop 'a' are names with a PropGrip each"),
        (lambda: lamp().grip("stm"), "there is no grip of prop 'lamp' 'stm'. Close matches: 'stem'"),
        (lambda: PropPart(shape="mesh", size=SIZE), "there is no shape of a part of a prop 'mesh'"),
        (lambda: PropPart(size=(1, 1)), "the size of a part of a prop must be three numbers"),
        (lambda: PropPart(size="abc"), "the size of a part of a prop must be three numbers"),
        (lambda: PropPart(size=SIZE, colour=(2, 0, 0)), "the colour of a part of a prop must be three numbers"),
        (lambda: PropPart(size=SIZE, pose=(0, 0, 0)), "the pose of a part of a prop .* must be 7 numbers"),
        (lambda: PropPart(size=SIZE, pose=(0, 0, 1e4, 1, 0, 0, 0)), "must be 7 numbers of up to 1000 m"),
        (lambda: PropPart(size=SIZE, pose=(0, 0, 0, 1, 1, 0, 0)), "must be a unit quaternion, got .* of length 1.414"),
        (lambda: PropGrip(pose=(0, 0, 0, np.nan, 0, 0, 0)), "the pose of a grip .* must be 7 numbers"),
        (lambda: PropGrip(pose=HERE, hand="both"), "there is no hand of a grip 'both'"),
        (lambda: PropGrip(pose=HERE, shape="fist"), "there is no hand shape of a grip 'fist'"),
        (lambda: PropGrip.facing((0, 0, 0), fingers=(1, 0, 0), palm=(2, 0, 0)), "must point different ways"),
        (lambda: PropGrip.facing((0, 0, 0), fingers=(0, 0, 0), palm=(2, 0, 0)), "must point different ways"),
        (lambda: PropGrip.facing((0, 0), fingers=(0, 0, 1), palm=(2, 0, 0)), "the place of a grip must be 3 numbers"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(make, words: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(WalkonError, match=words) as error:
        make()
    assert "\n" not in str(error.value)


def test_arrays_of_the_wrong_shape_are_refused() -> None:
    with pytest.raises(InvalidShape, match="the vertices of prop 'a' must have shape"):
        Prop(name="a", shape="mesh", vertices=VERTICES[:, :2], triangles=TRIANGLES)
    with pytest.raises(InvalidShape, match="the triangles of prop 'a' must have shape"):
        Prop(name="a", shape="mesh", vertices=VERTICES, triangles=TRIANGLES[:, :2])


def test_large_meshes_are_props() -> None:
    vertices, triangles = ring_mesh(0.5, 0.1, sides=96, around=48)
    ring = Prop(name="ring", shape="mesh", vertices=vertices, triangles=triangles)
    assert ring.size == pytest.approx((1.2, 1.2, 0.2), rel=1e-2)
    ball = Prop(
        name="ball", shape="mesh", **dict(zip(("vertices", "triangles"), ball_mesh(0.2, sides=60), strict=True))
    )
    assert ball.reach == pytest.approx(0.2)
