"""One character: a SkelRoot that refers to its body's model, is moved as the body moves, and has an animation bound.

With the root joint's world pose (p, R), heading h of the hips, size s and root height z0 of the model at rest,

    SkelRoot    translate = p − s z0 e_z,    orient = turn(h) about e_z,    scale = s
    animation   rotation of the root joint = turn(−h) R; of the others joint → parent; translations once

so the prim stands on the floor under the body, upright and facing its way, and joint j of the posed skeleton is in the
world exactly where the take has it. Rotations are sign-continuous. At moments when the character is not there it has
visibility "invisible"; it then waits where it was last, and before its entrance where it will enter.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from pxr import Gf, Sdf, Vt

from walkon._base.arrays import Array, BoolArray
from walkon.export.excerpt import PosedBlock
from walkon.export.usd.layer import (
    TYPES,
    Colour,
    add_attribute,
    add_colour,
    add_extent,
    add_prim,
    add_target,
    add_visibility,
    add_xform,
    sampled,
    set_samples,
)
from walkon.export.usd.skeleton import Model
from walkon.transforms import quaternions as quat

__all__ = ["SampledMotion", "add_character", "motions"]


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


def motions(block: PosedBlock, *, heights: Array, scales: Array) -> list[SampledMotion]:
    """Take the posed characters of a block apart; `heights` [n] of their models' roots, `scales` [n]."""
    poses, found = block.poses, []
    headings, local = poses.planar[..., 2], poses.local_rotations
    for n in range(len(block.characters)):
        frames, here = sampled(poses.present[:, n])
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
        found.append(SampledMotion(poses.present[:, n], codes, places, turns, quat.continuous(rotations), reach))
    return found


def add_character(
    layer: Any,
    path: str,
    motion: SampledMotion,
    *,
    animation: str,
    reference: Any,
    model: Model,
    scale: float,
    colours: Mapping[str, Colour],
    looks: Mapping[str, Any],
    name: str,
    notes: Mapping[str, Any],
    instanceable: bool = False,
) -> Any:
    """Define one character at a path, with its `animation` at another; returns its prim.

    `reference` is one to its body's model, `looks` are paths of materials by cloth.
    """
    schemas = ["SkelBindingAPI", "MaterialBindingAPI"] if looks else ["SkelBindingAPI"]
    prim = add_prim(layer, path, "SkelRoot", model="component", schemas=schemas, name=name, notes=notes)
    prim.referenceList.prependedItems = [reference]
    add_xform(prim, motion.places, motion.turns, codes=motion.codes, scale=scale)
    add_visibility(prim, motion.present)
    add_extent(prim, motion.reach[0] - model.flesh, motion.reach[1] + model.flesh)
    add_target(prim, "skel:animationSource", animation)
    _dress(layer, prim, looks, model=model, colours=colours, whole=instanceable)
    if instanceable:
        prim.SetInfo("instanceable", True)
    _animate(layer, animation, motion, model)
    return prim


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
        subset = Sdf.CreatePrimInLayer(layer, f"{skin.path}/{cloth}")
        add_target(subset, "material:binding", looks[cloth])


def _animate(layer: Any, path: str, motion: SampledMotion, model: Model) -> None:
    prim = add_prim(layer, path, "SkelAnimation")
    add_attribute(prim, "joints", TYPES.TokenArray, model.tokens, uniform=True)
    add_attribute(prim, "translations", TYPES.Float3Array, model.translations)
    ones = Vt.Vec3hArray(len(model.tokens), Gf.Vec3h(1.0))
    add_attribute(prim, "scales", TYPES.Half3Array, ones)
    turned = np.ascontiguousarray(np.roll(motion.rotations[:, model.turning], -1, axis=-1), np.float32)
    rotations = add_attribute(prim, "rotations", TYPES.QuatfArray)
    if motion.codes:
        set_samples(rotations, motion.codes, [Vt.QuatfArray.FromNumpy(frame) for frame in turned])
    else:
        rotations.default = Vt.QuatfArray(len(model.tokens), Gf.Quatf(1.0))
