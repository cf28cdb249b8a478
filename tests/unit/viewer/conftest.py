"""A page to put data into: the built one where there is one, else a stand-in of the same form."""

import pytest

from walkon.viewer import page_file

STAND_IN = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Walkon</title><style>body { margin: 0 }</style></head>
<body><main></main><script type="module">console.log("</body>·→".length);</script>
</body></html>
"""


@pytest.fixture
def page(tmp_path, monkeypatch):
    """A small page in a folder of its own."""
    folder = tmp_path / "static"
    folder.mkdir()
    (folder / "viewer.html").write_text(STAND_IN, encoding="utf-8")
    monkeypatch.setattr(page_file, "STATIC", folder)
    return folder
