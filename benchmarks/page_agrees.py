"""The page poses as Python does: the largest difference over random moments of random takes, kind by kind.

    python -m benchmarks.page_agrees [SEED]

Every take is made anew from the seed, saved, posed by the page's own modules under Node, and by Python. Asked for are:
1 mm and 0.1 degrees on a flat crowd, people 3 m up, on slopes along and across their way and on hills, things handed
over, a flock of birds, moving obstacles, and takes 1 km and 10 km from the origin. Frames of the page are float32, in
steps of a millimetre at 10 km.
"""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.grips import carrying
from benchmarks.takes import crowd
from walkon.geometry.tracks import Track
from walkon.motion.body import Body
from walkon.motion.clip import Clip
from walkon.motion.skeleton import Skeleton
from walkon.stage import Door, Obstacle, Prop, Stage, TerrainFloor
from walkon.take.planting.planting import plant_feet
from walkon.take.posing.props import prop_poses
from walkon.take.storing.file import save_take
from walkon.take.storing.writer import TakeWriter
from walkon.take.tables import Heights
from walkon.take.take import Take
from walkon.transforms import planar, rigid
from walkon.transforms import quaternions as quat

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from floors import slope
from page_posing import Frames, build_modules, pose_on_page, why_no_node
from terrain_takes import hill_walkers, straight_walk

MOMENT_COUNT = 60
PEOPLE = 40
SLOPES = [(degrees, way) for way in ("along", "across") for degrees in (-10, -5, 5, 10)]
UPRIGHT = np.array([4.0, 0.0, 0.0, 0.0])


def walkers(seed: int, *, height: float = 0.0, far: float = 0.0) -> Take:
    """Return people who walk in warped segments, feet planted, on a floor of some height, so far from the origin."""
    take = crowd(PEOPLE, seconds=8.0, seed=seed)
    s = take.segments
    take = replace(take, segments=s.with_columns(place=s.place + np.array([far, -0.6 * far, 0.0])))
    if height:
        knots = Heights.filled(PEOPLE, character=np.arange(PEOPLE), height=height)
        take = replace(take, heights=knots)
    planted = plant_feet(take)
    return replace(take, **{name: getattr(planted, name) for name in ("stances", "drops", "heights")})


def slope_walkers(degrees: float, way: str) -> Take:
    """Return one person who walks up or down a slope, or across it with the slope to one side."""
    return straight_walk("walk_1.35", TerrainFloor(slope(degrees)), heading=0.0 if way == "along" else 0.5 * np.pi)


