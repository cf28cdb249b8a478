"""Takes with one fault each that no label tells of: bodies above, in and beside the floor; it is found, and its size.

Planted from outside, into the tables of a good take of the built-in library.
"""

from dataclasses import replace

import numpy as np
import pytest
from test_planted_faults import Scene, alarms, unplanted

import walkon
from walkon._base.arrays import Array
from walkon.motion.body import Body
from walkon.motion.library import Library
from walkon.stage import FlatFloor, Obstacle, Seat, Stage
from walkon.take import Take
from walkon.take.auditing import Audit, audit
from walkon.take.tables import Heights
from walkon.transforms import quaternions as quat


@pytest.fixture(scope="module")
def library() -> Library:
    return walkon.builtin_library()


@pytest.fixture(scope="module")
def body(library: Library) -> Body:
    return Body.of(library.skeleton)


@pytest.fixture(scope="module")
def walking(library: Library, body: Body) -> Take:
    """Two people who walk and jog; no plants, so that nothing holds their feet to the floor."""
    scene = Scene(library, body)
    scene.walks("ann", "walk_1.10")
    scene.walks("bob", "jog", place=(0, 5, 0))
    return unplanted(scene.writer.close())


def lifted(take: Take, who: int, height: float) -> Take:
    return replace(take, heights=Heights.filled(1, character=who, time=0.0, height=height, slope=0.0))


def turned(scene: Scene, who: int, joint: str, rotation: Array, seconds: float = 2.0) -> Take:
    """Turn a joint from 0.5 s on, for some seconds, by a rotation that is added to its own."""
    frames = int(seconds * 60)
    scene.writer.override(who, {joint: np.tile(rotation, (frames, 1))}, start=0.5, rate=60.0, added=True)
    return scene.writer.close()


def test_people_who_walk_and_jog_are_on_the_floor(walking: Take) -> None:
    floor = audit(walking).figures["floor"]
    assert floor["max_hover_m"] < 1e-3, "what is left after the flight of a jog"
    assert 0.02 < floor["max_hover_s"] < 0.2
    assert floor["max_flesh_penetration_m"] < 0.02


@pytest.mark.parametrize("height", [0.03, 0.1, 0.3])
@pytest.mark.parametrize("who", [0, 1])
def test_hovering(walking: Take, who: int, height: float) -> None:
    measured = audit(lifted(walking, who, height))
    assert measured["floor.max_hover_m"] == pytest.approx(height, rel=0.1)
    assert {"floor.max_hover_m", "floor.max_hover_s"} <= alarms(measured)
    case = next(case for case in measured.worst if case.figure == "floor.max_hover_m")
    assert case.row == who
    assert f"hovers {height * 100:.1f} cm" in case.text


def test_under_the_floor(walking: Take) -> None:
    measured = audit(lifted(walking, 0, -0.8))
    assert measured["floor.max_flesh_penetration_m"] == pytest.approx(0.8, rel=0.1)
    assert "floor.max_flesh_penetration_m" in alarms(measured)


def test_a_lifted_floor_lifts_what_is_found(walking: Take) -> None:
    high = replace(walking, stage=Stage(floor=FlatFloor(3.0)))
    heights = Heights.filled(2, character=[0, 1], time=0.0, height=[3.1, 3.0], slope=0.0)
    measured = audit(replace(high, heights=heights))
    assert measured["floor.max_hover_m"] == pytest.approx(0.1, rel=0.1)


def test_who_stands_on_something_does_not_hover(walking: Take) -> None:
    block = Obstacle(polygon=[(-3, -2), (15, -2), (15, 2), (-3, 2)], height=0.3, name="block")
    measured = audit(replace(lifted(walking, 0, 0.3), stage=Stage(obstacles=(block,))))
    assert measured["floor.max_hover_m"] < 1e-3


def test_upside_down(library: Library, body: Body) -> None:
    scene = Scene(library, body)
    ann = scene.stands("ann", seconds=3.0)
    measured = audit(unplanted(turned(scene, ann, "Hips", np.array([0.0, 1.0, 0.0, 0.0]))))
    assert measured["posture.max_tilt_deg"] == pytest.approx(180.0, rel=0.05)
    assert {"posture.max_tilt_deg", "posture.max_tilt_off_deg"} <= alarms(measured)


