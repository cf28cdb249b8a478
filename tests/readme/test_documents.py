"""What README and docs show is executed, and what they point to exists."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
import typer.main

from command_line import run, run_code
from interrupting import INTERRUPTIBLE

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(text, language):
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


SERVE = (["view"], ["graph", "design"])
"""Commands that go on until an interrupt."""


def words_of(line):
    words = line.split("#")[0].split()
    assert words[0] == "walkon"
    return words


def walkon(line, folder):
    """Run a command of the README; videos are made small, because drawing them takes its time."""
    words = words_of(line)
    if any(words[1 : 1 + len(command)] == command for command in SERVE):
        served_and_interrupted(words, folder)
        return
    small = ["--size", "320x180", "--fps", "1"] if any(word.endswith(".mp4") for word in words) else []
    done = run(*words[1:], *small, cwd=folder)
    assert done.returncode == 0, done.stderr


def served_and_interrupted(words, folder):
    """Start a command that serves a page, get the page, and end it as a user does."""
    command = [sys.executable, "-m", *words, "--no-browser"]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        **INTERRUPTIBLE,
    ) as process:
        try:
            told = process.stdout.readline()  # empty where it ended
            address = re.search(r"http://\S+", told)
            assert address, told + process.stdout.read()
            with urllib.request.urlopen(address[0], timeout=20) as answer:
                assert b"<title>" in answer.read()
            process.send_signal(signal.SIGINT)
            rest, _ = process.communicate(timeout=20)
        finally:
            process.kill()
    assert process.returncode == 0, rest
    assert rest.startswith("stopped")


def command_named(words):
    """Return the command that a line calls, by the names after `walkon`."""
    from walkon.cli.main import app

    command = typer.main.get_command(app)
    for word in words[1:]:
        known = getattr(command, "commands", {})
        if not known:
            break
        command = known[word]
    return command


def test_the_scene_of_the_readme_is_performed(tmp_path):
    (scene,) = blocks(README, "yaml")
    assert scene in (ROOT / "examples" / "scenes" / "hello.yaml").read_text()
    (tmp_path / "hello.yaml").write_text(scene)
    for line in blocks(README, "console")[1].strip().splitlines():
        walkon(line, tmp_path)
    assert (tmp_path / "hello.png").stat().st_size > 10_000
    assert run_code(blocks(README, "python")[0], cwd=tmp_path).splitlines()[0] == "[]"
    assert (tmp_path / "hello.html").stat().st_size > 10_000


def test_the_python_example_runs(tmp_path):
    example = blocks(README, "python")[1]
    subprocess.run([sys.executable, "-W", "error", "-c", example], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "walk.png").stat().st_size > 10_000
    assert (tmp_path / "walk-clean.bvh").stat().st_size > 10_000


def test_the_two_commands_are_targets_of_the_makefile():
    make = (ROOT / "Makefile").read_text()
    commands = blocks(README, "console")[0]
    shown = re.findall(r"^make (\w+)", commands, re.MULTILINE)
    assert shown == ["demo", "test"]
    for target in shown:
        assert re.search(rf"^{target}:", make, re.MULTILINE)
    assert "make test" in (ROOT / ".ci" / "run").read_text()


def test_the_library_commands_run(tmp_path):
    import numpy as np

    from walker import spoil, walk
    from walkon.io import write_bvh

    (tmp_path / "my-mocap").mkdir()
    write_bvh(spoil(walk(seconds=2.0), np.random.default_rng(0)), tmp_path / "my-mocap" / "walk_01.bvh")
    for line in blocks(README, "console")[2].strip().splitlines():
        walkon(line, tmp_path)
    assert (tmp_path / "walk_01.png").is_file()


@pytest.mark.parametrize(
    "source",
    [
        f"walkon run {ROOT}/examples/scenes/first_walk.yaml -o walkon-demo.take --no-audit",
        pytest.param("walkon demo", marks=pytest.mark.slow),
    ],
    ids=["three people", "the demo"],
)
def test_the_crowd_commands_and_the_example_run(tmp_path, source):
    walkon(source, tmp_path)
    for line in blocks(README, "console")[3].strip().splitlines():
        walkon(line, tmp_path)
    for name in ("audit.html", "crowd.png", "crowd.mp4"):
        assert (tmp_path / name).stat().st_size > 10_000
    assert "plays" in run_code("import walkon\n" + blocks(README, "python")[2], cwd=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("block", [4, 5])
def test_the_graph_commands_run(tmp_path, block):
    for line in blocks(README, "console")[block].strip().splitlines():
        walkon(line, tmp_path)


def test_every_command_has_the_options_that_the_readme_gives_it():
    lines = [line for block in blocks(README, "console") for line in block.splitlines() if line.startswith("walkon ")]
    assert len(lines) > 10
    for line in lines:
        words = words_of(line)
        known = {name for option in command_named(words).params for name in (*option.opts, *option.secondary_opts)}
        assert {word for word in words if word.startswith("-")} <= known, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_pictures_exist(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_modules_and_tests_exist(page):
    for name in re.findall(r"`(tests/[\w/]+\.py)`", page.read_text()):
        assert (ROOT / name).is_file(), name
    if page.name == "papers.md":
        for name in re.findall(r"`(\w+/\w+\.py)`", page.read_text()):
            assert (ROOT / "src" / "walkon" / name).is_file(), name


def test_the_version_is_one():
    import walkon

    project = (ROOT / "pyproject.toml").read_text()
    assert f'version = "{walkon.__version__}"' in project
    assert f"## {walkon.__version__}" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize(
    "page",
    [
        "studio.md",
        "libraries.md",
        "takes.md",
        "motion_graphs.md",
        "path_following.md",
        "snap_together.md",
        "export.md",
        "crowds.md",
        "papers.md",
    ],
)
def test_examples_of_pages_run(tmp_path, page):
    examples = blocks((ROOT / "docs" / page).read_text(), "python")
    assert examples
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    run_code("\n".join(examples), cwd=tmp_path)  # a page's examples go on from one another
