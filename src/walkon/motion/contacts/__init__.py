"""Feet and the floor: where it is in a recording, when feet bear on it, and motion changed so that they stay."""
