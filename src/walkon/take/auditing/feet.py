"""Feet: do planted points stand still, are they on their support, do legs reach, and what a stranger would see.

*Labelled.* Where the take says that a heel or ball is planted at two neighbouring frames of one contact,

    slide = |Δp_xy| fps  (m/s),      drift = |p_xy − p_xy at the first frame of this contact|  (m).

Contacts in pieces are one, see `playing`.

*Unlabelled.* No label is asked: a point counts between two frames where it is within `NEAR` of its support at both and
moves (in space) slower than `SLOW`, for at least `SHORTEST` without a break. A foot that glides slowly counts as
planted here whatever the labels say; so does, for a while, a foot that rolls on or off, which is why raw capture is the
yardstick and not zero.

*Skating.* Someone travels faster than `TRAVELS` with a foot on the ground, but none of the points near their support is
slower than `GRIPS` times the root (or `SLOW`), for over `GLIDES` seconds: that body does not walk, whatever it says.
Between the feet of a jog there is nothing on the ground, and no foot lands and lifts without a moment of rest.

The support is the stage's floor, or the height that the clip's own contact has where it is raised (a stair) and the
stage has something of that height there, see `supports`.
"""

from typing import Any

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.motion.skeleton import FOOT_CONTACTS, SIDES
from walkon.take.auditing.findings import Findings, Histogram
from walkon.take.auditing.playing import clip_frames, held_points, playing, stances_of
from walkon.take.auditing.reposing import PosedRows, joined
from walkon.take.auditing.supports import Supports
from walkon.take.clips import foot_runs
from walkon.take.take import Take

__all__ = ["GLIDES", "GRIPS", "NEAR", "SHORTEST", "SLOW", "TRAVELS", "FootMeasure"]

NEAR = 0.05
"""m from its support within which a point may be planted, where no label is asked."""
SLOW = 0.2
"""m/s below which it may be."""
SHORTEST = 0.1
"""s for which it must be."""
TRAVELS = 0.5
"""m/s of the root over which somebody must step or skate."""
GRIPS = 0.3
"""Share of the root's speed under which a point on the ground does not skate."""
GLIDES = 0.2
"""s for which nothing may grip."""
POINTS = tuple(name.replace("_", " ") for name in FOOT_CONTACTS)


