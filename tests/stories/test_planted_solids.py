"""Takes in which one limb or prop is in something solid, by a depth that is known; it is found, and its size.

Where a body is widest is asked of its posed capsules, by functions that the audit does not use.
"""

from dataclasses import replace

import numpy as np
import pytest
from test_planted_faults import Scene, alarms, unplanted

import walkon
from twins.solids import convex_gaps
from walkon._base.arrays import Array
from walkon.geometry.capsules import Capsules
from walkon.geometry.solids import solid_distances
from walkon.geometry.tracks import Track
from walkon.motion.body import Body, world_capsules
from walkon.motion.library import Library
from walkon.stage import Door, FlatFloor, Obstacle, Prop, Stage
from walkon.take import Take
from walkon.take.auditing import Audit, audit
from walkon.take.posing.props import hold_pose
from walkon.take.tables import Heights
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

SECONDS = 1.0
FRAME_COUNT, HELD_FRAME_COUNT = 61, 60
"""A hold ends before its last moment."""
LIMB = {"solids.limb_frames", "solids.max_limb_penetration_m"}
PROP = {"solids.prop_frames", "solids.max_prop_penetration_m"}


@pytest.fixture(scope="module")
def library() -> Library:
    return walkon.builtin_library()


@pytest.fixture(scope="module")
def body(library: Library) -> Body:
    return Body.of(library.skeleton)


def alarmed(measured: Audit) -> set[str]:
    """What is told of solids."""
    return {name for name in alarms(measured) if name.startswith("solids.")}


def flesh_of(take: Take, who: int = 0, time: float = 0.5) -> Capsules:
    """Return the capsules of somebody of scale 1."""
    body, poses = take.bodies[0], take.pose(time)
    starts, ends = world_capsules(body, poses.positions[who], poses.rotations[who])
    return Capsules(starts, ends, body.capsule_radii)


def widest(flesh: Capsules, way: Array) -> float:
    """Return how far capsules reach along a way [3], m."""
    return float(np.maximum(flesh.starts @ way + flesh.radii[:, 0], flesh.ends @ way + flesh.radii[:, 1]).max())


def standing(library: Library, body: Body, place: tuple[float, float, float] = (0, 0, 0)) -> Take:
    scene = Scene(library, body)
    scene.stands("ann", seconds=SECONDS, place=place)
    return scene.writer.close()


def beside(take: Take, depth: float, *, across: float = 0.5, along: float = 1.0, **more: object) -> Obstacle:
    """Return a block at ann's left hand, which is that deep in it."""
    here = take.pose(0.5).planar[0]
    left = np.array([-np.sin(here[2]), np.cos(here[2]), 0.0])
    side = widest(flesh_of(take), left) - here[:2] @ left[:2] - depth
    corners = np.array([[-along, side], [along, side], [along, side + across], [-along, side + across]])
    return Obstacle(polygon=planar.apply(here, corners), height=3.0, name="wall", **more)


