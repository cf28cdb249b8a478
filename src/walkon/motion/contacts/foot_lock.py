"""Foot lock (footskate cleanup): planted heels and balls are held in place by inverse kinematics of the legs.

The cleanup that all synthesis uses; the rest of the body hardly notices. For each foot:

1. *Plants.* Every run of contact gets one place: the ball where it is in the middle of its run (the ends roll on and
   off), the heel at the foot's own length from the ball while both are down (a flat foot is heel and ball together).
   Heights are those of the supports.
2. *Foot.* While flat the toes keep one angle and the foot turns so that heel and ball are both on their places. These
   small rotations, and the shift of the ankle that puts the planted point on its place, are exact in contact and fade
   smoothly in the swing (`runs.fill_between`).
3. *Root.* Where a leg would be too long, the root comes down, smoothly, by at most `max_root_shift`; nowhere else.
4. *Legs* are solved analytically (`limb`). Local rotations of all joints outside the legs are untouched.

What a leg still cannot reach after that may be given as stretch of the shin (`max_stretch`, off by default), and what
is left is reported, never hidden.

Frames can be *pinned*: they stay exactly as they are, and a contact that a pinned frame has is held where that frame
has it (`plants` says what happens where several disagree). Corrections come and go around them without a jump in value
or speed. Clips that are cut at pinned frames can be exchanged for one another (Gleicher 2003, section 4.2.2, calls such
frames locked).

Reference: Kovar, Schreiner, Gleicher 2002, "Footskate Cleanup for Motion Capture Editing", from which the order of
steps is taken. Differences: heel and ball are handled as one rigid foot, so the foot needs no second pass; the root
moves down only, not to a least-squares place; stretch is optional, because most rigs do not have it.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.ndimage import distance_transform_edt

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import InvalidShape, InvalidValue
from walkon.motion.clip import Clip
from walkon.motion.contacts.plants import place_plants
from walkon.motion.contacts.runs import fill_between, find_runs, smooth_cover
from walkon.motion.limbs.legs import Leg, read_leg
from walkon.motion.limbs.limb import Limb, limb_reach, solve_limb
from walkon.motion.skeleton import SIDES
from walkon.transforms import quaternions as quat
from walkon.transforms.easing import smoothstep

__all__ = ["FootLock", "LockRule", "lock_feet"]


@dataclass(frozen=True, kw_only=True)
class LockRule:
    """How feet are locked; each field says what moving it does."""

    fade: float = 0.15
    """s over which a correction fades after a contact. Shorter: swings stay closer to the capture; longer: softer."""
    max_root_shift: float = 0.03
    """m by which the root may come down where a leg would be too long."""
    root_width: float = 0.3
    """s over which such a shift comes and goes."""
    max_stretch: float = 0.0
    """Share by which a shin may grow where the root's shift is not enough; 0.02 is the most one can use unseen."""
    give: float = 0.08
    """s after the heel is up over which a leg that would be stretched may begin to give way by rolling the foot."""
    follow: float = 0.3
    """Share of a ball's correction that the ankle follows while only the ball is down; the rest rolls the foot."""
    straightest: float = 0.1
    """rad of knee bend kept in corrected frames: at a dead straight knee a millimetre of shift is degrees of bend."""
    soft: float = 0.1
    """rad of knee bend below which no correction straightens a leg that was bent more; the root comes down instead."""
    clearance: float = 0.003
    """m by which the tips of the toes stay above the sole of the ball while it is down. At 0 they are only kept out of
    the floor, and feet that are locked already stay as they are, however often they are locked again."""

    def __post_init__(self) -> None:
        limits = {
            "fade": 2.0,
            "max_root_shift": 0.2,
            "root_width": 5.0,
            "max_stretch": 0.02,
            "give": 1.0,
            "follow": 1.0,
            "straightest": 1.0,
            "soft": 1.0,
            "clearance": 0.05,
        }
        for name, most in limits.items():
            if not 0.0 <= getattr(self, name) <= most:
                raise InvalidValue(f"LockRule.{name} must be from 0 to {most:g}, got {getattr(self, name)}")


class FootLock(NamedTuple):
    """The locked clip and what it took."""

    clip: Clip
    root_shift: Array
    """[T] m by which the root was lowered."""
    missed: Array
    """[T, 2] m by which the left and right ankle fall short of their targets; zero where all is well."""
    stretch: Array
    """[T, 2] share by which the shins grew."""


