"""How quickly the navigator answers, over HTTP, with the model's share; or in a browser.

    python -m tools.benchmarks.navigator [--people N] [--data german heloc adult] [--browser]

Walks with declined people: opens the page, takes steps, rules some out, changes limits, looks into
the empty state and exports; with as many people as are asked for, or more, until it has taken
`N_CLICKS` steps, ruled out as many and changed as many limits. Prints median and 95th percentile of
the wall time per kind of interaction, and of the CPU time, which other work on the machine disturbs
less. What the server does in the background when it starts is a row of its own.

With `--browser` it clicks in Chromium instead (as `apt-get install chromium` gives it, driven by
playwright), and times every click until its answer is painted. HELOC and Adult need FACELIFT_DATA.
"""

from __future__ import annotations

import argparse
import gc
import http.client
import json
import random
import time
from collections.abc import Iterator
from itertools import count
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pandas as pd

import facelift as fl
from facelift.models import small_classifier
from facelift.walking.guide import Guide
from facelift.web.server import serve
from tools.benchmarks import clicking
from tools.benchmarks.measuring import Measurement, Stopwatch, table

WARMING = "(in the background)"

N_CLICKS = 60
"""So many clicks of each kind that has a bar are measured at least."""

GOLDEN = (5**0.5 - 1) / 2
"""Multiples of it, without their whole parts, spread evenly, however many there are."""

BARS = {
    "take a step": (100.0, 500.0),
    "rule a step out": (200.0, 500.0),
    "change a limit": (200.0, 500.0),
}
"""Milliseconds of CPU that a click may take, at the median and at the 95th percentile."""


Taken = dict[str, list[tuple[float, float, float]]]
"""Wall, CPU and the model's seconds of everything that was done, by kind."""


def run(*, quick: bool = False) -> pd.DataFrame:
    """CPU time of clicks on German Credit and HELOC, and the model's share of all."""
    lines: list[Measurement] = []
    for data in ("german", "heloc"):
        taken = walked(data, n_people=1) if quick else walked(data, n_clicks=N_CLICKS)
        for kind, bars in BARS.items():
            for share, bar in zip((50, 95), bars, strict=True):
                number = 1e3 * float(np.percentile([cpu for _, cpu, _ in taken[kind]], share))
                line = Measurement(
                    f"{kind}, {share} %", data, number, "ms CPU", None if quick else bar
                )
                lines.append(line)
        whole, _, model = times_of(taken)
        spent = float(model.sum() / whole.sum())
        lines.append(Measurement("the model's share", data, spent, "", ratio=True))
    return table(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=12, help="how many people to walk with")
    parser.add_argument("--clicks", type=int, default=N_CLICKS, help="of each kind, at least")
    parser.add_argument("--data", nargs="+", choices=list(DATA), default=["german", "heloc"])
    parser.add_argument("--browser", action="store_true", help="click in Chromium")
    asked = parser.parse_args()
    for data in asked.data:
        print(data)
        how = {"n_people": asked.people, "n_clicks": asked.clicks}
        if asked.browser:
            clicking.report(clicked(data, **how), BARS)
        else:
            report(walked(data, **how))


def walked(data: str, *, n_people: int = 12, n_clicks: int = 0) -> Taken:
    """Everything that was done with some people, or more, until there are enough clicks."""
    taken: Taken = {}
    for i, guide, model in people(data):
        if i >= n_people and all(len(taken.get(kind, ())) >= n_clicks for kind in BARS):
            break
        model.seconds = 0.0
        start, start_cpu = time.perf_counter(), time.process_time()
        guide.warm()  # what the server does in the background while somebody reads the page
        spent = time.perf_counter() - start, time.process_time() - start_cpu, model.seconds
        taken.setdefault(WARMING, []).append(spent)
        gc.freeze()  # as the command does
        page = serve(guide, browser=False)
        walk_with(Client(page.url, model, taken), random.Random(i))  # noqa: S311  (no secret)
        page.stop()
    return taken


def clicked(data: str, *, n_people: int, n_clicks: int) -> clicking.Painted:
    """Seconds until what was clicked was answered and painted, in a browser."""
    painted: clicking.Painted = {}
    with clicking.browser() as browser:
        for i, guide, _ in people(data):
            if i >= n_people and all(len(painted.get(kind, ())) >= n_clicks for kind in BARS):
                break
            page = serve(guide, browser=False)
            tab = clicking.Tab(browser, page.url, painted)
            tab.walk(random.Random(i))  # noqa: S311  (no secret)
            tab.close()
            page.stop()
    return painted


def people(data: str) -> Iterator[tuple[int, Guide, Stopwatch]]:
    """One declined person of a table after the other, from everywhere in it."""
    explainer, model, rows, target = DATA[data]()
    for i in count():
        row = rows.iloc[[int(len(rows) * (i * GOLDEN % 1))]]
        yield i, Guide(explainer.explain(row, target), title=f"Person {i}"), model


