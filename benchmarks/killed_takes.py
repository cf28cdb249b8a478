"""Killing writers of takes: a process that grows or saves a take over an old one is killed at a random moment.

    python -m benchmarks.killed_takes [TRIALS]

What is found afterwards must open, and every character must be posed as in the take that was being written, up to
where the file goes; or it is the old take. (`benchmarks.killed_writes` does the same below the level of takes, byte for
byte.)
"""

import os
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from benchmarks.killed_writes import start
from walkon import studio
from walkon._base.errors import WalkonError
from walkon.motion.body import Body
from walkon.motion.clip import Clip
from walkon.take import Take, TakeWriter, load_take, save_take

TRIALS = 1000
PARTS, SECONDS, PEOPLE = 8, 0.5, 6
SAFE = 0.6
"""s before the end of a prefix up to which poses are final: the last half step waits for its footfall."""


def write(path: Path | None, clip: Clip) -> Take:
    """Grow a take in parts of half a second."""
    with TakeWriter(path) as writer:
        body = writer.add_body(Body.of(clip.skeleton))
        people = writer.add_characters([f"walker {i}" for i in range(PEOPLE)], body=body)
        for part in range(PARTS):
            for who in people:
                at = part * SECONDS
                writer.perform(int(who), clip, start=at, stop=at + SECONDS, clip_start=at, place=(0.0, float(who), 0.1))
            writer.flush()
    return writer.take


def reached(path: Path, whole: Take) -> int:
    """Return 0 for the old take, n for n parts, `PARTS` + 1 for all; raise where anything differs."""
    take = load_take(path)
    if take.names == ("old",):
        return 0
    parts = len(take.segments) // PEOPLE
    final = take.stop if take.complete else take.stop - SAFE
    times = np.linspace(0.0, max(final, 0.01), 5)
    assert len(take.segments) == parts * PEOPLE, "part of a part"
    assert np.allclose(take.sample(times).positions, whole.sample(times).positions, atol=1e-9), "other poses"
    return parts + int(take.complete)


def main() -> None:
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else TRIALS
    clip = studio.walk(speed=1.3, duration=PARTS * SECONDS + 0.5, seed=3)
    from walkon.capture import clean

    clip = clean(clip)
    rng = np.random.default_rng(trials)
    whole = write(None, clip)
    with TakeWriter() as writer:
        writer.add_body(Body.of(clip.skeleton))
        writer.perform(writer.add_character("old"), clip, start=0.0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "crowd.take"
        old = save_take(writer.take, path).read_bytes()
        for what, work in (("grown", lambda p, _: write(p, clip)), ("saved whole", lambda p, _: save_take(whole, p))):
            begun = time.perf_counter()
            os.waitpid(start(work, path, 0), 0)
            alone = time.perf_counter() - begun
            found: Counter[int] = Counter()
            wrong = []
            for trial in range(trials // 2):
                path.write_bytes(old)
                child = start(work, path, trial)
                time.sleep(rng.uniform(0.0, 1.1 * alone))
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                try:
                    found[reached(path, whole)] += 1
                except (WalkonError, AssertionError) as error:
                    wrong.append(f"trial {trial}: {error}")
                for left in Path(folder).glob(".*.part"):
                    left.unlink()
            kept, done = found[0], found[PARTS + 1]
            print(f"{what}: {trials // 2} kills in {time.perf_counter() - begun:.0f} s: old take kept {kept}, ", end="")
            print(f"prefix read {found.total() - kept - done}, finished {done}, unreadable or wrong {len(wrong)}")
            for sentence in wrong[:5]:
                print(f"  {sentence}")
            if wrong:
                sys.exit(f"{len(wrong)} trials failed")


if __name__ == "__main__":
    main()
