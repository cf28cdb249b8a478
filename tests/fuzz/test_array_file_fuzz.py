"""Whatever happens to the bytes of an array file, reading it ends with the blocks that were written or with our error.

Damage by chance: every length to which a file can be cut, every single byte that can be changed, random edits. Damage
on purpose: files whose checksums are right and whose sizes, places, types and headers are not.
"""

import zlib
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walkon._base.array_blocks import HEAD_BYTES, BlockHead, FileHead, padded_length
from walkon._base.array_file import ArrayFile, ArrayFileWriter, read_array_file, write_array_file
from walkon._base.errors import FileError

COUNT = 3


def expected(number: int) -> dict[str, np.ndarray]:
    return {"x": np.arange(4.0) + number, "on": np.array([True, False]), "none": np.empty((0, 3), np.float32)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@pytest.fixture(scope="module")
def sealed(folder: Path) -> bytes:
    path = write_array_file(folder / "whole.take", "take", version=1, header={"number": 0}, arrays=expected(0))
    return path.read_bytes()


@pytest.fixture(scope="module")
def grown(folder: Path) -> bytes:
    with ArrayFileWriter(folder / "grown.take", "take", version=1) as writer:
        for number in range(COUNT):
            writer.append({"number": number}, expected(number))
    return (folder / "grown.take").read_bytes()


def read(folder: Path, content: bytes) -> ArrayFile | str:
    """Return the file, whose arrays can all be used, or the sentence of the error."""
    path = folder / "fuzz.take"
    path.unlink(missing_ok=True)  # a map of the last content may still be alive
    path.write_bytes(content)
    try:
        file = read_array_file(path, "take", version=1)
    except FileError as error:
        assert error.path == path
        assert len(str(error)) < 1000
        return str(error).removeprefix(f"{path}: ")
    for block in file.blocks:
        for array in block.arrays.values():
            assert not array.flags.writeable
            assert array.flags.c_contiguous
            assert array.flags.aligned
            array.tobytes()
    return file


def prefix(file: ArrayFile) -> int:
    """Return how many blocks a file has, having checked that they are the first ones, value for value."""
    for number, block in enumerate(file.blocks):
        assert block.header == {"number": number}
        assert list(block.arrays) == list(expected(number))
        for name, array in expected(number).items():
            assert block.arrays[name].dtype == array.dtype
            np.testing.assert_array_equal(block.arrays[name], array)
    return len(file.blocks)


def starts(content: bytes) -> list[int]:
    """Return where the blocks of a file begin, and where the last one ends."""
    found = [HEAD_BYTES]
    while found[-1] < len(content):
        head = BlockHead.unpack(content[found[-1] : found[-1] + HEAD_BYTES], found[-1])
        assert head is not None
        found.append(head.stop)
    return found


def test_a_grown_file_cut_anywhere_is_the_blocks_before_the_cut(folder: Path, grown: bytes) -> None:
    *places, end, size = starts(grown)
    assert (len(places), size - end, size) == (COUNT, HEAD_BYTES, len(grown))
    stops = [*places[1:], end]
    for length in range(size):
        found, whole = read(folder, grown[:length]), sum(stop <= length for stop in stops)
        if whole:
            assert isinstance(found, ArrayFile), length
            assert (prefix(found), found.complete) == (whole, False)
        else:
            assert found == "the file is empty, not a Walkon take" if not length else found.startswith("truncated: ")


def test_a_grown_file_that_ends_in_zeros_is_the_blocks_before_them(folder: Path, grown: bytes) -> None:
    *places, end, _ = starts(grown)
    for number, stop in enumerate([*places[1:], end], start=1):
        for zeros in (1, 63, 64, 65, 4096):
            found = read(folder, grown[:stop] + bytes(zeros))
            assert isinstance(found, ArrayFile)
            assert (prefix(found), found.complete) == (number, False)


def test_a_sealed_file_cut_anywhere_is_refused(folder: Path, sealed: bytes) -> None:
    for length in range(1, len(sealed)):
        found = read(folder, sealed[:length])
        assert isinstance(found, str)
        assert found.startswith(f"truncated: {length} "), found


@pytest.mark.parametrize("mask", [0x01, 0x80, 0xFF])
def test_a_changed_byte_of_a_sealed_file_is_noticed(folder: Path, sealed: bytes, mask: int) -> None:
    for at in range(len(sealed)):
        damaged = bytearray(sealed)
        damaged[at] ^= mask
        found = read(folder, bytes(damaged))
        assert found == "this is not a Walkon take" if at < 8 else str(found).startswith("damaged: "), at


@pytest.mark.parametrize("mask", [0x01, 0x80, 0xFF])
def test_a_changed_byte_of_a_grown_file_is_noticed(folder: Path, grown: bytes, mask: int) -> None:
    for at in range(len(grown)):
        damaged = bytearray(grown)
        damaged[at] ^= mask
        found = read(folder, bytes(damaged))
        assert found == "this is not a Walkon take" if at < 8 else str(found).startswith("damaged: "), at


def test_a_changed_byte_of_an_unfinished_file_is_noticed_or_costs_the_last_block(folder: Path, grown: bytes) -> None:
    *places, end, _ = starts(grown)
    for at in range(8, end):
        damaged = bytearray(grown[:end])
        damaged[at] ^= 0x10
        found = read(folder, bytes(damaged))
        if at >= places[-1] + HEAD_BYTES:  # the payload of the last block: a machine that lost power may leave the same
            assert isinstance(found, ArrayFile)
            assert (prefix(found), found.complete) == (COUNT - 1, False)
        else:
            assert isinstance(found, str)
            assert found.startswith("damaged: ")


def test_a_last_block_that_is_damaged_is_noticed_when_more_was_begun_behind_it(folder: Path, grown: bytes) -> None:
    *places, end, _ = starts(grown)
    damaged = bytearray(grown[:end])
    damaged[-70] ^= 0x10
    for tail in (b"x", bytes(64), bytes(64) + b"half of a payload"):
        found = read(folder, bytes(damaged) + tail)
        assert found == f"damaged: the block at byte {places[-1]} fails its checksum"


def test_a_wiped_head_is_noticed_by_what_follows_it(folder: Path, grown: bytes) -> None:
    *places, end, _ = starts(grown)
    for place in places:
        found = read(folder, grown[:place] + bytes(HEAD_BYTES) + grown[place + HEAD_BYTES :])
        assert found == f"damaged: there should be a block at byte {place}"
    last = places[-1]  # with nothing behind it, it is a block that was not finished
    found = read(folder, grown[:last] + bytes(HEAD_BYTES) + grown[last + HEAD_BYTES : end])
    assert isinstance(found, ArrayFile)
    assert prefix(found) == COUNT - 1


def test_blocks_that_were_moved_removed_or_repeated_are_noticed(folder: Path, grown: bytes) -> None:
    head, *blocks = (grown[a:b] for a, b in zip([0, *starts(grown)], starts(grown), strict=False))
    first, second, third, end = blocks
    for order in ([second, first, third, end], [second, third, end], [first, first, end], [first, third], [first, end]):
        assert str(read(folder, head + b"".join(order))).startswith("damaged: ")
    assert read(folder, grown + b"x") == "damaged: there are bytes behind its end"
    assert read(folder, grown + bytes(64)) == "damaged: there are bytes behind its end"


def test_bytes_of_a_file_inside_an_array_are_not_taken_for_blocks(folder: Path, grown: bytes) -> None:
    inner = np.frombuffer(grown * 3, np.uint8)
    with ArrayFileWriter(folder / "outer.take", "take", version=1) as writer:
        writer.append({"number": 0}, expected(0))
        writer.append({"number": 1}, {"x": inner})
        writer.abandon()
    content = (folder / "outer.take").read_bytes()
    second = starts(content)[1]
    found = read(folder, content[:second] + bytes(HEAD_BYTES) + content[second + HEAD_BYTES :])
    assert isinstance(found, ArrayFile)
    assert prefix(found) == 1


def test_random_edits_give_a_prefix_or_an_error(folder: Path, grown: bytes, sealed: bytes) -> None:
    for seed in range(600):
        rng = np.random.default_rng(seed)
        data = bytearray(grown if seed % 3 else sealed)
        for _ in range(rng.integers(1, 4)):
            at, span = int(rng.integers(len(data))), int(rng.integers(1, 200))
            match rng.integers(5):
                case 0:
                    data[at] ^= 1 << int(rng.integers(8))
                case 1:
                    del data[at : at + span]
                case 2:
                    data[at:at] = rng.bytes(span)
                case 3:
                    data[at : at + span] = bytes(len(data[at : at + span]))
                case _:
                    del data[max(at, 1) :]
        found = read(folder, bytes(data))
        if isinstance(found, ArrayFile):
            prefix(found)


@given(st.binary(max_size=600))
@settings(max_examples=200, deadline=None)
def test_any_bytes(folder: Path, content: bytes) -> None:
    assert isinstance(read(folder, content), str)
    assert isinstance(read(folder, FileHead("take", 1).pack() + content), str)
    size = HEAD_BYTES + len(content)
    assert isinstance(read(folder, FileHead("take", 1, sealed_length=size).pack() + content), str)


# Damage on purpose: the checksums are right


def forged(json: bytes, data: bytes = b"", *, sealed: bool = True, **changes: int) -> bytes:
    payload = json.ljust(padded_length(len(json)), b"\0") + data
    fields = {
        "position": HEAD_BYTES,
        "length": len(payload),
        "json_length": len(json),
        "payload_crc": zlib.crc32(payload),
    }
    size = 2 * HEAD_BYTES + len(payload)
    head = FileHead("take", 1, sealed_length=size if sealed else None)
    return head.pack() + BlockHead(**(fields | changes)).pack() + payload


def table(*arrays: dict[str, Any], extra: Any = None) -> bytes:
    return msgspec.json.encode({"extra": {} if extra is None else extra, "arrays": arrays})


def entry(**changes: Any) -> dict[str, Any]:
    return {"name": "x", "dtype": "float64", "shape": [2, 4], "offset": 0} | changes


def test_a_forged_file_with_nothing_wrong_is_read(folder: Path) -> None:
    for sealed in (True, False):
        found = read(folder, forged(table(entry()), bytes(64), sealed=sealed))
        assert isinstance(found, ArrayFile)
        assert found.blocks[0].arrays["x"].shape == (2, 4)


@pytest.mark.parametrize("sealed", [True, False])
@pytest.mark.parametrize(
    "arrays",
    [
        [entry(shape=[2, 5])],
        [entry(shape=[2**63])],
        [entry(shape=[2**64 - 1, 2**64 - 1])],
        [entry(shape=[2**32, 2**32, 0])],
        [entry(shape=[0, 2**63])],
        [entry(shape=[10**400])],
        [entry(shape=[-1, -8])],
        [entry(shape=[-8])],
        [entry(shape=[1] * 65)],
        [entry(shape=[2.0, 4.0])],
        [entry(shape="24")],
        [entry(shape=None)],
        [entry(offset=64)],
        [entry(offset=-64)],
        [entry(offset=8)],
        [entry(offset=2**63)],
        [entry(), entry(name="y")],
        [entry(), entry(name="y", offset=32)],
        [entry(shape=[1]), entry(shape=[1], offset=8, name="y")],
        [entry(shape=[0]), entry(offset=0)],
        [entry(shape=[4])] * 2,
        [],
        [entry(dtype="object")],
        [entry(dtype="O")],
        [entry(dtype="|O8")],
        [entry(dtype="float16")],
        [entry(dtype="float128")],
        [entry(dtype="U8")],
        [entry(dtype=">f8")],
        [entry(dtype="f8, O")],
        [entry(dtype="datetime64[s]")],
        [entry(dtype=["float64"])],
        [entry(name=3)],
        [entry(more=1)],
        [{"name": "x"}],
        ["x"],
    ],
    ids=lambda arrays: str(arrays)[:80],
)
def test_impossible_tables_are_refused(folder: Path, arrays: list[dict[str, Any]], sealed: bool) -> None:
    found = read(folder, forged(table(*arrays), bytes(64), sealed=sealed))
    assert isinstance(found, str)
    assert found.startswith("damaged: ")


@pytest.mark.parametrize(
    "json",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"extra": {}}',
        b'{"extra": [], "arrays": []}',
        b'{"extra": {"a": NaN}, "arrays": []}',
        b'{"extra": {"a": 1e999}, "arrays": []}',
        b'{"extra": {"a": "\xff"}, "arrays": []}',
        b'{"extra": {"a": ' + b"9" * 1_000_000 + b'}, "arrays": []}',
        b'{"extra": {"a": ' + b"[" * 1_000_000 + b"]" * 1_000_000 + b'}, "arrays": []}',
        b'{"extra": {"a": ' + b'{"a":' * 500_000 + b"1" + b"}" * 500_000 + b'}, "arrays": []}',
        b'{"extra": {}, "arrays": ' + b"[" * 1_000_000,
        b'{"extra": {}, "arrays": []} more',
    ],
    ids=lambda json: json[:40].decode("latin-1"),
)
def test_headers_that_are_no_headers_are_refused(folder: Path, json: bytes) -> None:
    found = read(folder, forged(json))
    assert isinstance(found, str)
    assert found.startswith("damaged: the header of a block cannot be read")


