import json
import random
from datetime import UTC, datetime
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.cassette.identity import identity
from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.core.world import Page
from caia_replay.errors import Miss, ToolError
from caia_replay.providers.reader.address import FIRST_PAGE_S, capture_url
from caia_replay.providers.reader.provider import (
    LeftArchive,
    ReaderProvider,
    first_version,
    page_reply,
    page_request,
    page_url,
    read_page,
    why_hidden,
)


def reply(content: object, status: int = 200) -> HttpReply:
    return HttpReply(status, {}, json.dumps(content).encode())


@pytest.mark.parametrize("climb", ["/../", "/x/../../", "/%2E%2e/", "/./../"])
def test_a_path_that_climbs_stays_on_its_own_host(climb: str) -> None:
    """The reader carries the address in its own path, where dots must not reach another page's address."""
    other = page_request("https://docs.example/page")
    climbed = page_request(f"https://elsewhere.example{climb}docs.example/page")
    assert climbed.url == "https://r.jina.ai/https://elsewhere.example/docs.example/page"
    assert identity("GET", climbed.url) != identity("GET", other.url)
    for host in (".", "..", "%2e", "a%2fb", ""):
        with pytest.raises(ToolError):
            page_url(f"https://{host}/docs.example/page")


def test_a_reader_reply_is_the_page() -> None:
    """Title, text and date; an unreadable date is none, a refusal is told, another shape is a miss."""
    body = {"data": {"title": "T", "content": "C", "publishedTime": "2025-04-02T00:00:00Z"}}
    page = read_page(reply(body), "https://a.example/")
    assert (page.title, page.text, page.published, page.altered_by) == ("T", "C", 1743552000, "")
    body["data"]["publishedTime"] = "Wed, 02 Apr 2025 00:00:00 GMT"
    assert read_page(reply(body), "https://a.example/").published == 1743552000
    for unreadable in ("yesterday", "0001-01-01T00:00:00+14:00", "Mon, 01 Jan 99999999999999999999 00:00:00 GMT"):
        body["data"]["publishedTime"] = unreadable
        assert read_page(reply(body), "https://a.example/").published is None
    with pytest.raises(ToolError, match="answered 404"):
        read_page(reply({}, 404), "https://a.example/")
    for content in ({}, {"data": []}, {"data": {"title": 1, "content": "x"}}, []):
        with pytest.raises(Miss):
            read_page(reply(content), "https://a.example/")


def test_the_provider_knows_its_own_requests() -> None:
    """Only GET requests to the reader are its own, recorded as they are."""
    provider, request = ReaderProvider(), page_request("https://a.example/x")
    assert provider.match(request)
    recorded = Recorded(
        request, reply({"data": {"title": "x", "content": "y", "publishedTime": "2024-05-01T12:00:00Z"}})
    )
    assert provider.widen(request, 0) == (request,) and provider.follow(request, recorded.reply) is None
    assert provider.family(request) != provider.family(page_request("https://a.example/y"))
    assert provider.narrow([recorded], request, 1_714_564_800) is recorded.reply
    with pytest.raises(Miss, match="not out yet"):
        provider.narrow([recorded], request, 1_714_564_799)
    gone = Recorded(request, HttpReply(404, {}, b"{}"))
    assert provider.narrow([gone], request, 0) is gone.reply
    with pytest.raises(Miss, match=r"a\.example/x"):
        provider.narrow([], request, 0)


def at(moment: int) -> dict[str, str]:
    """The headers of a reply given at ``moment``."""
    return {"date": formatdate(moment, usegmt=True)}


def told(text: str, moment: int | None, published: int | None = None, status: int = 200) -> HttpReply:
    """A reader's reply recorded at ``moment``."""
    page = Page("https://a.example/x", "T", text, published)
    body = page_reply(page).body if status == 200 else b"{}"
    return HttpReply(status, {} if moment is None else at(moment), body)


@given(
    st.text(st.characters(exclude_categories=("Cs",)), max_size=20),
    st.none() | st.integers(FIRST_PAGE_S, 4_000_000_000),
    st.sampled_from(["", "Ada", "阿达"]),
    st.sampled_from(["", "en", "zh"]),
)
def test_a_page_is_told_and_read_back(text: str, published: int | None, author: str, language: str) -> None:
    """The reply that tells a page is read as that page: text, date, author and language, and nothing else."""
    page = Page("https://a.example/x", text, text, published, author=author, language=language)
    assert read_page(page_reply(page), page.url) == page


