"""The recording of an economy: what was asked once, what at each moment, and nothing that depends on a task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from caia_replay.canonical import strict_json
from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.origin.economy_question import LLAMA, overview_questions, supply_questions
from caia_replay.origin.economy_record import market_services, record_economy, services_of
from caia_replay.origin.services.coingecko import CoinGecko
from caia_replay.origin.services.service import Asked
from caia_replay.origin.tasks.height import draw_heights, moments_of
from caia_replay.origin.web.web import Web
from caia_replay.providers.reader import ORIGIN as READER
from tests.short_economy import SHORT, ShortEconomy

MARKETS = "https://api.coingecko.com/api/v3/coins/markets"
GLOBAL = "https://api.coingecko.com/api/v3/global"


class Interrupted(Exception):
    """The maker went home."""


class Unread(dict[str, Sequence[int]]):
    """Heights at which a build is stopped before it asks anything."""

    def __getitem__(self, stage: str) -> Sequence[int]:
        raise Interrupted


def moment(item: Interaction) -> int:
    """The second that a recording says it is true of."""
    return int(parsedate_to_datetime(item.headers["date"][0]).timestamp())


@pytest.fixture(scope="module")
def kept(short_economy: ShortEconomy) -> dict[str, list[Interaction]]:
    """What was recorded, by file."""
    files = sorted((short_economy.report.world / "http").iterdir())
    return {path.name: list(Cassette.open(path).interactions) for path in files}


def test_every_request_was_made_once_and_counted(
    short_economy: ShortEconomy, kept: dict[str, list[Interaction]]
) -> None:
    """No two recordings are of one question at one moment, and there are as many as the report says."""
    made = Counter((item.uri, moment(item)) for items in kept.values() for item in items)
    assert {asked for asked, times in made.items() if times > 1} == set()
    assert made.total() == short_economy.report.requests > 500


def test_what_is_the_case_was_asked_at_each_moment_and_not_between(
    short_economy: ShortEconomy, kept: dict[str, list[Interaction]]
) -> None:
    """Rankings at moments of their own, supplies at each block of the roll-up, whole pages at the story's end."""
    truth, now = short_economy.truth, kept["now.json"]
    scene, heights = truth.scene, draw_heights(truth.scene, SHORT.tasks)
    full = moments_of(scene, heights)
    assert [moment(item) for item in now if item.uri.startswith(MARKETS)] == list(full)
    assert len(full) > 10
    for second in {scene.rollup.calendar.times[block] for block in heights["rollup"]}:
        wanted = [asked.url for asked in supply_questions(scene, truth.book, scene.rollup, second)]
        found = [item.uri for item in now if moment(item) == second]
        assert set(wanted) <= set(found) and (second in full or found == wanted)
    for asked in overview_questions():
        assert [moment(item) for item in now if item.uri == asked.url] == list(full)
    rollup, end = (scene.rollup.calendar.times[block] for block in heights["rollup"]), truth.book.prices.end - 1
    assert {moment(item) for item in now} == {*full, *rollup, end}
    assert end not in full and {item.uri for item in now if moment(item) == end} > {f"{LLAMA}/overview/fees"}


def test_a_total_is_what_the_living_origin_says_at_its_second(
    short_economy: ShortEconomy, kept: dict[str, list[Interaction]]
) -> None:
    """Each moment has its own, and none the story's last."""
    living = CoinGecko(short_economy.truth.book, short_economy.truth.scene.networks)
    held = [item for item in kept["now.json"] if item.uri == GLOBAL]
    for item in held:
        told = living.answer(Asked("GET", urlsplit(item.uri).path, {}), moment(item))
        assert strict_json(item.body) == told.content
    assert len({item.body for item in held}) == len(held) > 10


def test_pages_are_recorded_in_their_weeks_sweep_and_not_again(
    short_economy: ShortEconomy, kept: dict[str, list[Interaction]]
) -> None:
    """Once each, in a file of the sweep, however many moments there are."""
    read = [item.uri for name, items in kept.items() if name.startswith("pages-") for item in items]
    assert sorted(read) == sorted(f"{READER}/{made.page.url}" for made in short_economy.pages)
    others = (item for name, items in kept.items() if not name.startswith("pages-") for item in items)
    assert not any(item.uri.startswith(READER) for item in others)


def test_every_recording_is_of_a_service_that_alone_speaks_for_its_host(
    short_economy: ShortEconomy, kept: dict[str, list[Interaction]]
) -> None:
    """No two services share an origin; those of markets are among all."""
    app = services_of(short_economy.truth, Web((), ()), 0)
    markets = {origin for service in market_services(short_economy.truth) for origin in service.origins}
    parts = {urlsplit(item.uri) for items in kept.values() for item in items}
    assert len(set(app.origins)) == len(app.origins) and markets < set(app.origins)
    assert {f"{part.scheme}://{part.netloc}" for part in parts} <= set(app.origins)


def test_nothing_is_kept_of_a_stopped_build(short_economy: ShortEconomy, tmp_path: Path) -> None:
    """What lay where the recordings go is gone before anything is asked."""
    left = tmp_path / "world" / "http" / "now.json"
    left.parent.mkdir(parents=True)
    left.write_text("{}", "utf-8")
    with pytest.raises(Interrupted):
        record_economy(short_economy.truth, Web((), ()), tmp_path / "world", Unread(), lambda *_: None)
    assert not (tmp_path / "world").exists()
