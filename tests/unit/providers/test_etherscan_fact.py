"""The explorer's facts and heights: when an answer holds, and which block is the newest at a moment."""

from __future__ import annotations

from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from caia_replay.canonical import canonical_bytes
from caia_replay.chain.snapshot import Snapshot
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.etherscan.fact import between, holds, is_refusal
from caia_replay.providers.etherscan.height import Heights, nearest_block, newest_block, timestamp
from caia_replay.providers.etherscan.request import question_of
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


def test_a_source_holds_from_the_contracts_creation_on(chain: Snapshot) -> None:
    """The tables say since when there is code; a malformed hash is one for ever, a missing source is not."""
    fields = {"module": "contract", "action": "getabi", "address": ADDRESS}
    assert held(chain, fields, "Error! Invalid address format", status="0") == "yyyy"
    assert held(chain, fields, "Contract source code not verified", status="0") == "-y--"
    receipts = [receipt for number in range(1, 30) for receipt in chain.receipts(number)]
    made = [receipt for receipt in receipts if receipt["contractAddress"]][-1]
    fields = {"module": "contract", "action": "getabi", "address": made["contractAddress"]}
    before = "y" if int(made["blockNumber"], 16) <= 10 else "-"
    assert held(chain, fields, "[]") == f"{before}yyy"
    assert held(chain, {**fields, "address": ADDRESS}, "[]") == "-yy-"


def test_a_source_that_was_verified_later_counts_for_code_that_stood(chain: Snapshot) -> None:
    """Code does not change, so its source holds at every moment since; where there was no code it does not."""
    receipts = [receipt for number in range(1, 10) for receipt in chain.receipts(number)]
    made = next(receipt["contractAddress"] for receipt in receipts if receipt["contractAddress"])
    for action, result in (("getabi", "[]"), ("getsourcecode", [{"SourceCode": "contract X {}", "Proxy": "0"}])):
        assert held(chain, {"module": "contract", "action": action, "address": made}, result) == "yyyy"
    sender = chain.transactions(5)[0]["from"]
    unknown = {"module": "contract", "action": "getabi", "address": sender}
    assert held(chain, unknown, "Contract source code not verified", status="0") == "-y--"
    assert held(chain, unknown, "[]") == "--y-"


@pytest.mark.parametrize("content", [[], None, "busy", {}, {"message": "OK"}])
def test_what_is_no_answer_holds_never(chain: Snapshot, content: Any) -> None:
    """Neither as a fact, nor as the refusal of a list."""
    request, now = asked(chainid=700_177, module="account", action="balance", address=ADDRESS), timestamp(chain, 30)
    one = Recorded(request, HttpReply(200, {"date": formatdate(now, usegmt=True)}, canonical_bytes(content)))
    assert not holds(question_of(request), one, now, Heights({"mini": chain}))
    assert not is_refusal(question_of(request), one, now)


def test_refusals_in_a_lists_place(chain: Snapshot) -> None:
    """In the vendor's words for a question, at the moment or for ever; other words are not weighed."""
    request, now = asked(chainid=1, module="account", action="txlist", address="0x12"), timestamp(chain, 30)

    def refused(words: Any, at: int = now) -> bool:
        return is_refusal(question_of(request), recording(request, words, at, status="0"), now)

    assert refused("Error! Invalid address format", 5)
    assert refused("Error! Invalid startblock") and not refused("Error! Invalid startblock", 5)
    assert not any(map(refused, ("Something else", [], None)))
    assert not is_refusal(question_of(request), Recorded(request, HttpReply(200, {}, b"<html>")), now)
    missing = HttpReply(404, {"date": formatdate(now, usegmt=True)}, b"")
    assert is_refusal(question_of(request), Recorded(request, missing), now)


@pytest.mark.parametrize("result", [[], ["x"], None, {}, [{}, {}]])
def test_sources_that_cannot_be_read_do_not_hold_later(chain: Snapshot, result: Any) -> None:
    """An empty list of sources, among others, is no crash."""
    fields = {"module": "contract", "action": "getsourcecode", "address": ADDRESS}
    assert held(chain, fields, result)[2] == "-"


BY_TIME = {"chainid": 700_177, "module": "block", "action": "getblocknobytime", "closest": "before"}


def moments(chain: Snapshot, *told: tuple[int, Any]) -> list[Recorded]:
    return [recording(asked(**BY_TIME, timestamp=at), block, timestamp(chain, 50)) for at, block in told]


@pytest.mark.parametrize("body", [b"[]", b"null", b'{"status": "1"}', b'{"status": "1", "result": "x"}', b"<html>"])
def test_a_recording_that_cannot_be_read_spoils_no_other(chain: Snapshot, body: bytes) -> None:
    """Beside two moments of one answer; alone it answers nothing, not even its own question."""
    now, question = timestamp(chain, 50), question_of(asked(**BY_TIME, timestamp=150))
    bad = Recorded(question.request, HttpReply(200, {"date": formatdate(now, usegmt=True)}, body))
    good = moments(chain, (100, "7"), (200, "7"))
    assert between([bad, *good], question, now) is good[0].reply
    assert between([bad], question, now) is None
    assert not holds(question, bad, now, Heights({"mini": chain}))


