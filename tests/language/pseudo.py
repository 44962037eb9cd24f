"""A language whose words no text has by chance, to find what bypasses the catalogue."""

from __future__ import annotations

import gettext
import re
from string import ascii_letters

from facelift.language import Language

WIDE = {ord(each): ord(each) + 0xFEE0 for each in ascii_letters}


class Pseudo(gettext.NullTranslations):
    """Translates every sentence to letters that no ordinary text has."""

    def gettext(self, message: str) -> str:
        parts = re.split(r"(\{\w+\})", message)
        return "".join(part if part[:1] == "{" else part.translate(WIDE) for part in parts)

    def ngettext(self, one: str, many: str, n: int) -> str:
        return self.gettext(one if n == 1 else many)

    def pgettext(self, _: str, message: str) -> str:
        return self.gettext(message)


def pseudo(code: str) -> Language:
    """The language that stands in for one."""
    return Language(code, Pseudo())


def english_words(text: str) -> set[str]:
    """Words that were not translated."""
    return set(re.findall(r"[A-Za-z]{2,}", text))
