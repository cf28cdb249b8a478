"""The running crowd: scenes performed, many characters at once."""

from walkon.crowd.performing import Performance, perform

__all__ = ["Performance", "perform"]
