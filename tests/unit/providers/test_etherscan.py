"""The explorer's provider: its law against living explorers, what it records, and unmodified clients over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from email.utils import formatdate
from importlib import import_module
from typing import Any

import pytest

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.loopback import LoopbackServer
from caia_replay.providers.etherscan.provider import EtherscanProvider
from caia_worldgen.market.book import MarketBook
from caia_worldgen.scene import Scene
from caia_worldgen.services.service import Services
from tests.etherscan_client import questions
from tests.etherscan_law import Court, asked, captured
from tests.provider_law import Heard, Replay, live, recorded

BARE = EtherscanProvider({})
ADDRESS = "0x" + "ab" * 20
LIST = {"chainid": 1, "module": "account", "action": "txlist", "address": ADDRESS}


@pytest.fixture(scope="session")
def court(scene: Scene, book: MarketBook, tmp_path_factory: pytest.TempPathFactory) -> Court:
    """The roll-up's tables, and what was recorded of both chains."""
    return Court(scene, book, {"rollup": captured(scene.rollup, tmp_path_factory.mktemp("etherscan"))})


def reply(content: Any, date: str = "Sat, 01 Jun 2024 00:00:00 GMT") -> HttpReply:
    return HttpReply(200, {"date": date}, canonical_bytes(content))


def page(count: int, first: int = 1) -> HttpReply:
    rows = [{"blockNumber": str(first + at), "timeStamp": str(1_000 + first + at)} for at in range(count)]
    return reply({"status": "1", "message": "OK", "result": rows})


def fields(request: HttpRequest | None) -> dict[str, str]:
    assert request is not None
    return dict(pair.split("=") for pair in request.url.partition("?")[2].split("&"))


def test_the_law(court: Court) -> None:
    """Inside what was recorded the answer is the living one, outside it is a miss; most draws are inside."""
    assert court.hold(150) >= 0.7


def test_it_serves_one_address_and_two_windows_of_a_list_are_a_family() -> None:
    """Neither the old path, nor another host or method; two addresses or chains are two families."""
    assert BARE.match(asked(**LIST)) and not BARE.match(replace(asked(**LIST), method="POST"))
    for url in ("https://api.etherscan.io/api?chainid=1", "https://api.example/v2/api?chainid=1", "https://["):
        assert not BARE.match(HttpRequest("GET", url))
    family, window = BARE.family(asked(**LIST)), {"page": 2, "offset": 5, "startblock": 7, "endblock": "latest"}
    assert BARE.family(asked(**LIST, **window, sort="desc", apikey="K")) == family
    assert BARE.family(asked(**{**LIST, "address": ADDRESS.upper().replace("X", "x")})) == family
    assert BARE.family(asked(**{**LIST, "address": "0x" + "cd" * 20})) != family
    assert BARE.family(asked(**{**LIST, "chainid": 10})) != family


def test_a_list_is_recorded_whole_and_oldest_first() -> None:
    """The longest pages from the first block on; what is no list is recorded as it is asked."""
    wide = fields(BARE.widen(asked(**LIST, page=4, offset=2, sort="desc", startblock=9), 0)[0])
    assert {name: wide[name] for name in ("page", "offset", "sort", "startblock", "endblock")} == {
        "page": "1", "offset": "10000", "sort": "asc", "startblock": "0", "endblock": "9999999999"
    }  # fmt: skip
    logs = fields(BARE.widen(asked(chainid=1, module="logs", action="getLogs", address=ADDRESS, first=5), 0)[0])
    assert (logs["fromBlock"], logs["toBlock"], logs["offset"], logs.get("sort")) == ("0", "9999999999", "1000", None)
    single = asked(chainid=1, module="contract", action="getabi", address=ADDRESS)
    assert BARE.widen(single, 0) == (single,)
    beyond = asked(**LIST, page=5, offset=9_999)
    assert BARE.widen(beyond, 0) == (beyond,)


def test_the_next_page_follows_a_full_one_within_the_vendors_window() -> None:
    """Then from the last block seen; a page that is not full is the end, and so is a block that fills the window."""
    logs = asked(chainid=1, module="logs", action="getLogs", address=ADDRESS, page=1, offset=1_000, first=0)
    assert fields(BARE.follow(logs, page(1_000)))["page"] == "2"
    last = asked(chainid=1, module="logs", action="getLogs", address=ADDRESS, page=10, offset=1_000, first=0)
    again = fields(BARE.follow(last, page(1_000, first=50)))
    assert (again["page"], again["fromBlock"]) == ("1", "1049")
    assert BARE.follow(logs, page(999)) is None
    assert BARE.follow(logs, reply({"status": "0", "message": "No records found", "result": []})) is None
    request = asked(**LIST, startblock=7, endblock=99_999_999, page=1, offset=10_000, sort="asc")
    rows = [{"blockNumber": "7", "timeStamp": "1"}] * 10_000
    assert BARE.follow(request, reply({"status": "1", "message": "OK", "result": rows})) is None


