import os

import pytest

from facelift._files import folder_written_whole, written_whole


def test_a_file_appears_when_it_is_whole(tmp_path):
    target = tmp_path / "new" / "a.txt"
    with written_whole(target) as fresh:
        fresh.write_text("first half")
        assert not target.exists()
    assert target.read_text() == "first half"
    assert list(target.parent.iterdir()) == [target]


def test_a_file_that_could_not_be_written_leaves_the_old_one(tmp_path):
    target = tmp_path / "a.txt"
    target.write_text("old")

    def fail() -> None:
        with written_whole(target) as fresh:
            fresh.write_text("half of the n")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_others_may_read_what_they_may_read_of_any_new_file(tmp_path):
    (tmp_path / "plain.txt").write_text("")
    with written_whole(tmp_path / "whole.txt") as fresh:
        fresh.write_text("")
    modes = {(tmp_path / name).stat().st_mode for name in ("plain.txt", "whole.txt")}
    assert len(modes) == 1


def test_a_folder_appears_when_it_is_whole(tmp_path):
    target = tmp_path / "new" / "a"
    with folder_written_whole(target) as fresh:
        (fresh / "first").write_text("half")
        assert not target.exists()
    assert [path.read_text() for path in target.iterdir()] == ["half"]
    assert list(target.parent.iterdir()) == [target]


def test_a_folder_that_could_not_be_written_is_not_there(tmp_path):
    def fail() -> None:
        with folder_written_whole(tmp_path / "a") as fresh:
            (fresh / "first").write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_is_named_as_it_was_given(tmp_path):
    (tmp_path / "file").write_text("")
    for target in (tmp_path / "file" / "x.html", tmp_path / ("x" * 300)):
        with pytest.raises(OSError) as fault, written_whole(target):
            pass
        assert fault.value.filename == str(target)
