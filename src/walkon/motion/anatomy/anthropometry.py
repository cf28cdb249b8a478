"""Anthropometry: tapered capsules, segment masses and stature from a skeleton's roles and published body measures.

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
from itertools import pairwise

import numpy as np

from walkon._base.arrays import Array
from walkon.motion.skeleton import SIDES, Skeleton

__all__ = ["Capsule", "Person", "is_person"]

LEG_SHARE, ARM_SHARE = 0.491, 0.332
"""Thigh + shank, and upper arm + forearm, as shares of the stature."""

HEAD_HEIGHT_SHARE, NECK_TO_CROWN_SHARE = 0.130, 0.107
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

TORSO_SHARES = np.array([[0.0, 0.088, 0.063], [0.35, 0.078, 0.057], [0.72, 0.092, 0.064], [1.0, 0.080, 0.046]])
"""Height between hips (0) and shoulders (1), half breadth and half depth in H: hips, waist, chest, shoulders."""


Capsule = tuple[str, int, Array, Array, tuple[float, float]]
"""The hull of two spheres, fixed to a joint: part of the body, joint, both centres in its frame and radii, metres."""

ARM, LEG = ("shoulder", "elbow", "wrist"), ("hip", "knee", "ankle")


def is_person(skeleton: Skeleton) -> bool:
    """Say whether the roles are enough for a person: trunk, head, and both legs or both arms."""
    pair = any(skeleton.has_roles(f"{side}_{part}" for side in SIDES for part in limb) for limb in (LEG, ARM))
    return pair and skeleton.has_roles(("hips", "chest", "head"))


class Person:
    """The measures of one skeleton that `is_person`, and the capsules, masses and height that follow from them."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.stature = self._stature()
        """H, metres."""
        hips, chest, head = (skeleton.role(role) for role in ("hips", "chest", "head"))
        self.left = {hips: self._left("hip"), chest: self._left("clavicle")}
        self.up = {joint: _across(self.bone(joint, head), self.left[joint]) for joint in (hips, chest)}
        self.shoulder_level = self._shoulder_level(chest)

    def bone(self, a: int, b: int) -> Array:
        """Return the offset from joint `a` to joint `b` at rest, in `a`'s frame: at rest all frames are parallel."""
        return np.array(self.skeleton.rest_positions[b] - self.skeleton.rest_positions[a])

    def _joints(self, side: str, limb: tuple[str, ...]) -> list[int]:
        """Return the joints of a limb; none where it is not whole."""
        roles = [f"{side}_{part}" for part in limb]
        return [self.skeleton.role(role) for role in roles] if self.skeleton.has_roles(roles) else []

    def _length(self, limb: tuple[str, ...]) -> float:
        """Return the mean length over both sides of a limb, bone by bone; 0 where one of them is not whole."""
        joints = [self._joints(side, limb) for side in SIDES]
        if not all(joints):
            return 0.0
        return float(np.mean([sum(np.linalg.norm(self.bone(a, b)) for a, b in pairwise(j)) for j in joints]))

    def _stature(self) -> float:
        return self._length(LEG) / LEG_SHARE or self._length(ARM) / ARM_SHARE or max(self.skeleton.reach, 1e-3)

    def _left(self, part: str) -> Array:
        for name in (part, "shoulder", "hip"):
            if self.skeleton.has_roles((f"left_{name}", f"right_{name}")):
                line = self.bone(self.skeleton.role(f"right_{name}"), self.skeleton.role(f"left_{name}"))
                if np.linalg.norm(line) > 0.02 * self.stature:
                    return _unit(line)
        return np.array([0.0, 1.0, 0.0])

    def _shoulder_level(self, chest: int) -> float:
        """Return how far the shoulders are above the chest joint, metres along its up axis."""
        heights = []
        for side in SIDES:
            for part in ("clavicle", "shoulder"):
                place = self.bone(chest, self.skeleton.roles.get(f"{side}_{part}", chest))
                if np.linalg.norm(place) > 0.01 * self.stature:
                    heights.append(place @ self.up[chest])
                    break
        level = float(np.mean(heights)) if heights else 0.08 * self.stature
        return float(np.clip(level, 0.02 * self.stature, 0.2 * self.stature))

    @property
    def crown(self) -> float:
        """Metres from the head joint to the crown; an end site beyond the usual place is taken as the crown."""
        H, (_, length) = self.stature, self._head_axis()
        return float(np.clip(length, NECK_TO_CROWN_SHARE * H, 0.15 * H))

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
        leg = self._length(LEG)
        trunk = float(np.linalg.norm(self.bone(hips, head))) + self.crown
        if not leg:
            return trunk + 0.53 * self.stature
        drop = -np.mean([self.bone(hips, self.skeleton.role(f"{side}_hip")) @ self.up[hips] for side in SIDES])
        soles = np.mean([self._foot(side)[0] for side in SIDES])
        return float(trunk + leg + drop + soles)

    def mass_shares(self) -> Array:
        """Return [J] shares of the body's mass, which sum to 1."""
        shares = np.zeros(len(self.skeleton))
        for carriers, share in MASS_SHARES:
            for side in SIDES if "{side}" in carriers[0] else ("",):
                names = [role.format(side=side) for role in carriers]
                shares[next(self.skeleton.role(name) for name in names if name in self.skeleton.roles)] += share
        return shares

    def capsules(self) -> Iterator[Capsule]:
        """Yield the capsules of trunk, head and limbs."""
        yield from self._trunk()
        yield from self._head()
        for side in SIDES:
            if arm := self._joints(side, ARM):
                yield from self._arm(side, *arm)
            if leg := self._joints(side, LEG):
                yield from self._leg(side, *leg)
                yield from self._foot(side)[1]

    def _trunk(self) -> Iterator[Capsule]:
        """Three columns side by side along the spine make the trunk wider than deep; a bar across the hips ends it."""
        H, skeleton = self.stature, self.skeleton
        hips, chest = skeleton.role("hips"), skeleton.role("chest")
        left = self.left[hips]
        forward = np.cross(left, self.up[hips])
        ahead = 0.0
        if skeleton.has_roles(("left_hip", "right_hip")):
            sockets = 0.5 * sum(self.bone(hips, skeleton.role(f"{side}_hip")) for side in SIDES)
            # Between the sockets, which may lie forward of the root (CMU), and the root; the belly follows, less so the
            # higher up, and the back has no step.
            ahead = 0.5 * float(sockets @ forward)
            centre = (sockets @ self.up[hips] + 0.012 * H) * self.up[hips] + ahead * forward
            yield ("pelvis", hips, centre + 0.037 * H * left, centre - 0.037 * H * left, (0.060 * H, 0.060 * H))
        bones = [(int(skeleton.parents[j]), skeleton.offsets[j]) for j in skeleton.chain(hips, chest)[1:]]
        bones.append((chest, (self.shoulder_level - 0.028 * H) * self.up[chest]))
        lengths = np.array([np.linalg.norm(offset) for _, offset in bones])
        levels = np.concatenate([[0.0], np.cumsum(lengths)]) / max(float(lengths.sum()), 1e-9)
        half, depth = (np.interp(levels, TORSO_SHARES[:, 0], TORSO_SHARES[:, k]) * H for k in (1, 2))
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
                yield (part, joint, start, end, (full * float(depth[i]), full * float(depth[i + 1])))

    def _head(self) -> list[Capsule]:
        """Neck bones, and an egg from chin to crown whose narrow end is the jaw, a little forward."""
        H, skeleton = self.stature, self.skeleton
        chest, head = skeleton.role("chest"), skeleton.role("head")
        bones = [(int(skeleton.parents[j]), skeleton.offsets[j]) for j in skeleton.chain(chest, head)[1:]]
        up, _ = self._head_axis()
        forward = np.cross(_across(self.left[chest], up), up)
        skull, jaw = 0.051 * H, 0.036 * H
        top = (self.crown - skull) * up + 0.010 * H * forward
        chin = (self.crown - HEAD_HEIGHT_SHARE * H + jaw) * up + 0.026 * H * forward
        necks = [(joint, offset) for joint, offset in bones if np.linalg.norm(offset) > 1e-6]
        return [
            *(("neck", joint, np.zeros(3), offset, (0.036 * H, 0.031 * H)) for joint, offset in necks),
            ("head", head, chin, top, (jaw, skull)),
        ]

    def _arm(self, side: str, shoulder: int, elbow: int, wrist: int) -> list[Capsule]:
        H, chest = self.stature, self.skeleton.role("chest")
        out = self.left[chest] if side == "left" else -self.left[chest]
        base = self.skeleton.roles.get(f"{side}_clavicle", chest)
        reach, root = self.bone(base, shoulder), np.zeros(3)
        if self.bone(chest, base) @ out < 0.02 * H:  # it starts inside the chest (CMU): draw it from beside the neck
            root = 0.012 * H * out + (reach @ self.up[chest] + 0.014 * H) * self.up[chest]
        along = _unit(self.bone(elbow, wrist))
        return [
            (f"{side}_clavicle", base, root, reach, (0.038 * H, 0.034 * H)),
            (f"{side}_upper_arm", shoulder, np.zeros(3), self.bone(shoulder, elbow), (0.034 * H, 0.025 * H)),
            (f"{side}_forearm", elbow, np.zeros(3), self.bone(elbow, wrist), (0.027 * H, 0.0175 * H)),
            (f"{side}_hand", wrist, 0.012 * H * along, 0.055 * H * along, (0.020 * H, 0.020 * H)),
            (f"{side}_hand", wrist, 0.055 * H * along, 0.095 * H * along, (0.019 * H, 0.012 * H)),
        ]

    def _leg(self, side: str, hip: int, knee: int, ankle: int) -> list[Capsule]:
        H, shank = self.stature, self.bone(knee, ankle)
        forward = np.cross(self.left[self.skeleton.role("hips")], -_unit(shank))
        calf = 0.3 * shank - 0.010 * H * forward
        return [
            (f"{side}_thigh", hip, np.zeros(3), self.bone(hip, knee), (0.052 * H, 0.034 * H)),
            (f"{side}_shank", knee, np.zeros(3), calf, (0.033 * H, 0.034 * H)),
            (f"{side}_shank", knee, calf, shank, (0.034 * H, 0.022 * H)),
        ]

    def _foot(self, side: str) -> tuple[float, list[Capsule]]:
        """Return metres from the sole to the ankle, and the capsules that stand on the sole.

        Those are heel to ball on either edge, the instep above, and the toes; no sphere reaches below the sole,
        whatever the height of the ankle.
        """
        # Which way the foot points at rest, and which way is up for it.
        H, skeleton = self.stature, self.skeleton
        knee, ankle = skeleton.role(f"{side}_knee"), skeleton.role(f"{side}_ankle")
        ball = skeleton.roles.get(f"{side}_ball", ankle)
        shank, hip_line = _unit(self.bone(knee, ankle)), self.left[skeleton.role("hips")]
        children = [skeleton.offsets[child] for child in skeleton.children[ankle]]
        reach = self.bone(ankle, ball) if ball != ankle else max(children, key=np.linalg.norm, default=np.zeros(3))
        along = _unit(reach) if np.linalg.norm(reach) > 0.02 * H else np.cross(hip_line, -shank)
        up = -shank
        if abs(along @ shank) >= 0.85:  # the rest pose points its toes: slope as the bone of a foot that stands flat
            slope = float(np.clip(0.021 * H / max(float(np.linalg.norm(reach)), 1e-9), 0.0, 0.5))
            up = (1 - slope**2) ** 0.5 * _unit(np.cross(along, hip_line)) - slope * along
        forward = _across(along, up)
        # Where heel and ball stand on the floor: by the usual height of an ankle, or as the skeleton itself knows.
        ball_place = reach if ball != ankle else 0.08 * H * forward - 0.02 * H * up
        drop = float(-ball_place @ up)
        ball_height = float(np.clip(0.039 * H - drop, 0.010 * H, 0.024 * H))
        heel_sole, ball_sole = -(drop + ball_height) * up, ball_place - ball_height * up
        base = ball_place if ball != ankle else np.zeros(3)
        contacts = [f"{side}_{part}" for part in ("heel", "ball") if f"{side}_{part}" in skeleton.contact_names]
        columns = [skeleton.contact(name) for name in contacts]
        if skeleton.contact_joints[columns].tolist() == [ankle, ball]:
            known = skeleton.contact_offsets[columns] + np.array([np.zeros(3), base])
            if np.linalg.norm(known[1] - known[0]) > 0.02 * H:
                heel_sole, ball_sole = known
                forward = _unit(ball_sole - heel_sole)
                up = _across(up, forward)
        # The flesh on it, in metres forward, left and up from the ankle.
        left, ahead = np.cross(up, forward), float(ball_place @ forward)
        low, level = float(heel_sole @ up), float(ball_sole @ up)
        behind = float(np.clip(heel_sole @ forward, -0.025 * H, -0.012 * H))
        tall = max(-low, 0.012 * H)
        heel, instep, front, tip = min(0.021 * H, 0.5 * tall), min(0.024 * H, tall), 0.0155 * H, 0.011 * H

        def point(x: float, y: float, z: float) -> Array:
            return x * forward + y * left + z * up

        ends = [float(skeleton.offsets[child] @ forward) for child in skeleton.children[ball]]
        length = float(np.clip(max(ends, default=0.0), 0.036 * H, 0.05 * H)) if ball != ankle else 0.04 * H
        heels, balls, tips = (
            [point(x, width * H * edge, z) for edge in (1.0, -1.0)]
            for x, width, z in (
                (behind, 0.003, low + heel),
                (ahead, 0.012, level + front),
                (ahead + length - tip, 0.010, level + tip),
            )
        )
        top, end = point(0.0, 0.0, low + max(tall, instep)), point(ahead, 0.0, level + 0.018 * H)
        return -low, [
            *((f"{side}_foot", ankle, a, b, (heel, front)) for a, b in zip(heels, balls, strict=True)),
            (f"{side}_foot", ankle, top, end, (instep, 0.017 * H)),
            *((f"{side}_toes", ball, a - base, b - base, (front, tip)) for a, b in zip(balls, tips, strict=True)),
        ]


def _unit(v: Array) -> Array:
    length = float(np.linalg.norm(v))
    return v / length if length > 1e-9 else np.zeros(3)


def _across(v: Array, axis: Array) -> Array:
    """Return the unit part of `v` at right angles to a unit `axis`; any such direction where there is none."""
    across = v - (v @ axis) * axis
    if np.linalg.norm(across) < 1e-6:
        across = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    return _unit(across)
