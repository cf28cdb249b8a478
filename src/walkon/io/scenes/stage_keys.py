"""The keys of a scene file that are about the stage, and the kinds of values that all keys share. See `keys.py`."""

from walkon._base.errors import InvalidValue
from walkon.geometry.solids import SIMPLE_SHAPES
from walkon.io.scenes.kinds import Either, Flag, Listed, Number, Text, Tupled, Whole
from walkon.io.scenes.quantities import NAME
from walkon.io.scenes.records import Key, Record, Variants
from walkon.stage.prop_parts import GRIP_HAND_SHAPES, GRIP_HANDS

__all__ = [
    "ANGLE",
    "AREA",
    "COLOUR",
    "DURATION",
    "LENGTH",
    "LINE",
    "OVER_ZERO",
    "PLACE",
    "POINT",
    "STAGE",
    "WORD",
    "Z",
]


def _colour(text: str) -> tuple[float, float, float]:
    from PIL import ImageColor

    try:
        red, green, blue = ImageColor.getrgb(text)[:3]
    except ValueError:
        raise InvalidValue(f"must be a colour such as '#c04020', tomato or [0.8, 0.3, 0.1], got {text!r}") from None
    return red / 255, green / 255, blue / 255


LENGTH, OVER_ZERO = Number("length"), Number("length", 0.0, 1e5, above=True)
DURATION = Number("time", 0.0, 1e5)
ANGLE = Number("angle", -100.0, 100.0)
POINT = Tupled("a point [x, y]", (LENGTH, LENGTH))
PLACE = Tupled("a place [x, y] or [x, y, z]", (LENGTH, LENGTH, LENGTH), optional=1)
POINTS = Listed(POINT, 3, what="points [x, y]")
LINE = Listed(POINT, 2, what="points [x, y]")
BOX = Tupled("a box [x0, y0, x1, y1] of two opposite corners", (LENGTH,) * 4)
WORD = Text("a name of letters, digits and _", pattern=NAME)
WKT = Text("WKT such as POLYGON ((0 0, 4 0, 4 3))")
COLOUR = Either(
    (Tupled("[red, green, blue] from 0 to 1", (Number("number", 0.0, 1.0),) * 3), Text("a colour", parse=_colour))
)

SHAPE = (
    Key("polygon", POINTS, "corners, once around"),
    Key("box", BOX, "a rectangle between two opposite corners [x0, y0, x1, y1]"),
    Key("circle", POINT, "the centre of a circle; give its radius"),
    Key("radius", OVER_ZERO, "metres, of the circle"),
    Key("wkt", WKT, "a POLYGON or MULTIPOLYGON as WKT"),
)
AREA = Either((POINTS, Record("an area", SHAPE, one_of=(("polygon", "box", "circle", "wkt"),)), WKT))

Z = Key("z", LENGTH, "the height of the floor that is meant, where several lie above each other")

TIME = Key("at", Number("time", -1e5, 1e5), "the time", required=True)
SPEED = Number("speed", -1e3, 1e3)
TRACK = Listed(
    Record(
        "a knot of a track",
        (
            TIME,
            Key("place", PLACE, "where it is then", required=True),
            Key("facing", ANGLE, "which way it is turned then; the way that it goes unless given"),
            Key(
                "velocity",
                Tupled("a velocity [x, y] or [x, y, z]", (SPEED, SPEED, SPEED), optional=1),
                "how fast it goes then, for a smooth way; straight and even between knots unless given",
            ),
        ),
    ),
    2,
    what="knots {at, place}",
)
OPENING = Listed(
    Record(
        "a knot of a door",
        (TIME, Key("open", ANGLE, "by how much the leaf is open then, counter-clockwise", required=True)),
    ),
    2,
    what="knots {at, open}",
)

OBSTACLE = Record(
    "an obstacle",
    (
        *SHAPE,
        Key("wall", LINE, "points that a wall runs along"),
        Key("thickness", OVER_ZERO, "metres, of the wall; 0.2 unless given"),
        Key("mesh", Text("a file"), "an OBJ, glTF or GLB file whose floor plan is taken"),
        Key("lowest", LENGTH, "metres: what of the mesh is below is walked over; 0.1 unless given"),
        Key("highest", LENGTH, "metres: what of the mesh is above is walked under; 2 unless given"),
        Key("position", POINT, "where the mesh's origin is put", also="at"),
        Key("facing", ANGLE, "by which the mesh is turned"),
        Key("name", Text("a name"), "what to call it"),
        Key("height", Number("length", -100.0, 1e3), "metres of its top above the floor under it; 1 unless given"),
        Key("base", Number("length", -100.0, 1e3), "metres of its underside above the floor; 0 unless given"),
        Z,
        Key("track", TRACK, "how it moves: shape, height and base are in the frame of the track then"),
    ),
    one_of=(("polygon", "box", "circle", "wkt", "wall", "mesh"),),
)

