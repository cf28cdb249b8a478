"""Distances between all frames and their local minima, beside a plain blocked matrix-product form of the same sum.

    python -m benchmarks.distance [--quick]

Data: the CMU clips at 30 frames/s and their mirror images, taken in order, repeated from the start where there are not
enough, the last one cut (without the CMU clips: the built-in library in the same way). Tapered windows of 10 frames.
A pair is an ordered pair of windows; ours finds the minima of all of them under the default threshold, the plain form
only fills blocks of distances and drops them. Both use all processors. `--quick` leaves out the 100,000 frames.
"""

import resource
import sys
from dataclasses import replace

import numpy as np

from benchmarks.measuring import RUNS, best, calibrate, clips_folder

SIZES = (2_000, 6_000, 20_000, 100_000)
SIDE_BY_SIDE = 6_000
BLOCK = 256
FAIRMOTION_S = 4.7e-3
"""Seconds per comparison of two frames in fairmotion 0.0.4, another metric for the same purpose."""


def all_frames():
    """Return the frames of all clips and their mirror images, and a line that says what they are."""
    from walkon.capture import build_library, builtin_library
    from walkon.graphs import FrameSet
    from walkon.motion.library import Library
    from walkon.motion.mirroring import mirror

    try:
        library, kind = build_library(clips_folder()).library, "CMU clips"
    except SystemExit:
        library, kind = builtin_library(), "clips of the built-in library"
    images = [replace(mirror(clip), name=f"{clip.name} mirrored") for clip in library]
    frames = FrameSet.of(Library.of([*library, *images]))
    return frames, f"{len(library)} {kind} and their mirror images, {len(frames)} frames at {frames.rate:g} frames/s"


