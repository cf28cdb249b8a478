"""The running crowd: scenes performed, many characters at once."""

from walkon.crowd.casting import check_scene
from walkon.crowd.performing import Performance, perform, perform_with_report

__all__ = ["Performance", "check_scene", "perform", "perform_with_report"]
