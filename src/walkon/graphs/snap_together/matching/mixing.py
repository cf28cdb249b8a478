"""What must not meet in one hub: somebody seated and somebody on their feet, hands full and hands free.

A common pose of both would be neither, and whoever reached it sitting could leave it walking. Suggested hubs never mix
(each is of one family); sets that were grown or picked by hand with a large threshold may, and are refused.
"""

from collections.abc import Mapping

import numpy as np

from walkon._base.errors import InvalidValue
from walkon.graphs.point_clouds import FrameSet
from walkon.graphs.snap_together.matching.match_sets import MatchSet
from walkon.graphs.snap_together.matching.passing import Posture, postures
from walkon.graphs.snap_together.matching.suggestions import LOW, UPRIGHT, labelled, library_frames
from walkon.motion.library import Library

__all__ = ["check_unmixed"]


def check_unmixed(
    library: Library, frames: FrameSet, hubs: Mapping[str, MatchSet], *, posture: Posture | None = None
) -> None:
    """Refuse match sets that join what must not meet; the message says where, and which threshold would not."""
    at = library_frames(library, frames)
    height = (postures(library) if posture is None else posture).height[at]

    seated = labelled(library, at, "seated") | (height < LOW)
    carry = labelled(library, at, "carry")
    for name, found in hubs.items():
        for words, one, other in (
            (("sitting", "standing or walking"), seated, (height > UPRIGHT) & ~seated),
            (("carrying", "empty hands"), carry, ~carry),
        ):
            a, b = found.frames[one[found.frames]], found.frames[other[found.frames]]
            if not len(a) or not len(b):
                continue
            mine = one[found.seed] if one[found.seed] or other[found.seed] else len(a) >= len(b)
            wrong = other if mine else one
            nearest = int(np.argmin(np.where(wrong[found.frames], found.distances, np.inf)))
            raise InvalidValue(
                f"the hub {name!r} would join {words[0]} ({_moment(frames, int(a[0]))}) with {words[1]} "
                f"({_moment(frames, int(b[0]))}); lower its threshold of {found.threshold * 100:.1f} cm below "
                f"{found.distances[nearest] * 100:.1f} cm, or leave those frames out"
            )


def _moment(frames: FrameSet, frame: int) -> str:
    return f"{frames.names[int(frames.clips_of(frame))]} at {frames.times[frame]:.2f} s"
