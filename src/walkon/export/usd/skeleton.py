"""The shared model of a body: a class prim with skeleton and skin, which every character of that body refers to.

    class SkelRoot "Body"
        Skeleton "Skeleton"     joints, bind and rest transforms
        Mesh "Skin"             each vertex held by one joint; a face subset per cloth, and indices of its colours

In the model's frame the body stands at rest with its soles on z = 0 and its root above the origin, facing +x. All joint
frames are then parallel to the model's, so bind and rest transforms are translations. A joint's token is its path in
the tree, made of valid names; the joints' own names stand in `jointNames`.
"""

from typing import Any, NamedTuple

import numpy as np
from pxr import Gf, Vt

from walkon._base.arrays import IntArray
from walkon.export.body_mesh import Cloth, body_mesh, cloth_colours
from walkon.export.usd.layer import (
    TYPES,
    add_attribute,
    add_colour,
    add_extent,
    add_mesh,
    add_prim,
    add_target,
    valid_names,
)
from walkon.motion.body import Body
from walkon.motion.skeleton import Skeleton

__all__ = ["Model", "add_model", "joint_tokens"]


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
        clothes=tuple(cloth.name for cloth in mesh.clothes),
    )


def _hold(skin: Any, bones: Any, joints: IntArray) -> None:
    """Bind each vertex to one joint."""
    add_target(skin, "skel:skeleton", bones.path)
    held = Vt.IntArray.FromNumpy(np.ascontiguousarray(joints, np.int32))
    add_attribute(skin, "primvars:skel:jointIndices", TYPES.IntArray, held, interpolation="vertex")
    ones = Vt.FloatArray.FromNumpy(np.ones(len(joints), np.float32))
    add_attribute(skin, "primvars:skel:jointWeights", TYPES.FloatArray, ones, interpolation="vertex")
    add_attribute(skin, "primvars:skel:geomBindTransform", TYPES.Matrix4d, Gf.Matrix4d(1.0))


def _colour(skin: Any, clothes: tuple[Cloth, ...], body: Body) -> None:
    """Give faces indices into a list of the clothes' colours."""
    colours = cloth_colours(body)
    add_colour(skin, *(colours[cloth.name] for cloth in clothes), interpolation="uniform")
    which = np.repeat(np.arange(len(clothes), dtype=np.int32), [cloth.stop - cloth.start for cloth in clothes])
    add_attribute(skin, "primvars:displayColor:indices", TYPES.IntArray, Vt.IntArray.FromNumpy(which))


def _cut_by_cloth(layer: Any, skin: Any, clothes: tuple[Cloth, ...]) -> None:
    """Define a face subset per cloth, for materials."""
    add_attribute(skin, "subsetFamily:materialBind:familyType", TYPES.Token, "partition", uniform=True)
    for cloth in clothes:
        subset = add_prim(layer, f"{skin.path}/{cloth.name}", "GeomSubset", schemas=["MaterialBindingAPI"])
        add_attribute(subset, "elementType", TYPES.Token, "face", uniform=True)
        add_attribute(subset, "familyName", TYPES.Token, "materialBind", uniform=True)
        faces = np.arange(cloth.start, cloth.stop, dtype=np.int32)
        add_attribute(subset, "indices", TYPES.IntArray, Vt.IntArray.FromNumpy(faces))
