"""Defects of raw recordings: found, repaired where that is safe, and always reported.

| defect | found by | what is done |
|---|---|---|
| empty frames | root at the origin and every joint unrotated, at either end | cut off |
| limp joints | a joint exactly unrotated in the first or last frames, then jumping | held from the nearest good frame |
| frozen tail | the last frames repeat one pose to the last bit | cut off |
| spikes | one or two frames away from their neighbours | bridged |
| impossible falls | free flight falls at over 1.6 times gravity: the frame rate is wrong | reported; left out |

A frame is a spike where a joint is far from the middle of its neighbours, both in degrees and compared with how far
that usually is around it:

    e_t = angle(q_t, slerp(q_{t−k}, q_{t+k}, ½)) > max(MIN_SPIKE_RAD, MIN_SPIKE_RATIO × local median of e)

for k = 1 (one frame) and k = 2 (two frames). Fast but honest motion has a large median and is left alone. A sudden
step (a captured knee that snaps out of its stop) is far from the middle on both sides and becomes a ramp of three
frames. A first or last frame that jumps has no two neighbours: it is compared with where the frames beside it lead.
"""

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d, median_filter

from walkon._base.arrays import Array, BoolArray
from walkon.motion.clip import Clip
from walkon.motion.contacts.runs import find_runs
from walkon.motion.editing import take_frames
from walkon.motion.skeleton import SIDES
from walkon.transforms import quaternions as quat

__all__ = ["Defect", "fall_rate", "impossible_fall", "repair", "repair_spikes"]

GRAVITY_M_S2 = 9.81
MAX_FALL_GRAVITY_RATIO = 1.6
"""Times gravity: measured falls scatter by a third, a rate twice too high makes them four times too heavy."""
MIN_LIMP_JUMP_RAD = np.radians(15.0)
"""rad by which a limp joint must jump to count as one: a hand at rest may truly be near zero."""
MIN_FROZEN_TAIL_S = 0.2
"""s of one repeated pose that make a frozen tail; shorter ones may be a performer standing very still."""
MIN_SPIKE_RAD = np.radians(1.5)
"""rad at 120 frames/s and k = 1: an acceleration of 750 rad/s², more than honest joints reach."""
MIN_SPIKE_SHIFT_M = 0.008
"""m, the same for the root's place."""
MIN_SPIKE_RATIO = 6.0
USUAL_WINDOW_S = 0.25
"""s over which "usual" is measured."""


@dataclass(frozen=True, kw_only=True)
class Defect:
    """One thing that was wrong with a recording, and what became of it."""

    kind: str
    message: str
    """A sentence for the user."""
    fatal: bool = False
    """Whether the clip should be left out."""


def repair(clip: Clip) -> tuple[Clip, tuple[Defect, ...]]:
    """Return the clip with its defects repaired as far as that is safe, and what was found."""
    found: list[Defect] = []
    for step in (_cut_empty, _cut_frozen_tail, _hold_limp_joints, _bridge_spikes):
        clip, defect = step(clip)
        if defect:
            found.append(defect)
    return clip, tuple(found)


def _find_unrotated(clip: Clip) -> BoolArray:
    """Return [T, J] where a joint's rotation is exactly the identity, as nothing that was captured ever is."""
    return np.abs(clip.local_rotations[..., 1:]).max(axis=-1) == 0.0


def _moving_joints(clip: Clip) -> BoolArray:
    """Return [J] joints that rotate at all in this clip."""
    return np.asarray(~_find_unrotated(clip).all(axis=0))


def _cut_empty(clip: Clip) -> tuple[Clip, Defect | None]:
    joints = _moving_joints(clip)
    if not joints.any():
        return clip, None
    empty = _find_unrotated(clip)[:, joints].all(axis=1) & (np.abs(clip.root_positions).max(axis=1) < 1e-9)
    if not empty.any() or empty.all():
        return clip, None
    keep = np.flatnonzero(~empty)
    first, last = int(keep[0]), int(keep[-1])
    cut = len(clip) - (last - first + 1)
    inside = int(np.count_nonzero(empty[first : last + 1]))
    if inside:
        message = f"{inside} empty frames (all zero) inside the clip: cut the recording there and import the parts"
        return clip, Defect(kind="empty frames", message=message, fatal=True)
    return take_frames(clip, np.arange(first, last + 1)), Defect(
        kind="empty frames", message=f"{cut} empty frame{'s' if cut > 1 else ''} (all zero) cut off"
    )


