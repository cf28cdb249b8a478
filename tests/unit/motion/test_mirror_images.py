from dataclasses import replace

import numpy as np
import pytest

from walker import walk
from walkon.motion import Event
from walkon.motion.contacts.foot_lock import lock_feet
from walkon.motion.contacts.runs import find_runs
from walkon.motion.library import Library
from walkon.motion.mirror_images import MAX_ASYMMETRY_RAD, asymmetry, performers_of, with_images
from walkon.motion.mirroring import mirror
from walkon.transforms import quaternions as quat

MILLIMETRE = 1e-3


def habits(clip, *, head=0.15, foot=0.08, lean=0.05):
    """Hold the head to one side, turn one foot out, lean to one side (radians), with the feet on the floor again."""
    rotations = np.array(clip.local_rotations)
    for joint, bend in (
        ("Neck", np.array([head, 0.0, 0.5 * head])),
        ("LeftFoot", np.array([0.0, 0.0, foot])),
        ("Hips", np.array([lean, 0.0, 0.0])),
        ("Spine", np.array([-lean, 0.0, 0.0])),
    ):
        j = clip.skeleton.index(joint)
        rotations[:, j] = quat.multiply(quat.exp(bend), rotations[:, j])
    return lock_feet(clip.with_motion(clip.root_positions, rotations)).clip


def turned(clip, heading):
    """Walk in another direction."""
    turn = quat.turn(heading)
    rotations = np.array(clip.local_rotations)
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    return clip.with_motion(quat.rotate(turn, clip.root_positions), rotations)


@pytest.fixture(scope="module")
def biased():
    clips = [habits(walk(speed=speed, seconds=3.0, fps=60.0)) for speed in (0.9, 1.1)]
    return Library.of([replace(turned(clip, k * 0.8), name=f"walk{k}") for k, clip in enumerate(clips)])


def mean_rotations(clips):
    """[J, 4] mean local rotations; the root's without its heading."""
    found = []
    for clip in clips:
        rotations = np.array(clip.local_rotations)
        rotations[:, 0] = quat.multiply(quat.turn(-clip.planar_poses[:, 2]), rotations[:, 0])
        found.append(rotations)
    return quat.mean(np.concatenate(found))


def bias(library):
    """Radians between the mean rotation of each joint in the originals and in the images."""
    images = [clip for clip in library if clip.name.endswith(":mirrored")]
    originals = [clip for clip in library if not clip.name.endswith(":mirrored")]
    return quat.angle_between(mean_rotations(originals), mean_rotations(images))


def test_the_performer_s_bias_is_gone_from_the_images(biased):
    before, after = bias(with_images(biased, symmetric=False)), bias(with_images(biased))
    assert before.max() > np.deg2rad(15.0)
    assert after.max() < np.deg2rad(1.0)


def test_feet_of_images_are_on_the_floor_and_stay_there(biased):
    library = with_images(biased)
    for name in biased.names:
        image = library[f"{name}:mirrored"]
        points = image.contact_positions
        above = (points[..., 2] - image.contact_heights)[image.contacts]
        assert np.abs(above).max() < MILLIMETRE
        for column in range(points.shape[1]):
            for start, stop in zip(*find_runs(image.contacts[:, column]), strict=True):
                assert np.ptp(points[start:stop, column, :2], axis=0).max() < 2 * MILLIMETRE


def test_images_follow_their_originals_and_these_are_left_alone(biased):
    library = with_images(biased)
    assert library.names == ("walk0", "walk0:mirrored", "walk1", "walk1:mirrored")
    for name in biased.names:
        assert np.array_equal(library[name].local_rotations, biased[name].local_rotations)
        assert np.array_equal(library[name].root_positions, biased[name].root_positions)


def test_images_go_the_mirrored_way(biased):
    image, original = with_images(biased)["walk1:mirrored"], biased["walk1"]
    flipped = original.planar_poses * np.array([1.0, -1.0, -1.0])
    assert np.abs(image.planar_poses[:, :2] - flipped[:, :2]).max() < MILLIMETRE
    assert np.abs(image.planar_poses[:, 2] - flipped[:, 2]).max() < np.deg2rad(1.0)


