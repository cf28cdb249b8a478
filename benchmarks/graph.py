"""Motion graphs end to end: time to build, seams of all transitions, feet after locking, and endless walks.

    python -m benchmarks.graph [--json]

Data: the forward walks of CMU subject 69 and their mirror images (about 6,000 frames at 30 frames/s; left out where the
clips are missing), and the built-in library. Seams are velocity changes from frame to frame at 30 frames/s, all joints:
by how much a blend exceeds the larger of its two sources. "Locked" is the same after feet are planted, for a sample
of transitions with a second of motion around each. Windows are as long as a blend.
"""

import json
import sys
import time

import numpy as np

from benchmarks.measuring import RUNS, best, calibrate, clips_folder

FORWARD = ("69_01", "69_06", "69_13", "69_22", "69_24", "69_30", "69_31")
FAIRMOTION = "39.7 s for 46 nodes (fairmotion 0.0.4, another object: whole windows as nodes)"
PAPER = "about 25 minutes for 6,000 frames, on a 1.3 GHz Athlon"
LIMITS = {"build_s": 10.0, "p99_m_s": 0.25, "worst_m_s": 0.6, "drift_mm": 3.0}
SAMPLE = 3000
"""Transitions whose locked seams are measured."""


def walks_of_69():
    """Return the forward walks of subject 69 with their mirror images."""
    from walkon.capture.build import assemble
    from walkon.capture.recordings import find_recordings, import_recording

    entries = [entry for entry in find_recordings(clips_folder()) if entry.name in FORWARD]
    recordings = [recording for entry in entries for recording in import_recording(entry)]
    return assemble(recordings, mirrored=True).library


def percentiles(values: np.ndarray) -> dict[str, float]:
    values = values[np.isfinite(values)]
    p50, p99 = np.percentile(values, [50, 99])
    return {"p50_m_s": float(p50), "p99_m_s": float(p99), "worst_m_s": float(values.max())}


def seams(graph) -> dict[str, object]:
    """Measure all transitions as blends, and a sample of them with feet locked."""
    from walkon.graphs.build import frames_of
    from walkon.graphs.frame_distance import align
    from walkon.graphs.motion_graph import TRANSITION
    from walkon.graphs.thresholds import Recipe
    from walkon.graphs.transitions import ComparedMotion, blend_changes

    frames = frames_of(graph.library, Recipe.from_settings(graph.settings))
    motion = ComparedMotion.of(graph.library, frames)
    rows = np.flatnonzero(graph.edges.kind == TRANSITION)
    if len(rows) > 30_000:
        rows = np.sort(np.random.default_rng(0).choice(rows, 30_000, replace=False))
    nodes, k = graph.nodes, frames.length
    ends = [
        frames.starts[nodes.clip[n]] + np.rint(nodes.time[n] * frames.rate).astype(int)
        for n in (graph.edges.start[rows], graph.edges.stop[rows])
    ]
    pairs = np.stack(ends, axis=1)
    change, excess = blend_changes(motion, pairs, align(frames, pairs).poses)

    limit = np.nanpercentile(motion.own, 99.9)
    rough = np.nan_to_num((motion.own > limit).any(axis=1)).astype(np.int64)
    upto = np.concatenate([[0], np.cumsum(rough)])
    begins = np.concatenate([np.arange(a, b) for a, b in zip(frames.starts, frames.window_stops, strict=True)])
    untouched = (upto[begins + k] - upto[begins] > 0).mean()
    blended = (np.nan_to_num(change) > limit).any(axis=(1, 2)).mean()
    sources = [motion.own[pairs[:, 0, None] + np.arange(k)], motion.own[pairs[:, 1, None] - (k - 1) + np.arange(k)]]
    joined = np.mean([(np.nan_to_num(source) > limit).any(axis=(1, 2)).mean() for source in sources])

    some = np.sort(np.random.default_rng(1).choice(rows, min(SAMPLE, len(rows)), replace=False))
    locked = locked_excess(graph, motion, some)
    return {
        "transitions": len(rows),
        "per joint and frame": percentiles(excess),
        "worst joint of a frame": percentiles(np.nanmax(np.where(np.isnan(excess), -np.inf, excess), axis=2)),
        "clips_p99.9_m_s": float(limit),
        "windows_above_it": float(blended),
        "source_windows_above_it": float(joined),
        "untouched_windows_above_it": float(untouched),
        "locked_over": float((np.nan_to_num(locked, nan=-1.0).max(axis=(1, 2)) > LIMITS["worst_m_s"]).mean()),
        "locked, per joint and frame": percentiles(locked),
        "locked, worst joint of a frame": percentiles(np.nanmax(np.where(np.isnan(locked), -np.inf, locked), axis=2)),
    }


