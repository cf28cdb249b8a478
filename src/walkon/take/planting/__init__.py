"""Planting (foot-skate clean-up): one place in the world for every contact of every foot of a take."""
