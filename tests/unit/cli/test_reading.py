"""What commands show while one waits."""

from types import SimpleNamespace

from walkon.cli import reading


def test_without_a_terminal_progress_is_a_line_now_and_then(monkeypatch, capsys):
    seconds = iter([0.0, 1.5, 10.5, 12.0, 31.0])
    monkeypatch.setattr(reading, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    with reading.bar("planning") as show:
        for share in (0.1, 0.25, 0.3, 0.7):
            show(share)
    told = capsys.readouterr()
    assert told.err.splitlines() == ["walkon: planning: 25% after 10 s", "walkon: planning: 70% after 31 s"]
    assert told.out == ""
