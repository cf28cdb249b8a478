"""`walkon warm-up`: compile all kernels for this machine once, so that nothing else has to wait for it."""

import importlib
import time

import typer

__all__ = ["warm_up"]


def warm_up() -> None:
    """Compile for this machine, once, on all its processors; later runs load the result in a moment."""
    import multiprocessing
    import pkgutil
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from pathlib import Path

    import walkon
    from walkon._base.cache import cache_folder, cache_problems
    from walkon._base.threads import thread_count

    families = [
        module.name
        for module in pkgutil.walk_packages(walkon.__path__, "walkon.")
        if module.name.rsplit(".", 1)[-1].endswith("_kernels")
    ]
    # Long ones first, so that the last one does not run alone.
    families.sort(key=lambda name: -(Path(walkon.__path__[0]).parent / f"{name.replace('.', '/')}.py").stat().st_size)
    folder = cache_folder()
    begun = time.perf_counter()
    # One process can compile one thing at a time; without a cache what another one compiles is of no use.
    workers = min(thread_count(), len(families)) if folder else 1
    if workers > 1:
        with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
            for done in as_completed([pool.submit(_compile, family) for family in families]):
                _print_family(*done.result())
    else:
        for family in families:
            _print_family(*_compile(family))
    typer.echo(f"  {time.perf_counter() - begun:.1f} s in all")
    for problem in cache_problems():
        typer.echo(f"  not used: {problem}")
    typer.echo(f"  kept in {folder}" if folder else "  there is no folder to keep it in: every run will compile again")


def _compile(family: str) -> tuple[str, float]:
    """Import a module of kernels, which compiles them or loads them from the cache; returns it and the seconds."""
    begun = time.perf_counter()
    importlib.import_module(family)
    return family, time.perf_counter() - begun


def _print_family(family: str, seconds: float) -> None:
    typer.echo(f"  {family.removeprefix('walkon.').removesuffix('._kernels')}: {seconds:.1f} s")
