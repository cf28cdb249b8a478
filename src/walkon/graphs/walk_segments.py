"""Walks as placed clips: `segments_of`, the only way from edges to segments of a take; a take; one clip.

A snap-together graph's edge is a clip of its own, placed by the pose q of its start hub: every row is a segment, and
nothing is blended (Gleicher 2003, section 4.3: place, play, update the transform).

On a motion graph (Kovar 2002, section 4.1), with the body's pose q in the world at an edge's start,

    a piece       plays its clip, placed by q ∘ pose(start)⁻¹
    a transition  plays the clip B it goes to, from w before its stop, placed by (q ∘ displacement) ∘ pose_B(stop)⁻¹,
                  and fades in from the clip A it leaves, placed by q ∘ pose_A(start)⁻¹

so the alignment is accumulated in q alone. What follows a transition up to the next one is the same clip in the same
place: as long as it is played as it is, all of it is one segment. The take plants and locks the feet; contacts are A's
in the first half of a blend and B's in the second, labels are those of both.

A walk on a motion graph as one clip is sampled from its take, at the library's rate, feet locked. While one clip fades
into another, labels are those of both (Kovar 2002, section 3.3); contacts and events are the old clip's up to the
middle of the fade and the new one's after.

Metres, seconds, radians.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import InvalidValue
from walkon.graphs.motion_graph import TRANSITION, MotionGraph
from walkon.graphs.snap_together.pose_words import label_poses
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.graphs.walk import Walk, walk_along
from walkon.motion.body import Body
from walkon.motion.clip import Clip, Event
from walkon.take.storing.writer import TakeWriter
from walkon.take.tables import NONE, Blends, Heights, Segments, Warps
from walkon.take.take import Take
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

__all__ = ["add_walk", "heights_of", "segments_of", "walk_clip", "walk_take"]


def segments_of(graph: MotionGraph | SnapGraph, walk: Walk) -> tuple[Segments, Warps, Blends]:
    """Return what a take plays for a walk on a graph; clips are those of the graph (`graph.clip`)."""
    if isinstance(graph, MotionGraph):
        return _motion_segments(graph, walk)
    warp, warps = _warps(walk)
    segments = Segments.filled(
        len(walk),
        clip=walk.edge,
        clip_start=walk.edge_start,
        place=walk.place[:, :3],
        blend=NONE,
        warp=warp,
        **_shared(walk),
    )
    return segments, warps, Blends()


def _motion_segments(graph: MotionGraph, walk: Walk) -> tuple[Segments, Warps, Blends]:
    nodes, edges = graph.nodes, graph.edges.rows(walk.edge)
    across = edges.kind == TRANSITION
    heads = ~_continues(walk, across)
    within = np.flatnonzero(heads & across & (walk.edge_start > 1e-9))
    if len(within):
        raise InvalidValue(
            f"a walk cannot begin within a transition, but edge {walk.edge[within[0]]} begins "
            f"{walk.edge_start[within[0]]:g} s into its fade; begin where the transition starts"
        )
    head = np.flatnonzero(heads)
    last = np.append(head[1:], len(walk)) - 1
    first = walk.rows(head).with_columns(
        stop=walk.stop[last], rate=np.stack([walk.rate[head, 0], walk.rate[last, 1]], 1)
    )
    a, b, seconds, fades = edges.start[head], edges.stop[head], edges.duration[head], across[head]
    q = first.place[:, :3]
    left = planar.compose(q, planar.inverse(nodes.pose[a]))
    entered = planar.compose(planar.compose(q, edges.displacement[head]), planar.inverse(nodes.pose[b]))
    place = np.where(fades[:, None], entered, left)
    warp, warps = _warps(first)
    segments = Segments.filled(
        len(head),
        clip=nodes.clip[np.where(fades, b, a)],
        clip_start=np.where(fades, nodes.time[b] - seconds, nodes.time[a] + first.edge_start),
        place=place,
        blend=np.where(fades, np.cumsum(fades) - 1, NONE),
        warp=warp,
        **_shared(first),
    )
    faded = np.flatnonzero(fades)
    blends = Blends.filled(
        len(faded),
        clip=nodes.clip[a[faded]],
        clip_start=nodes.time[a[faded]],
        rate_start=first.rate[faded, 0],
        rate_stop=walk.rate[head[faded], 1],
        place=left[faded],
        duration=seconds[faded] / walk.rate[head[faded]].mean(axis=1),
    )
    return segments, warps, blends


def heights_of(walk: Walk) -> Heights:
    """Return how high the floor is under a walk: for each edge as high as its start node, none where all is at 0."""
    if not walk.place[:, 3].any():
        return Heights()
    ends = np.stack([walk.start, walk.stop], axis=1).ravel()
    return Heights.filled(
        len(ends), character=np.repeat(walk.character, 2), time=ends, height=np.repeat(walk.place[:, 3], 2)
    )


def _continues(walk: Walk, across: BoolArray) -> BoolArray:
    """Return [R] which rows go on with the clip of the row before, at the same rate and in the same place."""
    same = (walk.character[1:] == walk.character[:-1]) & (walk.start[1:] == walk.stop[:-1])
    cut = (walk.edge[1:] == walk.edge[:-1]) & (walk.edge_start[1:] > 0)
    plain = (walk.rate == 1.0).all(axis=1) & ~walk.displaced
    onward = ~across[1:] & plain[1:] & plain[:-1]
    return np.append(False, same & (onward | (cut & plain[1:] & plain[:-1])))[: len(walk)]


def _warps(walk: Walk) -> tuple[IntArray, Warps]:
    """Return [R] rows of warps, −1 for none, and the warps."""
    moved = walk.displaced
    warps = Warps.filled(int(moved.sum()), offsets=walk.offset[moved], slopes=walk.slope[moved])
    return np.where(moved, np.cumsum(moved) - 1, NONE), warps


def _shared(walk: Walk) -> dict[str, ArrayLike]:
    return {
        "character": walk.character,
        "start": walk.start,
        "stop": walk.stop,
        "rate_start": walk.rate[:, 0],
        "rate_stop": walk.rate[:, 1],
        "track": NONE,
        "edge": walk.edge,
        "mark": walk.mark,
    }


def add_walk(writer: TakeWriter, walk: Walk, *, graph: MotionGraph | SnapGraph, poses: Collection[str] = ()) -> None:
    """Let characters of a take that is being written walk on a graph; clips that are not in it yet are added.

    `poses` are words that marks of the take ask for: edges of a snap-together graph are labelled with them where they
    are in these poses (`label_poses`).
    """
    segments, warps, blends = segments_of(graph, walk)
    used = np.unique(np.concatenate([segments.clip, blends.clip]))
    rows = np.full(int(used.max(initial=-1)) + 1, NONE)
    for clip in used.tolist():
        labelled = label_poses(graph, clip, poses) if poses and isinstance(graph, SnapGraph) else graph.clip(clip)
        rows[clip] = writer.add_clip(labelled)
    writer.add_segments(
        segments.with_columns(clip=rows[segments.clip]), warps=warps, blends=blends.with_columns(clip=rows[blends.clip])
    )
    writer.add_heights(heights_of(walk))


def walk_take(
    graph: MotionGraph | SnapGraph,
    walks: Walk | Sequence[ArrayLike],
    *,
    starts: ArrayLike = 0.0,
    poses: ArrayLike = planar.IDENTITY,
    body: Body | None = None,
) -> Take:
    """Return a take of a walk, or of W walks of whole edges, its characters named by number, feet planted."""
    walk = walks if isinstance(walks, Walk) else walk_along(graph, walks, starts=starts, poses=poses)
    library = graph.clips if isinstance(graph, SnapGraph) else graph.library
    writer = TakeWriter(fps=library.fps, provenance={"graph": dict(graph.settings)})
    row = writer.add_body(body or Body.of(library.skeleton))
    writer.add_characters([str(number) for number in range(int(walk.character.max(initial=-1)) + 1)], body=row)
    add_walk(writer, walk, graph=graph)
    return writer.close()


def walk_clip(
    graph: MotionGraph,
    walk: Walk | ArrayLike,
    *,
    name: str = "walk",
    body: Body | None = None,
) -> Clip:
    """Return the motion of a walk, or of edges from the origin on; another `body` must be of the library's skeleton."""
    take = walk_take(graph, walk if isinstance(walk, Walk) else [walk], body=body)
    fps = graph.library.fps
    times = np.arange(int(np.floor(take.duration * fps + 1e-6)) + 1) / fps
    poses = take.sample(np.minimum(times, take.stop))
    who = (slice(None), 0)
    segment = poses.segments[who]
    contacts = np.zeros((len(times), len(graph.library.skeleton.contact_names)), bool)
    feet = min(contacts.shape[1], poses.contacts.shape[-1])
    contacts[:, :feet] = poses.contacts[who][:, :feet]
    old, new, faded = _sources(graph, take, times, segment)
    nearer = np.where(faded < 0.5, old, new)
    labels = graph.library.labels[new] | (graph.library.labels[old] & (faded < 1)[:, None])
    return Clip(
        skeleton=take.bodies[0].skeleton,
        fps=fps,
        root_positions=poses.positions[who][:, 0],
        local_rotations=quat.continuous(quat.normalize(poses.local_rotations[who])),
        contacts=contacts,
        contact_heights=np.where(contacts, graph.library.contact_heights[nearer], 0.0),
        labels={
            label: labels[:, column]
            for column, label in enumerate(graph.library.label_names)
            if labels[:, column].any()
        },
        events=_events(graph, take),
        name=name,
    )


