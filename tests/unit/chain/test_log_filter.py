"""Behaviour of the eth_getLogs filter."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.chain.log_filter import LogFilter
from caia_replay.chain.table import LOGS
from caia_replay.errors import ToolError

HASHES = ["0x" + f"{n:064x}" for n in range(3)]
ADDRESSES = ["0x" + f"{n:040x}" for n in range(3)]
LOG = st.tuples(st.sampled_from(ADDRESSES), st.lists(st.sampled_from(HASHES), max_size=4))
POSITION = st.none() | st.sampled_from(HASHES) | st.lists(st.sampled_from(HASHES), max_size=2)
ADDRESS = st.none() | st.sampled_from(ADDRESSES) | st.lists(st.sampled_from(ADDRESSES), max_size=2)


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def matches(log: tuple[str, list[str]], address: Any, topics: list[Any]) -> bool:
    """The specification's words, log by log."""
    if listed(address) and log[0] not in listed(address):
        return False
    return all(
        not listed(wanted) or (at < len(log[1]) and log[1][at] in listed(wanted)) for at, wanted in enumerate(topics)
    )


@settings(max_examples=80)
@given(logs=st.lists(LOG, max_size=8), address=ADDRESS, topics=st.lists(POSITION, max_size=4))
def test_columns_select_what_the_specification_selects(
    logs: list[tuple[str, list[str]]], address: Any, topics: list[Any]
) -> None:
    """Lists are alternatives, null and the empty list are wildcards, positions count."""
    cells = [
        {
            **dict.fromkeys(LOGS.schema.names),
            **{"block_number": n, "transaction_index": 0, "log_index": n, "transaction_hash": bytes(32)},
            **{"block_hash": bytes(32), "data": b"", "address": bytes.fromhex(emitter[2:])},
            **{f"topic{at}": bytes.fromhex(topic[2:]) for at, topic in enumerate(found)},
        }
        for n, (emitter, found) in enumerate(logs)
    ]
    selected = LogFilter.from_rpc(address, topics).select(pa.Table.from_pylist(cells, schema=LOGS.schema))
    wanted = [n for n, log in enumerate(logs) if matches(log, address, topics)]
    assert selected["block_number"].to_pylist() == wanted


@pytest.mark.parametrize(
    ("address", "topics"), [("0x1", None), (3, None), (None, "x"), (None, [1]), (None, [None] * 5)]
)
def test_a_malformed_filter_is_a_tool_error(address: Any, topics: Any) -> None:
    """What is no filter is told, not read as one that matches nothing."""
    with pytest.raises(ToolError):
        LogFilter.from_rpc(address, topics)


@given(address=ADDRESS, topics=st.lists(POSITION, max_size=4))
def test_a_filter_survives_being_asked_of_a_node(address: Any, topics: list[Any]) -> None:
    """Written as JSON-RPC and read again it means the same."""
    wanted = LogFilter.from_rpc(address, topics)
    told = wanted.to_rpc()
    again = LogFilter.from_rpc(told.get("address"), told.get("topics"))
    assert again.addresses == wanted.addresses
    assert [*again.topics, *[frozenset()] * 4][:4] == [*wanted.topics, *[frozenset()] * 4][:4]
