"""Files of arrays: what was written comes back, a growing file can be read, and no mishap loses a block."""

import contextlib
import errno
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from walkon._base import array_file, array_payload
from walkon._base.array_blocks import FileHead
from walkon._base.array_file import ArrayFileWriter, read_array_file, write_array_file
from walkon._base.errors import CannotWrite, InvalidValue, NewerFile, UnreadableFile

ROOT = Path(__file__).resolve().parents[3]
DTYPES = [*(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)), "bool", "float32", "float64"]
SMALL = {"x": np.arange(6.0).reshape(2, 3), "n": np.array([7, 8], np.int32)}


def write(path: Path, header: dict | None = None, arrays: dict | None = None, version: int = 1) -> Path:
    return write_array_file(
        path,
        "take",
        version=version,
        header={} if header is None else header,
        arrays=SMALL if arrays is None else arrays,
    )


def read(path: Path):
    return read_array_file(path, "take", version=1)


def block(number: int) -> tuple[dict, dict]:
    return {"number": number}, {"x": np.full((3, 2), float(number)), "odd" if number % 2 else "even": np.arange(2)}


def grow(path: Path, count: int) -> Path:
    with ArrayFileWriter(path, "take", version=1) as writer:
        for number in range(count):
            writer.append(*block(number))
    return path


def numbers(path: Path) -> list[int]:
    file = read(path)
    for one in file.blocks:
        np.testing.assert_array_equal(one.arrays["x"], block(one.header["number"])[1]["x"])
    return [one.header["number"] for one in file.blocks]


def parts(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.endswith(".part")]


# Round trips

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
ARRAYS = st.dictionaries(
    st.text(min_size=1, max_size=10),
    hnp.arrays(st.sampled_from(DTYPES).map(np.dtype), hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)),
    max_size=5,
)


@given(header=st.dictionaries(st.text(), JSON, max_size=5), arrays=ARRAYS)
@settings(max_examples=100, deadline=None)
def test_headers_and_arrays_of_every_type_and_shape_come_back(tmp_path_factory, header, arrays) -> None:
    path = write(tmp_path_factory.mktemp("trip") / "a.take", header, arrays)
    file = read(path)
    assert (file.path, file.version, file.complete, len(file.blocks)) == (path, 1, True, 1)
    assert file.blocks[0].header == header
    assert list(file.blocks[0].arrays) == list(arrays)
    for name, array in arrays.items():
        back = file.blocks[0].arrays[name]
        assert (back.dtype, back.shape) == (array.dtype, array.shape)
        assert back.tobytes() == array.tobytes()
        assert not back.flags.writeable
        assert back.flags.c_contiguous
        assert back.flags.aligned
        assert back.ctypes.data % 64 == 0 or not back.size


@given(blocks=st.lists(st.tuples(st.dictionaries(st.text(), JSON, max_size=2), ARRAYS), min_size=1, max_size=4))
@settings(max_examples=40, deadline=None)
def test_a_grown_file_comes_back_block_by_block(tmp_path_factory, blocks) -> None:
    path = tmp_path_factory.mktemp("trip") / "a.take"
    with ArrayFileWriter(path, "take", version=1) as writer:
        for header, arrays in blocks:
            writer.append(header, arrays)
    file = read(path)
    assert file.complete
    assert [one.header for one in file.blocks] == [header for header, _ in blocks]
    for one, (_, arrays) in zip(file.blocks, blocks, strict=True):
        assert list(one.arrays) == list(arrays)
        assert all(one.arrays[name].tobytes() == array.tobytes() for name, array in arrays.items())
        assert all(one.arrays[name].shape == array.shape for name, array in arrays.items())


def test_arrays_in_any_memory_order_and_byte_order_come_back_equal(tmp_path: Path) -> None:
    x = np.arange(24.0).reshape(4, 6)
    arrays = {
        "t": x.T,
        "every other": x[::2, ::3],
        "fortran": np.asfortranarray(x),
        "big": x.astype(">f4"),
        "back": x[::-1],
    }
    back = read(write(tmp_path / "a.take", arrays=arrays)).blocks[0].arrays
    for name, array in arrays.items():
        np.testing.assert_array_equal(back[name], array)
        assert back[name].dtype.byteorder in "=|<"
        assert back[name].flags.c_contiguous


