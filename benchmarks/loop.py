"""How long one waits while working on it: from the edit of a kernel to its test, and for one scene from start to take.

    python -m benchmarks.loop

The edit is made in a copy of the package with a copy of the cache: one number is added to a module of kernels, and its
tests are run, as `pytest FILE` does. What was compiled is told by the files that are new in the cache.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import walkon
from benchmarks.measuring import calibrate
from walkon._base.cache import cache_folder

ROOT = Path(__file__).resolve().parent.parent
EDITS = (
    ("navigation/_guide_kernels.py", "tests/unit/navigation/test_guide.py"),
    ("take/posing/_kernels.py", "tests/unit/take/test_posing.py"),
    ("synthesis/goal_directed/_join_kernels.py", "tests/unit/synthesis/test_goal_planner.py"),
    ("navigation/guide.py", "tests/unit/navigation/test_guide.py"),
)
"""What is edited, and the test that one looks at; the last is no kernel."""
FIRST_WALK = ROOT / "examples" / "scenes" / "first_walk.yaml"


def elapsed(*command: str, folder: Path, **environment: str) -> float:
    """Return the seconds of a process; its output is thrown away unless it fails."""
    begun = time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(done.stdout[-2000:], done.stderr[-2000:])
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}")
    return time.perf_counter() - begun


def edit_loop(place: Path) -> None:
    """Edit, test, and tell what it took."""
    source, cache = cache_folder(), place / "cache"
    if source is None:
        raise SystemExit("there is no cache folder to copy")
    shutil.copytree(source, cache)
    cache.chmod(0o700)
    for part in ("src", "tests"):
        shutil.copytree(ROOT / part, place / part, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    shutil.copy(ROOT / "pyproject.toml", place)
    here = {"PYTHONPATH": str(place / "src"), "WALKON_CACHE": str(cache)}
    for module, test in EDITS:
        pytest = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test)
        elapsed(*pytest, folder=place, **here)
        warm = elapsed(*pytest, folder=place, **here)
        before = set(cache.iterdir())
        file = place / "src" / "walkon" / module
        file.write_text(file.read_text() + "\nEDITED = 1\n")
        after = elapsed(*pytest, folder=place, **here)
        made = sorted({f.name.rpartition("-")[0].rpartition(".")[0] for f in set(cache.iterdir()) - before} - {""})
        made = [name.removeprefix("kernel-") for name in made if name.startswith("kernel-")]
        what = ", ".join(made) or "nothing"
        print(f"edit {module}: test in {after:.1f} s ({warm:.1f} s without an edit); compiled: {what}", flush=True)


def scene_times(place: Path) -> None:
    """Perform the first walk in this process, and from the shell; and the demo."""
    scene = walkon.load_scene(FIRST_WALK)
    graph = walkon.builtin_snap_graph()
    for word in ("first", "second", "third"):
        begun = time.perf_counter()
        walkon.perform(scene, graph=graph)
        print(f"perform first_walk.yaml, graph loaded, {word} time: {time.perf_counter() - begun:.2f} s")
    command = (sys.executable, "-m", "walkon")
    runs = [elapsed(*command, "run", str(FIRST_WALK), "-o", "x.take", folder=place) for _ in range(5)]
    print(f"walkon run first_walk.yaml from the shell: {min(runs):.2f} s, best of five")
    runs = [elapsed(*command, "demo", folder=place) for _ in range(3)]
    print(f"walkon demo, warm: {min(runs):.2f} s, best of three")


def main() -> None:
    calibrate()
    with tempfile.TemporaryDirectory(prefix="walkon-loop-") as place:
        scene_times(Path(place))
        edit_loop(Path(place))


if __name__ == "__main__":
    main()
