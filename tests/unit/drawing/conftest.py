"""A small person that walks, made by hand: enough to draw."""

import numpy as np
import pytest

from walkon.motion import FOOT_CONTACTS, Clip, Skeleton
from walkon.motion.body import Body
from walkon.transforms import quaternions as quat

JOINTS = {
    "hips": (None, (0, 0, 0.95)),
    "spine": ("hips", (0, 0, 0.15)),
    "chest": ("spine", (0, 0, 0.2)),
    "neck": ("chest", (0, 0, 0.2)),
    "head": ("neck", (0, 0, 0.08)),
} | {
    f"{side}_{part}": (None if parent is None else parent.format(side=side), (x, sign * y, z))
    for side, sign in (("left", 1.0), ("right", -1.0))
    for part, parent, x, y, z in (
        ("clavicle", "chest", 0.0, 0.03, 0.15),
        ("shoulder", "{side}_clavicle", 0.0, 0.15, 0.0),
        ("elbow", "{side}_shoulder", 0.0, 0.0, -0.28),
        ("wrist", "{side}_elbow", 0.0, 0.0, -0.25),
        ("hip", "hips", 0.0, 0.09, -0.03),
        ("knee", "{side}_hip", 0.0, 0.0, -0.42),
        ("ankle", "{side}_knee", 0.0, 0.0, -0.42),
        ("ball", "{side}_ankle", 0.14, 0.0, -0.06),
    )
}


@pytest.fixture(scope="session")
def walker() -> Skeleton:
    names = tuple(JOINTS)
    return Skeleton(
        names=names,
        parents=[-1 if parent is None else names.index(parent) for parent, _ in JOINTS.values()],
        offsets=[offset for _, offset in JOINTS.values()],
        roles={name: i for i, name in enumerate(names)},
        contact_names=FOOT_CONTACTS,
        contact_joints=[names.index(f"{side}_{part}") for side in ("left", "right") for part in ("ankle", "ball")],
        contact_offsets=[[-0.04, 0, -0.08], [0, 0, -0.02]] * 2,
    )


@pytest.fixture(scope="session")
def clip(walker: Skeleton) -> Clip:
    """Two seconds of swinging legs, 1.2 m/s along +y."""
    times = np.arange(61) / 30.0
    rotations = np.zeros((61, len(walker), 4))
    rotations[..., 0] = 1.0
    swing = 0.5 * np.sin(2.0 * np.pi * times)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for part, scale in (("hip", 1.0), ("shoulder", -0.7)):
            angles = sign * scale * swing
            rotations[:, walker.role(f"{side}_{part}")] = quat.about(np.array([0.0, 1.0, 0.0]), angles)
    rotations[:, 0] = quat.turn(0.5 * np.pi)
    roots = np.column_stack([np.zeros(61), 1.2 * times, np.full(61, 0.93)])
    contacts = np.stack([swing < 0, swing < 0, swing > 0, swing > 0], axis=1)
    return Clip(
        skeleton=walker, fps=30.0, root_positions=roots, local_rotations=rotations, contacts=contacts, name="swing"
    )


@pytest.fixture(scope="session")
def person(walker: Skeleton) -> Body:
    return Body.of(walker, colour=(0.4, 0.6, 0.8))
