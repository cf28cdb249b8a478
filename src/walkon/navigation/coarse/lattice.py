"""The lattice of a coarse plan: one place for each cell of a grid where a body can be, and the free steps between them.

A plain grid loses what lies between its nodes: rows of seats, doors, gaps. So the place of a cell is moved to where
there is room, and stays in its cell. World frame of planning, metres.
"""

import numpy as np

from walkon._base.arrays import Array, lock_fields
from walkon._base.threads import in_chunks
from walkon.navigation.coarse.coarse_rule import MOVES, PITCH_M, Lattice
from walkon.navigation.distance_field import grain_axis
from walkon.stage.free_space import FreeSpace

__all__ = ["make_lattice"]

AROUND_M = 4.0
"""m around places and obstacles in which there are nodes where the stage has no bounds."""
MAX_CELL_COUNT = 4_000_000
"""Cells at most: on larger stages they are larger."""
ROWS_PER_TASK = 32


def make_lattice(space: FreeSpace, places: Array, *, need: float) -> Lattice:
    """Return the lattice of a space and of places [K, 2], whose nodes are `need` m or more from all walls."""
    from walkon.navigation.coarse import _lattice_kernels as kernels

    stage = space.stage
    axis = np.array([1.0, 0.0]) if space.is_open else grain_axis(space)
    turn = np.array([[axis[0], axis[1]], [-axis[1], axis[0]]])
    if stage.bounds is None:
        corners = [places, *(one.polygon for one in space.solids)]
        around = AROUND_M
    else:
        corners, around = [stage.bounds], 0.0
    seen = np.concatenate(corners) @ turn.T
    low, high = seen.min(axis=0) - around, seen.max(axis=0) + around
    pitch = max(PITCH_M, float(np.sqrt(np.prod(high - low) / MAX_CELL_COUNT)))
    nx, ny = (np.ceil((high - low) / pitch).astype(int) + 1).tolist()
    # Whole cells are spread evenly over what there is.
    low = 0.5 * (low + high) - 0.5 * pitch * np.array([nx - 1, ny - 1])
    frame = np.array([*(low @ turn), *axis, pitch])
    found, grid = np.empty((nx, ny, 2)), space.walking_grid
    moves, prices = np.zeros((nx, ny), np.uint32), np.zeros((nx, ny), np.float32)
    in_chunks(
        lambda first, stop: kernels.fill_places(grid, frame, need, first, stop, found, prices),
        nx,
        chunk=ROWS_PER_TASK,
    )
    in_chunks(
        lambda first, stop: kernels.fill_moves(grid, found, need, first, stop, moves),
        nx,
        chunk=ROWS_PER_TASK,
    )
    assert len(MOVES) <= 32
    return lock_fields(Lattice(found, moves, prices, frame))
