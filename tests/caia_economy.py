"""A synthetic story in the months of CAIA's questions, on chains with the ids and names of real ones.

The economy's own generator tells it; four of its numbers are moved, for this story alone: the calendar begins on
5 September 2025, so that CAIA's data set ends within it; a thousand empty blocks come first, so that heights have the
four digits a question's height has; the chains' ids and names are Ethereum's and Base's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

import pytest

from caia_replay.origin import calendar, stage
from caia_replay.origin import economy as story
from caia_replay.origin.dice import Dice
from caia_replay.origin.economy_web import web_of
from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.metric import Metrics
from caia_replay.origin.market.repository import Repositories
from caia_replay.origin.people import Person
from caia_replay.origin.scale import Scale
from caia_replay.origin.scene import Scene
from caia_replay.origin.services import coingecko_list
from caia_replay.origin.stage import Stage
from caia_replay.origin.web import chinese_post, docs_page
from caia_replay.origin.web.truth import Truth
from caia_replay.origin.web.web import Web

SEED: Final = 9
SCALE: Final = Scale("caia", 48, 1, 1, 4, 30)
CHAIN, ROLLUP = "ethereum", "base"
FIRST_MIDNIGHT: Final = 1_757_030_400
"""2025-09-05, 00:00 UTC."""
QUIET: Final = 1_000
"""Blocks before anything happens."""
PAID_ON: Final = 12
"""The day of the story (2025-09-17) on which somebody pays and approves what the stubs ask about."""
PAID_WEI: Final = 3_250_000_000_000_000_000
APPROVED: Final = "1234.5"
"""Whole dollar tokens that were approved."""


class Payment:
    """An act of one block: a plain payment, and an allowance of dollar tokens, by one of the crowd."""

    block = 0

    def open(self, scene: Scene) -> None:
        """Nothing."""

    def play(self, scene: Scene, stage: Stage) -> None:
        """Pay and approve in the first block of its day."""
        if stage is scene.main and stage.day == PAID_ON and not self.block:
            self.block = stage.height
            payer, payee = parties(scene)
            stage.pay(payer.wallet, payee.address, PAID_WEI)
            dollar = scene.assets["dollar"]
            amount = int(float(APPROVED) * 10) * dollar.unit // 10
            stage.call(payer.wallet, dollar.contract, "approve", payee.address, amount)


def parties(scene: Scene) -> tuple[Person, Person]:
    """Who pays and approves, and whom."""
    return scene.people.crowd[5], scene.people.crowd[9]


@dataclass(frozen=True)
class Economy:
    """The story told to its end, its chains still living. ``today`` is its last second; seconds since 1970, UTC."""

    truth: Truth
    web: Web
    payment_block: int
    payment_hash: str

    @property
    def scene(self) -> Scene:
        """Everything the acts left."""
        return self.truth.scene

    @property
    def today(self) -> int:
        """2025-10-22, 23:59:59."""
        return self.truth.book.prices.end - 1


@contextmanager
def living_economy() -> Iterator[Economy]:
    """The story, told in some ten seconds; its nodes end with the block."""
    payment = Payment()
    with pytest.MonkeyPatch.context() as patch:
        drawn = Dice(f"calendar/{SEED}").number(0, calendar._SPAN_DAYS)
        patch.setattr(calendar, "_EARLIEST", FIRST_MIDNIGHT // calendar.DAY_S - drawn)
        patch.setattr(calendar, "_OPENING_EVERY_S", 10)
        opening = calendar.OPENING + QUIET
        patch.setattr(calendar, "OPENING", opening)
        patch.setattr(stage, "OPENING", opening)
        for owner in (story, coingecko_list):
            patch.setattr(owner, "MAIN_CHAIN_ID", 1 - SEED)
            patch.setattr(owner, "ROLLUP_CHAIN_ID", 8453 - SEED)
        acts = story.acts
        patch.setattr(story, "acts", lambda: (*acts(), payment))
        with story.economy(SEED, SCALE) as scene:
            scene.networks["main"] = replace(scene.networks["main"], id=CHAIN, name="Ethereum", ticker="ETH")
            scene.networks["rollup"] = replace(scene.networks["rollup"], id=ROLLUP, name="Base")
            for _ in range(QUIET):
                scene.main.mine()
            story.tell(scene)
            yield _finished(scene, payment)


def _finished(scene: Scene, payment: Payment) -> Economy:
    book = MarketBook(scene)
    metrics, code = Metrics(scene, book), Repositories(scene, book)
    truth, web = web_of(scene, book, metrics, code, (docs_page.pages,), (chinese_post.posts,))
    block = scene.main.ask("eth_getBlockByNumber", hex(payment.block), True)
    paid = [one["hash"] for one in block["transactions"] if int(one["value"], 16) == PAID_WEI]
    assert len(paid) == 1
    return Economy(truth, web, payment.block, paid[0])
