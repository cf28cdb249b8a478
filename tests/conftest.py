"""What all tests share: where the real clips and meshes of terrain are, a small skeleton, a seeded generator."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from walkon._base import cache, kept
from walkon.motion import Skeleton

pytest_plugins = ["folder_seconds", "pytester"]


def mocap_folder() -> Path | None:
    """The CMU clips: WALKON_MOCAP, or beside the project."""
    given = os.environ.get("WALKON_MOCAP")
    folder = Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "mocap"
    return folder if (folder / "manifest.csv").is_file() else None


@pytest.fixture(scope="session")
def mocap() -> Path:
    folder = mocap_folder()
    if folder is None:
        pytest.skip("the CMU clips are not here: set WALKON_MOCAP to the folder that has their manifest.csv")
    return folder


def terrain_folder() -> Path | None:
    """Recast's sample meshes: WALKON_TERRAIN, or beside the project."""
    given = os.environ.get("WALKON_TERRAIN")
    folder = Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "terrain"
    return folder if all((folder / f"{name}.obj").is_file() for name in ("dungeon", "undulating")) else None


@pytest.fixture(scope="session")
def terrain() -> Path:
    folder = terrain_folder()
    if folder is None:
        pytest.skip("Recast's meshes are not here: set WALKON_TERRAIN to the folder with dungeon.obj, undulating.obj")
    return folder


@pytest.fixture
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache folder, for one test only; nothing made or read before is remembered."""
    folder = tmp_path_factory.mktemp("cache", numbered=True)
    folder.chmod(0o700)
    monkeypatch.setenv("WALKON_CACHE", str(folder))
    cache._choice.cache_clear()
    kept.forget()
    yield folder
    monkeypatch.undo()
    cache._choice.cache_clear()
    kept.forget()


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.fixture
def stick() -> Skeleton:
    """Five joints in two branches: enough for every law of kinematics."""
    return Skeleton(
        names=("root", "a", "b", "c", "d"),
        parents=[-1, 0, 1, 0, 3],
        offsets=[[0, 0, 1], [0.1, 0, 0.5], [0, 0.2, 0.4], [0, -0.1, -0.5], [0.2, 0, -0.4]],
    )
