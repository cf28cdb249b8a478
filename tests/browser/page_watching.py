"""Watching a page: its pixels, and waiting for what should come."""

import io
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from PIL import Image

Open = Callable[..., Any]
"""The fixture `opened`: opens a page, and fails the test for whatever that writes into the console."""
SIZE = {"width": 680, "height": 420}


def pixels(page: Any) -> np.ndarray:
    """What the page shows, [height, width, 3]."""
    return np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB")).astype(int)


def around(image: np.ndarray, place: dict[str, float], radius: int = 2) -> np.ndarray:
    x, y = round(place["x"]), round(place["y"])
    return image[y - radius : y + radius + 1, x - radius : x + radius + 1].reshape(-1, 3).mean(axis=0)


def settle(page: Any) -> None:
    """Wait until two pictures of the screen have passed."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def until(page: Any, condition: str, seconds: float = 10.0) -> None:
    """Wait for something on the page (its policy forbids Playwright's own way, which evaluates text inside it)."""
    end = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"still not: {condition}"
        page.wait_for_timeout(30)
