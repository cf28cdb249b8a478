"""Remake the pictures of the docs from the CMU clips: `make figures`."""

import csv
from pathlib import Path

import numpy as np

from benchmarks.measuring import clips_folder

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
CONTACTS = {
    "walk": "16_47",
    "turn": "69_22",
    "sidestep": "69_56",
    "run": "16_36",
    "sit": "143_18",
    "pickup": "69_70",
    "stairs": "13_35",
}


def _pairs():
    """Return name → (CMU clip, performance, times): the same action at the same speed."""
    from walkon import studio

    steady = np.linspace(0.6, 1.7, 7)
    return {
        "start": ("69_01", studio.walk(speed=0.96, duration=5.0, start="standing", seed=3), np.linspace(0.2, 3.6, 7)),
        "slow": ("16_16", studio.walk(speed=1.01, duration=4.0, seed=3), steady),
        "normal": ("16_47", studio.walk(speed=1.31, duration=4.0, seed=5), steady),
        "brisk": ("16_21", studio.walk(speed=1.72, duration=4.0, seed=4), steady),
        "turn": ("16_18", studio.sharp_turn(np.pi / 2, speed=1.0, seed=2), np.linspace(0.9, 3.3, 7)),
        "sit": ("143_18", studio.sit_down_and_rise(2.5, seed=2), np.linspace(0.3, 5.0, 7)),
    }


def crowd() -> None:
    """Draw what `walkon demo` makes, and the scene of the README."""
    from walkon.crowd import perform
    from walkon.drawing import draw_take, save_png, take_sheet
    from walkon.io import load_scene
    from walkon.reproduce.sung2005.theatre import experiment_4

    take = perform(experiment_4(seed=0), seed=0)
    moment = float(np.quantile(take.marks.met, 0.55))
    save_png(draw_take(take, moment, size=(1280, 720)), PICTURES / "theatre.png")
    take = perform(load_scene(PICTURES.parents[1] / "examples" / "scenes" / "hello.yaml"))
    sheet = take_sheet(take, times=(1.0, 14.0, 20.0), columns=3, size_per_cell=(426, 340))
    save_png(sheet, PICTURES / "hello.png")


def main() -> None:
    from walkon.capture import clean
    from walkon.capture.recordings import Entry, import_recording
    from walkon.drawing import compare_sheet, plot_contacts, save_png, strobe
    from walkon.motion.contacts.foot_lock import lock_feet
    from walkon.motion.editing import cut

    folder = clips_folder()
    with (folder / "manifest.csv").open() as file:
        rates = {Path(row["file"]).stem: float(row["fps"]) for row in csv.DictReader(file)}

    def clip(name: str):
        (recording,) = import_recording(Entry(path=folder / "cmu" / f"{name}.bvh", fps=rates[name]))
        return recording.clip

    PICTURES.mkdir(exist_ok=True)
    for kind, name in CONTACTS.items():
        shown = clip(name)
        if shown.duration > 7.0:
            shown = cut(shown, 1.0, 7.0)
        plot_contacts(shown, title=f"CMU {name}", path=PICTURES / f"contacts-{kind}.png", size=(9.0, 5.2), dpi=75)
        print(f"contacts-{kind}.png")
    captured = clip("16_47")
    pair = [captured, lock_feet(captured).clip]
    sheet = compare_sheet(pair, times=np.linspace(0.8, 2.0, 7), titles=["captured", "locked"], size_per_cell=(200, 230))
    save_png(sheet, PICTURES / "locked.png")
    for name, (captured_name, performed, times) in _pairs().items():
        pair = [lock_feet(clip(captured_name)).clip, clean(performed)]
        titles = [f"CMU {captured_name}", "performer"]
        for view in ("side", "front"):
            sheet = compare_sheet(pair, times=times, titles=titles, view=view, size_per_cell=(150, 190))
            save_png(sheet, PICTURES / f"performer-{name}-{view}.png")
        print(f"performer-{name}")
    crowd()
    turn = lock_feet(clip("69_22")).clip
    save_png(strobe(turn, every=0.35), PICTURES / "strobe.png")


if __name__ == "__main__":
    main()
