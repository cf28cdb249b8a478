"""The people of a crowd: the model of each body, and each character that refers to it.

A body's model is a class prim with skeleton and skin:

    class SkelRoot "Body"
        Skeleton "Skeleton"     joints, bind and rest transforms
        Mesh "Skin"             each vertex held by one joint; a face subset per cloth, and indices of its colours

In the model's frame the body stands at rest with its soles on z = 0 and its root above the origin, facing +x. All joint
frames are then parallel to the model's, so bind and rest transforms are translations. A joint's token is its path in
the tree, made of valid names; the joints' own names stand in `jointNames`.

A character is a SkelRoot that refers to its body's model, is moved as the body moves, and has an animation bound. With
the root joint's world pose (p, R), heading h of the hips, size s and root height z0 of the model at rest,

    SkelRoot    translate = p − s z0 e_z,    orient = turn(h) about e_z,    scale = s
    animation   rotation of the root joint = turn(−h) R; of the others joint → parent; translations once

so the prim stands on the floor under the body, upright and facing its way, and joint j of the posed skeleton is in the
world exactly where the take has it. Rotations are sign-continuous. At moments when the character is not there it has
visibility "invisible"; it then waits where it was last, and before its entrance where it will enter.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from pxr import Gf, Sdf, Vt

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.export.body_mesh import body_mesh, cloth_colours
from walkon.export.excerpt import mark_notes
from walkon.export.usd.layer import (
    TYPES,
    Colour,
    Paints,
    add_attribute,
    add_colour,
    add_extent,
    add_mesh,
    add_prim,
    add_target,
    add_visibility,
    add_xform,
    sample_frames,
    set_samples,
    valid_names,
)
from walkon.motion.body import Body
from walkon.motion.skeleton import Skeleton
from walkon.take.posing.posing import Poses
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = ["Model", "SampledMotion", "add_character", "add_model", "motions"]


class Model(NamedTuple):
    """What characters need to know of their body's model."""

    path: Any
    """Of the class prim, in its layer."""
    turning: IntArray
    """[A] joints that an animation turns: all but the ends of chains, which never do."""
    tokens: tuple[str, ...]
    """[A] their names in the animation."""
    translations: Any
    """[A] where they are in their parents' frames, always."""
    height: float
    """Metres of the root above the origin at rest."""
    flesh: float
    """Metres by which flesh reaches beyond the joints, at most."""
    clothes: tuple[str, ...]
    """Names of the face subsets, in the order of the colours."""


def joint_tokens(skeleton: Skeleton) -> tuple[str, ...]:
    """Return the joints as paths, "Hips/LeftUpLeg/LeftLeg"."""
    tokens: list[str] = []
    for name, parent in zip(valid_names(skeleton.names, instead="joint"), skeleton.parents.tolist(), strict=True):
        tokens.append(name if parent < 0 else f"{tokens[parent]}/{name}")
    return tuple(tokens)


def add_model(layer: Any, path: str, body: Body, *, height: float, name: str, coloured: bool = True) -> Model:
    """Define the model of a body whose root is at this height above its soles at rest.

    With `coloured` its faces have display colours, which a character replaces; without, it takes on those from above.
    """
    skeleton = body.skeleton
    tokens = joint_tokens(skeleton)
    local = np.array(skeleton.offsets)
    local[0] = 0.0, 0.0, height
    moved = local[0] - skeleton.rest_positions[0]
    rest = skeleton.rest_positions + moved

    notes = {"height_m": float(body.height), "mass_kg": float(body.masses.sum())}
    root = add_prim(layer, path, "SkelRoot", abstract=True, schemas=["SkelBindingAPI"], name=name, notes=notes)
    bones = add_prim(layer, f"{path}/Skeleton", "Skeleton", schemas=["SkelBindingAPI"])
    add_target(root, "skel:skeleton", bones.path)
    add_attribute(bones, "joints", TYPES.TokenArray, tokens, uniform=True)
    add_attribute(bones, "jointNames", TYPES.TokenArray, skeleton.names, uniform=True)
    for attribute, places in (("bindTransforms", rest), ("restTransforms", local)):
        matrices = [Gf.Matrix4d().SetTranslate(Gf.Vec3d(*place)) for place in places.tolist()]
        add_attribute(bones, attribute, TYPES.Matrix4dArray, Vt.Matrix4dArray(matrices), uniform=True)

    mesh = body_mesh(body)
    flesh = float((body.capsule_radii.max(initial=0.0)) + np.linalg.norm(body.capsule_ends, axis=1).max(initial=0.0))
    low, high = rest.min(axis=0), rest.max(axis=0)
    if len(mesh.positions):
        skin = add_mesh(
            layer,
            f"{path}/Skin",
            mesh.positions + moved,
            mesh.triangles,
            normals=mesh.normals,
            schemas=["SkelBindingAPI", "MaterialBindingAPI"],
        )
        _hold(skin, bones, mesh.joints)
        _cut_by_cloth(layer, skin, mesh.clothes)
        if coloured:
            _colour(skin, mesh.clothes, body)
        low, high = (mesh.positions + moved).min(axis=0), (mesh.positions + moved).max(axis=0)
        flesh = float(np.linalg.norm(mesh.positions - skeleton.rest_positions[mesh.joints], axis=1).max())
    add_extent(bones, low, high)
    add_extent(root, low, high)
    turning = np.flatnonzero(~skeleton.end_sites)
    return Model(
        path=root.path,
        turning=turning,
        tokens=tuple(tokens[joint] for joint in turning),
        translations=Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(local[turning], np.float32)),
        height=height,
        flesh=flesh,
        clothes=tuple(mesh.clothes),
    )


