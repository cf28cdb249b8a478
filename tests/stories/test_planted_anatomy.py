"""Takes with one fault of anatomy each: joints beyond their limits, limbs through the body, loads off the feet.

Planted from outside into people of the built-in library, who are clean without; what is found is the size of the fault.
"""

from dataclasses import replace

import numpy as np
import pytest
from test_planted_faults import Scene, alarms, sliding, unplanted

import walkon
from twins.capsules import gaps_numpy
from walkon._base.arrays import Array
from walkon.geometry.capsules import Capsules
from walkon.motion.anatomy.limits import limit_excess
from walkon.motion.anatomy.self_overlaps import overlap_allowances
from walkon.motion.body import Body, limb_pairs, world_capsules
from walkon.motion.library import Library
from walkon.motion.mirroring import mirror_partners
from walkon.stage import Prop
from walkon.take import Take, load_take, save_take
from walkon.take.auditing import audit
from walkon.transforms import quaternions as quat


@pytest.fixture(scope="module")
def library() -> Library:
    return walkon.builtin_library()


@pytest.fixture(scope="module")
def body(library: Library) -> Body:
    return Body.of(library.skeleton)


def held(library: Library, body: Body, joints: dict[str, Array], *, scale: float = 1.0) -> Take:
    """Somebody who stands still, with these joints turned so for 2 s."""
    scene = Scene(library, body)
    who = scene.writer.add_character("ann", body=scene.body, scale=scale)
    scene.writer.perform(who, library["idle_neutral"], start=0.0, stop=2.0, rate=0.0)
    tracks = {name: np.tile(rotation, (121, 1)) for name, rotation in joints.items()}
    if tracks:
        scene.writer.override(who, tracks, start=0.0, rate=60.0, fade_in=0.0, fade_out=0.0)
    return unplanted(scene.writer.close())


def about(axis: tuple[float, float, float], degrees: float) -> Array:
    return quat.about(np.array(axis), np.radians(degrees))


# Limits


@pytest.mark.parametrize(
    ("joint", "axis", "limit", "sign"),
    [
        ("LeftLeg", (0.0, 1.0, 0.0), -5.0, -1.0),  # a knee bent backwards
        ("RightLeg", (0.0, 1.0, 0.0), 150.0, 1.0),
        ("LeftForeArm", (0.0, 0.0, -1.0), -5.0, -1.0),  # an elbow hyperextended
        ("RightForeArm", (0.0, 0.0, 1.0), -5.0, -1.0),
        ("Neck", (0.0, 0.0, 1.0), 38.0, 1.0),
    ],
)
@pytest.mark.parametrize("beyond", [12.0, 20.0, 27.5])
def test_a_joint_turned_beyond_its_limit(
    library: Library, body: Body, joint: str, axis: tuple[float, float, float], limit: float, sign: float, beyond: float
) -> None:
    measured = audit(held(library, body, {joint: about(axis, limit + sign * beyond)}))
    assert measured["anatomy.max_beyond_limit_deg"] == pytest.approx(beyond, rel=0.1)
    assert measured["anatomy.limit_frames"] == 121
    assert "anatomy.max_beyond_limit_deg" in alarms(measured)
    case = next(case for case in measured.worst if case.figure == "anatomy.max_beyond_limit_deg")
    assert (case.character, case.other) == ("ann", joint)


def test_a_neck_twisted_by_120_degrees(library: Library, body: Body) -> None:
    measured = audit(held(library, body, {"Neck": about((0.0, 0.0, 1.0), 120.0)}))
    assert measured["anatomy.max_beyond_limit_deg"] == pytest.approx(120.0 - 38.0, rel=0.1)
    assert {"anatomy.max_beyond_limit_deg", "posture.max_head_turn_deg"} <= alarms(measured)


@pytest.mark.parametrize("joint", ["LeftLeg", "LeftForeArm", "Neck"])
def test_a_joint_within_its_limit(library: Library, body: Body, joint: str) -> None:
    axis = {"LeftLeg": (0.0, 1.0, 0.0), "LeftForeArm": (0.0, 0.0, -1.0), "Neck": (0.0, 0.0, 1.0)}[joint]
    measured = audit(held(library, body, {joint: about(axis, 30.0)}))
    assert measured["anatomy.max_beyond_limit_deg"] < 1.0
    assert measured["anatomy.limit_frames"] == 0
    assert "anatomy.max_beyond_limit_deg" not in alarms(measured)


