"""One dry run of a gold chain: the tools themselves, over a world of stand-ins, step by step.

A reference is evaluated on what the steps before gave. Where that cannot be, a stand-in of the argument's kind takes
its place, so that the step's own requests are seen; what depends on it is another one in another run.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

from caia_replay.core.expression import references
from caia_replay.core.gold import GoldStep, resolve
from caia_replay.errors import GoldFault, ToolError
from caia_replay.recording.plan_chain import Hint
from caia_replay.recording.plan_stand_in import StandIn
from caia_replay.recording.plan_task import PlannedTask
from caia_replay.recording.plan_world import Asked, Calling, PlanWorld
from caia_replay.tools.argument import chain_argument
from caia_replay.tools.block_range import block_range
from caia_replay.tools.catalog import CATALOG
from caia_replay.tools.session import Session
from caia_replay.tools.signature import Parameter, Signature, parse_event, parse_signature
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text
from caia_replay.world.world import TaskWorld

UNTOLD: Final = 1_759_017_599
"""27 September 2025, the day of CAIA's data set: about when an anchor is whose moment its block has yet to tell."""

_HEIGHTS: Final = ("block", "from_block", "to_block", "start_block", "end_block")
_MOMENTS: Final = ("at", "time", "start", "end", "first_day", "last_day", "end_time")
_BEGIN: Final = ("start", "first_day", "from_block", "start_block")
_END: Final = ("end", "last_day", "to_block", "end_block", "end_time")
_ADDRESSES: Final = ("address", "contract")
_NAME: Final = re.compile(r"\s*(?:function\s+|event\s+)?([A-Za-z_$][\w$]*)\s*")
_ARGUMENT: Final = re.compile(r"arguments\.([A-Za-z_]\w*)")
_PARTIES: Final = frozenset(("from", "to", "owner", "spender", "sender", "recipient", "receiver", "user", "account"))
_OUTPUTS: Final = 8


@dataclass(frozen=True, slots=True)
class StepRun:
    """What one step asked. ``fault`` is why it gave nothing, in words that may hold stand-ins; ``computes``: it runs
    code and asks nobody. ``depends`` are the steps it refers to, from 1."""

    tool: str
    asked: tuple[Asked, ...]
    fault: str
    is_refusal: bool
    depends: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DryRun:
    """Every step, the calls of chains by (chain, method), and the moment the run took for now."""

    steps: tuple[StepRun, ...]
    chain_calls: Mapping[tuple[str, str], int]
    now: int


def dry_run(task: PlannedTask, stand: StandIn) -> DryRun:
    """Run a task's chain once. Whatever a tool makes of stand-ins, this ends with a ``StepRun`` for every step."""
    now = task.anchor.timestamp
    if now < 0:
        now = UNTOLD + stand.seconds("now", 1, 20)
    world = PlanWorld(task.anchor, now, stand, chains_of(task), _highest(task.gold.steps))
    results: list[Mapping[str, Any] | None] = []
    steps: list[StepRun] = []
    extra: Counter[tuple[str, str]] = Counter()
    for number, step in enumerate(task.gold.steps, start=1):
        chain = world.chains.get(str(step.arguments.get("chain") or task.anchor.chain).lower())
        place = _Place(stand, now, number, None if chain is None else chain.newest)
        arguments = {name: _resolved(name, value, results, place) for name, value in step.arguments.items()}
        world.begin(Calling(step.tool, arguments, _hint(step, arguments, task)))
        before = len(world.asked)
        result, fault, is_refusal = _called(world, step.tool, arguments, extra)
        results.append(result)
        asked = tuple(world.asked[before:])
        steps.append(StepRun(step.tool, asked, fault, is_refusal, _depends(step.arguments)))
    counted = Counter({(name, method): n for name, one in world.chains.items() for method, n in one.counts.items()})
    return DryRun(tuple(steps), dict(sorted((counted + extra).items())), now)


def chains_of(task: PlannedTask) -> tuple[str, ...]:
    """The anchor's chain and every chain that a step names."""
    named = [step.arguments.get("chain") for step in task.gold.steps if CATALOG_HAS_CHAINS.get(step.tool)]
    texts = [text.strip().lower() for text in named if isinstance(text, str) and not text.startswith(("$", "="))]
    return tuple(dict.fromkeys((task.anchor.chain, *(text for text in texts if text not in ("", "all")))))


CATALOG_HAS_CHAINS: Final[Mapping[str, bool]] = {
    name: True
    for name in ("block_query", "transaction_query", "balance_query", "supply_query", "data_query", "time_conversion",
                 "network_activity")
}  # fmt: skip
"""Tools whose argument ``chain`` is a chain with a fork; those of the DeFi index name chains in its own words."""


def _called(
    world: PlanWorld, tool: str, arguments: dict[str, Any], extra: Counter[tuple[str, str]]
) -> tuple[Mapping[str, Any] | None, str, bool]:
    """A step's result or None, why there is none, and whether the tool refuses what it is asked."""
    known = CATALOG.get(tool)
    if known is None:
        return None, f"no tool is called {tool[:60]!r}", True
    if tool == "code_execution":
        return None, "code is run on what the steps before give", False
    view, real = ToolContext(cast(TaskWorld, world), Session()), cast(TaskWorld, world)
    try:
        if tool == "data_query" and arguments.get("sql") is not None:
            _count_tables(view, arguments, extra)
            if arguments.get("event") is None:
                return None, "its rows are computed from tables that are recorded first", False
            arguments = {name: value for name, value in arguments.items() if name not in ("sql", "offset", "limit")}
        reply = known.call(real, json.dumps(arguments), Session())
    except ToolError as refusal:
        return None, str(refusal), True
    except Exception as fault:  # noqa: BLE001  (a tool may trip over a stand-in; the plan then says what follows)
        return None, f"{type(fault).__name__}: {fault}", False
    if reply.result is not None:
        return reply.result, "", False
    error = reply.error or {}
    return None, str(error.get("message", "")), error.get("type") in ("tool_error", "invalid_arguments")


