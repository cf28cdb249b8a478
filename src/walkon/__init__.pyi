"""The public names of Walkon and where each lives: the one list, for type checkers and for the facade beside it."""

# ruff: noqa: I001 (one import per home)
from walkon import (
    capture as capture,
    crowd as crowd,
    drawing as drawing,
    geometry as geometry,
    graphs as graphs,
    io as io,
    motion as motion,
    reproduce as reproduce,
    script as script,
    stage as stage,
    studio as studio,
    synthesis as synthesis,
    take as take,
    transforms as transforms,
    viewer as viewer,
)
from walkon._base.errors import (
    CannotWrite as CannotWrite,
    FileError as FileError,
    InvalidClip as InvalidClip,
    InvalidShape as InvalidShape,
    InvalidSkeleton as InvalidSkeleton,
    InvalidValue as InvalidValue,
    MissingExtra as MissingExtra,
    MissingRole as MissingRole,
    NewerFile as NewerFile,
    ScaleError as ScaleError,
    UnknownName as UnknownName,
    UnreadableFile as UnreadableFile,
    WalkonError as WalkonError,
)
from walkon.capture import (
    build_library as build_library,
    builtin_library as builtin_library,
    clean as clean,
    library_from_folder as library_from_folder,
)
from walkon.crowd import (
    Performance as Performance,
    check_scene as check_scene,
    perform as perform,
)
from walkon.drawing import (
    contact_sheet as contact_sheet,
    draw_take as draw_take,
    save_png as save_png,
    strobe as strobe,
)
from walkon.export.export import (
    export as export,
)
from walkon.graphs import (
    MotionGraph as MotionGraph,
    build_graph as build_graph,
    load_graph as load_graph,
    save_graph as save_graph,
)
from walkon.graphs.snap_together import (
    SnapGraph as SnapGraph,
    build_snap_graph as build_snap_graph,
    builtin_snap_graph as builtin_snap_graph,
)
from walkon.io import (
    load as load,
    load_library as load_library,
    load_scene as load_scene,
    save as save,
    save_library as save_library,
)
from walkon.motion import (
    Clip as Clip,
    Ensemble as Ensemble,
    Event as Event,
    Skeleton as Skeleton,
)
from walkon.motion.body import (
    Body as Body,
)
from walkon.motion.contacts.detection import (
    detect_contacts as detect_contacts,
)
from walkon.motion.editing import (
    cut as cut,
    join as join,
    place as place,
    resample as resample,
)
from walkon.motion.contacts.ground_plane import (
    ground as ground,
)
from walkon.motion.contacts.foot_lock import (
    lock_feet as lock_feet,
)
from walkon.motion.library import (
    Library as Library,
)
from walkon.motion.mirroring import (
    mirror as mirror,
)
from walkon.motion.retargeting import (
    retarget as retarget,
)
from walkon.script import (
    Action as Action,
    Cast as Cast,
    Character as Character,
    Mark as Mark,
    Moment as Moment,
    PlacedProp as PlacedProp,
    Scene as Scene,
    Seeds as Seeds,
)
from walkon.stage import (
    Door as Door,
    Obstacle as Obstacle,
    Prop as Prop,
    Seat as Seat,
    Stage as Stage,
)
from walkon.take import (
    Take as Take,
    TakeWriter as TakeWriter,
    load_take as load_take,
    save_take as save_take,
)
from walkon.viewer import (
    show as show,
)

__version__: str
