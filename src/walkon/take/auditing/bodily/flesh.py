"""Flesh against the floor: how deep any part of a body is in it, how high all of it is above; no label is asked.

A body is its tapered capsules, and those are spheres at both ends. With c the centre of a sphere, r its radius, h the
height of the floor under c and n its unit normal,

    gap = (c_z − h) n_z − r         metres, exact on a plane; negative in the floor                             (1)

Penetration is the deepest −gap. On a floor that is not level only spheres within `LOW_BAND_M` of the lowest are looked
at. Which of several floors is meant: the one nearest to the lowest point of the body.

*Hovering.* The clearance of a body is the smallest gap above the floor, or above the tops of obstacles, seats and props
(see `supports`). Who jogs has a moment of flight, so a hover is what is left for `FLIGHT_S`,

    hover(t) = min over [t, t + FLIGHT_S] of clearance,                                                         (2)

and its time is the longest stretch with a clearance over `HOVER_OVER_M`. Bodies without feet may fly.

*Sitting.* Who keeps the hips low (`SEATED_BELOW_RATIO` of the height at rest) and farther than `SEATED_BEHIND_RATIO`
of it from both feet, for `MIN_SEATED_S`, would fall: pelvis or thighs must rest on something. The gap to that is (1)
for them.

World frame, metres.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.motion.contacts.runs import find_runs
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.meetings.bodies import Flesh
from walkon.take.auditing.meetings.tops import clearance_above_tops
from walkon.take.auditing.reposing import AuditClock, PosedRows, Reposed, link_rows
from walkon.take.take import Take

__all__ = [
    "FLIGHT_S",
    "HOVER_OVER_M",
    "LOW_BAND_M",
    "MIN_SEATED_S",
    "SEATED_BEHIND_RATIO",
    "SEATED_BELOW_RATIO",
    "FleshRows",
    "flesh_figures",
    "look_at_flesh",
    "measure_clearance",
    "rolling_least",
    "split_runs",
]

LOW_BAND_M = 0.4
"""m above the lowest point of a body within which its flesh is looked at where the floor is not level."""
HOVER_OVER_M = 0.015
"""m of clearance from which on a body is in the air."""
FLIGHT_S = 0.2
"""s that a body is in the air at most: twice the flight of a jog."""
SEATED_BELOW_RATIO = 0.75
"""Height of the hips over that at rest, below which one may be sitting."""
SEATED_BEHIND_RATIO = 0.21
"""Distance along the floor from the hips to the nearest heel or ball over the height of the hips at rest, beyond which
one would fall: who squats has 0.17, who sits 0.25."""
MIN_SEATED_S = 0.5
"""s of that before it counts."""
SEAT_PARTS = ("pelvis", "left_thigh", "right_thigh")
SOLE_BAND_M = 0.15
"""m above the lowest point of a body within which its flesh may rest on something."""


class FleshRows(NamedTuple):
    """What is kept of the flesh of R rows."""

    clearance: Array
    """[R] metres of the body above whatever is under it; NaN of discs and where there is no floor."""
    floor: Array
    """[R] metres, height of the floor under the lowest point."""
    seat_gap: Array
    """[R] metres of pelvis and thighs above whatever is under them; infinite of bodies without."""


def look_at_flesh(
    take: Take, clock: AuditClock, findings: Findings, who: IntArray, frame: IntArray, bodies: Reposed, flesh: Flesh
) -> FleshRows:
    """Measure the flesh of the first rows of a chunk against the floor; keep what hovering and sitting ask."""
    new = len(flesh.starts)
    whole = np.flatnonzero(bodies.presence[:new] == 1)
    kept = FleshRows(*(np.full(new, np.nan) for _ in FleshRows._fields))
    if not len(whole):
        return kept
    K = flesh.starts.shape[1]
    there = np.arange(K) < flesh.counts[whole, None]
    low = np.where(there, flesh.boxes[whole, :K, 2], np.inf)
    level, deepest = take.stage.floor.level, low.argmin(axis=1)
    clearance = low[np.arange(len(whole)), deepest]
    if level is not None:
        clearance, floor = clearance - level, np.full(len(whole), level)
    else:
        clearance, floor, deepest = _uneven_gaps(take, _spheres(flesh, whole), clearance)
    depth = np.where(np.isfinite(clearance), -clearance, 0.0)
    times = clock.at(frame[whole])
    names = [body.capsule_parts for body in take.bodies]
    body = bodies.bodies[whole]
    findings.offer(
        "floor.max_flesh_penetration_m",
        depth,
        who=who[whole],
        times=times,
        places=0.5 * (flesh.starts[whole, deepest] + flesh.ends[whole, deepest]),
        least=1e-3,
        words=lambda i: (
            part := names[body[i]][deepest[i]].replace("_", " "),
            f"has the {part} {depth[i] * 100:.1f} cm in the floor",
        ),
    )
    air = np.flatnonzero(clearance > HOVER_OVER_M)
    if len(air):
        spheres = _spheres(flesh, whole[air])
        soles = spheres.low < spheres.low.min(axis=1, keepdims=True) + SOLE_BAND_M
        above = clearance_above_tops(take, spheres.centres, spheres.radii, soles, times[air])
        clearance[air] = np.minimum(clearance[air], above)
    kept.clearance[whole], kept.floor[whole] = np.where(np.isfinite(clearance), clearance, np.nan), floor
    kept.seat_gap[whole] = _seat_gaps(take, body, flesh, whole, bodies.positions[whole, 0, 2] - floor, floor, times)
    return kept


class _Spheres(NamedTuple):
    """Both ends of R bodies' capsules: K starts, then K ends."""

    centres: Array
    """[R, 2K, 3] metres."""
    radii: Array
    low: Array
    """[R, 2K] metres, height of their lowest points; infinite where there is none."""