def test_a_symmetric_performer_has_plain_images():
    clip = walk(seconds=2.0, fps=60.0)
    both = Library.of([replace(clip, name="a"), replace(mirror(clip), name="b")])
    assert quat.angle(asymmetry(both)).max() < 1e-6
    plain, evened = with_images(both, symmetric=False), with_images(both)
    assert quat.angle_between(plain.local_rotations, evened.local_rotations).max() < 1e-5
    assert np.abs(plain.root_positions - evened.root_positions).max() < 1e-5


def test_without_symmetry_images_are_plain_ones_with_their_feet_locked(biased):
    library = with_images(biased, symmetric=False)
    image = lock_feet(mirror(biased["walk0"])).clip
    assert np.array_equal(library["walk0:mirrored"].root_positions, image.root_positions)
    assert quat.angle_between(library["walk0:mirrored"].local_rotations, image.local_rotations).max() < 1e-7


def test_habits_are_each_performer_s_own():
    """Two who hold their heads to opposite sides would cancel out if they were one."""
    clip = walk(seconds=3.0, fps=60.0)
    heads = {"1_01": 0.12, "2_01": -0.12}
    both = Library.of([replace(habits(clip, head=head), name=name) for name, head in heads.items()])
    assert performers_of(both) == {"1_01": "1", "2_01": "2"}
    made = with_images(both)
    neck = made.skeleton.index("Neck")
    for name in heads:
        means = [quat.mean(made[mine].local_rotations[:, neck]) for mine in (name, f"{name}:mirrored")]
        assert quat.angle_between(*means) < np.deg2rad(0.5)
    assert [note.partition(":")[0] for note in made.notes] == [f"mirror images of performer {k}" for k in (1, 2)]
    one = Library.of([replace(clip, name=name) for name, clip in zip("ab", both, strict=True)])
    assert performers_of(one) == {"a": "", "b": ""}
    assert quat.angle(asymmetry(one))[neck] < np.deg2rad(0.5)  # pooled, their habits are not seen


def test_a_note_names_the_performer():
    clip = walk(seconds=1.0, fps=60.0)
    notes = ["a: performer Ann", "69_02: performer Bob", "b: performers are many"]
    library = Library.of([replace(clip, name=name) for name in ("a", "b", "69_01", "69_02")], notes=notes)
    assert performers_of(library) == {"a": "Ann", "b": "", "69_01": "69", "69_02": "Bob"}


def bent(clip, curvature):
    """Bend the way of a straight walk along +x into an arc of this curvature (1/m)."""
    along, aside, height = clip.root_positions.T
    heading = curvature * (along - along[0])
    middle = np.column_stack([np.sin(heading), 1 - np.cos(heading)]) / curvature
    places = middle + aside[:, None] * np.column_stack([-np.sin(heading), np.cos(heading)])
    rotations = np.array(clip.local_rotations)
    rotations[:, 0] = quat.multiply(quat.turn(heading), rotations[:, 0])
    return clip.with_motion(np.column_stack([places, height]), rotations)


def looking(clip, *, angle):
    rotations = np.array(clip.local_rotations)
    rotations[:, clip.skeleton.index("Head")] = quat.exp(np.array([0.0, 0.0, angle]))
    return clip.with_motion(clip.root_positions, rotations)


@pytest.mark.parametrize("kind", ["turning", "carrying", "sideways", "back"])
def test_only_walking_straight_ahead_with_empty_hands_tells_habits(kind):
    """People look into their turns, and hold boxes with one hand more than with the other."""
    clip = walk(seconds=4.0, fps=60.0)
    other = looking(clip, angle=0.2)
    if kind == "turning":
        other = bent(other, 0.5)
    elif kind == "carrying":
        other = replace(other, labels={"carry": np.ones(len(clip), bool)})
    else:
        rotations = np.array(other.local_rotations)
        about = quat.turn(np.deg2rad(90.0 if kind == "sideways" else 180.0))
        rotations[:, 0] = quat.multiply(about, rotations[:, 0])
        other = other.with_motion(other.root_positions, rotations)
    alone, both = (
        Library.of([replace(c, name=f"w{k}") for k, c in enumerate(some)]) for some in ([clip], [clip, other])
    )
    assert np.array_equal(asymmetry(both), asymmetry(alone))
    slight = Library.of([replace(clip, name="w"), replace(bent(looking(clip, angle=0.2), 0.05), name="s")])
    assert quat.angle(asymmetry(slight))[clip.skeleton.index("Head")] > np.deg2rad(5.0)


