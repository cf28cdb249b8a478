"""The audit on takes with exactly one fault each: it finds that fault, says how large it is, and nothing else.

People of the built-in library; who stands, holds one frame of a clip, so that nothing but the fault moves.
"""

from dataclasses import replace

import numpy as np
import pytest

import walkon
from twins.capsules import gaps_numpy
from walkon._base.arrays import Array
from walkon.geometry.capsules import Capsules
from walkon.geometry.tracks import Track
from walkon.motion import Clip
from walkon.motion.body import Body, world_capsules
from walkon.motion.footprint import footprint_radius
from walkon.motion.library import Library
from walkon.motion.limbs.arms import Palm, palm_frame
from walkon.motion.limbs.legs import leg_length
from walkon.motion.skeleton import Skeleton
from walkon.script import Mark
from walkon.stage import Door, Obstacle, Prop, Seat, Stage
from walkon.take import Take, TakeWriter
from walkon.take.auditing import Audit, audit
from walkon.take.auditing.limits import good_limits
from walkon.take.posing.props import hold_pose
from walkon.take.tables import MEANT, POSE, WINDOW, Drops, Stances, Warps
from walkon.transforms import planar
from walkon.transforms import quaternions as quat


def alarms(measured: Audit) -> set[str]:
    """What a good take keeps to, and this one does not."""
    return {name for name, _, _ in measured.broken(good_limits(measured))}


@pytest.fixture(scope="module")
def library() -> Library:
    return walkon.builtin_library()


@pytest.fixture(scope="module")
def body(library: Library) -> Body:
    return Body.of(library.skeleton)


class Scene:
    """A take in the making, with shorthands for people who walk and people who stand stock-still."""

    def __init__(self, library: Library, body: Body, stage: Stage | None = None) -> None:
        self.library, self.writer = library, TakeWriter(stage=stage)
        self.body = self.writer.add_body(body)

    def walks(self, name: str, clip: str | Clip, *, start: float = 0.0, scale: float = 1.0, **where: object) -> int:
        who = self.writer.add_character(name, body=self.body, scale=scale)
        played = self.library[clip] if isinstance(clip, str) else clip
        self.writer.perform(who, played, start=start, rate=1 / np.sqrt(scale), **where)
        return who

    def stands(self, name: str, clip: str | Clip = "idle_neutral", *, seconds: float = 2.0, **where: object) -> int:
        who = self.writer.add_character(name, body=self.body)
        played = self.library[clip] if isinstance(clip, str) else clip
        self.writer.perform(who, played, start=0.0, stop=seconds, rate=0.0, **where)
        return who


def sliding(speed: float, seconds: float) -> Warps:
    """A warp that moves along x at an even speed."""
    return Warps.filled(1, offsets=[[[0, 0, 0], [speed * seconds, 0, 0]]], slopes=[[[speed, 0, 0], [speed, 0, 0]]])


def unplanted(take: Take) -> Take:
    return replace(take, stances=Stances(), drops=Drops())


def box_in_the_world(take: Take, who: int, time: float, pose: tuple[float, ...]) -> Array:
    """Turn the pose of an object relative to a body's planar pose into one in the world."""
    here = take.pose(time).planar[who]
    place = planar.apply_3d(here, np.array(pose[:3]))
    return np.concatenate([place, quat.multiply(quat.turn(here[2]), np.array(pose[3:]))])


# A clean take


@pytest.fixture(scope="module")
def clean(library: Library, body: Body) -> Take:
    """Four people who walk, fetch a box and sit, on marks, in a room with a pillar, a chair and a door."""
    chair = Obstacle(polygon=[(0.5, 8.75), (0.95, 8.75), (0.95, 9.25), (0.5, 9.25)], height=0.43, name="chair")
    stage = Stage(
        bounds=[(-3, -3), (12, -3), (12, 12), (-3, 12)],
        obstacles=(
            Obstacle(polygon=[(8, 8), (9, 8), (9, 9), (8, 9)], height=3.0, name="pillar"),
            Obstacle(polygon=[(0, -1), (4, -1), (4, 1), (0, 1)], height=3.0, base=2.5, name="lintel"),
            Obstacle(polygon=[(0, -1), (4, -1), (4, 1), (0, 1)], height=0.02, name="carpet"),
            chair,
        ),
        seats=(Seat(place=(0.75, 9.0, 0.0), name="seat"),),
        doors=(Door(ends=[(-3, 2.5), (-3, 3.5)], name="door"),),
    )
    scene = Scene(library, body, stage)
    ann = scene.walks("ann", "walk_1.10", place=(0, 0, 0))
    scene.walks("bob", "walk_0.90", start=0.5, scale=1.06, place=(-3, 3, 0))
    fetch = library["fetch_table"]
    cid = scene.walks("cid", fetch, place=(0, 6, 0))
    dee = scene.walks("dee", "sit_front", scale=0.95, place=(1, 9, 0))
    writer = scene.writer
    so_far = writer.take
    grasp, release = fetch.events
    box = writer.add_prop(Prop(name="box", size=(0.30, 0.40, 0.25)))
    table = box_in_the_world(so_far, cid, grasp.time, grasp.object_pose or ())
    other = box_in_the_world(so_far, cid, release.time, release.object_pose or ())
    writer.rest(box, table, start=0.0, stop=grasp.time)
    first = hold_pose(so_far, "cid", joint="RightHand", time=grasp.time, pose=table)
    last = hold_pose(so_far, "cid", joint="RightHand", time=release.time, pose=other)
    writer.attach(box, cid, "RightHand", pose=first, pose_stop=last, start=grasp.time, stop=release.time)
    writer.rest(box, other, start=release.time, stop=so_far.stop)
    first_table, other_table = (
        writer.add_prop(Prop(name=name, size=(0.3, 0.4, 0.75))) for name in ("table", "other table")
    )
    # The first table rolls aside once the box is lifted: cid walks on through where it stood.
    x, y = table[:2]
    away = [[x, y, 0.375], [x, y, 0.375], [x, y + 1.5, 0.375], [x, y + 1.5, 0.375]]
    times = [0.0, grasp.time, grasp.time + 1.0, so_far.stop]
    writer.ride(first_table, Track(times=times, places=away, headings=np.zeros(4)))
    writer.rest(other_table, [*other[:2], 0.375, *other[3:]], start=0.0, stop=so_far.stop)
    end, seated = so_far.pose(7.0).planar[ann], so_far.pose(3.0).planar[dee]
    x, y, heading = (float(v) for v in end)
    writer.add_mark(ann, Mark(name="end", position=(x, y), facing=heading, window=(6.5, 7.0)), met=7.0)
    x, y, _ = (float(v) for v in seated)
    writer.add_mark(dee, Mark(name="seat", pose="seated", window=(2.0, 3.0), hold=1.0), met=3.0)
    return writer.close()


