"""One clip from or to a file, whatever its format: the format is known by the file's ending."""

from pathlib import Path

from walkon._base.errors import InvalidValue
from walkon.io.bvh_read import read_bvh
from walkon.io.bvh_write import write_bvh
from walkon.motion.clip import Clip, Ensemble

__all__ = ["load", "save"]

ENDINGS = (".bvh",)


def load(path: str | Path, *, scale: float | None = None, fps: float | None = None) -> Clip:
    """Read one person's motion; `read_bvh` also reports what was found, and reads files of several people.

    `scale` is metres per file unit and `fps` the true frame rate, where the file is wrong about them.
    """
    _check(path)
    return read_bvh(path, scale=scale, fps=fps).clip


def save(clip: Clip | Ensemble, path: str | Path) -> Path:
    """Write motion to a file, atomically; several people recorded together become several roots of one file."""
    _check(path)
    return write_bvh(clip, path)


def _check(path: str | Path) -> None:
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise InvalidValue(f"cannot tell the format of {str(path)!r}: the name must end in {' or '.join(ENDINGS)}")
