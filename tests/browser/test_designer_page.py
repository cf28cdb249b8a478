"""The graph designer in a real browser, with its real server: what one drags, clicks, presses and finds again."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from snap_libraries import performer
from walkon.viewer.designer import DesignServer, DesignSession
from walkon.viewer.page_file import STATIC

pytestmark = pytest.mark.slow

Open = Callable[..., Any]
SIZE = {"width": 1100, "height": 640}
DESIGNER = "walkonDesigner.designer"
STEP = 0.6
"""Seconds of motion within which a command is obeyed while walking."""


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A graph file with suggested hubs: two of walking, one of standing."""
    if not (STATIC / "designer.html").is_file():
        pytest.skip("the page has not been built: run `make page`")
    made = DesignSession.open(tmp_path_factory.mktemp("graphs") / "first.graph", library=performer())
    made.save()
    return made.file.read_bytes()


@pytest.fixture
def server(saved: bytes, tmp_path: Path) -> Iterator[DesignServer]:
    (tmp_path / "office.graph").write_bytes(saved)
    with DesignServer(DesignSession.open(tmp_path / "office.graph")) as running:
        yield running


@pytest.fixture
def opened(browser: Any, server: DesignServer) -> Iterator[Open]:
    """Open the designer; whatever it writes into the console as an error fails the test."""
    contexts, faults = [], []

    def open_page(*, address: str | None = None, ready: bool = True, script: str = "", **options: Any) -> Any:
        context = browser.new_context(**{"viewport": SIZE, "reduced_motion": "reduce"} | options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: faults.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        if script:
            page.add_init_script(script)
        page.goto(address or server.address)
        if ready:
            page.evaluate("walkonDesigner.ready.then(() => null)")
            until(page, "document.querySelector('#playing b') !== null", 90.0)  # kernels may have to be compiled
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [fault for fault in faults if "GPU stall" not in fault] == []


def until(page: Any, expression: str, seconds: float = 60.0) -> Any:
    """Wait until an expression is true on the page; its policy allows no other way to wait."""
    end = time.monotonic() + seconds
    while not (found := page.evaluate(expression)):
        assert time.monotonic() < end, f"never true: {expression}"
        page.wait_for_timeout(30)
    return found


def state(page: Any, expression: str) -> Any:
    return page.evaluate(f"{DESIGNER}.desk.state.{expression}")


def drag(page: Any, slider: Any, share: float) -> None:
    """Take a slider by its middle and move it to a share of its length, without letting go."""
    box = slider.bounding_box()
    low, high, value = (float(slider.evaluate(f"it => it.{name}")) for name in ("min", "max", "value"))
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 8 + (box["width"] - 16) * (value - low) / (high - low), y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * share, y, steps=5)


def motion(page: Any, seconds: float) -> None:
    """Wait for seconds of the driven motion."""
    now = page.evaluate(f"{DESIGNER}.drive.driver.time")
    until(page, f"{DESIGNER}.drive.driver.time > {now + seconds}")


def test_a_slider_shows_what_it_would_do_while_it_is_dragged_and_can_be_undone(opened, server):
    page, session = opened(), server.session
    before, frames = session.hub(0).threshold, len(session.material.match_set(session.hub(0)).frames)
    edges = state(page, "quality.edges")
    card = page.locator(".hub").first
    drag(page, card.get_by_role("slider"), 0.02)
    until(page, f"{DESIGNER}.desk.trying?.found?.matches.length < {frames}")
    assert f"{frames} → " in card.inner_text()
    assert int(page.locator(".big").first.inner_text()) < edges
    assert session.hub(0).threshold == before, "nothing is changed before the slider is let go"
    box = card.get_by_role("slider").bounding_box()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    page.mouse.up()
    until(page, f"{DESIGNER}.desk.state.undo === 1")
    assert session.hub(0).threshold > before
    assert page.get_by_text("Not saved yet").is_visible()
    page.keyboard.press("Control+z")
    until(page, f"{DESIGNER}.desk.state.redo === 1")
    assert session.hub(0).threshold == before
    page.keyboard.press("Control+Shift+Z")
    until(page, f"{DESIGNER}.desk.state.redo === 0")
    assert session.hub(0).threshold > before


def test_a_picked_hub_is_named_saved_and_found_again(opened, server, saved):
    page = opened()
    place = page.evaluate(f"{DESIGNER}.timeline.spotOf({{clip: 0, time: 2.0}})")
    page.mouse.click(place["x"], place["y"])
    assert abs(page.evaluate(f"{DESIGNER}.desk.row.time") - 2.0) < 0.15
    page.keyboard.press("g")
    until(page, f"{DESIGNER}.desk.state.hubs.length === 4")
    page.keyboard.press("r")
    page.keyboard.type("my hub")
    page.keyboard.press("Enter")
    until(page, f"{DESIGNER}.desk.state.hubs[3].name === 'my hub'")
    assert server.session.file.read_bytes() == saved, "nothing is written before it is asked for"
    page.keyboard.press("Control+s")
    until(page, f"{DESIGNER}.desk.state.saved")
    page.reload()
    page.evaluate("walkonDesigner.ready.then(() => null)")
    assert page.get_by_label("Name of hub my hub").input_value() == "my hub"
    assert DesignSession.open(server.session.file).design.names[3] == "my hub"
    until(page, "document.querySelector('#playing b') !== null")