def test_a_clean_take_raises_no_alarm(clean: Take) -> None:
    measured = audit(clean)
    assert alarms(measured) == set()
    assert measured.figures["marks"]["count"] == 2
    assert measured.figures["marks"]["max_pose_error_deg"] == 0.0
    assert measured.figures["foot_slide"]["planted_share"] > 0.95
    assert measured.figures["props"]["held_frames"] > 500


def test_raw_clips_stand_in_the_next_column(clean: Take) -> None:
    measured = audit(clean)
    own, source = measured.figures, measured.source
    assert source["marks"] is None
    assert source["foot_slide"]["max_m_s"] > 100 * own["foot_slide"]["max_m_s"], "planting holds what capture does not"
    assert source["smoothness"]["max_joint_speed_deg_s"] == pytest.approx(
        own["smoothness"]["max_joint_speed_deg_s"], rel=0.2
    )


def test_only_its_seat_and_its_door_keep_the_clean_take_clean(clean: Take) -> None:
    """Whoever sits down goes through the chair, and whoever comes in over the edge; without seat or door it shows."""
    assert alarms(audit(replace(clean, stage=replace(clean.stage, seats=())))) == {"collisions.obstacle_frames"}
    assert alarms(audit(replace(clean, stage=replace(clean.stage, doors=())))) == {"collisions.obstacle_frames"}


# One fault each


def test_a_labelled_foot_that_slides(library: Library, body: Body) -> None:
    scene = Scene(library, body)
    scene.stands("ann", warp=sliding(0.01, 2.0))
    measured = audit(unplanted(scene.writer.close()))
    slide = measured.figures["foot_slide"]
    assert slide["mean_m_s"] == pytest.approx(0.01, rel=0.1)
    assert slide["p95_m_s"] == pytest.approx(0.01, rel=0.1)
    assert slide["max_m_s"] == pytest.approx(0.01, rel=0.1)
    assert slide["max_drift_m"] == pytest.approx(0.02, rel=0.1)
    assert alarms(measured) == {
        "foot_slide.max_m_s",
        "foot_slide.max_drift_m",
        "foot_slide.unlabelled_mean_m_s",
    }
    worst = next(case for case in measured.worst if case.figure == "foot_slide.max_m_s")
    assert worst.character == "ann"
    assert "cm/s" in worst.text


def test_a_foot_that_slides_without_any_label(library: Library, body: Body) -> None:
    idle = library["idle_neutral"]
    silent = replace(idle, contacts=np.zeros_like(idle.contacts), contact_heights=np.zeros_like(idle.contact_heights))
    scene = Scene(library, body)
    scene.stands("ann", silent, warp=sliding(0.01, 2.0))
    measured = audit(scene.writer.close())
    slide = measured.figures["foot_slide"]
    assert slide["planted_share"] == 0.0
    assert slide["unlabelled_planted_share"] == 1.0
    assert slide["unlabelled_mean_m_s"] == pytest.approx(0.01, rel=0.1)
    assert slide["unlabelled_p95_m_s"] == pytest.approx(0.01, rel=0.1)
    assert alarms(measured) == {"foot_slide.unlabelled_mean_m_s"}


def test_a_statue_that_skates(library: Library, body: Body) -> None:
    idle = library["idle_neutral"]
    silent = replace(idle, contacts=np.zeros_like(idle.contacts), contact_heights=np.zeros_like(idle.contact_heights))
    scene = Scene(library, body)
    scene.stands("ann", silent, warp=sliding(1.0, 2.0))
    measured = audit(scene.writer.close())
    assert measured["foot_slide.max_skating_s"] == pytest.approx(2.0, rel=0.02)
    assert alarms(measured) == {"foot_slide.max_skating_s"}
    (worst,) = (case for case in measured.worst if case.figure == "foot_slide.max_skating_s")
    assert "skates for 2.00 s" in worst.text


