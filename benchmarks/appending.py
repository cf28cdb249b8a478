"""Takes that grow by steps of 0.1 s: what a step costs, with 10, 100, 1,000 people, in memory and to a file.

    python -m benchmarks.appending [SEED]

Everybody plays a walk of the built-in library, from another moment, and a segment of 0.1 s is added for each in every
step, moved on its way by up to 4 mm; then the writer flushes: rows are checked and appended, and feet planted as far as
they are final. 20 s of that, every step timed, none left out: planting waits until a few people are due, so the mean
counts and the worst step is what one waits for. Asked are 2 ms a step at 100 people, 10 ms at 1,000, on a level floor;
on hills, where feet take several rounds, nothing is asked. A file is brought to the disk twice in every step, which is
shown apart. In the end the take is compared with one written at once.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.measuring import calibrate
from benchmarks.takes import CLIPS
from walkon.stage import FlatFloor, Floor, Stage, TerrainFloor

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from floors import hills

STEP_S, STEPS = 0.1, 200
CROWDS = (10, 100, 1000)
LARGEST_ON_HILLS = 100


def steps(count: int, seed: int):
    """Yield the segments and warps of each step."""
    from walkon.take.tables import NONE, Segments, Warps

    rng = np.random.default_rng(seed)
    which, begin = rng.integers(0, len(CLIPS), count), rng.uniform(0.0, 40.0 - STEPS * STEP_S - 1.0, count)
    place = np.column_stack([rng.uniform(-50, 50, (count, 2)), rng.uniform(-np.pi, np.pi, count)])
    nothing = dict.fromkeys(("blend", "track", "edge", "mark"), NONE)
    moved = np.zeros((count, 3))
    for k in range(STEPS):
        offsets = np.zeros((count, 2, 3))
        offsets[:, 0] = moved
        moved = moved + rng.uniform(-0.004, 0.004, (count, 3)) * [1.0, 1.0, 0.5]
        offsets[:, 1] = moved
        yield (
            Segments.filled(
                count,
                character=np.arange(count),
                start=k * STEP_S,
                stop=(k + 1) * STEP_S,
                clip=which,
                clip_start=begin + k * STEP_S,
                rate_start=1.0,
                rate_stop=1.0,
                place=place,
                warp=np.arange(count),
                **nothing,
            ),
            Warps.filled(count, offsets=offsets),
        )


def write(count: int, seed: int, path: Path | None, *, floor: Floor | None = None, flushing: bool = True):
    """Return the take, and the seconds of every step."""
    import walkon
    from walkon.motion.body import Body
    from walkon.take import TakeWriter

    library, times = walkon.builtin_library(), []
    with TakeWriter(path, stage=Stage(floor=floor or FlatFloor())) as writer:
        writer.add_body(Body.of(library.skeleton))
        writer.add_characters([f"walker {k}" for k in range(count)])
        for name in CLIPS:
            writer.add_clip(library[name])
        for segments, warps in steps(count, seed):
            begun = time.perf_counter()
            writer.add_segments(segments, warps=warps)
            if flushing:
                writer.flush()
            times.append(time.perf_counter() - begun)
    return writer.take, np.array(times)


def disk_seconds(folder: Path) -> float:
    """Return the seconds of bringing a small file to the disk twice, in the median."""
    import os

    found = []
    with (folder / "probe").open("wb", buffering=0) as file:
        for _ in range(20):
            begun = time.perf_counter()
            for _ in range(2):
                file.write(b"x" * 4096)
                os.fsync(file.fileno())
            found.append(time.perf_counter() - begun)
    return float(np.median(found))


def main() -> None:
    from walkon.take.tables import TABLES

    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 20261118
    calibrate()
    for floor in (None, TerrainFloor(hills(seed=seed, half=80.0))):
        write(10, seed, None, floor=floor)  # kernels are loaded, or compiled, before anything is timed
    print(f"\n{STEPS} steps of {STEP_S} s")
    print(f"{'people':>7} {'where':>7} {'mean ms':>9} {'median':>8} {'95 %':>8} {'worst':>8}")
    with tempfile.TemporaryDirectory() as place:
        for count in CROWDS:
            for where, path, floor in (
                ("memory", None, None),
                ("file", Path(place) / f"{count}.take", None),
                ("hills", None, TerrainFloor(hills(seed=seed, half=80.0))),
            ):
                if floor is not None and count > LARGEST_ON_HILLS:
                    continue
                take, times = write(count, seed, path, floor=floor)
                ms = 1e3 * times
                print(f"{count:7d} {where:>7} {ms.mean():9.2f} {np.median(ms):8.2f} {np.percentile(ms, 95):8.2f} "
                      f"{ms.max():8.2f}", flush=True)  # fmt: skip
                once, _ = write(count, seed, None, floor=floor, flushing=False)
                other = [
                    f"{field}.{name}"
                    for field in TABLES
                    for name, values in getattr(once, field).columns.items()
                    if not np.array_equal(values, getattr(take, field).columns[name])
                ]
                print(f"{'':7} written at once: {'the same bits' if not other else 'other: ' + ', '.join(other)}")
        print(f"\nthe disk alone: {1e3 * disk_seconds(Path(place)):.2f} ms a step")


if __name__ == "__main__":
    main()
