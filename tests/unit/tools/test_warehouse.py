"""What tools show of a warehouse's results and of a Solana transaction, out of what their living stand-ins answered."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Provider, Recorded
from caia_replay.errors import Miss, ToolError
from caia_replay.providers.dune.provider import DuneProvider, execute_request
from caia_replay.providers.endpoint import provider_of
from caia_replay.providers.solana.provider import SolanaProvider, transaction_request
from caia_replay.tools.contract import data_query
from caia_replay.tools.solana import is_signature
from caia_replay.tools.transaction import transaction_query
from tests.living_dune import Dune
from tests.living_solana import MINT, PAYER, SIGNATURE, SolanaNode
from tests.provider_law import of_family, recorded

MADE, DAY_S = 1_740_787_200, 86_400
NOW, LATER = MADE + 10 * DAY_S, MADE + 200 * DAY_S
SQL = (
    "SELECT project, sum(amount_usd) AS usd FROM dex.trades WHERE block_date < DATE '2025-03-04' GROUP BY 1 ORDER BY 1"
)
TRADES = [(MADE + hour * 3_600, f"venue-{hour % 3}", "0xab", hour) for hour in range(72)]
PROVIDERS: Sequence[Provider] = (DuneProvider(), SolanaProvider())


class Recordings:
    """What a tool asks of a world, answered from recordings at ``NOW`` by the providers' own rules."""

    def __init__(self, *held: Recorded) -> None:
        self.held = held

    def fetch(self, request: HttpRequest) -> HttpReply:
        """The recorded answer. Raises ``Miss``."""
        provider = provider_of(PROVIDERS, request)
        return provider.narrow(of_family(provider, self.held, request), request, NOW)


@pytest.fixture
def world() -> Any:
    """A statement and a transaction, recorded two hundred days later."""
    made = recorded(Dune(TRADES), PROVIDERS[0], [execute_request(SQL)], LATER)
    return Recordings(
        *made, *recorded(SolanaNode({SIGNATURE: MADE}), PROVIDERS[1], [transaction_request(SIGNATURE)], LATER)
    )


def test_a_statement_over_a_table_with_a_schema_is_the_warehouse_s(world: Any) -> None:
    """Its columns, its rows in parts, and when it was executed; any other statement is a typed miss."""
    found = data_query(world, sql=SQL)
    assert found["columns"] == ["project", "usd"] and found["executed_at"].startswith("2025-09-17")
    totals = {f"venue-{one}": sum(range(one, 72, 3)) for one in range(3)}
    assert [row[0] for row in found["rows"]] == list(totals)
    assert [int(row[1]) for row in found["rows"]] == list(totals.values())
    part = data_query(world, sql=SQL.lower(), offset=1, limit=1)
    assert (part["rows"], part["total_rows"], part["next_offset"]) == (found["rows"][1:2], 3, 2)
    assert data_query(world, sql=SQL, limit=0)["rows"] == []
    with pytest.raises(Miss) as miss:
        data_query(world, sql=SQL.replace("sum", "max"))
    assert miss.value.detail.nearest == SQL[:200]


def test_a_warehouse_s_statement_names_its_time_itself(world: Any) -> None:
    """What belongs to a chain's own tables is refused beside it, in words that say so."""
    for beside in ({"from_block": 1}, {"to_block": "2025-03-01"}, {"chain": "ethereum"}, {"where": ["to=0x1"]}):
        with pytest.raises(ToolError, match="names contract, chain and time itself"):
            data_query(world, sql=SQL, **beside)  # type: ignore[arg-type]


@pytest.mark.parametrize("missing", ["preTokenBalances", "postTokenBalances"])
def test_token_balances_that_a_node_did_not_tell_are_a_miss(world: Any, missing: str) -> None:
    """A transaction whose token balances were not recorded is no transaction that moved no tokens."""
    (told,) = (one for one in world.held if SIGNATURE.encode() in one.request.body)
    content = json.loads(told.reply.body)
    content["result"]["meta"][missing] = None
    world.held = (replace(told, reply=replace(told.reply, body=json.dumps(content).encode())),)
    with pytest.raises(Miss, match="another shape"):
        transaction_query(world, hash=SIGNATURE, chain="solana")


def test_a_transaction_of_solana_is_shown_as_its_node_told_it(world: Any) -> None:
    """Who signed and paid, whose coins and tokens moved, exactly; options of other chains are refused."""
    for chain in (None, "solana", " Solana "):
        found = transaction_query(world, hash=SIGNATURE, chain=chain)
        assert (found["status"], found["fee"], found["signers"]) == ("success", "0.000005", [PAYER])
        assert [one["change"] for one in found["coin_changes"]] == ["-0.010005", "0.01"]
        assert [(one["mint"], one["owner"], one["change"]) for one in found["token_changes"]] == [
            (MINT, PAYER, "1.234567")
        ]
        assert [one.get("type") for one in found["instructions"]] == ["transfer", None]
    with pytest.raises(ToolError, match="give hash and chain alone"):
        transaction_query(world, hash=SIGNATURE, include_logs=True)
    with pytest.raises(Miss):
        transaction_query(world, hash=SIGNATURE.swapcase(), chain="solana")
    assert not is_signature("0x" + "ab" * 32) and not is_signature(SIGNATURE[:40])
