"""Floors to test on: hills, stairs, and a bridge over a road, as triangles [F, 3, 3] m that face up."""

import numpy as np

from walkon._base.arrays import Array

__all__ = ["hills", "sheet", "slope", "stairs", "two_layers"]


def sheet(x: Array, y: Array, z: Array) -> Array:
    """Return the triangles of a sheet with heights z [X, Y] over a grid of x [X] and y [Y]."""
    points = np.stack([*np.meshgrid(x, y, indexing="ij"), z], axis=-1)
    a, b, c, d = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
    return np.concatenate(
        [np.stack([a, b, c], axis=2).reshape(-1, 3, 3), np.stack([a, c, d], axis=2).reshape(-1, 3, 3)]
    )


def hills(*, seed: int, half: float = 20.0, step: float = 0.5, steepest: float = 0.17) -> Array:
    """Return rolling hills around the origin, of four random waves; `steepest` bounds the tangent of their slope."""
    rng = np.random.default_rng(seed)
    line = np.arange(-half, half + step / 2, step)
    x, y = np.meshgrid(line, line, indexing="ij")
    z = np.zeros(x.shape)
    for _ in range(4):
        length, way, phase = rng.uniform(5.0, 20.0), rng.uniform(-np.pi, np.pi), rng.uniform(-np.pi, np.pi)
        wave = 2 * np.pi / length
        z += steepest / 4 / wave * np.sin(wave * (x * np.cos(way) + y * np.sin(way)) + phase)
    return sheet(line, line, z)


def slope(degrees: float, *, half: float = 30.0) -> Array:
    """Return a plane that rises along +x."""
    line = np.array([-half, half])
    return sheet(line, line, np.tan(np.radians(degrees)) * np.repeat(line[:, None], 2, axis=1))


def stairs(*, count: int = 10, rise: float = 0.17, going: float = 0.28, width: float = 4.0) -> Array:
    """Return stairs that climb along +x from the origin, level before and after, with upright risers."""
    found = []
    edges = np.concatenate([[-10.0], going * np.arange(count), [going * count + 10.0]])
    across = np.array([-width / 2, width / 2])
    for k in range(count + 1):
        found.append(sheet(edges[k : k + 2], across, np.full((2, 2), rise * k)))
    for k in range(count):
        x, low, high = edges[k + 1], rise * k, rise * (k + 1)
        a, b, c, d = [x, across[0], low], [x, across[0], high], [x, across[1], high], [x, across[1], low]
        found.append(np.array([[a, b, c], [a, c, d]]))
    return np.concatenate(found)


def two_layers(*, height: float = 4.0) -> Array:
    """Return a floor of 40 m square, and a deck of 20 by 6 m over its middle."""
    floor = sheet(np.array([-20.0, 20.0]), np.array([-20.0, 20.0]), np.zeros((2, 2)))
    deck = sheet(np.array([-10.0, 10.0]), np.array([-3.0, 3.0]), np.full((2, 2), height))
    return np.concatenate([floor, deck])
