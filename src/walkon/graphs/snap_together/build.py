"""From a library to a snap-together graph: hubs, common poses, edges, and what is wrong with it, in words.

    frames → match sets → common poses (constraints) → linked feet → edges → dead ends

Metres, seconds. Reference: Gleicher, Shin, Kovar, Jepsen 2003, section 4.
"""

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import InvalidValue, UnknownName
from walkon._base.table import Column
from walkon.graphs.file import as_stored
from walkon.graphs.frame_distance import typical_distance
from walkon.graphs.point_clouds import FrameSet, library_frames
from walkon.graphs.snap_together.cutting import common_pose
from walkon.graphs.snap_together.cutting.assembling import assemble
from walkon.graphs.snap_together.cutting.constraints import majority, solve_common_poses
from walkon.graphs.snap_together.cutting.edges import cut_edges, edge_contacts
from walkon.graphs.snap_together.cutting.linked import find_links, join_feet, linked_stops
from walkon.graphs.snap_together.matching.match_sets import MatchSet
from walkon.graphs.snap_together.matching.pairing import RESTING, pairs_with_copies, primary_matches
from walkon.graphs.snap_together.matching.passing import Posture, postures, stances_of
from walkon.graphs.snap_together.matching.suggestions import LOW, UPRIGHT, labelled, suggest_hubs
from walkon.graphs.snap_together.snap_graph import Hubs, Matches, SnapGraph
from walkon.motion.library import Library

__all__ = ["build_snap_graph", "compared"]

SHARE = 0.7
"""The default threshold over the typical distance between windows 0.1 s apart: what joins steps of one person. On CMU
69 with images 0.55 gives 26 edges a pair and 0.7 gives 52, at 2.7 degrees of bend (8.6 at the 95th percentile)."""
Progress = Callable[[int, int, str], None]


def compared(library: Library, *, rate: float = 30.0, window: float = 1 / 3) -> FrameSet:
    """Return the compared frames of a library: what match sets are made of."""
    return FrameSet.of(library, rate=rate, window=window, layout="centred")


def build_snap_graph(
    library: Library,
    hubs: Mapping[str, MatchSet] | None = None,
    *,
    copies: Sequence[Collection[str]] = (),
    frames: FrameSet | None = None,
    threshold: float | None = None,
    spacing: float = 1 / 3,
    bands: int = 3,
    rounds: int = 3,
    progress: Progress | None = None,
) -> SnapGraph:
    """Build a snap-together graph.

    `hubs` are match sets by name, over `frames` (see `compared` and `match_sets`); without them they are suggested from
    the library, with this `threshold` (m; 0.7 of the typical distance if not given) and up to `bands` walking speeds.
    Further `copies` of the clips are cut at some of the hubs only, for what lies across the others (sharp turns).
    `spacing` is w_min, the least time between two match frames; `rounds` how often common poses are refined.
    """
    show = progress or (lambda done, total, what: None)
    show(0, 5, "comparing frames")
    library = as_stored(library)
    frames = compared(library) if frames is None else frames
    _check_numbers(library, frames, threshold, spacing, rounds)
    if threshold is None:
        threshold = SHARE * typical_distance(frames)
    posture = postures(library)
    if hubs is None:
        show(1, 5, "looking for hubs")
        hubs, copies = suggest_hubs(library, frames, threshold=threshold, spacing=spacing, bands=bands, posture=posture)
    if not hubs:
        raise InvalidValue(
            f"no two moments of these {len(library)} clips are within {threshold * 100:.3g} cm of each other, so there "
            "is no hub; raise the threshold, or give clips that have a pose in common"
        )
    _check_unmixed(library, frames, hubs, posture)
    show(2, 5, "common poses")
    matches = _matches(library, frames, hubs)
    frame = library.starts[matches.clip] + matches.frame
    hub = matches.hub.astype(np.int64)
    names, least = tuple(hubs), int(spacing * library.fps + 1e-6)
    primary = primary_matches(matches.clip, matches.frame, matches.distance, spacing=least)
    _check_primary(names, hub, primary)
    stances = stances_of(library.skeleton, majority(library.contacts[frame[primary]], hub[primary], len(hubs)))
    laid, bases = _lay(library, frames, hubs, stances)
    common = solve_common_poses(library, hub, frame, laid, primary=primary, rounds=rounds)
    show(3, 5, "edges")
    speeds = np.linalg.norm(common.speeds.roots[:, :2], axis=1)
    for name in {name for copy in copies for name in copy}:
        UnknownName.check("hub", name, names)
    pairs = pairs_with_copies(
        matches.clip,
        matches.frame,
        hub,
        primary=primary,
        spacing=least,
        copies=[[names.index(name) for name in copy] for copy in copies],
        places=common.places,
        rests=speeds < RESTING,
        fps=library.fps,
    )
    if not len(pairs.first):
        raise InvalidValue(
            f"no clip has two match frames that are {spacing:.3g} s or more apart, so there is no edge; raise the "
            "threshold, lower the spacing, or give longer clips"
        )
    contacts = edge_contacts(library, hub, frame, common, pairs)
    links = find_links(library, frame, pairs, contacts)
    common = join_feet(library, hub, common, pairs, links)
    stops = linked_stops(library, hub, common, pairs, links)
    cut = cut_edges(library, hub, frame, common, pairs, stops=stops, contacts=contacts)
    show(4, 5, "footprints")
    graph = assemble(
        library,
        names,
        hubs=Hubs.filled(
            len(hubs),
            stance=stances,
            speed=speeds,
            base=bases,
            threshold=[found.threshold for found in hubs.values()],
        ),
        matches=matches.with_columns(pose=common.places),
        primary=primary,
        common=common,
        pairs=pairs,
        cut=cut,
        settings={
            "rate": frames.rate,
            "window": frames.length / frames.rate,
            "spacing": spacing,
            "threshold": threshold,
            "rounds": rounds,
            "copies": [list(copy) for copy in copies],
        },
    )
    show(5, 5, "")
    return graph


