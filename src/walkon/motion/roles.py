"""Joint labelling: which joint is the left knee, by name where names are known, by the shape of the tree otherwise.

Names are read by `walkon.motion.joint_names`.

By shape, at rest (z up, facing +x, left = +y): two mirrored chains reach the floor, a chain goes up, and two mirrored
chains leave it sideways. The joint that holds legs and spine is the hips, the one that holds both arms the chest.

Every role found by name is checked against the tree (a knee hangs below its hip …); those that contradict it are
dropped. What is no person (a robot arm, a single joint) gets no roles and is no error.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, product
from types import MappingProxyType

import numpy as np

from walkon._base.errors import UnknownName
from walkon.motion.joint_names import CENTRE, WORDS, Convention, convention, cut
from walkon.motion.skeleton import ROLES, SIDES, Skeleton

__all__ = ["RoleReport", "find_roles"]

LIMBS = (("clavicle", "shoulder", "elbow", "wrist"), ("hip", "knee", "ankle", "ball"))

MIRROR_TOLERANCE_SHARE = 0.12
"""Share of the reach by which two mirrored joints may differ: real skeletons are not quite symmetric."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RoleReport:
    """What was found: the skeleton with its roles, and how each was found."""

    skeleton: Skeleton
    """A copy with the roles set."""
    convention: Convention
    """The naming scheme; "topology" where the tree gave more roles than the names, "none" where this is no person."""
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
        counts = Counter(self.how.values())
        phrases = (("name", "by name"), ("topology", "by topology"), ("given", "given"))
        ways = [f"{counts[way]} {words}" for way, words in phrases if counts[way]]
        missing = f"; missing {', '.join(self.missing)}" if self.missing else ""
        return f"{self.convention}: {len(self.roles)} of {len(ROLES)} roles ({', '.join(ways)}){missing}"


def find_roles(skeleton: Skeleton, *, given: Mapping[str, str] | None = None) -> RoleReport:
    """Find the roles of the joints; `given` (role → joint name) overrides. Roles that the skeleton had are replaced."""
    parts = [cut(name) for name in skeleton.names]
    for role in given or {}:
        UnknownName.check("role", role, ROLES)
    fixed = {role: skeleton.index(name) for role, name in (given or {}).items()}

    found = _find_limbs_by_name(skeleton, parts) | fixed
    _drop_contradictions(skeleton, found, fixed)
    how = dict.fromkeys(found, "name")
    if any(f"{side}_{part}" not in found for side in SIDES for limb in LIMBS for part in limb):
        for role, joint in _find_limbs_by_shape(skeleton).items():
            trial = {**found, role: joint}
            if role not in found and joint not in found.values() and not _count_conflicts(skeleton, trial, role):
                found, how[role] = trial, "topology"
    if not any(all(f"{side}_{part}" in found for side in SIDES) for part in ("knee", "elbow")):
        found = dict(fixed)  # no pair of limbs, no person: a "head" or "hip" alone means something else
    else:
        _find_centre(skeleton, parts, found, how)
    found.update(fixed)
    how = {role: "given" if role in fixed else how[role] for role in ROLES if role in found}
    return RoleReport(
        skeleton=replace(skeleton, roles=found),
        convention=convention(skeleton.names, how),
        roles=MappingProxyType({role: skeleton.names[found[role]] for role in how}),
        how=MappingProxyType(how),
        missing=tuple(role for role in ROLES if role not in found),
    )


def _reach(skeleton: Skeleton) -> float:
    """Return the longest side of the box around the joints at rest, metres."""
    return max(float(np.ptp(skeleton.rest_positions, axis=0).max()), 1e-9)


def _length(skeleton: Skeleton, a: int, b: int) -> float:
    return float(np.linalg.norm(skeleton.rest_positions[a] - skeleton.rest_positions[b]))


def _is_below(skeleton: Skeleton, joint: int, ancestor: int) -> bool:
    """Say whether `joint` hangs somewhere below `ancestor`."""
    return ancestor in skeleton.line_up(joint)[1:]


def _common_ancestor(skeleton: Skeleton, joints: Sequence[int]) -> int:
    """Return the deepest joint on which all of these hang (or which is one of them)."""
    lines = [skeleton.line_up(joint) for joint in joints]
    return next(a for a in lines[0] if all(a in line for line in lines))


