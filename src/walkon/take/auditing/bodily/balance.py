"""Balance under a load: static stability, the centre of mass of body and load over the base of support.

With m_j the masses of a body's segments (`Body.masses`, times the cube of its size), c_j their middles (of the flesh of
each joint, by volume) and m_p, c_p those of the props that it carries or grips, shared among all who hold them,

    c = (Σ m_j c_j + Σ m_p c_p) / (Σ m_j + Σ m_p)         along the floor, metres                               (1)

The base of support is the convex hull of the discs under the body's spheres of flesh that are within
`BEARING_WITHIN_M` of the lowest, and where it sits, of pelvis and thighs. c is outside of it by the largest
of u · c − h(u) over directions u, with h(u) = max (u · p + r) its support function:

    off = max(0, max over u of u · c − h(u))         exact but for 0.1 %, by `WAY_COUNT` directions             (2)

Who walks falls from foot to foot, so only who stands (root under `STANDING_UNDER_M_S`) is judged; the other figure is
told. Bodies without feet are left out.
"""

from typing import Any

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.motion.body import Body
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.meetings.bodies import place_capsules
from walkon.take.auditing.meetings.tops import clearance_above_tops
from walkon.take.auditing.reposing import AuditClock, Reposed, repose
from walkon.take.clips import stands
from walkon.take.posing.props import prop_poses
from walkon.take.tables import flat_ranges
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = ["STANDING_UNDER_M_S", "measure_balance"]

STANDING_UNDER_M_S = 0.2
"""m/s of the root below which somebody stands."""
BEARING_WITHIN_M = 0.03
"""m above the lowest flesh within which flesh bears."""
SEATED_WITHIN_M = 0.05
"""m above a seat or another top within which pelvis and thighs rest on it."""
SEAT_PARTS = ("pelvis", "left_thigh", "right_thigh")
WAY_COUNT = 72
"""Directions in which the base of support is looked at, over the whole circle."""
SPEED_STEP_S = 0.05
"""s before and after over which the root's speed is measured."""
BATCH_ROW_COUNT = 4096
"""Bodies that are looked at at a time."""


def measure_balance(take: Take, clock: AuditClock, characters: IntArray, findings: Findings) -> dict[str, Any]:
    """Return the figures of all who hold a load, as the topic balance; empty where nobody does."""
    who, frame, prop = _loads(take, clock, characters)
    if not len(who):
        return {}
    # A row is a character at a frame; `row` says which one each load belongs to.
    rows, row = np.unique(np.column_stack([who, frame]), axis=0, return_inverse=True)
    row = row.ravel()
    share = _shares(who, frame, prop)
    for first in range(0, len(rows), BATCH_ROW_COUNT):
        part = slice(first, first + BATCH_ROW_COUNT)
        mine = np.flatnonzero((row >= first) & (row < first + BATCH_ROW_COUNT))
        _measure(take, clock, rows[part, 0], rows[part, 1], row[mine] - first, prop[mine], share[mine], findings)
    largest = findings.largest_of("balance", "max_off_support_m", "max_off_support_walking_m")
    return {"balance": {"load_frames": findings.counts["balance.load_frames"], **largest}}


