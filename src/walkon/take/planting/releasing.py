"""Releasing: contacts that end inside a fade end where the fading foot leaves its plant.

While one clip fades into another, contacts are the old clip's up to the middle and the new clip's after it. Where only
one of the two has its foot down, the mixed foot is on its way long before (or after) that middle, and a plant held up
to there would tear at the leg. So a contact whose end lies inside a fade is shortened, within the fade, to where the
mixed foot is within `RELEASE_BEYOND_M` of the plant. Contacts that go on through a fade are held: there both clips
stand.
"""

import numpy as np

from walkon._base.arrays import Array
from walkon.take.planting.stance_rows import StanceRows
from walkon.take.posing.toes import own_feet
from walkon.take.tables import last_rows
from walkon.take.take import Take

__all__ = ["RELEASE_BEYOND_M", "release"]

RELEASE_BEYOND_M = 0.02
"""m from its plant at which a mixed foot is let go. Larger: fewer free frames; smaller: gentler legs."""
FADE_SAMPLE_COUNT = 8
"""Places in a fade at which the foot is looked at."""


def release(take: Take, rows: StanceRows) -> StanceRows:
    """Return the rows, placed already, with torn ends of contacts cut off; rows without a contact left are dropped."""
    fading = take.segments.blend >= 0
    if not fading.any() or not len(rows):
        return rows
    starts = take.segments.start[fading]
    stops = starts + take.blends.duration[take.segments.blend[fading]]
    first = np.searchsorted(take.segments.character[fading], np.arange(len(take) + 1))
    spans = np.array(rows.spans)
    for point in range(2):
        for side in (1, 0):  # where the contact ends, then where it begins
            low, high = spans[:, point].T
            edge = spans[:, point, side]
            fade = last_rows(first, starts, rows.character, edge)
            known = np.maximum(fade, 0)
            inside = (fade >= first[rows.character]) & (edge < stops[known])
            # Where heel and ball hand over to each other the foot stays; and a contact that goes on in an abutting
            # row has no end here.
            outer = np.abs(edge - (rows.stop if side else rows.start)) < 1e-9
            torn = inside & outer & (high > low) & (np.abs(edge - rows.whole[:, point, side]) < 1e-9)
            inner = np.maximum(low, starts[known]) if side else np.minimum(high, stops[known])
            some = np.flatnonzero(torn)
            spans[some, point, side] = _let_go(take, rows.rows(some), point, edge=edge[some], inner=inner[some])
    # Each row is fitted to what is left of its contacts.
    planted = spans[:, :, 1] > spans[:, :, 0]
    start = np.where(planted, spans[:, :, 0], np.inf).min(axis=1)
    stop = np.where(planted, spans[:, :, 1], -np.inf).max(axis=1)
    spans = np.where(planted[:, :, None], spans, start[:, None, None])
    kept = planted.any(axis=1)
    return rows.rows(kept).with_columns(start=start[kept], stop=stop[kept], spans=spans[kept])


def _let_go(take: Take, rows: StanceRows, point: int, *, edge: Array, inner: Array) -> Array:
    """Return the ends [R] of contacts, moved from `edge` towards `inner` until the mixed foot is near its plant."""
    times = edge[:, None] + np.linspace(0.0, 1.0, FADE_SAMPLE_COUNT) * (inner - edge)[:, None]
    feet = own_feet(
        take, np.repeat(rows.character, FADE_SAMPLE_COUNT), np.repeat(rows.foot, FADE_SAMPLE_COUNT), times.ravel()
    )
    places = (feet.heels, feet.balls)[point].reshape(-1, FADE_SAMPLE_COUNT, 3)
    away = np.linalg.norm(places - rows.places[:, None, point], axis=2) > RELEASE_BEYOND_M
    first = np.where(away.all(axis=1), FADE_SAMPLE_COUNT - 1, np.argmin(away, axis=1))
    return times[np.arange(len(rows)), first]
