import time

from facelift._progress import announced, tracked, transferred


def test_what_takes_long_is_announced(caplog):
    with announced("Compiling", after=0.01):
        time.sleep(0.3)
    assert caplog.messages == ["Compiling"]


def test_what_is_quick_is_not_announced(caplog):
    with announced("Compiling", after=60):
        pass
    assert caplog.messages == []


def test_a_bar_appears_only_when_work_takes_long(capsys, monkeypatch):
    list(tracked(range(3), 3, "people", show=True))
    assert "people" not in capsys.readouterr().err
    monkeypatch.setattr("facelift._progress.PATIENCE", 0.0)
    assert list(tracked(range(3), 3, "people", show=True)) == [0, 1, 2]
    assert "people" in capsys.readouterr().err


def test_no_bar_is_drawn_where_nobody_looks(capsys, monkeypatch):
    monkeypatch.setattr("facelift._progress.PATIENCE", 0.0)
    list(tracked(range(3), 3, "people"))
    assert capsys.readouterr().err == ""


def test_the_bar_of_a_transfer_counts_bytes_and_what_came_before(capsys, monkeypatch):
    monkeypatch.setattr("facelift._progress.PATIENCE", 0.0)
    pieces = [b"x" * 1000, b"y" * 2000]
    assert list(transferred(pieces, "digits.gz", 7000, 10_000, show=True)) == pieces
    drawn = capsys.readouterr().err
    assert "digits.gz" in drawn
    assert "10.0/10.0 kB" in drawn
