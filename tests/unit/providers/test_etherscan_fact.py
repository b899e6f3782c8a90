"""When a recorded fact still holds, at moments before, at and after its recording."""

from __future__ import annotations

from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from caia_replay.canonical import canonical_bytes
from caia_replay.chain.snapshot import Snapshot
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.providers.etherscan_fact import between, holds
from caia_replay.providers.etherscan_height import Heights, timestamp
from caia_replay.providers.etherscan_question import question_of
from tests.etherscan_law import asked

HASH = "0x" + "12" * 32
ADDRESS = "0x" + "12" * 20


@pytest.fixture(scope="module")
def chain(shipped: Path) -> Snapshot:
    return Snapshot.open(shipped.parents[1] / "chain_snapshots" / "mini")


def recording(request: HttpRequest, result: Any, at: int | None, status: str = "1", node: bool = False) -> Recorded:
    content = (
        {"jsonrpc": "2.0", "id": 1, "result": result} if node else {"status": status, "message": "", "result": result}
    )
    headers = {} if at is None else {"date": formatdate(at, usegmt=True)}
    return Recorded(request, HttpReply(200, headers, canonical_bytes(content)))


def held(chain: Snapshot, fields: dict[str, Any], result: Any, *, status: str = "1") -> str:
    """Recorded at block 30's moment: whether it holds before, then, and after, as three letters; and undated."""
    request = asked(chainid=700_177, **fields)
    at = timestamp(chain, 30)
    one = recording(request, result, at, status, fields["module"] == "proxy")
    undated = recording(request, result, None, status, fields["module"] == "proxy")
    heights = Heights({"mini": chain})
    moments = [(one, timestamp(chain, 10)), (one, at), (one, timestamp(chain, 50)), (undated, at)]
    return "".join("y" if holds(question_of(request), found, now, heights) else "-" for found, now in moments)


@pytest.mark.parametrize(
    ("fields", "result", "when"),
    [
        ({"module": "account", "action": "balance", "address": ADDRESS}, "5", "-y--"),
        ({"module": "stats", "action": "tokensupply", "contractaddress": ADDRESS}, "5", "-y--"),
        ({"module": "proxy", "action": "eth_call", "to": ADDRESS, "data": "0x", "tag": "latest"}, "0x5", "-y--"),
        ({"module": "proxy", "action": "eth_call", "to": ADDRESS, "data": "0x", "tag": "0x5"}, "0x5", "yyyy"),
        ({"module": "proxy", "action": "eth_call", "to": ADDRESS, "data": "0x", "tag": "0x14"}, "0x5", "-yyy"),
        ({"module": "proxy", "action": "eth_getTransactionByHash", "txhash": HASH}, {"blockNumber": "0x14"}, "-yyy"),
        ({"module": "proxy", "action": "eth_getTransactionByHash", "txhash": HASH}, {"blockNumber": None}, "-y--"),
        ({"module": "proxy", "action": "eth_getTransactionByHash", "txhash": HASH}, None, "-y--"),
        ({"module": "transaction", "action": "gettxreceiptstatus", "txhash": HASH}, {"status": "1"}, "-yy-"),
        ({"module": "transaction", "action": "gettxreceiptstatus", "txhash": HASH}, {"status": ""}, "-y--"),
        ({"module": "transaction", "action": "getstatus", "txhash": HASH}, {"isError": "1"}, "-yy-"),
        ({"module": "transaction", "action": "getstatus", "txhash": HASH}, {"isError": "0"}, "-y--"),
        ({"module": "account", "action": "txlistinternal", "txhash": HASH}, [{"timeStamp": "5"}], "yyyy"),
        ({"module": "account", "action": "txlistinternal", "txhash": HASH}, [{"timeStamp": "1718000000"}], "--y-"),
        ({"module": "contract", "action": "getcontractcreation", "contractaddresses": ADDRESS},
         [{"timestamp": "5"}], "yyyy"),
        ({"module": "contract", "action": "getcontractcreation", "contractaddresses": f"{ADDRESS},0x{'34' * 20}"},
         [{"timestamp": "5"}], "-y--"),
        ({"module": "block", "action": "getblockreward", "blockno": "5"}, {"timeStamp": "5"}, "yyyy"),
        ({"module": "gastracker", "action": "gasoracle"}, {"LastBlock": "5"}, "-y--"),
    ],
)  # fmt: skip
def test_when_an_answer_holds(chain: Snapshot, fields: dict[str, Any], result: Any, when: str) -> None:
    """Before its recording only when it was there, after it only when it can change no more."""
    assert held(chain, fields, result) == when


def test_refusals_hold_when_only_the_question_is_refused(chain: Snapshot) -> None:
    """A malformed hash is one for ever, a missing source is not."""
    fields = {"module": "contract", "action": "getabi", "address": ADDRESS}
    assert held(chain, fields, "Error! Invalid address format", status="0") == "yyyy"
    assert held(chain, fields, "Contract source code not verified", status="0") == "-y--"


def test_a_source_holds_from_the_contracts_creation_on(chain: Snapshot) -> None:
    """The tables say since when there is code; without them nobody knows."""
    receipts = [receipt for number in range(1, 30) for receipt in chain.receipts(number)]
    made = [receipt for receipt in receipts if receipt["contractAddress"]][-1]
    fields = {"module": "contract", "action": "getabi", "address": made["contractAddress"]}
    before = "y" if int(made["blockNumber"], 16) <= 10 else "-"
    assert held(chain, fields, "[]") == f"{before}yyy"
    assert held(chain, {**fields, "address": ADDRESS}, "[]") == "-yy-"


@pytest.mark.parametrize(
    ("asked_at", "now_block", "answer"),
    [(150, 50, "7"), (100, 50, "7"), (200, 50, "7"), (99, 50, None), (201, 50, None), (250, 50, None)],
)
def test_a_block_between_two_moments_of_one_answer(
    chain: Snapshot, asked_at: int, now_block: int, answer: str | None
) -> None:
    """What is the newest block at two moments is it at every moment between them."""
    now = timestamp(chain, now_block)
    fields = {"chainid": 700_177, "module": "block", "action": "getblocknobytime", "closest": "before"}
    recorded = [
        recording(asked(**fields, timestamp=at), number, now) for at, number in ((100, "7"), (200, "7"), (300, "8"))
    ]
    found = between(recorded, question_of(asked(**fields, timestamp=asked_at)), now)
    assert (found is not None) == (answer is not None)
    after = [recording(asked(**{**fields, "closest": "after"}, timestamp=at), "7", now) for at in (100, 200)]
    assert between(after, question_of(asked(**{**fields, "closest": "after"}, timestamp=150)), now) is None
