import json

import numpy as np
import pytest

from layout_scenes import clips, rich
from walkon import Body, InvalidValue, UnknownName
from walkon.script import Mark
from walkon.take import TakeWriter
from walkon.take.editing.editing import cut
from walkon.take.why import Reason, why


@pytest.fixture(scope="module")
def take():
    return rich()


@pytest.fixture(scope="module")
def square():
    """Ann faces along +y at the origin; others stand around her, played so slowly that nobody moves."""
    slow, _ = clips()
    writer = TakeWriter()
    body = writer.add_body(Body.of(slow.skeleton))

    def stand(name, x, y, heading=0.0):
        row = writer.add_character(name, body=body)
        writer.perform(row, slow, start=0.0, stop=2.0, rate=0.0, place=(x, y, heading))

    stand("ann", 0.0, 0.0, np.pi / 2)
    stand("ahead", 0.0, 1.0)
    stand("left", -1.5, 0.0)
    stand("right", 2.0, 0.0)
    stand("behind", 0.0, -2.5)
    stand("far", 3.0, 3.0)
    return writer.close()


def test_it_names_clip_mark_and_contacts(take):
    reason = why(take, "ann", 0.9)
    assert (reason.character, reason.row, reason.segment, reason.clip) == ("ann", 0, 0, "slow")
    tau = 0.9 - 0.25
    assert reason.clip_time == pytest.approx(0.9 * tau + 0.2 * tau**2 / (2 * 2.1), abs=1e-7)
    assert reason.rate == pytest.approx(0.9 + 0.2 * tau / 2.1, abs=1e-6)
    assert reason.labels == ("walk",)
    assert reason.edge is None
    assert (reason.mark.name, reason.mark.row, reason.mark.due, reason.mark.met) == ("seat", 0, (2.5, 3.5), 3.0)
    assert (reason.mark.position, reason.mark.facing, reason.mark.pose) == ((3.0, 0.1), 0.0, None)
    text = str(reason)
    assert text.startswith(
        "At 0.90 s ann (character 0) plays 'slow' (0.61 s of 4.00 s, at 0.96 times its speed), on the way to mark "
        "'seat' (due 2.5 to 3.5 s, meant for 3.00 s)."
    )
    assert "Labels: walk; down: left ball and right heel." in text
    assert 2 <= text.count(". ") + 1 <= 4


def test_contacts_are_those_of_the_pose(take):
    for t in np.linspace(0.3, 2.2, 20):
        down = take.pose(t).contacts[0]
        words = ("left heel", "left ball", "right heel", "right ball")
        assert why(take, 0, t).contacts == tuple(w for w, is_down in zip(words, down, strict=True) if is_down)


def test_it_names_the_edge_and_what_fades_out(take):
    reason = why(take, "ann", 2.45)
    p = 0.1 / 0.4
    assert reason.edge == 117
    assert reason.blending_from.clip == "slow"
    assert reason.blending_from.share == pytest.approx(2 * p**3 - 3 * p**2 + 1, abs=1e-6)
    assert (
        "plays 'fast' (1.80 s of 4.00 s, at 1.00 times its speed), blending from 'slow' (still 84 %), edge 117."
        in str(reason)
    )
    assert why(take, "ann", 2.8).blending_from is None


def test_it_names_what_is_held_and_the_reason_given(take):
    reason = why(take, "bob", 1.0)
    assert [(held.name, held.row, held.joints) for held in reason.props] == [("box", 0, ("LeftHand",))]
    assert reason.mark.met is None
    assert "mark 'far' (not meant to be met). Why: he is late." in str(reason)
    assert "holds 'box' (LeftHand)" in str(reason)
    assert why(take, "bob", 1.9).props == ()


def test_labels_are_those_of_the_moment(take):
    assert why(take, "cid", 1.0 + 1.9).labels == ("walk",)
    assert why(take, "cid", 1.0 + 2.1).labels == ("walk", "late")


def test_a_disc_has_no_clip(take):
    reason = why(take, "ann", 4.0)
    assert reason.planar
    assert reason.clip is reason.rate is None
    told = "is only on a track, without a body's motion. Nobody is within 3 m."
    assert str(reason) == f"At 4.00 s ann (character 0) {told}"


