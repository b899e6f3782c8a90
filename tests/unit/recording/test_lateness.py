"""What was written or made after a task's moment is found, in an exchange, a cassette and an index."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.cassette.identity import identify
from caia_replay.cassette.index_file import Row, write_index_file
from caia_replay.cassette.row_bytes import row_bytes
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.core.task import Anchor
from caia_replay.core.world import Page
from caia_replay.errors import BadInput, Miss
from caia_replay.providers.reader.address import capture_url
from caia_replay.providers.reader.provider import ReaderProvider, page_reply, page_request
from caia_replay.providers.search_api.provider import SearchApiProvider, search_request
from caia_replay.recording.future_data_check import lateness
from caia_replay.store.private_folder import index_key, private_folder
from caia_replay.store.world_folder import open_world, seal_world
from caia_replay.validation.index import index_faults, refuse_foreign_index
from caia_replay.validation.lint import lint
from caia_replay.validation.stale import stale_faults
from caia_replay.world.world import FrozenWorld
from tests.adapter_law import HOSTILE

DAY = 86_400
ANCHOR = 1_746_057_600  # 2025-05-01
BY_THEN, LATER = "20250430000000", "20250502000000"
X = "https://a.example/x"


def made(request: HttpRequest, body: bytes, at: int | None = ANCHOR + 400 * DAY, **headers: str) -> Recorded:
    """An exchange, by default recorded long after the moment."""
    told = {name.replace("_", "-"): text for name, text in headers.items()}
    dated = {} if at is None else {"date": formatdate(at, usegmt=True)}
    return Recorded(request, HttpReply(200, dated | told, body))


def read(url: str, published: int | None = None, at: int | None = ANCHOR + 400 * DAY) -> Recorded:
    """The reader's reading of a page."""
    return made(page_request(url), page_reply(Page(url, "T", "x", published)).body, at)


def worded(url: str, published: str, read_at: str = "") -> Recorded:
    """The same of a page that bears its date in these words; ``read_at`` is where the reader says that it was."""
    one = read(url)
    content = json.loads(one.reply.body)
    content["data"] |= {"publishedTime": published, "url": read_at or url}
    return made(one.request, json.dumps(content).encode())


def listed(*dates: str, at: int | None = ANCHOR + 400 * DAY, rows: str = "organic") -> Recorded:
    """A result list with these dates."""
    told = [{"title": "T", "link": X, "snippet": "s", "date": date} for date in dates]
    return made(search_request("fees", 10), json.dumps({rows: told}).encode(), at)


def posted(*moments: str) -> Recorded:
    """The social network's reply with posts of these moments."""
    posts = [{"id": str(at), "text": "t", "author_id": "1", "created_at": when} for at, when in enumerate(moments, 1)]
    body = {"data": posts, "includes": {"users": [{"id": "1", "username": "ada", "name": "Ada"}]}}
    return made(HttpRequest("GET", "https://api.x.com/2/tweets/search/all?query=fees"), json.dumps(body).encode())


@pytest.mark.parametrize(
    ("recorded", "why"),
    [
        (read(X, ANCHOR + 1), "dated 2025-05-01 00:00:01Z"),
        (read(X), "without a date"),
        (worded(X, "2025-05-01"), "dated somewhere between"),
        (worded(X, "2025-04-30T13:00:00"), "dated somewhere between"),
        (worded(X, "1970-01-01T00:00:00Z"), "without a date"),
        (worded(capture_url(X, BY_THEN), "2020-01-01", X), "left the archive"),
        (read(X, at=None), "nothing recorded says since when"),
        (read(capture_url(X, LATER)), "captured 2025-05-02 00:00:00Z"),
        (read(capture_url(X, LATER), ANCHOR - DAY), "captured 2025-05-02"),
        (read(capture_url(X, BY_THEN), ANCHOR + DAY), "dated 2025-05-02"),
        (read(f"https://web.archive.org/web/2025/{X}", ANCHOR - DAY), "captured"),
        (listed("Apr 30, 2025", "Jun 3, 2025", at=ANCHOR), "1 of its results"),
        (listed("2 days ago", "2025年5月3日", rows="news", at=None), "1 of its results"),
        (made(HttpRequest("GET", capture_url(X, LATER)), b"x"), "captured 2025-05-02"),
        (made(HttpRequest("GET", capture_url(X, BY_THEN)), b"x", memento_datetime=formatdate(ANCHOR + 1, usegmt=True)),
         "captured 2025-05-01 00:00:01Z"),
    ],
)  # fmt: skip
def test_what_is_of_later_is_dropped(recorded: Recorded, why: str) -> None:
    """Dated later, captured later, undated and not captured, or a list that names what is."""
    found = lateness(recorded, ANCHOR)
    assert found is not None and found.kind == "dropped" and why in found.why and "\n" not in found.why


