"""What must not matter to an audit: where the stage lies, who comes first, batches, threads, who else is asked."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import walkon
from walkon.motion.body import Body
from walkon.script import Mark
from walkon.stage import Obstacle, Prop, Stage
from walkon.take import Take, TakeWriter
from walkon.take.auditing import Audit, audit
from walkon.take.tables import Warps
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

CAST = ("ann", "bob", "cid", "dee")


def crowd(moved: Sequence[float] = (0.0, 0.0, 0.0), order: Sequence[int] = (0, 1, 2, 3), later: float = 0.0) -> Take:
    """Four people too close to each other, with a bit of everything that an audit looks at, moved as a whole."""
    library = walkon.builtin_library()

    def ring(points: list[tuple[float, float]]) -> Any:
        return planar.apply(moved, np.array(points, float))

    stage = Stage(
        bounds=ring([(-1, -1), (6, -1), (6, 4), (-1, 4)]),
        obstacles=(Obstacle(polygon=ring([(2, 1.3), (3, 1.3), (3, 1.8), (2, 1.8)]), name="bench"),),
    )
    writer = TakeWriter(stage=stage)
    body = writer.add_body(Body.of(library.skeleton))
    walk, slow = library["walk_1.10"], library["walk_0.90"]
    turn = float(np.asarray(moved)[2])
    plan = {
        "ann": (walk, (0.0, 0.0, 0.0), 0.0, 1.0),
        "bob": (walk, (0.0, 0.45, 0.0), 0.1, 1.05),
        "cid": (slow, (0.0, 1.2, 0.2), 0.3, 0.95),
        "dee": (library["idle_neutral"], (1.5, 0.9, 2.0), 0.0, 1.0),
    }
    rows = {}
    for name in (CAST[i] for i in order):
        clip, place, start, scale = plan[name]
        rows[name] = writer.add_character(name, body=body, scale=scale)
        aside = quat.rotate(quat.turn(turn), np.array([0.1, -0.05, 0.0]))[:2]
        warp = Warps.filled(1, offsets=[[[0, 0, 0], [*aside, 0.1]]]) if name == "ann" else None
        where = planar.compose(moved, place)
        writer.perform(rows[name], clip, start=later + start, stop=later + start + 4.0, place=where, warp=warp)
    cup = writer.add_prop(Prop(name="cup", shape="cylinder", size=(0.08, 0.08, 0.1)))
    hand = library.skeleton.names[library.skeleton.role("left_wrist")]
    grip = (0.1, 0.02, 0.0, 1.0, 0.0, 0.0, 0.0)
    writer.attach(cup, rows["bob"], hand, pose=grip, start=later + 0.5, stop=later + 3.0)
    rest = np.concatenate([planar.apply_3d(moved, np.array([1.0, 2.0, 0.8])), quat.turn(turn)])
    writer.rest(cup, rest, start=later + 3.0, stop=later + 4.0)
    x, y, heading = (float(v) for v in planar.compose(moved, (1.0, 0.1, 0.3)))
    mark = Mark(name="there", position=(x, y), facing=heading, window=(later + 1.0, later + 1.2))
    writer.add_mark(rows["ann"], mark, met=later + 1.5)
    return writer.close()


@pytest.fixture(scope="module")
def take() -> Take:
    return crowd()


@pytest.fixture(scope="module")
def measured(take: Take) -> Audit:
    return audit(take)


def assert_alike(one: Audit, other: Audit, *, tolerance: float) -> None:
    def compare(a: Any, b: Any, name: str) -> None:
        if isinstance(a, dict):
            assert a.keys() == b.keys(), name
            for key in a:
                compare(a[key], b[key], f"{name}.{key}")
        elif isinstance(a, float):
            # Noise of 1e-9 in a figure that should be zero is still nothing.
            assert b == pytest.approx(a, rel=tolerance, abs=tolerance), name
        elif isinstance(a, list) and a and isinstance(a[0], dict):
            assert len(a) == len(b), name
        else:
            assert a == b, name

    compare(
        {topic: one.to_json()[topic] for topic in one.figures},
        {topic: other.to_json()[topic] for topic in other.figures},
        "",
    )


def test_the_crowd_of_these_laws_has_something_to_find(measured: Audit) -> None:
    assert measured["bodies.pair_frames"] > 10
    assert measured["collisions.pair_frames"] > 10
    assert measured["collisions.obstacle_frames"] > 10
    assert measured["variety.identical_neighbours"] == 1
    assert measured["adjustment.max_m_s"] > 0.02
    assert measured["props.max_jump_m"] > 0.1
    assert measured["marks.max_position_error_m"] > 0.05


@pytest.mark.parametrize("moved", [(3.0, -7.0, 0.0), (0.0, 0.0, 2.0), (-20.0, 5.0, -1.1)])
def test_moving_and_turning_the_whole_take_changes_nothing(measured: Audit, moved: tuple[float, ...]) -> None:
    # Plants are stored in single precision: a micrometre at 20 m, which the fastest joints see.
    assert_alike(measured, audit(crowd(moved)), tolerance=2e-3)


def test_the_take_may_begin_at_any_time(measured: Audit) -> None:
    assert_alike(measured, audit(crowd(later=5.0)), tolerance=2e-3)


def test_the_order_of_characters_changes_nothing(measured: Audit) -> None:
    other = audit(crowd(order=(2, 0, 3, 1)))
    assert_alike(measured, other, tolerance=1e-9)

    def cases(one: Audit) -> list[tuple[str, float, str]]:
        # Of a pair either may be named first.
        return sorted((case.figure, round(case.value, 6), str(round(case.time, 4))) for case in one.worst)

    assert cases(measured) == cases(other)


@pytest.mark.parametrize("fps", [25.0, 60.0, 120.0])
def test_batches_change_nothing(take: Take, fps: float, monkeypatch: pytest.MonkeyPatch) -> None:
    measured = audit(take, fps=fps)
    for name, size in (
        ("audit.BATCH_ROW_COUNT", 300),
        ("reposing.POSED_AT_ONCE_COUNT", 37),
        ("meetings.ground.BATCH_ROW_COUNT", 100),
        ("meetings.bodies.POSED_AT_ONCE_COUNT", 60),
        ("meetings.props.BATCH_CELL_COUNT", 50),
        ("bodily.smoothness.CHUNK_ROW_COUNT", 11),
        ("reposing.CHUNK_BODY_COUNT", 7),
    ):
        module, constant = name.rsplit(".", 1)
        # By the module's own name, because the package has a function of the name of one of them.
        monkeypatch.setattr(import_module(f"walkon.take.auditing.{module}"), constant, size)
    other = audit(take, fps=fps)
    assert_alike(measured, other, tolerance=1e-12)
    for name, (times, values) in measured.timelines.items():
        np.testing.assert_array_equal(other.timelines[name][0], times)
        np.testing.assert_allclose(other.timelines[name][1], values, rtol=1e-12, err_msg=name)
    assert [(c.figure, c.character, c.other, c.time) for c in other.worst] == [
        (c.figure, c.character, c.other, c.time) for c in measured.worst
    ]


def test_the_number_of_threads_changes_nothing(take: Take, monkeypatch: pytest.MonkeyPatch) -> None:
    told = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("WALKON_THREADS", threads)
        told.append(audit(take).to_json())
    assert told[0] == told[1] == told[2]


def test_some_characters_are_measured_as_in_the_whole(take: Take, measured: Audit) -> None:
    """What one finds about ann and bob alone, and their pairs with everyone, adds up to the whole."""
    parts = [audit(take, characters=rows) for rows in ([0, 1], [2, 3])]
    for name in (
        "foot_slide.max_m_s",
        "smoothness.max_joint_speed_deg_s",
        "bodies.max_penetration_m",
        "props.max_gap_m",
    ):
        assert max(part[name] for part in parts) == pytest.approx(measured[name], abs=1e-12), name
    assert sum(part["collisions.obstacle_frames"] for part in parts) == measured["collisions.obstacle_frames"]
    for name in ("bodies.pair_frames", "collisions.pair_frames"):
        singles = sum(audit(take, characters=[row], source=False)[name] for row in range(len(take)))
        assert singles == 2 * measured[name], "every pair is seen from both sides"


def test_a_part_of_the_time_holds_no_more_than_the_whole(take: Take, measured: Audit) -> None:
    early, late = audit(take, stop=2.0), audit(take, start=2.0 + 1 / 60)
    for name in ("bodies.pair_frames", "collisions.obstacle_frames"):
        assert early[name] + late[name] == measured[name], name
    assert max(early["bodies.max_penetration_m"], late["bodies.max_penetration_m"]) == pytest.approx(
        measured["bodies.max_penetration_m"]
    )
