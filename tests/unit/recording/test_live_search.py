"""What search engine and social network are asked while a task is recorded."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.canonical import strict_json
from caia_replay.providers.search_api import SearchApiProvider
from caia_replay.providers.x_api import XApiProvider
from caia_replay.recording.live_search import posts_question, web_question

NOW = 1_748_800_000  # 2025-06-01T17:46:40Z


def test_nothing_is_searched_for_past_the_moment() -> None:
    """The window ends on the day of the task's moment; a narrower one is kept."""
    assert strict_json(web_question("pump unlock", "", NOW).body)["tbs"] == "cdr:1,cd_max:6/1/2025"
    assert (
        strict_json(web_question("pump unlock", "qdr:w", NOW).body)["tbs"] == "cdr:1,cd_min:5/25/2025,cd_max:6/1/2025"
    )


def test_words_are_alternatives_and_operators_hold() -> None:
    """As the local index reads a query, in the network's words; days are left to the index."""
    asked = parse_qs(
        urlsplit(posts_question('unlock from:alice $PUMP since:2025-01-01 "token sale" date', NOW).url).query
    )
    assert asked["query"] == ['from:alice $PUMP "token sale" (unlock OR date)']
    assert asked["end_time"] == ["2025-06-01T17:46:40Z"]
    thread = parse_qs(urlsplit(posts_question("conversation:123", NOW).url).query)
    assert thread["query"] == ["conversation_id:123"]


@given(st.text(max_size=700), st.text(max_size=20))
def test_any_query_is_a_request_that_its_provider_knows(query: str, tbs: str) -> None:
    """Law: whatever a model writes becomes one well-formed request of bounded length."""
    assert SearchApiProvider().match(web_question(query, tbs, NOW))
    request = posts_question(query, NOW)
    assert XApiProvider().match(request)
    asked = parse_qs(urlsplit(request.url).query, keep_blank_values=True)["query"][0]
    assert len(asked) <= 513 and asked.count("(") >= 0
