"""Walkon turns motion capture into crowds."""

__version__ = "0.1.0"
