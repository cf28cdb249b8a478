"""A body: a skeleton with flesh (tapered capsules), masses, a height and a colour, for drawing and collision audits.

A tapered capsule is the hull of two spheres, fixed to one joint: start and end point in that joint's frame, a radius
at each. A person gets its capsules from its roles, other skeletons one per bone, a single joint a ball. See
`walkon.motion.anatomy.anthropometry` for a person's measures and where they come from.

A body may cut through itself (`self_contact`, self-collision): measured is the depth at which capsules of different
limbs overlap. Limbs that hang together (a thigh and the pelvis, an upper arm and the chest) overlap at their joints by
construction and are not compared; nor are capsules that touch when the body is at rest. Metres.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, IntArray, lock
from walkon._base.errors import InvalidValue
from walkon.geometry.capsules import Capsules, gaps
from walkon.motion.anatomy.anthropometry import Capsule, Person, is_person
from walkon.motion.clip import Clip
from walkon.motion.kinematics import forward
from walkon.motion.skeleton import Skeleton
from walkon.transforms import quaternions as quat

__all__ = ["Body", "SelfContact", "limb_pairs", "self_contact", "world_capsules"]

BODY_MASS_INDEX_KG_M2 = 22.5
"""kg/m²: mass over stature squared where no mass is given."""
DENSITY_KG_M3 = 1000.0
"""kg/m³, for skeletons that are no person."""
BONE_RADIUS_RATIO = 0.12
"""Radius over length of the capsules of skeletons that are no person."""
POINT_RADIUS_M = 0.1
"""Radius of the ball that stands for a skeleton without any bone."""
COLOUR = (0.62, 0.66, 0.70)
MIN_BONES_APART = 3
"""Bones between two joints from which on their capsules are compared."""
CHUNK_FRAMES = 512
"""Frames that are compared at once: bounds the memory."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Body:
    """A skeleton with K tapered capsules, masses, a height and a colour. Metres, kilograms."""

    skeleton: Skeleton
    capsule_joints: IntArray
    """[K] joint to which each capsule is fixed."""
    capsule_starts: Array
    """[K, 3] metres, centre of the first sphere in that joint's frame."""
    capsule_ends: Array
    """[K, 3] metres, centre of the second sphere in that joint's frame."""
    capsule_radii: Array
    """[K, 2] metres, radius at the start and at the end."""
    capsule_parts: tuple[str, ...]
    """[K] part of the body ("head", "left_thigh" …; the joint's name where the body is no person)."""
    masses: Array
    """[J] kg of the segment that hangs on each joint; 0 for joints without one."""
    height: float
    """Metres from the sole to the crown when standing straight; for other skeletons from lowest to highest joint."""
    colour: tuple[float, float, float] = COLOUR
    """Red, green, blue in 0 to 1."""
    scale: float = 1.0
    """Size over that of the skeleton this body was made from."""

    def __post_init__(self) -> None:
        J, K = len(self.skeleton), len(self.capsule_parts)
        object.__setattr__(self, "capsule_parts", tuple(self.capsule_parts))
        lock(self, "capsule_joints", (K,), np.int64)
        shapes = {"capsule_starts": (K, 3), "capsule_ends": (K, 3), "capsule_radii": (K, 2), "masses": (J,)}
        for name, shape in shapes.items():
            lock(self, name, shape)
        if K and not (self.capsule_joints.min() >= 0 and self.capsule_joints.max() < J):
            raise InvalidValue(f"capsule joints must be 0 to {J - 1}, got {self.capsule_joints.tolist()}")
        if (self.capsule_radii <= 0).any():
            raise InvalidValue(f"capsule radii must be positive, got {self.capsule_radii.min():g} m")
        if (self.masses < 0).any():
            raise InvalidValue(f"masses must not be negative, got {self.masses.min():g} kg")
        colour = tuple(float(c) for c in self.colour)
        if len(colour) != 3 or not all(0 <= c <= 1 for c in colour):
            raise InvalidValue(f"a colour is three numbers from 0 to 1, got {self.colour}")
        object.__setattr__(self, "colour", colour)

    def __repr__(self) -> str:
        return (
            f"Body({self.height:.2f} m, {self.masses.sum():.1f} kg, {len(self.skeleton)} joints, "
            f"{len(self.capsule_parts)} capsules, scale {self.scale:g})"
        )

    @classmethod
    def of(
        cls, skeleton: Skeleton, *, colour: tuple[float, float, float] | None = None, mass: float | None = None
    ) -> "Body":
        """Give flesh to a skeleton: a person's where its roles are known, else one capsule per bone, or a lone ball."""
        if mass is not None and not (np.isfinite(mass) and mass > 0):
            raise InvalidValue(f"mass must be positive, got {mass} kg")
        person = Person(skeleton) if is_person(skeleton) else None
        flesh = list(person.capsules() if person else _bone_capsules(skeleton))
        joints = np.array([capsule[1] for capsule in flesh], dtype=np.int64)
        starts, ends, radii = (np.reshape([c[k] for c in flesh], (-1, n)) for k, n in ((2, 3), (3, 3), (4, 2)))
        if person:
            masses = person.mass_shares() * (BODY_MASS_INDEX_KG_M2 * person.stature**2 if mass is None else mass)
        else:
            weights = DENSITY_KG_M3 * _volumes(starts, ends, radii)
            masses = np.bincount(joints, weights, len(skeleton)).astype(np.float64)
            if mass is not None:
                masses = masses * (mass / masses.sum())
        return cls(
            skeleton=skeleton,
            capsule_joints=joints,
            capsule_starts=starts,
            capsule_ends=ends,
            capsule_radii=radii,
            capsule_parts=tuple(capsule[0] for capsule in flesh),
            masses=masses,
            height=person.height if person else max(skeleton.reach, float((2.0 * radii).max(initial=0.0))),
            colour=COLOUR if colour is None else colour,
        )

    def scaled(self, factor: float) -> "Body":
        """Return a copy with all lengths multiplied by `factor`, and masses by its cube."""
        if not (np.isfinite(factor) and factor > 0):
            raise InvalidValue(f"a body is scaled by a positive factor, got {factor}")
        return replace(
            self,
            skeleton=self.skeleton.scaled(factor),
            capsule_starts=self.capsule_starts * factor,
            capsule_ends=self.capsule_ends * factor,
            capsule_radii=self.capsule_radii * factor,
            masses=self.masses * factor**3,
            height=self.height * factor,
            scale=self.scale * factor,
        )


