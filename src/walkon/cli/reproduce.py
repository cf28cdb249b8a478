"""`walkon reproduce`: run a paper's experiments and print our numbers beside the paper's."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from walkon.reproduce import Reproduction, Row

__all__ = ["reproduce"]

LINES = (
    ("people", "agents", "d"),
    ("animation, s", "mean_duration_s", ".1f"),
    ("  the paper's", "paper_duration_s", ".1f"),
    ("planned in, s", "mean_synthesis_s", "s"),
    ("  the paper's", "paper_synthesis_s", "s"),
    ("  median", "median_synthesis_s", "s"),
    ("  worst", "worst_synthesis_s", "s"),
    ("  times as fast", "times_as_fast", ".0f"),
    ("in all, s", "total_s", "s"),
    ("  the paper's", "paper_total_s", "s"),
    ("roadmap, s", "roadmap_s", ".2f"),
    ("feet and writing, s", "writing_s", ".2f"),
    ("from scene to take, s", "elapsed_s", ".2f"),
    ("seeds", "runs", "d"),
    ("met all marks", "success_share", ".2%"),
    ("replanned", "replanned_share", ".1%"),
    ("marks off in the audit", "marks_off", "d"),
    ("marks missed by, mm", "mark_error_m", "mm"),
    ("marks missed by, deg", "mark_error_deg", ".3f"),
    ("marks missed by, s", "mark_error_s", ".4f"),
    ("pose off by, deg", "pose_error_deg", ".3f"),
    ("frames of overlap", "collision_frames", "d"),
    ("limbs overlap, mm", "body_overlap_m", "mm"),
    ("feet slide, 95 % mm/s", "slide_p95_m_s", "mm"),
    ("feet slide, most mm/s", "slide_max_m_s", "mm"),
    ("  whatever their label", "unlabelled_slide_p95_m_s", "mm"),
    ("  the library's own", "library_slide_p95_m_s", "mm"),
    ("  most, any label", "unlabelled_slide_max_m_s", "mm"),
    ("  the library's own", "library_slide_max_m_s", "mm"),
    ("adjusted by, mm/s", "adjusted_m_s", "mm"),
    ("adjusted by, deg/s", "adjusted_deg_s", ".2f"),
    ("adjusted by, time", "adjusted_time", ".1%"),
    ("neighbours in step", "in_step", "d"),
    ("frames in the graph", "graph_frames", "d"),
    ("  the paper's", "paper_graph_frames", "d"),
    ("graph built in, s", "graph_s", ".2f"),
    ("  the paper's", "paper_graph_s", ".0f"),
    ("  the paper's designer", "paper_designer_s", ".0f"),
    ("hubs", "hubs", "d"),
    ("  the paper's", "paper_hubs", "d"),
    ("match frames", "match_frames", "d"),
    ("  the paper's", "paper_match_frames", "d"),
    ("clips from hub to hub", "edges", "d"),
    ("  the paper's", "paper_edges", "d"),
    ("clips across the sets", "edges_across", "d"),
    ("walking to sitting, s", "switch_s", ".1f"),
    ("and back, s", "switch_back_s", ".1f"),
    ("bent, median deg", "bend_median_deg", ".1f"),
    ("bent, 95 % deg", "bend_p95_deg", ".1f"),
    ("turns right up to, deg", "turn_right_deg", ".0f"),
    ("turns left up to, deg", "turn_left_deg", ".0f"),
    ("curvature right, 1/m", "curvature_right_1_m", ".2f"),
    ("curvature left, 1/m", "curvature_left_1_m", ".2f"),
    ("curvature missed, 1/m", "curvature_error_1_m", ".3f"),
    ("  clip by clip, 1/m", "curvature_error_edge_1_m", ".3f"),
    ("heading missed, deg", "heading_error_deg", ".1f"),
    ("path, m", "path_m", ".1f"),
    ("off the path, mean m", "mean_error_m", ".3f"),
    ("off the path, worst m", "worst_error_m", ".3f"),
    ("transitions per s", "transitions_per_s", ".2f"),
    ("curvature sustained", "sustained_share", ".0%"),
    ("change of motion off, m", "switch_error_m", ".2f"),
    ("planted feet drift, mm", "foot_drift_m", "mm"),
)
"""Lines of the table: what they are called, the field of a row, and how it is written."""
WIDEST = 10
"""Characters of a column of the table."""


def reproduce(
    paper: Annotated[str, typer.Argument(help="The paper, such as sung2005, kovar2002 or gleicher2003.")],
    experiment: Annotated[str | None, typer.Argument(help="One of its experiments; all if not given.")] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Folder for pictures; none are drawn without it.")
    ] = None,
    seeds: Annotated[
        int | None, typer.Option("--seeds", min=1, help="How many seeds a crowd is run over; 5 in most experiments.")
    ] = None,
    search: Annotated[
        str | None, typer.Option("--search", help="Search of sung2005: default, or paper for the paper's own values.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Run a paper's experiments and print our table beside theirs; a dash where the paper prints no number."""
    from walkon._base.errors import CannotWrite
    from walkon.cli.reading import bar
    from walkon.drawing import save_png
    from walkon.reproduce import reproduce as run

    if output is not None and not output.is_dir():
        raise CannotWrite("there is no such folder; make it first", path=output)
    with bar(f"running {paper}") as show:
        made = run(
            paper,
            experiment,
            pictures=output is not None,
            seeds=seeds,
            search=search,
            progress=lambda done, total, _: show(done / total),
        )
    files = [save_png(image, output / f"{name}.png") for name, image in made.pictures] if output is not None else []
    if json:
        import msgspec

        sys.stdout.write(msgspec.json.format(msgspec.json.encode(made.to_json()), indent=2).decode() + "\n")
        return
    _print(made, files)


