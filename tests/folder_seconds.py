"""Seconds by folder: what the tests of each folder cost, and which folders are over their budget.

Processor seconds of setup, call and teardown, of the process, its threads and the processes it has waited for. They
hardly depend on what else the machine does. With xdist every worker measures its own tests and the report carries it.
"""

import os
from collections.abc import Generator, Mapping
from pathlib import PurePosixPath
from typing import Any

import pytest

__all__ = ["Cost", "folder_of", "folder_table", "long_files_first"]

LONG_FIRST = ("tests/readme/", "tests/browser/", "tests/unit/base/test_cache.py", "tests/golden/", "tests/unit/cli/")
"""Where long files are: they are begun first, so that no worker is left with one at the end."""
Cost = tuple[float, float, int]
"""Processor seconds, seconds that passed, and how many tests took them."""
BUDGETED = ("tests/unit/", "tests/papers/")
"""A budget holds for each folder below these."""
MEASURED = pytest.StashKey[dict[str, float]]()
COSTS = pytest.StashKey[dict[str, Cost]]()


def folder_of(node: str) -> str:
    """Return the folder of a test's id: `tests/unit/cli` for `tests/unit/cli/test_cli.py::test_help`."""
    return PurePosixPath(node.split("::", maxsplit=1)[0]).parent.as_posix()


def folder_table(costs: Mapping[str, Cost], *, budget: float | None = None) -> list[str]:
    """Return lines that say what each folder cost, the dearest first, and which is over its budget (s)."""
    lines = []
    for folder, (seconds, passed, count) in sorted(costs.items(), key=lambda item: (-item[1][0], item[0])):
        line = f"{folder:<32} {seconds:7.1f} s {passed:7.1f} s passed {count:5d} tests"
        if budget is not None and seconds > budget and folder.startswith(BUDGETED):
            line += f"  over its budget of {budget:g} s"
        lines.append(line)
    total, passed, tests = (sum(column) for column in zip(*costs.values(), strict=True)) if costs else (0.0, 0.0, 0)
    return [*lines, f"{'in all':<32} {total:7.1f} s {passed:7.1f} s passed {tests:5d} tests"]


def _processor_seconds() -> float:
    return sum(os.times()[:4])


def _measure(item: pytest.Item, phase: str) -> Generator[None, Any, Any]:
    start = _processor_seconds()
    try:
        return (yield)
    finally:
        item.stash.setdefault(MEASURED, {})[phase] = _processor_seconds() - start


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("seconds by folder")
    group.addoption("--seconds-by-folder", action="store_true", help="Print processor seconds by folder.")
    group.addoption("--folder-budget", type=float, metavar="S", help="Say which folders take more seconds than this.")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[COSTS] = {}
    config.pluginmanager.register(_Collected(config.stash[COSTS]), "folder_seconds_collected")


def long_files_first(nodes: list[str]) -> list[int]:
    """Return the order, as places in the list, in which tests of these ids are run."""
    ranks = [next((k for k, part in enumerate(LONG_FIRST) if n.startswith(part)), len(LONG_FIRST)) for n in nodes]
    return sorted(range(len(nodes)), key=lambda place: ranks[place])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = [items[place] for place in long_files_first([item.nodeid for item in items])]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    return (yield from _measure(item, "setup"))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    return (yield from _measure(item, "call"))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, Any, Any]:
    return (yield from _measure(item, "teardown"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    report = yield
    report.processor_seconds = item.stash.get(MEASURED, {}).get(call.when, 0.0)
    return report


class _Collected:
    """Adds up what reports say; with xdist the controller hears those of all workers."""

    def __init__(self, costs: dict[str, Cost]) -> None:
        self.costs = costs

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        folder = folder_of(report.nodeid)
        seconds, passed, count = self.costs.get(folder, (0.0, 0.0, 0))
        seconds += getattr(report, "processor_seconds", 0.0)
        self.costs[folder] = (seconds, passed + report.duration, count + (report.when == "setup"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    budget = config.getoption("folder_budget")
    if config.getoption("seconds_by_folder") or budget is not None:
        terminalreporter.section("seconds by folder")
        for line in folder_table(config.stash[COSTS], budget=budget):
            terminalreporter.write_line(line)
