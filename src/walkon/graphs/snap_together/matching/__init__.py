"""Matching: which frames of a library are alike, and which of them become the hubs."""