def test_an_undated_page_that_nothing_shows_is_a_miss_that_says_so() -> None:
    """Without a date, moment or result list; an archive's word counts more; the earliest version is the first."""
    reply = told("x", 2_000)
    assert read_page(reply, "https://a.example/x").first_seen == 2_000
    kept = HttpReply(200, {**at(2_000), "memento-datetime": formatdate(500, usegmt=True)}, reply.body)
    assert read_page(kept, "https://a.example/x").first_seen == 500
    assert read_page(told("x", None), "https://a.example/x").first_seen is None
    request = page_request("https://a.example/x")
    with pytest.raises(Miss, match="nothing recorded says since when"):
        ReaderProvider().narrow([Recorded(request, told("x", None))], request, 10**9)
    with pytest.raises(Miss, match="was first seen at 1970-01-01 00:33:20Z"):
        ReaderProvider().narrow([Recorded(request, told("x", 2_000))], request, 1_999)
    assert ReaderProvider(lambda url: 5).narrow([Recorded(request, told("x", None))], request, 5).status == 200
    pages = [Page("u", "t", str(moment), None, first_seen=moment) for moment in (30, None, 20)]
    assert (first_version(pages).text, first_version(pages).first_seen) == ("20", 20)
    assert first_version(pages, 7).first_seen == 7 and first_version(pages[1:2]).first_seen is None


MOMENTS = st.none() | st.integers(0, 50).map(lambda n: 10**9 + n * 10)
VERSIONS = st.lists(st.tuples(MOMENTS, MOMENTS), min_size=1, max_size=5)


@given(VERSIONS, MOMENTS, st.integers(0, 60).map(lambda n: 10**9 + n * 10 + 5))
def test_a_page_is_what_was_recorded_last_and_never_before_it_was_known(
    versions: list[tuple[int | None, int | None]], listed: int | None, now: int
) -> None:
    """Whatever was recorded when: the last version by now where one shows, a dated or listed one else, or a miss."""
    request = page_request("https://a.example/x")
    replies = [told(str(number), *version) for number, version in enumerate(versions)]
    provider = ReaderProvider(lambda url: listed)
    past = [version for version in versions if version[0] is not None and version[0] < now]
    last = [published for moment, published in past if moment == max(found for found, _ in past)][-1:]
    listed_by_now = listed is not None and listed < now
    out = [now - 1 if published is None and (past or listed_by_now) else published for published in last or
           [published for _, published in versions]]  # fmt: skip
    try:
        reply = provider.narrow([Recorded(request, found) for found in replies], request, now)
    except Miss:
        assert not any(moment is not None and moment < now for moment in out)
        return
    assert any(moment is not None and moment < now for moment in out)
    assert not past or versions[replies.index(reply)] in past
    assert not past or versions[replies.index(reply)][1] == last[0]


def test_a_refusal_counts_from_its_moment_on() -> None:
    """A page that is gone later was there before; a reply of another shape is passed over, and alone a miss."""
    request = page_request("https://a.example/x")
    there, gone = Recorded(request, told("x", 100)), Recorded(request, told("", 200, status=404))
    provider = ReaderProvider()
    assert provider.narrow([gone, there], request, 150) is there.reply
    assert provider.narrow([there, gone], request, 200) is gone.reply
    with pytest.raises(Miss, match="refused later"):
        provider.narrow([gone], request, 199)
    request = page_request("https://a.example/x")
    broken, whole = Recorded(request, HttpReply(200, at(1), b"<html>")), Recorded(request, told("x", 2))
    assert ReaderProvider().narrow([broken, whole], request, 3) is whole.reply
    with pytest.raises(Miss, match="not a reader reply"):
        ReaderProvider().narrow([broken], request, 3)


X = "https://a.example/x"
DIGITS = st.integers(1, 28).map(lambda day: f"202504{day:02d}120000")

EVENINGS = st.integers(1, 28).map(lambda day: f"202504{day:02d}180000")


def moment(digits: str) -> int:
    """The second that 14 digits mean."""
    return int(datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC).timestamp())


def captured(
    digits: str, text: str = "", shown: str = "", published: int | None = None, warning: str = "", url: str = X
) -> Recorded:
    """The reader's reading, long after, of a capture; ``shown`` is another one that the archive led to."""
    page = Page(capture_url(url, shown or digits), "T", text or digits, published)
    content = json.loads(page_reply(page).body)
    content["data"] |= {"warning": warning} if warning else {}
    asked = page_request(capture_url(url, digits))
    return Recorded(asked, HttpReply(200, at(2_000_000_000), json.dumps(content).encode()))


