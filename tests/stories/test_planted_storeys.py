"""Takes with one fault each on floors above each other, and over holes: things are met on their own storey only.

One walk, on a road or on the deck of a bridge over it; what stands in its way is on one of the two.
"""

from dataclasses import replace

import numpy as np
import pytest
from test_planted_faults import Scene, alarms

import walkon
from floors import sheet, two_layers
from take_scenes import contact_points
from terrain_takes import straight_walk
from walkon.drawing.audit_words import verdict
from walkon.geometry.tracks import Track
from walkon.motion.body import Body
from walkon.motion.library import Library
from walkon.stage import Door, FlatFloor, Floor, Obstacle, Stage, TerrainFloor
from walkon.take import Take, TakeWriter
from walkon.take.auditing import Audit, audit

DECK_M = 4.0
FIGURE = "collisions.max_obstacle_penetration_m"


@pytest.fixture(scope="module")
def library() -> Library:
    return walkon.builtin_library()


@pytest.fixture(scope="module")
def body(library: Library) -> Body:
    return Body.of(library.skeleton)


@pytest.fixture(scope="module")
def bridge() -> Floor:
    """A road, and a deck of 20 by 6 m over its middle."""
    return TerrainFloor(two_layers(height=DECK_M))


@pytest.fixture(scope="module", params=[0.0, DECK_M], ids=["below", "above"])
def level(request: pytest.FixtureRequest) -> float:
    return request.param


@pytest.fixture(scope="module")
def walk(level: float) -> Take:
    """Somebody who walks along x, through (1, 0), on a flat floor at this level."""
    return straight_walk("walk_1.10", FlatFloor(level))


def crate(base: float, track: Track | None = None) -> Obstacle:
    """One metre of side, beside the way: the walker's footprint overlaps it by a few centimetres."""
    polygon = [(1.0, -0.1), (2.0, -0.1), (2.0, -1.0), (1.0, -1.0)]
    return Obstacle(polygon=polygon, base=base, height=base + 1.0, name="crate", track=track)


def hits(take: Take, stage: Stage) -> tuple[Audit, set[str]]:
    measured = audit(replace(take, stage=stage), source=False)
    return measured, {name for name in alarms(measured) if name.startswith("collisions")}


def test_a_crate_counts_on_its_own_storey_only(walk: Take, bridge: Floor, level: float) -> None:
    flat, _ = hits(walk, Stage(floor=FlatFloor(level), obstacles=(crate(level),)))
    own, faults = hits(walk, Stage(floor=bridge, obstacles=(crate(level),)))
    assert faults == {"collisions.obstacle_frames"}
    for figure in ("collisions.obstacle_frames", FIGURE):
        assert own[figure] == flat[figure] > 0
    case = next(case for case in own.worst if case.figure == FIGURE)
    assert case.place[2] == pytest.approx(level, abs=1e-6)
    other, faults = hits(walk, Stage(floor=bridge, obstacles=(crate(DECK_M - level),)))
    assert not faults
    assert other["collisions.obstacle_frames"] == 0


def test_a_crate_that_moves_counts_on_its_own_storey_only(walk: Take, bridge: Floor, level: float) -> None:
    for z, frames in ((level, 10), (DECK_M - level, 0)):
        ride = Track(times=[0.0, 7.0], places=[[0.0, 0.0, z], [0.0, -0.05, z]], headings=[0.0, 0.0])
        measured, _ = hits(walk, Stage(floor=bridge, obstacles=(crate(0.0, ride),)))
        assert (measured["collisions.obstacle_frames"] > frames) == (z == level)
        assert (measured["collisions.obstacle_frames"] == 0) == (z != level)


def test_a_door_opens_the_bounds_of_its_own_storey_only(walk: Take, bridge: Floor, level: float) -> None:
    bounds = [(-5.0, -5.0), (3.0, -5.0), (3.0, 5.0), (-5.0, 5.0)]
    counts = []
    for doors in ((), (Door(ends=[(3, -1), (3, 1)], z=level),), (Door(ends=[(3, -1), (3, 1)], z=DECK_M - level),)):
        counts.append(hits(walk, Stage(floor=bridge, bounds=bounds, doors=doors))[0]["collisions.obstacle_frames"])
    assert counts[0] == counts[2] > counts[1]