def lock_feet(clip: Clip, *, rule: LockRule | None = None, pinned: BoolArray | None = None) -> FootLock:
    """Hold every contact of a clip's feet in place; contacts must have been detected (`contacts.detect_contacts`).

    Frames that are `pinned` [T] are kept as they are; their own contacts must be on their supports already.
    """
    rule = rule or LockRule()
    fixed = np.zeros(len(clip), bool) if pinned is None else np.asarray(pinned, dtype=bool)
    if fixed.shape != (len(clip),):
        raise InvalidShape(f"pinned must have shape ({len(clip)},), a flag for each frame, got {fixed.shape}")
    if not clip.skeleton.contact_names:
        raise InvalidValue("the skeleton has no contact points; call walkon.ground(clip) first")
    if clip.local_translations is not None:
        raise InvalidValue("feet of a clip with local translations cannot be locked")
    planned, needed = [], np.zeros(len(clip))
    for side in SIDES:
        leg = Leg.of(clip.skeleton, side)
        pose = read_leg(clip, leg)
        captured, straight = np.linalg.norm(pose.uppers + pose.lowers, axis=1), limb_reach(pose)
        reach = straight * np.cos(0.5 * rule.straightest)
        # In the swing a captured knee may be straighter than that; then the leg may be as long as it was, no longer.
        limit = np.maximum(reach, captured)
        ankles, foot, toes, touched, planted = _plan_foot(clip, leg, side, rule, pose, limit, fixed)
        soft = np.minimum(straight * np.cos(0.5 * rule.soft), reach)
        longest = np.where(planted, np.maximum(soft, np.minimum(captured, reach)), limit)
        needed = np.maximum(needed, np.where(touched, _drop_needed(pose.roots, ankles, longest), 0.0))
        planned.append((leg, pose, limit, ankles, foot, toes, touched))
    shift = smooth_cover(np.minimum(needed, rule.max_root_shift), width=rule.root_width * clip.fps)
    shift = shift * _weights_away_from(fixed, rule.fade * clip.fps)
    down = np.column_stack([np.zeros((len(clip), 2)), -shift])

    rotations = np.array(clip.local_rotations)
    missed, stretch = np.zeros((len(clip), 2)), np.zeros((len(clip), 2))
    for f, (leg, pose, limit, ankles, foot, toes, touched) in enumerate(planned):
        hips = pose.roots + down
        changed = (touched | (shift > 0)) & ~fixed
        short = np.linalg.norm(ankles - hips, axis=1) - limit
        shin = np.linalg.norm(pose.lowers, axis=1)
        if rule.max_stretch > 0:
            stretch[:, f] = np.clip(np.where(changed, short, 0.0) / shin, 0.0, rule.max_stretch)
            pose = pose._replace(lowers=pose.lowers * (1 + stretch[:, f, None]))  # noqa: PLW2901
        turns = np.where(changed[:, None], solve_limb(pose, hips, ankles), quat.IDENTITY)
        _write_leg(rotations, clip, leg, turns, foot, toes)
        rotations[fixed] = clip.local_rotations[fixed]
        missed[:, f] = np.where(changed, np.maximum(short - stretch[:, f] * shin, 0.0), 0.0)
    moved = clip.with_motion(clip.root_positions + down, rotations)
    if stretch.any():
        translations = np.tile(clip.skeleton.offsets, (len(clip), 1, 1))
        for f, (leg, *_) in enumerate(planned):
            translations[:, leg.ankle] *= 1 + stretch[:, f, None]
        moved = replace(moved, local_translations=translations)
    return FootLock(moved, shift, missed, stretch)


def _write_leg(rotations: Array, clip: Clip, leg: Leg, turns: Array, foot: Array, toes: Array) -> None:
    """Turn world rotations of hip, knee and foot into local ones; joints in between move rigidly with their parents.

    `turns` [2, T, 4] are those of hip and knee; `foot` and `toes` [T, 4] are world rotations of ankle and ball.
    """
    skeleton, world = clip.skeleton, clip.world.rotations
    hip_turn, knee_turn = turns
    above = world[:, skeleton.parents[leg.hip]]
    hip_world = quat.multiply(hip_turn, world[:, leg.hip])
    rotations[:, leg.hip] = quat.multiply(quat.conjugate(above), hip_world)
    # The knee turn is about a line in the world before the hip turns; the joint above the knee turns with the hip.
    knee_parent = world[:, skeleton.parents[leg.knee]]
    rotations[:, leg.knee] = quat.multiply(quat.conjugate(knee_parent), quat.multiply(knee_turn, world[:, leg.knee]))
    shin_turn = quat.multiply(hip_turn, knee_turn)
    ankle_parent = quat.multiply(shin_turn, world[:, skeleton.parents[leg.ankle]])
    rotations[:, leg.ankle] = quat.multiply(quat.conjugate(ankle_parent), foot)
    ankle_to_ball = quat.multiply(quat.conjugate(world[:, leg.ankle]), world[:, skeleton.parents[leg.ball]])
    ball_parent = quat.multiply(foot, ankle_to_ball)
    rotations[:, leg.ball] = quat.multiply(quat.conjugate(ball_parent), toes)


