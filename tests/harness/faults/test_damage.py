"""Whatever is damaged in a saved explainer is noticed; most would not be without checksums."""

from __future__ import annotations

from facelift.storage import read

from .damage import cut_short, flipped, small_explainer


def test_a_flipped_bit_anywhere_is_refused(tmp_path):
    small_explainer().save(tmp_path / "saved")
    refused = list(flipped(tmp_path / "saved"))
    assert all(refused)
    assert len(refused) > 3000
    assert len(read(tmp_path / "saved").graph) == 21


def test_a_file_cut_short_anywhere_is_refused(tmp_path):
    small_explainer().save(tmp_path / "saved")
    refused = list(cut_short(tmp_path / "saved"))
    assert all(refused)
    assert len(refused) > 100
    assert len(read(tmp_path / "saved").graph) == 21
