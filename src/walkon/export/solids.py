"""What stands on a stage and what people carry, as meshes with normals: prisms, stools, the floor, doors; prop shapes.

Metres, z up. Faces of what is angular have vertices of their own, so that edges stay sharp; balls and barrels are
smooth about their axis. Triangles are counter-clockwise seen from outside.

Plans [K, 2] may be hollow-sided (not convex); they are cut into triangles by a constrained Delaunay triangulation, and
walls stand on the edges that belong to one triangle only, so that every prism is closed whatever its plan.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue
from walkon.drawing.stage_picture import DOOR, LEG, OBSTACLE, SEAT, SEAT_LEG_M, SEAT_SIDE_M, seat_heights
from walkon.export.body_mesh import Colour
from walkon.geometry.tracks import Track
from walkon.stage import Floor, Obstacle, Prop, RampFloor, Stage, TerrainFloor
from walkon.stage.moving import frames_at
from walkon.transforms import quaternions as quat
from walkon.transforms import rigid

__all__ = [
    "Solid",
    "StageThing",
    "floor_mesh",
    "floor_solid",
    "prism_mesh",
    "prop_extent",
    "prop_meshes",
    "shape_solid",
    "stage_things",
]

FLOOR = (0.88, 0.88, 0.87)
DOOR_WIDTH_M, DOOR_LIFT_M = 0.10, 0.004
"""Metres: a door is a strip on the floor, so wide and so far above it."""
SIDES, RINGS = 32, 16
"""Of balls and barrels."""
SQUARE = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])


class Solid(NamedTuple):
    """V vertices and F triangles."""

    positions: Array
    """[V, 3] metres."""
    normals: Array
    """[V, 3] unit."""
    triangles: IntArray
    """[F, 3] rows of vertices."""


class StageThing(NamedTuple):
    """Something on a stage."""

    kind: str
    """floor, obstacle, seat, door or leaf."""
    name: str
    parts: list[tuple[Solid, Colour]]
    """Meshes with their colours, red, green, blue (0 to 1, as on the screen): in the world, or in the track's frame."""
    track: Track | None = None
    """How it moves; None: it stands still."""

    def poses(self, times: Array) -> tuple[Array, Array]:
        """Return places [T, 3] and rotations [T, 4] of what moves at times [T] in seconds."""
        frames = frames_at(self.track, times)
        return frames[:, [0, 1, 3]], quat.turn(frames[:, 2])


def stage_things(stage: Stage, *, around: Array | None = None) -> Iterator[StageThing]:
    """Yield everything on a stage: its floor, obstacles, seats, doors, and leaves of doors.

    A floor without bounds is drawn over the plan `around` [K, 2] what happens; without that it is left out, unless it
    is a terrain, which ends where it does.
    """
    plan = around if stage.bounds is None else stage.bounds
    if plan is not None or isinstance(stage.floor, TerrainFloor):
        yield StageThing("floor", "floor", [(floor_solid(stage.floor, plan), FLOOR)])
    for i, obstacle in enumerate(stage.obstacles):
        yield StageThing("obstacle", obstacle.name or f"obstacle {i}", [(_prism(obstacle), OBSTACLE)], obstacle.track)
    for i, seat in enumerate(stage.seats):
        ground, board, _ = seat_heights(stage, seat)
        parts = [
            (_sharpen(prism_mesh(_place_plan(side * SQUARE, seat.place), base=low, top=high)), colour)
            for side, low, high, colour in ((SEAT_SIDE_M, board, seat.height, SEAT), (SEAT_LEG_M, ground, board, LEG))
        ]
        yield StageThing("seat", seat.name or f"seat {i}", parts)
    for i, door in enumerate(stage.doors):
        along = door.ends[1] - door.ends[0]
        length = float(np.linalg.norm(along))
        if length > 1e-6:
            place = np.append(door.ends.mean(axis=0), np.arctan2(along[1], along[0]))
            strip = _sharpen(
                floor_mesh(_place_plan(SQUARE * (length, DOOR_WIDTH_M), place), height=door.z + DOOR_LIFT_M)
            )
            yield StageThing("door", door.name or f"door {i}", [(strip, DOOR)])
    for i, leaf in enumerate(stage.leaves):
        yield StageThing("leaf", leaf.name or f"leaf {i}", [(_prism(leaf), DOOR)], leaf.track)