@pytest.mark.parametrize(
    "name", ["walk_0.70", "walk_1.90", "jog", "side_left_long", "back_left", "sharp_left_180_1.25_inner"]
)
def test_people_who_step_do_not_skate(library: Library, body: Body, name: str) -> None:
    scene = Scene(library, body)
    scene.walks("ann", name)
    measured = audit(scene.writer.close())
    assert measured["foot_slide.max_skating_s"] == 0.0
    assert measured.source["foot_slide"]["max_skating_s"] == 0.0
    assert alarms(measured) == set()


def test_a_slide_in_many_short_contacts(library: Library, body: Body) -> None:
    """A foot that slides at 0.6 m/s, with labels cut into contacts of 31 ms in which it stands still."""
    scene = Scene(library, body)
    scene.stands("ann", warp=sliding(0.6, 2.0))
    take = scene.writer.close()
    first = [take.stances.rows(np.flatnonzero(take.stances.foot == foot)[:1]) for foot in (0, 1)]
    pieces = []
    for stance in first:
        for k in range(60):
            span, moved = [[0.0, 1 / 30 - 0.002]], np.array([(k - 30) * 0.02, 0.0, 0.0])
            pieces.append(
                stance.with_columns(
                    start=[k / 30],
                    stop=[(k + 1) / 30 - 0.002],
                    heel=span,
                    ball=span,
                    heel_place=stance.heel_place + moved,
                    ball_place=stance.ball_place + moved,
                )
            )
    measured = audit(replace(take, stances=Stances.joined(pieces)), source=False)
    assert measured["foot_slide.mean_m_s"] == pytest.approx(0.6, rel=0.1)
    assert measured["foot_slide.max_drift_m"] > 1.0


def test_plants_that_move_within_one_stance(library: Library, body: Body) -> None:
    """A stance is cut in two, and the second half put 5 mm further: the labels see no lift, so the foot slid."""
    scene = Scene(library, body)
    scene.stands("ann")
    take = scene.writer.close()
    early = take.stances.with_columns(
        stop=np.full(len(take.stances), 1.0),
        heel=np.tile([0.0, 1.0], (len(take.stances), 1)),
        ball=np.tile([0.0, 1.0], (len(take.stances), 1)),
    )
    moved = np.array([0.005, 0.0, 0.0])
    late = early.with_columns(
        start=early.stop,
        stop=take.stances.stop,
        heel_place=early.heel_place + moved,
        ball_place=early.ball_place + moved,
    )
    measured = audit(replace(take, stances=Stances.joined([early, late])))
    assert measured.figures["foot_slide"]["max_drift_m"] == pytest.approx(0.005, rel=0.1)
    assert measured.figures["foot_slide"]["max_m_s"] == pytest.approx(0.3, rel=0.1)


def test_two_people_whose_limbs_overlap_by_two_centimetres(library: Library, body: Body) -> None:
    clip = library["idle_neutral"]
    starts, ends = (part[0] for part in world_capsules(body, *clip.world))
    aside = np.array([0.0, 1.0, 0.0])

    def gap(distance: float) -> float:
        mine = Capsules(starts[:, None], ends[:, None], body.capsule_radii[:, None])
        theirs = Capsules(starts[None] + distance * aside, ends[None] + distance * aside, body.capsule_radii[None])
        return float(gaps_numpy(mine, theirs).min())

    low, high = 0.1, 1.5
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if gap(middle) < -0.02 else (low, middle)
    for distance, expected in ((high, 0.02), (high + 0.02 + 1e-4, 0.0)):
        scene = Scene(library, body)
        scene.stands("ann", place=(0, 0, 0), clip=clip)
        scene.stands("bob", place=(0, distance, 0), clip=replace(clip, name="another idle"))
        measured = audit(scene.writer.close())
        found = measured.figures["bodies"]
        assert found["max_penetration_m"] == pytest.approx(expected, rel=0.1)
        assert found["pair_frames"] == (121 if expected else 0)
        assert alarms(measured) == ({"bodies.pair_frames"} if expected else set())
        if expected:
            worst = next(case for case in measured.worst if case.figure == "bodies.max_penetration_m")
            assert (worst.character, worst.other) == ("ann", "bob")
            assert "2.0 cm inside the right" in worst.text


def test_a_mark_missed_by_two_millimetres(clean: Take) -> None:
    marks = clean.marks.with_columns(position=clean.marks.position + np.array([0.002, 0.0]))
    measured = audit(replace(clean, marks=marks))
    assert measured.figures["marks"]["max_position_error_m"] == pytest.approx(0.002, rel=0.1)
    assert alarms(measured) == {"marks.unmet", "marks.max_position_error_m"}
    assert measured.figures["marks"]["unmet"] == [{"character": "ann", "mark": "end", "reason": "position off by 2 mm"}]


def test_a_mark_faced_wrongly(clean: Take) -> None:
    marks = clean.marks.with_columns(facing=clean.marks.facing + np.radians(1.5))
    measured = audit(replace(clean, marks=marks))
    assert measured.figures["marks"]["max_facing_error_deg"] == pytest.approx(1.5, rel=0.1)
    assert alarms(measured) == {"marks.unmet", "marks.max_facing_error_deg"}


