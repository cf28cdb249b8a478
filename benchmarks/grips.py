"""Hands that hold: how near palms are to their grips, and what posing them costs.

    python -m benchmarks.grips [SEED]

The walking crowd of `benchmarks.takes`. Every fifth person carries a tray: one palm is held before the chest, the tray
hangs on that wrist, and the other palm is on the tray, so that an arm hangs on an arm. Besides, palms at random places
around everybody's chest, in any turn, are held for the whole walk: how far off palms are where arms reach, and by how
much arms fall short where they do not. Asked for are: at most 0.5 mm and 0.5 degrees where a palm can be reached, and
for 1,000 people of whom 200 hold something 6 ms; without grips not more than before (2.7 ms).
"""

import sys
import time
from dataclasses import replace

import numpy as np

from benchmarks.measuring import calibrate
from benchmarks.takes import crowd
from walkon.stage import Prop
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.meetings.hands import _measure_gaps
from walkon.take.planting.planting import plant_feet
from walkon.take.posing.posing import pose_pairs
from walkon.take.posing.props import prop_poses
from walkon.take.tables import NONE, Attachments, Grips
from walkon.take.take import Take
from walkon.transforms import quaternions as quat
from walkon.transforms import rigid

SIZES = (100, 1_000, 10_000)
SECONDS = 25.0
MOMENT_COUNT = 40
REACH_M = 0.75
"""m around the chest in which palms are asked for: some of it is out of reach."""


def carrying(take: Take) -> Take:
    """Return the take with trays in the hands of every fifth person: the right palm is held before the chest, the tray
    hangs on that wrist, and the left palm is on the tray.
    """
    skeleton = take.bodies[0].skeleton
    who = np.arange(0, len(take), 5)
    n, held = len(who), np.arange(len(who))
    # Palms look up, fingers ahead.
    up = quat.about(np.array([1.0, 0.0, 0.0]), 0.0)
    before = np.concatenate([[0.34, -0.16, -0.08], up])
    attachments = Attachments.filled(
        n,
        prop=held,
        stop=SECONDS,
        character=who,
        joint=skeleton.role("right_wrist"),
        track=NONE,
        pose=np.array([0.0, -0.1, 0.05, 1.0, 0.0, 0.0, 0.0]),
    )
    whole = replace(take, props=tuple(Prop(name=f"tray {k}") for k in held.tolist()), attachments=attachments)
    right = Grips.filled(
        n, character=who, hand=1, stop=SECONDS, prop=NONE, other=who, joint=skeleton.role("chest"), pose=before
    )
    whole = replace(whole, grips=right)
    # Where the tray is then, seen from the chest, the left palm can be on it.
    chest = skeleton.role("chest")
    poses, trays = whole.pose(1.0), prop_poses(whole, [1.0])
    spine = np.concatenate([poses.positions[who, chest], poses.rotations[who, chest]], axis=1)
    tray = np.concatenate([trays.positions[0], trays.rotations[0]], axis=1)
    palm = rigid.compose(spine, np.concatenate([[0.34, 0.12, -0.08], up]))
    left = Grips.filled(
        n,
        character=who,
        stop=SECONDS,
        prop=held,
        other=NONE,
        joint=NONE,
        pose=np.repeat(rigid.relative(tray, palm)[:, None], 2, axis=1),
    )
    return replace(whole, grips=Grips.joined([right, left]))


def reaching(take: Take, rng: np.random.Generator) -> Take:
    """Return the take with both palms of everybody held at random places around the chest."""
    N, skeleton = len(take), take.bodies[0].skeleton
    pose = np.concatenate([rng.normal(size=(2 * N, 3)), quat.normalize(rng.normal(size=(2 * N, 4)))], axis=1)
    radius = REACH_M * rng.uniform(0.2, 1.0, (2 * N, 1))
    pose[:, :3] *= radius / np.linalg.norm(pose[:, :3], axis=1, keepdims=True)
    grips = Grips.filled(
        2 * N,
        character=np.repeat(np.arange(N), 2),
        hand=np.tile([0, 1], N),
        stop=SECONDS,
        prop=NONE,
        other=np.repeat(np.arange(N), 2),
        joint=skeleton.role("chest"),
        pose=pose[:, None],
        swivel=rng.uniform(-0.8, 0.8, (2 * N, 1)),
    )
    return replace(take, grips=grips)


def time_poses(take: Take, moments: np.ndarray) -> np.ndarray:
    """Return ms to pose everybody at each of the moments, once each."""
    take.pose(0.0)
    taken = []
    for moment in moments:
        begun = time.perf_counter()
        take.pose(float(moment))
        taken.append(1e3 * (time.perf_counter() - begun))
    return np.array(taken)


def measure_gaps(take: Take, moments: np.ndarray) -> None:
    """Print how far palms are off their grips, and by how much arms fall short."""
    g = take.grips
    rows, times = np.tile(np.arange(len(g)), len(moments)), np.repeat(moments, len(g))
    poses = pose_pairs(take, g.character[rows], times)
    short = poses.hands_missed[np.arange(len(rows)), g.hand[rows]]
    for reached, words in ((True, "where arms reach"), (False, "where they do not")):
        chosen = np.flatnonzero((short == 0.0) == reached)
        findings = Findings(take.names, moments)
        _measure_gaps(take, g.rows(rows[chosen]), times[chosen], findings)
        found = findings.largest_of("hands", "max_gap_m", "max_gap_deg")
        lack = 100 * short[chosen] if len(chosen) else np.zeros(1)
        print(
            f"  {words:20} {len(chosen):7} palms: at most {1e3 * found['max_gap_m']:9.4f} mm and "
            f"{found['max_gap_deg']:.2e} degrees off; arms too short by {np.median(lack):.1f} cm in the median, "
            f"{lack.max():.1f} at most"
        )


def main() -> None:
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 20261118
    calibrate()
    moments = np.random.default_rng(seed).uniform(0.0, SECONDS, MOMENT_COUNT)
    print(f"{MOMENT_COUNT} random moments of {SECONDS:g} s, each posed once, seed {seed}; ms to pose everybody")
    print(f"{'people':>7} {'holding':>8} {'bare':>8} {'worst':>8} {'held':>8} {'worst':>8}")
    print(f"{'asked':>7} {'200':>8} {2.7:8} {'':>8} {6:8}   for 1,000")
    for count in SIZES:
        take = crowd(count, seed=seed % 1000)
        feet = plant_feet(take)
        take = take.with_feet(feet.stances, feet.drops)
        bare, held = time_poses(take, moments), time_poses(carrying(take), moments)
        print(
            f"{count:7} {len(np.arange(0, count, 5)):8} {np.median(bare):8.2f} {bare.max():8.2f} "
            f"{np.median(held):8.2f} {held.max():8.2f}",
            flush=True,
        )
        if count == 1_000:
            print("  palms on trays, and those that hold them:")
            measure_gaps(carrying(take), moments[:10])
            print(f"  palms anywhere within {REACH_M} m of the chest, any turn:")
            measure_gaps(reaching(take, np.random.default_rng(seed)), moments[:10])


if __name__ == "__main__":
    main()
