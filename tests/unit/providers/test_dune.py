"""Dune's API: a recorded result answers at its moment alone, or where its statement's own words prove it the same."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.dune import provider as dune
from caia_replay.providers.dune.provider import DuneProvider, execute_request, is_pending, results_request
from tests.living_dune import BEHIND_S, Dune
from tests.provider_law import live, of_family, recorded

MARCH = int(datetime(2025, 3, 1, tzinfo=UTC).timestamp())
DAY_S = 86_400
TRADES = [(MARCH + hour * 1_800, f"venue-{hour % 3}", f"0x{hour % 17:02x}", hour) for hour in range(48 * 12)]
LATER = MARCH + 300 * DAY_S
PROVIDER = DuneProvider()
TO_THE_FIFTH = "SELECT project, sum(amount_usd) AS usd FROM dex.trades WHERE block_time < TIMESTAMP '2025-03-05' " \
    "GROUP BY 1 ORDER BY 1"  # fmt: skip
EVERY_TRADE = "SELECT trader, amount_usd FROM dex.trades WHERE block_date BETWEEN DATE '2025-03-01' AND DATE " \
    "'2025-03-08' ORDER BY block_time"  # fmt: skip
CLOSED = {
    TO_THE_FIFTH: MARCH + 4 * DAY_S,
    EVERY_TRADE: MARCH + 8 * DAY_S,
    "SELECT count(*) FROM dex.trades t WHERE t.block_month = DATE '2025-03-01'": MARCH + 31 * DAY_S,
    "WITH few AS (SELECT trader FROM dex.trades WHERE block_date = DATE '2025-03-02') SELECT count(DISTINCT d.trader) "
    "FROM dex.trades d JOIN few ON few.trader = d.trader WHERE d.block_time < TIMESTAMP '2025-03-04 12:00'": MARCH
    + 3 * DAY_S
    + DAY_S // 2,
}


def rows_of(reply: HttpReply) -> tuple[Any, Any, Any]:
    """What a page says of the world: its columns, its rows and how many there are."""
    result = strict_json(reply.body)["result"]
    return result["metadata"]["column_names"], result["rows"], result["metadata"]["total_row_count"]


def lived(service: Dune, sql: str, now: int, limit: int = 1_000, offset: int = 0) -> tuple[Any, Any, Any]:
    """What the living warehouse answers at ``now``."""
    execution = strict_json(live(service, execute_request(sql), now).body)["execution_id"]
    return rows_of(live(service, results_request(execution, limit, offset), now))


def replayed(held: list[Recorded], sql: str, now: int, limit: int = 1_000, offset: int = 0) -> tuple[Any, Any, Any]:
    """The same out of recordings alone."""

    def ask(request: HttpRequest) -> HttpReply:
        return PROVIDER.narrow(of_family(PROVIDER, held, request), request, now)

    execution = strict_json(ask(execute_request(sql)).body)["execution_id"]
    return rows_of(ask(results_request(execution, limit, offset)))


@pytest.mark.parametrize("sql", CLOSED, ids=lambda sql: sql[:40])
def test_a_statement_that_ends_in_time_answers_as_it_would_have_then(sql: str) -> None:
    """Executed 300 days later, it gives at every moment from its end on what the warehouse told once it was filled."""
    service = Dune(TRADES)
    held = recorded(service, PROVIDER, [execute_request(sql)], LATER)
    until = CLOSED[sql]
    for now in (until - 1, until, until + 5 * DAY_S, LATER):
        assert replayed(held, sql, now) == lived(service, sql, max(now, until + BEHIND_S))
    with pytest.raises(Miss, match="after the moment"):
        replayed(held, sql, until - 2)


def test_any_rows_of_a_whole_result_are_derived(monkeypatch: pytest.MonkeyPatch) -> None:
    """Recorded in pages; every window is the one that the living API cuts, the recorded pages as they are."""
    monkeypatch.setattr(dune, "PAGE_ROWS", 100)
    service = Dune(TRADES)
    first = execute_request(EVERY_TRADE)
    made = live(service, first, LATER)
    execution = strict_json(made.body)["execution_id"]
    held = [Recorded(first, made)]
    request: HttpRequest | None = results_request(execution, 100)
    while request is not None:
        held.append(Recorded(request, live(service, request, LATER)))
        following = PROVIDER.follow(request, held[-1].reply)
        at = None if following is None else strict_json(held[-1].reply.body)["next_offset"]
        request = None if at is None else results_request(execution, 100, at)
    assert len(held) == 5  # the execution, and 384 rows in pages of a hundred
    for limit, offset in ((1, 0), (100, 0), (150, 37), (1_000, 380), (7, 384), (5, 9_999)):
        assert replayed(held, EVERY_TRADE, LATER - DAY_S, limit, offset) == lived(
            service, EVERY_TRADE, LATER, limit, offset
        )
    whole = PROVIDER.narrow(held, held[2].request, LATER - DAY_S)
    assert whole is held[2].reply
    del held[3]
    with pytest.raises(Miss, match="of its 384 rows are recorded"):
        replayed(held, EVERY_TRADE, LATER - DAY_S, 150, 150)


def test_another_spelling_is_the_same_statement_and_another_word_is_none() -> None:
    """White space, comments, the case of names and a last semicolon; a text's case is its own."""
    held = recorded(Dune(TRADES), PROVIDER, [execute_request(TO_THE_FIFTH)], LATER)
    spelt = TO_THE_FIFTH.replace("SELECT", "select -- which\n").replace(" WHERE", "\n  where /* then */") + " ;"
    assert replayed(held, spelt, LATER - DAY_S) == replayed(held, TO_THE_FIFTH, LATER - DAY_S)
    for other in (TO_THE_FIFTH.replace("05'", "06'"), TO_THE_FIFTH.replace("sum", "max"), "SELECT 1", "ü", ""):
        with pytest.raises(Miss) as miss:
            replayed(held, other, LATER - DAY_S)
        assert miss.value.detail.kind == "http"
    with pytest.raises(Miss) as miss:
        replayed(held, TO_THE_FIFTH.replace("05'", "06'"), LATER - DAY_S)
    assert miss.value.detail.nearest == TO_THE_FIFTH[:200]


