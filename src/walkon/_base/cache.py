"""Where Walkon keeps what it can always make again (compiled kernels, the built-in library): one folder per user.

A kernel read from here is executed, so the folder counts only if it and everything in it is ours: owned by this user,
writable by nobody else, plain files and folders, no links. Otherwise the next candidate counts, and at last none: then
everything is made anew by every process. Nothing that lies here can make a command fail.

Files are called `kind-key.suffix`. The key is a hash of all that has a say in the content (`walkon._base.sources`), so
what is kept is never out of date; other keys of one kind are left to other versions, and go when unused.
"""

import contextlib
import os
import re
import stat
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

__all__ = ["cache_file", "cache_folder", "cache_problems", "mark_used", "remove_unused"]

MAX_UNUSED_S = 30 * 24 * 3600.0
"""s for which a file of another version is kept."""
MAX_OTHER_KEYS = 4
"""Files of one kind with other keys that are kept: another install may want its own, but each edit of a source makes
one."""
KEPT_NAME = re.compile(r"(?P<kind>.+)-[0-9a-f]{16}(?P<suffix>\.\w+)")
"""Names of files that are ours to remove; others in the folder are left alone."""


def _candidates() -> list[Path]:
    given = os.environ.get("WALKON_CACHE")
    if given:
        return [Path(given)]
    if sys.platform == "win32" and os.environ.get("LOCALAPPDATA"):
        usual = Path(os.environ["LOCALAPPDATA"])
    elif sys.platform == "darwin":
        usual = Path("~/Library/Caches")
    else:
        usual = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    # A home that cannot be written (a service user, a sandbox) still has a temporary folder; the user's number keeps
    # two users of one machine apart.
    user = os.getuid() if hasattr(os, "getuid") else "user"
    return [usual / "walkon", Path(tempfile.gettempdir()) / f"walkon-{user}"]


def _distrust(path: str | Path, found: os.stat_result) -> str | None:
    """Return why a file or folder must not be used, from its own entry (links are not followed)."""
    user = os.getuid() if hasattr(os, "getuid") else None
    for wrong, why in (
        (stat.S_ISLNK(found.st_mode), "is a link"),
        (not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)), "is neither a file nor a folder"),
        (user not in (None, found.st_uid), "belongs to another user"),
        (user is not None and found.st_mode & (stat.S_IWGRP | stat.S_IWOTH), "can be written by others"),
    ):
        if wrong:
            return f"{path} {why}"
    return None


def _problem(folder: Path) -> str | None:
    """Return why a folder cannot be the cache; makes it if it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        problem = _distrust(folder, folder.lstat())
        places = [os.fspath(folder)]
        while problem is None and places:
            with os.scandir(places.pop()) as entries:
                for entry in entries:
                    try:
                        found = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:  # another process has just removed it
                        continue
                    problem = problem or _distrust(entry.path, found)
                    if stat.S_ISDIR(found.st_mode):
                        places.append(entry.path)
        if problem is None:
            with tempfile.TemporaryFile(dir=folder):
                pass
    except (OSError, RuntimeError) as error:
        return f"{folder}: {getattr(error, 'strerror', None) or error}"
    return problem


@cache
def _choice() -> tuple[Path | None, tuple[str, ...]]:
    problems = []
    for folder in _candidates():
        try:
            place = folder.expanduser()
        except RuntimeError:  # no home at all
            problems.append(f"{folder}: there is no home folder")
            continue
        problem = _problem(place)
        if problem is None:
            return place, tuple(problems)
        problems.append(problem)
    return None, tuple(problems)


def cache_folder() -> Path | None:
    """Return the folder for caches (`WALKON_CACHE` overrides it), or None where there is none that can be trusted.

    It is looked at once per process.
    """
    return _choice()[0]


def cache_problems() -> tuple[str, ...]:
    """Return why the folders that would have been preferred are not used, a sentence each."""
    return _choice()[1]


def cache_file(kind: str, key: str, suffix: str) -> Path | None:
    """Return where something of a kind is kept, or None without a cache; `key` is 16 hexadecimal digits."""
    folder = cache_folder()
    return None if folder is None else folder / f"{kind}-{key}{suffix}"


def mark_used(file: Path) -> None:
    """Note that a kept file was used now."""
    with contextlib.suppress(OSError):
        os.utime(file)


def remove_unused(file: Path) -> None:
    """Delete what other keys left beside a file: unused for a month, or of its kind and not among the last used."""
    mine = KEPT_NAME.fullmatch(file.name)
    others = []
    with contextlib.suppress(OSError):
        for other in file.parent.iterdir():
            named = KEPT_NAME.fullmatch(other.name)
            if mine is None or named is None or other == file or named["suffix"] != mine["suffix"]:
                continue
            with contextlib.suppress(OSError):
                others.append((time.time() - other.lstat().st_mtime, named["kind"] == mine["kind"], other))
    same = 0
    for age_s, is_same_kind, other in sorted(others):
        same += is_same_kind
        if age_s > MAX_UNUSED_S or (is_same_kind and same > MAX_OTHER_KEYS):
            with contextlib.suppress(OSError):
                other.unlink()
