"""Bodies as figures to draw: their capsules placed in the world and dressed.

Shirt in the body's colour, trousers in a quiet shade of it, dark shoes, skin and hair. Limbs of the right side are
darker, so that legs can be told apart in a side view. Hair sits on the back of the head, so that one sees where a
person looks. Skin and hair differ from colour to colour, always in the same way. What is no person (a robot arm, a
bird) is drawn in its body's colour.

Everyone in a take is dressed once. All flesh, clothes and hair of a figure ride rigidly on one joint each, so a frame
of a thousand people is one rotation of some sixty thousand points; only fingers of hands that are not relaxed are bent
first (`hand_flesh`):

    world = p(owner, joint) + R(owner, joint) local
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray, IntArray, lock_array
from walkon._base.errors import InvalidShape
from walkon.drawing.hand_flesh import bend_fingers, fingers_of, with_hand_flesh
from walkon.drawing.solids import RoundCones
from walkon.motion.body import Body, world_capsules
from walkon.take.posing.posing import Poses
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = [
    "PALETTE",
    "PAPER",
    "cloth_of",
    "crowd_figures",
    "fading_figures",
    "figure_at_joints",
    "figures",
    "part_colours",
    "wear_colours",
]

PALETTE = (
    (0.38, 0.56, 0.74),
    (0.84, 0.52, 0.43),
    (0.50, 0.67, 0.54),
    (0.89, 0.74, 0.47),
    (0.63, 0.54, 0.72),
    (0.45, 0.66, 0.68),
    (0.83, 0.82, 0.80),
    (0.47, 0.50, 0.57),
)
"""Shirts of a crowd, in the order in which to hand them out."""

RIGHT_SHADE = 0.80
"""Brightness of the right side's limbs over that of the left side's."""

PAPER = 0.93
"""What is mixed into pale colours: nearly white."""

SKIN = np.array([(0.91, 0.76, 0.67), (0.80, 0.61, 0.50), (0.62, 0.45, 0.36), (0.94, 0.81, 0.73)])
HAIR = np.array([(0.30, 0.23, 0.19), (0.19, 0.17, 0.17), (0.17, 0.14, 0.13), (0.55, 0.42, 0.29)])
SHOES = np.array((0.27, 0.28, 0.31))
CLOTH = np.array((0.36, 0.40, 0.48))
"""Trousers are mostly this."""

MAX_KIN = 6
"""Each capsule passes over without a seam to at most so many others."""

CLOTHES = {
    "shoes": ("foot", "toe", "heel", "ball", "instep", "sole", "tyre", "beak"),
    "skin": ("head", "neck", "hand", "forearm"),
    "trousers": ("pelvis", "thigh", "shank", "shin", "calf", "leg", "window"),
}
"""Words by which parts wear something; the others are under the shirt."""


def cloth_of(part: str) -> str:
    """Return what a part of a person wears: "shoes", "skin", "trousers" or "shirt"."""
    return next((cloth for cloth, words in CLOTHES.items() if any(word in part.lower() for word in words)), "shirt")


def wear_colours(shirt: tuple[float, float, float]) -> dict[str, Array]:
    """Return the colours [3] of clothes, skin and hair of a person in a shirt of this colour."""
    tone = round(sum(c * w for c, w in zip(shirt, (211.0, 331.0, 617.0), strict=True))) % len(SKIN)
    own = np.array(shirt)
    return {"hair": HAIR[tone], "shoes": SHOES, "skin": SKIN[tone], "trousers": 0.78 * CLOTH + 0.22 * own, "shirt": own}


def part_colours(body: Body, *, right_shade: float = RIGHT_SHADE) -> Array:
    """Return the colours [K, 3] of a body's capsules by the names of its parts."""
    colours = wear_colours(body.colour)
    found = np.array([colours[cloth_of(part)] for part in body.capsule_parts]).reshape(-1, 3)
    found[[part.lower().startswith("right_") for part in body.capsule_parts]] *= right_shade
    return found


def figures(bodies: Body | Sequence[Body], positions: ArrayLike, *, rotations: ArrayLike) -> RoundCones:
    """Place and dress B bodies (or B times the same one): joints at [B, J, 3] metres, turned by [B, J, 4]."""
    places: Array = lock_array(positions, (None, None, 3), name="positions")
    turns: Array = lock_array(rotations, (*places.shape[:2], 4), name="rotations")
    B = len(places)
    everyone = [bodies] * B if isinstance(bodies, Body) else list(bodies)
    if len(everyone) != B:
        raise InvalidShape(f"positions has {B} poses, but there are {len(everyone)} bodies; give one body per pose")
    groups: dict[int, list[int]] = {}
    for i, body in enumerate(everyone):
        groups.setdefault(id(body), []).append(i)
    parts = [_place(with_hand_flesh(everyone[rows[0]]), places[rows], turns[rows]) for rows in groups.values()]
    return RoundCones.joined(parts)


