"""Snap-together graphs whose every number is known: a pole that glides along arcs from hub to hub.

Hubs differ in the height of the root and in how far the top leans, so that a cut at the wrong hub shows.
"""

import numpy as np

from arc_graphs import FPS, POLE
from walkon.graphs.snap_together.snap_graph import Hubs, Matches, SnapEdges, SnapGraph
from walkon.motion.library import Library
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

WALK, CARRY = 1, 2


def pole_graph(rows, *, hubs=("a", "b", "c"), speed=1.0):
    """A graph of edges (start, stop, seconds, curvature 1/m, label bits)."""
    rows = sorted(rows, key=lambda row: row[:2])
    lean = 0.2 * np.arange(len(hubs))
    common_roots = np.column_stack([np.zeros((len(hubs), 2)), 1.0 + 0.05 * np.arange(len(hubs))])
    common = np.tile([1.0, 0, 0, 0], (len(hubs), 2, 1))
    common[:, 1] = quat.about([0.0, 1.0, 0.0], lean)
    roots, rotations, planes, counts = [], [], [], []
    for start, stop, seconds, curvature, _ in rows:
        t = np.arange(round(seconds * FPS) + 1) / FPS
        s, p = speed * t, t / t[-1]
        heading = curvature * s
        flat = np.column_stack([s, 0 * s])
        if curvature:
            flat = np.column_stack([np.sin(heading), 1 - np.cos(heading)]) / curvature
        planes.append(np.column_stack([flat, heading]))
        height = (1 - p) * common_roots[start, 2] + p * common_roots[stop, 2]
        roots.append(np.column_stack([flat, height]))
        turn = np.stack([quat.turn(heading), quat.about([0.0, 1.0, 0.0], (1 - p) * lean[start] + p * lean[stop])], 1)
        rotations.append(turn)
        counts.append(len(t))
    stops = np.cumsum(counts)
    bits = np.array([row[4] for row in rows])
    labels = np.repeat((bits[:, None] >> np.arange(2)) & 1 > 0, counts, axis=0)
    clips = Library(
        skeleton=POLE,
        fps=FPS,
        names=tuple(f"{k}:{hubs[row[0]]}>{hubs[row[1]]}" for k, row in enumerate(rows)),
        starts=stops - counts,
        stops=stops,
        root_positions=np.concatenate(roots),
        local_rotations=np.concatenate(rotations),
        contacts=np.zeros((stops[-1], 0), bool),
        contact_heights=np.zeros((stops[-1], 0)),
        label_names=("walk", "carry"),
        labels=labels,
    )
    displacement = np.array([plane[-1] for plane in planes])
    displacement[:, 2] = planar.compose(np.zeros(3), displacement)[:, 2]
    K, H = int(stops[-1]), len(hubs)
    return SnapGraph(
        source=clips,
        hub_names=hubs,
        hubs=Hubs.filled(H, threshold=0.05),
        matches=Matches.filled(H, hub=np.arange(H)),
        edges=SnapEdges.filled(
            len(rows),
            start=[row[0] for row in rows],
            stop=[row[1] for row in rows],
            duration=(np.array(counts) - 1) / FPS,
            displacement=planar.with_height(displacement),
            turn=[plane[-1, 2] - plane[0, 2] for plane in planes],
            labels=bits,
            common=bits,
        ),
        clips=clips,
        roots=common_roots,
        rotations=common,
        root_velocities=np.tile([speed, 0, 0], (H, 1)),
        angular_velocities=np.zeros((H, 2, 3)),
        contacts=np.zeros((H, 0), bool),
        displacements=np.zeros((H, 2)),
        planar=np.concatenate(planes),
        footprints=np.zeros((K, 3, 3)),
        settings={"rate": FPS},
    )


def loops(**options):
    """Hubs a and b with ways to and fro of all lengths, c carrying round in itself, and a way there and back."""
    return pole_graph(
        [
            (0, 1, 0.5, 0.0, WALK),
            (0, 1, 0.7, 0.8, WALK),
            (1, 0, 0.6, -0.8, WALK),
            (1, 0, 1.1, 0.3, WALK),
            (1, 2, 0.9, 0.0, 0),
            (2, 0, 1.0, 0.0, 0),
            (2, 2, 0.8, 0.4, CARRY),
            (2, 2, 0.4, -0.4, CARRY | WALK),
        ],
        **options,
    )


def with_dead_end():
    """From a to b and back for ever; c can be entered but not left."""
    return pole_graph([(0, 1, 0.5, 0.2, WALK), (1, 0, 0.6, 0.0, WALK), (1, 2, 0.9, 0.0, WALK), (2, 2, 0.5, 0.0, CARRY)])


def same_graph(one, two, *, atol=0.0):
    """Whether two graphs agree in all that they hold; motion within `atol`."""
    assert one.hub_names == two.hub_names
    assert dict(one.settings) == dict(two.settings)
    assert one.notes == two.notes
    for table in ("hubs", "matches", "edges"):
        for name, values in getattr(one, table).columns.items():
            np.testing.assert_array_equal(values, getattr(getattr(two, table), name), err_msg=f"{table}.{name}")
    for name in ("roots", "rotations", "root_velocities", "angular_velocities", "contacts", "planar"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name), err_msg=name)
    for name in ("displacements", "footprints"):
        np.testing.assert_allclose(getattr(one, name), getattr(two, name), rtol=0, atol=atol, err_msg=name)
    for part in ("source", "clips"):
        a, b = getattr(one, part), getattr(two, part)
        assert (a.names, a.label_names, a.events, a.notes) == (b.names, b.label_names, b.events, b.notes)
        for name in ("starts", "stops", "contacts", "labels"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=f"{part}.{name}")
        for name in ("root_positions", "local_rotations", "contact_heights"):
            np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=0, atol=atol, err_msg=f"{part}.{name}")
