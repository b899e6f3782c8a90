"""The explorer: it asks about what it saw, never twice the same, and answers nothing."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.model import PolicyHints
from caia_replay.models.policies.conversation import Wire
from caia_replay.models.policies.explorer import ASKS, CALLS, ROUNDS, ExplorerPolicy, Seen
from caia_replay.models.wire import tool_to_wire
from caia_replay.tools.catalog import CATALOG
from tests.unit.models.policies.conftest import calls_in, run_key

TOOLS = [tool_to_wire(tool.spec) for tool in CATALOG.values()]
ASKED = "Who moved the Orchid?\n\n[asked at: chain mini, block 58, 2024-06-28T16:43:57Z]"
TOKEN = "0x" + "a1" * 20
SAID: dict[str, Any] = {
    "ranking_query": {"coins": [{"id": "orchid", "symbol": "ORCH"}, {"id": "lotus", "symbol": "LTS"}]},
    "protocol_metrics": {"ranking": [{"slug": "orchid-lend"}, {"symbol": "-"}]},
    "web_search": {"results": [{"url": "https://news.example/orchid", "snippet": f"The token is {TOKEN}."}]},
    "twitter_search": {"posts": [{"author": "orchid_hq", "likes": 3, "url": "https://x.com/orchid_hq/status/1"}]},
    "block_query": {"hash": "0x" + "0" * 64, "transactions": [{"hash": "0x" + "5a" * 32, "from": "0x" + "b2" * 20}]},
}


def explored(tools: list[Wire] = TOOLS, seed: int = 0, attempt: int = 1) -> tuple[list[list[tuple[str, Any]]], str]:
    """All calls of a run by message, and its last word."""
    policy = ExplorerPolicy(PolicyHints("Who moved the Orchid?"), run_key(attempt=attempt), seed)
    messages: list[Wire] = [{"role": "user", "content": ASKED}]
    rounds = []
    while calls := calls_in(said := policy.respond(messages, tools)):
        rounds.append(calls)
        replies = [SAID.get(tool, {"error": {"type": "unavailable"}}) for tool, _ in calls]
        messages += [said, *({"role": "tool", "content": json.dumps(reply)} for reply in replies)]
    return rounds, said["content"]


def test_it_asks_about_what_it_saw_and_answers_nothing() -> None:
    """After a look around, rounds of different calls the catalog takes, about seen things alone; then no answer."""
    around, *rounds = explored()[0]
    assert len(rounds) == ROUNDS and all(len(calls) == CALLS for calls in rounds)
    every = [json.dumps(call) for calls in (around, *rounds) for call in calls]
    assert len(set(every)) == len(every) and "FINAL ANSWER" not in explored()[1]
    for tool, asked in (call for calls in (around, *rounds) for call in calls):
        CATALOG[tool].arguments.model_validate(asked)
        assert asked.get("asset") in ("ORCH", "LTS", None) and asked.get("contract") in (TOKEN, None)
        assert asked.get("url") in ("https://news.example/orchid", "https://news.example/", None)
        assert asked.get("hash") in ("0x" + "5a" * 32, None)


def test_seed_and_attempt_draw_the_calls() -> None:
    """The same run again is the same, another attempt or seed is not, and some of them ask all that may be asked."""
    assert explored() == explored() and explored(seed=1)[0] != explored()[0] != explored(attempt=2)[0]
    asked = {tool for attempt in range(1, 9) for calls in explored(attempt=attempt)[0] for tool, _ in calls}
    assert asked >= {tool for tool, _ in ASKS}


def test_only_offered_tools_are_asked() -> None:
    """With one tool that one alone, with none nothing."""
    alone = [tool for tool in TOOLS if tool["function"]["name"] == "ranking_query"]
    assert [[tool for tool, _ in calls] for calls in explored(alone)[0]] == [["ranking_query"]]
    assert explored([])[0] == []


@given(st.recursive(st.none() | st.text(max_size=30), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
    st.sampled_from(["symbol", "slug", "author", "likes", "url", "hash", "from", "contract", "x"]), inner, max_size=4,
), max_leaves=12))  # fmt: skip
def test_what_was_seen_is_of_its_form(result: Any) -> None:
    """Whatever a tool says: pages have a site, contracts and hashes their length, and nothing is there twice."""
    seen = Seen("q", [{"found": result}])
    assert all(url.startswith(("http://", "https://")) for url in seen.pages)
    assert all(len(one) == 42 for one in (*seen.contracts, *seen.addresses)) and all(
        len(one) == 66 for one in seen.hashes
    )
    assert len(seen.sites) == len(set(seen.sites)) <= len(seen.pages)
