"""Audits of crowds: seconds, memory, and how both grow with the number of people.

    python -m benchmarks.audit [--large]

People of the built-in library wander, each from another moment of a long clip, on a grid of 3 m; everything is audited
at 60 Hz, the source clips included. Asked for: 10 µs per body and frame on two processors, as many for 40 people as
for 1,000 (`--large`). No other program audits crowds from their posed bodies, so there is nobody to compare with.
"""

import resource
import sys
import time

import numpy as np

from benchmarks.measuring import best, calibrate

PITCH = 3.0
"""m between the places at which people start."""


def crowd(count: int, seconds: float):
    import walkon
    from walkon.motion.body import Body
    from walkon.take import TakeWriter
    from walkon.take.tables import NONE, Segments

    library = walkon.builtin_library()
    writer = TakeWriter()
    body = writer.add_body(Body.of(library.skeleton))
    rng = np.random.default_rng(count)
    writer.add_characters([f"person {i}" for i in range(count)], body=body, scale=rng.uniform(0.9, 1.1, count))
    clips = np.array([writer.add_clip(library[f"wander_{pace}"]) for pace in ("slow", "normal", "fast")])
    who = np.arange(count)
    side = int(np.ceil(count**0.5))
    start = rng.uniform(0.0, 40.0 - seconds, count)
    place = np.column_stack([PITCH * (who % side), PITCH * (who // side), rng.uniform(-3, 3, count)])
    nothing = dict.fromkeys(("warp", "blend", "track", "edge", "mark"), NONE)
    writer.add_segments(
        Segments.filled(
            count,
            character=who,
            stop=seconds,
            clip=rng.choice(clips, count),
            clip_start=start,
            rate_start=1.0,
            rate_stop=1.0,
            place=place,
            **nothing,
        )
    )
    return writer.close()


def main() -> None:
    calibrate()
    sizes = [(40, 25.0), (200, 25.0)]
    if "--large" in sys.argv:
        sizes.append((1000, 25.0))
    from walkon.take.auditing import audit

    audit(crowd(4, 1.0))  # kernels are loaded, or compiled, before anything is timed
    print(f"\n{'people':>8}{'seconds':>9}{'audit s':>9}{'µs per body and frame':>23}{'peak MB':>9}   figures")
    for count, seconds in sizes:
        take = crowd(count, seconds)
        begun = time.perf_counter()
        measured = audit(take)
        spent = time.perf_counter() - begun
        if count < 1000:
            spent = min(spent, best(lambda take=take: audit(take), runs=2))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        frames = count * (seconds * 60 + 1)
        print(f"{count:8d}{seconds:9.0f}{spent:9.2f}{spent / frames * 1e6:23.1f}{peak:9.0f}   {measured}")


if __name__ == "__main__":
    main()
