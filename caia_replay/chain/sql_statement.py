"""One SELECT, checked against what SQL over recorded tables may say, with an order that leaves nothing open.

The engine's own parser gives the statement as a tree; everything is allowed by name or refused. Runs in the
engine's process (``sql_worker``).

Functions are those of their arguments alone, whose results cannot grow without end. Not allowed: chance, clocks, time
zones, files, settings, catalogs, samples, and functions that make a large value out of a small number (``repeat``,
``range`` as a value, ``format`` with a width): the engine builds such a value outside its own memory limit and does not
hear that it should stop (measured: 20 GB and 50 s for one call). Nor are powers, logarithms and angles, whose last
digits the C library computes differently from one kind of processor to the next.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from caia_replay.errors import ToolError, nearest

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


_AGGREGATES: Final = """
any_value arg_max arg_max_null arg_min arg_min_null array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count
count_if count_star countif covar_pop covar_samp favg first fsum group_concat
kahan_sum kurtosis kurtosis_pop last list listagg mad max max_by mean median min min_by mode product quantile
quantile_cont quantile_disc regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy
sem skewness stddev stddev_pop stddev_samp string_agg sum sum_no_overflow sumkahan var_pop var_samp variance
"""
_WINDOWS: Final = """
cume_dist dense_rank fill first_value lag last_value lead nth_value ntile percent_rank rank rank_dense row_number
"""
_NUMBERS: Final = """
abs add bit_count ceil ceiling degrees divide even fdiv floor fmod gcd greatest isfinite isinf isnan lcm least mod
multiply nextafter pi radians round round_even roundbankers sign signbit sqrt subtract trunc xor
"""
_TEXTS: Final = """
array_extract ascii base64 bin chr concat concat_ws contains ends_with from_base64 from_hex hex instr lcase left length
len like_escape ilike_escape not_like_escape not_ilike_escape lower ltrim md5 nfc_normalize octet_length ord position
prefix regexp_extract regexp_extract_all regexp_full_match regexp_matches regexp_replace regexp_split_to_array replace
reverse right rtrim sha1 sha256 split split_part starts_with str_split string_split strip_accents strlen strpos
substr substring suffix to_base64 to_hex translate trim ucase unhex unicode upper array_slice encode decode
"""
_TIMES: Final = """
date_diff date_part date_sub date_trunc datediff datepart datesub datetrunc day dayname dayofmonth dayofweek dayofyear
epoch epoch_ms epoch_ns epoch_us era hour isodow isoyear last_day make_date make_time make_timestamp microsecond
millisecond minute month monthname quarter second strftime strptime time_bucket to_days to_hours
to_microseconds to_milliseconds to_minutes to_months to_seconds to_timestamp to_weeks to_years try_strptime week weekday
weekofyear year yearweek date_add
"""
_OTHERS: Final = """
alias array_contains array_distinct array_length array_position array_sort constant_or_null element_at
flatten if list_aggregate list_aggr list_any_value list_apply list_avg list_concat list_contains list_count
list_distinct list_element list_extract list_filter list_first list_has list_last list_max list_median list_min
list_position list_reduce list_reverse list_reverse_sort list_slice list_sort list_sum list_transform list_unique
list_value list_zip map map_extract map_keys map_values nullif row struct_extract struct_pack to_json typeof unnest
json_extract json_extract_string array_to_string list_intersect list_has_any list_has_all
"""

INEXACT_OPERATORS: Final = frozenset(("^", "**"))
"""Powers, which are no function of recorded values alone but of the processor, too."""

AGGREGATES: Final = frozenset(_AGGREGATES.split())

FUNCTIONS: Final = frozenset(" ".join((_AGGREGATES, _WINDOWS, _NUMBERS, _TEXTS, _TIMES, _OTHERS)).split())
"""Names that a call may have, in lower case; operators are always allowed."""

CALLED_BY_TEXT: Final = frozenset(("list_aggr", "list_aggregate"))
"""They call the aggregate that their second argument names: a text as it is written, and one of ``AGGREGATES``."""

PADDING: Final = frozenset(("lpad", "rpad"))
"""Allowed where the length is written as a number, of at most ``MOST_PADDING``."""

MOST_PADDING: Final = 256

TABLE_FUNCTIONS: Final = frozenset(("generate_series", "range", "unnest"))
"""Allowed after FROM: their rows come one after the other."""

HIDDEN_CALLS: Final = frozenset(
    f"current_{what}" for what in ("catalog", "date", "role", "schema", "time", "timestamp", "user")
) | {"localtime", "localtimestamp", "session_user", "user"}
"""Names that look like columns and are calls, which SQL writes without brackets."""


MOST_CHARS: Final = 10_000

_QUERIES: Final = frozenset(("SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"))
_SOURCES: Final = frozenset(("BASE_TABLE", "EMPTY", "EXPRESSION_LIST", "JOIN", "SUBQUERY", "TABLE_FUNCTION"))

Tree = dict[str, Any]

_RAISED_HEX: Final = re.compile(r"0[xX](?=[0-9a-f]*[A-F])[0-9a-fA-F]{8,}|0X[0-9a-f]{8,}")
"""An address or hash as others write it, which would silently equal nothing."""
_SHORT_NUMBER: Final = re.compile(r"-?[0-9]{1,9}")


class Statement:
    """A checked SELECT; ``tables`` are those of ``known`` that it reads, sorted."""

    def __init__(self, engine: DuckDBPyConnection, text: str, known: frozenset[str]) -> None:
        """Raises ``ToolError`` with what would be accepted."""
        self._engine = engine
        self._known = known
        self._found: set[str] = set()
        self._tree = self._parsed(text)
        self._check(self._tree["node"], frozenset())

    @property
    def tables(self) -> list[str]:
        """The names of the tables it reads."""
        return sorted(self._found)

    @property
    def text(self) -> str:
        """The statement as the engine writes it."""
        return self._written()

    def ordered(self, columns: int) -> str:
        """The statement sorted by its own ORDER BY, then by its columns from the left, so that nothing is left open."""
        modifiers = self._tree["node"]["modifiers"]
        order = next((found for found in modifiers if found["type"] == "ORDER_MODIFIER"), None)
        if order is None:
            order = {"type": "ORDER_MODIFIER", "orders": []}
            cut = [at for at, found in enumerate(modifiers) if found["type"].startswith("LIMIT")]
            modifiers.insert(cut[0] if cut else len(modifiers), order)
        if not any(found["expression"]["class"] == "STAR" for found in order["orders"]):
            order["orders"] += [_by_column(at) for at in range(1, columns + 1)]
        return self._written()

    def _parsed(self, text: str) -> Tree:
        if len(text) > MOST_CHARS:
            raise ToolError(f"the statement has {len(text)} characters; at most {MOST_CHARS} are read")
        if "\0" in text:  # the engine reads it, but writes the statement only as far as that
            raise ToolError("the statement has a NUL character; chr(0) stands for one")
        half = next((at for at, char in enumerate(text) if "\ud800" <= char <= "\udfff"), None)
        if half is not None:
            raise ToolError(f"the statement has half a character at position {half}")
        row = self._engine.execute("SELECT json_serialize_sql(?)", [text]).fetchone()
        assert row is not None
        value: Tree = json.loads(row[0])
        if value["error"]:
            raise ToolError(
                f"sql takes one SELECT (or WITH ... SELECT): {value.get('error_message', 'nothing is there')}"
            )
        if len(value["statements"]) != 1:
            raise ToolError(f"sql takes one SELECT, not {len(value['statements'])} statements")
        tree: Tree = value["statements"][0]
        return tree

    def _written(self) -> str:
        tree = json.dumps({"error": False, "statements": [self._tree]})
        row = self._engine.execute("SELECT json_deserialize_sql(?::JSON)", [tree]).fetchone()
        assert row is not None
        return str(row[0])

    def _check(self, node: Any, seen: frozenset[str]) -> None:
        """``seen`` are the names that WITH gave to subqueries around and before this place."""
        if isinstance(node, list):
            for item in node:
                self._check(item, seen)
            return
        if not isinstance(node, dict):
            return
        if "cte_map" in node:
            seen = self._check_with(node, seen)
        if node.get("sample") is not None:
            raise ToolError("samples are drawn by chance and not available; use ORDER BY and LIMIT")
        if "class" in node:
            self._check_expression(node)
        elif "sample" in node and "alias" in node:
            self._check_source(node, seen)
        elif str(node.get("type", "")).endswith("_NODE") and node["type"] not in _QUERIES:
            raise ToolError(f"{node['type']} is not available; sql takes one SELECT")
        for name, item in node.items():
            if name == "function" and node.get("type") == "TABLE_FUNCTION":
                item = item["arguments"]
            if name == "right" and node.get("type") == "RECURSIVE_CTE_NODE":
                self._check(item, seen | {node["cte_name"].lower()})
            elif name != "cte_map":
                self._check(item, seen)

    def _check_with(self, node: Tree, seen: frozenset[str]) -> frozenset[str]:
        """The names that hold inside ``node``: each subquery sees those before it."""
        for entry in node["cte_map"]["map"]:
            self._check(entry["value"], seen)
            seen |= {entry["key"].lower()}
        return seen

    def _check_source(self, source: Tree, seen: frozenset[str]) -> None:
        kind = source["type"]
        if kind not in _SOURCES or source.get("at_clause") is not None:
            raise ToolError(f"{kind.lower().replace('_', ' ')} is not available after FROM; read tables and subqueries")
        if kind == "TABLE_FUNCTION":
            called = source["function"]
            if called["class"] != "FUNCTION" or called["function_name"].lower() not in TABLE_FUNCTIONS:
                raise _no_function(str(called.get("function_name")), TABLE_FUNCTIONS)
        if kind == "BASE_TABLE":
            name = source["table_name"].lower()
            path = source["qualified_name"]["path"]
            if len(path) != 1 or source["schema_name"] or source["catalog_name"]:
                raise ToolError(f"no table {'.'.join(path)[:80]!r}; there are: {', '.join(sorted(self._known))}")
            if name in seen:
                return
            if name not in self._known:
                raise ToolError(f"no table {name[:80]!r}; there are: {', '.join(sorted(self._known))}")
            self._found.add(name)

    def _check_expression(self, node: Tree) -> None:
        kind = node["class"]
        if kind in ("FUNCTION", "WINDOW") and not node.get("is_operator"):
            name = node["function_name"].lower()
            if name in PADDING:
                _check_padding(name, node["arguments"])
            elif name not in FUNCTIONS or len(node["qualified_name"]["path"]) != 1:
                raise _no_function(name, FUNCTIONS)
            elif name in CALLED_BY_TEXT:
                _check_called(name, node["arguments"])
        if kind == "FUNCTION" and node.get("is_operator") and node["function_name"] in INEXACT_OPERATORS:
            raise ToolError(f"{node['function_name']} is not available: its last digits differ between processors")
        if kind == "COLUMN_REF" and str(node["column_names"][-1]).lower() in HIDDEN_CALLS:
            raise _no_function(node["column_names"][-1], FUNCTIONS)
        if kind == "CONSTANT" and _RAISED_HEX.fullmatch(str((node.get("literal") or {}).get("text", ""))):
            raise ToolError("hashes and addresses are lower-case 0x text here, and no other text equals them")
        if kind == "PARAMETER":
            raise ToolError("the statement has parameters; write the values into it")


def _check_padding(name: str, arguments: list[Tree]) -> None:
    length = _second(arguments, "INTEGER")
    if not _SHORT_NUMBER.fullmatch(length) or int(length) > MOST_PADDING:
        raise ToolError(f"{name} takes its length as a number of at most {MOST_PADDING}")


def _check_called(name: str, arguments: list[Tree]) -> None:
    called = _second(arguments, "STRING")
    if not called:
        raise ToolError(f"{name} takes the name of an aggregate as a text that stands there, such as 'sum'")
    if called.lower() not in AGGREGATES:
        raise _no_function(called, AGGREGATES)


def _second(arguments: list[Tree], kind: str) -> str:
    """The second argument as it is written, or an empty text where it is no literal of this kind but computed."""
    literal = (arguments[1]["expression"].get("literal") or {}) if len(arguments) > 1 else {}
    return str(literal["text"]) if literal.get("kind") == kind else ""


def _by_column(number: int) -> Tree:
    literal = {"kind": "INTEGER", "text": str(number)}
    constant = {"class": "CONSTANT", "type": "VALUE_CONSTANT", "alias": "", "literal": literal}
    return {"type": "ORDER_DEFAULT", "null_order": "ORDER_DEFAULT", "expression": constant}


def _no_function(name: str, known: frozenset[str]) -> ToolError:
    near = nearest(name.lower(), known)
    hint = f"; nearest: {near}" if near else ""
    return ToolError(f"the function {name[:60]!r} is not available: only functions of recorded values are{hint}")
