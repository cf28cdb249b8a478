import numpy as np
import pytest

from walker import walk
from walkon._base.errors import InvalidSkeleton
from walkon.motion import Skeleton
from walkon.motion.mirroring import mirror, mirror_partners
from walkon.transforms import quaternions as quat


def test_mirroring_twice_gives_the_clip_back():
    clip = walk(seconds=1.0)
    again = mirror(mirror(clip))
    assert np.array_equal(again.root_positions, clip.root_positions)
    assert quat.angle_between(again.local_rotations, clip.local_rotations).max() < 1e-7
    assert np.array_equal(again.contacts, clip.contacts)
    assert again.name == clip.name


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