def test_too_little_walking_gives_plain_images_and_a_note():
    short = Library.of([habits(walk(seconds=1.5, fps=60.0))])
    made, plain = with_images(short), with_images(short, symmetric=False)
    assert quat.angle_between(made.local_rotations, plain.local_rotations).max() < 1e-5
    assert "plain: 1.5 s of walking straight ahead" in made.notes[0]
    assert not plain.notes


def test_notes_tell_what_was_removed_and_what_was_not(biased):
    (note,) = with_images(biased).notes
    assert "s of walking straight ahead (degrees: Neck 9.6, " in note
    assert "left as they are" not in note
    far = Library.of([habits(walk(seconds=3.0, fps=60.0), head=1.2 * MAX_ASYMMETRY_RAD)])
    assert "being over 15 degrees: Neck 20." in with_images(far).notes[0]


def test_a_leg_that_is_too_short_for_its_plant_is_told(biased, monkeypatch):
    from walkon.motion import mirror_images

    def short(clip):
        locked = lock_feet(clip)
        return locked._replace(missed=np.full_like(locked.missed, 0.012 if "0" in clip.name else 0.004))

    monkeypatch.setattr(mirror_images, "lock_feet", short)
    notes = with_images(biased).notes
    assert [note for note in notes if "too short" in note] == [
        "walk0:mirrored: a planted leg is up to 1.2 cm too short for its plant"
    ]


def test_one_hand_held_high_is_no_habit():
    clip = walk(seconds=3.0, fps=60.0)
    rotations = np.array(clip.local_rotations)
    arm = clip.skeleton.index("LeftArm")
    rotations[:, arm] = quat.multiply(quat.exp(np.array([0.0, -2.0, 0.0])), rotations[:, arm])
    library = Library.of([replace(clip.with_motion(clip.root_positions, rotations), name="wave")])
    image = with_images(library)["wave:mirrored"]
    hands = [image.world.positions[:, image.skeleton.index(f"{side}Hand"), 2].mean() for side in ("Left", "Right")]
    assert hands[1] > hands[0] + 0.3


def test_gestures_while_standing_do_not_count():
    clip = walk(seconds=3.0, fps=60.0)
    still = clip.with_motion(
        np.tile(clip.root_positions[:1], (len(clip), 1)), np.tile(clip.local_rotations[:1], (len(clip), 1, 1))
    )
    rotations = np.array(still.local_rotations)
    rotations[:, clip.skeleton.index("Head")] = quat.exp(np.array([0.0, 0.0, 0.5]))
    still = replace(still.with_motion(still.root_positions, rotations), contacts=np.zeros_like(clip.contacts))
    walks, all_of_it = Library.of([replace(clip, name="w")]), [replace(clip, name="w"), replace(still, name="s")]
    assert np.array_equal(asymmetry(Library.of(all_of_it)), asymmetry(walks))


def test_images_that_are_there_are_not_made_twice(biased):
    once = with_images(biased)
    again = with_images(once)
    assert again.names == once.names
    assert np.array_equal(again.local_rotations, once.local_rotations)


def test_labels_events_ensembles_and_notes_go_along():
    clip = walk(seconds=1.0, fps=60.0)
    events = (Event(time=0.5, kind="grasp", joints=("LeftHand",)),)
    one = replace(clip, name="one", events=events, labels={"left_leg": np.ones(len(clip), bool)})
    library = Library.of([one, replace(clip, name="two")], ensembles={"pair": ("one", "two")}, notes=["a note"])
    told = []
    made = with_images(library, progress=lambda done, total, what: told.append((done, total, what)))
    assert made["one:mirrored"].events[0].joints == ("RightHand",)
    assert [clip.name for clip in made if "right_leg" in clip.labels] == ["one:mirrored"]
    assert made.ensembles == {"pair": ("one", "two")}
    assert made.notes[0] == "a note"
    assert told == [(0, 2, "mirroring one"), (1, 2, "mirroring two"), (2, 2, "")]