def _cut_frozen_tail(clip: Clip) -> tuple[Clip, Defect | None]:
    same = (clip.local_rotations[1:] == clip.local_rotations[:-1]).all(axis=(1, 2))
    same &= (clip.root_positions[1:] == clip.root_positions[:-1]).all(axis=1)
    moving = np.flatnonzero(~same)
    if len(moving) == 0:
        return clip, None  # a single held pose is a pose, not a defect
    frozen = len(same) - 1 - int(moving[-1])
    if frozen < MIN_FROZEN_TAIL_S * clip.fps:
        return clip, None
    message = f"the last {frozen} frames repeat one pose ({frozen / clip.fps:.2f} s) and were cut off"
    return take_frames(clip, np.arange(len(clip) - frozen)), Defect(kind="frozen tail", message=message)


def _hold_limp_joints(clip: Clip) -> tuple[Clip, Defect | None]:
    limp = _find_unrotated(clip) & _moving_joints(clip)
    rotations = np.array(clip.local_rotations)
    held: set[int] = set()
    frames = 0
    for joint in np.flatnonzero(limp.any(axis=0)):
        for start, stop in zip(*find_runs(limp[:, joint]), strict=True):
            at_start, at_end = start == 0, stop == len(clip)
            if at_start == at_end or stop - start > 0.1 * clip.fps + 2:
                continue
            good = stop if at_start else start - 1
            if quat.angle(clip.local_rotations[good, joint]) > MIN_LIMP_JUMP_RAD:
                rotations[start:stop, joint] = clip.local_rotations[good, joint]
                held.add(int(joint))
                frames = max(frames, int(stop - start))
    if not held:
        return clip, None
    names = ", ".join(clip.skeleton.names[j] for j in sorted(held))
    message = (
        f"{names} unrotated for {frames} frame{'s' if frames > 1 else ''} at an end: held from the next good frame"
    )
    return clip.with_motion(clip.root_positions, rotations), Defect(kind="limp joints", message=message)


def _bridge_spikes(clip: Clip) -> tuple[Clip, Defect | None]:
    fixed, repaired = repair_spikes(clip)
    if not repaired.any():
        return clip, None
    count = repaired.sum(axis=0)
    worst = int(count.argmax())
    message = (
        f"{int(count.sum())} spikes of one or two frames bridged in {int(np.count_nonzero(count))} joints "
        f"(most in {clip.skeleton.names[worst]}: {int(count[worst])})"
    )
    return fixed, Defect(kind="spikes", message=message)


def fall_rate(clip: Clip) -> float | None:
    """Return the median downward acceleration in m/s² of the body in free flight, or None if it hardly ever flies.

    The body flies while both feet are well off the floor of a grounded clip. Its middle (the mean of all joints, which
    limbs move less than the hips) then falls with 9.81 m/s² if the frame rate is true, and with four times as much if
    the rate is twice too high.
    """
    if not clip.skeleton.has_feet or len(clip) < 8:
        return None
    feet = [clip.skeleton.role(f"{side}_{part}") for side in SIDES for part in ("ankle", "ball")]
    heights = clip.world.positions[:, feet, 2]
    airborne = np.asarray((heights - np.quantile(heights, 0.2, axis=0) > 0.03).all(axis=1))
    middle = gaussian_filter1d(clip.world.positions[:, ~clip.skeleton.end_sites, 2].mean(axis=1), 1.5, mode="nearest")
    acceleration = np.gradient(np.gradient(middle)) * clip.fps**2
    flights = [(start, stop) for start, stop in zip(*find_runs(airborne), strict=True) if stop - start >= 5]
    samples = np.concatenate([np.zeros(0), *(acceleration[start + 1 : stop - 1] for start, stop in flights)])
    return -float(np.median(samples)) if len(samples) >= 4 else None


