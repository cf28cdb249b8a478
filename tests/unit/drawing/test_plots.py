import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as PillowImage

from walkon._base.errors import InvalidValue, MissingExtra
from walkon.drawing import plot_contacts
from walkon.motion import Clip, Skeleton


def test_contacts_are_plotted_in_both_colours(clip: Clip, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    image = plot_contacts(clip, title="swing", path=tmp_path / "plot.png", size=(6, 4), dpi=80).astype(int)
    assert image.shape == (320, 480, 3)
    greenish = image[..., 1] - image[..., 0] > 15
    reddish = image[..., 0] - image[..., 2] > 20
    assert greenish[:160].sum() > 10 * max(greenish[180:].sum(), 1)  # left foot above
    assert reddish[180:].sum() > 10 * max(reddish[:160].sum(), 1)
    with PillowImage.open(tmp_path / "plot.png") as back:
        np.testing.assert_array_equal(np.array(back), image)


def test_a_skeleton_without_contact_points_is_refused(stick: Skeleton) -> None:
    clip = Clip(skeleton=stick, fps=30, root_positions=[[0, 0, 1]], local_rotations=np.tile([1.0, 0, 0, 0], (1, 5, 1)))
    with pytest.raises(InvalidValue, match="no contact points"):
        plot_contacts(clip)


def test_a_missing_matplotlib_is_named(clip: Clip, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"walkon\[plot\]"):
        plot_contacts(clip)
