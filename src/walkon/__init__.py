"""Walkon turns motion capture into crowds: whole bodies that hit their marks on time, touch nobody and slide no foot.

    import walkon

    scene = walkon.load_scene("theatre.yaml")   # who must be where, when, in which pose
    take = walkon.perform(scene, seed=7)        # everybody walks there, as whole bodies
    take.audit()                                # measured on the posed result
    walkon.export(take, "theatre.html")         # or .glb, .usdc, .mp4 …; walkon.show(take) in a notebook

This module is a lazy facade: a name is imported when it is first used, so that `import walkon` costs next to nothing.
Names and their homes are listed once, as the imports of the stub `__init__.pyi`, which type checkers read as well.
Conventions (units, axes, shapes) are in docs/conventions.md.
"""

from walkon._base.lazy import attach_stub

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = attach_stub(__name__)
__all__ = sorted([*__all__, "__version__"])  # noqa: PLE0605
