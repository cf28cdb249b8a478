"""The built-in performer beside gait norms and beside CMU, everything measured by the same code.

    python -m benchmarks.gait [--json] [--picture]

The performer walks 30 s straight at 0.7, 1.0, 1.35 and 1.7 m/s and goes through the same import as a recording. Three
questions: is every value of its gait report within the norm (and are those of CMU's subjects 16 and 69); is its jerk,
joint by joint, within what CMU walks of about that speed have, neither sharper nor smoother; and do its histograms of
pose change and of foot speed overlap those of CMU walks at exactly their speed. `--picture` redraws the histograms in
docs/pictures. Needs the CMU clips.
"""

import csv
import json
import sys
from dataclasses import asdict
from pathlib import Path

from benchmarks.measuring import best, calibrate, clips_folder

SPEEDS = (0.7, 1.0, 1.35, 1.7)
SEED, SECONDS = 1, 30.0
WALKS = ("69_06", "104_35", "69_01", "16_16", "138_13", "16_15", "16_31", "16_47", "16_21", "07_12")
"""Straight CMU walks, slow to fast. 138_33, a smoothed recording with a tenth of the others' jerk, is not used."""
WITHIN = ("16", "69")
"""Subjects that must lie within the norms, or the row is wrong."""
SAME_SPEED = (("69_06", "104_35"), ("69_01", "16_16"), ("69_01", "138_13"), ("16_16", "138_13"), ("16_16", "16_15"))
"""Pairs of CMU walks at speeds within 0.1 m/s: the yardstick for overlaps."""
NEAR = 0.35
"""m/s; jerk is compared with CMU walks whose speed is no farther away than this."""
SPIKED = {("16_47", "knee"), ("07_12", "knee")}
"""Jerk left out of CMU's range: knees whose 95th percentile exceeds their ankle's, as in no other clip, are spikes."""
POSE, FOOT = 0.70, 0.75
"""Overlaps asked for."""
PICTURE = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "gait-histograms.png"


def captured() -> dict:
    from walkon.capture.recordings import Entry, import_recording

    folder = clips_folder()
    with (folder / "manifest.csv").open() as file:
        rates = {Path(row["file"]).stem: float(row["fps"]) for row in csv.DictReader(file)}
    found = {}
    for name in WALKS:
        (recording,) = import_recording(Entry(path=folder / "cmu" / f"{name}.bvh", fps=rates[name]))
        found[name] = recording.clip
    return found


def performed(speed: float):
    from walkon.capture.recordings import prepare
    from walkon.studio import walk

    return prepare(walk(speed=speed, duration=SECONDS, seed=SEED)).clip


def jerk_rows(speed: float, ours: dict, theirs: dict, speeds: dict) -> list[dict]:
    near = [name for name in theirs if abs(speeds[name] - speed) <= NEAR]
    rows = []
    for part, own in ours.items():
        for which in ("median", "high"):
            values = [
                getattr(theirs[name][part], which)
                for name in near
                if part in theirs[name] and not (which == "high" and (name, part) in SPIKED)
            ]
            low, high, value = min(values), max(values), getattr(own, which)
            state = "ok" if low <= value <= high else "smoother" if value < low else "sharper"
            rows.append({"part": part, "which": which, "value": value, "low": low, "high": high, "state": state})
    return rows


def measure() -> dict:
    from benchmarks.liveliness import FOOT_BINS, POSE_BINS, foot_speeds, histogram, jerk, overlap, pose_changes
    from walkon.motion.gait.norms import judge
    from walkon.motion.gait.report import gait_report

    def histograms(clip):
        return histogram(pose_changes(clip), POSE_BINS), histogram(foot_speeds(clip), FOOT_BINS)

    cmu = captured()
    ours = {speed: performed(speed) for speed in SPEEDS}
    reports = {name: gait_report(clip) for name, clip in (ours | cmu).items()}
    speeds = {name: report.speed_m_s for name, report in reports.items()}
    jerks = {name: jerk(clip) for name, clip in (ours | cmu).items()}
    theirs = {name: histograms(clip) for name, clip in cmu.items()}
    matched = {name: histograms(performed(speeds[name])) for name in cmu if speeds[name] <= 1.9}
    return {
        "reports": reports,
        "judged": {name: judge(report) for name, report in reports.items()},
        "jerk": jerks,
        "jerk_rows": {v: jerk_rows(speeds[v], jerks[v], {name: jerks[name] for name in cmu}, speeds) for v in SPEEDS},
        "overlap": {
            name: [overlap(a, b) for a, b in zip(matched[name], theirs[name], strict=True)] for name in matched
        },
        "yardstick": {
            f"{a} {b}": [overlap(x, y) for x, y in zip(theirs[a], theirs[b], strict=True)] for a, b in SAME_SPEED
        },
        "histograms": {"performer": matched, "cmu": theirs},
        "seconds": best(lambda: gait_report(performed(1.35)), 3),
    }