def test_neighbours_come_nearest_first_with_their_side(square):
    reason = why(square, "ann", 1.0)
    assert [other.name for other in reason.neighbours] == ["ahead", "left", "right", "behind"]
    assert [other.row for other in reason.neighbours] == [1, 2, 3, 4]
    assert [other.distance for other in reason.neighbours] == pytest.approx([1.0, 1.5, 2.0, 2.5])
    bearings = np.abs([other.bearing for other in reason.neighbours])
    assert bearings == pytest.approx([0, np.pi / 2, np.pi / 2, np.pi], abs=1e-3)  # rotations are stored to 1.5e-4 rad
    assert {other.clip for other in reason.neighbours} == {"slow"}
    assert str(reason).endswith(
        "Near: ahead 1.00 m ahead, left 1.50 m to the left, right 2.00 m to the right, behind 2.50 m behind."
    )
    assert "(0.00 s of 4.00 s, held)" in str(reason)


def test_no_more_than_six_neighbours_are_named():
    slow, _ = clips()
    writer = TakeWriter()
    body = writer.add_body(Body.of(slow.skeleton))
    for k in range(12):
        writer.perform(writer.add_character(f"c{k}", body=body), slow, start=0.0, place=(0.0, 0.2 * k, 0.0))
    reason = why(writer.close(), "c0", 1.0)
    assert [other.row for other in reason.neighbours] == [1, 2, 3, 4, 5, 6]


def test_marks_are_approached_held_and_past():
    slow, _ = clips()
    writer = TakeWriter()
    ann = writer.add_character("ann", body=writer.add_body(Body.of(slow.skeleton)))
    mark = writer.add_mark(ann, Mark(name="x", pose="walk", hold=0.5), met=1.0)
    writer.perform(ann, slow, start=0.0, mark=mark)
    take = writer.close()
    assert "on the way to mark 'x' (meant for 1.00 s)" in str(why(take, "ann", 0.5))
    assert "holding mark 'x'" in str(why(take, "ann", 1.25))
    assert "past mark 'x'" in str(why(take, "ann", 1.75))
    assert why(take, "ann", 0.5).mark.due is None
    assert why(take, "ann", 0.5).mark.pose == "walk"


def test_who_is_absent_is_said_to_be_and_when_not(take):
    reason = why(take, "ann", 9.0)
    assert not reason.present
    assert str(reason) == "At 9.00 s ann (character 0) is not there. ann is there from 0.25 to 4.55 s."
    part = cut(take, 1.0, 2.5, audit=False).take
    assert str(why(part, "bob", 0.5)).endswith("bob is there from 1 to 2.5 s.")


def test_several_stays_are_listed():
    slow, _ = clips()
    writer = TakeWriter()
    body = writer.add_body(Body.of(slow.skeleton))
    ann, _bob = writer.add_character("ann", body=body), writer.add_character("bob", body=body)
    for k in range(6):
        t = writer.perform(ann, slow, start=10.0 * k, stop=10.0 * k + 1.0)
        writer.perform(ann, slow, start=t, stop=t + 0.5, clip_start=1.0)
    take = writer.close()
    reason = why(take, "ann", 5.0)
    assert reason.there == tuple((10.0 * k, 10.0 * k + 1.5) for k in range(6))
    assert "from 0 to 1.5 s, from 10 to 11.5 s, from 20 to 21.5 s, from 30 to 31.5 s and 2 more times." in str(reason)
    assert str(why(take, "bob", 1.0)).endswith("bob never enters.")


def test_a_reason_is_plain_data(take):
    for t in (0.9, 2.45, 4.0, 9.0):
        found = take.why("ann", t)
        assert isinstance(found, Reason)
        again = json.loads(json.dumps(found.to_json(), allow_nan=False))
        assert again["character"] == "ann"
        assert again["text"] == str(found)
    assert again["clip"] is None


def test_bad_questions_are_refused(take):
    with pytest.raises(UnknownName, match="no character 'dan'"):
        why(take, "dan", 1.0)
    with pytest.raises(InvalidValue, match="got 5"):
        why(take, 5, 1.0)
    for time in (np.nan, np.inf, "noon", None):
        with pytest.raises(InvalidValue, match="finite number of seconds"):
            why(take, "ann", time)
