import pytest

from walkon._base.errors import UnreadableFile
from walkon.capture.recordings import find_recordings


@pytest.fixture
def folder(tmp_path):
    for name in ("b.bvh", "a.BVH", "deep/c.bvh", "readme.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("HIERARCHY")
    return tmp_path


def manifest(folder, text):
    (folder / "manifest.csv").write_text(text)
    return folder


def test_without_a_manifest_all_bvh_files_are_taken_in_order(folder):
    assert [entry.name for entry in find_recordings(folder)] == ["a", "b", "c"]


def test_a_manifest_gives_rates_labels_and_ensembles(folder):
    rows = 'file,fps,labels,style,ensemble,notes\nb.bvh,60,walk; turn,sad,pair,"a, b"\na.BVH,,,,pair,\n'
    first, second = find_recordings(manifest(folder, rows))
    assert (first.fps, first.labels, first.ensemble) == (60.0, ("walk", "turn", "sad"), "pair")
    assert (second.fps, second.labels) == (None, ())


def test_clips_can_be_named_and_semicolons_are_understood(folder):
    first, second = find_recordings(manifest(folder, "file;name;label\nb.bvh;stroll;walk\na.BVH;;\n"))
    assert (first.name, first.labels) == ("stroll", ("walk",))
    assert second.name == "a"


def test_files_can_be_skipped(folder):
    entries = find_recordings(manifest(folder, "file,skip\na.BVH,true\nb.bvh,\n"))
    assert [entry.name for entry in entries] == ["b"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name,fps\na,1\n", r"manifest.csv:1: needs a column called 'file'"),
        ("file,fps\na.BVH,fast\n", r"manifest.csv:2: fps must be a number from 1 to 10000, got 'fast'"),
        ("file\nb.bvh\nb.bvh\n", r"'b' is listed twice; give one of them another name"),
        ("file,fps\n,60\n", r"manifest.csv:2: this row names no file"),
        ("file\n", "lists no recordings"),
    ],
)
def test_mistakes_are_told_with_their_line(folder, text, told):
    with pytest.raises(UnreadableFile, match=told):
        find_recordings(manifest(folder, text))


def test_a_folder_without_recordings_says_so(tmp_path):
    with pytest.raises(UnreadableFile, match=r"no .bvh files here or below"):
        find_recordings(tmp_path)
    with pytest.raises(UnreadableFile, match="no such folder"):
        find_recordings(tmp_path / "nowhere")
