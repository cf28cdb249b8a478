import numpy as np
import pytest

from walkon._base.errors import InvalidValue, UnknownName
from walkon.drawing import compare_sheet, contact_paint, contact_sheet, strobe
from walkon.drawing.canvas import GAP_PIXELS
from walkon.motion import Clip

CELL = (80, 90)


def cells(sheet: np.ndarray, rows: int, columns: int) -> list[np.ndarray]:
    W, H = CELL
    return [sheet[r * (H + GAP_PIXELS) :, c * (W + GAP_PIXELS) :][:H, :W] for r in range(rows) for c in range(columns)]


@pytest.mark.parametrize("view", ["side", "front", "three_quarter", "top"])
def test_a_sheet_has_a_figure_in_each_cell(clip: Clip, view: str) -> None:
    sheet = contact_sheet(clip, count=5, columns=3, view=view, size_per_cell=CELL, labels=False)
    assert sheet.shape == (2 * 90 + GAP_PIXELS, 3 * 80 + 2 * GAP_PIXELS, 3)
    shown = cells(sheet, 2, 3)
    for cell in shown[:5]:
        assert (cell.min(axis=-1) < 110).sum() > 60  # shoes, trousers and hair are dark
    assert (shown[5] == 255).all()


def test_a_camera_that_stands_still_sees_the_clip_pass(clip: Clip) -> None:
    sheet = contact_sheet(clip, times=[0.0, 2.0], columns=2, size_per_cell=CELL, follow=False, labels=False)
    first, last = (np.nonzero(cell.min(axis=-1) < 110)[1].mean() for cell in cells(sheet, 1, 2))
    assert last > first + 25


def test_labels_are_written_in_a_corner(clip: Clip) -> None:
    with_, without = (
        contact_sheet(clip, times=[0.5], size_per_cell=CELL, labels=labels).astype(int) for labels in (True, False)
    )
    rows, cols = np.nonzero(np.abs(with_ - without).max(axis=-1) > 40)
    assert len(rows) > 10
    assert rows.max() < 30
    assert cols.max() < 60


def test_contacts_are_marked_where_they_bear(clip: Clip) -> None:
    frame = np.array([40])
    assert len(contact_paint(clip, frame)) == clip.contacts[40].sum() == 2
    np.testing.assert_allclose(
        contact_paint(clip, frame).strokes[:, :2], clip.contact_positions[40, clip.contacts[40], :2]
    )
    runs = sum(np.count_nonzero(np.diff(clip.contacts[:, c].astype(int), prepend=0) == 1) for c in range(4))
    assert len(contact_paint(clip)) == runs


def test_a_strobe_shows_many_poses_in_one_picture(clip: Clip) -> None:
    few, many = (strobe(clip, every=every, size=(400, 120)) for every in (2.0, 0.5))
    assert few.shape == many.shape == (120, 400, 3)
    assert (many.min(axis=-1) < 160).sum() > 1.5 * (few.min(axis=-1) < 160).sum()


def test_clips_are_compared_row_by_row(clip: Clip) -> None:
    sheet = compare_sheet([clip, clip], titles=["a", "b"], count=3, size_per_cell=CELL)
    assert sheet.shape == (2 * 90 + GAP_PIXELS, 3 * 80 + 2 * GAP_PIXELS, 3)
    assert all((cell.min(axis=-1) < 110).any() for cell in cells(sheet, 2, 3))
    with pytest.raises(InvalidValue, match="one title per clip: 2 clips, 1 titles"):
        compare_sheet([clip, clip], titles=["a"])


def test_bad_input_is_refused(clip: Clip) -> None:
    with pytest.raises(UnknownName, match="no view 'sidee'"):
        contact_sheet(clip, view="sidee")
    with pytest.raises(InvalidValue, match="outside clip 'swing'"):
        contact_sheet(clip, times=[9.0])
    with pytest.raises(InvalidValue, match="every must be positive"):
        strobe(clip, every=0.0)
    with pytest.raises(InvalidValue, match="columns must be at least 1"):
        contact_sheet(clip, count=1, columns=0, size_per_cell=CELL)
