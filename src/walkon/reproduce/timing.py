"""Seconds that something takes, with nothing compiled or loaded within them."""

import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

__all__ = ["load_kernels", "timed"]

P = ParamSpec("P")
T = TypeVar("T")


def timed(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> tuple[T, float]:
    """Return what a function gives for these arguments, and the seconds that it took."""
    begun = time.perf_counter()
    made = work(*args, **kwargs)
    return made, time.perf_counter() - begun


def load_kernels() -> None:
    """Load what graphs are built, searched, played and posed with, before a clock starts."""
    from walkon.geometry import _path_kernels as _progress  # noqa: F401
    from walkon.graphs import _distance_kernels  # noqa: F401
    from walkon.graphs.snap_together.playing import _play_kernels  # noqa: F401
    from walkon.synthesis import _path_kernels  # noqa: F401
    from walkon.take.posing import _kernels  # noqa: F401
