"""A batch player: N characters on one snap-together graph, advanced together, each by a cut whenever its edge ends.

    player = SnapPlayer(graph, RandomPolicy(graph, rng), poses=places)     # [N, 3]
    walk = player.advance(1.0)                                             # what was chosen
    frames = player.frames(np.arange(30) / 30)                             # bodies, without a take

The state is three arrays: the edge that each character plays, the pose q of its start hub in the world, and when it
began. When it ends, q becomes q ∘ displacement and the policy chooses the next edge among those that leave the hub.
All characters whose edge ends are dealt with at once; the only loop is over rounds of choices.

Bodies are read from the edges' clips without a take. At time t the clip is read at t − start, between frames linearly
(roots) and by normalised mixing (rotations), and placed by q. That is the posing rule of a take, but for the planting
of feet; at a cut both edges give the hub's common pose. Seconds, metres, radians; rotations w first.

Reference: Gleicher, Shin, Kovar, Jepsen 2003, sections 3 and 6.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from walkon._base.arrays import Array, IntArray, lock_array
from walkon._base.errors import InvalidShape, InvalidValue
from walkon._base.threads import in_chunks
from walkon.graphs.snap_together.playing.play_rule import EdgeMotion
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.graphs.walk import NO_ROW, Walk
from walkon.motion.kinematics import forward
from walkon.transforms import planar

__all__ = ["Played", "Policy", "SnapPlayer", "edge_motion", "play"]

Policy = Callable[["SnapPlayer", IntArray], IntArray]
"""Called with the player and the characters [n] whose edge has ended; returns the edges [n] that they play next."""
STATE = ("_edges", "_hubs", "_poses", "_starts", "_stops", "_choices")
CHUNK_BODIES = 2048
"""Bodies per task of the thread pool: a millisecond or less."""


class Played(NamedTuple):
    """Bodies of N characters at T times; NaN before a character begins."""

    roots: Array
    """[T, N, 3] metres."""
    rotations: Array
    """[T, N, J, 4] local: joint → parent, root → world."""
    positions: Array | None = None
    """[T, N, J, 3] metres, where they were asked for."""


class SnapPlayer:
    """Characters that walk on a graph for as long as one likes."""

    def __init__(
        self,
        graph: SnapGraph,
        policy: Policy,
        *,
        poses: ArrayLike,
        hubs: str | int | Sequence[str | int] | IntArray = 0,
        starts: ArrayLike = 0.0,
        characters: ArrayLike | None = None,
    ) -> None:
        """Put N characters on hubs (name or number, one or [N]), the hubs at `poses` [N, 3] in the world.

        They begin at `starts` (s). `characters` [N] are their rows in the take that walks are meant for.
        """
        where = np.array(lock_array(np.atleast_2d(np.asarray(poses)), (None, 3), name="poses"))
        N = len(where)
        if len(graph.edges) and not graph.edges.duration.min() > 0:
            raise InvalidValue(f"edges must last some time, got {graph.edges.duration.min():g} s")
        names = [hubs] if isinstance(hubs, str | int) else list(hubs)
        self.graph = graph
        self.policy = policy
        self.characters = _for_all(np.arange(N) if characters is None else characters, N, "characters").astype(np.int64)
        self._hubs = _for_all([graph.hub(name) for name in names], N, "hubs").astype(np.int64)
        self._edges = np.full(N, NO_ROW)
        self._poses = where
        self._starts = _for_all(starts, N, "starts").astype(np.float64)
        self._stops = self._starts.copy()
        self._choices = np.zeros(N, np.int64)
        self._since = self._time = float(self._starts.min()) if N else 0.0
        self._log = Walk()
        self._motion = edge_motion(graph)

    def __len__(self) -> int:
        return len(self._edges)

    def __repr__(self) -> str:
        return f"SnapPlayer({len(self)} characters at {self._time:g} s on {self.graph!r})"

    @property
    def time(self) -> float:
        """Seconds up to which the motion of all characters is chosen."""
        return self._time

    @property
    def edges(self) -> IntArray:
        """[N] the edge that each character plays, −1 before it begins."""
        return _read_only_view(self._edges)

    @property
    def hubs(self) -> IntArray:
        """[N] the hub that each character's edge leads to, or that it begins at."""
        return _read_only_view(self._hubs)

    @property
    def poses(self) -> Array:
        """[N, 3] the start hub of each character's edge in the world, or the hub that it begins at."""
        return _read_only_view(self._poses)

    @property
    def starts(self) -> Array:
        """[N] seconds at which each character's edge began."""
        return _read_only_view(self._starts)

    @property
    def stops(self) -> Array:
        """[N] seconds at which it ends and the next is chosen."""
        return _read_only_view(self._stops)

    @property
    def choices(self) -> IntArray:
        """[N] how many edges each character has been given."""
        return _read_only_view(self._choices)

    def advance(self, until: float) -> Walk:
        """Let time go on to `until` seconds; returns what was chosen, sorted by character and start.

        Rows are whole edges, so the last of each character reaches beyond `until`.
        """
        if not (np.isfinite(until) and until >= self._time):
            raise InvalidValue(f"time goes on: it is {self._time:g} s, so it cannot be advanced to {until:g} s")
        state = [np.array(getattr(self, name)) for name in STATE]
        try:
            return self._play_until(until)
        except BaseException:
            # A policy that fails in a later round leaves all characters where they were.
            for name, before in zip(STATE, state, strict=True):
                setattr(self, name, before)
            raise

    def _play_until(self, until: float) -> Walk:
        edges = self.graph.edges
        log = [Walk()]
        while len(who := np.flatnonzero(self._stops <= until)):
            chosen = self._choose(who)
            begun = who[self._edges[who] != NO_ROW]
            self._poses[begun] = planar.compose(self._poses[begun], edges.displacement[self._edges[begun]])
            self._starts[who] = self._stops[who]
            self._stops[who] += edges.duration[chosen]
            self._edges[who], self._hubs[who] = chosen, edges.stop[chosen]
            self._choices[who] += 1
            log.append(
                Walk.filled(
                    len(who),
                    character=who,
                    edge=chosen,
                    start=self._starts[who],
                    stop=self._stops[who],
                    rate=1.0,
                    place=planar.with_height(self._poses[who]),
                    mark=NO_ROW,
                    reason=NO_ROW,
                )
            )
        new = _sort_walk(Walk.joined(log))
        every = _sort_walk(Walk.joined([self._log, new]))
        # Frames can be asked for from where this call began: what ended before is over.
        self._log = every.rows(every.stop >= self._time)
        self._since, self._time = self._time, float(until)
        return new.with_columns(character=self.characters[new.character])

    def _choose(self, who: IntArray) -> IntArray:
        """Ask the policy, and check what it says."""
        edges = self.graph.edges
        chosen = np.asarray(self.policy(self, who))
        if chosen.shape != who.shape or chosen.dtype.kind not in "iu":
            raise InvalidValue(
                f"a policy returns an edge for each of the {len(who)} characters, got {chosen.dtype} {chosen.shape}"
            )
        if len(chosen) and not (chosen.min() >= 0 and chosen.max() < len(edges)):
            raise InvalidValue(f"edges are numbered 0 to {len(edges) - 1}, but the policy chose {chosen.min()}")
        wrong = np.flatnonzero(edges.start[chosen] != self._hubs[who])
        if len(wrong):
            n = int(wrong[0])
            names = self.graph.hub_names
            raise InvalidValue(
                f"character {who[n]} is at the hub {names[self._hubs[who[n]]]}, but the policy chose edge {chosen[n]}, "
                f"which starts at {names[edges.start[chosen[n]]]}"
            )
        return chosen.astype(np.int64)

    def frames(self, times: ArrayLike, *, positions: bool = False, out: Played | None = None) -> Played:
        """Return bodies at times [T] (s) within what the last `advance` covered; with all joints' places if asked.

        Roots and rotations are written into `out`, earlier frames of as many times, where they are no longer needed.
        """
        when = lock_array(np.atleast_1d(np.asarray(times, dtype=np.float64)), (None,), name="times")
        if len(when) and not (when.min() >= self._since and when.max() <= self._time):
            raise InvalidValue(
                f"frames can be asked for between {self._since:g} s and {self._time:g} s, which the last advance "
                f"covered, got {when.min():g} to {when.max():g} s"
            )
        roots, rotations = play(self._motion, self._log, count=len(self), times=when, out=out and out[:2])
        if not positions:
            return Played(roots, rotations)
        shape = rotations.shape
        world = forward(self.graph.clips.skeleton, roots.reshape(-1, 3), rotations.reshape(-1, *shape[2:]))
        return Played(roots, rotations, world.positions.reshape(*shape[:3], 3))