def test_random_poses_are_as_far_beyond_as_the_plain_rule_says(library: Library, body: Body) -> None:
    rng = np.random.default_rng(20260)
    names = [library.skeleton.names[j] for j in library.skeleton.limits if "Toe" not in library.skeleton.names[j]]
    for _ in range(4):
        turns = quat.normalize(np.array([1.5, 0.0, 0.0, 0.0]) + rng.normal(size=(len(names), 4)))
        take = held(library, body, dict(zip(names, turns, strict=True)))
        excess = np.degrees(limit_excess(library.skeleton.limits, take.pose(1.0).local_rotations[0][None]))[0]
        toes = [library.skeleton.role(f"{side}_ball") for side in ("left", "right")]
        excess[toes] = 0.0
        assert audit(take, source=False)["anatomy.max_beyond_limit_deg"] == pytest.approx(excess.max(), abs=0.05)


@pytest.mark.parametrize("degrees", np.random.default_rng(51).uniform(95.0, 125.0, 2).round(1).tolist())
@pytest.mark.parametrize("side", ["left", "right"])
def test_toes_bent_beyond_their_limit_are_told_apart(library: Library, body: Body, side: str, degrees: float) -> None:
    toe = library.skeleton.role(f"{side}_ball")
    take = held(library, body, {library.skeleton.names[toe]: about((0.0, 1.0, 0.0), -degrees)})
    beyond = float(np.degrees(limit_excess(library.skeleton.limits, take.pose(1.0).local_rotations[0][None]))[0, toe])
    assert beyond > 10.0
    measured = audit(take)
    assert measured["anatomy.max_toes_beyond_limit_deg"] == pytest.approx(beyond, rel=0.1)
    assert measured["anatomy.max_beyond_limit_deg"] < 1.0
    assert "anatomy.max_beyond_limit_deg" not in alarms(measured)


# Limbs through the own body


def deeper_than_allowed(take: Take, body: Body, library: Library, *, scale: float = 1.0) -> float:
    """How much deeper the worst pair of capsules is than it may be, by the plain twin."""
    pose = take.pose(1.0)
    starts, ends = world_capsules(body.scaled(scale), pose.positions[0], pose.rotations[0])
    pairs, radii = limb_pairs(body), body.capsule_radii * scale
    a, b = (Capsules(starts[pairs[:, k]], ends[pairs[:, k]], radii[pairs[:, k]]) for k in (0, 1))
    known = dict(library.skeleton.self_overlaps or {})
    other = mirror_partners(library.skeleton)
    for (one, two), deep in (library.skeleton.self_overlaps or {}).items():  # left and right may do the same
        pair = (int(min(other[one], other[two])), int(max(other[one], other[two])))
        known[pair] = max(deep, known.get(pair, 0.0))
    allowed = scale * overlap_allowances(body, known, pairs)
    return float((-gaps_numpy(a, b) - allowed).max())


def find_turn(library: Library, body: Body, joint: str, axis: tuple[float, float, float], deep: float) -> Array:
    """Return the rotation about the axis by which the joint brings limbs so deep into each other."""
    rest = held(library, body, {}).pose(1.0).local_rotations[0, library.skeleton.index(joint)]
    low, high = 0.0, 18.0 if joint == "LeftUpLeg" else 60.0  # farther on, a leg comes out on the other side
    for _ in range(12):
        middle = 0.5 * (low + high)
        turn = quat.multiply(rest, about(axis, middle))
        found = deeper_than_allowed(held(library, body, {joint: turn}), body, library)
        low, high = (low, middle) if found > deep else (middle, high)
    return quat.multiply(rest, about(axis, high))


