"""A paper whose experiments take no time, to run and to interrupt."""

import sys
from types import ModuleType

from walkon.reproduce import PAPERS, Experiment, Paper, ResultColumn, ResultColumns, ResultRow

__all__ = ["COLUMNS", "toy_paper"]

COLUMNS = ResultColumns(
    ResultColumn("length_s", "animation", unit="s", decimals=1, paper=True, headline=True),
    ResultColumn("drift_m", "drift", unit="m", small=True, decimals=2, headline=True),
    ResultColumn("runs", "seeds", decimals=0),
)


def toy_paper(monkeypatch, *, key="toy1999", stops_in=None):
    """Make a paper of three experiments known: one (two rows), two, and three, which is left to a full run.

    Returns what its experiments did, in order. The experiment `stops_in` is interrupted after its first row.
    """
    did = []

    def experiment(name, parts):
        def run(trial):
            for done, part in enumerate(parts, 1):
                did.append(f"{name}{part}")
                trial.progress(done / len(parts))
                yield ResultRow(
                    columns=COLUMNS,
                    experiment=name,
                    part=part,
                    what=f"what {name}{part} is",
                    values={"length_s": 76.1, "runs": trial.seeds},
                    printed={"length_s": 54.9} if part != "b" else {},
                    notes=(f"a note on {name}{part}",),
                )
                if name == stops_in:
                    raise KeyboardInterrupt

        return run

    paper = Paper(
        key=key,
        title="A toy paper",
        columns=COLUMNS,
        options=("seeds",),
        experiments=(
            Experiment(key="one", title="the first", run=experiment("one", "ab"), cost_s=2.0, full_seeds=5),
            Experiment(key="two", title="the second", run=experiment("two", ("",)), cost_s=1.0),
            Experiment(
                key="three", title="the third", run=experiment("three", ("",)), cost_s=900.0, quick=False, full_seeds=3
            ),
        ),
    )
    module = ModuleType(key)
    module.PAPER = paper
    monkeypatch.setitem(sys.modules, key, module)
    monkeypatch.setitem(PAPERS, key, key)
    return did
