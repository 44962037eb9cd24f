"""What a command is given: a table or a saved explainer, a model, rules; and what it explains."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from facelift.cli import options
from facelift.cli.running import UsageError, say
from facelift.cli.tables import check_levels, read_table, whole_numbers
from facelift.errors import InvalidData, UnknownColumn, nearest_name

if TYPE_CHECKING:
    import pandas as pd

    from facelift.explainer import FACElift
    from facelift.interop.dask import ParquetParts
    from facelift.multiverse.multiverse import Multiverse
    from facelift.terrain.terrain import Terrain

MOST_JUDGED = 1_000_000
"""So many states a search that goes on remembers, which takes some hundred megabytes."""

NO_RULES = "No rules given: every column may change, in both directions. See --rules."


@dataclass(frozen=True, eq=False)
class Given:
    """What a command was given to explain with.

    `table` has the columns that the model knows, `whole` all of the file, `outcome` what it was
    or could be trained on, where the command line names that; `ruled` says whether there are rules.
    `saved` is the explainer of a folder.
    """

    model: Any
    terrain: Any
    table: pd.DataFrame
    whole: pd.DataFrame
    outcome: Any
    ruled: bool
    saved: FACElift | None = None

    def explainer(self, steps: str, prototypes: int | None = None, **limits: Any) -> FACElift:
        """An explainer fitted to the table; or the saved one, within the limits that are named."""
        from facelift.explainer import FACElift

        if self.saved is None:
            explainer = FACElift(self.model, self.terrain, steps=steps, **limits)
            return explainer.fit(
                self.table,
                self.truths if prototypes is None else None,
                share_rows=prototypes is None,
                min_records=prototypes or 2,
            )
        if prototypes is not None:
            raise UsageError("Prototypes are made by facelift fit: leave --prototypes out.")
        if _is_named("steps") and steps != self.saved.steps:
            raise UsageError(
                f"The saved explainer was fitted with --steps {self.saved.steps}: leave --steps "
                "out, or fit another."
            )
        kept = {name for name in ("threshold", "margin", "max_steps") if not _is_named(name)}
        named = {name: value for name, value in limits.items() if name not in kept}
        return self.saved.under(self.terrain, **named)

    @property
    def truths(self) -> Any:
        """The true outcomes of the rows, where they are such as the model tells apart."""
        if self.outcome is None:
            return None
        from sklearn.base import RegressorMixin
        from sklearn.pipeline import Pipeline

        known = getattr(self.model, "classes_", None)
        if known is not None:
            return self.outcome if set(self.outcome.dropna()) <= set(known) else None
        last = self.model[-1] if isinstance(self.model, Pipeline) else self.model
        predicts = isinstance(last, RegressorMixin) and self.outcome.dtype.kind in "iuf"
        return self.outcome if predicts else None

    def mention_rules(self) -> None:
        """Say aside what it means to have none."""
        if not self.ruled:
            click.echo(NO_RULES, err=True)

    def without_change_of(self, names: Sequence[str]) -> Given:
        """The same, but some columns never change."""
        known = {str(feature.name): feature.name for feature in self.terrain.features}
        if unknown := [name for name in names if name not in known]:
            raise UnknownColumn(
                f"There is no column {unknown[0]!r} to freeze; {nearest_name(unknown[0], known)}"
            )
        return replace(self, terrain=self.terrain.freeze(*(known[name] for name in names)))

    def committee(self, n: int) -> list[Any]:
        """Models like the given one, fitted to bootstrap samples of the table."""
        from facelift.models import committee

        if n == 0 or self.outcome is None:
            raise UsageError(
                "A committee is fitted to the table: give --committee and --target-column."
            )
        click.echo(f"Fitting {n} models to bootstrap samples of the table …", err=True)
        return committee(self.model, self.table, self.outcome, n=n)


@dataclass(frozen=True)
class Inputs:
    """The options that name what to explain with; `row` is 0 where a command needs none.

    `more` are files with more rows of the table in `data`; `asks` says whether an outcome must be
    wanted.
    """

    target_column: str | None
    target: str | None
    model_path: Path | None
    trust_pickle: bool
    rules: Path | None
    data: Path | None = None
    more: tuple[Path, ...] = ()
    row: int = 0
    explainer: Path | None = None
    asks: bool = True

    def prepared(self) -> Given:
        """A model, the terrain and the table, from what was named on the command line.

        Where a model is trained, an outcome that it could not have is refused before.
        """
        if self.explainer is not None:
            return self._loaded(self.explainer)
        if self.data is None:
            raise UsageError("Give DATA, a table, or --explainer, a saved explainer.")
        whole, outcome = read_table(self.data, self.target_column, self.more)
        if self.rules is not None:
            from facelift.terrain import prepare

            whole = prepare(whole, self.rules)
        if self.model_path is None and outcome is None:
            raise UsageError("Give --target-column to train a small model on, or --model.")
        check_row(self.row, whole)
        ruled = self.rules is not None
        if self.model_path is None:
            terrain = terrain_of(whole, self)  # before the model: training takes a while
            return Given(self._model(whole, outcome), terrain, whole, whole, outcome, ruled)
        model = self._model(whole, outcome)
        table = known_columns(whole, model)
        return Given(model, terrain_of(table, self), table, whole, outcome, ruled)

    def in_parts(self, parts: ParquetParts) -> tuple[ParquetParts, Any]:
        """The columns that the model knows, of a table that is not read as a whole; and the model.

        A model that is trained on the spot learns from some of the rows.
        """
        from facelift.models.asking import rows_to_learn_from
        from facelift.models.files import column_names

        outcome, names = self.target_column, parts.names
        if outcome is not None and outcome not in names:
            raise UnknownColumn(
                f"{self.name} has no column {outcome!r}; {nearest_name(outcome, names)}"
            )
        table = parts.without([outcome], self.rules)
        if self.model_path is not None:
            model = self._model(None, None)
            known = column_names(model)
            odd = [] if known is None else [name for name in table.names if name not in known]
            return table.without(odd, self.rules), model
        if outcome is None:
            raise UsageError("Give --target-column to train a small model on, or --model.")
        places = rows_to_learn_from(sum(parts.sizes))
        outcomes = parts.without([name for name in names if name != outcome], None).rows(places)
        return table, self._model(table.rows(places), whole_numbers(outcomes[outcome]))

    def special_codes(self, names: Sequence[Hashable]) -> dict[Hashable, list[float]]:
        """The numbers that are codes in some columns, by the rules."""
        from facelift.terrain.rules import special_codes

        codes = {} if self.rules is None else special_codes(self.rules)
        return {name: codes[str(name)] for name in names if str(name) in codes}

    def ruled(self, terrain: Terrain) -> Terrain:
        """A terrain with the rules of the file, if there is one."""
        from facelift.terrain.rules import read_rules

        return terrain if self.rules is None else read_rules(self.rules, terrain)

    @property
    def name(self) -> str:
        """The table's name, or that of the folder with its rows."""
        return "" if (given := self.data or self.explainer) is None else given.name

    @property
    def origins(self) -> tuple[str, str]:
        """Where the model and the rules come from."""
        model = (
            "a small one, trained on the spot" if self.model_path is None else self.model_path.name
        )
        if self.explainer is not None:
            return model, f"those saved in {self.explainer.name}"
        return model, "none" if self.rules is None else self.rules.name

    def _loaded(self, folder: Path) -> Given:
        """The same from the folder of a saved explainer: its rules and, without DATA, its rows."""
        from facelift import storage
        from facelift.explainer import FACElift
        from facelift.terrain import prepare
        from facelift.terrain.rulebook import terrain_rules

        if self.rules is not None:
            raise UsageError(
                "A saved explainer has its rules already: leave --rules out, or fit another."
            )
        given = None if self.data is None else read_table(self.data, self.target_column)
        whole, outcome = given or (None, None)
        if self.model_path is None and outcome is None:
            raise UsageError(
                "A saved explainer needs its --model, or DATA and --target-column to train the "
                "same small model again."
            )
        terrain = storage.read(folder).terrain
        if whole is not None:
            check_row(self.row, whole)
            whole = prepare(whole, terrain)
        names = terrain.schema.names
        table = None if whole is None else _columns(whole, names, "saved explainer")
        model = self._model(table, outcome)
        explainer = FACElift.load(folder, model=model)
        if whole is None or table is None:
            whole = table = _records(explainer, folder)
            check_row(self.row, whole)
        ruled = bool(terrain_rules(terrain))
        return Given(model, terrain, table, whole, outcome, ruled, explainer)

    def _model(self, table: Any, outcome: Any) -> Any:
        """The model of a file, or a small one, trained on the spot."""
        if self.model_path is not None:
            return load_model(self.model_path, self.trust_pickle)
        check_outcome(outcome, self.target, asked=self.asks)
        click.echo("Training a small model (50 neurons) on the table …", err=True)
        return _trained(table, outcome, range_ends(self.target) is not None)


