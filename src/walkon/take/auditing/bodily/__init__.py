"""Measures of one body over time: its feet, its flesh on the floor, how it holds itself, moves and goes."""
