"""The `walkon` command as tests call it: in this process, or, where only that proves something, in one of its own.

A process takes seconds to import what the tests have long imported. Both ways go through the entry point of the script,
`walkon.cli.main.main`, so exit codes and sentences on the error stream are the real ones.
"""

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

__all__ = ["Told", "run", "run_code", "run_process"]

WIDE = {"COLUMNS": "200"}
"""A terminal on which no sentence is broken."""


class Told(NamedTuple):
    """What a command left: the same names as `subprocess.CompletedProcess`."""

    returncode: int
    stdout: str
    stderr: str


def run(*arguments: object, cwd: Path | None = None, **environment: str) -> Told:
    """Run `walkon` with these arguments in this process; what a user would see as a traceback is raised."""
    from walkon.cli.main import main

    code: object = 0
    with _surroundings(["walkon", *map(str, arguments)], cwd, WIDE | environment) as (out, err):
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        if not isinstance(code, int):
            sys.stderr.write(f"{code}\n")
            code = 1
    return Told(code, _text(out), _text(err))


def run_code(code: str, *, cwd: Path) -> str:
    """Run a program in this process as `python -c` does, and return what it printed; warnings are errors here too."""
    with _surroundings(["-c"], cwd, {}) as (out, _):
        exec(compile(code, "<example>", "exec"), {"__name__": "__main__"})
    return _text(out)


def run_process(*arguments: object, cwd: Path | None = None, **environment: str) -> "subprocess.CompletedProcess[Any]":
    """Run `python -m walkon` with these arguments in a process of its own, as a user starts it."""
    return subprocess.run(
        [sys.executable, "-m", "walkon", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=os.environ | WIDE | environment,
        check=False,
        timeout=300,
    )


@contextlib.contextmanager
def _surroundings(
    words: list[str], cwd: Path | None, environment: dict[str, str]
) -> Iterator[tuple[io.TextIOWrapper, io.TextIOWrapper]]:
    """Give a program its arguments, folder, environment and streams, and take them back."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with (
        mock.patch.object(sys, "argv", words),
        mock.patch.dict(os.environ, environment),
        contextlib.chdir(Path.cwd() if cwd is None else cwd),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        yield out, err


def _text(stream: io.TextIOWrapper) -> str:
    """Return all that was written, with plain ends of lines."""
    stream.flush()
    return bytes(stream.buffer.getvalue()).decode().replace("\r\n", "\n")
