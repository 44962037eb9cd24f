"""Small pieces of static HTML: tables that read well in a notebook, with no script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

STYLE = (
    "<style>.facelift{border-collapse:collapse;font-size:90%}"
    ".facelift th,.facelift td{padding:.2em .7em;text-align:left;border-bottom:1px solid #8884}"
    ".facelift caption{text-align:left;font-weight:600;padding:.3em 0}</style>"
)


def html_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, caption: str = ""
) -> str:
    """A styled table; every cell is escaped.

    >>> "&lt;100" in html_table(["savings"], [["<100"]])
    True
    """
    head = "".join(f"<th scope='col'>{escape(column)}</th>" for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return (
        f"{STYLE}<table class='facelift'>{title}"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


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
