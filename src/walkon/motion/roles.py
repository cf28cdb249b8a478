"""Which joint is the left knee: roles found by name where the names are known, by the shape of the tree otherwise.

Names are read by `walkon.motion.joint_names`.

By shape, at rest (z up, facing +x, left = +y): two mirrored chains reach the floor, a chain goes up, and two mirrored
chains leave it sideways. The joint that holds legs and spine is the hips, the one that holds both arms the chest.

Every role found by name is checked against the tree (a knee hangs below its hip …); those that contradict it are
dropped. What is no person (a robot arm, a single joint) gets no roles and is no error.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import UnknownName
from walkon.motion.joint_names import CENTRE, WORDS, Convention, convention, cut
from walkon.motion.skeleton import ROLES, SIDES, Skeleton

__all__ = ["RoleReport", "find_roles"]

LIMBS = (("clavicle", "shoulder", "elbow", "wrist"), ("hip", "knee", "ankle", "ball"))

MIRROR_TOLERANCE = 0.12
"""Share of the reach by which two mirrored joints may differ: real skeletons are not quite symmetric."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RoleReport:
    """What was found: the skeleton with its roles, and how each was told."""

    skeleton: Skeleton
    """A copy with the roles set."""
    convention: Convention
    """The naming scheme; "topology" where the tree told more than the names, "none" where this is no person."""
    roles: Mapping[str, str]
    """Role → joint name."""
    how: Mapping[str, str]
    """Role → "name", "topology" or "given"."""
    missing: tuple[str, ...]
    """Roles without a joint."""

    def __repr__(self) -> str:
        return f"RoleReport({self.summary()})"

    def summary(self) -> str:
        """Return one line: convention, how many roles were found and how, and which are missing."""
        if not self.roles:
            return f"no roles: {len(self.skeleton)} joints that do not form a person"
        ways = [
            f"{list(self.how.values()).count(way)} by {way}" for way in ("name", "topology") if way in self.how.values()
        ]
        if "given" in self.how.values():
            ways.append(f"{list(self.how.values()).count('given')} given")
        missing = f"; missing {', '.join(self.missing)}" if self.missing else ""
        return f"{self.convention}: {len(self.roles)} of {len(ROLES)} roles ({', '.join(ways)}){missing}"


def find_roles(skeleton: Skeleton, *, given: Mapping[str, str] | None = None) -> RoleReport:
    """Find the roles of the joints; `given` (role → joint name) overrides. Roles that the skeleton had are replaced."""
    parts = [cut(name) for name in skeleton.names]
    tree = _Tree(skeleton)
    fixed: dict[str, int] = {}
    for role, name in (given or {}).items():
        if role not in ROLES:
            raise UnknownName.among("role", role, ROLES)
        fixed[role] = skeleton.index(name)

    found = _limbs_by_name(skeleton, parts)
    _drop_contradictions(tree, found, fixed)
    how = dict.fromkeys(found, "name")
    if any(f"{side}_{part}" not in found for side in SIDES for limb in LIMBS for part in limb):
        for role, joint in _limbs_by_shape(tree).items():
            trial = {**found, role: joint}
            if role not in found and joint not in found.values() and _fits(tree, trial, role):
                found, how[role] = trial, "topology"
    found.update(fixed)
    if not any(all(f"{side}_{part}" in found for side in SIDES) for part in ("knee", "elbow")):
        found = dict(fixed)  # no pair of limbs, no person: a "head" or "hip" alone means something else
    else:
        _find_centre(tree, parts, found, how)
    found.update(fixed)
    how = {role: "given" if role in fixed else how[role] for role in ROLES if role in found}
    return RoleReport(
        skeleton=replace(skeleton, roles=found),
        convention=convention(skeleton.names, how),
        roles=MappingProxyType({role: skeleton.names[found[role]] for role in how}),
        how=MappingProxyType(how),
        missing=tuple(role for role in ROLES if role not in found),
    )


