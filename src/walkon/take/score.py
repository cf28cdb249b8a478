"""The score: a take as the posing kernel reads it, a few groups of plain arrays with ranges per character.

Nothing here is stored; it is made once from a take, mostly by looking at its tables' own arrays.
"""

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from walkon.motion.legs import leg_length
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.take.clips import channels, foot_columns, foot_runs, stands
from walkon.take.table import Column, Table
from walkon.take.tables import Drops

if TYPE_CHECKING:
    from walkon.take.take import Take

__all__ = ["Limbs", "Parts", "Rigs", "Score", "Sources", "Steps", "make_score"]


Kind = TypeVar("Kind", bound=Table)


class Rigs(NamedTuple):
    """The B bodies of a take. J is the largest number of joints; what a smaller body lacks hangs on its root."""

    joints: Column
    """[B] how many joints each has."""
    parents: Column
    """[B, J]."""
    channels: Column
    """[B, J] place of the joint in a stored frame, −1 where it never turns."""
    offsets: Column
    """[B, J, 3] metres."""
    legs: Column
    """[B, 2, 4] hip, knee, ankle, ball of the left and the right leg; −1 without legs."""
    leg_of: Column
    """[B, J] which leg a joint hangs on, −1 for none."""
    heels: Column
    """[B, 2, 3] metres, heel contact in the ankle's frame."""
    balls: Column
    """[B, 2, 3] metres, ball contact in the ball joint's frame."""
    heights: Column
    """[B, K] by what the height of a clip's root is multiplied for this body: leg over leg."""
    rest_height: Column
    """[B] metres of the root above the floor at rest."""


class Sources(NamedTuple):
    """The K clips of a take: F frames and R rotations in all."""

    skeleton: Column
    """[K] row of the take's skeletons."""
    fps: Column
    """[K] frames per second."""
    first_frame: Column
    """[K] where the clip begins in `roots`."""
    frames: Column
    """[K] how many it has."""
    first_rotation: Column
    """[K] where it begins in `rotations`."""
    channels: Column
    """[K] rotations per frame."""
    hinges: Column
    """[K, 2, 3] unit axes of the left and the right knee in the hip joint's frame; zero without legs."""
    roots: Column
    """[F, 3] metres, in the clip's own world."""
    rotations: Column
    """[R, 3] uint16, quantized (see `rotations48`)."""
    contacts: Column
    """[F] uint8, bit c where contact point c (order of `FOOT_CONTACTS`) is down."""


class Parts(NamedTuple):
    """N characters and their S segments, sorted by character and start; V warps, M blends, Q tracks of P samples.

    Columns mean what they mean in `tables`; `from_…` are those of `Blends`.
    """

    body: Column
    """[N] row of the bodies."""
    scale: Column
    stride: Column
    """[N] by what lengths, and displacements over the floor, are multiplied."""
    enter: Column
    leave: Column
    """[N] seconds; no limits where they are equal."""
    first: Column
    """[N + 1] first segment of each character."""
    start: Column
    stop: Column
    """[S] seconds of the take."""
    clip: Column
    """[S] row of the clips, or −1."""
    clip_start: Column
    """[S] seconds of the clip."""
    rate_start: Column
    rate_stop: Column
    """[S] seconds of the clip per second."""
    place: Column
    """[S, 4] (x, y, heading, z), metres and radians."""
    warp: Column
    blend: Column
    track: Column
    """[S] rows of what follows, or −1."""
    warp_offsets: Column
    """[V, 2, 3] (x, y, heading) at start and stop, metres and radians."""
    warp_slopes: Column
    """[V, 2, 3] the same per second."""
    from_clip: Column
    """[M] row of the clips."""
    from_start: Column
    """[M] seconds of that clip."""
    from_rate_start: Column
    from_rate_stop: Column
    """[M] seconds of that clip per second."""
    from_place: Column
    """[M, 4] metres and radians."""
    from_duration: Column
    """[M] seconds."""
    track_first: Column
    track_count: Column
    """[Q] first sample and how many."""
    track_rate: Column
    """[Q] samples per second."""
    planar: Column
    """[P, 3] (x, y, heading), metres and radians."""