def locked_excess(graph, motion, rows: np.ndarray) -> np.ndarray:
    """Return [M, k, J] how far transitions exceed their sources once feet are planted, a second around each."""
    from walkon.graphs.walk_segments import walk_take
    from walkon.take.posing.posing import pose_pairs

    frames, k, rate = motion.frames, motion.frames.length, motion.frames.rate
    walks, begins = zip(*(_around(graph, int(row)) for row in rows), strict=True)
    take = walk_take(graph, walks)
    when = (np.array(begins)[:, None] + np.arange(-1, k + 1) / rate).ravel()
    poses = pose_pairs(take, np.repeat(np.arange(len(rows)), k + 2), when)
    x = poses.positions.reshape(len(rows), k + 2, -1, 3)
    mine = np.linalg.norm(x[:, 2:] - 2 * x[:, 1:-1] + x[:, :-2], axis=-1) * rate
    first, second = (
        frames.starts[graph.nodes.clip[n]] + np.rint(graph.nodes.time[n] * rate).astype(int)
        for n in (graph.edges.start[rows], graph.edges.stop[rows])
    )
    every = np.arange(k)
    source = np.fmax(motion.own[first[:, None] + every], motion.own[second[:, None] - (k - 1) + every])
    return mine - source


def _around(graph, row: int) -> tuple[list[int], float]:
    """Return a walk of pieces, this transition and pieces, and when the transition begins in it."""
    pieces = graph.edges.kind == 0
    walk, seconds, node = [row], 0.0, int(graph.edges.start[row])
    into = _into(graph)
    while seconds < 1.0 and into[node] >= 0:
        walk.insert(0, int(into[node]))
        seconds += float(graph.edges.duration[into[node]])
        node = int(graph.edges.start[into[node]])
    after, node = 0.0, int(graph.edges.stop[row])
    while after < 1.0 and pieces[graph.out_first[node]] and graph.edges.start[graph.out_first[node]] == node:
        edge = int(graph.out_first[node])
        walk.append(edge)
        after += float(graph.edges.duration[edge])
        node = int(graph.edges.stop[edge])
    return walk, seconds


def _into(graph, cache: dict[int, np.ndarray] = {}) -> np.ndarray:  # noqa: B006
    """Return [N] the piece that leads into each node, or −1."""
    if id(graph) not in cache:
        into = np.full(len(graph.nodes), -1)
        rows = np.flatnonzero(graph.edges.kind == 0)
        into[graph.edges.stop[rows]] = rows
        cache[id(graph)] = into
    return cache[id(graph)]


def feet(graph, *, walks: int = 40, seconds: float = 30.0) -> dict[str, float]:
    """Let random walks play and measure what planted feet do, and what it takes to hold them."""
    from walkon.graphs.random_walks import random_walks
    from walkon.graphs.walk_segments import walk_take
    from walkon.motion.contacts.runs import find_runs
    from walkon.take.posing.posing import pose_pairs
    from walkon.transforms import quaternions as quat

    rng = np.random.default_rng(2)
    found = random_walks(graph, rng, starts=rng.integers(0, len(graph.nodes), walks), duration=seconds)
    begun = time.perf_counter()
    take = walk_take(graph, found)
    planted_s = time.perf_counter() - begun
    T = int(seconds * 60)
    who, when = np.repeat(np.arange(walks), T), np.tile(np.arange(T) / 60, walks)
    begun = time.perf_counter()
    locked = pose_pairs(take, who, when)
    posed_s = time.perf_counter() - begun
    bare = pose_pairs(take, who, when, legs=False)
    skeleton = graph.library.skeleton
    joints, offsets = skeleton.contact_joints[:4], skeleton.contact_offsets[:4]
    points = locked.positions[:, joints] + quat.rotate(locked.rotations[:, joints], offsets)
    raw = bare.positions[:, joints] + quat.rotate(bare.rotations[:, joints], offsets)
    drifts, before = [], []
    for c in range(4):
        for start, stop in zip(*find_runs(locked.contacts[:, c] & (when > 0)), strict=True):
            for places, told in ((points, drifts), (raw, before)):
                part = places[start:stop, c]
                told.append(float(np.linalg.norm(part - np.median(part, axis=0), axis=1).max()))
    knees = [skeleton.role("left_knee"), skeleton.role("right_knee")]
    bend = np.degrees(quat.angle_between(locked.local_rotations[:, knees], bare.local_rotations[:, knees]))
    jumps = sum(int((graph.edges.kind[walk] == 1).sum()) for walk in found)
    return {
        "walks": walks,
        "seconds_each": seconds,
        "transitions_per_s": jumps / (walks * seconds),
        "drift_mm": 1e3 * max(drifts),
        "drift_before_lock_p95_mm": 1e3 * float(np.percentile(before, 95)),
        "planted_share": float(locked.contacts.any(axis=1).mean()),
        "root_mm": 1e3 * float(np.linalg.norm(locked.positions[:, 0] - bare.positions[:, 0], axis=1).max()),
        "knee_p99_deg": float(np.percentile(bend, 99)),
        "knee_deg": float(bend.max()),
        "missed_mm": 1e3 * float(locked.missed.max()),
        "plan_to_take_times_real_time": walks * seconds / planted_s,
        "posing_times_real_time": walks * seconds / posed_s,
    }