def _drop_needed(hips: Array, ankles: Array, reach: Array) -> Array:
    """Return [T] m by which a hip must come down for the ankle to be within reach, as far as that can be."""
    away = hips - ankles
    flat2 = away[:, 0] ** 2 + away[:, 1] ** 2
    highest = np.sqrt(np.maximum(reach**2 - flat2, 0.0))
    return np.maximum(away[:, 2] - highest, 0.0)


def _weights_away_from(fixed: BoolArray, width: float) -> Array:
    """Return [T] 0 at fixed frames, 1 from `width` frames on away from them, smooth in between; 1 without any."""
    return smoothstep(distance_transform_edt(~fixed) / width) if fixed.any() else np.ones(len(fixed))


def _plan_foot(
    clip: Clip, leg: Leg, side: str, rule: LockRule, pose: Limb, limit: Array, fixed: BoolArray
) -> tuple[Array, Array, Array, BoolArray, BoolArray]:
    """Choose the plants of one foot and the corrections that hold them; these are zero in `fixed` frames.

    Returns where the ankle shall be [T, 3] m, the world rotations [T, 4] of the foot (the ankle joint) and of the toes
    (the ball joint), and in which frames [T] anything is corrected, and the foot is planted.
    """
    skeleton, world = clip.skeleton, clip.world
    heel_column, ball_column = skeleton.contact(f"{side}_heel"), skeleton.contact(f"{side}_ball")
    heel_down, ball_down = clip.contacts[:, heel_column], clip.contacts[:, ball_column]
    heel_offset, sole_offset = skeleton.contact_offsets[heel_column], skeleton.contact_offsets[ball_column]
    to_ball = skeleton.offsets[leg.ball]
    fade = rule.fade * clip.fps
    flat, touching, rolling = heel_down & ball_down, heel_down | ball_down, ball_down & ~heel_down

    # Toes lie as they were captured, but keep one attitude while the foot is flat.
    toes = _lay_toes(clip, leg.ball, sole_offset, flat, ball_down, rule, fixed)
    ball_above_sole = quat.rotate(toes, -sole_offset)
    heels, soles = place_plants(clip, side, ball_above_sole, pinned=fixed)
    balls = soles + ball_above_sole

    # While flat: the smallest turn of the foot that lays heel and ball on their places.
    foot = world.rotations[:, leg.ankle]
    turn = quat.log(quat.between(quat.rotate(foot[flat], to_ball - heel_offset), (balls - heels)[flat]))
    foot = quat.multiply(quat.exp(_fade(turn, flat, flat, fixed, fade)), foot)

    # Heel down: the foot moves as it is. Ball only: the ankle goes on as captured, at the foot's length from the ball,
    # and the foot turns about it; real feet roll over the toes there, and a stiff shift would pull the leg straight.
    captured = world.positions[:, leg.ankle]
    shift = heels - quat.rotate(foot, heel_offset) - captured
    ankles = captured + _fade(shift[heel_down], heel_down, heel_down, fixed, fade)
    free = _weights_away_from(heel_down, rule.give * clip.fps)
    length = np.full(len(clip), np.linalg.norm(to_ball))
    behind = balls - ankles - quat.rotate(foot, to_ball)
    rolled = _project_to_sphere(ankles + rule.follow * behind, balls, length)
    eased = _ease_within_reach(rolled, captured, pose.roots, limit, free, about=balls)
    rolled = _project_to_sphere(eased, balls, length)
    ankles = ankles + _fade((rolled - ankles)[rolling], rolling, touching, fixed, fade)
    turn = quat.log(quat.between(quat.rotate(foot[rolling], to_ball), (balls - ankles)[rolling]))
    foot = quat.multiply(quat.exp(_fade(turn, rolling, touching, fixed, fade)), foot)
    swinging = ~touching & ~fixed
    ankles[swinging] = _ease_within_reach(ankles, captured, pose.roots, limit, free)[swinging]

    moved = np.abs(ankles - captured).max(axis=1) > 0
    turned = quat.angle_between(foot, world.rotations[:, leg.ankle]) > 0
    return ankles, foot, toes, touching | moved | turned, touching


def _fade(correction: Array, where: BoolArray, given: BoolArray, fixed: BoolArray, fade: float) -> Array:
    """Return [T, 3] a correction of the frames `where` that is none in other `given` and in `fixed` ones, and fades."""
    values = np.zeros((len(where), 3))
    values[where] = correction
    values[fixed] = 0.0
    return fill_between(values, given | fixed, fade=fade)


