"""What must happen: marks that characters must meet. Types and their checks; no files, no planning."""

from walkon.script.mark import Mark

__all__ = ["Mark"]
