"""A real browser for the pages: Chromium through Playwright, drawing in software; skipped with a reason if missing."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page_scene import page_take
from page_watching import SIZE, Open

from walkon.viewer.page_file import STATIC, write_page

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    *("--no-sandbox", "--ignore-gpu-blocklist", "--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--no-first-run", "--disable-quic", "--mute-audio"),
)
DRAWING = (
    ("--use-gl=angle", "--use-angle=gl-egl"),
    ("--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
)
"""Ways to draw without a graphics card: Mesa's, which is faster, and the one that Chromium brings along."""
HAS_WEBGL = "document.createElement('canvas').getContext('webgl2') !== null"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium: WALKON_CHROMIUM, one on the path, or the one that `playwright install chromium` gets.

    It ends with its file: what a process has cost is known when it ends, and seconds by folder must name this folder.
    """
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install playwright")
    path = os.environ.get("WALKON_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    with api.sync_playwright() as playwright:
        for way in DRAWING:
            try:
                found = playwright.chromium.launch(executable_path=path, headless=True, args=[*FLAGS, *way])
            except api.Error as error:
                reason = str(error).strip().splitlines()[0]
                pytest.skip(f"no browser: set WALKON_CHROMIUM, or run `playwright install chromium` ({reason})")
            page = found.new_page()
            works = page.evaluate(HAS_WEBGL)
            page.close()
            if works:
                yield found
                found.close()
                return
            found.close()
        pytest.skip("this machine's Chromium has no WebGL 2, neither through Mesa nor through SwiftShader")


@pytest.fixture(scope="session")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The test's take in a page of its own, with its audit."""
    if not (STATIC / "viewer.html").is_file():
        pytest.skip("the page has not been built: run `make page`")
    take = page_take()
    return write_page(take, tmp_path_factory.mktemp("page") / "scene.html", title="A small scene", audit=take.audit())


@pytest.fixture
def opened(browser: Any, page_file: Path) -> Iterator[Open]:
    """Open the page offline; whatever it writes into the console as an error fails the test."""
    contexts, faults = [], []

    def open_page(
        hash: str = "#t=1", *, path: Path | str = page_file, ready: bool = True, script: str = "", **options: Any
    ) -> Any:
        context = browser.new_context(**{"viewport": SIZE, "reduced_motion": "reduce", "offline": True} | options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: faults.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        if script:
            page.add_init_script(script)
        page.goto(f"{path if isinstance(path, str) else path.as_uri()}{hash}")
        if ready:
            page.evaluate("walkon.ready")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [fault for fault in faults if "GPU stall" not in fault] == []
