"""Takes of 100, 1,000 and 10,000 characters: size, planting, posing, saving, opening, and the first compilation.

    python -m benchmarks.takes

Everyone plays 25 s of the built-in library's walks in segments of 0.5 to 1 s, as a walk over a hub graph would, every
segment moved on its way by up to 2 cm and 2 degrees, feet planted. The take carries all clips of the library. Times are
the best of five; asked for are, on two cores: 20 MB for 1,000 characters, 5 ms to pose them, 1 s to open 10,000.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.measuring import best, calibrate

SECONDS = 25.0
CROWDS = (100, 1000, 10_000)
CLIPS = ("wander_slow", "wander_normal", "wander_fast")


def crowd(count: int, *, seconds: float = SECONDS, seed: int = 7):
    """Return a take of people who walk, without plants yet."""
    import walkon
    from walkon.motion.body import Body
    from walkon.take.clips import ClipStore
    from walkon.take.tables import Characters, Segments, Warps
    from walkon.take.take import Take
    from walkon.transforms import planar

    library = walkon.builtin_library()
    store = ClipStore().extended([library[name] for name in library.names], [0] * len(library))
    rng = np.random.default_rng(seed)
    which = rng.integers(0, len(CLIPS), count)
    frames = np.stack([library[name].root_positions[:2400, :2] for name in CLIPS])
    u = rng.uniform(0.0, 40.0 - seconds - 1.0, count)
    place = np.column_stack([rng.uniform(-50, 50, (count, 2)), rng.uniform(-np.pi, np.pi, count)])
    t = np.zeros(count)
    segments, warps = [], []
    while t.min() < seconds:
        length = np.where(t < seconds, np.minimum(rng.uniform(0.5, 1.0, count), seconds + 1e-6 - t), 0.0)
        length = np.where(length > 0.05, length, 0.0)
        if not length.any():
            break
        move = np.column_stack([rng.uniform(-0.02, 0.02, (count, 2)), np.radians(rng.uniform(-2, 2, count))])
        going = length > 0
        segments.append(
            Segments.filled(
                int(going.sum()),
                character=np.flatnonzero(going),
                start=t[going],
                stop=(t + length)[going],
                clip=np.array([library.names.index(CLIPS[k]) for k in which])[going],
                clip_start=u[going],
                rate_start=1.0,
                rate_stop=1.0,
                place=place[going],
                warp=sum(map(len, warps)) + np.arange(going.sum()),
                blend=-1,
                track=-1,
                edge=len(segments),
                mark=-1,
            )
        )
        offsets = np.zeros((int(going.sum()), 2, 3))
        offsets[:, 1] = move[going]
        warps.append(Warps.filled(len(offsets), offsets=offsets))
        # The next segment begins where this one has brought the body.
        u, t = u + length, t + length
        root = planar.apply(place, frames[which, np.minimum((u * 60).astype(int), 2399)])
        carried = planar.compose(np.column_stack([root + move[:, :2], move[:, 2]]), planar.inverse(flat(root)))
        place = np.where(going[:, None], planar.compose(carried, place), place)
        t = np.where(going, t, seconds + 1.0)
    return Take(
        names=tuple(f"walker {i}" for i in range(count)),
        characters=Characters.filled(count, scale=1.0, stride=1.0, colour=0.6),
        bodies=(Body.of(library.skeleton),),
        skeletons=(library.skeleton,),
        clips=store,
        segments=Segments.joined(segments),
        warps=Warps.joined(warps),
    )


def flat(points):
    """Return points [N, 2] as planar poses that face +x."""
    return np.column_stack([points, np.zeros(len(points))])


def table_bytes(take) -> int:
    """Return the bytes of a take's own tables, clips left out."""
    from walkon._base.table import Table

    tables = [value for value in vars(take).values() if isinstance(value, Table)]
    return sum(values.nbytes for table in tables for values in table.columns.values())


def first_use() -> tuple[float, float]:
    """Return the seconds of a first import of the kernels, and of the next one."""
    code = (
        "import time, numba, walkon.take.posing.score; t = time.perf_counter(); import walkon.take.posing._kernels; "
        "print(time.perf_counter() - t)"
    )
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"WALKON_CACHE": cache}
        runs = [
            subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
            for _ in range(2)
        ]
    return float(runs[0].stdout), float(runs[1].stdout)


def main() -> None:
    from walkon.take.planting.planting import plant_feet
    from walkon.take.storing.file import load_take, save_take

    calibrate()
    compiled, loaded = first_use()
    print(f"kernels: {compiled:.1f} s to compile once (asked: 5), {loaded * 1e3:.0f} ms from the cache")
    print(
        f"{'people':>7} {'segments':>9} {'stances':>8} {'tables MB':>10} {'clips MB':>9} {'disk MB':>8} "
        f"{'plant s':>8} {'pose ms':>8} {'us each':>8} {'save s':>7} {'open s':>7} {'missed mm':>10}"
    )
    with tempfile.TemporaryDirectory() as place:
        for count in CROWDS:
            bare = crowd(count)
            kept = []
            planting = best(lambda bare=bare, kept=kept: kept.append(plant_feet(bare)), runs=1 if count > 1000 else 2)
            take = kept[-1]
            del kept
            file = Path(place) / f"{count}.take"
            saving = best(lambda take=take, file=file: save_take(take, file), runs=2)
            opening = best(lambda file=file: load_take(file))
            take.pose(0.0)
            posing = best(lambda take=take: take.pose(11.117), runs=20)
            some = np.arange(0, count, max(count // 50, 1))
            missed = max(take.sample(np.arange(k, k + 1, 0.01), characters=some).missed.max() for k in range(24))
            print(
                f"{count:7d} {len(take.segments):9d} {len(take.stances):8d} {table_bytes(take) / 1e6:10.2f} "
                f"{take.clips.nbytes / 1e6:9.2f} {file.stat().st_size / 1e6:8.2f} {planting:8.2f} {posing * 1e3:8.2f} "
                f"{posing / count * 1e6:8.2f} {saving:7.2f} {opening:7.3f} {missed * 1e3:10.4f}",
                flush=True,
            )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:.0f} MB; asked of 1,000: 20 MB, 5 ms; of 10,000: open in 1 s; cost linear in people")


if __name__ == "__main__":
    main()