def _print(made: "Reproduction", files: list[Path]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    console.print(f"{made.title}, on {made.motion}", highlight=False, markup=False)
    names = _names(made)
    for name, row in zip(names, made.rows, strict=True):
        console.print(f"  {name}  {row.what}", highlight=False, markup=False)
    lines = _lines(made)
    first = max(len(heading) for heading, _, _ in lines)
    # As many rows side by side as fit; the others in further tables below.
    side = max((console.width - first) // WIDEST, 1)
    for start in range(0, len(names), side):
        table = Table(box=None, header_style="bold")
        table.add_column("", no_wrap=True, min_width=first)
        for name in names[start : start + side]:
            table.add_column(name, justify="right", no_wrap=True)
        for heading, field, form in lines:
            table.add_row(heading, *(_cell(row, field, form) for row in made.rows[start : start + side]))
        console.print(table)
    for name, row in zip(names, made.rows, strict=True):
        for note in row.notes:
            console.print(f"{name}: {note}", style="yellow", highlight=False, markup=False)
    for file in files:
        console.print(f"wrote {file}", highlight=False, markup=False)


def _lines(made: "Reproduction") -> list[tuple[str, str, str]]:
    """Return the lines that have a number somewhere, and the paper's line under each of ours."""
    kept: list[tuple[str, str, str]] = []
    ours = False
    for line in LINES:
        theirs = line[0] == "  the paper's"
        # Papers about one person alone do not say so in every table.
        nothing = (None, 0, 1) if line[1] == "agents" else (None,)
        has = any(getattr(row, line[1]) not in nothing for row in made.rows)
        if has or (theirs and ours):
            kept.append(line)
        ours = has if not line[0].startswith(" ") else ours
    return kept


def _names(made: "Reproduction") -> list[str]:
    """Return a short name per row: 7a and 7b for the two of figure7."""
    every = [row.experiment.removeprefix("figure") for row in made.rows]
    # Numbers and letters stand together, words and letters apart.
    gaps = [" " if name.isalpha() else "" for name in every]
    return [
        name + (gap + "abcdefgh"[every[:place].count(name)] if every.count(name) > 1 else "")
        for place, (name, gap) in enumerate(zip(every, gaps, strict=True))
    ]


def _cell(row: "Row", field: str, form: str) -> str:
    value: Any = getattr(row, field)
    if value is None:
        return "-"
    if form == "s":
        return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
    return f"{1e3 * value:.2f}" if form == "mm" else format(value, form)