def _matches(library: Library, frames: FrameSet, hubs: Mapping[str, MatchSet]) -> Matches:
    at = library_frames(library, frames)
    parts = []
    for number, found in enumerate(hubs.values()):
        if len(found.frames) == 0:
            raise InvalidValue(f"the hub {list(hubs)[number]!r} has no match frames")
        clips = frames.clips_of(found.frames)
        parts.append(
            Matches.filled(
                len(found.frames),
                hub=number,
                clip=clips,
                frame=at[found.frames] - library.starts[clips],
                distance=found.distances,
            )
        )
    return Matches.joined(parts)


def _check_numbers(library: Library, frames: FrameSet, threshold: float | None, spacing: float, rounds: int) -> None:
    if threshold is not None and not (np.isfinite(threshold) and threshold > 0):
        raise InvalidValue(f"the threshold must be positive, got {threshold} m")
    if not (np.isfinite(spacing) and spacing >= 0):
        raise InvalidValue(f"the spacing must be 0 or more seconds, got {spacing}")
    seconds = (library.stops - library.starts - 1) / library.fps
    if spacing >= max(seconds.max(), frames.length / frames.rate):
        raise InvalidValue(
            f"the spacing of {spacing:g} s is no shorter than the longest clip ({library.names[seconds.argmax()]}, "
            f"{seconds.max():.1f} s), so no clip could have two match frames; lower the spacing or give longer clips"
        )
    if not (isinstance(rounds, int) and 0 <= rounds <= 100):
        raise InvalidValue(f"rounds must be a whole number from 0 to 100, got {rounds}")
    if frames.layout != "centred":
        raise InvalidValue("frames must have the centred layout; make them with compared(library)")
    if frames.names != library.names:
        raise InvalidValue("frames must be those of this library; make them with compared(library)")


def _check_unmixed(library: Library, frames: FrameSet, hubs: Mapping[str, MatchSet], posture: Posture) -> None:
    """Refuse match sets that join somebody seated with somebody on their feet, or hands full with hands free.

    A common pose of both would be neither, and whoever reached it sitting could leave it walking. Suggested hubs never
    mix (each is of one family); sets that were grown or picked by hand with a large threshold may. The message says
    where, and which threshold would not.
    """
    at = library_frames(library, frames)
    height = posture.height[at]
    seated = labelled(library, at, "seated") | (height < LOW)
    carry = labelled(library, at, "carry")
    for name, found in hubs.items():
        for words, one, other in (
            (("sitting", "standing or walking"), seated, (height > UPRIGHT) & ~seated),
            (("carrying", "empty hands"), carry, ~carry),
        ):
            a, b = found.frames[one[found.frames]], found.frames[other[found.frames]]
            if not len(a) or not len(b):
                continue
            mine = one[found.seed] if one[found.seed] or other[found.seed] else len(a) >= len(b)
            wrong = other if mine else one
            nearest = int(np.argmin(np.where(wrong[found.frames], found.distances, np.inf)))
            here, there = (f"{frames.names[frames.clips_of(f)]} at {frames.times[f]:.2f} s" for f in (a[0], b[0]))
            raise InvalidValue(
                f"the hub {name!r} would join {words[0]} ({here}) with {words[1]} ({there}); lower its threshold of "
                f"{found.threshold * 100:.1f} cm below {found.distances[nearest] * 100:.1f} cm, or leave those frames "
                "out"
            )


def _check_primary(names: tuple[str, ...], hub: IntArray, primary: BoolArray) -> None:
    alone = np.setdiff1d(np.arange(len(names)), hub[primary])
    if len(alone):
        raise InvalidValue(
            f"every match frame of the hub {names[alone[0]]!r} is nearer to another hub; leave one of the two out, or "
            "pick other frames"
        )


def _lay(library: Library, frames: FrameSet, hubs: Mapping[str, MatchSet], stances: Column) -> tuple[Array, IntArray]:
    """Return T_kb [M, 3] of all match frames, and each hub's base as a row of the matches."""
    weighted: dict[int, FrameSet] = {}
    laid, bases, first = [], [], 0
    for found, stance in zip(hubs.values(), stances.tolist(), strict=True):
        if stance not in weighted:
            weights = common_pose.stance_weights(library.skeleton, stance)
            window = frames.length / frames.rate
            weighted[stance] = FrameSet.of(
                library, rate=frames.rate, window=window, layout="centred", joint_weights=weights
            )
        base = common_pose.central(frames, found.frames)
        laid.append(common_pose.lay_on_base(weighted[stance], found.frames, base))
        bases.append(first + base)
        first += len(found.frames)
    return np.concatenate(laid), np.array(bases)
