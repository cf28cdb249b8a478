"""Laws of BVH files: writing and reading change nothing, whatever the skeleton; decimals are exact; axes are free."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from twins.bvh import format_numbers_python, parse_numbers_python
from walkon.io import parse_bvh, read_bvh, write_bvh
from walkon.io.bvh_numbers import format_frame_time, format_numbers, parse_numbers, rate_from_frame_time
from walkon.motion import Clip, Skeleton
from walkon.transforms import quaternions as quat

LENGTH = 1e-7
"""Metres; ten times what ten rounded places in a chain can add up to."""
ANGLE = np.radians(1e-4)

names = st.text("abcXYZ_ .:#-0189äß", min_size=1, max_size=8).map(lambda s: " ".join(s.split())).filter(bool)


@st.composite
def clips(draw):
    """Random trees in depth-first order, end sites at some leaves, random motion, sometimes sliding joints."""
    J = draw(st.integers(1, 9))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    parents, line = [-1], [0]
    for joint in range(1, J):
        line = line[: draw(st.integers(1, len(line)))]
        parents.append(line[-1])
        line.append(joint)
    leaves = [j for j in range(1, J) if j not in parents]
    ends = np.array([j in leaves and draw(st.booleans()) for j in range(J)])
    T = draw(st.integers(1, 6))
    offsets = rng.normal(size=(J, 3)) * draw(st.sampled_from([0.0, 0.01, 1.0, 30.0]))
    rotations = quat.exp(rng.normal(size=(T, J, 3)) * draw(st.sampled_from([0.0, 1e-7, 0.3, 3.0])))
    rotations = np.where(ends[None, :, None], quat.IDENTITY, rotations)
    skeleton = Skeleton(
        names=tuple(draw(st.lists(names, min_size=J, max_size=J, unique=True))),
        parents=parents,
        offsets=offsets,
        end_sites=ends,
    )
    sliding = None
    if J > 1 and draw(st.booleans()):
        sliding = np.tile(offsets, (T, 1, 1))
        joint = draw(st.integers(1, J - 1))
        if not ends[joint]:
            sliding[:, joint] += rng.normal(size=(T, 3))
    return Clip(
        skeleton=skeleton,
        fps=draw(st.floats(0.1, 1000)),
        root_positions=rng.normal(size=(T, 3)) * 10,
        local_rotations=quat.continuous(rotations),
        local_translations=sliding,
    )


@given(clips(), st.sampled_from(["xyz", "xzy", "yxz", "yzx", "zxy", "zyx"]), st.sampled_from([1.0, 0.01, 0.0254]))
@settings(max_examples=150, deadline=None)
def test_writing_and_reading_a_clip_gives_the_clip(tmp_path_factory, clip, order, scale):
    path = tmp_path_factory.mktemp("bvh") / "clip.bvh"
    back = read_bvh(write_bvh(clip, path, order=order, scale=scale), scale=scale, up="y", drop_tpose=False).clip
    assert back.skeleton.names == clip.skeleton.names
    assert np.array_equal(back.skeleton.parents, clip.skeleton.parents)
    assert np.array_equal(back.skeleton.end_sites, clip.skeleton.end_sites)
    assert back.fps == clip.fps
    assert np.abs(back.skeleton.offsets - clip.skeleton.offsets).max() < LENGTH
    assert quat.angle_between(back.local_rotations, clip.local_rotations).max() < ANGLE
    # A turn that is off by 1e-7 rad at the root moves the end of a long chain by the length of the chain times that.
    chain = 1.0 + np.linalg.norm(clip.skeleton.offsets, axis=1).sum()
    assert np.abs(back.world.positions - clip.world.positions).max() < LENGTH * chain


@given(
    st.lists(
        st.one_of(
            st.floats(-1e9, 1e9).map(repr),
            st.decimals(-(10**9), 10**9, places=6).map(str),
            st.from_regex(r"[+-]?[0-9]{1,9}\.?[0-9]{0,22}", fullmatch=True),
            st.from_regex(r"[+-]?\.[0-9]{1,22}([eE]-?[0-9])?", fullmatch=True),
            st.from_regex(r"[+-]?[0-9]\.[0-9]{0,18}[eE][+-]?[0-8]", fullmatch=True),
            st.from_regex(r"[0-9]{1,18}[eE]-[0-9]{1,3}", fullmatch=True),
        ).filter(lambda token: token.isascii() and abs(float(token)) <= 1e9),
        min_size=1,
        max_size=30,
    )
)
@settings(max_examples=400, deadline=None)
def test_decimals_are_rounded_as_float_rounds_them_bit_for_bit(tokens):
    content = "\n".join(tokens).encode()
    ours = parse_numbers(content, 0, channels=1)[0]
    twin = parse_numbers_python(content, channels=1)
    assert ours.view(np.uint64).tolist() == twin.view(np.uint64).tolist()


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=20), st.integers(0, 8))
@settings(max_examples=200, deadline=None)
def test_numbers_are_written_as_the_twin_writes_them(values, places):
    array, decimals = np.array([values]), np.full(len(values), places)
    assert format_numbers(array, decimals) == format_numbers_python(array, decimals)


@given(st.floats(0.05, 20_000))
@settings(max_examples=300, deadline=None)
def test_any_frame_rate_survives_a_file(fps):
    assert rate_from_frame_time(format_frame_time(fps)) == fps


@given(
    st.permutations(["Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation"]), st.integers(0, 6)
)
@settings(max_examples=60, deadline=None)
def test_channels_in_any_order_and_number_mean_what_their_names_say(tmp_path_factory, channels, count):
    channels = channels[:count]
    values = {
        "Xposition": 1.0,
        "Yposition": 2.0,
        "Zposition": 3.0,
        "Xrotation": 10.0,
        "Yrotation": -20.0,
        "Zrotation": 30.0,
    }
    text = (
        "HIERARCHY\nROOT r\n{\nOFFSET 7 8 9\nCHANNELS 1 Xposition\nJOINT j\n{\nOFFSET 4 5 6\n"
        f"CHANNELS {count} {' '.join(channels)}\n}}\n}}\nMOTION\nFrames: 1\nFrame Time: 1\n0 "
        + " ".join(str(values[channel]) for channel in channels)
    )
    path = tmp_path_factory.mktemp("bvh") / "channels.bvh"
    path.write_text(text)
    assert parse_bvh(text.encode()).channels[1] == tuple(channels)
    clip = read_bvh(path, up="z").clip
    place = [
        values.get(f"{axis}position") if f"{axis}position" in channels else 4.0 + k for k, axis in enumerate("XYZ")
    ]
    assert np.allclose(clip.world.positions[0], [[0, 8, 9], [place[0], 8 + place[1], 9 + place[2]]])
    turning = [channel for channel in channels if channel.endswith("rotation")]
    expected = quat.from_euler(np.radians([values[c] for c in turning]), "".join(c[0].lower() for c in turning))
    assert quat.angle_between(clip.local_rotations[0, 1], expected) < 1e-12
