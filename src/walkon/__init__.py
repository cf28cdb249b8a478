"""Walkon turns motion capture into crowds: whole bodies that hit their marks on time, touch nobody and slide no foot.

    import walkon

    scene = walkon.load_scene("theatre.yaml")   # who must be where, when, in which pose
    take = walkon.perform(scene, seed=7)        # everybody walks there, as whole bodies
    take.audit()                                # measured on the posed result
    walkon.export(take, "theatre.html")         # or .glb, .usdc, .mp4 …; walkon.show(take) in a notebook

This module is a lazy facade: a name is imported when it is first used, so that `import walkon` costs next to nothing.
Conventions (units, axes, shapes) are in docs/conventions.md.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "walkon.motion": ("Clip", "Ensemble", "Event", "Skeleton"),
    "walkon.motion.body": ("Body",),
    "walkon.motion.contacts": ("detect_contacts",),
    "walkon.motion.editing": ("cut", "join", "place", "resample"),
    "walkon.motion.floor": ("ground",),
    "walkon.motion.foot_lock": ("lock_feet",),
    "walkon.motion.library": ("Library",),
    "walkon.motion.mirroring": ("mirror",),
    "walkon.motion.retargeting": ("retarget",),
    "walkon.crowd": ("Performance",),
    "walkon.crowd.taking": ("perform",),
    "walkon.io": ("load", "load_library", "load_scene", "save", "save_library"),
    "walkon.capture": ("build_library", "builtin_library", "clean", "library_from_folder"),
    "walkon.drawing": ("contact_sheet", "draw_take", "save_png", "strobe"),
    "walkon.export.export": ("export",),
    "walkon.graphs": ("MotionGraph", "build_graph", "load_graph", "save_graph"),
    "walkon.graphs.snap_together": ("SnapGraph", "build_snap_graph", "builtin_snap_graph"),
    "walkon.script": ("Action", "Cast", "Character", "Mark", "Moment", "PlacedProp", "Scene", "Seeds", "check_scene"),
    "walkon.stage": ("Door", "Obstacle", "Prop", "Seat", "Stage"),
    "walkon.take": ("Take", "TakeWriter", "load_take", "save_take"),
    "walkon.viewer": ("show",),
    "walkon._base.errors": (
        "CannotWrite",
        "FileError",
        "InvalidClip",
        "InvalidShape",
        "InvalidSkeleton",
        "InvalidValue",
        "MissingExtra",
        "MissingRole",
        "NewerFile",
        "ScaleError",
        "UnknownName",
        "UnreadableFile",
        "WalkonError",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_PACKAGES = (
    "capture",
    "crowd",
    "drawing",
    "geometry",
    "graphs",
    "io",
    "motion",
    "reproduce",
    "script",
    "stage",
    "studio",
    "synthesis",
    "take",
    "transforms",
    "viewer",
)

__all__ = sorted([*_HOME_OF, *_PACKAGES, "__version__"])  # noqa: PLE0605

if TYPE_CHECKING:
    from walkon._base.errors import (
        CannotWrite as CannotWrite,
    )
    from walkon._base.errors import (
        FileError as FileError,
    )
    from walkon._base.errors import (
        InvalidClip as InvalidClip,
    )
    from walkon._base.errors import (
        InvalidShape as InvalidShape,
    )
    from walkon._base.errors import (
        InvalidSkeleton as InvalidSkeleton,
    )
    from walkon._base.errors import (
        InvalidValue as InvalidValue,
    )
    from walkon._base.errors import (
        MissingExtra as MissingExtra,
    )
    from walkon._base.errors import (
        MissingRole as MissingRole,
    )
    from walkon._base.errors import (
        NewerFile as NewerFile,
    )
    from walkon._base.errors import (
        ScaleError as ScaleError,
    )
    from walkon._base.errors import (
        UnknownName as UnknownName,
    )
    from walkon._base.errors import (
        UnreadableFile as UnreadableFile,
    )
    from walkon._base.errors import (
        WalkonError as WalkonError,
    )
    from walkon.capture import (
        build_library as build_library,
    )
    from walkon.capture import (
        builtin_library as builtin_library,
    )
    from walkon.capture import (
        clean as clean,
    )
    from walkon.capture import (
        library_from_folder as library_from_folder,
    )
    from walkon.crowd import Performance as Performance
    from walkon.crowd.taking import perform as perform
    from walkon.drawing import contact_sheet as contact_sheet
    from walkon.drawing import draw_take as draw_take
    from walkon.drawing import save_png as save_png
    from walkon.drawing import strobe as strobe
    from walkon.export.export import export as export
    from walkon.graphs import MotionGraph as MotionGraph
    from walkon.graphs import build_graph as build_graph
    from walkon.graphs import load_graph as load_graph
    from walkon.graphs import save_graph as save_graph
    from walkon.graphs.snap_together import SnapGraph as SnapGraph
    from walkon.graphs.snap_together import build_snap_graph as build_snap_graph
    from walkon.graphs.snap_together import builtin_snap_graph as builtin_snap_graph
    from walkon.io import load as load
    from walkon.io import load_library as load_library
    from walkon.io import load_scene as load_scene
    from walkon.io import save as save
    from walkon.io import save_library as save_library
    from walkon.motion import Clip as Clip
    from walkon.motion import Ensemble as Ensemble
    from walkon.motion import Event as Event
    from walkon.motion import Skeleton as Skeleton
    from walkon.motion.body import Body as Body
    from walkon.motion.contacts import detect_contacts as detect_contacts
    from walkon.motion.editing import cut as cut
    from walkon.motion.editing import join as join
    from walkon.motion.editing import place as place
    from walkon.motion.editing import resample as resample
    from walkon.motion.floor import ground as ground
    from walkon.motion.foot_lock import lock_feet as lock_feet
    from walkon.motion.library import Library as Library
    from walkon.motion.mirroring import mirror as mirror
    from walkon.motion.retargeting import retarget as retarget
    from walkon.script import Action as Action
    from walkon.script import Cast as Cast
    from walkon.script import Character as Character
    from walkon.script import Mark as Mark
    from walkon.script import Moment as Moment
    from walkon.script import PlacedProp as PlacedProp
    from walkon.script import Scene as Scene
    from walkon.script import Seeds as Seeds
    from walkon.script import check_scene as check_scene
    from walkon.stage import Door as Door
    from walkon.stage import Obstacle as Obstacle
    from walkon.stage import Prop as Prop
    from walkon.stage import Seat as Seat
    from walkon.stage import Stage as Stage
    from walkon.take import Take as Take
    from walkon.take import TakeWriter as TakeWriter
    from walkon.take import load_take as load_take
    from walkon.take import save_take as save_take
    from walkon.viewer import show as show


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"walkon.{name}")
    if name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'walkon' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
