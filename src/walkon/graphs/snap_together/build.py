"""From a library to a snap-together graph: hubs, common poses, edges, and what is wrong with it, in words.

    frames → match sets → common poses (constraints) → linked feet → edges → dead ends

Recordings that show one thing each (walking alone; side steps alone) have hubs that no clip joins. Where nobody asked
for those, they are left out (`build_connected_graph`): the graph is built anew from the others, whose edges no longer
end at them, until all hubs reach each other. Hubs that somebody asked for, by giving them a threshold, stay: whether a
graph with such a hub outside its main part is any good is for them to say. The main part is the strongly connected one
with the most seconds of edges.

Metres, seconds. Reference: Gleicher, Shin, Kovar, Jepsen 2003, section 4.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from walkon._base.errors import InvalidValue, UnknownName
from walkon.graphs.file import as_stored
from walkon.graphs.frame_distance import typical_distance
from walkon.graphs.minima import Progress
from walkon.graphs.point_clouds import FrameSet, library_frames
from walkon.graphs.snap_together.cutting.common_pose import lay_matches
from walkon.graphs.snap_together.cutting.constraints import majority, solve_common_poses
from walkon.graphs.snap_together.cutting.edges import assemble, cut_edges, edge_contacts
from walkon.graphs.snap_together.cutting.linked import find_links, join_feet, linked_stops
from walkon.graphs.snap_together.judging.notes import describe_cut_off
from walkon.graphs.snap_together.matching import match_sets
from walkon.graphs.snap_together.matching.match_sets import MatchSet
from walkon.graphs.snap_together.matching.pairing import RESTING_BELOW_M_S, pairs_with_copies, primary_matches
from walkon.graphs.snap_together.matching.passing import Posture, postures, stances_of
from walkon.graphs.snap_together.matching.suggestions import (
    FAMILY_SPACING_S,
    SEATED_HEIGHT_RATIO,
    UPRIGHT_HEIGHT_RATIO,
    families,
    have_label,
    suggest_hubs,
)
from walkon.graphs.snap_together.snap_graph import Hubs, Matches, SnapGraph
from walkon.motion.library import Library

__all__ = ["build_connected_graph", "build_snap_graph", "compared"]

SNAP_THRESHOLD_RATIO = 0.7
"""The default threshold over the typical distance between windows 0.1 s apart: what joins steps of one person. On CMU
69 with images 0.55 gives 26 edges a pair and 0.7 gives 52, at 2.7 degrees of bend (8.6 at the 95th percentile)."""


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
        threshold = SNAP_THRESHOLD_RATIO * typical_distance(frames)
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
    alone = np.setdiff1d(np.arange(len(names)), hub[primary])
    if len(alone):
        raise InvalidValue(
            f"every match frame of the hub {names[alone[0]]!r} is nearer to another hub; leave one of the two out, or "
            "pick other frames"
        )
    stances = stances_of(library.skeleton, majority(library.contacts[frame[primary]], hub[primary], len(hubs)))
    laid, bases = lay_matches(library, frames, hubs, stances)
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
        resting=speeds < RESTING_BELOW_M_S,
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


def build_connected_graph(
    library: Library,
    *,
    frames: FrameSet | None = None,
    threshold: float | None = None,
    spacing: float = 1 / 3,
    bands: int = 3,
    without: Collection[str] = (),
    thresholds: Mapping[str, float] | None = None,
    keep_all: bool = False,
    progress: Progress | None = None,
) -> SnapGraph:
    """Build a graph of the hubs suggested for a library, less those that are not joined to the rest.

    Hubs `without` which it is wanted are left out; `thresholds` (m, by hub) grow hubs anew, and these stay even where
    they are cut off, as all hubs do with `keep_all`. Notes name the hubs that were left out for that. `frames`,
    `threshold`, `spacing` and `bands` are those of `build_snap_graph`.
    """
    show = progress or (lambda done, total, what: None)
    show(0, 5, "comparing frames")
    library = as_stored(library)
    frames = compared(library) if frames is None else frames
    limit = SNAP_THRESHOLD_RATIO * typical_distance(frames) if threshold is None else threshold
    show(1, 5, "looking for hubs")
    hubs, copies = suggest_hubs(library, frames, threshold=limit, spacing=spacing, bands=bands)
    asked = dict(thresholds or {})
    for name in (*without, *asked):
        UnknownName.check("hub", name, hubs)
    for name, mine in asked.items():
        hubs[name] = _grown(library, frames, hubs[name], threshold=mine, spacing=spacing)
    hubs = {name: found for name, found in hubs.items() if name not in without}
    if without and not hubs:
        raise InvalidValue("no hub is left; leave fewer of them out")
    notes: list[str] = []
    while True:
        kept = [[name for name in copy if name in hubs] for copy in copies]
        graph = build_snap_graph(
            library,
            hubs,
            # One that is cut at all hubs would be the library once more.
            copies=[copy for copy in kept if copy and len(copy) < len(hubs)],
            frames=frames,
            threshold=limit,
            spacing=spacing,
            progress=progress,
        )
        outside = {graph.hub_names[h] for h in np.flatnonzero(~graph.core)} - asked.keys()
        loops = graph.counts[np.ix_(graph.core, graph.core)].any()
        if keep_all or not outside or not loops:
            return replace(graph, notes=(*notes, *graph.notes))
        described = describe_cut_off(graph, among=outside)
        notes.append(
            f"left out: {described}; a higher threshold, or clips that lead there and back, would bring such a hub in"
        )
        hubs = {name: found for name, found in hubs.items() if name not in outside}


def _matches(library: Library, frames: FrameSet, hubs: Mapping[str, MatchSet]) -> Matches:
    for name, found in hubs.items():
        if len(found.frames) == 0:
            raise InvalidValue(f"the hub {name!r} has no match frames")
    number, members, distances = match_sets.stack_sets(list(hubs.values()))
    clips = frames.clips_of(members)
    at = library_frames(library, frames)[members] - library.starts[clips]
    return Matches.filled(len(members), hub=number, clip=clips, frame=at, distance=distances)


def _check_numbers(library: Library, frames: FrameSet, threshold: float | None, spacing: float, rounds: int) -> None:
    match_sets.check_limits(threshold, spacing)
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
    """Refuse match sets that join seated bodies with bodies on their feet, or hands full with hands free.

    A common pose of both would be neither, and a body that reached it sitting could leave it walking. Suggested hubs
    never mix (each is of one family); sets that were grown or picked by hand with a large threshold may. The message
    says where, and which threshold would not.
    """
    at = library_frames(library, frames)
    height = posture.height[at]
    seated = have_label(library, at, "seated") | (height < SEATED_HEIGHT_RATIO)
    carry = have_label(library, at, "carry")
    for name, found in hubs.items():
        for words, one, other in (
            (("sitting", "standing or walking"), seated, (height > UPRIGHT_HEIGHT_RATIO) & ~seated),
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


def _grown(library: Library, frames: FrameSet, found: MatchSet, *, threshold: float, spacing: float) -> MatchSet:
    """Grow a suggested hub from the same frame with another threshold, in the family of that frame."""
    kinds = families(library, frames)
    family = next((name for name, members in kinds.items() if members[found.seed]), "")
    among, room = kinds.get(family), max(spacing, FAMILY_SPACING_S.get(family, 0.0))
    return match_sets.grow(frames, found.seed, threshold=threshold, spacing=room, among=among)
