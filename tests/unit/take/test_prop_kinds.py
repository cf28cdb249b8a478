"""Compounds and meshes in takes: written, edited and audited like any other prop."""

from dataclasses import replace

import numpy as np
import pytest

from prop_shapes import ball_mesh, box_mesh, lamp, wheel
from prop_take import HOLD, SECONDS, crate, every_prop
from walker import walk
from walkon import load_take, save_take
from walkon._base.errors import UnreadableFile
from walkon.motion.body import Body
from walkon.stage import Obstacle, Prop, PropPart, Stage
from walkon.take import TakeWriter
from walkon.take.auditing.meetings.supports import have_tops, prop_extents
from walkon.take.editing.editing import cut, delete, duplicate, merge, move, shift
from walkon.take.posing.props import prop_poses
from walkon.take.storing import file as take_file
from walkon.transforms import quaternions as quat

TIMES = np.linspace(0.0, SECONDS, 23)
SIZE = np.array([0.4, 0.3, 0.2])


def test_props_come_back_to_the_bit(tmp_path):
    take = every_prop()
    again = load_take(save_take(take, tmp_path / "all.take"))
    assert again.props == take.props
    for one, two in zip(take.props, again.props, strict=True):
        assert one.vertices.tobytes() == two.vertices.tobytes()
        assert [grip.pose for grip in one.grips.values()] == [grip.pose for grip in two.grips.values()]
        assert list(one.grips) == list(two.grips)
    assert again.props[1].grip("left_side").hand == "left"
    for one, two in zip(prop_poses(take, TIMES), prop_poses(again, TIMES), strict=True):
        np.testing.assert_array_equal(one, two)


def test_a_take_that_grows_holds_props_of_every_part(tmp_path):
    path = tmp_path / "grown.take"
    with TakeWriter(path) as writer:
        writer.add_prop(lamp())
        writer.flush()
        writer.add_prop(wheel())
        writer.flush()
        assert load_take(path).props == (lamp(), wheel())
        writer.add_prop(crate())
    assert load_take(path).props == (lamp(), wheel(), crate())


def test_a_mesh_that_was_opened_in_a_file_is_refused(tmp_path, monkeypatch):
    plain = take_file.prop_fields
    monkeypatch.setattr(
        take_file, "prop_fields", lambda prop: plain(prop) | {"triangles": plain(prop)["triangles"][1:]}
    )
    writer = TakeWriter()
    writer.add_prop(crate())
    path = save_take(writer.close(), tmp_path / "open.take")
    with pytest.raises(UnreadableFile, match="damaged take: the mesh of prop 'crate' must be closed, but 3"):
        load_take(path)


@pytest.mark.parametrize(
    "edit",
    [
        lambda take: move(take, "ann", (0.3, 0.4, 0.5), audit=False).take,
        lambda take: shift(take, "bob", 0.5, audit=False).take,
        lambda take: cut(take, 0.5, 1.5, audit=False).take,
        lambda take: duplicate(take, "ann", name="eve", by=(0, 5, 0), audit=False).take,
    ],
    ids=["move", "shift", "cut", "duplicate"],
)
def test_edits_keep_what_props_are(edit):
    take = every_prop()
    known = {prop.name: prop for prop in take.props}
    after = edit(take)
    assert len(after.props) >= len(take.props) - 1  # what is not there in a cut is left out
    for prop in after.props:
        if prop.name in known:
            assert prop == known[prop.name]
        else:  # a copy's
            assert replace(prop, name=prop.name.rsplit("_", 1)[0]) == known[prop.name.rsplit("_", 1)[0]]


def test_an_edit_back_and_forth_leaves_props_where_they_were():
    take = every_prop()
    there = move(take, ["ann", "bob"], (0.5, -0.25, 0.0), audit=False).take
    back = move(there, ["ann", "bob"], (-0.5, 0.25, 0.0), audit=False).take
    assert back.props == take.props
    np.testing.assert_allclose(prop_poses(back, TIMES).positions, prop_poses(take, TIMES).positions, atol=2e-5)


def test_merged_props_get_numbers_and_keep_everything_else():
    take = every_prop()
    both = merge(take, take, shift=10.0, audit=False).take
    assert both.props[: len(take.props)] == take.props
    for old, new in zip(take.props, both.props[len(take.props) :], strict=True):
        assert new == replace(old, name=f"{old.name}_2")
    alone = delete(both, ["ann_2", "bob_2"], audit=False).take
    assert {prop.name for prop in take.props} <= {prop.name for prop in alone.props}


def gaps(prop: Prop) -> dict[str, float]:
    """What the audit says of a prop in a hand."""
    clip = walk(seconds=1.0, fps=60.0)
    writer = TakeWriter()
    ann = writer.add_character("ann", body=writer.add_body(Body.of(clip.skeleton)))
    writer.perform(ann, clip, start=0.0)
    writer.attach(writer.add_prop(prop), ann, "RightHand", pose=HOLD, start=0.0, stop=1.0)
    figures = writer.close().audit().figures["props"]
    return {name: figures[name] for name in ("max_gap_m", "max_penetration_m")}