def _place(body: Body, places: Array, turns: Array) -> RoundCones:
    """Place one body, as it is drawn, in n poses [n, J, 3], [n, J, 4]: its hair, a cap per head, then its capsules."""
    parts, n = [], len(places)
    a, b = world_capsules(body, places, turns)
    for head in _heads(body):
        over, down, r = _hair(body, head, turns[:, body.capsule_joints[head]], a[:, head], b[:, head])
        colours = np.tile(wear_colours(body.colour)["hair"], (n, 1))
        parts.append(RoundCones(starts=over, ends=down, radii=np.tile(r, (n, 1)), colours=colours))
    kin = _kin(body)
    first = len(kin) * np.arange(n)[:, None, None]
    parts.append(
        RoundCones(
            starts=a.reshape(-1, 3),
            ends=b.reshape(-1, 3),
            radii=np.tile(body.capsule_radii, (n, 1)),
            colours=np.tile(part_colours(body), (n, 1)),
            kin=np.where(kin < 0, -1, kin + first).reshape(-1, MAX_KIN),
        )
    )
    return RoundCones.joined(parts)


def fading_figures(body: Body, positions: Array, rotations: Array, pale: Array) -> RoundCones:
    """Return one body in n poses, [n, J, 3] and [n, J, 4], with so much white, `pale` [n], mixed into its colours."""
    capsules, n = figures(body, positions, rotations=rotations), len(positions)
    K = len(with_hand_flesh(body).capsule_parts)
    # Figures come as all heads of hair, then body by body: every array is ordered by pose within each of the two.
    pose = np.concatenate([np.arange(len(capsules) - n * K) % n, np.repeat(np.arange(n), K)])
    white = pale[pose][:, None]
    return replace(capsules, colours=capsules.colours * (1.0 - white) + 0.90 * white)


def figure_at_joints(body: Body) -> tuple[IntArray, RoundCones]:
    """Return the joints [K] and the capsules of a body as it is drawn (`with_hand_flesh`), hair first, whose joints all
    are at the origin, unturned.
    """
    J = len(body.skeleton)
    flesh = _place(body, np.zeros((1, J, 3)), np.tile(quat.IDENTITY, (1, J, 1)))
    return np.concatenate([body.capsule_joints[_heads(body)], body.capsule_joints]), flesh


class _Flesh(NamedTuple):
    """Everyone in a take, dressed: M capsules."""

    owner: IntArray
    """[M] row of the character."""
    joint: IntArray
    """[M] joint that the capsule rides on."""
    local: RoundCones
    """[M] in the frame of that joint."""
    first: IntArray
    """[N] where each character's own capsules begin, after the hair."""


_known_flesh: "WeakKeyDictionary[Take, dict[bool, _Flesh]]" = WeakKeyDictionary()


def crowd_figures(
    take: Take, poses: Poses, *, shown: BoolArray, tint: Array | None = None, fingers: bool = True
) -> RoundCones:
    """Return the capsules of those characters of a take's poses [N] that are `shown` [N].

    `tint` [N], 0 to 1, is how much white is mixed into each character's colours. Without `fingers`, for what is far
    away, hands are the plain ones of the bodies.
    """
    flesh = _crowd_flesh(take, fingers=fingers)
    starts, ends = _bend_hands(take, poses, flesh, shown) if fingers else (flesh.local.starts, flesh.local.ends)
    keep = shown[flesh.owner]
    owner, joint, local = flesh.owner[keep], flesh.joint[keep], flesh.local
    places, turns = poses.positions[owner, joint], poses.rotations[owner, joint]
    now = np.append(np.cumsum(keep) - 1, -1)  # where each capsule went, and −1 for none
    colours = local.colours[keep]
    if tint is not None:
        white = tint[owner][:, None]
        colours = (1.0 - white) * colours + PAPER * white
    return RoundCones(
        starts=places + quat.rotate(turns, starts[keep]),
        ends=places + quat.rotate(turns, ends[keep]),
        radii=local.radii[keep],
        colours=colours,
        kin=now[local.kin[keep]],
    )


