"""Motion along paths: the examples of Kovar 2002, how near, how often, how fast; and growth with the path's length.

python -m benchmarks.path
"""

import os
import tracemalloc

import numpy as np

from benchmarks.measuring import best, calibrate


def main() -> None:
    from walkon.capture.build import planted_drift
    from walkon.reproduce.experiment import Trial
    from walkon.reproduce.kovar2002 import figure6, figure8
    from walkon.reproduce.lettering import hello
    from walkon.reproduce.recordings import FORWARD, MotionSource, mocap_folder

    motion = MotionSource(folder=mocap_folder())
    print(f"motion: {motion.words}")
    calibrate()
    graph, labels = _graph(motion, FORWARD)
    path = hello()
    print(f"{graph!r}\n{path!r}")
    from walkon.synthesis import PathFollower, follow_path, shortest_walks, steering_table

    result = follow_path(graph, path, labels=labels)
    whole = best(lambda: follow_path(graph, path, labels=labels))
    ready = PathFollower.of(graph, labels=labels)
    alone = best(lambda: ready.follow(path))
    bodies = best(lambda: result.take().sample(result.times), runs=3)
    clip = result.clip()
    take = result.take()
    posed = take.sample(result.times)
    print('"Hello"                                          measured   asked for')
    _say("animation", f"{result.duration:.1f} s", "54.9 s in the paper, computed in 58.1 s")
    _say("off the path, mean", f"{result.mean:.3f} m", "at most 0.06 m")
    _say("off the path, worst", f"{result.worst:.3f} m", "at most 0.35 m")
    _say("transitions", f"{result.transitions_per_second:.2f} /s", "at most 1.3 /s")
    _say("curvature sustained", f"{result.sustained:.0%}", "printed")
    _say("plan, graph made ready first", f"{result.duration / whole:.0f} x real time", "at least 50 x")
    _say("plan, graph ready", f"{result.duration / alone:.0f} x real time", "")
    _say("plan, bodies at 60/s, feet held", f"{result.duration / (whole + bodies):.0f} x real time", "at least 10 x")
    _say("planted feet drift", f"{1e3 * planted_drift(clip):.2f} mm", "at most 3 mm")
    _say("planted share", f"{clip.contacts.mean():.0%} of points and frames", "printed")
    _say("largest lowering of the root", f"{1e3 * float(take.drops.drop.max(initial=0.0)):.0f} mm", "printed")
    _say("largest miss of a leg", f"{1e3 * float(np.nanmax(posed.missed)):.2f} mm", "printed")
    _say("steps weighed", f"{result.weighed}, {1e9 * alone / result.weighed:.0f} ns each", "")

    print("\nthe other examples")
    for experiment in (figure6, figure8):
        for row in experiment(Trial(motion=motion, pictures=False)):
            found = row.values
            seconds, switch = found["mean_duration_s"], row.ours("switch_error_m")
            print(
                f"  {row.what}: {seconds:.1f} s, off {found['mean_error_m']:.3f} / {found['worst_error_m']:.3f} m, "
                f"{found['transitions_per_s']:.2f} transitions/s, {seconds / found['mean_synthesis_s']:.0f} x real "
                f"time, with bodies {seconds / found['total_s']:.0f} x, sustained {found['sustained_share']:.0%}, "
                f"drift {1e3 * found['foot_drift_m']:.2f} mm"
                + (f", changes within {switch:.2f} m" if switch is not None else "")
            )

    print("\ngrowth with the path's length (the same word, larger or said again)")
    for copies in (1, 2, 4, 8):
        longer = _again(path, copies)
        seconds = best(lambda p=longer: ready.follow(p), runs=3)
        tracemalloc.start()
        found = ready.follow(longer)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(
            f"  {longer.length:6.0f} m   {seconds:6.2f} s   {1e3 * seconds / longer.length:5.2f} ms/m   "
            f"off {found.mean:.3f} / {found.worst:.3f} m   peak {peak / 1e6:.0f} MB"
        )

    print("\ntables")
    print(f"  steering, 24 directions       {best(lambda: steering_table(graph, labels=labels), runs=2):6.2f} s")
    some = np.linspace(0, len(graph.nodes) - 1, 500).astype(int)
    seconds = best(lambda: shortest_walks(graph, sources=some), runs=2)
    mean = shortest_walks(graph, sources=some).mean
    print(f"  quickest walks from 500 nodes {seconds:6.2f} s, mean {mean:.2f} s (the paper: about two seconds)")
    print(f"load while measuring: {os.getloadavg()[0]:.1f}")


def _graph(motion, names):
    from walkon.graphs.build import build_graph

    if motion.folder is not None:
        return build_graph(motion.clips(names)), None
    return build_graph(motion.builtin(), labels=("walk",)), "walk"


def _again(path, copies):
    """Say the word again and again, each time where the last one ended."""
    from walkon.synthesis import Path

    points = [path.points]
    for _ in range(copies - 1):
        gap = points[-1][-1] + np.array([2.0, 0.0]) - path.points[0]
        points.append(path.points + gap)
    return Path(points=np.concatenate(points)) if copies == 1 else Path.through(np.concatenate(points), rounding=0.15)


def _say(what: str, measured: str, asked: str) -> None:
    print(f"  {what:36s} {measured:>26s}   {asked}")


if __name__ == "__main__":
    main()
