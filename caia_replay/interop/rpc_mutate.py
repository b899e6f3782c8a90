"""Does a record protect? A command's requests, each changed in one place and asked again.

A changed request must be missed, refused, or answered by what the rows say of the changed key itself: never by what was
recorded for another. The command itself is answered truly, so that all of its requests are seen.
"""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from caia_replay.chain.column import json_text, to_hex
from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.plain_node import PlainNode
from caia_replay.chain.snapshot import Snapshot
from caia_replay.errors import CheckFailed, ForkFault, Miss, ToolError, one_line
from caia_replay.interop.rpc_command import find_snapshot, run_command
from caia_replay.interop.rpc_judge import ACCOUNT_METHODS, Basis, Reading, RowJudge
from caia_replay.interop.rpc_node import MissLog
from caia_replay.interop.rpc_serve import pin_of, serving

FIELDS: Final = ("address", "slot", "block", "method", "argument")
_MOST_TOLD: Final = 20

_SAME_FORM: Final = (ACCOUNT_METHODS, ("eth_getTransactionByHash", "eth_getTransactionReceipt"))
"""Methods that take each other's parameters."""

_SPOTS: Final[Mapping[str, Sequence[tuple[str, tuple[Any, ...]]]]] = {
    **dict.fromkeys((*ACCOUNT_METHODS, "eth_getAccountInfo"), (("address", (0,)), ("block", (1,)))),
    "eth_getStorageAt": (("address", (0,)), ("slot", (1,)), ("block", (2,))),
    **dict.fromkeys(
        ("eth_call", "eth_estimateGas"),
        (("address", (0, "to")), ("argument", (0, "data")), ("argument", (0, "input")), ("block", (1,))),
    ),
    **dict.fromkeys(("eth_getBlockByNumber", "eth_getBlockReceipts"), (("block", (0,)),)),
    **dict.fromkeys(
        ("eth_getBlockByHash", "eth_getTransactionByHash", "eth_getTransactionReceipt"), (("argument", (0,)),)
    ),
    "eth_getLogs": (
        ("address", (0, "address")),
        ("block", (0, "fromBlock")),
        ("block", (0, "toBlock")),
        ("argument", (0, "topics", 0)),
    ),
}
"""Per method the fields that are changed, and the way to each in the parameters."""

Call = tuple[str, list[Any]]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A request with one field changed."""

    field: str
    method: str
    params: list[Any]

    def __str__(self) -> str:
        return f"{self.method} {json_text(self.params):.160} (changed: {self.field})"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one changed request; ``survived`` says why it was answered wrongly, "" when it was not."""

    mutant: Mutant
    outcome: str
    answer: Any = None
    survived: str = ""


def mutate_command(
    named: str,
    command: Sequence[str],
    say: Callable[[str], None],
    *,
    block: int | None = None,
    count: int = 1000,
    seed: int = 0,
    variables: Sequence[str] = (),
) -> None:
    """Run the command on the snapshot, change its requests ``count`` times, and tell how many were killed.

    Raises ``CheckFailed`` when the command fails, asks nothing, or a changed request was answered with what its own
    rows do not say; ``BadInput`` as ``serving``.
    """
    snapshot = Snapshot.open(find_snapshot(named))
    log = MissLog(snapshot.name, pin_of(snapshot, block))
    asked: dict[str, Call] = {}

    def watch(method: str, params: Sequence[Any]) -> None:
        asked[json_text([method, list(params)])] = (method, list(params))

    with serving(snapshot, log, watch=watch) as url:
        code = run_command(command, url, variables)
    if code:
        raise CheckFailed(
            f"the command fails on the record as it is (exit code {code}); next: caia-replay rpc why-miss"
        )
    calls = [asked[key] for key in sorted(asked)]
    verdicts = list(judge(snapshot, log.block, calls, count, seed))
    if not verdicts:
        raise CheckFailed(f"none of the command's {len(calls)} requests can be changed")
    say(f"{len(calls)} different requests, {len(verdicts)} changed ones (seed {seed})")
    outcomes = Counter(verdict.outcome for verdict in verdicts)
    for field in FIELDS:
        own = [verdict for verdict in verdicts if verdict.mutant.field == field]
        if own:
            say(f"  {field}: {sum(not verdict.survived for verdict in own)} of {len(own)} killed")
    say("; ".join(f"{outcome}: {number}" for outcome, number in sorted(outcomes.items())))
    left = [verdict for verdict in verdicts if verdict.survived]
    for verdict in left[:_MOST_TOLD]:
        say(one_line(f"survived: {verdict.mutant}: {verdict.survived}"))
    rate = (len(verdicts) - len(left)) / len(verdicts)
    say(f"kill rate {rate:.1%}")
    if left:
        raise CheckFailed(f"{len(left)} changed requests were answered with what nobody recorded for them")