def _prism(obstacle: Obstacle) -> Solid:
    return _sharpen(prism_mesh(obstacle.polygon, base=obstacle.base, top=obstacle.height))


@lru_cache
def shape_solid(shape: str) -> Solid:
    """Return the shape of a prop, 1 m along x, y and z, centred on the origin."""
    if shape == "sphere":
        tilts = np.linspace(0.0, np.pi, RINGS + 1)
        return _revolve(np.sin(tilts), np.cos(tilts), np.column_stack([np.sin(tilts), np.cos(tilts)]))
    if shape == "cylinder":
        # From the middle of the lid out, down the side and back in; edges have a ring for either face.
        normals = np.array([[0, 1], [0, 1], [1, 0], [1, 0], [0, -1], [0, -1]], float)
        return _revolve(np.array([0.0, 1, 1, 1, 1, 0]), np.array([1.0, 1, 1, -1, -1, -1]), normals)
    return _sharpen(prism_mesh(SQUARE, base=-0.5, top=0.5))


def prop_extent(prop: Prop) -> Array:
    """Return by what [3] the solid of a prop's shape is stretched along x, y and z; 1 where it has its own size."""
    x, y, z = prop.size
    stretched = {"box": (x, y, z), "sphere": (x, x, x), "cylinder": (x, x, z)}
    return np.array(stretched.get(prop.shape, (1.0, 1.0, 1.0)))


def prop_meshes(prop: Prop) -> list[tuple[Solid, Colour]]:
    """Return a prop as meshes in its own frame, in metres, one for each of its colours, which come with them."""
    if prop.shape == "mesh":
        return [(_mesh_solid(prop), prop.colour)]
    found: dict[Colour, list[Solid]] = {}
    for part in prop.pieces:
        unit, (x, y, z) = shape_solid(part.shape), part.size
        pose, extent = np.array(part.pose), (x, x if part.shape != "box" else y, x if part.shape == "sphere" else z)
        normals = quat.rotate(pose[3:], unit.normals)
        solid = Solid(rigid.apply(pose, unit.positions * extent), normals, unit.triangles)
        found.setdefault(part.colour or prop.colour, []).append(solid)
    return [(_joined(some), colour) for colour, some in found.items()]


def _mesh_solid(prop: Prop) -> Solid:
    """Return a mesh with its normals; corners at one place with one normal are one vertex."""
    points = prop.vertices[prop.triangles].reshape(-1, 3)
    looks = np.column_stack([prop.triangles.reshape(-1), np.round(prop.corner_normals.reshape(-1, 3), 6)])
    _, first, rows = np.unique(looks, axis=0, return_index=True, return_inverse=True)
    return Solid(points[first], prop.corner_normals.reshape(-1, 3)[first], rows.reshape(-1, 3))


