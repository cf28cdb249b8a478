"""Pages that cannot be shown say so, each with one way out; pages that can be shown are not covered by anything."""

import base64
import gzip
import re
from pathlib import Path

import pytest
from page_scene import page_take
from page_watching import Open, settle

from walkon.take.storing.file import save_take


def with_take(page_file: Path, path: Path, data: bytes) -> Path:
    """The page with other bytes in the place of its take."""
    text = page_file.read_text(encoding="utf-8")
    packed = base64.b64encode(gzip.compress(data)).decode()
    path.write_text(re.sub(r'(id="take-data">)[^<]*', lambda m: m[1] + packed, text), encoding="utf-8")
    return path


def test_damage_is_told_in_a_sentence(opened: Open, page_file: Path, tmp_path: Path) -> None:
    whole = save_take(page_take(), tmp_path / "whole.take").read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0xFF
    for name, data in (("half", whole[: len(whole) // 2]), ("flipped", bytes(flipped)), ("other", b"BM not a take")):
        page = opened(path=with_take(page_file, tmp_path / f"{name}.html", data), ready=False)
        page.wait_for_selector("#message:not([hidden])")
        told = page.locator("#message").inner_text()
        assert "This take cannot be played" in told, name
        assert len(told.splitlines()) >= 2
        assert page.evaluate("walkon.ready.then(() => 'fine', () => 'failed')") == "failed"


def test_without_webgl_the_page_says_so(opened: Open) -> None:
    blind = "HTMLCanvasElement.prototype.getContext = () => null"
    page = opened(ready=False, script=blind)
    page.wait_for_selector("#message:not([hidden])")
    assert "WebGL 2 is missing" in page.locator("#message").inner_text()


def test_a_worker_that_fails_is_told(opened: Open) -> None:
    page = opened(ready=False, script="window.Worker = class { constructor() { throw new Error('no workers here'); } }")
    page.wait_for_selector("#message:not([hidden])")
    assert "no workers here" in page.locator("#message").inner_text()


@pytest.mark.parametrize("cut", ["script", "before the take", "take", "last line"])
def test_a_file_that_was_cut_off_says_so(opened: Open, page_file: Path, tmp_path: Path, cut: str) -> None:
    text = page_file.read_text(encoding="utf-8")
    take = text.index('<script type="application/octet-stream;base64" id="take-data">')
    ends = {"script": take - 50_000, "before the take": take, "take": take + 20_000, "last line": len(text) - 60}
    path = tmp_path / "cut.html"
    path.write_text(text[: ends[cut]], encoding="utf-8")
    page = opened(path=path, ready=False)
    if cut == "script":  # it never runs: the file itself must say it
        page.wait_for_selector("#loading")
        assert "its file was cut off" in page.locator("#loading").inner_text()
        assert page.locator("#loading").is_visible()
        return
    page.wait_for_selector("#message:not([hidden])")
    told = page.locator("#message").inner_text()
    assert "This file was cut off" in told
    assert "download the page again" in told
    assert "walkon check" not in told
    assert page.locator("#loading").count() == 0


def test_faults_of_a_page_that_plays_do_not_cover_it(opened: Open, page_file: Path) -> None:
    page = opened()
    assert page.locator("#loading").count() == 0
    page.evaluate("window.dispatchEvent(new ErrorEvent('error', { message: 'ResizeObserver loop completed' }))")
    assert page.locator("#status").inner_text() == ""
    page.evaluate("window.dispatchEvent(new ErrorEvent('error', { error: new Error('a hiccup') }))")
    assert page.locator("#message").is_hidden()
    assert "a hiccup" in page.locator("#status").inner_text()
    page.keyboard.press("ArrowRight")
    settle(page)
    assert page.evaluate("walkon.time") > 1


def test_a_graphics_card_that_stops_is_told(opened: Open) -> None:
    page = opened()
    page.evaluate("document.getElementById('view').dispatchEvent(new Event('webglcontextlost'))")
    assert "graphics card stopped" in page.locator("#message").inner_text()