@pytest.mark.parametrize("degrees", [15.0, 30.0])
def test_tilted(library: Library, body: Body, degrees: float) -> None:
    scene = Scene(library, body)
    ann = scene.walks("ann", "walk_1.10")
    half = np.radians(degrees) / 2
    measured = audit(unplanted(turned(scene, ann, "Hips", np.array([np.cos(half), np.sin(half), 0.0, 0.0]))))
    assert measured["posture.max_tilt_off_deg"] == pytest.approx(degrees, rel=0.1)
    assert "posture.max_tilt_off_deg" in alarms(measured)


def test_a_head_that_spins(library: Library, body: Body) -> None:
    scene = Scene(library, body)
    ann = scene.walks("ann", "walk_1.10")
    turns = quat.turn(np.linspace(0.0, 4 * np.pi, 241))
    scene.writer.override(ann, {"Head": turns}, start=0.5, rate=60.0)
    measured = audit(scene.writer.close())
    assert measured["posture.max_head_turn_deg"] == pytest.approx(180.0, rel=0.1)
    assert measured["posture.max_head_speed_deg_s"] > 0.9 * 180.0
    assert "posture.max_head_turn_deg" in alarms(measured)


@pytest.mark.parametrize("speed", np.random.default_rng(43).uniform(550.0, 1500.0, 3).round(0).tolist())
def test_a_head_that_turns_too_fast(library: Library, body: Body, speed: float) -> None:
    """To one side and back, no farther than a head may turn."""
    scene = Scene(library, body)
    ann = scene.stands("ann")
    swing = np.radians(50.0) * np.append(np.linspace(0.0, 1.0, 7), np.linspace(1.0, 0.0, 7))
    scene.writer.override(
        ann, {"Head": quat.turn(swing)}, start=0.5, rate=speed / (50.0 / 6), fade_in=0.0, fade_out=0.0, added=True
    )
    measured = audit(scene.writer.close(), fps=120.0)
    assert measured["posture.max_head_speed_deg_s"] == pytest.approx(speed, rel=0.1)
    assert "posture.max_head_speed_deg_s" in alarms(measured)
    assert "posture.max_head_turn_deg" not in alarms(measured)


@pytest.mark.parametrize("seconds", [*np.random.default_rng(44).uniform(0.4, 2.0, 3).round(2).tolist(), 0.1])
@pytest.mark.parametrize("height", [0.05, 0.2])
def test_in_the_air_for_a_while(library: Library, body: Body, height: float, seconds: float) -> None:
    """A moment is a hop: that long a jog flies, too."""
    scene = Scene(library, body)
    scene.stands("ann", seconds=4.0)
    knots = np.array([0.0, 1.0, 1.001, 1.0 + seconds, 1.001 + seconds, 4.0])
    up = Heights.filled(6, character=0, time=knots, height=[0, 0, height, height, 0, 0], slope=0.0)
    measured = audit(replace(unplanted(scene.writer.close()), heights=up))
    assert measured["floor.max_hover_s"] == pytest.approx(seconds, rel=0.1, abs=0.02)
    assert ("floor.max_hover_s" in alarms(measured)) == (seconds > 0.2)


@pytest.mark.parametrize(("clip", "found"), [("walk_1.10", 2.0), ("idle_neutral", 0.0)])
def test_frozen_in_mid_stride(library: Library, body: Body, clip: str, found: float) -> None:
    scene = Scene(library, body)
    who = scene.writer.add_character("ann", body=scene.body)
    scene.writer.perform(who, library[clip], start=0.0, stop=1.35)
    scene.writer.perform(who, library[clip], start=1.35, stop=3.35, clip_start=1.35, rate=0.0)
    scene.writer.perform(who, library[clip], start=3.35, stop=4.0, clip_start=1.35)
    measured = audit(unplanted(scene.writer.close()))
    assert measured["posture.max_frozen_s"] == pytest.approx(found, rel=0.1, abs=0.02)
    assert ("posture.max_frozen_s" in alarms(measured)) == (found > 0)


