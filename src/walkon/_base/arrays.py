"""Arrays inside frozen dataclasses: converted, shape-checked and made read-only once, at construction."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from walkon._base.errors import InvalidShape, InvalidValue

__all__ = ["Array", "BoolArray", "IntArray", "lock", "lock_array", "lock_fields", "locked"]

Array = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Group = TypeVar("Group", bound=tuple[Any, ...])


def locked(values: Any, dtype: DTypeLike | None = None) -> Any:
    """Return values as a read-only array, unchecked; one that nobody else has is not copied, and is read-only then."""
    array = np.asarray(values, dtype=dtype)
    array.flags.writeable = False
    return array


def lock_array(value: object, shape: tuple[int | None, ...], *, name: str, dtype: DTypeLike = np.float64) -> Any:
    """Return `value` as a read-only C-contiguous array of the given shape (None = any length) with finite numbers.

    An array that is already locked, contiguous and of the right type is returned as it is, so that sharing the arrays
    of a large library costs nothing.
    """
    try:
        array = np.asarray(value, dtype=dtype)
    except (TypeError, ValueError) as error:
        raise InvalidValue(f"{name} must be an array of {np.dtype(dtype).name}: {error}") from None
    if array.ndim != len(shape) or any(n not in (None, got) for n, got in zip(shape, array.shape, strict=True)):
        wanted = "(" + ", ".join("any" if n is None else str(n) for n in shape) + ")"
        raise InvalidShape(f"{name} must have shape {wanted}, got {array.shape}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise InvalidValue(f"{name} must be finite, but entry {where} is {array[where]}")
    if array.flags.writeable or not array.flags.c_contiguous:
        array = np.array(array, order="C", copy=True)
        array.flags.writeable = False
    return array


def lock(obj: object, field: str, shape: tuple[int | None, ...], dtype: DTypeLike = np.float64) -> None:
    """Replace an array field of a frozen dataclass by its locked form (see `lock_array`)."""
    name = f"{type(obj).__name__}.{field}"
    object.__setattr__(obj, field, lock_array(getattr(obj, field), shape, name=name, dtype=dtype))


def lock_fields(group: Group) -> Group:
    """Make all arrays of a tuple read-only, in place, and return it: an argument group of kernels."""
    for value in group:
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    return group
