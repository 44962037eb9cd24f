"""Break promises on purpose, one after the other, and name the test that notices.

    python -m tools.sabotage [NUMBER ...]

Each sabotage replaces one piece of text in a copy of the tree; the working tree is never touched.
The tests that should notice run there until the first fails, and that test must pass again where
nothing was changed. Prints which test caught what; ends with 1 if something was not caught.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parents[1]
COPIED = ("src", "tests", "tools", "conftest.py", "pyproject.toml")
MOST_SECONDS = 300.0


@dataclass(frozen=True)
class Sabotage:
    """One change that breaks a promise, and the tests that should notice."""

    what: str
    promise: str
    file: str
    old: str
    new: str
    tests: str

    def done_in(self, tree: Path) -> None:
        """Change the text, which must be there exactly once."""
        path = tree / self.file
        text = path.read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise SystemExit(
                f"{self.file} holds {text.count(self.old)} times what {self.what!r} changes; "
                "find the line that keeps this promise now, and name it here."
            )
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")


SABOTAGES = (
    Sabotage(
        "the model is not asked again",
        "every counterfactual is verified by the model when it is explained",
        "src/facelift/models/oracle.py",
        "check_same(self.ask(distinct), before[first], self._largest)",
        "self.ask(distinct)",
        "tests/explainer/test_verification.py",
    ),
    Sabotage(
        "of equally near ends on large graphs the larger number is taken",
        "the same question has the same answer",
        "src/facelift/graph/kernels/nearest_routes.py",
        "keys[j] = vertices[j]",
        "keys[j] = -vertices[j]",
        "tests/graph/test_search.py",
    ),
    Sabotage(
        "the price of lowering is ignored",
        "every price counts",
        "src/facelift/terrain/prices.py",
        "np.where(moves > 0, self.increase, self.decrease)",
        "np.where(moves > 0, self.increase, self.increase)",
        "tests/terrain/test_prices.py",
    ),
    Sabotage(
        "a change of level is priced as the change back",
        "every price counts",
        "src/facelift/terrain/prices.py",
        "self.prices[self.price_rows(start), self.price_rows(end)]",
        "self.prices[self.price_rows(end), self.price_rows(start)]",
        "tests/terrain/test_prices.py",
    ),
    Sabotage(
        "the last step is not looked at",
        "opportunity is Algorithm 5, all steps",
        "src/facelift/geometry/opportunity.py",
        "never_left = kept.all(axis=1)",
        "never_left = kept[:, :-1].all(axis=1)",
        "tests/geometry/test_opportunity.py",
    ),
    Sabotage(
        "one reverse edge is dropped",
        "the graph is that of its definition",
        "src/facelift/graph/building.py",
        "new = order[~there]\n",
        "new = order[~there][1:]\n",
        "tests/graph/test_building.py",
    ),
    Sabotage(
        "the way back is judged as the way there",
        "no forbidden move",
        "src/facelift/graph/building.py",
        "many_move_costs(neighbourhood.prices, points, (back, forth))",
        "many_move_costs(neighbourhood.prices, points, (forth, back))",
        "tests/graph/test_building.py",
    ),
    Sabotage(
        "compiled neighbours forget the first one-way column",
        "no forbidden move",
        "src/facelift/graph/kernels/nearest.py",
        "for c in range(rising.shape[1]):",
        "for c in range(1, rising.shape[1]):",
        "tests/graph/nearest/test_tiles.py",
    ),
    Sabotage(
        "compiled searches turn back too early",
        "large graphs give the answers of small ones",
        "src/facelift/graph/kernels/nearest_routes.py",
        "return min(known.walked[vertex], unsettled)",
        "return max(known.walked[vertex], unsettled)",
        "tests/graph/test_search.py",
    ),
    Sabotage(
        "states on the way are not held against the rules",
        "every waypoint is admissible",
        "src/facelift/steps/actions.py",
        "return self.terrain.admissible(points) & ~self.late(point, points, wanted)",
        "return ~self.late(point, points, wanted)",
        "tests/steps/actions/test_rules.py::test_every_state_satisfies_a_requirement",
    ),
    Sabotage(
        "only the first requirement is asked",
        "every waypoint is admissible",
        "src/facelift/terrain/terrain.py",
        "[satisfied(rule, frame) for rule in rules]",
        "[satisfied(rule, frame) for rule in rules[:1]]",
        "tests/terrain/test_requirements.py",
    ),
    Sabotage(
        "nine tenths of the chance asked for will do",
        "every counterfactual is verified by the model when it is explained",
        "src/facelift/multiverse/goal.py",
        "self.needed * (1 - TOLERANCE)",
        "self.needed * 0.9",
        "tests/explainer -k threshold",
    ),
    Sabotage(
        "a new case is not shown to the model",
        "every counterfactual is verified by the model when it is explained",
        "src/facelift/steps/base.py",
        "answers = self.oracle.answers(point[np.newaxis, :], known.numbers)[0]",
        "answers = self.oracle.known[0]",
        "tests/explainer -k case",
    ),
    Sabotage(
        "a draw decides among equally cheap destinations",
        "the same question has the same answer",
        "src/facelift/graph/routes.py",
        "np.lexsort((vertices, tied_ranks(costs)))",
        "np.lexsort((np.random.default_rng().random(len(vertices)), tied_ranks(costs)))",
        "tests/graph/test_routes.py",
    ),
    Sabotage(
        "saved arrays are read whatever their checksum",
        "saved and loaded gives identical answers",
        "src/facelift/storage.py",
        "if _digest(path) != checksums[name]:",
        "if not path.exists():",
        "tests/harness/faults/test_damage.py",
    ),
    Sabotage(
        "the file that names the arrays is written in place",
        "saved and loaded gives identical answers",
        "src/facelift/storage.py",
        "with written_whole(folder / _JSON) as fresh:\n            fresh.write_text(",
        "if True:\n            (folder / _JSON).write_text(",
        "tests/harness/faults/test_saving.py",
    ),
    Sabotage(
        "a new case is kept among the records",
        "explaining changes nothing in the explainer",
        "src/facelift/steps/base.py",
        "        return Case(point, answers, None, known.moves, vertex if vertex >= 0 else None)",
        "        more = np.vstack([self.oracle.known, answers])\n"
        "        object.__setattr__(self.oracle, 'known', more)\n"
        "        return Case(point, answers, None, known.moves, vertex if vertex >= 0 else None)",
        "tests/explainer -k changes_nothing",
    ),
    Sabotage(
        "a row that cannot be read stops all others",
        "a batch never fails for one row",
        "src/facelift/explainer.py",
        "        except InvalidData as fault:\n            return None, Multiverse(",
        "        except ZeroDivisionError as fault:\n            return None, Multiverse(",
        "tests/explainer -k bad_row",
    ),
    Sabotage(
        "tables come back as pandas frames whatever they were",
        "frames in, frames out",
        "src/facelift/terrain/tables.py",
        'if schema.container == "polars":\n        return _to_polars(frame, schema)',
        'if schema.container == "none":\n        return _to_polars(frame, schema)',
        "tests/terrain/test_tables.py -k polars",
    ),
    Sabotage(
        "an error is told on several lines",
        "one clear line for bad input",
        "src/facelift/cli/running.py",
        'words = " ".join(str(fault).split())',
        'words = "\\n".join(str(fault).split())',
        "tests/harness/test_bad_inputs.py",
    ),
    Sabotage(
        "the document leaves out what was searched",
        "a document read back is the same multiverse",
        "src/facelift/multiverse/document.py",
        '"survey": asdict(multiverse.survey) if multiverse.survey else None,',
        '"survey": None,',
        "tests/multiverse/test_document.py tests/steps/actions -k json",
    ),
    Sabotage(
        "any address of the server will do",
        "nobody walks along uninvited",
        "src/facelift/web/server.py",
        "if not compare_digest(given, token.encode()):",
        "if not given:",
        "tests/web/test_server.py -k token",
    ),
    Sabotage(
        "chances are rounded to whole percents",
        "a chance shows on which side of the threshold it lies",
        "src/facelift/multiverse/journey.py",
        "return self.goal.short_words(float(self.figures[waypoint]))",
        'return f"{self.figures[waypoint]:.0%}"',
        "tests/test_chances.py",
    ),
    Sabotage(
        "other chains of categories are not thought of",
        "where nothing leads there, it says what was searched",
        "src/facelift/steps/certificates.py",
        "self.complete &= not self._other_chains(terrain, each)",
        "self.complete &= True",
        "tests/steps/test_certificates.py -k chains",
    ),
    Sabotage(
        "a share of all has no doubt",
        "intervals of an audit hold",
        "src/facelift/models/doubts.py",
        "return np.asarray(np.where(successes <= 0, 0.0, low))",
        "return np.asarray(np.where(successes <= 0, 0.0, np.where(successes < n, low, 1.0)))",
        "tests/auditing/test_comparison.py",
    ),
    Sabotage(
        "the page fetches its script from elsewhere",
        "no network unless asked",
        "src/facelift/web/static/index.html",
        'src="page.js"',
        'src="https://scripts.example/page.js"',
        "tests/web/test_script.py -k elsewhere",
    ),
)


@dataclass(frozen=True)
class Outcome:
    """What became of a sabotage: the first test that failed, if any did."""

    sabotage: Sabotage
    caught_by: str | None
    seconds: float


def outcomes(sabotages: Iterable[Sabotage]) -> Iterator[Outcome]:
    """Try each sabotage in a tree of its own."""
    for sabotage in sabotages:
        with copied_tree() as tree:
            sabotage.done_in(tree)
            start = perf_counter()
            caught_by = first_failure(tree, sabotage.tests.split())
        yield Outcome(sabotage, caught_by, perf_counter() - start)


def fail_anyway(tests: Iterable[str]) -> str | None:
    """The first of some tests that fails where nothing was changed; it proves nothing."""
    with copied_tree() as tree:
        return first_failure(tree, sorted(set(tests)))


@contextmanager
def copied_tree() -> Iterator[Path]:
    """What tests need, somewhere else, without anything that was compiled before."""
    with tempfile.TemporaryDirectory() as home:
        tree = Path(home) / "tree"
        tree.mkdir()
        for name in COPIED:
            if (ROOT / name).is_dir():
                left_out = shutil.ignore_patterns("__pycache__")
                shutil.copytree(ROOT / name, tree / name, ignore=left_out)
            else:
                shutil.copy2(ROOT / name, tree / name)
        yield tree


def first_failure(tree: Path, tests: list[str]) -> str | None:
    """The first test that fails in a tree; an error if they could not be run at all."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tree / "src"), str(tree)]),
        "NUMBA_CACHE_DIR": str(tree / "compiled"),
    }
    options = (
        "-x",
        "-q",
        "-m",
        "harness or not harness",
        "-p",
        "no:cacheprovider",
        "-p",
        "tools.benchmarks.unshrunk",
    )
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *tests],
            cwd=tree,
            env=environment,
            capture_output=True,
            text=True,
            timeout=MOST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise SystemExit(
            f"{' '.join(tests)} took more than {MOST_SECONDS:g} seconds; name fewer "
            "tests, or faster ones."
        ) from None
    failed = re.search(r"^FAILED (.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
    if done.returncode not in (0, 1) or (done.returncode == 1 and failed is None):
        raise SystemExit(f"{' '.join(tests)} could not be run:\n{done.stdout}{done.stderr}")
    return failed[1] if failed else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("numbers", nargs="*", type=int, metavar="NUMBER", help="some of them only")
    chosen = parser.parse_args().numbers or range(1, len(SABOTAGES) + 1)
    if not set(chosen) <= set(range(1, len(SABOTAGES) + 1)):
        parser.error(f"sabotages have numbers from 1 to {len(SABOTAGES)}")
    caught = []
    for number, each in zip(chosen, outcomes(SABOTAGES[i - 1] for i in chosen), strict=True):
        print(f"{number:2} {each.sabotage.what} ({each.sabotage.promise})")
        print(f"   {each.caught_by or 'NOT CAUGHT'}, {each.seconds:.0f} s", flush=True)
        caught += [each.caught_by] if each.caught_by else []
    wrong = fail_anyway(caught) if caught else None
    if wrong:
        print(f"{wrong} fails without any sabotage: it proves nothing.")
    print(f"{len(caught)} of {len(chosen)} sabotages caught.")
    raise SystemExit(int(len(caught) < len(chosen) or wrong is not None))


if __name__ == "__main__":
    main()
