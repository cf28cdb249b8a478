"""Compiled kernels on disk: one file each, named by a hash of all that has a say in the machine code.

    file    = "WALKONK1" · SHA-256 of what follows · pickled result of the compiler
    key     = code of the kernel's module and of all modules it imports, its signature and flags, the versions of
              compiler and libraries, the processor

Numba's own cache aborts the process on a cut file and raises on a full disk; here a file that is missing, cut, empty,
foreign or unreadable is as none: the kernel is compiled, and written again if that is possible. The check of who owns
the folder is `walkon._base.cache`'s; the hash finds damage, not malice.
"""

import hashlib
import pickle
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from walkon._base.cache import cache_file, mark_used, remove_unused
from walkon._base.files import write_atomically
from walkon._base.sources import code_fingerprint, import_closure

__all__ = ["KernelCache"]

MAGIC = b"WALKONK1"
VERSIONS = f"numba {numba.__version__}, llvmlite {llvmlite.__version__}, numpy {np.__version__}"


class KernelCache(_Cache):
    """The disk cache of one kernel, as Numba's dispatcher asks for it."""

    def __init__(self, function: Any, flags: dict[str, Any]) -> None:
        self._name = f"{function.__module__.removeprefix('walkon.')}.{function.__qualname__}"
        self._told = f"{VERSIONS} {function.__qualname__} {sorted(flags.items())}"
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
            if (
                content[: len(MAGIC)] != MAGIC
                or hashlib.sha256(content[start:]).digest() != content[len(MAGIC) : start]
            ):
                return None
            found = CompileResult._rebuild(target_context, *pickle.loads(content[start:]))  # type: ignore[no-untyped-call]
        except Exception:  # whatever is wrong with it, compiling is right
            return None
        assert file is not None
        mark_used(file)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write a compiled kernel, if it can be written."""
        if data.lifted or data.library.has_dynamic_globals:
            return  # such code holds addresses of this process
        file = self._file(sig, data.codegen)
        if file is None:
            return
        try:
            content = dumps(data._reduce())  # type: ignore[no-untyped-call]
            write_atomically(
                file, lambda out: out.write(MAGIC + hashlib.sha256(content).digest() + content), private=True
            )
            remove_unused(file)
        except Exception:  # a full disk costs time at the next start, nothing else
            pass

    def flush(self) -> None:
        """Numba's dispatchers ask for this when they are recompiled; files named by their content are never stale."""

    def enable(self) -> None:
        """Part of Numba's interface."""

    def disable(self) -> None:
        """Part of Numba's interface."""

    def _file(self, sig: Any, codegen: Any) -> Path | None:
        if not import_closure(self._module, inner=False):
            return None  # a kernel from elsewhere, whose code is not known here: what is kept could be out of date
        key = code_fingerprint(f"{self._told} {sig} {codegen.magic_tuple()}", self._module, inner=False)
        return cache_file(f"kernel-{self._name}", key, ".kernel")
