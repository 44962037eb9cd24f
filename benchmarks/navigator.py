"""How quickly the navigator answers, over HTTP, with the model's share.

    python -m benchmarks.navigator [--people N] [--data german|adult]

Walks with declined people: opens the page, takes steps, rules some out, changes limits, looks into
the empty state and exports. Prints median and 95th percentile of the wall time per kind of
interaction, and of the CPU time, which other work on the machine disturbs less. What the server
does in the background when it starts is a row of its own. Adult needs FACELIFT_DATA.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pandas as pd

import facelift as fl
from benchmarks.actions import Stopwatch
from facelift.guide import Guide
from facelift.models import small_classifier
from facelift.web.server import serve

WARMING = "(in the background)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=12, help="how many people to walk with")
    parser.add_argument("--data", choices=["german", "adult"], default="german")
    asked = parser.parse_args()
    explainer, model, rows, target = german() if asked.data == "german" else adult()
    every = max(1, len(rows) // asked.people)
    taken: dict[str, list[tuple[float, float, float]]] = {}
    for i in range(0, len(rows), every)[: asked.people]:
        guide = Guide(explainer.explain(rows.iloc[[i]], target), title=f"Person {i}")
        start, start_cpu = time.perf_counter(), time.process_time()
        guide.warm()  # what the server does in the background while somebody reads the page
        spent = time.perf_counter() - start, time.process_time() - start_cpu, model.seconds
        taken.setdefault(WARMING, []).append(spent)
        page = serve(guide, browser=False)
        walk_with(Client(page.url, model, taken), random.Random(i))  # noqa: S311  (no secret)
        page.stop()
    report(taken)


def german() -> tuple[fl.FACElift, Stopwatch, Any, str]:
    table = fl.datasets.load_german_credit()
    terrain = fl.datasets.german_credit_rules(fl.Terrain.infer(table.data))
    return fitted(table.data, table.target, terrain, wanted="good")


def adult() -> tuple[fl.FACElift, Stopwatch, Any, str]:
    load = getattr(fl.datasets, "load_adult", None)
    X, y = (load().data, load().target) if load is not None else adult_files()
    never = ("sex", "race", "native_country", "relationship", "marital_status", "fnlwgt")
    terrain = fl.Terrain.infer(X).freeze(*(name for name in never if name in X.columns))
    wanted = next(str(label) for label in sorted(set(y)) if ">" in str(label))
    return fitted(X, y, terrain.increase_only("age"), wanted=wanted)


def adult_files() -> tuple[Any, Any]:
    """The complete rows of adult.data, for as long as there is no loader."""
    home = os.environ.get("FACELIFT_DATA")
    if home is None:
        raise SystemExit("Say in FACELIFT_DATA where the data files are.")
    facts = "age workclass fnlwgt education education_num marital_status occupation relationship"
    more = "race sex capital_gain capital_loss hours_per_week native_country income"
    names = [*facts.split(), *more.split()]
    file = Path(home) / "adult" / "adult.data"
    table = pd.read_csv(file, names=names, skipinitialspace=True, na_values="?").dropna()
    return table.drop(columns=["income", "education"]).reset_index(drop=True), table["income"]


def fitted(X: Any, y: Any, terrain: fl.Terrain, *, wanted: str) -> Any:
    network = small_classifier(X, y)
    model = Stopwatch(network)
    explainer = fl.FACElift(model, terrain, steps="actions", n_counterfactuals=7).fit(X)
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
    for _ in range(3):
        if shown["cards"]["cards"]:
            card = rng.choice(shown["cards"]["cards"])
            shown = client.move("take a step", shown, kind="take", vertex=card["vertex"])
    if start["cards"]["cards"]:
        card = rng.choice(start["cards"]["cards"])
        shown = client.move("rule a step out", start, kind="rule out", vertex=card["vertex"])
    names = [setting["name"] for setting in start["settings"]["settings"]]
    shown = start
    for name in rng.sample(names, 4):
        limits = shown["walk"]["limits"]
        ease = {**limits["ease"], name: rng.choice(["easy", "hard", "never"])}
        shown = client.move("change a limit", shown, kind="limits", limits={**limits, "ease": ease})
    ease = dict.fromkeys(names[:-1], "never")
    limits = {**start["walk"]["limits"], "ease": ease}
    none = client.move("change a limit", start, kind="limits", limits=limits)
    for loosen in (none["nothing"] or {"loosen": []})["loosen"][:5]:
        client.ask("try to loosen", "opened", walk=none["walk"], limits=loosen["limits"])
    client.move("look for more ways", start, kind="again", n_ways=20)
    client.ask("export the picture", "export", walk=start["walk"], format="svg")


def report(taken: dict[str, list[tuple[float, float, float]]]) -> None:
    print(
        f"{'milliseconds':22} {'number':>6} {'median':>7} {'95 %':>7}   CPU: median, 95 %, model's"
    )
    everything = [each for kind, times in taken.items() if kind != WARMING for each in times]
    for kind, times in [*taken.items(), ("any interaction", everything)]:
        whole, cpu, model = np.array(times).T * 1e3
        figures = [*np.percentile(whole, [50, 95]), *np.percentile(cpu, [50, 95]), np.median(model)]
        middle, high, *own = (f"{figure:7.0f}" for figure in figures)
        print(f"{kind:22} {len(whole):6} {middle} {high}       {' '.join(own)}")


if __name__ == "__main__":
    main()
