"""The page in the hand: presses while it plays, the keyboard alone, menus, and a phone's narrow screen."""

import re
from typing import Any

import pytest
from page_watching import Open, settle, until

FOCUS = "(e => e.getAttribute('aria-label') || e.textContent || e.id)(document.activeElement)"


def focus(page: Any) -> str:
    return str(page.evaluate(FOCUS))


def test_a_slow_press_in_the_panel_counts_while_the_take_plays(opened: Open) -> None:
    page = opened("#t=1&who=ann")
    page.evaluate("walkon.play()")
    button = page.locator("#character").get_by_role("button", name="bob")
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    page.evaluate("addEventListener('pointerdown', e => { window.pressed = e.target.textContent; }, true)")
    page.mouse.down()
    page.wait_for_timeout(200)
    page.mouse.up()
    assert page.evaluate("pressed") in ("bob", "cy", "disc", "arm")  # whoever was nearer by then
    assert page.evaluate("walkon.selected === pressed")
    page.evaluate("walkon.select('ann')")
    page.locator("#character").get_by_role("button", name="spot").focus()
    page.wait_for_timeout(300)  # the panel has told other things since
    assert focus(page) == "spot"


def test_what_the_panel_tells_changes_in_place(opened: Open) -> None:
    page = opened("#t=0.6&who=ann")
    page.evaluate("window.row = [...document.querySelectorAll('#character li button')].find(b => b.innerText == 'bob')")
    told = page.locator("#character").inner_text()
    page.evaluate("walkon.seek(1.8)")
    settle(page)
    assert page.locator("#character").inner_text() != told
    assert page.evaluate("row.isConnected && document.querySelector('#character').contains(row)")


def test_tab_goes_through_the_cast_to_the_panel_and_on(opened: Open) -> None:
    page = opened("#t=1")
    page.locator("body").press("Tab")
    for _ in range(20):
        if page.evaluate("document.activeElement.id") == "view":
            break
        page.keyboard.press("Tab")
    chosen = []
    for _ in range(5):
        page.keyboard.press("Tab")
        chosen.append(page.evaluate("walkon.selected"))
    assert chosen == ["ann", "bob", "cy", "disc", "arm"]
    page.keyboard.press("Tab")
    assert focus(page) == "Follow"
    assert page.evaluate("walkon.selected") == "arm"
    reached = set()
    for _ in range(14):
        page.keyboard.press("Tab")
        reached.add(focus(page))
    assert {"See through the eyes", "Close", "Pause", "Play", "Time", "Speed", "Loop"} - reached <= {"Pause", "Play"}
    page.evaluate("walkon.select(null)")
    page.locator("#view").focus()
    page.keyboard.press("Shift+Tab")  # backwards there is nobody to begin with
    assert focus(page) == "Keys"


def test_escape_goes_from_the_stage_to_the_panel_and_back(opened: Open) -> None:
    page = opened("#t=1")
    page.locator("#view").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    assert (focus(page), page.evaluate("walkon.selected")) == ("Follow", "ann")
    page.keyboard.press("Enter")
    assert page.evaluate("walkon.camera") == "follow"
    for _ in range(3):
        page.keyboard.press("Tab")
    assert focus(page) in ("spot", "never")  # marks can be pressed as well
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    name = focus(page)
    page.keyboard.press("Enter")
    assert page.evaluate("walkon.selected") == name
    assert focus(page) == "Follow"
    page.keyboard.press("Escape")
    assert page.evaluate("[walkon.selected, document.activeElement.id]") == [None, "view"]
    page.keyboard.press("Escape")
    assert focus(page) == "Play"


def test_the_menu_of_layers_has_the_keys_of_a_menu(opened: Open) -> None:
    page = opened("#t=1")
    opener = page.get_by_role("button", name="Layers")
    opener.focus()
    page.keyboard.press("Enter")
    seen = [focus(page)]
    for key in ("ArrowDown", "End", "ArrowDown", "ArrowUp", "Home"):
        page.keyboard.press(key)
        seen.append(focus(page))
    assert [re.sub("[A-Z]$", "", each) for each in seen] == [
        "Marks",
        "Paths",
        "Footprints",
        "Marks",
        "Footprints",
        "Marks",
    ]
    page.keyboard.press("Space")
    assert page.get_by_role("menuitemcheckbox", name="Marks").get_attribute("aria-checked") == "true"
    assert page.evaluate("[walkon.time, walkon.playing]") == [1, False]  # none of it was for the timeline
    page.keyboard.press("c")  # the keys that the menu shows work in it, too
    assert page.get_by_role("menuitemcheckbox", name="Contacts").get_attribute("aria-checked") == "true"
    page.keyboard.press("Escape")
    assert focus(page) == "Layers"
    assert opener.get_attribute("aria-expanded") == "false"
    page.keyboard.press("ArrowUp")
    assert focus(page).startswith("Footprints")
    page.keyboard.press("Tab")
    assert page.locator(".menu").is_hidden()
    assert focus(page) == "Worst cases"


def test_on_a_phone_one_panel_has_the_room(opened: Open) -> None:
    page = opened("#t=1&who=ann", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page.get_by_role("button", name="Worst cases").tap()
    cases = page.locator("#cases")
    assert cases.bounding_box()["height"] > 250
    assert page.locator("#character").is_hidden()
    page.locator("#cases > button").filter(has_not_text="bob").first.tap()
    until(page, "location.hash.includes('who=')")
    assert page.evaluate("walkon.selected") != "bob"
    assert cases.is_visible()
    page.evaluate("walkon.seek(1)")
    settle(page)
    place = page.evaluate("walkon.where('bob')")
    page.touchscreen.tap(place["x"], place["y"] - 15)
    assert page.evaluate("walkon.selected") == "bob"
    assert cases.is_hidden()
    assert page.locator("#character").bounding_box()["height"] > 200
    page.keyboard.press("?")
    assert page.locator("#help h3").first.inner_text() == "Mouse and touch"


def test_on_a_laptop_cases_stand_beside_the_panel(opened: Open) -> None:
    page = opened("#t=1&who=ann", viewport={"width": 1280, "height": 720})
    page.keyboard.press("j")
    shown = page.evaluate(
        """(() => { const list = document.getElementById('cases').getBoundingClientRect();
             return [...document.querySelectorAll('#cases > button')]
               .filter(b => b.getBoundingClientRect().bottom <= list.bottom).length; })()"""
    )
    assert shown >= 3
    assert page.locator("#character").bounding_box()["height"] > 180


@pytest.mark.parametrize("key", ["j", ",", "."])
def test_without_an_audit_its_keys_say_so(opened: Open, tmp_path: Any, key: str) -> None:
    from page_scene import page_take

    from walkon.viewer import write_page

    page = opened(path=write_page(page_take(), tmp_path / "plain.html"))
    page.keyboard.press(key)
    assert "no audit" in page.locator("#status").inner_text()