def handovers(rng: np.random.Generator) -> Take:
    """Return pairs of people of whom one carries a thing, the other grips it, and has it from then on."""
    import walkon

    library = walkon.builtin_library()
    writer = TakeWriter()
    body = writer.add_body(Body.of(library.skeleton))
    for k in range(PEOPLE // 2):
        place, when = np.append(rng.uniform(-30, 30, 2), rng.uniform(-np.pi, np.pi)), rng.uniform(1.0, 3.0)
        opposite = planar.compose(place, np.array([rng.uniform(0.7, 1.0), rng.uniform(-0.1, 0.1), np.pi]))
        giver, taker = (
            writer.add_character(f"{name} {k}", body=body, scale=rng.uniform(0.9, 1.1)) for name in ("giver", "taker")
        )
        writer.perform(giver, library["idle_neutral"], start=0.0, stop=4.5, place=place)
        writer.perform(taker, library["idle_left_leg"], start=0.0, stop=4.5, place=opposite)
        thing = writer.add_prop(Prop(name=f"thing {k}", keep_level=bool(k % 2)))
        turn = quat.about(np.array([1.0, 0.0, 0.0]), rng.uniform(-2.0, -1.0))
        reach = rigid.compose(rigid.from_planar(place), np.concatenate([rng.uniform(0.3, 0.4, 1), [0.0, 1.1], turn]))
        writer.grip(giver, "right", pose=reach, start=0.5, stop=when + 0.2, shape="cylinder", swivel=(0.0, 0.3))
        hold = np.concatenate([rng.normal(0.0, 0.05, 3), quat.normalize(rng.normal(size=4))])
        writer.attach(thing, giver, "RightHand", pose=hold, start=0.0, stop=when)
        grip = np.concatenate([rng.normal(0.0, 0.05, 3), quat.normalize(rng.normal(size=4))])
        writer.grip(taker, "left", prop=thing, pose=grip, start=when - 0.4, stop=when, fade_out=0.0)
        writer.attach(thing, taker, "LeftHand", pose=hold, start=when, stop=4.5)
        writer.grip(giver, "left", other=taker, joint="RightForeArm", pose=grip, start=when - 0.3, stop=when + 0.5)
    return writer.close()


def flock(rng: np.random.Generator) -> Take:
    """Return birds that flap along curved flights, and a few that are only tracks."""
    skeleton = Skeleton(
        names=("body", "left", "left tip", "right", "right tip"),
        parents=[-1, 0, 1, 0, 3],
        offsets=[[0, 0, 0], [0, 0.03, 0], [0, 0.2, 0], [0, -0.03, 0], [0, -0.2, 0]],
        end_sites=[False, False, True, False, True],
    )
    T = 31
    flap = 0.9 * np.sin(np.linspace(0.0, 4 * np.pi, T))
    turns = np.tile(quat.IDENTITY, (T, 5, 1))
    turns[:, 1], turns[:, 3] = quat.about([1.0, 0.0, 0.0], flap), quat.about([1.0, 0.0, 0.0], -flap)
    clip = Clip(skeleton=skeleton, fps=30.0, root_positions=np.zeros((T, 3)), local_rotations=turns)
    writer = TakeWriter()
    body = writer.add_body(Body.of(skeleton))
    for k in range(PEOPLE):
        knots = np.cumsum(rng.uniform(0.4, 1.2, 8))
        places = np.cumsum(rng.normal(0.0, 2.0, (8, 3)), axis=0) + np.array([0.0, 0.0, 12.0])
        bank = quat.continuous(quat.normalize(np.cumsum(rng.normal(0, 0.3, (8, 4)), axis=0) + UPRIGHT))
        flight = Track(times=knots, places=places, rotations=bank, velocities=rng.normal(0, 2.0, (8, 3)))
        who = writer.add_character(f"bird {k}", body=body, scale=rng.uniform(0.5, 1.5))
        writer.follow(who, flight, clip=clip if k % 5 else None, place=rng.uniform(-3, 3, 3))
    return writer.close()


def moving_stage(rng: np.random.Generator, seed: int) -> Take:
    """Return people among obstacles and leaves of doors that move."""
    square = np.array([[-1.0, -0.5], [1.0, -0.5], [1.0, 0.5], [-1.0, 0.5]])
    times = np.linspace(0.0, 8.0, 9)

    def way() -> Track:
        places = np.cumsum(rng.normal(0.0, 2.0, (9, 2)), axis=0)
        headings = np.cumsum(rng.normal(0, 0.4, 9))
        return Track(times=times, places=places, headings=headings, velocities=rng.normal(size=(9, 2)))

    def opening() -> Track:
        return Track(times=times, places=np.zeros((9, 2)), headings=np.cumsum(rng.normal(0, 0.4, 9)))

    stage = Stage(
        obstacles=tuple(Obstacle(polygon=square, name=f"cart {k}", track=way()) for k in range(12)),
        doors=tuple(
            Door(ends=[[3.0 * k, 0.0], [3.0 * k + 1.2, 0.5]], name=f"gate {k}", hinge=k % 2, track=opening())
            for k in range(6)
        ),
    )
    return replace(walkers(seed), stage=stage)


def compare(take: Take, frames: Frames, times: np.ndarray) -> tuple[float, float]:
    """Return the largest difference in metres and in degrees of joints, props and moving corners."""
    poses, props = take.sample(times), prop_poses(take, times)
    there = poses.present
    assert np.array_equal(frames.present != 0, there)
    assert np.array_equal(frames.prop_present.astype(bool), props.present)
    far = [np.abs(frames.positions[there] - poses.positions[there])]
    far.append(np.abs(frames.prop_positions[props.present] - props.positions[props.present]))
    turned = [quat.angle_between(frames.rotations[there].astype(np.float64), poses.rotations[there])]
    things = frames.prop_rotations[props.present].astype(np.float64)
    turned.append(quat.angle_between(things, props.rotations[props.present]))
    moving = {thing.name: thing for thing in take.stage.moving}
    for told in frames.told["moving"]:
        placed = moving[told["name"]].placed(times)
        far.append(np.abs(np.array(told["corners"])[..., :2] - placed.polygons))
    return max(float(d.max(initial=0.0)) for d in far), np.degrees(max(float(a.max(initial=0.0)) for a in turned))


def main() -> None:
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 20261118
    if missing := why_no_node():
        print(f"left out: {missing}")
        return
    rng = np.random.default_rng(seed)
    few = seed % 1000
    takes = {
        "a flat crowd": walkers(few),
        "people 3 m up": walkers(few, height=3.0),
        "people on hills up to 10 degrees": hill_walkers(few, count=PEOPLE),
        **{f"people on {degrees:+} degrees {way}": slope_walkers(degrees, way) for degrees, way in SLOPES},
        "trays in walking hands": carrying(walkers(few)),
        "things handed over": handovers(rng),
        "a flock of birds": flock(rng),
        "obstacles and doors that move": moving_stage(rng, few),
        "1 km from the origin": walkers(few, far=1_000.0),
        "10 km from the origin": walkers(few, far=10_000.0),
    }
    print(f"{MOMENT_COUNT} random moments each, seed {seed}; asked are 1 mm and 0.1 degrees")
    print(f"{'take':32} {'characters':>10} {'props':>6} {'mm':>9} {'degrees':>9}")
    with tempfile.TemporaryDirectory() as folder:
        modules = build_modules(Path(folder))
        for name, take in takes.items():
            times = np.sort(rng.uniform(take.start, take.stop, MOMENT_COUNT))
            frames = pose_on_page(modules, save_take(take, Path(folder) / "some.take"), times)
            metres, degrees = compare(take, frames, times)
            print(f"{name:32} {len(take):10} {len(take.props):6} {1e3 * metres:9.5f} {degrees:9.6f}", flush=True)


if __name__ == "__main__":
    main()