def inputs(command: options.Command) -> options.Command:
    """The options of `Inputs`; the command gets one, made of these, its data and its row."""

    @wraps(command)
    def bundled(**asked: Any) -> Any:
        own = {name: asked.pop(name) for name in Inputs.__annotations__ if name in asked}
        if isinstance(own.get("data"), tuple):
            own["data"], *more = own["data"]
            own["more"] = tuple(more)
        return command(Inputs(**own), **asked)

    decorated: options.Command = bundled
    for option in (
        options.rules,
        options.trust_pickle,
        options.model,
        options.target,
        options.target_column,
    ):
        decorated = option(decorated)
    return decorated


def terrain_of(table: pd.DataFrame, asked: Inputs) -> Terrain:
    """What may change in a table: what its columns suggest, and the rules of a file."""
    from facelift.terrain.terrain import Terrain

    check_levels(table, asked.name, asked.target_column)
    return asked.ruled(Terrain.infer(table, missing=asked.special_codes(list(table.columns))))


def explained(
    asked: Inputs,
    given: Given,
    counterfactuals: Path | None = None,
    *,
    wants_longer: Callable[[Multiverse], bool] | None = None,
    or_target: Sequence[str] = (),
    **settings: Any,
) -> Multiverse:
    """The multiverse of the row asked about, by an explainer of these settings.

    The outcomes of `or_target` will do as well as the target. Where a table of counterfactuals is
    named, its journeys lead to these. `wants_longer` says whether a search that found nothing shall
    go on.
    """
    named = ("deadline", "routes", "keep_open")
    asks = {name: settings.pop(name) for name in named if name in settings}
    explainer = given.explainer(**settings)
    case, label = given.table.iloc[[asked.row]], label_of(explainer, asked.target)
    if or_target:
        if asked.target is None or not len(explainer.classes_):
            raise UsageError("--or-target names one more outcome beside that of --target.")
        label = [label, *(label_of(explainer, each) for each in or_target)]
    if counterfactuals is None:

        def search(explainer: FACElift) -> Multiverse:
            return explainer.explain(case, label, **asks)

        if wants_longer is None or not explainer.steps_.single_changes:
            return search(explainer)
        return _insisted(explainer, search, wants_longer)
    from facelift.terrain import prepare

    ends = prepare(read_table(counterfactuals, None)[0], given.terrain)
    return explainer.bridge(case, ends[[name for name in ends if name in given.table]], label)