def test_a_mark_met_too_late(clean: Take) -> None:
    marks = clean.marks.with_columns(window=clean.marks.window - np.array([0.0, 0.05]))
    measured = audit(replace(clean, marks=marks))
    assert measured.figures["marks"]["max_time_error_s"] == pytest.approx(0.05, rel=0.1)
    assert alarms(measured) == {"marks.unmet", "marks.max_time_error_s"}


def test_a_mark_in_the_wrong_pose(clean: Take) -> None:
    asks = [clean.marks.asks[0] | POSE, MEANT | POSE | WINDOW]
    measured = audit(replace(clean, mark_poses=("seated", "seated"), marks=clean.marks.with_columns(asks=asks)))
    reasons = measured.figures["marks"]["unmet"]
    assert [case["mark"] for case in reasons] == ["end"]
    assert "seated" in reasons[0]["reason"]
    assert measured.figures["marks"]["max_pose_error_deg"] > 45, "who stands is far from every seated frame"


def test_marks_that_nobody_meets(clean: Take) -> None:
    asks = np.array(clean.marks.asks)
    asks[0] -= MEANT
    never = audit(replace(clean, marks=clean.marks.with_columns(asks=asks)))
    assert never.figures["marks"]["unmet"][0]["reason"] == "it is not meant to be met"
    gone = audit(replace(clean, marks=clean.marks.with_columns(met=[9.0, 3.0], window=[[9, 9], [2, 3]])))
    assert "absent" in gone.figures["marks"]["unmet"][0]["reason"]


def test_a_mark_that_is_met_after_the_take_is_over(clean: Take) -> None:
    """It counts, somebody is absent, and what could not be measured breaks any limit; unless one asks for less time."""
    late = replace(clean, marks=clean.marks.with_columns(met=[100.0, 3.0], window=[[99, 101], [2, 3]]))
    measured = audit(late, source=False)
    assert measured["marks.count"] == 2
    assert [case["reason"] for case in measured["marks.unmet"]] == ["the character is absent at that time"]
    assert measured["marks.max_position_error_m"] is None
    assert measured.broken({"marks.max_position_error_m": 1e9}), "could not be measured"
    assert {"marks.unmet", "marks.max_position_error_m", "marks.max_facing_error_deg"} <= alarms(measured)
    assert audit(late, source=False, stop=clean.stop)["marks.count"] == 1


@pytest.mark.parametrize("hold", [20.0, 1e12])
def test_a_hold_that_outlasts_the_take(clean: Take, hold: float) -> None:
    measured = audit(replace(clean, marks=clean.marks.with_columns(hold=[0.0, hold])), source=False)
    (case,) = measured["marks.unmet"]
    assert case["mark"] == "seat"
    assert case["reason"] == "the character leaves during its hold"


def elbow(scene: Scene, who: int, degrees: float) -> tuple[str, Array, Array]:
    """Return the left elbow's name, how it is turned, and that bent by so much more."""
    joint = scene.library.skeleton.role("left_elbow")
    rest = scene.writer.take.pose(0.0).local_rotations[who, joint]
    bent = quat.multiply(rest, quat.about(np.array([0.0, 0.0, 1.0]), np.radians(degrees)))
    return scene.library.skeleton.names[joint], rest, bent


@pytest.mark.parametrize("fps", [20.0, 24.0, 60.0, 100.0])
def test_what_depends_on_the_rate_does_not_depend_on_that_of_the_audit(clean: Take, fps: float) -> None:
    measured, usual = audit(clean, fps=fps), audit(clean)
    assert alarms(measured) == set()
    if 60 % fps == 0:
        for figure in ("max_pop_deg", "max_joint_speed_deg_s", "max_root_acceleration_m_s2"):
            assert measured[f"smoothness.{figure}"] == pytest.approx(usual[f"smoothness.{figure}"], rel=1e-6)
    assert measured.thresholds["smoothness"]["measured_at_hz"] >= 60
    times, values = measured.timelines["fastest_joint_deg_s"]
    assert len(times) == len(values)
    assert np.nanmax(values) == measured["smoothness.max_joint_speed_deg_s"]


@pytest.mark.parametrize("degrees", np.random.default_rng(31).uniform(10.0, 30.0, 2).round(2).tolist())
@pytest.mark.parametrize("frame", [60, 61, 62])
def test_a_pop_of_a_single_frame_whatever_the_rate(library: Library, body: Body, frame: int, degrees: float) -> None:
    """Also where it lies between two looks of an audit at 20 Hz."""
    scene = Scene(library, body)
    ann = scene.walks("ann", "walk_1.10")
    pops = np.tile(quat.IDENTITY, (3, 1))
    pops[1] = quat.about(np.array([1.0, 0.0, 0.0]), np.radians(degrees))
    scene.writer.override(
        ann, {"LeftForeArm": pops}, start=(frame - 1) / 60, rate=60.0, fade_in=0, fade_out=0, added=True
    )
    take = scene.writer.close()
    for fps in (20.0, 60.0):
        measured = audit(take, fps=fps)
        assert measured["smoothness.max_pop_deg"] == pytest.approx(degrees, rel=0.1)
        assert "smoothness.max_pop_deg" in alarms(measured)


