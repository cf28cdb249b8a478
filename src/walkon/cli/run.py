"""`walkon run`: a scene file to a take; everything that cannot be is reported before anything is planned."""

import sys
from contextlib import ExitStack, nullcontext
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from walkon.crowd import Performance
    from walkon.crowd.agreement import Disagreement
    from walkon.graphs.snap_together import SnapGraph
    from walkon.script import Scene
    from walkon.script.checks import ImpossibleScene, Problem
    from walkon.take.auditing import Audit

__all__ = ["Bars", "cast_graph", "perform_with_bars", "run", "timing"]

MAX_LISTED_UNMET = 12
"""Marks that are listed as not met; the rest is counted."""
NOT_A_TAKE = (".yaml", ".yml", ".json", ".library", ".graph", ".bvh", ".html", ".png")


class Search(StrEnum):
    """Rules of the search."""

    default = "default"
    paper = "paper"


def run(
    file: Annotated[Path | None, typer.Argument(metavar="SCENE", help="A scene file (YAML).")] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="TAKE", help="Take to write, usually NAME.take.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Another seed of behaviour than the scene's: what people choose to do.")
    ] = None,
    search: Annotated[Search, typer.Option(help="default, or as in Sung, Kovar and Gleicher 2005.")] = Search.default,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Threads that plan; the take does not depend on it. All processors.")
    ] = None,
    staged: Annotated[bool, typer.Option("--staged", help="Plan everybody's first mark before anybody's second.")] = (
        False
    ),
    audit: Annotated[bool, typer.Option("--audit/--no-audit", help="Measure the take afterwards.")] = True,
    check: Annotated[bool, typer.Option("--check", help="Only say what is wrong with the scene.")] = False,
    profile: Annotated[bool, typer.Option("--profile", help="Say where the time goes, stage by stage.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of words.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of scene files, and stop.")] = False,
) -> None:
    """Let a crowd perform a scene, and write the take.

    The exit code is 0 where every mark is met, 1 where some are not (the take is written, and they are named with the
    reason) or where the audit does not agree on a mark, and 2 for a scene that cannot be performed: all that is wrong
    with it is listed, and nothing is written.
    """
    from walkon._base.errors import InvalidValue

    if schema:
        from walkon.io import scene_schema

        _print_json(scene_schema())
        return
    if file is None:
        raise InvalidValue("which scene? Give a file: walkon run SCENE.yaml -o NAME.take")
    if output is None and not check:
        raise InvalidValue(f"where to? Give a take to write: -o {file.stem}.take (or --check to write nothing)")
    if output is not None:
        _check_output(output)
    from walkon.cli.profile_words import print_profile

    with print_profile(json=json) if profile else nullcontext():
        _run(file, output, seed, search, workers, staged, audit=audit, check=check, json=json)


def _run(
    file: Path,
    output: Path | None,
    seed: int | None,
    search: Search,
    workers: int | None,
    staged: bool,
    *,
    audit: bool,
    check: bool,
    json: bool,
) -> None:
    from walkon._base.compiler import prepare_compiler
    from walkon._base.profiling import stage

    prepare_compiler()
    with stage("reading the scene"):
        scene = _scene(file)
    if check:
        from walkon.crowd import check_scene

        with Bars() as bars:
            problems = check_scene(scene, graph=cast_graph(scene, bars))
        _print_check(scene, file, problems, json=json)
        return
    assert output is not None
    with Bars() as bars:
        with stage("graph of the cast"):
            graph = cast_graph(scene, bars)
        from walkon.script.checks import ImpossibleScene

        try:
            with stage("performing"):
                made = perform_with_bars(
                    scene, graph, bars, seed=seed, search=search.value, workers=workers, staged=staged
                )
        except ImpossibleScene as error:
            raise _impossible_scene(error.problems, scene, file) from None
        with stage("measuring"):
            measured = made.take.audit(progress=bars("measuring")) if audit else None
    with stage("saving"):
        from walkon.take.storing.file import save_take

        save_take(made.take, output)
    differ = _disagreements(scene, made, measured)
    if json:
        _print_json(_as_json(scene, made, measured, differ, file=file, output=output))
    else:
        _print(scene, made, measured, differ, output)
    if made.unmet or differ:
        raise typer.Exit(1)