def _joined(parts: list[Solid]) -> Solid:
    counts = np.array([len(part.positions) for part in parts])
    firsts = (np.cumsum(counts) - counts).tolist()
    return Solid(
        np.concatenate([part.positions for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate([part.triangles + first for part, first in zip(parts, firsts, strict=True)]),
    )


def _place_plan(plan: Array, place: Array) -> Array:
    """Return a plan [K, 2] at a planar pose [3]."""
    level = np.column_stack([plan, np.zeros(len(plan))])
    return place[:2] + quat.rotate(quat.turn(float(place[2])), level)[:, :2]


def _sharpen(mesh: tuple[Array, IntArray]) -> Solid:
    """Give every triangle corners of its own; those without area are left out."""
    points, faces = mesh
    corners = points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(normals, axis=1)
    corners, normals = corners[area > 1e-12], normals[area > 1e-12] / area[area > 1e-12, None]
    points = np.column_stack([corners.reshape(-1, 3), np.repeat(normals, 3, axis=0)])
    # Corners of one flat face are one vertex.
    kept, rows = np.unique(np.round(points, 9), axis=0, return_inverse=True)
    return Solid(kept[:, :3], kept[:, 3:], rows.reshape(-1, 3))


def _revolve(radii: Array, heights: Array, normals: Array) -> Solid:
    """Return a profile, radius and height [R] (for a diameter and height of 2) from top to bottom, turned about z."""
    turns = np.arange(SIDES) * (2.0 * np.pi / SIDES)
    way = np.column_stack([np.cos(turns), np.sin(turns), np.zeros(SIDES)])
    up = np.array([0.0, 0.0, 1.0])
    points = 0.5 * (radii[:, None, None] * way + heights[:, None, None] * up)
    outward = normals[:, 0, None, None] * way + normals[:, 1, None, None] * up
    here = np.arange(SIDES)
    after = (here + 1) % SIDES
    faces = []
    for ring in range(len(radii) - 1):
        a, b = ring * SIDES, (ring + 1) * SIDES
        if radii[ring + 1] > 1e-9:
            faces.append(np.column_stack([a + here, b + here, b + after]))
        if radii[ring] > 1e-9:
            faces.append(np.column_stack([a + here, b + after, a + after]))
    triangles = np.concatenate(faces)
    corners = points.reshape(-1, 3)[triangles]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return Solid(points.reshape(-1, 3), outward.reshape(-1, 3), triangles[area > 1e-12])


def floor_solid(floor: Floor, plan: Array | None) -> Solid:
    """Return a floor over a plan [K, 2]: level, cut where a ramp begins and ends; or a terrain, all of it."""
    if isinstance(floor, TerrainFloor):
        return _sharpen((floor.corners.reshape(-1, 3), np.arange(3 * len(floor.corners)).reshape(-1, 3)))
    if plan is None:
        raise InvalidValue("a floor without an end needs a plan [K, 2] to be drawn over, got none")
    pieces = _ramp_pieces(floor, plan) if isinstance(floor, RampFloor) else [plan]
    parts = []
    for piece in pieces:
        flat, faces = _cut(piece)
        parts.append(_sharpen((np.column_stack([flat, floor(flat).heights]), faces)))
    return _joined(parts)


def _ramp_pieces(floor: RampFloor, plan: Array) -> list[Array]:
    """Return the parts [K, 2] of a plan before, on and behind a ramp."""
    along = floor.stop[:2] - floor.start[:2]
    ahead = along / np.linalg.norm(along)
    aside = np.array([-ahead[1], ahead[0]])
    far = float(np.abs(plan - floor.start[:2]).max()) * 2.0 + float(np.linalg.norm(along)) + 1.0
    lines = [-far * ahead, np.zeros(2), along, along + far * ahead]
    pieces = []
    for a, b in pairwise(lines):
        strip = floor.start[:2] + np.array([a - far * aside, b - far * aside, b + far * aside, a + far * aside])
        shape = shapely.intersection(shapely.make_valid(shapely.Polygon(plan)), shapely.Polygon(strip))
        pieces += [np.array(part.exterior.coords)[:-1] for part in shapely.get_parts(shape) if part.area > 1e-9]
    return pieces


def floor_mesh(plan: Array, *, height: float = 0.0) -> tuple[Array, IntArray]:
    """Return points [P, 3] and triangles [F, 3] of a plan [K, 2] at a height, facing up."""
    flat, faces = _cut(plan)
    return (np.column_stack([flat, np.full(len(flat), height)]), faces)


def prism_mesh(plan: Array, *, base: float, top: float) -> tuple[Array, IntArray]:
    """Return points [P, 3] and triangles [F, 3] of the prism over a plan [K, 2] from `base` to `top`, closed."""
    flat, faces = _cut(plan)
    count = len(flat)
    points = np.concatenate([np.column_stack([flat, np.full(count, z)]) for z in (base, top)])
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    _, first, uses = np.unique(np.sort(edges, axis=1), axis=0, return_index=True, return_counts=True)
    a, b = edges[np.sort(first[uses == 1])].T
    walls = np.concatenate([np.column_stack([a, b, b + count]), np.column_stack([a, b + count, a + count])])
    return (points, np.concatenate([faces[:, ::-1], faces + count, walls]))


def _cut(plan: Array) -> tuple[Array, IntArray]:
    """Return corners [P, 2] and counter-clockwise triangles [F, 3] of a plan."""
    shape = shapely.make_valid(shapely.Polygon(plan))
    pieces = shapely.get_parts(shapely.constrained_delaunay_triangles(shape))
    corners = np.array([piece.exterior.coords[:3] for piece in pieces]).reshape(-1, 3, 2)
    (x0, y0), (x1, y1), (x2, y2) = np.moveaxis(corners, 0, -1)
    backwards = (x1 - x0) * (y2 - y0) < (x2 - x0) * (y1 - y0)
    corners[backwards] = corners[backwards, ::-1]
    points, faces = np.unique(corners.reshape(-1, 2), axis=0, return_inverse=True)
    return points, faces.reshape(-1, 3)