def test_people_who_bump_are_told_at_the_height_at_which_they_do(walk: Take, level: float) -> None:
    writer = TakeWriter(stage=Stage(floor=FlatFloor(level)))
    who = writer.add_body(walk.bodies[0])
    for name, y in (("ann", 0.0), ("bob", 0.3)):
        writer.perform(writer.add_character(name, body=who), walk.clip(0), start=0.0, place=(0.0, y, 0.0))
    case = next(c for c in audit(writer.close(), source=False).worst if c.figure == "collisions.max_penetration_m")
    assert case.place[2] == pytest.approx(level, abs=1e-6)
    assert np.isfinite(case.place).all()


# No floor


def strip(*spans: tuple[float, float]) -> Floor:
    """A floor at z = 0 under these spans of x (m), and nothing between them."""
    across = np.array([-5.0, 5.0])
    return TerrainFloor(np.concatenate([sheet(np.array(span), across, np.zeros((2, 2))) for span in spans]))


def frames_over(take: Take, low: float, high: float) -> int:
    """In how many frames all planted points of a foot are between two x."""
    poses = take.sample(np.arange(0.0, take.stop + 1e-9, 1 / 60), characters=[0])
    x = contact_points(take, poses)[:, 0, :, 0].reshape(-1, 2, 2)
    down = poses.contacts[:, 0].reshape(-1, 2, 2)
    lost = down.any(axis=-1) & (~down | ((x > low) & (x < high))).all(axis=-1)
    return int(lost.any(axis=-1).sum())


@pytest.mark.parametrize("rim", np.random.default_rng(21).uniform(3.0, 4.5, 3).round(3).tolist())
def test_who_walks_over_a_hole(rim: float) -> None:
    walk = straight_walk("walk_1.10", FlatFloor(0.0))
    whole, holed = strip((-5.0, 20.0)), strip((-5.0, 1.5), (rim, 20.0))
    assert audit(replace(walk, stage=Stage(floor=whole)), source=False)["terrain.no_floor_frames"] == 0
    measured = audit(replace(walk, stage=Stage(floor=holed)), source=False)
    assert measured["terrain.no_floor_frames"] == pytest.approx(frames_over(walk, 1.5, rim), rel=0.1)
    assert {name for name in alarms(measured) if name.startswith("terrain")} == {"terrain.no_floor_frames"}
    assert "no floor under the feet" in verdict(measured)[1]


def test_who_walks_off_a_deck_hovers(bridge: Floor) -> None:
    deck = TerrainFloor(two_layers(height=DECK_M)).placed((-8.0, 0.0, 0.0, 0.0))
    walk = straight_walk("walk_1.10", FlatFloor(DECK_M))  # the deck ends at x = 2
    measured = audit(replace(walk, stage=Stage(floor=deck)), source=False)
    assert measured["terrain.no_floor_frames"] == pytest.approx(frames_over(walk, 2.0, 99.0), rel=0.1)
    assert measured["floor.max_float_m"] == pytest.approx(DECK_M, rel=0.1)
    assert {"floor.max_float_m", "floor.max_hover_m", "terrain.no_floor_frames"} <= alarms(measured)


def test_who_is_not_on_the_floor_needs_none(library: Library, body: Body) -> None:
    """A disc over nothing, beside somebody who walks on the floor."""
    scene = Scene(library, body, Stage(floor=strip((-5.0, 0.0))))
    disc = scene.writer.add_character("disc", body=scene.body)
    scene.writer.glide(disc, np.array([[1.0, 2.0, 0.0], [2.0, 2.0, 0.0]]), start=0.0, rate=1.0)
    scene.walks("ann", "walk_1.10", stop=1.0, place=(-4.0, 0.0, 0.0))
    assert audit(scene.writer.close(), source=False)["terrain.no_floor_frames"] == 0
