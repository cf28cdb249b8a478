"""The cache of compiled kernels: never stale, never inside the package, and never needed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import walkon._base

KERNELS = """
from walkon._base.jit import kernel, reads
from walkon.toy.{helper} import helper

@kernel(reads(1))
def total(values):
    s = 0.0
    for i in range(values.shape[0]):
        s += helper(values[i])
    return s
"""
HELPER = """
from walkon._base.jit import kernel

@kernel()
def helper(x):
    return {factor} * x
"""
RUN = """
import numpy as np
from walkon._base.cache import cache_folder, kernel_folder
from walkon._base.jit import VERSIONS
from walkon.toy._kernels import total
values = np.ones(3)
values.flags.writeable = False
print(total(values), sum(total.stats.cache_hits.values()), cache_folder(), kernel_folder(VERSIONS))
"""


class Toy:
    """A copy of the package's foundation with one kernel that calls a helper in another file."""

    def __init__(self, folder: Path) -> None:
        self.package = folder / "site" / "walkon"
        shutil.copytree(
            Path(walkon._base.__file__).parent, self.package / "_base", ignore=shutil.ignore_patterns("__pycache__")
        )
        (self.package / "toy").mkdir()
        for place in (self.package, self.package / "toy"):
            (place / "__init__.py").touch()
        (self.package / "toy" / "_kernels.py").write_text(KERNELS.format(helper="_more_kernels"))
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        # A home that cannot be made, also not by root: it would lie inside a file.
        (folder / "file").touch()
        self.nowhere = folder / "file" / "home"
        self.write(factor=2)

    def write(self, *, factor: int) -> None:
        (self.package / "toy" / "_more_kernels.py").write_text(HELPER.format(factor=factor))

    def run(self, **environment: str) -> list[str]:
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH")}
        settings = {
            "PYTHONPATH": str(self.package.parent),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HOME": str(self.nowhere),
            "TMPDIR": str(self.temporary),
        }
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", RUN],
            env=kept | settings | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    def files(self) -> set[Path]:
        return set(self.package.rglob("*"))


@pytest.fixture
def toy(tmp_path: Path) -> Toy:
    return Toy(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="homes and temporary folders are named otherwise there")
def test_kernels_are_cached_without_a_home_beside_a_read_only_package_and_follow_every_edit(toy: Toy) -> None:
    before = toy.files()
    for path in (toy.package, *before):
        path.chmod(path.stat().st_mode & ~0o222)
    result, hits, folder, kernels = toy.run()
    assert (result, hits) == ("6.0", "0")
    assert Path(folder).parent == toy.temporary
    assert list(Path(kernels).rglob("*.nbc"))
    assert toy.files() == before

    assert toy.run() == ["6.0", "1", folder, kernels]  # the second process loads what the first compiled

    for path in (toy.package, *before):
        path.chmod(path.stat().st_mode | 0o200)
    toy.write(factor=5)  # only the helper's file changes, and the kernel that calls it must not be the old one
    result, hits, _, fresh = toy.run()
    assert (result, hits) == ("15.0", "0")
    assert fresh != kernels


@pytest.mark.skipif(sys.platform == "win32", reason="homes and temporary folders are named otherwise there")
def test_kernels_run_where_nothing_can_be_written_and_where_a_folder_is_given(toy: Toy, tmp_path: Path) -> None:
    assert toy.run(WALKON_CACHE=str(toy.nowhere)) == ["6.0", "0", "None", "None"]
    assert toy.run(WALKON_CACHE=str(tmp_path / "mine"))[2] == str(tmp_path / "mine")
