"""A skeleton: joints, who hangs on whom, how far apart at rest, what each is for, and where it touches the floor."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from types import MappingProxyType

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray, lock, lock_fields
from walkon._base.errors import InvalidSkeleton, MissingRole, UnknownName
from walkon.motion.anatomy.limits import JointLimit

__all__ = ["FOOT_CONTACTS", "ROLES", "SIDES", "Skeleton"]

SIDES = ("left", "right")
ROLES = (
    *("hips", "spine", "chest", "neck", "head"),
    *(
        f"{side}_{part}"
        for side in SIDES
        for part in ("clavicle", "shoulder", "elbow", "wrist", "hip", "knee", "ankle", "ball")
    ),
)
"""What a joint can be for. A person has most of them; a robot arm may have none."""

FOOT_CONTACTS = ("left_heel", "left_ball", "right_heel", "right_ball")
"""The contact points of a person's feet, in the order in which every `contacts` array of a person has them."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Skeleton:
    """J joints in a tree, parents before children. At rest it stands along +z and faces +x; metres."""

    names: tuple[str, ...]
    """[J] different names."""
    parents: IntArray
    """[J] index of each joint's parent; −1 for the root, which is joint 0."""
    offsets: Array
    """[J, 3] metres, place of each joint in its parent's frame at rest."""
    end_sites: BoolArray = field(default_factory=lambda: np.zeros(0, bool))
    """[J] True for the ends of chains: joints that never rotate and have no channels in files."""
    roles: Mapping[str, int] = field(default_factory=dict)
    """Role → joint index, for the roles that are known (see `ROLES`)."""
    limits: Mapping[int, JointLimit] = field(default_factory=dict)
    """Joint index → how far it can turn, for the joints of which that is known."""
    self_overlaps: Mapping[tuple[int, int], float] | None = None
    """Pair of joints, the lower index first → metres by which the flesh of the one is in that of the other where the
    clips of a library have it deepest; None where that was not measured (see `walkon.motion.anatomy.self_overlaps`)."""
    contact_names: tuple[str, ...] = ()
    """[C] names of the contact points; for a person's feet `FOOT_CONTACTS`."""
    contact_joints: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    """[C] joint that each contact point is fixed to."""
    contact_offsets: Array = field(default_factory=lambda: np.zeros((0, 3)))
    """[C, 3] metres, place of each contact point in that joint's frame."""

    def __post_init__(self) -> None:
        names = tuple(str(name) for name in self.names)
        object.__setattr__(self, "names", names)
        J = len(names)
        if J == 0:
            raise InvalidSkeleton("a skeleton needs at least one joint, got none")
        if len(set(names)) < J:
            twice = next(name for i, name in enumerate(names) if name in names[:i])
            raise InvalidSkeleton(f"joint names must differ, but {twice!r} occurs more than once; rename one of them")
        lock(self, "parents", (J,), np.int64)
        lock(self, "offsets", (J, 3))
        if len(self.end_sites) == 0:
            object.__setattr__(self, "end_sites", np.zeros(J, bool))
        lock(self, "end_sites", (J,), np.bool_)
        first = np.where(np.arange(J) == 0, -1, 0)
        wrong = np.flatnonzero((self.parents < first) | (self.parents >= np.arange(J)))
        if len(wrong):
            raise InvalidSkeleton(
                f"joint 0 must be the only root (parent -1) and parents must come before children, "
                f"but joint {wrong[0]} ({names[wrong[0]]!r}) has parent {self.parents[wrong[0]]}"
            )
        roles = dict(self.roles)
        for role in roles:
            UnknownName.check("role", role, ROLES)
        object.__setattr__(self, "roles", MappingProxyType({r: int(roles[r]) for r in ROLES if r in roles}))
        named = [(f"role {role!r} names", joint) for role, joint in roles.items()]
        for what, joint in [*named, *(("a limit is given for", joint) for joint in self.limits)]:
            if not 0 <= joint < J:
                raise InvalidSkeleton(f"{what} joint {joint}, but there are only {J} joints")
        object.__setattr__(self, "limits", MappingProxyType(dict(self.limits)))
        if self.self_overlaps is not None:
            for (a, b), depth in self.self_overlaps.items():
                if not (0 <= a < b < J and 0.0 <= depth < np.inf):
                    raise InvalidSkeleton(
                        f"the flesh of two joints i < j < {J} may overlap by a depth in metres, got {depth} of {a, b}"
                    )
            object.__setattr__(self, "self_overlaps", MappingProxyType(dict(self.self_overlaps)))
        object.__setattr__(self, "contact_names", tuple(str(name) for name in self.contact_names))
        C = len(self.contact_names)
        lock(self, "contact_joints", (C,), np.int64)
        lock(self, "contact_offsets", (C, 3))
        if C and not (self.contact_joints.min() >= 0 and self.contact_joints.max() < J):
            raise InvalidSkeleton(f"contact joints must be 0 to {J - 1}, got {self.contact_joints.tolist()}")

    def __repr__(self) -> str:
        feet = f", contacts {', '.join(self.contact_names)}" if self.contact_names else ""
        return (
            f"Skeleton({len(self)} joints, {self.reach:.2f} m from foot to head at rest, {len(self.roles)} roles{feet})"
        )

    def __len__(self) -> int:
        return len(self.names)

    def __reduce__(self) -> tuple[object, ...]:
        # A mapping proxy cannot be pickled; rebuild from plain fields.
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        overlaps = None if self.self_overlaps is None else dict(self.self_overlaps)
        plain = {"roles": dict(self.roles), "limits": dict(self.limits), "self_overlaps": overlaps}
        return partial(Skeleton, **(fields | plain)), ()

    def index(self, name: str) -> int:
        """Return the index of the joint with this name."""
        UnknownName.check("joint", name, self.names)
        return self.names.index(name)

    def role(self, role: str) -> int:
        """Return the joint in this role; `MissingRole` says what is missing and how to give it."""
        UnknownName.check("role", role, ROLES)
        if role not in self.roles:
            known = ", ".join(self.roles) or "none"
            raise MissingRole(
                f"this needs a joint in the role {role!r}, and the skeleton has none (roles known: {known}); "
                f"name it with skeleton.with_roles({role}='NameOfTheJoint')"
            )
        return self.roles[role]

    def has_roles(self, roles: Iterable[str]) -> bool:
        """Say whether all these roles are known."""
        return all(role in self.roles for role in roles)

    @property
    def has_feet(self) -> bool:
        """Whether both legs have hip, knee, ankle and ball, as everything about feet needs."""
        return self.has_roles(f"{side}_{part}" for side in SIDES for part in ("hip", "knee", "ankle", "ball"))

    def with_roles(self, **roles: str) -> "Skeleton":
        """Return a copy in which roles are given by joint name: `with_roles(left_ankle="LFoot")`."""
        return replace(self, roles={**self.roles, **{role: self.index(name) for role, name in roles.items()}})

    def with_contacts(self, names: tuple[str, ...], joints: IntArray, offsets: Array) -> "Skeleton":
        """Return a copy with these contact points."""
        return replace(self, contact_names=tuple(names), contact_joints=joints, contact_offsets=offsets)

    def scaled(self, factor: float) -> "Skeleton":
        """Return a copy with all lengths multiplied by `factor`."""
        overlaps = None if self.self_overlaps is None else {k: m * factor for k, m in self.self_overlaps.items()}
        return replace(
            self,
            offsets=self.offsets * factor,
            contact_offsets=self.contact_offsets * factor,
            self_overlaps=overlaps,
        )

    def contact(self, name: str) -> int:
        """Return the column of a contact point."""
        UnknownName.check("contact point", name, self.contact_names)
        return self.contact_names.index(name)

    def same_topology(self, other: "Skeleton") -> bool:
        """Say whether both have the same joints on the same parents (lengths may differ)."""
        return self.names == other.names and np.array_equal(self.parents, other.parents)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """[J] the children of each joint."""
        return tuple(tuple(np.flatnonzero(self.parents == joint).tolist()) for joint in range(len(self)))

    @cached_property
    def rest_positions(self) -> Array:
        """[J, 3] metres, places of the joints with all rotations zero and the root at its own offset."""
        positions = np.array(self.offsets)
        for joint in range(1, len(self)):
            positions[joint] += positions[self.parents[joint]]
        return lock_fields((positions,))[0]

    @cached_property
    def reach(self) -> float:
        """Metres from the lowest to the highest joint at rest."""
        return float(np.ptp(self.rest_positions[:, 2]))

    def line_up(self, joint: int) -> list[int]:
        """Return the joint and its ancestors, root last."""
        line = [joint]
        while self.parents[line[-1]] >= 0:
            line.append(int(self.parents[line[-1]]))
        return line

    def chain(self, start: int, stop: int) -> tuple[int, ...]:
        """Return the joints from `start` down to its descendant `stop`, both included."""
        line = self.line_up(stop)
        if start not in line:
            raise InvalidSkeleton(f"{self.names[stop]!r} does not hang on {self.names[start]!r}")
        return tuple(line[line.index(start) :: -1])
