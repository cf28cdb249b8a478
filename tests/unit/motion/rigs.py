"""A person of 1.75 m under the joint names of the rigs people have."""

from walkon.motion.skeleton import ROLES, SIDES, Skeleton

# Part, the part it hangs on, place in metres (left side; the right is mirrored).
TRUNK = [
    ("hips", None, (0, 0, 0.95)),
    ("spine", "hips", (0, 0, 0.10)),
    ("chest", "spine", (0, 0, 0.20)),
    ("neck", "chest", (0, 0, 0.22)),
    ("head", "neck", (0.01, 0, 0.10)),
    ("head_end", "head", (0, 0, 0.18)),
]
LIMBS = [
    ("hip", "hips", (0, 0.09, -0.06)),
    ("knee", "hip", (0.01, 0, -0.42)),
    ("ankle", "knee", (-0.01, 0, -0.40)),
    ("ball", "ankle", (0.14, 0, -0.05)),
    ("ball_end", "ball", (0.06, 0, 0)),
    ("clavicle", "chest", (0, 0.05, 0.18)),
    ("shoulder", "clavicle", (0, 0.13, 0.0)),
    ("elbow", "shoulder", (0, 0.28, 0)),
    ("wrist", "elbow", (0, 0.25, 0)),
    ("wrist_end", "wrist", (0, 0.10, 0)),
]


def person(names: dict[str, str], *, without: tuple[str, ...] = (), under: dict[str, str] | None = None) -> Skeleton:
    """Build the person with other names; `names` has "{S}" for Left or Right, "{s}" for L or R, "{x}" for l or r."""
    rows: list[tuple[str, str | None, tuple[float, ...]]] = list(TRUNK)
    for side in SIDES:
        sign = 1 if side == "left" else -1
        for part, parent, (x, y, z) in LIMBS:
            holder = parent if parent in ("hips", "chest") else f"{side}_{parent}"
            rows.append((f"{side}_{part}", holder, (x, sign * y, z)))
    rows = [row for row in rows if row[0] not in without]
    order = [row[0] for row in rows]

    def name(part: str) -> str:
        side, _, bare = part.partition("_")
        if side not in SIDES:
            return names.get(part, f"{names.get(part.removesuffix('_end'), part)} tip")
        word = names.get(bare) or f"{names[bare.removesuffix('_end')]} tip"
        return word.format(S=side.capitalize(), s=side[0].upper(), x=side[0], w=side)

    holders = {part: (under or {}).get(part, parent) for part, parent, _ in rows}
    order.sort(key=lambda part: _depth(part, holders))
    offsets = {part: offset for part, _, offset in rows}
    return Skeleton(
        names=[name(part) for part in order],
        parents=[-1 if holders[part] is None else order.index(holders[part]) for part in order],
        offsets=[offsets[part] for part in order],
        end_sites=[part.endswith("_end") for part in order],
    )


def _depth(part: str | None, holders: dict[str, str | None]) -> int:
    return -1 if part is None else 1 + _depth(holders[part], holders)


def expected(names: dict[str, str], *, without: tuple[str, ...] = ()) -> dict[str, str]:
    """Role → joint name, from the same table."""
    wanted = {}
    for role in ROLES:
        side, _, part = role.partition("_")
        if role not in without:
            word = names[part] if side in SIDES else names[role]
            wanted[role] = word.format(S=side.capitalize(), s=side[0].upper(), x=side[0], w=side)
    return wanted


