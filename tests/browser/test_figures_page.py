"""How things look on the page: seats that tip up, people who stride along tracks, birds, hands that take shapes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from page_watching import Open, pixels, settle, until

from take_scenes import standing, walking
from walkon.geometry.tracks import Track
from walkon.motion.body import Body
from walkon.motion.limbs.hands import HAND_SHAPES
from walkon.motion.simple_bodies import make_bird, make_car
from walkon.motion.skeleton import Skeleton
from walkon.stage import Obstacle, Seat, Stage
from walkon.take import Take, TakeWriter
from walkon.viewer import write_page


def seated_take() -> Take:
    """A row of four seats with backs and a stool; Ann comes down onto the second seat and gets up again."""
    corners = np.array([[-0.40, -0.25], [-0.34, -0.25], [-0.34, 0.25], [-0.40, 0.25]])
    backs = tuple(Obstacle(polygon=corners + np.array([0.0, 0.6 * k]), height=0.9, name=f"back {k}") for k in range(4))
    seats = [Seat(place=np.array([0.0, 0.6 * k, 0.0]), height=0.45, name=f"seat {k}") for k in range(4)]
    stage = Stage(obstacles=backs, seats=(*seats, Seat(place=np.array([1.5, 0.0, 0.0]), name="stool")))
    writer = TakeWriter(stage=stage)
    ann = writer.add_character("ann", body=writer.add_body(Body.of(standing().skeleton)), colour=(0.9, 0.1, 0.1))
    writer.perform(ann, standing(), start=0.0, stop=2.0, place=(0.05, 0.6, 0.0))
    writer.lift(ann, [0.0, 0.6, 0.8, 1.2, 1.4], [0.0, 0.0, -0.4, -0.4, 0.0], slopes=np.zeros(5))
    return writer.close()


def track_take() -> Take:
    """From 1 s on a walker and somebody who stands; nothing but tracks, also a car, a bird and a ball."""
    writer = TakeWriter()
    body = writer.add_body(Body.of(walking().skeleton))
    bird, car = writer.add_body(make_bird(0.8)), writer.add_body(make_car())
    ball = writer.add_body(Body.of(Skeleton(names=("only",), parents=[-1], offsets=[[0, 0, 0]])))
    for name, kind, start, stop in (
        ("walker", body, (-1.5, 0.0, 0.0), (2.0, 0.0, 0.0)),
        ("stander", body, (0.0, 3.0, 0.0), (0.0, 3.0, 0.0)),
        ("bird", bird, (-1.0, -1.5, 2.0), (1.0, -1.5, 2.0)),
        ("car", car, (0.0, 7.0, 0.0), (1.0, 7.0, 0.0)),
        ("ball", ball, (1.0, -2.0, 0.5), (1.0, -2.0, 0.5)),
    ):
        who = writer.add_character(name, body=kind, colour=(0.85, 0.15, 0.15))
        writer.follow(who, Track(times=[1.0, 4.0], places=[start, stop], headings=[0.0, 0.0]))
    watcher = writer.add_character("watcher", body=body)
    writer.follow(watcher, Track(times=[0.0, 4.0], places=[[4.5, 8.0], [4.5, 8.0]], headings=[0.0, 0.0]))
    return writer.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("figures")
    takes = {"seats": seated_take(), "tracks": track_take()}
    return {name: write_page(take, folder / f"{name}.html") for name, take in takes.items()}


def at(page: Any, time: float) -> np.ndarray:
    page.evaluate(f"walkon.seek({time})")
    settle(page)
    return pixels(page)


def silhouette(image: np.ndarray, empty: np.ndarray, place: dict[str, float], reach: int) -> np.ndarray:
    """Where a picture differs clearly from the one without anybody, around a place: [h, w] booleans."""
    x, y = round(place["x"]), round(place["y"])
    part = np.abs(image - empty).max(axis=2) > 45  # more than a shadow
    return part[max(y - reach, 0) : y + reach, max(x - reach, 0) : x + reach]


def test_seats_fold_down_under_those_who_sit_and_up_behind_those_who_do_not(
    opened: Open, pages: dict[str, Path]
) -> None:
    page = opened("#t=0.2", path=pages["seats"])
    everyone_stands = ["seat 0", "seat 1", "seat 2", "seat 3"]
    assert page.evaluate("walkon.foldedSeats()") == everyone_stands
    before = pixels(page)
    at(page, 1.0)
    assert page.evaluate("walkon.foldedSeats()") == ["seat 0", "seat 2", "seat 3"]
    again = at(page, 0.2)
    assert page.evaluate("walkon.foldedSeats()") == everyone_stands, "also backwards in time"
    assert np.abs(before - again).max() < 12
    at(page, 1.9)
    assert page.evaluate("walkon.foldedSeats()") == everyone_stands


def test_people_on_tracks_stride_and_those_who_stay_stand(opened: Open, pages: dict[str, Path]) -> None:
    page = opened("#t=2.5", path=pages["tracks"])
    page.keyboard.press("h")  # the stage alone
    empty = at(page, 0.5)
    spreads: dict[str, list[float]] = {"walker": [], "stander": []}
    for time in np.linspace(1.6, 3.2, 13):
        image = at(page, float(time))
        for name, widths in spreads.items():
            figure = silhouette(image, empty, page.evaluate(f"walkon.where('{name}')"), 45)
            rows, columns = np.nonzero(figure)
            tall = np.ptp(rows)
            legs = columns[rows > rows.max() - 0.25 * tall]
            widths.append(np.ptp(legs) / tall)
    assert max(spreads["walker"]) > 0.30
    assert min(spreads["walker"]) < 0.6 * max(spreads["walker"])
    assert np.ptp(spreads["stander"]) < 0.03
    first, again = at(page, 2.0), (at(page, 3.1), at(page, 2.0))[1]
    assert np.abs(first - again).max() < 12, "a moment looks the same whatever was shown before"


def test_a_take_of_tracks_alone_shows_people_birds_cars_and_lone_joints(opened: Open, pages: dict[str, Path]) -> None:
    page = opened("#t=2.5", path=pages["tracks"])
    page.keyboard.press("h")
    image, empty = at(page, 2.5), at(page, 0.5)
    for name, least in (("walker", 150), ("bird", 20), ("car", 300), ("ball", 6)):
        page.evaluate("walkon.seek(2.5)")
        place = page.evaluate(f"walkon.where('{name}')")
        figure = silhouette(image, empty, place, 40)
        assert figure.sum() > least, name
    stats = page.evaluate("walkon.stats()")
    assert stats["triangles"] > 1000


def test_hands_take_shapes_and_relax_again(opened: Open) -> None:
    page = opened("#t=1&follow=ann")
    page.keyboard.press("h")
    page.mouse.move(340, 210)
    for _ in range(9):
        page.mouse.wheel(0, -120)
        page.wait_for_timeout(40)
    # The note about the key is in front of the hands for two seconds, and then fades.
    until(page, "getComputedStyle(document.getElementById('status')).opacity === '0'")
    settle(page)
    relaxed = pixels(page)
    pictures = [relaxed]
    for shape, name in enumerate(HAND_SHAPES):
        page.evaluate(f"walkon.shapeHands('ann', [{2 * shape + 1}, {2 * shape + 1}])")
        settle(page)
        pictures.append(pixels(page))
        changed = (np.abs(pictures[-1] - relaxed).max(axis=2) > 25).sum()
        assert (changed < 3) if name == "relaxed" else (40 < changed < 0.05 * relaxed[..., 0].size), name
    page.evaluate("walkon.shapeHands('ann', null)")
    settle(page)
    assert np.abs(pixels(page) - relaxed).max() < 12
