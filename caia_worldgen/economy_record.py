"""The recording of an economy: its APIs served on loopback, and everything asked of them that its world will hold."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from caia_replay.core.provider import HttpRequest, Provider
from caia_replay.loopback import LoopbackServer
from caia_replay.providers.reader.provider import page_request
from caia_replay.recording.record import Recorder
from caia_replay.recording.record_questions import record_as_asked, record_questions
from caia_replay.world.every_provider import providers_over
from caia_worldgen.build import Progress
from caia_worldgen.economy_moment import (
    OPENING_S,
    as_told_questions,
    largest,
    largest_traded,
    moment_questions,
    opening_questions,
    supply_questions,
)
from caia_worldgen.economy_question import (
    candle_questions,
    closing_questions,
    month_ends,
    quarter_questions,
    series_questions,
    statistics_questions,
    token_questions,
)
from caia_worldgen.economy_web import (
    account_questions,
    sweeps,
    timeline_questions,
    web_services,
)
from caia_worldgen.services.binance_futures import BinanceFutures
from caia_worldgen.services.binance_spot import BinanceSpot
from caia_worldgen.services.coingecko import CoinGecko
from caia_worldgen.services.defillama import DefiLlamaService
from caia_worldgen.services.etherscan import Etherscan
from caia_worldgen.services.github import GitHub
from caia_worldgen.services.jina import Jina
from caia_worldgen.services.service import Service, Services
from caia_worldgen.suite.height import moments_of
from caia_worldgen.web.page import WebPage
from caia_worldgen.web.truth import Truth
from caia_worldgen.web.web import Web


def services_of(truth: Truth, web: Web, now: int) -> Services:
    """Every API of a told story, answering at ``now``."""
    explorer = Etherscan((truth.scene.main, truth.scene.rollup), truth.book)
    return Services([*market_services(truth), explorer, *web_services(truth, web)], now)


def market_services(truth: Truth) -> tuple[Service, ...]:
    """The APIs of markets, metrics and code, which need no living node."""
    book = truth.book
    return (
        CoinGecko(book, truth.scene.networks),
        BinanceSpot(book),
        BinanceFutures(book),
        DefiLlamaService(truth.metrics),
        GitHub(truth.code),
    )


ANSWERS: Final = "pages-answers"
"""The cassette of pages that are written after the questions are drawn."""
recorder = partial(Recorder, tells_time=True, timeout_s=600.0)
"""A service of this process answers when the machine lets it: the time only guards against one that hangs."""


def record_economy(
    truth: Truth, web: Web, world: Path, heights: Mapping[str, Sequence[int]], progress: Progress
) -> int:
    """Write everything that is asked once, and what is the case at each of ``heights`` (by stage), into http/.

    Tasks have no recordings of their own: none depends on what is asked. Returns how many requests were made.
    """
    shutil.rmtree(world, ignore_errors=True)  # what a stopped build recorded is recorded anew: that is the smaller part
    scene, end = truth.scene, truth.book.prices.end - 1
    app, providers = services_of(truth, web, end), providers_over({})
    homes = list(truth.code.repositories)
    full, rollup = moments_of(scene, heights), {scene.rollup.calendar.times[block] for block in heights["rollup"]}
    moments = sorted({*full, *rollup})
    ever = sorted({coin for now in full for coin in largest(truth.book, now)}, key=lambda coin: coin.id)
    series = series_questions(scene, truth.book, homes, ever) | {"x": timeline_questions(truth)}
    read = [*statistics_questions(truth.book), *sweeps(truth, web)]
    whole, requests = len(series) + len(read) + len(moments), 0
    with LoopbackServer(app) as server:
        with recorder(world / "http" / "etherscan_token.json", server.host_map) as client:
            requests += record_as_asked(client, providers, token_questions(scene), end)
        record = partial(_recorded, server.host_map, providers)
        for done, (name, questions) in enumerate(series.items()):
            progress("recording the APIs", done, whole)
            requests += record(world / "http" / f"{name}.json", questions, end)
        for done, (name, now, questions) in enumerate(read, start=len(series)):
            progress("recording sweep after sweep", done, whole)
            app.now = now
            requests += record(world / "http" / f"{name}.json", questions, now)
        # One file: of a question that stands in two cassettes the first one's answers alone would count.
        with recorder(world / "http" / "now.json", server.host_map) as client:
            quarters = quarter_questions(truth.book, {now: largest_traded(truth.book, now) for now in full})
            requests += record_as_asked(client, providers, quarters, end)
            for listed_at in sorted({coin.listed_at for coin in truth.book.listed(end - OPENING_S)}):
                app.now = listed_at + OPENING_S
                requests += record_as_asked(client, providers, opening_questions(truth.book, listed_at), app.now)
            for app.now in month_ends(truth.book):
                requests += record_questions(client, providers, candle_questions(truth.book, app.now), app.now)
            for done, now in enumerate(moments, start=len(series) + len(read)):
                progress("recording moment after moment", done, whole)
                app.now = now
                if now not in full:
                    asked = supply_questions(scene, truth.book, scene.rollup, now)
                else:
                    asked = moment_questions(scene, truth.metrics, now)
                    requests += record_as_asked(client, providers, as_told_questions(truth.metrics, now), now)
                requests += record_questions(client, providers, asked, now)
            app.now = end
            closing = [*closing_questions(truth.metrics, homes, end), *account_questions(truth)]
            requests += record_questions(client, providers, closing, end)
    return requests


def record_answers(truth: Truth, pages: Sequence[WebPage], world: Path) -> int:
    """Write pages that were written for what is asked into http/ as well. Returns how many requests were made."""
    end = truth.book.prices.end - 1
    requests = [page_request(url) for url in sorted(made.page.url for made in pages)]
    with LoopbackServer(Services([Jina([made.page for made in pages])], end)) as server:
        return _recorded(server.host_map, providers_over({}), world / "http" / f"{ANSWERS}.json", requests, end)


def _recorded(
    hosts: Mapping[str, str], providers: Sequence[Provider], path: Path, questions: Sequence[HttpRequest], now: int
) -> int:
    with recorder(path, hosts) as client:
        return record_questions(client, providers, questions, now)