@pytest.mark.parametrize("fps", [20.0, 60.0])
@pytest.mark.parametrize("jump", np.random.default_rng(32).uniform(0.1, 0.5, 2).round(3).tolist())
def test_somebody_who_jumps_whatever_the_rate(library: Library, body: Body, jump: float, fps: float) -> None:
    scene = Scene(library, body)
    ann = scene.writer.add_character("ann", body=scene.body)
    clip = library["walk_1.10"]
    stop = scene.writer.perform(ann, clip, start=0.0, stop=2.0)
    scene.writer.perform(ann, clip, start=stop, clip_start=2.0, place=(jump, 0.0, 0.0))
    measured = audit(unplanted(scene.writer.close()), fps=fps)
    assert measured["smoothness.max_root_jump_m"] == pytest.approx(jump, rel=0.1)
    assert "smoothness.max_root_jump_m" in alarms(measured)


def test_a_pop_of_a_single_frame(library: Library, body: Body) -> None:
    scene = Scene(library, body)
    ann = scene.stands("ann")
    name, rest, bent = elbow(scene, ann, 12.0)
    scene.writer.override(
        ann, {name: np.stack([rest, bent, rest])}, start=59 / 60, rate=60.0, fade_in=0.0, fade_out=0.0
    )
    measured = audit(scene.writer.close())
    assert measured.figures["smoothness"]["max_pop_deg"] == pytest.approx(12.0, rel=0.1)
    assert alarms(measured) == {"smoothness.max_pop_deg"}
    worst = next(case for case in measured.worst if case.figure == "smoothness.max_pop_deg")
    assert (worst.other, worst.time) == (name, pytest.approx(1.0))


def test_a_pop_on_an_odd_frame_of_a_fast_take(library: Library, body: Body) -> None:
    """A take of 120 frames per second is looked at as often; jerk and acceleration are still those of 60 Hz."""
    takes = []
    for start in (119 / 120, 120 / 120):  # the popped frame is the one after
        scene = Scene(library, body)
        scene.writer = TakeWriter(fps=120.0)
        scene.body = scene.writer.add_body(body)
        ann = scene.stands("ann")
        name, rest, bent = elbow(scene, ann, 12.0)
        track = {name: np.stack([rest, bent, rest])}
        scene.writer.override(ann, track, start=start, rate=120.0, fade_in=0.0, fade_out=0.0)
        takes.append(scene.writer.close())
    for take in takes:
        measured = audit(take, source=False)
        assert measured["fps"] == 120.0
        assert measured["smoothness.max_pop_deg"] == pytest.approx(12.0, rel=0.1)
    assert measured.thresholds["smoothness"]["jerk_and_acceleration_at_hz"] == 60.0


def test_a_joint_that_snaps_and_stays(library: Library, body: Body) -> None:
    scene = Scene(library, body)
    ann = scene.stands("ann")
    name, _, bent = elbow(scene, ann, 15.0)
    scene.writer.override(ann, {name: np.tile(bent, (61, 1))}, start=1.0, rate=60.0, fade_in=0.0, fade_out=0.0)
    measured = audit(scene.writer.close())
    assert measured["smoothness.max_pop_deg"] == pytest.approx(15.0, rel=0.01)
    assert alarms(measured) == {"smoothness.max_pop_deg"}


def test_somebody_who_leaps_behind_a_blink_or_as_a_disc(library: Library, body: Body) -> None:
    clip = library["idle_neutral"]
    for blink in (True, False):
        scene = Scene(library, body)
        who = scene.writer.add_character("ann", body=scene.body)
        scene.writer.perform(who, clip, start=0.0, stop=1.0, rate=0.0)
        if not blink:
            scene.writer.glide(who, np.tile([0.0, 0.0, 0.0], (6, 1)), start=1.0, rate=10.0)
        start = 1.05 if blink else 1.5
        scene.writer.perform(who, clip, start=start, stop=start + 1.0, rate=0.0, place=(30.0, 0.0, 0.0))
        measured = audit(scene.writer.close())
        assert measured["smoothness.max_root_jump_m"] == pytest.approx(30.0, rel=0.01)
        assert alarms(measured) == {"smoothness.max_root_jump_m"}
        worst = next(case for case in measured.worst if case.figure == "smoothness.max_root_jump_m")
        assert worst.time == pytest.approx(start, abs=0.02)


def test_a_disc_that_is_faster_than_anybody_runs(body: Body) -> None:
    assert alarms(audit(gliding(body, [(0, 0), (400, 0)]))) == {"smoothness.max_root_jump_m"}


def test_a_character_that_freezes_after_its_clip(library: Library, body: Body) -> None:
    scene = Scene(library, body)
    who = scene.writer.add_character("ann", body=scene.body)
    clip = library["walk_1.10"]
    scene.writer.perform(who, clip, start=0.0)
    take = scene.writer.close()
    longer = take.segments.with_columns(stop=take.segments.stop + 3.0)
    measured = audit(replace(take, segments=longer))
    assert measured["adjustment.held_past_end_s"] == pytest.approx(3.0, rel=0.02)
    assert "adjustment.held_past_end_s" in alarms(measured)


@pytest.mark.parametrize(("late", "expected"), [(0.1, 1), (0.5, 0)])
def test_two_neighbours_in_step(library: Library, body: Body, late: float, expected: int) -> None:
    scene = Scene(library, body)
    clip = library["walk_1.10"]
    scene.walks("ann", clip, place=(0, 0, 0))
    scene.walks("bob", clip, start=late, place=(0, 1.5, 0))
    scene.walks("far", clip, place=(0, 6.0, 0))
    measured = audit(scene.writer.close())
    assert measured.figures["variety"]["identical_neighbours"] == expected
    assert alarms(measured) == ({"variety.identical_neighbours"} if expected else set())


