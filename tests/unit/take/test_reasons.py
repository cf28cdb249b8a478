"""Reasons of takes: kinds are declared once, words are made of them, and a character has one at a time."""

from dataclasses import replace
from string import Formatter

import numpy as np
import pytest

import take_scenes as scenes
from reason_scenes import reasons, told, words_at
from walkon._base.errors import InvalidValue
from walkon.motion.body import Body
from walkon.script import Mark
from walkon.stage import Prop
from walkon.take import Take, TakeWriter, load_take, save_take
from walkon.take.reasons import GENERAL_WORDS, KINDS, ReasonKind, in_stretches, reason_at, reason_words
from walkon.take.tables import NONE, Reasons


def started(path=None) -> tuple[TakeWriter, int]:
    writer = TakeWriter(path)
    return writer, writer.add_character("ann", body=writer.add_body(Body.of(scenes.walking().skeleton)))


def stretches(take: Take) -> list[tuple[float, float, str]]:
    r = take.reasons
    return [(float(r.start[k]), float(r.stop[k]), reason_words(take, k)) for k in range(len(r))]


# Kinds and their words


def test_kinds_are_numbered_without_gaps_and_name_what_reasons_have():
    assert [int(kind) for kind in KINDS] == list(range(len(KINDS)))
    for kind in KINDS:
        parts = {name for _, name, _, _ in Formatter().parse(kind.words) if name}
        assert parts <= {"number", *GENERAL_WORDS}
        assert ("number" in parts) == bool(kind.unit) == bool(kind.quantity)
    assert set(GENERAL_WORDS) <= {ref.name for ref in Reasons.references()}


def test_every_kind_is_told_in_words():
    assert stretches(told()) == [
        (0.0, 0.8, "on the way to early, 1.3 m"),
        (0.8, 1.2, "holds early"),
        (1.2, 2.0, "picks up box"),
        (2.0, 2.5, "on the way to late, 2.1 m"),
        (2.5, 3.0, "stays"),
        (0.5, 1.5, "puts down box"),
        (1.5, 2.0, "waits 0.5 s before leaving through the door north {gate}"),
        (2.0, 3.0, "on the way out through the door north {gate}, 12.3 m"),
        (0.0, 2.0, "he said so"),
        (2.0, 2.5, "waits 0.8 s for a mark"),  # which has no name
    ]


def test_general_words_stand_for_what_is_not_there():
    take = told()
    nothing = np.full(len(take.reasons), NONE)
    bare = replace(take, reasons=take.reasons.with_columns(mark=nothing, prop=nothing))
    assert [words for _, _, words in stretches(bare)][:4] == [
        "on the way to a mark, 1.3 m",
        "holds a mark",
        "picks up something",
        "on the way to a mark, 2.1 m",
    ]


@pytest.mark.parametrize(
    ("number", "words"), [(0.0, "0.0"), (0.25, "0.3"), (0.35, "0.4"), (9.96, "10.0"), (1e6, "1000000.0")]
)
def test_numbers_have_one_decimal_and_halves_go_up(number, words):
    writer, ann = started()
    mark = writer.add_mark(ann, Mark(name="m", position=(0, 0)))
    writer.add_reasons(reasons(character=ann, stop=1.0, kind=ReasonKind.WAITS_BEFORE, mark=mark, number=number))
    assert reason_words(writer.close(), 0) == f"waits {words} s before going to m"


# Finding them


def test_a_reason_is_found_by_its_time():
    take = told()
    assert words_at(take, "ann", [0.0, 0.79, 0.8, 2.5, 3.0]) == [
        "on the way to early, 1.3 m",
        "on the way to early, 1.3 m",
        "holds early",
        "stays",
        "stays",
    ]
    assert words_at(take, "cid", [1.0, 2.0]) == ["he said so", "waits 0.8 s for a mark"]
    assert take.why("ann", 1.5).reason_row == 2
    assert reason_at(take, 1, 0.4) is reason_at(take, 0, -0.1) is reason_at(take, 2, 2.6) is None
    assert take.why("bob", 0.2).reason == ""  # not there yet
    assert "Why: picks up box." in str(take.why("ann", 1.5))


