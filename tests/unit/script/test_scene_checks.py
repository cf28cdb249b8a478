"""What cannot be performed is found before anything is planned, all of it, and nothing else is."""

from math import inf

import numpy as np
import pytest

from walkon._base.errors import InvalidValue
from walkon.geometry.tracks import Track
from walkon.script import Action, Character, Mark, Moment, PlacedProp, Scene, find_notes, find_problems, require_sound
from walkon.stage import Door, Obstacle, Prop, Seat, Stage

CAST = {"poses": ("stand", "sit", "walk", "carry"), "fastest": 1.9, "radius": 0.245}
"""What the people of these scenes can do."""
ROOM = Stage(
    bounds=np.array([[-5, -5], [5, -5], [5, 5], [-5, 5]]),
    obstacles=(
        Obstacle(polygon=np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]), height=2.0, name="wall"),
        Obstacle(polygon=np.array([[2, 2], [3, 2], [3, 3], [2, 3]]), height=0.02, name="carpet"),
        Obstacle(polygon=np.array([[-3, 2], [-2, 2], [-2, 3], [-3, 3]]), height=3.0, base=2.5, name="lamp"),
        Obstacle(polygon=np.array([[3.8, -0.2], [4.2, -0.2], [4.2, 0.2], [3.8, 0.2]]), height=0.44, name="bench"),
        Obstacle(polygon=np.array([[4.2, -0.2], [4.25, -0.2], [4.25, 0.2], [4.2, 0.2]]), height=0.9, name="a.back"),
    ),
    seats=(
        Seat(place=np.array([4.0, 0.0, np.pi]), name="a"),
        Seat(place=np.array([4.0, 0.58, np.pi]), name="b"),
    ),
    doors=(Door(ends=np.array([[-5, 0], [-5, 1]]), name="door"),),
)


def one(name="ada", place=(-3.0, -3.0, 0.0), **more):
    return Character(name=name, place=place, **more)


def told(*characters, stage=ROOM, **more):
    return [str(p) for p in find_problems(Scene(stage=stage, characters=characters, **more), **CAST)]


def seated(name, start=0.0, stop=inf, *, place=(-3.0, -3.0, 0.0), seat="a", **more):
    position = (4.0, 0.0) if seat == "a" else (4.0, 0.58)
    hold = {"hold": inf} if stop == inf else {"until": stop}
    mark = Mark(name="seat", position=position, facing=np.pi, pose="sit", seat=seat, window=(start, start), **hold)
    return one(name, place, marks=(mark,), **more)


def test_a_sound_scene_has_no_problems() -> None:
    mark = Mark(name="there", position=(3, 3), pose="stand", window=(10, 12), hold=2.0)
    assert told(one(marks=(mark,), leaves="door"), seated("ben", 20.0, place=(0, 3, 0))) == []


def test_an_empty_cast() -> None:
    assert told() == ["nobody is in this scene; add characters or a group"]


def test_places_in_walls_near_them_and_off_the_stage() -> None:
    marks = (
        Mark(name="inside", position=(0.5, 0)),
        Mark(name="near", position=(1.1, 0)),
        Mark(name="off", position=(9, 0)),
        Mark(name="rim", position=(4.9, 3)),
        Mark(name="carpet", position=(2.5, 2.5)),
        Mark(name="under", position=(-2.5, 2.5)),
    )
    assert told(one(place=(0.0, 0.0, 0.0), marks=marks)) == [
        "ada: (0, 0) is inside obstacle 'wall'",
        "ada.inside: (0.5, 0) is inside obstacle 'wall'",
        "ada.near: (1.1, 0) is 0.1 m from obstacle 'wall'; a body needs 0.245 m",
        "ada.off: (9, 0) is outside the stage",
        "ada.rim: (4.9, 3) is 0.1 m from the edge of the stage; a body needs 0.245 m",
    ]


def test_a_seats_own_furniture_is_not_in_the_way() -> None:
    assert told(seated("ada", 20.0)) == []
    walked_into = told(one(marks=(Mark(name="m", position=(4, 0)),)))
    assert walked_into == ["ada.m: (4, 0) is inside obstacle 'bench'"]


