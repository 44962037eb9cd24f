"""Small changes of Python functions, one at a time: what mutation testing tries.

An operator or a comparison becomes its neighbour, a number one more, a condition certain or
impossible, a keyword is left out, a statement does nothing, `min` becomes `max` and so on. Left
alone: docstrings, annotations, the words of errors, defaults, and what runs at import.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

OPERATORS: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Div,),
    ast.Mod: (ast.Mult,),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
NAMES = {
    "min": "max",
    "max": "min",
    "minimum": "maximum",
    "maximum": "minimum",
    "any": "all",
    "all": "any",
    "argmin": "argmax",
    "argmax": "argmin",
    "floor": "ceil",
    "ceil": "floor",
    "less": "greater",
    "greater": "less",
}
DELETED = (ast.Assign, ast.AugAssign, ast.Expr)
INNER = (ast.stmt, ast.match_case)
SKIPPED = (ast.Raise, ast.arguments, ast.JoinedStr, ast.Assert)


@dataclass(frozen=True)
class Mutant:
    """A function with one change: its place, the change as one would read it, and its code."""

    file: str
    function: str
    old: str
    new: str
    code: CodeType

    def __str__(self) -> str:
        place = self.file.removeprefix("src/facelift/").removesuffix(".py").replace("/", ".")
        return f"`{place}.{self.function}`: `{self.old}` becomes `{self.new}`"


def mutants_of(root: Path, file: str) -> Iterator[Mutant]:
    """All mutants of a file, in the order of its text."""
    tree = ast.parse((root / file).read_text(encoding="utf-8"))
    for scope, function in _functions(tree):
        for statement, place, new in _changes(function):
            holder, field, index = place
            old, before = _get(*place), _shown(statement)
            _put(holder, field, index, ast.copy_location(new, old))
            after = "pass" if isinstance(new, ast.Pass) else _shown(statement)
            code = _compiled(scope, function, file)
            _put(holder, field, index, old)
            name = f"{scope.name}.{function.name}" if scope else function.name
            yield Mutant(file, name, before, after, code)


def _functions(tree: ast.Module) -> Iterator[tuple[ast.ClassDef | None, FunctionNode]]:
    for node in tree.body:
        if isinstance(node, FunctionNode):
            yield None, node
        if isinstance(node, ast.ClassDef):
            yield from ((node, each) for each in node.body if isinstance(each, FunctionNode))


Place = tuple[ast.AST, str, int | None]
"""Where a node stands: in which field of which other one, at which place of a list."""


def _changes(function: FunctionNode) -> Iterator[tuple[ast.AST, Place, ast.AST]]:
    """Every statement with every place in it that can be changed, and what comes there."""
    for statement, place in _statements(function):
        if isinstance(statement, DELETED) and len(getattr(*place[:2])) > 1:
            yield statement, place, ast.Pass()
        for field in _conditions(statement):
            for certain in (True, False):
                yield statement, (statement, field, None), ast.Constant(certain)
        for inner in _expressions(statement):
            yield from ((statement, inner, new) for new in _replacements(_get(*inner)))


def _conditions(statement: ast.AST) -> list[str]:
    """The field of a statement that decides whether what is in it runs."""
    if isinstance(statement, ast.If):
        return ["test"]
    return ["guard"] if isinstance(statement, ast.match_case) and statement.guard else []


def _statements(holder: ast.AST) -> Iterator[tuple[ast.stmt | ast.match_case, Place]]:
    """Statements in a body and below, docstrings left out; those of inner functions too."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for index, node in enumerate(getattr(holder, field, None) or []):
            if isinstance(node, ast.excepthandler):
                yield from _statements(node)
            elif isinstance(node, INNER) and not isinstance(node, SKIPPED) and not _is_text(node):
                yield node, (holder, field, index)
                yield from _statements(node)


def _expressions(holder: ast.AST) -> Iterator[Place]:
    """Places of expressions in a statement, from the outside in; not those of inner statements."""
    for field, value in ast.iter_fields(holder):
        if field in ("annotation", "returns", "decorator_list"):
            continue
        for index, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(node, ast.AST) and not isinstance(node, (*INNER, *SKIPPED)):
                yield holder, field, index
                yield from _expressions(node)


def _replacements(node: ast.AST) -> Iterator[ast.AST]:
    for operator in OPERATORS.get(type(node), ()):
        yield operator()
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield ast.Constant(node.value + 1)
    if isinstance(node, ast.UnaryOp):
        yield node.operand
    if isinstance(node, ast.Attribute) and node.attr in NAMES:
        yield _with(node, attr=NAMES[node.attr])
    if isinstance(node, ast.Name) and node.id in NAMES:
        yield _with(node, id=NAMES[node.id])
    if isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
    if isinstance(node, ast.Call):
        for i in range(len(node.keywords)):
            yield _with(node, keywords=node.keywords[:i] + node.keywords[i + 1 :])


def _with(node: ast.AST, **fields: object) -> ast.AST:
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _get(holder: ast.AST, field: str, index: int | None) -> ast.AST:
    value = getattr(holder, field)
    found: ast.AST = value if index is None else value[index]
    return found


def _put(holder: ast.AST, field: str, index: int | None, node: ast.AST) -> None:
    if index is None:
        setattr(holder, field, node)
    else:
        getattr(holder, field)[index] = node


def _shown(statement: ast.AST) -> str:
    """A statement as text; of one with a body, its first line."""
    return ast.unparse(statement).strip().splitlines()[0]


def _compiled(scope: ast.ClassDef | None, function: FunctionNode, file: str) -> CodeType:
    """The code of a function, compiled where it stands."""
    plain = _with(function, decorator_list=[])
    body = [plain if scope is None else _with(scope, body=[plain], decorator_list=[], bases=[])]
    module = ast.fix_missing_locations(ast.Module(body, type_ignores=[]))  # type: ignore[arg-type]
    code = compile(module, file, "exec", dont_inherit=True)
    for _ in range(1 if scope is None else 2):
        code = next(each for each in code.co_consts if isinstance(each, CodeType))
    return code
