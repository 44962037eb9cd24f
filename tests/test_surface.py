"""What `import facelift` offers, says and costs."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
from doctest import SKIP, DocTestParser
from pathlib import Path

import pytest

import facelift

NOT_EMBEDDED = {
    "load_adult",
    "load_breastmnist",
    "load_credit_default",
    "load_heloc",
    "load_mnist",
    "load_pneumoniamnist",
}
"""Loaders of files that may have to be fetched: their examples are there to be read, not run."""

CALLED = (
    "Audit",
    "Contingency",
    "FACElift",
    "Journey",
    "Multiverse",
    "Position",
    "Retrospect",
    "Terrain",
)
"""Classes whose methods people call; of the others they read what they hold."""

HEAVY = ("sklearn", "pandas", "scipy", "numba", "matplotlib", "starlette", "numpy", "rich")


def fresh(code: str) -> str:
    """Standard output of a new interpreter."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def loaded_by(statement: str) -> set[str]:
    """Top-level packages that a statement imports in a new interpreter."""
    code = f"import sys, json; {statement}; print(json.dumps(sorted(sys.modules)))"
    return {name.partition(".")[0] for name in json.loads(fresh(code))}


def test_every_public_name_can_be_imported():
    for name in facelift.__all__:
        assert getattr(facelift, name) is not None


def test_dir_is_the_public_names_and_nothing_else():
    assert dir(facelift) == sorted(facelift.__all__)
    assert len(set(facelift.__all__)) == len(facelift.__all__)


def test_star_import_gives_the_public_names():
    names = json.loads(fresh("from facelift import *; import json; print(json.dumps(dir()))"))
    assert set(facelift.__all__) <= set(names)


def test_every_public_name_is_known_to_type_checkers():
    source = inspect.getsource(facelift)
    block = source.partition("if TYPE_CHECKING:")[2].partition("\n_HOMES")[0]
    for name in set(facelift.__all__) - {"__version__"}:
        assert name in block.replace(",", " ").replace("(", " ").split(), name


def test_names_of_the_contract_are_there():
    promised = {"Terrain", "FACElift", "Graph", "explore", "best", "opportunity", "proximity"}
    promised |= {"Position", "geometry", "bridge", "datasets", "Multiverse", "Journey"}
    assert promised <= set(facelift.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'facelifft'"):
        facelift.facelifft  # noqa: B018


def public_things() -> dict[str, object]:
    """Public names, and the public names of public modules and classes."""
    found: dict[str, object] = {}
    for name in set(facelift.__all__) - {"__version__"}:
        found[name] = getattr(facelift, name)
        if inspect.ismodule(found[name]):
            for inner in getattr(found[name], "__all__", []):
                found[f"{name}.{inner}"] = getattr(found[name], inner)
    for name, thing in list(found.items()):
        if inspect.isclass(thing):
            for inner, member in vars(thing).items():
                if not inner.startswith("_") and (callable(member) or isinstance(member, property)):
                    found[f"{name}.{inner}"] = member
    return found


def test_every_public_name_has_a_docstring():
    things = public_things()
    assert len(things) > 100
    documented = {
        name: thing
        for name, thing in things.items()
        if callable(thing) or inspect.ismodule(thing) or isinstance(thing, property)
    }
    assert [name for name, thing in documented.items() if not inspect.getdoc(thing)] == []


def examples(thing: object) -> str:
    """The examples of a docstring that are run."""
    found = DocTestParser().get_examples(inspect.getdoc(thing) or "")
    return "".join(each.source for each in found if not each.options.get(SKIP))


def methods(kind: object) -> dict[str, object]:
    """Public methods that a class has of its own (scikit-learn gives some more); none else has."""
    found = [*inspect.getmembers(kind, inspect.isfunction)]
    found += inspect.getmembers(kind, inspect.ismethod)  # of the class
    return {n: m for n, m in found if not n.startswith("_") and m.__module__ == kind.__module__}


def test_every_public_function_and_class_has_an_example_that_runs():
    shown = {name: getattr(facelift, name) for name in facelift.__all__}
    for part in (facelift.baselines, facelift.datasets, facelift.geometry):
        names = set(part.__all__) - NOT_EMBEDDED
        shown |= {f"{part.__name__}.{name}": getattr(part, name) for name in names}
    things = {n: t for n, t in shown.items() if inspect.isclass(t) or inspect.isfunction(t)}
    assert len(things) > 70
    silent = [
        name
        for name, thing in things.items()
        if not any(map(examples, [thing, *methods(thing).values()]))
    ]
    assert silent == []


@pytest.mark.parametrize("name", CALLED)
def test_every_method_that_people_call_is_called_in_an_example(name):
    kind = getattr(facelift, name)
    calls = examples(kind)
    silent = [
        method
        for method, function in methods(kind).items()
        if not examples(function) and f".{method}(" not in calls
    ]
    assert silent == []


def test_every_public_name_has_an_entry_in_the_reference():
    pages = (Path(__file__).parents[1] / "docs" / "reference").glob("*.md")
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    entries = re.findall(r"^\.\. auto\w+:: facelift\.(\S+)$", text, re.MULTILINE)
    assert len(set(entries)) == len(entries)
    heads = {entry.partition(".")[0] for entry in entries}
    assert set(facelift.__all__) - {"__version__"} - heads == set()


def test_every_module_says_what_it_is_about():
    files = list(Path(facelift.__file__).parent.rglob("*.py"))
    silent = [file for file in files if not ast.get_docstring(ast.parse(file.read_bytes()))]
    assert silent == []


def test_errors_form_one_tree():
    kinds = [
        thing
        for thing in vars(facelift.errors).values()
        if inspect.isclass(thing) and issubclass(thing, Exception)
    ]
    assert len(kinds) >= 8
    for kind in kinds:
        assert issubclass(kind, facelift.errors.FaceliftError)
        assert kind.__name__ in (facelift.errors.__doc__ or "")


def test_importing_facelift_imports_nothing_heavy():
    loaded = loaded_by("import facelift")
    assert "facelift" in loaded
    assert loaded & set(HEAVY) == set()


def test_the_core_does_not_need_scikit_learn():
    names = ["Terrain", "Graph", "Multiverse", "explore", "best", "geometry"]
    loaded = loaded_by(f"import facelift; {'; '.join(f'facelift.{name}' for name in names)}")
    assert "numpy" in loaded
    assert loaded & {"sklearn", "matplotlib", "starlette", "rich"} == set()


def test_the_command_answers_version_without_loading_anything_heavy():
    loaded = loaded_by("import facelift.cli")
    assert "click" in loaded
    assert loaded & set(HEAVY) == set()


def test_importing_facelift_configures_nothing():
    code = (
        "import logging, warnings, random, sys\n"
        "def state():\n"
        "    handlers = logging.root.handlers[:]\n"
        "    return list(warnings.filters), handlers, random.getstate(), sys.path[:]\n"
        "before = state()\n"
        "import facelift\n"
        "print(before == state())"
    )
    assert fresh(code).strip() == "True"


def seconds(statement: str) -> float:
    code = f"from time import perf_counter as now; start = now(); {statement}; print(now() - start)"
    return float(fresh(code))


def test_importing_facelift_costs_no_more_than_its_foundations():
    ours, foundations = [], []
    for _ in range(3):
        ours.append(seconds("import facelift"))
        foundations.append(seconds("import numpy, scipy.sparse, pandas"))
    assert min(ours) / min(foundations) <= 1.0
