"""Rigged characters as .glb files, made in code: a robot of tubes in a T-pose, named as various tools name joints."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pygltflib as gl

from walkon._base.arrays import Array
from walkon.transforms import quaternions as quat

SIDES = (("Left", 1.0), ("Right", -1.0))

# Mixamo's names; y up, facing +z, left = +x, metres. Longer legs and feet than the takes of the tests, arms held out.
CENTRE: dict[str, tuple[str, tuple[float, float, float]]] = {
    "Hips": ("", (0.0, 1.06, 0.0)),
    "Spine": ("Hips", (0.0, 1.15, -0.01)),
    "Spine1": ("Spine", (0.0, 1.25, -0.02)),
    "Spine2": ("Spine1", (0.0, 1.36, -0.02)),
    "Neck": ("Spine2", (0.0, 1.53, -0.01)),
    "Head": ("Neck", (0.0, 1.62, 0.01)),
    "HeadTop_End": ("Head", (0.0, 1.82, 0.02)),
}
LIMBS: dict[str, tuple[str, tuple[float, float, float]]] = {
    "Shoulder": ("Spine2", (0.05, 1.49, -0.01)),
    "Arm": ("Shoulder", (0.17, 1.48, -0.02)),
    "ForeArm": ("Arm", (0.45, 1.48, -0.02)),
    "Hand": ("ForeArm", (0.71, 1.48, -0.02)),
    "UpLeg": ("Hips", (0.11, 1.0, 0.0)),
    "Leg": ("UpLeg", (0.115, 0.54, 0.01)),
    "Foot": ("Leg", (0.12, 0.1, -0.02)),
    "ToeBase": ("Foot", (0.135, 0.03, 0.14)),
    "Toe_End": ("ToeBase", (0.14, 0.03, 0.22)),
}
FINGERS: dict[str, tuple[str, tuple[float, float, float]]] = {
    "HandThumb1": ("Hand", (0.74, 1.47, 0.02)),
    "HandIndex1": ("Hand", (0.8, 1.48, -0.01)),
    "HandIndex2": ("HandIndex1", (0.84, 1.48, -0.01)),
}
RADII = {
    **{"Hips": (0.11, 0.12), "Spine": (0.115, 0.12), "Spine1": (0.12, 0.13), "Spine2": (0.135, 0.09)},
    **{"Neck": (0.05, 0.05), "Head": (0.085, 0.09), "Shoulder": (0.06, 0.06), "Arm": (0.055, 0.045)},
    **{"ForeArm": (0.045, 0.03), "Hand": (0.038, 0.03), "UpLeg": (0.085, 0.06), "Leg": (0.06, 0.04)},
}
COLOURS = {"cloth": (0.16, 0.42, 0.5, 1.0), "metal": (0.8, 0.78, 0.72, 1.0), "dark": (0.1, 0.11, 0.13, 1.0)}
DRESS = {"Head": "metal", "Hand": "metal", "Foot": "dark", "ToeBase": "dark", "ForeArm": "metal", "Leg": "dark"}

UNREAL = {
    **{"Hips": "pelvis", "Spine": "spine_01", "Spine1": "spine_02", "Spine2": "spine_03", "Neck": "neck_01"},
    **{"Head": "head", "Shoulder": "clavicle", "Arm": "upperarm", "ForeArm": "lowerarm", "Hand": "hand"},
    **{"UpLeg": "thigh", "Leg": "calf", "Foot": "foot", "ToeBase": "ball"},
}
RIGIFY = {
    **{"Hips": "DEF-spine", "Spine": "DEF-spine.001", "Spine1": "DEF-spine.002", "Spine2": "DEF-spine.003"},
    **{"Neck": "DEF-spine.004", "Head": "DEF-spine.006", "Shoulder": "DEF-shoulder", "Arm": "DEF-upper_arm"},
    **{"ForeArm": "DEF-forearm", "Hand": "DEF-hand", "UpLeg": "DEF-thigh", "Leg": "DEF-shin", "Foot": "DEF-foot"},
    **{"ToeBase": "DEF-toe"},
}
VRM = {
    **{"Hips": "Hips", "Spine": "Spine", "Spine1": "Chest", "Spine2": "UpperChest", "Neck": "Neck", "Head": "Head"},
    **{"Shoulder": "Shoulder", "Arm": "UpperArm", "ForeArm": "LowerArm", "Hand": "Hand", "UpLeg": "UpperLeg"},
    **{"Leg": "LowerLeg", "Foot": "Foot", "ToeBase": "ToeBase"},
}
Naming = Callable[[str, str], str]
"""(side or "", part) → the joint's name."""


