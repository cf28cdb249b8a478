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
of it from both feet, for `MIN_SEATED_S`, would fall: the hips must rest on something. They are a ball between the upper
ends of the thighs (c and r their means): weight that rests beside it is tipped over, and knees on a seat bear nothing.
Who is seated presses that flesh in by `YIELD_RATIO` of its radius, so the gap to a top or to the floor at h is

    gap = c_z − (1 − `YIELD_RATIO`) r − h         metres, 0 where c_z − r touches it                            (3)

and the least of a stretch counts, of its frames in which the root is slower than `SITTING_UNDER_M_S` if there are any:
who sits down or gets up passes over more than it sits on. *Facing.* Seats say which way one faces on them; who is
seated on one is off by the angle from there to the heading of the hips, the least of a stretch.

World frame, metres.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.motion.contacts.runs import find_runs
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.meetings.bodies import Flesh
from walkon.take.auditing.meetings.solids import YIELD_RATIO
from walkon.take.auditing.meetings.supports import SEAT_RADIUS_M
from walkon.take.auditing.meetings.tops import clearance_above_tops
from walkon.take.auditing.reposing import AuditClock, PosedRows, Reposed, link_rows
from walkon.take.take import Take
from walkon.transforms import angles

__all__ = [
    "FLIGHT_S",
    "HOVER_OVER_M",
    "LOW_BAND_M",
    "MIN_SEATED_S",
    "SEATED_BEHIND_RATIO",
    "SEATED_BELOW_RATIO",
    "SITTING_UNDER_M_S",
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
THIGHS = ("left_thigh", "right_thigh")
SITTING_UNDER_M_S = 0.1
"""m/s under which a root that is low is seated, and not on its way down or up."""
TOUCHING_WITHIN_M = 0.01
"""m over a top within which flesh touches it."""
ON_SEAT_WITHIN_M = 0.25
"""m from the height of a seat within which hips are on it."""
SOLE_BAND_M = 0.15
"""m above the lowest point of a body within which its flesh may rest on something."""


class FleshRows(NamedTuple):
    """What is kept of the flesh of R rows."""

    clearance: Array
    """[R] metres of the body above whatever is under it; NaN of discs and where there is no floor."""
    floor: Array
    """[R] metres, height of the floor under the lowest point."""
    seat_gap: Array
    """[R] metres of the hips above whatever is under them; infinite of bodies without."""
    seat: Array
    """[R] row of the stage's seat that the hips are on; NaN of those on none."""


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
    high = bodies.positions[whole, 0, 2] - floor
    kept.seat_gap[whole], kept.seat[whole] = _seat_gaps(take, body, flesh, whole, high, floor, times)
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
    take: Take, body: IntArray, flesh: Flesh, whole: IntArray, high: Array, floor: Array, times: Array
) -> tuple[Array, Array]:
    """Return [R] m from hips to what is under them, eq. (3), where they are low, infinite elsewhere; and whose seat."""
    thighs = np.full((len(take.bodies), len(THIGHS)), -1)
    for b, one in enumerate(take.bodies):
        if set(THIGHS) <= set(one.capsule_parts):
            thighs[b] = [one.capsule_parts.index(part) for part in THIGHS]
    rest = np.array([_hip_height(one.skeleton.rest_positions) for one in take.bodies])
    found, on_seat = np.full(len(whole), np.inf), np.full(len(whole), np.nan)
    maybe = np.flatnonzero((high < SEATED_BELOW_RATIO * 1.2 * rest[body]) & (thighs[body, 0] >= 0))
    if not len(maybe):
        return found, on_seat
    rows, parts = whole[maybe, None], thighs[body[maybe]]
    hips, radius = flesh.starts[rows, parts].mean(axis=1), flesh.radii[rows, parts, 0].mean(axis=1)
    pressed = hips + np.outer(YIELD_RATIO * radius, [0.0, 0.0, 1.0])
    wanted = np.ones((len(maybe), 1), bool)
    above = clearance_above_tops(take, pressed[:, None], radius[:, None], wanted, times[maybe])
    above[above <= YIELD_RATIO * radius + TOUCHING_WITHIN_M] = 0.0
    found[maybe] = np.minimum(above, np.maximum(hips[:, 2] - radius - floor[maybe], 0.0))
    if take.stage.seats:
        places = np.array([seat.place[:2] for seat in take.stage.seats])
        tops = np.array([seat.height for seat in take.stage.seats])
        away = np.linalg.norm(hips[:, None, :2] - places, axis=-1)
        nearest = away.argmin(axis=1)
        rise = np.abs((pressed[:, 2] - radius)[:, None] - tops)[np.arange(len(maybe)), nearest]
        on = (away.min(axis=1) <= SEAT_RADIUS_M + radius) & (rise <= ON_SEAT_WITHIN_M)
        on_seat[maybe] = np.where(on, nearest, np.nan)
    return found, on_seat


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
    step = np.zeros(len(linked))
    step[:-1] = np.where(linked[:-1], np.linalg.norm(np.diff(track.root, axis=0), axis=1) * clock.fps, 0.0)
    still = _least_of(np.where(step < SITTING_UNDER_M_S, gap, np.inf), starts, stops)
    least = np.where(np.isfinite(still), still, _least_of(gap, starts, stops))
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
    _measure_facing(take, track, findings, np.where(seated, rows.seat, np.nan), starts, stops)


def _least_of(values: Array, starts: IntArray, stops: IntArray) -> Array:
    """Return the least value of each run of rows."""
    ends = np.column_stack([starts, stops]).ravel()
    return np.asarray(np.minimum.reduceat(np.append(values, np.inf), ends)[::2])


def _measure_facing(
    take: Take, track: PosedRows, findings: Findings, seat: Array, starts: IntArray, stops: IntArray
) -> None:
    row = np.flatnonzero(np.isfinite(seat))
    if not len(row):
        return
    which = seat[row].astype(np.int64)
    ways = np.array([one.place[2] for one in take.stage.seats])[which]
    off = np.full(len(seat), np.inf)
    off[row] = np.degrees(np.abs(angles.difference(track.heading[row], ways)))
    least = _least_of(off, starts, stops)
    least = np.where(np.isfinite(least), least, 0.0)
    findings.offer(
        "floor.max_seat_off_deg",
        least,
        who=track.who[starts],
        times=track.times[starts],
        places=track.root[starts],
        least=1.0,
        words=lambda i: ("", f"sits {least[i]:.0f} degrees away from where its seat faces"),
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
    names = ("max_flesh_penetration_m", "max_hover_m", "max_hover_s", "max_seat_gap_m", "max_seat_off_deg")
    return findings.largest_of("floor", *names)
