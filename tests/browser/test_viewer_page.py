"""The page that plays a take, in a real browser: what one sees, clicks and presses; offline, from a file."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from page_scene import SECONDS, STAGE, page_take
from page_watching import SIZE, Open, around, pixels, settle, until
from PIL import Image

from prop_shapes import ring_mesh
from take_scenes import walking
from walkon.motion.body import Body
from walkon.stage import Prop, PropPart
from walkon.take import TakeWriter
from walkon.viewer import PageServer, show, write_page

KEYS = [
    *("Space", "K", "Shift ←", "Shift →", "←", "→", "Home", "End", "[", "↓", "]", "↑", "O"),
    *("1", "2", "3", "0", "W", "A", "S", "D", "Q", "E", "PgUp", "PgDn", "Z", "X"),
    *("N", "B", "Esc", "J", ",", ".", "M", "P", "L", "C", "F", "I", "V", "T", "H", "?"),
]
"""All keys of the page: every one is pressed by a test of this file."""
LAYERS = {"m": "Marks", "p": "Paths", "l": "Plants", "c": "Contacts", "f": "Footprints"}


def test_it_opens_from_a_file_and_shows_who_is_there(opened: Open) -> None:
    page = opened()
    assert page.title() == "A small scene"
    assert page.locator("#name").inner_text() == "A small scene"
    assert page.locator("#facts").inner_text() == "5 characters · 4.0 s · 2 marks"
    stats = page.evaluate("walkon.stats()")
    assert stats["characters"] == 5
    assert stats["triangles"] > 3000
    assert stats["firstFrame"] > 0
    assert stats["frames"] >= 1
    assert page.evaluate("walkon.time") == 1.0
    assert page.evaluate("walkon.playing") is False


def test_bodies_are_where_their_hips_are_in_their_colours_and_the_floor_elsewhere(opened: Open) -> None:
    page = opened("#t=1&who=ann")
    page.evaluate("walkon.select(null)")
    settle(page)
    image = pixels(page)
    trousers = around(image, page.evaluate("walkon.where('ann')"))
    shirt = page.evaluate("walkon.where('ann')")
    shirt["y"] -= 20
    red, green, blue = around(image, shirt)
    assert red > 1.6 * max(green, blue)
    shirt = page.evaluate("walkon.where('bob')")
    shirt["y"] -= 20
    red, green, blue = around(image, shirt)
    assert blue > 1.4 * max(red, green)
    floor = around(image, {"x": 0.5 * SIZE["width"], "y": SIZE["height"] - 90.0})
    assert floor.min() > 215
    assert np.ptp(floor) < 12
    assert trousers.max() < 160
    assert page.evaluate("walkon.where('cy')") is not None
    assert page.evaluate("walkon.where('nobody')") is None


def test_it_plays_and_pauses_and_people_move(opened: Open) -> None:
    page = opened()
    before = page.evaluate("walkon.where('ann')")
    page.keyboard.press("Space")
    until(page, "walkon.time > 1.2")
    assert page.evaluate("walkon.playing")
    page.get_by_role("button", name="Pause").click()
    assert not page.evaluate("walkon.playing")
    after = page.evaluate("walkon.where('ann')")
    assert np.hypot(after["x"] - before["x"], after["y"] - before["y"]) > 3
    assert page.evaluate("walkon.stats().median") > 0


def test_it_plays_by_itself_unless_the_reader_wants_calm_or_a_moment(opened: Open) -> None:
    page = opened("", reduced_motion="no-preference")
    assert page.evaluate("walkon.playing")
    page.close()
    assert not opened("").evaluate("walkon.playing")


def test_scrubbing_sets_the_time(opened: Open) -> None:
    page = opened()
    box = page.locator(".scrub input").bounding_box()
    page.mouse.click(box["x"] + 0.75 * box["width"], box["y"] + 0.5 * box["height"])
    assert page.evaluate("walkon.time") == pytest.approx(0.75 * SECONDS, abs=0.1)
    page.evaluate("walkon.seek(2.5)")
    assert page.locator(".clock b").inner_text() == "2.50"
    assert page.evaluate("walkon.where('cy')") is not None
    page.evaluate("walkon.seek(3.5)")  # he has left by then
    assert page.evaluate("walkon.where('cy')") is None
    assert "t=3.50" in page.evaluate("location.hash")


def test_keys_for_time(opened: Open) -> None:
    page = opened()

    def time_after(*keys: str) -> float:
        for key in keys:
            page.keyboard.press(key)
        return float(page.evaluate("walkon.time"))

    assert time_after("ArrowRight") == pytest.approx(1.0 + 1 / 60, abs=1e-6)
    assert time_after("ArrowLeft", "ArrowLeft") == pytest.approx(1.0 - 1 / 60, abs=1e-6)
    assert time_after("Home", "Shift+ArrowRight") == pytest.approx(1.0)
    assert time_after("Shift+ArrowLeft") == 0.0
    assert time_after("End") == SECONDS
    speed = page.get_by_label("Speed")
    page.keyboard.press("]")
    assert speed.input_value() == "1.5"
    page.keyboard.press("[")
    page.keyboard.press("ArrowDown")
    assert speed.input_value() == "0.5"
    page.keyboard.press("ArrowUp")
    for _ in range(8):
        page.keyboard.press("[")
    assert speed.input_value() == "0.1"
    loop = page.get_by_role("button", name="Loop")
    assert loop.get_attribute("aria-pressed") == "true"
    page.keyboard.press("o")
    assert loop.get_attribute("aria-pressed") == "false"
    page.evaluate("walkon.seek(3.99)")
    for _ in range(7):
        page.keyboard.press("]")
    page.keyboard.press("k")
    until(page, "!walkon.playing")  # without the loop it stops at the end
    assert page.evaluate("walkon.time") == SECONDS
    page.keyboard.press("k")
    assert page.evaluate("walkon.playing")  # and begins again


def test_a_click_selects_and_the_panel_tells_why(opened: Open) -> None:
    page = opened("#t=1.2")
    place = page.evaluate("walkon.where('ann')")
    page.mouse.click(place["x"], place["y"] - 15)
    assert page.evaluate("walkon.selected") == "ann"
    panel = page.locator("#character").inner_text()
    for words in ("ann", "analytic walk", "Segment 1 of 2", "the shortest way to the spot", "On the way to spot"):
        assert words in panel
    assert re.search(r"never\s+it is not meant to be met", panel)
    assert re.search(r"spot\s+at 4\.00 s", panel)
    assert re.search(r"bob\s+\d\.\d\d m", panel)
    page.evaluate("walkon.seek(4)")
    settle(page)
    assert re.search(r"spot\s+met at 4\.00 s", page.locator("#character").inner_text())
    page.evaluate("walkon.seek(3)")
    page.locator("#character").get_by_role("button", name="bob").click()
    assert page.evaluate("walkon.selected") == "bob"
    assert "Holds sphere and cylinder" in page.locator("#character").inner_text()
    page.mouse.click(SIZE["width"] / 2, SIZE["height"] - 75)  # the bare floor
    assert page.evaluate("walkon.selected") is None
    assert page.locator("#character").is_hidden()


def test_keys_go_through_the_cast_and_tab_does_on_the_stage(opened: Open) -> None:
    page = opened()
    seen = []
    for key in ("n", "n", "n", "b"):
        page.keyboard.press(key)
        seen.append(page.evaluate("walkon.selected"))
    assert seen == ["ann", "bob", "cy", "bob"]
    page.keyboard.press("Escape")
    assert page.evaluate("walkon.selected") is None
    page.locator("#view").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("walkon.selected") == "bob"
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("walkon.selected") == "ann"
    for _ in range(3):  # to the panel, back with nobody selected, and out of the stage
        page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") != "view"


def test_cameras_follow_and_look_through_eyes(opened: Open) -> None:
    page = opened("#t=1&follow=bob")
    assert page.evaluate("walkon.camera") == "follow"
    assert page.evaluate("walkon.selected") == "bob"
    before = page.evaluate("walkon.where('bob')")
    page.evaluate("walkon.seek(3)")  # he walks two metres, the camera with him
    until(page, f"Math.hypot(walkon.where('bob').x - {before['x']}, walkon.where('bob').y - {before['y']}) < 50")
    page.keyboard.press("3")
    assert page.evaluate("walkon.camera") == "first"
    until(page, "document.getElementById('tag').hidden")
    assert "eyes=bob" in page.evaluate("location.hash")
    page.keyboard.press("1")
    assert page.evaluate("walkon.camera") == "orbit"
    page.keyboard.press("Escape")
    page.keyboard.press("2")  # nobody is selected: whoever is in the middle
    assert page.evaluate("walkon.camera") == "follow"
    assert page.evaluate("walkon.selected") is not None
    page.keyboard.press("0")
    assert page.evaluate("walkon.camera") == "orbit"


def test_keys_and_hands_move_the_camera(opened: Open) -> None:
    page = opened()

    def place() -> np.ndarray:
        where = page.evaluate("walkon.where('ann')")
        return np.array([where["x"], where["y"]])

    def moved(before: np.ndarray, least: float) -> bool:
        """Whether she is elsewhere on the screen, within some seconds."""
        for _ in range(100):
            if np.linalg.norm(place() - before) > least:
                return True
            page.wait_for_timeout(30)
        return False

    for key in ("w", "a", "s", "d", "q", "e", "PageUp", "PageDown", "z", "x"):
        before = place()
        page.keyboard.down(key)
        assert moved(before, 0.5), key
        page.keyboard.up(key)
        settle(page)
    before = place()
    page.mouse.move(200, 300)
    page.mouse.down()
    page.mouse.move(260, 310, steps=3)
    page.mouse.up()
    assert moved(before, 5)
    assert page.evaluate("walkon.selected") is None
    settle(page)
    before = place()
    page.mouse.wheel(0, -400)
    assert moved(before, 3)


def test_every_layer_has_its_key_and_draws_something(opened: Open) -> None:
    page = opened("#t=1.3")
    plain = pixels(page)
    page.get_by_role("button", name="Layers").click()
    for key, name in LAYERS.items():
        entry = page.get_by_role("menuitemcheckbox", name=name)
        assert entry.get_attribute("aria-checked") == "false"
        page.keyboard.press(key)
        assert entry.get_attribute("aria-checked") == "true"
        assert page.locator("#status").inner_text() == f"{name} shown"
        for _ in range(40):  # paths are sampled first
            settle(page)
            changed = (np.abs(pixels(page) - plain).max(axis=-1) > 24)[70:330, :400].sum()
            if changed > 12:
                break
        assert changed > 12, name
        entry.click()
        assert entry.get_attribute("aria-checked") == "false"
    page.keyboard.press("Escape")
    assert page.get_by_role("menuitemcheckbox", name="Marks").count() == 0


def test_worst_cases_are_jumped_to(opened: Open) -> None:
    page = opened("#t=0")
    page.keyboard.press("j")
    cases = page.locator("#cases > button")
    assert cases.count() > 3
    cases.nth(1).click()
    until(page, "location.hash.includes('who=')")
    assert cases.nth(1).get_attribute("aria-current") == "true"
    told = float(cases.nth(1).locator("small span").nth(1).inner_text().removesuffix(" s"))
    assert page.evaluate("walkon.time") == pytest.approx(told, abs=0.01)
    page.keyboard.press(".")
    assert cases.nth(2).get_attribute("aria-current") == "true"
    page.keyboard.press(",")
    page.keyboard.press(",")
    assert cases.nth(0).get_attribute("aria-current") == "true"
    page.keyboard.press("j")
    assert page.locator("#cases").is_hidden()


def test_only_what_is_beyond_its_limit_is_called_a_fault(opened: Open, page_file: Path, tmp_path: Path) -> None:
    page = opened("#t=0")
    page.keyboard.press("j")
    cases = page.locator("#cases > button")
    faults = page.locator("#cases > button.fault").count()
    assert 0 < faults < cases.count()
    assert page.locator("#cases").inner_text().startswith(f"Worst cases\n\n{faults} faults")
    assert "over the limit of" in page.locator("#cases").inner_text()
    for k in range(cases.count()):
        assert (k < faults) == ("fault" in (cases.nth(k).get_attribute("class") or ""))
        assert not re.search(r"At [0-9.]+ s", cases.nth(k).inner_text())  # its time stands above
    path = tmp_path / "fine.html"
    path.write_text(page_file.read_text(encoding="utf-8").replace('"fault":true', '"fault":false'), encoding="utf-8")
    page = opened("#t=0", path=path)
    page.get_by_role("button", name="Largest values").click()
    assert "fault" not in page.locator("#cases").inner_html()
    assert page.locator("#cases").inner_text().startswith("Largest values\n\nAll within the limits")


def test_the_name_stays_over_the_head_at_any_distance(opened: Open) -> None:
    page = opened("#t=1&who=ann")
    for _ in range(12):
        page.mouse.wheel(0, 400)
    until(page, "Math.abs(walkon.where('ann').y - walkon.where('bob').y) < 20")
    settle(page)
    tag = page.locator("#tag").bounding_box()
    assert 5 < page.evaluate("walkon.where('ann').y") - (tag["y"] + tag["height"]) < 30


def test_light_and_dark_follow_the_system_and_the_switch(opened: Open) -> None:
    page = opened(color_scheme="dark")
    dark = pixels(page)
    assert np.median(dark) < 60
    page.keyboard.press("t")
    until(page, "document.documentElement.dataset.theme === 'light'")
    settle(page)
    assert np.median(pixels(page)) > 200


def test_a_still_and_a_film_are_saved(opened: Open) -> None:
    page = opened(accept_downloads=True)
    with page.expect_download() as saved:
        page.keyboard.press("i")
    assert saved.value.suggested_filename == "A-small-scene-1.00s.png"
    with Image.open(saved.value.path()) as picture:
        assert picture.width >= 1900
        assert np.asarray(picture.convert("RGB")).std() > 5
    page.keyboard.press("v")
    assert page.get_by_role("button", name="Stop and save the video").is_visible()
    page.keyboard.press("Space")
    page.wait_for_timeout(1200)
    with page.expect_download() as saved:
        page.keyboard.press("v")
    assert saved.value.suggested_filename.endswith(".webm")
    film = Path(saved.value.path()).read_bytes()
    assert film[:4] == b"\x1a\x45\xdf\xa3"  # EBML
    assert len(film) > 2000


def test_help_lists_every_key_and_the_controls_can_be_hidden(opened: Open) -> None:
    page = opened()
    page.keyboard.press("?")
    shown = page.locator("#help").inner_text()
    for words in ("Play, pause", "Through the eyes", "Footprints", "Worst cases", "Save a still", "Two fingers"):
        assert words in shown
    assert sorted(page.locator("#help section:not(:last-child) kbd").all_inner_texts()) == sorted(KEYS)
    page.keyboard.press("Escape")
    assert page.locator("#help").is_hidden()
    page.keyboard.press("h")
    assert page.locator("#timeline").is_hidden()
    page.keyboard.press("Escape")
    assert page.locator("#timeline").is_visible()


def test_everything_can_be_reached_and_has_a_name(opened: Open) -> None:
    page = opened("#t=1&who=ann")
    nameless = page.evaluate(
        """[...document.querySelectorAll('button, input, select, canvas[tabindex]')]
           .filter(e => e.offsetParent !== null)
           .filter(e => !(e.getAttribute('aria-label') || e.textContent.trim())).length"""
    )
    assert nameless == 0
    page.locator("body").press("Tab")
    reached = set()
    for _ in range(40):
        reached.add(page.evaluate("document.activeElement.getAttribute('aria-label') || document.activeElement.id"))
        page.keyboard.press("Tab")
    wanted = {
        "Orbit",
        "Layers",
        "Worst cases",
        "Save a still",
        "Light or dark",
        "Keys",
        "Follow",
        "Close",
        "Time",
        "Loop",
    }
    assert wanted <= reached


@pytest.mark.parametrize(("width", "height"), [(390, 844), (320, 568), (1280, 720)])
def test_nothing_overflows_on_phones_and_laptops(opened: Open, width: int, height: int) -> None:
    phone = width < 500
    page = opened("#t=1&who=ann", viewport={"width": width, "height": height}, has_touch=phone, is_mobile=phone)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    outside = page.evaluate(
        """[...document.querySelectorAll('#top *, #timeline *, #side > *, #side header *')]
           .filter(e => e.offsetParent !== null && e.getBoundingClientRect().width > 0)
           .filter(e => { const b = e.getBoundingClientRect();
                          return b.left < -0.5 || b.right > innerWidth + 0.5 || b.bottom > innerHeight + 0.5; })
           .map(e => e.outerHTML.slice(0, 80))"""
    )
    assert outside == []
    if phone:
        place = page.evaluate("walkon.where('bob')")
        page.touchscreen.tap(place["x"], place["y"])
        assert page.evaluate("walkon.selected") == "bob"


def test_links_to_a_moment_are_followed_and_unknown_names_are_told(opened: Open) -> None:
    page = opened("#t=2.25&eyes=ann")
    assert page.evaluate("[walkon.time, walkon.camera, walkon.selected]") == [2.25, "first", "ann"]
    page.evaluate("location.hash = '#t=0.5&who=eve'")
    until(page, "walkon.time === 0.5")
    assert "There is no “eve”" in page.locator("#status").inner_text()


@pytest.mark.parametrize("audited", [False, True])
def test_it_is_served_with_and_without_an_audit(opened: Open, audited: bool) -> None:
    take = page_take()
    with PageServer(take, title="served.take", audit=take.audit() if audited else None) as server:
        page = opened(path=server.address, offline=False)
        assert page.locator("#name").inner_text() == "served.take"
        page.wait_for_timeout(100)  # the audit comes after the first frame
        assert page.get_by_role("button", name="Worst cases").count() == int(audited)


def test_it_plays_inside_a_notebook_cell(browser: Any, page_file: Path) -> None:
    context = browser.new_context(viewport=SIZE)
    page = context.new_page()
    faults: list[str] = []
    page.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
    page.set_content(show(page_take())._repr_html_())
    frame = page.frames[1]
    frame.evaluate("walkon.ready")
    frame.evaluate("walkon.seek(2)")
    assert frame.evaluate("walkon.stats().characters") == 5
    frame.locator("#view").press("t")
    frame.locator("#view").press("n")
    assert frame.evaluate("walkon.selected") == "ann"
    context.close()
    assert faults == []


def test_a_take_with_nobody_in_it_shows_its_stage(opened: Open, tmp_path: Path) -> None:
    page = opened(path=write_page(TakeWriter(stage=STAGE).close(), tmp_path / "empty.html"))
    assert page.locator("#facts").inner_text() == "0 characters · 0.0 s"
    for key in ("Space", "n", "2", "ArrowRight", "m", "p", "l", "c", "f", "0"):
        page.keyboard.press(key)
    assert page.evaluate("walkon.selected") is None
    assert pixels(page).std() > 3


def test_parts_of_compounds_and_meshes_are_seen_in_their_colours(opened: Open, tmp_path: Path) -> None:
    parts = (
        PropPart(size=(0.5, 0.5, 0.5), pose=(0, 0, 0.25, 1, 0, 0, 0)),
        PropPart(shape="sphere", size=(0.5, 0.5, 0.5), pose=(0, 0, 0.8, 1, 0, 0, 0), colour=(0, 0.8, 0.8)),
        PropPart(shape="cylinder", size=(0.5, 0.5, 0.4), pose=(0, 0, 1.3, 1, 0, 0, 0), colour=(0.9, 0.9, 0)),
    )
    vertices, triangles = ring_mesh(0.4, 0.12)
    tower = Prop(name="tower", shape="compound", parts=parts, colour=(0.9, 0, 0.9))
    ring = Prop(name="ring", shape="mesh", vertices=vertices, triangles=triangles, colour=(0.95, 0.1, 0))
    clip = walking()
    writer = TakeWriter()
    ann = writer.add_character("ann", body=writer.add_body(Body.of(clip.skeleton)))
    writer.perform(ann, clip, start=0.0, stop=SECONDS)
    for prop, y in ((tower, 1.2), (ring, -1.2)):
        pose = (2.0, y, 0.0, 1, 0, 0, 0) if prop is tower else (2.0, y, 0.8, 0.5**0.5, 0.5**0.5, 0, 0)
        writer.rest(writer.add_prop(prop), pose, start=0.0, stop=SECONDS)
    page = opened("#t=1", path=write_page(writer.close(), tmp_path / "props.html"))
    settle(page)
    red, green, blue = np.moveaxis(pixels(page), -1, 0)
    for seen in (
        (red > green + 60) & (blue > green + 60),  # the box
        (green > red + 60) & (blue > red + 60),  # the ball
        (red > blue + 60) & (green > blue + 60) & (abs(red - green) < 30),  # the cylinder
    ):
        assert seen.sum() > 150
    rows, columns = np.nonzero((red > green + 90) & (red > blue + 90))
    assert len(rows) > 300
    # The ring has a hole: in its middle is the floor.
    hole = pixels(page)[int(np.median(rows)), int(0.5 * (columns.min() + columns.max()))]
    assert np.ptp(hole) < 40
