"""Hands a take to Blender as BVH, glTF and USD, and compares what Blender has with what the take has.

    make clients                                        # or, with pictures for the docs:
    WALKON_CLIENTS=.venv-clients/bin/python .venv/bin/python tests/clients/blender_client.py [FOLDER]

Blender is other people's program in an environment of its own (`bpy` 5.0.1, Python 3.11, about 1 GB), so it runs in a
process of its own (`blender_side.py`).
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from walkon.export import export
from walkon.export.excerpt import Excerpt
from walkon.take.posing.props import prop_poses

HERE = Path(__file__).resolve().parent
KINDS = {
    "bvh": ("crowd_bvh", {"format": "bvh"}),
    "glb": ("crowd.glb", {}),
    "glb16": ("crowd16.glb", {"rotations": "int16"}),
    "usdc": ("crowd.usdc", {}),
    "usdc per character": ("apart.usdc", {"per_character": True}),
}
MINUTES = 10


class Compared(NamedTuple):
    """What Blender had."""

    bodies: int
    """Bodies at moments that were compared."""
    joints: int
    worst: float
    """Metres between a joint in Blender and in the take, at worst."""
    props: float
    """The same of props; NaN where the file has none."""
    unseen: bool
    """Whether exactly those who are absent have no size."""
    told: dict[str, Any]
    """What Blender said of itself."""


def client() -> str | None:
    """Return the Python that has Blender, None where there is none."""
    given = os.environ.get("WALKON_CLIENTS")
    return str(Path(given).absolute()) if given else None


def why_not() -> str:
    """Say why Blender cannot be asked; "" where it can."""
    python = client()
    if python is None:
        return "Blender runs in an environment of its own: `make clients`"
    if not Path(python).is_file():
        return f"WALKON_CLIENTS names {python}, which is not there; `make clients` makes it"
    if subprocess.run([python, "-c", "import bpy"], capture_output=True, check=False, timeout=120).returncode:
        return f"{python} cannot import bpy; `make clients` installs it"
    return ""


def ask_blender(
    kind: str,
    path: Path,
    *,
    fps: float,
    frames: list[int],
    picture: dict[str, Any] | None = None,
    casts: list[list[float]] | None = None,
) -> Any:
    """Open a file in Blender and return what it tells."""
    python = client()
    assert python is not None
    with tempfile.TemporaryDirectory() as folder:
        job, result = Path(folder) / "job.json", Path(folder) / "result.json"
        asked = {"kind": kind, "path": str(path), "fps": fps, "frames": frames, "picture": picture, "casts": casts}
        job.write_text(json.dumps(asked))
        command = [python, str(HERE / "blender_side.py"), str(job), str(result)]
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60 * MINUTES)
        if run.returncode or not result.is_file():
            raise RuntimeError(f"Blender failed:\n{run.stdout[-2000:]}\n{run.stderr[-2000:]}")
        return json.loads(result.read_text())


def compare(
    take, kind: str, folder: Path, *, fps: float, frames: list[int], picture=None, late: int = 0, **part
) -> Compared:
    """Export a take (or a part of it), open it in Blender, and compare at some frames, or `late` frames after them."""
    name, options = KINDS[kind]
    path = export(take, folder / name, fps=fps, **part, **options)
    told = ask_blender(kind.removesuffix("16").split()[0], path, fps=fps, frames=frames, picture=picture)
    times = Excerpt.of(take, fps=fps, **part).times[np.array(frames) + late]
    poses = take.sample(times)
    worst, bodies, joints, unseen = 0.0, 0, 0, True
    for who, bones in told.pop("joints").items():
        row, names = take.names.index(who), take.body(who).skeleton.names
        here = poses.present[:, row]
        unseen &= bool((np.array(told["sizes"][who]) > 1e-3).tolist() == here.tolist())
        for bone, places in bones.items():
            away = np.array(places) - poses.positions[:, row, names.index(bone)]
            if here.any():
                worst = max(worst, float(np.linalg.norm(away[here], axis=-1).max()))
            joints += int(here.sum())
        bodies += int(here.sum())
    return Compared(bodies, joints, worst, _props(take, told, times), unseen, told)


def _props(take, told, times) -> float:
    """Return how far props are from where the take has them, at worst; NaN where none is found."""
    moved, worst = prop_poses(take, times), float("nan")
    for i, prop in enumerate(take.props):
        here = moved.present[:, i]
        # Blender calls a prop of a USD file after its mesh: Shape, Shape.001 …
        found = [places for name, places in told["things"].items() if name == prop.name or name.startswith("Shape")]
        if found and here.any():
            away = np.linalg.norm((np.array(found) - moved.positions[:, i])[:, here], axis=-1).max(axis=1).min()
            worst = float(np.fmax(worst, away))
    return worst


def view(take, time: float, *, file: Path, samples: int = 40, size=(860, 400)) -> dict[str, Any]:
    """Return a picture of everyone to ask for."""
    middle = np.nanmean(take.pose(time).positions[:, 0], axis=0)
    eye = middle + np.array([5.2, -7.4, 2.6])
    return {
        "file": str(file),
        "frame": 0,
        "eye": eye.tolist(),
        "target": [float(middle[0]), float(middle[1]), 0.7],
        "lens": 36.0,
        "size": list(size),
        "samples": samples,
    }


def save_small(file: Path) -> None:
    """Make a picture small enough for the docs."""
    from PIL import Image

    # Six bits of each colour: what the last two hold is noise, and noise cannot be packed.
    coarse = [4 * round(value / 4.05) for value in range(256)]
    Image.open(file).convert("RGB").point(coarse * 3).save(file, optimize=True)


def square_take():
    """Return the take of a dozen people on a square."""
    sys.path.insert(0, str(HERE.parent))
    from square import square
    from walkon.capture import builtin_library

    return square(builtin_library())[0]


def some_frames(count: int) -> list[int]:
    """Return ten random frames of a file of `count`."""
    return sorted(np.random.default_rng(11).choice(count, 10, replace=False).tolist())


def main(pictures: str | None = None) -> None:
    """Print figures for the take of the square, and render pictures into a folder."""
    if reason := why_not():
        sys.exit(reason)
    take = square_take()
    count, fps = Excerpt.of(take).count, take.fps
    frames, moment = some_frames(count), 7.0
    print(f"{take}\nframes {frames} of {count} at {fps:g} frames/s")
    print(f"{'kind':>20} {'bodies':>7} {'joints':>7} {'worst':>11} {'props':>11} {'opened':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            wish = None
            if pictures and kind in {"bvh", "glb", "usdc"}:
                wish = view(take, moment, file=Path(pictures).resolve() / f"blender_{kind}.png")
                wish["frame"] = round((moment - take.start) * fps)
            seen = compare(take, kind, Path(folder), fps=fps, frames=frames, picture=wish)
            if wish:
                save_small(Path(wish["file"]))
            print(
                f"{kind:>20} {seen.bodies:7d} {seen.joints:7d} {1e3 * seen.worst:8.4f} mm {1e3 * seen.props:8.4f} mm "
                f"{seen.told['opened_s']:6.2f} s"
            )
    print(f"Blender {seen.told['blender']}; asked: 1 mm")


if __name__ == "__main__":
    main(*sys.argv[1:2])
