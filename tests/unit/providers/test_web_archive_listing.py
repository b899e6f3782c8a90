"""The archive's listings and captures: what they prove alone and together."""

from datetime import UTC, datetime
from email.utils import formatdate
from typing import Any

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.web_archive.listing import (
    FIELDS,
    CdxQuestion,
    cdx_question,
    chosen,
    host_of,
    listing_body,
    page_key,
    read_listing,
)
from caia_replay.providers.web_archive.provider import captured, moved_to, place_of
from caia_replay.providers.web_archive.rows import digits_of, is_cdx, listings, rows_of

TABLE = [(f"k{at}", f"2020010{at}000000", "http://a.example/", "text/html", status, "D", "1")
         for at, status in ((1, "200"), (2, "404"), (3, "200"))]  # fmt: skip
ROWS = [dict(zip(FIELDS, cells, strict=True)) for cells in TABLE]


def asked(query: str) -> CdxQuestion:
    """A question by its query."""
    return cdx_question(HttpRequest("GET", f"https://web.archive.org/cdx/search/cdx?{query}"))


def test_a_question_is_taken_apart() -> None:
    """Spans are padded, wildcards say how far an address matches; one page has one key, any clock fourteen digits."""
    found = asked("url=a.example/x&from=2019&to=202001&filter=b:c&filter=!a:b&limit=-5&fl=digest&gzip=false")
    assert (found.first, found.last) == ("20190000000000", "20200199999999")
    assert (found.filters, found.limit, found.fields, found.others) == (("!a:b", "b:c"), -5, ("digest",), ())
    assert (asked("url=*.a.example").match, asked("url=a.example/*").url) == ("domain", "a.example/")
    for query in ("page=1", "limit=x", "limit=0", "from=20x", "matchType=all", "to=1&to=2", "offset=-1"):
        assert asked(f"url=a.example&{query}").others, query
    assert page_key("http://A.example:80/") == page_key("https://a.example:443") == page_key("a.example")
    assert page_key("a.example/x?b=1") != page_key("a.example/x")
    assert page_key("no address") == "no address" and host_of("*.www.a.example/x") == "a.example"
    assert digits_of(NOW) == "20210101000000" and digits_of(10**30) == "9" * 14 and digits_of(-(10**30)) == "0" * 14
    assert not is_cdx(HttpRequest("GET", "https://web.archive.org/web/2020/http://a.example/cdx/search/cdx"))


def test_replies_that_contradict_their_question_are_no_listings() -> None:
    """Rows out of order, out of the window, of other fields or more than the limit prove nothing."""
    whole = CdxQuestion("a.example", "exact")
    body = listing_body(ROWS, whole)
    assert read_listing(whole, HttpReply(200, {}, body)) is not None
    for question in (asked("url=a.example&to=2019"), asked("url=a.example&limit=2"), asked("url=a.example&fl=digest")):
        assert read_listing(question, HttpReply(200, {}, body)) is None
    assert read_listing(whole, HttpReply(200, {}, listing_body(ROWS[::-1], whole))) is None
    assert read_listing(whole, HttpReply(403, {}, body)) is None


def test_a_filter_that_can_be_read_two_ways_is_a_miss() -> None:
    """Rows are certain where both readings keep the same; a collapse before or after a filter must be one."""
    assert len(chosen(ROWS, FIELDS, asked("url=a&filter=statuscode:200"), "w")) == 2
    assert len(chosen(ROWS, FIELDS, asked("url=a&filter=!statuscode:[23].*"), "w")) == 1
    for text in ("statuscode:2", "statuscode:(2+)*", "robots:x", "mimetype:.*.*", "original:" + "a" * 80):
        with pytest.raises(Miss):
            chosen(ROWS, FIELDS, asked(f"url=a&filter={text}"), "w")
    assert len(chosen(ROWS, FIELDS, asked("url=a&collapse=timestamp:6"), "w")) == 1
    with pytest.raises(Miss):
        chosen(ROWS, FIELDS, asked("url=a&collapse=digest&filter=statuscode:404"), "w")
    with pytest.raises(Miss):
        chosen(ROWS, FIELDS, asked("url=a&collapse=digest&collapse=urlkey"), "w")


NOW = int(datetime(2021, 1, 1, tzinfo=UTC).timestamp())
ASKED = CdxQuestion("a.example", "exact")


def recording(body: str, query: str = "", made: int | None = NOW) -> Recorded:
    """A recorded listing of a.example, as lines."""
    headers = {} if made is None else {"date": formatdate(made, usegmt=True)}
    request = HttpRequest("GET", f"https://web.archive.org/cdx/search/cdx?url=a.example{query}")
    return Recorded(request, HttpReply(200, headers, body.encode()))


def line(digits: str) -> str:
    """One capture."""
    return f"example,a)/ {digits} http://a.example/ text/html 200 D 1\n"


def proven(found: Recorded, asked: CdxQuestion = ASKED, now: int = NOW) -> int:
    """How many rows a recording proves."""
    ((listing, _),) = listings([found], now)
    return len(rows_of(listing, found, asked, now, "rows"))


