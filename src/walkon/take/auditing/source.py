"""The source's own figures: every clip that a take uses, played raw and measured by the same functions.

The yardstick is a take of its own: one character per clip, in the clip's own skeleton, from its first frame to its
last, without warp, blend, plants or drops; labels are the clip's own.
"""

import numpy as np

from walkon._base.arrays import IntArray
from walkon.motion.body import Body
from walkon.take.tables import NONE, Characters, Segments
from walkon.take.take import Take

__all__ = ["raw_take", "used_clips"]


def used_clips(take: Take, characters: IntArray) -> IntArray:
    """Return the clips that these characters play or fade from."""
    s = take.segments
    mine = np.isin(s.character, characters)
    played, blends = s.clip[mine], s.blend[mine]
    faded = take.blends.clip[blends[blends >= 0]]
    clips = np.unique(np.concatenate([played[played >= 0], faded])).astype(np.int64)
    return clips[take.clips.rows.frames[clips] > 1]


def raw_take(take: Take, clips: IntArray) -> Take:
    """Return a take in which each clip is played as it is by a body of its own skeleton."""
    bodies = tuple(Body.of(skeleton) for skeleton in take.skeletons)
    rows = take.clips.rows
    count = len(clips)
    return Take(
        fps=take.fps,
        names=tuple(f"{take.clips.names[clip]} {clip}" for clip in clips),  # clips may share a name
        characters=Characters.filled(count, body=rows.skeleton[clips], scale=1.0, stride=1.0, colour=0.5),
        bodies=bodies,
        skeletons=take.skeletons,
        clips=take.clips,
        segments=Segments.filled(
            count,
            character=np.arange(count),
            start=0.0,
            stop=take.clips.durations[clips],
            clip=clips,
            rate_start=1.0,
            rate_stop=1.0,
            warp=NONE,
            blend=NONE,
            track=NONE,
            edge=NONE,
            mark=NONE,
            reason=NONE,
        ),
        stage=type(take.stage)(),
    )
