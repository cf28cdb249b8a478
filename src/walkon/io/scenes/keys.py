"""The keys of a scene file: what may stand where. The reader and the schema for editors both follow from this page.

Keys of the stage are in `stage_keys.py`.
"""

from typing import Any

from walkon.io.scenes.kinds import Either, Listed, Number, Text, Tupled, Whole
from walkon.io.scenes.quantities import parse_entrance, parse_hold, parse_instant, parse_until
from walkon.io.scenes.records import Key, Record, Variants
from walkon.io.scenes.stage_keys import (
    ANGLE,
    AREA,
    COLOUR,
    DURATION,
    LENGTH,
    LINE,
    OVER_ZERO,
    PLACE,
    POINT,
    STAGE,
    WORD,
    Z,
)
from walkon.script.arranging import ASSIGNMENTS

__all__ = ["ARRANGEMENT", "SCENE", "VERSION"]

VERSION = 1
MAX_PEOPLE = 100_000

POSE = Text("a label of the library or a hub of the graph", pattern=r"[\w.-]+")
INSTANT = Text("a time such as 12s or 'bob.seat + 1s'", parse=parse_instant)
CENTRE = Key("position", POINT, "the middle of the arrangement; [0, 0] unless given", also="at")
TURNED = Key("turned", ANGLE, "by which the arrangement is turned around its middle")
ASSIGN = Key("assign", Text("a rule", choices=ASSIGNMENTS), "who goes where: in order, nearest, or by lot")
SPACING = Key("spacing", OVER_ZERO, "metres from one to the next", required=True)


def _arrangement(noun: str, *keys: Key) -> tuple[str, Record]:
    return keys[0].name, Record(f"the {noun}", (*keys, ASSIGN))


ARRANGEMENT = Variants(
    (
        _arrangement(
            "grid",
            Key("grid", Tupled("[columns, rows]", (Whole(1, MAX_PEOPLE), Whole(1, MAX_PEOPLE))), "columns and rows"),
            Key(
                "spacing",
                Either((OVER_ZERO, Tupled("[along x, along y]", (OVER_ZERO, OVER_ZERO)))),
                "metres from one to the next",
                required=True,
            ),
            CENTRE,
            TURNED,
        ),
        _arrangement(
            "circle",
            Key("circle", POINT, "the middle"),
            Key("radius", OVER_ZERO, "metres", required=True),
            Key("first", ANGLE, "direction in which the first one stands"),
            Key("facing", Text("a direction", choices=("inward", "outward")), "inward or outward"),
        ),
        _arrangement(
            "region",
            Key("region", AREA, "where people stand, drawn by the population's seed, out of obstacles"),
            Key("apart", OVER_ZERO, "metres between any two; 0.8 unless given"),
        ),
        _arrangement(
            "list",
            Key(
                "list",
                Listed(
                    Tupled("a place [x, y] or [x, y, facing]", (LENGTH, LENGTH, ANGLE), optional=1),
                    1,
                    what="places [x, y] or [x, y, facing]",
                ),
                "places, one by one",
            ),
        ),
        _arrangement(
            "line",
            Key("line", LINE, "points of a line on which people stand evenly, the first and last on its ends"),
        ),
        _arrangement(
            "text",
            Key("spell", Text("a text"), "letters A to Z and digits, seen from above"),
            SPACING,
            Key("height", OVER_ZERO, "metres of the letters, where no count is given"),
            CENTRE,
            TURNED,
        ),
        _arrangement(
            "seats",
            Key(
                "seats",
                Either((Listed(Text("names"), 1, what="names of seats"), Text("names of seats"))),
                "names of seats; * stands for anything: row_a_*",
            ),
        ),
    )
)