@pytest.mark.parametrize(
    "found",
    [
        recording(line("20200101000000"), made=NOW - 10**6),
        recording(line("20200101000000"), made=None),
        recording(line("20200101000000"), "&from=2020"),
        recording(line("20200101000000"), "&to=2020"),
        recording(line("20200101000000"), "&limit=1"),
        recording(line("20200101000000"), "&limit=-2"),
        recording(line("20200101000000"), "&offset=1"),
        recording(line("20200101000000"), "&filter=statuscode:200"),
        recording("".join(line(f"2020010100{at // 60:02d}{at % 60:02d}") for at in range(1_000))),
    ],
)
def test_a_listing_that_may_lack_rows_proves_no_whole(found: Recorded) -> None:
    """Made earlier or at no known moment, of a part, cut, filtered, or as long as servers cut them."""
    with pytest.raises(Miss):
        proven(found)


def test_parts_are_joined_in_their_order_only() -> None:
    """A part that begins before the one it should go on from is not taken."""
    first = recording(line("20200301000000") + "\nkey\n", "&showResumeKey=true")
    for digits, rows in (("20200401000000", 2), ("20200201000000", 1)):
        part = recording(line(digits), "&showResumeKey=true&resumeKey=key")
        ((listing, _),) = listings([first, part], NOW)
        assert len(listing.rows) == rows and listing.is_cut == (rows == 1)


KEPT: dict[str, Any] = {"memento-datetime": "Sun, 01 Mar 2020 00:00:00 GMT"}


def page(digits: str) -> HttpRequest:
    """A question for a capture of a.example."""
    return HttpRequest("GET", f"https://web.archive.org/web/{digits}id_/http://a.example/x?b=1&a=2")


def reply(status: int, made: int = NOW, **headers: Any) -> HttpReply:
    """A reply of a moment."""
    told = {name.replace("_", "-"): text for name, text in headers.items()}
    return HttpReply(status, {"date": formatdate(made, usegmt=True), **told}, b"page")


def test_a_place_is_digits_flag_and_page() -> None:
    """Addresses are read in one spelling; calendars of captures and other paths are no pages."""
    place = place_of(page("2020"))
    assert (place.digits, place.flag, place.page) == ("2020", "id_", "a.example/x?a=2&b=1")
    assert place_of(HttpRequest("GET", "http://web.archive.org/web/a.example")).digits == ""
    for url in ("https://web.archive.org/web/2020*/a.example", "https://web.archive.org/web/", "x"):
        with pytest.raises(Miss):
            place_of(HttpRequest("GET", url))


def test_a_capture_is_known_by_the_moment_the_archive_tells() -> None:
    """Without that header a reply is no capture: a plea to wait can come with status 200."""
    good = Recorded(page("20200301000000"), reply(200, **KEPT))
    assert captured([good], place_of(page("20200301000000")), NOW, "w") is good.reply
    for other in (reply(200), reply(200, memento_datetime="Sun, 01 Mar 2022 00:00:00 GMT"), reply(429)):
        with pytest.raises(Miss):
            captured([Recorded(page("20200301000000"), other)], place_of(page("20200301000000")), NOW, "w")


def test_a_way_to_a_capture_holds_for_moments_before_it_was_told() -> None:
    """What was nearest among more captures is nearest among fewer; one of earlier may have been overtaken."""
    to = "/web/20200301000000id_/http://a.example/x?b=1&a=2"
    later = Recorded(page("20210301000000"), reply(302, NOW + 10**7, location=to))
    assert captured([later], place_of(page("20210301000000")), NOW, "w") is later.reply
    earlier = Recorded(page("20210301000000"), reply(302, NOW - 10**6, location=to))
    with pytest.raises(Miss):
        captured([earlier], place_of(page("20210301000000")), NOW, "w")
    after = Recorded(page("2020"), reply(302, NOW + 10**7, location=to.replace("2020", "2022")))
    with pytest.raises(Miss):
        captured([after], place_of(page("2020")), NOW, "w")


def test_a_page_that_is_not_there_later_was_not_there_before() -> None:
    """A refusal of later says that no capture was there; one of earlier says nothing of now."""
    for made, is_told in ((NOW + 10**7, True), (NOW, True), (NOW - 10**6, False)):
        found = Recorded(page("2020"), reply(404, made))
        if is_told:
            assert captured([found], place_of(page("2020")), NOW, "w") is found.reply
        else:
            with pytest.raises(Miss):
                captured([found], place_of(page("2020")), NOW, "w")


def test_only_ways_within_the_archive_are_followed() -> None:
    """An archived redirect of the page itself, other hosts and bad addresses lead nowhere."""
    assert moved_to(reply(302, location="/web/2020id_/http://a.example")) is not None
    for location in ("https://a.example/web/2020/x.example", "http://[", "/web/http://a.example", ""):
        assert moved_to(reply(302, location=location)) is None
    assert moved_to(reply(301, **KEPT, location="/web/2020id_/http://a.example")) is None