def test_between_two_reasons_there_is_none():
    writer, ann = started()
    writer.perform(ann, scenes.walking(), start=0.0)
    writer.add_reasons(reasons(2, character=ann, start=[0.0, 2.0], stop=[1.0, 3.0], kind=ReasonKind.STAYS))
    take = writer.close()
    assert words_at(take, "ann", [0.5, 1.0, 1.5, 2.0, 3.5]) == ["stays", "stays", "", "stays", ""]


# Writing them


def test_free_words_are_one_row_as_long_as_they_stay_the_same():
    writer, ann = started()
    for k, words in enumerate(("to the door", "to the door", "back", "to the door")):
        writer.perform(ann, scenes.walking(), start=k, stop=k + 1.0, clip_start=k, reason=words)
    take = writer.close()
    assert stretches(take) == [(0.0, 2.0, "to the door"), (2.0, 3.0, "back"), (3.0, 4.0, "to the door")]
    assert take.notes == ("to the door", "back")


def test_words_go_with_tracks_and_glides():
    writer, ann = started()
    stop = writer.glide(ann, [(0, 0, 0), (1, 0, 0), (2, 0, 0)], start=1.0, rate=2.0, reason="floats")
    writer.glide(ann, [(2, 0, 0), (90_000, 0, 0), (-90_000, 0, 0)], start=stop, rate=0.1, reason="far")
    assert stretches(writer.close()) == [(1.0, 2.0, "floats"), (2.0, 22.0, "far")]


def test_waits_of_equal_length_stay_two():
    writer, ann = started()
    mark = writer.add_mark(ann, Mark(name="m", position=(0, 0)))
    wait = {"character": ann, "kind": ReasonKind.WAITS_BEFORE, "mark": mark, "number": 2.0}
    writer.add_reasons(reasons(2, start=[0.0, 2.0], stop=[2.0, 4.0], **wait))
    assert len(writer.close().reasons) == 2


def test_a_grown_take_has_the_reasons_of_one_that_is_written_at_once(tmp_path):
    def written(path, *, flushed):
        writer, ann = started(path)
        writer.add_character("bob")
        for k in range(4):
            for who in (1, ann):
                writer.perform(
                    who, scenes.walking(), start=k, stop=k + 1.0, clip_start=k, reason="on" if k < 3 else "off"
                )
            if flushed:
                writer.flush()
        return writer.close()

    whole, grown = written(None, flushed=False), written(tmp_path / "a.take", flushed=True)
    for take in (grown, load_take(tmp_path / "a.take"), load_take(save_take(grown, tmp_path / "b.take"))):
        assert stretches(take) == stretches(whole) == [(0.0, 3.0, "on"), (3.0, 4.0, "off")] * 2
        for name, values in whole.reasons.columns.items():
            np.testing.assert_array_equal(take.reasons.columns[name], values)


def test_what_cannot_be_is_refused_when_it_is_written_and_the_writer_goes_on():
    writer, ann = started()
    writer.add_reasons(reasons(character=ann, start=1.0, stop=2.0, kind=ReasonKind.STAYS))
    stay = {"character": ann, "start": 5.0, "stop": 6.0, "kind": ReasonKind.STAYS}
    for wrong, words in (
        ({"kind": 200}, "is of kind 200; kinds are 0 to 9"),
        ({"stop": 5.0}, "the reason of 'ann' from 5 to 5 s must stop after it starts"),
        ({"character": 3}, "the character of a reason must be 0 to 0, but one is 3"),
        ({"mark": 0}, "the mark of a reason is 0, but there are none yet; add one first"),
        ({"prop": 0}, "the prop of a reason is 0, but there are none yet; add one first"),
        ({"note": 0}, "the note of a reason is 0, but there are none yet; add one first"),
        ({"other": 1}, "the other of a reason must be -1 to 0, but one is 1"),
        ({"kind": ReasonKind.NOTE}, "is told in a note, but has none; add one first"),
        ({"number": 1.0}, "is of a kind without a number, got 1; leave it 0"),
        ({"kind": ReasonKind.HOLDS, "number": -1.0}, "must have a number from 0 to 1e.06, not -1"),
        (
            {"start": 1.5},
            "one reason at a time, but 'ann' has one from 1 to 2 s and another from 1.5 s on; let one end",
        ),
        ({"start": 0.0}, "one reason at a time, but 'ann' has one from 0 to 6 s and another from 1 s on"),
    ):
        with pytest.raises(InvalidValue, match=words):
            writer.add_reasons(reasons(**(stay | wrong)))
    both = reasons(2, **(stay | {"start": [5.0, 5.5]}))
    with pytest.raises(InvalidValue, match="one reason at a time"):
        writer.add_reasons(both)
    with pytest.raises(InvalidValue, match="a note is words"):
        writer.add_note("")
    writer.add_reasons(reasons(**(stay | {"start": 0.0, "stop": 1.0})))  # before another one, in a gap
    take = writer.close()
    assert take.reasons.start.tolist() == [0.0]
    assert take.reasons.stop.tolist() == [2.0]


