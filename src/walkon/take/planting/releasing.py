"""Releasing: contacts that end inside a fade end where the fading foot leaves its plant.

While one clip fades into another, contacts are the old clip's up to the middle and the new clip's after it. Where only
one of the two has its foot down, the mixed foot is on its way long before (or after) that middle, and a plant held up
to there would tear at the leg. So a contact whose end lies inside a fade is shortened, within the fade, to where the
mixed foot is within `TORN` of the plant. Contacts that go on through a fade are held: there both clips stand.
"""

import numpy as np

from walkon._base.arrays import Array, BoolArray
from walkon.take.planting.own_feet import own_feet
from walkon.take.planting.stance_rows import StanceRows
from walkon.take.take import Take

__all__ = ["TORN", "release"]

TORN = 0.02
"""m from its plant at which a mixed foot is let go. Larger: fewer free frames; smaller: gentler legs."""
LOOKS = 8
"""Places in a fade at which the foot is looked at."""
FAR = 1e7
"""s, more than any take is long: characters are put so far apart that one sorted list of times serves all."""


def release(take: Take, rows: StanceRows) -> StanceRows:
    """Return the rows, placed already, with torn ends of contacts cut off; rows without a contact left are dropped."""
    fading = take.segments.blend >= 0
    if not fading.any() or not len(rows):
        return rows
    starts = take.segments.start[fading]
    stops = starts + take.blends.duration[take.segments.blend[fading]]
    key = take.segments.character[fading] * FAR
    columns = {name: np.array(rows.columns[name]) for name in ("heel_start", "heel_stop", "ball_start", "ball_stop")}
    for point in ("heel", "ball"):
        for end, side in ((f"{point}_stop", 1), (f"{point}_start", 0)):
            low, high = columns[f"{point}_start"], columns[f"{point}_stop"]
            edge = columns[end]
            fade = np.searchsorted(key + starts, rows.character * FAR + edge, side="right") - 1
            known = np.maximum(fade, 0)
            inside = (fade >= 0) & (key[known] == rows.character * FAR) & (edge < stops[known])
            # Where heel and ball hand over to each other the foot stays; and a contact that goes on in an abutting
            # row has no end here.
            outer = np.abs(edge - (rows.stop if side else rows.start)) < 1e-9
            torn = inside & outer & (high > low) & (np.abs(edge - rows.columns[f"{point}_whole"][:, side]) < 1e-9)
            inner = np.maximum(low, starts[known]) if side else np.minimum(high, stops[known])
            columns[end] = _let_go(take, rows, point, edge=edge, inner=inner, which=torn)
    return _without_empty(rows, columns)


def _let_go(take: Take, rows: StanceRows, point: str, *, edge: Array, inner: Array, which: BoolArray) -> Array:
    """Return the ends [R] of contacts, moved from `edge` towards `inner` until the mixed foot is near its plant."""
    some = np.flatnonzero(which)
    moved = np.array(edge)
    if not len(some):
        return moved
    share = np.linspace(0.0, 1.0, LOOKS)
    times = edge[some, None] + share * (inner - edge)[some, None]
    feet = own_feet(take, np.repeat(rows.character[some], LOOKS), np.repeat(rows.foot[some], LOOKS), times.ravel())
    places = (feet.heels if point == "heel" else feet.balls).reshape(len(some), LOOKS, 3)
    plants = rows.heel_place[some] if point == "heel" else rows.ball_place[some]
    away = np.linalg.norm(places - plants[:, None], axis=2) > TORN
    first = np.where(away.all(axis=1), LOOKS - 1, np.argmin(away, axis=1))
    moved[some] = times[np.arange(len(some)), first]
    return moved


def _without_empty(rows: StanceRows, columns: dict[str, Array]) -> StanceRows:
    """Fit each row to what is left of its contacts."""
    heel = columns["heel_stop"] > columns["heel_start"]
    ball = columns["ball_stop"] > columns["ball_start"]
    start = np.minimum(np.where(heel, columns["heel_start"], np.inf), np.where(ball, columns["ball_start"], np.inf))
    stop = np.maximum(np.where(heel, columns["heel_stop"], -np.inf), np.where(ball, columns["ball_stop"], -np.inf))
    kept = heel | ball
    for point, there in (("heel", heel), ("ball", ball)):
        for end in ("start", "stop"):
            columns[f"{point}_{end}"] = np.where(there, columns[f"{point}_{end}"], start)[kept]
    return rows.rows(kept).with_columns(start=start[kept], stop=stop[kept], **columns)
