"""Where Walkon keeps what it can always make again (compiled kernels): one folder per user, found once per process."""

import hashlib
import os
import re
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

__all__ = ["cache_folder", "kernel_folder"]

KEEP_UNUSED = 30 * 24 * 3600.0
"""Seconds for which the kernels of another version of the sources are kept."""
IMPORTED = re.compile(r"^from walkon\.([\w.]+) import", re.MULTILINE)
"""What a source says it takes from other modules of the package."""


def _candidates() -> list[Path]:
    given = os.environ.get("WALKON_CACHE")
    if given:
        return [Path(given)]
    folders = []
    if sys.platform == "win32" and os.environ.get("LOCALAPPDATA"):
        folders.append(Path(os.environ["LOCALAPPDATA"]) / "walkon")
    elif sys.platform == "darwin":
        folders.append(Path("~/Library/Caches/walkon"))
    else:
        folders.append(Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "walkon")
    # A home that cannot be written (a service user, a sandbox) still has a temporary folder; the user's number keeps
    # two users of one machine apart.
    user = os.getuid() if hasattr(os, "getuid") else "user"
    folders.append(Path(tempfile.gettempdir()) / f"walkon-{user}")
    return folders


def _is_ours_and_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
            return False  # compiled code made by somebody else is not ours to run
        with tempfile.TemporaryFile(dir=folder):
            return True
    except (OSError, RuntimeError):
        return False


@cache
def cache_folder() -> Path | None:
    """Return the folder for caches (`WALKON_CACHE` overrides it), or None where nothing can be written."""
    for folder in _candidates():
        try:
            folder = folder.expanduser()  # noqa: PLW2901
        except RuntimeError:  # no home at all
            continue
        if _is_ours_and_writable(folder):
            return folder
    return None


@cache
def kernel_folder(versions: str) -> Path | None:
    """Return the folder for compiled kernels of these sources and library `versions`, or None without a cache.

    The name is a hash of every kernel source in the package, and of the modules whose constants they import, so a
    kernel can never be out of date: any edit, and any other version of the compiler, starts a fresh folder.
    """
    folder = cache_folder()
    if folder is None:
        return None
    digest = hashlib.sha256(versions.encode())
    package = Path(__file__).resolve().parent.parent
    kernels = [*package.rglob("_kernels.py"), *package.rglob("_*_kernels.py")]
    named = {name for source in kernels for name in IMPORTED.findall(source.read_text("utf-8"))}
    constants = {package / f"{name.replace('.', '/')}.py" for name in named}
    for source in sorted({*kernels, *(file for file in constants if file.is_file()), package / "_base" / "jit.py"}):
        digest.update(source.relative_to(package).as_posix().encode())
        digest.update(source.read_bytes())
    mine = folder / f"kernels-{digest.hexdigest()[:16]}"
    try:
        fresh = not mine.exists()
        mine.mkdir(exist_ok=True)
        os.utime(mine)
        if fresh:
            _remove_unused(folder, mine)
    except OSError:
        return None
    return mine


def _remove_unused(folder: Path, mine: Path) -> None:
    import shutil

    for other in folder.glob("kernels-*"):
        if other != mine and time.time() - other.stat().st_mtime > KEEP_UNUSED:
            shutil.rmtree(other, ignore_errors=True)