def text_of(found: HttpReply) -> str:
    """What a reader reply says."""
    return read_page(found, X).text


@given(
    st.lists(DIGITS, max_size=5, unique=True),
    st.lists(st.tuples(EVENINGS, st.none() | DIGITS), max_size=3, unique_by=lambda one: one[0]),
    st.integers(0, 30),
    st.randoms(use_true_random=False),
)
def test_nothing_captured_later_is_shown_and_always_the_latest_before(
    captures: list[str], read: list[tuple[str, str | None]], day: int, chance: random.Random
) -> None:
    """Captures and readings alike are versions of the page: the last by now counts, and no capture of after it."""
    now = moment("20250401000000") + day * 86_400
    live = [told(f"read {when}", moment(when), None if since is None else moment(since)) for when, since in read]
    recorded = [*(captured(digits) for digits in captures), *(Recorded(page_request(X), one) for one in live)]
    chance.shuffle(recorded)
    provider = ReaderProvider()
    assert {provider.family(found.request) for found in recorded} <= {X}
    past = [when for when in (*captures, *(when for when, _ in read)) if moment(when) <= now]
    dated = [(when, since) for when, since in sorted(read) if since is not None and moment(since) <= now]
    if past and max(past) in captures:
        expected = max(past)
    elif past:
        is_out = [since is None or moment(since) <= now for when, since in read if when == max(past)]
        expected = f"read {max(past)}" if all(is_out) else ""
    else:
        expected = f"read {dated[0][0]}" if dated else ""
    try:
        found = provider.narrow(recorded, page_request(X), now)
    except Miss:
        assert expected == ""
        return
    assert text_of(found) == expected
    # Words of a capture under the page's own address were derived; what was read there was recorded.
    assert any(found is one.reply for one in recorded) == expected.startswith("read")


def test_a_capture_is_told_as_the_page_it_captured() -> None:
    """Its own address and no other, since when it is known, no word of when it was read; links lead to pages."""
    link = capture_url("https://a.example/y", "20250401120000")
    reply = ReaderProvider().narrow([captured("20250401120000", f"See [y]({link}).")], page_request(X), 2_000_000_000)
    page = read_page(reply, X)
    assert (page.url, page.text, page.first_seen) == (X, "See [y](https://a.example/y).", moment("20250401120000"))
    assert b"archive" not in reply.body and "date" not in reply.headers
    asked = read_page(captured("20250401120000").reply, capture_url(X, "20250401120000"))
    assert (asked.url, asked.first_seen) == (X, moment("20250401120000"))


def test_who_names_a_capture_is_given_that_one() -> None:
    """As recorded and nothing later; another capture or flag is no answer, and one led to is of its own moment."""
    early, late = captured("20250401120000"), captured("20250420120000")
    provider, now = ReaderProvider(), moment("20250425000000")
    for one in (early, late):
        assert provider.narrow([early, late], one.request, now) is one.reply
    with pytest.raises(Miss, match="captured later"):
        provider.narrow([early, late], late.request, moment("20250420115959"))
    for other in (capture_url(X, "20250402120000"), capture_url(X, "20250401120000").replace("id_", "")):
        with pytest.raises(Miss, match="no recording"):
            provider.narrow([early, late], page_request(other), now)
    led = captured("20250401120000", "of later", shown="20250420120000")
    provider = ReaderProvider()
    for asked in (led.request, page_request(X)):
        with pytest.raises(Miss):
            provider.narrow([led], asked, moment("20250420115959"))
        assert text_of(provider.narrow([led], asked, moment("20250420120000"))) == "of later"


def test_what_leads_to_some_capture_is_shown_when_it_says_which() -> None:
    """An address with fewer digits is a page of its own; nothing is believed of its date."""
    asked = page_request(f"https://web.archive.org/web/2025/{X}")
    named = Recorded(asked, captured("20250420120000", published=moment("20200101000000")).reply)
    provider = ReaderProvider()
    assert provider.family(asked) != X
    assert provider.narrow([named], asked, moment("20250420120000")) is named.reply
    unnamed = Recorded(asked, told("x", 2_000_000_000, moment("20200101000000")))
    for found in (named, unnamed):
        with pytest.raises(Miss):
            provider.narrow([found], asked, moment("20250420115959"))


