"""Walks along a path as kernels read them: steps as tracks on the floor, and the numbers of one search."""

from typing import NamedTuple

from walkon._base.arrays import Array, BoolArray, IntArray

__all__ = ["Limits", "PlanarSteps"]


class PlanarSteps(NamedTuple):
    """C nodes and S steps; those that leave node n are first[n] to first[n + 1] − 1."""

    first: IntArray
    """[C + 1]."""
    parts: IntArray
    """[C] the part of the path on which a node is used."""
    stops: IntArray
    """[S] node at the end."""
    fees: Array
    """[S] m² s: the fixed cost of the transitions of a step."""
    switches: BoolArray
    """[S] whether it goes over to the next part."""
    durations: Array
    """[S] s."""
    moves: Array
    """[S, 3] planar pose at the end, seen from that at the beginning."""
    spans: Array
    """[S] s between samples."""
    waits: Array
    """[C] s: the least time to a node of the next part."""
    aheads: Array
    """[C, 3]: where the root is `LOOK_AHEAD_S` later if nothing changes, (x, y) from the node, and m on its way."""
    sample_first: IntArray
    """[S + 1]."""
    points: Array
    """[M, 2] m: the track, without its first point."""
    arcs: Array
    """[M] m from the point before."""


class Limits(NamedTuple):
    """The numbers of one search; see `path_following.follow_path` for what they do."""

    length: float
    """m of the path."""
    spacing: float
    """m between the points of the path's table."""
    progress: float
    """m/s, γ."""
    slack: float
    """m around a border within which the kind of motion changes."""
    lateness: float
    """s, weight of a late change."""
    pace: float
    """m/s at which waiting for a change uses up the path."""
    foresight: float
    """s: weight of the squared distance to the path `LOOK_AHEAD_S` on."""
    layer: float
    """m of path whose walks are compared with each other."""
    horizon: float
    """s at which walks are compared."""
    width: int
    per_node: int
    leaves: int
