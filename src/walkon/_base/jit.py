"""The one home of compiler flags: `@kernel(reads(2), writes(1))` compiles a pure function of arrays, once per machine.

Kernels live in modules called `_kernels.py`, which import this module and with it Numba; other modules import their
kernels inside the functions that call them, so that `import walkon` and `walkon --help` stay instant.

* Signatures are explicit: one compiled version each, made (or loaded from the cache) when the module is imported.
  `reads(n)` is an n-dimensional C-contiguous array that may be locked, `writes(n)` one that is written to, and a plain
  name ("int64", "float64", "boolean") a scalar, `group(Kind, …)` a NamedTuple of those; the return type is inferred.
* `nogil=True`, never `parallel=True`: threads are ours (`walkon._base.threads`), in fixed chunks, so that the result
  does not depend on their number, and there is no OpenMP pool to stall on a busy machine.
* `fastmath` is off, so that a kernel and its NumPy twin agree to rounding and a NaN stays a NaN.
* `error_model="numpy"`: a division by zero gives inf, as in the twin, and costs no branch.
* Every kernel is kept on disk by itself, under a hash of all code that it rests on (`walkon._base.kernel_cache`): an
  edit compiles the family that is edited and those built on it, and nothing else. So that this stays true, a module of
  kernels imports other kernels and modules called `…_rule` only, which hold constants and argument groups.
"""

from collections.abc import Callable
from typing import Any

import numba
from numba.core import typeinfer

from walkon._base.kernel_cache import KernelCache
from walkon._base.profiling import stage

__all__ = ["group", "kernel", "load_implementations", "reads", "writes"]

Function = Callable[..., Any]


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


def kernel(*arguments: Any, borrowed: bool = False) -> Callable[[Function], Function]:
    """Compile a function of these argument types with the project's flags.

    With no types it is a small helper that only other kernels call: it is compiled into its callers, and needs no
    signature and no cache entry of its own. A kernel that makes no arrays of its own can have all of them `borrowed`:
    then nothing is counted in and out at every call and slice, which in small inner functions costs more than the work.
    """
    flags: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True, "_nrt": not borrowed}
    types = tuple(getattr(numba.types, a) if isinstance(a, str) else a for a in arguments)

    def compile_it(function: Function) -> Function:
        if not types:
            # Nobody calls it from Python, and the bridge would be half of its compile time.
            return numba.njit(**(flags | {"no_cpython_wrapper": True}))(function)
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