def test_an_enclosed_seat_in_a_wall_is_found() -> None:
    stage = Stage(obstacles=ROOM.obstacles[:1], seats=(Seat(place=np.zeros(3), name="s"),))
    assert told(one(place=(0, 0, 0), seat="s", pose="sit"), stage=stage) == ["ada: (0, 0) is inside obstacle 'wall'"]


def test_people_come_in_through_walls_where_a_door_is() -> None:
    assert told(one(place=(-5.0, 0.5, 0.0), door="door")) == []


def test_starts_that_overlap_at_one_time() -> None:
    assert told(one("ada"), one("ben", (-3.0, -2.6, 0.0))) == [
        "ben: 2 people must be 0.4 m apart at (-3, -2.6) at 0 s: the start of ada, the start of ben"
    ]
    go = Mark(name="go", position=(3, 3))
    assert told(one("ada", marks=(go,), leaves="door"), one("ben", (-3.0, -2.6, 0.0), enters=9.0)) == []


def test_two_people_on_one_seat() -> None:
    words = "ben.seat: 2 people must be on seat 'a' at {} s: ada.seat, ben.seat"
    both = seated("ada", 20.0), seated("ben", 30.0, place=(0, 3, 0))
    assert told(*both) == [words.format(30)]
    assert told(seated("ada", 20.0, 29.0, leaves="door"), seated("ben", 30.0, place=(0, 3, 0))) == []
    assert told(seated("ada", 20.0, 31.0, leaves="door"), seated("ben", 30.0, place=(0, 3, 0))) == [words.format(30)]
    assert told(seated("ada", 20.0), seated("ben", 20.0, place=(0, 3, 0), seat="b")) == []
    begins = one("ben", (4.0, 0.0, np.pi), seat="a", pose="sit")
    assert told(seated("ada", 20.0), begins) == [
        "ben: 2 people must be on seat 'a' at 20 s: ada.seat, the start of ben"
    ]


def test_open_windows_overlap_only_where_they_must() -> None:
    def sits(name, low, high, place, **more):
        mark = Mark(name="seat", position=(4, 0), pose="sit", seat="a", window=(low, high), hold=5.0)
        return one(name, place, marks=(mark,), leaves="door", **more)

    early = sits("ada", 10.0, 12.0, (-3.0, -3.0, 0.0))
    assert told(early, sits("ben", 13.0, 16.0, (0.0, 3.0, 0.0))) == []
    assert len(told(early, sits("ben", 12.0, 14.0, (0.0, 3.0, 0.0)))) == 1


def test_who_ends_at_one_place_is_there_together_whenever_that_is() -> None:
    mark = Mark(name="m", position=(3, -3))
    assert told(one("ada", marks=(mark,)), one("ben", (0, 3, 0), marks=(mark,))) == [
        "ben.m: 2 people must be 0 m apart at (3, -3) in the end: ada.m, ben.m"
    ]


def test_a_crowd_on_one_spot_is_one_problem() -> None:
    mark = Mark(name="m", position=(30, 0), window=(40, 40), hold=3.0)
    crowd = [one(f"p{i}", (float(i), 3.0, 0.0), marks=(mark,)) for i in range(50)]
    assert told(*crowd, stage=Stage()) == [
        "p1.m: 50 people must be 0 m apart at (30, 0) at 40 s: p0.m, p1.m, p2.m, p3.m and 46 more"
    ]


