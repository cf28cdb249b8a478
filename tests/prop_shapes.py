"""Props of every kind, and meshes whose distances, volumes and extents are known."""

import numpy as np

from walkon.stage import Prop, PropGrip, PropPart

SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
"""Corners of the six sides of a box, counter-clockwise from outside."""


def box_mesh(size):
    """Return vertices [8, 3] and triangles [12, 3] of a box around the origin."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * size
    return corners, np.array([t for a, b, c, d in SIDES for t in ((a, b, c), (a, c, d))])


def ball_mesh(radius, sides=24):
    """Return a ball of rings and poles; its corners lie on the sphere."""
    tilts = np.linspace(0.0, np.pi, sides // 2 + 1)[1:-1]
    turns = np.arange(sides) * 2.0 * np.pi / sides
    tilt, turn = (part.ravel() for part in np.meshgrid(tilts, turns, indexing="ij"))
    rings = np.column_stack([np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt)])
    top, bottom = len(rings), len(rings) + 1
    here = np.arange(sides)
    after = (here + 1) % sides
    faces = [np.column_stack([np.full(sides, top), here, after])]
    for ring in range(len(tilts) - 1):
        a, b = ring * sides, (ring + 1) * sides
        faces += [np.column_stack([a + here, b + here, b + after]), np.column_stack([a + here, b + after, a + after])]
    last = (len(tilts) - 1) * sides
    faces.append(np.column_stack([np.full(sides, bottom), last + after, last + here]))
    return radius * np.vstack([rings, [0, 0, 1], [0, 0, -1]]), np.concatenate(faces)


def ring_mesh(radius, thick, sides=24, around=12):
    """Return a torus about z: hollow-sided, with a hole."""
    turn, roll = np.meshgrid(
        np.arange(sides) * 2.0 * np.pi / sides, np.arange(around) * 2.0 * np.pi / around, indexing="ij"
    )
    far = radius + thick * np.cos(roll)
    points = np.stack([far * np.cos(turn), far * np.sin(turn), thick * np.sin(roll)], axis=-1).reshape(-1, 3)
    i, j = (part.ravel() for part in np.meshgrid(np.arange(sides), np.arange(around), indexing="ij"))
    a, b = i * around + j, (i + 1) % sides * around + j
    c, d = (i + 1) % sides * around + (j + 1) % around, i * around + (j + 1) % around
    return points, np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])


def lamp(name="lamp"):
    """Return a compound with all three shapes, turned and off its origin."""
    parts = (
        PropPart(shape="cylinder", size=(0.2, 0.2, 0.04), pose=(0, 0, 0.02, 1, 0, 0, 0)),
        PropPart(size=(0.03, 0.03, 0.5), pose=(0.05, 0, 0.27, 0.96592583, 0, 0.25881905, 0), colour=(0.6, 0.6, 0.65)),
        PropPart(shape="sphere", size=(0.18, 0.18, 0.18), pose=(0.2, 0.0, 0.5, 1, 0, 0, 0), colour=(0.95, 0.85, 0.5)),
    )
    grips = {"stem": PropGrip.facing((0.03, 0, 0.25), fingers=(0, 1, 0), palm=(1, 0, 0), hand="right")}
    return Prop(name=name, shape="compound", parts=parts, grips=grips, mass=1.5, colour=(0.2, 0.4, 0.35))


def wheel(name="wheel"):
    """Return a mesh with a hole and a grip."""
    vertices, triangles = ring_mesh(0.25, 0.05)
    grips = {"rim": PropGrip.facing((0.2, 0, 0), fingers=(0, 0, 1), palm=(1, 0, 0), shape="hook")}
    return Prop(name=name, shape="mesh", vertices=vertices, triangles=triangles, grips=grips, colour=(0.75, 0.3, 0.2))
