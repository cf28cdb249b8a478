"""Takes to glTF (`.glb`): skinned people, stage and props in one file, for Blender, Unreal, game engines and browsers.

Each character has a node of its own, with the joints below and the character's size as its scale, and a skinned mesh
node at the root of the scene: one Blender armature each, and what the Khronos validator asks for. Vertices are stored
once per body, times once (`growing_file`). There is *one* animation with the channels of everybody:
Blender, Unreal and browsers play one animation at a time, and one per character would show a single person walking.

Axes: y up; (x, y, z) of the stage is (x, z, −y) in the file. Metres; seconds from the excerpt's start.
Characters that are absent have scale 0; those who are not there at all in this part are left out. Marks have no shape
in glTF: they are in the `extras` of their character, with its name, colour and times; Blender shows extras as custom
properties.

The buffer is written block by block to a temporary file beside the target and copied behind the JSON part at the end,
so memory does not grow with the take but for some hundred bytes per channel.

With `character` people are a user's own rigged character (`wearer`): its meshes, materials and pictures are in the
file once, as they are in its own.
"""

import tempfile
from pathlib import Path
from typing import BinaryIO

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import InvalidValue
from walkon._base.files import write_atomically
from walkon.export.excerpt import Excerpt, Progress, hold_poses
from walkon.export.finger_joints import find_shaped_hands, finger_turns, with_finger_joints
from walkon.export.gltf.buffers import Buffers, Floats, plain_numbers, put, quaternions, vectors, write_glb
from walkon.export.gltf.growing_file import NO_TURN, ROTATIONS, GrowingFile, Keys, span_of
from walkon.export.gltf.scene import add_props, add_stage, character_extras, file_extras
from walkon.export.gltf.wearer import Wearers
from walkon.io.gltf.document import Document, GltfScene, Node, Skin
from walkon.motion.body import Body
from walkon.take.posing.posing import Poses
from walkon.viewer.character import RiggedCharacter, resolve_character

__all__ = ["write"]

CHARACTERS_DONE_SHARE, PROPS_DONE_SHARE = 0.9, 0.95
"""Shares of the work that are done with the characters, and with the props."""


def write(
    excerpt: Excerpt,
    path: str | Path,
    *,
    progress: Progress,
    rotations: str = "float32",
    stage: bool = True,
    character: str | Path | RiggedCharacter | None = None,
) -> None:
    """Write an excerpt as .glb.

    `rotations` "int16" halves the file: whole numbers, at most 0.0035 degrees off. `stage` False leaves out floor,
    obstacles, seats, doors and props. `character` is a rigged character (.glb) that people are shown as; bodies that
    have no legs of a person keep their own shapes.
    """
    if rotations not in ROTATIONS:
        raise InvalidValue(f"rotations must be one of {', '.join(ROTATIONS)}, got {rotations!r}")
    path = Path(path)
    worn = resolve_character(character, excerpt.take)

    def fill(file: BinaryIO) -> None:
        # In the target's folder, where there must be room anyway; it has no name, so nothing is left of it.
        with tempfile.TemporaryFile(dir=path.absolute().parent) as numbers:
            made = _document(excerpt, numbers, progress=progress, rotations=rotations, stage=stage, worn=worn)
            write_glb(made, file, numbers)
        progress(1.0)

    write_atomically(path, fill)


def _document(
    excerpt: Excerpt,
    numbers: BinaryIO,
    *,
    progress: Progress,
    rotations: str,
    stage: bool,
    worn: RiggedCharacter | None,
) -> Document:
    """Write all numbers, and return what is to be said about them."""
    made = Document(
        asset={"version": "2.0", "generator": "Walkon", "extras": file_extras(excerpt)},
        scene=0,
        scenes=[GltfScene(name="take")],
    )
    keys = Keys(Buffers(numbers, made), excerpt.times - excerpt.start, rotations)
    file = GrowingFile(made, keys)
    wearers = None if worn is None else Wearers(worn, file)
    if stage:
        add_stage(file, excerpt)
    done = 0
    for rows, poses in excerpt.by_character():
        _add_characters(file, excerpt, rows, poses, wearers)
        done += len(rows)
        progress(CHARACTERS_DONE_SHARE * done / len(excerpt.characters))
    if stage and excerpt.take.props:
        add_props(file, excerpt)
        progress(PROPS_DONE_SHARE)
    if keys.animation.channels:
        made.animations.append(keys.animation)
    if wearers is not None:
        wearers.sign()
    return made


def _add_characters(file: GrowingFile, excerpt: Excerpt, rows: IntArray, poses: Poses, wearers: Wearers | None) -> None:
    """Add the characters in these rows [n] who are there at all in `poses` [T, n]: who wear a rig, and the others."""
    left = np.asarray(poses.present.any(axis=0))
    bodies = excerpt.take.characters.body[rows]
    for body in np.unique(bodies).tolist() if wearers is not None else ():
        columns = np.flatnonzero(left & (bodies == body))
        if wearers is not None and len(columns) and wearers.character.fits[body] is not None:
            left[columns] = False
            wearers.add(excerpt, rows[columns], poses, columns)
    if left.any():
        places, turns = hold_poses(poses)
        turned, shaped = quaternions(turns), find_shaped_hands(poses)
        for i in np.flatnonzero(left).tolist():
            body, own = excerpt.take.bodies[int(bodies[i])], turned[:, i]
            if shaped[i]:
                fingers = quaternions(finger_turns(body, poses, i))
                body, own = with_finger_joints(body), np.concatenate([own[:, : len(body.skeleton)], fingers], axis=1)
            _add_character(file, excerpt, int(rows[i]), body, places[:, i], own, poses.present[:, i])


def _add_character(
    file: GrowingFile, excerpt: Excerpt, row: int, body: Body, places: Array, turns: Floats, present: BoolArray
) -> None:
    """Add one character with the shape of a body: where its root is [T, 3], how its joints turn [T, J, 4]."""
    take, keys, nodes = excerpt.take, file.keys, file.document.nodes
    body_row, scale = int(take.characters.body[row]), float(take.characters.scale[row])
    name, span = take.names[row], span_of(present)
    skeleton = body.skeleton
    red, green, blue = (float(c) for c in take.characters.colour[row])
    mesh = file.mesh(body_row, body, (red, green, blue))
    _, inverse_binds = file.shape(body_row, body)

    joints = range(len(nodes) + 1, len(nodes) + 1 + len(skeleton))
    it = Node(name=name, children=[joints[0]], extras=character_extras(excerpt, row))
    top = file.add(it, on_top=True)
    offsets = vectors(skeleton.offsets)
    for joint in range(len(skeleton)):
        below = [joints[child] for child in skeleton.children[joint]]
        at = plain_numbers(offsets[joint]) if joint else None
        file.add(Node(name=skeleton.names[joint], children=below, translation=at))
    with keys.buffers.shared_view():
        keys.carry(joints[0], nodes[joints[0]], vectors(places[span] / scale), span.start)
        for joint in np.flatnonzero(~skeleton.end_sites).tolist():
            rest = NO_TURN if joint else None
            keys.turn(joints[joint], nodes[joints[joint]], turns[span, joint], span.start, rest=rest)
    keys.show(top, it, np.full(3, take.characters.scale[row], np.float32), present)
    if mesh is not None:
        skin = put(file.document.skins, Skin(name=name, inverse_bind_matrices=inverse_binds, joints=list(joints)))
        file.add(Node(name=f"{name} body", mesh=mesh, skin=skin), on_top=True)
