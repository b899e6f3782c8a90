"""A page as it was at a moment: the archive's latest capture of before, today's page, or nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import formatdate
from typing import Any
from urllib.parse import urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.core.world import Page
from caia_replay.errors import BadInput, Miss, ToolError
from caia_replay.providers.plain_http.repository import changed_at, file_history, files_of
from caia_replay.providers.reader.address import capture_url, is_archived
from caia_replay.providers.reader.provider import ReaderProvider, page_reply, page_request, read_page, target_of
from caia_replay.recording.page_source import MOST_PARTS, page_as_of
from tests.living_archive import Archive, Capture, moment_of
from tests.provider_law import of_family

TARIFF = "https://harbour.example/tariff"
TODAY = int(datetime(2026, 11, 22, tzinfo=UTC).timestamp())
READER = ReaderProvider()
Odd = Callable[[HttpRequest, HttpReply], HttpReply]


class Internet:
    """The archive, the reader, and the harbour's own page today; everything asked is recorded.

    ``published`` is what the page says today of its date, ``odd`` what becomes of each reply before it arrives.
    """

    def __init__(
        self, captures: tuple[Capture, ...] = (), published: int | None = None, odd: Odd = lambda _, told: told
    ):
        self.archive = Archive(captures)
        self.published = published
        self.odd = odd
        self.commits: Any = []
        self.recorded: list[Recorded] = []

    def __call__(self, request: HttpRequest) -> HttpReply:
        if files_of(request):
            told = HttpReply(200, {}, json.dumps(self.commits).encode())
        else:
            told = self.read(request) if READER.match(request) else self.archive(request, TODAY)
        reply = self.odd(request, told)
        self.recorded.append(Recorded(request, reply))
        return reply

    def read(self, request: HttpRequest) -> HttpReply:
        """What the reader makes of an address."""
        target, text = target_of(request), "The tariff of today."
        if is_archived(target):
            found = self.archive(HttpRequest("GET", target), TODAY)
            while found.status == 302:
                target = urljoin(target, found.headers["location"])
                found = self.archive(HttpRequest("GET", target), TODAY)
            text = found.body.decode()
        page = Page(target, "Tariff", text, None if is_archived(target) else self.published)
        return HttpReply(200, {"date": formatdate(TODAY, usegmt=True)}, page_reply(page).body)

    def replayed(self, url: str, now: int) -> str:
        """What replay says of a page at a moment; "" for a miss."""
        request = page_request(url)
        try:
            return read_page(READER.narrow(of_family(READER, self.recorded, request), request, now), url).text
        except Miss:
            return ""


def of(digits: str) -> int:
    """Fourteen digits as a moment."""
    return int(moment_of(digits).timestamp())


SPRING = (
    Capture("20250301120000", digest="MARCH"),
    Capture("20250401120000", digest="APRIL"),
    Capture("20250410120000", status="404", digest="GONE"),
    Capture("20250501120000", digest="MAY"),
)
MOMENTS = st.integers(0, 364).map(lambda day: of("20250101000000") + day * 86_400)
captures = st.lists(
    st.builds(
        lambda day, digest, status: Capture(
            datetime.fromtimestamp(of("20250101120000") + day * 86_400, UTC).strftime("%Y%m%d%H%M%S"),
            status=status, digest=digest,
        ),
        st.integers(0, 364), st.text("ABC", min_size=1, max_size=2), st.sampled_from(["200", "200", "404", "301"]),
    ),
    max_size=8, unique_by=lambda one: one.timestamp,
)  # fmt: skip


@given(captures, MOMENTS, MOMENTS)
def test_replay_gives_the_page_as_it_was(there: list[Capture], now: int, later: int) -> None:
    """The latest good capture not after the moment is what is recorded and replayed; nothing else is."""
    internet = Internet(tuple(there))
    source = page_as_of(internet, TARIFF, now)
    good = sorted(
        (one for one in there if one.status == "200" and of(one.timestamp) <= now), key=lambda one: one.timestamp
    )
    if not good:
        assert (source, internet.replayed(TARIFF, now)) == ("none", "")
        return
    latest = good[-1]
    assert source == "archive"
    assert internet.replayed(TARIFF, now) == f"/tariff {latest.digest}"
    assert internet.replayed(TARIFF, of(latest.timestamp) - 1) == ""
    # Another task of the same world asks later: what is recorded of before stays what it was.
    page_as_of(internet, TARIFF, later)
    assert internet.replayed(TARIFF, now) == f"/tariff {latest.digest}"


NOW = of("20250420000000")


def edited(**data: object) -> Odd:
    """What makes each reading say other things of its page."""

    def odd(request: HttpRequest, told: HttpReply) -> HttpReply:
        if not READER.match(request):
            return told
        content = json.loads(told.body)
        content["data"] |= data
        return replace(told, body=json.dumps(content).encode())

    return odd


def test_the_list_of_captures_and_the_capture_are_what_is_asked() -> None:
    """Two requests, both recorded; a long list is read to its end, or given up where a part is away."""
    internet = Internet(SPRING)
    page_as_of(internet, "HTTPS://Harbour.example/tariff#top", NOW)
    listing, read = (found.request for found in internet.recorded)
    assert listing.url.startswith("https://web.archive.org/cdx/search/cdx?") and "to=20250420000000" in listing.url
    assert read.url == f"https://r.jina.ai/{capture_url(TARIFF, '20250401120000')}"
    internet = Internet(tuple(Capture(day.strftime("%Y%m%d%H%M%S"), digest=f"D{day:%j}") for day in DAYS))
    assert page_as_of(internet, TARIFF, TODAY) == "archive"
    assert f"{DAYS[-1]:%Y%m%d%H%M%S}" in internet.recorded[-1].request.url and len(internet.recorded) == 4
    there = tuple(Capture(day.strftime("%Y%m%d%H%M%S")) for day in DAYS)

    def broken(request: HttpRequest, told: HttpReply) -> HttpReply:
        return replace(told, status=500) if "resumeKey" in request.url else told

    def endless(request: HttpRequest, told: HttpReply) -> HttpReply:
        row = there[0].row
        return replace(told, body=json.dumps([[*row], [*row.values()], [], [str(len(internet.recorded))]]).encode())

    for odd, asked in ((broken, 2), (endless, MOST_PARTS)):
        internet = Internet(there, 0, odd)
        assert page_as_of(internet, TARIFF, TODAY) == "none" and len(internet.recorded) == asked


DAYS = [datetime.fromtimestamp(of("20240101000000") + day * 86_400, UTC) for day in range(100)]


def test_what_the_reader_cannot_read_gives_way_to_the_one_before() -> None:
    """Another body of before, tried once; three times in all, then nothing, and today's page is no way out."""
    bad = {"20250401120000"}

    def odd(request: HttpRequest, told: HttpReply) -> HttpReply:
        return replace(told, status=422) if any(digits in request.url for digits in bad) else told

    twice = (*SPRING, Capture("20250402120000", digest="APRIL"))
    internet = Internet(twice, published=0, odd=odd)
    bad.add("20250402120000")
    assert page_as_of(internet, TARIFF, NOW) == "archive"
    assert internet.replayed(TARIFF, NOW) == "/tariff MARCH" and len(internet.recorded) == 3
    bad |= {"20250301120000"}
    assert page_as_of(internet, TARIFF, NOW) == "none" and len(internet.recorded) == 6

    def refusing(request: HttpRequest, told: HttpReply) -> HttpReply:
        if "20250401120000" in request.url or request.url == page_request(TARIFF).url:
            raise Miss("http", "a page", "it quotes a question")
        return told

    # Who asks may refuse to keep one, for what it holds; of today's page that is passed on.
    internet = Internet(SPRING, 0, refusing)
    assert page_as_of(internet, TARIFF, NOW) == "archive" and internet.replayed(TARIFF, NOW) == "/tariff MARCH"
    assert page_as_of(Internet(SPRING[1:], 0, refusing), TARIFF, NOW) == "none"
    with pytest.raises(Miss, match="quotes a question"):
        page_as_of(Internet((), 0, refusing), TARIFF, NOW)


