"""The score as the posing kernel reads it: groups of plain arrays with ranges per character (see `score`)."""

from typing import Any, NamedTuple

from numpy.typing import NDArray

__all__ = ["FootSteps", "Limbs", "Parts", "Rigs", "Sources"]

Column = NDArray[Any]


class Rigs(NamedTuple):
    """The B bodies of a take. J is the largest number of joints; what a smaller body lacks hangs on its root."""

    joints: Column
    """[B] how many joints each has."""
    parents: Column
    """[B, J]."""
    channels: Column
    """[B, J] place of the joint in a stored frame, −1 where it never turns."""
    offsets: Column
    """[B, J, 3] metres."""
    legs: Column
    """[B, 2, 4] hip, knee, ankle, ball of the left and the right leg; −1 without legs."""
    leg_of: Column
    """[B, J] which leg a joint hangs on, −1 for none."""
    heels: Column
    """[B, 2, 3] metres, heel contact in the ankle's frame."""
    balls: Column
    """[B, 2, 3] metres, ball contact in the ball joint's frame."""
    heights: Column
    """[B, K] by what the height of a clip's root is multiplied for this body: leg over leg."""
    rest_height: Column
    """[B] metres of the root above the floor at rest."""


class Sources(NamedTuple):
    """The K clips of a take: F frames and R rotations in all."""

    skeleton: Column
    """[K] row of the take's skeletons."""
    fps: Column
    """[K] frames per second."""
    first_frame: Column
    """[K] where the clip begins in `roots`."""
    frames: Column
    """[K] how many it has."""
    first_rotation: Column
    """[K] where it begins in `rotations`."""
    channels: Column
    """[K] rotations per frame."""
    hinges: Column
    """[K, 2, 3] unit axes of the left and the right knee in the hip joint's frame; zero without legs."""
    roots: Column
    """[F, 3] metres, in the clip's own world."""
    rotations: Column
    """[R, 3] uint16, quantized (see `rotations48`)."""
    contacts: Column
    """[F] uint8, bit c where contact point c (order of `FOOT_CONTACTS`) is down."""


class Parts(NamedTuple):
    """N characters and their S segments, sorted by character and start; V warps, M blends, Q tracks of P samples.

    Columns mean what they mean in `tables`; `from_…` are those of `Blends`.
    """

    body: Column
    """[N] row of the bodies."""
    scale: Column
    stride: Column
    """[N] by what lengths, and displacements over the floor, are multiplied."""
    enter: Column
    leave: Column
    """[N] seconds; no limits where they are equal."""
    first: Column
    """[N + 1] first segment of each character."""
    start: Column
    stop: Column
    """[S] seconds of the take."""
    clip: Column
    """[S] row of the clips, or −1."""
    clip_start: Column
    """[S] seconds of the clip."""
    rate_start: Column
    rate_stop: Column
    """[S] seconds of the clip per second."""
    place: Column
    """[S, 4] (x, y, heading, z), metres and radians."""
    warp: Column
    blend: Column
    track: Column
    """[S] rows of what follows, or −1."""
    warp_offsets: Column
    """[V, 2, 3] (x, y, heading) at start and stop, metres and radians."""
    warp_slopes: Column
    """[V, 2, 3] the same per second."""
    from_clip: Column
    """[M] row of the clips."""
    from_start: Column
    """[M] seconds of that clip."""
    from_rate_start: Column
    from_rate_stop: Column
    """[M] seconds of that clip per second."""
    from_place: Column
    """[M, 4] metres and radians."""
    from_duration: Column
    """[M] seconds."""
    track_first: Column
    track_count: Column
    """[Q] first sample and how many."""
    track_rate: Column
    """[Q] samples per second."""
    planar: Column
    """[P, 3] (x, y, heading), metres and radians."""


class FootSteps(NamedTuple):
    """K stances of feet, sorted by character, foot and start; and D drops, how far roots come down. See `tables`."""

    first: Column
    """[2 N + 1] first stance of each foot of each character."""
    start: Column
    stop: Column
    """[K] seconds of the take."""
    heel: Column
    ball: Column
    """[K, 2] seconds after `start` at which the point is planted and lifted."""
    heel_place: Column
    ball_place: Column
    """[K, 3] metres in the world."""
    turn_in: Column
    turn_out: Column
    """[K, 3] rotation vectors in the world, radians."""
    shift_in: Column
    shift_out: Column
    """[K, 3] metres."""
    rate_in: Column
    rate_out: Column
    """[K, 3] m/s."""
    toe_in: Column
    toe_out: Column
    """[K] radians."""
    drop_first: Column
    """[N + 1] first drop of each character."""
    drop_start: Column
    """[N] seconds: the time of step 0."""
    drop_step: Column
    """[D] steps of `posing_rule.DROP_STEP_S` seconds."""
    drop: Column
    """[D] metres."""


class Limbs(NamedTuple):
    """Overrides, sorted by character and start."""

    first: Column
    """[N + 1]."""
    start: Column
    stop: Column
    fade_in: Column
    fade_out: Column
    rate: Column
    joints: Column
    row: Column
    frames: Column
    rotations: Column