def mixamo(side: str, part: str) -> str:
    return f"mixamorig:{side}{part}"


def unreal(side: str, part: str) -> str:
    return UNREAL.get(part, part.lower()) + (f"_{side[0].lower()}" if side else "")


def rigify(side: str, part: str) -> str:
    return RIGIFY.get(part, f"DEF-{part}") + (f".{side[0]}" if side else "")


def vrm(side: str, part: str) -> str:
    return f"J_Bip_{side[0] if side else 'C'}_{VRM.get(part, part)}"


def plain(side: str, part: str) -> str:
    """Names that say nothing."""
    return f"b{sum(map(ord, side + part)) % 9973}{len(side + part)}"


def person_joints(
    *, fingers: bool = True, toes: bool = True, naming: Naming = mixamo
) -> dict[str, tuple[str, Array, str]]:
    """Name → (parent's name, place [3], part), parents first."""
    joints: dict[str, tuple[str, Array, str]] = {}
    for part, (parent, place) in CENTRE.items():
        joints[naming("", part)] = (naming("", parent) if parent else "", np.array(place), part)
    limbs = LIMBS | (FINGERS if fingers else {})
    if not toes:
        limbs = {part: told for part, told in limbs.items() if not part.startswith("Toe")}
    for side, sign in SIDES:
        for part, (parent, place) in limbs.items():
            above = naming("", parent) if parent in CENTRE else naming(side, parent)
            joints[naming(side, part)] = (above, np.array(place) * [sign, 1.0, 1.0], part)
    return joints


def write_rig(
    path: Path,
    joints: Mapping[str, tuple[str, Array, str]] | None = None,
    *,
    unit: float = 1.0,
    turn: Array | None = None,
    armature: bool = False,
    oriented: bool = True,
    posed: bool = False,
    skins: int = 1,
    edit: Callable[[gl.GLTF2], None] | None = None,
) -> Path:
    """Write a character.

    `unit` metres make 1 of the file's units; `turn` [4] turns it all; `armature` puts the joints under a node that
    turns and scales, as Blender does; `oriented` gives joints axes of their own, along their bones; `posed` leaves the
    nodes in another pose than the mesh is bound in; several `skins` are several people.
    """
    file = _File()
    for number in range(skins):
        _person(file, joints or person_joints(), number, unit, turn, armature, oriented, posed)
    gltf = gl.GLTF2(
        asset=gl.Asset(version="2.0"),
        scene=0,
        scenes=[gl.Scene(nodes=file.tops)],
        nodes=file.nodes,
        meshes=file.meshes,
        skins=file.skins,
        materials=[
            gl.Material(
                name=name,
                pbrMetallicRoughness=gl.PbrMetallicRoughness(
                    baseColorFactor=list(colour), roughnessFactor=0.7, metallicFactor=0.0
                ),
            )
            for name, colour in COLOURS.items()
        ],
        accessors=file.accessors,
        bufferViews=file.views,
        buffers=[gl.Buffer(byteLength=len(file.blob))],
    )
    gltf.set_binary_blob(bytes(file.blob))
    if edit is not None:
        edit(gltf)
    path.write_bytes(b"".join(gltf.save_to_bytes()))
    return path


class _File:
    """The growing file: nodes, meshes, and one binary blob."""

    def __init__(self) -> None:
        self.blob = bytearray()
        self.nodes: list[gl.Node] = []
        self.meshes: list[gl.Mesh] = []
        self.skins: list[gl.Skin] = []
        self.accessors: list[gl.Accessor] = []
        self.views: list[gl.BufferView] = []
        self.tops: list[int] = []

    def add(self, values: Array, kind: int, shape: str, **extra: Any) -> int:
        while len(self.blob) % 4:
            self.blob.append(0)
        content = np.ascontiguousarray(values).tobytes()
        self.views.append(gl.BufferView(buffer=0, byteOffset=len(self.blob), byteLength=len(content)))
        self.blob += content
        self.accessors.append(
            gl.Accessor(bufferView=len(self.views) - 1, componentType=kind, count=len(values), type=shape, **extra)
        )
        return len(self.accessors) - 1


