"""Models of props: of the documented size, with grips on their surface and thumbs where thumbs go."""

import numpy as np
import pytest

from walkon.stage import prop_models
from walkon.transforms import quaternions as quat

SIZES = {
    "umbrella": (1.0, 1.0, 0.9),
    "suitcase": (0.57, 0.22, 0.42),
    "tray": (0.35, 0.48, 0.03),
    "cup": (0.082, 0.082, 0.1),
    "stretcher": (2.3, 0.58, 0.153),
}
MODELS = sorted(SIZES)


def test_all_models_are_tested() -> None:
    assert sorted(prop_models.__all__) == MODELS


@pytest.mark.parametrize("model", MODELS)
def test_a_model_has_its_size_mass_and_name(model: str) -> None:
    prop = getattr(prop_models, model)()
    assert prop.size == pytest.approx(SIZES[model], abs=0.006)
    assert prop.name == model
    # Between a basket of air and a block of iron.
    assert 20 < prop.mass / prop.volume < 5000
    assert prop.keep_level == (model in ("tray", "cup"))
    other = getattr(prop_models, model)("mine", colour=(1, 0, 0))
    assert (other.name, other.colour, other.parts) == ("mine", (1.0, 0.0, 0.0), prop.parts)


@pytest.mark.parametrize("model", MODELS)
def test_palms_lie_on_it_and_face_it(model: str) -> None:
    prop = getattr(prop_models, model)()
    assert prop.grips
    for grip in prop.grips.values():
        place, turn = np.array(grip.pose[:3]), np.array(grip.pose[3:])
        if grip.shape == "hook":
            # The bar is in the bend of the fingers, 4 cm on.
            place = place + quat.rotate(turn, np.array([0.04, 0.0, 0.0]))
        assert abs(prop.distances(place)) < 1e-9
        ahead = prop.distances(place + quat.rotate(turn, np.array([0.0, 0.0, 0.004])))
        assert ahead < -0.003


@pytest.mark.parametrize("model", ["umbrella", "cup", "tray", "stretcher"])
def test_thumbs_are_up_or_ahead(model: str) -> None:
    # The thumb is on the side of +y of a left palm, and of −y of a right one.
    for grip in getattr(prop_models, model)().grips.values():
        if grip.hand != "either":
            side = 1.0 if grip.hand == "left" else -1.0
            thumb = quat.rotate(np.array(grip.pose[3:]), np.array([0.0, side, 0.0]))
            wanted = [1, 0, 0] if model == "stretcher" else [0, 0, 1]
            np.testing.assert_allclose(thumb, wanted, atol=1e-12)