def print_norms(found: dict) -> list[str]:
    names = [*SPEEDS, *WALKS]
    first = found["judged"][SPEEDS[0]]
    print("\ngait; columns: the performer at its speeds, then CMU clips; ! is out of the norm at that speed")
    print(f"{'':18s}" + "".join(f"{name:>9}" for name in names))
    print(f"{'strides':18s}" + "".join(f"{found['reports'][name].strides:9d}" for name in names))
    print(f"{'speed m/s':18s}" + "".join(f"{found['reports'][name].speed_m_s:9.2f}" for name in names))
    out = []
    for k, row in enumerate(first):
        line = f"{row.name + ' ' + row.unit:18s}"
        for name in names:
            judged = found["judged"][name][k]
            digits = 3 if judged.unit == "m" else 1
            line += f"{judged.measured:8.{digits}f}{'!' if judged.within is False else ' '}"
            if judged.within is False:
                who = f"performer at {name} m/s" if name in SPEEDS else f"CMU {name}"
                out.append(
                    f"{who}: {row.name} {judged.measured:.3g} {row.unit}, norm {judged.low:.3g} to {judged.high:.3g}"
                )
        print(line)
        if row.value == "double_support":
            shares = (100 * found["reports"][name].contact_share for name in names)
            print(f"{'plain contact %':18s}" + "".join(f"{share:8.1f} " for share in shares))
    print("\nnorm at the performer's speeds")
    for k, row in enumerate(first):
        ranges = (found["judged"][speed][k] for speed in SPEEDS)
        print(f"{row.name + ' ' + row.unit:18s}" + "".join(f"{f'{r.low:.3g} to {r.high:.3g}':>16s}" for r in ranges))
    return out


def print_life(found: dict) -> list[str]:
    out = []
    print(f"\njerk m/s³, median and 95th percentile; CMU: walks within {NEAR} m/s of the performer's speed")
    print(f"{'':10s}" + "".join(f"{f'{v} m/s':>26s}" for v in SPEEDS))
    for k, row in enumerate(found["jerk_rows"][SPEEDS[0]]):
        line = f"{row['part']:8s}{'50' if row['which'] == 'median' else '95'}"
        for speed in SPEEDS:
            r = found["jerk_rows"][speed][k]
            mark = {"ok": " ", "smoother": "-", "sharper": "+"}[r["state"]]
            between = f"({r['low']:.0f}-{r['high']:.0f})"
            line += f"{r['value']:12.0f}{mark} {between:12s}"
            if r["state"] != "ok":
                name = "median" if r["which"] == "median" else "95th percentile"
                told = f"jerk of {r['part']}, {name}, {r['state']}: {r['value']:.0f}"
                out.append(f"performer at {speed} m/s: {told}, CMU {r['low']:.0f} to {r['high']:.0f}")
        print(line)
    print("\noverlap of histograms at equal speed, pose change and foot speed; asked for", POSE, "and", FOOT)
    for name, (pose, foot) in found["overlap"].items():
        speed = found["reports"][name].speed_m_s
        print(f"  performer and CMU {name:8s} {speed:.2f} m/s {pose:6.2f}{foot:6.2f}")
        for what, value, asked in (("pose change", pose, POSE), ("foot speed", foot, FOOT)):
            if value < asked:
                out.append(f"performer at {speed:.2f} m/s and CMU {name}: overlap of {what} {value:.2f}, asked {asked}")
    for pair, (pose, foot) in found["yardstick"].items():
        print(f"  CMU {pair.split()[0]} and CMU {pair.split()[1]:15s}{pose:6.2f}{foot:6.2f}")
    return out


def draw(found: dict) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    from benchmarks.liveliness import FOOT_BINS, POSE_BINS

    shown = ("69_06", "16_16", "16_47", "16_21")
    figure, axes = plt.subplots(2, len(shown), figsize=(13, 5.4), layout="constrained")
    for column, name in enumerate(shown):
        for row, (bins, what) in enumerate(((POSE_BINS, "pose change"), (FOOT_BINS, "foot speed"))):
            axis = axes[row, column]
            for who, colour in (("cmu", "0.6"), ("performer", "tab:blue")):
                share = 100 * found["histograms"][who][name][row]
                label = f"CMU {name}" if who == "cmu" else "performer"
                filled = who == "cmu"
                axis.stairs(share, bins, fill=filled, color=colour, linewidth=1.6, label=label)
            axis.set_xlabel(f"{what}, m/s")
            axis.set_title(
                f"{found['reports'][name].speed_m_s:.2f} m/s, overlap {found['overlap'][name][row]:.2f}", fontsize=10
            )
            if column == 0:
                axis.set_ylabel("share of frames, %")
            if row == 1:
                axis.legend(frameon=False, fontsize=8, loc="upper center")
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=80)
    plt.close(figure)


def main() -> None:
    found = measure()
    if "--picture" in sys.argv:
        draw(found)
    if "--json" in sys.argv:
        told = {key: found[key] for key in ("jerk_rows", "overlap", "yardstick")}
        told["reports"] = {str(name): asdict(report) for name, report in found["reports"].items()}
        told["judged"] = {str(name): [asdict(row) for row in rows] for name, rows in found["judged"].items()}
        print(json.dumps(told, indent=2))
        return
    calibrate()
    print(f"{SECONDS:g} s of walking performed, imported and measured in {found['seconds']:.2f} s, best of 3")
    out = print_norms(found) + print_life(found)
    print(f"\nout of range: {len(out) or 'nothing'}")
    for line in out:
        known = line.startswith("CMU") and not line.startswith(tuple(f"CMU {subject}_" for subject in WITHIN))
        print(f"  {line}{' (another subject: told, not asked)' if known else ''}")


if __name__ == "__main__":
    main()
