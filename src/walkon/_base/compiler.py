"""Loading the compiler ahead of time: kernels need it for their first call, and importing it takes half a second.

A command that is about to plan begins that in the background (`prepare_compiler`) before reading a graph or a scene,
which is mostly waiting for files and checksums; the first kernel waits for what is left of it.
"""

import sys
import threading

__all__ = ["prepare_compiler"]

_begun = threading.Lock()


def prepare_compiler() -> None:
    """Begin to load the compiler in a thread, unless it is there or on its way."""
    if "numba" not in sys.modules and _begun.acquire(blocking=False):
        threading.Thread(target=_load, name="walkon-compiler").start()


def _load() -> None:
    try:
        from walkon._base.jit import load_implementations
    except Exception:  # a caller that needs a kernel imports it again, and gets the error
        return
    load_implementations()
