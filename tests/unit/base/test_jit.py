"""Kernels: locked arrays are welcome, flags are the project's, other users of the compiler are left alone."""

import numba
import numpy as np

from walkon._base.jit import kernel, reads, writes


def test_a_kernel_reads_locked_arrays_and_writes_free_ones() -> None:
    @kernel(reads(1), writes(1), "float64")
    def scale(values, out, factor):
        for i in range(values.shape[0]):
            out[i] = values[i] * factor

    values, out = np.arange(3.0), np.zeros(3)
    values.flags.writeable = False
    scale(values, out, 2.0)
    assert out.tolist() == [0.0, 2.0, 4.0]
    scale(np.ones(3), out, 3)  # a free array and a whole number fit the same version
    assert out.tolist() == [3.0, 3.0, 3.0]
    assert len(scale.signatures) == 1


def test_dividing_by_zero_gives_infinity_and_a_nan_stays_one() -> None:
    @kernel("float64", "float64")
    def divide(a, b):
        return a / b

    assert divide(1.0, 0.0) == np.inf
    assert np.isnan(divide(0.0, 0.0))


def test_the_compilers_own_cache_setting_is_untouched() -> None:
    before = numba.config.CACHE_DIR

    @kernel("int64")
    def same(n):
        return n

    assert same(3) == 3
    assert before == numba.config.CACHE_DIR


def test_a_kernel_from_elsewhere_is_not_kept(own_cache) -> None:
    """What it rests on is not known here, so a kept one could be out of date."""

    @kernel("float64")
    def third(x):
        return x / 3.0

    assert third(3.0) == 1.0
    assert list(own_cache.glob("kernel-*")) == []