def test_windows_that_have_passed() -> None:
    late = one(enters=10.0, marks=(Mark(name="m", window=(0, 8), pose="stand"),))
    assert told(late) == ["ada.m: must be met by 8 s, but ada enters at 10 s"]
    marks = (Mark(name="x", window=(20, 25), pose="stand", hold=4.0), Mark(name="y", window=(5, 10), pose="stand"))
    assert told(one(marks=marks)) == ["ada.y: must be met by 10 s, but 'x' keeps ada until 24 s at least"]
    marks = (Mark(name="x", pose="stand", hold=inf), Mark(name="y", pose="stand"))
    assert told(one(marks=marks)) == ["ada.y: cannot follow 'x', which is held until the scene ends"]
    assert told(one(marks=(Mark(name="x", window=(50, 60)),)), ends=40.0) == [
        "ada.x: cannot be met before 50 s, and the scene ends at 40 s"
    ]
    assert told(one(marks=(Mark(name="x", window=(50, 60), until=45.0),))) == [
        "ada.x: is to be held until 45 s, but cannot be met before 50 s"
    ]


def test_a_speed_that_nobody_walks_at() -> None:
    far = one(marks=(Mark(name="m", position=(3, -3), window=(1, 3)),))
    assert told(far) == [
        "ada.m: needs 2 m/s for the straight way of 6 m in 3 s, and nobody walks faster than 1.9 m/s; "
        "give more time or a nearer place"
    ]
    assert find_problems(Scene(stage=ROOM, characters=(far,)), **(CAST | {"fastest": 2.1})) == ()
    after = Mark(name="n", position=(3, 3), window=(0, 2), clock=Moment(character="ada", mark="m"))
    chain = one(marks=(Mark(name="m", position=(-2, -3), window=(9, 9)), after))
    assert told(chain)[0].startswith("ada.n: needs 3.91 m/s for the straight way of 7.81 m in 2 s")


def test_poses_that_the_cast_does_not_have() -> None:
    odd = one(pose="siting", marks=(Mark(name="m", pose="cary"),))
    assert told(odd) == [
        "ada: the cast has no pose 'siting'; did you mean 'sit'?",
        "ada.m: the cast has no pose 'cary'; did you mean 'carry'?",
    ]
    assert find_problems(Scene(characters=(odd,)), **(CAST | {"poses": {"siting", "cary"}})) == ()


def test_clocks_that_name_nobody_and_circles() -> None:
    def waits(name, who, what):
        return Mark(name=name, window=(0, inf), clock=Moment(character=who, mark=what))

    assert told(
        one("ada", marks=(waits("x", "ben", "y"), waits("z", "bem", "y"))),
        one("ben", (3.0, 3.0, 0.0), marks=(waits("y", "ada", "x"), waits("w", "ada", "q"))),
    ) == [
        "ada.z: waits for bem.y, but there is no character 'bem'; did you mean 'ben'?",
        "ada.x: times wait for each other in a circle: ada.x → ben.y → ada.x",
        "ben.w: waits for ada.q, but ada has no mark 'q'; there are x, z",
    ]


def test_props() -> None:
    box = PlacedProp(prop=Prop(name="box"), place=(2, -2, 0.15))
    other = PlacedProp(prop=Prop(name="ball"), place=(3, -2, 0.15))
    take = Mark(name="take", action=Action(kind="pick_up", prop="box"))
    give = Mark(name="give", action=Action(kind="put_down", prop="box", place=(0, 3, 0.15)))
    odd = Mark(name="odd", action=Action(kind="pick_up", prop="bax"))
    more = Mark(name="more", action=Action(kind="pick_up", prop="ball"))
    assert told(one(marks=(take, give)), props=[box]) == []
    assert told(one(marks=(take, give)), one("ben", (3, 3, 0), marks=(take,)), props=[box]) == []
    assert told(one(marks=(take, more)), props=[box, other]) == [
        "ada.more: picks up 'ball' while still carrying 'box'; put that down first"
    ]
    assert told(one(marks=(odd,)), one("ben", (3, 3, 0), marks=(give,)), props=[box]) == [
        "ada.odd: there is no prop 'bax'; did you mean 'box'?",
        "ben.give: puts down 'box' without having picked it up",
    ]
    assert told(one(marks=(take,)), one("ben", (3, 3, 0), marks=(take,)), props=[box]) == [
        "ben: prop 'box' is picked up by ada, ben, and nobody puts it down in between"
    ]


WAY = Track(times=[0, 5], places=[[0, 3, 0.15], [3, 3, 0.15]])


