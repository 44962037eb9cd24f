"""How tests ask a page."""

from __future__ import annotations

import http.client
import json
from urllib.parse import urlsplit

from facelift.web.server import Served


def asked(page: Served | str, path: str = "walk", **body) -> tuple[int, dict]:
    parts = urlsplit(page if isinstance(page, str) else page.url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=60)
    headers = {"Content-Type": "application/json"}
    connection.request("POST", f"{parts.path}api/{path}", json.dumps(body), headers)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, json.loads(content)
