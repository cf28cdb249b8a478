"""The experiments of papers, run again: our numbers beside theirs, and pictures.

Each module is one paper and has `EXPERIMENTS`, name → function. Experiments run on the CMU clips where these are there
(`WALKON_MOCAP`), else on the built-in library, and say which. Where a paper prints no number there is none here.
"""

from walkon.reproduce.running import PAPERS, reproduce
from walkon.reproduce.table import Reproduction, Row

__all__ = ["PAPERS", "Reproduction", "Row", "reproduce"]
