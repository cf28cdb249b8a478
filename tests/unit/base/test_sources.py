"""Fingerprints of code change with what code does, not with what is said about it."""

import pkgutil

import pytest

import walkon
from walkon._base import sources

A = """
from walkon.b import two
def f():
    from walkon.c import three
    return three
"""
TYPED = """
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from walkon.c import three
else:
    import walkon.b
"""
REWORDED = """
'''Another docstring.'''
# a comment
two = (
    2  # two
)
"""
SAID = """
'''Two.'''
two = 2
assert two == 2
'''Said of it.'''
"""
FAMILIES = [
    module.name
    for module in pkgutil.walk_packages(walkon.__path__, "walkon.")
    if module.name.rsplit(".", 1)[-1].endswith("_kernels")
]


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of three modules instead of ours."""
    (tmp_path / "__init__.py").touch()
    (tmp_path / "a.py").write_text(A)
    (tmp_path / "b.py").write_text('"""Two."""\ntwo = 2\n')
    (tmp_path / "c.py").write_text("three = 3\n")
    monkeypatch.setattr(sources, "PACKAGE", tmp_path)
    monkeypatch.setattr(sources, "cache_folder", lambda: tmp_path)
    _again()
    yield tmp_path
    monkeypatch.undo()
    _again()


def _again() -> None:
    sources._known_sources.cache_clear()
    sources._file_of.cache_clear()


def test_every_family_of_kernels_rests_on_kernels_and_rules_only():
    """What a family rests on is what an edit of compiles it again; a rule holds constants and argument groups.

    Tables are declarations, from which argument groups follow.
    """
    assert len(FAMILIES) > 20
    for family in FAMILIES:
        others = [
            name
            for name in sources.import_closure(family, inner=False)
            if not name.endswith(("_kernels", "_rule"))
            and not name.startswith("walkon.take.tables")
            and name not in ("walkon._base.arrays", "walkon._base.table")
        ]
        assert others == [], f"{family} imports {others}: move what it needs to a module …_rule"


def test_the_closure_follows_functions_only_if_asked(package):
    assert sources.import_closure("walkon.a", inner=False) == ("walkon.a", "walkon.b")
    assert sources.import_closure("walkon.a") == ("walkon.a", "walkon.b", "walkon.c")


def test_what_only_type_checkers_import_does_not_count(package):
    (package / "a.py").write_text(TYPED)
    assert sources.import_closure("walkon.a") == ("walkon.a", "walkon.b")


@pytest.mark.parametrize("text", [REWORDED, SAID])
def test_words_and_lines_have_no_say(package, text):
    before = sources.code_fingerprint("x", "walkon.a")
    (package / "b.py").write_text(text)
    _again()
    assert sources.code_fingerprint("x", "walkon.a") == before


def test_code_versions_and_what_functions_import_have_a_say(package):
    seen = {sources.code_fingerprint("x", "walkon.a"), sources.code_fingerprint("y", "walkon.a")}
    for module, text in (("b", "two = 3\n"), ("c", "three = 4\n"), ("c", "three = {'a', 'b'} - {'c'}\n")):
        (package / f"{module}.py").write_text(text)
        _again()
        seen.add(sources.code_fingerprint("x", "walkon.a"))
    assert len(seen) == 5


def test_a_constant_set_gives_the_same_fingerprint_in_every_process(package):
    import os
    import subprocess
    import sys

    (package / "b.py").write_text("two = 'x' in {'a', 'b', 'c', 'd', 'e'}\n")
    code = (
        "from pathlib import Path; from walkon._base import sources; "
        f"sources.PACKAGE = Path({str(package)!r}); sources.cache_folder = lambda: None; "
        "print(sources.code_fingerprint('x', 'walkon.b'))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(told) == 1


def test_what_is_kept_of_sources_may_be_anything(package):
    before = sources.code_fingerprint("x", "walkon.a")
    (file,) = package.glob("sources-*.json")
    for content in (b"", b"[", b"[[1]]", b'{"a": 1}', b"\xff\xfe", b"[" * 100_000):
        file.write_bytes(content)
        _again()
        assert sources.code_fingerprint("x", "walkon.a") == before
