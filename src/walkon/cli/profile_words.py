"""Where the time of a command went, as a table: stages within stages, seconds, share of the whole, calls."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from walkon._base.profiling import Profile, recording

__all__ = ["print_profile"]

MIN_PRINTED_SHARE = 0.002
"""Stages below this share of what was recorded are not printed."""


@contextmanager
def print_profile(*, json: bool) -> Iterator[None]:
    """Print where the time goes to the end of what is done within: to the error stream where JSON is printed."""
    since = _seconds_since_start()
    begun = time.perf_counter()
    with recording() as profile:
        try:
            yield
        finally:
            out = sys.stderr if json else sys.stdout
            out.write(_table(profile, since, time.perf_counter() - begun))


def _table(profile: Profile, before_s: float | None, within_s: float) -> str:
    whole = within_s + (before_s or 0.0)
    lines = ["where the time went                                       s   share  calls"]
    if before_s is not None:
        lines.append(_line("starting and importing", before_s, whole, 1))
    named = 0.0
    for path, seconds, calls in profile.rows():
        if len(path) == 1:
            named += seconds
        if seconds >= MIN_PRINTED_SHARE * within_s:
            lines.append(_line(f"{'  ' * (len(path) - 1)}{path[-1]}", seconds, whole, calls))
    lines.append(_line("other", max(within_s - named, 0.0), whole, 1))
    lines.append(_line("in all", whole, whole, 1))
    return "\n".join(lines) + "\n"


def _line(words: str, seconds: float, whole: float, calls: int) -> str:
    return f"  {words:<50} {seconds:8.3f} {seconds / max(whole, 1e-9):6.1%} {calls:6d}"


def _seconds_since_start() -> float | None:
    """Return for how long this process has run, where the system tells."""
    try:
        import os

        ticks = float(Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[19])
        up = float(Path("/proc/uptime").read_text().split()[0])
        return max(up - ticks / os.sysconf("SC_CLK_TCK"), 0.0)
    except (OSError, ValueError, IndexError, AttributeError):
        return None
