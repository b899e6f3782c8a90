"""The explorer's law: drawn questions, and whether the answer is inside what was recorded, computed from the truth.

Four worlds are asked: one that recorded whole lists at the story's end, one that holds a chain's tables and nothing
else, one that a stranger recorded a few pages of, and one that recorded single facts in the middle of the story.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.canonical import strict_json
from caia_replay.chain.chain_source import ChainSource
from caia_replay.chain.snapshot import Snapshot
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.etherscan.provider import EtherscanProvider
from caia_replay.recording.capture import capture_archive
from caia_worldgen.economy import HARDFORK
from caia_worldgen.market.book import MarketBook
from caia_worldgen.scene import Scene
from caia_worldgen.services.etherscan import Etherscan
from caia_worldgen.stage import Stage
from tests.provider_law import live, of_family, recorded, same

ORIGIN = "https://api.etherscan.io/v2/api"
ENDLESS = 9_999_999_999
COUNTED = ("txlist", "tokentx", "tokennfttx")
"""Lists whose rows say how many blocks came after them."""


def asked(**fields: Any) -> HttpRequest:
    """A request with these parameters, of which None ones are left out; ``from_`` and ``to_`` are the log ranges'."""
    spelled = {"first": "fromBlock", "last": "toBlock"}
    pairs = {spelled.get(name, name): value for name, value in fields.items() if value is not None}
    return HttpRequest("GET", f"{ORIGIN}?{urlencode(pairs)}")


def captured(stage: Stage, place: Path) -> Snapshot:
    """The whole of one living chain as a snapshot."""
    folder = place / stage.name
    capture_archive(stage.url, folder, chain=stage.name, hardfork=HARDFORK, provenance="synthetic",
                    source="a test", born=stage.born)  # fmt: skip
    return Snapshot.open(folder)


@dataclass(frozen=True)
class Draw:
    """A question at a moment, the recordings and tables it is asked of, and whether they contain its answer."""

    world: str
    request: HttpRequest
    now: int
    inside: bool


@dataclass(frozen=True)
class Stranger:
    """Pages of one list somebody recorded at the story's end: ``fields`` name it, in blocks ``first`` to ``last``."""

    fields: Mapping[str, Any]
    first: int
    last: int
    descending: bool
    offset: int
    pages: int


