"""Mirror images of a whole library, without the performer's own asymmetry.

Nobody is symmetric: heads are held to one side, feet turn out unequally, markers sit differently. That is the same in
every clip, and its mirror image is the opposite; so a pose and the image of a like one differ by twice the asymmetry,
and common poses bend both. It is removed from the images: with the means over time of each joint's rotation,

    c_j = mean(q_j) · mean(q'_j)⁻¹ ,        q'_j ← c_j q'_j            (q' the plain mirror image)

after which image and original have the same mean pose. The root's is that of its attitude once the heading is taken
away: where a performer looks is no asymmetry.

Each performer has their own habits, so clips are taken performer by performer (see `performers_of`). Means are over
frames of walking straight ahead without a load: it uses both sides alike, which bends, side steps, boxes and waving do
not. Who walks like that for less than `MIN_STRAIGHT_WALK_S` seconds gets plain images, and so does a joint whose
asymmetry, half the angle of c_j, is over `MAX_ASYMMETRY_RAD`: that is something done with one hand and no habit. Notes
of the library report both.

Legs that turn carry the feet off the floor by some millimetres. So the root is raised or lowered by the mean of that,
and planted feet are locked again, onto their supports.

Rotations joint → parent, w first; metres, seconds.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from walkon._base.arrays import Array, BoolArray
from walkon.motion.clip import Clip
from walkon.motion.contacts.foot_lock import lock_feet
from walkon.motion.library import Library
from walkon.motion.mirroring import mirror, mirrored_name
from walkon.motion.skeleton import Skeleton
from walkon.transforms import angles
from walkon.transforms import quaternions as quat

__all__ = ["MAX_ASYMMETRY_RAD", "asymmetry", "performers_of", "with_images"]

MAX_ASYMMETRY_RAD = np.deg2rad(15.0)
"""rad of asymmetry up to which it is a habit: half the angle between a joint's mean and its image's."""
MIN_WALKING_SPEED_M_S = 0.35
"""m/s of the root from which a performer is on the way."""
TRAVEL_HALF_WINDOW_S = 1.0
"""s before and after a frame over which its way is taken: about a stride, so that sway from step to step cancels."""
MAX_STRAIGHT_CURVATURE_PER_M = 0.15
"""1/m of curvature up to which a way is straight: a circle of 13 m."""
MAX_FACING_OFF_TRAVEL_RAD = np.deg2rad(30.0)
"""rad between the way and where the hips face up to which a performer walks ahead: not sideways, not back."""
LOADED_LABELS = ("carry",)
"""Labels of frames with something in hand."""
MIN_STRAIGHT_WALK_S = 2.0
"""s of straight walking that a mean needs."""
MIN_NOTED_ASYMMETRY_RAD, MIN_NOTED_SHORTFALL_M = np.deg2rad(1.0), 0.005
"""rad and m from which a note lists a joint's correction, and a planted leg that falls short."""
Progress = Callable[[int, int, str], None]


def with_images(library: Library, *, symmetric: bool = True, progress: Progress | None = None) -> Library:
    """Return a library of every clip, each followed by its mirror image; clips whose image is there have none added.

    Each performer's mean asymmetry is removed from the images unless `symmetric` is False; new notes say how much, and
    where a planted leg of an image is too short. Ensembles and old notes stay.
    """
    show = progress or (lambda done, total, what: None)
    known = set(library.names)
    originals = [clip for clip in library if mirrored_name(clip.name) not in known]
    images = {}
    for done, clip in enumerate(originals):
        show(done, len(originals), f"mirroring {clip.name}")
        images[clip.name] = mirror(clip)
    notes = list(library.notes)
    if symmetric:
        who = performers_of(library)
        for performer in dict.fromkeys(who[clip.name] for clip in originals):
            mine = {clip.name: clip for clip in originals if who[clip.name] == performer}
            plain = [images[name] for name in mine]
            corrections, asymmetries, seconds = _measure_asymmetry(list(mine.values()), plain)
            images |= zip(mine, _remove_asymmetry(plain, corrections), strict=True)
            notes.append(_describe_removal(library.skeleton, performer, asymmetries, seconds))
    clips: list[Clip] = []
    for clip in library:
        clips.append(clip)
        if clip.name in images:
            image = images[clip.name]
            if image.contacts.any():
                image, _, missed, _ = lock_feet(image)
                if missed.max() > MIN_NOTED_SHORTFALL_M:
                    most = f"{100 * missed.max():.1f} cm"
                    notes.append(f"{image.name}: a planted leg is up to {most} too short for its plant")
            clips.append(image)
    show(len(originals), len(originals), "")
    return Library.of(clips, ensembles=library.ensembles, notes=notes)


def performers_of(library: Library) -> dict[str, str]:
    """Return clip → performer, as far as a library knows: "" for all who are not told apart.

    A note "CLIP: performer NAME" says it; else clips that are numbered SUBJECT_TRIAL, as 69_01, say it by their names.
    """
    numbered = {name: match[1] for name in library.names if (match := re.match(r"(\d+)_\d+", name))}
    noted = {match[1]: match[2] for note in library.notes if (match := re.fullmatch(r"(\S+): performer (.+)", note))}
    return {name: noted.get(name, numbered.get(name, "")) for name in library.names}


def asymmetry(library: Library) -> Array:
    """Return [J, 4] by what the joints of plain mirror images of these clips must be turned to be like the originals.

    All clips count as one performer's. The root's is to be applied in its heading's frame. A joint whose two sides are
    alike has the identity.
    """
    return _measure_asymmetry(list(library), [mirror(clip) for clip in library])[0]


