"""Requirements: rules between columns that every state must satisfy.

A requirement is a function from a pandas frame to one boolean per row, or an expression such as
"installments <= duration". Expressions know columns, numbers, text, + - * /, comparisons, `and`,
`or` and `not`; nothing else, so that a rules file can do no harm. Levels compare by their order in
the terrain, not by the alphabet; those without an order only by == and !=. An expression says
nothing about rows in which a column that it names is missing.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import Bools
from facelift.errors import InvalidInput, nearest_name
from facelift.terrain.feature import Feature
from facelift.terrain.kinds import kind_of
from facelift.terrain.kinds.levels import LevelCodes

Requirement = Callable[[pd.DataFrame], Any]

MAX_DEPTH = 100
"""How deep an expression may be nested."""

_ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_EQUALITY: dict[type, Callable[[Any, Any], Any]] = {ast.Eq: operator.eq, ast.NotEq: operator.ne}
_COMPARISONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    **_EQUALITY,
}


def requirement(rule: str | Requirement, features: Sequence[Feature]) -> Requirement:
    """The function a rule stands for."""
    if callable(rule):
        return rule
    if not isinstance(rule, str):
        raise InvalidInput(f"A requirement is an expression or a function, got {rule!r}.")
    try:
        tree = ast.parse(rule.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise InvalidInput(
            f"Cannot read the requirement {_quoted(rule)}; write one like 'a <= b'."
        ) from None
    if _depth(tree) > MAX_DEPTH:
        raise InvalidInput(
            f"Requirement {_quoted(rule)} is nested too deeply; split it in several."
        )
    return partial(_answer, tree, rule, {feature.name: feature for feature in features})


def check_requirement(rule: str | Requirement, features: Sequence[Feature]) -> None:
    """An error if an expression names no known columns or uses them for what they are not."""
    asked = requirement(rule, features)
    if isinstance(rule, str):
        asked(pd.DataFrame({feature.name: [] for feature in features}))  # needs no rows to tell


def satisfied(rule: Requirement, frame: pd.DataFrame) -> Bools:
    """Whether each row satisfies the requirement; shape (n,)."""
    answer = np.asarray(rule(frame))
    if answer.shape != (len(frame),) or answer.dtype != bool:
        raise InvalidInput(
            f"A requirement must answer with one True or False per row; got {answer.dtype} of "
            f"shape {answer.shape} for {len(frame)} rows."
        )
    return answer


def _answer(tree: ast.expr, rule: str, features: dict[Any, Feature], frame: pd.DataFrame) -> Bools:
    try:
        unknown = _unknown(tree, frame)
        with np.errstate(all="ignore"):  # a share of nothing is no number: it compares as false
            answer = _value(tree, features, frame)
    except InvalidInput as fault:
        raise InvalidInput(f"Requirement {_quoted(rule)}: {fault}") from None
    if not _is_truth(answer) or np.shape(answer) != (len(frame),):
        raise InvalidInput(f"Requirement {_quoted(rule)} must be a comparison, such as 'a <= b'.")
    return np.asarray(np.logical_or(answer, unknown))


def _unknown(tree: ast.expr, frame: pd.DataFrame) -> Bools:
    """Rows in which a column that an expression names is missing."""
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    columns = [name for name in frame.columns if name in named]
    return np.asarray(frame[columns].isna().any(axis=1))


def _value(node: ast.expr, features: dict[Any, Feature], frame: pd.DataFrame) -> Any:
    value = partial(_value, features=features, frame=frame)
    match node:
        case ast.Name(id=name):
            return _column(name, features, frame)
        case ast.Constant(value=bool() | str() as constant):
            return constant
        case ast.Constant(value=int() | float() as number):
            return _number(number)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return _ARITHMETIC[type(op)](_as_number(value(left)), _as_number(value(right)))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_as_number(value(operand))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return np.logical_not(_as_truth(value(operand)))
        case ast.BoolOp(op=op, values=parts):
            fold = np.logical_and if isinstance(op, ast.And) else np.logical_or
            return fold.reduce(np.broadcast_arrays(*(_as_truth(value(part)) for part in parts)))
        case ast.Compare(left=left, ops=ops, comparators=rest) if all(
            type(op) in _COMPARISONS for op in ops
        ):
            sides = [value(side) for side in (left, *rest)]
            pairs = [_compared(type(op), *sides[i : i + 2]) for i, op in enumerate(ops)]
            return np.logical_and.reduce(pairs)
    raise InvalidInput("it may use columns, numbers, text, + - * /, comparisons, and, or, not.")


def _column(name: str, features: dict[Any, Feature], frame: pd.DataFrame) -> Any:
    if name not in features:
        raise InvalidInput(f"there is no column {name!r}; {nearest_name(name, features)}")
    return kind_of(features[name]).operand(features[name], frame[name])


def _compared(op: type, left: Any, right: Any) -> Any:
    feature = next((side.feature for side in (left, right) if isinstance(side, LevelCodes)), None)
    if feature is None:
        return _COMPARISONS[op](_as_number(left), _as_number(right))
    if op not in _EQUALITY:
        feature.check_order("; compare it by == or !=, or order() it.")
    return _COMPARISONS[op](_codes(feature, left), _codes(feature, right))


def _codes(feature: Feature, side: Any) -> Any:
    """Places of a column's or a constant's levels among those of `feature`."""
    if isinstance(side, LevelCodes):
        if side.feature.levels != feature.levels:
            raise InvalidInput(
                f"{feature.name!r} and {side.feature.name!r} have different levels; "
                "give a function instead."
            )
        return side.codes
    if not isinstance(side, str | bool | np.float64):
        raise InvalidInput(f"{feature.name!r} has levels; compare it with one of them.")
    return feature.levels.index(feature.level(side))


def _number(number: float) -> np.float64:
    try:
        return np.float64(number)
    except OverflowError:
        raise InvalidInput("a number in it is too large.") from None


def _as_number(value: Any) -> Any:
    if isinstance(value, str):
        raise InvalidInput(f"{value!r} is text; text compares with a column that has such levels.")
    if isinstance(value, LevelCodes):
        raise InvalidInput(f"{value.feature.name!r} has levels, which are no numbers.")
    return np.asarray(value, dtype=np.float64)[()]


def _as_truth(value: Any) -> Any:
    if not _is_truth(value):
        raise InvalidInput("`and`, `or` and `not` join comparisons.")
    return value


def _is_truth(value: Any) -> bool:
    return not isinstance(value, LevelCodes) and np.asarray(value).dtype == bool


def _depth(tree: ast.expr) -> int:
    depth, layer = 0, [tree]
    while layer and depth <= MAX_DEPTH:
        depth += 1
        layer = [child for node in layer for child in ast.iter_child_nodes(node)]  # type: ignore[misc]
    return depth


def _quoted(rule: str) -> str:
    """A rule as an error quotes it."""
    return repr(rule if len(rule) <= 80 else rule[:79] + "…")