class Steps(NamedTuple):
    """K stances of feet, sorted by character, foot and start; and D drops, how far roots come down. See `tables`."""

    first: Column
    """[2 N + 1] first stance of each foot of each character."""
    start: Column
    stop: Column
    """[K] seconds of the take."""
    heel: Column
    ball: Column
    """[K, 2] seconds after `start` at which the point is planted and lifted."""
    heel_place: Column
    ball_place: Column
    """[K, 3] metres in the world."""
    turn_in: Column
    turn_out: Column
    """[K, 3] rotation vectors in the world, radians."""
    shift_in: Column
    shift_out: Column
    """[K, 3] metres."""
    rate_in: Column
    rate_out: Column
    """[K, 3] m/s."""
    toe_in: Column
    toe_out: Column
    """[K] radians."""
    drop_first: Column
    """[N + 1] first drop of each character."""
    drop_start: Column
    """[N] seconds: the time of step 0."""
    drop_step: Column
    """[D] steps of `posing_rule.DROP_STEP` seconds."""
    drop: Column
    """[D] metres."""


class Limbs(NamedTuple):
    """Overrides, sorted by character and start."""

    first: Column
    """[N + 1]."""
    start: Column
    stop: Column
    fade_in: Column
    fade_out: Column
    rate: Column
    joints: Column
    row: Column
    frames: Column
    rotations: Column


class Score(NamedTuple):
    """Everything that posing reads."""

    rigs: Rigs
    sources: Sources
    parts: Parts
    steps: Steps
    limbs: Limbs


def make_score(take: "Take") -> Score:
    """Arrange a take for the kernel; all arrays are locked."""
    N = len(take.characters)
    segments = _in_order(take.segments, take.segments.character, take.segments.start)
    stances = _in_order(
        take.stances, take.stances.character.astype(np.int64) * 2 + take.stances.foot, take.stances.start
    )
    drops = _largest(_in_order(take.drops, take.drops.character, take.drops.step))
    overrides = _in_order(take.overrides, take.overrides.character, take.overrides.start)
    warps, blends, tracks = take.warps, take.blends, take.planar_tracks
    parts = Parts(
        take.characters.body,
        take.characters.scale,
        take.characters.stride,
        take.characters.enter,
        take.characters.leave,
        _ranges(segments.character, N),
        segments.start,
        segments.stop,
        segments.clip,
        segments.clip_start,
        segments.rate_start,
        segments.rate_stop,
        segments.place,
        segments.warp,
        segments.blend,
        segments.track,
        warps.offsets,
        warps.slopes,
        blends.clip,
        blends.clip_start,
        blends.rate_start,
        blends.rate_stop,
        blends.place,
        blends.duration,
        tracks.first,
        tracks.count,
        tracks.rate,
        take.planar_poses.pose,
    )
    steps = Steps(
        _ranges(stances.character.astype(np.int64) * 2 + stances.foot, 2 * N),
        stances.start,
        stances.stop,
        stances.heel,
        stances.ball,
        stances.heel_place,
        stances.ball_place,
        stances.turn_in,
        stances.turn_out,
        stances.shift_in,
        stances.shift_out,
        stances.rate_in,
        stances.rate_out,
        stances.toe_in,
        stances.toe_out,
        _ranges(drops.character, N),
        take.characters.drop_start,
        drops.step,
        drops.drop,
    )
    limbs = Limbs(
        _ranges(overrides.character, N),
        overrides.start,
        overrides.stop,
        overrides.fade_in,
        overrides.fade_out,
        overrides.rate,
        overrides.joints,
        overrides.first,
        overrides.frames,
        take.override_frames.rotation,
    )
    score = Score(_rigs(take), _sources(take), parts, steps, limbs)
    for group in score:
        for array in group:
            array.flags.writeable = False
    return score


def _in_order(table: Kind, group: Column, time: Column) -> Kind:
    """Return the table sorted by group and time; as it is, without a copy, where it is sorted already."""
    if len(table) < 2 or bool(np.all((np.diff(group) > 0) | ((np.diff(group) == 0) & (np.diff(time) >= 0)))):
        return table
    return table.rows(np.lexsort((time, group)))


