"""Every error that Walkon raises on purpose, under one base class.

    WalkonError
    ├── InvalidValue (ValueError)        an argument or a field breaks a rule
    │   ├── InvalidShape                 an array has the wrong shape
    │   ├── InvalidSkeleton              a hierarchy that is not a tree, duplicate names …
    │   └── InvalidClip                  a motion that breaks a rule of Clip
    ├── UnknownName (KeyError)           a joint, role, label or clip that does not exist
    ├── MissingRole (LookupError)        the skeleton has no such part (a function that needs feet says so)
    ├── FileError (OSError)              something about a file; carries `path` and `line`
    │   ├── UnreadableFile               damaged, truncated, of another kind
    │   ├── NewerFile                    written by a newer version of Walkon
    │   └── CannotWrite                  the target cannot be written; what was there is untouched
    ├── ScaleError (ValueError)          a loaded body is not the size of a body
    └── MissingExtra (ImportError)       an optional library is not installed

A message names the value, the rule and the way out. The command line prints it as one sentence and exits with 2.
"""

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from pathlib import Path

__all__ = [
    "CannotWrite",
    "FileError",
    "InvalidClip",
    "InvalidShape",
    "InvalidSkeleton",
    "InvalidValue",
    "MissingExtra",
    "MissingRole",
    "NewerFile",
    "ScaleError",
    "UnknownName",
    "UnreadableFile",
    "WalkonError",
]


class WalkonError(Exception):
    """The base of all errors that Walkon raises on purpose."""

    def __str__(self) -> str:
        # KeyError would show the repr of its message, OSError a pair: a sentence should look like one everywhere.
        return str(self.args[0]) if self.args else type(self).__name__


class InvalidValue(WalkonError, ValueError):
    """An argument or a field breaks a rule."""


class InvalidShape(InvalidValue):
    """An array has the wrong shape."""


class InvalidSkeleton(InvalidValue):
    """A hierarchy that cannot be a skeleton."""


class InvalidClip(InvalidValue):
    """A motion that breaks a rule of `Clip`."""


class UnknownName(WalkonError, KeyError):
    """A name that does not exist; the message lists close matches and, if few, all names."""

    @classmethod
    def among(cls, kind: str, name: str, known: Iterable[str]) -> "UnknownName":
        """Build the message for `name`, which is not one of the `known` names of this `kind`."""
        known = list(known)
        text = f"there is no {kind} {name!r}."
        if close := get_close_matches(name, known, n=3, cutoff=0.5):
            text += " Close matches: " + ", ".join(map(repr, close)) + "."
        shown = ", ".join(map(repr, known[:40])) or "none"
        more = f" and {len(known) - 40} more" if len(known) > 40 else ""
        return cls(f"{text} Known: {shown}{more}.")

    @classmethod
    def check(cls, kind: str, name: str, known: Collection[str]) -> None:
        """Raise this error, as `among` builds it, unless `name` is one of the `known` names."""
        if name not in known:
            raise cls.among(kind, name, known)


class MissingRole(WalkonError, LookupError):
    """The skeleton has no joint in a role that is needed."""


class FileError(WalkonError, OSError):
    """Something is wrong with a file."""

    def __init__(self, message: str, *, path: str | Path | None = None, line: int | None = None) -> None:
        where = "" if path is None else f"{path}:{line}: " if line is not None else f"{path}: "
        super().__init__(where + message)
        self.path = None if path is None else Path(path)
        self.line = line


class UnreadableFile(FileError):
    """A file that is damaged, truncated or of another kind."""


class NewerFile(FileError):
    """A file written by a newer version of Walkon."""

    @classmethod
    def check(cls, written: int, known: int, *, path: str | Path | None = None) -> None:
        """Raise this error for a format that was written by a later Walkon than this one."""
        if written > known:
            words = f"written by a newer Walkon (format {written}, this one reads up to {known}); update walkon"
            raise cls(words, path=path)


class CannotWrite(FileError):
    """A target that cannot be written; what was there before is untouched."""


class ScaleError(WalkonError, ValueError):
    """A loaded body is not the size of a body."""


class MissingExtra(WalkonError, ImportError):
    """An optional library is not installed."""

    @classmethod
    def named(cls, extra: str, purpose: str) -> "MissingExtra":
        """Say which extra to install for which purpose."""
        return cls(f"{purpose} needs the extra {extra!r}: pip install 'walkon[{extra}]'")
