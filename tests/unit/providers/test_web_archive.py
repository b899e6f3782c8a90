from datetime import UTC, datetime
from functools import cache
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.provider import HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.web_archive.provider import WebArchiveProvider
from tests.adapter_law import record, replayed, survives
from tests.living_archive import MOST, Archive, Capture
from tests.provider_law import same

PROVIDER = WebArchiveProvider()
MONTHS = [(year, month) for year in range(19, 23) for month in range(1, 13, 2)]
ARCHIVE = Archive(
    (
        *(
            Capture(
                f"20{year}{month:02d}15120000", "/tariff", "404" if month == 7 else "200", f"D{(year + month) // 3}"
            )
            for year, month in MONTHS
        ),
        Capture("20200301000000", "/tariff/old"),
        Capture("20200302000000", "/tariff/old", kind="text/plain"),
    )
)
NOW = int(datetime(2021, 8, 1, tzinfo=UTC).timestamp())
LATER = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp())


def cdx(**asked: str) -> HttpRequest:
    """A question for a listing."""
    told = {"url": "harbour.example/tariff", **{name.rstrip("_"): text for name, text in asked.items()}}
    return HttpRequest("GET", f"https://web.archive.org/cdx/search/cdx?{urlencode(told)}")


def page(digits: str, flag: str = "id_", path: str = "/tariff") -> HttpRequest:
    """A question for a capture."""
    when = f"{digits}{flag}/" if digits else ""
    return HttpRequest("GET", f"https://web.archive.org/web/{when}http://harbour.example{path}")


moments = st.sampled_from(["20200415120000", "20211103000000", "20190101000000"])
digits = st.builds(lambda text, size: text[:size], moments, st.sampled_from([4, 6, 8, 14]))
questions = st.builds(
    lambda told: cdx(**told),
    st.fixed_dictionaries(
        {},
        optional={
            "from_": digits,
            "to": digits,
            "limit": st.sampled_from(["1", "3", "-2", "30"]),
            "offset": st.sampled_from(["0", "2"]),
            "output": st.just("json"),
            "fl": st.sampled_from(["timestamp,original", "digest", "statuscode,timestamp"]),
            "filter": st.sampled_from(["statuscode:200", "!statuscode:404", "mimetype:text/.*", "statuscode:[45].."]),
            "matchType": st.sampled_from(["exact", "prefix", "host"]),
        },
    ),
)


@cache
def listed(made: int) -> list[Recorded]:
    """All listings of the archive, recorded at a moment."""
    return record(ARCHIVE, PROVIDER, [cdx(), cdx(matchType="prefix"), cdx(matchType="host")], made)


@given(questions, st.sampled_from([NOW, LATER]))
def test_a_listing_out_of_a_wider_one_is_the_living_archives(asked: HttpRequest, made: int) -> None:
    """Sub-ranges, filters, fields and limits of a whole listing are what the archive says, whenever it was recorded."""
    reply = replayed(PROVIDER, listed(made), asked, NOW)
    assert reply is not None and reply.status == 200
    expected = ARCHIVE(asked, NOW)
    assert same(reply, expected) if "output=json" in asked.url else reply.body == expected.body


@given(st.sampled_from(["", "2020", "202003", "20200510", "20200515120000", "20210415000000", "20991231000000"]),
       st.sampled_from([NOW, LATER, NOW - 40 * 86_400]))  # fmt: skip
def test_a_capture_is_the_one_the_archive_leads_to(when: str, made: int) -> None:
    """The nearest capture not after the world's moment: as recorded, or the way to it; a miss where that is unknown."""
    recordings = record(ARCHIVE, PROVIDER, [page(when)], made)
    reply, expected = replayed(PROVIDER, recordings, page(when), NOW), ARCHIVE(page(when), NOW)
    if reply is None:
        # July's captures are no good pages, a recording of earlier knows nothing of now, and a span is no moment.
        assert made < NOW or "0715" in expected.headers["location"] or len(when) < 14
        return
    assert reply.status == expected.status
    place = reply.headers.get("location", "").removeprefix("https://web.archive.org")
    assert place == expected.headers.get("location", "")
    assert reply.status != 200 or reply.body == expected.body


def test_the_latest_capture_not_after_the_moment_is_the_page_as_it_was() -> None:
    """Widening a page records its listing and its latest capture; a later capture is never handed out."""
    may = int(datetime(2021, 6, 1, tzinfo=UTC).timestamp())
    recordings = record(ARCHIVE, PROVIDER, [page("20210601000000")], may)
    reply = replayed(PROVIDER, recordings, page("20210601000000"), may)
    assert reply is not None and reply.headers["location"].endswith(
        "/web/20210515120000id_/http://harbour.example/tariff"
    )
    kept = replayed(PROVIDER, recordings, page("20210515120000"), may)
    assert kept is not None and kept.body == b"/tariff D8" and any(kept is one.reply for one in recordings)
    late = page("20220115120000")
    known = [*recordings, Recorded(late, ARCHIVE(late, LATER))]
    assert replayed(PROVIDER, known, late, LATER) is known[-1].reply
    led = replayed(PROVIDER, known, late, may)
    assert led is not None and "20210515120000" in led.headers["location"]
    assert replayed(PROVIDER, known[-1:], late, may) is None


