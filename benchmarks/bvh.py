"""BVH files: parsing and forward kinematics beside bvhio, and growth to a million frames.

    python -m benchmarks.bvh

Needs the CMU clips (WALKON_MOCAP, or ../shared/mocap beside the project). Every time is the best of five runs in one
process, under the calibration of the same run; the sizes of the growth table each have a process of their own, so that
the peak memory is theirs.
"""

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.measuring import best, calibrate, clips_folder

CLIP = "69_01.bvh"
SIZES = (10_000, 100_000, 1_000_000)


def side_by_side(path: Path) -> None:
    import bvhio

    from walkon.io import parse_bvh, read_bvh, write_bvh
    from walkon.motion.kinematics import forward

    document = parse_bvh(path.read_bytes())
    frames, channels = document.values.shape
    per_1000 = 1e6 / frames
    print(f"\n{path.name}: {frames} frames, {channels} channels, {len(document.names)} joints; ms per 1000 frames")
    print(f"{'':34s}{'walkon':>10s}{'bvhio':>10s}{'ratio':>9s}")

    def row(what: str, ours: float, theirs: float | None = None) -> None:
        peer = "" if theirs is None else f"{theirs * per_1000:10.1f}{theirs / ours:8.0f}x"
        print(f"{what:34s}{ours * per_1000:10.2f}{peer}", flush=True)

    row("parse the file", best(lambda: parse_bvh(path.read_bytes())), best(lambda: bvhio.readAsBvh(str(path))))
    row("file to clip, units and axes", best(lambda: read_bvh(path)))

    clip = read_bvh(path, drop_tpose=False).clip
    root = bvhio.readAsHierarchy(str(path))
    joints = [joint for joint, _, _ in root.layout()]

    def pose_all() -> list[object]:
        places: list[object] = []
        for frame in range(frames):
            root.loadPose(frame)
            places = [joint.PositionWorld for joint in joints]
        return places

    ours = best(lambda: forward(clip.skeleton, clip.root_positions, clip.local_rotations))
    row("forward kinematics, all joints", ours, best(pose_all))
    with tempfile.TemporaryDirectory() as folder:
        row("clip to file", best(lambda: write_bvh(clip, Path(folder) / "clip.bvh")))


def measure_one(path: Path) -> None:
    """Time one file in this process and print the figures as JSON."""
    from walkon._base.files import read_whole
    from walkon.io import parse_bvh, read_bvh
    from walkon.io.bvh_read import MAX_FILE_BYTES

    def peak() -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    parse_bvh(b"HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Xposition }\nMOTION\nFrames: 1\nFrame Time: 1\n0\n")
    before = peak()
    parse = best(lambda: parse_bvh(read_whole(path, limit=MAX_FILE_BYTES)))
    parse_peak = peak() - before
    read = best(lambda: read_bvh(path))
    print(json.dumps({"parse": parse, "parse_peak": parse_peak, "read": read, "read_peak": peak() - before}))


def growth(path: Path) -> None:
    content = path.read_bytes()
    at = content.index(b"\n", content.lower().index(b"frame time")) + 1
    head, motion = content[:at], content[at:]
    frames = motion.count(b"\n")
    print(f"\ngrowth, {path.name} repeated; memory is beyond the peak of loading the libraries (0: below it)")
    print(f"{'frames':>10s}{'file MB':>10s}{'parse s':>10s}{'us/frame':>10s}{'peak/file':>11s}", end="")
    print(f"{'to clip s':>11s}{'us/frame':>10s}{'peak/file':>11s}")
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            large = Path(folder) / "large.bvh"
            lines = motion.splitlines(keepends=True)
            with large.open("wb") as file:
                file.write(head)
                for _ in range(size // frames):
                    file.write(motion)
                file.writelines(lines[: size % frames])
            command = [sys.executable, "-m", "benchmarks.bvh", str(large)]
            run = subprocess.run(command, capture_output=True, text=True, check=True)
            found, bytes_ = json.loads(run.stdout), large.stat().st_size
            print(f"{size:10d}{bytes_ / 1e6:10.1f}", end="")
            for what, width in (("parse", 10), ("read", 11)):
                seconds, share = found[what], found[f"{what}_peak"] / bytes_
                print(f"{seconds:{width}.3f}{seconds / size * 1e6:10.2f}{share:10.1f}x", end="")
            print(flush=True)


def main() -> None:
    if len(sys.argv) > 1:
        measure_one(Path(sys.argv[1]))
        return
    path = clips_folder() / "cmu" / CLIP
    calibrate()
    side_by_side(path)
    growth(path)


if __name__ == "__main__":
    main()