class Court:
    """Both services of a told story, the worlds that recorded them, and questions for them."""

    def __init__(self, scene: Scene, book: MarketBook, snapshots: Mapping[str, ChainSource]) -> None:
        self.scene = scene
        self.service = Etherscan((scene.main, scene.rollup), book)
        self.snapshots = snapshots
        self.stages = (scene.main, scene.rollup)
        self.end = max(stage.calendar.times[-1] for stage in self.stages)
        self.middle = scene.main.calendar.times[scene.main.calendar.last_block // 2]
        self.providers = {"tables": EtherscanProvider(snapshots), "wide": EtherscanProvider(snapshots),
                          "stranger": EtherscanProvider({}), "facts": EtherscanProvider(snapshots)}  # fmt: skip
        self.recorded: dict[str, list[Recorded]] = {
            "tables": [],
            "wide": recorded(self.service, self.providers["wide"], self._wide(), self.end),
            "stranger": [found for one in self.strangers for found in self._pages(one)],
            "facts": [Recorded(item, live(self.service, item, self.middle)) for item in self.facts],
        }

    @cached_property
    def people(self) -> dict[str, list[str]]:
        """By chain id accounts with a past: the first half of them was recorded."""
        found = {}
        for stage in self.stages:
            past = self.service.histories[str(stage.chain_id)].by_account
            busy = sorted(past, key=lambda account: (-len(past[account]), account))
            found[str(stage.chain_id)] = busy[:: max(1, len(busy) // 24)]
        return found

    @cached_property
    def strangers(self) -> list[Stranger]:
        """A few partly recorded lists."""
        main, rollup = (str(stage.chain_id) for stage in self.stages)
        router, dollar = (self.scene.main.contracts[role].address for role in ("router", "dollar token"))
        found = []
        for chain, of in ((main, router), (rollup, self.people[rollup][0]),
                          (main, self.scene.people.address("treasury"))):  # fmt: skip
            fields = {"chainid": chain, "module": "account", "action": "txlist", "address": of}
            found.append(Stranger(fields, 0, ENDLESS, True, 13, 2))
        for address, first, last in ((dollar, 20, 90), (router, 0, ENDLESS)):
            fields = {"chainid": main, "module": "logs", "action": "getLogs", "address": address}
            found.append(Stranger(fields, first, last, False, 17, 3))
        found.append(
            Stranger({"chainid": main, "module": "account", "action": "txlistinternal"}, 30, 120, False, 25, 3)
        )
        return found

    @cached_property
    def facts(self) -> list[HttpRequest]:
        """What was recorded in the middle of the story: what is the case then, and what can change no more."""
        chain = str(self.scene.main.chain_id)
        token, who = self.scene.main.contracts["dollar token"].address, self.scene.people.address("treasury")
        proxy = self.scene.main.contracts["fee vault"].address
        past = next(one for one in self.service.histories[chain].mined if one.receipt["status"] != "0x1")
        fields: list[dict[str, Any]] = [
            {"module": "stats", "action": "tokensupply", "contractaddress": token},
            {"module": "stats", "action": "ethprice"},
            {"module": "stats", "action": "ethsupply"},
            {"module": "gastracker", "action": "gasoracle"},
            {"module": "account", "action": "tokenbalance", "contractaddress": token, "address": who},
            {"module": "proxy", "action": "eth_call", "to": token, "data": "0x18160ddd", "tag": "latest"},
            {"module": "contract", "action": "getsourcecode", "address": proxy},
            {"module": "block", "action": "getblockcountdown", "blockno": 140},
            *({"module": "account", "action": action, "address": who} for action in ("balancehistory",)),
            {"module": "contract", "action": "getabi", "address": token},
            {"module": "contract", "action": "getsourcecode", "address": token},
            {"module": "contract", "action": "getcontractcreation", "contractaddresses": token},
            {"module": "transaction", "action": "getstatus", "txhash": past.transaction["hash"]},
            {"module": "transaction", "action": "gettxreceiptstatus", "txhash": past.transaction["hash"]},
            {"module": "block", "action": "getblockreward", "blockno": past.block},
            {"module": "proxy", "action": "eth_getTransactionByHash", "txhash": past.transaction["hash"]},
            {"module": "proxy", "action": "eth_call", "to": token, "data": "0x18160ddd", "tag": hex(past.block)},
        ]
        return [asked(chainid=chain, **item) for item in fields]

    PASSING, PROXY = 8, 6
    """So many of the facts hold at their moment alone; the next is a refusal that always does; of the rest, one that
    was recorded before the world's moment holds."""

    def newest_known(self, chain_id: str, now: int) -> bool:
        """Whether tables prove which block is the newest: none is known to follow the last one."""
        stage = next(one for one in self.stages if str(one.chain_id) == chain_id)
        return stage.name in self.snapshots and now <= stage.calendar.times[-1]

    def answer(self, draw: Draw) -> HttpReply:
        """What the drawn world says. Raises ``Miss``."""
        provider = self.providers[draw.world]
        return provider.narrow(of_family(provider, self.recorded[draw.world], draw.request), draw.request, draw.now)

    def check(self, draw: Draw) -> None:
        """Inside it is the living answer; outside it is a miss."""
        try:
            said = self.answer(draw)
        except Miss:
            assert not draw.inside, f"a miss inside: {draw}"
            return
        assert draw.inside, f"an answer outside: {draw}"
        assert same(said, live(self.service, draw.request, draw.now)), f"another answer: {draw}"

    def draw(self, rng: random.Random) -> Draw:
        """One question."""
        return rng.choice((self._wide_draw, self._wide_draw, self._table_draw, self._table_draw, self._stranger_draw,
                            self._fact_draw))(rng)  # fmt: skip

    def hold(self, draws: int) -> float:
        """Check so many questions, drawn by hypothesis; which part of them was inside."""
        inside: list[bool] = []

        @settings(max_examples=draws, deadline=None, database=None, report_multiple_bugs=False)
        @given(st.integers(0, 2**62))
        def law(seed: int) -> None:
            draw = self.draw(random.Random(seed))
            inside.append(draw.inside)
            self.check(draw)

        law()
        return sum(inside) / len(inside)

    def _wide(self) -> Iterator[HttpRequest]:
        for chain, accounts in self.people.items():
            for account in accounts[: len(accounts) // 2]:
                for action in (*COUNTED, "txlistinternal"):
                    yield asked(chainid=chain, module="account", action=action, address=account, page=3, offset=2)
                yield asked(chainid=chain, module="logs", action="getLogs", address=account, offset=1, page=1)

    def _moment(self, rng: random.Random, stage: Stage) -> int:
        """The end of the story, or a block's moment or one between two blocks, well before the end."""
        if rng.random() < 0.15:
            return self.end
        moment = stage.calendar.times[rng.randint(3, stage.calendar.last_block - 1)] + rng.choice((0, 0, 1, 4_000))
        return moment if self.end - moment > 1_000 else self.middle

    def _window(self, rng: random.Random, action: str) -> dict[str, Any]:
        first = rng.choice((None, 0, rng.randint(0, 140)))
        last = rng.choice((None, 99_999_999, "latest", rng.randint(first or 0, 150)))
        names = ("first", "last") if action == "getLogs" else ("startblock", "endblock")
        pages = rng.choice(({}, {"page": rng.randint(1, 4), "offset": rng.choice((1, 2, 3, 5, 10, 100))}))
        order = {} if action == "getLogs" else {"sort": rng.choice((None, "asc", "desc", "desc"))}
        return dict(zip(names, (first, last), strict=True)) | pages | order

    def _wide_draw(self, rng: random.Random) -> Draw:
        stage = rng.choice((self.scene.main, self.scene.rollup, self.scene.rollup))
        chain, now = str(stage.chain_id), self._moment(rng, stage)
        action = rng.choice((*COUNTED, "txlistinternal", "getLogs", "getLogs"))
        people = self.people[chain]
        half = len(people) // 2
        was = rng.random() < 0.85
        account = rng.choice(people[:half] if was else people[half:])
        module = "logs" if action == "getLogs" else "account"
        request = asked(chainid=chain, module=module, action=action, address=account, **self._window(rng, action))
        known, rows = self.newest_known(chain, now), self._rows(request, now)
        if was:
            inside = action not in COUNTED or not rows or now == self.end or known
        else:
            # Above the newest block there provably is nothing.
            above = known and self._first(request) > stage.calendar.at(now)
            inside = above or (known and (action in ("txlist", "getLogs") or (action in COUNTED and not rows)))
        return Draw("wide", request, now, inside)

    def _table_draw(self, rng: random.Random) -> Draw:
        chosen = [stage for stage in self.stages if stage.name in self.snapshots]
        stage = rng.choice(chosen) if rng.random() < 0.95 else rng.choice(self.stages)
        chain, now = str(stage.chain_id), self._moment(rng, stage)
        history = self.service.histories[chain]
        account, known = rng.choice(self.people[chain]), self.newest_known(chain, now)
        mined = rng.choice(history.mined)
        number = rng.randint(0, stage.calendar.last_block)
        exists = number <= stage.calendar.at(now)
        come = mined.block <= stage.calendar.at(now)
        ok = mined.receipt["status"] == "0x1"
        log = rng.choice(history.logs)[1]
        tag = rng.choice(("latest", hex(number)))
        moment = now - rng.randint(0, 90_000)
        topics = {f"topic{at}": topic for at, topic in enumerate(log["topics"][:3]) if at == 0 or rng.random() < 0.6}
        places = sorted(int(name[-1]) for name in topics)
        joined = rng.choice(("and", "or"))
        topics |= {f"topic{a}_{b}_opr": joined for a, b in pairwise(places)}
        whole = {"module": "logs", "action": "getLogs", **self._window(rng, "getLogs"), **topics}
        if rng.random() < 0.5:
            whole["address"] = log["address"]
        two = ",".join((account, mined.transaction["from"]))
        tables: list[tuple[dict[str, Any], bool]] = [
            ({"module": "account", "action": "txlist", "address": account, **self._window(rng, "txlist")}, True),
            (whole, True),
            (whole, True),
            ({"module": "account", "action": "balance", "address": account}, True),
            ({"module": "account", "action": "balancemulti", "address": two, "tag": "latest"}, True),
            ({"module": "transaction", "action": "gettxreceiptstatus", "txhash": mined.transaction["hash"]}, True),
            ({"module": "transaction", "action": "getstatus", "txhash": mined.transaction["hash"]}, ok or not come),
            ({"module": "proxy", "action": "eth_getTransactionByHash", "txhash": mined.transaction["hash"]}, True),
            ({"module": "proxy", "action": "eth_getTransactionReceipt", "txhash": mined.transaction["hash"]}, True),
            ({"module": "proxy", "action": "eth_getBlockByNumber", "tag": tag, "boolean": "true"}, True),
            ({"module": "proxy", "action": "eth_getBlockByNumber", "tag": tag, "boolean": "false"}, True),
            ({"module": "proxy", "action": "eth_getBlockTransactionCountByNumber", "tag": tag}, True),
            ({"module": "proxy", "action": "eth_getUncleByBlockNumberAndIndex", "tag": tag, "index": "0x0"}, True),
            ({"module": "proxy", "action": "eth_blockNumber"}, True),
            ({"module": "proxy", "action": "eth_getCode", "address": log["address"], "tag": tag},
             exists or tag == "latest"),
            ({"module": "proxy", "action": "eth_getTransactionCount", "address": account, "tag": tag},
             exists or tag == "latest"),
            ({"module": "proxy", "action": "eth_getStorageAt", "address": log["address"], "tag": tag,
              "position": hex(rng.randint(0, 9))}, exists or tag == "latest"),
            ({"module": "block", "action": "getblocknobytime", "timestamp": moment, "closest": "before"},
             moment >= stage.calendar.times[0]),
            ({"module": "block", "action": "getblocknobytime", "timestamp": moment, "closest": "after"},
             moment <= stage.calendar.times[stage.calendar.at(now)]),
            ({"module": "account", "action": "txlistinternal", "address": account}, False),
            ({"module": "proxy", "action": "eth_gasPrice"}, False),
        ]  # fmt: skip
        fields, inside = rng.choice(tables)
        return Draw("tables", asked(chainid=chain, **fields), now, inside and known)

    def _stranger_draw(self, rng: random.Random) -> Draw:
        of = rng.choice(self.strangers)
        action = of.fields["action"]
        stage = next(one for one in self.stages if str(one.chain_id) == of.fields["chainid"])
        now = self.end if action in COUNTED else self._moment(rng, stage)
        window = self._window(rng, action)
        if rng.random() < 0.7:
            # Most ask for what somebody who saw these pages would ask for.
            window |= {"page": rng.randint(1, 4), "offset": rng.choice((1, 3, 8))}
            names = ("first", "last") if action == "getLogs" else ("startblock", "endblock")
            window |= {names[0]: of.first + rng.choice((0, 0, 5)), names[1]: of.last if of.descending else
                       rng.choice((of.last, of.first + 20))}  # fmt: skip
            if action != "getLogs":
                window["sort"] = "desc" if of.descending else "asc"
        request = asked(**of.fields, **window)
        return Draw("stranger", request, now, self._stranger_knows(of, window, now))

    def _stranger_knows(self, of: Stranger, window: Mapping[str, Any], now: int) -> bool:
        """Whether the recorded part of the true list proves the answer."""
        whole = self._rows(asked(**of.fields), self.end)
        block = [int(row["blockNumber"], 0) for row in whole]
        listed = [at for at in range(len(whole)) if of.first <= block[at] <= of.last]
        listed = listed[::-1] if of.descending else listed
        seen = listed[: of.offset * of.pages]
        ended = len(listed) < of.offset * of.pages
        lost = None if ended else block[seen[-1]]
        blocks = (of.first if lost is None or not of.descending else lost + 1,
                  of.last if lost is None or of.descending else lost - 1)  # fmt: skip
        first = window.get("first", window.get("startblock")) or 0
        last = window.get("last", window.get("endblock"))
        last = ENDLESS if last in (None, "latest") else last
        descending = window.get("sort") == "desc"
        need = window.get("page", 1) * window.get("offset", 10_000 if "sort" in window else 1_000)
        inside = [at for at in range(len(whole)) if first <= block[at] <= last]
        inside = inside[::-1] if descending else inside
        front: list[int] = []
        for at in inside:
            known = blocks[0] <= block[at] <= blocks[1] or (at in seen and descending == of.descending)
            if not known:
                break
            front.append(at)
        start = last if descending else first
        reach = blocks[0] <= start <= blocks[1] or (start == lost and descending == of.descending)
        if not reach:
            return False
        if blocks[0] <= first and last <= blocks[1]:
            return True
        times = [int(whole[at]["timeStamp"], 0) for at in front]
        if not descending and any(moment > now for moment in times):
            return True
        # A silent stretch between the last known row and the edge of what is known proves nothing beyond it.
        return sum(moment <= now for moment in times) >= need

    def _fact_draw(self, rng: random.Random) -> Draw:
        at = rng.randrange(len(self.facts))
        now = rng.choice((self.middle, self.middle, self._moment(rng, self.scene.main)))
        # Within a quarter of an hour a recording is one of the moment, though the living answer may differ.
        now = self.middle if abs(now - self.middle) <= 900 else now
        if at < self.PASSING:
            inside = now == self.middle or (at == self.PROXY and self._stands_for_the_same(now))
        elif at == self.PASSING or now >= self.middle:
            inside = True
        else:
            inside = self._shown_to_exist(at, now)
        return Draw("facts", self.facts[at], now, inside)

    def _stands_for_the_same(self, now: int) -> bool:
        """Whether the tables show that the recorded proxy was not led to other code."""
        one = self.facts[self.PROXY]
        unchanged = same(live(self.service, one, now), live(self.service, one, self.middle))
        return unchanged and self.newest_known(str(self.scene.main.chain_id), now)

    def _shown_to_exist(self, at: int, now: int) -> bool:
        """Before it was recorded, a fact holds where the reply or the tables date it."""
        chain = str(self.scene.main.chain_id)
        past = next(one for one in self.service.histories[chain].mined if one.receipt["status"] != "0x1")
        tables = self.newest_known(chain, now)
        dated = ("getcontractcreation", "getblockreward")
        url = self.facts[at].url
        if any(f"action={name}" in url for name in dated):
            return int(past.header["timestamp"], 16) <= now or "getblockreward" not in url
        if "gettxreceiptstatus" in url or "eth_getTransactionByHash" in url:
            return tables
        if "getstatus" in url:
            return tables and int(past.header["timestamp"], 16) > now
        if "eth_call" in url:
            return tables and int(past.header["timestamp"], 16) <= now
        return tables

    def _first(self, request: HttpRequest) -> int:
        fields = dict(parse_qsl(request.url.partition("?")[2]))
        return int(fields.get("fromBlock") or fields.get("startblock") or 0)

    def _rows(self, request: HttpRequest, now: int) -> list[dict[str, Any]]:
        found = strict_json(live(self.service, request, now).body)["result"]
        return found if isinstance(found, list) else []

    def _pages(self, of: Stranger) -> Iterator[Recorded]:
        names = ("first", "last") if of.fields["action"] == "getLogs" else ("startblock", "endblock")
        order = {} if of.fields["action"] == "getLogs" else {"sort": "desc" if of.descending else "asc"}
        for page in range(1, of.pages + 1):
            blocks = dict(zip(names, (of.first, of.last), strict=True))
            request = asked(**of.fields, **blocks, **order, page=page, offset=of.offset)
            yield Recorded(request, live(self.service, request, self.end))
