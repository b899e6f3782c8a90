import pytest

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.metric import Metrics
from caia_replay.origin.scene import Scene
from caia_replay.origin.services.defillama_flow import FlowPages
from caia_replay.origin.services.defillama_form import usd

DAY = 86_400


@pytest.fixture(scope="module")
def metrics(scene: Scene, book: MarketBook) -> Metrics:
    """Every figure of the small economy."""
    return Metrics(scene, book)


def test_a_chart_has_the_days_that_are_over(metrics: Metrics) -> None:
    """One point for each, each the whole of its day; the totals are sums of the last of them."""
    pages, now = FlowPages(metrics), metrics.first_midnight + 40 * DAY + 777
    swap = metrics.protocols[0]
    days = metrics.flow.daily_e8(swap, "volume")[:40]
    content = pages.summary("dexs", swap.slug, {}, now).content
    assert content["totalDataChart"] == [
        [metrics.first_midnight + at * DAY, usd(worth)] for at, worth in enumerate(days)
    ]
    sums = {"total24h": days[-1:], "total48hto24h": days[-2:-1], "total7d": days[-7:], "total30d": days[-30:]}
    assert all(content[name] == usd(sum(part)) for name, part in sums.items())
    assert content["totalAllTime"] == usd(sum(days))
    chain = metrics.scene.networks["main"].name
    assert content["totalDataChartBreakdown"][-1][1] == {chain: {swap.name: usd(days[-1])}}


def test_an_overview_is_the_sum_of_its_protocols(metrics: Metrics) -> None:
    """On all chains and on one; the chain's has only its own protocols."""
    pages, now = FlowPages(metrics), metrics.first_midnight + 100 * DAY
    for kind, count in (("dexs", 2), ("fees", 5)):
        whole = pages.overview(kind, "", {}, now).content
        assert len(whole["protocols"]) == count and whole["chain"] is None
        for name in ("total24h", "total7d", "total14dto7d", "total60dto30d", "totalAllTime", "total7DaysAgo"):
            assert abs(sum(row[name] for row in whole["protocols"]) - whole[name]) < 0.001, name
        assert whole["totalDataChart"][-1][1] == whole["total24h"]
        parts = [pages.overview(kind, network.id, {}, now).content for network in metrics.scene.networks.values()]
        assert sum(len(part["protocols"]) for part in parts) == count
        assert abs(sum(part["totalAllTime"] for part in parts) - whole["totalAllTime"]) < 0.001
        assert [part["chain"] for part in parts] == whole["allChains"]


def test_revenue_is_what_is_not_the_providers(metrics: Metrics) -> None:
    """Pools and lenders leave the protocol nothing; the launchpad and the market keep all they charge."""
    pages, now = FlowPages(metrics), metrics.first_midnight + 120 * DAY
    fees, revenue = (
        pages.overview("fees", "", {"dataType": name}, now).content for name in ("dailyFees", "dailyRevenue")
    )
    kept = {row["slug"]: row["totalAllTime"] for row in revenue["protocols"]}
    charged = {row["slug"]: row["totalAllTime"] for row in fees["protocols"]}
    for one in metrics.protocols:
        if one.kind in ("launch", "collect"):
            assert kept[one.slug] == charged[one.slug] > 0
        elif one.slug in kept:
            assert kept[one.slug] == 0 < charged[one.slug]


def test_charts_are_left_out_when_asked(metrics: Metrics) -> None:
    """Only a true flag leaves something out, and nothing else changes."""
    pages, now = FlowPages(metrics), metrics.first_midnight + 9 * DAY
    full = pages.overview("dexs", "", {"excludeTotalDataChart": "false"}, now).content
    short = pages.overview(
        "dexs", "all", {"excludeTotalDataChart": "true", "excludeTotalDataChartBreakdown": "TRUE"}, now
    )
    assert full["totalDataChart"] and full["totalDataChartBreakdown"]
    assert short.content == {**full, "totalDataChart": [], "totalDataChartBreakdown": []}
    slug = metrics.protocols[0].slug
    assert pages.summary("fees", slug, {"excludeTotalDataChart": "true"}, now).content["totalDataChart"] == []


def test_what_is_not_there_is_refused_in_the_vendors_words(metrics: Metrics) -> None:
    """Unknown protocols, kinds, chains and data types; a kind nobody offers is an empty page."""
    pages, now = FlowPages(metrics), metrics.first_midnight + 9 * DAY
    bridge = next(one for one in metrics.protocols if one.kind == "bridge")
    for slug in ("Nobody", bridge.slug):
        answer = pages.summary("fees", slug, {}, now)
        assert answer.status == 400 and answer.content["message"].startswith(f"Fees for {slug.lower()} not found")
    assert pages.overview("magic", "", {}, now).status == pages.overview("dexs", "nowhere", {}, now).status == 500
    assert pages.overview("dexs", "", {"dataType": "dailyFees"}, now).status == 500
    assert pages.summary("options", bridge.slug, {}, now).status == 400
    assert pages.overview("open-interest", "", {}, now).content["protocols"] == []
    assert "total24h" not in pages.overview("dexs", "", {}, metrics.first_midnight + 5).content
