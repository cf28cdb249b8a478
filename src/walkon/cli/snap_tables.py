"""Tables of `walkon graph` for snap-together graphs: a summary, hubs, edges by pairs, joints, joins and feet.

Each takes a console and what `inspect_snap_graph` told.
"""

from typing import Any

__all__ = [
    "print_all",
    "print_hubs",
    "print_joins",
    "print_joints",
    "print_pairs",
    "print_snap_summary",
    "print_worst",
]

SHORT = {
    "sharp right": "sharp R",
    "right": "right",
    "straight": "ahead",
    "left": "left",
    "sharp left": "sharp L",
}
"""Headings for kinds of turns."""


def print_all(console: Any, told: dict[str, Any]) -> None:
    """Print every table."""
    for show in (print_snap_summary, print_hubs, print_worst, print_pairs, print_joints, print_joins):
        show(console, told)


def print_snap_summary(console: Any, told: dict[str, Any]) -> None:
    """Print counts, displacements, what planning asks for, and notes."""
    from rich.table import Table

    bent, settings = told["displacement_deg"], told["settings"]
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column()
    rows = [
        ("source", f"{told['library_s']:.1f} s in {told['clips']} clips, {told['clips_in_graph']} of them used"),
        ("hubs", f"{told['hubs']} from {told['matches']} match frames within {100 * settings['threshold']:.2f} cm"),
        ("edges", f"{told['edges']}, {told['edges_s']:.1f} s of motion"),
        (
            "displacement",
            f"median {bent['median']:.2f}°, 95 % under {bent['p95']:.2f}°, at most {bent['largest']:.1f}° "
            "(turn of a joint at a match frame)",
        ),
    ]
    for name, value in rows:
        table.add_row(name, _plain(value))
    for one in told["targets"]:
        mark = "[green]yes[/]" if one["met"] else "[yellow]no [/]"
        more = f", {one['note']}" if one["note"] else ""
        table.add_row("", f"{mark} {_plain(one['what'])}: {one['found']:g} (asked: {one['asked']:g}{_plain(more)})")
    console.print(table)
    for note in told["notes"]:
        console.print(note, style="yellow", highlight=False, markup=False)


def print_hubs(console: Any, told: dict[str, Any]) -> None:
    """Print a line per hub."""
    title = "hubs (reach: hubs in one edge and in two; turn of joints at match frames in degrees)"
    table = _table(
        "hub",
        "on",
        "m/s",
        "frames",
        "in",
        "out",
        "self",
        "reach",
        "median",
        "95 %",
        "most",
    )
    for hub in told["hub_list"]:
        bent = hub["displacement_deg"]
        table.add_row(
            _plain(hub["name"] + ("" if hub["in_core"] else " (cut off)")),
            hub["stance"],
            f"{hub['speed_m_s']:.2f}",
            *(str(hub[name]) for name in ("matches", "edges_in", "edges_out", "loops")),
            f"{hub['reaches_in_one']}, {hub['reaches_in_two']}",
            *(f"{bent[name]:.1f}" for name in ("median", "p95", "largest")),
        )
    _print(console, title, table)


def print_worst(console: Any, told: dict[str, Any]) -> None:
    """Print where each hub bends the source most."""
    title = "most bent match frames"
    table = _table("hub", "°", "joint", "clip", "s", "threshold cm")
    for hub in told["hub_list"]:
        worst = hub["worst_match"]
        if worst is not None:
            table.add_row(
                _plain(hub["name"]),
                f"{hub['displacement_deg']['largest']:.1f}",
                _plain(worst["joint"]),
                _plain(worst["clip"]),
                f"{worst['time_s']:.2f}",
                f"{100 * hub['threshold_m']:.2f}",
            )
    _print(console, title, table)


def print_pairs(console: Any, told: dict[str, Any]) -> None:
    """Print a line per ordered pair of hubs that has edges."""
    title = (
        "edges by pairs of hubs, least to most (turns in degrees, to the left positive; different: 2 cm, 2°, a frame)"
    )
    table = _table(
        "from",
        "to",
        "edges",
        "different",
        *SHORT.values(),
        "s",
        "m",
        "m/s",
        "turn",
    )
    for pair in told["pairs"]:
        table.add_row(
            _plain(pair["start"]),
            _plain(pair["stop"]),
            str(pair["edges"]),
            str(pair["distinct"]),
            *(str(pair["kinds"][kind]) if pair["kinds"][kind] else "·" for kind in SHORT),
            *(_range(pair[name], 2) for name in ("duration_s", "length_m", "speed_m_s")),
            _range(pair["turn_deg"], 0),
        )
    _print(console, title, table)


def print_joints(console: Any, told: dict[str, Any]) -> None:
    """Print displacement and velocity jumps of each joint."""
    title = "joints (turn at match frames in degrees; largest velocity jump of all joins, and the source's 99 %, m/s)"
    table = _table(
        "joint",
        "median",
        "95 %",
        "most",
        "jump",
        "source",
    )
    for name, jump in told["joins"]["joints"].items():
        bent = told["displacement_by_joint_deg"].get(name)
        shown = ("·", "·", "·") if bent is None else tuple(f"{bent[key]:.1f}" for key in ("median", "p95", "largest"))
        table.add_row(_plain(name), *shown, f"{jump['jump_worst_m_s']:.2f}", f"{jump['limit_m_s']:.2f}")
    _print(console, title, table)


def print_joins(console: Any, told: dict[str, Any]) -> None:
    """Print what all joins and planted feet are worth."""
    from rich.table import Table

    joins, feet = told["joins"], told["feet"]
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column()
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
        (
            "",
            ""
            if worst is None
            else f"most: {worst['joint']} at {worst['hub']}, {worst['before']} then {worst['after']}",
        ),
        (
            "planted feet",
            f"drift {1e3 * feet['across_m']:.2f} mm across a cut, {1e3 * feet['within_m']:.2f} mm within an edge; "
            f"planted {feet['planted_share']:.1%} of the time (source: {feet['source_planted_share']:.1%})",
        ),
        ("", "" if across is None else f"across: {across['point']} at {across['hub']}"),
        ("", "" if within is None else f"within: {within['point']} of {within['edge']}"),
        ("under the floor", f"{1e3 * feet['sunk_m']:.2f} mm at most, over it {1e3 * feet['lifted_m']:.2f} mm"),
    ]
    for name, value in rows:
        if value:
            table.add_row(name, _plain(value))
    _print(console, "every edge into a hub against every edge out", table)


def _table(*headings: str) -> Any:
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 1, 0, 0))
    for heading in headings:
        words = heading in ("hub", "on", "joint", "clip", "from", "to")
        table.add_column(heading, justify="left" if words else "right", no_wrap=words)
    return table


def _print(console: Any, title: str, table: Any) -> None:
    console.print(title, style="italic", highlight=False, markup=False)
    console.print(table)


def _range(values: list[float], digits: int) -> str:
    low, _, high = values
    if high - low < 0.5 * 10**-digits:
        return f"{values[1]:.{digits}f}"
    return f"{low:.{digits}f}…{high:.{digits}f}"


def _plain(text: str) -> str:
    """Return text from files so that a table prints its brackets instead of obeying them."""
    from rich.markup import escape

    return escape(text)