def _largest(drops: Drops) -> Drops:
    """Keep the largest of several drops at one step: parts that were planted one after the other each bring theirs."""
    again = (np.diff(drops.character) == 0) & (np.diff(drops.step) == 0)
    if not again.any():
        return drops
    heads = np.flatnonzero(~np.append(False, again))
    return drops.rows(heads).with_columns(drop=np.maximum.reduceat(drops.drop, heads))


def _ranges(group: Column, count: int) -> Column:
    return np.searchsorted(group, np.arange(count + 1)).astype(np.int64)


def _sources(take: "Take") -> Sources:
    clips, rows = take.clips, take.clips.rows
    counts = np.array([np.count_nonzero(~skeleton.end_sites) for skeleton in take.skeletons], np.int32)
    bits = np.zeros(len(clips.roots), np.uint8)
    runs = foot_runs(clips, take.skeletons)
    if len(runs):
        # Runs of one point do not overlap, so adding and taking away its bit at the ends is enough.
        at = rows.first_frame[runs.clip]
        for point in np.unique(runs.point):
            mine = runs.point == point
            change = np.zeros(len(bits) + 1, np.int8)
            np.add.at(change, at[mine] + runs.start[mine], 1)
            np.add.at(change, at[mine] + runs.stop[mine], -1)
            bits |= (np.cumsum(change[:-1]) > 0).astype(np.uint8) << np.uint8(point)
    return Sources(
        rows.skeleton,
        rows.fps,
        rows.first_frame,
        rows.frames,
        rows.first_rotation,
        counts[rows.skeleton] if len(rows) else np.zeros(0, np.int32),
        rows.hinges,
        clips.roots,
        clips.rotations,
        bits,
    )


def _rigs(take: "Take") -> Rigs:
    bodies = [body.skeleton for body in take.bodies]
    B, J = len(bodies), max((len(skeleton) for skeleton in bodies), default=1)
    rigs = Rigs(
        joints=np.array([len(s) for s in bodies], np.int32),
        parents=np.zeros((B, J), np.int32),
        channels=np.full((B, J), -1, np.int32),
        offsets=np.zeros((B, J, 3)),
        legs=np.full((B, 2, 4), -1, np.int32),
        leg_of=np.full((B, J), -1, np.int8),
        heels=np.zeros((B, 2, 3)),
        balls=np.zeros((B, 2, 3)),
        heights=np.ones((B, max(len(take.skeletons), 1))),
        rest_height=np.zeros(B),
    )
    for b, skeleton in enumerate(bodies):
        n = len(skeleton)
        rigs.parents[b, :n] = skeleton.parents
        rigs.channels[b, :n] = channels(skeleton)
        rigs.offsets[b, :n] = skeleton.offsets
        lowest = skeleton.rest_positions[:, 2]
        if stands(skeleton):
            feet = foot_columns(skeleton)
            contact = skeleton.rest_positions[skeleton.contact_joints[feet]] + skeleton.contact_offsets[feet]
            lowest = contact[:, 2]
            for f, side in enumerate(SIDES):
                leg = [skeleton.role(f"{side}_{part}") for part in ("hip", "knee", "ankle", "ball")]
                rigs.legs[b, f] = leg
                rigs.leg_of[b, leg[0]] = f
                rigs.heels[b, f] = skeleton.contact_offsets[skeleton.contact(f"{side}_heel")]
                rigs.balls[b, f] = skeleton.contact_offsets[skeleton.contact(f"{side}_ball")]
            for j in range(1, n):
                if rigs.leg_of[b, skeleton.parents[j]] >= 0:
                    rigs.leg_of[b, j] = rigs.leg_of[b, skeleton.parents[j]]
        rigs.rest_height[b] = skeleton.rest_positions[0, 2] - lowest.min()
        for k, other in enumerate(take.skeletons):
            rigs.heights[b, k] = _size(skeleton) / _size(other)
    return rigs


def _size(skeleton: Skeleton) -> float:
    return leg_length(skeleton) if skeleton.has_feet else max(skeleton.reach, 1e-6)