@pytest.mark.parametrize("gap", [0.0, 0.03])
def test_a_box_off_the_hand(library: Library, body: Body, gap: float) -> None:
    scene = Scene(library, body)
    ann = scene.walks("ann", "walk_1.10", place=(0, 0, 0))
    hand = library.skeleton.role("right_wrist")
    tip = [k for k, joint in enumerate(body.capsule_joints) if joint == hand][-1]
    along = body.capsule_ends[tip] - body.capsule_starts[tip]
    along /= np.linalg.norm(along)
    turned = quat.between(np.array([0.0, 0.0, 1.0]), along)
    centre = body.capsule_ends[tip] + (body.capsule_radii[tip, 1] + 0.1 + gap) * along
    box = scene.writer.add_prop(Prop(name="box", size=(0.05, 0.05, 0.2)))
    pose = np.concatenate([centre, turned])
    scene.writer.attach(box, ann, library.skeleton.names[hand], pose=pose, start=0.0, stop=8.0)
    measured = audit(scene.writer.close())
    assert measured.figures["props"]["max_gap_m"] == pytest.approx(gap, rel=0.1, abs=1e-6)
    assert alarms(measured) == ({"props.max_gap_m"} if gap else set())


def test_a_box_that_jumps_from_hand_to_hand(clean: Take) -> None:
    rows = clean.attachments
    moved = np.where((rows.prop == 0) & (rows.character < 0) & (rows.start > 1.0), 0.05, 0.0)
    pose = np.array(rows.pose)
    pose[:, :, 0] += moved[:, None]
    measured = audit(replace(clean, attachments=rows.with_columns(pose=pose)))
    assert measured.figures["props"]["max_jump_m"] == pytest.approx(0.05, rel=0.1)
    assert alarms(measured) == {"props.max_jump_m"}


def test_a_box_that_hangs_in_the_air(clean: Take) -> None:
    """Without its tables the box of the clean take has nothing under it; nor has one that was let go of."""
    box = clean.attachments.rows(np.flatnonzero(clean.attachments.prop == 0))
    measured = audit(replace(clean, attachments=box))
    assert measured["props.max_unsupported_m"] == pytest.approx(0.75, rel=0.01)
    assert alarms(measured) == {"props.max_unsupported_m"}
    held = box.rows(np.flatnonzero(box.character >= 0))
    left = audit(replace(clean, attachments=held.with_columns(stop=np.full(len(held), 5.0))))
    assert left["props.max_unsupported_m"] > 0.5
    worst = next(case for case in left.worst if case.figure == "props.max_unsupported_m")
    assert worst.time >= 5.0
    assert "'box' hangs in the air" in worst.text


def test_a_box_on_another_box_does_not_hang(body: Body) -> None:
    for high, expected in ((0.45, 0.0), (0.5, 0.05)):
        writer = TakeWriter()
        who = writer.add_character("ann", body=writer.add_body(body))
        writer.glide(who, np.linspace((5.0, 0.0, 0.0), (9.0, 0.0, 0.0), 81), start=0.0, rate=20.0)
        for name, z in (("lower", 0.15), ("upper", high)):
            writer.rest(writer.add_prop(Prop(name=name)), (0, 0, z, 1, 0, 0, 0), start=0.0, stop=4.0)
        assert audit(writer.close())["props.max_unsupported_m"] == pytest.approx(expected, abs=1e-9)


def gliding(body: Body, *paths: list[tuple[float, float]], stage: Stage | None = None) -> Take:
    """Discs that glide evenly from the first to the last point in 4 s."""
    writer = TakeWriter(stage=stage)
    row = writer.add_body(body)
    for number, path in enumerate(paths):
        who = writer.add_character(f"disc {number}", body=row)
        ends = np.array(path, float)
        way = ends[0] + np.linspace(0, 1, 81)[:, None] * (ends[-1] - ends[0])
        heading = np.arctan2(*(ends[-1] - ends[0])[::-1])
        writer.glide(who, np.column_stack([way, np.full(81, heading)]), start=0.0, rate=20.0)
    return writer.close()


def test_footprints_that_overlap(body: Body) -> None:
    apart = 2 * footprint_radius(body) - 0.03
    measured = audit(gliding(body, [(0, 0), (4, 0)], [(0, apart), (4, apart)]))
    assert measured.figures["collisions"]["max_penetration_m"] == pytest.approx(0.03, rel=0.1)
    assert measured.figures["collisions"]["pair_frames"] == 241
    assert alarms(measured) == {"collisions.pair_frames"}


def test_people_who_stand_close_do_not_collide(body: Body) -> None:
    apart = 2 * footprint_radius(body) - 0.03
    measured = audit(gliding(body, [(0, 0), (0.4, 0)], [(0, apart), (0.4, apart)]))
    assert alarms(measured) == set(), "0.1 m/s is no walk"


def test_an_obstacle_that_is_walked_into(body: Body) -> None:
    radius = footprint_radius(body)
    wall = Obstacle(polygon=[(1, 1), (3, 1), (3, 2), (1, 2)], height=2.0, name="wall")
    y = 1 - radius + 0.04
    measured = audit(gliding(body, [(0, y), (4, y)], stage=Stage(obstacles=(wall,))))
    assert measured.figures["collisions"]["max_obstacle_penetration_m"] == pytest.approx(0.04, rel=0.1)
    assert alarms(measured) == {"collisions.obstacle_frames"}
    assert "wall" in measured.worst[-1].text


