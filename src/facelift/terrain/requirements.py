"""Requirements: rules between columns that every state must satisfy.

A requirement is a function from a pandas frame to one boolean per row, or an expression such as
"installments <= duration". Expressions know columns, numbers, text, + - * /, comparisons, `and`,
`or` and `not`; nothing else, so that a rules file can do no harm.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from facelift.arrays import Bools
from facelift.errors import InvalidInput, nearest_name

Requirement = Callable[[pd.DataFrame], Any]

_ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_COMPARISONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def requirement(rule: str | Requirement, columns: Collection[Any]) -> Requirement:
    """The function a rule stands for; an expression must name known columns only."""
    if callable(rule):
        return rule
    try:
        tree = ast.parse(rule, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        raise InvalidInput(f"Cannot read the requirement {rule!r}; write e.g. 'a <= b'.") from None
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in columns:
            hint = nearest_name(node.id, columns)
            raise InvalidInput(f"Requirement {rule!r}: there is no column {node.id!r}; {hint}")
    if not isinstance(tree, ast.Compare | ast.BoolOp | ast.UnaryOp):
        raise InvalidInput(f"Requirement {rule!r} must be a comparison, such as 'a <= b'.")
    return partial(_value, tree, rule)


def satisfied(rule: Requirement, frame: pd.DataFrame) -> Bools:
    """Whether each row satisfies the requirement; shape (n,)."""
    answer = np.asarray(rule(frame))
    if answer.shape != (len(frame),) or answer.dtype != bool:
        raise InvalidInput(
            f"A requirement must answer with one True or False per row; got {answer.dtype} of "
            f"shape {answer.shape} for {len(frame)} rows."
        )
    return answer


def _value(node: ast.expr, rule: str, frame: pd.DataFrame) -> Any:
    value = partial(_value, rule=rule, frame=frame)
    match node:
        case ast.Name(id=name):
            return frame[name].to_numpy()
        case ast.Constant(value=int() | float() | str() as constant):
            return constant
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return _ARITHMETIC[type(op)](value(left), value(right))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -value(operand)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return np.logical_not(value(operand))
        case ast.BoolOp(op=op, values=parts):
            fold = np.logical_and if isinstance(op, ast.And) else np.logical_or
            return fold.reduce([value(part) for part in parts])
        case ast.Compare(left=left, ops=ops, comparators=rest) if all(
            type(op) in _COMPARISONS for op in ops
        ):
            sides = [value(side) for side in (left, *rest)]
            pairs = [_COMPARISONS[type(op)](sides[i], sides[i + 1]) for i, op in enumerate(ops)]
            return np.logical_and.reduce(pairs)
    raise InvalidInput(f"Requirement {rule!r} uses something other than columns and comparisons.")