def judge(snapshot: Snapshot, pin: int, calls: Sequence[Call], count: int, seed: int) -> Iterator[Verdict]:
    """Change ``calls`` in turn ``count`` times, ask a node on ``snapshot``, and judge each answer by the rows."""
    with ForkPool({snapshot.name: snapshot}) as pool, ForkPool({snapshot.name: snapshot}) as again:
        node, rows = PlainNode(snapshot, pin, pool), RowJudge(snapshot, pin, again)
        for mutant in mutants(calls, rows, count, seed):
            yield _verdict(mutant, node, rows)


def _verdict(mutant: Mutant, node: PlainNode, rows: RowJudge) -> Verdict:
    try:
        answer = node.answer(mutant.method, mutant.params)
    except Miss:
        return Verdict(mutant, "missed")
    except (ToolError, ForkFault):
        return Verdict(mutant, "refused")
    found: Reading = rows.read(mutant.method, mutant.params)
    if found.basis is Basis.NONE:
        return Verdict(mutant, "not recorded", answer, f"no row says {json_text(answer):.120}")
    if found.value != answer:
        return Verdict(mutant, "not recorded", answer, f"{json_text(answer):.80}, and its rows say otherwise")
    return Verdict(mutant, str(found.basis), answer)


def mutants(calls: Sequence[Call], rows: RowJudge, count: int, seed: int) -> Iterator[Mutant]:
    """``count`` changed requests, in an order that ``seed`` fixes; none when no call can be changed."""
    chance = random.Random(seed)
    places = [(call, spot) for call in calls for spot in _spots(call)]
    told: set[str] = set()
    for _ in range(count * 4 if places else 0):
        call, (field, way) = chance.choice(places)
        mutant = _changed(call, field, way, rows, chance)
        key = json_text([mutant.method, mutant.params])
        if key in told or key == json_text(list(call)):
            continue
        told.add(key)
        yield mutant
        if len(told) == count:
            return


def _spots(call: Call) -> Iterator[tuple[str, tuple[Any, ...]]]:
    method, params = call
    for field, way in _SPOTS.get(method, ()):
        if isinstance(_at(params, way), str):
            yield field, way
    if any(method in group for group in _SAME_FORM):
        yield "method", ()


def _changed(call: Call, field: str, way: tuple[Any, ...], rows: RowJudge, chance: random.Random) -> Mutant:
    method, params = call[0], copy.deepcopy(call[1])
    if field == "method":
        group = next(group for group in _SAME_FORM if method in group)
        return Mutant(field, chance.choice([name for name in group if name != method]), params)
    inner = _at(params, way[:-1])
    inner[way[-1]] = _other(field, inner[way[-1]], rows, chance)
    return Mutant(field, method, params)


def _other(field: str, value: str, rows: RowJudge, chance: random.Random) -> str:
    if field == "block":
        number = rows.pin if value == "latest" else 0 if value == "earliest" else int(value, 16)
        near = [number - 1, number + 1, number - 7, number + 300, 0, *chance.choices(rows.heights, k=3)]
        return hex(max(chance.choice(near), 0))
    if field == "slot":
        number = int(value, 16)
        near = [number ^ 1, number + 1, number ^ (1 << chance.randrange(256)), 0]
        slots = [int.from_bytes(slot, "big") for slot in chance.choices(rows.slots, k=2)] if rows.slots else []
        return to_hex((chance.choice([*near, *slots]) % (1 << 256)).to_bytes(32, "big"))
    known = [to_hex(address) for address in rows.addresses] if field == "address" else rows.hashes
    alike = [item for item in known if len(item) == len(value)]
    if alike and chance.random() < 0.5:
        return chance.choice(alike)
    return _flipped(value, chance)


def _flipped(value: str, chance: random.Random) -> str:
    """The value with one hex digit another; one byte more where it has none."""
    if len(value) <= 2:
        return f"0x{chance.randrange(256):02x}"
    at = chance.randrange(2, len(value))
    digit = chance.choice([digit for digit in "0123456789abcdef" if digit != value[at].lower()])
    return value[:at] + digit + value[at + 1 :]


def _at(params: Any, way: tuple[Any, ...]) -> Any:
    for step in way:
        try:
            params = params[step]
        except (KeyError, IndexError, TypeError):
            return None
    return params
