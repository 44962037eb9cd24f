"""The catalogues: every sentence translated, nothing stale, and .mo made of .po."""

from __future__ import annotations

import gettext
import re
from io import BytesIO

import pytest
from babel.messages.pofile import read_po
from tools.catalogues import HERE, labels, merged, messages, written_mo

from facelift.language import LANGUAGES

FILES = sorted(HERE.glob("catalogues/*/LC_MESSAGES/facelift.po"))


def entries(path):
    with path.open("rb") as file:
        return [message for message in read_po(file) if message.id]


def forms(text):
    return [text] if isinstance(text, str) else list(text)


def values(text):
    return set(re.findall(r"\{\w+\}", text))


def test_every_language_but_english_has_a_catalogue():
    assert {path.parent.parent.name for path in FILES} == set(LANGUAGES) - {"en"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.parent.name)
class TestCatalogue:
    def test_it_has_the_sentences_that_people_read_and_no_others(self, path):
        known = [(message.context, message.id) for message in entries(path)]
        assert known == [(None, each) for each in messages()] + [("label", e) for e in labels()]

    def test_every_sentence_is_translated_and_sure(self, path):
        for message in entries(path):
            assert all(forms(message.string)), message.id
            assert not message.fuzzy, message.id

    def test_translations_have_the_values_of_the_sentence(self, path):
        for message in entries(path):
            singular, plural = (
                values(text) for text in (forms(message.id)[0], forms(message.id)[-1])
            )
            for number, text in enumerate(forms(message.string)):
                assert values(text) == (plural if number else singular), text

    def test_the_mo_file_is_made_of_the_po_file(self, path):
        fresh = gettext.GNUTranslations(BytesIO(written_mo(merged(path))))
        with path.with_suffix(".mo").open("rb") as file:
            assert gettext.GNUTranslations(file)._catalog == fresh._catalog