@pytest.mark.parametrize("deep", [0.01, 0.03])
@pytest.mark.parametrize(
    ("joint", "axis"),
    [
        ("LeftArm", (1.0, 0.0, 0.0)),  # an arm pushed into the trunk, its hand into the thigh
        ("LeftUpLeg", (1.0, 0.0, 0.0)),  # a leg into the other one
    ],
)
def test_limbs_through_the_own_body(
    library: Library, body: Body, joint: str, axis: tuple[float, float, float], deep: float
) -> None:
    sign = -1.0 if joint == "LeftUpLeg" else max((-1.0, 1.0), key=lambda s: _swings_in(library, body, joint, axis, s))
    axis = (sign * axis[0], axis[1], axis[2])
    turn = find_turn(library, body, joint, axis, deep)
    take = held(library, body, {joint: turn})
    size = deeper_than_allowed(take, body, library)
    assert size == pytest.approx(deep, rel=0.1), "planted as meant"
    measured = audit(take)
    assert measured["anatomy.max_self_penetration_m"] == pytest.approx(size, rel=0.1)
    assert measured["anatomy.self_frames"] == 121
    assert "anatomy.self_frames" in alarms(measured)
    case = next(case for case in measured.worst if case.figure == "anatomy.max_self_penetration_m")
    assert case.character == "ann"
    assert "left" in case.text


def _swings_in(library: Library, body: Body, joint: str, axis: tuple[float, float, float], sign: float) -> float:
    rest = held(library, body, {}).pose(1.0).local_rotations[0, library.skeleton.index(joint)]
    turn = quat.multiply(rest, about((sign * axis[0], axis[1], axis[2]), 15.0))
    return deeper_than_allowed(held(library, body, {joint: turn}), body, library)


@pytest.mark.parametrize("scale", [0.85, 1.15])
def test_allowances_grow_with_the_body(library: Library, body: Body, scale: float) -> None:
    turn = find_turn(library, body, "LeftUpLeg", (-1.0, 0.0, 0.0), 0.02)
    measured = audit(held(library, body, {"LeftUpLeg": turn}, scale=scale), source=False)
    assert measured["anatomy.max_self_penetration_m"] == pytest.approx(0.02 * scale, rel=0.1)


def test_every_clip_of_the_library_is_clean(library: Library, body: Body) -> None:
    scene = Scene(library, body)
    for k, clip in enumerate(library):
        if k % 4 == 0:
            scene.walks(clip.name, clip, place=(0.0, 20.0 * k, 0.0))
    measured = audit(scene.writer.close())
    assert measured["anatomy.self_frames"] == 0
    assert not {name for name in alarms(measured) if name.startswith("anatomy")}


def test_a_saved_take_is_allowed_the_same(library: Library, body: Body, tmp_path: object) -> None:
    turn = find_turn(library, body, "LeftUpLeg", (-1.0, 0.0, 0.0), 0.02)
    take = held(library, body, {"LeftUpLeg": turn})
    back = load_take(save_take(take, f"{tmp_path}/ann.take"))
    assert back.bodies[0].skeleton.self_overlaps == library.skeleton.self_overlaps
    ours, theirs = (audit(one, source=False).figures["anatomy"] for one in (take, back))
    assert dict(ours) == pytest.approx(dict(theirs), rel=1e-9)


def test_a_body_from_elsewhere_is_allowed_what_its_clips_do(library: Library) -> None:
    """The fault is in the clip itself, 2 cm: excused; 10 cm is no excuse."""
    skeleton = replace(library.skeleton, self_overlaps=None)
    body, idle = Body.of(skeleton), library["idle_neutral"]
    for deep, frames in ((0.02, 0), (0.1, 121)):
        turn = find_turn(library, body, "LeftUpLeg", (-1.0, 0.0, 0.0), deep)
        rotations = np.array(idle.local_rotations)
        rotations[:, skeleton.index("LeftUpLeg")] = turn
        scene = Scene(library, body)
        scene.stands("ann", replace(idle, skeleton=skeleton, local_rotations=rotations))
        measured = audit(unplanted(scene.writer.close()))
        assert measured["anatomy.self_frames"] == frames
        assert measured.source["anatomy"]["self_frames"] > 0, "what a clip brings along stands in its column"
        whole = Scene(library, body)
        whole.walks("ann", replace(idle, skeleton=skeleton, local_rotations=rotations))
        measured = audit(unplanted(whole.writer.close()))
        own = measured.source["anatomy"]["max_self_penetration_m"]
        (row,) = (one for one in measured.inherited if one["figure"] == "anatomy.max_excused_penetration_m")
        assert row["value"] == pytest.approx(own, rel=0.1)
        assert row["source"] == own
        assert row["clip"].startswith("idle_neutral")