def _person(
    file: _File,
    joints: Mapping[str, tuple[str, Array, str]],
    number: int,
    unit: float,
    turn: Array | None,
    armature: bool,
    oriented: bool,
    posed: bool,
) -> None:
    names = list(joints)
    turn = np.array(quat.IDENTITY) if turn is None else turn
    places = quat.rotate(turn, np.array([place for _, place, _ in joints.values()])) / unit
    parents = [names.index(parent) if parent else -1 for parent, _, _ in joints.values()]
    parts = [part for _, _, part in joints.values()]
    worlds = np.tile(np.eye(4), (len(names), 1, 1))
    worlds[:, :3, 3] = places
    for j in range(len(names)):
        children = [c for c, p in enumerate(parents) if p == j]
        if oriented and children:
            along = quat.rotate(quat.conjugate(turn), places[children[-1]] - places[j])
            worlds[j, :3, :3] = quat.to_matrix(quat.multiply(turn, quat.between([0.0, 1.0, 0.0], along)))
        else:
            worlds[j, :3, :3] = quat.to_matrix(turn)
    outer = np.eye(4)
    if armature:  # turned about x and a hundredth of the size, while joints are given in a hundred times that
        outer[:3, :3] = 0.01 * quat.to_matrix(quat.about(np.array([1.0, 0.0, 0.0]), -0.5 * np.pi))
    first = len(file.nodes) + 1
    top = gl.Node(name=f"Armature {number}", children=[])
    if armature:
        s = np.sqrt(0.5)
        top.rotation, top.scale = [-s, 0.0, 0.0, s], [0.01, 0.01, 0.01]
    file.tops.append(len(file.nodes))
    file.nodes.append(top)
    inverse = np.linalg.inv(outer)
    for j, name in enumerate(names):
        local = np.linalg.inv(worlds[parents[j]]) @ worlds[j] if parents[j] >= 0 else inverse @ worlds[j]
        size = np.linalg.norm(local[:3, :3], axis=0)
        w, x, y, z = quat.from_matrix(local[:3, :3] / size)
        if posed and parts[j] in ("Arm", "UpLeg", "Leg"):
            w, x, y, z = quat.multiply([w, x, y, z], quat.about(np.array([1.0, 0.0, 0.0]), 0.8))
        node = gl.Node(name=name, translation=local[:3, 3].tolist(), rotation=[x, y, z, w], scale=size.tolist())
        node.children = [first + c for c, p in enumerate(parents) if p == j]
        file.nodes.append(node)
    top.children = [first + j for j, p in enumerate(parents) if p < 0]
    # The mesh is in the file's own axes and units, times what the armature undoes.
    binds = np.linalg.inv(inverse @ worlds) if armature else np.linalg.inv(worlds)
    skin = gl.Skin(
        joints=[first + j for j in range(len(names))],
        inverseBindMatrices=file.add(np.swapaxes(binds, 1, 2).astype(np.float32), gl.FLOAT, "MAT4"),
    )
    file.skins.append(skin)
    primitives = []
    for material, dress in enumerate(COLOURS):
        shapes = [_shape(j, parts, parents, places, turn, unit) for j in range(len(names))]
        chosen = [(j, shape) for j, shape in enumerate(shapes) if shape and DRESS.get(parts[j], "cloth") == dress]
        if chosen:
            primitives.append(_primitive(file, chosen, material, inverse))
    file.meshes.append(gl.Mesh(name="body", primitives=primitives))
    file.nodes.append(gl.Node(name="body", mesh=len(file.meshes) - 1, skin=len(file.skins) - 1))
    top.children.append(len(file.nodes) - 1)


Shape = tuple[Array, Array]
"""Vertices [V, 3] and triangles [F, 3]."""


