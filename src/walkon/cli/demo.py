"""`walkon demo`: a first walk and a first crowd, cleaned, measured and drawn, without any data."""

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["demo"]


def demo(
    folder: Annotated[Path, typer.Option("-o", "--output", help="Folder to write into.")] = Path(),
    speed: Annotated[float, typer.Option(help="Walking speed in m/s, 0.4 to 2.0.")] = 1.35,
    seed: Annotated[int, typer.Option(help="The same seed gives the same walk.")] = 7,
) -> None:
    """Make one short walk, then a small crowd: cleaned, checked and drawn, without any data.

    Writes walkon-demo.bvh (opens in Blender), walkon-demo.png (a contact sheet), walkon-demo.take (a dozen people),
    walkon-demo-crowd.png (a picture of them) and walkon-demo.html (a page that plays them).
    """
    from walkon import capture, io, studio
    from walkon._base.errors import CannotWrite
    from walkon.capture.build import planted_drift
    from walkon.drawing import contact_sheet, save_png
    from walkon.motion.contacts import stance

    if not folder.is_dir():
        raise CannotWrite("there is no such folder; make it first", path=folder)
    typer.echo(f"the built-in performer walks at {speed:g} m/s …")
    recorded = studio.walk(speed=speed, duration=4.0, seed=seed)
    motion = io.save(recorded, folder / "walkon-demo.bvh")
    typer.echo("its recording goes through the same import as any motion capture …")
    clip = capture.clean(io.load(motion))
    left, right = stance(clip).mean(axis=0)
    typer.echo(f"  {clip!r}")
    typer.echo(
        f"  feet down {left:.0%} and {right:.0%} of the time; planted points drift {planted_drift(clip) * 1e3:.2f} mm"
    )
    picture = save_png(contact_sheet(clip), folder / "walkon-demo.png")
    typer.echo(f"  wrote {motion} and {picture}")
    _crowd(folder, seed)


def _crowd(folder: Path, seed: int) -> None:
    from walkon._base.errors import UnreadableFile
    from walkon.capture import builtin_library
    from walkon.cli.demo_crowd import clearest_moment, demo_crowd
    from walkon.cli.reading import bar
    from walkon.drawing import draw_take, save_png
    from walkon.drawing.audit_words import verdict
    from walkon.take.file import save_take
    from walkon.viewer.page_file import write_page

    typer.echo("the built-in library: made on first use, which takes some seconds, and kept …")
    with bar("the performer records a session") as show:
        library = builtin_library(progress=lambda done, total, name: show(done / total))
    typer.echo(f"  {library!r}")
    typer.echo("a dozen of its people share a square, placed until nobody touches anybody …")
    take, audit = demo_crowd(library, seed=seed)
    f = audit.figures
    met = f["marks"]["count"] - len(f["marks"]["unmet"])
    slide, own = f["foot_slide"]["max_m_s"], audit.source["foot_slide"]["max_m_s"]
    typer.echo(f"  {verdict(audit)[1]} Measured on the posed take, {f['fps']:g} times a second:")
    typer.echo(f"  bodies touch in {f['bodies']['pair_frames']} frames; {met} of {f['marks']['count']} marks met")
    typer.echo(f"  planted feet slide {slide * 1e3:.2f} mm/s at most, in the source clips {own * 1e3:.1f} mm/s")
    file = save_take(take, folder / "walkon-demo.take")
    picture = save_png(draw_take(take, clearest_moment(take), size=(1600, 900)), folder / "walkon-demo-crowd.png")
    typer.echo(f"  wrote {file} ({file.stat().st_size / 1e6:.1f} MB) and {picture}")
    try:
        page = write_page(take, folder / "walkon-demo.html", title="A dozen people on a square", audit=audit)
    except UnreadableFile as error:  # the page is not built: no Node when the package was installed
        typer.echo(f"  no page: {error}")
    else:
        typer.echo(f"  wrote {page} ({page.stat().st_size / 1e6:.1f} MB): open it in a browser, and press ? there")
    typer.echo(f"next: walkon view {file} · walkon check {file} --report audit.html · walkon export {file} -o demo.glb")
