"""Takes to BVH: a folder with one file per character, on one clock, in the axes and units that `walkon.io` reads back.

Frame k of every file is the same moment, k / fps seconds after the excerpt's start, so all files play together. BVH has
no way to say that a character is not there: before a character enters it stands in its first pose, after it leaves in
its last one, and in between in the one in which it left; `characters.csv` beside the files says from which frame to
which each is there. Those who are not there at all in this part are left out. Bodies of another size have other
offsets.

Stage, props, marks and colours have no place in BVH and are not written. Blender has the take's own coordinates when it
imports with scale 0.01, forward X, up Y; it shows frame k at the first frame it is told + k + 1.

With `character` people have the joints of a user's own rigged character, by the names in its file, at rest as its mesh
is bound.
"""

import csv
import io
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import CannotWrite
from walkon._base.files import write_atomically
from walkon.export.excerpt import Excerpt, Progress, hold_poses, make_distinct
from walkon.export.rig_motion import pose_characters
from walkon.io.bvh_write import write_bvh
from walkon.motion.clip import Clip
from walkon.motion.kinematics import WorldPose
from walkon.motion.skeleton import Skeleton
from walkon.transforms import quaternions as quat
from walkon.viewer.character import RiggedCharacter, resolve_character
from walkon.viewer.glb_rig import Rig

__all__ = ["file_names", "write"]

INDEX = "characters.csv"
COLUMNS = ("file", "name", "first_frame", "last_frame", "scale")
"""Of the index."""
MAX_NAME_BYTES = 180
"""Of a file's name, without its end."""
RESERVED = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))})
"""Names that Windows keeps for itself."""


def write(
    excerpt: Excerpt, path: str | Path, *, progress: Progress, character: str | Path | RiggedCharacter | None = None
) -> None:
    """Write an excerpt into a folder, which is made if it is not there; files of the same names are replaced, each at
    once, and others are left alone.

    `character` is a rigged character (.glb) whose joints move; bodies that have no legs of a person keep their own.
    """
    take, fps = excerpt.take, excerpt.fps
    worn = resolve_character(character, take)
    folder = _folder(Path(path))
    names = iter(file_names(excerpt.names))
    index: list[tuple[object, ...]] = [COLUMNS]
    done = 0
    for rows, poses in excerpt.by_character():
        places, turns = hold_poses(poses)
        for i, row in enumerate(rows.tolist()):
            target, there = f"{next(names)}.bvh", np.flatnonzero(poses.present[:, i])
            if len(there):
                scale = float(take.characters.scale[row])
                fit = None if worn is None else worn.fits[int(take.characters.body[row])]
                if worn is not None and fit is not None:
                    motion = pose_characters(worn, take, rows[[i]], poses=poses, columns=np.array([i]))
                    clip = _rig_clip(worn.rig, motion, scale=fit.scale * scale, fps=fps)
                else:
                    skeleton = take.body(row).skeleton
                    clip = _clip(skeleton, places[:, i], turns[:, i, : len(skeleton)], fps=fps)
                write_bvh(clip, folder / target)
                index.append((target, take.names[row], int(there[0]), int(there[-1]), round(scale, 6)))
            done += 1
            progress(done / len(excerpt.characters))
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(index)
    write_atomically(folder / INDEX, lambda file: file.write(text.getvalue().encode()))


def file_names(names: Iterable[str]) -> list[str]:
    """Return names that every system takes for a file, different from one another also where case does not count."""
    found = []
    for name in names:
        plain = re.sub(r"[^\w .()+=,@-]", "_", unicodedata.normalize("NFC", name))
        plain = plain.encode()[:MAX_NAME_BYTES].decode(errors="ignore").strip(" .")
        if not plain or plain.split(".")[0].lower() in RESERVED:
            plain = f"_{plain}"
        found.append(plain)
    return make_distinct(found)


def _folder(path: Path) -> Path:
    """Make the folder where it is not there."""
    try:
        path.mkdir(exist_ok=True)
    except FileExistsError:
        raise CannotWrite("this is a file, and BVH needs a folder; choose another name", path=path) from None
    except OSError as error:
        reason = "the folder above does not exist" if not path.absolute().parent.is_dir() else error.strerror
        raise CannotWrite(f"cannot make this folder ({reason}); choose another place", path=path) from error
    return path


def _clip(skeleton: Skeleton, places: Array, turns: Array, *, fps: float) -> Clip:
    """Return the motion of one character: places [T, 3] of its root, rotations [T, J, 4], those of end sites aside."""
    rotations = np.where(skeleton.end_sites[:, None], quat.IDENTITY, turns)
    return Clip(skeleton=skeleton, fps=fps, root_positions=places, local_rotations=rotations)


def _rig_clip(rig: Rig, motion: WorldPose, *, scale: float, fps: float) -> Clip:
    """Return the motion [T, 1, J] of a rig that is `scale` times as large as its file says.

    Axes of its joints are those of the world at rest (z up, facing +x), whatever axes its file gives its bones.
    """
    own = rig.skeleton.scaled(scale)
    if len(set(rig.names)) == len(rig.names):
        own = replace(own, names=rig.names)
    turned = quat.multiply(motion.rotations[:, 0], quat.conjugate(rig.turns))
    local = quat.multiply(quat.conjugate(turned[:, own.parents]), turned)
    local[:, 0] = turned[:, 0]
    return _clip(own, motion.positions[:, 0, 0], quat.continuous(local), fps=fps)
