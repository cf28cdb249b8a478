from dataclasses import replace

import numpy as np
import pytest

from walker import walk
from walkon._base.errors import InvalidSkeleton
from walkon.motion import Event, Skeleton
from walkon.motion.mirroring import mirror, mirror_partners
from walkon.transforms import quaternions as quat


def test_mirroring_twice_gives_the_clip_back():
    clip = walk(seconds=1.0)
    again = mirror(mirror(clip))
    assert np.array_equal(again.root_positions, clip.root_positions)
    assert quat.angle_between(again.local_rotations, clip.local_rotations).max() < 1e-7
    assert np.array_equal(again.contacts, clip.contacts)
    assert again.name == clip.name


def test_events_and_labels_change_sides_and_come_back():
    box = (0.3, 0.1, 0.8, *quat.exp(np.array([0.1, 0.2, 0.3])).tolist())
    clip = walk(seconds=0.5)
    events = (Event(time=0.2, kind="grasp", joints=("LeftHand",), object_pose=box),)
    clip = replace(clip, events=events, labels={"left_leg": np.arange(len(clip)) > 9})
    image = mirror(clip)
    assert image.events[0].joints == ("RightHand",)
    assert image.events[0].object_pose[1] == -0.1
    assert list(image.labels) == ["right_leg"]
    again = mirror(image)
    assert np.allclose(again.events[0].object_pose, box)
    assert list(again.labels) == ["left_leg"]


def test_the_image_is_the_reflection_of_every_joint():
    clip = walk(seconds=1.0)
    image = mirror(clip)
    partners = mirror_partners(clip.skeleton)
    reflected = clip.world.positions[:, partners] * np.array([1.0, -1.0, 1.0])
    assert np.allclose(image.world.positions, reflected, atol=1e-12)
    assert np.array_equal(image.contacts, clip.contacts[:, [2, 3, 0, 1]])


def test_partners_are_found_by_names_without_roles():
    skeleton = Skeleton(
        names=("root", "LHip", "RHip", "thumb_l", "thumb_r", "Tail"),
        parents=[-1, 0, 0, 1, 2, 0],
        offsets=np.zeros((6, 3)),
    )
    assert mirror_partners(skeleton).tolist() == [0, 2, 1, 4, 3, 5]


def test_sides_that_hang_on_different_joints_are_refused():
    skeleton = Skeleton(names=("root", "spine", "LeftA", "RightA"), parents=[-1, 0, 0, 1], offsets=np.zeros((4, 3)))
    with pytest.raises(InvalidSkeleton, match=r"look like left and right.*with_roles"):
        mirror_partners(skeleton)
