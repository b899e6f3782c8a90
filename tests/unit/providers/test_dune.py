"""Dune's provider: the law against a living Dune, and what is no answer."""

import json
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.dune.provider import DuneProvider
from tests.adapter_law import record, replayed, survives
from tests.living_dune import DAY_S, MOST, Dune

BASE = "https://api.dune.com/api/v1"
PROVIDER, DUNE = DuneProvider(), Dune()
NOW = 1_700_000_000
NIGHT = NOW // DAY_S * DAY_S
LATER = NIGHT + DAY_S - 60


def get(path: str, **told: Any) -> HttpRequest:
    """A reading request."""
    query = urlencode({name.replace("__", "."): value for name, value in told.items()})
    return HttpRequest("GET", f"{BASE}/{path}{'?' if query else ''}{query}", headers={"X-Dune-Api-Key": "k" * 20})


def execute(query: int = 60, **parameters: Any) -> HttpRequest:
    """A request for a new execution."""
    body = json.dumps({"query_parameters": parameters}).encode()
    return HttpRequest("POST", f"{BASE}/query/{query}/execute", body, {"X-Dune-Api-Key": "k" * 20})


def plain(reply: HttpReply) -> Any:
    """A reply without the size in bytes, which no other page tells."""
    if reply.body[:1] != b"{":
        return reply.status, reply.body, reply.headers.get("x-dune-next-offset")
    body = json.loads(reply.body)
    body["next_uri"] = sorted(parse_qsl(body.get("next_uri", "").partition("?")[2]))
    body.get("result", {}).get("metadata", {}).pop("result_set_bytes", None)
    return reply.status, body


limits = {"limit": st.integers(1, MOST), "offset": st.integers(0, 70)}
places = st.sampled_from([f"execution/E60T{NIGHT}/results", f"execution/E7T{NIGHT}/results", "query/60/results"])
questions = st.builds(
    lambda place, csv, told: get(place + csv, **told),
    places,
    st.sampled_from(["", "/csv"]),
    st.fixed_dictionaries({"limit": limits["limit"]}, optional={"offset": limits["offset"]}),
)


@given(questions, st.sampled_from([NOW, LATER]))
def test_any_page_of_a_recorded_execution_is_the_living_one(asked: HttpRequest, made: int) -> None:
    """Pages of other sizes and places join; a query's latest execution is told of until the next one is over."""
    reply = replayed(PROVIDER, record(DUNE, PROVIDER, [asked], made), asked, NOW)
    # CSV does not say when its execution was over: it is known by its recording alone.
    if made == NOW or "/csv" not in asked.url:
        assert reply is not None
    if reply is not None:
        assert plain(reply) == plain(DUNE(asked, NOW))


def test_refusals_are_of_their_moment_and_later_is_none() -> None:
    """An unknown query is told of when it was; a limit, a fault or what the API never sends is no answer at all."""
    asked = get("query/9/results", limit=5)
    for status, now, is_told in ((404, NOW, True), (404, NOW + 3_600, False), (401, NOW + 3_600, True),
                                 (429, NOW, False), (500, NOW, False)):  # fmt: skip
        found = Recorded(asked, HttpReply(status, DUNE(asked, NOW).headers, b'{"error": "x"}'))
        assert (replayed(PROVIDER, [found], asked, now) is found.reply) == is_told
    asked = [execute(), get("query/60/results", limit=5), get("query/60/results/csv", limit=5),
             get(f"execution/E60T{NIGHT}/status"), get(f"execution/E60T{NIGHT}/results", limit=5)]  # fmt: skip
    # The poll that follows the execution at once finds it running: later, and no answer.
    survives(PROVIDER, record(DUNE, PROVIDER, asked, NOW, most_unproven=1), asked, NOW)
    with pytest.raises(Miss):
        PROVIDER.family(HttpRequest("GET", f"{BASE}/query/1/results?limit=1&limit=2"))
    for url in ("https://api.dune.com/api/v2/x", "http://api.dune.com/api/v1/x", "https://dune.com/api/v1/x"):
        assert not PROVIDER.match(HttpRequest("GET", url))
