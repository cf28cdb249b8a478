"""Fingerprints of code: what a module does, and what all modules do that it imports.

The code of a module is hashed as compiled, without docstrings, assertions, comments and line numbers, so that only a
change which can change a result changes the hash. The import closure is read from the sources: with `inner`, imports
inside functions count too. Nothing is imported for it.

What is known of each file is kept in the cache folder and read again only when the file's time or size has changed.
"""

import ast
import hashlib
import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from walkon._base.cache import cache_folder, remove_unused
from walkon._base.files import write_atomically

__all__ = ["code_fingerprint", "import_closure"]

PACKAGE = Path(__file__).resolve().parent.parent
WITHOUT_SAY = frozenset(
    f"walkon._base.{name}" for name in ("cache", "compiler", "errors", "files", "jit", "kept", "sources", "threads")
)
"""Modules that keep, compile, share out work or complain: they have no say in a result, nor has what they import."""
FIELDS = (
    *("co_code", "co_consts", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_flags", "co_argcount"),
    *("co_kwonlyargcount", "co_posonlyargcount", "co_exceptiontable"),
)


class Source(NamedTuple):
    """What is known of one file."""

    stamp: tuple[int, int]
    """ns of its last change, bytes."""
    code: str
    """Hash of what it does."""
    outer: tuple[str, ...]
    """Modules of this package that importing it imports."""
    inner: tuple[str, ...]
    """Modules that its functions import."""


def code_fingerprint(inputs: str, *modules: str, inner: bool = True) -> str:
    """Return 16 hexadecimal digits: a hash of `inputs` (seeds, versions) and of all code that these modules rest on."""
    digest = hashlib.sha256(f"{inputs} python {sys.version_info[:2]}".encode())
    for name in import_closure(*modules, inner=inner):
        digest.update(f"{name} {_known_sources()[name].code}".encode())
    return digest.hexdigest()[:16]


def import_closure(*modules: str, inner: bool = True) -> tuple[str, ...]:
    """Return these modules and all of this package that they import, one through the other, in order of names.

    Without `inner`, what functions import when called is left out. `WITHOUT_SAY` always is.
    """
    found: set[str] = set()
    left, fresh = list(modules), False
    while left:
        name = left.pop()
        file = None if name in found or name in WITHOUT_SAY else _file_of(name)
        if file is None:
            continue
        found.add(name)
        status = file.stat()
        stamp = (status.st_mtime_ns, status.st_size)
        known = _known_sources().get(name)
        if known is None or known.stamp != stamp:
            known, fresh = _read(file, stamp), True
            _known_sources()[name] = known
        left += [*known.outer, *(known.inner if inner else ())]
    if fresh:
        _save_sources()
    return tuple(sorted(found))


@cache
def _file_of(module: str) -> Path | None:
    """Return the file of a module of this package, None for what is no module."""
    first, *parts = module.split(".")
    place = PACKAGE.joinpath(*parts)
    files = (place.with_suffix(".py"), place / "__init__.py") if parts else (place / "__init__.py",)
    return next((file for file in files if first == "walkon" and file.is_file()), None)


def _read(file: Path, stamp: tuple[int, int]) -> Source:
    text = file.read_bytes()
    digest = hashlib.sha256()
    for part in _parts(compile(text, "source", "exec", dont_inherit=True, optimize=2)):
        digest.update(part.encode())
    outer: set[str] = set()
    inner: set[str] = set()
    for node, in_function in _imports(ast.parse(text), in_function=False):
        (inner if in_function else outer).update(_imported_modules(node))
    return Source(stamp, digest.hexdigest(), tuple(sorted(outer)), tuple(sorted(inner - outer)))


def _parts(code: CodeType) -> Iterator[str]:
    """Yield everything about compiled code that is not about lines or files."""
    for field in FIELDS:
        values: Any = getattr(code, field)
        if field != "co_consts":
            yield repr(values)
            continue
        for value in values:
            if isinstance(value, CodeType):
                yield from _parts(value)
            else:  # the order of a set of strings changes from process to process
                yield repr(sorted(map(repr, value)) if isinstance(value, frozenset) else value)


def _imports(node: ast.AST, *, in_function: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Yield the imports below a node, and whether a function makes them; those only for type checkers are left out."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, in_function
        elif isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            yield from _imports(ast.Module(child.orelse, []), in_function=in_function)
        elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from _imports(child, in_function=in_function or inside)


def _imported_modules(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """Yield the modules of this package that an import names: the module a name is taken from, or that is the name."""
    for alias in node.names:
        names = (alias.name,) if isinstance(node, ast.Import) else (f"{node.module}.{alias.name}", str(node.module))
        yield from [name for name in names if _file_of(name)][:1]


def _sources_file() -> Path | None:
    folder = cache_folder()
    # Two installs, of two versions of Python, have different sources.
    place = hashlib.sha256(f"{PACKAGE} {sys.version}".encode()).hexdigest()[:16]
    return None if folder is None else folder / f"sources-{place}.json"


@cache
def _known_sources() -> dict[str, Source]:
    """Return what is known of modules, as kept; grows while modules are read."""
    file = _sources_file()
    if file is None:
        return {}
    try:
        rows = json.loads(file.read_bytes())
        return {
            str(name): Source((int(time), int(size)), str(code), tuple(map(str, outer)), tuple(map(str, inner)))
            for name, time, size, code, outer, inner in rows
        }
    except (OSError, ValueError, TypeError, RecursionError):  # missing, cut, or not what we write
        return {}


def _save_sources() -> None:
    file = _sources_file()
    if file is None:
        return
    rows = [[name, *source.stamp, source.code, source.outer, source.inner] for name, source in _known_sources().items()]
    with suppress(OSError):  # it is made again next time
        write_atomically(file, lambda out: out.write(json.dumps(rows).encode()), private=True)
        remove_unused(file)