OPEN = [
    ("SELECT count(*) FROM dex.trades", "ends the time of dex.trades"),
    ("SELECT count(*) FROM dex.trades WHERE block_time > TIMESTAMP '2025-03-05'", "ends the time"),
    ("SELECT 1 FROM dex.trades WHERE block_time < TIMESTAMP '2025-03-05' OR amount_usd > 1", "ends the time"),
    ("SELECT 1 FROM dex.trades WHERE NOT (block_time >= TIMESTAMP '2025-03-05')", "ends the time"),
    ("SELECT 1 FROM dex.trades WHERE block_time < now()", "now"),
    ("SELECT 1 FROM dex.trades WHERE block_date < CURRENT_DATE", "current_date"),
    ("SELECT 1 FROM dex.trades WHERE block_time < TIMESTAMP '2025-03-05' + INTERVAL '9' YEAR", "ends the time"),
    ("SELECT 1 FROM dex.trades WHERE CASE WHEN 1 = 1 AND block_time < TIMESTAMP '2025-03-05' AND 1 = 1 THEN 1 = 1 "
     "ELSE 1 = 1 END", "ends the time"),
    ("SELECT 1 FROM dex.trades WHERE block_time BETWEEN SYMMETRIC DATE '2026-01-01' AND DATE '2025-03-01'", "ends"),
    ("SELECT 1 FROM dex.trades a, dex.trades b WHERE a.block_time < TIMESTAMP '2025-03-05'", "ends the time"),
    ("SELECT 1 FROM dex.trades a JOIN dim.venues v ON v.project = a.project WHERE a.block_date = DATE '2025-03-05'",
     "dim.venues"),
    ("SELECT 1 FROM dex.trades WHERE block_date = DATE '2025-03-05' AND trader IN (SELECT trader FROM dex.trades)",
     "ends the time"),
    ("SELECT 1 FROM dex.trades WHERE block_date = DATE '2025-03-05' UNION SELECT 2 FROM dex.trades", "ends the time"),
    ("SELECT 1 FROM (dex.trades a CROSS JOIN dex.trades b) WHERE block_date = DATE '2025-03-05'", "cannot be read"),
    ("SELECT 1 FROM trades WHERE block_date = DATE '2025-03-05'", "no schema"),
    ("SELECT 1 FROM dune.ada.rows WHERE block_date = DATE '2025-03-05'", "a user's own table"),
    ("DROP TABLE dex.trades", "more than SELECT"),
    ("SELECT 1 FROM dex.trades WHERE block_date = DATE '2025-02-30'", "ends the time"),
    ("SELECT " + "(" * 200 + "1" + ")" * 200, "deep"),
    ("SELECT (1 FROM dex.trades", "bracket"),
    ("SELECT 1", "reads no table"),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "why"), OPEN, ids=lambda value: value[:50])