def _insisted(
    explainer: FACElift,
    search: Callable[[FACElift], Multiverse],
    wants_longer: Callable[[Multiverse], bool],
) -> Multiverse:
    """What a search finds that goes on as long as it finds nothing and somebody wants it to.

    It remembers all states that it has judged.
    """
    from facelift.models.oracle import Memory
    from facelift.steps.actions import longer_search
    from facelift.steps.base import Request

    memory, more = Memory(MOST_JUDGED), dict[str, Any]()
    while True:
        explainer = explainer.under(explainer.terrain_, memory=memory, **more)
        found = search(explainer)
        if len(found) or not (found.unfinished and wants_longer(found)):
            return found
        more = longer_search(Request.of(explainer))


def called(asked: Inputs, goal: Any) -> str:
    """The outcome wanted, with its column, where a bare yes or no says nothing; else empty."""
    from facelift.multiverse.goal import Goal
    from facelift.walking.population import outcome_words

    if not isinstance(goal, Goal):
        return ""
    words = outcome_words(goal.classes, asked.target_column or "")
    return ", ".join(words[each] for each in goal.target) if words else ""


def label_of(explainer: Any, target: str | None) -> Any:
    """The outcome wanted as the model's own label, or a range; None for the other of two."""
    if not len(explainer.classes_):
        return _range(target)
    return _named(target, {str(label): label for label in explainer.classes_.tolist()})


def _range(target: str | None) -> tuple[float | None, float | None]:
    """The range wanted of a predicted number, such as "100..200", "120.." or "..80"."""
    ends = range_ends(target)
    if ends is None:
        raise UsageError(
            "The model predicts a number; give the range wanted as --target LOW..HIGH, "
            f"either may be left out, got {target!r}."
        )
    return ends


def known_columns(table: pd.DataFrame, model: Any) -> pd.DataFrame:
    """The columns the model was fitted on, where it says so; the outcome is not among them."""
    from facelift.models.files import column_names

    known = column_names(model)
    return table if known is None else _columns(table, known, "model")


def _columns(table: pd.DataFrame, known: Any, whose: str) -> pd.DataFrame:
    missing = [name for name in known if name not in table.columns]
    if missing:
        raise UnknownColumn(
            f"The {whose} needs a column {missing[0]!r}; {nearest_name(missing[0], table.columns)}"
        )
    return table[list(known)]


