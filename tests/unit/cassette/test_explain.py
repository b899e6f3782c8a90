"""What is told: the nearest recording, masked secrets, and pauses."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.cassette.explain import SHOWN_CHARACTERS, Difference, RecordedQuestions, mask, parts
from caia_replay.cassette.identity import identity
from caia_replay.cassette.retry_after import LONGEST_PAUSE_S, pause_s, retry_after_s
from caia_replay.cassette.secret import is_secret

KLINES = "https://api.example.com/api/v3/klines"
VALUES = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=12)
QUERIES = st.dictionaries(st.sampled_from(["days", "symbol", "limit", "from", "to"]), VALUES, max_size=4)


def get(url: str) -> bytes:
    return identity("GET", url)


def post(url: str, body: object) -> bytes:
    return identity("POST", url, json.dumps(body).encode())


def asked(query: dict[str, str]) -> bytes:
    return get(KLINES + "?" + "&".join(f"{name}={value}" for name, value in query.items()))


@given(recorded=QUERIES, wanted=QUERIES)
def test_the_differences_are_exactly_the_fields_that_differ(recorded: dict[str, str], wanted: dict[str, str]) -> None:
    """Each field that differs is named once with both values, absent ones as None, and no other field is."""
    (found,) = RecordedQuestions([asked(recorded)]).nearest(asked(wanted))
    expected = {
        (f"query {name}", wanted.get(name), recorded.get(name))
        for name in recorded.keys() | wanted.keys()
        if wanted.get(name) != recorded.get(name)
    }
    assert {(item.field, item.wanted, item.recorded) for item in found.differences} == expected


@given(queries=st.lists(QUERIES, min_size=1, max_size=8), at=st.integers(min_value=0))
def test_a_recorded_question_is_its_own_nearest(queries: list[dict[str, str]], at: int) -> None:
    """What is recorded is found first and differs in nothing."""
    known = RecordedQuestions(asked(query) for query in queries)
    assert known.nearest(asked(queries[at % len(queries)]))[0].differences == ()


def test_a_slip_is_nearer_than_another_field_host_or_path() -> None:
    """The three nearest come in order: one value off, one parameter missing, another path; another host is left out."""
    known = RecordedQuestions(
        [
            get("https://other.invalid/v2/unlike?symbol=ETHUSDT&limit=100"),
            get("https://api.example.com/api/v3/trades?symbol=ETHUSDT&limit=1000"),
            get(f"{KLINES}?symbol=ETHUSDT"),
            get(f"{KLINES}?symbol=ETHUSDT&limit=1000"),
        ]
    )
    found = known.nearest(get(f"{KLINES}?symbol=ETHUSDT&limit=100"))
    assert [item.question.partition("example.com")[2] for item in found] == [
        "/api/v3/klines?limit=1000&symbol=ETHUSDT",
        "/api/v3/klines?symbol=ETHUSDT",
        "/api/v3/trades?limit=1000&symbol=ETHUSDT",
    ]
    assert found[0].differences == (Difference("query limit", "100", "1000"),)
    assert found[0].differences[0].words() == "query limit: wanted '100', recorded '1000'"
    assert found[1].differences == (Difference("query limit", "100", None),)


def test_repeated_form_json_and_raw_parts_are_told_apart() -> None:
    """A call is explained by the one parameter that differs; each kind of part has a name of its own."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": [{"to": "0xaa", "data": "0x01"}, "0x10"]}
    wanted = {**call, "id": 9, "params": [{"to": "0xaa", "data": "0x02"}, "0x10"]}
    (found,) = RecordedQuestions([post("https://rpc.example/", call)]).nearest(post("https://rpc.example/", wanted))
    assert found.differences == (Difference("body params[0].data", '"0x02"', '"0x01"'),)
    assert parts(get("https://a.example/?x=1&x=2"))["query x"] == "1 & 2"
    assert parts(identity("POST", "https://a.example/", b"a=1&b="))["body b"] == ""
    assert parts(identity("POST", "https://a.example/", b"\x00free text"))["body"] == "\x00free text"