def _count_tables(view: ToolContext, arguments: Mapping[str, Any], extra: Counter[tuple[str, str]]) -> None:
    """A statement reads whole tables: every block of its range with its transactions, and their receipts."""
    name = chain_argument(view, arguments.get("chain"))
    first, last = block_range(view, name, arguments.get("from_block"), arguments.get("to_block"), usual_first=0)
    if arguments.get("event") is None:
        extra[name, "eth_getBlockByNumber"] += last - first + 1
        extra[name, "eth_getBlockReceipts"] += last - first + 1


class _Place(NamedTuple):
    """Where a stand-in of an argument is wanted: the run, its moment, the step, and its chain's newest block."""

    stand: StandIn
    now: int
    step: int
    newest: int | None


def _resolved(name: str, value: Any, results: Sequence[Mapping[str, Any] | None], place: _Place) -> Any:
    if not _depends(value):
        try:
            return resolve(value, [])
        except GoldFault:
            return value
    try:
        return resolve(value, [one if one is not None else {} for one in results])
    except (GoldFault, ArithmeticError, ValueError, TypeError, LookupError):
        return _stand_in(name, value, place)


def _stand_in(name: str, value: Any, place: _Place) -> Any:
    """Something of an argument's kind, by the argument's name."""
    stand, what = place.stand, f"argument {name} of step {place.step}"
    if isinstance(value, list):
        return [_stand_in(name, one, place) if _depends(one) else one for one in value]
    # What begins lies before what ends, in every run.
    days = 30 if name in _BEGIN else 10 if name in _END else 20
    if name in _HEIGHTS and place.newest is not None:
        return max(0, place.newest - days * 10_000 - stand.number(what) % 50_000)
    if name in _HEIGHTS or name in _MOMENTS:
        return utc_text(place.now - stand.seconds(what, 2 * days, 2 * days + 10))
    if name in _ADDRESSES or name == "arguments" or (name == "token" and "0x" in str(value)):
        return stand.address(what)
    if name == "hash":
        return stand.hash(what)
    if name == "url":
        return f"https://{stand.word(what)}.example/"
    if name in ("limit", "page", "offset", "cursor"):
        return 1
    return stand.word(what)


def _hint(step: GoldStep, arguments: Mapping[str, Any], task: PlannedTask) -> Hint:
    """What a step's ``function`` and ``event`` say of the contract; for a bare name types are guessed by the values."""
    hint = Hint()
    function, event = arguments.get("function"), arguments.get("event")
    try:
        if isinstance(function, str):
            signature = _function(function, _listed(arguments.get("arguments")))
            if step.tool == "transaction_query":
                hint.called = signature
            else:
                hint.functions.append(signature)
        if isinstance(event, str):
            hint.event = _event(event, _listed(arguments.get("where")), task)
    except ToolError:
        pass  # the tool itself will say so
    return hint


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else ()


def _function(text: str, values: Sequence[Any]) -> Signature:
    named = _NAME.fullmatch(text)
    if named is None:
        signature = parse_signature(text)
        outputs = signature.outputs or _numbers(_OUTPUTS)
        return Signature(signature.name, signature.inputs, outputs)
    inputs = tuple(Parameter(_type_of(value), f"arg{at}", False) for at, value in enumerate(values))
    return Signature(named[1], inputs, _numbers(_OUTPUTS))


def _event(text: str, where: Sequence[Any], task: PlannedTask) -> Signature:
    named = _NAME.fullmatch(text)
    if named is None:
        return parse_event(text)
    written = json.dumps([dict(one.arguments) for one in task.gold.steps], default=str) + task.gold.result
    names = [str(one).partition("=")[0].strip() for one in where] + _ARGUMENT.findall(written)
    parts = [Parameter("address" if name in _PARTIES else "uint256", name, name in _PARTIES) for name in names if name]
    return Signature(named[1], tuple({part.name: part for part in parts}.values()), ())


def _numbers(count: int) -> tuple[Parameter, ...]:
    return tuple(Parameter("uint256", f"arg{at}", False) for at in range(count))


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, list):
        return f"{_type_of(value[0]) if value else 'uint256'}[]"
    text = str(value).strip()
    if re.fullmatch(r"0x[0-9a-fA-F]{40}", text):
        return "address"
    if re.fullmatch(r"0x[0-9a-fA-F]{64}", text):
        return "bytes32"
    return "uint256" if re.fullmatch(r"-?\d+|0x[0-9a-fA-F]+", text) else "string"


def _depends(value: Any) -> tuple[int, ...]:
    """The steps that an argument refers to, in lists and tables too."""
    if isinstance(value, str):
        return references(value) if value.startswith(("$", "= ")) else ()
    if isinstance(value, Mapping):
        return tuple(dict.fromkeys(number for one in value.values() for number in _depends(one)))
    if isinstance(value, (list, tuple)):
        return tuple(dict.fromkeys(number for one in value for number in _depends(one)))
    return ()


def _highest(steps: Sequence[GoldStep]) -> int:
    """The greatest height that a step names."""
    found = [0]
    for step in steps:
        for name in _HEIGHTS:
            value = step.arguments.get(name)
            if isinstance(value, int) and not isinstance(value, bool):
                found.append(value)
            elif isinstance(value, str) and value.strip().isascii() and value.strip().isdecimal():
                found.append(int(value.strip()[:18]))
    return min(max(found), 10**15)
