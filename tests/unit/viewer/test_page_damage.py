"""Takes that were damaged at random: the page plays them or refuses them with a sentence, and nothing else happens."""

import json
import struct
import subprocess
import zlib
from pathlib import Path

import numpy as np
import pytest

from page_posing import build_modules, why_no_node
from take_scenes import every_feature
from walkon._base.array_file import read_array_file, write_array_file
from walkon.take.storing.file import save_take

pytestmark = pytest.mark.skipif(why_no_node() is not None, reason=why_no_node() or "")
DRIVER = Path(__file__).with_name("read_takes.mjs")


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    return build_modules(tmp_path_factory.mktemp("modules"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return save_take(every_feature(np.random.default_rng(4)), tmp_path_factory.mktemp("takes") / "whole.take")


def read(modules, contents, folder):
    files = []
    for number, content in enumerate(contents):
        files.append(folder / f"{number}.take")
        files[-1].write_bytes(content)
    command = ["node", str(DRIVER), str(modules), *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_bytes_that_changed_are_refused(modules, whole, tmp_path):
    rng, content = np.random.default_rng(0), whole.read_bytes()
    harmed = []
    for _ in range(60):
        bad = bytearray(content)
        bad[int(rng.integers(len(bad)))] ^= 1 << int(rng.integers(8))
        harmed.append(bytes(bad))
    harmed += [content[: int(at)] for at in rng.integers(0, len(content), 40)]
    told = read(modules, harmed, tmp_path)
    assert all(sentence.endswith(".") for sentence in told)


def test_headers_that_were_written_wrongly_are_played_or_refused(modules, whole, tmp_path):
    rng, content = np.random.default_rng(1), whole.read_bytes()
    length, json_length = struct.unpack_from("<QQ", content, 64 + 16)
    harmed = []
    for _ in range(150):
        bad = bytearray(content)
        for at in rng.integers(128, 128 + json_length, int(rng.integers(1, 4))):
            bad[int(at)] = rng.choice(np.frombuffer(b'0123456789"[]{},:-.enulltrue ', np.uint8))
        struct.pack_into("<I", bad, 64 + 36, zlib.crc32(bad[128 : 128 + length]))
        struct.pack_into("<I", bad, 64 + 60, zlib.crc32(bad[64:124]))
        harmed.append(bytes(bad))
    told = read(modules, harmed, tmp_path)
    assert sum(map(bool, told)) > 50
    assert all(not sentence or sentence.endswith(".") for sentence in told)


def test_numbers_that_no_writer_writes_are_played_or_refused(modules, whole, tmp_path):
    rng = np.random.default_rng(2)
    block = read_array_file(whole, "take", version=2).blocks[0]
    names = [name for name, array in block.arrays.items() if array.size and "." in name]
    harmed = []
    for number in range(120):
        name = names[number % len(names)]
        array = block.arrays[name].copy()
        extremes = (
            [np.nan, np.inf, -1e30, 0.0]
            if array.dtype.kind == "f"
            else [np.iinfo(array.dtype).min, np.iinfo(array.dtype).max, 0, 77]
        )
        array.reshape(-1)[rng.integers(array.size)] = rng.choice(np.array(extremes, array.dtype))
        file = write_array_file(
            tmp_path / "one", "take", version=2, header=block.header, arrays=block.arrays | {name: array}
        )
        harmed.append(file.read_bytes())
    told = read(modules, harmed, tmp_path)
    assert any(told)
    assert all(not sentence or sentence.endswith(".") for sentence in told)