def test_credentials_are_masked_wherever_they_stand() -> None:
    """Neither the questions nor the differences repeat a key: not of a query, a form, a JSON or a raw body."""
    key = "k3yK3Yk3yK3Y"
    urls = [f"https://user:{key}@a.example/x?apikey={key}&days=1", f"https://a.example/y?api_key={key}"]
    bodies = [{"apiKey": key, "n": 1}, {"nested": [{"access_token": key}], "n": 2}]
    raw = [identity("POST", "https://a.example/z", f"{at} apikey={key} and text".encode()) for at in (1, 2)]
    keys = [*map(get, urls), *(post("https://a.example/z", body) for body in bodies), *raw]
    for wanted in keys:
        for found in RecordedQuestions(keys).nearest(wanted, count=len(keys)):
            assert key not in repr(found)
    text = f'{{"url": "https://me:{key}@h.example/?apikey={key}&a=1", "secret": "{key}"}}'
    assert mask(text) == '{"url": "https://h.example/?apikey=SCRUBBED&a=1", "secret": "SCRUBBED"}'


def test_long_values_are_shown_around_their_first_difference() -> None:
    """Two long values never look equal, and neither is shown whole."""
    left, right = ("x" * 5000 + end + "y" * 5000 for end in ("LEFT", "RIGHT"))
    (found,) = RecordedQuestions([identity("POST", "https://a.example/", right.encode())]).nearest(
        identity("POST", "https://a.example/", left.encode())
    )
    (difference,) = found.differences
    assert difference.wanted is not None and difference.recorded is not None
    assert "LEFT" in difference.wanted and "RIGHT" in difference.recorded
    assert max(len(difference.wanted), len(difference.recorded)) <= SHOWN_CHARACTERS + 6


def test_as_many_are_told_as_asked_for_and_nothing_of_nothing() -> None:
    """count bounds the neighbours; an empty world explains nothing."""
    known = RecordedQuestions([])
    assert (len(known), known.nearest(get(KLINES))) == (0, ())
    for count in [1, 3, 50]:
        known = RecordedQuestions(get(f"{KLINES}?limit={number}") for number in range(60))
        assert len({found.question for found in known.nearest(get(KLINES), count)}) == count


def test_credentials_are_known_by_name() -> None:
    """In any spelling, words of the trade left alone."""
    for name in ("apikey", "API_KEY", "x-api-key", "x_cg_pro_api_key", "apiKey", "Authorization", "access_token"):
        assert is_secret(name), name
    for name in ("key", "token", "token_address", "keys", "publickey", "tokens", "contract"):
        assert not is_secret(name), name


NOW = 1_744_356_371  # Fri, 11 Apr 2025 07:26:11 GMT
LATER = "Fri, 11 Apr 2025 07:27:41 GMT"


def test_retry_after_is_read_in_both_forms() -> None:
    """Only 429 and 503 ask for a pause: seconds or a date, nothing shortened when bare, doubled without a word."""
    for status in [200, 301, 401, 402, 403, 404, 500, 502]:
        assert pause_s(status, {"retry-after": "5"}, 1, NOW) is None
    for headers, pause in [
        ({"retry-after": "7"}, 7), ({"retry-after": " 0 "}, 0), ({"retry-after": LATER}, 90),
        ({"retry-after": LATER, "date": "Fri, 11 Apr 2025 07:27:40 GMT"}, 1),
        ({"retry-after": "Fri, 11 Apr 2025 07:00:00 GMT"}, 0), ({"retry-after": "Friday, 11-Apr-25 07:27:41 GMT"}, 90),
        ({"retry-after": "9" * 400}, LONGEST_PAUSE_S), ({}, 4), ({"retry-after": "soon"}, 4),
        ({"retry-after": "-3"}, 4), ({"retry-after": "\u0663"}, 4),
        ({"retry-after": "Fri, 99 Apr 2025 07:27:41 GMT"}, 4),
    ]:  # fmt: skip
        assert pause_s(429, headers, 3, NOW) == pause
    assert retry_after_s({"retry-after": "9" * 40}, NOW) == 999_999_999
    assert retry_after_s({"retry-after": "1.5"}, NOW) is None
    assert retry_after_s({"retry-after": "Fri, 11 Apr 2025 07:27:41 -0000"}, NOW) == 90
    assert [pause_s(503, {}, attempt, NOW) for attempt in (1, 2, 3, 4)] == [1, 2, 4, 8]


@given(st.text(max_size=40), st.text(max_size=40), st.integers(1, 10_000))
def test_any_header_gives_a_bounded_pause(told, date, attempt):
    """Whatever a server sends, the pause is a whole number of seconds between none and an hour."""
    pause = pause_s(503, {"retry-after": told, "date": date}, attempt, NOW)
    assert isinstance(pause, int) and 0 <= pause <= LONGEST_PAUSE_S
