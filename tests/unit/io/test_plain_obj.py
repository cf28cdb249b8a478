"""Large OBJ files are read by columns to the same bits as by lines, and left to the reader of lines if not plain."""

import numpy as np
import pytest

from walkon.io.meshes import triangles
from walkon.io.meshes.plain_obj import face_count, read_plain_obj

V = b"v 0.1 -2e-3 1234567.875\nv 1 0.30000000000000004 0\nv\t1 1 0\nv 0  1 -0.0\n"
PLAIN = {
    "triangles": V + b"f 1 2 3\nf 1 3 4\n",
    "mixed counts": V + b"f 1 2 3 4\nf 1 3 4\n",
    "textures and normals": V + b"vt 0 0\nvn 0 0 1\nusemtl a\nf 1/1/1 2/1/1 3/1/1\nf 1//1 2//1 3//1 4//1\n",
    "from behind": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\n" + V + b"f -4 -3 -2 -1\nf 1 2 -1\n",
    "no last line end": V + b"o thing\n\n# said\nf 1 2 3",
}
NOT_PLAIN = {
    "indents": V + b"  f 1 2 3\n",
    "colours": b"v 0 0 0 1 1 1\nv 1 0 0 1 1 1\nv 0 1 0 1 1 1\nf 1 2 3\n",
    "comments": V + b"f 1 2 3 # three\n",
    "no corner": V + b"f 1 2 9\n",
    "corner nought": V + b"f 0 1 2\n",
    "two corners": V + b"f 1 2\n",
    "words": V + b"f 1 2 x\n",
    "halves": V + b"f 1 2 2.5\n",
    "not finite": V + b"v nan 0 0\nf 1 2 3\n",
    "no faces": V,
}


@pytest.mark.parametrize("case", PLAIN)
def test_columns_have_the_same_bits_as_lines(case, monkeypatch):
    lines = triangles.obj_triangles(PLAIN[case])
    assert read_plain_obj(PLAIN[case]) is not None
    monkeypatch.setattr(triangles, "LARGE_FILE_BYTES", 0)
    monkeypatch.setattr(triangles, "_vertices", None)  # the reader of lines is not asked
    columns = triangles.obj_triangles(PLAIN[case])
    assert columns.tobytes() == lines.tobytes() and columns.shape == lines.shape


@pytest.mark.parametrize("case", NOT_PLAIN)
def test_what_is_not_plain_is_left_to_the_reader_of_lines(case):
    assert read_plain_obj(NOT_PLAIN[case]) is None


def test_faces_are_counted_without_being_read():
    assert [face_count(text) for text in (PLAIN["mixed counts"], b"f 1\nf\t2\nfoo\nvf 1\n", b"")] == [2, 2, 0]


def test_a_long_file_is_read_to_the_same_bits(rng, monkeypatch):
    places = rng.normal(0.0, 30.0, (3000, 3))
    faces = rng.integers(1, 3001, (4000, 3))
    text = "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in places.tolist())
    text += "".join(f"f {a} {b} {c}\n" for a, b, c in faces.tolist())
    plain = read_plain_obj(text.encode())
    assert plain is not None and np.array_equal(plain.vertices, places)
    assert np.array_equal(plain.corners.reshape(-1, 3), faces - 1)