class _Tree:
    """The skeleton as a tree at rest: ancestors and places."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.positions: Array = skeleton.rest_positions
        self.reach = max(float(np.ptp(self.positions, axis=0).max()), 1e-9)

    def up(self, joint: int) -> list[int]:
        """Return the joint and its ancestors, root last."""
        line = [joint]
        while self.skeleton.parents[line[-1]] >= 0:
            line.append(int(self.skeleton.parents[line[-1]]))
        return line

    def below(self, joint: int, ancestor: int) -> bool:
        """Say whether `joint` hangs somewhere below `ancestor`."""
        return joint != ancestor and ancestor in self.up(joint)

    def meet(self, joints: list[int]) -> int:
        """Return the deepest joint on which all of these hang (or which is one of them)."""
        lines = [self.up(joint)[::-1] for joint in joints]
        return next(a for a in lines[0][::-1] if all(a in line for line in lines))

    def distinct(self, joints: list[int]) -> list[int]:
        """Return a chain with one joint per place: the one that branches (a hand before its fingers), or the last."""
        kept: list[int] = []
        for joint in joints:
            if kept and self.length(kept[-1], joint) < 1e-3 * self.reach:
                if len(self.skeleton.children[kept[-1]]) > 1:
                    continue
                kept.pop()
            kept.append(joint)
        return kept

    def length(self, a: int, b: int) -> float:
        return float(np.linalg.norm(self.positions[a] - self.positions[b]))

    def mirrored(self, a: int, b: int, middle: float) -> bool:
        """Say whether `a` on the left (+y) is the mirror image of `b` on the right."""
        p, q = self.positions[a], self.positions[b]
        apart = np.array([p[0] - q[0], p[1] + q[1] - 2 * middle, p[2] - q[2]])
        return bool(p[1] > middle > q[1] and np.abs(apart).max() < MIRROR_TOLERANCE * self.reach)


def _limbs_by_name(skeleton: Skeleton, parts: list[tuple[str, str]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for side in SIDES:
        mine: dict[str, int] = {}
        for joint, (its_side, part) in reversed(list(enumerate(parts))):
            if its_side == side and not skeleton.end_sites[joint]:
                mine[part] = joint  # reversed: of two the one nearer to the root
        # From the far end, so that a word that was taken ("leg" for the knee, "arm" for the shoulder) is not reused.
        for role in ("wrist", "elbow", "shoulder", "clavicle", "ankle", "ball", "knee", "hip"):
            for word in WORDS[role]:
                if word in mine:
                    found[f"{side}_{role}"] = mine.pop(word)
                    break
    return found


def _fits(tree: _Tree, found: Mapping[str, int], role: str) -> bool:
    """Say whether a limb's joint hangs below those before it in the limb and above those after it."""
    side, _, part = role.partition("_")
    limb = next(limb for limb in LIMBS if part in limb)
    at = limb.index(part)
    before = (found.get(f"{side}_{p}") for p in limb[:at])
    after = (found.get(f"{side}_{p}") for p in limb[at + 1 :])
    return all(b is None or tree.below(found[role], b) for b in before) and all(
        a is None or tree.below(a, found[role]) for a in after
    )


def _drop_contradictions(tree: _Tree, found: dict[str, int], fixed: Mapping[str, int]) -> None:
    """Drop roles until every limb hangs in order: the joint that quarrels with the most others goes first."""
    found.update(fixed)
    for side in SIDES:
        for limb in LIMBS:
            while True:
                here = [f"{side}_{part}" for part in limb if f"{side}_{part}" in found]
                quarrels = {
                    role: sum(
                        not tree.below(found[b], found[a])
                        for i, a in enumerate(here)
                        for b in here[i + 1 :]
                        if role in (a, b)
                    )
                    for role in here
                }
                worst = max((role for role in here if role not in fixed), key=lambda role: quarrels[role], default=None)
                if worst is None or quarrels[worst] == 0:
                    break
                del found[worst]


