"""Posing: from the score of a take to every joint in the world at any time."""
