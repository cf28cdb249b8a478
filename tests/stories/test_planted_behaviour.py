"""Takes with one fault each in how people go: soles, swings, references, facing, slow and reversed motion, statues.

Planted from outside into good takes of the built-in library; found, and its size within a tenth. Sizes are drawn with
fixed seeds.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from test_planted_faults import Scene, alarms, unplanted

import walkon
from floors import slope
from terrain_takes import hill_walkers, straight_walk
from walkon._base.arrays import Array
from walkon.capture import build_library
from walkon.motion import Clip
from walkon.motion.body import Body
from walkon.motion.footprint import footprint_radius
from walkon.motion.library import Library
from walkon.stage import FlatFloor, Floor, Stage, TerrainFloor
from walkon.take import Take
from walkon.take.auditing import Audit, audit
from walkon.take.tables import Heights, Warps
from walkon.transforms import quaternions as quat


@pytest.fixture(scope="module")
def library() -> Library:
    return walkon.builtin_library()


@pytest.fixture(scope="module")
def body(library: Library) -> Body:
    return Body.of(library.skeleton)


@pytest.fixture(scope="module")
def walking(library: Library, body: Body) -> Take:
    scene = Scene(library, body)
    scene.walks("ann", "walk_1.10")
    scene.walks("bob", "walk_0.70", place=(0, 5, 0))
    return scene.writer.close()


def topics(measured: Audit, *names: str) -> set[str]:
    return {name for name in alarms(measured) if name.partition(".")[0] in names}


def sizes(seed: int, low: float, high: float, count: int = 2) -> list[float]:
    return np.random.default_rng(seed).uniform(low, high, count).round(3).tolist()


# Terrain

FLOORS = {
    "flat": FlatFloor(0.0),
    "lifted": FlatFloor(3.0),
    "up": TerrainFloor(slope(6.0)),
}


@pytest.fixture(scope="module", params=list(FLOORS))
def floor(request: pytest.FixtureRequest) -> Floor:
    return FLOORS[request.param]


def test_clean_feet_on_any_floor(floor: Floor) -> None:
    measured = audit(straight_walk("walk_1.10", floor, heading=0.6))
    assert measured["terrain.max_sole_off_deg"] < 2.5
    assert measured["terrain.max_height_error_m"] < 1e-6
    assert measured["terrain.max_swing_depth_m"] < 1e-3
    assert not topics(measured, "terrain", "gait")


def test_clean_feet_on_hills() -> None:
    measured = audit(hill_walkers(11, count=4, seconds=3.0))
    assert not topics(measured, "terrain", "gait")


@pytest.mark.parametrize("depth", sizes(1, 0.01, 0.03))
def test_a_floor_that_is_higher_than_the_feet_believe(floor: Floor, depth: float) -> None:
    take = straight_walk("walk_1.10", floor, heading=0.6)
    raised = replace(take, stage=Stage(floor=floor.placed((0.0, 0.0, 0.0, depth))))
    measured = audit(raised)
    assert measured["terrain.max_height_error_m"] == pytest.approx(depth, rel=0.1)
    assert measured["terrain.max_swing_depth_m"] == pytest.approx(depth, rel=0.1)
    assert measured["floor.max_swing_penetration_m"] == measured["terrain.max_swing_depth_m"]
    assert {"terrain.max_height_error_m", "terrain.max_swing_depth_m"} <= alarms(measured)


@pytest.mark.parametrize("degrees", sizes(2, 8.0, 20.0))
def test_a_foot_on_its_edge(library: Library, body: Body, degrees: float) -> None:
    scene = Scene(library, body)
    ann = scene.stands("ann")
    turn = quat.about(np.array([1.0, 0.0, 0.0]), np.radians(degrees))
    scene.writer.override(ann, {"LeftFoot": np.tile(turn, (120, 1))}, start=0.0, rate=60.0, added=True)
    measured = audit(unplanted(scene.writer.close()))
    assert measured["terrain.max_sole_off_deg"] == pytest.approx(degrees, rel=0.1)
    assert "terrain.max_sole_off_deg" in alarms(measured)
    case = next(case for case in measured.worst if case.figure == "terrain.max_sole_off_deg")
    assert "sole of the left foot" in case.text


@pytest.mark.parametrize("degrees", [8.0, 12.0])
def test_soles_that_stay_level_across_a_slope(degrees: float) -> None:
    floor = TerrainFloor(slope(degrees))
    level = straight_walk("walk_1.10", FlatFloor(0.0), heading=np.pi / 2)
    # Straight along the contour of the slope the floor is at one height under both feet's middle, but not level.
    measured = audit(replace(level, stage=Stage(floor=floor)))
    assert measured["terrain.max_sole_off_deg"] == pytest.approx(degrees, rel=0.1)
    assert "terrain.max_sole_off_deg" in alarms(measured)


# Following


def follow(take: Take, places: Array, *, start: float = 0.0, who: int = 0) -> Take:
    """Give a character of a take a reference that is at places [T, 2], 60 a second."""
    with walkon.take.TakeWriter() as writer:
        rows = [who]
        writer.add_characters([f"{k}" for k in range(len(take))], body=writer.add_body(take.bodies[0]))
        writer.add_references(rows, places[:, None], start=start, rate=60.0)
    asked = writer.take
    tables = {name: getattr(asked, name) for name in ("references", "tracks", "track_knots", "track_turns")}
    return replace(take, **tables)


def way(take: Take, start: float, stop: float) -> Array:
    return np.asarray(take.sample(np.arange(start, stop, 1 / 60), characters=[0]).planar[:, 0, :2])


def test_who_is_where_its_reference_is(walking: Take) -> None:
    measured = audit(follow(walking, way(walking, 0.0, 7.0)), source=False)
    following = measured.figures["following"]
    assert following["max_m"] < 0.03
    assert following["speed_m_s"] < 0.03
    assert following["lateness_s"] <= 0.05
    assert following["refused_share"] < 0.01
    assert following["file_overlap_m"] == 0.0
    assert not topics(measured, "following")
    assert "following" not in audit(walking, source=False).figures


@pytest.mark.parametrize("aside", sizes(3, 0.3, 1.5))
def test_who_walks_beside_its_reference(walking: Take, aside: float) -> None:
    measured = audit(follow(walking, way(walking, 0.0, 7.0) + np.array([0.0, aside])), source=False)
    for figure in ("mean_m", "p95_m", "max_m"):
        assert measured[f"following.{figure}"] == pytest.approx(aside, rel=0.1)
    assert "following.mean_m" in alarms(measured)
    assert ("following.max_m" in alarms(measured)) == (aside > 1.0)


@pytest.mark.parametrize("late", [*sizes(4, 1.2, 2.2), -1.5])
def test_who_is_late(walking: Take, late: float) -> None:
    low, high = max(late, 0.0), min(7.0, 7.0 + late)
    measured = audit(follow(walking, way(walking, low, high), start=low - late), source=False)
    assert measured["following.lateness_s"] == pytest.approx(abs(late), rel=0.1)
    assert "following.lateness_s" in alarms(measured)


@pytest.mark.parametrize("faster", sizes(5, 1.3, 1.8))
def test_whose_reference_is_faster(walking: Take, faster: float) -> None:
    there = way(walking, 1.5, 5.5)
    run = there[0] + (there - there[0]) * faster
    measured = audit(follow(walking, run, start=1.5), source=False)
    speed = np.linalg.norm(there[-1] - there[0]) / (len(there) - 1) * 60
    assert measured["following.speed_m_s"] == pytest.approx((faster - 1.0) * speed, rel=0.1)
    assert "following.speed_m_s" in alarms(measured)


@pytest.mark.parametrize("share", sizes(6, 0.2, 0.6))
def test_whose_reference_has_no_body(library: Library, body: Body, walking: Take, share: float) -> None:
    scene = Scene(library, body)
    ann = scene.writer.add_character("ann", body=scene.body)
    scene.writer.perform(ann, library["walk_1.10"], start=0.0, stop=7.0 * (1.0 - share))
    scene.walks("bob", "idle_neutral", place=(0.0, 5.0, 0.0))
    measured = audit(follow(scene.writer.close(), way(walking, 0.0, 7.0)), source=False)
    assert measured["following.refused_share"] == pytest.approx(share, rel=0.1)
    assert "following.refused_share" in alarms(measured)


@pytest.mark.parametrize("apart", sizes(7, 0.1, 0.3))
def test_references_that_overlap(walking: Take, body: Body, apart: float) -> None:
    there = way(walking, 0.0, 5.0)
    with walkon.take.TakeWriter() as writer:
        writer.add_characters(["a", "b"], body=writer.add_body(body))
        writer.add_references([0, 1], np.stack([there, there + np.array([0.0, apart])], axis=1), start=0.0, rate=60.0)
    tables = ("references", "tracks", "track_knots", "track_turns")
    measured = audit(replace(walking, **{name: getattr(writer.take, name) for name in tables}), source=False)
    overlap = 2 * footprint_radius(body) - apart
    assert measured["following.file_overlap_m"] == pytest.approx(overlap, rel=0.1)
    assert measured["collisions.max_penetration_m"] == 0.0, "the people themselves are elsewhere"


# Gait


def backwards(clip: Clip, *, root: bool) -> Clip:
    """A clip run backwards; with `root` its way as well."""
    return replace(
        clip,
        root_positions=clip.root_positions[::-1] if root else clip.root_positions,
        local_rotations=clip.local_rotations[::-1],
        contacts=clip.contacts[::-1],
        contact_heights=clip.contact_heights[::-1],
        labels={name: has[::-1] for name, has in clip.labels.items()},
        events=(),
        name=f"{clip.name} run backwards",
    )


@pytest.mark.parametrize(
    "clip",
    ["walk_0.50", "side_left_long", "back_left", "jog", "sharp_left_135_0.90", "carry_wander", "sit_turning_left"],
)
def test_people_who_go_as_their_clips_go(library: Library, body: Body, clip: str) -> None:
    scene = Scene(library, body)
    scene.walks("ann", clip, scale=0.9)
    measured = audit(scene.writer.close())
    assert not topics(measured, "gait", "terrain")
    assert measured["gait.max_slow_ratio"] < 1.3
    assert measured["gait.reversed_share"] == 0.0
    assert measured["posture.max_still_s"] < 0.5


@pytest.mark.parametrize("degrees", [*sizes(8, 50.0, 120.0), 180.0])
def test_facing_against_the_way(library: Library, body: Body, degrees: float) -> None:
    scene = Scene(library, body)
    turn = [0.0, 0.0, np.radians(degrees)]
    scene.walks("ann", "walk_1.10", warp=Warps.filled(1, offsets=[[turn, turn]], slopes=0.0))
    measured = audit(unplanted(scene.writer.close()))
    assert measured["gait.max_facing_off_deg"] == pytest.approx(degrees, rel=0.1)
    assert "gait.max_facing_off_deg" in alarms(measured)


@pytest.mark.parametrize("seconds", [*sizes(9, 6.0, 9.0), 4.0])
def test_a_walk_that_runs_backwards(library: Library, body: Body, seconds: float) -> None:
    film, scene = backwards(library["wander_normal"], root=True), Scene(library, body)
    ann = scene.writer.add_character("ann", body=scene.body)
    scene.writer.perform(ann, film, start=0.0, stop=seconds, clip_start=1.5)
    measured = audit(scene.writer.close())
    assert measured["gait.max_backward_s"] == pytest.approx(seconds, rel=0.1)
    assert "gait.max_backward_s" in alarms(measured)


@pytest.mark.parametrize("clip", ["walk_0.50", "walk_0.70", "walk_0.90", "walk_1.35", "walk_1.90", "carry_straight"])
def test_a_film_run_backwards_from_its_end(library: Library, body: Body, clip: str) -> None:
    """Those who stand at both ends of their clips are still for about half a second there."""
    scene, film = Scene(library, body), backwards(library[clip], root=True)
    scene.walks("ann", film, scale=0.9)
    take = scene.writer.close()
    measured = audit(take)
    roots = take.sample(np.arange(0.0, take.stop, 1 / 60), characters=[0]).planar[:, 0, :2]
    goes = np.flatnonzero(np.linalg.norm(roots[60:] - roots[:-60], axis=1) > 0.1)
    seconds = (goes[-1] - goes[0]) / 60 + 1.0
    assert measured["gait.max_backward_s"] == pytest.approx(seconds, rel=0.1)
    assert clip != "walk_1.35" or measured["gait.max_backward_s"] == pytest.approx(take.duration, rel=0.1)
    assert "gait.max_backward_s" in alarms(measured)


@pytest.mark.parametrize("clip", ["back_left", "back_right"])
def test_honest_steps_back_are_no_film(library: Library, body: Body, clip: str) -> None:
    scene = Scene(library, body)
    scene.walks("ann", clip)
    assert audit(scene.writer.close())["gait.max_backward_s"] == 0.0
    film = Scene(library, body)
    film.walks("ann", backwards(library[clip], root=True))
    assert "gait.max_backward_s" not in alarms(audit(film.writer.close())), "that one walks forwards"


@pytest.mark.parametrize("clip", ["walk_0.70", "walk_0.90", "walk_1.35", "carry_straight"])
def test_limbs_that_run_backwards_under_a_body_that_goes_on(library: Library, body: Body, clip: str) -> None:
    scene = Scene(library, body)
    scene.walks("ann", backwards(library[clip], root=False))
    measured = audit(scene.writer.close())
    assert measured["gait.reversed_share"] == pytest.approx(1.0, rel=0.1)
    assert "gait.reversed_share" in alarms(measured)


@pytest.mark.parametrize("rate", sizes(10, 0.25, 0.4))
@pytest.mark.parametrize(("clip", "scale"), [("walk_1.10", 1.0), ("walk_1.60", 0.9), ("walk_0.70", 1.1)])
def test_slow_motion(library: Library, body: Body, clip: str, scale: float, rate: float) -> None:
    found = []
    for slowed in (1.0, rate):
        scene = Scene(library, body)
        who = scene.writer.add_character("ann", body=scene.body, scale=scale)
        scene.writer.perform(who, library[clip], start=0.0, rate=slowed / np.sqrt(scale))
        found.append(audit(scene.writer.close()))
    usual, slow = (measured["gait.max_slow_ratio"] for measured in found)
    assert 0.6 < usual < 1.3
    assert slow == pytest.approx(usual / rate, rel=0.1)
    assert "gait.max_slow_ratio" in alarms(found[1])
    assert "gait.max_slow_ratio" not in alarms(found[0])


@pytest.mark.parametrize("clip", ["walk_0.50", "walk_0.70", "walk_1.10", "walk_1.60", "jog", "carry_straight"])
@pytest.mark.parametrize("rate", [*sizes(11, 0.5, 0.6, 1), 0.6, *sizes(13, 0.6, 0.75, 1)])
def test_motion_slower_than_its_clips(library: Library, body: Body, clip: str, rate: float) -> None:
    scene = Scene(library, body)
    who = scene.writer.add_character("ann", body=scene.body)
    scene.writer.perform(who, library[clip], start=0.0, rate=rate)
    measured = audit(scene.writer.close())
    assert measured["gait.max_slowed_ratio"] == pytest.approx(1.0 / rate, rel=0.1)
    assert "gait.max_slowed_ratio" in alarms(measured)
    case = next(case for case in measured.worst if case.figure == "gait.max_slowed_ratio")
    assert "slow motion" in case.text


@pytest.mark.parametrize("clip", ["walk_0.50", "walk_1.10", "arc_left_0.80_50", "back_left"])
@pytest.mark.parametrize("scale", [0.85, 1.15])
@pytest.mark.parametrize("rate", [0.93, 1.07])
def test_allowed_warps_of_bodies_of_any_size_are_not_slow(
    library: Library, body: Body, clip: str, scale: float, rate: float
) -> None:
    scene = Scene(library, body)
    who = scene.writer.add_character("ann", body=scene.body, scale=scale)
    scene.writer.perform(who, library[clip], start=0.0, rate=rate / np.sqrt(scale))
    measured = audit(scene.writer.close())
    assert measured["gait.max_slowed_ratio"] == pytest.approx(1.0 / rate, rel=0.02)
    assert not topics(measured, "gait")


@pytest.fixture(scope="module")
def recorded(mocap: Path, tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A stroll at 76 steps a minute, a walk backwards, and one forwards."""
    folder = tmp_path_factory.mktemp("recorded")
    for name in ("104_35", "143_39", "16_16"):
        (folder / f"{name}.bvh").symlink_to(mocap / "cmu" / f"{name}.bvh")
    return build_library(folder, source_fps=120.0).library


