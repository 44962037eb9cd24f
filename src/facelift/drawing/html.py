"""Small pieces of static HTML: tables and cards that read well in a notebook, with no script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

STYLE = (
    "<style>.facelift{border-collapse:collapse;font-size:90%}"
    ".facelift th,.facelift td{padding:.2em .7em;text-align:left!important;"
    "border-bottom:1px solid #8884}"
    ".facelift caption{text-align:left;font-weight:600;padding:.3em 0}"
    ".facelift-card{background:#fff;color:#14171c;border:1px solid #d8dee6;border-radius:8px;"
    "padding:.3em 1em;overflow-x:auto;font-family:system-ui,'DejaVu Sans',sans-serif}"
    ".facelift-card .facelift{color:#14171c;margin:.5em 0}.facelift-card .quiet{color:#4f5763}"
    ".facelift-card .quiet{font-size:85%;white-space:pre-wrap}"
    ".facelift-card svg{max-width:100%;height:auto;display:block}"
    ".facelift-card summary{cursor:pointer;padding:.25em 0;font-size:95%}"
    ".facelift-card .facelift tr{background:none!important}</style>"
)


class Html(str):
    """Text that is HTML already: it is put into a table as it is."""


def html_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, caption: str = ""
) -> str:
    """A styled table; every cell is escaped.

    >>> "&lt;100" in html_table(["savings"], [["<100"]])
    True
    """
    return STYLE + bare_table(columns, rows, caption=caption)


def bare_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, caption: str = ""
) -> Html:
    """The table without its style; all that is not `Html` is escaped.

    >>> bare_table(["a"], [["<"], [Html("<br>")]]).partition("<tbody>")[2]
    '<tr><td>&lt;</td></tr><tr><td><br></td></tr></tbody></table>'
    """
    head = "".join(f"<th scope='col'>{html(column)}</th>" for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{html(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    title = f"<caption>{html(caption)}</caption>" if caption else ""
    return Html(
        f"<table class='facelift'>{title}"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def html(content: object) -> Html:
    """Content as HTML: escaped, unless it is HTML already.

    >>> html("a < b"), html(Html("<br>"))
    ('a &lt; b', '<br>')
    """
    return content if isinstance(content, Html) else Html(escape(str(content)))


def element(tag: str, *content: object, **attributes: str) -> Html:
    """An element with its attributes and content, all escaped.

    >>> element("p", "a < b", title='"c"')
    '<p title="&quot;c&quot;">a &lt; b</p>'
    """
    named = {name.rstrip("_"): value for name, value in attributes.items()}  # class_ is class
    looks = "".join(f' {name}="{escape(value)}"' for name, value in named.items())
    return Html(f"<{tag}{looks}>{''.join(map(html, content))}</{tag}>")


def card(*content: object) -> Html:
    """A card on paper of its own, so that its colours are right in dark notebooks too."""
    return Html(f"{STYLE}<div class='facelift-card'>{''.join(map(html, content))}</div>")


def text_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The same table in plain text, columns padded to their widest cell.

    >>> print(text_table(["column", "kind"], [["age", "numeric"]]))
    column  kind
    age     numeric
    """
    lines = [[str(cell) for cell in row] for row in [columns, *rows]]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    padded = (
        "  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)) for line in lines
    )
    return "\n".join(line.rstrip() for line in padded)
