"""Questions in CAIA's form about ``caia_origin``: CSV rows, gold rows, and the pages that some of them are about.

All words are the tests' own. Every answer is computed from the story's ledger, calendar, market book and metrics, and
from the pages as they were written; the tools that are to find it again are not asked.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, Literal

from caia_replay.core.expression import render
from caia_replay.interop.caia_format import question_digest
from caia_replay.store.plain import toml_text
from caia_worldgen.act.birth import PROJECTS
from tests.caia_origin import CHAIN, ROLLUP, Economy
from tests.caia_shelf import ARENA, FIRM, Sites, reading, sites_of
from tests.living_solana import SIGNATURE

DAY_S: Final = 86_400
_E8: Final = 10**8
_CHAIN: Final = "on-chain analysis"
_SCAN: Final = "https://api.etherscan.io/v2/api?chainid=1"

Outcome = Literal["recorded", "refused", "withheld", "no chain"]
"""What recording a stub is to end in: its answer, proven; a refusal of the vendor's that is explained; nothing that may
be shown at its moment; or what is worth keeping where no chain of tools leads to the answer."""


@dataclass(frozen=True, slots=True)
class Stub:
    """One question. The fields of the gold row are those of ``interop/gold_row.py``."""

    id: str
    question: str
    answer: str
    category: str = _CHAIN
    steps: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    result: str = ""
    moment: str = "fixed"
    why_not: str = ""
    note: str = ""
    needs: tuple[str, ...] = ()
    requests: tuple[Mapping[str, str], ...] = ()
    outcome: Outcome = "recorded"
    chain: str = CHAIN

    @property
    def task(self) -> str:
        """The id the import gives it."""
        return f"caia-{int(self.id):03d}"

    @property
    def gold(self) -> dict[str, Any]:
        """Its row of a rows_*.toml."""
        row: dict[str, Any] = {
            "id": self.id,
            "question": question_digest(self.question).rpartition(":")[2],
            "moment": self.moment,
        }
        if self.steps:
            row["steps"] = [{"tool": tool, "arguments": dict(arguments)} for tool, arguments in self.steps]
        more = {"result": self.result, "why_not": self.why_not, "note": self.note, "needs": list(self.needs)}
        row |= {name: value for name, value in more.items() if value}
        return row | ({"requests": [dict(one) for one in self.requests]} if self.requests else {})


@dataclass(frozen=True, slots=True)
class Stubs:
    """All of them, in the order of their ids, and the pages they need."""

    rows: tuple[Stub, ...]
    sites: Sites

    def of(self, outcome: Outcome) -> tuple[Stub, ...]:
        """Those that end so."""
        return tuple(row for row in self.rows if row.outcome == outcome)

    def write(self, folder: Path) -> tuple[Path, Path]:
        """stubs.csv and gold/rows_stubs.toml in ``folder``; returns the file and the gold folder."""
        path, gold = folder / "stubs.csv", folder / "gold"
        gold.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["id", "question", "answer", "category"])
            writer.writerows([row.id, row.question, row.answer, row.category] for row in self.rows)
        (gold / "rows_stubs.toml").write_text(toml_text({"row": [row.gold for row in self.rows]}), "utf-8")
        return path, gold


def stubs_of(economy: Economy) -> Stubs:
    """The questions about this economy."""
    sites = sites_of(economy.truth)
    makers = (_chain_stubs, _market_stubs, _index_stubs, _web_stubs, _hard_stubs, _chinese_stubs, _warehouse_stubs)
    made = [row for make in makers for row in make(economy, sites)]
    rows = tuple(replace(row, id=str(number)) for number, row in enumerate(made, start=1))
    asked = next(row for row in rows if row.category == "project discovery" and "independent review" in row.question)
    return Stubs(rows, sites.quoting(asked.question, asked.answer))


# what the questions are about


def _day(moment: int) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%-d %B %Y")


def _iso(moment: int) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d")


def _clock(moment: int) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _text(value: Fraction, digits: int | None = None) -> str:
    return render(value if digits is None else round(value, digits))


def _chain_stubs(economy: Economy, sites: Sites) -> Iterator[Stub]:
    scene, truth = economy.scene, economy.truth
    main, token = scene.main, scene.assets["exchange"]
    block = truth.block_at("main", truth.midnight(11))
    height = next(height for height, _, _ in main.sent if height >= block)
    sent = main.ask("eth_getBlockByNumber", hex(height), True)["transactions"][0]["hash"]
    receipt = main.ask("eth_getTransactionReceipt", sent)
    holder = scene.people.address("treasury")
    held = max(scene.assets.values(), key=lambda one: main.ledger.balance(one.address, holder, block))
    yield Stub(
        "", f"When was Ethereum block {block} produced (UTC)?", _clock(main.calendar.times[block]),
        steps=(("block_query", {"block": block}),), result="$1.time_utc",
    )  # fmt: skip
    yield Stub(
        "", f"Report the gas used by transaction {sent} on Ethereum.", str(int(receipt["gasUsed"], 16)),
        steps=(("transaction_query", {"hash": sent}),), result="$1.gas_used",
    )  # fmt: skip
    amount = Fraction(main.ledger.balance(held.address, holder, block), held.unit)
    yield Stub(
        "", f"What balance of the token {held.address} did {holder} have at Ethereum block {block}?", _text(amount),
        steps=(("balance_query", {"address": holder, "token": held.address, "block": block}),), result="$1.amount",
    )  # fmt: skip
    first, last = truth.block_at("main", truth.midnight(4)), truth.block_at("main", truth.midnight(14))
    event = "Transfer(address indexed from, address indexed to, uint256 value)"
    yield Stub(
        "", f"Count the Transfer events that {token.address} emitted on Ethereum in the blocks {first} to {last}, both "
        "included.", str(len(main.ledger.within(token.address, first, last))),
        steps=(("data_query", {"contract": token.address, "event": event, "from_block": first, "to_block": last}),),
        result="$1.count",
    )  # fmt: skip
    yield Stub(
        "", f"What does the verified interface of the token {token.address} on Ethereum call its function without a "
        "parameter that begins with total?", "totalSupply",
        steps=(("data_query", {"contract": token.address, "about": "abi"}),),
        result="match(join(' ', $1.functions), '(total[A-Za-z]+)[(][)]')",
    )  # fmt: skip
    bridged, day = scene.bridged["exchange"], truth.midnight(18)
    there = Fraction(scene.rollup.ledger.supply(bridged.address, truth.block_at("rollup", day - 1)), bridged.unit)
    yield Stub(
        "", f"What was the supply of {token.project.ticker} on Base: the token {bridged.address}, at the end of "
        f"{_day(day - 1)} (UTC)?", _text(there), "tokenomics",
        steps=(("supply_query", {"asset": bridged.address}),), result="$1.on_chain.0.total_supply", moment="anchor",
        chain=ROLLUP,
    )  # fmt: skip


def _market_stubs(economy: Economy, sites: Sites) -> Iterator[Stub]:
    truth, book = economy.truth, economy.truth.book
    coin = truth.coin(truth.subject("exchange").id)
    at = truth.midnight(15)
    price = truth.price_usd(coin.id, at)
    yield Stub(
        "", f"What was the price of {coin.name} in US dollars at 00:00 UTC on {_day(at)}?", f"{_text(price, 8)} USD",
        "trend analysis",
        steps=(("price_feed", {"asset": f"id:{coin.id}", "at": _iso(at)}),), result="$1.price",
    )  # fmt: skip
    first, last = truth.midnight(6), truth.midnight(14)
    closes = [book.prices.candle(coin, hour).close_e8
              for hour in range(6 * 24 + 23, 15 * 24, 24)]  # fmt: skip
    quote = economy.scene.assets["dollar"].project.ticker
    yield Stub(
        "", f"As of {_day(last + 2 * DAY_S)}, what was the highest daily close of {coin.symbol.upper()} against "
        f"{quote} on Binance from {_day(first)} "
        f"to {_day(last)}, both days included?", _text(Fraction(max(closes), _E8)), "trend analysis",
        steps=(
            ("price_feed", {"asset": f"id:{coin.id}", "source": "binance", "interval": "1d", "start": _iso(first),
                            "end": _iso(last + DAY_S)}),
        ),
        result="max($1.rows[*].close)",
    )  # fmt: skip


def _index_stubs(economy: Economy, sites: Sites) -> Iterator[Stub]:
    truth, metrics, scene = economy.truth, economy.truth.metrics, economy.scene
    lend, swap = (found for kind in ("lend", "swap") for found in metrics.protocols if found.kind == kind)
    at = truth.midnight(15)
    locked = Fraction(metrics.tvl.value_e8(lend, at), _E8)
    yield Stub(
        "", f"How many US dollars were locked in {lend.name} at 00:00 UTC on {_day(at)}, according to DefiLlama?",
        f"${_text(locked, 2)}",
        steps=(("protocol_metrics", {"protocol": lend.slug, "at": _iso(at)}),), result="$1.last_up_to_it.tvl_usd",
    )  # fmt: skip
    volume = metrics.flow.daily_e8(swap, "volume")
    busy = max(range(5, 20), key=lambda day: volume[day])
    day = truth.midnight(busy)
    yield Stub(
        "", f"As of {_day(day + 2 * DAY_S)}, what volume in US dollars had {swap.name} traded on {_day(day)} (UTC)?",
        f"${_text(Fraction(volume[busy], _E8), 2)}",
        steps=(("exchange_summary", {"exchange": swap.slug, "start": _iso(day), "end": _iso(day)}),),
        result="$1.window.sums.volume_usd",
    )  # fmt: skip
    role = next(one.role for one in metrics.emissions.all() if one.known_at < truth.midnight(10))
    subject, moment = truth.subject(role), truth.midnight(20)
    emission = metrics.emissions.of(subject.id)
    assert emission is not None
    held = Fraction(emission.supply - emission.granted, scene.assets[role].unit)
    unlocked = Fraction(sum(emission.unlocked(name, moment) for name in emission.sections()), 10**18)
    yield Stub(
        "", f"By 00:00 UTC on {_day(moment)}, how many {subject.ticker} had the unlock schedule of {subject.name} "
        "released, the genesis distribution included?", _text(held + unlocked), "tokenomics",
        steps=(("release_schedule", {"asset": f"id:{subject.id}", "at": _iso(moment)}),),
        result="$1.in_all.unlocked_tokens",
    )  # fmt: skip
    day = truth.midnight(12)
    users = metrics.activity.daily(swap)[12].users
    yield Stub(
        "", f"As of {_day(day + 2 * DAY_S)}, how many distinct users did DefiLlama count for {swap.name} on "
        f"{_day(day)}?", str(users),
        steps=(("network_activity", {"protocol": swap.slug, "start": _iso(day), "end": _iso(day)}),),
        result="$1.window.points.0.users", outcome="refused",
    )  # fmt: skip


def _web_stubs(economy: Economy, sites: Sites) -> Iterator[Stub]:
    truth, web = economy.truth, economy.web
    at = truth.midnight(15)
    contracts = {
        f"docs.{truth.subject(role).site}/contracts": role for role in economy.scene.assets if role in PROJECTS
    }
    books = {contracts.get(made.page.url.partition("//")[2]): made.page for made in web.pages}
    role, book = next((role, page) for role, page in books.items() if role and (page.known_since or at) < at - DAY_S)
    subject, token = truth.subject(role), economy.scene.assets[role].address
    yield Stub(
        "", f"According to its documentation as of {_day(at)}, at what address is the token contract of "
        f"{subject.name}?", token, "project discovery",
        steps=(("url_fetching", {"url": book.url}),), result=f"match($1.text, '0x{token[2:6]}[0-9a-f]+')",
    )  # fmt: skip
    moment = truth.midnight(15)
    yield Stub(
        "", f"As of {_day(moment)}, which firm had published an independent review of the {ARENA} staking pool?",
        FIRM, "project discovery",
        steps=(
            ("web_search", {"query": f"independent review {ARENA} staking pool"}),
            ("url_fetching", {"url": sites.audit.url}),
        ),
        result="match($2.text, '([A-Z][a-z]+ [A-Z][a-z]+) reviewed')",
        requests=tuple(reading(page) for page in (sites.late_leak, sites.late_news, sites.early_leak)),
    )  # fmt: skip
    yield Stub(
        "", f"What was the smallest stake that the {ARENA} terms of use named on {_day(moment)}, in tokens?", "4200",
        "project discovery",
        steps=(("url_fetching", {"url": sites.terms.url}),), result="match($1.text, 'at least ([0-9,]+)')",
    )  # fmt: skip
    yield Stub(
        "", f"Which colour did the {ARENA} press kit of {_day(moment)} name first?", "teal", "general knowledge",
        steps=(("url_fetching", {"url": sites.lost.url}),), result="match($1.text, 'first colour is ([a-z]+)')",
        outcome="withheld",
    )  # fmt: skip
    days = range(8, 15)
    begin, end = truth.midnight(days[0]), truth.midnight(days[-1] + 1)
    written = Counter(made.post.author for made in web.posts if begin <= made.post.created < end)
    author, count = max(written.items(), key=lambda item: (item[1], item[0]))
    yield Stub(
        "", f"How many posts did the X account @{author} publish from {_day(begin)} to {_day(end - 1)} (UTC, both days "
        "included)?", str(count), "overlap",
        steps=(("social_stream", {"handles": [author], "first_day": _iso(begin), "last_day": _iso(end - 1),
                                  "limit": 50}),),
        result="count($1.posts)",
    )  # fmt: skip


def _hard_stubs(economy: Economy, sites: Sites) -> Iterator[Stub]:
    truth = economy.truth
    at = truth.midnight(15)
    home = next(one for one in truth.code.repositories.values() if one.latest(at) is not None)
    latest = home.latest(at)
    assert latest is not None
    yield Stub(
        "", f"What tag did the newest full release of the GitHub repository {home.full_name} bear on {_day(at)}?",
        latest.tag, "general knowledge", why_not="no provider", needs=("code host tool",),
        note="No tool reads releases; the list of them is recorded for whoever adds one",
        requests=({"method": "GET", "url": f"https://api.github.com/repos/{home.full_name}/releases?per_page=100"},),
        outcome="no chain",
    )  # fmt: skip
    token = economy.scene.assets["exchange"]
    holders = economy.scene.main.ledger.holders(token.address, truth.block_at("main", at))
    yield Stub(
        "", f"How many addresses held {token.project.ticker} ({token.address}) on Ethereum on {_day(at)}?",
        str(holders),
        why_not="no provider", needs=("token holder index",), note="Holders are counted for those who pay, and for now",
        requests=({"method": "GET", "url": f"{_SCAN}&module=token&action=tokenholdercount&"
                   f"contractaddress={token.address}"},),
        outcome="refused",
    )  # fmt: skip
    yield Stub(
        "", f"Which coin gained most in the ranking of {truth.subject('exchange').name} and its rivals lately?",
        truth.subject("exchange").name, "overlap", moment="anchor", why_not="not anchored",
        note="Lately names no moment", outcome="no chain",
    )  # fmt: skip
    ranked = truth.book.ranking(at + DAY_S - 1)
    yield Stub(
        "", f"Which coin had the largest market capitalisation on CoinGecko at the end of {_day(at)}?", ranked[0].name,
        "trend analysis", steps=(("ranking_query", {"limit": 1}),), result="$1.coins.0.name", moment="anchor",
        outcome="withheld",
    )  # fmt: skip


def _chinese_stubs(economy: Economy, sites: Sites) -> Iterator[Stub]:
    truth, scene = economy.truth, economy.scene
    block = truth.block_at("main", truth.midnight(13))
    sent = sum(height == block for height, _, _ in scene.main.sent)
    yield Stub(
        "", f"以太坊区块 {block} 包含多少笔交易？", str(sent),
        steps=(("block_query", {"block": block, "include_transactions": True}),), result="$1.transaction_count",
    )  # fmt: skip
    coin, at = truth.coin(truth.subject("lend").id), truth.midnight(17)
    moment = datetime.fromtimestamp(at, UTC)
    yield Stub(
        "", f"{moment.year}年{moment.month}月{moment.day}日 UTC 零点，{coin.name} 的价格是多少美元？",
        f"${_text(truth.price_usd(coin.id, at), 8)}", "trend analysis",
        steps=(("price_feed", {"asset": f"id:{coin.id}", "at": _iso(at)}),), result="$1.price",
    )  # fmt: skip


def _warehouse_stubs(economy: Economy, sites: Sites) -> Iterator[Stub]:
    truth, main, token = economy.truth, economy.scene.main, economy.scene.assets["exchange"]
    first, last = truth.midnight(7), truth.midnight(16)
    moved = [
        one for one in main.ledger.within(token.address, 0, 10**9) if first <= main.calendar.times[one.block] < last
    ]
    window = f"block_time >= TIMESTAMP '{_iso(first)}' AND block_time < TIMESTAMP '{_iso(last)}'"
    count = f"SELECT count(DISTINCT trader), count(*) AS trades FROM dex.trades WHERE project = 'exchange' AND {window}"
    yield Stub(
        "", f"As of {_day(last)}, how many trades of {token.project.ticker} had the warehouse decoded of the nine days "
        f"before, from {_day(first)} on?", str(len(moved)), steps=(("data_query", {"sql": count}),),
        result="$1.rows.0.1",
    )  # fmt: skip
    yield Stub(
        "", f"How many trades of {token.project.ticker} did the warehouse hold in all on {_day(last)}?",
        str(len(moved)), steps=(("data_query", {"sql": "SELECT count(*) AS trades FROM dex.trades"}),),
        result="$1.rows.0.0", outcome="withheld",
    )  # fmt: skip
    yield Stub(
        "", f"How many SOL in fees did the transaction {SIGNATURE} on Solana cost?", "0.000005",
        steps=(("transaction_query", {"hash": SIGNATURE, "chain": "solana"}),), result="$1.fee", chain="solana",
    )  # fmt: skip
