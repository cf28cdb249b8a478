"""Small libraries for snap-together graphs: walks of several speeds, and somebody who stands and shifts weight."""

from dataclasses import replace

import numpy as np

from walker import skeleton, walk
from walkon.motion import Clip
from walkon.motion.contacts.foot_lock import lock_feet
from walkon.motion.library import Library
from walkon.transforms import quaternions as quat

FPS = 60.0


def walks(*speeds: float, seconds: float = 4.0, cadence: float = 108.0) -> Library:
    """Straight walks of these speeds (m/s), each turned into a direction and place of its own."""
    clips = []
    for number, speed in enumerate(speeds):
        clip = walk(speed=speed, seconds=seconds, fps=FPS, cadence=cadence)
        turn = quat.turn(0.7 * number)
        rotations = np.array(clip.local_rotations)
        rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
        roots = quat.rotate(turn, clip.root_positions) + np.array([number, 2.0 * number, 0.0])
        clips.append(replace(clip.with_motion(roots, rotations), name=f"walk{number}"))
    return Library.of(clips)


def swaying(*, apart: float, turned_out: float = 0.0, seconds: float = 8.0, name: str = "sway") -> Clip:
    """Stand with both feet down, `apart` metres more than the hips are, and shift weight from side to side.

    One period takes 2 s: to the left at 0.5 s, 2.5 s and so on, to the right at 1.5 s, 3.5 s.
    """
    body = skeleton()
    T = round(seconds * FPS) + 1
    t = np.arange(T) / FPS
    rotations = np.broadcast_to(quat.IDENTITY, (T, len(body), 4)).copy()
    # Bent knees leave room to sway; the thighs spread by the angle that sets the feet apart.
    bend = 0.35
    spread = 0.5 * apart / 0.83
    for side, sign in (("left", 1.0), ("right", -1.0)):
        across = quat.about(np.array([1.0, 0.0, 0.0]), sign * spread)
        out = quat.turn(sign * turned_out)
        rotations[:, body.role(f"{side}_hip")] = quat.multiply(across, quat.about([0.0, 1.0, 0.0], -bend))
        rotations[:, body.role(f"{side}_knee")] = quat.about([0.0, 1.0, 0.0], 2 * bend)
        back = quat.multiply(quat.conjugate(across), out)
        rotations[:, body.role(f"{side}_ankle")] = quat.multiply(quat.about([0.0, 1.0, 0.0], -bend), back)
    roots = np.column_stack([0.0 * t, 0.04 * np.sin(np.pi * t), np.full(T, 0.9)])
    standing = Clip(
        skeleton=body,
        fps=FPS,
        root_positions=roots * np.array([1.0, 0.0, 1.0]),
        local_rotations=rotations,
        contacts=np.ones((T, 4), bool),
        name=name,
    )
    # On the floor first, all of it the same pose; then the hips sway and the feet are held where they are.
    low = float(standing.contact_positions[..., 2].mean())
    held = lock_feet(standing.with_motion(standing.root_positions - np.array([0.0, 0.0, low]), rotations)).clip
    moved = held.with_motion(held.root_positions + roots * np.array([0.0, 1.0, 0.0]), held.local_rotations)
    return lock_feet(moved).clip
