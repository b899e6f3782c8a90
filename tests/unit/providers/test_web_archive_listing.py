import pytest

from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.errors import Miss
from caia_replay.providers.web_archive_listing import (
    FIELDS,
    CdxQuestion,
    cdx_question,
    chosen,
    host_of,
    listing_body,
    page_key,
    read_listing,
)

TABLE = [(f"k{at}", f"2020010{at}000000", "http://a.example/", "text/html", status, "D", "1")
         for at, status in ((1, "200"), (2, "404"), (3, "200"))]  # fmt: skip
ROWS = [dict(zip(FIELDS, cells, strict=True)) for cells in TABLE]


def asked(query: str) -> CdxQuestion:
    """A question by its query."""
    return cdx_question(HttpRequest("GET", f"https://web.archive.org/cdx/search/cdx?{query}"))


def test_a_question_is_taken_apart() -> None:
    """Spans are padded, wildcards say how far an address matches, and what is not understood stands apart."""
    found = asked("url=a.example/x&from=2019&to=202001&filter=b:c&filter=!a:b&limit=-5&fl=digest&gzip=false")
    assert (found.first, found.last) == ("20190000000000", "20200199999999")
    assert (found.filters, found.limit, found.fields, found.others) == (("!a:b", "b:c"), -5, ("digest",), ())
    assert (asked("url=*.a.example").match, asked("url=a.example/*").url) == ("domain", "a.example/")
    for query in ("page=1", "limit=x", "limit=0", "from=20x", "matchType=all", "to=1&to=2", "offset=-1"):
        assert asked(f"url=a.example&{query}").others, query


def test_one_page_has_one_key() -> None:
    """Scheme, default port, the case of the host and a lone slash say nothing; a query does."""
    assert page_key("http://A.example:80/") == page_key("https://a.example:443") == page_key("a.example")
    assert page_key("a.example/x?b=1") != page_key("a.example/x")
    assert page_key("no address") == "no address" and host_of("*.www.a.example/x") == "a.example"


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
    """Whole fields or parts of them: where both readings keep the same rows, the rows are certain."""
    assert len(chosen(ROWS, FIELDS, asked("url=a&filter=statuscode:200"), "w")) == 2
    assert len(chosen(ROWS, FIELDS, asked("url=a&filter=!statuscode:[23].*"), "w")) == 1
    for text in ("statuscode:2", "statuscode:(2+)*", "robots:x", "mimetype:.*.*", "original:" + "a" * 80):
        with pytest.raises(Miss):
            chosen(ROWS, FIELDS, asked(f"url=a&filter={text}"), "w")


def test_collapsing_before_or_after_filters_must_be_one() -> None:
    """A neighbour that a filter takes away may have hidden one that it leaves."""
    assert len(chosen(ROWS, FIELDS, asked("url=a&collapse=timestamp:6"), "w")) == 1
    with pytest.raises(Miss):
        chosen(ROWS, FIELDS, asked("url=a&collapse=digest&filter=statuscode:404"), "w")
    with pytest.raises(Miss):
        chosen(ROWS, FIELDS, asked("url=a&collapse=digest&collapse=urlkey"), "w")