def test_moments_that_contradict_each_other_are_a_miss(chain: Snapshot) -> None:
    """Two answers of one moment, or an earlier block of a later one; thousands of digits are no moment."""
    now, question = timestamp(chain, 50), question_of(asked(**BY_TIME, timestamp=150))
    for told in (((150, "7"), (150, "8")), ((100, "8"), (200, "7")), ((100, "9"), (150, "7"), (200, "7"))):
        with pytest.raises(Miss) as miss:
            between(moments(chain, *told), question, now)
        assert "contradict" in miss.value.detail.where
    long = question_of(asked(**BY_TIME, timestamp="9" * 5_000))
    assert between(moments(chain, (100, "7")), long, timestamp(chain, 50)) is None
    huge = moments(chain, (100, "9" * 5_000), (200, "9" * 5_000))
    assert between(huge, question_of(asked(**BY_TIME, timestamp=150)), timestamp(chain, 50)) is None


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


def test_the_newest_block_is_the_last_one_before_a_moment(chain: Snapshot) -> None:
    """Until the next one is made; what follows the last header or was before the first is not known."""
    times = [timestamp(chain, number) for number in range(61)]
    for number in range(60):
        assert newest_block(chain, times[number], False) == number
        assert newest_block(chain, times[number + 1] - 1, False) == number
    assert newest_block(chain, times[60], True) == 60
    for moment in (timestamp(chain, 60) + 1, timestamp(chain, 0) - 1):
        with pytest.raises(Miss):
            newest_block(chain, moment, True)


def test_the_nearest_block(chain: Snapshot) -> None:
    """Before or after a moment, of those there are; where there is none it is a miss."""
    times = [timestamp(chain, number) for number in range(61)]
    assert nearest_block(chain, times[30] + 1, after=False, newest=40) == 30
    assert nearest_block(chain, times[30] + 1, after=True, newest=40) == 31
    assert {nearest_block(chain, times[30], after, 40) for after in (False, True)} == {30}
    assert nearest_block(chain, times[60], after=False, newest=40) == 40
    assert nearest_block(chain, times[0] - 9, after=True, newest=40) == 0
    for moment, after in ((times[40] + 1, True), (times[0] - 1, False)):
        with pytest.raises(Miss):
            nearest_block(chain, moment, after, 40)


class Quick:
    """A chain of four blocks a second, pinned at blocks 50 and 100, with the headers beside them."""

    name, chain_id, heights, reconstructed = "quick", 5, ((50, 50), (100, 100)), {101: ("timestamp",)}
    seconds = {48: 9, 49: 9, 50: 10, 51: 10, 52: 10, 53: 10, 54: 11, 100: 25, 101: 25}

    @property
    def numbers(self) -> list[int]:
        return sorted(self.seconds)

    def header(self, number: int) -> dict[str, Any]:
        if number not in self.seconds:
            raise Miss("block", str(number), self.name)
        return {"timestamp": hex(self.seconds[number])}


def test_blocks_of_one_second_are_all_looked_at() -> None:
    """The last of those is the newest, a recorded successor too; without a successor only where the world stands."""
    chain: Any = Quick()
    assert newest_block(chain, 10, False) == newest_block(chain, 10, True) == 53
    assert nearest_block(chain, 10, after=False, newest=100) == 53
    assert nearest_block(chain, 10, after=True, newest=100) == 50
    # The time of block 101 was computed: nobody knows it.
    assert newest_block(chain, 25, True) == 100
    with pytest.raises(Miss):
        newest_block(chain, 25, False)
    assert (Heights({"": chain}).known("5", 25), Heights({"": chain}).known("5", 25, anchored=False)) == (100, None)
    chain: Any = Quick()
    chain.reconstructed, chain.seconds = {}, {**Quick.seconds, 102: 26}
    assert newest_block(chain, 25, True) == 101


def test_two_headers_tell_the_newest_block_where_no_state_was_read() -> None:
    """Block 30 is followed by 31 and neither can be pinned: the moment between them has one newest block."""
    chain: Any = Quick()
    chain.seconds = {**Quick.seconds, 30: 4, 31: 6}
    assert [newest_block(chain, moment, False) for moment in (4, 5)] == [30, 30]
    for moment in (3, 6, 8):
        with pytest.raises(Miss, match="the newest block at"):
            newest_block(chain, moment, False)


def test_chains_are_found_by_their_id(chain: Snapshot) -> None:
    """In decimal digits; one nobody recorded is a miss that names those there are."""
    heights = Heights({"any name": chain})
    assert heights.at("700177", timestamp(chain, 7)) == 7
    assert heights.known("700177", timestamp(chain, 60) + 1) is None
    with pytest.raises(Miss) as miss:
        heights.at("1", 5)
    assert miss.value.detail.nearest == "700177"
