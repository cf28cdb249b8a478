"""Props: solids that people carry, sit on or walk around; their shape, mass, and where hands hold them.

A prop has a frame of its own, metres. Boxes, balls and cylinders are centred on its origin, axes along x, y and z; a
*compound* is several of these, each with a pose in the prop's frame; a *mesh* is a closed surface of triangles, with
vertices in the prop's frame. The origin of the last two is wherever it is of use: `bounds` says where the prop is then.
What is asked of shapes is computed in `walkon.geometry` (`solids`, `closed_meshes`), from plain arrays.

*The palm's frame*, in which grips are given: x points to the fingers, z out of the palm. Both hands have a right-handed
frame, so with the palm up and the fingers ahead the thumb is on the side of +y for a left hand, of −y for a right one.

Where a prop is over time is the take's to say.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, IntArray, lock_array, locked
from walkon._base.errors import InvalidValue, UnknownName
from walkon.geometry import closed_meshes, solid_pairs, solids
from walkon.geometry.capsules import Capsules
from walkon.geometry.closed_meshes import ClosedMesh
from walkon.geometry.solids import SIMPLE_SHAPES, SolidParts
from walkon.stage.prop_parts import Colour, Pose, PropGrip, PropPart, check_colour, check_size

__all__ = ["DENSITY_KG_M3", "SHAPES", "Prop", "PropGrip", "PropPart"]

SHAPES = (*SIMPLE_SHAPES, "compound", "mesh")
"""Shapes of props."""
DENSITY_KG_M3 = 1000.0 / 6.0
"""kg/m³ of a prop whose mass is not given: 6 litres to the kilogram, the airlines' convention for packed freight."""
MAX_MASS_KG = 1e6
USUAL_SIZE_M = (0.3, 0.3, 0.3)
HERE: Pose = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class Prop:
    """A solid with a mass and named grips. Two props are equal where all their fields are."""

    name: str
    shape: str = "box"
    """One of `SHAPES`; a cylinder stands along z."""
    size: tuple[float, float, float] = cast(Any, None)
    """Full extent along x, y and z, metres; of a ball, and across a cylinder, the extent along x is the diameter. Left
    out: 0.3 m each way; of a compound and a mesh it follows from their geometry (`bounds`)."""
    colour: Colour = (0.72, 0.58, 0.42)
    """Red, green, blue in 0 to 1."""
    keep_level: bool = False
    """Whether it turns about the vertical only, however it is held: a tray, a full glass."""
    mass: float = cast(Any, None)
    """Kilograms. Left out: by the volume, `DENSITY_KG_M3`."""
    parts: tuple[PropPart, ...] = ()
    """Of a compound, one or more."""
    vertices: Array = field(default_factory=lambda: np.zeros((0, 3)))
    """[V, 3] metres, of a mesh."""
    triangles: IntArray = field(default_factory=lambda: np.zeros((0, 3), np.int64))
    """[F, 3] rows of vertices, of a mesh: closed, consistently oriented; kept counter-clockwise seen from outside."""
    grips: Mapping[str, PropGrip] = field(default_factory=dict)
    """Name → where and how a hand holds it."""

    def __post_init__(self) -> None:
        whose = f"prop {self.name!r}"
        UnknownName.check("shape of a prop", self.shape, SHAPES)
        self._set("parts", tuple(self.parts))
        self._set("colour", check_colour(self.colour, whose))
        self._set("vertices", lock_array(self.vertices, (None, 3), name=f"the vertices of {whose}"))
        self._set("triangles", _rows(self.triangles, whose))
        for given, fits in (("parts", "compound"), ("vertices", "mesh"), ("triangles", "mesh")):
            if len(getattr(self, given)) and self.shape != fits:
                raise InvalidValue(f"{given} belong to a {fits}, but {whose} is a {self.shape}; give shape={fits!r}")
        if self.shape in SIMPLE_SHAPES:
            self._set("size", check_size(USUAL_SIZE_M if self.size is None else self.size, whose))
        else:
            self._check_geometry(whose)
        mass = DENSITY_KG_M3 * self.volume if self.mass is None else self.mass
        if not (np.isfinite(mass) and 0.0 < mass <= MAX_MASS_KG):
            raise InvalidValue(
                f"the mass of {whose} must be over 0 and up to {MAX_MASS_KG:g} kg, got {mass}; leave it out for one "
                "by its volume"
            )
        self._set("mass", float(mass))
        for name, grip in self.grips.items():
            if not (isinstance(name, str) and name and isinstance(grip, PropGrip)):
                raise InvalidValue(f"grips of {whose} are names with a PropGrip each, got {name!r}: {grip!r}")
        self._set("grips", MappingProxyType(dict(self.grips)))

    def _check_geometry(self, whose: str) -> None:
        """Check parts or mesh, turn a mesh that is inside out, and find the size."""
        if self.shape == "compound":
            if not self.parts or not all(isinstance(part, PropPart) for part in self.parts):
                raise InvalidValue(f"the parts of {whose} must be one or more PropPart, got {self.parts!r}")
        else:
            closed_meshes.check_closed(self.mesh, whose=whose)
            if closed_meshes.mesh_volume(self.mesh) < 0:
                self._set("triangles", locked(np.ascontiguousarray(self.triangles[:, ::-1])))
        extent = check_size(np.ptp(self.bounds, axis=0), whose)
        if self.size is not None and not np.allclose(self.size, extent, rtol=1e-9, atol=1e-12):
            raise InvalidValue(
                f"the size of {whose} follows from its geometry, {extent}, and cannot be {self.size}; leave it out"
            )
        self._set("size", extent)

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _key(self) -> tuple[object, ...]:
        looks = (self.name, self.shape, self.size, self.colour, self.keep_level, self.mass, self.parts)
        surface = self.vertices.tobytes(), self.triangles.tobytes()
        return (*looks, *surface, frozenset(self.grips.items()))

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Prop) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:
        # A mapping proxy cannot be pickled; rebuild from plain fields.
        plain = {spec.name: getattr(self, spec.name) for spec in fields(self)}
        return partial(Prop, **(plain | {"grips": dict(self.grips)})), ()

    def grip(self, name: str) -> PropGrip:
        """Return a grip by name."""
        UnknownName.check(f"grip of prop {self.name!r}", name, list(self.grips))
        return self.grips[name]

    @property
    def is_round(self) -> bool:
        """Whether it looks the same from all around: a ball, a cylinder."""
        return self.shape in ("sphere", "cylinder")

    @property
    def mesh(self) -> ClosedMesh:
        """The mesh; empty where the prop is none."""
        return ClosedMesh(self.vertices, self.triangles)

    @cached_property
    def pieces(self) -> tuple[PropPart, ...]:
        """The simple solids that it is made of, coloured: one, or a compound's parts; none of a mesh."""
        if self.shape == "mesh":
            return ()
        if self.shape != "compound":
            return (PropPart(shape=self.shape, size=self.size, pose=HERE, colour=self.colour),)
        return tuple(part if part.colour else replace(part, colour=self.colour) for part in self.parts)

    @cached_property
    def solid_parts(self) -> SolidParts:
        """The pieces as plain arrays; none of a mesh."""
        own = [(self.shape, self.size, HERE)] if self.shape in SIMPLE_SHAPES else []
        pieces = own or [(part.shape, part.size, part.pose) for part in self.parts]
        return SolidParts(
            shapes=tuple(shape for shape, _, _ in pieces),
            sizes=locked(np.array([size for _, size, _ in pieces]).reshape(-1, 3)),
            poses=locked(np.array([pose for _, _, pose in pieces]).reshape(-1, 7)),
        )

    @cached_property
    def hull_corners(self) -> Array:
        """[H, 3] the vertices of a mesh that are corners of its convex hull: no other point is the farthest any way."""
        from scipy.spatial import ConvexHull

        used = self.vertices[np.unique(self.triangles)]
        return np.asarray(locked(used[ConvexHull(used).vertices]))

    @cached_property
    def corner_normals(self) -> Array:
        """[F, 3, 3] unit normals of the corners of a mesh's triangles, to shade it by."""
        return np.asarray(locked(closed_meshes.crease_normals(self.mesh)))

    @cached_property
    def bounds(self) -> Array:
        """[2, 3] metres: the lowest and the highest x, y and z in the prop's frame."""
        if self.shape == "mesh":
            used = self.vertices[self.triangles.ravel()]
            return np.asarray(locked(np.stack([used.min(axis=0), used.max(axis=0)])))
        return np.asarray(locked(solids.parts_bounds(self.solid_parts)))

    @property
    def middle(self) -> Array:
        """[3] metres: the middle of the bounds."""
        return np.asarray(self.bounds.mean(axis=0))

    @cached_property
    def reach(self) -> float:
        """Metres from the middle of its bounds to the farthest of its points."""
        if self.shape == "mesh":
            return float(np.linalg.norm(self.vertices[self.triangles.ravel()] - self.middle, axis=1).max())
        return solids.parts_reach(self.solid_parts, self.middle)

    @property
    def volume(self) -> float:
        """Cubic metres; where parts of a compound overlap, twice."""
        mesh = self.shape == "mesh"
        return closed_meshes.mesh_volume(self.mesh) if mesh else solids.parts_volume(self.solid_parts)

    def distances(self, points: ArrayLike) -> Array:
        """Return signed distances [...] m of points [..., 3] in the prop's frame, less than 0 inside."""
        places = np.asarray(points, dtype=np.float64)
        if self.shape == "mesh":
            return closed_meshes.mesh_distances(self.mesh, places)
        return solids.parts_distances(self.solid_parts, places)

    def capsule_gaps(self, capsules: Capsules) -> Array:
        """Return the signed gaps [...] m from capsules [..., 3], [..., 2] in the prop's frame.

        Of boxes, balls, cylinders and compounds to nanometres; of a mesh, which may be hollow-sided, never less than
        the true gap, and at most half a millimetre more.
        """
        if self.shape == "mesh":
            return closed_meshes.mesh_gaps(self.mesh, capsules)
        return solid_pairs.parts_gaps(self.solid_parts, capsules)


def _rows(triangles: ArrayLike, whose: str) -> IntArray:
    """Return triangles as locked whole numbers [F, 3]."""
    values = np.asarray(triangles)
    if values.dtype.kind not in "iu":
        raise InvalidValue(f"triangles of {whose} are rows of vertices, whole numbers, got {values.dtype}")
    return cast(IntArray, lock_array(values, (None, 3), name=f"the triangles of {whose}", dtype=np.int64))
