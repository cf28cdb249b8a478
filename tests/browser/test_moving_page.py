"""What moves on a stage, on the page: drawn where Python has it, with a shadow, and glass where it hides somebody."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from page_scene import SECONDS, page_take
from page_watching import Open, pixels, settle

from moving_stages import moving_stage
from walkon.geometry.tracks import Track
from walkon.stage import Obstacle, Stage
from walkon.stage.moving import frames_at
from walkon.viewer import write_page
from walkon.viewer.page_file import STATIC


@pytest.fixture(autouse=True)
def built() -> None:
    if not (STATIC / "viewer.html").is_file():
        pytest.skip("the page has not been built: run `make page`")


def page_on(opened: Open, stage: Stage, folder: Path, **options: Any) -> Any:
    path = write_page(replace(page_take(), stage=stage), folder / "moving.html", title="moving")
    return opened("#t=0", path=path, **options)


def test_obstacles_and_leaves_are_drawn_where_python_has_them(opened: Open, tmp_path: Path) -> None:
    stage = moving_stage(np.random.default_rng(3), span=(0.2, SECONDS - 0.2))
    page = page_on(opened, stage, tmp_path)
    for time in (0.0, 0.9, 1.7, 3.1, SECONDS):
        page.evaluate(f"walkon.seek({time})")
        for one in stage.moving:
            x, y, heading, z = page.evaluate(f"walkon.moving('{one.name}')")
            pose = frames_at(one.track, time)
            np.testing.assert_allclose([x, y, z], pose[[0, 1, 3]], atol=1e-3)
            assert np.cos(heading - pose[2]) > np.cos(np.deg2rad(0.1))
    assert page.evaluate("walkon.moving('pillar')") is None


def test_a_box_is_seen_to_come_with_its_shadow(opened: Open, tmp_path: Path) -> None:
    """Low, so that it is never glass: it darkens or lightens the floor where it is, and no longer where it was."""
    way = Track(times=[0.0, SECONDS], places=[[0.0, 3.0], [4.0, 3.0]])
    box = Obstacle(polygon=[(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)], height=0.8, name="box", track=way)
    shots = {}
    for name, stage in (("with", Stage(obstacles=(box,))), ("without", Stage())):
        page = page_on(opened, stage, tmp_path)
        for time in (0.0, SECONDS):
            page.evaluate(f"walkon.seek({time})")
            settle(page)
            shots[name, time] = pixels(page)
        page.close()
    seen = [np.abs(shots["with", t] - shots["without", t]).max(axis=2) > 8 for t in (0.0, SECONDS)]
    middles = [np.median(np.nonzero(image)[1]) for image in seen]
    assert min(image.sum() for image in seen) > 300
    assert abs(middles[1] - middles[0]) > 60
    assert (seen[0] & seen[1]).sum() < 0.2 * seen[0].sum()
    dark = shots["with", 0.0].sum(axis=2) < shots["without", 0.0].sum(axis=2) - 40
    assert (dark & seen[0]).sum() > 60  # the sides away from the light, and the shadow
