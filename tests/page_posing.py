"""Takes posed by the page's own TypeScript, under Node: builds the modules once, and reads the frames they make."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from walkon._base.arrays import Array

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "src" / "walkon" / "viewer" / "page"
DRIVER = ROOT / "tests" / "unit" / "viewer" / "pose_takes.mjs"


@dataclass(frozen=True, kw_only=True)
class Frames:
    """T frames of N characters of J joints and P props, as the page has them."""

    positions: Array
    rotations: Array
    planar: Array
    prop_positions: Array
    prop_rotations: Array
    hands: Array
    segments: Array
    present: Array
    contacts: Array
    prop_present: Array
    told: dict[str, Any]


class Refused(Exception):
    """The page's sentence on a take that it does not play."""


def why_no_node() -> str | None:
    """Say what is missing to run the page's modules, or None."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        return "Node is not installed"
    if not (PAGE / "node_modules" / "vite").is_dir():
        return "the page's tools are not installed: run make page"
    return None


def build_modules(folder: Path) -> Path:
    """Build the modules that read and pose takes; returns the file to import."""
    environment = os.environ | {"WALKON_NODE_OUT": str(folder)}
    done = subprocess.run(
        ["npm", "run", "--silent", "build:node"],
        cwd=PAGE,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "posing.js"


def pose_on_page(modules: Path, take: Path, times: Array) -> Frames:
    """Pose a take file (gzipped or not) at times [T]."""
    asked, answer = take.with_suffix(".times.json"), take.with_suffix(".frames")
    asked.write_text(json.dumps([float(t) for t in times]))
    done = subprocess.run(
        ["node", str(DRIVER), str(modules), str(take), str(asked), str(answer)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 3:
        raise Refused(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    return _frames(answer.read_bytes(), len(times), told)


def _frames(content: bytes, T: int, told: dict[str, Any]) -> Frames:
    N, J, P = (told["size"][name] for name in ("characters", "joints", "props"))
    layout: list[tuple[str, str, tuple[int, ...]]] = [
        ("positions", "<f4", (N, J, 3)),
        ("rotations", "<f4", (N, J, 4)),
        ("planar", "<f4", (N, 3)),
        ("prop_positions", "<f4", (P, 3)),
        ("prop_rotations", "<f4", (P, 4)),
        ("hands", "<f4", (N, 2)),
        ("segments", "<i4", (N,)),
        ("present", "u1", (N,)),
        ("contacts", "u1", (N, 4)),
        ("prop_present", "u1", (P,)),
    ]
    frames = np.frombuffer(content, np.dtype([(name, kind, shape) for name, kind, shape in layout]))
    assert len(frames) == T
    return Frames(**{name: frames[name] for name, _, _ in layout}, told=told)