def performed(library: Library, clip: Clip, rate: float = 1.0) -> Audit:
    scene = Scene(library, Body.of(library.skeleton))
    who = scene.writer.add_character("ann", body=scene.body)
    scene.writer.perform(who, clip, start=0.0, rate=rate)
    return audit(scene.writer.close())


@pytest.mark.mocap
def test_a_real_slow_walk_is_not_slow_motion(recorded: Library) -> None:
    assert not topics(performed(recorded, recorded["104_35"]), "gait")
    slowed = performed(recorded, recorded["104_35"], rate=0.6)
    assert slowed["gait.max_slowed_ratio"] == pytest.approx(1 / 0.6, rel=0.1)
    assert "gait.max_slowed_ratio" in alarms(slowed)


@pytest.mark.mocap
def test_a_real_walk_backwards_is_no_film(recorded: Library) -> None:
    assert performed(recorded, recorded["143_39"])["gait.max_backward_s"] == 0.0
    film = performed(recorded, backwards(recorded["16_16"], root=True))
    assert film["gait.max_backward_s"] == pytest.approx(recorded["16_16"].duration, rel=0.1)
    assert "gait.max_backward_s" in alarms(film)


def test_a_slow_recording_is_no_excuse(library: Library, body: Body) -> None:
    """The source itself is as slow as the take."""
    slow, scene = (
        replace(library["walk_1.10"], fps=library["walk_1.10"].fps / 3, name="slow", events=()),
        Scene(library, body),
    )
    scene.walks("ann", slow)
    assert "gait.max_slow_ratio" in alarms(audit(scene.writer.close()))