def test_a_bad_or_unrecorded_capture_is_a_miss() -> None:
    """The nearest capture must be a good page, and one that is only listed has no body."""
    recordings = record(ARCHIVE, PROVIDER, [cdx()], LATER)
    assert replayed(PROVIDER, recordings, page("20210714000000"), NOW) is None
    assert replayed(PROVIDER, recordings, page("20210515120000"), NOW) is None
    led = replayed(PROVIDER, recordings, page("20210516000000"), NOW)
    assert led is not None and led.status == 302


def test_a_key_to_later_captures_is_not_handed_out() -> None:
    """A listing of later that was cut names a later capture in its key; at a moment when it was whole there is none."""
    asked = cdx(limit="3", showResumeKey="true", from_="2021")
    own = Recorded(asked, ARCHIVE(asked, LATER))
    whole = record(ARCHIVE, PROVIDER, [cdx()], LATER)
    may = int(datetime(2021, 6, 1, tzinfo=UTC).timestamp())
    reply = replayed(PROVIDER, [own, *whole], asked, may)
    assert b"!" in own.reply.body and reply is not None and reply.body == ARCHIVE(asked, may).body


def test_a_cut_listing_goes_on_by_its_key_and_knows_its_first_rows() -> None:
    """Parts are recorded and joined; where one is missing, only the first rows are answered."""
    many = Archive(tuple(Capture(f"2020{1 + at // 28:02d}{1 + at % 28:02d}000000") for at in range(MOST * 2 + 5)))
    recordings = record(many, PROVIDER, [cdx()], NOW)
    assert sum("resumeKey" in one.request.url for one in recordings) == 2
    whole = replayed(PROVIDER, recordings, cdx(fl="timestamp", limit="-1"), NOW)
    assert whole is not None and whole.body == many(cdx(fl="timestamp", limit="-1"), NOW).body
    first = [one for one in recordings if "resumeKey" not in one.request.url]
    assert replayed(PROVIDER, first, cdx(limit="7"), NOW) is not None
    assert replayed(PROVIDER, first, cdx(limit="70"), NOW) is None
    assert replayed(PROVIDER, first, cdx(), NOW) is None


@pytest.mark.parametrize(
    "asked",
    [cdx(url="harbour.example/other"), cdx(filter="original:(a+)+$"), cdx(filter="statuscode:2"), cdx(page="0"),
     cdx(collapse="digest:x"), cdx(showDupeCount="true"), cdx(limit="0"), cdx(fl="robots"), cdx(to="x"),
     cdx(url="harbour.example", matchType="domain")],
)  # fmt: skip
def test_what_no_listing_proves_is_a_miss(asked: HttpRequest) -> None:
    """Another page, a filter that may be read two ways or that is dangerous, pages of the index."""
    assert replayed(PROVIDER, record(ARCHIVE, PROVIDER, [cdx()], LATER), asked, NOW) is None


def test_a_listing_of_earlier_says_nothing_of_what_came_since() -> None:
    """A window that was over then is answered; neighbours that begin alike collapse to one row."""
    early = NOW - 90 * 86_400
    recordings = record(ARCHIVE, PROVIDER, [cdx()], early)
    assert replayed(PROVIDER, recordings, cdx(to="2020"), NOW) is not None
    assert replayed(PROVIDER, recordings, cdx(), NOW) is None
    recordings = record(ARCHIVE, PROVIDER, [cdx()], LATER)
    for asked in (cdx(collapse="timestamp:4"), cdx(collapse="digest", limit="3")):
        reply = replayed(PROVIDER, recordings, asked, NOW)
        assert reply is not None and reply.body == ARCHIVE(asked, NOW).body


def test_hostile_bodies_and_addresses_are_misses() -> None:
    """What an archive never sends proves nothing; other paths, hosts and methods are not served."""
    asked = [cdx(), cdx(output="json"), page("2020"), page("20200515120000")]
    survives(PROVIDER, record(ARCHIVE, PROVIDER, asked, NOW), asked, NOW)
    for url in ("https://web.archive.org/cdx/search/cdx", "https://web.archive.org/web/2020*/http://a.example"):
        with pytest.raises(Miss):
            PROVIDER.family(HttpRequest("GET", url))
    assert PROVIDER.match(cdx()) and PROVIDER.match(page("2020"))
    for url in ("https://web.archive.org/save/x", "https://archive.org/web/2020/x.example", "http://[/web/"):
        assert not PROVIDER.match(HttpRequest("GET", url))
    assert not PROVIDER.match(HttpRequest("POST", page("2020").url))
    recordings = [Recorded(page("20200515120000"), ARCHIVE(page("20200515120000"), NOW))]
    assert replayed(PROVIDER, recordings, page("20200515120000", ""), NOW) is None
