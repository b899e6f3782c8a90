import json

import pytest

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.metric import Metrics
from caia_replay.origin.scene import Scene
from caia_replay.origin.services.defillama_emission import EmissionPages

DAY, UNIT = 86_400, 10**18


@pytest.fixture(scope="module")
def metrics(scene: Scene, book: MarketBook) -> Metrics:
    """Every figure of the small economy."""
    return Metrics(scene, book)


def test_a_calendar_is_the_contracts_day_by_day(scene: Scene, metrics: Metrics) -> None:
    """Each section's points are what its contracts have vested, in whole tokens; all sections end with the supply."""
    pages, now = EmissionPages(metrics), scene.main.calendar.midnight(10)
    for one in metrics.emissions.all():
        content = pages.file(one.slug, now).content
        shown = {part["label"]: part["data"] for part in content["documentedData"]["data"]}
        for section in one.sections():
            for point in shown[section][::31]:
                assert point["unlocked"] == pytest.approx(one.unlocked(section, point["timestamp"]) / UNIT, rel=1e-15)
        assert sum(part[-1]["unlocked"] for part in shown.values()) == pytest.approx(one.supply / UNIT)
        assert sum(content["documentedData"]["tokenAllocation"]["final"].values()) == pytest.approx(100, abs=0.1)
        assert sorted(name for names in content["categories"].values() for name in names) == sorted(shown)
        for event in content["metadata"]["events"]:
            assert any(event["timestamp"] in (grant.schedule.cliff, grant.schedule.start) for grant in one.grants)


def test_a_file_is_known_from_the_grants_on(metrics: Metrics) -> None:
    """Before the last grant there is no file; later it is the same bytes at all times, with that moment as its date."""
    pages, one = EmissionPages(metrics), metrics.emissions.all()[0]
    assert pages.file(one.slug, one.known_at - 1).status == 404
    assert pages.wrapped(one.slug, one.known_at - 1).status == pages.wrapped("nobody", one.known_at).status == 400
    early, late = pages.file(one.slug, one.known_at), pages.file(f"{one.slug}.json", one.known_at + 90 * DAY)
    assert early == late and "GMT" in early.headers["Last-Modified"]
    wrapped = pages.wrapped(one.slug, one.known_at + DAY).content
    assert json.loads(wrapped["body"]) == early.content and wrapped["lastModified"].endswith("Z")


def test_the_list_is_as_of_now(metrics: Metrics, scene: Scene) -> None:
    """What is out grows, what is locked shrinks, both together are the supply; the next cliff lies ahead."""
    pages = EmissionPages(metrics)
    early, late = (pages.all(scene.main.calendar.midnight(day)).content for day in (5, 120))
    assert [row["gecko_id"] for row in early] == [one.slug for one in metrics.emissions.all()]
    for before, after in zip(early, late, strict=True):
        assert before["circSupply"] <= after["circSupply"]
        assert after["circSupply"] + after["totalLocked"] == pytest.approx(after["maxSupply"])
        assert "nextEvent" not in after or after["nextEvent"]["date"] > scene.main.calendar.midnight(120)
    assert pages.all(0).content == []


def test_users_are_counted_by_days_that_are_over(metrics: Metrics) -> None:
    """The list has the last such day, a protocol's chart all of them; other kinds are refused."""
    pages, now = EmissionPages(metrics), metrics.first_midnight + 60 * DAY + 5
    found = pages.active_users(now).content
    for one in metrics.protocols:
        use = metrics.activity.daily(one)[59]
        told = found[one.id]
        assert (told["users"]["value"], told["newUsers"]["value"], told["txs"]["value"]) == (
            use.users, use.new_users, use.transactions)  # fmt: skip
        assert told["users"]["end"] == metrics.first_midnight + 60 * DAY
        chart = pages.users_by_day("users", one.id, now).content
        assert len(chart) == 60 and chart[-1] == [metrics.first_midnight + 59 * DAY, use.users]
    assert pages.active_users(metrics.first_midnight).content == {}
    assert pages.users_by_day("gas", "1", now).status == 400 and pages.users_by_day("txs", "99", now).content == []
