"""Tables of `walkon graph`: a summary, coverage of speeds and turns, the trade-off of thresholds, the worst seams."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from walkon.graphs.motion_graph import MotionGraph

__all__ = ["print_coverage", "print_seams", "print_summary", "print_trade_off"]


def print_summary(console: Any, graph: "MotionGraph") -> None:
    """Print counts, connectivity and notes."""
    from rich.table import Table

    from walkon.graphs.inspection import inspect_graph

    told = inspect_graph(graph, seams=0)
    wait = told["longest_wait"]
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column()
    rule = {"typical": "0.8 of the typical distance", "given": "as given"}.get(told["rule"], f"by {told['rule']}")
    share = f"{told['motion_s']:.1f} of {told['library_s']:.1f} s ({told['share']:.0%})"
    rows = [
        ("motion", f"{share} in {told['clips_in_graph']} of {told['clips']} clips"),
        ("threshold", f"{100 * told['threshold_m']:.2f} cm, {rule}"),
        ("nodes", f"{told['nodes']}, {told['choices']} with a choice, {told['ways_on_mean']:.1f} ways on in the mean"),
        (
            "transitions",
            f"{told['transitions']} of {told['transitions_before_pruning']} under the threshold, "
            f"{told['too_rough']} more were too rough",
        ),
        ("components", ", ".join(f"{size:.1f} s" for size in told["components"][:5])),
        (
            "longest wait",
            "there is no choice at all"
            if wait is None
            else f"{told['longest_wait_s']:.2f} s without a choice, from {wait['clip']} at {wait['time_s']:.2f} s",
        ),
        (
            "worst seam",
            f"{told['worst_seam_m_s']:.2f} m/s, at a distance of up to {100 * told['worst_distance_m']:.1f} cm",
        ),
        ("cut", ", ".join(f"{value:.1f} s {name.replace('_', ' ')}" for name, value in told["cut_s"].items() if value)),
    ]
    for name, value in rows:
        table.add_row(name, _plain(value))
    console.print(table)
    for note in graph.notes:
        console.print(note, style="yellow", highlight=False, markup=False)


def print_coverage(console: Any, covered: dict[str, Any]) -> None:
    """Print seconds of motion by speed and turn."""
    from rich.table import Table

    def band(edges: list[float | None], k: int) -> str:
        low, high = edges[k], edges[k + 1]
        if low is None:
            return f"under {high:g}"
        return f"over {low:g}" if high is None else f"{low:g} to {high:g}"

    turns = [None if edge is None else round(edge) for edge in covered["turn_deg_s"]]
    table = Table(box=None, header_style="bold", title="seconds of motion by speed and turn (°/s, left is positive)")
    table.title_justify = "left"
    table.add_column("m/s")
    for k in range(len(turns) - 1):
        table.add_column(band(turns, k), justify="right")
    for k, row in enumerate(covered["seconds"]):
        if sum(row) > 0:
            table.add_row(band(covered["speed_m_s"], k), *(f"{value:.1f}" if value >= 0.05 else "·" for value in row))
    console.print(table)


def print_trade_off(console: Any, rows: list[dict[str, Any]], chosen: float) -> None:
    """Print what other thresholds would give; the chosen one is marked."""
    from rich.table import Table

    table = Table(box=None, header_style="bold", title="what other thresholds would give")
    table.title_justify = "left"
    for heading in ("threshold cm", "transitions", "largest component", "worst distance cm", "worst seam m/s", ""):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(
            f"{100 * row['threshold']:.2f}",
            str(row["transitions"]),
            f"{row['largest_share']:.1%}",
            f"{100 * row['worst_distance']:.2f}",
            f"{row['worst_seam']:.2f}",
            "← chosen" if row["threshold"] == chosen else "",
        )
    console.print(table)


def print_seams(console: Any, seams: list[dict[str, Any]]) -> None:
    """Print the worst seams, from where to where."""
    from rich.table import Table

    if not seams:
        return
    table = Table(box=None, header_style="bold", title="worst seams")
    table.title_justify = "left"
    for heading in ("from", "s", "to", "s", "cm", "m/s"):
        table.add_column(heading, justify="left" if heading in ("from", "to") else "right")
    for seam in seams:
        table.add_row(
            _plain(seam["from"]["clip"]),
            f"{seam['from']['time_s']:.2f}",
            _plain(seam["to"]["clip"]),
            f"{seam['to']['time_s']:.2f}",
            f"{100 * seam['distance_m']:.1f}",
            f"{seam['seam_m_s']:.2f}",
        )
    console.print(table)


def _plain(text: str) -> str:
    """Return text from files so that a table prints its brackets instead of obeying them."""
    from rich.markup import escape

    return escape(text)
