"""The one home of compiler flags: `@kernel(reads(2), writes(1))` compiles a pure function of arrays, once per machine.

Kernels live in modules called `_kernels.py`, which import this module and with it Numba; other modules import their
kernels inside the functions that call them, so that `import walkon` and `walkon --help` stay instant.

* Signatures are explicit: one compiled version each, made (or loaded from the cache) when the module is imported.
  `reads(n)` is an n-dimensional C-contiguous array that may be locked, `writes(n)` one that is written to, and a plain
  name ("int64", "float64", "boolean") a scalar, `group(Kind, …)` a NamedTuple of those, `group_of(Kind)` a table or a
  NamedTuple that declares its arrays itself; the return type is inferred.
* `nogil=True`, never `parallel=True`: threads are ours (`walkon._base.threads`), in fixed chunks, so that the result
  does not depend on their number, and there is no OpenMP pool to stall on a busy machine.
* `fastmath` is off, so that a kernel and its NumPy twin agree to rounding and a NaN stays a NaN.
* `error_model="numpy"`: a division by zero gives inf, as in the twin, and costs no branch.
* Every kernel is kept on disk by itself, under a hash of all code that it rests on: an edit compiles the family that is
  edited and those built on it, and nothing else. So that this stays true, a module of kernels imports other kernels and
  modules called `…_rule` only, which hold constants and argument groups.

    file    = "WALKONK1" · SHA-256 of what follows · pickled result of the compiler
    key     = code of the kernel's module and of all modules it imports, its signature and flags, the versions of
              compiler and libraries, the processor

Numba's own cache aborts the process on a cut file and raises on a full disk; here a file that is missing, cut, empty,
foreign or unreadable is as none: the kernel is compiled, and written again if that is possible. The check of who owns
the folder is `walkon._base.cache`'s; the hash finds damage, not malice.
"""

import hashlib
import pickle
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import llvmlite
import numba
import numpy as np
from numba.core import typeinfer
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from walkon._base.cache import cache_file, mark_used, remove_unused
from walkon._base.files import write_atomically
from walkon._base.profiling import stage
from walkon._base.sources import code_fingerprint, import_closure
from walkon._base.table import Table

__all__ = ["KernelCache", "group", "group_of", "kernel", "load_implementations", "reads", "writes"]

Function = Callable[..., Any]
MAGIC = b"WALKONK1"
VERSIONS = f"numba {numba.__version__}, llvmlite {llvmlite.__version__}, numpy {np.__version__}"


def load_implementations() -> None:
    """Load what compiled code rests on: Numba does that with the first kernel, and it takes a while."""
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.registry import cpu_target

    with global_compiler_lock:
        cpu_target.target_context.refresh()


def reads(dimensions: int, dtype: str = "float64") -> Any:
    """Return the type of a C-contiguous array argument that the kernel only reads; locked arrays are welcome."""
    return numba.types.Array(getattr(numba.types, dtype), dimensions, "C", readonly=True)


def writes(dimensions: int, dtype: str = "float64") -> Any:
    """Return the type of a C-contiguous array argument that the kernel writes to."""
    return numba.types.Array(getattr(numba.types, dtype), dimensions, "C")


def group(kind: type, *fields: Any) -> Any:
    """Return the type of a NamedTuple argument: arrays that belong together travel as one, with their names."""
    types = tuple(getattr(numba.types, field) if isinstance(field, str) else field for field in fields)
    many: Any = numba.types
    # Numba has a type of its own for tuples whose fields are all alike.
    return many.NamedUniTuple(types[0], len(types), kind) if len(set(types)) == 1 else many.NamedTuple(types, kind)


def group_of(kind: type) -> Any:
    """Return the type of a group as it is declared: a `Table`, or a NamedTuple of `Annotated[Column, dtype, n]`.

    Of n-dimensional arrays that are only read, and of other groups. Columns are declared once; here nothing is counted.
    """
    if issubclass(kind, Table):
        specs = fields(kind)
        read = [reads(1 + len(spec.metadata["shape"]), spec.metadata["dtype"].name) for spec in specs]
        return group(kind.group_type(), *read)
    hints = get_type_hints(kind, include_extras=True)
    found = [
        reads(hint.__metadata__[1], hint.__metadata__[0]) if hasattr(hint, "__metadata__") else group_of(hint)
        for hint in hints.values()
    ]
    return group(kind, *found)