def _lay_toes(
    clip: Clip,
    ball: int,
    sole_offset: Array,
    flat: BoolArray,
    ball_down: BoolArray,
    rule: LockRule,
    fixed: BoolArray,
) -> Array:
    """Return world rotations [T, 4] of the toes: as captured, but steady while flat, and not into the floor."""
    toes, fade = clip.world.rotations[:, ball], rule.fade * clip.fps
    turn = np.zeros((len(clip), 3))
    for start, stop in zip(*find_runs(flat), strict=True):
        held = start + np.flatnonzero(fixed[start:stop])
        # Between two fixed frames the toes go over from one attitude to the other; they are hardly ever different.
        mean = _interpolate_held(toes, held, start, stop) if len(held) else quat.mean(toes[start:stop])
        turn[start:stop] = quat.log(quat.multiply(mean, quat.conjugate(toes[start:stop])))
    toes = quat.multiply(quat.exp(_fade(turn[flat], flat, flat, fixed, fade)), toes)
    tips = clip.skeleton.children[ball]
    if not tips:
        return toes
    tip = quat.rotate(toes, clip.skeleton.offsets[tips[0]] - sole_offset)
    length = np.linalg.norm(tip, axis=1)
    # A smooth maximum of the tip's height and the clearance.
    lifted = 0.5 * (tip[:, 2] + rule.clearance + np.hypot(tip[:, 2] - rule.clearance, rule.clearance))
    rise = np.arcsin(np.clip(lifted / length, -1, 1)) - np.arcsin(np.clip(tip[:, 2] / length, -1, 1))
    across = np.column_stack([tip[:, 1], -tip[:, 0], np.zeros(len(tip))])
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9)
    rise = rise * _lift_weights(flat, fixed, 0.5 * fade)
    lift = fill_between(across * rise[:, None], ball_down | fixed, fade=fade)
    return quat.multiply(quat.exp(lift), toes)


def _lift_weights(flat: BoolArray, fixed: BoolArray, fade: float) -> Array:
    """Return [T] 0 at fixed frames and 1 away from them, one value all through a flat stance: none where it has one."""
    if not fixed.any():
        return np.ones(len(flat))
    less = np.where(fixed, 1.0, 0.0)
    away = distance_transform_edt(~fixed)
    for start, stop in zip(*find_runs(flat), strict=True):
        less[start:stop] = float(away[start:stop].min() < fade)
    less = fill_between(less[:, None], flat | fixed, fade=fade)[:, 0]
    return np.asarray(1.0 - less)


def _interpolate_held(rotations: Array, held: IntArray, start: int, stop: int) -> Array:
    """Return rotations [stop − start, 4]: those of the frames `held`, going over evenly from one to the next."""
    frames = np.arange(start, stop)
    after = np.clip(np.searchsorted(held, frames), 0, len(held) - 1)
    before = np.maximum(after - (held[after] > frames), 0)
    gap = np.maximum(held[after] - held[before], 1)
    part = np.clip((frames - held[before]) / gap, 0.0, 1.0)
    return quat.slerp(rotations[held[before]], rotations[held[after]], part)


def _project_to_sphere(points: Array, centres: Array, radii: Array) -> Array:
    """Return the points [T, 3] moved straight to the distances `radii` [T] from their centres."""
    away = points - centres
    size = np.maximum(np.linalg.norm(away, axis=1), 1e-9)
    return centres + away * (radii / size)[:, None]


def _ease_within_reach(
    ankles: Array, captured: Array, hips: Array, limit: Array, free: Array, *, about: Array | None = None
) -> Array:
    """Ease ankles [T, 3] that would stretch the leg back towards the hip, smoothly, where they are `free` (0 to 1).

    The captured leg has length d₀ and slack s = limit − d₀. A correction that lengthens it by e is let through as
    s (1 − exp(−e / s)): nearly all of a small one, never more than the slack. With `about` the ankle turns about that
    centre [T, 3] (it rolls over the ball), otherwise it moves along the line to the hip.
    """
    before = np.linalg.norm(captured - hips, axis=1)
    now = np.linalg.norm(ankles - hips, axis=1)
    slack = np.maximum(limit - before, 1e-4)
    longer = np.maximum(now - before, 0.0)
    eased = now - free * (longer - slack * (1.0 - np.exp(-longer / slack)))
    if about is None:
        return hips + (ankles - hips) * (eased / np.maximum(now, 1e-9))[:, None]
    arm, base = ankles - about, hips - about
    L, D = np.linalg.norm(arm, axis=1), np.linalg.norm(base, axis=1)
    towards = base / np.maximum(D, 1e-9)[:, None]
    across = arm - np.sum(arm * towards, axis=1, keepdims=True) * towards
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9)
    cosine = np.clip((L**2 + D**2 - eased**2) / np.maximum(2 * L * D, 1e-9), -1.0, 1.0)
    turned = about + L[:, None] * (cosine[:, None] * towards + np.sqrt(1 - cosine**2)[:, None] * across)
    return np.where((eased < now)[:, None], turned, ankles)
