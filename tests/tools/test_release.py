"""The checklist of a release notices what does not fit."""

from __future__ import annotations

import pytest

from tools import release


def test_the_recipe_asks_for_what_the_project_does():
    assert release.same_requirements().endswith("packages")


def test_a_recipe_with_another_bound_is_noticed(tmp_path, monkeypatch):
    (tmp_path / "recipe").mkdir()
    for name in ("pyproject.toml", "recipe/meta.yaml"):
        text = (release.ROOT / name).read_text().replace("- numpy >=2.0", "- numpy >=1.0")
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(release, "ROOT", tmp_path)
    with pytest.raises(SystemExit, match=r"numpy>=1\.0.*numpy>=2\.0"):
        release.same_requirements()


def test_package_citation_recipe_and_changelog_name_one_version():
    found = release.versions()
    assert set(found.values()) - {"Unreleased"} == {release.__version__}, found


def test_the_readme_can_be_read_in_minutes():
    assert release.short_readme()
