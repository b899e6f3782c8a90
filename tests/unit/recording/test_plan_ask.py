from __future__ import annotations

from typing import Any

import pytest

from caia_replay.core.provider import HttpRequest
from caia_replay.recording.plan_ask import DAY_S, Ask
from caia_replay.recording.plan_chain import Hint
from caia_replay.recording.plan_stand_in import StandIn
from caia_replay.world.clock import utc_text

NOW = 1_746_143_999


def ask(url: str, **arguments: Any) -> Ask:
    return Ask(HttpRequest("GET", url), StandIn("a"), NOW, arguments, ("ethereum",), Hint())


def test_a_request_is_told_apart_into_its_parts() -> None:
    """Host, path and parameters, unquoted where they were quoted; blanks are kept."""
    found = ask("https://API.example/v2/a%20b/c?x=1&y=&x=2")
    assert (found.host, found.path, found.parts) == ("api.example", "/v2/a%20b/c", ["v2", "a b", "c"])
    assert (found.last, ask("https://a.example").last) == ("c", "")
    assert found.query == {"x": "2", "y": ""}


@pytest.mark.parametrize(("text", "value"), [("7", 7), ("", 3), ("-1", 3), ("7.5", 3), ("٧", 3)])
def test_a_parameter_that_is_no_number_is_the_default(text: str, value: int) -> None:
    """What a tool wrote strangely breaks no stand-in."""
    assert ask(f"https://a.example/?limit={text}").whole("limit", 3) == value


def test_every_coin_of_a_call_is_named_once() -> None:
    """Texts and lists of texts, their ends cut; what is no text is none."""
    found = ask("https://a.example/", asset=" $ETH ", token=None, symbols=["ETH", "BTC", 5])
    assert found.assets == ["ETH", "BTC", "5"]
    assert (found.text("asset"), found.text("token"), found.text("symbols")) == ("ETH", None, None)


@pytest.mark.parametrize(
    ("arguments", "day"),
    [
        ({"at": "31 May 2024"}, "2024-01-01"),
        ({"start": "2023-12-31", "end": "2025-01-01T00:00:00Z"}, "2023-01-01"),
        ({"at": 1_700_000_000}, "1970-01-01"),
        ({"start": "7 days ago"}, "2025-01-01"),
        ({}, "2025-01-01"),
    ],
)
def test_a_history_begins_before_what_is_asked(arguments: dict[str, Any], day: str) -> None:
    """With the earliest year that the call names, of seconds since 1970 with the first day, else some months ago."""
    assert utc_text(ask("https://a.example/", **arguments).since)[:10] == day


def test_days_are_the_newest_midnights() -> None:
    """From the first to the last, both included, and no more than are wanted."""
    days = ask("https://a.example/").days(NOW - 10 * DAY_S, NOW, 5)
    assert len(days) == 5 and days[-1] == NOW - NOW % DAY_S and all(day % DAY_S == 0 for day in days)
    assert len(ask("https://a.example/").days(NOW - 2 * DAY_S, NOW)) == 2