def test_hands_are_as_far_from_a_box_of_any_kind():
    vertices, triangles = box_mesh(0.3 * SIZE)
    apart = [PropPart(size=0.3 * SIZE, pose=(*place, 1, 0, 0, 0)) for place in ((0, 0, -0.4), (0.3, 0.4, -0.4))]
    box = Prop(name="box", shape="compound", parts=apart[:1])
    alone, both = gaps(box), gaps(Prop(name="box", shape="compound", parts=apart))
    mesh = gaps(Prop(name="box", shape="mesh", vertices=np.add(vertices, [0, 0, -0.4]), triangles=triangles))
    assert 0.15 < alone["max_gap_m"] < 0.5
    assert both["max_gap_m"] <= alone["max_gap_m"]
    assert alone["max_gap_m"] - 1e-9 < mesh["max_gap_m"] <= alone["max_gap_m"] + 5e-4
    inside = gaps(Prop(name="box", size=SIZE))
    vertices, triangles = box_mesh(SIZE)
    mesh = gaps(Prop(name="box", shape="mesh", vertices=vertices, triangles=triangles))
    assert inside["max_penetration_m"] > 0.02
    assert mesh["max_penetration_m"] == pytest.approx(inside["max_penetration_m"], abs=5e-4)


def test_extents_are_those_of_the_points_that_are_highest_and_lowest(rng):
    vertices, triangles = ball_mesh(0.2)
    ball = Prop(name="ball", shape="mesh", vertices=np.add(vertices, [0.3, 0.1, 0.0]), triangles=triangles)
    box = Prop(name="box", shape="mesh", **dict(zip(("vertices", "triangles"), box_mesh(SIZE), strict=True)))
    props = (Prop(name="a", size=SIZE), box, lamp(), ball, Prop(name="c", shape="cylinder", size=SIZE))
    turns = quat.normalize(rng.normal(size=(50, len(props), 4)))
    turns[:, 1] = turns[:, 0]
    low, high = prop_extents(props, turns)
    np.testing.assert_allclose([low[:, 0], high[:, 0]], [low[:, 1], high[:, 1]], atol=1e-12)
    seen = quat.rotate(turns[:, 3, None], ball.vertices)[..., 2]
    np.testing.assert_allclose([low[:, 3], high[:, 3]], [seen.min(axis=1), seen.max(axis=1)], atol=1e-12)
    parts = [
        (quat.rotate(turns[:, 2], np.array(part.pose[:3]))[:, 2], quat.multiply(turns[:, 2], np.array(part.pose[3:])))
        for part in lamp().parts
    ]
    each = [
        [
            (z + extent[:, 0])
            for extent in prop_extents((Prop(name="p", shape=part.shape, size=part.size),), turn[:, None])
        ]
        for (z, turn), part in zip(parts, lamp().parts, strict=True)
    ]
    np.testing.assert_allclose(low[:, 2], np.min([one[0] for one in each], axis=0), atol=1e-12)
    np.testing.assert_allclose(high[:, 2], np.max([one[1] for one in each], axis=0), atol=1e-12)
    np.testing.assert_allclose(low[:, 4], -high[:, 4], atol=1e-12)


@pytest.mark.parametrize("make", [lamp, wheel, crate])
def test_what_hangs_in_the_air_is_found_to_the_millimetre(make):
    table = Obstacle(polygon=np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]), height=0.7)
    prop = make()
    low, _ = prop_extents((prop,), turn := quat.about([1.0, 0, 0], 0.7)[None, None])
    for over in (0.0, 0.123):
        writer = TakeWriter(stage=Stage(obstacles=(table,)))
        body = writer.add_body(Body.of(walk().skeleton))
        writer.perform(writer.add_character("ann", body=body), walk(seconds=1.0), start=0.0, place=(5, 5, 0))
        pose = (0.2, 0.1, 0.7 - float(low[0, 0]) + over, *turn[0, 0])
        writer.rest(writer.add_prop(prop), pose, start=0.0, stop=1.0)
        found = writer.close().audit().figures["props"]["max_unsupported_m"]
        assert found == pytest.approx(over, abs=1e-6)


def test_one_can_stand_on_the_highest_point_of_a_compound():
    writer = TakeWriter()
    step = PropPart(size=(0.6, 0.6, 0.2), pose=(2.0, 0.0, 0.3, 1, 0, 0, 0))
    writer.rest(
        writer.add_prop(Prop(name="steps", shape="compound", parts=(step,))), (1, 1, 0, 1, 0, 0, 0), start=0, stop=1
    )
    take = writer.close()
    places = np.array([[3.0, 1.0], [1.0, 1.0], [3.0, 1.0]])  # its middle, its origin, its middle again
    assert have_tops(take, places, np.array([0.4, 0.4, 0.7]), np.full(3, 0.5)).tolist() == [True, False, False]
