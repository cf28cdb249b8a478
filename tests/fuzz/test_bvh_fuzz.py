"""Whatever the bytes, reading a BVH file ends soon, with a document or with one of our errors."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walkon._base.errors import WalkonError
from walkon.io import parse_bvh
from walkon.io.bvh_read import clips_from_bvh

PATIENCE = 5.0
"""Seconds for any one file; a damaged file of this size takes milliseconds."""

WORDS = [
    *("HIERARCHY", "ROOT", "JOINT", "End Site", "OFFSET", "CHANNELS", "MOTION", "Frames:", "Frame Time:", "{", "}"),
    *(
        "Hips",
        "LeftUpLeg",
        "Xposition",
        "Zrotation",
        "0",
        "1",
        "3",
        "-1.5",
        ".01",
        "1e-3",
        "nan",
        "1e400",
        "\n",
        "\r\n",
    ),
]
SKELETON = (
    b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 2 Xposition Yrotation\n}\nMOTION\nFrames: 3\nFrame Time: .01\n"
)


def survive(content: bytes) -> None:
    begun = time.perf_counter()
    try:
        clips_from_bvh(parse_bvh(content, path="fuzz.bvh"))
    except WalkonError as error:
        assert len(str(error)) < 1000
    assert time.perf_counter() - begun < PATIENCE


@given(st.binary(max_size=2000))
@settings(max_examples=200, deadline=None)
def test_any_bytes(content):
    survive(content)
    survive(b"HIERARCHY\n" + content)
    survive(SKELETON + content)


@given(st.lists(st.sampled_from(WORDS), max_size=80))
@settings(max_examples=300, deadline=None)
def test_any_sentence_of_bvh_words(words):
    survive(" ".join(words).encode())
    survive(("HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Xrotation " + " ".join(words)).encode())


@given(st.lists(st.text("0123456789+-.eE \n\r\t", max_size=12), max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_numbers(words):
    survive(SKELETON + " ".join(words).encode())


def mutated(content: bytes, rng: np.random.Generator) -> bytes:
    """Flip, delete, insert, repeat or cut off bytes in one to four places."""
    data = bytearray(content)
    for _ in range(rng.integers(1, 5)):
        at, span = int(rng.integers(len(data))), int(rng.integers(1, 40))
        match rng.integers(6):
            case 0:
                data[at] ^= 1 << int(rng.integers(8))
            case 1:
                del data[at : at + span]
            case 2:
                data[at:at] = rng.integers(32, 127, span).astype(np.uint8).tobytes()
            case 3:
                data[at:at] = data[at : at + span] * int(rng.integers(1, 50))
            case 4:
                data[at] = int(rng.integers(256))
            case _:
                del data[max(at, 1) :]
        data = data or bytearray(b"x")
    return bytes(data)


@pytest.mark.mocap
@pytest.mark.parametrize("part", ["hierarchy", "file"])
def test_damaged_real_files(mocap, part):
    lines = (mocap / "cmu" / "16_39.bvh").read_bytes().split(b"\n")
    frames = lines.index(b"MOTION\r") if b"MOTION\r" in lines else lines.index(b"MOTION")
    content = b"\n".join(lines[: frames + 30])
    if part == "hierarchy":  # most of the bytes are numbers: damage the others as often
        head, tail = b"\n".join(lines[:frames]), b"\n".join(lines[frames : frames + 10])
    for seed in range(250):
        rng = np.random.default_rng(seed)
        survive(mutated(head, rng) + b"\n" + tail if part == "hierarchy" else mutated(content, rng))


def test_hierarchies_of_extreme_shapes_end_soon():
    star = "".join(f"JOINT j{i} {{ OFFSET {i % 7} {i % 5} {i % 3} }}\n" for i in range(998))
    deep = "".join(f"JOINT j{i} {{ OFFSET 0 1 0\n" for i in range(998)) + "}" * 998
    comb = "".join(f"JOINT j{i} {{ OFFSET 0 1 0 End Site {{ OFFSET 1 0 0 }}\n" for i in range(499)) + "}" * 499
    for joints in (star, deep, comb):
        text = (
            "HIERARCHY ROOT r { OFFSET 0 0 0 CHANNELS 1 Xposition\n"
            + joints
            + "}\nMOTION\nFrames: 1\nFrame Time: 1\n0\n"
        )
        survive(text.encode())


@pytest.mark.parametrize(
    "content",
    [
        b"HIERARCHY " + b" " * 3_000_000,
        b"HIERARCHY ROOT " + b"a" * 3_000_000,
        b"HIERARCHY ROOT a { OFFSET " + b"1" * 3_000_000,
        b"HIERARCHY " + b"{" * 3_000_000,
        b"x" * 3_000_000,
        SKELETON + b"1" * 3_000_000,
        SKELETON + b"1e" + b"1" * 3_000_000,
        SKELETON + b"\r" * 3_000_000,
        SKELETON + b"1 " * 1_500_000,
        SKELETON + b"1 2\n" * 500_000 + b"x",
        SKELETON.replace(b"Frames: 3", b"Frames: " + b"9" * 300),
        SKELETON.replace(b".01", b"1e-" + b"9" * 300),
        SKELETON.replace(b"Frames: 3", b"\n" * 1_000_000),
    ],
)
def test_large_and_senseless_files_end_soon(content):
    survive(content)
