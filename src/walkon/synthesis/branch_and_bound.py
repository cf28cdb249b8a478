"""Branch and bound, depth first, the best child first: Kovar 2002, section 4.2, as it is written there.

g is never negative, so the error of a walk bounds that of everything that begins with it: a branch ends where it is no
better than the best complete walk so far. Exact, and exponential: it is kept as the twin of `beam` on small graphs, and
bounded by the number of edges it may look at.
"""

from bisect import insort
from typing import TYPE_CHECKING

from walkon._base.errors import InvalidValue

if TYPE_CHECKING:
    from walkon.synthesis.graph_search import PartialWalk, WalkExpander

__all__ = ["exact_walks"]


def exact_walks(
    ways: "WalkExpander", start: "PartialWalk", *, until: float, count: int = 1, most: int = 200_000
) -> "list[tuple[PartialWalk, bool]]":
    """Return the `count` best walks that are complete or last until `until` seconds, best first.

    After looking at `most` edges without an end it says so: a result that is not the best must not look like it.
    """
    first = ways.looked
    leaves: list[tuple[PartialWalk, bool]] = []
    stack = [start]
    while stack:
        walk = stack.pop()
        if len(leaves) >= count and walk.error >= leaves[count - 1][0].error:
            continue
        children = []
        for longer, complete in ways.onward(walk):
            if complete or longer.time >= until - 1e-9:
                insort(leaves, (longer, complete), key=lambda leaf: leaf[0].error)
                del leaves[count:]
                if leaves[0][0].error - start.error < ways.goal.good_enough:
                    return leaves
            else:
                children.append(longer)
        if ways.looked - first > most:
            raise InvalidValue(
                f"exact search looked at {most} edges and is not done: the graph has too many choices within "
                f"{until - start.time:.1f} s; use method='beam', or a shorter horizon"
            )
        # The stack gives back the last one first: the cheapest goes on top.
        stack += sorted(children, key=lambda child: -child.error)
    return leaves
