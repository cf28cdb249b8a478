"""The batch player on the built-in snap-together graph: time, growth with characters, the file, and endless walks.

    python -m benchmarks.snap_player

Characters begin at random hubs of the core and walk at random. A run is one second: everything that is chosen in it,
and bodies (roots and local rotations of all joints) at 30 frames/s, best of five, into memory that is used again;
"fresh" is the time of the bodies where it is not. Asked for on two cores: 1,000 characters in under 0.2 s, and growth
that is linear. "Cuts" are measured over all joins of the walks.
"""

import resource
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.measuring import RUNS, best, calibrate

CROWDS = (100, 1000, 10_000)
RATE = 30.0
LIMIT_S = 0.2
MINUTES = 10.0


def crowd(graph, count: int, *, seed: int = 1):
    from walkon.graphs.snap_together import RandomPolicy, SnapPlayer

    rng = np.random.default_rng(seed)
    places = np.column_stack([rng.uniform(-50, 50, (count, 2)), rng.uniform(-np.pi, np.pi, count)])
    hubs = rng.choice(np.flatnonzero(graph.core), count)
    return SnapPlayer(graph, RandomPolicy(graph, rng), poses=places, hubs=hubs)


def playing(graph) -> None:
    times = np.arange(RATE) / RATE
    names = ("people", "choose ms", "bodies ms", "both ms", "µs per body", "fresh ms", "edges", "peak MB")
    print("\n" + "".join(f"{name:>12}" for name in names))
    for count in CROWDS:
        player = crowd(graph, count)
        player.advance(5.0)
        rows, memory = [], None
        for _ in range(RUNS + 1):
            begun = time.perf_counter()
            segments = player.advance(player.time + 1.0)
            chosen = time.perf_counter()
            memory = player.frames(player.time - 1.0 + times, out=memory)
            rows.append((chosen - begun, time.perf_counter() - chosen, len(segments)))
        choose, bodies, edges = min(rows[1:], key=lambda row: row[0] + row[1])
        now = player.time - 1.0 + times
        fresh = best(lambda player=player, now=now: player.frames(now))
        both, peak = choose + bodies, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        told = f"   asked: {1e3 * LIMIT_S:.0f} ms" if count == 1000 else ""
        print(
            f"{count:12d}{1e3 * choose:12.2f}{1e3 * bodies:12.2f}{1e3 * both:12.2f}"
            f"{1e6 * both / (count * RATE):12.3f}{1e3 * fresh:12.2f}{edges:12d}{peak:12.0f}{told}"
        )
    player = crowd(graph, 1000)
    player.advance(1.0)
    print(f"with places of all joints, 1,000 people: {1e3 * best(lambda: player.frames(times, positions=True)):.1f} ms")


def cuts(graph) -> None:
    from walkon.motion.kinematics import forward
    from walkon.transforms import planar
    from walkon.transforms import quaternions as quat

    segments = crowd(graph, 300).advance(60.0)
    cut = np.flatnonzero(segments.character[1:] == segments.character[:-1])
    worlds = []
    for row, frames in ((cut, graph.clips.stops - 1), (cut + 1, graph.clips.starts)):
        at, pose = frames[segments.edge[row]], segments.place[row, :3]
        rotations = np.array(graph.clips.local_rotations[at])
        rotations[:, 0] = quat.multiply(quat.turn(pose[:, 2]), rotations[:, 0])
        worlds.append(forward(graph.clips.skeleton, planar.apply_3d(pose, graph.clips.root_positions[at]), rotations))
    apart = np.linalg.norm(worlds[0].positions - worlds[1].positions, axis=-1).max()
    turned = quat.angle_between(worlds[0].rotations, worlds[1].rotations).max()
    print(f"cuts: {len(cut)} of 300 walks of a minute, joints at most {apart:.1e} m and {turned:.1e} rad apart")


def endless(graph) -> None:
    from walkon.graphs.snap_together import RandomPolicy, SnapPlayer

    core = np.repeat(np.flatnonzero(graph.core), 50)
    policy = RandomPolicy(graph, np.random.default_rng(2))
    player = SnapPlayer(graph, policy, poses=np.zeros((len(core), 3)), hubs=core)
    begun = time.perf_counter()
    segments = player.advance(60 * MINUTES)
    used = len(np.unique(segments.edge)) / len(graph.edges)
    print(
        f"endless: {len(core)} walks of {MINUTES:g} minutes from {len(np.unique(core))} hubs, the shortest "
        f"{player.stops.min():.0f} s, {used:.0%} of edges used, chosen in {time.perf_counter() - begun:.2f} s"
    )


def file(graph) -> None:
    from walkon.graphs.snap_together import load_snap_graph, save_snap_graph

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hubs.graph"
        saved = best(lambda: save_snap_graph(graph, path, allow_cut_off=True))
        loaded = best(lambda: load_snap_graph(path))
        size = path.stat().st_size
    print(f"file: {size / 1e6:.1f} MB, saved in {saved:.2f} s, opened in {loaded:.2f} s")


def main() -> None:
    from walkon.graphs.snap_together import builtin_snap_graph

    calibrate()
    begun = time.perf_counter()
    graph = builtin_snap_graph()
    print(f"{graph!r}\n  made or read in {time.perf_counter() - begun:.2f} s")
    playing(graph)
    cuts(graph)
    endless(graph)
    file(graph)


if __name__ == "__main__":
    main()
