"""Takes handed to other programs: 250, 500 and 1,000 characters × 10 s at 30 frames/s to .glb and .usdc.

    python -m benchmarks.export [glb] [glb16] [usdc] [bvh]

Time, peak memory and bytes per character-second, beside the raw size (float32: a root and a quaternion per joint that
turns, each frame). Every export runs in a process of its own; its peak memory is that of the whole process.
Asked of 1,000 on two cores: 30 s and 2 GB each, growth linear.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measuring import calibrate

CROWDS = (250, 500, 1000)
SECONDS, FPS = 10.0, 30.0
KINDS = {
    "glb": ("crowd.glb", {}),
    "glb16": ("crowd.glb", {"rotations": "int16"}),
    "usdc": ("crowd.usdc", {}),
    "bvh": ("folder", {"format": "bvh"}),
}


def one(kind: str, file: str, folder: str) -> None:
    """Export a take and print seconds, processor seconds, bytes, characters, turning joints, peak memory (MB)."""
    import numpy as np

    from walkon.export import export
    from walkon.take.storing.file import load_take

    take = load_take(file)
    take.pose(0.0)
    name, options = KINDS[kind]
    begun, worked = time.perf_counter(), time.process_time()
    target = Path(folder) / name
    export(take, target, fps=FPS, start=0.0, stop=SECONDS - 1.0 / FPS, **options)
    seconds = time.perf_counter() - begun
    size = sum(f.stat().st_size for f in target.iterdir()) if target.is_dir() else target.stat().st_size
    joints = int(np.count_nonzero(~take.bodies[0].skeleton.end_sites))
    print(seconds, time.process_time() - worked, size, len(take), joints, peak_mb())


def peak_mb() -> float:
    """Return the peak memory of this process; what `resource` says is the starting process's, where that is larger."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return float("nan")


def main(kinds: tuple[str, ...] = ("glb", "glb16", "usdc", "bvh")) -> None:
    from benchmarks.takes import crowd
    from walkon.take.planting.planting import plant_feet
    from walkon.take.storing.file import save_take

    calibrate()
    print(f"{SECONDS:g} s at {FPS:g} frames/s, each in a process of its own")
    print(
        f"{'kind':>6} {'people':>7} "
        f"{'s':>7} {'cpu s':>7} {'ms each':>8} {'MB':>8} {'peak MB':>8} {'B/char-s':>9} {'raw':>7} {'ratio':>6}"
    )
    with tempfile.TemporaryDirectory() as place:
        for count in CROWDS:
            take = plant_feet(crowd(count, seconds=SECONDS))
            save_take(take, Path(place) / f"{count}.take")
        for kind in kinds:
            for count in CROWDS:
                with tempfile.TemporaryDirectory(dir=place) as folder:
                    command = [sys.executable, "-m", "benchmarks.export", "--one", kind]
                    run = subprocess.run(
                        [*command, str(Path(place) / f"{count}.take"), folder],
                        capture_output=True,
                        text=True,
                        check=False,
                    )
                if run.returncode:
                    print(f"{kind:>6} {count:7d} failed: {(run.stderr.strip().splitlines() or ['?'])[-1]}")
                    continue
                seconds, worked, size, people, joints, peak = (float(v) for v in run.stdout.split())
                each = size / (people * SECONDS)
                raw = FPS * (12 + 16 * joints)
                print(
                    f"{kind:>6} {count:7d} {seconds:7.2f} {worked:7.2f} {seconds / people * 1e3:8.2f} "
                    f"{size / 1e6:8.1f} {peak:8.0f} {each:9.0f} {raw:7.0f} {each / raw:6.2f}",
                    flush=True,
                )
    print("asked of 1,000: 30 s, 2,000 MB; cost linear in people")


if __name__ == "__main__":
    if "--one" in sys.argv:
        one(*sys.argv[sys.argv.index("--one") + 1 :])
    else:
        main(tuple(sys.argv[1:]) or tuple(KINDS))
