"""Trajectories that other programs write: JuPedSim SQLite, PedPy text, CSV and Parquet tables, as plain arrays."""

from walkon.io.trajectories.loading import load_trajectories
from walkon.io.trajectories.trajectories import Trajectories

__all__ = ["Trajectories", "load_trajectories"]
