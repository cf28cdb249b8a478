"""From a library to a snap-together graph: hubs, common poses, edges, and what is wrong with it, in words.

    frames → match sets → common poses (constraints) → linked feet → edges → dead ends

Metres, seconds. Reference: Gleicher, Shin, Kovar, Jepsen 2003, section 4.
"""

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import InvalidValue, UnknownName
from walkon.graphs.frame_distance import typical_distance
from walkon.graphs.point_clouds import FrameSet
from walkon.graphs.snap_together import common_pose
from walkon.graphs.snap_together.assembling import assemble
from walkon.graphs.snap_together.constraints import majority, solve_common_poses
from walkon.graphs.snap_together.edges import Pairs, cut_edges, pair_matches
from walkon.graphs.snap_together.linked import find_links, join_feet, linked_stops
from walkon.graphs.snap_together.match_sets import MatchSet
from walkon.graphs.snap_together.mixing import check_unmixed
from walkon.graphs.snap_together.snap_graph import BOTH, LEFT, NEITHER, RIGHT, Hubs, Matches, SnapGraph
from walkon.graphs.snap_together.suggestions import library_frames, suggest_hubs
from walkon.motion.library import Library
from walkon.motion.skeleton import SIDES
from walkon.transforms import planar

__all__ = ["build_snap_graph", "compared"]

SHARE = 0.7
"""The default threshold over the typical distance between windows 0.1 s apart: what joins steps of one person. On CMU
69 with images 0.55 gives 26 edges a pair and 0.7 gives 52, at 2.7 degrees of bend (8.6 at the 95th percentile)."""
SHARP, LONGEST, RESTING = np.deg2rad(30.0), 4.0, 0.2
"""Further copies of clips add edges that turn by this much, or that lead from hubs slower than RESTING m/s to faster
ones or back, within LONGEST seconds."""
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
    frames = compared(library) if frames is None else frames
    if threshold is None:
        threshold = SHARE * typical_distance(frames)
    if hubs is None:
        show(1, 5, "looking for hubs")
        hubs, copies = suggest_hubs(library, frames, threshold=threshold, spacing=spacing, bands=bands)
    if not hubs:
        raise InvalidValue(
            f"no two moments of these {len(library)} clips are within {threshold * 100:.1f} cm of each other, so there "
            "is no hub; raise the threshold, or give clips that have a pose in common"
        )
    check_unmixed(library, frames, hubs)
    show(2, 5, "common poses")
    matches = _matches(library, frames, hubs)
    frame = library.starts[matches.clip] + matches.frame
    hub = matches.hub.astype(np.int64)
    primary = _primary(matches, round(spacing * library.fps))
    stances = _stances(library, majority(library.contacts[frame[primary]], hub[primary], len(hubs)))
    laid, bases = _lay(library, frames, hubs, stances)
    common = solve_common_poses(library, hub, frame, laid, primary=primary, rounds=rounds)
    show(3, 5, "edges")
    speeds = np.linalg.norm(common.speeds.roots[:, :2], axis=1)
    pairs = _pairs(library, tuple(hubs), matches, common.places, speeds, primary, copies, round(spacing * library.fps))
    if not len(pairs.first):
        raise InvalidValue(
            "no clip has two match frames, so there is no edge; raise the threshold or give longer clips"
        )
    links = find_links(library, frame, hub, common, pairs)
    common = join_feet(library, hub, common, pairs, links)
    stops = linked_stops(library, hub, common, pairs, links)
    order = np.lexsort((pairs.first, hub[pairs.last], hub[pairs.first]))
    pairs, stops = Pairs(first=pairs.first[order], last=pairs.last[order]), stops[order]
    cut = cut_edges(library, hub, frame, common, pairs, stops)
    show(4, 5, "footprints")
    graph = assemble(
        library,
        tuple(hubs),
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


def _pairs(
    library: Library,
    names: tuple[str, ...],
    matches: Matches,
    places: Array,
    speeds: Array,
    primary: BoolArray,
    copies: Sequence[Collection[str]],
    spacing: int,
) -> Pairs:
    """Return the pairs of match frames that edges lie between, of the library and its copies.

    A copy adds only what the whole does not have: sharp turns, and ways between rest and motion (by hubs' `speeds`).
    """
    hub = matches.hub.astype(np.int64)
    pairs = pair_matches(matches.clip, matches.frame, hub, primary=primary, spacing=spacing)
    first, last = [pairs.first], [pairs.last]
    for copy in copies:
        unknown = [name for name in copy if name not in names]
        if unknown:
            raise UnknownName.among("hub", unknown[0], names)
        rows = np.flatnonzero(np.isin(hub, [names.index(name) for name in copy]))
        more = pair_matches(matches.clip[rows], matches.frame[rows], hub[rows], primary=primary[rows], spacing=spacing)
        a, b = rows[more.first], rows[more.last]
        seconds = (matches.frame[b] - matches.frame[a]) / library.fps
        turn = np.abs(planar.relative(places[a], places[b])[:, 2])
        rests = speeds < RESTING
        new = (seconds <= LONGEST) & ((turn >= SHARP) | (rests[hub[a]] != rests[hub[b]]))
        first.append(a[new])
        last.append(b[new])
    both = np.unique(np.column_stack([np.concatenate(first), np.concatenate(last)]), axis=0)
    return Pairs(first=both[:, 0], last=both[:, 1])


def _primary(matches: Matches, spacing: int) -> BoolArray:
    """Say which match frames [M] shape the common poses: near each other in a clip, the one with the least distance."""
    kept = np.zeros(len(matches), bool)
    taken: dict[int, list[int]] = {}
    for row in np.argsort(matches.distance, kind="stable").tolist():
        near = taken.setdefault(int(matches.clip[row]), [])
        if all(abs(int(matches.frame[row]) - other) >= spacing for other in near):
            near.append(int(matches.frame[row]))
            kept[row] = True
    return kept


def _stances(library: Library, contacts: BoolArray) -> IntArray:
    down = np.zeros((len(contacts), 2), bool)
    for side, name in enumerate(SIDES):
        columns = [c for c, contact in enumerate(library.skeleton.contact_names) if contact.startswith(f"{name}_")]
        down[:, side] = contacts[:, columns].any(axis=1)
    return np.select([down.all(axis=1), down[:, 0], down[:, 1]], [BOTH, LEFT, RIGHT], default=NEITHER)


def _lay(library: Library, frames: FrameSet, hubs: Mapping[str, MatchSet], stances: IntArray) -> tuple[Array, IntArray]:
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
