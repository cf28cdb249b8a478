"""Naming conventions of rigs: what "mixamorig:LeftUpLeg", "Bip01 L Thigh", "thigh.L" and "lfemur" have in common.

A name is cut into a side and a part: "mixamorig:LeftUpLeg", "Bip01 L Thigh", "thigh.L", "lfemur" all name the left hip.
Three words mean different joints in different rigs, and the rest of the chain decides: "LeftShoulder" is the clavicle
where a "LeftArm" or "LeftUpperArm" follows and the shoulder where not; "left_foot" is the ball where there is a
"left_ankle"; "LHipJoint" (CMU) is never the hip.
"""

import re
from collections.abc import Mapping
from typing import Literal

__all__ = ["CENTRE", "WORDS", "Convention", "convention", "cut"]

Convention = Literal["CMU", "Mixamo", "LAFAN1", "Biped", "Xsens", "Rokoko", "other names", "topology", "none"]

WORDS: Mapping[str, tuple[str, ...]] = {
    "clavicle": ("clavicle", "collar", "collarbone", "clav", "scapula", "shoulder"),
    "shoulder": ("upperarm", "uparm", "armupper", "shldr", "shldrbend", "humerus", "arm", "shoulder"),
    "elbow": ("elbow", "forearm", "lowerarm", "lowarm", "armlower", "forearmbend", "radius"),
    "wrist": ("wrist", "hand"),
    "hip": ("upleg", "upperleg", "legupper", "thigh", "thighbend", "femur", "hip", "leg"),
    "knee": ("knee", "lowleg", "lowerleg", "leglower", "calf", "shin", "shank", "tibia", "leg"),
    "ankle": ("ankle", "foot"),
    "ball": ("ball", "toebase", "toes", "toe", "toe0", "foot"),
}
"""Words for the joints of the limbs without their side, the surest first."""

CENTRE: Mapping[str, re.Pattern[str]] = {
    "hips": re.compile(r"hips?|pelvis"),
    "spine": re.compile(r"(spine|abdomen|waist|lowerback|upperback|chest|torso|l5|l3|t12)\w*"),
    "chest": re.compile(r"(spine|chest|upperchest|thorax|torso|ribs?|t8|t12|upperback)\w*"),
    "neck": re.compile(r"(neck|lowerneck|upperneck|necktwist)\d*|necklower|neckupper"),
    "head": re.compile(r"head"),
}

NOISE = {"jnt", "jt", "bone", "bn", "def", "org", "bip", "biped", "valvebiped", "mixamorig", "sk", "avg"}
"""Parts of names that say nothing about the joint; the number behind the name of a rig (Bip01) goes with it."""


def cut(name: str) -> tuple[str, str]:
    """Cut a joint's name into (side, part): ("left", "upleg"), ("", "spine1")."""
    name = re.sub(r"^cc_base_", "", name.rsplit(":", 1)[-1].rsplit("|", 1)[-1], flags=re.IGNORECASE)
    tokens = [t.lower() for t in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]
    if len(tokens) == 2 and tokens[0] in "lt" and tokens[1].isdigit():
        return "", "".join(tokens)  # a vertebra: L5, T12
    words: list[str] = []
    side = ""
    dropped_rig = False
    for token in tokens:
        if token in ("l", "r", "left", "right") and not side:
            side = "left" if token.startswith("l") else "right"
        elif token in NOISE or (dropped_rig and token.isdigit()):
            dropped_rig = True
            continue
        else:
            words.append(str(int(token)) if token.isdigit() else token)
        dropped_rig = False
    part = "".join(words)
    if not side:  # "leftupleg", "lfemur": the side is glued to the word
        known = {word for group in WORDS.values() for word in group}
        for prefix, which in (("left", "left"), ("right", "right"), ("l", "left"), ("r", "right")):
            if part.startswith(prefix) and part not in known and part[len(prefix) :] in known:
                return which, part[len(prefix) :]
    return side, part


def convention(names: tuple[str, ...], how: Mapping[str, str]) -> Convention:
    """Name the scheme that these joint names follow; `how` (role → way) says whether names helped at all."""
    ways = list(how.values())
    if not ways:
        return "none"
    if ways.count("topology") > ways.count("name"):
        return "topology"
    plain = {re.sub(r"[\s_\-.]", "", name.rsplit(":", 1)[-1]).lower() for name in names}
    if any("mixamorig" in name.lower() for name in names):
        return "Mixamo"
    if any(re.match(r"(valvebiped\.?)?bip(ed)?\d", name.lower()) for name in names):
        return "Biped"
    signs: tuple[tuple[Convention, set[str]], ...] = (
        ("CMU", {"lhipjoint", "leftupleg"}),
        ("Rokoko", {"leftthigh", "leftshin", "leftarm"}),
        ("Xsens", {"leftcollar", "leftelbow", "lefthip", "chest2"}),
        ("Xsens", {"l5", "t8"}),
        ("Xsens", {"leftcollar", "leftwrist", "leftankle", "lefttoe"}),
        ("Mixamo", {"leftupleg", "lefttoebase", "spine2"}),
        ("LAFAN1", {"leftupleg", "lefttoe", "spine2"}),
    )
    return next((convention for convention, needed in signs if needed <= plain), "other names")
