"""How goal-directed crowds do on scenes that nobody tuned them to.

    python -m benchmarks.unseen [--seed N] [--scenes N] [--kind NAME …] [--keep FOLDER]

Every kind of `scenes.KINDS`, drawn `--scenes` times (20) from the seed, is performed on two processors and audited.
Nobody is left out: what is refused before planning counts as not met. Printed for each kind: people and marks; people
per m² of free floor; the share of marks that a person would meet who is alone on the stage (of 12 people of each
scene); the share met in the scene; frames in which footprints overlap; the deepest overlap of limbs with others and
with what stands about; marks on which run and audit differ; seconds from scene to take, the largest of all scenes; and
how much longer the one in a hundred took whose planning took longest than the one in the middle. Whoever tunes the
planner draws other seeds than those on which is reported.
"""

import argparse
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from benchmarks.measuring import calibrate
from benchmarks.unseen.scenes import KINDS
from walkon._base.errors import WalkonError
from walkon.crowd import perform_with_report
from walkon.crowd.agreement import find_disagreements
from walkon.script import Scene
from walkon.stage.free_space import FreeSpace

ALONE_COUNT = 12
"""People of a scene who are also sent alone."""
LONGEST_WORDS = 100
"""Characters of a reason that are printed."""


@dataclass
class Tally:
    """What is seen of the scenes of one kind."""

    people: int = 0
    marks: int = 0
    met: int = 0
    alone: list[float] = field(default_factory=list)
    density: list[float] = field(default_factory=list)
    overlaps: int = 0
    limbs_m: float = 0.0
    solids_m: float = 0.0
    differ: int = 0
    seconds: float = 0.0
    tail: float = 0.0
    why: Counter[str] = field(default_factory=Counter)


def share_alone(scene: Scene, rng: np.random.Generator) -> float:
    """Return the share of marks that some people of a scene meet who are alone."""
    chosen = rng.permutation(len(scene.characters))[:ALONE_COUNT]
    asked = met = 0
    for row in chosen:
        one = replace(scene, characters=(scene.characters[row],))
        asked += one.mark_count
        try:
            met += one.mark_count - len(perform_with_report(one).unmet)
        except WalkonError:
            continue
    return met / max(asked, 1)


def add_scene(tally: Tally, scene: Scene, rng: np.random.Generator) -> None:
    """Perform a scene, and add what is seen of it."""
    tally.people += len(scene.characters)
    tally.marks += scene.mark_count
    tally.alone.append(share_alone(scene, rng))
    area = FreeSpace.of(scene.stage).area
    tally.density.append(len(scene.characters) / area.area if area is not None else np.nan)
    begun = time.perf_counter()
    try:
        made = perform_with_report(scene)
    except WalkonError as error:
        tally.why[f"refused: {str(error).splitlines()[0]}"[:LONGEST_WORDS]] += scene.mark_count
        return
    tally.seconds = max(tally.seconds, time.perf_counter() - begun)
    tally.met += scene.mark_count - len(made.unmet)
    tally.why.update(reason.split(" (in the way")[0][:LONGEST_WORDS] for _, _, reason in made.unmet)
    tally.tail = max(tally.tail, np.percentile(made.planning_s, 99) / max(np.median(made.planning_s), 1e-9))
    audit = made.take.audit(source=False)
    tally.overlaps += int(audit["collisions.pair_frames"])
    tally.limbs_m = max(tally.limbs_m, float(audit["bodies.max_penetration_m"]))
    tally.solids_m = max(tally.solids_m, float(audit["solids.max_limb_penetration_m"]))
    marks = [(one.name, mark.name) for one in scene.characters for mark in one.marks]
    tally.differ += len(find_disagreements(made.unmet, audit, marks=marks))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.unseen")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scenes", type=int, default=20)
    parser.add_argument("--kind", action="append", choices=list(KINDS))
    parser.add_argument("--keep", type=Path, help="a folder to write the scene files to")
    asked = parser.parse_args()
    calibrate()
    print(f"\n{asked.scenes} scenes of each kind, seed {asked.seed}")
    print(f"{'kind':20} {'people':>7} {'marks':>6} {'per m²':>7} {'alone %':>8} {'met %':>7} {'overlaps':>9} "
          f"{'limbs mm':>9} {'solids mm':>10} {'differ':>7} {'most s':>7} {'p99/median':>11}")  # fmt: skip
    for kind in asked.kind or KINDS:
        tally = Tally()
        for number in range(asked.scenes):
            rng = np.random.default_rng([asked.seed, list(KINDS).index(kind), number])
            draft = KINDS[kind](rng)
            if asked.keep:
                asked.keep.mkdir(parents=True, exist_ok=True)
                (asked.keep / f"{kind}_{number:02}.yaml").write_text(draft.text, "utf-8")
            add_scene(tally, draft.scene(), rng)
        print(f"{kind:20} {tally.people:7} {tally.marks:6} {np.mean(tally.density):7.3f} "
              f"{100 * np.mean(tally.alone):8.1f} {100 * tally.met / tally.marks:7.1f} {tally.overlaps:9} "
              f"{1e3 * tally.limbs_m:9.0f} {1e3 * tally.solids_m:10.0f} {tally.differ:7} {tally.seconds:7.1f} "
              f"{tally.tail:11.1f}", flush=True)  # fmt: skip
        for reason, count in tally.why.most_common(4):
            print(f"    {count:5} {reason}", flush=True)


if __name__ == "__main__":
    main()
