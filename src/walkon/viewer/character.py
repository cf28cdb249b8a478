"""Retargeting onto a rigged character of the user's own: which of its joints follows which joint of a take, and how.

Joints are matched by role (see `walkon.motion.roles`); those of the back between hips, chest and head by their share of
the way; the rest, fingers say, where both have the same name. With R the world rotation of the take's joint, the rig's
joint b turns to

    R A_b Q_b        Q_b its rotation at rest,  A_b what turns its limb at rest to where the take's limb is at rest

so limbs point the same way whatever pose either was bound in. Backs and shoulders keep the shape of the rig's rest
pose (A = 1), hands and toes go on with the limb that they end, and feet are matched sole to sole. Joints without a
match keep their place on their parent.

Heights agree: the rig is scaled so that its head is as high above its soles as the body's. Its legs may still be longer
or shorter, and its feet; the page solves the legs again for every frame (page/src/rig_legs.ts), with what
`CharacterFit` tells of both soles. Metres, z up, facing +x; the frame of a foot is that of the take's ankle.
"""

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue
from walkon.motion.joint_names import cut
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.take.take import Take
from walkon.transforms import quaternions as quat
from walkon.viewer.character_feet import FootFit, fit_foot, floor_of, sole_of
from walkon.viewer.glb_rig import NEEDED, Rig, bone, read_rig

__all__ = ["MAX_RIGGED", "CharacterFit", "RiggedCharacter", "fit_rig", "read_character", "resolve_character"]

MAX_RIGGED = 60
"""Characters that wear the rig at once: those nearest to the camera; the others have the page's own bodies."""
LIMBS = (("shoulder", "elbow", "wrist"), ("hip", "knee", "ankle"))
BACK = ("hips", "chest", "neck", "head")


