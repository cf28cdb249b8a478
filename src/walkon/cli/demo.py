"""`walkon demo`: forty people walk from a lobby into a theatre and take their seats, without any data.

It is experiment 4 of Sung, Kovar and Gleicher 2005, from the scene to a page that plays it.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from walkon._base.errors import CannotWrite, UnreadableFile
from walkon.cli.run import Bars, cast_graph, perform_with_bars, timing

if TYPE_CHECKING:
    from walkon.crowd import Performance
    from walkon.take.auditing import Audit
    from walkon.take.take import Take

__all__ = ["demo"]

AUDIT_RATE_HZ = 20.0
"""Times a second at which the audit looks; `walkon check` looks 60 times. Marks are looked at on time in any case."""
PICTURE_SEATED_SHARE = 0.55
"""Share of the guests who sit when the picture is taken."""
TITLE = "Forty people take their seats"


def demo(
    folder: Annotated[Path, typer.Option("-o", "--output", help="Folder to write into.")] = Path(),
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same theatre and the same guests.")] = 0,
) -> None:
    """Let 40 people walk from a lobby into a theatre and take their seats, each on time, touching nobody.

    Writes walkon-demo.take, walkon-demo.html (a page that plays it) and walkon-demo.png (a picture), and measures the
    result. The built-in cast is made on first use, which takes half a minute, and kept.
    """
    import time
    from concurrent.futures import ThreadPoolExecutor

    if not folder.is_dir():
        raise CannotWrite("there is no such folder; make it first", path=folder)
    begun = time.perf_counter()
    with Bars() as bars, ThreadPoolExecutor(1) as early:
        from walkon.reproduce.sung2005.theatre import experiment_4
        from walkon.take.storing.file import save_take

        scene = experiment_4(seed=seed)
        guests = sum(bool(one.marks) for one in scene.characters)
        sitting = len(scene.characters) - guests
        typer.echo(f"{guests} people in a lobby have seats in a theatre; {sitting} sit there already.")
        graph = cast_graph(scene, bars)
        early.submit(_load)
        made = perform_with_bars(scene, graph, bars, seed=seed)
        _print_plan(made, guests)
        file = save_take(made.take, folder / "walkon-demo.take")
        audit = made.take.audit(fps=AUDIT_RATE_HZ, progress=bars("measuring"))
        _print_audit(audit)
        page = _write_page(made.take, audit, folder / "walkon-demo.html")
        typer.echo(f"wrote {file}" + (f" and {page} ({page.stat().st_size / 1e6:.1f} MB)" if page else ""))
        typer.echo(f"  after {time.perf_counter() - begun:.1f} s")
        typer.echo(f"wrote {_draw_picture(made.take, folder / 'walkon-demo.png')}")
    if page is not None:
        typer.echo(f"open {page} in a browser, and press ? there")
    typer.echo(f"next: walkon view {file} · walkon check {file} --report audit.html · walkon export {file} -o demo.glb")


def _load() -> None:
    """Import what comes after planning while that goes on: its compiled parts leave a processor free."""
    import walkon.drawing
    import walkon.take.auditing._kernels
    import walkon.viewer.page_file  # noqa: F401


def _write_page(take: "Take", audit: "Audit", path: Path) -> Path | None:
    """Write the page; None where there is none to write."""
    from walkon.viewer.page_file import write_page

    try:
        return write_page(take, path, title=TITLE, audit=audit)
    except UnreadableFile as error:  # the page is not built: no Node when the package was installed
        typer.echo(f"  no page: {error}")
        return None


def _print_plan(made: "Performance", guests: int) -> None:
    missed = len({who for who, _, _ in made.unmet})
    spent = timing(made)
    typer.echo(
        f"  {guests - missed} of {guests} take their seats on time; planned in {1e3 * spent['mean_s']:.0f} ms per "
        f"person (worst {1e3 * spent['worst_s']:.0f} ms), {made.replanned} of them twice"
    )
    for who, mark, why in made.unmet:
        typer.echo(f"  not met: {who}.{mark}: {why}")


def _print_audit(audit: "Audit") -> None:
    from walkon.drawing.audit_words import verdict

    f, source = audit.figures, audit.source
    marks, slide = f["marks"], f["foot_slide"]
    typer.echo(f"  measured on the posed take, {f['fps']:g} times a second: {verdict(audit)[1]}")
    typer.echo(
        f"  {marks['count'] - len(marks['unmet'])} of {marks['count']} marks met; footprints overlap in "
        f"{f['collisions']['pair_frames']} frames, limbs touch in {f['bodies']['pair_frames']}"
    )
    typer.echo(
        f"  planted feet slide {slide['max_m_s'] * 1e3:.2f} mm/s at most, in the source clips "
        f"{source['foot_slide']['max_m_s'] * 1e3:.1f} mm/s"
    )


def _draw_picture(take: "Take", path: Path) -> Path:
    import numpy as np

    from walkon.drawing import draw_take, save_png

    met = take.marks.met[np.isfinite(take.marks.met)]
    when = float(np.quantile(met, PICTURE_SEATED_SHARE)) if len(met) else 0.5 * (take.start + take.stop)
    return save_png(draw_take(take, when, size=(1280, 720)), path)