def _measure_asymmetry(originals: Sequence[Clip], images: Sequence[Clip]) -> tuple[Array, Array, float]:
    """Return what a performer's images are to be turned by, their asymmetry, and the seconds that these are means over.

    Corrections [J, 4] are the identity where a joint is left as it is; asymmetries [J] rad are half the angle between
    the means of originals and plain images.
    """
    counted = [_find_straight_walking(clip) for clip in originals]
    joints = len(originals[0].skeleton)
    seconds = sum(int(np.count_nonzero(flags)) for flags in counted) / originals[0].fps
    if seconds < MIN_STRAIGHT_WALK_S:
        return np.tile(quat.IDENTITY, (joints, 1)), np.zeros(joints), seconds
    mine, other = (
        quat.mean(
            np.concatenate([_without_heading(clip)[1][flags] for clip, flags in zip(clips, counted, strict=True)])
        )
        for clips in (originals, images)
    )
    found = quat.multiply(mine, quat.conjugate(other))
    half = 0.5 * quat.angle(found)
    return np.where((half <= MAX_ASYMMETRY_RAD)[:, None], found, quat.IDENTITY), half, seconds


def _find_straight_walking(clip: Clip) -> BoolArray:
    """Say in which frames [T] the performer walks straight ahead with empty hands.

    Speed, direction and curvature are those of the root's way over `TRAVEL_HALF_WINDOW_S` before and after a frame;
    near the ends of a clip they are those of the nearest frame with as much before and after it.
    """
    half = int(min(max(round(TRAVEL_HALF_WINDOW_S * clip.fps), 1), (len(clip) - 1) // 2))
    if half < 1:
        return np.zeros(len(clip), bool)
    frames = np.clip(np.arange(len(clip)), half, len(clip) - 1 - half)
    path = clip.root_positions[:, :2]
    before, after = path[frames] - path[frames - half], path[frames + half] - path[frames]
    way, gone = before + after, np.linalg.norm(before, axis=1) + np.linalg.norm(after, axis=1)
    bend = angles.wrap(_direction(after) - _direction(before))
    aside = angles.wrap(_direction(way) - clip.planar_poses[:, 2])
    flags = np.linalg.norm(way, axis=1) > MIN_WALKING_SPEED_M_S * 2 * half / clip.fps
    flags &= np.abs(aside) < MAX_FACING_OFF_TRAVEL_RAD
    flags &= np.abs(bend) <= MAX_STRAIGHT_CURVATURE_PER_M * 0.5 * gone
    for label in LOADED_LABELS:
        if label in clip.labels:
            flags &= ~clip.labels[label]
    return np.asarray(flags)


def _direction(ways: Array) -> Array:
    return np.arctan2(ways[:, 1], ways[:, 0])


def _without_heading(clip: Clip) -> tuple[Array, Array]:
    """Return headings [T] and local rotations [T, J, 4], that of the root as seen from its heading."""
    headings = clip.planar_poses[:, 2]
    rotations = np.array(clip.local_rotations)
    rotations[:, 0] = quat.multiply(quat.turn(-headings), rotations[:, 0])
    return headings, rotations


def _remove_asymmetry(images: Sequence[Clip], corrections: Array) -> list[Clip]:
    """Turn the joints of the images, and raise or lower them so that planted feet are on the floor in the mean."""
    turned, errors = [], []
    for image in images:
        headings, rotations = _without_heading(image)
        rotations = quat.multiply(corrections, rotations)
        rotations[:, 0] = quat.multiply(quat.turn(headings), rotations[:, 0])
        turned.append(image.with_motion(image.root_positions, rotations))
        errors.append((turned[-1].contact_positions[..., 2] - image.contact_heights)[image.contacts])
    planted = np.concatenate(errors)
    lift = -float(planted.mean()) if len(planted) else 0.0
    return [replace(clip, root_positions=clip.root_positions + np.array([0.0, 0.0, lift])) for clip in turned]


def _describe_removal(skeleton: Skeleton, performer: str, asymmetries: Array, seconds: float) -> str:
    """Return a sentence on what was removed from one performer's images."""
    who = f"mirror images of performer {performer}" if performer else "mirror images"
    if seconds < MIN_STRAIGHT_WALK_S:
        return (
            f"{who} are plain: {seconds:.1f} s of walking straight ahead with empty hands are too few to tell "
            f"habits by ({MIN_STRAIGHT_WALK_S:g} s are needed)"
        )

    def list_joints(which: BoolArray) -> str:
        order = [j for j in np.argsort(-asymmetries, kind="stable").tolist() if which[j]]
        return ", ".join(f"{skeleton.names[j]} {np.degrees(asymmetries[j]):.1f}" for j in order)

    removed = list_joints((asymmetries > MIN_NOTED_ASYMMETRY_RAD) & (asymmetries <= MAX_ASYMMETRY_RAD))
    text = f"{who}: asymmetry removed, from {seconds:.1f} s of walking straight ahead"
    text += f" (degrees: {removed})" if removed else " (none above 1 degree)"
    left = list_joints(asymmetries > MAX_ASYMMETRY_RAD)
    most = f"{np.degrees(MAX_ASYMMETRY_RAD):.0f} degrees"
    return text + (f"; left as they are, being over {most}: {left}" if left else "")
