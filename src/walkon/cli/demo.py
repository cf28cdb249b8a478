"""`walkon demo`: a first walk, cleaned, measured and drawn, without any data."""

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["demo"]


def demo(
    folder: Annotated[Path, typer.Option("-o", "--output", help="Folder to write into.")] = Path(),
    speed: Annotated[float, typer.Option(help="Walking speed in m/s, 0.4 to 2.0.")] = 1.35,
    seed: Annotated[int, typer.Option(help="The same seed gives the same walk.")] = 7,
) -> None:
    """Make one short walk, take it through the same import as motion capture, and draw it.

    Writes walkon-demo.bvh (opens in Blender) and walkon-demo.png (a contact sheet).
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
    typer.echo(f"wrote {motion} and {picture}: look at the picture")
