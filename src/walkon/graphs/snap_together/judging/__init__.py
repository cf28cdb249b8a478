"""Judging: what the hubs and joins of a finished graph are worth, in numbers and in words."""