def _limbs_by_shape(tree: _Tree) -> dict[str, int]:
    """Find legs and arms as mirrored pairs of chains; nothing where the rest pose is not shaped like a person."""
    skeleton, places = tree.skeleton, tree.positions
    leaves = [j for j in range(len(skeleton)) if not skeleton.children[j]]
    low = places[:, 2].min()
    middle = float(places[0, 1])
    pairs = [(a, b) for a in leaves for b in leaves if tree.mirrored(a, b, middle)]
    feet = [(a, b) for a, b in pairs if max(places[a, 2], places[b, 2]) < low + 0.1 * tree.reach]
    if not feet:
        return {}
    feet.sort(key=lambda pair: (-float(places[pair[0], 0]), pair))  # the toe rather than the heel
    hips = tree.meet(list(feet[0]))
    top = max(leaves, key=lambda j: float(places[j, 2]))
    if places[top, 2] < places[hips, 2] + 0.2 * tree.reach or places[hips, 2] < low + 0.25 * tree.reach:
        return {}
    found: dict[str, int] = {}
    for side, foot in zip(SIDES, feet[0], strict=True):
        chain = tree.distinct([j for j in tree.up(foot)[::-1] if tree.below(j, hips)])
        bones = [tree.length(a, b) for a, b in pairwise(chain)]
        if len(bones) < 2:
            return {}
        first = max(range(len(bones) - 1), key=lambda i: bones[i] + bones[i + 1])  # thigh and shank are the longest
        for part, joint in zip(("hip", "knee", "ankle", "ball"), chain[first:], strict=False):
            if not skeleton.end_sites[joint]:
                found[f"{side}_{part}"] = joint
    spine = set(tree.up(top))
    sideways = [
        (a, b)
        for a, b in pairs
        if tree.meet([a, b]) in spine and places[tree.meet([a, b]), 2] > places[hips, 2] + 0.02 * tree.reach
    ]
    if not sideways:
        return found
    hands = max(sideways, key=lambda pair: (tree.length(pair[0], tree.meet(list(pair))), -pair[0]))
    chest = tree.meet(list(hands))
    for side, hand in zip(SIDES, hands, strict=True):
        chain = [j for j in tree.distinct(tree.up(hand)[::-1]) if tree.below(j, chest)]
        out = [i for i, j in enumerate(chain) if abs(places[j, 1] - middle) > 0.06 * tree.reach]
        if not out or len(chain) - out[0] < 3:
            continue
        if out[0] > 0:
            found[f"{side}_clavicle"] = chain[out[0] - 1]
        elif (held := int(skeleton.parents[chain[0]])) != chest:
            found[f"{side}_clavicle"] = held  # it sits on the chest without an offset, as in the CMU skeletons
        for part, joint in zip(("shoulder", "elbow", "wrist"), chain[out[0] :], strict=False):
            if not skeleton.end_sites[joint]:
                found[f"{side}_{part}"] = joint
    return found


def _find_centre(tree: _Tree, parts: list[tuple[str, str]], found: dict[str, int], how: dict[str, str]) -> None:
    """Add hips, spine, chest, neck and head, which the limbs hang on."""
    skeleton = tree.skeleton

    def named(role: str, joint: int) -> bool:
        return not parts[joint][0] and CENTRE[role].fullmatch(parts[joint][1]) is not None

    def put(role: str, joint: int) -> None:
        if role not in found:
            found[role], how[role] = joint, "name" if named(role, joint) else "topology"

    def both(*options: str) -> list[int]:
        for part in options:
            if all(f"{side}_{part}" in found for side in SIDES):
                return [found[f"{side}_{part}"] for side in SIDES]
        return []

    legs, arms = both("hip", "knee"), both("clavicle", "shoulder", "elbow")
    if arms:
        chest = tree.meet(arms)
        while named("neck", chest) and skeleton.parents[chest] >= 0:
            chest = int(skeleton.parents[chest])  # a Biped hangs its clavicles on the neck
        put("chest", chest)
    if legs:
        holder = tree.meet(legs + ([found["chest"]] if "chest" in found else []))
        put("hips", next((j for j in tree.up(holder) if named("hips", j)), holder))
    elif arms:
        above = [j for j in tree.up(found["chest"])[1:] if named("hips", j)]
        if above:
            put("hips", above[0])
    heads = [j for j in range(len(skeleton)) if named("head", j) and not skeleton.end_sites[j]]
    heads = [j for j in heads if "chest" not in found or tree.below(j, found["chest"])]
    if heads:
        put("head", heads[0])
    elif arms:
        _find_head_by_shape(tree, found, how, arms)
    if "chest" not in found and "head" in found and "hips" in found:
        line = [j for j in tree.up(found["head"]) if named("chest", j) and tree.below(j, found["hips"])]
        if line:
            put("chest", line[0])
    if "head" in found and "chest" in found:
        between = [j for j in tree.up(found["head"])[1:][::-1] if tree.below(j, found["chest"])]
        if between:
            put("neck", next((j for j in between if named("neck", j)), between[0]))
    if "hips" in found and "chest" in found and tree.below(found["chest"], found["hips"]):
        bent = skeleton.chain(found["hips"], found["chest"])[1:-1]
        moved = [j for j in bent if tree.length(j, found["hips"]) > 1e-3 * tree.reach]
        if moved:
            put("spine", moved[0])


def _find_head_by_shape(tree: _Tree, found: dict[str, int], how: dict[str, str], arms: list[int]) -> None:
    """Take the last turning joint of the chain that goes up from the chest as the head."""
    skeleton, chest = tree.skeleton, found["chest"]
    free = [j for j in range(len(skeleton)) if tree.below(j, chest) and not any(a in tree.up(j) for a in arms)]
    if not free:
        return
    top = max(free, key=lambda j: (float(tree.positions[j, 2]), j))
    line = [j for j in tree.up(top) if tree.below(j, chest) and not skeleton.end_sites[j]]
    if line:
        found["head"], how["head"] = line[0], "topology"