def test_a_chair_that_is_walked_through(library: Library, body: Body) -> None:
    """Whoever only walks past a seat is not excused; whoever sits down on it is, see the clean take."""
    seat = Seat(place=(2.0, 0.0, 0.0), name="seat")
    box = [(1.8, -0.25), (2.2, -0.25), (2.2, 0.25), (1.8, 0.25)]
    # The first is walked over, so that the second has another number among those that count.
    carpet, chair = Obstacle(polygon=box, height=0.02), Obstacle(polygon=box, height=0.45)
    stage = Stage(obstacles=(carpet, chair), seats=(seat,))
    measured = audit(gliding(body, [(0, 0), (4, 0)], stage=stage))
    assert alarms(measured) == {"collisions.obstacle_frames"}
    assert measured["collisions.max_obstacle_penetration_m"] == pytest.approx(footprint_radius(body) + 0.2, rel=0.05)
    assert any("obstacle 1" in case.text for case in measured.worst)
    scene = Scene(library, body, stage)
    scene.walks("ann", "walk_1.10")
    assert alarms(audit(scene.writer.close())) == {
        "collisions.obstacle_frames",
        "solids.limb_frames",
        "solids.max_limb_penetration_m",
    }


def test_the_edge_of_the_stage_that_is_crossed(body: Body) -> None:
    radius = footprint_radius(body)
    bounds = [(-1, -1), (5, -1), (5, 1), (-1, 1)]
    y = 1 - radius + 0.05
    measured = audit(gliding(body, [(0, y), (4, y)], stage=Stage(bounds=bounds)))
    assert measured.figures["collisions"]["max_obstacle_penetration_m"] == pytest.approx(0.05, rel=0.1)
    door = Stage(bounds=bounds, doors=(Door(ends=[(-1, 1), (5, 1)]),))
    assert alarms(audit(gliding(body, [(0, y), (4, y)], stage=door))) == set()


def test_feet_below_the_floor(library: Library, body: Body) -> None:
    scene = Scene(library, body)
    scene.walks("ann", "walk_1.10", place=(0, 0, 0, -0.01))
    measured = audit(scene.writer.close())
    assert measured.figures["floor"]["max_penetration_m"] == pytest.approx(0.01, rel=0.1)
    assert alarms(measured) == {
        "floor.max_penetration_m",
        "terrain.max_height_error_m",
        "terrain.max_swing_depth_m",
    }


def test_somebody_who_stands_on_nothing(library: Library, body: Body) -> None:
    """A clip that says it stands 40 cm high is believed where the stage has something of that height."""
    idle = library["idle_neutral"]
    raised = replace(
        idle,
        contact_heights=np.where(idle.contacts, 0.4, 0.0),
        root_positions=idle.root_positions + np.array([0.0, 0.0, 0.4]),
    )
    ring = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    for stage, expected in ((None, 0.4), (Stage(obstacles=(Obstacle(polygon=ring, height=0.42),)), 0.0)):
        scene = Scene(library, body, stage)
        scene.stands("ann", raised)
        measured = audit(scene.writer.close())
        assert measured["floor.max_float_m"] == pytest.approx(expected, abs=1e-4)
        assert ("floor.max_float_m" in alarms(measured)) == bool(expected)
        assert measured.source["floor"]["max_float_m"] < 0.01, "of a raw clip the label is all there is"
    scene = Scene(library, body)
    scene.stands("ann", raised)
    crate = scene.writer.add_prop(Prop(name="crate", size=(1.0, 1.0, 0.4)))
    scene.writer.rest(crate, (0, 0, 0.2, 1, 0, 0, 0), start=0.0, stop=2.0)
    assert alarms(audit(scene.writer.close())) == set()


def test_a_leg_that_cannot_reach(library: Library, body: Body) -> None:
    scene = Scene(library, body)
    ann = scene.stands("ann")
    take = scene.writer.close()
    skeleton = library.skeleton
    places = take.pose(1.0).positions[ann]
    hip, ankle = (places[skeleton.role(f"left_{part}")] for part in ("hip", "ankle"))
    aside = np.array([0.0, 0.6, 0.0])
    left = (take.stances.foot == 0)[:, None]
    stances = take.stances.with_columns(
        heel_place=np.where(left, take.stances.heel_place + aside, take.stances.heel_place),
        ball_place=np.where(left, take.stances.ball_place + aside, take.stances.ball_place),
    )
    short = float(np.linalg.norm(ankle + aside - hip)) - leg_length(skeleton)
    measured = audit(replace(take, stances=stances))
    assert short > 0.05
    assert measured.figures["legs"]["max_missed_m"] == pytest.approx(short, rel=0.1)
    assert measured.figures["legs"]["max_off_plant_m"] == pytest.approx(short, rel=0.1)
    assert {"legs.max_missed_m", "legs.max_off_plant_m"} <= alarms(measured)


def test_somebody_who_gets_nowhere(library: Library, body: Body) -> None:
    scene = Scene(library, body)
    ann = scene.stands("ann", seconds=12.0)
    scene.writer.add_mark(ann, Mark(name="exit", position=(5.0, 0.0)))
    measured = audit(scene.writer.close())
    (case,) = measured.figures["stuck"]
    assert case["character"] == "ann"
    assert case["seconds"] == pytest.approx(12.0, rel=0.1)
    assert alarms(measured) == {"stuck", "marks.unmet", "posture.max_still_s"}