def test_who_steps_waits_and_steps_again_is_not_slow(library: Library, body: Body) -> None:
    scene = Scene(library, body)
    ann = scene.writer.add_character("ann", body=scene.body)
    clip, time, x = library["side_left_short"], 0.0, 0.0
    for _ in range(3):
        scene.writer.perform(ann, clip, start=time, place=(x, 0.0, 0.0))
        time, x = time + clip.duration, x + 0.5
    assert audit(scene.writer.close())["gait.max_slow_ratio"] < 1.3


@pytest.mark.parametrize("seconds", sizes(12, 5.0, 9.0))
@pytest.mark.parametrize("clip", ["idle_arms_crossed", "sit_idle"])
def test_a_statue(library: Library, body: Body, clip: str, seconds: float) -> None:
    scene = Scene(library, body)
    ann = scene.stands("ann", clip, seconds=seconds)
    scene.writer.perform(ann, library[clip], start=seconds, stop=seconds + 1.0)
    measured = audit(scene.writer.close())
    assert measured["posture.max_still_s"] == pytest.approx(seconds, rel=0.1)
    assert "posture.max_still_s" in alarms(measured)
    alive = Scene(library, body)
    alive.walks("bob", clip)
    assert audit(alive.writer.close())["posture.max_still_s"] < 0.5


def test_lifting_everything_changes_nothing(walking: Take) -> None:
    low = audit(walking, source=False)
    heights = Heights.filled(2, character=[0, 1], time=0.0, height=3.0, slope=0.0)
    bare = unplanted(walking)
    high = audit(replace(bare, stage=Stage(floor=FlatFloor(3.0)), heights=heights), source=False)
    for name in ("gait.max_slow_ratio", "gait.max_slowed_ratio", "gait.max_facing_off_deg", "gait.reversed_share"):
        assert high[name] == pytest.approx(low[name], rel=0.05, abs=0.05)
