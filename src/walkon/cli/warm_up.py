"""`walkon warm-up`: compile all kernels for this machine once, so that nothing else has to wait for it."""

import typer

__all__ = ["warm_up"]


def warm_up() -> None:
    """Compile for this machine, once; later runs load the result in a moment."""
    import importlib
    import pkgutil
    import time

    import walkon
    from walkon._base.cache import cache_folder

    families = sorted(
        module.name
        for module in pkgutil.walk_packages(walkon.__path__, "walkon.")
        if module.name.rsplit(".", 1)[-1].endswith("_kernels")
    )
    for family in families:
        start = time.perf_counter()
        importlib.import_module(family)
        name = family.removeprefix("walkon.").removesuffix("._kernels")
        typer.echo(f"  {name}: {time.perf_counter() - start:.1f} s")
    folder = cache_folder()
    typer.echo(f"  kept in {folder}" if folder else "  nothing can be written here: every run will compile again")
