"""Trees as arrays: what scikit-learn, XGBoost and LightGBM keep in their own ways, in one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.errors import InvalidModel

ZERO = 1e-35
"""LightGBM takes numbers up to this one for zero."""


class Unreadable(InvalidModel):
    """A model whose structure cannot be read; it can still be asked."""


@dataclass(frozen=True, eq=False)
class Trees:
    """Decision trees, all their nodes one after the other; the sum of their leaves is the answer.

    A value of `columns[node]` goes left where it is at most `thresholds[node]`, or one of
    `categories[node]`; leaves have column -1. `single` says that values are rounded to 32 bits.
    """

    roots: Ints
    columns: Ints
    thresholds: Floats
    left: Ints
    right: Ints
    values: Floats
    """What each leaf adds to every answer; (nodes, answers)."""
    missing_left: Bools
    zero_is_missing: Bools
    single: bool = False
    categories: dict[int, Ints] = field(default_factory=dict)
    known: dict[int, Ints] = field(default_factory=dict)
    """Categories that a column had when the model was fitted, by node; others are missing."""

    def goes_left(self, nodes: Ints, values: Floats) -> Bools:
        """Whether values go left at nodes; both broadcast, as `nodes[:, None]` and `values` do."""
        numbers = values.astype(np.float32).astype(np.float64) if self.single else values
        missing = np.isnan(numbers) | (self.zero_is_missing[nodes] & (np.abs(numbers) <= ZERO))
        goes = np.where(missing, self.missing_left[nodes], numbers <= self.thresholds[nodes])
        if not self.categories:
            return goes
        return np.where(self._asks[nodes] >= 0, self._chosen(nodes, values), goes)

    def _chosen(self, nodes: Ints, values: Floats) -> Bools:
        """The same where nodes ask for categories, which are whole numbers from 0."""
        left, known = self._codes
        missing = np.isnan(values) | (values < 0)
        codes = np.minimum(np.where(missing, 0, values), left.shape[1] - 1).astype(np.int64)
        asks = np.maximum(self._asks[nodes], 0)
        missing = missing | ~known[asks, codes]
        return np.where(missing, self.missing_left[nodes], left[asks, codes])

    @cached_property
    def _asks(self) -> Ints:
        """The place of each node among those that ask for categories, -1 of others."""
        places = np.full(len(self.columns), -1)
        places[list(self.categories)] = np.arange(len(self.categories))
        return places

    @cached_property
    def _codes(self) -> tuple[Bools, Bools]:
        """Which categories go left, and which are known, at each of these nodes."""
        every = [*self.categories.values(), *self.known.values()]
        size = 2 + max(int(codes.max(initial=0)) for codes in every)
        left = np.zeros((len(self.categories), size), dtype=bool)
        known = np.ones((len(self.categories), size), dtype=bool)
        for place, (node, codes) in enumerate(self.categories.items()):
            left[place, codes] = True
            if node in self.known:
                known[place] = left[place]
                known[place, self.known[node]] = True
        return left, known

    def sums(self, inputs: Floats) -> Floats:
        """The sum of the leaves that each row falls into; (n, answers)."""
        total = np.zeros((len(inputs), self.values.shape[1]))
        for root in self.roots:
            self._add(int(root), inputs, np.arange(len(inputs)), total)
        return total

    def _add(self, node: int, inputs: Floats, rows: Ints, total: Floats) -> None:
        if self.columns[node] < 0:
            total[rows] += self.values[node]
            return
        goes = self.goes_left(np.array(node), inputs[rows, self.columns[node]])
        for there, child in ((goes, self.left[node]), (~goes, self.right[node])):
            if there.any():
                self._add(int(child), inputs, rows[there], total)

    def scaled(self, factor: float) -> Trees:
        """The same trees, whose leaves count `factor` times."""
        return replace(self, values=self.values * factor)

    def weighted(self, factors: Floats) -> Trees:
        """The same trees with one answer: the sum of the answers, each times its factor."""
        return replace(self, values=(self.values @ factors)[:, np.newaxis])


def joined(parts: Sequence[Trees]) -> Trees:
    """Several trees as one value."""
    starts = np.cumsum([0, *(len(part.columns) for part in parts)])
    several = list(zip(parts, starts, strict=False))

    def moved(name: str) -> Ints:
        return np.concatenate([getattr(part, name) + start for part, start in several])

    def kept(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])

    def numbered(name: str) -> dict[int, Ints]:
        return {
            node + int(start): codes
            for part, start in several
            for node, codes in getattr(part, name).items()
        }

    return Trees(
        moved("roots"),
        kept("columns"),
        kept("thresholds"),
        moved("left"),
        moved("right"),
        kept("values"),
        kept("missing_left"),
        kept("zero_is_missing"),
        parts[0].single,
        numbered("categories"),
        numbered("known"),
    )


def in_turn(parts: Sequence[Trees], n_answers: int) -> Trees:
    """Trees of one answer each, which add to the first, the second and so on, in turn.

    >>> X = np.arange(3.0)[:, np.newaxis]
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> several = [scikit_tree(DecisionTreeRegressor().fit(X, k * X[:, 0])) for k in (1, 2)]
    >>> in_turn(several, 2).sums(X[2:])
    array([[2., 4.]])
    """
    if n_answers == 1:
        return joined(parts)
    units = np.eye(n_answers)[np.newaxis]
    return joined(
        [
            replace(part, values=part.values @ units[:, i % n_answers])
            for i, part in enumerate(parts)
        ]
    )


def scikit_tree(estimator: Any) -> Trees:
    """The tree of a fitted DecisionTreeClassifier or -Regressor of one outcome."""
    tree = estimator.tree_
    if tree.n_outputs != 1:
        raise Unreadable(f"{type(estimator).__name__} answers for {tree.n_outputs} outcomes.")
    leaf = tree.children_left < 0
    n = len(leaf)
    missing = getattr(tree, "missing_go_to_left", np.zeros(n))
    return Trees(
        np.zeros(1, dtype=np.int64),
        np.where(leaf, -1, tree.feature).astype(np.int64),
        tree.threshold.astype(np.float64),
        np.maximum(tree.children_left, 0).astype(np.int64),
        np.maximum(tree.children_right, 0).astype(np.int64),
        np.asarray(tree.value[:, 0, :], dtype=np.float64),
        np.asarray(missing, dtype=bool),
        np.zeros(n, dtype=bool),
        single=True,
    )


def histogram_trees(model: Any) -> Trees:
    """The trees of a fitted HistGradientBoostingClassifier or -Regressor."""
    if type(model._loss.link).__name__ not in ("IdentityLink", "LogitLink", "MultinomialLogit"):
        raise Unreadable(f"Boosting for {model.loss!r} is no sum of its trees.")
    mapper = model._bin_mapper
    bitsets, places = mapper.make_known_categories_bitsets()
    known = {c: _codes(bitsets[places[c]]) for c in np.flatnonzero(mapper.is_categorical_)}
    several = [each for turn in model._predictors for each in turn]
    return in_turn([_histogram_tree(each, known) for each in several], len(model._predictors[0]))


def _histogram_tree(predictor: Any, known: dict[Any, Ints]) -> Trees:
    nodes = predictor.nodes
    leaf = nodes["is_leaf"].astype(bool)
    chosen = np.flatnonzero(nodes["is_categorical"].astype(bool) & ~leaf).tolist()
    bitsets = predictor.raw_left_cat_bitsets
    return Trees(
        np.zeros(1, dtype=np.int64),
        np.where(leaf, -1, nodes["feature_idx"]).astype(np.int64),
        nodes["num_threshold"].astype(np.float64),
        nodes["left"].astype(np.int64),
        nodes["right"].astype(np.int64),
        nodes["value"].astype(np.float64)[:, np.newaxis],
        nodes["missing_go_to_left"].astype(bool),
        np.zeros(len(nodes), dtype=bool),
        categories={i: _codes(bitsets[nodes["bitset_idx"][i]]) for i in chosen},
        known={i: known[nodes["feature_idx"][i]] for i in chosen},
    )


def _codes(bitset: Any) -> Ints:
    """Whole numbers whose bits are set in words of 32 bits."""
    bits = np.unpackbits(np.asarray(bitset, dtype="<u4").view(np.uint8), bitorder="little")
    return np.flatnonzero(bits)


def xgboost_trees(booster: Any, n_rounds: int | None = None) -> tuple[Trees, Floats, float]:
    """The trees of an XGBoost booster, what its answers start from, and their slope."""
    learner = json.loads(bytes(booster.save_raw("json")))["learner"]
    kind, objective = learner["gradient_booster"]["name"], learner["objective"]["name"]
    slope = _XGBOOST.get(objective)
    if kind != "gbtree" or slope is None:
        raise Unreadable(f"XGBoost's {kind} for {objective} cannot be read.")
    forest = learner["gradient_booster"]["model"]
    parallel = max(1, int(forest["gbtree_model_param"]["num_parallel_tree"]))
    n_answers = max(1, int(learner["learner_model_param"]["num_class"]))
    if n_answers > 1 and parallel > 1:
        raise Unreadable("XGBoost's forests of several classes cannot be read.")
    trees = forest["trees"]
    if n_rounds is not None:
        trees = trees[: n_rounds * parallel * n_answers]
    starts = learner["learner_model_param"]["base_score"].strip("[]").split(",")
    start = np.resize(np.array(starts, dtype=np.float64), n_answers)
    if objective in ("binary:logistic", "reg:logistic"):
        start = np.log(start / (1 - start))
    return in_turn([_xgboost_tree(tree) for tree in trees], n_answers), start, slope


_XGBOOST = {"binary:logistic": 1.0, "reg:logistic": 1.0, "multi:softprob": 1.0}
_XGBOOST |= {"reg:squarederror": 0.0, "reg:absoluteerror": 0.0}
"""Objectives whose answers are known, and their slope."""


def _xgboost_tree(tree: dict[str, Any]) -> Trees:
    left = np.array(tree["left_children"], dtype=np.int64)
    if any(tree["split_type"]):
        raise Unreadable("XGBoost's splits by category cannot be read; encode categories.")
    leaf = left < 0
    conditions = np.array(tree["split_conditions"], dtype=np.float32)
    # goes left where it is smaller: where it is at most the number before
    before = np.nextafter(conditions, np.float32(-np.inf)).astype(np.float64)
    return Trees(
        np.zeros(1, dtype=np.int64),
        np.where(leaf, -1, np.array(tree["split_indices"], dtype=np.int64)),
        before,
        np.maximum(left, 0),
        np.maximum(np.array(tree["right_children"], dtype=np.int64), 0),
        np.where(leaf, conditions, 0.0).astype(np.float64)[:, np.newaxis],
        np.array(tree["default_left"], dtype=bool),
        np.zeros(len(left), dtype=bool),
        single=True,
    )


def lightgbm_trees(booster: Any) -> tuple[Trees, float]:
    """The trees of a LightGBM booster, and by what its log-odds are multiplied; 0 of a number."""
    model = booster.dump_model()
    objective, *settings = model["objective"].split()
    if objective not in ("binary", "multiclass", "regression") or model["average_output"]:
        raise Unreadable(f"LightGBM's {model['objective']} cannot be read.")
    known = dict(setting.split(":") for setting in settings if ":" in setting)
    slope = 0.0 if objective == "regression" else float(known.get("sigmoid", 1.0))
    trees = [_lightgbm_tree(tree["tree_structure"]) for tree in model["tree_info"]]
    return in_turn(trees, int(model["num_tree_per_iteration"])), slope


def _lightgbm_tree(structure: dict[str, Any]) -> Trees:
    nodes: list[dict[str, Any]] = []
    _list_nodes(structure, nodes)
    chosen = {i for i, node in enumerate(nodes) if node.get("decision_type") == "=="}
    thresholds = [
        0.0 if i in chosen else node.get("threshold", 0.0) for i, node in enumerate(nodes)
    ]
    return Trees(
        np.zeros(1, dtype=np.int64),
        np.array([node.get("split_feature", -1) for node in nodes], dtype=np.int64),
        np.array(thresholds, dtype=np.float64),
        np.array([node.get("left", 0) for node in nodes], dtype=np.int64),
        np.array([node.get("right", 0) for node in nodes], dtype=np.int64),
        np.array([node.get("leaf_value", 0.0) for node in nodes])[:, np.newaxis],
        np.array([_missing_left(node) for node in nodes], dtype=bool),
        np.array([node.get("missing_type") == "Zero" for node in nodes], dtype=bool),
        categories={i: np.array(nodes[i]["threshold"].split("||"), dtype=int) for i in chosen},
    )


def _list_nodes(structure: dict[str, Any], nodes: list[dict[str, Any]]) -> int:
    """Append a node and all below it; the place of the node."""
    place = len(nodes)
    nodes.append(dict(structure))
    if "split_feature" in structure:
        nodes[place]["left"] = _list_nodes(structure["left_child"], nodes)
        nodes[place]["right"] = _list_nodes(structure["right_child"], nodes)
    return place


def _missing_left(node: dict[str, Any]) -> bool:
    """Where a missing value goes: as LightGBM learnt, or as zero does, or right of categories."""
    if node.get("decision_type", "==") == "==":
        return False
    if node["missing_type"] == "None":
        return bool(node["threshold"] >= 0.0)
    return bool(node["default_left"])