def world_capsules(body: Body, positions: ArrayLike, rotations: ArrayLike) -> tuple[Array, Array]:
    """Place the capsules of posed bodies: joints at [..., J, 3], turned by [..., J, 4] → starts, ends [..., K, 3]."""
    joints = body.capsule_joints
    places = np.asarray(positions, dtype=np.float64)[..., joints, :]
    turns = np.asarray(rotations, dtype=np.float64)[..., joints, :]
    return places + quat.rotate(turns, body.capsule_starts), places + quat.rotate(turns, body.capsule_ends)


def _bone_capsules(skeleton: Skeleton) -> Iterator[Capsule]:
    bones = 0
    for joint in range(1, len(skeleton)):
        offset, parent = skeleton.offsets[joint], int(skeleton.parents[joint])
        length = float(np.linalg.norm(offset))
        if length > 1e-6:
            bones += 1
            radius = BONE_RADIUS_RATIO * length
            yield (skeleton.names[parent], parent, np.zeros(3), offset, (radius, radius))
    if not bones:
        yield (skeleton.names[0], 0, np.zeros(3), np.zeros(3), (POINT_RADIUS_M, POINT_RADIUS_M))


def _volumes(starts: Array, ends: Array, radii: Array) -> Array:
    """Return the volumes [K] of capsules as frusta with half a sphere at either end."""
    a, b = radii[:, 0], radii[:, 1]
    length = np.linalg.norm(ends - starts, axis=1)
    return np.asarray(np.pi / 3 * length * (a * a + a * b + b * b) + 2 * np.pi / 3 * (a**3 + b**3))


class SelfContact(NamedTuple):
    """How deep limbs cut into each other."""

    depth: Array
    """[T] m, the deepest overlap of each frame; 0 where limbs are clear of each other."""
    worst: tuple[str, str]
    """The two parts that overlap most, over all frames."""
    frame: int
    """The frame in which they do."""


def limb_pairs(body: Body) -> IntArray:
    """Return the pairs [P, 2] of capsules that can meet: `MIN_BONES_APART` or more, and clear at rest."""
    pairs = np.stack(np.triu_indices(len(body.capsule_joints), 1), axis=1)
    pairs = pairs[_bones_between(body.skeleton)[tuple(body.capsule_joints[pairs].T)] >= MIN_BONES_APART]
    rest = forward(body.skeleton, body.skeleton.offsets[None, 0], np.tile(quat.IDENTITY, (1, len(body.skeleton), 1)))
    return pairs[_gaps(body, rest.positions, rest.rotations, pairs)[0] > 0]


def self_contact(clip: Clip, *, body: Body | None = None) -> SelfContact:
    """Measure how deep a clip's limbs cut into each other, frame by frame."""
    body = body or Body.of(clip.skeleton)
    pairs = limb_pairs(body)
    depth, deepest, worst, frame = np.zeros(len(clip)), 0.0, ("", ""), 0
    for start in range(0, len(clip), CHUNK_FRAMES):
        part = slice(start, start + CHUNK_FRAMES)
        overlap = -_gaps(body, clip.world.positions[part], clip.world.rotations[part], pairs)
        depth[part] = overlap.max(axis=1, initial=0.0)
        if depth[part].max() > deepest:
            at, pair = np.unravel_index(overlap.argmax(), overlap.shape)
            deepest, frame = float(overlap.max()), start + int(at)
            worst = (body.capsule_parts[pairs[pair, 0]], body.capsule_parts[pairs[pair, 1]])
    return SelfContact(depth, worst, frame)


def _gaps(body: Body, positions: Array, rotations: Array, pairs: IntArray) -> Array:
    starts, ends = world_capsules(body, positions, rotations)
    radii = np.broadcast_to(body.capsule_radii, (*starts.shape[:-1], 2))
    a, b = (Capsules(starts[:, pairs[:, i]], ends[:, pairs[:, i]], radii[:, pairs[:, i]]) for i in (0, 1))
    return gaps(a, b)


def _bones_between(skeleton: Skeleton) -> Array:
    """Return [J, J] how many bones lie between joints; bones of no length do not count."""
    J = len(skeleton)
    lengths = np.linalg.norm(skeleton.offsets, axis=1) > 1e-6
    above = np.full((J, J), np.inf)  # bones from a joint up to each of its ancestors, infinite where it is none
    above[0, 0] = 0.0
    for joint in range(1, J):
        above[joint] = above[skeleton.parents[joint]] + lengths[joint]
        above[joint, joint] = 0.0
    return np.asarray((above[:, None] + above[None]).min(axis=2))
