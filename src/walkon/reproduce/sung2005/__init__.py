"""Sung, Kovar, Gleicher 2005, "Fast and accurate goal-directed motion synthesis for crowds": its scenes and tables."""
