"""The block explorer: tokens, addresses, blocks, and a sheet for the day.

Pages are undated and show the chain as it was when they were first seen. Warnings stand only where a deed of the story
made the reason known by then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Final

from caia_replay.core.world import Page
from caia_worldgen.calendar import DAY_S
from caia_worldgen.event import ChainEvent
from caia_worldgen.rng import Rng
from caia_worldgen.stage import Stage
from caia_worldgen.web import number, place
from caia_worldgen.web.explorer_deed import POISONING, DeedWords, reports_of, shortened
from caia_worldgen.web.page import WebPage
from caia_worldgen.web.prose import GRIDS, LINES, Cell, PhraseBook, Written, grid, join, listing
from caia_worldgen.web.reading import LEAD_DAYS, Facts, Reading, flow_form
from caia_worldgen.web.truth import ROLES, Truth

_BLOCKS: Final = {"main": 80, "rollup": 24}
_DAYS: Final = 60
_CROWD: Final = 14
_LOOK_ALIKES: Final = 18


def pages(truth: Truth) -> Iterator[WebPage]:
    """Every page of the explorer: tokens first, then addresses, blocks and days."""
    return _Explorer(truth).pages()


class _Explorer:
    def __init__(self, truth: Truth) -> None:
        self._truth = truth
        self._scene = truth.scene
        self._main, self._rollup = truth.scene.main, truth.scene.rollup
        self._reading = Reading(truth)
        self._book = PhraseBook("explorer_page", truth.seed)
        self._words = DeedWords(truth, self._reading, self._book)
        self._decimals = {made.address: made.decimals for made in truth.scene.assets.values()}
        self._roles = {truth.scene.assets[role].address: role for role in ROLES if role != "native"}
        self._names = {made.address: (made.project.name, made.project.ticker) for made in truth.scene.assets.values()}
        self._transfers = {"main": Counter(one.block for one in self._main.ledger.movements),
                           "rollup": Counter(one.block for one in self._rollup.ledger.movements)}  # fmt: skip
        self._reports = reports_of(truth.scene)

    def pages(self) -> Iterator[WebPage]:
        main, wrapped = self._main, self._scene.assets["native"].address
        for address in [*self._roles, wrapped]:
            yield self._token(main, address, 30)
        for role, made in sorted(main.contracts.items()):
            if role.endswith(" token") and made.address not in self._roles and made.address != wrapped:
                yield self._token(main, made.address, 12)
        for _, asset in sorted(self._scene.bridged.items()):
            yield self._token(self._rollup, asset.address, 30)
        for address in self._addresses():
            yield self._address(address)
        for name, count in _BLOCKS.items():
            stage = main if name == "main" else self._rollup
            first = stage.calendar.blocks_of(LEAD_DAYS)[0]
            span = stage.calendar.last_block - 1 - first
            for height in sorted({first + span * at // count for at in range(count)}):
                yield self._block(name, stage, height)
        for day in sorted({LEAD_DAYS + (self._truth.days - LEAD_DAYS - 3) * at // _DAYS for at in range(_DAYS)}):
            yield self._day(day)

    def _token(self, stage: Stage, address: str, earliest: int) -> WebPage:
        rng, born = self._rng(f"token/{address}"), self._born(stage, address)
        moment = self._seen(stage, max(born, stage.calendar.blocks_of(earliest)[0]), rng)
        block, ledger = stage.calendar.at(moment), stage.ledger
        # An address may bear another contract on the other chain.
        role = self._roles.get(address) if stage is self._main else None
        name, ticker = self._named(stage, address)
        unit, known = 10 ** self._decimals.get(address, 18), [one for one in ledger.known(address)]
        supply = number.exact(Fraction(ledger.supply(address, block), unit)).words
        hollow = address in ledger.hollow
        words = "" if role is None else f"{self._truth.subject(role).about}."
        slots: Facts = {
            "name": name, "ticker": ticker, "short": shortened(address), "chain": self._chain_of(stage),
            "born": str(born), "decimals": str(self._decimals.get(address, 18)),
            "height": self._truth.block("main" if stage is self._main else "rollup", moment),
        }  # fmt: skip
        if words:
            slots["words"] = words
        claimed = role is not None
        rows: list[tuple[str, Cell]] = [
            (self._label("contract", slots, rng), self._truth.address(role) if role else address),
            (self._label("holders", slots, rng), str(sum(ledger.balance(address, one, block) > 0 for one in known))),
            (self._label("transfers", slots, rng), f"{len(ledger.within(address, 0, block)):,}"),
            (self._label("decimals", slots, rng), slots["decimals"]),
        ]
        if not hollow:
            told = self._truth.supply(self._truth.subject(role).id, moment) if role else supply
            rows.insert(0, (self._label("supply", slots, rng), told))
        if claimed and rng.happens(60):
            rows.append(
                (self._label("price", slots, rng), self._truth.price(self._truth.subject(str(role)).id, moment))
            )
        parts = [join([self._book.say("head_top", slots, rng), self._top(stage, address, role, moment, rng)], "\n")]
        parts.append(self._moves(stage, address, block, slots, rng))
        parts.append(self._report(address, block, slots, rng))
        url = place.token_page(self._truth, address)
        if stage is self._rollup:  # a deployer's address and nonce may be the same on both chains
            url = self._truth.cast.explorer.url("rollup", "token", address)
        return self._page(url, "token", "token", slots, rows, parts, moment, rng)

    def _top(self, stage: Stage, token: str, role: str | None, moment: int, rng: Rng) -> Written:
        block, unit = stage.calendar.at(moment), 10 ** self._decimals.get(token, 18)
        owned = sorted(
            ((stage.ledger.balance(token, one, block), one) for one in stage.ledger.known(token)), reverse=True
        )
        rows: list[list[Cell]] = []
        for at, (amount, holder) in enumerate(owned[: rng.number(3, 6)], start=1):
            told: Cell = (
                self._truth.balance(role, holder, moment) if role else number.exact(Fraction(amount, unit)).words
            )
            if amount > 0:
                rows.append([f"{at}.", self._words.who(holder), told])
        return grid([], rows, rng.one(GRIDS[:4]))

    def _moves(self, stage: Stage, token: str, block: int, slots: Facts, rng: Rng) -> Written:
        unit = 10 ** self._decimals.get(token, 18)
        rows: list[list[Cell]] = []
        for one in stage.ledger.within(token, 0, block)[-rng.number(3, 5) :][::-1]:
            worth = Fraction(one.amount, unit)
            rows.append([f"#{one.block}", self._words.who(one.sender), self._words.who(one.recipient),
                         number.exact(worth, 0 if worth >= 100 else 2).words])  # fmt: skip
        return join([self._book.say("head_moves", slots, rng), grid([], rows, rng.one(GRIDS))], "\n")

    def _addresses(self) -> list[str]:
        scene = self._scene
        found = [scene.people.address(role) for role in scene.people.roles]
        found += [made.address for role, made in sorted(self._main.contracts.items()) if not role.endswith(" token")]
        found += [address for address, (_, why) in self._reports.items() if why == POISONING][:_LOOK_ALIKES]
        found += [one.address for one in self._truth.rng("explorer/crowd").some(scene.people.crowd, _CROWD)]
        return list(dict.fromkeys(found))

    def _address(self, address: str) -> WebPage:
        rng, stage, truth = self._rng(f"address/{address}"), self._main, self._truth
        busy = [block for block, sender, to in stage.sent if address in (sender, to)]
        since = self._reports.get(address, (0, ""))[0]
        born = max(busy[0] if busy else 0, since, stage.calendar.blocks_of(LEAD_DAYS + 2)[0])
        moment = self._seen(stage, born, rng)
        block, contract = stage.calendar.at(moment), any(made.address == address for made in stage.contracts.values())
        label = self._reading.label(address) if self._reports.get(address, (block + 1, ""))[0] > block else ""
        slots: Facts = {
            "short": shortened(address), "chain": self._reading.home, "height": truth.block("main", moment),
            "iso": number.iso_day(moment), "kind": "Contract" if contract else "Externally owned account",
        }  # fmt: skip
        if label:
            slots["label"] = label
        past = [one for one in busy if one <= block]
        rows: list[tuple[str, Cell]] = [(rng.one(("Address", "Account", "Full address", "Hex")), address)]
        if past:
            slots["first"], slots["last"] = str(past[0]), str(past[-1])
            rows += [
                (self._label("first", slots, rng), slots["first"]),
                (self._label("last", slots, rng), slots["last"]),
            ]
        rows.append((self._label("transactions", slots, rng), f"{len(past):,}"))
        held: list[tuple[str, Cell]] = []
        for token, role in self._roles.items():
            if stage.ledger.balance(token, address, block):
                ticker = truth.subject(role).ticker
                held.append((self._label("balance", {"ticker": ticker}, rng), truth.balance(role, address, moment)))
        parts: list[Written] = []
        if held:
            lines = listing(rng.some(held, min(len(held), 6)), rng.one(LINES))
            parts.append(join([self._book.say("head_balances", slots, rng), lines], "\n"))
        acts = [deed for deed in stage.deeds if deed.block <= block and address in (deed.actor, *_parties(deed))]
        parts.append(self._events(acts[-60:], slots, rng, rng.number(3, 6)))
        if self._reports.get(address, (0, ""))[1] == POISONING:
            parts.append(self._book.say("look_alike", slots, rng))
        parts.append(self._report(address, block, slots, rng))
        return self._page(
            truth.cast.explorer.url("address", address), "address", "address", slots, rows, parts, moment, rng
        )

    def _block(self, name: str, stage: Stage, height: int) -> WebPage:
        rng, times = self._rng(f"block/{name}/{height}"), stage.calendar.times
        at, raw = times[height], self._asked(stage, height)
        gap = times[height] - times[height - 1]
        slots: Facts = {
            "height": self._truth.block(name, at), "chain": self._scene.networks[name].name, "day": number.day(at),
            "time": number.clock_time(at), "iso": number.iso_day(at), "date": number.short_day(at),
            "weekday": number.weekday(at), "previous": f"{height - 1:,}",
            "transfers": str(self._transfers[name][height]),
            "gap": f"{gap // 3_600} h {gap % 3_600 // 60} min" if gap >= 3_600 else f"{gap} seconds",
        }  # fmt: skip
        rows: list[tuple[str, Cell]] = [
            (self._label("height", slots, rng), slots["height"]), (self._label("hash", slots, rng), raw["hash"]),
            (self._label("parent", slots, rng), raw["parentHash"]),
            (self._label("transactions", slots, rng), str(len(raw["transactions"]))),
            (self._label("gas", slots, rng), f"{int(raw['gasUsed'], 16):,}"),
            (self._label("fee", slots, rng), f"{int(raw['baseFeePerGas'], 16):,}"),
        ]  # fmt: skip
        if raw["transactions"]:
            rows.append((self._label("tx", slots, rng), raw["transactions"][0]))
        if slots["transfers"] == "0":
            slots.pop("transfers")
        parts = [self._events([one for one in stage.deeds if one.block == height], slots, rng, rng.number(4, 8))]
        url = self._truth.cast.explorer.url("block", name, str(height))
        rows = rng.some(rows, len(rows) - rng.number(0, 2))
        seen = min(at + rng.number(1, 30) * 3_600, self._truth.midnight(self._truth.days) - 3_700)
        return self._page(url, "block", "block", slots, rows, parts, seen, rng)

    def _day(self, day: int) -> WebPage:
        truth, rng, stage = self._truth, self._rng(f"day/{day}"), self._main
        midnight, blocks = truth.midnight(day + 1), self._main.calendar.blocks_of(day)
        at = truth.midnight(day)
        slots: Facts = {
            "chain": self._reading.home, "day": number.day(at), "iso": number.iso_day(at), "date": number.short_day(at),
            "weekday": number.weekday(at), "first": f"{blocks[0]:,}", "last": f"{blocks[-1]:,}",
            "senders": str(len(stage.senders.get(day, ()))),
            "transactions": str(sum(block in blocks for block, _, _ in stage.sent)),
        }  # fmt: skip
        volume = truth.volume(truth.subject("exchange").id, midnight, flow_form(rng))
        rows: list[tuple[str, Cell]] = [
            (self._label("volume", slots, rng), volume), (self._label("senders", slots, rng), slots["senders"]),
            (self._label("transactions", slots, rng), slots["transactions"]),
            (self._label("blocks", slots, rng), f"{slots['first']}–{slots['last']}"),
        ]  # fmt: skip
        deeds = [deed for deed in stage.deeds if deed.block in blocks]
        counts = Counter(deed.verb for deed in deeds)
        words = [f"{verb} ×{count}" for verb, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))]
        rows.append((rng.one(("Kinds", "By kind", "Events", "Verbs")), ", ".join(words[: rng.number(4, 7)])))
        parts = [self._events(deeds, slots, rng, rng.number(5, 9))]
        seen = midnight + rng.number(900, 70_000)
        url = truth.cast.explorer.url("day", number.iso_day(at))
        return self._page(url, "day", "day", slots, rng.some(rows, len(rows)), parts, seen, rng)

    def _events(self, deeds: Sequence[ChainEvent], slots: Facts, rng: Rng, count: int) -> Written:
        by_verb: dict[str, list[ChainEvent]] = {}
        for deed in deeds:
            by_verb.setdefault(deed.verb, []).append(deed)
        chosen: list[ChainEvent] = []
        # One of each kind before a second of any: what is rare tells more of a day than another swap.
        while len(chosen) < count and any(by_verb.values()):
            for verb in sorted(by_verb):
                if by_verb[verb] and len(chosen) < count:
                    chosen.append(by_verb[verb].pop(rng.number(0, len(by_verb[verb]) - 1)))
        lines = [line for line in (self._words.line(deed, rng) for deed in chosen) if line]
        if not lines:
            return Written("", ())
        before = rng.one(("- ", "", "• ", "› "))
        head = self._book.say("head_events", slots, rng).text
        return Written("\n".join([head, *(before + line for line in lines)]), ())

    def _report(self, address: str, block: int, slots: Facts, rng: Rng) -> Written:
        since, what = self._reports.get(address, (block + 1, ""))
        if since <= block:
            return self._book.say("report", slots | {"what": what, "since": str(since)}, rng)
        return self._book.say("clean", slots, rng) if rng.happens(40) else Written("", ())

    def _page(self, url: str, kind: str, book: str, slots: Facts, rows: Sequence[tuple[str, Cell]],
              parts: Sequence[Written], moment: int, rng: Rng) -> WebPage:  # fmt: skip
        title = self._book.say(f"title_{book}", slots, rng)
        intro = [self._book.say(f"intro_{book}", slots, rng)] if rng.happens(90) else []
        notes = [self._book.say(f"note_{book}", slots, rng) for _ in range(rng.number(2, 3))]
        if sum(len(part.text) for part in parts) < 260:  # what little there is must not be all there is
            notes += [self._book.say("note_more", slots, rng), self._book.say("note_node", slots, rng)]
        text = join([*intro, listing(rows, rng.one(LINES)), *rng.some(parts, len(parts)), *notes])
        claims = tuple(dict.fromkeys((*title.claims, *text.claims)))
        page = Page(url.lower(), title.text, text.text, None, language="en", first_seen=moment)
        return WebPage(page, f"explorer/{kind}", claims)

    def _label(self, name: str, slots: Facts, rng: Rng) -> str:
        return self._book.say(f"label_{name}", slots, rng).text

    def _seen(self, stage: Stage, block: int, rng: Rng) -> int:
        """A moment at or after a block, and within the story."""
        last = self._truth.midnight(self._truth.days) - 4_000
        first = min(stage.calendar.times[block] + 600, last)
        return rng.number(first, min(last, first + 40 * DAY_S))

    def _rng(self, name: str) -> Rng:
        return self._truth.rng(f"explorer/{name}")

    def _born(self, stage: Stage, token: str) -> int:
        return min((one.block for one in stage.ledger.within(token, 0, stage.calendar.last_block)), default=1)

    def _chain_of(self, stage: Stage) -> str:
        return self._reading.home if stage is self._main else self._reading.away

    def _asked(self, stage: Stage, height: int) -> dict[str, Any]:
        return dict(stage.ask("eth_getBlockByNumber", hex(height), False))

    def _named(self, stage: Stage, address: str) -> tuple[str, str]:
        if address in self._names:
            return self._names[address]
        for role, asset in self._scene.bridged.items():
            if asset.address == address and stage is self._rollup:
                project = self._scene.projects[role]
                return f"Bridged {project.name}", project.ticker
        role = next(role for role, made in stage.contracts.items() if made.address == address)
        bare = role.removesuffix(" token").removeprefix("look-alike ")
        if bare in self._scene.projects:
            return self._scene.projects[bare].name, self._scene.projects[bare].ticker
        dollar = self._scene.projects["dollar"]
        return (dollar.name, dollar.ticker) if bare == "spoof" else (bare.capitalize(), bare.upper()[:5])


def _parties(deed: ChainEvent) -> tuple[str, ...]:
    return tuple(
        str(value) for name, value in deed.figures if name in ("recipient", "looks_like", "victim", "borrower")
    )
