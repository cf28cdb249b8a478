"""A take in which somebody shapes hands."""

from dataclasses import replace

from small_take import SECONDS, small_take
from walkon.motion.limbs.hands import HAND_SHAPES
from walkon.take import Take
from walkon.take.tables import HandShapes


def shaped_take() -> Take:
    """The small take, with Ann's hands going through all shapes; Bob's and the disc's stay relaxed."""
    count = len(HAND_SHAPES)
    step = SECONDS / count
    rows = [(hand, number, step * ((number + 2 * hand) % count)) for hand in range(2) for number in range(count)]
    table = HandShapes.filled(
        len(rows),
        character=0,
        hand=[hand for hand, _, _ in rows],
        shape=[number for _, number, _ in rows],
        start=[start for _, _, start in rows],
        stop=[start + step for _, _, start in rows],
        fade_in=0.1,
        fade_out=0.1,
    )
    return replace(small_take(), hand_shapes=table)
