"""Editing takes: shifted, moved, cut, joined; poses stay as they are."""