ROW = (
    Key("count", Whole(1, 10_000), "how many", required=True),
    Key("from", PLACE, "where the first one is", required=True),
    Key("spacing", OVER_ZERO, "metres from one to the next", required=True),
    Key("along", ANGLE, "direction in which the row runs; to the right of `facing` unless given"),
    Key("first", Whole(0, 100_000), "number of the first one; 1 unless given"),
)
FURNITURE = (
    Key(
        "height",
        Number("length", 0.0, 3.0, above=True),
        "metres of the seat's top above the floor under it; 0.45 unless given",
    ),
    Z,
    Key("furniture", Text("chair or none", choices=("chair", "none")), "a chair, as obstacles of the stage"),
)
SEAT = Variants(
    (
        (
            "row",
            Record(
                "a row of seats",
                (
                    Key("row", WORD, "names, with {n} for the number: seat_{n}"),
                    *ROW,
                    Key("facing", ANGLE, "which way one faces there", required=True),
                    *FURNITURE,
                ),
            ),
        ),
        (
            "name",
            Record(
                "a seat",
                (
                    Key("name", WORD, "what to call it", required=True),
                    Key("position", POINT, "where the hips come to rest", required=True, also="at"),
                    Key("facing", ANGLE, "which way one faces there", required=True),
                    *FURNITURE,
                ),
            ),
        ),
    )
)
DOOR = Record(
    "a door",
    (
        Key("name", WORD, "what to call it", required=True),
        Key("ends", Tupled("two points [[x, y], [x, y]]", (POINT, POINT)), "the line that one crosses", required=True),
        Key("track", OPENING, "how its leaf turns; it has none unless given"),
        Key("hinge", Whole(0, 1), "the end at which the leaf hangs, the first (0, unless given) or the second (1)"),
        Key("height", Number("length", 0.0, 20.0, above=True), "metres of the leaf; 2 unless given"),
        Z,
    ),
)
EXTENT = Either((OVER_ZERO, Tupled("[x, y, z] in metres", (OVER_ZERO,) * 3)))
SPOT = Tupled("a place [x, y, z]", (LENGTH,) * 3)
WAY = Tupled("a direction [x, y, z]", (Number(),) * 3)
PART = Record(
    "a part",
    (
        Key("shape", Text("a shape", choices=SIMPLE_SHAPES), "box (unless given), sphere or cylinder"),
        Key("size", EXTENT, "full extent along its x, y and z; one number for all three", required=True),
        Key("position", SPOT, "its middle in the prop's frame; [0, 0, 0] unless given", also="at"),
        Key(
            "turned",
            Either((ANGLE, Tupled("[about x, about y, about z]", (ANGLE,) * 3))),
            "by which it is turned about the prop's x, then y, then z; one angle is about z",
        ),
        Key("colour", COLOUR, "its colour; the prop's unless given"),
    ),
)
GRIP = Record(
    "a grip",
    (
        Key("name", WORD, "what to call it", required=True),
        Key("position", SPOT, "the middle of the palm, in the prop's frame", required=True, also="at"),
        Key("fingers", WAY, "direction in which the fingers point", required=True),
        Key("palm", WAY, "direction in which the palm looks", required=True),
        Key("hand", Text("a hand", choices=GRIP_HANDS), "left, right, or either (unless given)"),
        Key("shape", Text("a shape", choices=GRIP_HAND_SHAPES), "open, flat, hook, cylinder (unless given) or pinch"),
    ),
)
SOLID = (
    Key("shape", Text("a shape", choices=SIMPLE_SHAPES), "box (unless given), sphere or cylinder"),
    Key("size", EXTENT, "full extent along x, y and z; one number for all three; 0.3 m unless given"),
    Key("parts", Listed(PART, 1, what="parts"), "boxes, spheres and cylinders that are one prop"),
    Key("mesh", Text("a file"), "an OBJ, glTF or GLB file with a closed surface"),
    Key("mass", Number("mass", 0.0, 1e6, above=True), "kilograms; by its volume unless given"),
    Key("keep_level", Flag(), "whether it stays level however it is held; false unless given"),
    Key("grips", Listed(GRIP, what="grips"), "where hands hold it"),
    Key("facing", ANGLE, "which way it is turned"),
    Z,
    Key("colour", COLOUR, "its colour"),
)
ONE_SHAPE = (("shape", "parts", "mesh"), ("size", "parts"), ("size", "mesh"))
PROP = Variants(
    (
        (
            "row",
            Record(
                "a row of props",
                (Key("row", WORD, "names, with {n} for the number: box_{n}"), *ROW, *SOLID),
                not_both=ONE_SHAPE,
            ),
        ),
        (
            "name",
            Record(
                "a prop",
                (
                    Key("name", WORD, "what to call it", required=True),
                    Key("position", PLACE, "its origin; on the floor without z", also="at"),
                    Key("track", TRACK, "how its origin moves, instead of a position; on the floor without z"),
                    *SOLID,
                ),
                one_of=(("position", "track"),),
                not_both=(("track", "facing"), *ONE_SHAPE),
            ),
        ),
    )
)
FLOOR = Record(
    "a floor",
    (
        Key("z", LENGTH, "a level floor at this height"),
        Key(
            "ramp",
            Tupled("two places [[x, y, z], [x, y, z]]", (SPOT, SPOT)),
            "a ramp from one place to another, level before it and after it, endless to both sides",
        ),
        Key("mesh", Text("a file"), "an OBJ, glTF or GLB file; what of it faces up is the floor"),
        Key("up", Text("an axis", choices=("y", "z")), "the axis that points up in the file; y unless given"),
        Key("scale", OVER_ZERO, "metres of one unit of the file; 1 unless given"),
        Key("position", PLACE, "where the mesh's origin is put", also="at"),
        Key("facing", ANGLE, "by which the mesh is turned"),
    ),
    one_of=(("z", "ramp", "mesh"),),
)
STAGE = Record(
    "a stage",
    (
        Key("floor", FLOOR, "what one stands on; level at 0 unless given"),
        Key("bounds", AREA, "where one may walk; everywhere unless given"),
        Key("obstacles", Listed(OBSTACLE, what="obstacles", keeps=True), "what one walks around"),
        Key("seats", Listed(SEAT, what="seats", keeps=True), "where one sits"),
        Key("doors", Listed(DOOR, what="doors", keeps=True), "where one enters and leaves"),
        Key("props", Listed(PROP, what="props", keeps=True), "what one carries"),
    ),
)
