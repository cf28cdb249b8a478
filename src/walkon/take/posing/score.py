"""The score: a take as the posing kernel reads it, a few groups of plain arrays with ranges per character.

Nothing here is stored; it is made once from a take, mostly by looking at its tables' own arrays.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from walkon._base.arrays import lock_fields
from walkon._base.table import Column
from walkon.motion.legs import leg_length
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.take.clips import channel_counts, channels, foot_columns, foot_runs, stands
from walkon.take.posing.score_rule import FootSteps, Limbs, Parts, Rigs, Sources
from walkon.take.tables import Drops, flat_ranges, in_order

if TYPE_CHECKING:
    from walkon.take.take import Take

__all__ = ["FootSteps", "Limbs", "Parts", "Rigs", "Score", "Sources", "foot_steps", "make_score", "size_of"]


class Score(NamedTuple):
    """Everything that posing reads."""

    rigs: Rigs
    sources: Sources
    parts: Parts
    steps: FootSteps
    limbs: Limbs


def make_score(take: "Take") -> Score:
    """Arrange a take for the kernel; all arrays are locked."""
    N = len(take.characters)
    overrides = in_order(take.overrides, take.overrides.character, take.overrides.start)
    segments, warps, blends, tracks = take.segments, take.warps, take.blends, take.planar_tracks
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
    rigs, sources = lock_fields(_make_rigs(take)), lock_fields(_make_sources(take))
    return Score(rigs, sources, lock_fields(parts), foot_steps(take), lock_fields(limbs))


def foot_steps(take: "Take") -> FootSteps:
    """Arrange the stances and drops of a take for the kernel."""
    N = len(take.characters)
    stances = in_order(take.stances, take.stances.whose, take.stances.start)
    drops = _keep_largest(in_order(take.drops, take.drops.character, take.drops.step))
    steps = FootSteps(
        _ranges(stances.whose, 2 * N),
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
    return lock_fields(steps)


def _keep_largest(drops: Drops) -> Drops:
    """Keep the largest of several drops at one step: parts that were planted one after the other each bring theirs."""
    again = (np.diff(drops.character) == 0) & (np.diff(drops.step) == 0)
    if not again.any():
        return drops
    heads = np.flatnonzero(~np.append(False, again))
    return drops.rows(heads).with_columns(drop=np.maximum.reduceat(drops.drop, heads))


def _ranges(group: Column, count: int) -> Column:
    return np.searchsorted(group, np.arange(count + 1)).astype(np.int64)


def _make_sources(take: "Take") -> Sources:
    clips, rows = take.clips, take.clips.rows
    bits = np.zeros(len(clips.roots), np.uint8)
    runs = foot_runs(clips, take.skeletons)
    for point in np.unique(runs.point):
        mine = runs.rows(runs.point == point)  # these do not overlap
        bits[flat_ranges(rows.first_frame[mine.clip] + mine.start, mine.stop - mine.start)] |= np.uint8(1 << point)
    return Sources(
        rows.skeleton,
        rows.fps,
        rows.first_frame,
        rows.frames,
        rows.first_rotation,
        channel_counts(take.skeletons)[rows.skeleton].astype(np.int32),
        rows.hinges,
        clips.roots,
        clips.rotations,
        bits,
    )


def _make_rigs(take: "Take") -> Rigs:
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
            rigs.heights[b, k] = size_of(skeleton) / size_of(other)
    return rigs


def size_of(skeleton: Skeleton) -> float:
    """Return the length of the legs in metres, by which the heights of roots are scaled; without legs the reach."""
    return leg_length(skeleton) if skeleton.has_feet else max(skeleton.reach, 1e-6)
