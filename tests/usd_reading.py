"""Reading USD back with its own libraries: joints through UsdSkel's cache, nothing of ours."""

import numpy as np
from pxr import Usd, UsdGeom, UsdSkel

from walkon._base.arrays import Array
from walkon.transforms import quaternions as quat

EVERYTHING = Usd.TraverseInstanceProxies()


def cast(stage: Usd.Stage) -> dict[int, Usd.Prim]:
    """The characters by their rows in the take."""
    return {p.GetCustomDataByKey("walkon:row"): p for p in stage.Traverse(EVERYTHING) if p.IsA(UsdSkel.Root)}


def skeleton_query(prim: Usd.Prim) -> UsdSkel.SkeletonQuery:
    """What UsdSkel makes of a character; the cache must outlive it, so it is kept on the query."""
    cache, root = UsdSkel.Cache(), UsdSkel.Root(prim)
    assert cache.Populate(root, EVERYTHING)
    (binding,) = cache.ComputeSkelBindings(root, EVERYTHING)
    return cache, cache.GetSkelQuery(binding.GetSkeleton()), binding


def pose(matrices: object) -> tuple[Array, Array]:
    """Places [J, 3] and rotations [J, 4] of USD's matrices, which multiply rows."""
    found = np.array(matrices).reshape(-1, 4, 4)
    turns = np.swapaxes(found[:, :3, :3], 1, 2)
    return found[:, 3, :3], quat.from_matrix(turns / np.linalg.norm(turns, axis=1, keepdims=True))


def joints(prim: Usd.Prim, codes: Array) -> tuple[Array, Array]:
    """World places [T, J, 3] and rotations [T, J, 4] of a character's joints at time codes."""
    cache, query, _ = skeleton_query(prim)
    found = []
    for code in codes:
        here = UsdGeom.XformCache(code).GetLocalToWorldTransform(prim)
        local = np.array(query.ComputeJointSkelTransforms(code))
        found.append(pose(local @ np.array(here)))
    del cache
    return np.array([places for places, _ in found]), np.array([turns for _, turns in found])


def visible(prim: Usd.Prim, code: float) -> bool:
    """Whether a prim is shown at a time code."""
    return UsdGeom.Imageable(prim).ComputeVisibility(code) == "inherited"
