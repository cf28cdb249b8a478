"""Names of prims: what people call things, as USD allows it.

A prim is called by letters, digits and underscores, not beginning with a digit, and siblings differ. Accents are taken
off, everything else that is not allowed becomes an underscore, and names that come out alike (or differ in case only:
they also become file names) are numbered. The name that people gave stays in the prim's metadata. USD has allowed other
scripts since 24.03, but many programs still carry an older one.
"""

import re
import unicodedata
from collections.abc import Iterable

__all__ = ["valid_names"]

LONGEST = 80
"""Letters; longer names are cut."""


def valid_names(names: Iterable[str], *, instead: str) -> list[str]:
    """Return valid prim names, all different, in the same order; `instead` is for names of which nothing is left."""
    taken: set[str] = set()
    found = []
    for name in names:
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        stem = re.sub(r"[^A-Za-z0-9_]+", "_", plain)[:LONGEST].strip("_") or instead
        if stem[0].isdigit():
            stem = f"_{stem}"
        valid, number = stem, 1
        while valid.lower() in taken:
            number += 1
            valid = f"{stem}_{number}"
        taken.add(valid.lower())
        found.append(valid)
    return found