def _sources(graph: MotionGraph, take: Take, times: Array, segment: IntArray) -> tuple[IntArray, IntArray, Array]:
    """Return for each time the library's frame that fades out, the one that is played, and how far the fade is."""
    s, b = take.segments.rows(segment), take.blends
    since = times - s.start
    new = _frames(graph, take, s.clip, s.clip_start + since)
    fades: BoolArray = s.blend >= 0
    if not fades.any():
        return new, new, np.ones(len(times))
    row = np.maximum(s.blend, 0)
    old = np.where(fades, _frames(graph, take, b.clip[row], b.clip_start[row] + since), new)
    return old, new, np.where(fades, np.clip(since / b.duration[row], 0.0, 1.0), 1.0)


def _frames(graph: MotionGraph, take: Take, clip: IntArray, time: Array) -> IntArray:
    number = np.array([graph.library.names.index(name) for name in take.clips.names])[clip]
    first, stop = graph.library.starts[number], graph.library.stops[number]
    frames: IntArray = np.clip(first + np.rint(time * graph.library.fps).astype(np.int64), first, stop - 1)
    return frames


def _events(graph: MotionGraph, take: Take) -> tuple[Event, ...]:
    """Return the events of the clips that are played, at the walk's times."""
    s, b = take.segments, take.blends
    events = []
    for row in range(len(s)):
        begin, half, fade = float(s.start[row]), 0.0, int(s.blend[row])
        if fade >= 0:
            half = 0.5 * float(b.duration[fade])
            events += _between(graph, take, b.clip[fade], float(b.clip_start[fade]), 0.0, half, begin)
        length = float(s.stop[row] - s.start[row])
        events += _between(graph, take, s.clip[row], float(s.clip_start[row]), half, length, begin)
    return tuple(events)


def _between(
    graph: MotionGraph, take: Take, clip: int, clip_start: float, low: float, high: float, begin: float
) -> list[Event]:
    every = graph.library.events[graph.library.names.index(take.clips.names[clip])]
    return [
        replace(event, time=begin + event.time - clip_start) for event in every if low <= event.time - clip_start < high
    ]