FACING = (
    Key("facing", ANGLE, "which way the hips face: 0 along x, 90deg along y"),
    Key("towards", POINT, "a point to face, instead of an angle"),
)
PUT_DOWN = Record(
    "a prop put down",
    (
        Key("prop", WORD, "the prop", required=True),
        Key("place", PLACE, "where its centre comes to be; on the floor without z"),
        Z,
        Key("arranged", ARRANGEMENT, "places for the props of a group"),
    ),
    one_of=(("place", "arranged"),),
)
MARK = Record(
    "a mark",
    (
        Key("name", WORD, "what to call it; mark_1, mark_2 … unless given"),
        Key("position", POINT, "where to be"),
        Z,
        Key("seat", WORD, "the seat to sit on", also="sit"),
        Key("door", WORD, "the door to stand in"),
        Key("arranged", ARRANGEMENT, "a place for each of a group"),
        *FACING,
        Key("pose", POSE, "a label of the library or a hub of the graph: stand, sit, carry …"),
        Key("at", INSTANT, "the time to be there, exactly"),
        Key("between", Tupled("two times [12s, 14s]", (INSTANT, INSTANT)), "earliest and latest time to be there"),
        Key("after", INSTANT, "the earliest time to be there"),
        Key("before", INSTANT, "the latest time to be there"),
        Key(
            "hold",
            Text("how long, such as 5s, or end", parse=parse_hold),
            "how long to stay so; `end`: until all is over",
        ),
        Key("until", Text("a time, or end", parse=parse_until), "the time until which to stay so"),
        Key("pick_up", WORD, "the prop to pick up"),
        Key("put_down", PUT_DOWN, "the prop to put down, and where"),
    ),
    not_both=(
        ("position", "seat", "door", "arranged"),
        ("facing", "towards"),
        ("at", "between", "after"),
        ("at", "between", "before"),
        ("hold", "until"),
        ("pick_up", "put_down"),
    ),
)
PERSON = (
    *FACING,
    Z,
    Key("pose", POSE, "how to begin; stand unless given, sit on a seat"),
    Key(
        "enters",
        Text("a time, a door, or both: 3s at door_2", parse=parse_entrance),
        "when, and through which door; at 0 s unless given",
    ),
    Key("leaves", WORD, "the door to leave through after the last mark"),
    Key("scale", Number("number", 0.5, 2.0), "size over the library's body; drawn from the cast unless given"),
    Key("speed", Number("speed", 0.1, 5.0), "speed one likes to walk at; drawn from the cast unless given"),
    Key("colour", COLOUR, "the colour of the body"),
    Key("marks", Listed(MARK, what="marks", keeps=True), "what to meet, in this order"),
)
CHARACTER = Variants(
    (
        (
            "group",
            Record(
                "a group",
                (
                    Key("group", WORD, "the name; its people are name_01, name_02 …"),
                    Key("count", Whole(1, MAX_PEOPLE), "how many; told by the arrangement where that has a number"),
                    Key("arranged", ARRANGEMENT, "where they begin"),
                    Key("every", DURATION, "seconds from one entrance to the next; all at once unless given"),
                    *PERSON,
                ),
                not_both=(("facing", "towards"),),
            ),
        ),
        (
            "name",
            Record(
                "a character",
                (
                    Key("name", WORD, "what to call them", required=True),
                    Key("position", POINT, "where to begin", also="at"),
                    Key("seat", WORD, "the seat to begin on"),
                    *PERSON,
                ),
                not_both=(("position", "seat"), ("facing", "towards")),
            ),
        ),
    )
)


def _range(number: Number) -> Any:
    return Either((number, Tupled("[lowest, highest]", (number, number))))


SCENE = Record(
    "a scene",
    (
        Key("walkon", Whole(1, 1_000_000), f"version of the format: {VERSION}", required=True),
        Key("title", Text("a title"), "what it is"),
        Key(
            "seeds",
            Record(
                "the seeds",
                (
                    Key("population", Whole(), "who people are, and where in regions they stand"),
                    Key("behaviour", Whole(), "what they choose to do"),
                ),
            ),
            "numbers for chance; the same ones give the same take",
        ),
        Key("ends", DURATION, "when the scene is over; soon after the last mark unless given"),
        Key(
            "cast",
            Record(
                "a cast",
                (
                    Key(
                        "library", Text("a file"), "builtin (unless given), a *.library file or a folder of recordings"
                    ),
                    Key("graph", Text("a file"), "a *.graph file instead of one built from the library"),
                    Key("scale", _range(Number("number", 0.5, 2.0)), "[smallest, largest] body over the library's"),
                    Key("speed", _range(Number("speed", 0.1, 5.0)), "[slowest, fastest] speed people like to walk at"),
                ),
            ),
            "what people can do and are like",
        ),
        Key("stage", STAGE, "the place"),
        Key("characters", Listed(CHARACTER, what="characters and groups", keeps=True), "who is there"),
    ),
)