def test_minima_of_the_slice_go_into_the_hub_and_out_of_it(opened, server):
    page, session = opened(), server.session
    until(page, f"{DESIGNER}.desk.distances !== null")
    frames = session.material.match_set(session.hub(0)).frames.tolist()
    victim = next(frame for frame in frames if frame != session.hub(0).seed)
    place = page.evaluate(f"{DESIGNER}.distances.slice.spotOf({victim})")
    page.mouse.click(place["x"], place["y"])
    until(page, f"{DESIGNER}.desk.state.undo === 1")
    assert session.material.match_set(session.hub(0)).frames.tolist() == [f for f in frames if f != victim]
    assert page.get_by_role("button", name="Put in").is_visible()
    page.keyboard.press("m")
    until(page, f"{DESIGNER}.desk.state.undo === 2")
    assert session.material.match_set(session.hub(0)).frames.tolist() == frames


def test_a_click_in_the_image_compares_two_moments_and_looks_into_two_clips(opened):
    page = opened()
    until(page, f"{DESIGNER}.distances.image.shown !== null")
    image = page.locator("canvas.image")
    box = image.bounding_box()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.3 * box["height"])
    assert "cm" in page.locator("#distances .read").inner_text()
    page.mouse.click(box["x"] + 0.7 * box["width"], box["y"] + 0.3 * box["height"])
    until(page, "document.querySelector('#playing').textContent.includes('Two moments')")
    rows = [page.evaluate(f"{DESIGNER}.desk.frames.frame({DESIGNER}.desk.{which})") for which in ("row", "column")]
    total = page.evaluate(f"{DESIGNER}.desk.frames.count")
    assert abs(rows[0] / total - 0.3) < 0.05
    assert abs(rows[1] / total - 0.7) < 0.05
    image.focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate(f"{DESIGNER}.desk.frames.frame({DESIGNER}.desk.column)") == rows[1] + 1
    page.keyboard.press("Enter")
    until(page, f"{DESIGNER}.distances.image.pair !== null && {DESIGNER}.distances.image.shown !== null")
    page.keyboard.press("Escape")
    until(page, f"{DESIGNER}.distances.image.pair === null")


def test_edges_and_joins_are_played_with_their_seam(opened, server):
    page = opened()
    page.locator(".matrix button", has_text="").filter(has_not_text="·").first.click()
    page.locator(".edge-list .edge").first.click()
    until(page, f"{DESIGNER}.desk.played.length === 1")
    page.keyboard.press("j")
    edges = page.evaluate(f"{DESIGNER}.desk.played")
    first, second = server.session.graph.edges.duration[edges]
    until(page, f"Math.abs({DESIGNER}.preview.clock.stop - {first + second}) < 1e-3")
    assert page.evaluate(f"{DESIGNER}.preview.motion.marks") == pytest.approx([first], abs=1e-3)
    assert server.session.graph.edges.stop[edges[0]] == server.session.graph.edges.start[edges[1]]
    # Stopped first: it plays by itself, and a slow machine would be a frame further when the key comes.
    page.evaluate(f"{DESIGNER}.preview.clock.playing = false")
    page.evaluate(f"{DESIGNER}.preview.clock.seek(0)")
    page.keyboard.press("l")
    assert 0 < page.evaluate(f"{DESIGNER}.preview.clock.time") <= 1 / 29
    page.evaluate(f"{DESIGNER}.preview.clock.playing = true")
    until(page, f"{DESIGNER}.preview.clock.time > 0.2")


def test_what_is_refused_is_said_and_changes_nothing(opened, server):
    page = opened()
    names = server.session.design.names
    name = page.get_by_label(f"Name of hub {names[0]}")
    name.fill(names[1])
    name.press("Enter")
    page.get_by_role("alert").get_by_text("There is a hub").wait_for()
    assert server.session.design.names == names
    until(page, f"document.querySelector('.hub .name').value === '{names[0]}'")
    page.get_by_role("button", name="Close").click()
    assert page.locator(".error").count() == 0


