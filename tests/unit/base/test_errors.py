"""One tree of errors, one kind of sentence."""

import inspect
import pickle
from pathlib import Path

import pytest

from walkon._base import errors
from walkon._base.errors import CannotWrite, FileError, MissingExtra, UnknownName, UnreadableFile, WalkonError

CLASSES = [item for _, item in inspect.getmembers(errors, inspect.isclass) if item.__module__ == errors.__name__]


@pytest.mark.parametrize("error", CLASSES, ids=lambda error: error.__name__)
def test_every_error_is_a_walkon_error_and_stands_in_the_tree(error: type[Exception]) -> None:
    assert issubclass(error, WalkonError)
    assert error.__name__ in errors.__all__
    assert error.__name__ in (errors.__doc__ or "")
    assert error.__doc__


@pytest.mark.parametrize("error", [c for c in CLASSES if c is not WalkonError], ids=lambda error: error.__name__)
def test_every_error_can_be_caught_as_the_built_in_it_specialises(error: type[Exception]) -> None:
    built_in = [
        base for base in error.__mro__ if base.__module__ == "builtins" and base not in (Exception, BaseException)
    ]
    assert {ValueError, LookupError, OSError, ImportError} & set(built_in)


@pytest.mark.parametrize("error", CLASSES, ids=lambda error: error.__name__)
def test_the_text_of_an_error_is_its_sentence(error: type[Exception]) -> None:
    assert str(error("the sentence")) == "the sentence"
    assert str(pickle.loads(pickle.dumps(error("the sentence")))) == "the sentence"


def test_unknown_names_list_close_matches_and_what_there_is() -> None:
    text = str(UnknownName.among("joint", "LeftFeet", ["LeftFoot", "RightFoot", "Head"]))
    assert text.startswith("there is no joint 'LeftFeet'. Close matches: 'LeftFoot'")
    assert text.endswith("Known: 'LeftFoot', 'RightFoot', 'Head'.")
    assert str(UnknownName.among("label", "walk", [])) == "there is no label 'walk'. Known: none."
    assert "and 60 more" in str(UnknownName.among("clip", "x", [f"clip {i}" for i in range(100)]))


def test_file_errors_carry_place_and_line() -> None:
    error = UnreadableFile("a number is missing", path="walk.bvh", line=12)
    assert str(error) == "walk.bvh:12: a number is missing"
    assert (error.path, error.line) == (Path("walk.bvh"), 12)
    assert str(CannotWrite("the disk is full", path="a.take")) == "a.take: the disk is full"
    assert FileError("something").path is None
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.path, again.line) == (str(error), error.path, error.line)


def test_a_missing_extra_says_what_to_install() -> None:
    assert (
        str(MissingExtra.named("plot", "drawing plots"))
        == "drawing plots needs the extra 'plot': pip install 'walkon[plot]'"
    )
