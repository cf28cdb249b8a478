"""Foot contact detection: which parts of the feet bear on something, robust to what capture does to feet.

A contact point (heel or ball, see `walkon.motion.contacts.ground_plane`) is down while it is both

    near its support:   |z − support| < NEAR          (support 0, or the height of a stair)
    and slow:           speed < STILL + FOLLOW × speed of the hips

each with hysteresis: a run must meet the rule strictly somewhere and may go on while it meets it loosely. Tying the
limit to the hips' speed gives brisk and slow walks the same share of stance; in capture a planted foot slides by
several cm/s, and more so when the body above it moves fast. Gaps shorter than a blink are filled, and runs too short
to be a step are dropped. Each run has a support height: 0 on the floor, or its own height where the body really
stands higher (the hips rise with it), so that stairs work and a foot held in the air is no contact.

Rules after trials on CMU walks; see docs/contacts.md for the pictures.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import gaussian_filter1d

from walkon._base.arrays import Array, BoolArray
from walkon._base.errors import InvalidValue
from walkon.motion.clip import Clip
from walkon.motion.contacts.ground_plane import SMOOTHING_SIGMA_S, speeds
from walkon.motion.contacts.runs import close_gaps, drop_short, find_runs, with_hysteresis
from walkon.motion.limbs.legs import leg_length
from walkon.motion.skeleton import SIDES

__all__ = ["ContactRule", "detect_contacts", "pace", "stance"]

STEP_LEVEL_NOISE_M = 0.015
"""m by which the level of a single step may be off in capture."""
HEEL_OVERHANG_M = 0.06
"""m by which a heel may hang below the tread on which the ball stands."""
STANDING_HIP_HEIGHT_SHARE = 0.88
"""Share of standing height at which the hips must at some time be above a raised support that bears them."""


@dataclass(frozen=True, kw_only=True)
class ContactRule:
    """What counts as contact. The defaults were chosen on CMU walks; each field says what moving it does."""

    near: float = 0.025
    """m above or below the support. Larger: longer contacts, more roll-off counted as stance."""
    still: float = 0.15
    """m/s allowed when the hips are at rest. Larger: contacts survive noisier capture."""
    follow: float = 0.3
    """Further m/s allowed per m/s of the hips. Larger: fast walks get longer stances."""
    loosen: float = 1.3
    """Factor on both limits for going on once a contact has begun."""
    rising: float = 0.06
    """m/s up or down beyond which heel or ball is on its way while the other end of the foot bears."""
    stray: float = 0.024
    """m from where it rests beyond which a contact's ends are trimmed. Smaller: shorter stances, gentler locks."""
    flat: float = 0.006
    """m from the support within which heel and ball bear together. Larger: feet are held flat for longer, and locking
    them bends the leg more when the heel comes off."""
    shortest: float = 0.1
    """s; shorter contacts are dropped."""
    longest_gap: float = 0.07
    """s; shorter interruptions are filled."""
    hand_over: float = 0.025
    """s before and after a jump from heel to ball for which both bear, where the capture has no flat foot between."""
    step_height: float = 0.06
    """m; supports within this of the floor are the floor."""


def detect_contacts(clip: Clip, *, rule: ContactRule | None = None) -> Clip:
    """Return the clip with `contacts` [T, 4] and `contact_heights` [T, 4] detected; it must have been grounded."""
    rule = rule or ContactRule()
    if not clip.skeleton.contact_names:
        raise InvalidValue("the skeleton has no contact points; call walkon.ground(clip) first")
    points = clip.contact_positions
    speed = speeds(points, clip.fps)
    limit = rule.still + rule.follow * pace(clip)
    heights = gaussian_filter1d(points[:, :, 2], SMOOTHING_SIGMA_S * clip.fps, axis=0, mode="nearest")
    contacts, supports = np.zeros(speed.shape, bool), np.zeros(speed.shape)
    for side in SIDES:
        heel, ball = (clip.skeleton.contact(f"{side}_{part}") for part in ("heel", "ball"))
        for here, other in ((heel, ball), (ball, heel)):
            contacts[:, here] = _find_near_and_slow(heights[:, here], speed[:, here], limit, rule, clip.fps)
            for start, stop, height in _find_raised_supports(clip, heights, speed[:, here], limit, rule, here, other):
                free = ~contacts[start:stop, here]
                contacts[start:stop, here] |= free
                supports[start:stop, here][free] = height
            contacts[:, here] = _trim_straying_ends(contacts[:, here], points[:, here], rule, clip.fps)
        rising = np.abs(np.gradient(heights[:, [heel, ball]], axis=0)) * clip.fps > rule.rising
        above = heights - supports
        for point in (heel, ball):
            above[:, point] -= _resting_level(above[:, point], contacts[:, point], speed[:, point] < 0.5 * limit)
        _roll(contacts, above, rising, (heel, ball), rule, clip.fps)
        supports[:, [heel, ball]] = _find_supports(contacts, heights, heel, ball, rule, clip.fps)[:, None]
    supports[~contacts] = 0.0
    return replace(clip, contacts=contacts, contact_heights=supports)