class FootMeasure:
    """Measures feet, batch after batch of whole characters.

    With `own_supports` the heights that clips give their contacts are believed, as of clips that are played raw.
    """

    def __init__(self, take: Take, fps: float, findings: Findings, *, own_supports: bool = False) -> None:
        self.take, self.fps, self.findings = take, fps, findings
        self.slide, self.unlabelled = Histogram(), Histogram()
        self.swing_sunk = self.off_plant = 0.0
        self.bodies = self.planted_bodies = self.unlabelled_bodies = 0
        self._raised = _raised_heights(take)
        self._tops = None if own_supports else Supports(take)

    def add(self, track: PosedRows) -> None:
        """Measure these rows."""
        if not track.footed.any():
            return
        down = track.contacts & track.footed[:, None]
        next_to = joined(track) & track.footed
        stance = stances_of(self.take, track)
        held = held_points(self.take, track, down, next_to=next_to, stance=stance, fps=self.fps)
        support = self._supports(track, down, held)
        step = np.zeros((*down.shape, 3))
        step[:-1] = (track.points[1:] - track.points[:-1]) * self.fps
        self._labelled(track, held, step)
        self._unlabelled(track, next_to, support, step)
        self._skating(track, next_to, support, step)
        self._floor(track, down, support)
        self._legs(track, down, stance)
        self.bodies += int(track.footed.sum())
        self.planted_bodies += int(down.any(axis=1).sum())

    def _supports(self, track: PosedRows, down: BoolArray, held: BoolArray) -> Array:
        """Return [R, 4] m, the height on which each point rests or would rest."""
        ground = np.where(np.isfinite(track.points[..., :2]), track.points[..., :2], 0.0)
        support = np.array(self.take.stage.floor(ground)[0])
        if self._raised is None:
            return support
        s, rows = self.take.segments, self.take.clips.rows
        now = playing(self.take, track.segment, track.times)
        clip = np.where((now.weight < 0.5) & (now.old_clip >= 0), now.old_clip, now.clip)
        u = np.where((now.weight < 0.5) & (now.old_clip >= 0), now.old_u, now.u)
        plays = clip >= 0
        lift = np.zeros(down.shape)
        lift[plays] = self._raised[clip_frames(self.take, clip[plays], u[plays])]
        body = self.take.characters.body[track.who]
        ratio = self.take.score.rigs.heights[body, rows.skeleton[np.maximum(clip, 0)]]
        size = self.take.characters.scale[track.who] * ratio
        raised = s.place[track.segment, 3, None] + size[:, None] * lift
        for point in range(4):
            # A contact has one support: where its clip's frames disagree at its ends, the highest or deepest counts.
            run = np.cumsum(np.concatenate([[True], ~held[:-1, point]])) - 1
            starts = np.flatnonzero(np.diff(run, prepend=-1))
            size_of = np.maximum.reduceat(np.abs(lift[:, point]), starts)[run]
            best = np.maximum.reduceat(np.where(np.abs(lift[:, point]) >= size_of, raised[:, point], -np.inf), starts)
            believed = down[:, point] & (size_of > 0)
            if self._tops is not None:
                k = np.flatnonzero(believed)
                there = self._tops.have(track.points[k, point, :2], best[run[k]], track.times[k])
                believed[k[~there]] = False
            support[:, point] = np.where(believed, best[run], support[:, point])
        return support

    def _labelled(self, track: PosedRows, held: BoolArray, step: Array) -> None:
        row, point = np.nonzero(held)
        speed = np.hypot(step[row, point, 0], step[row, point, 1])
        self.slide.add(speed)
        self.findings.over_time("worst_slide_m_s", track.frame[row], speed, np.maximum)
        who, times, places = track.who[row], track.times[row], track.points[row, point]
        self.findings.offer(
            "foot_slide.max_m_s",
            speed,
            who=who,
            times=times,
            places=places,
            least=1e-4,
            words=lambda i: (POINTS[point[i]], f"slides the planted {POINTS[point[i]]} at {speed[i] * 100:.2f} cm/s"),
        )
        for p in range(4):
            index = np.arange(len(held))
            fresh = np.concatenate([[True], ~held[:-1, p]])
            home = np.maximum.accumulate(np.where(fresh, index, 0))
            away = np.linalg.norm(track.points[:, p, :2] - track.points[home, p, :2], axis=1)
            away = np.where(home < index, away, 0.0)
            self.findings.offer(
                "foot_slide.max_drift_m",
                away,
                who=track.who,
                times=track.times,
                places=track.points[:, p],
                least=1e-4,
                words=lambda i, p=p, away=away: (  # type: ignore[misc]
                    POINTS[p],
                    f"has the planted {POINTS[p]} {away[i] * 1e3:.1f} mm from where it came down",
                ),
            )

    def _unlabelled(self, track: PosedRows, next_to: BoolArray, support: Array, step: Array) -> None:
        near = np.asarray(np.abs(track.points[..., 2] - support) <= NEAR)
        still = np.zeros(near.shape, bool)
        still[:-1] = near[:-1] & near[1:] & next_to[:-1, None]
        still[np.linalg.norm(step, axis=-1) >= SLOW] = False
        enough = int(np.ceil(SHORTEST * self.fps - 1e-6))
        for p in range(4):
            fresh = np.concatenate([[True], still[1:, p] != still[:-1, p]])
            starts = np.flatnonzero(fresh)
            length = np.diff(np.append(starts, len(still)))
            still[:, p] &= (length >= enough)[np.cumsum(fresh) - 1]
        speed = np.hypot(step[..., 0], step[..., 1])
        self.unlabelled.add(speed, still)
        rests: BoolArray = np.asarray(still.any(axis=1))
        rests[1:] |= rests[:-1] & next_to[:-1]
        self.unlabelled_bodies += int((rests & track.footed).sum())
        row, point = np.nonzero(still)
        pace = speed[row, point]
        self.findings.offer(
            "foot_slide.unlabelled_max_m_s",
            pace,
            who=track.who[row],
            times=track.times[row],
            places=track.points[row, point],
            least=1e-3,
            words=lambda i: (
                POINTS[point[i]],
                f"slides the {POINTS[point[i]]} along its support at {pace[i] * 100:.2f} cm/s, whatever its label",
            ),
        )

    def _skating(self, track: PosedRows, next_to: BoolArray, support: Array, step: Array) -> None:
        near = np.asarray(np.abs(track.points[..., 2] - support) <= NEAR)
        travel = np.zeros(len(near))
        travel[:-1] = np.hypot(*np.diff(track.root[:, :2], axis=0).T) * self.fps
        pace = np.linalg.norm(step, axis=-1)
        grips = near & (pace < np.maximum(GRIPS * travel, SLOW)[:, None])
        skates = next_to & (travel > TRAVELS) & near.any(axis=1) & ~grips.any(axis=1)
        starts, length = _runs(skates)
        seconds = length / self.fps
        seconds[seconds <= GLIDES] = 0.0
        self.findings.offer(
            "foot_slide.max_skating_s",
            seconds,
            who=track.who[starts],
            times=track.times[starts],
            places=track.root[starts] * [1.0, 1.0, 0.0],
            least=GLIDES,
            words=lambda i: (
                "feet",
                f"skates for {seconds[i]:.2f} s: travels at {travel[starts[i]]:.2f} m/s with no foot at rest",
            ),
        )

    def _floor(self, track: PosedRows, down: BoolArray, support: Array) -> None:
        above = track.points[..., 2] - support
        row, point = np.nonzero(down)
        for figure, sign, what in (("max_penetration_m", -1.0, "below"), ("max_float_m", 1.0, "above")):
            off = sign * above[row, point]
            self.findings.offer(
                f"floor.{figure}",
                off,
                who=track.who[row],
                times=track.times[row],
                places=track.points[row, point],
                least=1e-4,
                words=lambda i, off=off, what=what: (  # type: ignore[misc]
                    POINTS[point[i]],
                    f"has the planted {POINTS[point[i]]} {off[i] * 1e3:.1f} mm {what} its support",
                ),
            )
        swing = track.footed[:, None] & ~down
        self.swing_sunk = max(self.swing_sunk, float((-above[swing]).max(initial=0.0)))

    def _legs(self, track: PosedRows, down: BoolArray, stance: IntArray) -> None:
        steps = self.take.score.steps
        short = np.where(track.footed[:, None], track.missed, 0.0)
        worst = short.max(axis=1)
        self.findings.offer(
            "legs.max_missed_m",
            worst,
            who=track.who,
            times=track.times,
            places=track.root,
            least=1e-4,
            words=lambda i: (
                f"{SIDES[int(short[i].argmax())]} leg",
                f"has the {SIDES[int(short[i].argmax())]} leg {worst[i] * 1e3:.1f} mm too short for its plant",
            ),
        )
        if not len(steps.start):
            return
        for point in range(4):
            place = steps.ball_place if point % 2 else steps.heel_place
            k = stance[:, point // 2]
            on = down[:, point] & (k >= 0)
            off = np.linalg.norm(track.points[on, point] - place[k[on]], axis=1)
            self.off_plant = max(self.off_plant, float(off.max(initial=0.0)))

    def figures(self) -> dict[str, dict[str, Any]]:
        """Return what was measured: foot_slide, floor, legs."""
        bodies, largest = max(self.bodies, 1), self.findings.largest
        return {
            "foot_slide": {
                "mean_m_s": self.slide.mean,
                "p95_m_s": self.slide.percentile(95),
                "max_m_s": self.slide.largest,
                "max_drift_m": largest("foot_slide.max_drift_m"),
                "planted_share": self.planted_bodies / bodies,
                "unlabelled_mean_m_s": self.unlabelled.mean,
                "unlabelled_p95_m_s": self.unlabelled.percentile(95),
                "unlabelled_max_m_s": self.unlabelled.largest,
                "unlabelled_planted_share": self.unlabelled_bodies / bodies,
                "max_skating_s": largest("foot_slide.max_skating_s"),
            },
            "floor": {
                "max_penetration_m": largest("floor.max_penetration_m"),
                "max_float_m": largest("floor.max_float_m"),
                "max_swing_penetration_m": self.swing_sunk,
            },
            "legs": {"max_missed_m": largest("legs.max_missed_m"), "max_off_plant_m": self.off_plant},
        }


def _runs(flags: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the first rows and the lengths of stretches of flagged rows."""
    edges = np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8))
    starts = np.flatnonzero(edges > 0)
    return starts, np.flatnonzero(edges < 0) - starts


def _raised_heights(take: Take) -> Array | None:
    """Return [F, 4] m, support heights of the clips' frames where they are raised and 0 elsewhere; None without any."""
    runs = foot_runs(take.clips, take.skeletons)
    raised = runs.rows(np.abs(runs.height) > 1e-6)
    if not len(raised):
        return None
    heights = np.zeros((len(take.clips.roots), 4))
    length = raised.stop - raised.start
    row = np.repeat(np.arange(len(raised)), length)
    first = take.clips.rows.first_frame[raised.clip] + raised.start
    frame = first[row] + np.arange(len(row)) - np.repeat(np.cumsum(length) - length, length)
    heights[frame, raised.point[row]] = raised.height[row]
    return heights