# Balance


@pytest.mark.parametrize(
    ("kilograms", "ahead", "off"), [(20.0, 0.30, 0.0), (60.0, 0.9, None), (40.0, 1.5, None), (0.5, 0.6, 0.0)]
)
@pytest.mark.parametrize("speed", [0.0, 0.8])
def test_a_box_held_far_out(
    library: Library, body: Body, kilograms: float, ahead: float, off: float | None, speed: float
) -> None:
    """Held by who stands: the distance is that of the common centre of mass from the toes, along the way it leans.

    Who is carried along in that pose counts as walking, and has the same distance.
    """
    scene = Scene(library, body)
    ann = scene.stands("ann", warp=sliding(speed, 2.0) if speed else None)
    box = scene.writer.add_prop(Prop(name="box", size=(0.2, 0.2, 0.2), mass=kilograms))
    pose = scene.writer.take.pose(1.0)
    hips = library.skeleton.role("hips")
    x, y, heading = pose.planar[0]
    place = np.array([x + ahead * np.cos(heading), y + ahead * np.sin(heading), 1.0])
    back = quat.conjugate(pose.rotations[0, hips])
    local = np.concatenate([quat.rotate(back, place - pose.positions[0, hips]), back])
    scene.writer.attach(box, ann, library.skeleton.names[hips], pose=local, start=0.0, stop=2.0)
    measured = audit(unplanted(scene.writer.close()))
    balance = measured.figures["balance"]
    assert balance["load_frames"] == 120
    if off is None:
        # The body alone stands over its feet; the load draws the centre of mass towards itself by its share.
        forward = np.array([np.cos(heading), np.sin(heading)])
        own_mass = body.masses.sum()
        own = _centre_of_mass(body, pose.positions[0], pose.rotations[0])[:2]
        centre = (own_mass * own + kilograms * place[:2]) / (own_mass + kilograms)
        starts, ends = world_capsules(body, pose.positions[0], pose.rotations[0])
        feet = [k for k, part in enumerate(body.capsule_parts) if "toes" in part]
        tips = np.concatenate([starts[feet] @ [*forward, 0.0] + body.capsule_radii[feet, 0]])
        tips = np.concatenate([tips, ends[feet] @ [*forward, 0.0] + body.capsule_radii[feet, 1]])
        off = float(centre @ forward - tips.max())
        assert off > 0.05
    figure, other = ("max_off_support_m", "max_off_support_walking_m")[:: -1 if speed else 1]
    assert balance[figure] == pytest.approx(off, rel=0.1, abs=0.002)
    assert balance[other] == 0.0
    assert ("balance.max_off_support_m" in alarms(measured)) == (off > 0 and not speed), "who walks is told, not judged"


def _centre_of_mass(body: Body, positions: Array, rotations: Array) -> Array:
    """By the middles of capsules, joint after joint: the mass of a joint at the mean of its capsules by volume."""
    starts, ends = world_capsules(body, positions, rotations)
    total = np.zeros(3)
    for joint in np.flatnonzero(body.masses):
        mine = np.flatnonzero(body.capsule_joints == joint)
        radius = body.capsule_radii[mine].mean(axis=1)
        volume = radius**2 * (np.linalg.norm(ends[mine] - starts[mine], axis=1) + 4 / 3 * radius)
        middle = (volume[:, None] * (starts[mine] + ends[mine]) / 2).sum(axis=0) / volume.sum()
        total += body.masses[joint] * middle
    return total / body.masses.sum()


def test_who_holds_nothing_has_no_balance(library: Library, body: Body) -> None:
    scene = Scene(library, body)
    scene.stands("ann")
    assert "balance" not in audit(scene.writer.close()).figures