@pytest.mark.parametrize(
    "changes",
    [
        {"length": 2**63},
        {"length": 2**64 - 64},
        {"length": 0},
        {"length": 128},
        {"json_length": 2**63},
        {"json_length": 1},
        {"json_length": 0},
        {"position": 0},
        {"position": 2**63},
        {"payload_crc": 1},
    ],
    ids=str,
)
@pytest.mark.parametrize("sealed", [True, False])
def test_impossible_block_heads_are_refused(folder: Path, changes: dict[str, int], sealed: bool) -> None:
    assert isinstance(read(folder, forged(table(entry()), bytes(64), sealed=sealed, **changes)), str)


@pytest.mark.parametrize("length", [0, 1, 63, 2**63, 2**64 - 1])
def test_impossible_sealed_lengths_are_refused(folder: Path, length: int) -> None:
    found = read(folder, FileHead("take", 1, sealed_length=length).pack() + bytes(640))
    assert found == f"{'damaged' if length < 704 else 'truncated'}: 704 of {length} bytes"


def test_truth_values_other_than_0_and_1_are_refused(folder: Path) -> None:
    json = table(entry(dtype="bool", shape=[64]))
    assert isinstance(read(folder, forged(json, b"\1" * 64)), ArrayFile)
    found = read(folder, forged(json, b"\1" * 63 + b"\2"))
    assert found == "damaged: array 'x' has truth values other than 0 and 1"


