"""The skin of a body for other programs: its capsules as one mesh at rest, each vertex held by one joint.

Every capsule (and the hair) is a closed surface, the hull of two spheres, of triangles about 3 cm wide. With d_i the
signed distance of a vertex to capsule i of the same flesh (see `walkon.drawing.figures`), n_i the way out of it, and
d = 0, w = 1 for its own,

    w_i = exp(−|d_i| / k),    normal = unit Σ w_i n_i,    vertex += k log Σ w_i normal,

where k is 4 mm per m of height and less for fingers. So where capsules meet, their surfaces lie on one smooth union and
shade without a seam; what lies deep inside another (and may come out as limbs move) stays as it is. Limbs end in
spheres about their joints, so bent knees and elbows keep their shape with one joint per vertex.

Metres, z up; the pose at rest of the body's skeleton: all joint frames are parallel to the world's, so the inverse bind
matrix of joint j is the translation by −`rest_positions`[j]. Triangles are counter-clockwise seen from outside, sorted
by cloth, so that one mesh can wear a material for each.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.drawing.figures import cloth_of, figure_at_joints, wear_colours
from walkon.drawing.hand_flesh import with_hand_flesh
from walkon.drawing.solids import RoundCones
from walkon.motion.anatomy.anthropometry import is_person
from walkon.motion.body import Body

__all__ = ["BodyMesh", "body_mesh", "cloth_colours", "to_linear"]

Colour = tuple[float, float, float]
EDGE_M = 0.032
"""About the width of a triangle on a body that is 1.75 m tall."""
MIN_SIDES, MAX_SIDES = 8, 18
"""Of a capsule."""
BLEND_SHARE, BLEND_RADIUS_SHARE = 0.004, 0.3
"""k over the height of the body, and at most over the capsule's own radius: fingers would grow together."""
KIN_STEPS = 2
"""Flesh runs on from a joint to those at most so many bones away."""


class BodyMesh(NamedTuple):
    """V vertices and F triangles of a body at rest."""

    positions: Array
    """[V, 3] metres."""
    normals: Array
    """[V, 3] unit."""
    joints: IntArray
    """[V] joint that holds each vertex, with weight 1."""
    triangles: IntArray
    """[F, 3] rows of vertices."""
    clothes: dict[str, slice]
    """Which rows of triangles are made of what, in order, without gaps: "shirt", "trousers", "skin", "hair", "shoes";
    "body" of what is no person.
    """


def body_mesh(body: Body) -> BodyMesh:
    """Return the skin of a body as it is drawn, hands relaxed; bodies of other sizes share it, scaled."""
    body = with_hand_flesh(body)
    joints, flesh = figure_at_joints(body)
    wears = _clothes(body)
    wears = ["hair"] * (len(joints) - len(wears)) + wears
    rest = body.skeleton.rest_positions[joints]
    placed = replace(flesh, starts=flesh.starts + rest, ends=flesh.ends + rest)
    kin = _near_kin(placed, body, joints)
    height = max(body.height, 1e-3)
    parts = [(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0, np.int64), np.zeros((0, 3), np.int64))]
    clothes, vertices, faces = {}, 0, 0
    for name in dict.fromkeys(wears):
        first = faces
        for k in (k for k, cloth in enumerate(wears) if cloth == name):
            points, outward, corners = _capsule_surface(placed, k, edge=EDGE_M * (height / 1.75))
            blend = min(BLEND_SHARE * height, BLEND_RADIUS_SHARE * float(placed.radii[k].min()))
            points, outward = _blend_kin(points, outward, placed, kin[k], k=blend)
            parts.append((points, outward, np.full(len(points), joints[k]), corners + vertices))
            vertices += len(points)
            faces += len(corners)
        clothes[name] = slice(first, faces)
    positions, normals, holders, triangles = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return BodyMesh(positions, normals, holders, triangles, clothes)


def cloth_colours(body: Body, shirt: Colour | None = None) -> dict[str, Colour]:
    """Return red, green, blue (0 to 1, as on the screen) of each cloth of a body: the same as in pictures.

    `shirt` is the body's own colour unless given.
    """
    worn = wear_colours(body.colour if shirt is None else shirt)
    found = {"hair": worn["hair"]} if "head" in body.capsule_parts else {}
    for cloth, part in zip(_clothes(body), body.capsule_parts, strict=True):
        found.setdefault(cloth, worn[cloth_of(part)])
    colours = {}
    for cloth, colour in found.items():
        red, green, blue = (round(float(c), 6) for c in np.clip(colour, 0.0, 1.0))
        colours[cloth] = red, green, blue
    return colours


def to_linear(colour: Colour) -> list[float]:
    """Return a colour of the screen (sRGB) as shares of light, which materials in files are given in."""
    c = np.asarray(colour, np.float64)
    return [round(float(v), 5) for v in np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)]


def _clothes(body: Body) -> list[str]:
    """Return what the parts of a body wear."""
    person = is_person(body.skeleton)
    return [cloth_of(part) if person else "body" for part in body.capsule_parts]


