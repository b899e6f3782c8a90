from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.metric import Metrics
from caia_replay.origin.scene import Scene


def test_days_and_midnights_end_at_now(scene: Scene, book: MarketBook) -> None:
    """A day is over when the next begins; the first midnight that has figures is the story's second."""
    metrics = Metrics(scene, book)
    first, day = metrics.first_midnight, 86_400
    assert [metrics.days_over(first + at) for at in (-1, 0, day - 1, day, 3 * day + 5)] == [0, 0, 0, 1, 3]
    assert list(metrics.midnights(first + 3 * day - 1)) == [first + day, first + 2 * day]
    assert metrics.days_over(first + 10**9) == scene.scale.days


def test_a_chains_total_leaves_the_bridge_out(scene: Scene, book: MarketBook) -> None:
    """Chains together are all; what is bridged is counted where it is used, and a protocol is found in any case."""
    metrics = Metrics(scene, book)
    moment = scene.main.calendar.midnight(100)
    parts = {one.slug: metrics.tvl.value_e8(one, moment) for one in metrics.protocols}
    bridge = next(one for one in metrics.protocols if one.kind == "bridge")
    assert parts[bridge.slug] > 0
    assert metrics.chain_e8("", moment) == sum(parts.values()) - parts[bridge.slug]
    assert metrics.chain_e8("main", moment) + metrics.chain_e8("rollup", moment) == metrics.chain_e8("", moment)
    assert metrics.protocol(bridge.slug.upper()) is bridge and metrics.protocol("nobody") is None