@pytest.mark.parametrize(
    "recorded",
    [
        read(X, ANCHOR), read(X, at=ANCHOR), worded(X, "2025-04-30"), worded(X, "2025-04-30T12:00:00"),
        worded(capture_url(X, BY_THEN), "2025-04-30"), read(capture_url(X, BY_THEN)),
        read(capture_url(X, BY_THEN), ANCHOR - DAY), listed(), listed("in a day", "1 hour ago", at=None),
        listed("May 1, 2025", "Apr 2024", "last spring", "3 years ago", "9" * 80), posted("2025-05-01T00:00:00.000Z"),
        made(HttpRequest("GET", capture_url(X, BY_THEN)), b"x"),
        made(HttpRequest("GET", "https://web.archive.org/cdx/search/cdx?url=a.example"), b"x"),
        made(HttpRequest("GET", "https://api.coingecko.com/api/v3/ping"), b'{"date": "2030-01-01"}'),
        *(Recorded(one.request, HttpReply(404, one.reply.headers, one.reply.body))
          for one in (read(X), read(capture_url(X, LATER)))),
    ],
)  # fmt: skip
def test_what_was_there_by_then_is_clean(recorded: Recorded) -> None:
    """At the very second too; what tells no time of its own, and a refusal, which holds nothing, are not judged."""
    assert lateness(recorded, ANCHOR) is None


def test_a_list_that_was_made_later_is_marked_alone() -> None:
    """Replay gives it to nobody, and cuts posts off by its clock; how long ago is counted from when it was made."""
    found = lateness(posted("2025-04-30T10:00:00.000Z", "2025-05-01T00:00:01.000Z"), ANCHOR)
    assert found is not None and found.kind == "marked" and "1 of 2 posts" in found.why
    found = lateness(listed("2 days ago", "2025年5月3日", "Apr 30, 2025", rows="news"), ANCHOR)
    assert found is not None and found.kind == "marked" and "2 of its results" in found.why
    assert SearchApiProvider().narrow([listed("x")], listed("x").request, ANCHOR + 400 * DAY).status == 200
    with pytest.raises(Miss):
        SearchApiProvider().narrow([listed("2 days ago")], listed("x").request, ANCHOR)


PLACES = st.sampled_from([X, capture_url(X, BY_THEN), capture_url(X, LATER)])
DATES = st.sampled_from(["", "1970-01-01", "2025-04-29", "2025-04-30", "2025-05-01", "2025-04-30T09:00",
                         "2025-04-30T19:00", "2025-05-01T00:00Z"])  # fmt: skip
DAYS = st.none() | st.integers(-3, 3).map(lambda days: ANCHOR + days * DAY)
SHOWN = st.builds(worded, PLACES, DATES, st.sampled_from(["", X, capture_url(X, LATER)])) | st.builds(
    read, PLACES, DAYS, DAYS
)


@given(SHOWN)
def test_a_page_is_dropped_exactly_when_replay_would_not_show_it(recorded: Recorded) -> None:
    """Hygiene and the reader's own rule are one rule."""
    try:
        ReaderProvider().narrow([recorded], recorded.request, ANCHOR)
    except Miss:
        assert lateness(recorded, ANCHOR) is not None
    else:
        assert lateness(recorded, ANCHOR) is None


@pytest.mark.parametrize(
    "body", [*HOSTILE, b'{"organic": {"date": 1}, "news": [1, {"date": []}]}', b'{"data": {"title": 1}}']
)
def test_nothing_is_found_in_what_is_none(body: bytes) -> None:
    """Replies of another shape, from whomever: nothing, and no fault."""
    for one in (read(X), listed("x"), posted("x"), made(HttpRequest("GET", "https://a.example/"), b"")):
        for headers in ({}, {"date": "x", "memento-datetime": "x"}):
            assert lateness(Recorded(one.request, HttpReply(200, headers, body)), ANCHOR) is None


MOMENT = datetime(2024, 6, 14, 12, tzinfo=UTC)
MINI = Anchor("mini", 1000, int(MOMENT.timestamp()))
API = "https://api.example.com"


def item(uri=f"{API}/price?ids=aave", body=None, days=100.0, date=None, name="date"):
    made = format_datetime(MOMENT + timedelta(days=days), usegmt=True) if date is None else date
    sent = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    return Interaction("POST" if sent else "GET", uri, sent, {}, 200, "OK", {name: (made,)}, b"{}")


