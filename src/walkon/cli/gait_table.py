"""The gait report of a library as tables: a row per walking clip, and every value of one clip beside its norm."""

from typing import TYPE_CHECKING

from walkon.cli.printing import make_table, print_table

if TYPE_CHECKING:
    from rich.console import Console

    from walkon.motion.gait_norms import Judged
    from walkon.motion.gait_report import GaitReport
    from walkon.motion.library import Library

__all__ = ["measure_gait", "print_gait"]

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


def measure_gait(library: "Library", names: tuple[str, ...]) -> tuple[Gait, list[str]]:
    """Return reports beside their norms, and the names of clips without a whole, straight, steady stride."""
    from walkon.motion.gait_norms import judge
    from walkon.motion.gait_report import gait_report

    reports = {name: gait_report(library[name]) for name in names}
    found = [(report, judge(report)) for report in reports.values() if report is not None]
    return found, [name for name, report in reports.items() if report is None]


WIDTH = 132
"""Characters that the table of many clips needs."""


def print_gait(console: "Console", gait: Gait, without: list[str]) -> None:
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
            cells = [f"{_shown(row)}{'!' if row.within is False else ' '}" for row in rows]
            table.add_row(report.clip, str(report.strides), f"{report.speed_m_s:.2f}", *cells)
        # Numbers that are cut off are worth nothing: a narrow window gets long lines instead.
        console.print(table, width=max(console.width, WIDTH), crop=False, no_wrap=True)
        console.print(f"stance and double support by {gait[0][0].detector}; ! is out of the norm")
        for report, rows in gait:
            for row in (one for one in rows if one.within is False):
                console.print(f"{report.clip}: {row.name} {_shown(row)} {row.unit}, norm {_range(row)}")
    if without:
        console.print(f"without a whole, straight, steady stride: {', '.join(without)}", style="dim")


def _print_one(console: "Console", report: "GaitReport", rows: tuple["Judged", ...]) -> None:
    from walkon.motion.gait_norms import NORMS

    console.print(
        f"{report.clip}: {report.speed_m_s:.2f} m/s over {report.strides} strides, left out {report.turning} that turn "
        f"and {report.unsteady} that change speed; {report.detector}"
    )
    sources = {norm.value: norm.source for norm in NORMS}
    marks = {True: "ok", False: "out", None: "-"}
    cells = []
    for row in rows:
        cells.append((row.name, f"{_shown(row)} {row.unit}", _range(row), marks[row.within], sources[row.value]))
        if row.value == "double_support":
            share = f"{100 * report.contact_share:.1f} %"
            cells.append(("plain contact", share, "-", "-", "share of frames in contact"))
    print_table(console, ("gait", "measured", "norm", "", "source"), cells, left=("gait", "", "source"))


def _shown(row: "Judged") -> str:
    return f"{row.measured:.{ {'m': 2, '%': 1}.get(row.unit, 0) }f}"


def _range(row: "Judged") -> str:
    if row.low is None or row.high is None:
        return "-"
    digits = 2 if row.unit == "m" else 0
    return f"{row.low:.{digits}f} to {row.high:.{digits}f}"
