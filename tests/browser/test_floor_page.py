"""Floors on the page: high, sloping and above each other, with people, shadows, tape and cameras at their heights."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from page_scene import page_take
from page_watching import Open, around, pixels, settle

from floors import hills, slope, two_layers
from take_scenes import standing
from walkon.motion.body import Body
from walkon.script import Mark
from walkon.stage import Floor, RampFloor, Stage, TerrainFloor
from walkon.take import Take, TakeWriter
from walkon.viewer import write_page
from walkon.viewer.page_file import STATIC

LIFT_M = 3.0
LIT = 12
"""Of 255: a pixel that differs by more is another one."""


@pytest.fixture(autouse=True)
def built() -> None:
    if not (STATIC / "viewer.html").is_file():
        pytest.skip("the page has not been built: run `make page`")


@pytest.fixture
def shown(opened: Open, tmp_path: Path) -> Callable[..., Any]:
    def show(take: Take, moment: str = "#t=1", **options: Any) -> Any:
        return opened(moment, path=write_page(take, tmp_path / "floor.html", title="floor"), **options)

    return show


def on_floor(floor: Floor, places: list[tuple[float, float]], *, near: float | None = None) -> Take:
    """People who stand at places on a floor, each on a mark of its own."""
    stand = standing()
    writer = TakeWriter(stage=Stage(floor=floor))
    body = writer.add_body(Body.of(stand.skeleton))
    for k, (x, y) in enumerate(places):
        options = {} if near is None else {"near": near}
        who = writer.add_character(f"one {k}", body=body, colour=(0.9, 0.2, 0.2), **options)
        writer.add_mark(who, Mark(name=f"here {k}", position=(x, y)))
        writer.perform(who, stand, start=0.0, stop=2.0, place=(x, y, 0.0))
    return writer.close()


@pytest.mark.parametrize("moment", ["#t=1&who=ann", "#t=1&follow=bob", "#t=1&eyes=ann"])
def test_a_stage_lifted_by_three_metres_looks_the_same(shown: Callable[..., Any], moment: str) -> None:
    """Floor, grid, shadows, furniture, tape, rings and cameras: whatever forgot the height is somewhere else then."""
    images = []
    for height in (0.0, LIFT_M):
        page = shown(page_take(height=height), moment)
        for key in "mfl":
            page.keyboard.press(key)
        page.wait_for_timeout(60)
        settle(page)
        images.append(pixels(page))
        page.close()
    differ = np.abs(images[0] - images[1]).max(axis=2) > LIT
    assert images[0].std() > 5
    assert differ.mean() < 0.002


@pytest.mark.parametrize(
    ("floor", "span"),
    [
        (RampFloor([-2.0, 1.0, 0.4], [3.0, 2.0, 1.6]), 6.0),
        (TerrainFloor(hills(seed=8, half=8.0, step=0.7)), 9.0),
        (TerrainFloor(two_layers()), 12.0),
        (TerrainFloor(slope(25.0) + np.array([900.0, -400.0, 7.0])), 6.0),
    ],
    ids=["ramp", "hills", "two layers", "far slope"],
)
def test_the_page_finds_the_heights_that_python_finds(shown: Callable[..., Any], floor: Floor, span: float) -> None:
    rng = np.random.default_rng(4)
    middle = np.array([900.0, -400.0]) if floor(np.array([900.0, -400.0])).heights > 6.0 else np.zeros(2)
    points = middle + rng.uniform(-span, span, (60, 2))
    near = rng.uniform(-2.0, 6.0, 60)
    page = shown(on_floor(floor, [tuple(points[0])]))
    asked = [[*point, z] for point, z in zip(points.tolist(), near.tolist(), strict=True)]
    told = page.evaluate("asked => asked.map(([x, y, z]) => walkon.floor(x, y, z))", asked)
    heights, normals = floor(points, near=near)
    found = np.array([[one["z"], one["dx"], one["dy"]] if one["z"] is not None else [np.nan] * 3 for one in told])
    np.testing.assert_allclose(found[:, 0], heights, atol=1e-9)
    there = np.isfinite(heights)
    np.testing.assert_allclose(found[there, 1:], -normals[there, :2] / normals[there, 2:], atol=1e-9)


def test_tape_and_rings_lie_on_the_slope_under_the_feet(shown: Callable[..., Any]) -> None:
    """What comes with the layers of marks and footprints is below the hips of everyone, high or low on the slope."""
    page = shown(on_floor(TerrainFloor(slope(20.0, half=12.0)), [(-4.0, 0.0), (0.0, 1.0), (4.0, -1.0)]), "#t=1")
    images = []
    for keys in ("", "mf"):
        for key in keys:
            page.keyboard.press(key)
        page.wait_for_timeout(60)
        settle(page)
        images.append(pixels(page))
    where = [page.evaluate(f"walkon.where('one {k}')") for k in range(3)]
    new = np.abs(images[1] - images[0]).max(axis=2) > LIT
    new[:60], new[-85:] = False, False  # bars, and what the page says about the layers
    for place in where:
        x, y = round(place["x"]), round(place["y"])
        at_feet, above = new[y + 15 : y + 150, x - 20 : x + 21], new[max(y - 80, 0) : y, x - 20 : x + 21]
        assert at_feet.sum() > 10
        assert above.sum() < 0.2 * at_feet.sum()


def test_a_shadow_lies_on_the_slope(shown: Callable[..., Any]) -> None:
    """Whoever stands on a slope darkens it beside the feet; shadows cast at z = 0 would be metres away or under it."""
    floor = RampFloor([-6.0, 0.0, -2.0], [6.0, 0.0, 2.0])
    page = shown(on_floor(floor, [(3.0, 0.0), (-3.0, 0.0)]), "#t=1")
    page.evaluate("walkon.select(null)")
    settle(page)
    image = pixels(page).sum(axis=2)
    for k in range(2):
        place = page.evaluate(f"walkon.where('one {k}')")
        x, y = round(place["x"]), round(place["y"])
        beside = image[y + 5 : y + 70, x - 60 : x + 60]
        assert (beside < np.median(beside) - 90).sum() > 60


def test_those_on_a_deck_are_seen_on_it(shown: Callable[..., Any]) -> None:
    with_deck = on_floor(TerrainFloor(two_layers()), [(0.0, 0.0), (2.0, 1.0)], near=4.0)
    page = shown(with_deck, "#t=1")
    z = page.evaluate("walkon.floor(0, 0, 3.5).z")
    image = pixels(page)
    assert z == pytest.approx(4.0)
    for k in range(2):
        red, green, blue = around(image, page.evaluate(f"walkon.where('one {k}')"), radius=6)
        assert abs(red - green) + abs(red - blue) > 10  # a person, not the grey of a floor