class Bars:
    """Bars on the error stream, one after another: calling it with words ends the last one and begins the next."""

    def __enter__(self) -> "Bars":
        self._shown = ExitStack()
        self._words = ""
        return self

    def __exit__(self, *error: object) -> None:
        self._shown.close()

    def __call__(self, words: str) -> "Callable[[float], None]":
        """Begin a bar and return what moves it, 0 to 1."""
        from walkon.cli.reading import bar

        if words != self._words:
            self._shown.close()
            self._show, self._words = self._shown.enter_context(bar(words)), words
        return self._show


def cast_graph(scene: "Scene", bars: Bars) -> "SnapGraph":
    """Return the graph of a scene's cast; made on first use, with a bar."""
    from walkon.crowd.casting import graph_for

    return graph_for(
        scene.cast,
        progress=lambda done, total, what: bars("preparing the cast (once)")(done / max(total, 1)),
    )


def perform_with_bars(scene: "Scene", graph: "SnapGraph", bars: Bars, **options: Any) -> "Performance":
    """Perform a scene with bars."""
    from walkon.crowd import perform_with_report

    return perform_with_report(scene, graph=graph, progress=lambda what, share: bars(what)(share), **options)


def timing(made: "Performance") -> dict[str, float]:
    """Return seconds: per character, and those that are not anybody's."""
    import numpy as np

    each = made.planning_s
    return {
        "mean_s": float(each.mean()),
        "median_s": float(np.median(each)),
        "worst_s": float(each.max()),
        "total_s": float(made.planning_s.sum()),
        "roadmap_s": float(made.roadmap_s),
        "writing_s": float(made.writing_s),
    }


def _check_output(output: Path) -> None:
    from walkon._base.errors import CannotWrite

    if output.suffix.lower() in NOT_A_TAKE:
        raise CannotWrite("this is the name of something else; call the take NAME.take", path=output)
    if output.is_dir():
        raise CannotWrite("this is a folder; name a file in it, as NAME.take", path=output)
    if not output.absolute().parent.is_dir():
        raise CannotWrite("the folder does not exist; make it, or choose another place with -o", path=output)


def _scene(file: Path) -> "Scene":
    from walkon.io import load_scene

    return load_scene(file)


def _lines(problems: "Sequence[Problem]", scene: "Scene") -> "list[tuple[int | None, Problem]]":
    """Return problems with the lines of the scene's file that they are about, in their order."""
    from walkon.io.scenes.finding import line_of

    found = [(line_of(scene.text, problem.character, problem.mark), problem) for problem in problems]
    return sorted(found, key=lambda row: row[0] or 0)


def _impossible_scene(problems: "Sequence[Problem]", scene: "Scene", file: Path) -> "ImpossibleScene":
    from walkon.script.checks import ImpossibleScene

    lines = [f"{file}{'' if line is None else f':{line}'}: {problem}" for line, problem in _lines(problems, scene)]
    return ImpossibleScene(problems, scene=str(file), lines=lines)


def _print_check(scene: "Scene", file: Path, problems: "Sequence[Problem]", *, json: bool) -> None:
    from walkon.script.checks import find_notes

    marks = scene.mark_count
    if json:
        rows = [
            {"character": problem.character, "mark": problem.mark, "problem": problem.sentence, "line": line}
            for line, problem in _lines(problems, scene)
        ]
        told = {"scene": str(file), "characters": len(scene.characters), "marks": marks, "problems": rows}
        _print_json(told | {"notes": find_notes(scene)})
        if problems:
            raise typer.Exit(2)
        return
    if problems:
        raise _impossible_scene(problems, scene, file)
    typer.echo(f"{file}: nothing is wrong with it; {len(scene.characters)} characters, {marks} marks")
    for note in find_notes(scene):
        typer.echo(f"  note: {note}")