def _sort_walk(walk: Walk) -> Walk:
    return walk.rows(np.lexsort((walk.start, walk.character)))


def _for_all(values: ArrayLike, count: int, name: str) -> NDArray[Any]:
    """Return [count] values of one for all or one for each."""
    given = np.asarray(values)
    if given.ndim > 1 or given.size not in (1, count):
        raise InvalidValue(f"{name} must be one for all or one for each of {count} characters, got {given.shape}")
    if given.dtype.kind not in "iuf" or not np.isfinite(given).all():
        raise InvalidValue(f"{name} must be finite numbers, got {values!r}")
    return np.array(np.broadcast_to(given, (count,)))


def _read_only_view(array: NDArray[Any]) -> Any:
    seen = array.view()
    seen.flags.writeable = False
    return seen


def edge_motion(graph: SnapGraph) -> EdgeMotion:
    """Return the clips of a graph's edges."""
    clips = graph.clips
    return EdgeMotion(clips.starts, clips.stops, clips.root_positions, clips.local_rotations, float(clips.fps))


def play(
    motion: EdgeMotion, walk: Walk, *, count: int, times: Array, out: tuple[Array, Array] | None = None
) -> tuple[Array, Array]:
    """Return roots [T, N, 3] and local rotations [T, N, J, 4]; NaN where a character has not begun.

    The walk of characters 0 to N − 1 is of whole edges at their own rate; `count` is N.
    Arrays that may be written over can be given as `out`: fresh memory costs about as much as filling it.
    """
    from walkon.graphs.snap_together.playing import _play_kernels

    T, N, J = len(times), count, motion.rotations.shape[1]
    roots, rotations = (np.empty((T, N, 3)), np.empty((T, N, J, 4))) if out is None else out
    for array, shape in ((roots, (T, N, 3)), (rotations, (T, N, J, 4))):
        if array.shape != shape or array.dtype != np.float64 or not array.flags.carray:
            raise InvalidShape(f"out must be whole, writeable arrays, float64 {shape}, got {array.dtype} {array.shape}")
    flat_roots, flat_rotations = roots.reshape(-1, 3), rotations.reshape(-1, J, 4)
    times = np.ascontiguousarray(times, np.float64)
    first, played = np.searchsorted(walk.character, np.arange(N + 1)), (walk.start, walk.edge, walk.place)

    def work(a: int, b: int) -> None:
        _play_kernels.play(first, *played, motion, times, a, flat_roots[a:b], flat_rotations[a:b])

    in_chunks(work, T * N, chunk=CHUNK_BODIES)
    return roots, rotations
