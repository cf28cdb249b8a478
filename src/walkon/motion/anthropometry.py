"""The flesh of a person: tapered capsules, mass shares and height from a skeleton's roles and published body measures.

*Sizes* are shares of the stature H, taken from the leg: thigh + shank = 0.491 H (Drillis & Contini 1966, in Winter,
"Biomechanics and Motor Control of Human Movement", fig. 4.1: hip 0.530 H, knee 0.285 H, ankle 0.039 H, head 0.130 H,
hand 0.108 H, foot 0.152 H). Radii are girths of a man of average build over 2π. The leg and not the whole height is the
yardstick because capture skeletons keep true limbs but may shorten the trunk: the CMU ones lack the thorax bone.
*Masses* are shares of the body's mass (Dempster 1955, in Winter, table 4.1).

*Directions* come from bone offsets, never from a standing pose, which the rest pose need not be (CMU's legs are splayed
by 20 degrees, LAFAN1 rests as one straight line): left is the line across hips or shoulders, forward = left × up, and
in the foot up = −shank where the shank stands on the foot, else forward × left. Points are in their joint's frame.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from walkon._base.arrays import Array
from walkon.motion.skeleton import SIDES, Skeleton

__all__ = ["Capsule", "Person", "is_person"]

LEG_SHARE, ARM_SHARE = 0.491, 0.332
"""Thigh + shank, and upper arm + forearm, as shares of the stature."""

HEAD_TALL, CROWN_ABOVE_JOINT = 0.130, 0.107
"""Chin to crown, and top of the neck to crown, as shares of the stature."""

MASS_SHARES = (
    (("head",), 0.081),
    (("chest",), 0.216),
    (("spine", "hips"), 0.139),
    (("hips",), 0.142),
    (("{side}_shoulder", "chest"), 0.028),
    (("{side}_elbow", "chest"), 0.016),
    (("{side}_wrist", "{side}_elbow", "chest"), 0.006),
    (("{side}_hip", "hips"), 0.100),
    (("{side}_knee", "hips"), 0.0465),
    (("{side}_ankle", "hips"), 0.0145),
)
"""The role that carries a segment (the first that exists), and the share of the body's mass; limbs count twice."""

TORSO = np.array([[0.0, 0.088, 0.063], [0.35, 0.078, 0.057], [0.72, 0.092, 0.064], [1.0, 0.080, 0.046]])
"""Height between hips (0) and shoulders (1), half breadth and half depth in H: hips, waist, chest, shoulders."""


@dataclass(frozen=True)
class Capsule:
    """The hull of two spheres, fixed to a joint: centres in the joint's frame and radii, metres."""

    part: str
    joint: int
    start: Array
    end: Array
    radii: tuple[float, float]


def is_person(skeleton: Skeleton) -> bool:
    """Say whether the roles are enough for a person: trunk, head, and both legs or both arms."""
    limbs = (("hip", "knee", "ankle"), ("shoulder", "elbow", "wrist"))
    pair = any(skeleton.has_roles(f"{side}_{part}" for side in SIDES for part in limb) for limb in limbs)
    return pair and skeleton.has_roles(("hips", "chest", "head"))


