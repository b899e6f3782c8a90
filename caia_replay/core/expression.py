"""The small language that joins the results of tool calls.

    $1.transactions.0.hash      field or list index of the first step's result
    $2.logs[*].value            the same field of every element, a list

An expression has + - * / // % on exact rationals (numeric and 0x texts are read as numbers), numbers,
quoted texts (raw: a backslash is a backslash), comparisons == != < <= > >=, and the functions of
``FUNCTIONS``, whose results may be walked too: ``first(where($1.events, 'block', 7)).arguments.to``, ``sort($1.x)[0]``.
There is no other name or call, and nothing is rounded unless ``round`` asks.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from math import isfinite
from typing import Any

from caia_replay.core.pattern import tame
from caia_replay.errors import GoldFault, nearest

REFERENCE = re.compile(r"\$(\d+)((?:\.[A-Za-z_][A-Za-z0-9_]*|\.\d+|\[\*\])*)")
_PATH_PART = re.compile(r"\.([A-Za-z0-9_]+)|(\[\*\])")
_DECIMAL = re.compile(r"[+-]?\d+(\.\d+)?")
_HEX = re.compile(r"0x[0-9a-fA-F]{1,64}")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_STEP_DIGITS = 9

LONGEST = 1_000
"""Characters of an expression, which also bounds how deep one can nest; and of a number that is written as text."""

WIDEST_BITS = 10_000
"""Of a number: less than Python refuses to write as text."""


def look_up(reference: str, results: Sequence[Mapping[str, Any]]) -> Any:
    """The value a reference such as ``$1.logs[*].value`` points at. Raises ``GoldFault``."""
    found = REFERENCE.fullmatch(reference)
    if not found:
        raise GoldFault(f"{reference!r} is not a reference such as $1.field")
    number = int(found[1][:_STEP_DIGITS])
    if not 1 <= number <= len(results):
        raise GoldFault(f"{reference} refers to step {number}, and {len(results)} steps are done")
    return _walk(results[number - 1], _PATH_PART.findall(found[2]), reference)


def _walk(value: Any, parts: list[tuple[str, str]], reference: str) -> Any:
    for at, (name, star) in enumerate(parts):
        if star:
            if not isinstance(value, (list, tuple)):
                raise GoldFault(f"{reference}: [*] needs a list, found {type(value).__name__}")
            return [_walk(item, parts[at + 1 :], reference) for item in value]
        if isinstance(value, Mapping):
            if name not in value:
                raise GoldFault(f"{reference}: no field {name!r}; nearest: {nearest(name, value) or 'none'}")
            value = value[name]
        elif isinstance(value, (list, tuple)) and name.isdigit():
            if int(name) >= len(value):
                raise GoldFault(f"{reference}: index {name} of a list of {len(value)}")
            value = value[int(name)]
        else:
            raise GoldFault(f"{reference}: {type(value).__name__} has no field {name!r}")
    return value


def number(value: Any) -> Fraction:
    """A JSON number, decimal text or 0x text as an exact rational. Raises ``GoldFault``."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    if isinstance(value, float) and isfinite(value):
        return Fraction(repr(value))
    if isinstance(value, str) and len(value) <= LONGEST:
        if _HEX.fullmatch(value):
            return Fraction(int(value, 16))
        if _DECIMAL.fullmatch(value.replace(",", "")):
            return Fraction(value.replace(",", ""))
    raise GoldFault(f"{value!r} is not a number")


def _items(value: Any) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise GoldFault(f"{value!r} is not a list")
    return list(value)


def _match(text: Any, pattern: Any) -> str:
    try:
        found = tame(str(pattern), len(str(text))).search(str(text))
    except ValueError as fault:
        raise GoldFault(f"pattern {str(pattern)[:100]!r}: {fault}") from fault
    if not found:
        raise GoldFault(f"pattern {pattern!r} is not in the text")
    return found[1] if found.re.groups else found[0]


def _where(items: Any, field: Any, wanted: Any) -> list[Any]:
    return [item for item in _items(items) if isinstance(item, Mapping) and same(item.get(str(field)), wanted)]


def same(left: Any, right: Any) -> bool:
    """Whether two values are one number, or one text whatever its case."""
    try:
        return number(left) == number(right)
    except GoldFault:
        return str(left).lower() == str(right).lower()