@pytest.mark.parametrize(("opens", "stuck"), [(20.0, False), (4.0, True)])
def test_who_waits_for_the_window_of_its_mark_is_not_stuck(
    library: Library, body: Body, opens: float, stuck: bool
) -> None:
    """In the middle of a leg, with no reason told but that it is on the way."""
    scene, clip = Scene(library, body), library["walk_1.10"]
    ann = scene.writer.add_character("ann", body=scene.body)
    x, y, _ = (float(value) for value in clip.planar_poses[-1])
    mark = Mark(name="end", position=(x, y), window=(opens, 30.0))
    row = scene.writer.add_mark(ann, mark, met=15.0 + clip.duration)
    for start in (0.0, 7.5):
        scene.writer.perform(ann, library["idle_neutral"], start=start, stop=start + 7.5, rate=0.5, mark=row)
    scene.writer.perform(ann, clip, start=15.0, mark=row)
    found = audit(scene.writer.close(), source=False).figures["stuck"]
    # The clip stands for a moment before it walks: the first quarter of a metre takes it 1.6 s.
    assert [case["seconds"] for case in found] == pytest.approx([16.6 - opens] if stuck else [], rel=0.1)


def test_a_root_that_is_dragged(library: Library, body: Body) -> None:
    """A linear warp of 8 cm/s and 3 degrees/s under planted feet: the feet hold, the adjustment shows."""
    seconds = 4.0
    turn = np.radians(3.0)
    warp = Warps.filled(
        1,
        offsets=[[[0, 0, 0], [0.08 * seconds, 0, turn * seconds]]],
        slopes=[[[0.08, 0, turn], [0.08, 0, turn]]],
    )
    scene = Scene(library, body)
    who = scene.writer.add_character("ann", body=scene.body)
    scene.writer.perform(who, library["walk_1.10"], start=0.0, stop=seconds, warp=warp)
    measured = audit(scene.writer.close())
    assert measured.figures["adjustment"]["max_m_s"] == pytest.approx(0.08, rel=0.1)
    assert measured.figures["adjustment"]["max_deg_s"] == pytest.approx(3.0, rel=0.1)
    assert measured.figures["foot_slide"]["max_m_s"] < 1e-6


def test_a_clip_played_too_fast(library: Library, body: Body) -> None:
    scene = Scene(library, body)
    who = scene.writer.add_character("ann", body=scene.body, scale=0.9)
    scene.writer.perform(who, library["walk_1.10"], start=0.0, rate=(1.0 / 0.9**0.5, 1.3 / 0.9**0.5))
    measured = audit(scene.writer.close())
    assert measured.figures["adjustment"]["max_time_ratio"] == pytest.approx(1.3, rel=0.01)


# Who is not there, and palms that are turned


@pytest.mark.parametrize("seconds", np.random.default_rng(33).uniform(0.5, 2.5, 3).round(2).tolist())
def test_a_box_carried_by_who_has_left(library: Library, body: Body, seconds: float) -> None:
    scene = Scene(library, body)
    ann = scene.writer.add_character("ann", body=scene.body)
    scene.writer.perform(ann, library["walk_1.10"], start=0.0, stop=4.0 - seconds)
    scene.stands("bob", seconds=4.0, place=(0.0, 5.0, 0.0))
    box = scene.writer.add_prop(Prop(name="box", size=(0.1, 0.1, 0.1)))
    scene.writer.attach(box, ann, "LeftHand", pose=(0, 0, -0.1, 1, 0, 0, 0), start=0.0, stop=4.0)
    measured = audit(scene.writer.close())
    assert measured["props.absent_holder_frames"] == pytest.approx(60 * seconds, rel=0.1)
    assert "props.absent_holder_frames" in alarms(measured)


@pytest.mark.parametrize("degrees", np.random.default_rng(34).uniform(2.0, 40.0, 3).round(1).tolist())
def test_a_palm_turned_off_its_grip(
    library: Library, body: Body, degrees: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Posing holds palms on grips exactly; here the audit's palm is another one, turned about the one of posing."""
    scene = Scene(library, body)
    ann = scene.stands("ann")
    palm = scene.writer.take.pose(1.0).positions[0, library.skeleton.role("left_wrist")]
    held = np.array([palm[0] + 0.05, palm[1], palm[2] + 0.05, 1.0, 0.0, 0.0, 0.0])
    scene.writer.grip(ann, "left", pose=held, start=0.5, stop=1.5)
    take = scene.writer.close()
    fine = audit(take)
    assert fine["hands.max_gap_deg"] < 0.1

    def turned(skeleton: Skeleton, side: str) -> Palm:
        own = palm_frame(skeleton, side)
        return own._replace(rotation=quat.multiply(own.rotation, quat.turn(np.radians(degrees))))

    monkeypatch.setattr("walkon.take.auditing.meetings.hands.palm_frame", turned)
    measured = audit(take)
    assert measured["hands.max_gap_deg"] == pytest.approx(degrees, rel=0.1)
    assert measured["hands.max_gap_m"] == fine["hands.max_gap_m"]
    assert "hands.max_gap_deg" in alarms(measured)