def _drop_coincident(skeleton: Skeleton, joints: list[int]) -> list[int]:
    """Return a chain with one joint per place: the one that branches (a hand before its fingers), or the last."""
    kept: list[int] = []
    for joint in joints:
        if kept and _length(skeleton, kept[-1], joint) < 1e-3 * _reach(skeleton):
            if len(skeleton.children[kept[-1]]) > 1:
                continue
            kept.pop()
        kept.append(joint)
    return kept


def _find_limbs_by_name(skeleton: Skeleton, parts: list[tuple[str, str]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for side in SIDES:
        # Reversed: of two joints of one name the one nearer to the root.
        named = reversed(list(enumerate(parts)))
        mine = {part: joint for joint, (its, part) in named if its == side and not skeleton.end_sites[joint]}
        # From the far end, so that a word that was taken ("leg" for the knee, "arm" for the shoulder) is not reused.
        for role in ("wrist", "elbow", "shoulder", "clavicle", "ankle", "ball", "knee", "hip"):
            word = next((word for word in WORDS[role] if word in mine), None)
            if word is not None:
                found[f"{side}_{role}"] = mine.pop(word)
    return found


def _count_conflicts(skeleton: Skeleton, found: Mapping[str, int], role: str) -> int:
    """Return with how many others of its limb a joint does not hang in order: below those before, above those after."""
    side, _, part = role.partition("_")
    limb = next(limb for limb in LIMBS if part in limb)
    here = [f"{side}_{name}" for name in limb if f"{side}_{name}" in found]
    return sum(not _is_below(skeleton, found[b], found[a]) for a, b in combinations(here, 2) if role in (a, b))


def _drop_contradictions(skeleton: Skeleton, found: dict[str, int], fixed: Mapping[str, int]) -> None:
    """Drop roles until every limb hangs in order: the joint that quarrels with the most others goes first."""
    for side, limb in product(SIDES, LIMBS):
        while free := [role for part in limb if (role := f"{side}_{part}") in found and role not in fixed]:
            worst = max(free, key=lambda role: _count_conflicts(skeleton, found, role))
            if not _count_conflicts(skeleton, found, worst):
                break
            del found[worst]


def _find_limbs_by_shape(skeleton: Skeleton) -> dict[str, int]:
    """Find legs and arms as mirrored pairs of chains; nothing where the rest pose is not shaped like a person."""
    places, reach = skeleton.rest_positions, _reach(skeleton)
    leaves = [j for j in range(len(skeleton)) if not skeleton.children[j]]
    low = places[:, 2].min()
    middle = float(places[0, 1])

    def is_mirrored(a: int, b: int) -> bool:
        """Say whether `a` on the left (+y) is the mirror image of `b` on the right."""
        p, q = places[a], places[b]
        apart = np.array([p[0] - q[0], p[1] + q[1] - 2 * middle, p[2] - q[2]])
        return bool(p[1] > middle > q[1] and np.abs(apart).max() < MIRROR_TOLERANCE_SHARE * reach)

    pairs = [(a, b) for a in leaves for b in leaves if is_mirrored(a, b)]
    feet = [(a, b) for a, b in pairs if max(places[a, 2], places[b, 2]) < low + 0.1 * reach]
    if not feet:
        return {}
    feet.sort(key=lambda pair: (-float(places[pair[0], 0]), pair))  # the toe rather than the heel
    hips = _common_ancestor(skeleton, feet[0])
    top = max(leaves, key=lambda j: float(places[j, 2]))
    if places[top, 2] < places[hips, 2] + 0.2 * reach or places[hips, 2] < low + 0.25 * reach:
        return {}
    found: dict[str, int] = {}
    for side, foot in zip(SIDES, feet[0], strict=True):
        chain = _drop_coincident(skeleton, [j for j in skeleton.line_up(foot)[::-1] if _is_below(skeleton, j, hips)])
        bones = [_length(skeleton, a, b) for a, b in pairwise(chain)]
        if len(bones) < 2:
            return {}
        first = max(range(len(bones) - 1), key=lambda i: bones[i] + bones[i + 1])  # thigh and shank are the longest
        leg = zip(("hip", "knee", "ankle", "ball"), chain[first:], strict=False)
        found |= {f"{side}_{part}": joint for part, joint in leg if not skeleton.end_sites[joint]}
    spine = set(skeleton.line_up(top))
    sideways = [
        (a, b)
        for a, b in pairs
        if _common_ancestor(skeleton, (a, b)) in spine
        and places[_common_ancestor(skeleton, (a, b)), 2] > places[hips, 2] + 0.02 * reach
    ]
    if not sideways:
        return found
    hands = max(sideways, key=lambda pair: (_length(skeleton, pair[0], _common_ancestor(skeleton, pair)), -pair[0]))
    chest = _common_ancestor(skeleton, hands)
    for side, hand in zip(SIDES, hands, strict=True):
        chain = [j for j in _drop_coincident(skeleton, skeleton.line_up(hand)[::-1]) if _is_below(skeleton, j, chest)]
        out = [i for i, j in enumerate(chain) if abs(places[j, 1] - middle) > 0.06 * reach]
        if not out or len(chain) - out[0] < 3:
            continue
        if out[0] > 0:
            found[f"{side}_clavicle"] = chain[out[0] - 1]
        elif (held := int(skeleton.parents[chain[0]])) != chest:
            found[f"{side}_clavicle"] = held  # it sits on the chest without an offset, as in the CMU skeletons
        arm = zip(("shoulder", "elbow", "wrist"), chain[out[0] :], strict=False)
        found |= {f"{side}_{part}": joint for part, joint in arm if not skeleton.end_sites[joint]}
    return found


def _find_centre(skeleton: Skeleton, parts: list[tuple[str, str]], found: dict[str, int], how: dict[str, str]) -> None:
    """Add hips, spine, chest, neck and head, which the limbs hang on."""

    def is_named(role: str, joint: int) -> bool:
        return not parts[joint][0] and CENTRE[role].fullmatch(parts[joint][1]) is not None

    def put(role: str, joints: list[int]) -> None:
        """Give a role to the first of these joints, unless it is given already or there is none."""
        if joints and role not in found:
            found[role], how[role] = joints[0], "name" if is_named(role, joints[0]) else "topology"

    def both(*options: str) -> list[int]:
        for part in options:
            if all(f"{side}_{part}" in found for side in SIDES):
                return [found[f"{side}_{part}"] for side in SIDES]
        return []

    legs, arms = both("hip", "knee"), both("clavicle", "shoulder", "elbow")
    if arms:
        chest = _common_ancestor(skeleton, arms)
        while is_named("neck", chest) and skeleton.parents[chest] >= 0:
            chest = int(skeleton.parents[chest])  # a Biped hangs its clavicles on the neck
        put("chest", [chest])
    if legs:
        holder = _common_ancestor(skeleton, legs + ([found["chest"]] if "chest" in found else []))
        put("hips", [*(j for j in skeleton.line_up(holder) if is_named("hips", j)), holder])
    elif arms:
        put("hips", [j for j in skeleton.line_up(found["chest"])[1:] if is_named("hips", j)])
    heads = [j for j in range(len(skeleton)) if is_named("head", j) and not skeleton.end_sites[j]]
    heads = [j for j in heads if "chest" not in found or _is_below(skeleton, j, found["chest"])]
    put("head", heads)
    if arms and not heads and (line := _find_heads_by_shape(skeleton, found["chest"], arms)):
        found["head"], how["head"] = line[0], "topology"
    if "head" in found and "hips" in found:
        line = [j for j in skeleton.line_up(found["head"]) if _is_below(skeleton, j, found["hips"])]
        put("chest", [j for j in line if is_named("chest", j)])
    if "head" in found and "chest" in found:
        line = [j for j in skeleton.line_up(found["head"])[:0:-1] if _is_below(skeleton, j, found["chest"])]
        put("neck", [*(j for j in line if is_named("neck", j)), *line])
    if "hips" in found and "chest" in found and _is_below(skeleton, found["chest"], found["hips"]):
        bent = skeleton.chain(found["hips"], found["chest"])[1:-1]
        put("spine", [j for j in bent if _length(skeleton, j, found["hips"]) > 1e-3 * _reach(skeleton)])


def _find_heads_by_shape(skeleton: Skeleton, chest: int, arms: list[int]) -> list[int]:
    """Return the turning joints of the chain that goes up from the chest, the last one, which is the head, first."""
    below = [j for j in range(len(skeleton)) if _is_below(skeleton, j, chest)]
    free = [j for j in below if not any(arm in skeleton.line_up(j) for arm in arms)]
    top = max(free, key=lambda j: (float(skeleton.rest_positions[j, 2]), j), default=chest)
    return [j for j in skeleton.line_up(top) if _is_below(skeleton, j, chest) and not skeleton.end_sites[j]]
