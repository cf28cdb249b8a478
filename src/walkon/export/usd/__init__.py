"""Takes to USD (`.usdc`), with UsdSkel. Everything but `files` needs the extra `usd`."""

from walkon.export.usd.files import write

__all__ = ["write"]
