"""Building a library from the 90 CMU clips, saving and loading it.

python -m benchmarks.library
"""

import tempfile
from pathlib import Path

from benchmarks.measuring import best, calibrate, clips_folder


def main() -> None:
    from walkon.capture import build_library
    from walkon.io import load_library, save_library

    folder = clips_folder()
    calibrate()
    kept: list[object] = []
    seconds = best(lambda: kept.append(build_library(folder)), runs=2)
    built = kept[-1]
    library = built.library
    frames = len(library.local_rotations)
    print(f"{library!r}")
    times, out = library.duration / seconds, len(built.left_out)
    print(f"build                {seconds:8.2f} s   {times:.0f} times real time, {out} left out")
    drift = max(clip.drift_after_m for clip in built.clips)
    print(f"largest foot drift   {drift * 1e3:8.2f} mm in {len(library)} clips")
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "cmu.library"
        saving = best(lambda: save_library(library, file))
        print(f"save                 {saving:8.2f} s   {file.stat().st_size / 1e6:.1f} MB")
        print(f"load                 {best(lambda: load_library(file)):8.2f} s   {frames} frames")


if __name__ == "__main__":
    main()