@pytest.mark.parametrize(("seats", "gap"), [(True, 0.0), (False, 0.41)])
def test_sitting_on_air(library: Library, body: Body, seats: bool, gap: float) -> None:
    scene = Scene(library, body)
    scene.walks("ann", "sit_front")
    take = scene.writer.close()
    x, y, heading = (float(v) for v in take.pose(3.5).planar[0])
    stage = Stage(seats=(Seat(place=(x, y, heading)),)) if seats else Stage()
    measured = audit(replace(take, stage=stage))
    assert measured["floor.max_seat_gap_m"] == pytest.approx(gap, abs=0.04)
    assert ("floor.max_seat_gap_m" in alarms(measured)) == (not seats)


@pytest.fixture(scope="module")
def seated(library: Library, body: Body) -> Take:
    scene = Scene(library, body)
    scene.walks("ann", "sit_front")
    return scene.writer.close()


def on_seat(take: Take, *, lower: float = 0.0, ahead: float = 0.0, aside: float = 0.0, turned: float = 0.0) -> Audit:
    """Audit it with a seat that is moved, and turned (rad), from where it belongs."""
    x, y, heading = (float(v) for v in take.pose(3.5).planar[0])
    c, s = np.cos(heading), np.sin(heading)
    place = (x + c * ahead - s * aside, y + s * ahead + c * aside, heading + turned)
    return audit(replace(take, stage=Stage(seats=(Seat(place=place, height=0.45 - lower),))))


@pytest.mark.parametrize("lower", [0.1, *np.random.default_rng(41).uniform(0.08, 0.25, 2).round(3).tolist(), 0.2])
def test_a_seat_that_is_too_low(seated: Take, lower: float) -> None:
    assert on_seat(seated)["floor.max_seat_gap_m"] == 0.0
    measured = on_seat(seated, lower=lower)
    assert measured["floor.max_seat_gap_m"] == pytest.approx(lower, rel=0.1)
    assert "floor.max_seat_gap_m" in alarms(measured)
    assert on_seat(seated, lower=0.03)["floor.max_seat_gap_m"] == 0.0, "flesh yields"


@pytest.mark.parametrize("moved", [{"ahead": 0.4}, {"ahead": -0.4}, {"aside": 0.4}, {"aside": -0.4}])
def test_a_seat_beside_who_sits(seated: Take, moved: dict[str, float]) -> None:
    measured = on_seat(seated, **moved)
    assert measured["floor.max_seat_gap_m"] == pytest.approx(0.40, abs=0.04), "down to the floor"
    assert "floor.max_seat_gap_m" in alarms(measured)
    near = on_seat(seated, **{way: 0.5 * by for way, by in moved.items()})
    assert "floor.max_seat_gap_m" not in alarms(near)


@pytest.mark.parametrize("degrees", [*np.random.default_rng(42).uniform(70.0, 170.0, 2).round(1).tolist(), 180.0])
def test_a_seat_that_faces_elsewhere(seated: Take, degrees: float) -> None:
    assert on_seat(seated)["floor.max_seat_off_deg"] < 5.0
    measured = on_seat(seated, turned=np.radians(degrees))
    assert measured["floor.max_seat_off_deg"] == pytest.approx(degrees, rel=0.1)
    assert alarms(measured) == {"floor.max_seat_off_deg"}


@pytest.mark.parametrize(("rise", "meet"), [(0.0, True), (1.4, True), (1.6, False), (3.0, False)])
def test_people_on_different_floors_do_not_meet(library: Library, body: Body, rise: float, meet: bool) -> None:
    scene = Scene(library, body)
    scene.walks("ann", "walk_1.10")
    scene.walks("bob", "walk_1.10", place=(0.1, 0.0, 0.0))
    take = lifted(unplanted(scene.writer.close()), 1, rise)
    figures = audit(take, source=False).figures
    assert (figures["collisions"]["pair_frames"] > 0) == meet
    assert (figures["variety"]["identical_neighbours"] > 0) == meet
    assert (len(take.why("ann", 1.0).neighbours) > 0) == meet
