"""Pictures per second of the capsule renderer, for crowds of growing size, on one thread and on two.

    python -m benchmarks.drawing

People are drawn at 1280 × 720 in the middle of a stride, on a grid of 1.5 m, framed so that all are in the picture:
once as bodies (about 40 capsules each) and once with 24 capsules each. Times are the best of five and include placing
the capsules, shadows, light and edges.
"""

import os
import resource
from functools import partial

import numpy as np

from benchmarks.measuring import best, calibrate

SIZE = (1280, 720)
CROWDS = (1, 10, 40, 160)


def stand_in_rows(skeleton, count: int):
    """Return positions [N, J, 3] and rotations [N, J, 4] of a crowd in mid-stride, each turned its own way."""
    from walkon.motion.kinematics import forward
    from walkon.transforms import quaternions as quat

    rng = np.random.default_rng(3)
    side = int(np.ceil(np.sqrt(count)))
    places = np.stack([np.arange(count) % side, np.arange(count) // side], axis=1) * 1.5
    places = places + rng.normal(0.0, 0.2, (count, 2))
    rotations = np.zeros((count, len(skeleton), 4))
    rotations[..., 0] = 1.0
    swing = rng.uniform(-0.5, 0.5, count)
    for name, sign in (("left", 1.0), ("right", -1.0)):
        for part, scale in (("hip", 1.0), ("shoulder", -0.8)):
            turn = quat.about(np.array([0.0, 1.0, 0.0]), sign * scale * swing)
            rotations[:, skeleton.role(f"{name}_{part}")] = turn
    rotations[:, 0] = quat.turn(rng.uniform(-np.pi, np.pi, count))
    roots = np.column_stack([places, np.full(count, skeleton.offsets[0, 2])])
    return forward(skeleton, roots, rotations)


def person():
    """Return a person's skeleton, hips 0.94 m above the floor."""
    from walkon.motion import Skeleton

    rows = [("hips", "", (0, 0, 0.94)), ("spine", "hips", (0, 0, 0.15)), ("chest", "spine", (0, 0, 0.2))]
    rows += [("neck", "chest", (0, 0, 0.2)), ("head", "neck", (0, 0, 0.08))]
    for side, y in (("left", 1.0), ("right", -1.0)):
        rows += [
            (f"{side}_clavicle", "chest", (0, 0.03 * y, 0.15)),
            (f"{side}_shoulder", f"{side}_clavicle", (0, 0.15 * y, 0)),
            (f"{side}_elbow", f"{side}_shoulder", (0, 0, -0.28)),
            (f"{side}_wrist", f"{side}_elbow", (0, 0, -0.25)),
            (f"{side}_hip", "hips", (0, 0.09 * y, -0.03)),
            (f"{side}_knee", f"{side}_hip", (0, 0, -0.42)),
            (f"{side}_ankle", f"{side}_knee", (0, 0, -0.42)),
            (f"{side}_ball", f"{side}_ankle", (0.14, 0, -0.06)),
        ]
    names = [name for name, _, _ in rows]
    parents = [names.index(parent) if parent else -1 for _, parent, _ in rows]
    roles = {name: i for i, name in enumerate(names)}
    return Skeleton(names=names, parents=parents, offsets=[offset for _, _, offset in rows], roles=roles)


def main() -> None:
    from walkon.drawing import PALETTE, Camera, RoundCones, draw_bodies, figures, render_capsules
    from walkon.motion.body import Body

    calibrate()
    skeleton = person()
    bodies = [Body.of(skeleton, colour=colour) for colour in PALETTE]
    full = len(bodies[0].capsule_parts) + 1
    few = np.linspace(0, full - 1, 24).astype(int)
    before = os.environ.get("WALKON_THREADS")
    print(f"{SIZE[0]} x {SIZE[1]}, pictures per second, best of five")
    print(f"{'people':>7} {'capsules each':>14} {'capsules':>9} {'1 thread':>9} {'2 threads':>10} {'speed-up':>9}")
    try:
        for count in CROWDS:
            pose = stand_in_rows(skeleton, count)
            crowd = [bodies[i % len(bodies)] for i in range(count)]
            camera = Camera.framing(
                pose.positions.reshape(-1, 3), azimuth=-2.1, elevation=0.32, margin=0.05, field_of_view=np.deg2rad(30)
            )
            # The same crowd with fewer capsules: every figure keeps 24 of its own.
            whole = [figures(crowd[i], pose.positions[[i]], rotations=pose.rotations[[i]]) for i in range(count)]
            thin = RoundCones(
                starts=np.concatenate([c.starts[few] for c in whole]),
                ends=np.concatenate([c.ends[few] for c in whole]),
                radii=np.concatenate([c.radii[few] for c in whole]),
                colours=np.concatenate([c.colours[few] for c in whole]),
            )
            for each, work in (
                (full, partial(draw_bodies, crowd, pose.positions, rotations=pose.rotations, camera=camera, size=SIZE)),
                (24, partial(render_capsules, thin, camera, size=SIZE)),
            ):
                rates = []
                for threads in ("1", "2"):
                    os.environ["WALKON_THREADS"] = threads
                    work()
                    rates.append(1.0 / best(work))
                one, two = rates
                print(f"{count:7d} {each:14d} {each * count:9d} {one:9.1f} {two:10.1f} {two / one:9.2f}", flush=True)
    finally:
        if before is None:
            os.environ.pop("WALKON_THREADS", None)
        else:
            os.environ["WALKON_THREADS"] = before
    print(
        f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB; asked: 10 per second for 40"
    )


if __name__ == "__main__":
    main()
