import numpy as np
import pytest

from twins.bvh import format_numbers_python, parse_numbers_python
from walkon._base.errors import UnreadableFile
from walkon.io.bvh_numbers import UNCERTAIN_ROOM_COUNT, format_numbers, line_at, parse_numbers

HARD = """
0 -0 +0 0.0 -0.0000 .5 -.5 5. 1e5 1E-5 -1.25e+02 000123.4500
900719925 9007199254740993e-10 9007199254740995e-9 123456789012345678e-12 0.1 0.2 0.3 1e-22 1e-23 5e-324
2.2250738585072011e-308 1e-400 0.30000000000000004 179.99999999999997 -17.345678901234567 8.5e-17 3.141592653589793238
"""


def bits(array):
    return np.asarray(array).view(np.uint64).tolist()


def test_hard_decimals_are_rounded_as_float_rounds_them_bit_for_bit():
    content = "\n".join(HARD.split()).encode()
    ours = parse_numbers(content, 0, channels=1)[0]
    assert bits(ours) == bits(parse_numbers_python(content, channels=1))


@pytest.mark.parametrize("digits", [3, 6, 15, 16, 17, 18, 19, 25])
def test_numbers_of_any_length_are_rounded_as_float_rounds_them(rng, digits):
    values = rng.normal(size=(300, 7)) * 10.0 ** rng.integers(-6, 7, size=(300, 7))
    content = "\n".join(" ".join(f"{v:.{digits}g}" for v in row) for row in values).encode()
    assert bits(parse_numbers(content, 0, channels=7)[0]) == bits(parse_numbers_python(content, channels=7))


def test_more_uncertain_numbers_than_fit_at_once_are_all_resolved():
    count = 2 * UNCERTAIN_ROOM_COUNT + 3
    content = b"1e-30 7 3e-40\n" * count
    values = parse_numbers(content, 0, channels=3)[0]
    assert values.shape == (count, 3)
    assert (values == [1e-30, 7.0, 3e-40]).all()


def test_lines_are_counted_from_one_with_any_line_ends():
    content = b"a\r\nb\rc\nd"
    assert [line_at(content, content.index(letter)) for letter in (b"a", b"b", b"c", b"d")] == [1, 2, 3, 4]


def test_a_mistake_after_many_frames_is_found_on_its_line():
    content = b"1 2\n" * 5000 + b"1 x\n" + b"1 2\n" * 10
    with pytest.raises(UnreadableFile, match="'x'") as caught:
        parse_numbers(content, 0, channels=2)
    assert caught.value.line == 5001


def test_written_numbers_are_fixed_decimals_and_equal_the_twin(rng):
    values = np.concatenate([rng.normal(size=(50, 4)) * 10.0 ** rng.integers(-9, 9, size=(50, 4)), np.zeros((1, 4))])
    values[0] = [-1e-9, 1e9, -1e9, 0.5]
    decimals = np.array([6, 8, 1, 0])
    text = format_numbers(values, decimals)
    assert text == format_numbers_python(values, decimals)
    assert text.splitlines()[0] == b"0.000000 1000000000.00000000 -1000000000.0 0"
    back = parse_numbers(text, 0, channels=4)[0]
    assert (np.abs(back - values) <= 0.5000001 * 10.0**-decimals + 1e-15 * np.abs(values)).all()
