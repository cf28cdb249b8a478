"""Mirror images of a whole library, without the performer's own asymmetry.

Nobody is symmetric: heads are held to one side, feet turn out unequally, markers sit differently. That is the same in
every clip, and its mirror image is the opposite; so a pose and the image of a like one differ by twice the asymmetry,
and common poses bend both. It is removed from the images: with the means over time of each joint's rotation,

    c_j = mean(q_j) · mean(q'_j)⁻¹ ,        q'_j ← c_j q'_j            (q' the plain mirror image)

after which image and original have the same mean pose. The root's is that of its attitude once the heading is taken
away: where somebody looks is no asymmetry. Means are over the frames in which somebody is on the way, since walking
uses both sides alike and waving does not; and a joint whose means lie further apart than `LARGEST` is left as it is,
since that is something done with one hand and no habit.

Legs that turn carry the feet off the floor by some millimetres. So the root is raised or lowered by the mean of that,
and planted feet are locked again, onto their supports.

Rotations joint → parent, w first; metres, seconds.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from walkon._base.arrays import Array, BoolArray
from walkon.motion.clip import Clip
from walkon.motion.foot_lock import lock_feet
from walkon.motion.library import Library
from walkon.motion.mirroring import mirror
from walkon.transforms import quaternions as quat

__all__ = ["LARGEST", "asymmetry", "with_images"]

LARGEST = np.deg2rad(40.0)
"""rad between a joint's two means up to which they differ by habit."""
WALKING = 0.35
"""m/s of the root from which somebody is on the way."""
SMOOTHED = 0.5
"""s over which that speed is taken."""
ENOUGH = 2.0
"""s on the way that a mean needs; with less, all frames count."""
Progress = Callable[[int, int, str], None]


def with_images(library: Library, *, symmetric: bool = True, progress: Progress | None = None) -> Library:
    """Return a library of every clip, each followed by its mirror image; clips whose image is there have none added.

    The performer's mean asymmetry is removed from the images unless `symmetric` is False. Ensembles and notes stay.
    """
    show = progress or (lambda done, total, what: None)
    known = set(library.names)
    originals = [clip for clip in library if mirrored_name(clip.name) not in known]
    images = []
    for done, clip in enumerate(originals):
        show(done, len(originals), f"mirroring {clip.name}")
        images.append(mirror(clip))
    if symmetric and images:
        images = _evened(originals, images)
    found = {clip.name: image for clip, image in zip(originals, images, strict=True)}
    clips: list[Clip] = []
    for clip in library:
        clips.append(clip)
        image = found.get(clip.name)
        if image is not None:
            clips.append(lock_feet(image).clip if image.contacts.any() else image)
    show(len(originals), len(originals), "")
    return Library.of(clips, ensembles=library.ensembles, notes=library.notes)


def mirrored_name(name: str) -> str:
    """Return what the image of a clip of this name is called."""
    return name.removesuffix(":mirrored") if name.endswith(":mirrored") else f"{name}:mirrored"


def asymmetry(library: Library) -> Array:
    """Return [J, 4] by what the joints of plain mirror images of these clips must be turned to be like the originals.

    The root's is to be applied in its heading's frame. A joint whose two sides are alike has the identity.
    """
    return _corrections(list(library), [mirror(clip) for clip in library])


def _corrections(originals: list[Clip], images: list[Clip]) -> Array:
    moving = [_on_the_way(clip) for clip in originals]
    if sum(int(np.count_nonzero(flags)) for flags in moving) < ENOUGH * originals[0].fps:
        moving = [np.ones(len(clip), bool) for clip in originals]
    mine, other = (
        quat.mean(np.concatenate([_without_heading(clip)[1][flags] for clip, flags in zip(clips, moving, strict=True)]))
        for clips in (originals, images)
    )
    found = quat.multiply(mine, quat.conjugate(other))
    return np.where((quat.angle(found) <= LARGEST)[:, None], found, quat.IDENTITY)


def _on_the_way(clip: Clip) -> BoolArray:
    """Say in which frames [T] the root moves along the floor as in a walk."""
    half = max(round(0.5 * SMOOTHED * clip.fps), 1)
    frames = np.arange(len(clip))
    low, high = np.maximum(frames - half, 0), np.minimum(frames + half, len(clip) - 1)
    path = clip.root_positions[:, :2]
    away = np.linalg.norm(path[high] - path[low], axis=1)
    return np.asarray(away > WALKING * np.maximum(high - low, 1) / clip.fps)


def _without_heading(clip: Clip) -> tuple[Array, Array]:
    """Return headings [T] and local rotations [T, J, 4], that of the root as seen from its heading."""
    headings = clip.planar_poses[:, 2]
    rotations = np.array(clip.local_rotations)
    rotations[:, 0] = quat.multiply(quat.turn(-headings), rotations[:, 0])
    return headings, rotations


def _evened(originals: list[Clip], images: list[Clip]) -> list[Clip]:
    """Turn the joints of the images, and raise or lower them so that planted feet are on the floor in the mean."""
    correction = _corrections(originals, images)
    turned, errors = [], []
    for image in images:
        headings, rotations = _without_heading(image)
        rotations = quat.multiply(correction, rotations)
        rotations[:, 0] = quat.multiply(quat.turn(headings), rotations[:, 0])
        turned.append(image.with_motion(image.root_positions, rotations))
        errors.append((turned[-1].contact_positions[..., 2] - image.contact_heights)[image.contacts])
    planted = np.concatenate(errors)
    lift = -float(planted.mean()) if len(planted) else 0.0
    return [replace(clip, root_positions=clip.root_positions + np.array([0.0, 0.0, lift])) for clip in turned]
