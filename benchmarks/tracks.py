"""A simulated crowd as tracks: 35,000 people at 10 Hz for 60 s, written, opened, and placed at any moment.

    python -m benchmarks.tracks [SEED]

The crowd is steered: everybody has a goal in the square, and turns and slows as people near it do (accelerations of at
most 1.5 m/s²), so velocities change as those of simulated pedestrians. Asked for are: written in 4 s and 60 MB, every
sample within 2 cm, 5 degrees, 2 cm of height and 0.1 m/s of what was simulated, opened in 0.5 s, any moment posed in
3 ms. Growth is shown over three sizes.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.measuring import best, calibrate
from walkon._base.arrays import Array
from walkon.motion.body import Body
from walkon.studio.skeleton import performer_skeleton
from walkon.take import load_take
from walkon.take.storing.writer import TakeWriter
from walkon.transforms import angles

SIZES = (1_000, 8_000, 35_000)
RATE_HZ, SECONDS = 10.0, 60.0
AREA_M2_PER_PERSON = 4.0
MAX_ACCELERATION_M_S2 = 1.5


def simulate(count: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Return places [T, N, 3], headings [T, N] and velocities [T, N, 3] of people who steer; hills of 2 m."""
    from scipy.spatial import cKDTree

    steps, side, dt = int(SECONDS * RATE_HZ) + 1, np.sqrt(AREA_M2_PER_PERSON * count), 1.0 / RATE_HZ
    place, goal = rng.uniform(0, side, (count, 2)), rng.uniform(0, side, (count, 2))
    velocity, pace = np.zeros((count, 2)), rng.normal(1.3, 0.2, count).clip(0.7, 1.8)
    heading = rng.uniform(-np.pi, np.pi, count)
    places, velocities = (np.empty((steps, count, 3), np.float32) for _ in range(2))
    headings = np.empty((steps, count), np.float32)
    for step in range(steps):
        places[step, :, :2], velocities[step, :, :2], headings[step] = place, velocity, heading
        away = goal - place
        far = np.linalg.norm(away, axis=1, keepdims=True)
        goal = np.where(far < 1.0, rng.uniform(0, side, (count, 2)), goal)
        near, who = cKDTree(place).query(place, k=5, distance_upper_bound=2.0)
        there = np.isfinite(near[:, 1:, None])
        apart = place[:, None] - np.append(place, [[0.0, 0.0]], axis=0)[who[:, 1:]]
        push = np.where(there, apart * np.exp(-near[:, 1:, None] / 0.4), 0.0).sum(axis=1) * 4.0
        wish = pace[:, None] * away / np.maximum(far, 1e-6) - velocity
        force = wish / 0.5 + push
        strength = np.linalg.norm(force, axis=1, keepdims=True)
        velocity = velocity + dt * force * np.minimum(1.0, MAX_ACCELERATION_M_S2 / np.maximum(strength, 1e-9))
        place = place + dt * velocity
        turn = angles.wrap(np.arctan2(velocity[:, 1], velocity[:, 0]) - heading)
        heading = heading + np.clip(turn, -0.25, 0.25) * (np.linalg.norm(velocity, axis=1) > 0.2)
    up = 0.2 * np.pi
    places[..., 2] = np.sin(places[..., 0] * 0.1 * up) + np.sin(places[..., 1] * 0.1 * up)
    slope = np.cos(places[..., :2] * 0.1 * up) * 0.1 * up
    velocities[..., 2] = (slope * velocities[..., :2]).sum(axis=-1)
    return places, headings, velocities


def measure(count: int, seed: int) -> None:
    """Write, open and place a crowd, compare every sample with the simulation, and print a line."""
    places, headings, velocities = simulate(count, np.random.default_rng(seed))
    body, names = Body.of(performer_skeleton()), [f"p{k}" for k in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "crowd.take"

        def write() -> None:
            with TakeWriter(path, fps=RATE_HZ) as writer:
                rows = writer.add_characters(names, body=writer.add_body(body))
                writer.add_trajectories(rows, places, start=0.0, rate=RATE_HZ, headings=headings, velocities=velocities)

        begun = time.perf_counter()
        write()
        written = time.perf_counter() - begun
        size = path.stat().st_size / 1e6
        opened = best(lambda: load_take(path))
        take = load_take(path)
        moments = np.random.default_rng(seed).uniform(0, SECONDS, 20)
        take.pose(0.0)
        taken = []
        for moment in moments:
            begun = time.perf_counter()
            take.pose(float(moment))
            taken.append(1e3 * (time.perf_counter() - begun))
        off = np.zeros(4)
        lift = float(take.pose(0.0).positions[0, 0, 2] - _first_height(take))
        for step in range(len(places)):
            time_s = min(step / RATE_HZ, take.stop)
            poses = take.pose(time_s)
            wrong = poses.positions[:, 0] - places[step] - [0.0, 0.0, lift]
            h = 1e-4
            low, high = max(time_s - h, 0.0), min(time_s + h, take.stop)
            speed = (take.pose(high).positions[:, 0] - take.pose(low).positions[:, 0]) / (high - low)
            found = [
                np.linalg.norm(wrong[:, :2], axis=1).max(),
                np.degrees(np.abs(angles.difference(poses.planar[:, 2], headings[step]))).max(),
                np.abs(wrong[:, 2]).max(),
                np.linalg.norm(speed - velocities[step], axis=1).max(),
            ]
            off = np.maximum(off, found)
    cm, degrees, high, speed_off = 100 * off[0], off[1], 100 * off[2], off[3]
    print(
        f"{count:7} {len(take.track_knots) / count:8.1f} {written:8.2f} {size:8.1f} {opened:8.3f} "
        f"{np.median(taken):8.2f} {max(taken):8.2f} {cm:9.2f} {degrees:8.2f} {high:9.2f} {speed_off:8.3f}",
        flush=True,
    )


def _first_height(take: object) -> float:
    """Return the height of the first character's track at 0 s, read from its rows."""
    tracks, knots = take.tracks, take.track_knots  # type: ignore[attr-defined]
    return float(tracks.origin[0, 2] + tracks.grain[0] * knots.place[tracks.knots[0, 0], 2])


def main() -> None:
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 20261118
    calibrate()
    print(f"a crowd at {RATE_HZ:g} Hz for {SECONDS:g} s, seed {seed}; errors are the largest of all samples")
    print(
        f"{'people':>7} {'knots':>8} {'write s':>8} {'MB':>8} {'open s':>8} {'pose ms':>8} {'worst':>8} "
        f"{'place cm':>9} {'degrees':>8} {'height cm':>9} {'m/s':>8}"
    )
    print(f"{'asked':>7} {'':>8} {4:8} {60:8} {0.5:8} {3:8} {'':>8} {2:9} {5:8} {2:9} {0.1:8}")
    for count in SIZES:
        measure(count, seed)


if __name__ == "__main__":
    main()
