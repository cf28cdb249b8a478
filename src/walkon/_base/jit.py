"""The one home of compiler flags: `@kernel(signature)` compiles a pure function of arrays, once per machine.

Kernels live in modules called `_kernels.py`, which import this module and with it Numba; other modules import their
kernels inside the functions that call them, so that `import walkon` and `walkon --help` stay instant.

* Signatures are explicit: one compiled version each, made (or loaded from the cache) when the module is imported.
* `nogil=True`, never `parallel=True`: threads are ours (`walkon._base.threads`), in fixed chunks, so that the result
  does not depend on their number, and there is no OpenMP pool to stall on a busy machine.
* `fastmath` is off, so that a kernel and its NumPy twin agree to rounding and a NaN stays a NaN.
* `error_model="numpy"`: a division by zero gives inf, as in the twin, and costs no branch.
* The cache is never stale (see `walkon._base.cache.kernel_folder`) and works from a read-only install.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import llvmlite
import numba
import numpy as np

from walkon._base.cache import kernel_folder

__all__ = ["kernel"]

F = TypeVar("F", bound=Callable[..., Any])

VERSIONS = f"numba {numba.__version__}, llvmlite {llvmlite.__version__}, numpy {np.__version__}"


def kernel(signature: str | list[str] | None = None, *, inline: bool = False) -> Callable[[F], F]:
    """Compile a function with the project's flags; `inline` marks small helpers that only other kernels call."""
    folder = kernel_folder(VERSIONS)

    def compile_it(function: F) -> F:
        flags: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
        if inline:
            # Helpers are compiled into their callers; they need neither a signature nor a cache entry of their own.
            return numba.njit(**flags)(function)  # type: ignore[no-any-return]
        before = numba.config.CACHE_DIR
        # Numba reads this setting when a cached function is made; other users of Numba in the process keep theirs.
        numba.config.CACHE_DIR = str(folder or "")
        try:
            arguments = () if signature is None else (signature,)
            return numba.njit(*arguments, cache=folder is not None, **flags)(function)  # type: ignore[no-any-return]
        finally:
            numba.config.CACHE_DIR = before

    return compile_it