def _records(explainer: FACElift, folder: Path) -> pd.DataFrame:
    """The rows that a saved explainer was fitted to, in their order."""
    if not explainer.share_rows_:
        raise UsageError(f"{folder} holds prototypes, not rows: give DATA, a table of cases.")
    return explainer.terrain_.to_pandas(explainer.graph_.points[explainer.vertices_])


def _is_named(option: str) -> bool:
    """Whether an option stands on the command line, or is at its default."""
    source = click.get_current_context().get_parameter_source(option)
    return source is not ParameterSource.DEFAULT


def check_row(row: int, table: pd.DataFrame) -> None:
    """Refuse a row that the table does not have."""
    if len(table) and not 0 <= row < len(table):
        raise UsageError(f"There is no row {row}; rows run from 0 to {len(table) - 1}.")


def range_ends(target: str | None) -> tuple[float | None, float | None] | None:
    """The ends of a range such as "100..200", "120.." or "..80"; None if it is none.

    >>> range_ends("120.."), range_ends("-1.5..2"), range_ends("good"), range_ends("..")
    ((120.0, None), (-1.5, 2.0), None, None)
    """
    low, dots, high = (target or "").partition("..")
    try:
        ends = (float(low) if low else None, float(high) if high else None)
    except ValueError:
        return None
    return ends if dots and ends != (None, None) else None


MOST_OUTCOMES = 50
"""Different values of a column from which on they are no outcomes to choose among."""


def check_outcome(outcome: pd.Series[Any], target: str | None, *, asked: bool) -> None:
    """Refuse, before a model learns it, a column that holds no outcomes, or not the one wanted.

    `asked` says whether one must be wanted. Rows without an outcome are told of.
    """
    import pandas as pd

    name, known = str(outcome.name), outcome.dropna()
    numeric = pd.api.types.is_any_real_numeric_dtype(known.dtype)
    labels = {str(label): label for label in whole_numbers(known).sort_values(key=_order).unique()}
    if len(labels) < 2:
        only = f"one outcome only: {', '.join(labels)}" if labels else "no outcome"
        raise InvalidData(f"Column {name!r} has {only}.")
    if not (numeric and range_ends(target)):
        _check_labels(name, labels, numeric)
        if asked or target is not None:
            _named(target, labels)
    if len(known) < len(outcome):
        n_gaps = len(outcome) - len(known)
        say(
            f"{n_gaps:,} of {len(outcome):,} rows have no {name!r}: the model learns from the "
            "others.",
            err=True,
        )


def _check_labels(name: str, labels: dict[str, Any], numeric: bool) -> None:
    """Refuse numbers to predict of which no range is wanted, and names."""
    few = len(labels) <= MOST_OUTCOMES
    if numeric and not (few and all(isinstance(each, Integral) for each in labels.values())):
        low, middle, high = (list(labels)[i] for i in (0, len(labels) // 2, -1))
        raise UsageError(
            f"Column {name!r} holds {len(labels):,} different numbers, from {low} to {high}: give "
            f"the range wanted, such as --target {middle}.. for that or more."
        )
    if not few:
        raise InvalidData(
            f"Column {name!r} has {len(labels):,} different values, and no model learns so many "
            f"outcomes; give a --target-column with at most {MOST_OUTCOMES}."
        )


def _named(target: str | None, labels: dict[str, Any]) -> Any:
    """The label that a target names, which may be left out where there are two."""
    if target is None:
        if len(labels) > 2:
            raise UsageError(f"Name the outcome wanted with --target; known: {', '.join(labels)}")
        return None
    if target in labels:
        return labels[target]
    for label in labels.values():  # 1 is 1.0
        if isinstance(label, Real) and not isinstance(label, bool) and target == f"{label:.1f}":
            return label
    raise UsageError(f"There is no outcome {target!r}; {nearest_name(target, labels)}")


def _order(column: pd.Series[Any]) -> pd.Series[Any]:
    return column.astype(str) if column.dtype == object else column


def _trained(table: pd.DataFrame, outcome: pd.Series[Any], predicts: bool) -> Any:
    import pandas as pd

    from facelift.models import small_classifier, small_regressor

    if predicts and pd.api.types.is_numeric_dtype(outcome.dtype):
        return small_regressor(table, outcome)
    try:
        return small_classifier(table, outcome)
    except ValueError as fault:
        raise InvalidData(f"Cannot train a model on column {outcome.name!r}: {fault}") from fault


def load_model(path: Path, trust_pickle: bool) -> Any:
    """A fitted model from a file; one that is pickled only with the user's word."""
    from facelift.models import files as model_files

    trusted = click.get_current_context().meta.get(options.TRUSTED, ())
    return model_files.load_model(path, trust_pickle=trust_pickle, trusted=trusted)