def test_a_page_that_the_archive_did_not_give_is_no_version() -> None:
    """An error page or a reader that failed says nothing of the page; captures are asked for without a browser."""
    whole, provider, now = captured("20250401120000"), ReaderProvider(), moment("20250425000000")
    gone = captured("20250420120000", "Not archived.", warning="Target URL returned error 404: Not Found")
    failed = Recorded(page_request(capture_url(X, "20250421120000")), HttpReply(422, at(2_000_000_000), b"{}"))
    assert text_of(provider.narrow([whole, gone, failed], page_request(X), now)) == "20250401120000"
    with pytest.raises(Miss, match="given no page"):
        provider.narrow([gone, failed], page_request(X), now)
    for one in (gone, failed):
        with pytest.raises(ToolError, match=r"answered 4"):
            read_page(provider.narrow([whole, gone, failed], one.request, now), one.request.url[18:])
    assert (page_request(capture_url(X, "20250401120000")).headers or {})["X-Engine"] == "direct"
    assert "X-Engine" not in (page_request(X).headers or {})


def worded(published: object, **more: object) -> HttpReply:
    """A reading of long after, of a page that bears ``published`` in these words."""
    data = {"title": "T", "content": "C", "url": X, "publishedTime": published, **more}
    return HttpReply(200, at(2_000_000_000), json.dumps({"data": data}).encode())


@pytest.mark.parametrize(
    ("published", "out"),
    [("2025-06-01", "20250601235959"), ("2025-06-01T10:00:00", "20250601220000"),
     ("2025-06-01T10:00:00Z", "20250601100000"), ("1970-01-01T00:00:00Z", ""), ("0001-01-01", "")],
)  # fmt: skip
def test_a_page_read_live_is_shown_once_its_date_is_over(published: str, out: str) -> None:
    """A day from its last second, a time without a zone 12 hours on; a placeholder is no date. Shown as it is told."""
    request, reply = page_request(X), worded(published)
    recorded = [Recorded(request, reply)]
    if not out:
        with pytest.raises(Miss, match="without a date"):
            ReaderProvider().narrow(recorded, request, moment("20300101000000"))
        return
    with pytest.raises(Miss, match="after the moment"):
        ReaderProvider().narrow(recorded, request, moment(out) - 1)
    assert ReaderProvider().narrow(recorded, request, moment(out)) is reply
    page = read_page(reply, X)
    assert page.known_since == moment(out)
    assert page.published == moment("20250601100000" if "T" in published else "20250601000000")
    noon = moment("20250601120000")
    assert not why_hidden(page, False, noon, noon) and ReaderProvider(lambda _: noon).narrow(recorded, request, noon)


@pytest.mark.parametrize("digits", ["20250401120000", "2025"])
@pytest.mark.parametrize("read", [X, "https://a.example/home", "https://web.archive.org/", "about:blank"])
def test_a_reader_that_left_the_archive_shows_no_capture(digits: str, read: str) -> None:
    """What it read is the page of today: a miss at every moment, under either address."""
    asked = page_request(f"https://web.archive.org/web/{digits}id_/{X}")
    reply = worded("2020-01-01T00:00:00Z", url=read)
    with pytest.raises(LeftArchive, match="left the archive"):
        read_page(reply, asked.url.removeprefix("https://r.jina.ai/"))
    for request in (asked, page_request(X)):
        with pytest.raises(Miss):
            ReaderProvider().narrow([Recorded(asked, reply)], request, 1_999_999_999)


@pytest.mark.parametrize("status", [500, 502, 503, 520, 524])
def test_a_reader_that_stumbled_says_nothing_of_the_page(status: int) -> None:
    """Neither alone nor beside a reading of before or after; 403, 404, 410 and 451 stay facts."""
    stumble = HttpReply(status, at(1_500_000_000), b"{}")
    for target in (X, capture_url(X, "20250401120000")):
        with pytest.raises(Miss, match=f"stumbled with status {status}"):
            read_page(stumble, target)
    request, there = page_request(X), told("x", 1_400_000_000)
    recorded = [Recorded(request, there), Recorded(request, stumble)]
    assert ReaderProvider().narrow(recorded, request, 1_600_000_000) is there
    with pytest.raises(Miss, match="stumbled"):
        ReaderProvider().narrow(recorded[1:], request, 1_600_000_000)
    for fact in (403, 404, 410, 451):
        with pytest.raises(ToolError, match=f"answered {fact}"):
            read_page(HttpReply(fact, {}, b"{}"), X)
