import numpy as np

from walkon.transforms.easing import smoothstep


def test_it_goes_from_0_to_1_without_speed_at_the_ends():
    u = np.linspace(-0.5, 1.5, 2001)
    s = smoothstep(u)
    assert s[0] == 0.0
    assert s[-1] == 1.0
    assert (np.diff(s) >= 0).all()
    speed = np.gradient(s, u)
    assert abs(speed[500]) < 0.01
    assert abs(speed[1500]) < 0.01
    assert np.allclose(s + s[::-1], 1.0)