def test_a_kind_that_is_no_word_is_refused(folder: Path) -> None:
    sound = FileHead("take", 1).pack()
    for kind in (b"\xff\xfe", b"ta\0ke", b"", b"../../take"):
        fields = sound[:8] + kind.ljust(16, b"\0") + sound[24:-4]
        found = read(folder, fields + zlib.crc32(fields).to_bytes(4, "little") + bytes(640))
        assert isinstance(found, str)
        assert found.startswith("damaged: a kind of file")


def test_a_long_tail_of_heads_that_are_not_whole_ends_soon(folder: Path) -> None:
    zeros_in_front = FileHead("take", 1).pack() + bytes(HEAD_BYTES)
    heads = np.frombuffer(
        b"".join(BlockHead(position, 0, 0, 0).pack() for position in range(2 * HEAD_BYTES, 2 << 20, HEAD_BYTES)),
        np.uint8,
    ).reshape(-1, HEAD_BYTES)
    assert read(folder, zeros_in_front + heads.tobytes()) == "damaged: there should be a block at byte 64"
    almost = heads ^ (np.arange(HEAD_BYTES) == HEAD_BYTES - 1)
    found = read(folder, zeros_in_front + almost.astype(np.uint8).tobytes())
    assert isinstance(found, str)
    assert found.startswith("truncated: not one whole block")


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "name": st.text(max_size=3),
                "dtype": st.sampled_from(["bool", "int8", "float64", "object", "uint64"]),
                "shape": st.lists(st.integers(-2, 9) | st.integers(-(2**70), 2**70), max_size=4),
                "offset": st.integers(-2, 4).map(lambda n: 64 * n) | st.integers(),
            }
        ),
        max_size=4,
    ),
    st.binary(max_size=300),
)
@settings(max_examples=300, deadline=None)
def test_any_table(folder: Path, arrays: list[dict[str, Any]], data: bytes) -> None:
    found = read(folder, forged(table(*arrays), data.ljust(padded_length(len(data)), b"\0")))
    if isinstance(found, ArrayFile):
        assert sum(padded_length(array.nbytes) for array in found.blocks[0].arrays.values()) == padded_length(len(data))
