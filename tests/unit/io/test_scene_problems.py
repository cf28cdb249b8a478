"""Everything that is wrong with a scene file is listed together, with its line and what to do."""

import pytest

from walkon._base.errors import UnreadableFile, WalkonError
from walkon.io import scene_from_text


def told(text):
    with pytest.raises(UnreadableFile) as caught:
        scene_from_text(text, name="a.yaml")
    assert caught.value.line is None or str(caught.value).startswith(f"a.yaml:{caught.value.line}: ")
    return str(caught.value).splitlines()


BAD = """walkon: 1
titel: hi
stage:
  bounds: {bx: [-10, -10, 10, 10]}
  obstacles:
    - {name: pillar, circle: [1, 2], height: 3x}
  seats:
    - {name: a, at: [0, 0], facing: 90}
characters:
  - name: bob
    position: [1, 2, 3]
    marks:
      - {seat: b_1, between: [20s, 30s], hold: for ever}
      - {at: 3s, between: [1, 2]}
  - name: bob
    position: [1, 2]
    position: [1, 2]
  - gruop: x
    count: 4
"""


def test_all_problems_of_a_file_are_listed_in_order_of_lines() -> None:
    assert told(BAD) == [
        "a.yaml:2: there is no key 'titel' in a scene; did you mean 'title'?",
        "a.yaml:4: there is no key 'bx' in an area; did you mean 'box'?",
        "a.yaml:6: 'height' must be a length such as 1.2m, and 'x' is no unit of it (use m, cm, mm, km)",
        "a.yaml:6: a circle needs the key 'radius', in metres",
        "a.yaml:8: 'facing' must be an angle: 90 without a unit is in radians; write 90deg for degrees",
        "a.yaml:11: 'position' must be a point [x, y], got a list of 3",
        "a.yaml:13: 'hold' must be a time such as 3s, got 'for ever'",
        "a.yaml:13: there is no seat 'b_1'. Known: 'a'.",
        "a.yaml:14: give only one of 'at', 'between' in a mark",
        "a.yaml:15: the name 'bob' is used already, in line 10; rename one",
        "a.yaml:17: the key 'position' is there twice, first in line 16; keep one",
        "a.yaml:18: there is no key 'gruop' here; did you mean 'group'?",
    ]


