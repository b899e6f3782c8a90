"""What the recorder asks: always the same of the same story, spoken for by a provider, blind to the tasks' answers."""

from __future__ import annotations

from itertools import pairwise
from urllib.parse import parse_qsl, urlsplit

from caia_replay.origin.economy_question import (
    closing_questions,
    moment_questions,
    overview_questions,
    series_questions,
    statistics_questions,
    symbol_of,
    token_questions,
)
from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.metric import Metrics
from caia_replay.origin.scene import Scene
from caia_replay.world.every_provider import providers_over


def test_every_question_has_a_provider_and_is_asked_once(scene: Scene, book: MarketBook) -> None:
    """Hundreds of requests over five APIs, none twice, and none that nobody speaks for."""
    providers = providers_over({})
    now = scene.main.calendar.times[-1]
    series = [request for asked in series_questions(scene, book, ["a/b"]).values() for request in asked]
    metrics = Metrics(scene, book)
    moment = [*moment_questions(scene, metrics, now), *overview_questions()]
    closing = closing_questions(metrics, ["a/b"], now)
    for asked in ([*series, *moment], closing):
        assert len(asked) > 50 and len({request.url for request in asked}) == len(asked)
    for request in [*series, *moment, *closing]:
        assert any(provider.match(request) for provider in providers), request.url
    assert [request.url for request in series] == [
        request.url for found in series_questions(scene, book, ["a/b"]).values() for request in found
    ]


def test_statistics_are_asked_before_the_venue_forgets_them(book: MarketBook) -> None:
    """Sweep after sweep at most 30 days apart, from the story's beginning to its end, each question spoken for."""
    providers, found = providers_over({}), list(statistics_questions(book))
    moments = [book.prices.first, *(now for _, now, _ in found)]
    assert moments[-1] == book.prices.end - 1 and len({name for name, _, _ in found}) == len(found) > 3
    assert all(0 < after - before <= 30 * 86_400 for before, after in pairwise(moments))
    for _, _, asked in found:
        assert len({request.url for request in asked}) == len(asked) > 10
        assert all(any(provider.match(request) for provider in providers) for request in asked)


def test_one_movement_of_every_token_is_asked_for(scene: Scene, book: MarketBook) -> None:
    """Every coin's token on both chains, and every collection: one row of each, in the list of its kind."""
    asked = [dict(parse_qsl(urlsplit(request.url).query)) for request in token_questions(scene)]
    tokens = {(one["chainid"], one["contractaddress"]): one["action"] for one in asked}
    assert len(tokens) == len(asked) and {(one["page"], one["offset"]) for one in asked} == {("1", "1")}
    chains = {scene.networks[stage.name].id: str(stage.chain_id) for stage in (scene.main, scene.rollup)}
    homes = [(chains[network], address) for coin in book.coins for network, address in coin.platforms]
    assert len(homes) > 15 and {tokens.get(home) for home in homes} == {"tokentx"}
    single = {address for (_, address), action in tokens.items() if action == "tokennfttx"}
    named = ("portraits collection", "relics collection"), ("position manager",)
    stages = scene.main, scene.rollup
    assert single == {
        stage.contracts[role].address for stage, roles in zip(stages, named, strict=True) for role in roles
    }


def test_a_coin_that_is_not_listed_yet_is_not_asked_for(scene: Scene, book: MarketBook) -> None:
    """At a task's moment the recorder knows no coin of the future."""
    late = max(book.coins, key=lambda coin: coin.listed_at)
    early, after = (
        " ".join(request.url for request in moment_questions(scene, Metrics(scene, book), moment))
        for moment in (late.listed_at - 1, late.listed_at)
    )
    assert late.id not in early and late.id in after
    native = next(coin for coin in book.coins if coin.role == "native")
    assert symbol_of(book, native) == f"{native.symbol}{scene.projects['dollar'].ticker}".upper()
