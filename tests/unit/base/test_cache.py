"""The cache of compiled kernels: never stale, never inside the package, never trusted blindly, and never needed."""

import hashlib
import os
import pickle
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import walkon._base
from walkon._base import cache

KERNELS = '''
"""Words."""
from walkon._base.jit import kernel, reads
from walkon.toy._more_kernels import helper
from walkon.toy.toy_rule import FACTOR

@kernel(reads(1))
def total(values):
    """Words."""
    s = 0.0
    for i in range(values.shape[0]):
        s += FACTOR * helper(values[i])
    return s
'''
HELPER = """
from walkon._base.jit import kernel

@kernel()
def helper(x):
    return {factor} * x
"""
OTHER = """
from walkon._base.jit import kernel

@kernel("float64")
def half(x):
    return 0.5 * x
"""
RUN = """
import resource, signal, sys
import numpy as np
from walkon._base.cache import cache_folder
if "full" in sys.argv:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
from walkon.toy._kernels import total
from walkon.toy._other_kernels import half
values = np.ones(3)
values.flags.writeable = False
hits = [sum(made.stats.cache_hits.values()) for made in (total, half)]
print(total(values), half(1.0), *hits, cache_folder())
"""
COMPILED, LOADED = ["6.0", "0.5", "0", "0"], ["6.0", "0.5", "1", "1"]
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="rights and links are named otherwise there")


class Toy:
    """A copy of the package's foundation with two families of kernels, one of which calls a helper in another file."""

    def __init__(self, folder: Path) -> None:
        self.package = folder / "site" / "walkon"
        shutil.copytree(
            Path(walkon._base.__file__).parent, self.package / "_base", ignore=shutil.ignore_patterns("__pycache__")
        )
        (self.package / "toy").mkdir()
        for place in (self.package, self.package / "toy"):
            (place / "__init__.py").touch()
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        # A home that cannot be made, also not by root: it would lie inside a file.
        (folder / "file").touch()
        self.nowhere = folder / "file" / "home"
        self.cache = folder / "cache"
        self.write("_kernels", KERNELS)
        self.write("_more_kernels", HELPER.format(factor=2))
        self.write("_other_kernels", OTHER)
        self.write("toy_rule", "FACTOR = 1.0\n")

    def write(self, module: str, text: str) -> None:
        (self.package / "toy" / f"{module}.py").write_text(text)

    def run(self, *arguments: str, **environment: str) -> list[str]:
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH")}
        settings = {
            "PYTHONPATH": str(self.package.parent),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HOME": str(self.nowhere),
            "TMPDIR": str(self.temporary),
            "WALKON_CACHE": str(self.cache),
        }
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", RUN, *arguments],
            env={name: value for name, value in (kept | settings | environment).items() if value},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return done.stdout.split()

    def kernels(self) -> list[Path]:
        return sorted(self.cache.glob("kernel-*.kernel"))


@pytest.fixture
def toy(tmp_path: Path) -> Toy:
    return Toy(tmp_path)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    """A toy whose kernels are kept; what a test plants is found and replaced by the next run."""
    toy = Toy(tmp_path_factory.mktemp("compiled"))
    assert toy.run()[:4] == COMPILED
    return toy


@POSIX
def test_kernels_are_kept_without_a_home_beside_a_read_only_package(toy: Toy) -> None:
    before = set(toy.package.rglob("*"))
    for path in (toy.package, *before):
        path.chmod(path.stat().st_mode & ~0o222)
    *results, folder = toy.run(WALKON_CACHE="")
    assert results == COMPILED
    assert Path(folder).parent == toy.temporary
    assert set(toy.package.rglob("*")) == before
    assert toy.run(WALKON_CACHE="") == [*LOADED, folder]  # the second process loads what the first compiled


def test_an_edit_compiles_the_families_that_rest_on_it_and_no_other(toy: Toy) -> None:
    toy.run()
    toy.write("_kernels", KERNELS.replace("Words", "More words") + "\n# and a comment\n")
    assert toy.run()[:4] == LOADED
    toy.write("_more_kernels", HELPER.format(factor=5))
    assert toy.run()[:4] == ["15.0", "0.5", "0", "1"]
    toy.write("toy_rule", "FACTOR = 2.0\n")
    assert toy.run()[:4] == ["30.0", "0.5", "0", "1"]
    toy.write("_other_kernels", OTHER.replace("0.5", "0.25"))
    assert toy.run()[:4] == ["30.0", "0.25", "1", "0"]


