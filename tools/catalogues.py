"""Renew the catalogues: find the sentences, merge them into the .po files, make .mo.

Run `python -m tools.catalogues` after changing a sentence; then translate what the .po files have
without a translation, and run it again. Sentences are the first arguments of `say`, `message` and
`count` in modules that import `facelift.language` (or are part of it), and the words of German
Credit, so that what is told of it is in one language. The page has its own sentences, in the same
catalogue: those of its script go into `web/static/words/*.json`, too.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from facelift.datasets import german_credit_rules, load_german_credit
from facelift.language import LABEL
from facelift.terrain import Terrain

PACKAGE = Path(__file__).parent.parent / "src" / "facelift"
HERE = PACKAGE / "language"
Message = str | tuple[str, str]

_SPEAKS = re.compile(r"^ *from facelift\.language import", re.MULTILINE)
"""What a module imports that says sentences."""


SCRIPT = PACKAGE / "web" / "static"
_CALLS = re.compile(r'\b(?:say\("([^"]+)"|count\("([^"]+)", "([^"]+)")')
"""What a script says."""


def scripted() -> Iterator[Message]:
    """Every sentence of the page's scripts; those that count as a pair."""
    for path in sorted(SCRIPT.rglob("*.js")):
        for text, one, many in _CALLS.findall(path.read_text(encoding="utf-8")):
            yield text or (one, many)


def sentences() -> Iterator[Message]:
    """Every sentence that people read; those that count as a pair."""
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if not (path.is_relative_to(HERE) or _SPEAKS.search(text)):
            continue
        nodes = ast.walk(ast.parse(text))
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        for call in sorted(calls, key=lambda each: (each.lineno, each.col_offset)):
            yield from _message(call)


def _message(call: ast.Call) -> Iterator[Message]:
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    n = {"say": 1, "message": 1, "count": 2}.get(name, 0)
    texts = [each.value for each in call.args[:n] if isinstance(each, ast.Constant)]
    if n and len(texts) == n:
        yield texts[0] if n == 1 else (texts[0], texts[1])


def words() -> Iterator[Message]:
    """What German Credit calls its columns, levels and outcomes."""
    table = load_german_credit()
    for feature in german_credit_rules(Terrain.infer(table.data)).features:
        yield feature.label
        yield from filter(None, [feature.about])
        yield from (str(level) for level in feature.levels if isinstance(level, str))
        yield from (name for _, name in feature.named)
    yield from sorted(set(table.target))


OUTCOMES = ("declined", "approved", "Applicant", "Person", "Picture", "Row")
"""What the demos call what is decided, and whom it is about."""


def messages() -> list[Message]:
    """All sentences, each once."""
    found = [*sentences(), *scripted()]
    pairs = {each[0] for each in found if not isinstance(each, str)}
    return [each for each in dict.fromkeys(found) if each not in pairs]


def labels() -> list[Message]:
    """What columns, levels and outcomes are called, each once.

    They have a context, so that somebody's column "Share" is not told as a button is.
    """
    return list(dict.fromkeys([*words(), *OUTCOMES]))


class Sentences(Catalog):
    """A catalogue whose header has no date and no author: equal sentences give equal files."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        """Language, plural rule and encoding."""
        return [
            ("Language", str(self.locale_identifier)),
            ("Plural-Forms", self.plural_forms),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
        ]


def merged(path: Path) -> Catalog:
    """The catalogue of a .po file with exactly the messages there are now, in their order."""
    with path.open("rb") as file:
        old = read_po(file)
    fresh = Sentences(locale=path.parent.parent.name, header_comment="", fuzzy=False)
    for message, context in [(each, None) for each in messages()] + [
        (each, LABEL) for each in labels()
    ]:
        known = old.get(message if isinstance(message, str) else message[0], context)
        string = known.string if known and known.id == message else ""
        if path.parent.parent.name == "fr":
            forms = string if isinstance(string, tuple) else (string,)
            spaced = tuple(map(spaced_in_french, forms))
            string = spaced if isinstance(string, tuple) else spaced[0]
        fresh.add(message, string, context=context)
    return fresh


def spaced_in_french(text: str) -> str:
    """French parts its signs from words by spaces at which no line breaks.

    >>> spaced_in_french("Durée : « 6 » ; prêt ?")
    'Durée\\xa0: «\\xa06\\xa0»\\u202f; prêt\\u202f?'
    """
    text = re.sub(r" (?=[:»])|(?<=«) ", "\u00a0", text)
    return re.sub(r" (?=[;?!])", "\u202f", text)


def written_po(catalogue: Catalog) -> bytes:
    """A catalogue as a .po file."""
    file = BytesIO()
    write_po(file, catalogue, width=100)
    return file.getvalue()


def written_mo(catalogue: Catalog) -> bytes:
    """A catalogue as a .mo file."""
    file = BytesIO()
    write_mo(file, catalogue)
    return file.getvalue()


def written_words(catalogue: Catalog) -> str:
    """What the page's scripts say, as JSON: a translation, or the forms of one that counts."""
    known = {
        message: catalogue.get(message if isinstance(message, str) else message[0])
        for message in scripted()
    }
    said = {
        str(found.id if isinstance(found.id, str) else found.id[0]): found.string
        for found in known.values()
        if found and any(found.string)
    }
    return json.dumps(dict(sorted(said.items())), ensure_ascii=False, indent=0) + "\n"


def main() -> None:
    """Renew every catalogue."""
    for path in sorted(HERE.glob("catalogues/*/LC_MESSAGES/facelift.po")):
        catalogue = merged(path)
        path.write_bytes(written_po(catalogue))
        path.with_suffix(".mo").write_bytes(written_mo(catalogue))
        code = path.parent.parent.name
        (SCRIPT / "words" / f"{code}.json").write_text(written_words(catalogue), encoding="utf-8")
        missing = sum(not any(m.string) for m in catalogue if m.id)
        print(f"{code}: {len(catalogue)} messages, {missing} to translate")


if __name__ == "__main__":
    main()