def _bend_hands(take: Take, poses: Poses, flesh: _Flesh, shown: BoolArray) -> tuple[Array, Array]:
    """Return starts and ends [M, 3] of all capsules in the frames of their joints, fingers bent as hands are shaped."""
    starts, ends = flesh.local.starts, flesh.local.ends
    shaped = shown & (poses.present) & ((poses.hand_shapes > 0) & (poses.hand_weights > 0.0)).any(axis=1)
    if not shaped.any():
        return starts, ends
    starts, ends = starts.copy(), ends.copy()
    for body in np.unique(take.characters.body[shaped]).tolist():
        rows = np.flatnonzero(shaped & (take.characters.body == body))
        fingers, scale = fingers_of(take.bodies[body]), take.characters.scale[rows, None, None].astype(np.float64)
        at = flesh.first[rows, None] + fingers.capsules
        starts[at], ends[at] = (
            scale * points for points in bend_fingers(fingers, poses.hand_shapes[rows], poses.hand_weights[rows])
        )
    return starts, ends


def _crowd_flesh(take: Take, *, fingers: bool) -> _Flesh:
    """Dress everyone in a take, once."""
    known = _known_flesh.setdefault(take, {})
    if fingers not in known:
        bodies = [take.body(row) for row in range(len(take))]
        bodies = [with_hand_flesh(body) for body in bodies] if fingers else bodies
        dressed = {body: figure_at_joints(body) for body in set(bodies)}
        joints, parts = zip(*(dressed[body] for body in bodies), strict=True) if bodies else ((), ())
        sizes = np.array([len(part) for part in parts], np.int64)
        owner = np.repeat(np.arange(len(take)), sizes)
        joint = np.concatenate([np.zeros(0, np.int64), *joints])
        own = np.array([len(body.capsule_parts) for body in bodies], np.int64)
        known[fingers] = _Flesh(owner, joint, RoundCones.joined(parts), np.cumsum(sizes) - own)
    return known[fingers]


_known_kin: "WeakKeyDictionary[Body, IntArray]" = WeakKeyDictionary()


def _kin(body: Body) -> IntArray:
    """Return [K, S] the nearest capsules of the same cloth or skin that touch each one at rest, −1 after the last."""
    if body not in _known_kin:
        rest = body.skeleton.rest_positions[body.capsule_joints]
        share = np.linspace(0.0, 1.0, 9)[:, None, None]
        places = (1.0 - share) * (rest + body.capsule_starts) + share * (rest + body.capsule_ends)
        sizes = (1.0 - share) * body.capsule_radii[:, :1] + share * body.capsule_radii[:, 1:]
        p, r = places.transpose(1, 0, 2), sizes[..., 0].T
        apart = np.linalg.norm(p[:, None, :, None] - p[None, :, None, :], axis=-1)
        gap = (apart - r[:, None, :, None] - r[None, :, None, :]).min(axis=(2, 3))
        base = part_colours(body, right_shade=1.0)
        alike = (np.abs(base[:, None] - base[None, :]) < 1e-9).all(axis=-1)
        gap[~alike | (gap > 0.0) | np.eye(len(p), dtype=bool)] = np.inf
        found = np.argsort(gap, axis=1, kind="stable")[:, :MAX_KIN]
        kin = np.full((len(p), MAX_KIN), -1, np.int64)
        kin[:, : found.shape[1]] = np.where(np.isinf(np.take_along_axis(gap, found, axis=1)), -1, found)
        _known_kin[body] = kin
    return _known_kin[body]


def _heads(body: Body) -> list[int]:
    return [k for k, part in enumerate(body.capsule_parts) if part == "head"]


def _hair(body: Body, head: int, rotations: Array, chin: Array, crown: Array) -> tuple[Array, Array, Array]:
    """Return starts, ends [B, 3] and radii [2] of a cap of hair: over the crown and down the back of the skull."""
    radius = float(body.capsule_radii[head].max())
    up = crown - chin
    up = up / np.maximum(np.linalg.norm(up, axis=-1, keepdims=True), 1e-9)
    ahead = quat.rotate(rotations, np.array([1.0, 0.0, 0.0]))  # at rest a body faces +x
    ahead = ahead - np.sum(ahead * up, axis=-1, keepdims=True) * up
    over = crown + radius * (0.17 * up - 0.10 * ahead)
    down = crown + radius * (-0.40 * up - 0.40 * ahead)
    return over, down, np.array([0.94, 0.70]) * radius
