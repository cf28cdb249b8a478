"""An audit as one web page: verdict, figures beside the source clips' own, curves over time, the worst cases drawn.

The page is one file that needs nothing else: no script, no fonts, pictures inside. It is light or dark as its reader's
system is, and fits a phone. Names in takes are other people's text: every word is escaped.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from walkon._base.files import write_atomically
from walkon.drawing.audit_pictures import picture_of
from walkon.drawing.audit_words import (
    TOPICS,
    UNKNOWN,
    Row,
    figure_words,
    format_exactly,
    format_value,
    plain_words,
    rows_of,
    thresholds_of,
    unit_of,
    verdict,
)
from walkon.drawing.svg_plots import STYLE, plot_svg, short_number
from walkon.take.auditing import Audit, WorstCase
from walkon.take.auditing.limits import good_limits
from walkon.take.take import Take

__all__ = ["audit_report", "save_audit_report"]

MAX_PICTURES = 24
"""At most so many pictures; the first of each figure come first."""
MAX_PER_FIGURE = 2
"""Cases listed of each figure."""
TIMELINES = {
    "people_present": ("People present", ""),
    "smallest_gap_m": ("Smallest gap between two footprints", "collisions.max_penetration_m"),
    "overlapping_pairs": ("Pairs that touch", "bodies.pair_frames"),
    "worst_slide_m_s": ("Fastest slide of a planted point", "foot_slide.max_m_s"),
    "fastest_joint_deg_s": ("Fastest joint", "smoothness.max_joint_speed_deg_s"),
    "adjustment_m_s": ("Largest shift of a clip", "adjustment.max_m_s"),
}
"""Timeline → its title, and the figure whose limit and worst cases belong on it."""

MIN_PLOT_HEIGHT = {"m/s": 0.001, "m": 0.01, "deg/s": 1.0, "deg": 0.1}
"""Unit → what a plot is high at least, so that rounding does not look like news."""

Progress = Callable[[float], None]


def save_audit_report(
    take: Take,
    audit: Audit,
    *,
    path: str | Path,
    title: str = "take",
    limits: Mapping[str, float] | None = None,
    progress: Progress | None = None,
) -> Path:
    """Write the report of an audit to an .html file, whole or not at all; see `audit_report`."""
    page = audit_report(take, audit, title=title, limits=limits, progress=progress).encode()
    return write_atomically(path, lambda file: file.write(page))


def audit_report(
    take: Take,
    audit: Audit,
    *,
    title: str = "take",
    limits: Mapping[str, float] | None = None,
    pictures: int = MAX_PICTURES,
    progress: Progress | None = None,
) -> str:
    """Return the page: figures by topic, with limits (dotted name → number) where there are some.

    `progress(share)` is called with 0 to 1 as pictures are drawn.
    """
    given = dict(limits or {})
    well, sentence = verdict(audit, given)
    parts = [
        _head(take, audit, title, well, sentence),
        _section("Figures", _tables(audit, given)),
        _section("Over time", _plots(audit, given)),
        _section("Worst cases", _cases(take, audit, given, pictures, progress or (lambda share: None))),
        _section("What the figures mean", _thresholds(audit)),
    ]
    body = "\n".join(part for part in parts if part)
    made = escape(str(take.provenance.get("walkon", "")))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)} – audit</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n<main>\n{body}\n"
        f"<footer>Measured on the posed take by Walkon; take written by version {made or 'unknown'}.</footer>\n"
        "</main>\n</body>\n</html>\n"
    )


def _head(take: Take, audit: Audit, title: str, well: bool, sentence: str) -> str:
    f = audit.figures
    facts = [
        f"{f['characters']:,} {'character' if f['characters'] == 1 else 'characters'}",
        f"{f['duration_s']:.2f} s",
        f"measured {f['fps']:g} times a second",
    ]
    if not take.complete:
        facts.append("the take is unfinished")
    mark = '<span class="tick">✓</span>' if well else '<span class="tick">!</span>'
    return (
        f"<header><h1>{escape(title)}</h1><p>{escape(' · '.join(facts))}</p>"
        f'<p class="verdict {"good" if well else "bad"}">{mark}<span>{escape(sentence)}</span></p></header>'
    )


def _section(title: str, content: str) -> str:
    return f"<section><h2>{escape(title)}</h2>\n{content}\n</section>" if content else ""


def _tables(audit: Audit, limits: Mapping[str, float]) -> str:
    """Return a small table per topic."""
    topics: dict[str, list[Row]] = {}
    for row in rows_of(audit):
        topics.setdefault(row.topic, []).append(row)
    over = {key for key, _, _ in audit.broken(limits)}
    tables = []
    for topic, rows in topics.items():
        beside = any(row.source is not None for row in rows)
        lines = [_line(row, limits.get(row.key), over=row.key in over, beside=beside) for row in rows]
        entries = [_list_entry(entry) for row in rows for entry in _entries(audit, row.key)]
        heads = "<th>this take</th>" + ("<th>its clips</th>" if beside else "")
        tables.append(
            f"<table><thead><tr><th>{escape(TOPICS.get(topic, topic))}</th>{heads}</tr></thead>"
            f"<tbody>{''.join(lines)}{''.join(entries)}</tbody></table>"
        )
    return f'<div class="figures">{"".join(tables)}</div>'


def _line(row: Row, limit: float | None, *, over: bool, beside: bool) -> str:
    state = limit_note = ""
    if limit is not None:
        state = ' class="over"' if over else ' class="kept"'
        word = UNKNOWN + ", limit" if over and row.value is None else "over" if over else "within"
        limit_note = f"<small>{word} {escape(format_exactly(row.key, limit))}</small>"
    own = "" if row.source is None else escape(format_value(row.key, row.source))
    breakable = escape(row.key).replace("_", "_<wbr>").replace(".", ".<wbr>")
    return (
        f"<tr{state}><td>{escape(row.words)}<code>{breakable}</code></td>"
        f"<td>{escape(format_value(row.key, row.value))}{limit_note}</td>{f'<td>{own}</td>' if beside else ''}</tr>"
    )


def _entries(audit: Audit, key: str) -> list[Any]:
    """Return what a counted figure counts: unmet marks, stuck characters."""
    value: Any = audit.figures
    for part in key.split("."):
        value = value[part]
    return list(value)[:20] if isinstance(value, list | tuple) else []


def _list_entry(entry: Any) -> str:
    if isinstance(entry, Mapping):
        text = " · ".join(f"{value:.2f}" if isinstance(value, float) else str(value) for value in entry.values())
    else:
        text = str(entry)
    return f'<tr class="entry"><td colspan="3">{escape(text)}</td></tr>'


def _plots(audit: Audit, limits: Mapping[str, float]) -> str:
    figures = []
    for name, (times, values) in audit.timelines.items():
        if len(times) == 0:
            continue
        title, figure = TIMELINES.get(name, (plain_words(name).capitalize(), ""))
        marks = [(case.time, case.text) for case in audit.worst if figure and case.figure == figure]
        # A depth is a gap below zero: its limit would be drawn on the wrong side.
        limit = None if "gap" in name else limits.get(figure)
        unit, note = unit_of(name), None
        if "smallest" in name and np.isfinite(values).any():
            note = f"down to {short_number(float(np.nanmin(values)))} {unit}"
        least = MIN_PLOT_HEIGHT.get(unit, 1.0)
        figures.append(
            plot_svg(times, values, title=title, unit=unit, marks=marks, limit=limit, least=least, note=note)
        )
    return f'<div class="plots">{"".join(figures)}</div>' if figures else ""


def _cases(take: Take, audit: Audit, limits: Mapping[str, float], pictures: int, progress: Progress) -> str:
    chosen = list(_choose_cases(audit, limits))
    drawn = {id(case) for _, case in sorted(chosen, key=lambda numbered: numbered[0])[:pictures]}
    cards = []
    for done, (_, case) in enumerate(chosen):
        progress(done / len(chosen))
        picture = picture_of(take, case) if id(case) in drawn else None
        cards.append(_card(case, picture, over=case.figure in limits and case.value > limits[case.figure]))
    progress(1.0)
    return f'<div class="cases">{"".join(cards)}</div>' if cards else "<p>There are none to tell.</p>"


def _choose_cases(audit: Audit, limits: Mapping[str, float]) -> Iterator[tuple[int, WorstCase]]:
    """Give the worst few cases of each figure, numbered: over a limit first, then those that a good take does not
    have.
    """
    counts: Counter[str] = Counter()
    over, notable = ({key for key, _, _ in audit.broken(given)} for given in (limits, good_limits(audit)))
    topics, notable_topics = ({key.partition(".")[0] for key in keys} for keys in (over, notable))

    def rank(case: WorstCase) -> tuple[bool, ...]:
        topic = case.figure.partition(".")[0]
        return case.figure not in over, topic not in topics, case.figure not in notable, topic not in notable_topics

    for case in sorted(audit.worst, key=rank):
        counts[case.figure] += 1
        if counts[case.figure] <= MAX_PER_FIGURE:
            yield counts[case.figure], case


def _card(case: WorstCase, picture: str | None, *, over: bool) -> str:
    who = f"{case.character} · {case.other}" if case.other else case.character
    where = f" · ({', '.join(f'{c:.2f}' for c in case.place)}) m" if np.isfinite(case.place).all() else ""
    image = f'<img src="data:image/png;base64,{picture}" alt="{escape(case.text)}" loading="lazy">' if picture else ""
    return (
        f'<article class="case{" over" if over else ""}">{image}<div>'
        f"<h3>{escape(figure_words(case.figure))}: {escape(format_value(case.figure, case.value))}</h3>"
        f"<p>{escape(case.text)}</p>"
        f'<p class="where">{escape(who)} · {case.time:.2f} s{where}</p></div></article>'
    )


def _thresholds(audit: Audit) -> str:
    """Return the thresholds that define the figures, by topic."""
    items = [f"<dt>{escape(topic)}</dt><dd>{escape(listed)}</dd>" for topic, listed in thresholds_of(audit)]
    note = (
        "<p>Everything is measured on the posed take with the audit's own kinematics. The column “its clips” has the "
        "same figure of the source clips as they were recorded: raw capture is the yardstick.</p>"
    )
    return note + (f"<dl>{''.join(items)}</dl>" if items else "")