@dataclass(frozen=True, eq=False, kw_only=True)
class CharacterFit:
    """How a rig follows one skeleton."""

    drives: IntArray
    """[J] joint of the take that each joint of the rig follows, −1 for none."""
    turns: Array
    """[J, 4] A_b Q_b: the joint's rotation when the take's joint is at rest."""
    scale: float
    """Metres per unit of the rig's file, for a character of scale 1."""
    leg_ratio: float
    """Height of the rig's hips over its soles, legs straight, over that of the take's."""
    feet: tuple[FootFit, FootFit]
    """Left and right."""
    matched: int
    """How many joints of the rig follow one of the take's."""
    extra: tuple[str, ...]
    """Joints of the rig that follow nothing (ends of chains, which turn nothing, aside)."""
    missing: tuple[str, ...]
    """Joints of the take that nothing follows."""

    def __repr__(self) -> str:
        return f"CharacterFit({self.summary()})"

    def summary(self) -> str:
        """Return one line: how many joints were matched, on both sides."""
        return (
            f"{self.matched} of {self.matched + len(self.extra)} joints follow the take; "
            f"{len(self.missing) or 'none'} of the take's {'is' if len(self.missing) == 1 else 'are'} left over"
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class RiggedCharacter:
    """A rig, and how it follows the bodies of one take."""

    rig: Rig
    fits: tuple[CharacterFit | None, ...]
    """Per body of the take; None for one that is no person, which keeps its own shape."""

    def __repr__(self) -> str:
        return f"RiggedCharacter({self.rig.name!r}, {self.notes()[0]})"

    def notes(self) -> list[str]:
        """Return lines that tell what matched and what did not."""
        fits = [fit for fit in self.fits if fit is not None]
        first = min(fits, key=lambda fit: fit.matched)
        lines = [f"{self.rig.name} ({self.rig.roles.convention}): {first.summary()}"]
        if first.extra:
            lines.append(f"of the rig, these keep their rest pose: {', '.join(first.extra)}")
        missing = sorted({name for fit in fits for name in fit.missing})
        if missing:
            lines.append(f"of the take, these have no joint of the rig: {', '.join(missing)}")
        if others := len(self.fits) - len(fits):
            lines.append(f"{others} of {len(self.fits)} bodies lack the legs of a person and keep their shapes")
        return lines

    def to_json(self) -> str:
        """Return what the page needs beside the file itself, as JSON that can stand inside a page."""
        rig = self.rig
        skeleton = rig.skeleton
        fields: dict[str, Any] = {
            "name": rig.name,
            "convention": rig.roles.convention,
            "most": MAX_RIGGED,
            "names": rig.names,
            "nodes": rig.nodes,
            "parents": skeleton.parents,
            "places": skeleton.rest_positions,
            "turns": rig.turns,
            "translations": rig.translations,
            "scales": rig.scales,
            "outer": rig.outer,
            "upright": rig.upright,
            "root": rig.root,
            "roles": dict(skeleton.roles),
            "notes": self.notes(),
            "fits": self.fits,
        }
        return msgspec.json.encode(fields, enc_hook=np.ndarray.tolist).decode().replace("<", "\\u003c")


def read_character(path: str | Path | Rig, take: Take) -> RiggedCharacter:
    """Read a rigged character (`.glb`) and match it to the bodies of a take."""
    rig = path if isinstance(path, Rig) else read_rig(path)
    skeletons = [body.skeleton for body in take.bodies]
    walks = [one.has_feet and one.has_roles(NEEDED) and len(one.contact_names) == 4 for one in skeletons]
    fits = tuple(fit_rig(rig, one) if legs else None for one, legs in zip(skeletons, walks, strict=True))
    if not any(fits):
        raise InvalidValue(
            f"no body of this take has the hips, legs and feet of a person for {rig.name} to follow; "
            "leave the character out"
        )
    return RiggedCharacter(rig=rig, fits=fits)


def resolve_character(character: str | Path | RiggedCharacter | None, take: Take) -> RiggedCharacter | None:
    """Read a character that is given by its path; one that was matched before must be so to this take."""
    if isinstance(character, RiggedCharacter) and len(character.fits) != len(take.bodies):
        raise InvalidValue(f"{character.rig.name} was matched to another take; give the path of its file instead")
    return character if character is None or isinstance(character, RiggedCharacter) else read_character(character, take)


def fit_rig(rig: Rig, skeleton: Skeleton) -> CharacterFit:
    """Match a rig to one skeleton, which has hips, legs and the contact points of feet."""
    own = rig.skeleton
    drives = _match_joints(own, skeleton)
    height = _height_role(rig, skeleton)
    scale = _height_over(skeleton, height, floor_of(skeleton)) / _height_over(own, height, sole_of(rig))
    turns = _align_limbs(own, skeleton)
    left, right = (fit_foot(rig, skeleton, side=side, scale=scale) for side in SIDES)
    for side, foot in zip(SIDES, (left, right), strict=True):
        for role in {f"{side}_ankle", f"{side}_ball"} & own.roles.keys():
            turns[own.role(role)] = foot.turn
    turns = _inherit_turns(own, drives, turns)
    matched = int(np.count_nonzero(drives >= 0))
    # What the hips hang on goes along with them, rigidly; it counts neither as matched nor as left over.
    above = _ancestors(own, own.role("hips"))
    extra = tuple(
        name
        for joint, name in enumerate(rig.names)
        if drives[joint] < 0 and joint not in above and not own.end_sites[joint]
    )
    missing = tuple(
        name
        for joint, name in enumerate(skeleton.names)
        if joint not in drives.tolist() and not skeleton.end_sites[joint]
    )
    drives[above] = skeleton.role("hips")
    return CharacterFit(
        drives=drives,
        turns=quat.multiply(turns, rig.turns),
        scale=scale,
        leg_ratio=scale * _leg_length(own, sole_of(rig)) / _leg_length(skeleton, floor_of(skeleton)),
        feet=(left, right),
        matched=matched,
        extra=extra,
        missing=missing,
    )


def _match_joints(own: Skeleton, take: Skeleton) -> IntArray:
    """Return per joint of the rig the joint of the take that it follows, −1 for none."""
    drives = np.full(len(own), -1)
    for role, joint in own.roles.items():
        if role in take.roles:
            drives[joint] = take.roles[role]
    spine = [role for role in BACK if role in own.roles and role in take.roles]
    for low, high in pairwise(spine):
        _match_back(own, take, low, high, drives)
    # What is left, where side and part have one name on both; it must hang below joints that match each other.
    parts = {cut(name): joint for joint, name in reversed(list(enumerate(take.names))) if not take.end_sites[joint]}
    for joint, name in enumerate(own.names):
        other = parts.get(cut(name), -1)
        if drives[joint] >= 0 or other < 0 or other in drives or joint == 0:
            continue
        above, over = drives[own.parents[joint]], int(take.parents[other])
        if above >= 0 and above == over:
            drives[joint] = other
    return drives


def _match_back(own: Skeleton, take: Skeleton, low: str, high: str, drives: IntArray) -> None:
    """Match the joints of the back between two roles by their share of the way."""
    if any(body.roles[low] not in _ancestors(body, body.roles[high]) for body in (own, take)):
        return
    mine = own.chain(own.roles[low], own.roles[high])
    theirs = take.chain(take.roles[low], take.roles[high])
    if len(theirs) < 3:
        return
    there = _length_shares(take, theirs)
    for joint, share in zip(mine[1:-1], _length_shares(own, mine)[1:-1].tolist(), strict=True):
        drives[joint] = theirs[1 + int(np.argmin(np.abs(there[1:-1] - share)))]


def _length_shares(skeleton: Skeleton, chain: tuple[int, ...]) -> Array:
    lengths = np.linalg.norm(skeleton.offsets[list(chain[1:])], axis=1)
    way: Array = np.concatenate([[0.0], np.cumsum(lengths)])
    return way / max(float(way[-1]), 1e-9)


def _ancestors(skeleton: Skeleton, joint: int) -> list[int]:
    line: list[int] = []
    while (joint := int(skeleton.parents[joint])) >= 0:
        line.append(joint)
    return line


def _align_limbs(own: Skeleton, take: Skeleton) -> Array:
    """Return A [J, 4] for the joints of limbs, NaN where a joint goes on with what it hangs on."""
    turns = np.full((len(own), 4), np.nan)
    for role in ("hips", "spine", "chest", "neck", "head", "left_clavicle", "right_clavicle"):
        if role in own.roles:
            turns[own.roles[role]] = quat.IDENTITY
    for side in SIDES:
        for limb in LIMBS:
            for part, following in pairwise(f"{side}_{name}" for name in limb):
                if not (own.has_roles((part, following)) and take.has_roles((part, following))):
                    continue
                mine, theirs = bone(own, part, following), bone(take, part, following)
                if min(np.linalg.norm(mine), np.linalg.norm(theirs)) > 1e-6:
                    turns[own.role(part)] = quat.between(mine, theirs)
    return turns


def _inherit_turns(own: Skeleton, drives: IntArray, turns: Array) -> Array:
    """Fill in A where a joint has none of its own: that of the joint it hangs on."""
    for joint in range(len(own)):
        if np.isnan(turns[joint, 0]):
            parent = int(own.parents[joint])
            turns[joint] = turns[parent] if parent >= 0 and drives[parent] >= 0 else quat.IDENTITY
    return turns


def _height_role(rig: Rig, skeleton: Skeleton) -> str:
    """Return the role by which heights are compared: the head, unless only its shape says that it is one."""
    sure = [role for role in ("head", "neck") if rig.roles.how.get(role) == "name"]
    roles = (*sure, "left_shoulder", "chest", "left_hip")
    return next(role for role in roles if role in rig.skeleton.roles and role in skeleton.roles)


def _height_over(skeleton: Skeleton, role: str, floor: float) -> float:
    return float(skeleton.rest_positions[skeleton.role(role), 2]) - floor


def _leg_length(skeleton: Skeleton, floor: float) -> float:
    """Return thigh, shin and ankle height, the mean of both legs."""
    total = 0.0
    for side in SIDES:
        hip, knee, ankle = (f"{side}_{part}" for part in ("hip", "knee", "ankle"))
        bones = (bone(skeleton, hip, knee), bone(skeleton, knee, ankle))
        total += sum(float(np.linalg.norm(part)) for part in bones) + _height_over(skeleton, ankle, floor)
    return total / 2
