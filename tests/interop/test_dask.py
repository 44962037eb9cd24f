"""Two workers in two processes give what one machine gives, even if one of them dies."""

import operator
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from tests.cli.calling import run

import facelift as fl
from facelift.errors import InvalidInput, MissingExtra
from facelift.graph.nearest import plain_nearest, shares, tiles
from facelift.interop import dask as cluster
from facelift.models import small_classifier


def model(rows):
    """A straight border."""
    good = 1 / (1 + np.exp(-8 * (rows[:, 0] + rows[:, 1] - 1.2)))
    return np.column_stack([1 - good, good])


@pytest.fixture(scope="module")
def world():
    rng = np.random.default_rng(0)
    return rng.random((400, 3))


@pytest.fixture(scope="module")
def cases():
    rng = np.random.default_rng(1)
    return rng.random((60, 3)) * 0.5


def slow_model(folder, rows):
    """The model, so slow that there is time to kill a worker."""
    begin(folder)
    time.sleep(0.3)
    return model(rows)


@contextmanager
def two_workers(**options):
    distributed = pytest.importorskip("distributed", reason="needs the extra dask")
    options |= {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(**options) as local, distributed.Client(local) as client:
        yield client


@pytest.fixture(scope="module")
def client():
    with two_workers() as client:
        yield client


@pytest.fixture
def mortal():
    """A cluster of its own for those who kill workers: dead ones may come back late or never."""
    with two_workers() as client:
        yield client


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(cluster, "ROWS_TO_FIT", 50)
    monkeypatch.setattr(cluster, "ROWS_TO_EXPLAIN", 4)


def explainer():
    terrain = fl.Terrain.infer(np.array([[0.0] * 3, [1.0] * 3])).increase_only("x2")
    return fl.FACElift(model, terrain, n_neighbors=6, n_counterfactuals=3)


def kill_workers(client, folder, *, n_workers=1):
    """End some of the workers without warning once any has begun, and let others come."""
    pids = list(client.run(os.getpid).values())[:n_workers]

    def kill():
        while not list(folder.glob("begun-*")):
            time.sleep(0.01)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        client.cluster.scale(2 + n_workers)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    return killer


def begin(folder):
    """Note that this process has begun to work."""
    (folder / f"begun-{os.getpid()}").touch()


def same_graph(one, other):
    a, b = one.graph_.costs, other.graph_.costs
    return all(np.array_equal(getattr(a, k), getattr(b, k)) for k in ("data", "indices", "indptr"))


@pytest.mark.harness
def test_fitting_on_a_cluster_gives_the_same_graph(client, world):
    assert same_graph(cluster.fit(explainer(), world, client), explainer().fit(world))


@pytest.mark.harness
def test_explaining_on_a_cluster_gives_the_same_multiverses(client, world, cases, tmp_path):
    fitted = explainer().fit(world)
    fitted.save(tmp_path / "saved")
    everyone = np.vstack([cases, world[model(world)[:, 1] < 0.5][:5]])
    expected = fitted.explain_many(everyone, 1)
    found = cluster.explain_many(tmp_path / "saved", everyone, client, model=model, target=1)
    assert [m.to_json() for m in found] == [m.to_json() for m in expected]
    for one, other in zip(found, expected, strict=True):
        ours, theirs = fl.Position.start(one).options(), fl.Position.start(other).options()
        assert [(o.end, o.cost, o.effects) for o in ours] == [
            (o.end, o.cost, o.effects) for o in theirs
        ]


@pytest.mark.harness
def test_a_worker_that_dies_costs_only_its_block(mortal, world, cases, tmp_path):
    fitted = explainer().fit(world)
    fitted.save(tmp_path / "saved")
    expected = [m.to_json() for m in fitted.explain_many(cases, 1)]
    before = set(mortal.run(os.getpid).values())
    killer = kill_workers(mortal, tmp_path)
    slow = partial(slow_model, tmp_path)
    found = cluster.explain_many(tmp_path / "saved", cases, mortal, model=slow, target=1)
    assert not killer.is_alive(), "they were to die before the end"
    assert [m.to_json() for m in found] == expected
    assert not before <= set(mortal.run(os.getpid).values())


def slow_search(folder, *arguments):
    begin(folder)
    time.sleep(0.3)
    return REAL_SEARCH(*arguments)


REAL_SEARCH = cluster._block_nearest


REAL = {name: getattr(cluster, name) for name in ("_block_nearest", "_searched", "_explained")}


def deadly(name, folder, *arguments):
    """Work of which the first block takes until the worker that has done four others is dead.

    It dies when it has done all but handing over what it found for its fifth.
    """
    (folder / f"{time.time_ns()}-{os.getpid()}").touch()
    dead = folder / "dead"
    found = REAL[name](*arguments)
    try:
        (folder / "slow").mkdir()
        until = time.monotonic() + 60
        while not dead.exists() and time.monotonic() < until:
            time.sleep(0.01)
    except FileExistsError:
        if len(list(folder.glob(f"*-{os.getpid()}"))) == 5 and not dead.exists():
            time.sleep(3)  # what it has done is fetched by then
            dead.mkdir()
            os.kill(os.getpid(), signal.SIGKILL)
    return found


def made_deadly(monkeypatch, name, folder):
    monkeypatch.setattr(cluster, name, partial(deadly, name, folder))


@pytest.mark.harness
@pytest.mark.parametrize(("name", "n_blocks"), [("_block_nearest", 8), ("_searched", 8 + 8)])
def test_what_a_worker_lost_in_fit_had_done_is_not_done_again(
    mortal, world, tmp_path, monkeypatch, name, n_blocks
):
    if name == "_searched":
        monkeypatch.setattr(cluster, "is_large", lambda *_: True)
    made_deadly(monkeypatch, name, tmp_path)
    fitted = cluster.fit(explainer(), world, mortal)
    assert (tmp_path / "dead").exists()
    assert len(list(tmp_path.glob("*-*"))) == n_blocks + 1
    assert same_graph(fitted, explainer().fit(world))


@pytest.mark.harness
def test_what_a_worker_lost_in_explaining_had_done_is_not_done_again(
    mortal, world, cases, tmp_path, monkeypatch
):
    fitted = explainer().fit(world)
    fitted.save(tmp_path / "saved")
    expected = [m.to_json() for m in fitted.explain_many(cases, 1)]
    marks = tmp_path / "marks"
    marks.mkdir()
    made_deadly(monkeypatch, "_explained", marks)
    found = cluster.explain_many(tmp_path / "saved", cases, mortal, model=model, target=1)
    assert (marks / "dead").exists()
    assert len(list(marks.glob("*-*"))) == 60 / 4 + 1
    assert [m.to_json() for m in found] == expected


@pytest.mark.harness
@pytest.mark.parametrize("n_workers", [1, 2])
def test_fitting_goes_on_when_workers_die(mortal, world, n_workers, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "_block_nearest", partial(slow_search, tmp_path))
    killer = kill_workers(mortal, tmp_path, n_workers=n_workers)
    fitted = cluster.fit(explainer(), world, mortal)
    assert not killer.is_alive(), "they were to die before the end"
    assert same_graph(fitted, explainer().fit(world))


def people(n: int = 900) -> pd.DataFrame:
    """People in all kinds of columns, many levels and gaps among them."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "debt": rng.normal(size=n).round(2) + 1e-9 * rng.random(n),
            "bank": [f"bank {i}" for i in rng.integers(0, 280, n)],
            "since": pd.Timestamp("2001-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
            "paid": [f"${value:,.2f} " for value in rng.integers(0, 9000, n)],
        }
    )
    table.loc[rng.random(n) < 0.05, "debt"] = np.nan
    table.loc[rng.random(n) < 0.05, "bank"] = None
    return table


def by_age(rows: pd.DataFrame) -> np.ndarray:
    good = 1 / (1 + np.exp((45 - rows["age"].to_numpy(dtype=float)) / 9))
    return np.column_stack([1 - good, good])


def same_explainers(one: fl.FACElift, other: fl.FACElift) -> None:
    assert one.terrain_ == other.terrain_
    assert one.graph_.points.tobytes() == other.graph_.points.tobytes()
    assert np.array_equal(one.probabilities_, other.probabilities_)
    assert np.array_equal(one.vertices_, other.vertices_)
    assert same_graph(one, other)
    for ours, theirs in zip(one.terrain_.features, other.terrain_.features, strict=True):
        assert (ours.seen is None) == (theirs.seen is None)
        assert ours.seen is None or np.array_equal(ours.seen, theirs.seen)


@pytest.mark.harness
@pytest.mark.parametrize("given", [False, True])
def test_tables_in_parts_give_the_explainer_of_the_whole(client, tmp_path, given):
    frames = pytest.importorskip("dask.dataframe")
    table = people()
    terrain = fl.Terrain.infer(table[:700]).increase_only("age") if given else None
    table = table[table["bank"].isna() | table["bank"].isin(table["bank"][:700])]
    files = [tmp_path / f"{i}.parquet" for i in range(3)]
    for file, some in zip(files, np.array_split(np.arange(len(table)), 3), strict=True):
        table.iloc[some].to_parquet(file, row_group_size=70)
    there = frames.from_pandas(table.reset_index(drop=True), npartitions=4)
    for parts, same in ((files, table), (there, there.compute())):  # Dask has texts of its own
        whole = fl.FACElift(by_age, terrain, n_neighbors=5).fit(same)
        explainer = fl.FACElift(by_age, terrain, n_neighbors=5)
        same_explainers(cluster.fit(explainer, parts, client), whole)
    (row,) = [table.iloc[i] for i in np.flatnonzero(by_age(table)[:, 1] < 0.4)[:1]]
    assert explainer.explain(row).to_json() == whole.explain(row).to_json()


@pytest.mark.harness
def test_large_searches_are_the_same_on_workers(client, monkeypatch):
    table = people()
    monkeypatch.setattr(cluster, "is_large", lambda *_: True)
    found = cluster.fit(fl.FACElift(by_age, n_neighbors=5), table, client)
    assert same_graph(found, fl.FACElift(by_age, n_neighbors=5).fit(table))


@pytest.mark.harness
def test_workers_receive_the_points_laid_out(monkeypatch):
    points = np.random.default_rng(0).random((300, 3))
    prices = fl.Terrain.infer(points).increase_only("x2").prices
    monkeypatch.setattr(cluster, "is_large", lambda *_: True)
    sent = pickle.dumps(cluster.Ends.of(points, points, prices))
    made, half = [], tiles._half
    monkeypatch.setattr(tiles, "_half", lambda *given: made.append(len(given[1])) or half(*given))
    there, rows = pickle.loads(sent), np.arange(100)  # noqa: S301
    found = cluster._block_nearest(5, there, (rows, rows))
    expected = plain_nearest(points[rows], points, prices, 5, itself=rows)
    assert [each.tolist() for each in found] == [each.tolist() for each in expected]
    assert made == [100]  # the starts of the block, and nothing else
    share = shares.within(2, np.full(300, np.inf, dtype=np.float32), 5)[0]
    assert len(cluster._searched((), there, share).rows)
    assert made == [100]


@pytest.mark.harness
@pytest.mark.parametrize("own_model", [False, True])
def test_the_command_fits_parquet_on_a_cluster(client, tmp_path, own_model):
    table = people(1600)
    table["outcome"] = np.where(table["age"] + 8 * table["debt"].fillna(0) > 45, "good", "bad")
    for i in range(2):
        table.iloc[800 * i : 800 * (i + 1)].to_parquet(tmp_path / f"{i}.parquet")
    rules = tmp_path / "rules.toml"
    rules.write_text('since.leave_out = true\n[age]\nchange = "increase"\n')
    asked = ["fit", *sorted(tmp_path.glob("?.parquet")), "--rules", rules]
    asked += ["--target-column", "outcome"]
    if own_model:
        data = fl.prepare(table.drop(columns="outcome"), rules)[["age", "debt", "paid"]]
        joblib.dump(small_classifier(data, table["outcome"]), tmp_path / "own.joblib")
        asked += ["--model", tmp_path / "own.joblib", "--trust-pickle"]
    there = ["--save", tmp_path / "there", "--cluster", client.scheduler.address]
    for more in (["--save", tmp_path / "here", "--save-model", tmp_path / "m.joblib"], there):
        result = run(*asked, *more)
        assert result.exit_code == 0, result.output
    model = joblib.load(tmp_path / ("own.joblib" if own_model else "m.joblib"))
    here, there = (fl.FACElift.load(tmp_path / name, model=model) for name in ("here", "there"))
    same_explainers(there, here)


@pytest.mark.harness
def test_a_table_larger_than_the_memory_of_a_worker_is_fitted(tmp_path):
    limit, n_files, n, n_texts, long = 1200 * 2**20, 40, 100, 20, 17_000
    assert n_files * n * n_texts * long > limit
    rng = np.random.default_rng(4)
    first = []
    for i in range(n_files):
        table = pd.DataFrame({"age": rng.integers(18, 80, n), "debt": rng.random(n).round(3)})
        for j in range(n_texts):
            table[f"text {j}"] = rng.choice([letter * long for letter in "abc"], n)
        table.to_parquet(tmp_path / f"{i:02}.parquet")
        first = [*first, table][:4]
    some = pd.concat(first, ignore_index=True)
    joblib.dump(small_classifier(some, some["age"] > 45), tmp_path / "m.joblib")
    with two_workers(memory_limit=limit) as client:
        workers = set(client.run(os.getpid).values())
        asked = ["fit", *sorted(tmp_path.glob("??.parquet")), "--save", tmp_path / "saved"]
        asked += ["--model", tmp_path / "m.joblib", "--trust-pickle"]
        result = run(*asked, "--cluster", client.scheduler.address)
        assert result.exit_code == 0, result.output
        assert set(client.run(os.getpid).values()) == workers, "none was killed for its memory"
    fitted = fl.FACElift.load(tmp_path / "saved", model=joblib.load(tmp_path / "m.joblib"))
    assert len(fitted.vertices_) == n_files * n
    assert fitted.explain(some.iloc[0]).factual is not None


@dataclass(frozen=True)
class Future:
    """Work that was handed out."""

    key: str


FIRST, SECOND = Future("first"), Future("second")


class Cluster:
    """Workers that finish the first of two blocks, and then are as they are said to be.

    Of each look at them: the status of every worker, and which of them has the second block.
    """

    def __init__(self, *looks):
        self.looks = list(looks)

    def processing(self):
        return {str(holder): ("second",) for holder in [self.looks[0][1]] if holder is not None}

    def scheduler_info(self, n_workers):
        assert n_workers == -1  # all of them
        statuses, _ = self.looks.pop(0)
        return {"workers": {str(i): {"status": each} for i, each in enumerate(statuses)}}

    def as_completed(self, futures, with_results, timeout):
        assert with_results
        assert timeout == cluster.STALLED
        if FIRST in futures:
            yield FIRST, 1
        if self.looks:
            raise TimeoutError
        yield SECOND, 2


@pytest.mark.parametrize(
    "look",
    [
        (["paused", "paused"], 0),
        (["paused", "running"], 0),  # it waits for the one that pauses
        (["running"], None),  # lost on the way
        ([], None),
    ],
)
def test_blocks_that_no_worker_works_on_are_one_clear_error(look):
    client = Cluster(look, look, (["running"], 0))
    with pytest.raises(InvalidInput, match="No worker of the cluster works"):
        list(cluster._completed(client, client.as_completed, [FIRST, SECOND]))


@pytest.mark.parametrize(
    "looks",
    [
        [(["paused", "running"], 1)] * 3,
        [(["paused"], 0), (["running"], 0), (["paused"], 0)],
        [([], None), (["running"], 0), ([], None)],  # being started anew
    ],
)
def test_workers_that_go_on_are_waited_for(looks):
    client = Cluster(*looks)
    found = cluster._completed(client, client.as_completed, [FIRST, SECOND])
    assert list(found) == [(FIRST, 1), (SECOND, 2)]


class Sleepy:
    """A cluster that does nothing for the first time that it is given some work."""

    def __init__(self):
        self.given = 0

    def scatter(self, shared, **_):
        self.given += 1
        return shared

    def submit(self, work, shared, block, **_):
        return Work(lambda: work(shared, block))


@dataclass(eq=False)
class Work:
    """What was submitted, done when it is asked for."""

    do: Callable[[], Any]

    def release(self):
        pass


@pytest.mark.parametrize("times", [1, cluster.RETRIES])
def test_blocks_that_nobody_works_on_are_sent_again(monkeypatch, times):
    pytest.importorskip("distributed", reason="needs the extra dask")
    client = Sleepy()

    def completed(client, _, futures):
        if client.given <= times:
            raise cluster.Stalled("nobody works")
        yield from ((future, future.do()) for future in list(futures))

    monkeypatch.setattr(cluster, "_completed", completed)
    assert list(cluster._results(client, operator.add, 1, [10, 20])) == [11, 21]
    assert client.given == times + 1


def test_a_cluster_that_never_works_is_given_up(monkeypatch):
    pytest.importorskip("distributed", reason="needs the extra dask")

    def completed(*_):
        raise cluster.Stalled("nobody works")

    monkeypatch.setattr(cluster, "_completed", completed)
    with pytest.raises(InvalidInput, match="nobody works"):
        list(cluster._results(Sleepy(), operator.add, 1, [10, 20]))


def test_no_scheduler_is_one_clear_error(monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    with (
        pytest.raises(InvalidInput, match=r"no Dask scheduler at 'tcp://127\.0\.0\.1:9'"),
        cluster.connected("tcp://127.0.0.1:9"),
    ):
        pass


def test_without_dask_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with (
        pytest.raises(MissingExtra, match=r'pip install "facelift-multiverse\[dask\]"'),
        cluster.connected("tcp://127.0.0.1:9"),
    ):
        pass
