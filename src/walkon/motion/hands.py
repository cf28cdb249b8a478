"""Shapes of hands: what fingers do, as one byte per hand."""

__all__ = ["HAND_SHAPES"]

HAND_SHAPES = ("relaxed", "open", "flat", "hook", "cylinder", "pinch")
"""By number, as takes store them."""