def _damaged(whole: bytes, damage: str) -> bytes:
    return {
        "empty": b"",
        "cut": whole[: len(whole) // 2],
        "random": os.urandom(len(whole)),
        "flipped": whole[:-1] + bytes([whole[-1] ^ 1]),
        "foreign": b"PK\x03\x04" + whole,
    }[damage]


@pytest.mark.parametrize("damages", [("empty", "cut"), ("random", "flipped"), ("foreign", "empty")])
def test_a_damaged_kernel_is_compiled_again_silently(compiled: Toy, damages: tuple[str, str]) -> None:
    for file, damage in zip(compiled.kernels(), damages, strict=True):
        file.write_bytes(_damaged(file.read_bytes(), damage))
    for file in compiled.cache.glob("sources-*.json"):
        file.write_bytes(file.read_bytes()[:100])
    assert compiled.run()[:4] == COMPILED
    assert compiled.run()[:4] == LOADED  # and is whole again


class Planted:
    """What unpickles to a file being made."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.mark),)


@POSIX
def test_what_others_could_have_planted_is_not_executed(toy: Toy, tmp_path: Path) -> None:
    toy.run()
    mark = tmp_path / "executed"
    content = pickle.dumps(Planted(mark))
    for file in toy.kernels():  # as an attacker would write it: whole, but theirs
        file.write_bytes(b"WALKONK1" + hashlib.sha256(content).digest() + content)
        file.chmod(0o622)
    assert toy.run() == [*COMPILED, "None"]
    assert not mark.exists()


@POSIX
@pytest.mark.parametrize("planted", ["file", "folder", "inner folder", "link", "linked folder", "pipe", "other user"])
def test_a_folder_counts_only_if_everything_in_it_is_ours(tmp_path: Path, planted: str) -> None:
    if planted == "other user" and os.getuid() != 0:
        pytest.skip("only root can give files away")
    folder = tmp_path / "cache"
    (folder / "inner").mkdir(parents=True, mode=0o700)
    folder.chmod(0o700)
    file = folder / "inner" / "kernel"
    file.touch(mode=0o600)
    assert cache._problem(folder) is None
    if planted == "file":
        file.chmod(0o602)
    elif planted == "folder":
        folder.chmod(0o770)
    elif planted == "inner folder":
        (folder / "inner").chmod(0o777)
    elif planted == "link":
        file.rename(tmp_path / "elsewhere")
        file.symlink_to(tmp_path / "elsewhere")
    elif planted == "linked folder":
        folder.rename(tmp_path / "real")
        folder.symlink_to(tmp_path / "real")
    elif planted == "pipe":
        os.mkfifo(folder / "pipe")
    else:
        os.chown(file, 12345, 12345)
    reason = {"pipe": "neither a file nor a folder", "other user": "another user"}.get(
        planted, "is a link" if "link" in planted else "by others"
    )
    assert reason in (cache._problem(folder) or "")


def test_kernels_run_where_nothing_can_be_written(toy: Toy) -> None:
    assert toy.run(WALKON_CACHE=str(toy.nowhere)) == [*COMPILED, "None"]


@POSIX
def test_a_full_disk_costs_time_and_nothing_else(toy: Toy) -> None:
    assert toy.run("full")[:4] == COMPILED
    assert toy.run()[:4] == COMPILED
    assert toy.run("full")[:4] == LOADED


@POSIX
def test_files_are_for_their_owner_only(toy: Toy) -> None:
    toy.run()
    assert toy.cache.stat().st_mode & 0o077 == 0
    assert all(file.stat().st_mode & 0o077 == 0 for file in toy.cache.iterdir())


def test_the_last_used_keys_of_a_kind_are_left_and_nothing_of_the_users(tmp_path: Path) -> None:
    now = time.time()
    for k in range(8):
        file = tmp_path / f"cast-{k:016x}.graph"
        file.touch()
        os.utime(file, (now - k, now - k))
    (tmp_path / "cast-mine.graph").touch()
    other = tmp_path / f"builtin-{1:016x}.graph"
    other.touch()
    os.utime(other, (now - 2 * cache.MAX_UNUSED_S,) * 2)
    cache.remove_unused(tmp_path / f"cast-{0:016x}.graph")
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == sorted(["cast-mine.graph", *(f"cast-{k:016x}.graph" for k in range(5))])