def test_a_list_cut_by_the_vendor_goes_on_from_its_last_block() -> None:
    """A thousand rows where ten thousand were asked for are a limit, not the end."""
    request = asked(**LIST, startblock=0, endblock=99_999_999, page=1, offset=10_000, sort="asc")
    assert fields(BARE.follow(request, page(1_000)))["startblock"] == "1000"
    with pytest.raises(Miss):
        BARE.narrow([Recorded(request, page(1_000))], asked(**LIST), 1_717_200_000)
    short = BARE.narrow([Recorded(request, page(1_000))], asked(**LIST, page=1, offset=10), 1_717_200_000)
    assert len(strict_json(short.body)["result"]) == 10


@pytest.mark.parametrize(
    "content",
    [
        {"status": "0", "message": "NOTOK", "result": "Max rate limit reached"},
        {"status": "0", "message": "NOTOK", "result": "Invalid API Key"},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32005, "message": "limit exceeded"}},
    ],
)
def test_a_refusal_for_pace_or_key_is_no_answer(content: Any) -> None:
    """It is passed over: another recording answers, or nothing does."""
    request, now = asked(**LIST), 1_717_200_000
    busy = Recorded(request, reply(content))
    with pytest.raises(Miss):
        BARE.narrow([busy], request, now)
    good = Recorded(request, page(3))
    assert BARE.narrow([busy, good], request, now) is good.reply
    assert BARE.follow(request, busy.reply) is None


def test_a_refusal_of_the_question_holds_at_any_moment() -> None:
    """A malformed address is one before and after the recording; a missing source is not for ever."""
    request = asked(**{**LIST, "address": "0x12"})
    refusal = Recorded(request, reply({"status": "0", "message": "NOTOK", "result": "Error! Invalid address format"}))
    assert BARE.narrow([refusal], request, 5) is refusal.reply
    source = asked(chainid=1, module="contract", action="getabi", address=ADDRESS)
    words = {"status": "0", "message": "NOTOK", "result": "Contract source code not verified"}
    with pytest.raises(Miss):
        BARE.narrow([Recorded(source, reply(words))], source, 5)


def test_the_recording_itself_is_handed_out_when_it_is_the_answer(court: Court) -> None:
    """Made at the moment, or made later and proven to say the same."""
    chain, now = str(court.scene.rollup.chain_id), court.end
    request = asked(chainid=chain, module="account", action="txlist", address=court.people[chain][0])
    made = recorded(court.service, court.providers["wide"], [request], now)
    assert court.providers["wide"].narrow(made, made[0].request, now) is made[0].reply
    logs = asked(chainid=chain, module="logs", action="getLogs", address=court.people[chain][0], first=0, last=60,
                 page=1, offset=1_000)  # fmt: skip
    late = Recorded(logs, live(court.service, logs, now))
    assert BARE.narrow([late], logs, court.scene.rollup.calendar.times[90]) is late.reply