class Person:
    """The measures of one skeleton that `is_person`, and the capsules, masses and height that follow from them."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.stature = self._stature()
        """H, metres."""
        hips, chest, head = (skeleton.role(role) for role in ("hips", "chest", "head"))
        self.left = {hips: self._left("hip", hips), chest: self._left("clavicle", chest)}
        self.up = {hips: _across(self.bone(hips, head), self.left[hips])}
        self.up[chest] = _across(self.bone(chest, head), self.left[chest])
        self.shoulder_level = self._shoulder_level(chest)

    def bone(self, a: int, b: int) -> Array:
        """Return the offset from joint `a` to joint `b` at rest, in `a`'s frame: at rest all frames are parallel."""
        return np.array(self.skeleton.rest_positions[b] - self.skeleton.rest_positions[a])

    def has(self, *roles: str) -> bool:
        """Say whether the skeleton has all these roles."""
        return self.skeleton.has_roles(roles)

    def _limb(self, *parts: str) -> float | None:
        """Return the mean length over both sides of a limb, bone by bone."""
        roles = [[f"{side}_{part}" for part in parts] for side in SIDES]
        if not all(self.has(*side) for side in roles):
            return None
        joints = [[self.skeleton.role(role) for role in side] for side in roles]
        return float(np.mean([sum(np.linalg.norm(self.bone(a, b)) for a, b in pairwise(j)) for j in joints]))

    def _stature(self) -> float:
        if leg := self._limb("hip", "knee", "ankle"):
            return leg / LEG_SHARE
        if arm := self._limb("shoulder", "elbow", "wrist"):
            return arm / ARM_SHARE
        return max(self.skeleton.reach, 1e-3)

    def _left(self, part: str, origin: int) -> Array:
        for name in (part, "shoulder", "hip"):
            if self.has(f"left_{name}", f"right_{name}"):
                line = self.bone(self.skeleton.role(f"right_{name}"), self.skeleton.role(f"left_{name}"))
                if np.linalg.norm(line) > 0.02 * self.stature:
                    return _unit(line)
        return np.array([0.0, 1.0, 0.0])

    def _shoulder_level(self, chest: int) -> float:
        """Return how far the shoulders are above the chest joint, metres along its up axis."""
        heights = []
        for side in SIDES:
            for part in ("clavicle", "shoulder"):
                if self.has(f"{side}_{part}"):
                    place = self.bone(chest, self.skeleton.role(f"{side}_{part}"))
                    if np.linalg.norm(place) > 0.01 * self.stature:
                        heights.append(place @ self.up[chest])
                        break
        level = float(np.mean(heights)) if heights else 0.08 * self.stature
        return float(np.clip(level, 0.02 * self.stature, 0.2 * self.stature))

    @property
    def crown(self) -> float:
        """Metres from the head joint to the crown; an end site beyond the usual place is taken as the crown."""
        H, (_, length) = self.stature, self._head_axis()
        return float(np.clip(length, CROWN_ABOVE_JOINT * H, 0.15 * H))

    def _head_axis(self) -> tuple[Array, float]:
        """Return the direction up in the head's frame and how far the furthest child reaches along it."""
        head, chest = self.skeleton.role("head"), self.skeleton.role("chest")
        neck = _unit(self.bone(int(self.skeleton.parents[head]), head))
        neck = neck if neck.any() else _unit(self.bone(chest, head))
        reach = [(float(self.skeleton.offsets[child] @ neck), child) for child in self.skeleton.children[head]]
        length, child = max(reach, default=(0.0, head))
        if length < 0.03 * self.stature:
            return neck, 0.0
        return _unit(self.skeleton.offsets[child]), length

    @property
    def height(self) -> float:
        """Metres from the sole to the crown of the straightened skeleton."""
        hips, head = self.skeleton.role("hips"), self.skeleton.role("head")
        leg = self._limb("hip", "knee", "ankle")
        trunk = float(np.linalg.norm(self.bone(hips, head))) + self.crown
        if leg is None:
            return trunk + 0.53 * self.stature
        drop = -np.mean([self.bone(hips, self.skeleton.role(f"{side}_hip")) @ self.up[hips] for side in SIDES])
        soles = np.mean([self.foot(side).ankle_height for side in SIDES])
        return float(trunk + leg + drop + soles)

    def mass_shares(self) -> Array:
        """Return [J] shares of the body's mass, which sum to 1."""
        shares = np.zeros(len(self.skeleton))
        for carriers, share in MASS_SHARES:
            for side in SIDES if "{side}" in carriers[0] else ("",):
                names = [role.format(side=side) for role in carriers]
                shares[next(self.skeleton.role(name) for name in names if self.has(name))] += share
        return shares

    def capsules(self) -> Iterator[Capsule]:
        """Yield the capsules of trunk, head and limbs."""
        yield from self._trunk()
        yield from self._head()
        for side in SIDES:
            if self.has(*(f"{side}_{part}" for part in ("shoulder", "elbow", "wrist"))):
                yield from self._arm(side)
            if self.has(*(f"{side}_{part}" for part in ("hip", "knee", "ankle"))):
                yield from self._leg(side)
                yield from self.foot(side).capsules()

    def _trunk(self) -> Iterator[Capsule]:
        """Three columns side by side along the spine make the trunk wider than deep; a bar across the hips ends it."""
        H, skeleton = self.stature, self.skeleton
        hips, chest = skeleton.role("hips"), skeleton.role("chest")
        left = self.left[hips]
        forward = np.cross(left, self.up[hips])
        ahead = 0.0
        if self.has("left_hip", "right_hip"):
            sockets = 0.5 * sum(self.bone(hips, skeleton.role(f"{side}_hip")) for side in SIDES)
            # Between the sockets, which may lie forward of the root (CMU), and the root; the belly follows, less so the
            # higher up, and the back has no step.
            ahead = 0.5 * float(sockets @ forward)
            centre = (sockets @ self.up[hips] + 0.012 * H) * self.up[hips] + ahead * forward
            yield Capsule("pelvis", hips, centre + 0.037 * H * left, centre - 0.037 * H * left, (0.060 * H, 0.060 * H))
        bones = [(int(skeleton.parents[j]), skeleton.offsets[j]) for j in skeleton.chain(hips, chest)[1:]]
        bones.append((chest, (self.shoulder_level - 0.028 * H) * self.up[chest]))
        lengths = np.array([np.linalg.norm(offset) for _, offset in bones])
        levels = np.concatenate([[0.0], np.cumsum(lengths)]) / max(float(lengths.sum()), 1e-9)
        half, depth = (np.interp(levels, TORSO[:, 0], TORSO[:, k]) * H for k in (1, 2))
        for i, (joint, offset) in enumerate(bones):
            if lengths[i] < 1e-6:
                continue
            part = "chest" if levels[i] + levels[i + 1] > 1.1 or joint == chest else "abdomen"
            out = self.left[chest] if joint == chest else left
            for sign in (1.0, 0.0, -1.0):
                start, end = sign * (half[i] - depth[i]) * out, offset + sign * (half[i + 1] - depth[i + 1]) * out
                start, end = (
                    p + (1 - level) * ahead * forward for p, level in ((start, levels[i]), (end, levels[i + 1]))
                )
                full = 1.0 if sign else 1.05  # the middle one fills the creases between the others
                yield Capsule(part, joint, start, end, (full * float(depth[i]), full * float(depth[i + 1])))

    def _head(self) -> Iterator[Capsule]:
        """Neck bones, and an egg from chin to crown whose narrow end is the jaw, a little forward."""
        H, skeleton = self.stature, self.skeleton
        chest, head = skeleton.role("chest"), skeleton.role("head")
        for joint in skeleton.chain(chest, head)[1:]:
            if np.linalg.norm(skeleton.offsets[joint]) > 1e-6:
                parent = int(skeleton.parents[joint])
                yield Capsule("neck", parent, np.zeros(3), skeleton.offsets[joint], (0.036 * H, 0.031 * H))
        up, _ = self._head_axis()
        forward = np.cross(_across(self.left[chest], up), up)
        skull, jaw = 0.051 * H, 0.036 * H
        top = (self.crown - skull) * up + 0.010 * H * forward
        chin = (self.crown - HEAD_TALL * H + jaw) * up + 0.026 * H * forward
        yield Capsule("head", head, chin, top, (jaw, skull))

    def _arm(self, side: str) -> Iterator[Capsule]:
        H, skeleton, chest = self.stature, self.skeleton, self.skeleton.role("chest")
        shoulder, elbow, wrist = (skeleton.role(f"{side}_{part}") for part in ("shoulder", "elbow", "wrist"))
        out = self.left[chest] if side == "left" else -self.left[chest]
        base = skeleton.roles.get(f"{side}_clavicle", chest)
        reach, root = self.bone(base, shoulder), np.zeros(3)
        if self.bone(chest, base) @ out < 0.02 * H:  # it starts inside the chest (CMU): draw it from beside the neck
            root = 0.012 * H * out + (reach @ self.up[chest] + 0.014 * H) * self.up[chest]
        yield Capsule(f"{side}_clavicle", base, root, reach, (0.038 * H, 0.034 * H))
        yield Capsule(f"{side}_upper_arm", shoulder, np.zeros(3), self.bone(shoulder, elbow), (0.034 * H, 0.025 * H))
        yield Capsule(f"{side}_forearm", elbow, np.zeros(3), self.bone(elbow, wrist), (0.027 * H, 0.0175 * H))
        along = _unit(self.bone(elbow, wrist))
        yield Capsule(f"{side}_hand", wrist, 0.012 * H * along, 0.055 * H * along, (0.020 * H, 0.020 * H))
        yield Capsule(f"{side}_hand", wrist, 0.055 * H * along, 0.095 * H * along, (0.019 * H, 0.012 * H))

    def _leg(self, side: str) -> Iterator[Capsule]:
        H, skeleton = self.stature, self.skeleton
        hip, knee, ankle = (skeleton.role(f"{side}_{part}") for part in ("hip", "knee", "ankle"))
        shank = self.bone(knee, ankle)
        forward = np.cross(self.left[skeleton.role("hips")], -_unit(shank))
        calf = 0.3 * shank - 0.010 * H * forward
        yield Capsule(f"{side}_thigh", hip, np.zeros(3), self.bone(hip, knee), (0.052 * H, 0.034 * H))
        yield Capsule(f"{side}_shank", knee, np.zeros(3), calf, (0.033 * H, 0.034 * H))
        yield Capsule(f"{side}_shank", knee, calf, shank, (0.034 * H, 0.022 * H))

    def foot(self, side: str) -> "FootFlesh":
        """Return the measures of a foot."""
        return FootFlesh(self, side)


