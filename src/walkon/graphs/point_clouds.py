"""Point clouds over windows of frames: what the distance between two moments of motion is measured on.

All clips are sampled at one rate, and each sampled ("compared") frame is a cloud of P points, the places of joints. A
window is k frames in a row, about a third of a second; it carries velocities and accelerations into the comparison. A
point of joint p in frame t of the window weighs w = μ_p v_t, with Σ μ = Σ v = 1:

* μ: equal for all joints unless given. Points are the joints, without end sites, without fingers (what hangs
  below a wrist), and without joints that sit on their parent, which would count one place twice. A skeleton that has
  fewer than four of those (a bird, a lamp) lends its end sites as well.
* v: "triangular" (1 2 3 4 5 5 4 3 2 1 for k = 10) or "uniform". Both are one box of ones, or two convolved:
  v = 1_m ∗ 1_n / (m n), m + n − 1 = k. Both are symmetric, so the distance is as well.

Two layouts say where a window lies around its frame (Kovar 2002 section 3.1; Gleicher 2003 for the other):

    "kovar"    A_i … A_{i+k−1}  against  B_{j−k+1} … B_j:   the frames that a transition from A_i to B_j blends
    "centred"  A_{i−h} … A_{i+h} against B_{j−h} … B_{j+h},  k = 2h + 1

A frame whose window would run over an end of its clip has none. Metres, seconds, z up. Points are kept relative to
their frame's centroid on the floor, in float32, so that nothing is lost far away from the origin.

Reference: Kovar, Gleicher, Pighin 2002, "Motion Graphs", section 3.1.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from walkon._base.arrays import Array, IntArray, lock, lock_fields
from walkon._base.errors import InvalidValue, UnknownName
from walkon.graphs.point_cloud_rule import Operands
from walkon.motion.clip import Clip
from walkon.motion.editing import resample
from walkon.motion.kinematics import forward
from walkon.motion.library import Library
from walkon.motion.skeleton import SIDES, Skeleton

__all__ = [
    "FrameSet",
    "Layout",
    "Operands",
    "Taper",
    "compared_joints",
    "frames_around",
    "library_frames",
    "sample_clips",
]

Layout = Literal["kovar", "centred"]
Taper = Literal["triangular", "uniform"]

MAX_WINDOW_FRAMES = 200
"""The longest window, in frames."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FrameSet:
    """F compared frames of N clips, ready to be compared with each other. Make it with `FrameSet.of(library)`."""

    names: tuple[str, ...]
    """[N] the clips."""
    starts: IntArray
    """[N] first compared frame of each clip."""
    stops: IntArray
    """[N] compared frame after the last one of each clip."""
    times: Array
    """[F] seconds in its clip, for each compared frame."""
    rate: float
    """Compared frames per second."""
    joints: tuple[str, ...]
    """[P] names of the joints that are the points."""
    weights: Array
    """[P] μ, the weight of each joint; they sum to 1."""
    boxes: tuple[int, int]
    """m and n: the window's weights are a box of m ones convolved with one of n."""
    layout: Layout
    points: NDArray[np.float32]
    """[F, P, 3] metres: x and y relative to the frame's centroid, z over the floor."""
    centroids: Array
    """[F, 2] metres, world: Σ μ p of each frame."""
    rest_heights: Array
    """[P] metres: heights of the points in the rest pose, over its lowest joint."""
    speeds: Array
    """[F] m/s along the floor, of the hips (of the root, where no joint has that role)."""

    def __post_init__(self) -> None:
        F, P, N = len(self.points), len(self.joints), len(self.names)
        shapes = {"times": (F,), "centroids": (F, 2), "speeds": (F,), "weights": (P,), "rest_heights": (P,)}
        for name, shape in shapes.items():
            lock(self, name, shape)
        lock(self, "points", (F, P, 3), np.float32)
        lock(self, "starts", (N,), np.int64)
        lock(self, "stops", (N,), np.int64)
        if self.length > MAX_WINDOW_FRAMES:
            raise InvalidValue(
                f"a window of {self.length} frames is longer than {MAX_WINDOW_FRAMES}; shorten the window or "
                "lower the rate"
            )

    @classmethod
    def of(
        cls,
        clips: Library | Sequence[Clip],
        *,
        rate: float = 30.0,
        window: float = 1 / 3,
        taper: Taper = "triangular",
        layout: Layout = "kovar",
        joint_weights: Mapping[str, float] | None = None,
    ) -> "FrameSet":
        """Sample clips of one skeleton and one rate at `rate` frames/s, with windows of `window` seconds.

        Where the clips' own rate is a multiple of `rate`, every n-th frame is taken; elsewhere clips are resampled.
        A window has round(window · rate) frames; in the centred layout the next odd number. `joint_weights` maps joint
        names or roles to weights: 1 is that of a joint not named, 0 leaves a joint out, and a named joint is a point
        even where it would not be one by itself. What is computed for a clip does not depend on the others.
        """
        library = clips if isinstance(clips, Library) else Library.of(clips)
        for name, number, unit in (("rate", rate, "frames/s"), ("window", window, "s")):
            if not (np.isfinite(number) and number > 0):
                raise InvalidValue(f"the {name} must be positive, got {number} {unit}")
        for name, chosen, kinds in (("taper", taper, Taper), ("layout", layout, Layout)):
            if chosen not in get_args(kinds):
                raise InvalidValue(f"{name} must be one of {', '.join(map(repr, get_args(kinds)))}, got {chosen!r}")
        length = max(round(window * rate), 1)
        if layout == "centred":
            length += 1 - length % 2
        joints, weights = _points_and_weights(library.skeleton, joint_weights or {})
        parts: list[tuple[Array, Array, Array]] = []
        for clip_times, roots, rotations in sample_clips(library, rate):
            every = forward(library.skeleton, roots, rotations).positions
            parts.append((clip_times, every[:, joints], _speeds(library.skeleton, every, rate)))
        stops = np.cumsum([len(part) for part, _, _ in parts])
        times, places, speeds = (np.concatenate(part) for part in zip(*parts, strict=True))
        # Sums over points, not matrix products: their last bits would depend on how many frames there are.
        centroids = (places[..., :2] * weights[:, None]).sum(axis=1)
        places[..., :2] -= centroids[:, None]
        rest = library.skeleton.rest_positions[:, 2]
        return cls(
            names=library.names,
            starts=np.concatenate([[0], stops[:-1]]),
            stops=stops,
            times=times,
            rate=float(rate),
            joints=tuple(library.skeleton.names[j] for j in joints),
            weights=weights,
            boxes=((length + 1) // 2, length // 2 + 1) if taper == "triangular" else (length, 1),
            layout=layout,
            points=places.astype(np.float32),
            centroids=centroids,
            rest_heights=rest[joints] - rest.min(),
            speeds=speeds,
        )

    def __repr__(self) -> str:
        return (
            f"FrameSet({len(self)} frames of {len(self.names)} clips at {self.rate:g} frames/s, "
            f"{len(self.joints)} points, windows of {self.length} frames, {self.layout})"
        )

    def __len__(self) -> int:
        return len(self.points)

    @property
    def length(self) -> int:
        """Frames in a window, k."""
        return self.boxes[0] + self.boxes[1] - 1

    @cached_property
    def taper(self) -> Array:
        """[k] v, the weights of the frames of a window; they sum to 1."""
        m, n = self.boxes
        return np.convolve(np.ones(m), np.ones(n)) / (m * n)

    @property
    def leads(self) -> tuple[int, int]:
        """How many frames after the start of its window a frame lies: as the first of a pair, and as the second."""
        return (0, self.length - 1) if self.layout == "kovar" else (self.length // 2, self.length // 2)

    @cached_property
    def window_stops(self) -> IntArray:
        """[N] frame after the last one at which a window of each clip can begin; its start where the clip has none."""
        return np.maximum(self.stops - self.length + 1, self.starts)

    def clips_of(self, frames: ArrayLike) -> IntArray:
        """Return which clip each of these compared frames belongs to."""
        return np.searchsorted(self.stops, np.asarray(frames), side="right")

    def words(self, frame: int) -> str:
        """Return where a compared frame is, to be read."""
        return f"{self.times[frame]:.2f} s of {self.names[self.clips_of(frame)]!r}"

    @cached_property
    def operands(self) -> Operands:
        """The clouds in the form that distances are computed from; made on first use."""
        F, k = len(self), self.length
        root = np.sqrt(self.weights / np.prod(self.boxes))
        heights = self.points[..., 2] - self.rest_heights  # the same in both clouds: smaller numbers, better kept
        planar = self.points[..., :2].astype(np.float64)
        single = ((planar**2).sum(axis=2) + heights**2) * self.weights
        of_frames = single.sum(axis=1)
        means, energies = np.zeros((F, 2)), np.zeros(F)
        # Windows that run over the end of a clip are computed along, and used nowhere.
        count = max(F - k + 1, 0)
        for t, v in enumerate(self.taper):
            means[:count] += v * self.centroids[t : t + count]
            energies[:count] += v * of_frames[t : t + count]
        paths = np.zeros((F, 2 * (k + k % 2)))
        for t, v in enumerate(self.taper):
            away = self.centroids[t : t + count] - means[:count]
            paths[:count, 2 * t : 2 * t + 2] = np.sqrt(v) * away
            energies[:count] += v * (away**2).sum(axis=1)
        return lock_fields(
            Operands(
                planar=_pad_rows((planar * root[:, None]).reshape(F, -1)),
                heights=_pad_rows(heights * root),
                paths=_pad_rows(paths),
                energies=energies.astype(np.float32),
            )
        )


def sample_clips(library: Library, rate: float) -> Iterator[tuple[Array, Array, Array]]:
    """Yield times, roots and local rotations of each clip at `rate` frames/s, where possible of every n-th frame."""
    step = library.fps / rate
    whole = round(step) >= 1 and abs(step - round(step)) < 1e-9 * step
    for clip in library:
        sampled, every = (clip, round(step)) if whole else (resample(clip, rate), 1)
        yield sampled.times[::every], sampled.root_positions[::every], sampled.local_rotations[::every]


def library_frames(library: Library, frames: FrameSet) -> IntArray:
    """Return [F] the library's frame nearest to each compared frame."""
    clips = frames.clips_of(np.arange(len(frames)))
    nearest = library.starts[clips] + np.rint(frames.times * library.fps).astype(np.int64)
    return np.minimum(nearest, library.stops[clips] - 1)


def frames_around(starts: IntArray, stops: IntArray, reach: int) -> tuple[IntArray, IntArray]:
    """Return for every frame of clips, which lie end to end, those `reach` before it and after it in its own clip."""
    here = np.arange(stops[-1])
    clip = np.searchsorted(stops, here, side="right")
    return np.maximum(here - reach, starts[clip]), np.minimum(here + reach, stops[clip] - 1)


def compared_joints(skeleton: Skeleton) -> IntArray:
    """Return the joints that are points by default (see the top of this page)."""
    wrists = {skeleton.roles[f"{side}_wrist"] for side in SIDES if f"{side}_wrist" in skeleton.roles}
    below: set[int] = set()
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent in wrists or parent in below:
            below.add(joint)
    apart = np.linalg.norm(skeleton.offsets, axis=1) > 1e-3 * skeleton.reach
    apart[0] = True
    apart[sorted(below)] = False
    inner = np.flatnonzero(apart & ~skeleton.end_sites)
    return inner if len(inner) >= 4 else np.flatnonzero(apart)


def _points_and_weights(skeleton: Skeleton, given: Mapping[str, float]) -> tuple[IntArray, Array]:
    weights = dict.fromkeys(compared_joints(skeleton).tolist(), 1.0)
    for name, weight in given.items():
        UnknownName.check("joint or role", name, [*skeleton.roles, *skeleton.names])
        if not (np.isfinite(weight) and weight >= 0):
            raise InvalidValue(f"the weight of {name!r} must be 0 or more, got {weight}")
        weights[skeleton.index(name) if name in skeleton.names else skeleton.roles[name]] = float(weight)
    joints = sorted(joint for joint, weight in weights.items() if weight > 0)
    if not joints:
        raise InvalidValue("all joint weights are 0; give at least one joint a weight")
    values = np.array([weights[joint] for joint in joints])
    return np.array(joints), values / values.sum()


def _speeds(skeleton: Skeleton, places: Array, rate: float) -> Array:
    if len(places) < 2:
        return np.zeros(len(places))
    hips = places[:, skeleton.roles.get("hips", 0), :2]
    return np.linalg.norm(np.gradient(hips, axis=0), axis=1) * rate


def _pad_rows(values: Array) -> NDArray[np.float32]:
    """Return float32 rows with zeros up to a multiple of four."""
    return np.pad(values, ((0, 0), (0, -values.shape[1] % 4))).astype(np.float32)
