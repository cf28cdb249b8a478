"""What every performance on the spot must keep: feet where they are, limits of anatomy, no cuts, no pops."""

import numpy as np

from walkon.motion.anatomy.limits import limit_excess
from walkon.motion.body import self_contact
from walkon.motion.skeleton import SIDES
from walkon.studio import Style, walk
from walkon.studio.carrying import BOX_SIZE_M, grip
from walkon.studio.performer import Performer
from walkon.studio.skeleton import performer_limits
from walkon.transforms import quaternions as quat


def turned(a, b):
    """Return degrees between rotations."""
    return np.degrees(quat.angle_between(a, b))


def bend(clip, above, middle, below):
    """Return [T] degrees by which the joint in role `middle` is bent."""
    a, b, c = (clip.world.positions[:, clip.skeleton.role(role)] for role in (above, middle, below))
    u, v = b - a, c - b
    cosine = np.sum(u * v, axis=1) / np.linalg.norm(u, axis=1) / np.linalg.norm(v, axis=1)
    return np.degrees(np.arccos(np.clip(cosine, -1, 1)))


def trunk(clip):
    """Return [T] degrees by which the line from hips to shoulders leans ahead."""
    places, skeleton = clip.world.positions, clip.skeleton
    hips, shoulders = (
        np.mean([places[:, skeleton.role(f"{side}_{part}")] for side in ("left", "right")], axis=0)
        for part in ("hip", "shoulder")
    )
    return np.degrees(np.arctan2(shoulders[:, 0] - hips[:, 0], shoulders[:, 2] - hips[:, 2]))


def held_box(clip):
    """Return places [T, 3] and rotations [T, 4] of the box that the hands hold."""
    scale = Performer.of(0, skeleton=clip.skeleton).scale
    places, rotations = [], []
    for side, name in enumerate(SIDES):
        wrist = clip.skeleton.role(f"{name}_wrist")
        place, held = grip(BOX_SIZE_M, side=side, scale=scale)
        rotations.append(quat.multiply(clip.world.rotations[:, wrist], quat.conjugate(held)))
        places.append(clip.world.positions[:, wrist] - quat.rotate(rotations[-1], place))
    return 0.5 * (places[0] + places[1]), quat.slerp(*rotations, np.full(len(clip), 0.5))


def check_feet_stay(clip):
    assert clip.contacts.all()
    points = clip.contact_positions
    assert np.abs(points - points[0]).max() < 1e-6
    assert np.abs(points[..., 2]).max() < 1e-6


def check_body(clip, *, fastest=450.0, pops=75.0):
    limits = {clip.skeleton.index(name): limit for name, limit in performer_limits().items()}
    assert np.degrees(limit_excess(limits, clip.local_rotations).max()) < 1.0
    contact = self_contact(clip)
    assert contact.depth.max() < 0.012, contact.worst
    rates = turned(clip.local_rotations[1:], clip.local_rotations[:-1]) * clip.fps
    assert rates.max() < fastest, clip.skeleton.names[rates.max(axis=0).argmax()]
    # A pop is a sudden change of rate. Legs that walk have their own tests.
    above = [joint for joint, name in enumerate(clip.skeleton.names) if not name.endswith(("Leg", "Foot", "ToeBase"))]
    joints = above if "walk" in clip.labels else slice(None)
    assert np.abs(np.diff(rates[:, joints], axis=0)).max() < pops
    for side in ("left", "right") if clip.contacts.all() else ():
        assert bend(clip, f"{side}_hip", f"{side}_knee", f"{side}_ankle").min() > 5.0


def check_stands(clip, frame):
    """Check that a frame is the pose in which a walk of a machine-like performer stands."""
    still = walk(path=[(0, 0), (4, 0)], start="standing", end="standing", style=Style(life=0.0))
    assert turned(clip.local_rotations[frame], still.local_rotations[0]).max() < 2.5
    assert abs(clip.root_positions[frame, 2] - still.root_positions[0, 2]) < 0.002
    assert np.abs(clip.root_positions[frame, :2] - still.root_positions[0, :2]).max() < 0.005