PEOPLE = """walkon: 1
stage: {props: [{name: box, position: [0, 0]}]}
characters:
  - name: bob
    position: [0, 0]
    marks:
"""


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ("{name: a}", "asks for nothing"),
        ("{position: [1, 2], seat: x}", "give only one of 'position', 'seat'"),
        ("{position: [1, 2], facing: 0, towards: [0, 0]}", "give only one of 'facing', 'towards'"),
        ("{pose: stand, towards: [0, 0]}", "'towards' needs a place"),
        ("{position: [1, 2], towards: [1, 2]}", "'towards' is the place itself"),
        ("{between: [5s, 2s]}", "must end after it begins"),
        ("{between: [5s, bob.x + 2s]}", "must count from one mark"),
        ("{after: a.x, before: b.x}", "must count from one mark"),
        ("{after: a.x + 2m}", "'m' is no unit of it"),
        ("{at: soon enough}", "must be a time such as 12s"),
        ("{pose: stand, hold: -2s}", "must be 0 s or more"),
        ("{pose: stand, hold: 2s, until: 9s}", "give only one of 'hold', 'until'"),
        ("{position: [1km, 200km]}", "at most 100000 m, got 200km"),
        ("{position: [.nan, 2]}", "must be a length such as 1.2m, got '.nan'"),
        ("{position: [1e400, 2]}", "must be a finite length"),
        ("{pick_up: bax}", "there is no prop 'bax'. Close matches: 'box'"),
        ("{put_down: {prop: box}}", "needs one of the keys 'place', 'arranged'"),
        ("{door: exit}", "there is no door 'exit'"),
        ("{position: ~}", "must be a point [x, y], got nothing"),
        ("[1, 2]", "must be a mark (keys and values), got a list of 2"),
        ("{pose: stand, !!python/none x: 1}", "there is no key 'x'"),
        ("{pose: !mine stand}", "tags such as !mine mean nothing"),
        ("{? [a, b] : 1, pose: stand}", "a key must be a word"),
        ("{position: [0, 0], at: 3s, sit: x, seat: x}", "two words for one thing"),
    ],
)
def test_what_is_wrong_with_a_mark_is_said_on_its_line(mark: str, said: str) -> None:
    lines = told(f"{PEOPLE}      - {{pose: stand}}\n      - {mark}\n")
    assert any(line.startswith("a.yaml:8: ") and said in line for line in lines), lines


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title: x", "a scene needs the key 'walkon'"),
        ("walkon: one", "'walkon' must be a whole number, got 'one'"),
        ("walkon: 1\nwalkon: 1", "there twice"),
        ("walkon: 1\nseeds: {population: 1.5}", "must be a whole number, got '1.5'"),
        ("walkon: 1\nseeds: {population: -1}", "must be a whole number from 0"),
        ("walkon: 1\ncast: {scale: [1.2, 0.9]}", "must be [lowest, highest]"),
        ("walkon: 1\ncast: {library: nowhere.library}", "there is no library 'nowhere.library'"),
        ("walkon: 1\nstage: {bounds: {box: [0, 0, 0, 3]}}", "two opposite corners"),
        ("walkon: 1\nstage: {bounds: [[0, 0], [2, 2], [2, 0], [0, 2]]}", "must not cross itself"),
        ("walkon: 1\nstage: {bounds: POLYGON}", "this is no WKT"),
        ("walkon: 1\nstage: {bounds: POINT (0 0)}", "POLYGON or MULTIPOLYGON is needed, got WKT of a Point"),
        ("walkon: 1\nstage: {bounds: 3}", "this is no WKT"),
        ("walkon: 1\nstage: {obstacles: [{height: 2}]}", "an obstacle needs one of the keys 'polygon', 'box'"),
        ("walkon: 1\nstage: {obstacles: [{wall: [[0, 0], [0, 0]]}]}", "two different points"),
        ("walkon: 1\nstage: {obstacles: [{box: [0, 0, 1, 1], height: 1, base: 2}]}", "higher than its base"),
        ("walkon: 1\nstage: {seats: [{row: a, count: 2, from: [0, 0], spacing: 1, facing: 0}]}", "need {n}"),
        ("walkon: 1\nstage: {seats: [{name: a, position: [0, 0]}]}", "a seat needs the key 'facing'"),
        ("walkon: 1\nstage: {doors: [{name: a, ends: [[0, 0], [0, 0]]}]}", "at least 0.1 m wide"),
        (
            "walkon: 1\nstage: {doors: [{name: a, ends: [[0, 0], [0, 1]]}, {name: a, ends: [[3, 0], [3, 1]]}]}",
            "names of doors must differ",
        ),
        (
            "walkon: 1\nstage: {props: [{name: a, position: [0, 0]}, {name: a, position: [0, 1]}]}",
            "names of props must differ",
        ),
        ("walkon: 1\nstage: {props: [{name: a, position: [0, 0], colour: blurple}]}", "must be a colour"),
        ("walkon: 1\nstage: {props: [{name: a, position: [0, 0], shape: cone}]}", "one of box, sphere, cylinder"),
        ("walkon: 1\ncharacters: [{name: a b, position: [0, 0]}]", "a name of letters, digits and _"),
        ("walkon: 1\ncharacters: [{position: [0, 0]}]", "a character needs the key 'name'"),
        ("walkon: 1\ncharacters: [{name: a}]", "where does this begin?"),
        ("walkon: 1\ncharacters: [{name: a, enters: 3s at gate}]", "there is no door 'gate'"),
        ("walkon: 1\ncharacters: [{name: a, enters: soon}]", "must be a time such as 3s"),
        ("walkon: 1\ncharacters: [{name: a, position: [0, 0], leaves: x}]", "there is no door 'x'"),
        ("walkon: 1\ncharacters: {name: a}", "must be a list of characters and groups, got keys and values"),
        (
            "walkon: 1\ncharacters: [{name: a, position: [0, 0], marks: [{name: m, pose: b}, {name: m, pose: b}]}]",
            "twice",
        ),
        ("walkon: 1\ntitle: a: b", "is there a ':' too many"),
        ("walkon: 1\nstage:\n\tbounds: 1", "indent with blanks, not tabs"),
        ("walkon: 1\nstage: {seats: [{row: a_{n}, count: 2}]}", "quote names with {n}"),
        ("walkon: 1\ntitle: [1", "this is not YAML"),
        ("walkon: 1\n--- \nwalkon: 1", "this is not YAML"),
        ("walkon: 1\ntitle: \x01", "does not allow"),
        ("walkon: 1\ntitle: &a [*a]", "does an alias contain itself?"),
        ("walkon: 1\ntitle: " + "[" * 60 + "]" * 60, "nest deeper than 40 levels"),
        ("walkon: 1\ntitle: " + "[" * 1500, "nest deeper than 40 levels"),
    ],
)
def test_what_is_wrong_with_a_scene_is_said(text: str, said: str) -> None:
    assert any(said in line for line in told(text)), told(text)


def test_aliases_of_aliases_do_not_fill_the_memory() -> None:
    rows = ["walkon: 1", "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    rows += [f"{y}: &{y} [{', '.join([f'*{x}'] * 10)}]" for x, y in zip("abcdefgh", "bcdefghi", strict=True)]
    with pytest.raises(WalkonError, match="does an alias contain itself"):
        scene_from_text("\n".join(rows))


def test_a_very_wrong_file_is_cut_short() -> None:
    lines = told("walkon: 1\n" + "".join(f"key{i}: 1\n" for i in range(500)))
    assert len(lines) == 41
    assert lines[-1] == "a.yaml: and 460 more problems"
