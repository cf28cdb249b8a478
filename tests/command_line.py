"""The `walkon` command in a process of its own, as a user starts it."""

import os
import subprocess
import sys
from typing import Any

__all__ = ["run"]


def run(*arguments: object, **environment: str) -> "subprocess.CompletedProcess[Any]":
    """Run `walkon` with these arguments on a wide terminal, and return what it said."""
    return subprocess.run(
        [sys.executable, "-m", "walkon", *map(str, arguments)],
        capture_output=True,
        text=True,
        env=os.environ | {"COLUMNS": "200"} | environment,
        check=False,
        timeout=300,
    )
