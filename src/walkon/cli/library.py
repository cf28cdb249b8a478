"""`walkon library`: build a library from a folder of recordings, and look into one.

The gait report is a row per walking clip, or every value of one clip beside its norm.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from walkon._base.errors import CannotWrite, InvalidValue
from walkon.cli.printing import make_table, plain_console, print_json, print_table
from walkon.cli.reading import check_place, open_library, report_errors, step_bar

if TYPE_CHECKING:
    from rich.console import Console

    from walkon.capture import BuildReport
    from walkon.motion.gait.norms import Judged
    from walkon.motion.gait.report import GaitReport
    from walkon.motion.library import Library
    from walkon.take.auditing.clip_faults import ClipFault

__all__ = ["app"]

app = typer.Typer(help="Build libraries of motion from recordings, and look into them.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Gait = list[tuple["GaitReport", tuple["Judged", ...]]]
HEADINGS = {
    "cadence": "steps /min",
    "step length": "step m",
    "step width": "width mm",
    "stance": "stance %",
    "double support": "double %",
    "pelvis rise": "rise mm",
    "pelvis sway": "sway mm",
    "pelvis rotation": "turn °",
    "pelvis list": "list °",
    "hip range": "hip °",
    "knee range": "knee °",
    "ankle range": "ankle °",
    "toe clearance": "toe mm",
}
TABLE_WIDTH = 132
"""Characters that the table of many clips needs."""


@app.command()
@report_errors
def build(
    folder: Annotated[Path, typer.Argument(help="Folder of .bvh files, with or without a manifest.csv.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="File to write, usually NAME.library.")],
    fps: Annotated[float, typer.Option(min=10, max=1000, help="Frames per second of the library.")] = 60.0,
    mirror: Annotated[bool, typer.Option("--mirror", help="Add the mirror image of every clip.")] = False,
    scale: Annotated[float | None, typer.Option(help="Metres per unit of the files; found if not given.")] = None,
    source_fps: Annotated[float | None, typer.Option(help="True rate of all files, where headers are wrong.")] = None,
    role: Annotated[
        list[str] | None, typer.Option(help="A joint's role that is not found, as left_ankle=LFoot; may be repeated.")
    ] = None,
    skeleton: Annotated[
        str | None, typer.Option(help="Recording whose skeleton all clips get; else that with the most seconds.")
    ] = None,
    json: Json = False,
) -> None:
    """Turn a folder of motion capture into one labelled library on one skeleton, feet held in place.

    Units, axes, rates, T-poses, floors, contacts and defects are found, repaired where that is safe, and reported.
    """
    from walkon.capture import build_library
    from walkon.io import save_library
    from walkon.take.auditing.clip_faults import find_clip_faults

    if output.suffix.lower() in (".bvh", ".csv"):
        raise CannotWrite("a library would overwrite a recording or a manifest; call it NAME.library", path=output)
    check_place(output, option="-o")
    with step_bar("importing") as show:
        built = build_library(
            folder,
            fps=fps,
            mirrored=mirror,
            scale=scale,
            source_fps=source_fps,
            roles=_roles(role),
            skeleton_of=skeleton,
            progress=lambda done, total, name: show(done, total, name and f"importing {name}"),
        )
        show(1, 1, f"writing {output}")
        save_library(built.library, output)
        show(1, 1, "auditing the clips")
        faults = find_clip_faults(built.library)
    if json:
        summary, clips = _summary(built.library), list(built.clips)
        print_json({"output": str(output), "library": summary, "clips": clips, "inherited": list(faults)})
    else:
        _print_build(built, output)
        _print_faults(faults)


@app.command()
@report_errors
def info(
    file: Annotated[Path, typer.Argument(help="A library file, or the word builtin.")],
    clip: Annotated[str | None, typer.Option("--clip", help="Tell about this clip only.")] = None,
    sheet: Annotated[Path | None, typer.Option("--sheet", help="Draw a contact sheet of --clip to this .png.")] = None,
    notes: Annotated[bool, typer.Option("--notes", help="Also print what was found when it was built.")] = False,
    gait: Annotated[bool, typer.Option("--gait", help="Measure the walks and set them beside gait norms.")] = False,
    json: Json = False,
) -> None:
    """Tell what is in a library: its clips, how long, how labelled, how its feet stand."""
    with step_bar("the performer records a session, once") as show:
        library = open_library(file, lambda done, total, name: show(done, total, name and f"recording {name}"))
    if sheet is not None:
        if clip is None:
            raise InvalidValue("--sheet draws one clip: say which with --clip NAME")
        from walkon.drawing import contact_sheet, save_png

        save_png(contact_sheet(library[clip]), sheet)
    names = library.names if clip is None else (library[clip].name,)
    rows = [_clip_row(library, name) for name in names]
    walks, without = _measure_gait(library, names) if gait else ([], [])
    if json:
        report: dict[str, Any] = {
            "library": _summary(library),
            "clips": rows,
            "notes": list(library.notes) if notes else [],
        }
        if gait:
            judged = [{"report": measured, "norms": norms} for measured, norms in walks]
            report["gait"] = {"walks": judged, "no_steady_stride": without}
        print_json(report)
        return
    console = plain_console()
    console.print(repr(library))
    if gait:
        _print_gait(console, walks, without)
        return
    cells = [
        (
            row["name"],
            f"{row['seconds']:.2f}",
            f"{row['metres']:.2f}",
            f"{row['mean_speed_m_s']:.2f}",
            f"{row['turn_deg']:+.0f}",
            " ".join(f"{share * 100:.0f}" for share in row["stance"]) or "-",
            ", ".join(row["labels"]),
        )
        for row in rows
    ]
    headings = ("clip", "s", "m", "m/s", "turn °", "feet down L R %", "labels")
    print_table(console, headings, cells, left=("clip", "labels"))
    for note in library.notes if notes else ():
        if clip is None or note.startswith(f"{clip}:"):
            console.print(note)
    if sheet is not None:
        console.print(f"contact sheet written to {sheet}")


def _roles(given: list[str] | None) -> dict[str, str]:
    roles = {}
    for text in given or []:
        role, equals, joint = text.partition("=")
        if not equals:
            raise InvalidValue(f"--role takes ROLE=JOINT, as left_ankle=LFoot, got {text!r}")
        roles[role.strip()] = joint.strip()
    return roles


def _summary(library: "Library") -> dict[str, object]:
    return {
        "clips": len(library),
        "seconds": library.duration,
        "fps": library.fps,
        "joints": len(library.skeleton),
        "labels": list(library.label_names),
        "ensembles": dict(library.ensembles),
    }


def _clip_row(library: "Library", name: str) -> dict[str, Any]:
    import numpy as np

    from walkon.motion.contacts.detection import stance

    clip = library[name]
    headings = np.unwrap(clip.planar_poses[:, 2])
    return {
        "name": name,
        "seconds": clip.duration,
        "frames": len(clip),
        "metres": clip.distance,
        "mean_speed_m_s": clip.distance / clip.duration if clip.duration else 0.0,
        "turn_deg": float(np.degrees(headings[-1] - headings[0])),
        "stance": [float(share) for share in stance(clip).mean(axis=0)] if clip.skeleton.contact_names else [],
        "labels": list(clip.labels),
    }


def _print_build(built: "BuildReport", output: Path) -> None:
    console = plain_console()
    headings = ("clip", "s", "fps", "feet down L R %", "foot drift mm", "root mm", "steps ×", "repaired")
    rows = [
        (
            clip.name,
            f"{clip.seconds:.2f}",
            f"{clip.source_fps:g}",
            "-" if clip.stance_left is None else f"{clip.stance_left * 100:.0f} {(clip.stance_right or 0) * 100:.0f}",
            f"{clip.drift_before_m * 1e3:.0f} → {clip.drift_after_m * 1e3:.1f}",
            f"{clip.root_shift_m * 1e3:.0f}",
            f"{clip.scale:.2f}",
            ", ".join(clip.defects),
        )
        for clip in built.clips
        if clip.kept
    ]
    print_table(console, headings, rows, left=("clip", "repaired"), whole=("clip",))
    for clip in built.clips:
        for warning in clip.warnings:
            console.print(f"{clip.name}: {warning}", style="yellow")
    for clip in built.left_out:
        console.print(f"left out {clip.name}: {clip.reason}", style="yellow")
    short = [clip.name for clip in built.clips if clip.missed_m > 0.002]
    if short:
        console.print(f"legs too short to hold every contact in: {', '.join(short)}", style="yellow")
    console.print(built.library.notes[0])
    console.print(f"wrote {output}: {built.library!r}")
    console.print(f"details: walkon library info {output} --notes", style="dim")


def _print_faults(faults: "tuple[ClipFault, ...]") -> None:
    """Print a row per figure in which clips are beyond what a good take keeps to."""
    from walkon.drawing.audit_words import figure_words, format_exactly, format_value

    if not faults:
        return
    console = plain_console()
    console.print("what takes inherit from these clips, and what is beyond any excuse")
    rows = []
    for figure in dict.fromkeys(fault.figure for fault in faults):
        mine = [fault for fault in faults if fault.figure == figure]
        beyond = sum(not fault.excused for fault in mine)
        worst, ceiling = format_value(figure, mine[0].value), format_exactly(figure, mine[0].ceiling)
        rows.append((figure_words(figure), str(len(mine)), str(beyond or "-"), worst, ceiling, mine[0].clip))
    # Numbers are never cut: in a narrow window words and names of clips are broken into lines.
    headings = ("figure", "clips", "beyond", "worst", "excused to", "in")
    whole = ("clips", "beyond", "worst", "excused to")
    table = make_table((), left=(), padding=(0, 1, 0, 0))
    for heading in headings:
        wordy = heading not in whole
        table.add_column(heading, justify="left" if wordy else "right", no_wrap=not wordy, overflow="fold")
    for row in rows:
        table.add_row(*row)
    console.print(table)


def _measure_gait(library: "Library", names: tuple[str, ...]) -> tuple[Gait, list[str]]:
    """Return reports beside their norms, and the names of clips without a whole, straight, steady stride."""
    from walkon.motion.gait.norms import judge
    from walkon.motion.gait.report import gait_report

    reports = {name: gait_report(library[name]) for name in names}
    found = [(report, judge(report)) for report in reports.values() if report is not None]
    return found, [name for name, report in reports.items() if report is None]


def _print_gait(console: "Console", gait: Gait, without: list[str]) -> None:
    """Print a row per clip, values out of their norm marked; a single clip is printed in full."""
    if not gait:
        console.print("no clip has a whole, straight, steady stride to measure a gait on")
        return
    if len(gait) == 1:
        _print_one(console, *gait[0])
    else:
        table = make_table(("clip",), left=("clip",), whole=("clip",), padding=(0, 1, 0, 0))
        for heading in ("strides", "m/s", *(HEADINGS[row.name] for row in gait[0][1])):
            table.add_column(heading, justify="right", min_width=5)
        for report, rows in gait:
            cells = [f"{_format_measured(row)}{'!' if row.within is False else ' '}" for row in rows]
            table.add_row(report.clip, str(report.strides), f"{report.speed_m_s:.2f}", *cells)
        # Numbers that are cut off are worth nothing: a narrow window gets long lines instead.
        console.print(table, width=max(console.width, TABLE_WIDTH), crop=False, no_wrap=True)
        console.print(f"stance and double support by {gait[0][0].detector}; ! is out of the norm")
        for report, rows in gait:
            for row in (one for one in rows if one.within is False):
                console.print(f"{report.clip}: {row.name} {_format_measured(row)} {row.unit}, norm {_format_norm(row)}")
    if without:
        console.print(f"without a whole, straight, steady stride: {', '.join(without)}", style="dim")


def _print_one(console: "Console", report: "GaitReport", rows: tuple["Judged", ...]) -> None:
    from walkon.motion.gait.norms import NORMS

    console.print(
        f"{report.clip}: {report.speed_m_s:.2f} m/s over {report.strides} strides, left out {report.turning} that turn "
        f"and {report.unsteady} that change speed; {report.detector}"
    )
    sources = {norm.value: norm.source for norm in NORMS}
    marks = {True: "ok", False: "out", None: "-"}
    cells = []
    for row in rows:
        cells.append(
            (row.name, f"{_format_measured(row)} {row.unit}", _format_norm(row), marks[row.within], sources[row.value])
        )
        if row.value == "double_support":
            share = f"{100 * report.contact_share:.1f} %"
            cells.append(("plain contact", share, "-", "-", "share of frames in contact"))
    print_table(console, ("gait", "measured", "norm", "", "source"), cells, left=("gait", "", "source"))


def _format_measured(row: "Judged") -> str:
    return f"{row.measured:.{ {'m': 2, '%': 1}.get(row.unit, 0) }f}"


def _format_norm(row: "Judged") -> str:
    if row.low is None or row.high is None:
        return "-"
    digits = 2 if row.unit == "m" else 0
    return f"{row.low:.{digits}f} to {row.high:.{digits}f}"
