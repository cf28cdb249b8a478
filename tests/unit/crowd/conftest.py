"""What tests of crowds share."""

import pytest

from crowd_worlds import builtin


@pytest.fixture(scope="session")
def graph():
    return builtin()