@pytest.mark.parametrize("depth", [0.05, 0.09, 0.15])
@pytest.mark.parametrize("seed", [1, 2])
def test_an_arm_in_a_wall(library: Library, body: Body, depth: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    take = standing(library, body, tuple(rng.uniform(-3, 3, 3)))
    measured = audit(replace(take, stage=Stage(obstacles=(beside(take, depth),))), source=False)
    assert measured["solids.max_limb_penetration_m"] == pytest.approx(depth, rel=0.01)
    assert measured["solids.limb_frames"] == FRAME_COUNT
    assert alarms(measured) == LIMB
    case = next(case for case in measured.worst if case.figure == "solids.max_limb_penetration_m")
    assert case.character == "ann"
    assert case.other == "wall"
    assert "has the left " in case.text
    assert f"{depth * 100:.1f} cm in wall" in case.text


@pytest.mark.parametrize("depth", [-0.01, 0.0, 0.025])
def test_an_arm_at_a_wall_is_no_fault(library: Library, body: Body, depth: float) -> None:
    take = standing(library, body)
    measured = audit(replace(take, stage=Stage(obstacles=(beside(take, depth),))), source=False)
    assert measured["solids.max_limb_penetration_m"] == pytest.approx(max(depth, 0.0), abs=1e-6)
    assert alarms(measured) == set()


def test_only_what_is_as_high_as_the_arm_is_in_its_way(library: Library, body: Body) -> None:
    take = standing(library, body)
    wall = beside(take, 0.08)
    for base, height in ((2.0, 3.0), (-1.0, 0.02)):
        measured = audit(replace(take, stage=Stage(obstacles=(replace(wall, base=base, height=height),))), source=False)
        assert measured["solids.limb_frames"] == 0
    # All of it three metres higher.
    high = Stage(floor=FlatFloor(3.0), obstacles=(replace(wall, base=3.0, height=6.0),))
    lifted = replace(take, stage=high, heights=Heights.filled(1, character=0, time=0.0, height=3.0, slope=0.0))
    measured = audit(unplanted(lifted), source=False)
    assert measured["solids.max_limb_penetration_m"] == pytest.approx(0.08, rel=0.01)


def test_a_wall_with_a_corner_in_it(library: Library, body: Body) -> None:
    """In the notch of a wall that is not convex there is nothing; in its solid part there is."""
    take = standing(library, body)
    side = widest(flesh_of(take), np.array([0.0, 1.0, 0.0]))
    for gap, found in ((0.05, 0.0), (-0.07, 0.07)):
        y = side + gap
        outside = [(2, -1.9), (2, y + 1), (-2, y + 1), (-2, -1.9)]
        ring = [*outside, (-1.5, -1.9), (-1.5, y), (1.5, y), (1.5, -1.9)]
        measured = audit(replace(take, stage=Stage(obstacles=(Obstacle(polygon=ring, height=3.0),))), source=False)
        assert measured["solids.max_limb_penetration_m"] == pytest.approx(found, rel=0.02)
        assert (measured["solids.limb_frames"] > 0) == (found > 0)


@pytest.mark.parametrize("depth", [-0.02, 0.08])
def test_a_cart_that_passes_an_arm(library: Library, body: Body, depth: float) -> None:
    take = standing(library, body)
    passing = Track(times=[0.0, 1.0], places=[[-1.0, 0.0], [1.0, 0.0]], headings=[0.0, 0.0])
    cart = beside(take, depth, along=0.2, track=passing)
    measured = audit(replace(take, stage=Stage(obstacles=(cart,))), source=False)
    assert measured["solids.max_limb_penetration_m"] == pytest.approx(max(depth, 0.0), rel=0.01)
    assert alarmed(measured) == (LIMB if depth > 0 else set())
    # At 2 m/s a cart of 0.4 m takes a fifth of a second, and a little more for the arm itself.
    assert (10 < measured["solids.limb_frames"] < 25) == (depth > 0)


@pytest.mark.parametrize("depth", [-0.02, 0.045])
def test_a_door_that_closes_on_an_arm(library: Library, body: Body, depth: float) -> None:
    take = standing(library, body)
    y = widest(flesh_of(take), np.array([0.0, 1.0, 0.0])) - depth + 0.02
    closing = Track(times=[0.0, 0.7, 1.0], places=np.zeros((3, 2)), headings=[1.2, 0.0, 0.0])
    door = Door(ends=[(-0.5, y), (0.5, y)], name="door", track=closing)
    measured = audit(replace(take, stage=Stage(doors=(door,))), source=False)
    assert measured["solids.max_limb_penetration_m"] == pytest.approx(max(depth, 0.0), rel=0.02)
    assert alarmed(measured) == (LIMB if depth > 0 else set())
    assert (18 <= measured["solids.limb_frames"] < 40) == (depth > 0)
    assert any("door.leaf" in case.text for case in measured.worst) == (depth > 0)


def with_box(
    library: Library,
    body: Body,
    pose: Array,
    size: tuple[float, float, float],
    *,
    hold: bool = True,
    others: tuple[tuple[float, float, float], ...] = (),
    stage: Stage | None = None,
) -> Take:
    """Return ann who stands and holds a box at a pose in the world; or it hangs there by itself."""
    scene = Scene(library, body, stage)
    scene.stands("ann", seconds=SECONDS)
    for k, place in enumerate(others):
        scene.stands(f"bob {k}", seconds=SECONDS, place=place)
    box = scene.writer.add_prop(Prop(name="box", size=size))
    if hold:
        held = hold_pose(scene.writer.take, "ann", joint="RightHand", time=0.5, pose=pose)
        scene.writer.attach(box, 0, "RightHand", pose=held, start=0.0, stop=SECONDS)
    else:
        scene.writer.rest(box, pose, start=0.0, stop=SECONDS)
    return scene.writer.close()


@pytest.mark.parametrize("depth", [-0.01, 0.06, 0.1])
@pytest.mark.parametrize("seed", [3, 4])
def test_a_held_box_in_a_wall(library: Library, body: Body, depth: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    turn, size = rng.uniform(-3, 3), rng.uniform(0.2, 0.4, 3)
    front = 1.0 + 0.5 * (size[0] * abs(np.cos(turn)) + size[1] * abs(np.sin(turn))) - depth
    wall = Obstacle(polygon=[(front, -2), (front + 1, -2), (front + 1, 2), (front, 2)], height=3.0, name="wall")
    pose = np.array([1.0, 0.0, 1.2, *quat.turn(turn)])
    measured = audit(with_box(library, body, pose, tuple(size), stage=Stage(obstacles=(wall,))), source=False)
    assert measured["solids.max_prop_penetration_m"] == pytest.approx(max(depth, 0.0), rel=0.01)
    assert measured["solids.prop_frames"] == (HELD_FRAME_COUNT if depth > 0 else 0)
    assert alarmed(measured) == (PROP if depth > 0 else set())
    told = [case.text for case in measured.worst if case.figure == "solids.max_prop_penetration_m"]
    assert any(f"holds 'box' {depth * 100:.1f} cm in wall" in text for text in told) == (depth > 0)


@pytest.mark.parametrize("depth", [-0.01, 0.05, 0.08])
def test_a_held_box_in_the_holders_own_thigh(library: Library, body: Body, depth: float) -> None:
    """A box across both thighs, whose back is that deep in the one that is farther ahead."""
    flesh, low, high = flesh_of(standing(library, body)), 0.55, 0.75
    thighs = [k for k, part in enumerate(body.capsule_parts) if part.endswith("thigh")]
    s = np.linspace(0, 1, 2001)[:, None]
    middles = flesh.starts[thighs] + s[..., None] * (flesh.ends - flesh.starts)[thighs]
    fronts = middles[..., 0] + (1 - s) * flesh.radii[thighs, 0] + s * flesh.radii[thighs, 1]
    front = fronts[(middles[..., 2] > low) & (middles[..., 2] < high)].max()
    pose = np.array([front - depth + 0.2, 0.0, 0.5 * (low + high), 1, 0, 0, 0])
    measured = audit(with_box(library, body, pose, (0.4, 0.6, high - low)), source=False)
    # The hands hang beside the thighs and may touch it, too: the left one, since the right one holds it.
    assert measured["solids.max_prop_penetration_m"] == pytest.approx(max(depth, 0.0), rel=0.1, abs=0.03 * (depth < 0))
    assert alarmed(measured) == (PROP if depth > 0 else set())
    if depth > 0:
        case = next(case for case in measured.worst if case.figure == "solids.max_prop_penetration_m")
        assert "thigh" in case.text


@pytest.mark.parametrize("hold", [False, True])
@pytest.mark.parametrize("seed", [5, 6])
def test_a_prop_in_somebody_elses_trunk(library: Library, body: Body, hold: bool, seed: int) -> None:
    """A box turned any way and not quite in the middle of bob; how deep is known by the plain twin."""
    rng = np.random.default_rng(seed)
    there = (1.2, 0.3, float(rng.uniform(-3, 3)))
    size = rng.uniform(0.1, 0.3, 3)
    pose = np.array([*rng.uniform([1.1, 0.2, 1.15], [1.3, 0.4, 1.3]), *quat.normalize(rng.normal(size=4))])
    take = with_box(library, body, pose, tuple(size), hold=hold, others=(there,))
    flesh = flesh_of(take, who=1)
    own = (quat.rotate(quat.conjugate(pose[3:]), side - pose[:3]) for side in flesh[:2])
    depth = -convex_gaps(lambda points: solid_distances("box", 0.5 * size, points), Capsules(*own, flesh.radii)).min()
    measured = audit(take, source=False)
    assert depth > 0.08
    assert measured["solids.max_prop_penetration_m"] == pytest.approx(depth, rel=1e-6)
    assert measured["solids.prop_frames"] == FRAME_COUNT
    assert measured["solids.limb_frames"] == 0
    assert alarmed(measured) == PROP
    alone = audit(take, characters=[0], source=False)
    assert alone["solids.prop_frames"] == 0


def test_a_small_ball_in_the_holding_hand_is_not_told_again(library: Library, body: Body) -> None:
    take = standing(library, body)
    palm = take.pose(0.5).positions[0, library.skeleton.index("RightHand")]
    for hold in (True, False):
        pose = np.array([*palm, 1, 0, 0, 0])
        measured = audit(with_box(library, body, pose, (0.08, 0.08, 0.08), hold=hold), source=False)
        assert ("solids.prop_frames" in alarmed(measured)) == (not hold)


def test_a_prop_put_on_a_table_rests_on_it(library: Library, body: Body) -> None:
    table = Obstacle(polygon=[(0.6, -0.5), (1.6, -0.5), (1.6, 0.5), (0.6, 0.5)], height=0.8, name="table")
    for sunk, found in ((0.0, 0), (0.02, 0), (0.06, HELD_FRAME_COUNT)):
        pose = np.array([1.1, 0.0, 0.9 - sunk, 1, 0, 0, 0])
        take = with_box(library, body, pose, (0.2, 0.3, 0.2), stage=Stage(obstacles=(table,)))
        measured = audit(take, source=False)
        assert measured["solids.prop_frames"] == found
        assert measured["solids.max_prop_penetration_m"] == pytest.approx(sunk if found else 0.0, rel=0.01)


def test_who_walks_on_something_is_not_in_it(library: Library, body: Body) -> None:
    block = Obstacle(polygon=[(-3, -2), (15, -2), (15, 2), (-3, 2)], height=0.3, name="block")
    scene = Scene(library, body)
    scene.walks("ann", "walk_1.10")
    take = replace(unplanted(scene.writer.close()), stage=Stage(obstacles=(block,)))
    for height, depth in ((0.3, 0.0), (0.2, 0.1)):
        lifted = replace(take, heights=Heights.filled(1, character=0, time=0.0, height=height, slope=0.0))
        measured = audit(lifted, source=False)
        assert measured["solids.max_limb_penetration_m"] == pytest.approx(depth, rel=0.25)
        assert alarmed(measured) == (LIMB if depth else set())


@pytest.mark.parametrize(("scale", "clean"), [(1.0, True), (0.9, False)])
def test_who_sits_on_a_chair_of_the_right_height_is_not_in_it(
    library: Library, body: Body, scale: float, clean: bool
) -> None:
    scene = Scene(library, body)
    scene.walks("ann", "sit_front", scale=scale)
    take = scene.writer.close()
    times = np.arange(0.0, take.stop, 0.1)
    seated = times[np.argmin([take.pose(t).positions[0, 0, 2] for t in times])]
    here = take.pose(seated).planar[0]

    def block(back: float, front: float, top: float, name: str) -> Obstacle:
        corners = np.array([[back, -0.22], [front, -0.22], [front, 0.22], [back, 0.22]])
        return Obstacle(polygon=planar.apply(here, corners), height=top, name=name)

    chair = (block(-0.22, 0.18, 0.45, "seat"), block(-0.26, -0.22, 0.87, "back"))
    measured = audit(replace(take, stage=Stage(obstacles=chair)), source=False)
    assert alarmed(measured) == (set() if clean else LIMB)
    if not clean:
        thigh = library.skeleton.index("LeftUpLeg")
        low = (
            take.pose(seated).positions[0, thigh, 2]
            - scale * body.capsule_radii[:, 0][[part == "left_thigh" for part in body.capsule_parts]].max()
        )
        assert measured["solids.max_limb_penetration_m"] == pytest.approx(0.45 - low, rel=0.1)