def _spheres(flesh: Flesh, rows: IntArray) -> _Spheres:
    centres = np.concatenate([flesh.starts[rows], flesh.ends[rows]], axis=1)
    radii = np.concatenate([flesh.radii[rows, :, 0], flesh.radii[rows, :, 1]], axis=1)
    has = np.tile(np.arange(flesh.starts.shape[1]) < flesh.counts[rows, None], 2)
    return _Spheres(centres, radii, np.where(has, centres[..., 2] - radii, np.inf))


def _uneven_gaps(take: Take, spheres: _Spheres, lowest: Array) -> tuple[Array, Array, IntArray]:
    """Return the least gap [R], eq. (1), the floor [R] under the lowest sphere, and the capsule [R] of the gap."""
    row = np.arange(len(lowest))
    r, k = np.nonzero(spheres.low < lowest[:, None] + LOW_BAND_M)
    found = take.stage.floor(spheres.centres[r, k, :2], near=lowest[r])
    gaps, heights = np.full(spheres.low.shape, np.inf), np.full(spheres.low.shape, np.nan)
    gap = (spheres.centres[r, k, 2] - found.heights) * found.normals[:, 2] - spheres.radii[r, k]
    gaps[r, k], heights[r, k] = np.where(np.isfinite(gap), gap, np.inf), found.heights
    least = gaps.argmin(axis=1)
    return gaps[row, least], heights[row, spheres.low.argmin(axis=1)], least % (spheres.low.shape[1] // 2)


def _seat_gaps(
    take: Take, body: IntArray, flesh: Flesh, whole: IntArray, hips: Array, floor: Array, times: Array
) -> Array:
    """Return [R] m from pelvis and thighs to what is under them, where the hips are low; infinite elsewhere."""
    K = flesh.starts.shape[1]
    sits = np.zeros((len(take.bodies), K), bool)
    for b, one in enumerate(take.bodies):
        sits[b, np.flatnonzero(np.isin(one.capsule_parts, SEAT_PARTS))] = True
    rest = np.array([_hip_height(one.skeleton.rest_positions) for one in take.bodies])
    found = np.full(len(whole), np.inf)
    can_sit: BoolArray = np.asarray(sits.any(axis=1))
    maybe = np.flatnonzero((hips < SEATED_BELOW_RATIO * 1.2 * rest[body]) & can_sit[body])
    if len(maybe):
        spheres, mine = _spheres(flesh, whole[maybe]), np.tile(sits[body[maybe]], 2)
        above = clearance_above_tops(take, spheres.centres, spheres.radii, mine, times[maybe])
        under = np.where(mine, spheres.low, np.inf).min(axis=1) - floor[maybe]
        found[maybe] = np.maximum(np.minimum(above, under), 0.0)
    return found


def _hip_height(rest: Array) -> float:
    """Return m from the lowest joint of a skeleton at rest up to its root."""
    return float(rest[0, 2] - rest[:, 2].min())


def measure_clearance(take: Take, clock: AuditClock, track: PosedRows, rows: FleshRows, findings: Findings) -> None:
    """Measure hovering and sitting of these rows of whole characters, with what was kept of their flesh."""
    linked = link_rows(track.who, track.frame, track.footed)
    clearance = np.where(track.footed & np.isfinite(rows.clearance), rows.clearance, 0.0)
    _measure_hover(clock, track, findings, linked, clearance)
    rest = np.array([_hip_height(body.skeleton.rest_positions) for body in take.bodies])[take.characters.body]
    rest = rest * take.characters.scale.astype(np.float64)
    behind = np.linalg.norm(track.points[..., :2] - track.root[:, None, :2], axis=-1).min(axis=1)
    seated = track.footed & (track.root[:, 2] - rows.floor < SEATED_BELOW_RATIO * rest[track.who])
    seated &= np.nan_to_num(behind) > SEATED_BEHIND_RATIO * rest[track.who]
    starts, stops = split_runs(seated, linked)
    long = stops - starts >= MIN_SEATED_S * clock.fps
    starts, stops = starts[long], stops[long]
    if not len(starts):
        return
    gap = np.where(seated & np.isfinite(rows.seat_gap), rows.seat_gap, np.inf)
    least = np.minimum.reduceat(np.append(gap, np.inf), np.column_stack([starts, stops]).ravel())[::2]
    least = np.where(np.isfinite(least), least, 0.0)
    findings.offer(
        "floor.max_seat_gap_m",
        least,
        who=track.who[starts],
        times=track.times[starts],
        places=track.root[starts],
        least=1e-3,
        words=lambda i: ("", f"sits on air, {least[i] * 100:.1f} cm above whatever is under it"),
    )


def _measure_hover(
    clock: AuditClock, track: PosedRows, findings: Findings, linked: BoolArray, clearance: Array
) -> None:
    hover = rolling_least(clearance, linked, int(np.ceil(FLIGHT_S * clock.fps - 1e-6)))
    findings.offer(
        "floor.max_hover_m",
        np.maximum(hover, 0.0),
        who=track.who,
        times=track.times,
        places=track.root,
        least=HOVER_OVER_M,
        words=lambda i: ("", f"hovers {hover[i] * 100:.1f} cm above whatever is under it"),
    )
    starts, stops = split_runs(clearance > HOVER_OVER_M, linked)
    seconds = (stops - starts) / clock.fps
    findings.offer(
        "floor.max_hover_s",
        seconds,
        who=track.who[starts],
        times=track.times[starts],
        places=track.root[starts],
        least=FLIGHT_S,
        words=lambda i: ("", f"is in the air for {seconds[i]:.2f} s"),
    )


def split_runs(flags: BoolArray, linked: BoolArray) -> tuple[IntArray, IntArray]:
    """Return starts and stops of runs of flagged rows, cut where a row is not linked to the next."""
    R = len(flags)
    cuts = np.flatnonzero(flags[:-1] & flags[1:] & ~linked[:-1]) + 1
    starts, stops = find_runs(flags)
    return np.sort(np.concatenate([starts, cuts])), np.sort(np.concatenate([stops, cuts])) if R else stops


def rolling_least(values: Array, linked: BoolArray, steps: int) -> Array:
    """Return [R] the least of a row and the `steps` rows after it; 0 where they are not all linked.

    By doubling: the least over 2 n rows is that of two stretches of n.
    """
    least, done = np.array(values), 0
    breaks = np.concatenate([[0], np.cumsum(~linked)])
    R = len(values)
    while done < steps:
        more = min(done + 1, steps - done)
        least[: R - more] = np.minimum(least[: R - more], least[more:])
        done += more
    row = np.arange(R)
    whole = row + steps < R
    whole[whole] = breaks[row[whole] + steps] == breaks[row[whole]]
    return np.where(whole, least, 0.0)


def flesh_figures(findings: Findings) -> dict[str, float]:
    """Return what was measured, as part of the topic floor."""
    names = ("max_flesh_penetration_m", "max_hover_m", "max_hover_s", "max_seat_gap_m")
    return findings.largest_of("floor", *names)