CMU_LIKE = {
    **{"hips": "Hips", "spine": "Spine", "chest": "Spine1", "neck": "Neck", "head": "Head"},
    **{"hip": "{S}UpLeg", "knee": "{S}Leg", "ankle": "{S}Foot", "ball": "{S}ToeBase"},
    **{"clavicle": "{S}Shoulder", "shoulder": "{S}Arm", "elbow": "{S}ForeArm", "wrist": "{S}Hand"},
}
MIXAMO = {part: f"mixamorig:{word}" for part, word in {**CMU_LIKE, "chest": "Spine2"}.items()}
RIGS = {
    "Mixamo": MIXAMO,
    "Mixamo with underscores": {part: word.replace(":", "_") for part, word in MIXAMO.items()},
    "Mixamo numbered": {part: word.replace(":", "1:") for part, word in MIXAMO.items()},
    "LAFAN1": {**CMU_LIKE, "chest": "Spine2", "ball": "{S}Toe"},
    "Biped": {
        **{"hips": "Bip01 Pelvis", "spine": "Bip01 Spine", "chest": "Bip01 Spine1", "neck": "Bip01 Neck"},
        **{"head": "Bip01 Head", "hip": "Bip01 {s} Thigh", "knee": "Bip01 {s} Calf", "ankle": "Bip01 {s} Foot"},
        **{"ball": "Bip01 {s} Toe0", "clavicle": "Bip01 {s} Clavicle", "shoulder": "Bip01 {s} UpperArm"},
        **{"elbow": "Bip01 {s} Forearm", "wrist": "Bip01 {s} Hand"},
    },
    "Xsens": {
        **{"hips": "Hips", "spine": "Chest", "chest": "Chest4", "neck": "Neck", "head": "Head"},
        **{"hip": "{S}Hip", "knee": "{S}Knee", "ankle": "{S}Ankle", "ball": "{S}Toe"},
        **{"clavicle": "{S}Collar", "shoulder": "{S}Shoulder", "elbow": "{S}Elbow", "wrist": "{S}Wrist"},
    },
    "Xsens segments": {
        **{"hips": "Pelvis", "spine": "L5", "chest": "T8", "neck": "Neck", "head": "Head"},
        **{"hip": "{S}UpperLeg", "knee": "{S}LowerLeg", "ankle": "{S}Foot", "ball": "{S}Toe"},
        **{"clavicle": "{S}Shoulder", "shoulder": "{S}UpperArm", "elbow": "{S}ForeArm", "wrist": "{S}Hand"},
    },
    "Rokoko": {**CMU_LIKE, "chest": "Spine4", "hip": "{S}Thigh", "knee": "{S}Shin", "ball": "{S}Toe"},
    "Unreal": {
        **{"hips": "pelvis", "spine": "spine_01", "chest": "spine_03", "neck": "neck_01", "head": "head"},
        **{"hip": "thigh_{x}", "knee": "calf_{x}", "ankle": "foot_{x}", "ball": "ball_{x}"},
        **{"clavicle": "clavicle_{x}", "shoulder": "upperarm_{x}", "elbow": "lowerarm_{x}", "wrist": "hand_{x}"},
    },
    "Rigify": {
        **{"hips": "DEF-spine", "spine": "DEF-spine.001", "chest": "DEF-spine.003", "neck": "DEF-spine.004"},
        **{"head": "DEF-spine.006", "hip": "DEF-thigh.{s}", "knee": "DEF-shin.{s}", "ankle": "DEF-foot.{s}"},
        **{"ball": "DEF-toe.{s}", "clavicle": "DEF-shoulder.{s}", "shoulder": "DEF-upper_arm.{s}"},
        **{"elbow": "DEF-forearm.{s}", "wrist": "DEF-hand.{s}"},
    },
    "SMPL": {
        **{"hips": "Pelvis", "spine": "Spine1", "chest": "Spine3", "neck": "Neck", "head": "Head"},
        **{"hip": "{s}_Hip", "knee": "{s}_Knee", "ankle": "{s}_Ankle", "ball": "{s}_Foot"},
        **{"clavicle": "{s}_Collar", "shoulder": "{s}_Shoulder", "elbow": "{s}_Elbow", "wrist": "{s}_Wrist"},
    },
    "AMASS": {
        **{"hips": "pelvis", "spine": "spine1", "chest": "spine3", "neck": "neck", "head": "head"},
        **{"hip": "{w}_hip", "knee": "{w}_knee", "ankle": "{w}_ankle", "ball": "{w}_foot"},
        **{"clavicle": "{w}_collar", "shoulder": "{w}_shoulder", "elbow": "{w}_elbow", "wrist": "{w}_wrist"},
    },
    "Acclaim": {
        **{"hips": "root", "spine": "lowerback", "chest": "thorax", "neck": "lowerneck", "head": "head"},
        **{"hip": "{x}femur", "knee": "{x}tibia", "ankle": "{x}foot", "ball": "{x}toes"},
        **{"clavicle": "{x}clavicle", "shoulder": "{x}humerus", "elbow": "{x}radius", "wrist": "{x}wrist"},
    },
}