def _disagreements(scene: "Scene", made: "Performance", measured: "Audit | None") -> "list[Disagreement]":
    """Return the marks on which the run and the audit, where there is one, do not agree."""
    from walkon.crowd.agreement import find_disagreements

    marks = ((one.name, mark.name) for one in scene.characters for mark in one.marks)
    return [] if measured is None else find_disagreements(made.unmet, measured, marks=marks)


def _as_json(
    scene: "Scene",
    made: "Performance",
    measured: "Audit | None",
    differ: "list[Disagreement]",
    *,
    file: Path,
    output: Path,
) -> dict[str, Any]:
    from math import isfinite

    import numpy as np

    from walkon.script.checks import find_notes

    position, facing, time = made.adjustment.tolist()
    return {
        "scene": str(file),
        "output": str(output),
        "title": scene.title,
        "characters": len(scene.characters),
        "duration_s": made.take.duration,
        "seeds": made.take.provenance["seeds"],
        "notes": find_notes(scene),
        "marks": {
            "count": scene.mark_count,
            "unmet": [{"character": who, "mark": mark, "reason": why} for who, mark, why in made.unmet],
            "disagreements": [row._asdict() for row in differ],
        },
        "waited": [
            {"character": who, "seconds": seconds if isfinite(seconds) else None} for who, seconds in made.waited
        ],
        "planning": timing(made) | {"replanned": made.replanned, "tried": made.tried},
        "adjustment": {"max_m_s": position, "max_deg_s": float(np.rad2deg(facing)), "max_time_ratio": time},
        "audit": None if measured is None else measured.to_json(),
    }


def _print(
    scene: "Scene", made: "Performance", measured: "Audit | None", differ: "list[Disagreement]", output: Path
) -> None:
    from walkon.drawing.audit_words import verdict
    from walkon.script.checks import find_notes

    marks, people = scene.mark_count, len(scene.characters)
    spent = timing(made)
    typer.echo(
        f"{scene.title or output.stem}: {people} {'people' if people > 1 else 'person'}, {made.take.duration:.1f} s; "
        f"{marks - len(made.unmet)} of {marks} marks met"
    )
    typer.echo(
        f"  planned in {1e3 * spent['mean_s']:.1f} ms per person (median {1e3 * spent['median_s']:.1f}, worst "
        f"{1e3 * spent['worst_s']:.0f}); {made.replanned} planned again; ways {spent['roadmap_s']:.2f} s, "
        f"writing {spent['writing_s']:.2f} s"
    )
    for who, mark, why in made.unmet[:MAX_LISTED_UNMET]:
        typer.echo(f"  not met: {who}.{mark}: {why}")
    if len(made.unmet) > MAX_LISTED_UNMET:
        typer.echo(f"  and {len(made.unmet) - MAX_LISTED_UNMET} more that are not met: see --json")
    if made.waited:
        names = ", ".join(f"{who} {seconds:.1f} s" for who, seconds in made.waited[:MAX_LISTED_UNMET])
        more = f" and {len(made.waited) - MAX_LISTED_UNMET} more: see --json" * (len(made.waited) > MAX_LISTED_UNMET)
        typer.echo(f"  waited outside a full door: {names}{more}")
    for row in differ[:MAX_LISTED_UNMET]:
        typer.echo(f"  {row}")
    if len(differ) > MAX_LISTED_UNMET:
        typer.echo(f"  and {len(differ) - MAX_LISTED_UNMET} more on which they disagree: see --json")
    for note in find_notes(scene):
        typer.echo(f"  note: {note}")
    if measured is not None:
        typer.echo(f"  audit: {verdict(measured)[1]}")
    typer.echo(f"wrote {output} ({output.stat().st_size / 1e6:.1f} MB)")
    typer.echo(f"next: walkon view {output} · walkon check {output} · walkon export {output} -o {output.stem}.html")


def _print_json(value: object) -> None:
    import msgspec

    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")