def first_frames(frames, count: int):
    """Return `count` frames: clips in order, from the first again where there are not enough, the last one cut."""
    lengths = frames.stops - frames.starts
    rounds = -(-count // len(frames))
    stops = np.minimum(np.cumsum(np.tile(lengths, rounds)), count)
    stops = stops[: int(np.searchsorted(stops, count)) + 1]
    flat = {name: getattr(frames, name) for name in ("times", "points", "centroids", "speeds")}
    return replace(
        frames,
        names=tuple(f"{name} {r}" for r in range(rounds) for name in frames.names)[: len(stops)],
        starts=np.concatenate([[0], stops[:-1]]),
        stops=stops,
        **{name: np.concatenate([value] * rounds)[:count] for name, value in flat.items()},
    )


def windows_of(frames) -> tuple[np.ndarray, np.ndarray]:
    """Return all windows as weighted, centred clouds in float32: on the floor (complex), and heights."""
    k = frames.length
    spans = zip(frames.starts, frames.window_stops, strict=True)
    every = np.concatenate([np.arange(start, stop) for start, stop in spans])[:, None] + np.arange(k)
    root = np.sqrt(np.outer(frames.taper, frames.weights))
    ground = frames.points[..., 0] + 1j * frames.points[..., 1]
    paths = (frames.centroids[:, 0] + 1j * frames.centroids[:, 1])[every]
    paths -= (paths * frames.taper).sum(axis=1, keepdims=True)
    ground = ((ground[every] + paths[..., None]) * root).reshape(len(every), -1).astype(np.complex64)
    heights = ((frames.points[..., 2] - frames.rest_heights)[every] * root).reshape(len(every), -1).astype(np.float32)
    return ground, heights


def plain(frames):
    """Return a function that computes all distances, block by block: three products over k P points each."""
    ground, heights = windows_of(frames)
    turned = np.concatenate([-ground.imag, ground.real], axis=1).T.copy()
    right = np.concatenate([ground.real, ground.imag], axis=1).T.copy()
    left, up = right.T.copy(), heights.T.copy()
    energies = (left**2).sum(axis=1) + (heights**2).sum(axis=1)
    n = len(energies)
    c, s, y = (np.empty((BLOCK, n), np.float32) for _ in range(3))

    def work() -> None:
        for a in range(0, n, BLOCK):
            m = min(BLOCK, n - a)
            np.matmul(left[a : a + m], right, out=c[:m])
            np.matmul(left[a : a + m], turned, out=s[:m])
            np.matmul(heights[a : a + m], up, out=y[:m])
            for row in range(0, m, 8):  # the rest in pieces that stay in the cache
                part = slice(row, min(row + 8, m))
                cc, ss, yy = c[part], s[part], y[part]
                np.multiply(cc, cc, out=cc)
                np.multiply(ss, ss, out=ss)
                cc += ss
                np.sqrt(cc, out=cc)
                yy += cc
                yy *= -2.0
                yy += energies
                yy += energies[a : a + m][part, None]
                np.maximum(yy, 0.0, out=yy)
                np.sqrt(yy, out=yy)

    return work, y


def worst_error(frames) -> tuple[float, float]:
    """Return the largest error against float64 in metres: at distances over 5 mm, and anywhere."""
    from walkon.graphs.frame_distance import align, distance_matrix

    rng, far, near = np.random.default_rng(0), 0.0, 0.0
    for clips in zip(rng.integers(0, len(frames.names), 20), rng.integers(0, len(frames.names), 20), strict=True):
        for pair in (clips, (clips[0], clips[0])):
            matrix = distance_matrix(frames, (int(pair[0]), int(pair[1])))
            known = np.argwhere(np.isfinite(matrix))
            if len(known) == 0:
                continue
            some = known[rng.integers(0, len(known), 500)]
            exact = align(frames, some + frames.starts[list(pair)]).distances
            error = np.abs(matrix[tuple(some.T)] - exact)
            near = max(near, float(error.max()))
            far = max(far, float(error[exact > 5e-3].max(initial=0.0)))
    return far, near


def main() -> None:
    from walkon.graphs import default_threshold, find_minima, typical_distance

    calibrate()
    every, told = all_frames()
    print(told)
    threshold = default_threshold(every)
    print(f"typical distance {100 * typical_distance(every):.2f} cm, default threshold {100 * threshold:.2f} cm")
    far, near = worst_error(every)
    print(f"largest error against float64: {1e3 * far:.4f} mm over 5 mm of distance, {1e3 * near:.3f} mm anywhere")

    frames = first_frames(every, SIDE_BY_SIDE)
    frames.operands  # noqa: B018
    work, _ = plain(frames)
    ours, theirs = [], []
    for _ in range(RUNS):  # by turns, so that both see the same machine
        ours.append(best(lambda: find_minima(frames, threshold=threshold), runs=1))
        theirs.append(best(work, runs=1))
    one, other = min(ours), min(theirs)
    print(f"\n{SIDE_BY_SIDE} frames: distances and minima {one:.3f} s, plain matrix products {other:.3f} s, ", end="")
    print(f"ratio {one / other:.2f} (asked for: at most 1.2)")
    print("a trial of the plain form with uniform weights on such a machine: 0.56 s; a paper of 2002: 25 minutes")
    print(f"fairmotion would need about {FAIRMOTION_S * SIDE_BY_SIDE**2 / 3600:.0f} h (4.7 ms a pair, extrapolated)")

    print("\n frames   clips          pairs      s   ns per pair  million pairs/s    minima  peak memory GB")
    for size in SIZES[: -1 if "--quick" in sys.argv else None]:
        frames = first_frames(every, size)
        frames.operands  # noqa: B018
        kept: list[object] = []
        seconds = best(
            lambda frames=frames, kept=kept: kept.append(len(find_minima(frames, threshold=threshold))),
            runs=RUNS if size < 50_000 else 1,
        )
        pairs = int((frames.window_stops - frames.starts).sum()) ** 2
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(f"{size:7d} {len(frames.names):7d} {pairs:14d} {seconds:6.2f} {seconds / pairs * 1e9:13.2f}", end="")
        print(f" {pairs / seconds / 1e6:16.0f} {kept[-1]:9d} {memory:15.2f}")
    print("peak memory is that of the whole process, with the library; asked for: under 4 GB")


if __name__ == "__main__":
    main()