def test_nobody_picks_up_what_is_on_a_track() -> None:
    cart = PlacedProp(prop=Prop(name="cart"), place=(0, 3, 0.15), track=WAY)
    take = Mark(name="take", action=Action(kind="pick_up", prop="cart"))
    assert told(one(marks=(take,)), props=[cart]) == [
        "ada.take: prop 'cart' is on a track, and nobody can pick it up or put it down; let it rest"
    ]


def test_tracks_of_props_that_are_none() -> None:
    for track, words in (
        (Track(times=[0], places=[[0, 0, 1]]), "at least two knots .* got 1 of 3 numbers"),
        (Track(times=[0, 1], places=[[0, 0], [1, 1]]), r"places \(x, y, z\) of its centre, got 2 of 2 numbers"),
    ):
        with pytest.raises(InvalidValue, match=words):
            PlacedProp(prop=Prop(name="cart"), place=(0, 0, 0), track=track)


def test_it_is_said_that_planned_people_do_not_look_at_what_moves() -> None:
    assert find_notes(Scene(stage=ROOM, characters=(one(),))) == ()
    way = Track(times=[0, 5], places=[[0, 3], [3, 3]])
    swing = Track(times=[0, 5], places=np.zeros((2, 2)), headings=[0, 1])
    stage = Stage(
        obstacles=[Obstacle(polygon=[(0, 0), (1, 0), (1, 1)], name="tram", track=way)],
        doors=[Door(ends=[(0, 0), (1, 0)], name="gate", track=swing)],
    )
    cart = PlacedProp(prop=Prop(name="cart"), place=(0, 3, 0.15), track=WAY)
    scene = Scene(stage=stage, characters=(one(),), props=[cart])
    (note,) = find_notes(scene)
    assert "do not look at obstacle 'tram', the leaf of door 'gate', prop 'cart' yet" in note
    assert find_problems(scene, **CAST) == ()


def test_doors_and_seats_that_do_not_exist() -> None:
    assert told(one(leaves="dor", marks=(Mark(name="m", position=(3, 3), seat="c"),))) == [
        "ada: leaves by 'dor', but there is no such door; did you mean 'door'?",
        "ada.m: there is no seat 'c'; there are a, b",
    ]


def test_everything_is_listed_together() -> None:
    scene = Scene(stage=ROOM, characters=(one(place=(0, 0, 0), pose="fly"), one("ben", (9, 9, 0))))
    with pytest.raises(InvalidValue) as caught:
        require_sound(scene, **CAST)
    lines = str(caught.value).splitlines()
    assert lines[0] == "this scene cannot be performed (3 reasons):"
    assert len(lines) == 4
    require_sound(Scene(characters=(one(),)), **CAST)


def test_ten_thousand_people_who_enter_one_after_another_are_checked_without_comparing_all_pairs() -> None:
    crowd = [
        one(f"p{i}", (0.0, 0.0, 0.0), enters=float(i), leaves="", marks=(Mark(position=(i, 5.0)),)) for i in range(5000)
    ]
    assert told(*crowd, stage=Stage()) == []


def test_everybody_needs_the_room_and_has_the_speed_of_its_own_size():
    """Two 0.5 m apart are too near if one of them is large; the small one cannot run as the large one can."""
    pair = Scene(characters=(one("a", (0.0, 0.0, 0.0)), one("b", (0.5, 0.0, 0.0))))
    assert find_problems(pair, **(CAST | {"radius": [0.2, 0.29]})) == ()
    assert len(find_problems(pair, **(CAST | {"radius": [0.2, 0.31]}))) == 1
    far = Mark(name="far", position=(0.0, 10.0), window=(0.0, 5.0))
    runners = Scene(characters=(one("a", (0.0, 0.0, 0.0), marks=(far,)), one("b", (5.0, 0.0, 0.0), marks=(far,))))
    slow = find_problems(runners, **(CAST | {"fastest": [1.9, 2.5]}))
    assert [p.character for p in slow if "nobody walks faster" in p.sentence] == ["a"]
