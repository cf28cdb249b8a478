"""Bodies on floors that are not level: how much roots come down, how knees bend, how well feet stand and swings clear.

    python -m benchmarks.floors [SEED]

Straight walks of the built-in library over slopes of 5, 10 and 15 degrees, up, down, across and in random directions,
each beside the same walk on level ground: asked are, at 5 degrees, roots lowered by at most 4 cm and knees within 8
degrees of flat; at 10 degrees 8 cm and 16 degrees; planted points at most 0.1 mm off the floor and swings at most 3
mm in it. Then crowds over hills made from the seed. Then heights of the floor against rays of another program
(trimesh) on hills, stairs and two layers.
"""

import sys
from pathlib import Path

import numpy as np

from benchmarks.measuring import best, calibrate
from walkon.stage import FlatFloor, TerrainFloor
from walkon.take.auditing.reposing import foot_points, repose
from walkon.take.take import Take

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from floors import hills, sheet, slope, stairs, two_layers
from terrain_takes import hill_walkers, straight_walk

RATE_HZ = 120.0
WALKS = ("walk_0.50", "walk_0.70", "walk_0.90", "walk_1.10", "walk_1.35", "walk_1.60", "walk_1.90", "jog")
RANDOM_WAY_COUNT = 5


def knees(take: Take, times: np.ndarray) -> np.ndarray:
    """Return the bend of both knees [T, N, 2] in degrees."""
    poses = take.sample(times)
    found = []
    for side in ("left", "right"):
        hip, knee, ankle = (take.bodies[0].skeleton.role(f"{side}_{name}") for name in ("hip", "knee", "ankle"))
        thigh = poses.positions[:, :, knee] - poses.positions[:, :, hip]
        shin = poses.positions[:, :, ankle] - poses.positions[:, :, knee]
        cosine = np.sum(thigh * shin, axis=-1) / (np.linalg.norm(thigh, axis=-1) * np.linalg.norm(shin, axis=-1))
        found.append(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
    return np.stack(found, axis=-1)


def feet(take: Take, times: np.ndarray) -> tuple[float, float, float]:
    """Return mm: planted points off the floor, swinging points in it, legs too short."""
    who, when = np.tile(np.arange(len(take)), len(times)), np.repeat(times, len(take))
    bodies = repose(take, who, when)
    points = foot_points(take, who, bodies)
    near = bodies.positions[:, :1, 2] - 0.9
    above = points[..., 2] - take.stage.floor(points[..., :2], near=np.repeat(near, 4, axis=1)).heights
    down = bodies.contacts & bodies.present[:, None]
    swings = ~bodies.contacts & bodies.present[:, None]
    return (
        1e3 * float(np.abs(above[down]).max(initial=0.0)),
        1e3 * float(np.maximum(-above[swings], 0.0).max(initial=0.0)),
        1e3 * float(np.nanmax(bodies.missed)),
    )


def cost_of_slope(name: str, degrees: float, heading: float) -> np.ndarray:
    """Return what a slope costs a walk along a heading.

    cm by which its root is lower, degrees of its most bent knee on level ground, there, and by which a knee is bent
    more, then mm off the floor of planted points, of swings in it, and by which legs are too short.
    """
    level = straight_walk(name, FlatFloor(), heading=heading)
    take = straight_walk(name, TerrainFloor(slope(degrees)), heading=heading)
    times = np.arange(take.start, take.stop, 1 / RATE_HZ)
    root, flat = take.sample(times).positions[:, 0, 0], level.sample(times).positions[:, 0, 0]
    lowered = flat[:, 2] - (root[:, 2] - take.stage.floor(root[:, :2]).heights)
    bent, usual = knees(take, times).max(), knees(level, times).max()
    return np.array([100 * lowered.max(), usual, bent, bent - usual, *feet(take, times)])


def print_slopes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    print(f"{'walk':10} {'slope':>12} {'root down cm':>13} {'knee, flat':>11} {'knee':>6} {'more':>6} "
          f"{'planted off mm':>15} {'swing in mm':>12} {'short mm':>9}")  # fmt: skip
    for name in WALKS:
        for degrees, headings, way in (
            (5, [0.0], "up"), (-5, [0.0], "down"), (5, [np.pi / 2], "across"), (5, None, "any way"),
            (10, [0.0], "up"), (-10, [0.0], "down"), (10, [np.pi / 2], "across"), (10, None, "any way"),
            (15, [0.0], "up"), (-15, [0.0], "down"),
        ):  # fmt: skip
            ways = rng.uniform(-np.pi, np.pi, RANDOM_WAY_COUNT) if headings is None else headings
            cost = np.max([cost_of_slope(name, degrees, heading) for heading in ways], axis=0)
            down, usual, bent, more, off, deep, short = cost
            print(f"{name:10} {way:>8} {abs(degrees):3d} {down:13.2f} {usual:11.1f} {bent:6.1f} "
                  f"{more:6.1f} {off:15.3f} {deep:12.2f} {short:9.2f}", flush=True)  # fmt: skip


def print_hills(seed: int) -> None:
    print(f"\ncrowds of 12 over random hills, 6 s, seeds {seed} to {seed + 4}, by the steepest slope")
    for steepest in (0.09, 0.17):
        rows = []
        for k in range(5):
            take = hill_walkers(seed + k, steepest=steepest)
            rows.append(
                (*feet(take, np.arange(take.start, take.stop, 1 / 60)), 100 * float(take.drops.drop.max(initial=0.0)))
            )
        off, deep, short, drop = np.max(rows, axis=0)
        print(f"  {np.degrees(np.arctan(steepest)):4.1f} degrees: planted off {off:.3f} mm, swing in {deep:.2f} mm, "
              f"legs short {short:.2f} mm, largest drop {drop:.1f} cm", flush=True)  # fmt: skip


def print_heights(seed: int) -> None:
    import trimesh

    rng = np.random.default_rng(seed)
    print("\nheight of the floor against rays of trimesh, 5,000 random places each")
    for name, corners in (("hills", hills(seed=seed)), ("stairs", stairs()), ("two layers", two_layers())):
        floor = TerrainFloor(corners)
        mesh = trimesh.Trimesh(**trimesh.triangles.to_kwargs(corners), process=False)
        places = rng.uniform(-9.0, 9.0, (5000, 2)) * [1.0, 0.2]
        starts = np.column_stack([places, np.where(rng.random(5000) < 0.5, 2.5, 50.0)])
        hits, ray, _ = mesh.ray.intersects_location(starts, np.tile([0.0, 0.0, -1.0], (5000, 1)), multiple_hits=False)
        away = np.abs(floor(places[ray], near=hits[:, 2]).heights - hits[:, 2])
        print(f"  {name:10} {len(ray)} hits, at most {1e3 * away.max():.7f} mm apart", flush=True)


def print_times() -> None:
    print()
    calibrate()
    for side in (50, 200, 700):
        line = np.linspace(0.0, 100.0, side + 1)
        floor = TerrainFloor(sheet(line, line, np.sin(line)[:, None] * np.cos(line)[None]))
        made = best(lambda floor=floor: type(floor.grid).of(floor.corners))
        places = np.random.default_rng(1).uniform(0.0, 100.0, (100_000, 2))
        asked = best(lambda floor=floor, places=places: floor(places))
        each = 1e9 * asked / len(places)
        print(f"  {2 * side * side:9,} triangles: arranged in {1e3 * made:.0f} ms, asked in {each:.0f} ns a place")


def main() -> None:
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 20261118
    print_slopes(seed)
    print_hills(seed)
    print_heights(seed)
    print_times()


if __name__ == "__main__":
    main()
