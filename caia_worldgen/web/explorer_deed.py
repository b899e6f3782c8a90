"""A deed as a block explorer words it: who, how much of what, and with which contract."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from caia_worldgen.event import ChainEvent
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Scene
from caia_worldgen.web import number
from caia_worldgen.web.prose import PhraseBook
from caia_worldgen.web.reading import Facts, Reading
from caia_worldgen.web.truth import Truth

POISONING: Final = "address poisoning"


def reports_of(scene: Scene) -> dict[str, tuple[int, str]]:
    """Addresses of the main chain with the block in which a deed first gave reason to report them, and the reason."""
    found: dict[str, tuple[int, str]] = {}
    tokens = {role: made.address for role, made in scene.main.contracts.items()}
    for deed in scene.main.deeds:
        figures = dict(deed.figures)
        if deed.verb in ("faked a transfer", "sent nothing"):
            found.setdefault(str(figures["looks_like"]).lower(), (deed.block, POISONING))
        elif deed.verb == "drained":
            found.setdefault(tokens.get("drainer", deed.actor), (deed.block, "draining wallets by approval"))
        elif deed.verb == "copied":
            what = f"an imitation of {scene.projects[deed.subject].ticker}"
            found.setdefault(str(figures["token"]).lower(), (deed.block, what))
        elif deed.verb == "could not sell" and deed.subject == "honeypot":
            found.setdefault(tokens["honeypot token"], (deed.block, "a token that cannot be sold"))
        elif deed.verb in ("rug pulled", "pulled liquidity"):
            role = deed.subject.partition("/")[0]
            found.setdefault(tokens.get(f"{role} token", deed.actor), (deed.block, "liquidity pulled by its maker"))
    return found


_IN_DOLLARS: Final = frozenset(("borrowed", "repaid", "lent", "withdrew"))


class DeedWords:
    """Deeds in words, out of the passages ``deed_<verb>`` of a book."""

    def __init__(self, truth: Truth, reading: Reading, book: PhraseBook) -> None:
        self._truth = truth
        self._scene = truth.scene
        self._reading = reading
        self._book = book

    def line(self, deed: ChainEvent, rng: Rng) -> str:
        """One line; "" for a deed that an explorer has no words for."""
        passage, slots = f"deed_{deed.verb.replace(' ', '_')}", self._slots(deed)
        if passage not in self._book.passages or not self._book.has(passage, slots):
            return ""
        return self._book.say(passage, slots, rng).text

    def who(self, address: str) -> str:
        """A label, or the shortened address."""
        return self._reading.label(address) or shortened(address)

    def _slots(self, deed: ChainEvent) -> Facts:
        figures = dict(deed.figures)
        slots: Facts = {"who": self.who(deed.actor), "what": self._what(deed), "coin": self._ticker(deed.subject)}
        slots["dollar"] = self._truth.subject("dollar").ticker
        for name, key in (
            ("recipient", "to"),
            ("implementation", "to"),
            ("borrower", "borrower"),
            ("looks_like", "fake"),
        ):
            if name in figures:
                slots[key] = self.who(str(figures[name]))
        for name in ("id", "side", "text"):
            if name in figures:
                slots[name] = str(figures[name])
        if "name" in figures:
            slots["label"] = str(figures["name"])
        if "price_e8" in figures:
            slots["price"] = number.price(Fraction(deed.figure("price_e8"), 10**8)).around("$").words
        if "weight" in figures:
            slots["weight"] = number.short(Fraction(deed.figure("weight"), 10**18)).words
        if "repaid" in figures:
            slots["repaid"] = number.exact(Fraction(deed.figure("repaid"), self._unit("dollar"))).words
        if deed.verb == "swapped":
            self._amount(slots, "amount", str(figures["sold"]), deed.figure("amount_in"))
            self._amount(slots, "got", str(figures["bought"]), deed.figure("amount_out"))
        elif deed.verb == "swept":
            self._amount(slots, "sent", str(figures["token"]), deed.figure("sent"))
            self._amount(slots, "burnt", str(figures["token"]), deed.figure("burned"))
        elif "amount" in figures:
            self._amount(slots, "amount", str(figures.get("sold", figures.get("token", self._measured(deed)))),
                         deed.figure("amount"))  # fmt: skip
        return slots

    def _measured(self, deed: ChainEvent) -> str:
        """The role of the coin a deed's amount is of."""
        if deed.verb in _IN_DOLLARS and deed.subject.endswith("lending market"):
            return "dollar"
        for tail in (
            " lending market",
            " staking pool",
            " founders vesting",
            " investors vesting",
            " advisers vesting",
        ):
            if deed.subject.endswith(tail):
                return deed.subject.removesuffix(tail)
        return deed.subject

    def _amount(self, slots: Facts, key: str, role: str, amount: int) -> None:
        bare = role.removeprefix("bridged ")
        if bare in self._scene.assets or bare in ("rug", "tax", "honeypot"):
            worth = Fraction(amount, self._unit(bare))
            slots[key] = f"{number.exact(worth, 0 if worth >= 1_000 else 3).words} {self._ticker(role)}"

    def _unit(self, role: str) -> int:
        return self._scene.assets[role].unit if role in self._scene.assets else 10**18

    def _ticker(self, role: str) -> str:
        bare = role.removeprefix("bridged ")
        return self._scene.projects[bare].ticker if bare in self._scene.projects else bare

    def _what(self, deed: ChainEvent) -> str:
        made = self._scene.main.contracts.get(deed.subject)
        if f"{deed.subject} collection" in self._scene.main.contracts:
            return self._scene.projects[deed.subject].name if deed.subject in self._scene.projects else deed.subject
        if deed.verb == "evened out" and "/" not in deed.subject:
            return f"{self._ticker(deed.subject)}/{self._ticker('dollar')}"
        if made is not None:
            return self._reading.label(made.address)
        if deed.verb == "released" and "nonce" in dict(deed.figures):
            return "the bridge vault"
        return "/".join(self._ticker(side) for side in deed.subject.split("/"))


def shortened(address: str) -> str:
    """``0x1234ab…9f00``."""
    return f"{address[:8]}…{address[-4:]}"
