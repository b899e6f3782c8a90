"""Contract data: calls, allowances, decoded events, storage, what the explorer knows, and SQL over recorded tables.

A range of blocks is named by heights or by dates, both ends included, none still to come.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field

from caia_replay.errors import ToolError
from caia_replay.providers.dune.statement import tables_of
from caia_replay.tools.argument import DAY_S, address_argument, chain_argument, choice_argument, moment_argument, within
from caia_replay.tools.chain_call import call_contract, read_contract
from caia_replay.tools.chain_height import block_at, height_argument
from caia_replay.tools.contract_event import (
    MOST_EVENTS,
    MOST_ROWS,
    USUAL_EVENTS,
    USUAL_ROWS,
    EventTable,
    describe_events,
    describe_table,
    matching_events,
)
from caia_replay.tools.contract_fact import describe_abi, describe_creation, describe_source, event_of, function_of
from caia_replay.tools.signature import Signature, decode_outputs, encode_call
from caia_replay.tools.tool_context import ToolContext
from caia_replay.tools.warehouse import describe_result
from caia_replay.world.clock import utc_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from caia_replay.tools.tool_context import ToolContext

Argument = str | int | bool | list[str | int | bool]

_FACTS: Final = ("abi", "source", "creation", "allowance")
_TAKES: Final[Mapping[str, frozenset[str]]] = {
    "function": frozenset(("contract", "arguments", "block")),
    "slot": frozenset(("contract", "block")),
    "event": frozenset(("contract", "where", "from_block", "to_block", "offset", "limit")),
    "sql": frozenset(("contract", "event", "where", "from_block", "to_block", "offset", "limit")),
    "abi": frozenset(("contract",)),
    "source": frozenset(("contract", "file", "offset")),
    "creation": frozenset(("contract",)),
    "allowance": frozenset(("contract", "arguments", "block")),
}
"""What may be given beside each question; chain always may."""


_SQL: Final = (
    "One SELECT over recorded tables, in DuckDB's SQL. They hold the blocks of the range: blocks, transactions "
    "(with gas_used, effective_gas_price, success, contract_address), logs (address, topic0 to topic3, data), "
    "erc20_transfers (erc20, from_address, to_address), erc721_transfers (erc721, token_id). All have "
    "block_number, timestamp (seconds) and block_time (TIMESTAMP, UTC). Hashes and addresses are lower-case 0x "
    "text. 256-bit numbers come as value (exact HUGEINT), value_string (exact text) and value_f64. Rows without "
    "ORDER BY are sorted by their columns from the left."
)

_HEIGHT: Final = re.compile(r"\s*(?:[0-9]{1,20}|0x[0-9a-f]{1,16}|latest)\s*", re.IGNORECASE)
_CLOCK: Final = re.compile(r":|ago|now", re.IGNORECASE)

_SLOT: Final = re.compile(r"0x[0-9a-fA-F]{1,64}|[0-9]{1,78}")


def data_query(
    world: ToolContext,
    contract: Annotated[str | None, Field(description="The contract's 0x address; null only with sql.")] = None,
    function: Annotated[
        str | None,
        Field(
            description="A view function with its return types, such as balanceOf(address)(uint256); without them, "
            "or its name alone, where the contract is verified."
        ),
    ] = None,
    arguments: Annotated[
        list[Argument] | None,
        Field(
            description="The function's arguments in order, big integers as decimal text; [owner, spender] of an "
            "allowance."
        ),
    ] = None,
    event: Annotated[
        str | None,
        Field(
            description="An event, such as Transfer(address indexed from, address indexed to, uint256 value), or its "
            "name alone where the contract is verified."
        ),
    ] = None,
    from_block: Annotated[
        int | str | None,
        Field(description="First block of events or sql: a height, date or time; null: to_block, or 0 for sql."),
    ] = None,
    to_block: Annotated[
        int | str | None,
        Field(description="Last block of events or sql: a height, date (its last block) or time; null: the newest."),
    ] = None,
    slot: Annotated[str | None, Field(description="A storage slot as 0x text, to read it raw.")] = None,
    block: Annotated[
        int | str | None,
        Field(description="Height, date or time to read function, slot or allowance at; null: newest. Not for events."),
    ] = None,
    chain: Annotated[str | None, Field(description="A chain's name or id; null: the task's own.")] = None,
    about: Annotated[
        str | None,
        Field(
            description="A fact instead: abi (signatures), source (compiler, license, proxy, files), creation "
            "(creator, transaction, block), or allowance."
        ),
    ] = None,
    file: Annotated[str | None, Field(description="With about source: the file to read.")] = None,
    where: Annotated[
        list[str] | None, Field(description="Only events with these arguments, as name=value, such as to=0x….")
    ] = None,
    sql: Annotated[str | None, Field(description=_SQL)] = None,
    offset: Annotated[
        int | None, Field(description="How many events or rows, or characters of a file, to leave out; null: 0.")
    ] = None,
    limit: Annotated[
        int | None, Field(description="How many events (null: 200) or rows (null: 100) to list, at most 1000.")
    ] = None,
) -> dict[str, Any]:
    """Read a contract or a chain's tables: call a view function, list decoded events, read a storage slot, ask
    what the explorer knows (about), or run SQL. Give exactly one of function, event, slot, about and sql;
    event with sql makes the matching events of the contract a table named events.

    Integers of contracts come back as decimal text, times are UTC, ranges include both ends. `count` and `total_rows`
    are of all there are; go on at `next_offset`.

    Example: {"contract": "0x…", "function": "totalSupply()(uint256)", "arguments": [], "block": "2024-05-31"}
    Example: {"sql": "SELECT date_trunc('day', block_time) AS day, count(*) FROM transactions GROUP BY 1"}
    """
    fact = choice_argument(about, _FACTS, "about") if about is not None else None
    given = {"function": function, "event": event, "slot": slot, "about": about, "sql": sql}
    asked = [name for name, value in given.items() if value is not None]
    kind = "sql" if asked == ["event", "sql"] else asked[0] if len(asked) == 1 else None
    if kind is None:
        raise ToolError("give exactly one of function, event, slot, about and sql (event may go with sql)")
    kind = fact or kind
    beside = {"contract": contract, "arguments": arguments or None, "event": event if kind != "event" else None,
              "from_block": from_block, "to_block": to_block, "block": block, "file": file, "where": where or None,
              "offset": offset, "limit": limit}  # fmt: skip
    _check_beside(kind, beside)
    skipped = within(offset or 0, 0, 100_000_000, "offset")
    if kind == "sql" and event is None and (tables := tables_of(sql or "")):
        if any(value is not None for value in (contract, from_block, to_block, chain)) or where:
            raise ToolError(f"{tables[0]} is a warehouse's table: its statement names contract, chain and time itself")
        return describe_result(
            world, sql or "", skipped, within(USUAL_ROWS if limit is None else limit, 0, MOST_ROWS, "limit")
        )
    name = chain_argument(world, chain)
    if kind == "sql":
        first, last = block_range(world, name, from_block, to_block, usual_first=0)
        events = None
        if event is not None:
            address = _address(contract)
            signature = event_of(world, name, address, event)
            found = matching_events(world, name, address, signature, first, last, where or ())
            events = EventTable(signature, found)
        elif contract is not None or where:
            raise ToolError("with sql, contract and where belong to event; write them into the statement")
        rows = within(USUAL_ROWS if limit is None else limit, 0, MOST_ROWS, "limit")
        return describe_table(world, name, sql or "", first, last, events, skipped, rows)
    address = _address(contract)
    if kind == "event":
        first, last = block_range(world, name, from_block, to_block, usual_first=None)
        listed = within(USUAL_EVENTS if limit is None else limit, 0, MOST_EVENTS, "limit")
        signature = event_of(world, name, address, event or "")
        return describe_events(world, name, address, signature, first, last, where or (), skipped, listed)
    if kind == "abi":
        return describe_abi(world, name, address)
    if kind == "source":
        return describe_source(world, name, address, file, skipped)
    if kind == "creation":
        return describe_creation(world, name, address)
    height = block_or_time(world, name, block)
    if kind == "allowance":
        return describe_allowance(world, name, address, arguments or [], height)
    if kind == "slot":
        return describe_slot(world, name, address, slot or "", height)
    signature = function_of(world, name, address, function or "", len(arguments or []))
    return describe_call(world, name, address, signature, list(arguments or []), height)


def _address(contract: str | None) -> str:
    if contract is None:
        raise ToolError("give the contract's 0x address as contract")
    return address_argument(contract)


def _check_beside(kind: str, beside: Mapping[str, Any]) -> None:
    """Refuse what a question does not take: it would be ignored, and the answer be one to something else."""
    takes = _TAKES[kind]
    unused = [name for name, value in beside.items() if value is not None and name not in takes]
    if unused:
        hint = {"from_block": "; give block instead", "block": "; events are read from from_block to to_block"}
        raise ToolError(f"{kind} takes no {', '.join(unused)}{hint.get(unused[0], '')}")


def block_range(
    world: ToolContext, chain: str, first: int | str | None, last: int | str | None, usual_first: int | None
) -> tuple[int, int]:
    """First and last block. ``last`` is the newest where it is None, ``first`` then ``usual_first``, or else ``last``.

    A date means its first second as the beginning and its last as the end; a time means itself.
    Raises ``ToolError`` for an end before the beginning or after now, and ``Miss`` where no header tells the time.
    """
    end = _height(world, chain, last, ends=True)
    begin = (end if usual_first is None else usual_first) if first is None else _height(world, chain, first, ends=False)
    if begin > end:
        raise ToolError(f"blocks {begin} to {end} are no range: the end comes before the beginning")
    return begin, end


def block_or_time(world: ToolContext, chain: str, block: int | str | None) -> int:
    """One block: a height, or the last one of a date or at a time; the newest for None. Raises as above."""
    return _height(world, chain, block, ends=True)


def _height(world: ToolContext, chain: str, value: int | str | None, *, ends: bool) -> int:
    if value is None or isinstance(value, int) or _HEIGHT.fullmatch(value):
        return height_argument(world, chain, value)
    moment = moment_argument(value, world.now, "a block's time")
    if ends and not _CLOCK.search(value):
        moment = min(world.now, moment + DAY_S - 1)
    found = block_at(world, chain, moment if ends else moment - 1)
    height = (-1 if found is None else found) + (0 if ends else 1)
    if not 0 <= height <= world.newest(chain):
        raise ToolError(
            f"{chain} has no block {'by' if ends else 'from'} {utc_text(moment)} that is there at this moment"
        )
    return height


def describe_call(
    world: ToolContext, chain: str, contract: str, signature: Signature, arguments: list[Any], block: int
) -> dict[str, Any]:
    """The values a view function returns at the end of ``block``."""
    data = encode_call(signature, arguments)
    with world.fork(block, chain) as fork:
        reply = call_contract(fork, contract, data)
        height, caller = fork.block, fork.caller
    return {
        "contract": contract,
        "chain": chain,
        "function": signature.canonical,
        "block": height,
        "caller": caller,
        "values": decode_outputs(signature, reply),
        "names": [None if found.name.startswith("arg") else found.name for found in signature.outputs],
    }


def describe_allowance(
    world: ToolContext, chain: str, contract: str, arguments: list[Any], block: int
) -> dict[str, Any]:
    """What an owner allowed a spender to move of an ERC-20 token."""
    if len(arguments) != 2 or not all(isinstance(found, str) for found in arguments):
        raise ToolError("allowance takes arguments [owner, spender], two 0x addresses")
    owner, spender = (address_argument(found) for found in arguments)
    with world.fork(block, chain) as fork:
        raw = read_contract(fork, contract, "allowance(address,address)(uint256)", [owner, spender])
        height = fork.block
    fields = {"contract": contract, "chain": chain, "owner": owner, "spender": spender, "block": height}
    return {**fields, "raw": raw, "unlimited": int(raw) == (1 << 256) - 1}


def describe_slot(world: ToolContext, chain: str, contract: str, slot: str, block: int) -> dict[str, Any]:
    """A storage slot's 32 bytes at the end of ``block``."""
    text = slot.strip()
    number = int(text, 16 if text.startswith("0x") else 10) if _SLOT.fullmatch(text) else 1 << 256
    if number >= 1 << 256:
        raise ToolError(f"{slot[:80]!r} is no storage slot; write it as 0x text")
    padded = f"0x{number:064x}"
    with world.fork(block, chain) as fork:
        value = world.require(fork.rpc("eth_getStorageAt", [contract, padded, "latest"]), "storage", padded)
        return {"contract": contract, "chain": chain, "slot": padded, "block": fork.block, "value": value}