def _hold(skin: Any, bones: Any, joints: IntArray) -> None:
    """Bind each vertex to one joint."""
    add_target(skin, "skel:skeleton", bones.path)
    held = Vt.IntArray.FromNumpy(np.ascontiguousarray(joints, np.int32))
    add_attribute(skin, "primvars:skel:jointIndices", TYPES.IntArray, held, interpolation="vertex")
    ones = Vt.FloatArray.FromNumpy(np.ones(len(joints), np.float32))
    add_attribute(skin, "primvars:skel:jointWeights", TYPES.FloatArray, ones, interpolation="vertex")
    add_attribute(skin, "primvars:skel:geomBindTransform", TYPES.Matrix4d, Gf.Matrix4d(1.0))


def _colour(skin: Any, clothes: Mapping[str, slice], body: Body) -> None:
    """Give faces indices into a list of the clothes' colours."""
    colours = cloth_colours(body)
    add_colour(skin, *(colours[cloth] for cloth in clothes), interpolation="uniform")
    counts = [faces.stop - faces.start for faces in clothes.values()]
    which = np.repeat(np.arange(len(clothes), dtype=np.int32), counts)
    add_attribute(skin, "primvars:displayColor:indices", TYPES.IntArray, Vt.IntArray.FromNumpy(which))


def _cut_by_cloth(layer: Any, skin: Any, clothes: Mapping[str, slice]) -> None:
    """Define a face subset per cloth, for materials."""
    add_attribute(skin, "subsetFamily:materialBind:familyType", TYPES.Token, "partition", uniform=True)
    for cloth, span in clothes.items():
        subset = add_prim(layer, f"{skin.path}/{cloth}", "GeomSubset", schemas=["MaterialBindingAPI"])
        add_attribute(subset, "elementType", TYPES.Token, "face", uniform=True)
        add_attribute(subset, "familyName", TYPES.Token, "materialBind", uniform=True)
        faces = np.arange(span.start, span.stop, dtype=np.int32)
        add_attribute(subset, "indices", TYPES.IntArray, Vt.IntArray.FromNumpy(faces))


class SampledMotion(NamedTuple):
    """One character over the F moments at which it has samples."""

    present: BoolArray
    """[T] whether it is there."""
    codes: list[float]
    """[F] time codes of the samples."""
    places: Array
    """[F, 3] metres, of the prim."""
    turns: Array
    """[F, 4] of the prim, about z."""
    rotations: Array
    """[F, J, 4] joint → parent, the root's joint → prim."""
    reach: Array
    """[2, 3] corners between which all joints are, metres in the prim's frame before it is scaled."""

    def with_fingers(self, joints: int, turns: Array | None) -> "SampledMotion":
        """Return the motion with rotations [F, fingers, 4] of fingers, if any, after those of its own `joints`."""
        if turns is None:
            return self
        return self._replace(rotations=np.concatenate([self.rotations[:, :joints], turns + 0.0], axis=1))


def motions(poses: Poses, *, heights: Array, scales: Array) -> Iterator[SampledMotion]:
    """Take poses [T, n] of characters apart; `heights` [n] of their models' roots, `scales` [n]."""
    headings, local = poses.planar[..., 2], poses.local_rotations
    for n in range(len(heights)):
        frames, here = sample_frames(poses.present[:, n])
        turns = quat.continuous(quat.turn(headings[here, n]))
        joints = poses.positions[here, n, : poses.rigs.joints[poses.bodies[n]]]
        rotations = local[here, n]
        rotations[:, 0] = quat.multiply(quat.conjugate(turns), rotations[:, 0])
        places = joints[:, 0] - [0.0, 0.0, scales[n] * heights[n]]
        away = (joints - places[:, None]) / scales[n]
        # However the prim is turned, a joint is no farther to the side than it is away from the axis.
        aside = np.linalg.norm(away[..., :2], axis=-1).max(initial=0.0)
        low, high = (away[..., 2].min(), away[..., 2].max()) if len(away) else (0.0, 2.0 * heights[n])
        reach = np.array([[-aside, -aside, low], [aside, aside, high]])
        codes = frames.astype(float).tolist()
        yield SampledMotion(poses.present[:, n], codes, places, turns, quat.continuous(rotations) + 0.0, reach)  # no −0