def test_words_beside_a_reason_that_is_told_already_are_refused_and_nothing_is_played():
    writer, ann = started()
    writer.add_reasons(reasons(character=ann, start=1.0, stop=2.0, kind=ReasonKind.STAYS))
    writer.flush()
    with pytest.raises(InvalidValue, match="one reason at a time"):
        writer.perform(ann, scenes.walking(), start=0.0, stop=3.0, reason="goes")
    with pytest.raises(InvalidValue, match="one reason at a time"):
        writer.glide(ann, [(0, 0, 0), (1, 0, 0)], start=0.0, rate=0.5, reason="goes")
    with pytest.raises(InvalidValue, match="a reason is told in words, got 5"):
        writer.perform(ann, scenes.walking(), start=0.0, stop=3.0, reason=5)
    with pytest.raises(InvalidValue, match="a segment must stop after it starts"):
        writer.perform(ann, scenes.walking(), start=4.0, stop=3.0, reason="goes")
    take = writer.take
    assert (len(take.segments), len(take.tracks), len(take.reasons), take.notes) == (0, 0, 1, ())
    writer.perform(ann, scenes.walking(), start=2.0, stop=3.0, reason="goes")
    assert stretches(writer.close()) == [(1.0, 2.0, "stays"), (2.0, 3.0, "goes")]


def test_reasons_come_sorted_however_they_are_given():
    take = told()
    mixed = replace(take, reasons=take.reasons.rows(np.random.default_rng(0).permutation(len(take.reasons))))
    assert stretches(mixed) == stretches(take)
    assert in_stretches(take.reasons) is take.reasons


def test_permuting_characters_permutes_reasons():
    take = told()
    order = [2, 0, 1]
    rows = np.argsort(order)
    r, marks = take.reasons, take.marks
    turned = replace(
        take,
        names=tuple(take.names[k] for k in order),
        characters=take.characters.rows(order),
        segments=take.segments.with_columns(character=rows[take.segments.character]),
        stances=take.stances.with_columns(character=rows[take.stances.character]),
        drops=take.drops.with_columns(character=rows[take.drops.character]),
        attachments=take.attachments.with_columns(character=rows[take.attachments.character]),
        marks=marks.with_columns(character=rows[marks.character]),
        reasons=r.with_columns(character=rows[r.character], other=np.append(rows, NONE)[r.other]),
    )
    times = np.linspace(0.0, 3.0, 31)
    assert all(words_at(turned, who, times) == words_at(take, who, times) for who in take.names)


def test_reasons_of_thousands_go_in_at_once():
    writer, _ = started()
    who = writer.add_characters([f"c{k}" for k in range(5000)])
    box = writer.add_prop(Prop(name="box"))
    writer.add_reasons(reasons(5000, character=who, stop=1.0, kind=ReasonKind.PICKS_UP, prop=box))
    writer.add_reasons(reasons(5000, character=who[::-1], start=1.0, stop=2.0, kind=ReasonKind.PICKS_UP, prop=box))
    take = writer.close()
    assert len(take.reasons) == 5000
    assert (take.reasons.stop == 2.0).all()
