from dataclasses import replace

import numpy as np
import pytest

from walker import walk
from walkon._base.errors import InvalidClip, InvalidValue, UnknownName
from walkon.motion import Event
from walkon.motion.editing import cut, resample
from walkon.motion.library import Library


@pytest.fixture(scope="module")
def clips():
    whole = walk(seconds=2.0)
    first = replace(cut(whole, 0, 1), name="first", labels={"walk": np.ones(121, bool)})
    second = replace(cut(whole, 1, 2), name="second", labels={"late": np.arange(121) > 60})
    return first, replace(second, events=(Event(time=0.5, kind="wave"),))


def test_clips_come_out_as_they_went_in(clips):
    library = Library.of(clips)
    for clip in clips:
        back = library[clip.name]
        assert np.array_equal(back.local_rotations, clip.local_rotations)
        assert np.array_equal(back.contacts, clip.contacts)
        assert set(back.labels) == set(clip.labels)
        assert back.events == clip.events
    assert [clip.name for clip in library] == ["first", "second"]
    assert [clip.name for clip in library if "late" in clip.labels] == ["second"]
    assert repr(library).startswith("Library(2 clips, 2.0 s at 120 fps")


def test_clips_share_the_arrays_of_the_library(clips):
    library = Library.of(clips)
    assert np.shares_memory(library["second"].local_rotations, library.local_rotations)


def test_what_does_not_fit_is_refused(clips):
    first, second = clips
    with pytest.raises(InvalidClip, match="resample"):
        Library.of([first, resample(second, 60.0)])
    with pytest.raises(InvalidClip, match="retarget"):
        Library.of([first, replace(second, skeleton=second.skeleton.scaled(0.9))])
    with pytest.raises(InvalidClip, match="'first' occurs more than once"):
        Library.of([first, first])
    with pytest.raises(InvalidValue, match="at least one clip"):
        Library.of([])


def test_unknown_names_are_told_apart_from_known_ones(clips):
    library = Library.of(clips, ensembles={"both": ("first", "second")})
    assert len(library.ensemble("both").clips) == 2
    with pytest.raises(UnknownName, match="Close matches: 'second'"):
        library["secnd"]
