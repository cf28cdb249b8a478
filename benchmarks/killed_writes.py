"""Killing writers: a process that writes an array file over an old one is killed at a random moment, again and again.

    python -m benchmarks.killed_writes [TRIALS]

Half of the trials grow a file block by block, half write one whole. The file is read just before the kill, while the
writer is at work, and again after it: it must be the old file, whole blocks of the new one, or all of it, value for
value, and never less after the kill than before. Delays are spread over the time that a writer takes if left alone.
"""

import os
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from walkon._base.array_blocks import whole_blocks
from walkon._base.array_file import ArrayFileWriter, read_array_file, write_array_file
from walkon._base.errors import WalkonError

TRIALS = 1000
BLOCKS = 12
ROWS = 8000
KIND = "take"


@dataclass
class Tally:
    """What was found after the kills of one way to write."""

    found: Counter[int] = field(default_factory=Counter)
    """How many trials ended with the old file (0), n whole blocks, or the finished file (`BLOCKS` + 1)."""
    unreadable: list[str] = field(default_factory=list)
    went_back: int = 0
    torn: int = 0
    """Files with the beginning of one more block, which was left out."""
    left_over: int = 0
    """Temporary files of killed writers."""


def content(trial: int, block: int) -> tuple[dict[str, int], dict[str, np.ndarray]]:
    """Return a block that is like no other block of any trial."""
    rows = ROWS + 37 * block
    values = np.arange(4 * rows, dtype=np.float32).reshape(rows, 4) + 10 * trial + block
    return {"trial": trial, "block": block}, {"values": values, "planted": values[:, 0] % 2 == 0}


def grow(path: Path, trial: int) -> None:
    with ArrayFileWriter(path, KIND, version=1) as writer:
        for block in range(BLOCKS):
            writer.append(*content(trial, block))


def write_whole(path: Path, trial: int) -> None:
    blocks = [content(trial, block)[1] for block in range(BLOCKS)]
    arrays = {f"{name} {i}": array for i, block in enumerate(blocks) for name, array in block.items()}
    write_array_file(path, KIND, version=1, header={"trial": trial}, arrays=arrays)


def look(path: Path, trial: int) -> int:
    """Return how far a file got: 0 for the old one, n for n whole blocks, `BLOCKS` + 1 for all; check every value."""
    file = read_array_file(path, KIND, version=1)
    first = file.blocks[0].header
    if first["trial"] == -1:
        expected = [{"old": np.arange(1000.0)}]
        reached = 0
    elif "block" in first:
        expected = [content(trial, block)[1] for block in range(len(file.blocks))]
        reached = len(file.blocks) + file.complete
    else:
        blocks = [content(trial, block)[1] for block in range(BLOCKS)]
        expected = [{f"{name} {i}": array for i, block in enumerate(blocks) for name, array in block.items()}]
        reached = BLOCKS + 1
    for block, arrays in zip(file.blocks, expected, strict=True):
        assert block.header["trial"] == (trial if reached else -1), f"the file of trial {block.header['trial']}"
        assert list(block.arrays) == list(arrays)
        assert all(np.array_equal(block.arrays[name], array) for name, array in arrays.items()), "other values"
    return reached


def is_torn(path: Path) -> bool:
    with path.open("rb", buffering=0) as file:
        size = path.stat().st_size
        return whole_blocks(file, size, sealed=False)[-1].stop < size


def start(write: Callable[[Path, int], None], path: Path, trial: int) -> int:
    """Start a writer in a process of its own and return that process."""
    child = os.fork()
    if child:
        return child
    try:
        write(path, trial)
    except BaseException as error:
        os.write(2, f"a writer failed: {error!r}\n".encode())
        os._exit(1)
    os._exit(0)


def run(write: Callable[[Path, int], None], trials: int, folder: Path, *, seed: int) -> Tally:
    """Kill `trials` writers and tell what was found."""
    rng = np.random.default_rng(seed)
    tally = Tally()
    path = folder / "crowd.take"
    write_array_file(path, KIND, version=1, header={"trial": -1}, arrays={"old": np.arange(1000.0)})
    old = path.read_bytes()
    times = []
    for _ in range(7):
        begun = time.perf_counter()
        _, status = os.waitpid(start(write, path, 0), 0)
        times.append(time.perf_counter() - begun)
        assert status == 0, "a writer that was left alone failed"
    alone = statistics.median(times)
    for trial in range(trials):
        path.write_bytes(old)
        child = start(write, path, trial)
        try:
            time.sleep(rng.uniform(0.0, 1.15 * alone))
            before = look(path, trial)
        except (WalkonError, AssertionError) as error:
            tally.unreadable.append(f"trial {trial}, growing: {error}")
            before = 0
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        try:
            after = look(path, trial)
        except (WalkonError, AssertionError) as error:
            tally.unreadable.append(f"trial {trial}, killed: {error}")
            continue
        tally.found[after] += 1
        tally.went_back += after < before
        tally.torn += is_torn(path)
        for temporary in folder.glob(".*.part"):
            tally.left_over += 1
            temporary.unlink()
    return tally


def report(what: str, tally: Tally, seconds: float) -> None:
    count = tally.found.total() + len(tally.unreadable)
    print(f"\n{what}: {count} kills in {seconds:.0f} s")
    print(f"  old file kept       {tally.found[0]:5d}")
    partial = {n: tally.found[n] for n in range(1, BLOCKS + 1)}
    if any(partial.values()):
        print(f"  prefix read         {sum(partial.values()):5d}   by blocks: ", end="")
        print(", ".join(f"{n}: {found}" for n, found in partial.items()))
        print(f"    torn tail left out{tally.torn:5d}")
    print(f"  new file finished   {tally.found[BLOCKS + 1]:5d}")
    print(f"  unreadable or wrong {len(tally.unreadable):5d}")
    print(f"  less than before    {tally.went_back:5d}")
    print(f"  temporary file left {tally.left_over:5d}")
    for sentence in tally.unreadable[:10]:
        print(f"    {sentence}")


def main() -> None:
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else TRIALS
    size = sum(array.nbytes for block in range(BLOCKS) for array in content(0, block)[1].values())
    print(f"{trials} kills of a writer of {size / 1e3:.0f} kB ({BLOCKS} blocks), over an old file")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for what, write, share in (("grown", grow, trials - trials // 2), ("written whole", write_whole, trials // 2)):
            begun = time.perf_counter()
            tally = run(write, share, Path(folder), seed=share)
            report(what, tally, time.perf_counter() - begun)
            failed += len(tally.unreadable) + tally.went_back
    if failed:
        sys.exit(f"{failed} trials failed")


if __name__ == "__main__":
    main()