@pytest.mark.parametrize(
    ("place", "change", "source"),
    [("/cdx/", {"status": 429}, "none"), ("r.jina.ai", {"status": 429}, "none"), ("/cdx/", {"status": 403}, "live"),
     *(("/cdx/", {"body": body}, "none")
       for body in (b"", b"[]x", b"[[1]]", b'[["timestamp"],["2025"]]', b"\xff", b"<html>busy</html>"))],
)  # fmt: skip
def test_who_says_later_is_not_taken_for_saying_no(place: str, change: Any, source: str) -> None:
    """Nothing is concluded from what is no list; a page its owner had taken out of the archive is read live."""
    odd = lambda request, told: replace(told, **change) if place in request.url else told  # noqa: E731
    internet = Internet(SPRING, NOW, odd)
    assert page_as_of(internet, TARIFF, NOW) == source and len(internet.recorded) < 3


def test_a_capture_that_is_one_of_later_is_of_no_use() -> None:
    """The archive may lead on to a later capture, also from an address of its own; faults of others are passed on."""
    later = datetime.fromtimestamp(TODAY, UTC).isoformat()
    for odd in (edited(url=capture_url(TARIFF, "20250501120000")), edited(publishedTime=later)):
        internet = Internet(SPRING, 0, odd)
        assert page_as_of(internet, TARIFF, NOW) == "none" and internet.replayed(TARIFF, NOW) == ""
    for digits, source in (("20250401120000", "archive"), ("20250501120000", "none"), ("2024", "archive"),
                           ("2026", "none")):  # fmt: skip
        address = f"https://web.archive.org/web/{digits}id_/{TARIFF}"
        internet = Internet(SPRING)
        assert page_as_of(internet, address, NOW) == source and len(internet.recorded) == 1
        assert bool(internet.replayed(address, NOW)) == (source == "archive")

    def away(request: HttpRequest) -> HttpReply:
        raise BadInput("web.archive.org is away")

    with pytest.raises(BadInput, match="is away"):
        page_as_of(away, TARIFF, TODAY)
    with pytest.raises(ToolError):
        page_as_of(away, "no address", TODAY)


