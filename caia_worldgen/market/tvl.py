"""What protocols hold, and what it is worth: total value locked, by protocol, chain, part and token, at any moment.

The state is that at the end of the newest block of the moment, by the scenario's ledger and views; the prices are
those of the moment. What a protocol holds has parts: ``tvl``, and beside it what an index keeps apart from it, its own
token staked with it (``staking``) and what is lent out (``borrowed``). docs/metrics.md has the rule of each kind.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Final, Literal

from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.act.bridge import BRIDGED
from caia_worldgen.act.launch import PAD
from caia_worldgen.act.lend import COLLATERALS
from caia_worldgen.act.rollup import POOL as RANGE_POOL
from caia_worldgen.contracts.lending import next_index, owed
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.protocol import Protocol, pairs_of, stage_of
from caia_worldgen.scene import Scene
from caia_worldgen.view import ViewCall

Part = Literal["tvl", "staking", "borrowed"]
Holdings = Mapping[tuple[str, Part, str], int]
"""(chain, part, coin id) -> amount in the coin's smallest units."""

OUTSIDE_TOTALS: Final = ("Bridge",)
"""Categories that a chain's total leaves out: what is bridged is counted where it is used."""


class Tvl:
    """Holdings of a told story's protocols. Read-only; answers are pure functions of protocol and moment."""

    def __init__(self, scene: Scene, book: MarketBook) -> None:
        self._scene = scene
        self._book = book
        self._known: dict[tuple[str, int], Holdings] = {}
        self._locked = _native_locked(scene)
        self._launched = [one for one in scene.main.views.questions() if one.function == "launches"]

    def holdings(self, protocol: Protocol, moment: int) -> Holdings:
        """What a protocol holds at a moment; empty before the story."""
        if moment < self._book.prices.first:
            return {}
        found = self._known.get((protocol.slug, moment))
        if found is None:
            found = self._known[protocol.slug, moment] = self._counted(protocol, moment)
        return found

    def worth_e8(self, coin: str, amount: int, moment: int) -> int:
        """Dollars times 10^8, cut; 0 for a coin that has no price yet."""
        made = self._book.coin(coin)
        price = None if made is None else self._book.prices.price_e8(made, moment)
        return 0 if made is None or price is None else amount * price // made.unit

    def value_e8(self, protocol: Protocol, moment: int, part: Part = "tvl", chain: str = "") -> int:
        """The worth of one part, on one chain or on all."""
        held = self.holdings(protocol, moment).items()
        return sum(
            self.worth_e8(coin, amount, moment)
            for (on, kind, coin), amount in held
            if kind == part and chain in ("", on)
        )

    def debt(self, role: str, moment: int) -> int:
        """All debt of the lending market against ``role``, with interest up to the moment; smallest units."""
        name, block = f"{role} lending market", self._scene.main.calendar.at(moment)
        try:
            index, touched, scaled, rate = (
                int(self._scene.main.views.answer(ViewCall(name, function), block)[0])
                for function in ("storedIndex", "touchedAt", "totalScaledDebt", "rateBpsPerYear")
            )
        except KeyError:
            return 0
        return owed(scaled, next_index(index, rate, moment - touched))

    def _counted(self, protocol: Protocol, moment: int) -> Holdings:
        found: dict[tuple[str, Part, str], int] = {}

        def add(chain: str, part: Part, coin: str, amount: int) -> None:
            if amount:
                found[chain, part, coin] = found.get((chain, part, coin), 0) + amount

        for chain, part, token, holder in self._places(protocol):
            stage = stage_of(self._scene, chain)
            coin = self._book.at_address(self._scene.networks[chain].id, token)
            if coin is not None:
                add(chain, part, coin.id, stage.ledger.balance(token, holder, stage.calendar.at(moment)))
        if protocol.kind == "lend":
            add(
                "main",
                "borrowed",
                self._scene.projects["dollar"].id,
                sum(self.debt(one, moment) for one in COLLATERALS),
            )
        native = self._scene.networks["main"].id
        if protocol.kind == "bridge":
            add("main", "tvl", native, self._native_at_bridge(moment))
        if protocol.kind == "launch":
            add("main", "tvl", native, self._raised(moment))
        return found

    def _places(self, protocol: Protocol) -> Iterator[tuple[str, Part, str, str]]:
        """(chain, part, token address, holder) of every balance that counts."""
        scene, made = self._scene, self._scene.main.contracts
        dollar = scene.assets["dollar"].address
        if protocol.kind == "swap":
            for role, pair in pairs_of(scene):
                for side in role.split("/"):
                    yield "main", "tvl", _token_of(scene, side), pair.address
        elif protocol.kind == "range":
            for side in ("native", "dollar"):
                yield "rollup", "tvl", scene.bridged[side].address, scene.rollup.contracts[RANGE_POOL].address
        elif protocol.kind == "lend":
            for side in COLLATERALS:
                for token in (scene.assets[side].address, dollar):
                    yield "main", "tvl", token, made[f"{side} lending market"].address
        elif protocol.kind == "stake":
            pool = made[f"{protocol.role} staking pool"].address
            yield "main", "staking", scene.assets[protocol.role].address, pool
        elif protocol.kind == "bridge":
            for side in BRIDGED:
                yield "main", "tvl", scene.assets[side].address, made["bridge vault"].address

    def _native_at_bridge(self, moment: int) -> int:
        blocks, sums = self._locked
        at = bisect_right(blocks, self._scene.main.calendar.at(moment))
        return sums[at - 1] if at else 0

    def _raised(self, moment: int) -> int:
        """What the launchpad owns in wei: the reserves of the tokens that have no pair yet, and fees not collected."""
        views, block = self._scene.main.views, self._scene.main.calendar.at(moment)
        whole = 0
        for question in (*self._launched, ViewCall(PAD, "feesWei")):
            try:
                answer = views.answer(question, block)
            except KeyError:
                continue
            whole += int(answer[0]) if question.function == "feesWei" else (answer[3] == ZERO_ADDRESS) * int(answer[2])
        return whole


def _token_of(scene: Scene, side: str) -> str:
    """The token that a pair's name means by ``side``."""
    return scene.assets[side].address if side in scene.assets else scene.main.contracts[f"{side} token"].address


def _native_locked(scene: Scene) -> tuple[list[int], list[int]]:
    """Blocks, and what native coin the bridge has locked from each of them on."""
    signs = {"locked": 1, "released": -1}
    moved = [deed for deed in scene.main.deeds if deed.subject == "native" and deed.verb in signs]
    return [deed.block for deed in moved], list(accumulate(signs[deed.verb] * deed.figure("amount") for deed in moved))