def test_a_driven_character_turns_within_a_step_of_the_key(opened):
    page = opened()
    page.keyboard.press("v")
    until(page, f"{DESIGNER}.mode === 'drive'")
    place = f"{DESIGNER}.drive.driver.place"
    page.keyboard.down("w")
    motion(page, 3.0)
    ahead = page.evaluate(place)
    assert sum(value**2 for value in ahead[:2]) ** 0.5 > 1.0, "it walked"
    # A command that comes while a step is under way, as most do.
    until(page, f"(d => d.edge >= 0 && d.graph.duration[d.edge] <= {STEP})({DESIGNER}.drive.driver)")
    page.keyboard.up("w")
    page.keyboard.down("d")
    until(page, f"{DESIGNER}.drive.driver.obedience.delays.length >= 2")
    assert page.evaluate(f"{DESIGNER}.drive.driver.obedience.last") <= STEP
    motion(page, 1.5)
    turned = page.evaluate(f"(d => d.place[2] - {ahead[2]})({DESIGNER}.drive.driver)")
    assert -2.0 < turned < -0.15, "to the right of the camera"
    page.keyboard.up("d")
    until(page, f"{DESIGNER}.drive.driver.edge === -1")
    assert "Waiting at" in page.locator("#drive .now").inner_text()
    assert "within 0.6 s" in page.locator("#drive").inner_text()


PAD = """
const buttons = Array.from({ length: 12 }, () => ({ pressed: false }));
window.pad = { id: "Test pad", connected: true, axes: [0, 0, 0, 0], buttons };
navigator.getGamepads = () => [window.pad];
"""


def test_a_gamepad_drives_and_its_buttons_play_clips(opened):
    page = opened(script=PAD)
    page.get_by_role("radio", name="Drive").click()
    until(page, f"{DESIGNER}.mode === 'drive'")
    page.evaluate("pad.axes[1] = -1")
    until(page, f"{DESIGNER}.drive.driver.commanded.speed > {DESIGNER}.drive.driver.chooser.walk")
    page.evaluate("pad.axes[1] = 0")
    until(page, f"{DESIGNER}.drive.driver.commanded.speed === 0")
    page.get_by_label("Change the clip on key 2").click()
    page.get_by_label("Words of a clip or a hub").fill("right stand")
    page.locator("dialog .edge").first.click()
    edge = page.evaluate(f"{DESIGNER}.drive.bindings.edge({DESIGNER}.desk.state, 1)")
    assert edge >= 0
    page.evaluate("pad.buttons[1].pressed = true")
    until(page, f"{DESIGNER}.drive.driver.edge === {edge}")
    assert "Test pad" in page.locator("#drive").inner_text()


def test_a_wrong_token_is_said_in_place_of_the_page(opened, server):
    page = opened(address=f"http://127.0.0.1:{server.port}/?token=guess", ready=False)
    page.get_by_role("heading", name="This page may not change the graph").wait_for()
    assert "?token=" in page.locator("#message").inner_text()


def test_a_server_that_goes_is_said(opened, server):
    page = opened()
    server.close()
    page.get_by_role("heading", name="server is gone").wait_for()


def test_two_windows_see_the_same_and_an_unsaved_one_warns(opened, server):
    one, other = opened(), opened()
    one.keyboard.press("Delete")
    until(other, f"{DESIGNER}.desk.state.hubs.length === 2")
    asked = []
    one.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    one.mouse.click(5, 5)  # browsers warn only where somebody did something
    one.close(run_before_unload=True)
    end = time.monotonic() + 10
    while not asked and time.monotonic() < end:
        other.wait_for_timeout(50)
    assert asked == ["beforeunload"]


def test_keys_alone_suffice_and_help_names_them(opened):
    page = opened()
    page.keyboard.press("?")
    assert page.get_by_role("dialog").is_visible()
    for words in ("Undo", "Save", "Grow a hub from the chosen frame", "Turn the camera"):
        assert page.get_by_role("dialog").get_by_text(words, exact=True).is_visible()
    page.keyboard.press("?")
    page.keyboard.press("]")
    assert page.evaluate(f"{DESIGNER}.desk.hub") == 1
    page.keyboard.press(".")
    until(page, f"{DESIGNER}.desk.state.undo === 1")
    page.locator("#clips canvas").focus()
    clip = page.evaluate(f"{DESIGNER}.desk.row.clip")
    page.keyboard.press("ArrowDown" if clip == 0 else "ArrowUp")
    assert page.evaluate(f"{DESIGNER}.desk.row.clip") == (1 if clip == 0 else clip - 1)
    theme = page.evaluate("document.documentElement.dataset.theme")
    page.keyboard.press("t")
    assert page.evaluate("document.documentElement.dataset.theme") != theme


def test_a_phone_shows_everything_below_each_other(opened):
    page = opened(viewport={"width": 390, "height": 844}, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("document.querySelector('#panes').scrollWidth") <= 390
    assert page.evaluate("document.querySelector('#panes').scrollTop") == 0
    tops = [page.locator(f"#{name}").bounding_box()["y"] for name in ("preview", "distances", "clips", "hubs")]
    assert tops == sorted(tops)
    assert tops[1] > tops[0] + 200