@pytest.mark.check
def test_etherscan_python_works_live_and_replayed(court: Court, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client for Python, led here by its own prefix, says the same of both; every question is answered."""
    library = import_module("etherscan.etherscan")
    chain, now = court.scene.rollup.chain_id, court.scene.rollup.calendar.times[-1]

    def ask(url: str) -> list[Any]:
        monkeypatch.setattr(library.fields, "PREFIX", f"{url}/v2/api?chainid={chain}&")
        client = library.Etherscan("any")
        return [getattr(client, name)(**arguments) for name, arguments in questions(court)]

    heard = Heard(Services([court.service], now))
    with LoopbackServer(heard) as server:
        said = ask(server.url)
    provider = court.providers["tables"]
    with LoopbackServer(
        Replay(provider, recorded(court.service, provider, heard.asked, now), now, "https://api.etherscan.io")
    ) as server:
        assert ask(server.url) == said
    assert len(said) == 25 and all(answer not in (None, "", []) for answer in said)


NOW = 1_717_200_000
"""The moment of ``reply``'s date."""
FULL = asked(**LIST, startblock=0, endblock=9_999_999_999, page=1, offset=10_000, sort="asc")


def rows_at(*moments: int, **more: str) -> HttpReply:
    rows = [{"blockNumber": str(at), "timeStamp": str(moment), "hash": hex(at), **more}
            for at, moment in enumerate(moments, 1)]  # fmt: skip
    return reply({"status": "1", "message": "OK", "result": rows})


def dated(made: HttpReply, at: int) -> HttpReply:
    return HttpReply(made.status, {**made.headers, "date": formatdate(at, usegmt=True)}, made.body)


def told(recorded: Sequence[Recorded], request: HttpRequest, now: int = NOW) -> Any:
    return strict_json(BARE.narrow(recorded, request, now).body)["result"]


@pytest.mark.parametrize("words", ["Something went wrong", "Error! Invalid sort", None])
def test_a_refusal_hides_no_recorded_list(words: str | None) -> None:
    """Of the very question at the very moment; where nothing has the list, only words for the question count."""
    refusal = Recorded(FULL, reply({"status": "0", "message": "NOTOK", "result": words}))
    list_ = Recorded(asked(**LIST), dated(rows_at(NOW - 9, NOW - 5), NOW + 9_000))
    for both in ([refusal, list_], [list_, refusal]):
        assert len(told(both, FULL)) == 2
    if words == "Error! Invalid sort":
        assert BARE.narrow([refusal], FULL, NOW) is refusal.reply
    else:
        with pytest.raises(Miss):
            BARE.narrow([refusal], FULL, NOW)


def test_a_list_is_one_of_the_moment_when_it_was_made_at_it_or_just_after() -> None:
    """A little earlier it may lack the newest rows; a little later a further page of the newest has moved."""
    newest = asked(**LIST, sort="desc", page=2, offset=1)
    for request, at, is_hit in ((FULL, NOW, True), (FULL, NOW + 800, True), (FULL, NOW - 1, False),
                                (FULL, NOW - 890, False), (newest, NOW, True), (newest, NOW + 9, False)):  # fmt: skip
        one = Recorded(request, dated(rows_at(NOW - 2_000, confirmations="5"), at))
        if is_hit:
            assert BARE.narrow([one], request, NOW) is one.reply
        else:
            with pytest.raises(Miss):
                BARE.narrow([one], request, NOW)


def test_a_bad_recording_spoils_no_good_one() -> None:
    """No JSON, no question, no list: they are passed over, and no header of theirs is handed on."""
    page_two = asked(**{**LIST, "page": 2, "offset": 10_000})
    bad = [Recorded(page_two, HttpReply(404, {"content-type": "text/html", "set-cookie": "x"}, b"<html>")),
           Recorded(FULL, HttpReply(200, {"content-type": "text/html"}, b"<html>")),
           Recorded(FULL, reply([])),
           Recorded(HttpRequest("GET", f"{FULL.url}&Sort=asc"), reply([])),
           Recorded(HttpRequest("GET", f"{FULL.url}&page=1"), reply([]))]  # fmt: skip
    good = Recorded(FULL, dated(rows_at(NOW - 9, NOW - 5), NOW + 9_000))
    assert BARE.narrow([*bad, good], FULL, NOW) is good.reply
    derived = BARE.narrow([*bad, good], asked(**LIST, sort="desc"), NOW)
    assert dict(derived.headers) == {"content-type": "application/json; charset=utf-8"}
    for request in (FULL, asked(**LIST)):
        with pytest.raises(Miss):
            BARE.narrow(bad, request, NOW)


def test_nothing_is_said_of_what_the_vendor_would_not_say(court: Court) -> None:
    """A malformed address has no empty list above the newest block; a token that was renamed has no name."""
    stage = court.scene.rollup
    for more in ({"address": "0x12"}, {"address": ""}, {"address": "0x12", "action": "txlistinternal"}):
        fields = {**LIST, "chainid": stage.chain_id, "startblock": 5_000, **more}
        with pytest.raises(Miss):
            court.providers["tables"].narrow([], asked(**fields), stage.calendar.times[-1])
    stage, token = court.scene.rollup, court.scene.bridged["dollar"].address.lower()
    request = asked(chainid=stage.chain_id, module="account", action="tokentx", contractaddress=token, page=1, offset=1)
    row = {"contractAddress": token, "tokenName": "N", "tokenSymbol": "S", "tokenDecimal": "6", "blockNumber": "x"}
    made = [Recorded(request, reply({"status": "1", "message": "OK", "result": [{**row, "tokenName": name}]}))
            for name in ("N", "N", "M")]  # fmt: skip
    provider, now = court.providers["tables"], stage.calendar.times[-1]
    assert strict_json(provider.narrow(made[:2], request, now).body)["result"][0]["tokenName"] == "N"
    with pytest.raises(Miss):
        provider.narrow(made, request, now)
