"""Takes of people on floors that are not level: straight walks over slopes, crowds over hills."""

from dataclasses import replace

import numpy as np
from benchmarks.takes import crowd

import walkon
from floors import hills
from walkon.motion.body import Body
from walkon.motion.clip import Clip
from walkon.motion.kinematics import planar_poses
from walkon.stage import Floor, Stage, TerrainFloor
from walkon.take import Take, TakeWriter
from walkon.take.planting.planting import plant_feet

__all__ = ["hill_walkers", "straight_walk"]


def hill_walkers(seed: int, *, count: int = 12, seconds: float = 6.0, steepest: float = 0.17) -> Take:
    """Return people of several sizes who walk in warped segments over hills, feet planted."""
    rng = np.random.default_rng(seed)
    floor = TerrainFloor(hills(seed=seed, half=90.0, step=1.0, steepest=steepest))
    take = replace(crowd(count, seconds=seconds, seed=seed), stage=Stage(floor=floor))
    scale = rng.uniform(0.9, 1.1, count)
    return plant_feet(replace(take, characters=take.characters.with_columns(scale=scale, stride=scale)))


def straight_walk(clip: Clip | str, floor: Floor, *, heading: float = 0.0, scale: float = 1.0) -> Take:
    """Return one person who plays a clip from the origin on, travelling in a direction (rad)."""
    if isinstance(clip, str):
        clip = walkon.builtin_library()[clip]
    way = planar_poses(clip.skeleton, clip.world)
    travel = way[-1, :2] - way[0, :2]
    turn = heading - np.arctan2(travel[1], travel[0])
    c, s = np.cos(turn), np.sin(turn)
    x, y = -scale * (c * way[0, 0] - s * way[0, 1]), -scale * (s * way[0, 0] + c * way[0, 1])
    with TakeWriter(stage=Stage(floor=floor)) as writer:
        body = writer.add_body(Body.of(clip.skeleton))
        who = writer.add_character("walker", body=body, scale=scale)
        writer.perform(who, clip, start=0.0, place=(x, y, turn))
    return writer.take
