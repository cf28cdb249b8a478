"""The container of all graphs: one block of `walkon._base.array_file`, whose header says which kind of graph it holds.

Files are opened here once for every kind, so that damage, other files and other kinds of graphs are told in the same
words.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from walkon._base.array_file import read_array_file, write_array_file
from walkon._base.errors import FileError, NewerFile, UnreadableFile, WalkonError

__all__ = ["KIND", "VERSION", "check_kind", "read_graph_file", "write_graph_file"]

KIND = "graph"
VERSION = 1
"""Of the container; a kind of graph may count its own in the header."""
KINDS = {"motion": "a motion graph", "snap": "a snap-together graph"}
LOADERS = {"motion": "load_motion_graph", "snap": "load_snap_graph"}
Made = TypeVar("Made")


def write_graph_file(path: str | Path, *, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> Path:
    """Write a graph, atomically; header["kind"] says which kind."""
    return write_array_file(path, KIND, version=VERSION, header=header, arrays=arrays)


def read_graph_file(path: str | Path, make: Callable[[dict[str, Any], dict[str, Any]], Made]) -> Made:
    """Open a graph and return `make(header, arrays)`; what `make` cannot use is a damaged file."""
    file = read_array_file(path, KIND, version=VERSION)
    try:
        headers, arrays = file.joined()
        return make(headers[0], arrays)
    except FileError as error:
        if error.path is not None:
            raise
        raise type(error)(str(error), path=path) from error
    except WalkonError as error:
        raise UnreadableFile(f"damaged graph: {error}", path=path) from error
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        # The bytes are whole, but they are not what a graph's writer writes.
        raise UnreadableFile(f"damaged graph: its header does not fit ({error!r})", path=path) from error


def check_kind(header: Mapping[str, Any], kind: str, *, version: int) -> None:
    """Refuse a header of another kind of graph, or of another version of this one."""
    found = str(header["kind"])
    if found != kind:
        way = f"open it with {LOADERS[found]} or load_graph" if found in LOADERS else "update walkon"
        raise UnreadableFile(f"this is {KINDS.get(found, f'a {found} graph')}, not {KINDS[kind]}; {way}")
    if header.get("version", 1) > version:
        raise NewerFile(
            f"written by a newer Walkon (format {header['version']} of {KINDS[kind]}, this one reads up to {version}); "
            "update walkon"
        )
    if (older := header.get("version", 1)) < version:
        raise UnreadableFile(
            f"written by an older Walkon (format {older} of {KINDS[kind]}, this one reads {version}); "
            "build it again with `walkon graph build`"
        )