def kernel(*arguments: Any, borrowed: bool = False, inline: bool = False) -> Callable[[Function], Function]:
    """Compile a function of these argument types with the project's flags.

    With no types it is a small helper that only other kernels call: it is compiled into its callers, and needs no
    signature and no cache entry of its own. A kernel that makes no arrays of its own can have all of them `borrowed`:
    then nothing is counted in and out at every call and slice, which in small inner functions costs more than the work.
    A helper that is given large groups can be put `inline` into its callers: a call hands on every array of a group,
    seven words each.
    """
    flags: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True, "_nrt": not borrowed}
    types = tuple(getattr(numba.types, a) if isinstance(a, str) else a for a in arguments)

    def compile_it(function: Function) -> Function:
        if not types:
            # Nobody calls it from Python, and the bridge would be half of its compile time.
            where = "always" if inline else "never"
            return numba.njit(**(flags | {"no_cpython_wrapper": True, "inline": where}))(function)
        made: Any = numba.njit(**flags)(function)
        if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
            return made
        made._cache = KernelCache(function, flags)
        # As Numba does for explicit signatures, but for the cache.
        with stage("loading or compiling kernels"), typeinfer.register_dispatcher(made):
            made.compile(types)
        made.disable_compile()
        return made

    return compile_it


class KernelCache(_Cache):
    """The disk cache of one kernel, as Numba's dispatcher asks for it."""

    def __init__(self, function: Any, flags: dict[str, Any]) -> None:
        self._name = f"{function.__module__.removeprefix('walkon.')}.{function.__qualname__}"
        self._versions = f"{VERSIONS} {function.__qualname__} {sorted(flags.items())}"
        self._module = function.__module__

    @property
    def cache_path(self) -> str:
        """Where a kernel would be kept; for Numba's own messages."""
        file = cache_file("kernel", "0" * 16, ".kernel")
        return "" if file is None else str(file.parent)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled kernel from its file, or None where there is none that is whole."""
        target_context.refresh()
        file = self._file(sig, target_context.codegen())
        try:
            content = file.read_bytes() if file is not None else b""
            start = len(MAGIC) + hashlib.sha256().digest_size
            if file is None or content[:start] != MAGIC + hashlib.sha256(content[start:]).digest():
                return None
            found = CompileResult._rebuild(target_context, *pickle.loads(content[start:]))  # type: ignore[no-untyped-call]
        except Exception:  # whatever is wrong with it, compiling is right
            return None
        mark_used(file)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write a compiled kernel, if it can be written."""
        holds_addresses = data.lifted or data.library.has_dynamic_globals  # of this process
        file = None if holds_addresses else self._file(sig, data.codegen)
        if file is None:
            return
        with suppress(Exception):  # a full disk costs time at the next start, nothing else
            content = dumps(data._reduce())  # type: ignore[no-untyped-call]
            write_atomically(
                file, lambda out: out.write(MAGIC + hashlib.sha256(content).digest() + content), private=True
            )
            remove_unused(file)

    def flush(self) -> None:
        """Numba's dispatchers ask for this when they are recompiled; files named by their content are never stale."""

    def enable(self) -> None:
        """Part of Numba's interface."""

    def disable(self) -> None:
        """Part of Numba's interface."""

    def _file(self, sig: Any, codegen: Any) -> Path | None:
        if not import_closure(self._module, inner=False):
            return None  # a kernel from elsewhere, whose code is not known here: what is kept could be out of date
        key = code_fingerprint(f"{self._versions} {sig} {codegen.magic_tuple()}", self._module, inner=False)
        return cache_file(f"kernel-{self._name}", key, ".kernel")