def _find_supports(contacts: BoolArray, heights: Array, heel: int, ball: int, rule: ContactRule, fps: float) -> Array:
    """Return [T] m, one support height per stance of a foot: the floor, or the level on which its points rest."""
    support = np.zeros(len(contacts))
    bearing = close_gaps(contacts[:, heel] | contacts[:, ball], rule.longest_gap * fps)
    for start, stop in zip(*find_runs(bearing), strict=True):
        part = heights[start:stop, [heel, ball]][contacts[start:stop, [heel, ball]]]
        level = float(np.median(part))
        support[start:stop] = level if abs(level) > rule.step_height else 0.0
    return support


def stance(clip: Clip) -> BoolArray:
    """Return [T, 2], whether the left and the right foot bear on something with heel or ball."""
    names = clip.skeleton.contact_names
    return np.stack(
        [clip.contacts[:, [i for i, n in enumerate(names) if n.startswith(side)]].any(axis=1) for side in SIDES], axis=1
    )


def _roll(
    contacts: BoolArray, above: Array, rising: BoolArray, foot: tuple[int, int], rule: ContactRule, fps: float
) -> None:
    """Let each stance roll from heel to ball: both bear only where both are on the support, else the lower one.

    The rule for a single point is generous, so that the foot as a whole is never lost; taken for heel and ball at
    once it would call the foot flat while the heel is already 4 cm up.
    """
    heel, ball = foot
    bearing = contacts[:, heel] | contacts[:, ball]
    for here, other, moving in ((heel, ball, rising[:, 0]), (ball, heel, rising[:, 1])):
        on = _trim_moving_ends(close_gaps(above[:, here] < rule.flat, rule.longest_gap * fps), moving, round(0.1 * fps))
        alone = ~(contacts[:, other] & (above[:, other] <= above[:, here]))
        contacts[:, here] &= on | alone
    lost = bearing & ~contacts[:, heel] & ~contacts[:, ball]
    lower_heel = above[:, heel] < above[:, ball]
    contacts[:, heel] |= lost & lower_heel
    contacts[:, ball] |= lost & ~lower_heel
    # Weight passes from heel to ball through a flat foot. Where it jumps, the captured foot was never flat (it banks in
    # a sharp turn): a short flat phase lets it be held on both sides of the jump.
    jump = np.flatnonzero((contacts[:-1, heel] & contacts[1:, ball]) | (contacts[:-1, ball] & contacts[1:, heel]))
    jump = jump[~(contacts[jump, heel] & contacts[jump, ball]) & ~(contacts[jump + 1, heel] & contacts[jump + 1, ball])]
    width = max(1, round(rule.hand_over * fps))
    for frame in jump:
        near = slice(max(0, frame - width + 1), frame + 1 + width)
        contacts[near, heel] = contacts[near, ball] = contacts[near, heel] | contacts[near, ball]
    for point in (heel, ball):
        contacts[:, point] = drop_short(contacts[:, point], 0.5 * rule.shortest * fps)


