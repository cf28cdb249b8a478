from pathlib import Path

import numpy as np
import pytest
from PIL import Image as PillowImage

from walkon._base.errors import CannotWrite, InvalidShape, InvalidValue
from walkon.drawing import save_animation, save_frames, save_png


@pytest.fixture
def images() -> list[np.ndarray]:
    rows, cols = np.indices((24, 32))
    return [np.stack([rows * 8, cols * 6, np.full_like(rows, 40 * i)], axis=-1).astype(np.uint8) for i in range(4)]


def test_a_png_gives_back_the_picture(tmp_path: Path, images: list[np.ndarray]) -> None:
    path = save_png(images[1], tmp_path / "a.png")
    with PillowImage.open(path) as back:
        np.testing.assert_array_equal(np.array(back), images[1])
    assert [file.name for file in tmp_path.iterdir()] == ["a.png"]


def test_frames_are_numbered(tmp_path: Path, images: list[np.ndarray]) -> None:
    paths = save_frames(tmp_path / "out" / "deep", iter(images), stem="walk")
    assert [path.name for path in paths] == [f"walk_{i:05d}.png" for i in range(4)]
    with PillowImage.open(paths[3]) as back:
        np.testing.assert_array_equal(np.array(back), images[3])


@pytest.mark.parametrize("suffix", [".gif", ".webp", ".apng"])
def test_an_animation_has_all_frames_and_its_time(tmp_path: Path, images: list[np.ndarray], suffix: str) -> None:
    path = save_animation(tmp_path / f"a{suffix}", images, fps=12.0)
    total, blue = 0.0, []
    with PillowImage.open(path) as back:
        assert back.n_frames == 4
        for i in range(4):
            back.seek(i)
            picture = np.array(back.convert("RGB")).astype(int)
            blue.append(picture[..., 2].mean())
            total += back.info["duration"]
    assert total == pytest.approx(4000 / 12.0, abs=6)
    # One palette of 256 colours for all frames of a GIF cannot be exact; lossy WebP nearly is.
    np.testing.assert_allclose(blue, [0, 40, 80, 120], atol={".gif": 25, ".webp": 4, ".apng": 0}[suffix])


def test_what_was_there_survives_a_failure(tmp_path: Path, images: list[np.ndarray]) -> None:
    path = save_png(images[0], tmp_path / "a.png")
    before = path.read_bytes()
    with pytest.raises(InvalidShape, match=r"uint8 \[H, W, 3\], got float64"):
        save_png(images[0] / 255.0, path)
    assert path.read_bytes() == before
    with pytest.raises(CannotWrite, match="does not exist"):
        save_png(images[0], tmp_path / "missing" / "a.png")


def test_bad_animations_are_refused(tmp_path: Path, images: list[np.ndarray]) -> None:
    with pytest.raises(InvalidValue, match=r"ends in one of .gif"):
        save_animation(tmp_path / "a.mp4", images, fps=10)
    with pytest.raises(InvalidValue, match="fps must be positive, got 0"):
        save_animation(tmp_path / "a.gif", images, fps=0)
    with pytest.raises(InvalidValue, match="at least one picture"):
        save_animation(tmp_path / "a.gif", [], fps=10)
    with pytest.raises(InvalidShape, match="one size"):
        save_animation(tmp_path / "a.gif", [images[0], images[0][:10]], fps=10)
    assert list(tmp_path.iterdir()) == []