@pytest.mark.parametrize(
    ("published", "source"),
    [("2025-05-31", "live"), ("2025-06-01", "none"), ("2025-06-01T08:00:00", "none"), ("2025-05-31T20:00:00", "live"),
     ("2025-06-01T12:00:00Z", "live"), ("2025-06-01T12:00:01Z", "none"), ("", "none"),
     ("1970-01-01T00:00:00Z", "none"), ("0001-01-01", "none")],
)  # fmt: skip
def test_a_page_of_today_must_have_been_out_whatever_its_date_leaves_open(published: str, source: str) -> None:
    """A day to its end, a time without a zone 12 hours on, none or a placeholder for ever; replay has the same rule."""
    internet, now = Internet((), None, edited(publishedTime=published)), of("20250601120000")
    assert page_as_of(internet, TARIFF, now) == source
    assert internet.recorded[-1].request.url == page_request(TARIFF).url
    assert bool(internet.replayed(TARIFF, now)) == (source == "live")


def test_a_reader_that_leaves_the_archive_is_not_taken_for_the_capture() -> None:
    """What it shows is the page of today; the capture before it is tried."""
    left = {"20250401120000"}

    def leaving(request: HttpRequest, told: HttpReply) -> HttpReply:
        if not READER.match(request) or not any(digits in request.url for digits in left):
            return told
        content = json.loads(told.body)
        content["data"] |= {"url": TARIFF, "content": "The tariff of today."}
        return replace(told, body=json.dumps(content).encode())

    internet, now = Internet(SPRING, 0, leaving), of("20250420000000")
    assert page_as_of(internet, TARIFF, now) == "archive"
    assert internet.replayed(TARIFF, now) == "/tariff MARCH"
    left.add("20250301120000")
    internet = Internet(SPRING, 0, leaving)
    assert page_as_of(internet, TARIFF, now) == "none" and internet.replayed(TARIFF, now) == ""
    address = capture_url(TARIFF, "20250401120000")
    assert page_as_of(internet, address, now) == "none" and internet.replayed(address, now) == ""


FILES = ("https://raw.githubusercontent.com/harbour/rates/main/src/tariff.json", 
         "https://github.com/harbour/rates/blob/0123456789abcdef0123456789abcdef01234567/src/tariff.json")  # fmt: skip


@pytest.mark.parametrize("url", FILES)
def test_a_repository_s_file_is_as_old_as_the_commit_it_is_unchanged_since(url: str) -> None:
    """From that commit on today's page is that of then; before it, or where nobody says, it is no page."""
    changed = of("20250301120000")
    rows = [{"sha": "0", "commit": {"committer": {"date": "2025-03-01T12:00:00Z"}}}]
    for said in (rows, [], {"message": "Not Found"}):
        for now in (changed - 1, changed, changed + 86_400):
            internet = Internet()
            internet.commits = said
            is_known = said is rows and now >= changed
            assert page_as_of(internet, url, now) == ("live" if is_known else "none")
            since = {place: at for one in internet.recorded for place in files_of(one.request)
                     if (at := changed_at(one.reply)) is not None}  # fmt: skip
            reader = ReaderProvider(since.get)
            held = of_family(reader, internet.recorded, page_request(url))
            if is_known:
                assert reader.narrow(held, page_request(url), now).status == 200
            else:
                with pytest.raises(Miss):
                    reader.narrow(held, page_request(url), now)
    assert file_history("https://github.com/harbour/rates/issues/7") is None