def impossible_fall(clip: Clip) -> Defect | None:
    """Return a defect if a grounded clip falls heavier than gravity allows."""
    rate = fall_rate(clip)
    if rate is None or rate < MAX_FALL_GRAVITY_RATIO * GRAVITY_M_S2:
        return None
    likely = clip.fps * (GRAVITY_M_S2 / rate) ** 0.5
    standard = min((24, 25, 30, 50, 60, 100, 120), key=lambda fps: abs(np.log(fps / likely)))
    return Defect(
        kind="frame rate",
        message=(
            f"falls at {rate:.0f} m/s², {rate / GRAVITY_M_S2:.1f} times gravity: {clip.fps:g} frames/s is wrong, "
            f"{standard} is likely; give the true one in manifest.csv or with --source-fps"
        ),
        fatal=True,
    )


def repair_spikes(clip: Clip) -> tuple[Clip, BoolArray]:
    """Replace spikes of one or two frames by interpolation between the frames beside them.

    Return the repaired clip, and which joints were repaired in which frames [T, J]; the root's column also stands for
    its place.
    """
    rotations, roots = np.array(clip.local_rotations), np.array(clip.root_positions)
    repaired = np.zeros(rotations.shape[:2], bool)
    if len(clip) < 7:
        return clip, repaired
    window = max(5, int(USUAL_WINDOW_S * clip.fps) | 1)
    # Between frames that are farther apart in time, honest motion bends more: in proportion to the interval squared.
    least, shift = (limit * max(1.0, (120.0 / clip.fps) ** 2) for limit in (MIN_SPIKE_RAD, MIN_SPIKE_SHIFT_M))
    for k in (1, 2):
        away = np.zeros(repaired.shape)
        middle = quat.slerp(rotations[: -2 * k], rotations[2 * k :], np.array(0.5))
        away[k:-k] = quat.angle_between(rotations[k:-k], middle)
        found = _peaks(away, least * k, window, k)
        away_root = np.zeros((len(clip), 1))
        away_root[k:-k, 0] = np.linalg.norm(roots[k:-k] - (0.5 * (roots[: -2 * k] + roots[2 * k :])), axis=1)
        found_root = _peaks(away_root, shift * k, window, k)[:, 0]
        for joint in np.flatnonzero(found.any(axis=0)):
            rotations[:, joint] = _bridge_rotations(rotations[:, joint], found[:, joint])
        roots = _bridge_positions(roots, found_root)
        repaired |= found
        repaired[:, 0] |= found_root
    rotations, ends = _straighten_ends(rotations, 3 * least)
    return clip.with_motion(roots, rotations), repaired | ends


def _straighten_ends(rotations: Array, limit: float) -> tuple[Array, BoolArray]:
    """Replace first and last frames that jump by going on as the frames beside them do: q₁ (q₂⁻¹ q₁)."""
    rotations = np.array(rotations)
    jumped = np.zeros(rotations.shape[:2], bool)
    for first, second, third in ((0, 1, 2), (-1, -2, -3)):
        step = quat.multiply(quat.conjugate(rotations[third]), rotations[second])
        expected = quat.multiply(rotations[second], step)
        wrong = (quat.angle_between(rotations[first], expected) > limit) & (quat.angle(step) < limit)
        rotations[first, wrong] = expected[wrong]
        jumped[first] = wrong
    return rotations, jumped


def _peaks(away: Array, least: float, window: int, k: int) -> BoolArray:
    """Return the frames beyond what is usual that are the worst around: a spike also lifts its neighbours."""
    peaks = away > np.maximum(least, MIN_SPIKE_RATIO * median_filter(away, (window, 1), mode="nearest"))
    for step in range(1, k + 1):
        peaks[step:] &= away[step:] >= 0.8 * away[:-step]
        peaks[:-step] &= away[:-step] >= 0.8 * away[step:]
    return np.asarray(peaks)


def _bridge_rotations(rotations: Array, bad: BoolArray) -> Array:
    good = np.flatnonzero(~bad)
    frames = np.flatnonzero(bad)
    after = np.searchsorted(good, frames)
    left, right = good[np.clip(after - 1, 0, None)], good[np.clip(after, None, len(good) - 1)]
    rotations = np.array(rotations)
    rotations[frames] = quat.slerp(rotations[left], rotations[right], (frames - left) / np.maximum(right - left, 1))
    return rotations


def _bridge_positions(positions: Array, bad: BoolArray) -> Array:
    good = np.flatnonzero(~bad)
    columns = [np.interp(np.arange(len(positions)), good, positions[good, i]) for i in range(positions.shape[1])]
    return np.column_stack(columns)
