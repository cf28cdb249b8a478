"""Trajectories that other programs write: JuPedSim SQLite, PedPy text, CSV and Parquet tables, as plain arrays."""

from walkon.geometry.tracks import Trajectories
from walkon.io.trajectories.loading import load_trajectories

__all__ = ["Trajectories", "load_trajectories"]