def rpc(method, *params):
    return item(f"{API}/rpc", {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)})


def faults(*items):
    return list(stale_faults(items, MINI))


def test_a_reply_made_after_the_moment_to_a_request_without_a_time_is_found():
    """One line a cassette, the latest as the example, its key masked; a live world's lists show what was so."""
    items = [item(days=3), item(f"{API}/list?apikey=k123456789", days=412.5, name="Date"), item(days=2)]
    assert faults(*items) == [
        "3 made after the task's moment, the oldest 412 days after it, to requests that name no time up to it; "
        f"for example GET {API}/list?apikey=SCRUBBED"
    ]
    for uri, content in LISTS:
        told = replace(item(uri), body=json.dumps(content).encode())
        assert list(stale_faults([told], MINI, is_live=True)) == [] and len(faults(told)) == 1
    late = {"tvl": [{"date": MINI.timestamp + 9, "totalLiquidityUSD": 1}], "chainTvls": {}}
    bad = [item("https://api.coingecko.com/api/v3/simple/price?ids=a"), item(LISTS[0][0]),
           replace(item(LISTS[1][0]), body=json.dumps(late).encode())]  # fmt: skip
    (line,) = stale_faults(bad, MINI, is_live=True)
    assert line.startswith("3 made after")


@pytest.mark.parametrize("days", [-400, -1, 0, 0.9])
def test_what_was_made_by_then_is_no_finding(days):
    """Before the moment, at it, and within a day of it; nor is a reply without a date, as of the synthetic origin."""
    assert faults(item(days=days)) == []
    assert faults(Interaction("GET", API, b"", {}, 200, "OK", {"x": ("1",)}, b"")) == []


@pytest.mark.parametrize(
    "date", ["yesterday", "", "Mon, 99 Foo 2024", "Mon, 1 Jan 99999999999 00:00:00 GMT", "2024-06-14"]
)
def test_an_unreadable_date_says_so(date):
    """It is not taken for an early one; the line shows it."""
    assert faults(item(date=date), item(days=0)) == [f"1 with a Date that cannot be read; for example {date!r}"]


SECONDS = MINI.timestamp - 86_400
NAMING = [
    item(f"{API}/history?date=30-12-2022"), item(f"{API}/history?date=2022-12-30"), item(f"{API}/2022/12/report"),
    item(f"{API}/day/20221230"), item(f"{API}/range?from={SECONDS}"), item(f"{API}/range?from={SECONDS}000"),
    item(f"{API}/klines?endTime={SECONDS}999999999"), item(f"{API}/x?at=2022-12-30T10%3A00%3A00Z"),
    item(f"{API}/logs?fromBlock=1&toBlock=900"), item(f"{API}/blocks/900"), item(f"{API}/v2/height/0x10/txs"),
    item(f"{API}/tx/0x{'ab' * 32}"), item(f"{API}/x?txhash={'ab' * 32}"),
    item("https://r.jina.ai/https://web.archive.org/web/20240614110000id_/https://news.example/"),
    item("https://web.archive.org/cdx/search/cdx?url=news.example&to=20240614110000"),
    item("https://r.jina.ai/https://news.example/2023/05/04/story?x=1"),
    item(API, {"query": "{ a(block: {number: 900}) }", "variables": {"block": 900}}), item(API, {"to": SECONDS}),
    item(API, b"date=2024-06-01&x=1"), item(API, b"as of 2024-06-01"),
    rpc("eth_getBalance", "0x" + "ab" * 20, "0x3e8"), rpc("eth_getLogs", {"fromBlock": "0x1", "toBlock": "latest"}),
    rpc("eth_getTransactionReceipt", "0x" + "ab" * 32), rpc("eth_getBlockByHash", "0x" + "ab" * 32, True),
]  # fmt: skip


@pytest.mark.parametrize("naming", NAMING, ids=lambda one: (one.uri + one.request_body.decode())[-60:])
def test_a_request_that_names_a_time_by_then_is_left_alone(naming):
    """Days, months, moments, heights and hashes, in path, query and body: what it asks about had happened."""
    assert faults(naming) == []


