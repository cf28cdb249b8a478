"""The skin of a body for other programs: its capsules as one mesh at rest, each vertex held by one joint.

Every capsule (and the hair) is a closed surface, the hull of two spheres, of triangles about 3 cm wide. With d_i the
signed distance of a vertex to capsule i of the same flesh (see `walkon.drawing.figures`), n_i the way out of it, and
d = 0, w = 1 for its own,

    w_i = exp(−|d_i| / k),    normal = unit Σ w_i n_i,    vertex += k log Σ w_i normal,    k = 4 mm per m of height,

so where capsules meet, their surfaces lie on one smooth union and shade without a seam; what lies deep inside another
(and may come out as limbs move) stays as it is. Limbs end in spheres about their
joints, so bent knees and elbows keep their shape with one joint per vertex.

Metres, z up; the pose at rest of the body's skeleton: all joint frames are parallel to the world's, so the inverse bind
matrix of joint j is the translation by −`rest_positions`[j]. Triangles are counter-clockwise seen from outside, sorted
by cloth, so that one mesh can wear a material for each.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray, lock
from walkon.drawing.figures import cloth_of, figure_at_joints, wear_colours
from walkon.drawing.solids import RoundCones
from walkon.motion.anthropometry import is_person
from walkon.motion.body import Body

__all__ = ["BodyMesh", "Cloth", "body_mesh", "cloth_colours", "linear"]

Colour = tuple[float, float, float]
EDGE_M = 0.032
"""About the width of a triangle on a body that is 1.75 m tall."""
MIN_SIDES, MAX_SIDES = 8, 18
"""Of a capsule."""
BLEND_SHARE = 0.004
"""k over the height of the body."""
KIN_STEPS = 2
"""Flesh runs on from a joint to those at most so many bones away."""


class Cloth(NamedTuple):
    """The triangles of one material."""

    name: str
    """"shirt", "trousers", "skin", "hair", "shoes"; "body" of what is no person."""
    start: int
    stop: int
    """Rows of `BodyMesh.triangles`."""


@dataclass(frozen=True, eq=False, kw_only=True)
class BodyMesh:
    """V vertices and F triangles of a body at rest."""

    positions: Array
    """[V, 3] metres."""
    normals: Array
    """[V, 3] unit."""
    joints: IntArray
    """[V] joint that holds each vertex, with weight 1."""
    triangles: IntArray
    """[F, 3] rows of vertices."""
    clothes: tuple[Cloth, ...]
    """Which triangles are made of what, in order, without gaps."""

    def __post_init__(self) -> None:
        V = len(self.positions)
        lock(self, "positions", (V, 3))
        lock(self, "normals", (V, 3))
        lock(self, "joints", (V,), np.int64)
        lock(self, "triangles", (None, 3), np.int64)


def body_mesh(body: Body) -> BodyMesh:
    """Return the skin of a body; bodies of other sizes share it, scaled."""
    flesh, joints, clothes = _flesh(body)
    names = list(dict.fromkeys(clothes))
    rest = body.skeleton.rest_positions[joints]
    placed = replace(flesh, starts=flesh.starts + rest, ends=flesh.ends + rest)
    kin = _near_kin(placed, body, joints)
    unit = max(body.height, 1e-3) / 1.75
    positions, normals, holders, triangles, spans = [], [], [], [], []
    count = faces = 0
    for name in names:
        first = faces
        for k in (k for k, cloth in enumerate(clothes) if cloth == name):
            points, outward, corners = _capsule_surface(placed, k, edge=EDGE_M * unit)
            points, outward = _blended(points, outward, placed, kin[k], k=BLEND_SHARE * max(body.height, 1e-3))
            positions.append(points)
            normals.append(outward)
            holders.append(np.full(len(points), joints[k]))
            triangles.append(corners + count)
            count += len(points)
            faces += len(corners)
        spans.append(Cloth(name, first, faces))
    nothing = np.zeros((0, 3))
    return BodyMesh(
        positions=np.concatenate([nothing, *positions]),
        normals=np.concatenate([nothing, *normals]),
        joints=np.concatenate([np.zeros(0, np.int64), *holders]),
        triangles=np.concatenate([np.zeros((0, 3), np.int64), *triangles]),
        clothes=tuple(spans),
    )


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


def linear(colour: Colour) -> list[float]:
    """Return a colour of the screen (sRGB) as shares of light, which materials in files are given in."""
    c = np.asarray(colour, np.float64)
    return [round(float(v), 5) for v in np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)]


def _flesh(body: Body) -> tuple[RoundCones, IntArray, list[str]]:
    """Return a figure's capsules in their joints' frames, the joint of each, and what it is made of."""
    joints, flesh = figure_at_joints(body)
    clothes = _clothes(body)
    return flesh, joints, ["hair"] * (len(joints) - len(clothes)) + clothes


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
    caps = [np.column_stack([np.full(sides, low), after, here])]
    last = (rings - 1) * sides
    caps.append(np.column_stack([np.full(sides, high), last + here, last + after]))
    for ring in range(rings - 1):
        a, b = ring * sides, (ring + 1) * sides
        caps.append(np.column_stack([a + here, a + after, b + after]))
        caps.append(np.column_stack([a + here, b + after, b + here]))
    return np.concatenate(caps)


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


def _blended(points: Array, normals: Array, flesh: RoundCones, kin: IntArray, *, k: float) -> tuple[Array, Array]:
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