def _shape(j: int, parts: list[str], parents: list[int], places: Array, turn: Array, unit: float) -> Shape | None:
    """Return what surrounds a joint's bone: a tube with round ends, a block for a foot."""
    part, here = parts[j], places[j]
    children = [c for c, p in enumerate(parents) if p == j]
    if part in ("Foot", "ToeBase"):
        own = quat.rotate(quat.conjugate(turn), here) * unit
        back, front = (-0.075, 0.15) if part == "Foot" else (0.0, 0.095)
        if part == "Foot" and not children:
            front = 0.24  # a foot in one piece
        low, high = np.array([-0.045, -own[1], back]), np.array([0.045, 0.02 if part == "Foot" else 0.03, front])
        corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
        vertices = own + low + corners * (high - low)
        if part == "Foot":
            vertices[(corners[:, 1] == 1) & (corners[:, 2] == 1), 1] -= 0.055
        faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        quads = vertices[np.array(faces)].reshape(-1, 3)  # corners of their own per face: flat shading
        triangles = np.concatenate([[(4 * f, 4 * f + 1, 4 * f + 2), (4 * f, 4 * f + 2, 4 * f + 3)] for f in range(6)])
        return quat.rotate(turn, quads / unit), triangles
    if part not in RADII:
        return None
    if part == "Hand":
        stop = here + (here - places[parents[j]]) * 0.5
    elif part == "Hips":
        stop = places[next(c for c in children if parts[c] == "Spine")]
    else:
        stop = places[next((c for c in children if parts[c] in ("Neck", "Head", "HeadTop_End")), children[0])]
    first, last = (r / unit for r in RADII[part])
    if part == "Head":
        return _tube(here + 0.45 * (stop - here), here + 0.55 * (stop - here), first, last, cap=1.15)
    return _tube(here, stop, first, last)


def _tube(start: Array, stop: Array, r0: float, r1: float, *, sides: int = 14, cap: float = 0.6) -> Shape:
    axis = (stop - start) / np.linalg.norm(stop - start)
    turn = quat.between([0.0, 0.0, 1.0], axis)
    rings = [(start - axis * r0 * np.cos(a) * cap, r0 * np.sin(a)) for a in np.linspace(0.0, np.pi / 2, 6)]
    rings += [(stop + axis * r1 * np.sin(a) * cap, r1 * np.cos(a)) for a in np.linspace(0.0, np.pi / 2, 6)]
    angles = np.linspace(0.0, 2 * np.pi, sides, endpoint=False)
    circle = quat.rotate(turn, np.column_stack([np.cos(angles), np.sin(angles), np.zeros(sides)]))
    vertices = np.concatenate([centre + max(radius, 1e-5) * circle for centre, radius in rings])
    triangles = []
    for ring in range(len(rings) - 1):
        for k in range(sides):
            a, b = ring * sides + k, ring * sides + (k + 1) % sides
            triangles += [(a, b, b + sides), (a, b + sides, a + sides)]
    return vertices, np.array(triangles)


def _primitive(file: _File, shapes: list[tuple[int, Shape]], material: int, inverse: Array) -> gl.Primitive:
    vertices = np.concatenate([shape[0] for _, shape in shapes]) @ inverse[:3, :3].T
    holders = np.concatenate([np.full(len(shape[0]), j) for j, shape in shapes])
    starts = np.cumsum([0, *(len(shape[0]) for _, shape in shapes)])
    triangles = np.concatenate([shape[1] + start for (_, shape), start in zip(shapes, starts, strict=False)])
    normals = np.zeros_like(vertices)
    corners = vertices[triangles]
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    for k in range(3):
        np.add.at(normals, triangles[:, k], faces)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    joints = np.zeros((len(vertices), 4), np.uint8)
    joints[:, 0] = holders
    weights = np.zeros((len(vertices), 4), np.float32)
    weights[:, 0] = 1.0
    bounds = {"min": vertices.min(axis=0).tolist(), "max": vertices.max(axis=0).tolist()}
    return gl.Primitive(
        attributes=gl.Attributes(
            POSITION=file.add(vertices.astype(np.float32), gl.FLOAT, "VEC3", **bounds),
            NORMAL=file.add(normals.astype(np.float32), gl.FLOAT, "VEC3"),
            JOINTS_0=file.add(joints, gl.UNSIGNED_BYTE, "VEC4"),
            WEIGHTS_0=file.add(weights, gl.FLOAT, "VEC4"),
        ),
        indices=file.add(triangles.astype(np.uint32).ravel(), gl.UNSIGNED_INT, "SCALAR"),
        material=material,
    )