def _trim_straying_ends(down: BoolArray, places: Array, rule: ContactRule, fps: float) -> BoolArray:
    """Cut the ends of runs where the point is on its way: farther than `stray` from where it rests just inside."""
    down = np.array(down)
    inside, most = round(0.3 * fps), round(0.12 * fps)
    for start, stop in zip(*find_runs(down), strict=True):
        from_end = np.arange(max(min(inside, (stop - start) // 2), 1))
        for frames, is_cut in ((start + from_end, start == 0), (stop - 1 - from_end, stop == len(down))):
            if is_cut:
                continue  # the clip begins or ends in contact: there is no landing to trim
            home = np.median(places[frames[len(frames) // 2 :], :2], axis=0)
            away = np.linalg.norm(places[frames[:most], :2] - home, axis=1) > rule.stray
            down[frames[:most][np.logical_and.accumulate(away)]] = False
    return down


def _resting_level(above: Array, down: BoolArray, still: BoolArray) -> Array:
    """Return [T] m, the height at which a point rests in each of its runs: capture puts no two steps on one level."""
    level = np.zeros(len(above))
    for start, stop in zip(*find_runs(down), strict=True):
        rest = above[start:stop][still[start:stop]]
        if len(rest):
            level[start:stop] = np.clip(np.median(rest), -STEP_LEVEL_NOISE_M, STEP_LEVEL_NOISE_M)
    return level


def _trim_moving_ends(flags: BoolArray, moving: BoolArray, most: int) -> BoolArray:
    """Cut the frames at the ends of runs (at most `most`) in which the point is still coming down or already rising."""
    flags = np.array(flags)
    for start, stop in zip(*find_runs(flags), strict=True):
        still = np.flatnonzero(~moving[start:stop])
        first, last = (int(still[0]), stop - start - 1 - int(still[-1])) if len(still) else (stop - start, 0)
        flags[start : start + min(first, most)] = False
        flags[stop - min(last, most) : stop] = False
    return flags


def _find_near_and_slow(z: Array, speed: Array, limit: Array, rule: ContactRule, fps: float) -> BoolArray:
    strict = (np.abs(z) < rule.near) & (speed < limit)
    loose = (np.abs(z) < rule.near * rule.loosen) & (speed < limit * rule.loosen)
    down = close_gaps(with_hysteresis(strict, loose), rule.longest_gap * fps)
    return drop_short(down, rule.shortest * fps)


def pace(clip: Clip) -> Array:
    """Return [T] m/s, speed of the hips along the floor over a quarter of a second: the pace, not the sway."""
    if len(clip) < 2:
        return np.zeros(len(clip))
    hips = clip.skeleton.roles.get("hips", 0)
    path = gaussian_filter1d(clip.world.positions[:, hips, :2], 0.12 * clip.fps, axis=0, mode="nearest")
    return np.linalg.norm(np.gradient(path, axis=0), axis=1) * clip.fps


def _find_raised_supports(
    clip: Clip, heights: Array, speed: Array, limit: Array, rule: ContactRule, here: int, other: int
) -> list[tuple[int, int, float]]:
    """Find runs (start, stop, height) of one point on supports that are not the floor: stairs, kerbs, platforms."""
    z = heights[:, here]
    hips = clip.world.positions[:, clip.skeleton.roles.get("hips", 0), 2]
    # A heel off the floor is slow too while the ball bears, and toes while the heel does: the other end of the foot
    # must not be far below. On a narrow tread the heel may hang over its edge, so it may be a little lower.
    overhang = HEEL_OVERHANG_M if clip.skeleton.contact_names[here].endswith("ball") else rule.near
    level_foot = heights[:, other] > z - overhang
    resting = drop_short((speed < limit * 0.6) & level_foot, rule.shortest * clip.fps)
    # Standing, hips are as high above the floor as legs that are nearly straight.
    standing = 1.05 * leg_length(clip.skeleton)
    found = []
    for start, stop in zip(*find_runs(resting), strict=True):
        height = float(np.median(z[start:stop]))
        # A foot held in the air is slow as well, but then the body stands no higher: on a stair the hips come up too.
        carries = (hips[start:stop] - height).max() > STANDING_HIP_HEIGHT_SHARE * standing
        if abs(height) <= rule.step_height or not carries:
            continue
        core = np.zeros(len(z), bool)
        core[start:stop] = np.abs(z[start:stop] - height) < rule.near
        loose = (np.abs(z - height) < rule.near * rule.loosen) & (speed < limit * rule.loosen)
        grown = find_runs(with_hysteresis(core, loose))
        found += [(int(a), int(b), height) for a, b in zip(*grown, strict=True)]
    return found