SILENT = [
    item(f"{API}/coins/aave"), item(f"{API}/history?date=2025-01-01"), item(f"{API}/r?a={MINI.timestamp + 90_000}"),
    item(f"{API}/blocks/1001"), item(f"{API}/blocks/latest"), item(f"{API}/x?limit=900"),
    item(f"{API}/x?id=20229999"), item(f"{API}/x?id=20229999101010"),
    item("https://r.jina.ai/https://web.archive.org/web/20240615000000id_/https://news.example/"),
    item(f"{API}/x?n={'1' * 40}"), item(API, {"amount": 7}),
    item(f"{API}/account/0x{'ab' * 20}"), item(API, {"a": 10**400}), item(API, b"\xff\xfe"), item(API, "2024"),
    rpc("eth_getBalance", "0x" + "ab" * 20, "latest"), rpc("eth_blockNumber"), rpc("eth_gasPrice", 7),
    rpc("eth_getBalance", "0x" + "ab" * 20, "0x3e9"),
    rpc("eth_getStorageAt", "0x" + "ab" * 20, "0x" + "0" * 64, "latest"),
    rpc("eth_call", {"to": "0x" + "ab" * 20, "value": "0x1"}, "latest"),
]  # fmt: skip


@pytest.mark.parametrize("silent", SILENT, ids=lambda one: (one.uri + one.request_body.decode("latin-1"))[-60:])
def test_a_request_that_names_none_is_found(silent):
    """Times after the moment, numbers of other kinds, tags and slots do not say which time is asked about."""
    assert len(faults(silent)) == 1


LISTS = [
    ("https://api.coingecko.com/api/v3/coins/list?include_platform=true", [{"id": "a", "symbol": "a", "name": "A"}]),
    ("https://api.llama.fi/protocol/a", {"tvl": [{"date": SECONDS - 900, "totalLiquidityUSD": 1}], "chainTvls": {}}),
    ("https://api.binance.com/api/v3/exchangeInfo", {"symbols": []}),
]


@pytest.fixture
def folder(mini):
    return open_world(str(mini / "cassettes" / "mini-6"))


def _place(folder):
    """The index that replay uses, made now."""
    with FrozenWorld(folder):
        pass
    (path,) = (folder.path.parents[1] / ".cache" / "http").glob("*.arrow")
    return path


def _key():
    key = index_key(private_folder())
    assert key is not None
    return key


def _rows(folder, change=lambda at, cassette, item: (cassette, item)):
    """The rows of a world's index, changed; a change to None leaves one out."""
    for place, path in enumerate(folder.cassettes()):
        for at, item in enumerate(Cassette.open(path).interactions):
            changed = change(at, place, item)
            if changed is not None:
                cassette, item = changed
                key, ids = identify(item.method, item.uri, item.request_body)
                yield Row(key, cassette, row_bytes(key, ids, item))


def opened(folder):
    return {path: Cassette.open(path) for path in folder.cassettes()}


def test_a_sealed_index_that_says_otherwise_is_found(folder):
    """A body, an answer missing or more: what this user's own code sealed is not believed; the one in use is sound."""
    path = _place(folder)
    cases = {
        "otherwise": lambda at, cassette, item: (cassette, replace(item, body=item.body + b"!") if not at else item),
        "other questions": lambda at, cassette, item: None if cassette == 3 else (cassette, item),
    }
    for told, change in cases.items():
        write_index_file(path, list(_rows(folder, change)), _key())
        found = list(index_faults(folder, opened(folder)))
        assert any(told in what for what in found), (told, found)
        assert all("next: rm -r .cache" in what for what in found)
    write_index_file(path, [*_rows(folder), *list(_rows(folder))[:1]], _key())
    (longer,) = set(index_faults(folder, opened(folder)))
    assert "otherwise" in longer
    write_index_file(path, list(_rows(folder)), _key())
    assert list(index_faults(folder, opened(folder))) == []
    path = _place(folder)
    assert list(index_faults(folder, opened(folder))) == []
    refuse_foreign_index(folder)
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def test_the_index_of_another_cassette_is_refused_by_name(mini, folder):
    """Copied into this world's place: one line and what to remove. Replay heals it, and then lint is content."""
    shutil.copytree(folder.path, mini / "cassettes" / "other")
    (mini / "cassettes" / "other" / "http" / "pages.json").write_text('{"version": 1, "interactions": []}')
    seal_world(mini / "cassettes" / "other")
    path = _place(folder)
    with FrozenWorld(open_world(str(mini / "cassettes" / "other"))):
        pass
    (foreign,) = path.parent.glob("other-*.arrow")
    shutil.copy(foreign, path)
    with pytest.raises(BadInput) as caught:
        list(lint(folder.path))
    assert str(caught.value) == f"{path}: an index that was made of other cassettes, or changed since; next: rm {path}"
    with FrozenWorld(folder) as world:
        assert len(world.corpus) > 5
    assert list(lint(folder.path)) == []
