"""What the recorder asks: always the same of the same story, spoken for by a provider, blind to the tasks' answers."""

from __future__ import annotations

from caia_replay.origin.economy_question import moment_questions, series_questions, symbol_of
from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.scene import Scene
from caia_replay.world.world import providers_over


def test_every_question_has_a_provider_and_is_asked_once(scene: Scene, book: MarketBook) -> None:
    """Hundreds of requests over five APIs, none twice, and none that nobody speaks for."""
    providers = providers_over({})
    now = scene.main.calendar.times[-1]
    series = [request for asked in series_questions(scene, book, ["a/b"]).values() for request in asked]
    asked = [*series, *moment_questions(scene, book, scene.main, ["x"], ["a/b"], now)]
    assert len(asked) > 300 and len({request.url for request in asked}) == len(asked)
    for request in asked:
        assert any(provider.match(request) for provider in providers), request.url
    assert [request.url for request in series] == [
        request.url for found in series_questions(scene, book, ["a/b"]).values() for request in found
    ]


def test_a_coin_that_is_not_listed_yet_is_not_asked_for(scene: Scene, book: MarketBook) -> None:
    """At a task's moment the recorder knows no coin of the future."""
    late = max(book.coins, key=lambda coin: coin.listed_at)
    early, after = (
        " ".join(request.url for request in moment_questions(scene, book, scene.main, [], [], moment))
        for moment in (late.listed_at - 1, late.listed_at)
    )
    assert late.id not in early and late.id in after
    native = next(coin for coin in book.coins if coin.role == "native")
    assert symbol_of(book, native) == f"{native.symbol}{scene.projects['dollar'].ticker}".upper()
