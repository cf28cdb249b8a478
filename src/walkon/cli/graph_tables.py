"""Tables of `walkon graph`, for motion graphs and snap-together graphs.

Of a motion graph: a summary, coverage of speeds and turns, the trade-off of thresholds, the worst seams. Of a
snap-together graph: a summary, hubs, edges by pairs, joints, joins and feet. Each takes a console and what
`inspect_graph` or `inspect_snap_graph` returned.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from walkon.cli.printing import print_facts, print_table

__all__ = ["print_report"]

TURN_HEADINGS = {
    "sharp right": "sharp R",
    "right": "right",
    "straight": "ahead",
    "left": "left",
    "sharp left": "sharp L",
}
"""Headings for kinds of turns."""


def print_report(console: Any, report: dict[str, Any], *, whole: bool = True) -> None:
    """Print every table of a graph, or only counts, connectivity and notes, and a line per hub where there are hubs."""
    motion = (_print_motion_summary, _print_coverage, _print_trade_off, _print_seams)
    snap = (_print_snap_summary, _print_hubs, _print_worst, _print_pairs, _print_joints, _print_joins)
    tables, short = (motion, 1) if report["kind"] == "motion" else (snap, 2)
    for show in tables if whole else tables[:short]:
        show(console, report)


def _print_motion_summary(console: Any, report: dict[str, Any]) -> None:
    wait = report["longest_wait"]
    rule = {"typical": "0.8 of the typical distance", "given": "as given"}.get(report["rule"], f"by {report['rule']}")
    share = f"{report['motion_s']:.1f} of {report['library_s']:.1f} s ({report['share']:.0%})"
    choices = f"{report['choices']} with a choice, {report['ways_on_mean']:.1f} ways on in the mean"
    rows = [
        ("motion", f"{share} in {report['clips_in_graph']} of {report['clips']} clips"),
        ("threshold", f"{100 * report['threshold_m']:.2f} cm, {rule}"),
        ("nodes", f"{report['nodes']}, {choices}"),
        (
            "transitions",
            f"{report['transitions']} of {report['transitions_before_pruning']} under the threshold, "
            f"{report['too_rough']} more were too rough",
        ),
        ("components", ", ".join(f"{size:.1f} s" for size in report["components"][:5])),
        (
            "longest wait",
            "there is no choice at all"
            if wait is None
            else f"{report['longest_wait_s']:.2f} s without a choice, from {wait['clip']} at {wait['time_s']:.2f} s",
        ),
        (
            "worst seam",
            f"{report['worst_seam_m_s']:.2f} m/s, at a distance of up to {100 * report['worst_distance_m']:.1f} cm",
        ),
        ("cut", ", ".join(f"{lost:.1f} s {name.replace('_', ' ')}" for name, lost in report["cut_s"].items() if lost)),
    ]
    print_facts(console, rows)
    _print_notes(console, report)


def _print_coverage(console: Any, report: dict[str, Any]) -> None:
    """Print seconds of motion by speed and turn."""
    covered = report["coverage"]

    def bands(edges: Sequence[float | None]) -> list[str]:
        return [
            f"under {high:g}" if low is None else f"over {low:g}" if high is None else f"{low:g} to {high:g}"
            for low, high in pairwise(edges)
        ]

    turns = bands([None if edge is None else round(edge) for edge in covered["turn_deg_s"]])
    rows = [
        [speed, *(f"{value:.1f}" if value >= 0.05 else "·" for value in row)]
        for speed, row in zip(bands(covered["speed_m_s"]), covered["seconds"], strict=True)
        if sum(row) > 0
    ]
    title = "seconds of motion by speed and turn (°/s, left is positive)"
    print_table(console, ["m/s", *turns], rows, left=("m/s",), title=title)


def _print_trade_off(console: Any, report: dict[str, Any]) -> None:
    """Print what other thresholds would give; the chosen one is marked."""
    headings = ("threshold cm", "transitions", "largest component", "worst distance cm", "worst seam m/s", "")
    rows = [
        (
            f"{100 * row['threshold']:.2f}",
            str(row["transitions"]),
            f"{row['largest_share']:.1%}",
            f"{100 * row['worst_distance']:.2f}",
            f"{row['worst_seam']:.2f}",
            "← chosen" if row["threshold"] == report["threshold_m"] else "",
        )
        for row in report["trade_off"]
    ]
    print_table(console, headings, rows, left=(), title="what other thresholds would give")


def _print_seams(console: Any, report: dict[str, Any]) -> None:
    """Print the worst seams, from where to where."""
    rows = [
        (
            *(text for end in ("from", "to") for text in (seam[end]["clip"], f"{seam[end]['time_s']:.2f}")),
            f"{100 * seam['distance_m']:.1f}",
            f"{seam['seam_m_s']:.2f}",
        )
        for seam in report["worst_seams"]
    ]
    if rows:
        print_table(console, ("from", "s", "to", "s", "cm", "m/s"), rows, left=("from", "to"), title="worst seams")


def _print_snap_summary(console: Any, report: dict[str, Any]) -> None:
    """Print counts, displacements, what planning asks for, and notes."""
    from rich.text import Text

    bent = report["displacement_deg"]
    threshold = f"{100 * report['settings']['threshold']:.2f} cm"
    rows: list[tuple[str, Any]] = [
        ("source", f"{report['library_s']:.1f} s in {report['clips']} clips, {report['clips_in_graph']} of them used"),
        ("hubs", f"{report['hubs']} from {report['matches']} match frames within {threshold}"),
        ("edges", f"{report['edges']}, {report['edges_s']:.1f} s of motion"),
        (
            "displacement",
            f"median {bent['median']:.2f}°, 95 % under {bent['p95']:.2f}°, at most {bent['largest']:.1f}° "
            "(turn of a joint at a match frame)",
        ),
    ]
    for one in report["targets"]:
        mark = ("yes", "green") if one["met"] else ("no ", "yellow")
        more = f", {one['note']}" if one["note"] else ""
        rows.append(("", Text.assemble(mark, f" {one['what']}: {one['found']:g} (asked: {one['asked']:g}{more})")))
    print_facts(console, rows)
    _print_notes(console, report)


def _print_hubs(console: Any, report: dict[str, Any]) -> None:
    """Print a line per hub."""
    title = "hubs (reach: hubs in one edge and in two; turn of joints at match frames in degrees)"
    headings = ("hub", "on", "m/s", "frames", "in", "out", "self", "reach", "median", "95 %", "most")
    rows = [
        (
            hub["name"] + ("" if hub["in_core"] else " (cut off)"),
            hub["stance"],
            f"{hub['speed_m_s']:.2f}",
            *(str(hub[name]) for name in ("matches", "edges_in", "edges_out", "loops")),
            f"{hub['reaches_in_one']}, {hub['reaches_in_two']}",
            *_spread(hub["displacement_deg"]),
        )
        for hub in report["hub_list"]
    ]
    _print_titled(console, title, headings, rows)


def _print_worst(console: Any, report: dict[str, Any]) -> None:
    """Print where each hub bends the source most."""
    rows = [
        (
            hub["name"],
            f"{hub['displacement_deg']['largest']:.1f}",
            hub["worst_match"]["joint"],
            hub["worst_match"]["clip"],
            f"{hub['worst_match']['time_s']:.2f}",
            f"{100 * hub['threshold_m']:.2f}",
        )
        for hub in report["hub_list"]
        if hub["worst_match"] is not None
    ]
    _print_titled(console, "most bent match frames", ("hub", "°", "joint", "clip", "s", "threshold cm"), rows)


def _print_pairs(console: Any, report: dict[str, Any]) -> None:
    """Print a line per ordered pair of hubs that has edges."""
    title = (
        "edges by pairs of hubs, least to most (turns in degrees, to the left positive; different: 2 cm, 2°, a frame)"
    )
    headings = ("from", "to", "edges", "different", *TURN_HEADINGS.values(), "s", "m", "m/s", "turn")
    rows = [
        (
            pair["start"],
            pair["stop"],
            str(pair["edges"]),
            str(pair["distinct"]),
            *(str(pair["kinds"][kind]) if pair["kinds"][kind] else "·" for kind in TURN_HEADINGS),
            *(_format_range(pair[name], 2) for name in ("duration_s", "length_m", "speed_m_s")),
            _format_range(pair["turn_deg"], 0),
        )
        for pair in report["pairs"]
    ]
    _print_titled(console, title, headings, rows)


def _print_joints(console: Any, report: dict[str, Any]) -> None:
    """Print displacement and velocity jumps of each joint."""
    title = "joints (turn at match frames in degrees; largest velocity jump of all joins, and the source's 99 %, m/s)"
    rows = [
        (
            name,
            *_spread(report["displacement_by_joint_deg"].get(name)),
            f"{jump['jump_worst_m_s']:.2f}",
            f"{jump['limit_m_s']:.2f}",
        )
        for name, jump in report["joins"]["joints"].items()
    ]
    _print_titled(console, title, ("joint", "median", "95 %", "most", "jump", "source"), rows)


def _print_joins(console: Any, report: dict[str, Any]) -> None:
    """Print what all joins and planted feet are worth."""
    joins, feet = report["joins"], report["feet"]
    worst, across, within = joins["worst"], feet["across"], feet["within"]
    rows = [
        (
            "joins",
            f"{joins['pairs']}, places within {joins['position_m']:.1e} m, rotations {joins['rotation_rad']:.1e} rad",
        ),
        (
            "velocity jump",
            f"median {joins['jump_median_m_s']:.3f}, 99 % under {joins['jump_p99_m_s']:.3f}, "
            f"most {joins['jump_worst_m_s']:.3f} m/s (99th percentile of the source: {joins['limit_m_s']:.3f}; "
            f"{round(joins['over_limit'] * joins['pairs'] * len(joins['joints']))} joints of joins are over it)",
        ),
        ("", worst and f"most: {worst['joint']} at {worst['hub']}, {worst['before']} then {worst['after']}"),
        (
            "planted feet",
            f"drift {1e3 * feet['across_m']:.2f} mm across a cut, {1e3 * feet['within_m']:.2f} mm within an edge; "
            f"planted {feet['planted_share']:.1%} of the time (source: {feet['source_planted_share']:.1%})",
        ),
        ("", across and f"across: {across['point']} at {across['hub']}"),
        ("", within and f"within: {within['point']} of {within['edge']}"),
        ("under the floor", f"{1e3 * feet['sunk_m']:.2f} mm at most, over it {1e3 * feet['lifted_m']:.2f} mm"),
    ]
    console.print("every edge into a hub against every edge out", style="italic")
    print_facts(console, [(name, value) for name, value in rows if value])


def _print_notes(console: Any, report: dict[str, Any]) -> None:
    for note in report["notes"]:
        console.print(note, style="yellow")


def _print_titled(console: Any, title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    words = ("hub", "on", "joint", "clip", "from", "to")
    console.print(title, style="italic")
    print_table(console, headings, rows, left=words, whole=words, pad_edge=False, padding=(0, 1, 0, 0))


def _spread(bent: dict[str, float] | None) -> list[str]:
    return ["·" if bent is None else f"{bent[name]:.1f}" for name in ("median", "p95", "largest")]


def _format_range(values: list[float], digits: int) -> str:
    low, middle, high = values
    narrow = high - low < 0.5 * 10**-digits
    return f"{middle:.{digits}f}" if narrow else f"{low:.{digits}f}…{high:.{digits}f}"