def test_arrays_larger_than_a_chunk_come_back(tmp_path: Path, rng: np.random.Generator) -> None:
    large = rng.normal(size=(2 * array_payload.CHUNK_BYTES // 8 + 1,))
    write(tmp_path / "a.take", arrays={"large": large, "after": SMALL["n"]})
    arrays = read(tmp_path / "a.take").blocks[0].arrays
    np.testing.assert_array_equal(arrays["large"], large)
    np.testing.assert_array_equal(arrays["after"], SMALL["n"])


def test_numbers_of_numpy_and_tuples_are_welcome_in_headers(tmp_path: Path) -> None:
    header = {
        "fps": np.float64(119.88),
        "n": np.int32(3),
        "on": np.bool_(True),
        "names": ("a", "b"),
        "f": np.float32(0.5),
    }
    back = read(write(tmp_path / "a.take", header)).blocks[0].header
    assert back == {"fps": 119.88, "n": 3, "on": True, "names": ["a", "b"], "f": 0.5}


def test_the_same_content_gives_the_same_bytes(tmp_path: Path) -> None:
    assert write(tmp_path / "a.take").read_bytes() == write(tmp_path / "b.take").read_bytes()
    assert grow(tmp_path / "c.take", 3).read_bytes() == grow(tmp_path / "d.take", 3).read_bytes()


def test_a_file_can_be_described_in_a_line(tmp_path: Path) -> None:
    file = read(grow(tmp_path / "a.take", 3))
    assert repr(file) == "ArrayFile('a.take': 3 blocks, version 1, complete)"
    assert repr(file.blocks[0]) == "Block(x float64[3, 2], even int64[2])"


# Views


def test_arrays_are_views_of_one_map_of_the_file(tmp_path: Path) -> None:
    (one,) = read(write(tmp_path / "a.take")).blocks
    x, n = one.arrays["x"], one.arrays["n"]
    assert not x.flags.owndata
    assert x.base is n.base
    whole = np.frombuffer(x.base, np.uint8)
    assert np.shares_memory(whole, x)
    assert whole.tobytes() == (tmp_path / "a.take").read_bytes()
    with pytest.raises(ValueError, match="WRITEABLE"):
        x.flags.writeable = True


def test_one_block_is_joined_without_a_copy(tmp_path: Path) -> None:
    file = read(write(tmp_path / "a.take", {"a": 1}))
    headers, arrays = file.joined()
    assert headers == [{"a": 1}]
    assert all(arrays[name] is file.blocks[0].arrays[name] for name in SMALL)


def test_blocks_are_joined_along_their_first_axis(tmp_path: Path) -> None:
    file = read(grow(tmp_path / "a.take", 4))
    headers, arrays = file.joined()
    assert headers == [{"number": number} for number in range(4)]
    np.testing.assert_array_equal(arrays["x"], np.repeat(np.arange(4.0), 3)[:, None] * np.ones(2))
    np.testing.assert_array_equal(arrays["odd"], [0, 1, 0, 1])
    assert not arrays["x"].flags.writeable


def test_empty_parts_are_joined_and_single_ones_are_not_copied(tmp_path: Path) -> None:
    with ArrayFileWriter(tmp_path / "a.take", "take", version=1) as writer:
        writer.append({}, {"x": np.empty((0, 2), np.float32), "once": np.arange(3)})
        writer.append({}, {"x": np.ones((2, 2), np.float32)})
        writer.append({}, {"x": np.empty((0, 2), np.float32), "scalar": np.float64(3.0)})
    arrays = read(tmp_path / "a.take").joined()[1]
    assert (arrays["x"].shape, arrays["x"].dtype) == ((2, 2), np.float32)
    assert not arrays["once"].flags.owndata
    assert arrays["scalar"] == 3.0


@pytest.mark.parametrize(
    "other", [np.ones((2, 3)), np.ones((2, 2), np.float32), np.float64(1.0)], ids=lambda a: str(a.shape)
)
def test_blocks_that_disagree_cannot_be_joined(tmp_path: Path, other) -> None:
    with ArrayFileWriter(tmp_path / "a.take", "take", version=1) as writer:
        writer.append({}, {"x": np.ones((1, 2))})
        writer.append({}, {"x": other})
    with pytest.raises(UnreadableFile, match=r"cannot be joined: array 'x' is float64\[1, 2\] in one and float"):
        read(tmp_path / "a.take").joined()


def test_a_map_survives_the_file_being_replaced_and_removed(tmp_path: Path) -> None:
    path = grow(tmp_path / "a.take", 2)
    first = read(path)
    write(path, {"second": True})
    second = read(path)
    path.unlink()
    np.testing.assert_array_equal(first.blocks[1].arrays["x"], 1.0)
    assert second.blocks[0].header == {"second": True}
    np.testing.assert_array_equal(second.blocks[0].arrays["x"], SMALL["x"])


# Growth


def test_a_growing_file_is_read_block_by_block(tmp_path: Path) -> None:
    path = write(tmp_path / "a.take", {"number": -1}, {"x": np.full((3, 2), -1.0)})
    with ArrayFileWriter(path, "take", version=1) as writer:
        assert (numbers(path), writer.count) == ([-1], 0)
        early = None
        for number in range(3):
            writer.append(*block(number))
            assert (numbers(path), writer.count) == (list(range(number + 1)), number + 1)
            assert not read(path).complete
            assert parts(tmp_path) == []
            early = early or read(path)
    assert read(path).complete
    assert numbers(path) == [0, 1, 2]
    assert [one.header["number"] for one in early.blocks] == [0]
    np.testing.assert_array_equal(early.blocks[0].arrays["x"], 0.0)


def test_a_block_is_not_seen_before_it_is_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.take", {"number": -1}, {"x": np.full((3, 2), -1.0)})
    seen, sync = [], os.fsync

    def fsync(descriptor: int) -> None:
        seen.append((numbers(path), path.stat().st_size, read(path).complete))
        sync(descriptor)

    with ArrayFileWriter(path, "take", version=1) as writer:
        monkeypatch.setattr(array_file.os, "fsync", fsync)
        for number in range(2):
            writer.append(*block(number))
    old, first, both = ([-1], [0], [0, 1])
    assert [found for found, _, _ in seen] == [old, old, first, both, both]
    sizes = [size for _, size, _ in seen]
    assert sizes[2] == sizes[3] > sizes[1]  # the second block was there before it could be seen
    assert [complete for _, _, complete in seen] == [True, True, False, False, True]


def test_another_process_reads_what_has_been_appended(tmp_path: Path) -> None:
    program = (
        "import sys; from walkon._base.array_file import read_array_file;"
        "file = read_array_file(sys.argv[1], 'take', version=1);"
        "print(len(file.blocks), file.complete, float(file.joined()[1]['x'].sum()))"
    )
    with ArrayFileWriter(tmp_path / "a.take", "take", version=1) as writer:
        for number in range(2):
            writer.append(*block(number))
        done = subprocess.run(
            [sys.executable, "-c", program, tmp_path / "a.take"], capture_output=True, text=True, check=True
        )
    assert done.stdout.split() == ["2", "False", "6.0"]


def test_an_exception_keeps_the_blocks_so_far(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), ArrayFileWriter(tmp_path / "a.take", "take", version=1) as writer:
        writer.append(*block(0))
        writer.append(*block(1))
        raise RuntimeError
    assert numbers(tmp_path / "a.take") == [0, 1]
    assert not read(tmp_path / "a.take").complete


def test_an_exception_before_the_first_block_keeps_the_old_file(tmp_path: Path) -> None:
    path = grow(tmp_path / "a.take", 1)
    before = path.read_bytes()
    with pytest.raises(RuntimeError), ArrayFileWriter(path, "take", version=1):
        assert len(parts(tmp_path)) == 1
        raise RuntimeError
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_appended_is_an_error_and_no_file(tmp_path: Path) -> None:
    with (
        pytest.raises(InvalidValue, match="nothing was appended"),
        ArrayFileWriter(tmp_path / "a.take", "take", version=1),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_closed_writer_is_closed(tmp_path: Path) -> None:
    writer = ArrayFileWriter(tmp_path / "a.take", "take", version=1)
    writer.append(*block(0))
    writer.close()
    content = (tmp_path / "a.take").read_bytes()
    writer.close()
    writer.abandon()
    with pytest.raises(InvalidValue, match="this writer is closed"):
        writer.append(*block(1))
    with pytest.raises(InvalidValue, match="this writer is closed"), writer:
        pass
    assert (tmp_path / "a.take").read_bytes() == content


def test_a_grown_file_has_the_usual_rights(tmp_path: Path) -> None:
    grow(tmp_path / "grown.take", 1)
    (tmp_path / "usual").touch()
    assert (tmp_path / "grown.take").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_of_two_writers_of_one_path_the_first_is_told_that_it_was_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.take"
    first = ArrayFileWriter(path, "take", version=1)
    with ArrayFileWriter(path, "take", version=1) as second:
        first.append(*block(0))
        second.append(*block(10))
        assert numbers(path) == [10]
        with pytest.raises(CannotWrite, match="another program has replaced this file"):
            first.append(*block(1))
        second.append(*block(11))
        with pytest.raises(CannotWrite, match="another program has replaced this file"):
            first.close()
        assert numbers(path) == [10, 11]
    assert numbers(path) == [10, 11]
    assert read(path).complete
    assert list(tmp_path.iterdir()) == [path]


def test_a_whole_file_may_be_written_over_a_growing_one(tmp_path: Path) -> None:
    path = tmp_path / "a.take"
    writer = ArrayFileWriter(path, "take", version=1)
    writer.append(*block(0))
    write(path, {"whole": True})
    with pytest.raises(CannotWrite, match="another program has replaced this file"):
        writer.append(*block(1))
    writer.abandon()
    assert read(path).blocks[0].header == {"whole": True}


def test_a_growing_file_that_was_removed_is_missed(tmp_path: Path) -> None:
    path = tmp_path / "a.take"
    writer = ArrayFileWriter(path, "take", version=1)
    writer.append(*block(0))
    path.unlink()
    with pytest.raises(CannotWrite, match="another program has removed or renamed this file"):
        writer.close()


def test_a_growing_file_is_found_from_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with ArrayFileWriter("a.take", "take", version=1) as writer:
        writer.append(*block(0))
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        writer.append(*block(1))
    assert numbers(tmp_path / "a.take") == [0, 1]


# What cannot be written


@pytest.mark.parametrize(
    ("header", "arrays", "sentence"),
    [
        ({}, {"x": np.array([object()])}, "array 'x' has dtype object; files hold bool, int8"),
        ({}, {"x": np.array(["a"])}, "has dtype <U1"),
        ({}, {"x": np.ones(2, np.complex128)}, "has dtype complex128"),
        ({}, {"x": np.ones(2, np.float16)}, "has dtype float16"),
        ({}, {"x": np.zeros(2, [("a", "f8")])}, "has dtype"),
        ({}, {"": np.ones(2)}, "needs a name"),
        ({}, {3: np.ones(2)}, "needs a name"),
        ({"a": {"b": [1.0, float("nan")]}}, {}, r"header\.a\.b\[1\] is nan, which JSON cannot hold"),
        ({"a": float("inf")}, {}, r"header\.a is inf"),
        ({"a": {1: 2}}, {}, r"header\.a has the key 1; keys must be strings"),
        ({"a": {1, 2}}, {}, r"header\.a is a set, which JSON cannot hold"),
        ({"a": b"bytes"}, {}, r"header\.a is a bytes"),
        ({"a": np.arange(3)}, {}, r"header\.a is a ndarray"),
        ({"a": "\ud800"}, {}, "cannot be written as JSON"),
        ({"a": 10**5000}, {}, "cannot be written as JSON"),
        ({}, {"\ud800": np.ones(2)}, "cannot be written as JSON"),
    ],
)
def test_what_a_file_cannot_hold_is_refused_before_it_is_touched(tmp_path: Path, header, arrays, sentence) -> None:
    path = grow(tmp_path / "a.take", 1)
    before = path.read_bytes()
    with pytest.raises(InvalidValue, match=sentence):
        write(path, header, arrays)
    with ArrayFileWriter(path, "take", version=1) as writer:
        with pytest.raises(InvalidValue, match=sentence):
            writer.append(header, arrays)
        assert path.read_bytes() == before
        writer.append(*block(5))
    assert numbers(path) == [5]


def test_headers_that_contain_themselves_are_refused(tmp_path: Path) -> None:
    endless: dict = {}
    endless["self"] = endless
    with pytest.raises(InvalidValue, match="nested deeper than 64 levels"):
        write(tmp_path / "a.take", endless)


@pytest.mark.parametrize(
    ("kind", "version"), [("", 1), ("Take", 1), ("a" * 17, 1), ("täke", 1), ("take", 0), ("take", 1 << 32)]
)
def test_kinds_and_versions_that_fit_no_head_are_refused(tmp_path: Path, kind: str, version: int) -> None:
    with pytest.raises(InvalidValue, match=r"kind of file|version of a file"):
        write_array_file(tmp_path / "a.take", kind, version=version, header={}, arrays={})
    with pytest.raises(InvalidValue, match=r"kind of file|version of a file"):
        ArrayFileWriter(tmp_path / "a.take", kind, version=version)
    assert list(tmp_path.iterdir()) == []


def test_places_that_cannot_be_written_are_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="this is a folder; give a file name"):
        ArrayFileWriter(tmp_path, "take", version=1)
    with pytest.raises(CannotWrite, match="the folder does not exist"):
        ArrayFileWriter(tmp_path / "none" / "a.take", "take", version=1)
    with pytest.raises(CannotWrite, match="cannot write here"):
        ArrayFileWriter(tmp_path / ("a" * 300), "take", version=1)


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="there is no folder here that nobody can write to")
def test_a_folder_that_nobody_can_write_to_is_refused() -> None:
    with pytest.raises(CannotWrite, match=r"cannot write here \((No such file|Permission denied)"):
        ArrayFileWriter("/proc/a.take", "take", version=1)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_without_rights_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(CannotWrite, match="Permission denied"):
            ArrayFileWriter(tmp_path / "a.take", "take", version=1)
    finally:
        tmp_path.chmod(0o700)


def test_a_target_that_became_a_folder_is_refused_and_nothing_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.take"
    with pytest.raises(CannotWrite, match="writing failed"), ArrayFileWriter(path, "take", version=1) as writer:
        path.mkdir()
        writer.append(*block(0))
    assert list(tmp_path.iterdir()) == [path]


# A full disk: a process with a limit on the size of its files fails as on a disk without room, in the middle of a write

FULL = """
import json, resource, sys
import numpy as np
from walkon._base.array_file import ArrayFileWriter, read_array_file, write_array_file
from walkon._base.errors import CannotWrite
path, way, limit = sys.argv[1], sys.argv[2], int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
x = np.ones(2000)
found = {"sentence": None, "seen": None}
try:
    if way == "whole":
        write_array_file(path, "take", version=1, header={}, arrays={"x": x})
    else:
        with ArrayFileWriter(path, "take", version=1) as writer:
            for number in range(3):
                try:
                    writer.append({"number": number}, {"x": x})
                except CannotWrite:
                    found["seen"] = len(read_array_file(path, "take", version=1).blocks)
                    if way == "again":
                        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
                        writer.append({"number": number}, {"x": x})
                        continue
                    raise
except CannotWrite as error:
    found["sentence"] = str(error)
print(json.dumps(found))
"""


def run_full(path: Path, way: str, limit: int) -> dict:
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path), way, str(limit)], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_a_full_disk_leaves_the_old_file_when_one_is_written_whole(tmp_path: Path) -> None:
    path = grow(tmp_path / "a.take", 2)
    found = run_full(path, "whole", 10_000)
    assert found["sentence"] == f"{path}: writing failed (File too large); the old file, if any, is untouched"
    assert numbers(path) == [0, 1]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("limit", "kept"), [(10_000, None), (20_000, 1), (40_000, 2), (48_660, 3)])