def endless(graph) -> dict[str, object]:
    """Say that motion goes on from every edge, and follow it for ten minutes from a sample."""
    from walkon.graphs.components import components_of
    from walkon.graphs.random_walks import random_walks

    parts = components_of(len(graph.nodes), graph.edges.start, graph.edges.stop, graph.edges.duration)
    rng = np.random.default_rng(3)
    some = rng.choice(len(graph.edges), min(500, len(graph.edges)), replace=False)
    walks = random_walks(graph, rng, starts=graph.edges.stop[some], duration=600.0)
    shortest = min(float(graph.edges.duration[walk].sum()) for walk in walks)
    return {
        "components": len(parts.seconds),
        "edges_that_lead_on": float((graph.out_degree[graph.edges.stop] > 0).mean()),
        "walked_from": len(some),
        "shortest_s": shortest,
    }


def measured(name: str, library) -> dict[str, object]:
    from walkon.graphs.build import build_graph
    from walkon.motion.library import Library

    frames = int(sum((library.stops - library.starts - 1) // 2 + 1))
    kept: list = []
    seconds = best(lambda: kept.append(build_graph(library)), runs=RUNS)
    graph = kept[-1]
    growth = {}
    for share in (4, 2):
        # Every second or fourth clip, with the long ones in each.
        part = Library.of([library[i] for i in range(0, len(library), share)])
        count = int(sum((part.stops - part.starts - 1) // 2 + 1))
        growth[count] = best(lambda part=part: build_graph(part), runs=2)
    growth[frames] = seconds
    return {
        "library": name,
        "frames_at_30": frames,
        "graph": repr(graph),
        "threshold_cm": 100 * graph.settings["threshold"],
        "share": graph.seconds / library.duration,
        "build_s": seconds,
        "build_s_by_frames": growth,
        "seams": seams(graph),
        "feet": feet(graph),
        "endless": endless(graph),
    }


def main() -> None:
    from walkon.capture import builtin_library

    libraries = []
    try:
        libraries.append(("CMU subject 69, forward walks and mirror images", walks_of_69()))
    except SystemExit as reason:
        print(reason, file=sys.stderr)
    libraries.append(("built-in library", builtin_library()))
    if "--json" not in sys.argv:
        calibrate()
    told = [measured(name, library) for name, library in libraries]
    if "--json" in sys.argv:
        print(json.dumps(told, indent=2))
        return
    for row in told:
        print(f"\n{row['library']}: {row['frames_at_30']} frames at 30/s\n  {row['graph']}")
        print(f"  threshold {row['threshold_cm']:.2f} cm, {row['share']:.1%} of the motion in the graph")
        print(f"  built in {row['build_s']:.2f} s (asked for 6,000 frames: {LIMITS['build_s']:g} s)")
        print("  by frames: " + ", ".join(f"{n}: {s:.2f} s" for n, s in row["build_s_by_frames"].items()))
        s = row["seams"]
        print(
            f"  transitions that exceed {LIMITS['worst_m_s']} m/s somewhere once feet are held: {s['locked_over']:.2%}"
        )
        for kind in ("per joint and frame", "worst joint of a frame"):
            for how in ("", "locked, "):
                p = s[how + kind]
                print(
                    f"  seams {how + kind:32s} median {p['p50_m_s']:+.3f}, 99 % {p['p99_m_s']:.3f} "
                    f"(asked {LIMITS['p99_m_s']}), worst {p['worst_m_s']:.3f} m/s (asked {LIMITS['worst_m_s']})"
                )
        print(
            f"  windows with a change above the clips' 99.9th percentile ({s['clips_p99.9_m_s']:.2f} m/s): "
            f"{s['windows_above_it']:.1%} of transitions, {s['source_windows_above_it']:.1%} of the windows they join, "
            f"{s['untouched_windows_above_it']:.1%} of all untouched windows"
        )
        f = row["feet"]
        print(
            f"  feet of {f['walks']} random walks, {f['transitions_per_s']:.2f} transitions/s: drift "
            f"{f['drift_mm']:.2f} mm "
            f"(asked {LIMITS['drift_mm']:g}; before locking 95 % under {f['drift_before_lock_p95_mm']:.0f}), planted "
            f"{f['planted_share']:.0%} of the time\n  to hold them: root moved {f['root_mm']:.0f} mm at most, knees "
            f"{f['knee_p99_deg']:.1f}° in 99 % and {f['knee_deg']:.1f}° at most; legs fall short by "
            f"{f['missed_mm']:.1f} mm"
        )
        print(
            f"  walks to planted takes {f['plan_to_take_times_real_time']:.0f} and posing "
            f"{f['posing_times_real_time']:.0f} times real time"
        )
        e = row["endless"]
        print(
            f"  endless: {e['components']} component, {e['edges_that_lead_on']:.0%} of edges lead on; from "
            f"{e['walked_from']} edges at least {e['shortest_s']:.0f} s"
        )
    print(f"\nfor comparison: {FAIRMOTION}; the paper: {PAPER}")


if __name__ == "__main__":
    main()
