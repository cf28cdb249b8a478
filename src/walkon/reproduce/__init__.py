"""The experiments of papers, run again: our numbers beside theirs, and pictures.

Each paper is a module with its `PAPER`: its columns, its experiments, what each costs. `experiment` runs
them all in the same way and gives rows (`results`) as they come. Experiments run on the CMU clips where these are there
(`WALKON_MOCAP`), else on the built-in library, and say which. Where a paper prints no number there is none here.
"""

from walkon.reproduce.experiment import (
    PAPERS,
    Experiment,
    Paper,
    Selection,
    Trial,
    load_paper,
    reproduce,
    select_experiments,
)
from walkon.reproduce.results import Reproduction, ResultColumn, ResultColumns, ResultRow

__all__ = [
    "PAPERS",
    "Experiment",
    "Paper",
    "Reproduction",
    "ResultColumn",
    "ResultColumns",
    "ResultRow",
    "Selection",
    "Trial",
    "load_paper",
    "reproduce",
    "select_experiments",
]