def _near_kin(flesh: RoundCones, body: Body, joints: IntArray) -> list[IntArray]:
    """Return for each capsule others of its flesh that hang on joints close by in the tree.

    At rest the limbs of some skeletons lie in one another, so that touching alone says little.
    """
    parents = body.skeleton.parents
    J = len(parents)
    steps = np.where(np.eye(J, dtype=bool), 0, J)
    for joint in range(1, J):  # parents come before children
        steps[joint, :joint] = steps[parents[joint], :joint] + 1
        steps[:joint, joint] = steps[joint, :joint]
    return [row[(row >= 0) & (steps[joints[k], joints[row]] <= KIN_STEPS)] for k, row in enumerate(flesh.kin)]


def _capsule_surface(flesh: RoundCones, k: int, *, edge: float) -> tuple[Array, Array, IntArray]:
    """Return points [V, 3], normals [V, 3] and triangles [F, 3] of the hull of two spheres.

    Rings go about the axis: from the pole at the start to where the cone touches the first sphere, cos φ from −1 to
    s = (r_a − r_b) / L, and on the second sphere from there to 1. A point's normal is its direction from its sphere.
    """
    start, axis, length, (ra, rb, s) = _cone(flesh, k)
    sides = int(np.clip(round(2.0 * np.pi * max(ra, rb) / edge), MIN_SIDES, MAX_SIDES))
    touch = np.arccos(s)
    per_cap = [max(round((np.pi - touch) / np.pi * sides / 2), 1), max(round(touch / np.pi * sides / 2), 1)]
    first = np.linspace(np.pi, touch, per_cap[0] + 1)[1:]
    second = np.linspace(touch, 0.0, per_cap[1] + 1)[:-1]
    if length == 0.0:
        second = second[1:]  # one sphere has its middle ring once
    # Rings along the cone as well, so that shading changes only near where capsules meet.
    between = np.linspace(0.0, 1.0, max(round(length / (2.0 * edge)), 1) + 1)[1:-1]
    angles = np.concatenate([first, np.full(len(between), touch), second])
    share = np.concatenate([np.zeros(len(first)), between, np.ones(len(second))])
    u = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
    u /= np.linalg.norm(u)
    around = np.arange(sides) * (2.0 * np.pi / sides)
    radial = np.cos(around)[:, None] * u + np.sin(around)[:, None] * np.cross(axis, u)
    normals = np.cos(angles)[:, None, None] * axis + np.sin(angles)[:, None, None] * radial
    centres = start + (share * length)[:, None] * axis
    points = centres[:, None] + (ra + share * (rb - ra))[:, None, None] * normals
    poles = np.array([start - ra * axis, start + length * axis + rb * axis])
    points = np.concatenate([points.reshape(-1, 3), poles])
    normals = np.concatenate([normals.reshape(-1, 3), -axis[None], axis[None]])
    return points, normals, _ring_triangles(len(angles), sides)


def _ring_triangles(rings: int, sides: int) -> IntArray:
    """Return the triangles [F, 3] of rings closed by two poles, which come last."""
    here = np.arange(sides)
    after = (here + 1) % sides
    low, high = rings * sides, rings * sides + 1
    last = (rings - 1) * sides
    parts = [(np.full(sides, low), after, here), (np.full(sides, high), last + here, last + after)]
    for a in range(0, last, sides):
        b = a + sides
        parts += [(a + here, a + after, b + after), (a + here, b + after, b + here)]
    return np.concatenate([np.column_stack(corners) for corners in parts])


def _cone(flesh: RoundCones, k: int) -> tuple[Array, Array, float, tuple[float, float, float]]:
    """Return start, unit axis, length, both radii and s; where one sphere holds the other, that sphere."""
    start, end, (ra, rb) = flesh.starts[k], flesh.ends[k], flesh.radii[k]
    length = float(np.linalg.norm(end - start))
    if length <= abs(ra - rb) + 1e-9:
        radius = float(max(ra, rb))
        return (start if ra >= rb else end), np.array([0.0, 0.0, 1.0]), 0.0, (radius, radius, 0.0)
    return start, (end - start) / length, length, (float(ra), float(rb), float((ra - rb) / length))


def _distances(points: Array, flesh: RoundCones, k: int) -> tuple[Array, Array]:
    """Return signed distances [V] of points to a capsule and the directions [V, 3] out of it."""
    start, axis, length, (ra, rb, s) = _cone(flesh, k)
    away = points - start
    along = away @ axis
    aside = np.linalg.norm(away - along[:, None] * axis, axis=1)
    t = np.clip(along + aside * s / np.sqrt(1.0 - s * s), 0.0, length)
    out = away - t[:, None] * axis
    reach = np.linalg.norm(out, axis=1)
    radius = ra + (rb - ra) * (t / length if length else 0.0)
    return reach - radius, out / np.maximum(reach, 1e-9)[:, None]


def _blend_kin(points: Array, normals: Array, flesh: RoundCones, kin: IntArray, *, k: float) -> tuple[Array, Array]:
    """Return points and normals moved onto the smooth union with the kin."""
    total, mixed = np.ones(len(points)), normals.copy()
    for other in kin.tolist():
        distance, out = _distances(points, flesh, other)
        weight = np.exp(-np.abs(distance) / k)
        total += weight
        mixed += weight[:, None] * out
    size = np.linalg.norm(mixed, axis=1, keepdims=True)
    mixed = np.where(size > 1e-6, mixed / np.maximum(size, 1e-6), normals)
    return points + (k * np.log(total))[:, None] * mixed, mixed