def test_a_full_disk_keeps_the_blocks_before(tmp_path: Path, limit: int, kept: int | None) -> None:
    path = grow(tmp_path / "a.take", 2)
    found = run_full(path, "grow", limit)
    assert list(tmp_path.iterdir()) == [path]
    if kept is None:
        assert found["sentence"] == f"{path}: writing failed (File too large); the old file, if any, is untouched"
        assert numbers(path) == [0, 1]
        return
    blocks = "the first block" if kept == 1 else f"the first {kept} blocks"
    assert found["sentence"] == (
        f"{path}: writing failed (File too large); {blocks} can still be read; the file is not marked as finished"
    )
    file = read(path)
    assert len(file.blocks) == kept
    assert not file.complete
    assert path.stat().st_size == 64 + kept * (64 + 128 + 16_000)


@pytest.mark.parametrize("limit", [10_000, 20_000, 40_000])
def test_a_failed_block_may_be_tried_again_when_there_is_room(tmp_path: Path, limit: int) -> None:
    path = grow(tmp_path / "a.take", 1)
    assert run_full(path, "again", limit)["sentence"] is None
    file = read(path)
    assert [one.header["number"] for one in file.blocks] == [0, 1, 2]
    assert file.complete


# Interrupts and disks that fail at any call: every system call of a block is made to fail in turn