class FootFlesh:
    """The sole, and the capsules that stand on it: heel to ball on either edge, the instep above, and the toes."""

    def __init__(self, person: Person, side: str) -> None:
        self.side, self.skeleton, self.H = side, person.skeleton, person.stature
        H, skeleton = self.H, self.skeleton
        self.ankle = skeleton.role(f"{side}_ankle")
        self.ball = skeleton.roles.get(f"{side}_ball", self.ankle)
        shank = _unit(person.bone(skeleton.role(f"{side}_knee"), self.ankle))
        left = person.left[skeleton.role("hips")]
        children = [skeleton.offsets[child] for child in skeleton.children[self.ankle]]
        reach = (
            person.bone(self.ankle, self.ball)
            if self.ball != self.ankle
            else max(children, key=np.linalg.norm, default=np.zeros(3))
        )
        along = _unit(reach) if np.linalg.norm(reach) > 0.02 * H else np.cross(left, -shank)
        if abs(along @ shank) < 0.85:
            self.up = -shank
        else:  # the rest pose points its toes: let the bone slope as it does in a foot that stands flat
            slope = float(np.clip(0.021 * H / max(float(np.linalg.norm(reach)), 1e-9), 0.0, 0.5))
            self.up = (1 - slope**2) ** 0.5 * _unit(np.cross(along, left)) - slope * along
        self.forward = _across(along, self.up)
        self.ball_place = reach if self.ball != self.ankle else 0.08 * H * self.forward - 0.02 * H * self.up
        drop = float(-self.ball_place @ self.up)
        ball_height = float(np.clip(0.039 * H - drop, 0.010 * H, 0.024 * H))
        heel = -(drop + ball_height) * self.up
        toe_sole = self.ball_place - ball_height * self.up
        if contacts := self._contacts():
            heel, toe_sole = contacts
            self.forward = _unit(toe_sole - heel)
            self.up = _across(self.up, self.forward)
        self.left = np.cross(self.up, self.forward)
        self.heel_sole, self.ball_sole = float(heel @ self.up), float(toe_sole @ self.up)
        self.heel_forward = float(np.clip(heel @ self.forward, -0.025 * H, -0.012 * H))

    def _contacts(self) -> tuple[Array, Array] | None:
        """Return the skeleton's own contact points of heel and ball in the ankle's frame, where it has them."""
        found = []
        for name, joint, base in (("heel", self.ankle, np.zeros(3)), ("ball", self.ball, self.ball_place)):
            if f"{self.side}_{name}" not in self.skeleton.contact_names:
                return None
            column = self.skeleton.contact(f"{self.side}_{name}")
            if self.skeleton.contact_joints[column] != joint:
                return None
            found.append(base * (joint != self.ankle) + self.skeleton.contact_offsets[column])
        return (found[0], found[1]) if np.linalg.norm(found[1] - found[0]) > 0.02 * self.H else None

    @property
    def ankle_height(self) -> float:
        """Metres from the sole to the ankle."""
        return -self.heel_sole

    def _point(self, forward: float, left: float, up: float) -> Array:
        return forward * self.forward + left * self.left + up * self.up

    def capsules(self) -> Iterator[Capsule]:
        """Yield the capsules; no sphere reaches below the sole, whatever the height of the ankle."""
        H, tall = self.H, max(self.ankle_height, 0.012 * self.H)
        heel, ball, tip = min(0.021 * H, 0.5 * tall), 0.0155 * H, 0.011 * H
        ahead = float(self.ball_place @ self.forward)
        part = f"{self.side}_foot"
        for edge in (1.0, -1.0):
            start = self._point(self.heel_forward, 0.003 * H * edge, self.heel_sole + heel)
            end = self._point(ahead, 0.012 * H * edge, self.ball_sole + ball)
            yield Capsule(part, self.ankle, start, end, (heel, ball))
        instep = min(0.024 * H, tall)
        start = self._point(0.0, 0.0, self.heel_sole + max(tall, instep))
        yield Capsule(part, self.ankle, start, self._point(ahead, 0.0, self.ball_sole + 0.018 * H), (instep, 0.017 * H))
        base = self.ball_place if self.ball != self.ankle else np.zeros(3)
        ends = [float(self.skeleton.offsets[child] @ self.forward) for child in self.skeleton.children[self.ball]]
        length = float(np.clip(max(ends, default=0.0), 0.036 * H, 0.05 * H)) if self.ball != self.ankle else 0.04 * H
        for edge in (1.0, -1.0):
            start = self._point(ahead, 0.012 * H * edge, self.ball_sole + ball) - base
            end = self._point(ahead + length - tip, 0.010 * H * edge, self.ball_sole + tip) - base
            yield Capsule(f"{self.side}_toes", self.ball, start, end, (ball, tip))


def _unit(v: Array) -> Array:
    length = float(np.linalg.norm(v))
    return v / length if length > 1e-9 else np.zeros(3)


def _across(v: Array, axis: Array) -> Array:
    """Return the unit part of `v` at right angles to a unit `axis`; any such direction where there is none."""
    across = v - (v @ axis) * axis
    if np.linalg.norm(across) < 1e-6:
        across = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    return _unit(across)