def _loads(take: Take, clock: AuditClock, characters: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return who [M] holds which prop [M] at which frame [M], each once, however many hands are on it."""
    a, g = take.attachments, take.grips
    a, g = a.rows(a.character >= 0), g.rows(g.prop >= 0)
    who = np.concatenate([a.character, g.character]).astype(np.int64)
    prop = np.concatenate([a.prop, g.prop]).astype(np.int64)
    start, stop = np.concatenate([a.start, g.start]), np.concatenate([a.stop, g.stop])
    first = np.maximum(np.ceil((start - clock.start) * clock.fps - 1e-6), 0).astype(np.int64)
    last = np.ceil((stop - clock.start) * clock.fps - 1e-6).astype(np.int64)
    counts = np.maximum(np.minimum(last, clock.count) - first, 0)
    found = np.column_stack([np.repeat(who, counts), flat_ranges(first, counts), np.repeat(prop, counts)])
    found = np.unique(found[np.isin(found[:, 0], characters)], axis=0)
    return found[:, 0], found[:, 1], found[:, 2]


def _shares(who: IntArray, frame: IntArray, prop: IntArray) -> Array:
    """Return [M] the share of its prop that each bears: as many hold it then, as many bear it."""
    _, which, counts = np.unique(np.column_stack([frame, prop]), axis=0, return_inverse=True, return_counts=True)
    return np.asarray(1.0 / counts[which.ravel()])


def _measure(
    take: Take,
    clock: AuditClock,
    who: IntArray,
    frame: IntArray,
    row: IntArray,
    prop: IntArray,
    share: Array,
    findings: Findings,
) -> None:
    times = clock.at(frame)
    bodies = repose(take, who, times)
    footed = np.array([stands(body.skeleton) for body in take.bodies])[bodies.bodies] & (bodies.presence == 1)
    mass, moment = _body_moments(take, who, bodies)
    moments, moment_of = np.unique(times[row], return_inverse=True)
    placed = prop_poses(take, moments)
    at, turned, there = (column[moment_of, prop] for column in placed)
    middles = np.array([one.middle for one in take.props])[prop]
    weight = np.where(there, share * np.array([one.mass for one in take.props])[prop], 0.0)
    loads = np.nan_to_num(at + quat.rotate(turned, middles))
    np.add.at(mass, row, weight)
    np.add.at(moment, row, weight[:, None] * loads)
    laden = np.bincount(row, weight, len(who)) > 0.0
    k = np.flatnonzero(footed & laden)
    if not len(k):
        return
    findings.counts["balance.load_frames"] += len(k)
    centre = moment[k] / mass[k, None]
    spheres, radii, bears = _bearing(take, who, bodies, times)
    off = _off_support(centre[:, :2], spheres[k, :, :2], radii[k], bears[k])
    still = _speeds(take, who[k], times[k]) < STANDING_UNDER_M_S
    for figure, mine, words in (
        ("max_off_support_m", still, "would fall: its centre of mass with what it holds is {:.1f} cm off its feet"),
        ("max_off_support_walking_m", ~still, "has its centre of mass with what it holds {:.1f} cm off its feet"),
    ):
        findings.offer(
            f"balance.{figure}",
            off[mine],
            who=who[k[mine]],
            times=times[k[mine]],
            places=centre[mine],
            least=1e-3,
            words=lambda i, off=off[mine], words=words: ("", words.format(off[i] * 100)),  # type: ignore[misc]
        )


def _body_moments(take: Take, who: IntArray, bodies: Reposed) -> tuple[Array, Array]:
    """Return the masses [R] of bodies in kg, and these times their centres [R, 3]."""
    mass, moment = np.zeros(len(who)), np.zeros((len(who), 3))
    scale = take.characters.scale[who].astype(np.float64)
    for b in np.unique(bodies.bodies):
        body, mine = take.bodies[b], np.flatnonzero((bodies.bodies == b) & (bodies.presence == 1))
        J, size = len(body.skeleton), scale[mine]
        offsets = size[:, None, None] * segment_middles(body)
        places = bodies.positions[mine, :J] + quat.rotate(bodies.rotations[mine, :J], offsets)
        heavy = size[:, None] ** 3 * body.masses
        mass[mine], moment[mine] = heavy.sum(axis=1), (heavy[..., None] * places).sum(axis=1)
    return mass, moment


def segment_middles(body: Body) -> Array:
    """Return [J, 3] m, the middle of the flesh of each joint, by volume, in its frame; its own place without flesh."""
    radii = body.capsule_radii.mean(axis=1)
    volume = np.pi * radii**2 * (np.linalg.norm(body.capsule_ends - body.capsule_starts, axis=1) + 4 / 3 * radii)
    middle, total = np.zeros((len(body.skeleton), 3)), np.zeros(len(body.skeleton))
    np.add.at(middle, body.capsule_joints, 0.5 * volume[:, None] * (body.capsule_starts + body.capsule_ends))
    np.add.at(total, body.capsule_joints, volume)
    return np.asarray(middle / np.maximum(total, 1e-12)[:, None])


def _bearing(take: Take, who: IntArray, bodies: Reposed, times: Array) -> tuple[Array, Array, BoolArray]:
    """Return the spheres [R, S, 3] of bodies, their radii [R, S], and which of them bear the body."""
    flesh = place_capsules(take, who, bodies)
    K = flesh.starts.shape[1]
    spheres = np.concatenate([flesh.starts, flesh.ends], axis=1)
    radii = np.concatenate([flesh.radii[..., 0], flesh.radii[..., 1]], axis=1)
    has = np.tile(np.arange(K) < flesh.counts[:, None], 2) & (bodies.presence == 1)[:, None]
    low = np.where(has, spheres[..., 2] - radii, np.inf)
    under = take.stage.floor(spheres[..., :2].reshape(-1, 2), near=np.repeat(low.min(axis=1), 2 * K)).heights
    above = np.where(has, low - under.reshape(low.shape), np.inf)
    bears = above < above.min(axis=1, keepdims=True) + BEARING_WITHIN_M
    sits = np.zeros((len(take.bodies), 2 * K), bool)
    for b, body in enumerate(take.bodies):
        k = np.flatnonzero(np.isin(body.capsule_parts, SEAT_PARTS))
        sits[b, k] = sits[b, K + k] = True
    seat = sits[bodies.bodies] & has
    seated = clearance_above_tops(take, spheres, radii, seat, times) < SEATED_WITHIN_M
    return spheres, radii, bears | (seat & seated[:, None])


def _off_support(centres: Array, points: Array, radii: Array, bears: BoolArray) -> Array:
    """Return m [R] from centres [R, 2] to the hull of the discs (points [R, S, 2], radii [R, S]) that bear, eq. (2)."""
    angles = np.arange(WAY_COUNT) * (2 * np.pi / WAY_COUNT)
    ways = np.stack([np.cos(angles), np.sin(angles)])
    off = np.full(len(centres), -np.inf)
    for way in ways.T:  # a loop over directions, so that memory stays small
        reach = np.where(bears, points @ way + radii, -np.inf).max(axis=1)
        np.maximum(off, centres @ way - reach, out=off)
    return np.where(np.isfinite(off), np.maximum(off, 0.0), 0.0)


def _speeds(take: Take, who: IntArray, times: Array) -> Array:
    """Return m/s [R] of roots along the floor."""
    before = np.maximum(times - SPEED_STEP_S, take.enters[who])
    after = np.minimum(times + SPEED_STEP_S, take.leaves[who])
    ends = repose(take, np.tile(who, 2), np.concatenate([before, after])).positions[:, 0, :2].reshape(2, -1, 2)
    moved = np.linalg.norm(ends[1] - ends[0], axis=1)
    return np.nan_to_num(moved / np.maximum(after - before, 1e-9))
