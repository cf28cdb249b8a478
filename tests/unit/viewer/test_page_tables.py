"""The page's declaration of tables is written from the take's."""

from walkon.take.tables import TABLES
from walkon.viewer.page_tables import FILE, page_tables


def test_the_file_is_the_one_that_is_written():
    assert FILE.read_text(encoding="utf-8") == page_tables(), "run python -m walkon.viewer.page_tables"


def test_every_table_and_column_is_in_it():
    text = page_tables()
    assert 'fadeIn: column("float32")' in text
    assert 'track: to("tracks", true, column("int32"))' in text
    assert 'knots: span("trackKnots")' in text
    assert all(f'name: "{kind.__name__}"' in text for kind in TABLES.values())
