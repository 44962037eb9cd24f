"""HTTP requests: to other addresses, from other pages, with other bodies."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from facelift import FACElift
from facelift.walking.guide import Guide
from facelift.web.messages import MOST_BYTES
from facelift.web.server import application

from .frames import ROW, model, people
from .table import Answer, BadInput

HOST, TOKEN = "127.0.0.1:8765", "the-token"


@cache
def client() -> TestClient:
    explainer = FACElift(model, steps="actions", n_counterfactuals=3).fit(people())
    guide = Guide(explainer.explain(ROW, 1))
    return TestClient(application(guide, TOKEN, frozenset({HOST})), base_url=f"http://{HOST}")


def request(
    name: str,
    status: int,
    words: str,
    path: str = "api/walk",
    body: Any = None,
    method: str = "POST",
    token: str = TOKEN,
    **headers: str,
) -> BadInput:
    content = body if isinstance(body, bytes) else json.dumps(body or {}).encode()
    headers = {"Content-Type": "application/json"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }

    def give(_home: Path) -> Answer:
        prefix = f"/{token}/" if token else "/"
        told = client().request(method, prefix + path, content=content, headers=headers)
        try:
            error = told.json()
        except ValueError:
            return Answer(told.status_code, told.text, "no JSON")
        extra = "" if list(error) == ["error"] else "more than an error"
        return Answer(told.status_code, error.get("error", ""), extra)

    return BadInput(f"request: {name}", give, status, words)


def move(name: str, words: str, **move: Any) -> BadInput:
    return request(name, 422, words, body={"move": move})


def limits(name: str, words: str, **limits: Any) -> BadInput:
    return move(name, words, kind="limits", limits=limits)


def walk(name: str, words: str, **walk: Any) -> BadInput:
    return request(name, 422, words, body={"walk": walk})


CASES = [
    request("another host", 400, "its own address only", Host="evil.example"),
    request("no port", 400, "its own address only", Host="127.0.0.1"),
    request("no token", 404, "no such page", path="", token="", method="GET"),
    request("another token", 403, "not complete", token="wrong"),  # noqa: S106
    request("another token in time", 403, "not complete", token="the-tokem"),  # noqa: S106
    request("another page", 403, "Only the page itself", Origin="http://evil.example"),
    request("a page of no origin", 403, "Only the page itself", Origin="null"),
    request("a form", 415, "JSON", Content_Type="application/x-www-form-urlencoded"),
    request("plain text", 415, "JSON", Content_Type="text/plain"),
    request("too much", 413, "too large", body=b" " * (MOST_BYTES + 1)),
    request("another method", 405, "no other method", method="PUT"),
    request("reading where one writes", 405, "no other method", method="GET"),
    request("a file above", 403, "not complete", path="../server.py", method="GET"),
    request("a file above in disguise", 404, "no such page", "%2e%2e/server.py", method="GET"),
    request("a file of the server", 404, "no such page", "/etc/passwd", method="GET"),
    request("no such request", 405, "no other method", path="api/run"),
    request("nothing", 422, "no JSON", body=b""),
    request("half a body", 422, "no JSON", body=b'{"walk": '),
    request("no text", 422, "no JSON", body=b"\xff\xfe"),
    request("NaN", 422, "no JSON", body=b'{"walk": {"n_ways": NaN}}'),
    request("very deep", 422, "no JSON", body=b"[" * 100_000),
    request("half a character", 422, "no JSON", body=b'{"walk": {"unfolded": "\\ud800"}}'),
    request("a list", 422, "not understood", body=b"[]"),
    move("an unknown move", "kind", kind="fly"),
    move("a move of no kind", "kind", vertex=1),
    move("a step that is not offered", "none of those offered", kind="take", vertex=10**6),
    move("a step of text", "vertex", kind="take", vertex="home"),
    move("a huge step", "none of those offered", kind="take", vertex=10**30),
    move("no ways", "n_ways", kind="again", n_ways=0),
    move("too many ways", "n_ways", kind="again", n_ways=10**6),
    move("other values of no column", "'wings'", kind="other", values={"wings": 2}),
    move("other values of no level", "'Chur'", kind="other", values={"town": "Chur"}),
    move("text for a number", "income", kind="other", values={"income": "much"}),
    limits("an unknown ease", "ease", ease={"income": "trivial"}),
    limits("ease of no column", "'wings'", ease={"wings": "easy"}),
    limits("bounds upside down", "lower one first", bounds={"income": [9, 1]}),
    request(
        "infinite bounds",
        422,
        "finite",
        body=b'{"move": {"kind": "limits", "limits": {"bounds": {"income": [0, 1e999]}}}}',
    ),
    limits("bounds of levels", "numeric columns", bounds={"town": [0, 1]}),
    limits("a chance above one", "between 0 and 1", chance=2),
    limits("too many steps", "max_steps", max_steps=1000),
    limits(
        "a change of no column",
        "'wings'",
        ruled_out=[{"feature": "wings", "start": 1, "end": 2}],
    ),
    walk("a past too long", "at most", walked=[0] * 5000),
    walk("vertices that are not there", "9999", walked=[9999]),
    walk("a row too short", "3 values", origin=[1]),
    walk("a row of lists", "origin", origin=[[1], 2, 3]),
    walk("a letter twice", "letter", names=[{"letter": "A", "key": k} for k in "ab"]),
    walk("a colour beyond", "Colours", names=[{"letter": "A", "key": "a", "colour": 99}]),
    request("an unknown format", 422, "format", "api/export", {"walk": {}, "format": "exe"}),
    request("no walk to export", 422, "walk", "api/export", {"format": "svg"}),
    request("no limits to try", 422, "limits", "api/opened", {"walk": {}}),
]
