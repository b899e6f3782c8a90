from datetime import UTC, datetime
from email.utils import formatdate

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.web_archive_listing import CdxQuestion, cdx_question
from caia_replay.providers.web_archive_rows import digits_of, is_cdx, listings, rows_of

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


def test_captures_of_later_are_cut_whenever_they_were_listed() -> None:
    """A listing made later than the world's moment shows what was there by then."""
    told = line("20200101000000") + line("20210201000000")
    assert proven(recording(told, made=NOW + 10**8)) == 1


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


def test_first_rows_are_known_of_a_cut_listing() -> None:
    """A limit that a cut listing reaches is answered."""
    assert proven(recording(line("20200101000000"), "&limit=1"), cdx_question(recording("", "&limit=1").request)) == 1


def test_parts_are_joined_in_their_order_only() -> None:
    """A part that begins before the one it should go on from is not taken."""
    first = recording(line("20200301000000") + "\nkey\n", "&showResumeKey=true")
    for digits, rows in (("20200401000000", 2), ("20200201000000", 1)):
        part = recording(line(digits), "&showResumeKey=true&resumeKey=key")
        ((listing, _),) = listings([first, part], NOW)
        assert len(listing.rows) == rows and listing.is_cut == (rows == 1)


def test_moments_beyond_calendars_have_digits() -> None:
    """Any clock has fourteen digits."""
    assert digits_of(NOW) == "20210101000000" and digits_of(10**30) == "9" * 14 and digits_of(-(10**30)) == "0" * 14
    assert not is_cdx(HttpRequest("GET", "https://web.archive.org/web/2020/http://a.example/cdx/search/cdx"))