class Failing:
    """Stands in for a file (or for `os` and its fsync) that fails at the n-th call that writes."""

    def __init__(self, writer: ArrayFileWriter, at: int, error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left, self.error = at, error
        real = writer._file

        class File(io.FileIO):
            def write(inner, content) -> int:  # noqa: N805
                self.tick()
                done = real.write(content[: max(len(content) // 2, 1)])  # some disks take half at a time
                self.tick()
                return done

            def seek(inner, *arguments) -> int:  # noqa: N805
                return real.seek(*arguments)

            def read(inner, *arguments) -> bytes:  # noqa: N805
                return real.read(*arguments)

            def truncate(inner, *arguments) -> int:  # noqa: N805
                return real.truncate(*arguments)

            def close(inner) -> None:  # noqa: N805
                real.close()
                super().close()

        def fsync(descriptor: int) -> None:
            self.tick()
            self.tick()

        writer._file = File(os.dup(real.fileno()), "r+b")
        monkeypatch.setattr(array_file.os, "fsync", fsync)

    def tick(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise self.error


@pytest.mark.parametrize(
    "error", [OSError(errno.EIO, "Input/output error"), KeyboardInterrupt()], ids=["disk", "interrupt"]
)
@pytest.mark.parametrize("before", [0, 1])
def test_whatever_call_fails_the_file_is_the_old_one_or_whole_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, before: int
) -> None:
    reached, calls = set(), 0
    for at in range(1, 200):
        path = write(tmp_path / "a.take", {"number": -1}, {"x": np.full((3, 2), -1.0)})
        writer = ArrayFileWriter(path, "take", version=1)
        for number in range(before):
            writer.append(*block(number))
        with monkeypatch.context() as patch:
            failing = Failing(writer, at, error, patch)
            with contextlib.suppress(CannotWrite, KeyboardInterrupt):
                writer.append(*block(before))
            calls = at
            failed, failing.left = failing.left <= 0, 0
            if not failed:
                writer.abandon()
                break
            found = numbers(path)
            reached.add(tuple(found))
            assert found in ([0], [0, 1]) if before else found == [-1]
            assert writer.count == (len(found) if before else 0)
            writer.append(*block(writer.count))  # it can go on
            writer.close()
        assert numbers(path) == list(range(writer.count))
        assert read(path).complete
        assert parts(tmp_path) == []
    assert calls > 15
    assert reached == ({(0,), (0, 1)} if before else {(-1,)})


def test_what_could_not_be_taken_back_is_not_left_behind_a_shorter_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.take"
    with ArrayFileWriter(path, "take", version=1) as writer:
        writer.append(*block(0))
        with monkeypatch.context() as patch:
            failing = Failing(writer, 40, OSError(errno.EIO, "Input/output error"), patch)
            patch.setattr(writer, "_take_back", lambda: None)
            with pytest.raises(CannotWrite, match="the first block can still be read"):
                writer.append({"number": 1}, {"x": np.ones((300, 2))})
            failing.left = 0
            assert path.stat().st_size > 2000  # the remains are there, and do no harm
            assert numbers(path) == [0]
            writer.append(*block(1))
            assert numbers(path) == [0, 1]
        writer.append(*block(2))
    assert numbers(path) == [0, 1, 2]
    assert read(path).complete


def test_an_interrupt_right_after_the_first_rename_keeps_the_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.replace

    def replace(self, target):
        rename(self, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(KeyboardInterrupt), ArrayFileWriter(tmp_path / "a.take", "take", version=1) as writer:
        writer.append(*block(0))
    assert writer.count == 1
    assert numbers(tmp_path / "a.take") == [0]


def test_a_disk_that_fails_at_the_end_mark_keeps_all_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    writer = ArrayFileWriter(tmp_path / "a.take", "take", version=1)
    writer.append(*block(0))
    writer.append(*block(1))
    monkeypatch.setattr(array_file.os, "fsync", fail)
    with pytest.raises(CannotWrite, match="the first 2 blocks can still be read; the file is not marked as finished"):
        writer.close()
    assert numbers(tmp_path / "a.take") == [0, 1]
    assert not read(tmp_path / "a.take").complete


# What cannot be read


def test_other_files_are_refused_with_a_clear_sentence(tmp_path: Path) -> None:
    def sentence(name: str, content: bytes | None = None) -> str:
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(UnreadableFile) as caught:
            read(path)
        assert caught.value.path == path
        return str(caught.value).removeprefix(f"{path}: ")

    assert sentence("none.take") == "no such file or directory"
    (tmp_path / "folder.take").mkdir()
    assert sentence("folder.take") == "this is a folder, not a file"
    assert sentence("empty.take", b"") == "the file is empty, not a Walkon take"
    assert sentence("text.take", b"HIERARCHY\n" * 100) == "this is not a Walkon take"
    assert sentence("short.take", b"PK") == "this is not a Walkon take"
    whole = write(tmp_path / "a.take").read_bytes()
    assert sentence("cut.take", whole[:40]) == "truncated: 40 bytes, where the head alone has 64"
    assert sentence("cut.take", whole[:-1]) == f"truncated: {len(whole) - 1} of {len(whole)} bytes"
    assert sentence("long.take", whole + b"x") == f"damaged: {len(whole) + 1} of {len(whole)} bytes"
    assert sentence("head.take", FileHead("take", 1).pack()).startswith("truncated: not one whole block")
    write_array_file(tmp_path / "g.graph", "graph", version=1, header={}, arrays={})
    assert sentence("g.graph") == "this is a Walkon graph, not a Walkon take"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders here")
def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.take")
    with pytest.raises(UnreadableFile, match="neither a file nor a folder"):
        read(tmp_path / "pipe.take")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_file_without_rights_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.take").chmod(0)
    with pytest.raises(UnreadableFile, match="permission denied"):
        read(tmp_path / "a.take")


def test_newer_files_are_refused_and_older_ones_say_their_version(tmp_path: Path) -> None:
    path = write(tmp_path / "a.take", version=3)
    assert read_array_file(path, "take", version=4).version == 3
    with pytest.raises(NewerFile, match=r"newer Walkon \(format 3, this one reads up to 2\); update walkon") as caught:
        read_array_file(path, "take", version=2)
    assert caught.value.path == path
    content = path.read_bytes()
    newer = FileHead("take", 1, sealed_length=len(content), layout=2).pack()
    path.write_bytes(newer + content[64:])
    with pytest.raises(NewerFile, match=r"format 2, this one reads up to 1"):
        read(path)


def test_a_file_that_is_cut_while_it_is_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = grow(tmp_path / "a.take", 2)
    found = array_file.whole_blocks

    def cut(*arguments, **options):
        heads = found(*arguments, **options)
        os.truncate(path, 100)
        return heads

    monkeypatch.setattr(array_file, "whole_blocks", cut)
    with pytest.raises(UnreadableFile, match="the file changed while it was read"):
        read(path)


def test_reading_needs_no_memory_for_the_arrays(tmp_path: Path) -> None:
    write(tmp_path / "a.take", arrays={"x": np.zeros((64 << 20) // 8)})
    program = (
        "import resource, sys; from walkon._base.array_file import read_array_file;"
        "used = int(open('/proc/self/statm').read().split()[5]) * resource.getpagesize();"
        "resource.setrlimit(resource.RLIMIT_DATA, (used + (24 << 20), resource.RLIM_INFINITY));"
        "print(read_array_file(sys.argv[1], 'take', version=1).blocks[0].arrays['x'].size)"
    )
    if not Path("/proc/self/statm").exists():
        pytest.skip("memory is limited otherwise here")
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "a.take"], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) == (64 << 20) // 8


# Kills


@pytest.mark.skipif(not hasattr(os, "fork"), reason="writers are started by forking")
def test_sixty_killed_writers_leave_a_file_that_can_be_read(tmp_path: Path) -> None:
    program = (
        "import json, sys; from pathlib import Path; from benchmarks import killed_writes as kills;"
        "tallies = [kills.run(write, 30, Path(sys.argv[1]), seed=5) for write in (kills.grow, kills.write_whole)];"
        "print(json.dumps([[dict(t.found), t.unreadable, t.went_back] for t in tallies]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    for found, unreadable, went_back in json.loads(done.stdout):
        assert unreadable == []
        assert went_back == 0
        assert sum(found.values()) == 30
        assert len(found) > 1  # the kills came at different moments