def _unique(items: Any) -> list[Any]:
    return list(dict.fromkeys(_items(items)))


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "sum": lambda items: sum((number(item) for item in _items(items)), Fraction(0)),
    "count": lambda items: Fraction(len(_items(items))),
    "min": lambda items: min(number(item) for item in _items(items)),
    "max": lambda items: max(number(item) for item in _items(items)),
    "abs": lambda value: abs(number(value)),
    "round": lambda value, digits=0: Fraction(round(number(value), int(digits))),
    "unique": _unique,
    "sort": lambda items: sorted(_items(items), key=str),
    "first": lambda items: (_items(items) or [None])[0],
    "where": _where,
    "match": _match,
    "lower": lambda text: str(text).lower(),
    "utc_date": lambda seconds: datetime.fromtimestamp(int(number(seconds)), UTC).strftime("%Y-%m-%d"),
    "yes_no": lambda value: "yes" if value else "no",
    "list": lambda *items: list(items),
    "join": lambda separator, items: str(separator).join(render(item) for item in _items(items)),
    "choose": lambda condition, yes, no: yes if condition else no,
}
"""sum count min max abs round | unique sort first where(list, field, value) | match(text, pattern) lower |
utc_date(seconds) | yes_no(condition) choose(condition, yes, no) | list(...) join(separator, list)."""

_BINARY: Mapping[type[ast.operator], Callable[[Fraction, Fraction], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: lambda a, b: number(a) < number(b),
    ast.LtE: lambda a, b: number(a) <= number(b),
    ast.Gt: lambda a, b: number(a) > number(b),
    ast.GtE: lambda a, b: number(a) >= number(b),
    ast.Eq: same,
    ast.NotEq: lambda a, b: not same(a, b),
}


def references(expression: str) -> tuple[int, ...]:
    """The step numbers an expression or argument text refers to, in order of appearance."""
    return tuple(int(found[1][:_STEP_DIGITS]) for found in REFERENCE.finditer(_QUOTED.sub("", expression)))


def evaluate(expression: str, results: Sequence[Mapping[str, Any]]) -> Any:
    """The value of an expression over finished results: a Fraction, text, bool or list. Raises ``GoldFault``."""
    if len(expression) > LONGEST:
        raise GoldFault(f"expression {expression[:80]!r}... has more than {LONGEST} characters")
    names: dict[str, str] = {}

    def stand_in(found: re.Match[str]) -> str:
        name = f"r{len(names)}_"
        names[name] = found[0]
        return name

    source = re.sub(f"{_QUOTED.pattern}|{REFERENCE.pattern}", stand_in, expression)
    try:
        tree = ast.parse(source.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as fault:
        raise GoldFault(f"expression {expression!r} does not parse") from fault
    try:
        return _value(tree.body, names, results)
    except (RecursionError, OverflowError) as fault:
        raise GoldFault(f"expression {expression[:80]!r} is too deep or too large") from fault


def _value(node: ast.expr, names: Mapping[str, str], results: Sequence[Mapping[str, Any]]) -> Any:
    match node:
        case ast.Constant(value=bool() | None):
            raise GoldFault("True, False and None are not part of the language")
        case ast.Constant(value=int() | float() as constant):
            return number(constant)
        case ast.Name(id=name) if name in names:
            return look_up(names[name], results) if names[name].startswith("$") else names[name][1:-1]
        case ast.Attribute(value=inner, attr=name):
            return _walk(_value(inner, names, results), [(name, "")], f".{name}")
        case ast.Subscript(value=inner, slice=ast.Constant(value=int() as at)):
            return _walk(_value(inner, names, results), [(str(at), "")], f"[{at}]")
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -number(_value(operand, names, results))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            left_value, right_value = (number(_value(side, names, results)) for side in (left, right))
            if right_value == 0 and not isinstance(op, (ast.Add, ast.Sub, ast.Mult)):
                raise GoldFault("division by zero")
            return Fraction(_BINARY[type(op)](left_value, right_value))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
            return _COMPARE[type(op)](_value(left, names, results), _value(right, names, results))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
            try:
                return FUNCTIONS[name](*(_value(arg, names, results) for arg in args))
            except (TypeError, ValueError, OverflowError) as fault:
                raise GoldFault(f"{name}: {fault}") from fault
        case ast.Name(id=name) | ast.Call(func=ast.Name(id=name)):
            raise GoldFault(f"unknown word {name!r}; nearest: {nearest(name, FUNCTIONS) or 'none'}")
    raise GoldFault(f"{type(node).__name__} is not part of the language")


def render(value: Any) -> str:
    """A value as an answer text: exact decimals where they end, else 40 significant digits; lists by "; ".

    Raises ``GoldFault`` for an empty list or a missing value: nothing reads as an empty answer.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        value = Fraction(repr(value))
    if isinstance(value, (int, Fraction)):
        return _decimal(Fraction(value))
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, (list, tuple)) and value:
        return "; ".join(render(item) for item in value)
    raise GoldFault(f"the chain ends in {value!r}, which is no answer")


def _decimal(value: Fraction) -> str:
    from decimal import Context, Decimal

    if max(value.numerator.bit_length(), value.denominator.bit_length()) > WIDEST_BITS:
        raise GoldFault("the chain ends in a number too long to be written")
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    digits = len(str(abs(value.numerator))) + len(str(value.denominator)) * 4 if rest == 1 else 40
    exact = Context(prec=max(digits, 40)).divide(Decimal(value.numerator), Decimal(value.denominator))
    text = format(exact, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