def add_character(
    layer: Any,
    path: str,
    take: Take,
    row: int,
    *,
    motion: SampledMotion,
    model: Model,
    paints: Paints,
    models: str = "",
    animation: str | None = None,
) -> None:
    """Define one character at a path; an instance, if its `animation` is elsewhere. `models` is the models' file."""
    red, green, blue = (float(c) for c in take.characters.colour[row])
    colours = cloth_colours(take.bodies[int(take.characters.body[row])], (red, green, blue))
    looks = {cloth: paints.material(cloth, colour) for cloth, colour in colours.items()}
    schemas = ["SkelBindingAPI", "MaterialBindingAPI"] if looks else ["SkelBindingAPI"]
    name, notes = take.names[row], _character_notes(take, row)
    prim = add_prim(layer, path, "SkelRoot", model="component", schemas=schemas, name=name, notes=notes)
    prim.referenceList.prependedItems = [Sdf.Reference(assetPath=models, primPath=model.path)]
    add_xform(prim, motion.places, motion.turns, codes=motion.codes, scale=float(take.characters.scale[row]))
    add_visibility(prim, motion.present)
    add_extent(prim, motion.reach[0] - model.flesh, motion.reach[1] + model.flesh)
    add_target(prim, "skel:animationSource", animation or f"{path}/Animation")
    _dress(layer, prim, looks, model=model, colours=colours, whole=animation is not None)
    if animation is not None:
        prim.SetInfo("instanceable", True)
    _animate(layer, animation or f"{path}/Animation", motion, model)


def _character_notes(take: Take, row: int) -> dict[str, Any]:
    """Return what a character's prim says: its row, size, entrance and exit, and its marks in order."""
    notes: dict[str, Any] = {"row": int(row), "scale": float(take.characters.scale[row])}
    if np.isfinite(take.enters[row]):
        notes |= {"enters_s": float(take.enters[row]), "leaves_s": float(take.leaves[row])}
    marks = [mark_notes(take, mark) for mark in np.flatnonzero(take.marks.character == row).tolist()]
    if marks:
        notes["marks"] = {
            f"mark_{n}": {
                name: Gf.Vec2d(*value.tolist()) if isinstance(value, np.ndarray) else value
                for name, value in mark.items()
            }
            for n, mark in enumerate(marks)
        }
    return notes


def _dress(
    layer: Any, prim: Any, looks: Mapping[str, Any], *, model: Model, colours: Mapping[str, Colour], whole: bool
) -> None:
    """Colour each cloth; the whole body by its first cloth where nothing below the prim may be changed."""
    if not model.clothes:
        return
    if whole:
        shirt = "shirt" if "shirt" in colours else model.clothes[0]
        add_colour(prim, colours[shirt])
        add_target(prim, "material:binding", looks[shirt])
        return
    skin = Sdf.CreatePrimInLayer(layer, f"{prim.path}/Skin")
    add_colour(skin, *(colours[cloth] for cloth in model.clothes), interpolation="uniform")
    for cloth in model.clothes:
        add_target(Sdf.CreatePrimInLayer(layer, f"{skin.path}/{cloth}"), "material:binding", looks[cloth])


def _animate(layer: Any, path: str, motion: SampledMotion, model: Model) -> None:
    prim = add_prim(layer, path, "SkelAnimation")
    add_attribute(prim, "joints", TYPES.TokenArray, model.tokens, uniform=True)
    add_attribute(prim, "translations", TYPES.Float3Array, model.translations)
    add_attribute(prim, "scales", TYPES.Half3Array, Vt.Vec3hArray(len(model.tokens), Gf.Vec3h(1.0)))
    turned = np.ascontiguousarray(np.roll(motion.rotations[:, model.turning], -1, axis=-1), np.float32)
    rotations = add_attribute(prim, "rotations", TYPES.QuatfArray)
    if motion.codes:
        set_samples(rotations, motion.codes, [Vt.QuatfArray.FromNumpy(frame) for frame in turned])
    else:
        rotations.default = Vt.QuatfArray(len(model.tokens), Gf.Quatf(1.0))