def german() -> tuple[fl.FACElift, Stopwatch, Any, str]:
    table = fl.datasets.load_german_credit()
    terrain = fl.datasets.german_credit_rules(fl.Terrain.infer(table.data))
    return fitted(table.data, table.target, terrain, wanted="good")


def heloc() -> tuple[fl.FACElift, Stopwatch, Any, str]:
    table = fl.datasets.load_heloc(codes="dropped")
    terrain = fl.datasets.heloc_rules(fl.Terrain.infer(table.data))
    return fitted(table.data, table.target, terrain, wanted="Good")


def adult() -> tuple[fl.FACElift, Stopwatch, Any, str]:
    census = fl.datasets.load_adult()
    terrain = fl.datasets.adult_rules(fl.Terrain.infer(census.data))
    return fitted(census.data, census.target, terrain, wanted=">50K")


DATA = {"german": german, "heloc": heloc, "adult": adult}


def fitted(X: Any, y: Any, terrain: fl.Terrain, *, wanted: str) -> Any:
    network = small_classifier(X, y)
    model = Stopwatch(network)
    explainer = fl.FACElift(network, terrain, steps="actions", n_counterfactuals=7).fit(X)
    declined = X[network.predict(X).astype(str) != wanted]
    label = next(each for each in network.classes_.tolist() if str(each) == wanted)
    return explainer, model, declined, label


class Client:
    """A page without a browser: posts a walk, and notes how long the answer took."""

    def __init__(self, url: str, model: Stopwatch, taken: dict[str, Any]) -> None:
        self.parts, self.model, self.taken = urlsplit(url), model, taken
        self.connection = http.client.HTTPConnection(self.parts.netloc)

    def ask(self, kind: str, path: str, **body: Any) -> Any:
        self.model.seconds = 0.0
        start, start_cpu = time.perf_counter(), time.process_time()
        self.connection.request(
            "POST",
            f"{self.parts.path}api/{path}",
            json.dumps(body),
            {"Content-Type": "application/json"},
        )
        answer = self.connection.getresponse()
        content = answer.read()
        seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
        if answer.status != 200:
            raise SystemExit(f"{kind}: {answer.status} {content.decode()}")
        self.taken.setdefault(kind, []).append((seconds, cpu, self.model.seconds))
        return json.loads(content) if answer.headers["content-type"] == "application/json" else None

    def move(self, name: str, shown: Any, **move: Any) -> Any:
        return self.ask(name, "walk", walk=shown["walk"], move=move)


def walk_with(client: Client, rng: random.Random) -> None:
    """What somebody might do on the page."""
    start = shown = client.ask("open the page", "walk")
    first = None
    for _ in range(5):
        if shown["cards"]["cards"]:
            card = rng.choice(shown["cards"]["cards"])
            shown = client.move("take a step", shown, kind="take", vertex=card["vertex"])
            first = first or shown
    for shown in (start, first or start):
        for _ in range(3):
            if shown["cards"]["cards"]:
                card = rng.choice(shown["cards"]["cards"])
                vertex = card["vertex"]
                shown = client.move("rule a step out", shown, kind="rule out", vertex=vertex)
    names = [setting["name"] for setting in start["settings"]["settings"]]
    shown = start
    for name in rng.sample(names, 4):
        limits = shown["walk"]["limits"]
        ease = {**limits["ease"], name: rng.choice(["easy", "hard", "never"])}
        shown = client.move("change a limit", shown, kind="limits", limits={**limits, "ease": ease})
    if first is not None:
        limits = {**first["walk"]["limits"], "chance": 0.6}
        client.move("change a limit", first, kind="limits", limits=limits)
    ease = dict.fromkeys(names[:-1], "never")
    limits = {**start["walk"]["limits"], "ease": ease}
    none = client.move("change a limit", start, kind="limits", limits=limits)
    for loosen in (none["nothing"] or {"loosen": []})["loosen"][:5]:
        client.ask("try to loosen", "opened", walk=none["walk"], limits=loosen["limits"])
    client.move("look for more ways", start, kind="again", n_ways=20)
    client.ask("export the picture", "export", walk=start["walk"], format="svg")


def times_of(taken: Taken) -> Any:
    """Milliseconds of every interaction: wall, CPU and the model's."""
    return (
        np.array([each for kind, times in taken.items() if kind != WARMING for each in times]).T
        * 1e3
    )


def report(taken: Taken) -> None:
    print(
        f"{'milliseconds':22} {'number':>6} {'median':>7} {'95 %':>7}   CPU: median, 95 %, model's"
    )
    rows = {kind: np.array(times).T * 1e3 for kind, times in taken.items()}
    for kind, (whole, cpu, model) in {**rows, "any interaction": times_of(taken)}.items():
        figures = [*np.percentile(whole, [50, 95]), *np.percentile(cpu, [50, 95]), np.median(model)]
        middle, high, *own = (f"{figure:7.0f}" for figure in figures)
        print(f"{kind:22} {len(whole):6} {middle} {high}       {' '.join(own)}")


if __name__ == "__main__":
    main()
