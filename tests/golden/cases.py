"""Takes whose every bit is held: the demo, the example scenes and three rows of Sung 2005, as anybody runs them."""

import hashlib
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import llvmlite
import llvmlite.binding
import numba
import numpy as np
import scipy
import shapely

import walkon
from walkon.reproduce.sung2005 import boxes, open_floor, theatre
from walkon.take.storing.file import TABLES
from walkon.take.take import Take

__all__ = ["CASES", "HASHES", "digests", "surroundings"]

HASHES = Path(__file__).with_name("hashes.json")
SCENES = sorted((Path(__file__).resolve().parents[2] / "examples" / "scenes").glob("*.yaml"))


def _scene(path: Path) -> Take:
    return walkon.perform(walkon.load_scene(path))


def _sung2005(build: Callable[..., walkon.Scene]) -> Take:
    return walkon.perform(build(seed=0), seed=0)


CASES: dict[str, Callable[[], Take]] = {
    "demo": lambda: _sung2005(theatre.experiment_4),
    **{path.stem: (lambda path=path: _scene(path)) for path in SCENES},
    "sung2005 1": lambda: _sung2005(open_floor.experiment_1),
    "sung2005 2": lambda: _sung2005(open_floor.experiment_2),
    "sung2005 5": lambda: _sung2005(boxes.experiment_5),
}


def digests(take: Take) -> dict[str, str]:
    """A hash of every table of a take, and of its clips."""
    arrays = {name: getattr(take, name).to_arrays() for name in TABLES}
    for spec in fields(take.clips):
        value = getattr(take.clips, spec.name)
        if hasattr(value, "to_arrays"):
            arrays[f"clips.{spec.name}"] = value.to_arrays()
        elif isinstance(value, np.ndarray):
            arrays[f"clips.{spec.name}"] = {spec.name: value}
    return {name: _digest(columns) for name, columns in arrays.items()}


def _digest(columns: dict[str, np.ndarray]) -> str:
    digest = hashlib.sha256()
    for name, values in sorted(columns.items()):
        digest.update(f"{name} {values.dtype} {values.shape}".encode())
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()[:16]


def surroundings() -> dict[str, str]:
    """What may change the last bit of a sine, and with it everything: versions, and the processor."""
    modules = (np, scipy, numba, llvmlite, shapely)
    versions = {module.__name__: module.__version__ for module in modules}
    python = ".".join(map(str, sys.version_info[:2]))
    return versions | {"python": python, "processor": llvmlite.binding.get_host_cpu_name()}
