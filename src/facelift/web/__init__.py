"""The navigator: a local page on which people walk their ways. It draws; Python computes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from facelift.errors import InvalidInput
from facelift.explainer import FACElift
from facelift.walking.population import Population

if TYPE_CHECKING:
    from facelift.multiverse.multiverse import Multiverse
    from facelift.walking.guide import Guide
    from facelift.web.notebook import Navigator
    from facelift.web.server import Served

__all__ = ["explore", "widget"]


def explore(
    shown: Multiverse | FACElift,
    X: Any = None,
    *,
    target: Any = None,
    y: Any = None,
    person: str = "Row",
    title: str | None = None,
    facts: tuple[str, ...] = (),
    words: Mapping[str, str] | None = None,
    picture: tuple[int, int] | None = None,
    port: int = 0,
    browser: bool = True,
) -> Served:
    """Open a local page: the ways of one case to walk on, or everybody of a table to choose from.

    It is served on loopback only, from a thread of this program, until that ends.

    Parameters
    ----------
    shown
        What `explain` gave: its ways can be walked, step by step; those of a graph of one's own
        too, without limits to set. Or a fitted explainer, whose people (X) are shown.
    X
        With an explainer: a table of people, in any form that `explain` takes.
    target
        With an explainer: the outcome wanted; guessed by its name if None.
    y
        With an explainer: the outcomes of X, where they are known; other models are then fitted to
        them when somebody asks whether ways last.
    person
        With an explainer: what a row of X is called.
    title
        Who, or which table, it is about.
    facts
        Columns to show beside the title.
    words
        What outcomes are called, such as {"bad": "declined"}.
    picture
        Height and width, where the columns of the table are pixels.
    port
        Where to listen; 0 takes a free port.
    browser
        Whether to open a browser.

    Returns
    -------
    Served
        With the page's `url`; `wait()` blocks until it ends, `stop()` ends it.

    Examples
    --------
    >>> from facelift.toys import loan
    >>> page = explore(loan().multiverse(), browser=False)
    >>> page.url.startswith("http://127.0.0.1:")
    True
    >>> page.stop()

    Everybody of a table:

    >>> from facelift import FACElift, toys
    >>> line, model = toys.line()
    >>> page = explore(FACElift(model).fit(line), line, target=1, browser=False)
    >>> page.stop()
    """
    from facelift.web.server import serve
    from facelift.web.tables import Tables

    if isinstance(shown, FACElift):
        if X is None:
            raise InvalidInput("Give X, the table of people, beside the explainer.")
        people = Population.of(
            shown,
            X,
            target,
            title=title or "People",
            person=person,
            facts=facts,
            words=words or {},
            picture=picture,
            outcome=y,
        )
        return serve(Tables.of(people), port=port, browser=browser)
    guide = _guide(shown, title or "This case", facts, words, picture)
    return serve(guide, port=port, browser=browser)


def widget(
    multiverse: Multiverse,
    *,
    title: str = "This case",
    facts: tuple[str, ...] = (),
    words: Mapping[str, str] | None = None,
    picture: tuple[int, int] | None = None,
) -> Navigator:
    """The navigator in a notebook: the same page as a widget, answered by the notebook's kernel.

    Parameters
    ----------
    multiverse
        What `explain` gave. Ways of a graph of one's own can be walked too, without limits to set.
    title, facts, words, picture
        Who it is about and how one speaks of it, as for `explore`.

    Returns
    -------
    Navigator
        A widget (extra `notebook`); put it at the end of a cell.

    Examples
    --------
    >>> from facelift.toys import loan
    >>> widget(loan().multiverse(), title="The paper's loan").guide.title
    "The paper's loan"
    """
    from facelift.web.notebook import Navigator

    return Navigator(_guide(multiverse, title, facts, words, picture))


def _guide(
    multiverse: Multiverse,
    title: str,
    facts: tuple[str, ...],
    words: Mapping[str, str] | None,
    picture: tuple[int, int] | None,
) -> Guide:
    from facelift.walking.guide import Guide

    return Guide(multiverse, title=title, facts=facts, words=words or {}, picture=picture)