def test_a_statement_whose_end_is_not_proven_answers_at_its_moment_alone(sql: str, why: str) -> None:
    """Within a quarter of an hour of the recording it is a HIT; before it a miss that says what is missing."""
    request = execute_request(sql)
    reply = HttpReply(200, {"date": "Thu, 25 Dec 2025 00:00:00 GMT"}, canonical_bytes({"execution_id": "01A"}))
    made = int(datetime(2025, 12, 25, tzinfo=UTC).timestamp())
    assert PROVIDER.narrow([Recorded(request, reply)], request, made + 60) is reply
    assert dune.why_not_later(request, None)
    with pytest.raises(Miss) as miss:
        PROVIDER.narrow([Recorded(request, reply)], request, made - DAY_S)
    assert why in miss.value.detail.where


def test_what_was_executed_before_the_tables_were_filled_is_a_miss() -> None:
    """A result made within a day of the last moment it reads may lack rows, and is shown to nobody."""
    held = recorded(Dune(TRADES), PROVIDER, [execute_request(TO_THE_FIFTH)], MARCH + 4 * DAY_S + 7_200)
    with pytest.raises(Miss, match="not have been filled"):
        replayed(held, TO_THE_FIFTH, MARCH + 4 * DAY_S)


def test_rows_without_their_statement_are_shown_to_nobody() -> None:
    """Whose rows they are is known from the execution alone; a failed one has none."""
    service = Dune(TRADES)
    held = recorded(service, PROVIDER, [execute_request(TO_THE_FIFTH)], LATER)
    page = next(one.request for one in held if one.request.method == "GET")
    with pytest.raises(Miss, match="no statement is recorded"):
        PROVIDER.narrow(held[1:], page, LATER - DAY_S)
    failed = recorded(service, PROVIDER, [execute_request("SELECT nothing FROM dex.trades")], LATER)
    page = next(one.request for one in failed if one.request.method == "GET")
    with pytest.raises(Miss, match=r"QUERY_STATE_FAILED.*nothing"):
        PROVIDER.narrow(failed, page, LATER)


def test_an_unfinished_execution_is_pending_and_no_page_of_rows() -> None:
    """The recorder asks again; no other address is taken for one."""
    service = Dune(TRADES, pending=1)
    execution = strict_json(live(service, execute_request(TO_THE_FIFTH), LATER).body)["execution_id"]
    page = results_request(execution)
    first, second = live(service, page, LATER), live(service, page, LATER)
    assert (is_pending(page, first), is_pending(page, second)) == (True, False)
    assert not is_pending(HttpRequest("GET", "https://example.org/"), first)
    with pytest.raises(Miss, match="QUERY_STATE_EXECUTING"):
        PROVIDER.narrow([Recorded(page, first)], page, LATER)


NO_ROWS = [b"", b"[]", b"{", b"\xff", b'{"result": 1, "state": "QUERY_STATE_COMPLETED"}',
           b'{"state": "QUERY_STATE_COMPLETED", "result": {"rows": [1], "metadata": {}}}']  # fmt: skip


@pytest.mark.parametrize("body", NO_ROWS)
def test_a_reply_of_another_shape_is_a_miss(body: bytes) -> None:
    """Whatever a host says in place of rows or of an execution."""
    date = {"date": "Thu, 25 Dec 2025 00:00:00 GMT"}
    now = int(datetime(2025, 12, 25, tzinfo=UTC).timestamp())
    for request in (results_request("01A"), execute_request(TO_THE_FIFTH)):
        with pytest.raises(Miss):
            PROVIDER.narrow([Recorded(request, HttpReply(200, date, body))], request, now)
        assert PROVIDER.follow(request, HttpReply(200, date, body)) is None
