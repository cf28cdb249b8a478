"""One run as a column of calls: `python -m benchmarks.trace [scene]`.

Performs a scene as `walkon run` does, under a profile hook, and prints which package calls which, in the order of the
first call, indented by depth, with how often: a step that is done twice is seen at once. Calls within a package and
those of the lowest packages (arrays, transforms, geometry) are left out, and so is what is deeper than `DEPTH`.
"""

import contextlib
import io
import sys
import tempfile
from pathlib import Path
from types import FrameType
from typing import Any

from walkon.cli.main import main as command

DEPTH, DEEPEST = 5, 200
LEFT_OUT = ("walkon._base", "walkon.transforms", "walkon.geometry", "walkon.motion", "walkon.studio")
SCENES = Path(__file__).parent.parent / "examples" / "scenes"


class Calls:
    """A tree of calls from package to package."""

    def __init__(self) -> None:
        self.counts: dict[tuple[str, ...], int] = {}
        self._stack: list[tuple[str, str]] = []
        self._frames: list[tuple[FrameType, bool]] = []

    def hook(self, frame: FrameType, event: str, _: Any) -> None:
        """Note a call; `sys.setprofile` calls this."""
        if event == "call":
            module = frame.f_globals.get("__name__") or ""
            package = ".".join(module.split(".")[: 3 if "goal_directed" in module or "snap_together" in module else 2])
            name = frame.f_code.co_name
            counts = (
                frame.f_code.co_flags & 1  # a function, not the body of a module or a class
                and package.startswith("walkon.")
                and not package.startswith(LEFT_OUT)
                and not name.startswith(("<", "_", "require_"))
                and module not in ("walkon.cli.reading", "walkon.cli.run")
                and (not self._stack or self._stack[-1][0] != package)
            )
            self._frames.append((frame, bool(counts)))
            if counts:
                self._stack.append((package, f"{module.removeprefix('walkon.')}:{name}"))
                path = tuple(call for _, call in self._stack)
                self.counts[path] = self.counts.get(path, 0) + 1
        elif event == "return" and any(known is frame for known, _ in reversed(self._frames[-DEEPEST:])):
            # A generator that is closed returns without having been called: frames are looked for, not counted.
            while True:
                last, counted = self._frames.pop()
                if counted:
                    self._stack.pop()
                if last is frame:
                    break


def main() -> None:
    """Print the column."""
    scene = sys.argv[1] if len(sys.argv) > 1 else "hello"
    calls = Calls()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        arguments = ["run", str(SCENES / f"{scene}.yaml"), "-o", str(Path(folder) / "x.take"), "--workers", "1"]
        sys.argv = ["walkon", *arguments]
        sys.setprofile(calls.hook)
        with contextlib.suppress(SystemExit):
            command()
        sys.setprofile(None)
    for path, count in calls.counts.items():
        if len(path) <= DEPTH:
            print(f"{'  ' * (len(path) - 1)}{path[-1]}{f'  × {count}' if count > 1 else ''}")


if __name__ == "__main__":
    main()
