"""`walkon check`: the audit of a take, as a table, as JSON, as a web page; exit code 1 where a limit is broken."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from walkon._base.errors import CannotWrite, InvalidValue
from walkon.cli.printing import make_table, plain_console, print_json
from walkon.cli.reading import bar, check_place, open_take

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import Console

    from walkon.take.auditing import Audit, WorstCase

__all__ = ["LIMITS", "check"]

LIMITS = {
    "slide": "foot_slide.max_m_s",
    "position_error": "marks.max_position_error_m",
    "unmet": "marks.unmet",
    "collision": "collisions.max_penetration_m",
    "pop": "smoothness.max_pop_deg",
}
"""Option --max-NAME → the figure that it limits; --max limits any figure."""


def _limit(words: str) -> Any:
    return typer.Option(rich_help_panel="Limits", show_default=False, metavar="NUMBER", help=words)


def check(
    file: Annotated[Path, typer.Argument(metavar="TAKE", help="A take file.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write a web page with plots and pictures.")
    ] = None,
    fps: Annotated[
        float | None, typer.Option(help="Measure so many times a second; else as many as the take has, 60 at least.")
    ] = None,
    max_slide: Annotated[float | None, _limit("m/s: the fastest planted foot.")] = None,
    max_position_error: Annotated[float | None, _limit("m: how far a mark is missed.")] = None,
    max_unmet: Annotated[float | None, _limit("Marks that are not met.")] = None,
    max_collision: Annotated[float | None, _limit("m: how deep footprints of two on their way overlap.")] = None,
    max_pop: Annotated[float | None, _limit("deg: a joint that jumps for one frame.")] = None,
    maximum: Annotated[
        list[str] | None,
        typer.Option(
            "--max",
            metavar="FIGURE=NUMBER",
            rich_help_panel="Limits",
            help="Any figure, by its name in --json: floor.max_float_m=0.01; may be repeated.",
        ),
    ] = None,
) -> None:
    """Measure everything that can be wrong with a take, on its posed result, beside its source clips' own figures.

    The exit code is 1 where a limit is broken, 2 for input that cannot be read, 0 otherwise.
    """
    named = (max_slide, max_position_error, max_unmet, max_collision, max_pop)
    limits = _limits(dict(zip(LIMITS.values(), named, strict=True)), maximum)
    if report is not None:
        check_place(report)
        if report.suffix.lower() not in (".html", ".htm"):
            raise CannotWrite("a report is an HTML page; give it a name that ends in .html", path=report)
    take = open_take(file)
    with bar("measuring") as show:
        audit = take.audit(fps=fps, progress=show)
    broken = audit.broken(limits)
    if report is not None:
        from walkon.drawing.audit_report import save_audit_report

        with bar("drawing the worst cases") as show:
            save_audit_report(take, audit, path=report, title=file.name, limits=limits, progress=show)
    if json:
        over = [{"figure": key, "value": value, "limit": limit} for key, value, limit in broken]
        print_json(audit.to_json() | {"broken": over})
    else:
        _print_table(audit, limits, file)
        if report is not None:
            typer.echo(f"wrote {report}")
    if broken:
        for line in _sentences(audit, broken):
            typer.echo(f"walkon: {line}", err=True)
        raise typer.Exit(1)


def _limits(named: "Mapping[str, float | None]", general: list[str] | None) -> dict[str, float]:
    """Return dotted name → limit of all options."""
    limits = {key: value for key, value in named.items() if value is not None}
    for text in general or []:
        key, _, number = text.partition("=")
        try:
            limits[key.strip()] = float(number)
        except ValueError:
            raise InvalidValue(
                f"--max takes FIGURE=NUMBER, as foot_slide.max_m_s=0.01, got {text!r}; see --json for the names"
            ) from None
    for key, value in limits.items():
        if not value >= 0.0:
            raise InvalidValue(f"a limit is 0 or more, got {value:g} for {key}")
    return limits


def _print_table(audit: "Audit", limits: "Mapping[str, float]", file: Path) -> None:
    from rich.text import Text

    from walkon.drawing.audit_words import (
        TOPICS,
        figure_words,
        format_exactly,
        format_value,
        rows_of,
        thresholds_of,
        verdict,
    )

    console = plain_console()
    f = audit.figures
    people = f"{f['characters']} character{'' if f['characters'] == 1 else 's'}"
    console.print(f"{file.name}: {people}, {f['duration_s']:.2f} s, at {f['fps']:g} fps")
    well, sentence = verdict(audit, limits)
    console.print(sentence, style="bold green" if well else "bold red")
    headings = ["figure", "this take", "its clips", *(["limit"] if limits else [])]
    table = make_table(headings, left=("figure",), whole=headings, padding=(0, 2, 0, 0))
    wide = console.width >= 110
    if wide:
        table.add_column("name", style="dim", no_wrap=True)
    over, topic = {key for key, _, _ in audit.broken(limits)}, ""
    for row in rows_of(audit):
        if row.topic != topic:
            topic = row.topic
            table.add_row(Text(TOPICS.get(topic, topic), style="bold"))
        style = "" if row.key not in limits else "bold red" if row.key in over else "green"
        limit = f"≤ {format_exactly(row.key, limits[row.key])}" if row.key in limits else ""
        own = Text("" if row.source is None else format_value(row.key, row.source), style="dim")
        cells = [Text(f"  {row.words}"), Text(format_value(row.key, row.value), style=style), own]
        cells += [Text(limit, style=style)] if limits else []
        table.add_row(*cells, *([Text(row.key)] if wide else []))
    console.print(table)
    for entry in f["marks"]["unmet"][:5]:
        parts = entry.values() if hasattr(entry, "values") else [entry]
        console.print("not met: " + ", ".join(str(part) for part in parts), style="yellow")
    for one in audit.inherited:
        words = f"{figure_words(one['figure'])} {format_value(one['figure'], one['value'])}"
        clip = f", clip {one['clip']!r}" if one["clip"] else ""
        console.print(f"inherited: {words}; its source has {format_value(one['figure'], one['source'])}{clip}")
    console.print("measured with", style="bold")
    for topic, thresholds in thresholds_of(audit):
        _print_indented(console, f"{topic.lower()}: {thresholds}", style="dim")
    _print_worst(console, audit)
    console.print(sentence, style="bold green" if well else "bold red")


def _print_indented(console: "Console", words: str, style: str = "") -> None:
    from rich.padding import Padding
    from rich.text import Text

    console.print(Padding(Text(words, style), (0, 0, 0, 2)))


def _print_worst(console: "Console", audit: "Audit", *, most: int = 8) -> None:
    """Print the worst case of each figure as a sentence, those that a good take does not have first."""
    from walkon.take.auditing.limits import good_limits

    firsts: dict[str, WorstCase] = {}
    for case in audit.worst:
        firsts.setdefault(case.figure, case)
    over = {key for key, _, _ in audit.broken(good_limits(audit))}
    topics = {key.partition(".")[0] for key in over}
    ordered = sorted(
        firsts.values(), key=lambda case: (case.figure not in over, case.figure.partition(".")[0] not in topics)
    )
    if ordered:
        console.print("worst cases", style="bold")
    for case in ordered[:most]:
        _print_indented(console, case.text)
    if len(ordered) > most:
        console.print(f"  and {len(ordered) - most} more: see --json or --report", style="dim")


def _sentences(audit: "Audit", broken: list[tuple[str, float, float]]) -> "Iterator[str]":
    """Return a sentence per broken limit: which, by how much, where and when."""
    from walkon.drawing.audit_words import UNKNOWN, figure_words, format_exactly

    for key, value, limit in broken:
        line = f"{key}: {figure_words(key)} "
        if math.isnan(value):
            line += UNKNOWN
        else:
            over = format_exactly(key, value - limit)
            line += f"{format_exactly(key, value)}, over the limit of {format_exactly(key, limit)} by {over}"
        topic = key.partition(".")[0]
        case = next((c for c in audit.worst if c.figure == key), None)
        case = case or next((c for c in audit.worst if c.figure.partition(".")[0] == topic), None)
        if case is not None:
            x, y, z = case.place
            where = f", at ({x:.2f}, {y:.2f}, {z:.2f}) m" if math.isfinite(x + y + z) else ""
            line += f". {case.text.rstrip('.')}{where}"
        yield f"{line}."
