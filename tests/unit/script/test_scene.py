"""What a scene says of itself."""

from walkon.script import Character, Mark, Scene
from walkon.stage import Door, Stage


def test_leaving_through_a_door_is_a_mark() -> None:
    door = Door(ends=[(-1.0, 5.0), (1.0, 5.0)], name="out")
    ann = Character(name="ann", place=(0.0, 0.0, 0.0), marks=(Mark(name="there", position=(1.0, 0.0)),), leaves="out")
    bob = Character(name="bob", place=(3.0, 0.0, 0.0))
    scene = Scene(characters=(ann, bob), stage=Stage(doors=(door,)))
    assert scene.mark_count == 2
    assert repr(scene).startswith("Scene(2 characters, 2 marks, 0 props")
