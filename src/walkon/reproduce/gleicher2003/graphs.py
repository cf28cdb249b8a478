"""The clips of Gleicher 2003's experiments, and graphs of them with the seconds that these take.

Hubs are the largest match set, at a passing pose where that is nearly as large (one hub), or the suggested ones.
"""

from walkon._base.errors import InvalidValue
from walkon.graphs.frame_distance import typical_distance
from walkon.graphs.snap_together.build import SHARE, build_snap_graph, compared
from walkon.graphs.snap_together.connected import build_connected_graph
from walkon.graphs.snap_together.matching.match_sets import largest
from walkon.graphs.snap_together.matching.passing import postures
from walkon.graphs.snap_together.matching.suggestions import library_frames
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.motion.editing import cut
from walkon.motion.library import Library
from walkon.reproduce.recordings import FORWARD, MotionSource
from walkon.reproduce.timing import load_kernels, timed

__all__ = [
    "build_one_hub",
    "build_suggested",
    "everyday_and_threshold",
    "styled_clips",
    "walks",
    "walks_and_everyday",
]

EVERYDAY = ("143_11", "143_13", "143_18", "143_19", "143_25", "143_29")
"""Subject 143 fetches a box and a basket, sits down and rises, waves, paces: 76 s."""
JOINED_M = 0.05
"""The threshold for two performers; that for one person's walks would leave standing and sitting apart."""
STYLE_S = 13.0
"""Length of a clip in some style."""
WALKED = (
    "wander_slow",
    *(f"arc_{side}_{kind}" for kind in ("0.80_25", "0.80_50", "0.80_80", "1.20_80") for side in ("left", "right")),
    *(f"sharp_{side}_{kind}" for kind in ("90_0.90", "180_0.90") for side in ("left", "right")),
)
SAT = ("idle_neutral", "walk_0.90", "sit_front", "sit_idle", "rise_and_leave_left", "rise_and_leave_right")
"""Of the built-in library: 100 s of walking, and what is done with a chair."""


def styled_clips(motion: MotionSource) -> list[tuple[Library, float | None, str]]:
    """Return clips of 13 s in some style, each with the threshold for it (m; None: the usual one) and with words."""
    if motion.folder is None:
        return [(_cut(motion.styles(), "tired", 4.0), None, "13 s of the built-in performer's tired walk, one hub")]
    sad, old = motion.clips(("142_15",)), motion.clips(("137_33",))
    return [
        (_cut(sad, "142_15", 4.0), None, "13 s of a sad walk (142_15), one hub"),
        (_cut(old, "137_33", 2.0), None, "13 s of an old man's walk (137_33), one hub"),
        (_cut(old, "137_33", 2.0), 0.04, "the same, match frames within 4 cm"),
    ]


def _cut(library: Library, name: str, start: float) -> Library:
    return Library.of([cut(library[name], start, start + STYLE_S)])


def walks(motion: MotionSource) -> Library:
    """Return 100 s of walking, without mirror images."""
    if motion.folder is not None:
        return Library.of([motion.clips(FORWARD)[name] for name in FORWARD])
    return Library.of([motion.builtin()[name] for name in WALKED])


def everyday_and_threshold(motion: MotionSource) -> tuple[Library, float | None]:
    """Return the second set, and the threshold (m) for it and for what it is joined with."""
    if motion.folder is not None:
        return motion.clips(EVERYDAY), JOINED_M
    return Library.of([motion.builtin()[name] for name in SAT]), None


def walks_and_everyday(motion: MotionSource) -> Library:
    """Return both sets in one library, with mirror images where they are captured."""
    if motion.folder is not None:
        return motion.clips(FORWARD + EVERYDAY)
    return Library.of([*walks(motion), *everyday_and_threshold(motion)[0]])


def build_one_hub(library: Library, threshold: float | None = None) -> tuple[SnapGraph, float]:
    """Return the graph of the largest match set within a threshold (m), and the seconds from clips to graph."""
    load_kernels()
    return timed(_one_hub, library, threshold)


def _one_hub(library: Library, threshold: float | None) -> SnapGraph:
    frames = compared(library)
    limit = SHARE * typical_distance(frames) if threshold is None else threshold
    passing = postures(library).passing[library_frames(library, frames)]
    found = largest(frames, threshold=limit, preferred=passing)
    if found is None:
        raise InvalidValue(f"no two moments of {', '.join(library.names)} are within {100 * limit:.3g} cm")
    return build_snap_graph(library, {"hub": found}, frames=frames)


def build_suggested(library: Library, threshold: float | None) -> tuple[SnapGraph, float]:
    """Return the graph of the suggested hubs, and the seconds from clips to graph."""
    load_kernels()
    return timed(build_connected_graph, library, threshold=threshold)
