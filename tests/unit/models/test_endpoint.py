"""What is known of an endpoint: its address, how long it is waited for, its runs, its tokens."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.model import RunKey, Usage
from caia_replay.models.address import NO_ADDRESS, same_place, secrets_of, shown_address, without_place
from caia_replay.models.retry import Patience, Retries, retry_after_s
from caia_replay.models.session_header import RUN_HEADER, TURN_HEADER, read_run, run_text
from caia_replay.models.wire import MOST_TOKENS, estimated_usage, read_usage

SECRET = "sk-0123456789abcdef"


def test_an_address_is_shown_without_what_may_be_a_key() -> None:
    """Users, passwords and queries stay in the environment, in an address that is none too."""
    for address, told in (
        (f"https://user:{SECRET}@llm.example:8080/v1?api-key={SECRET}#{SECRET}", "https://llm.example:8080/v1"),
        (f"http://{SECRET}@llm.example/v1", "http://llm.example/v1"),
        (f"user:{SECRET}@llm.example/v1", "llm.example/v1"),
        (f"http://user:/{SECRET}@llm.example/v1", "http://llm.example/v1"),
        *((f"http://user:{mark}{SECRET}@llm.example/v1", NO_ADDRESS) for mark in "?#"),
        (f"{SECRET}@http://llm.example/v1", NO_ADDRESS),
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        *(("localhost:1", "localhost:1"), ("", ""), ("http://[::1", NO_ADDRESS)),
    ):
        assert shown_address(address) == told


@given(st.text("ab:/?#[].", max_size=6), st.text("cd:/?#[].@", max_size=9), st.text("ef/?#@=", max_size=6))
def test_what_is_shown_holds_nothing_before_an_at_sign(before: str, place: str, query: str) -> None:
    """Whatever stands before the last one, or after a question mark, is not told."""
    told = shown_address(f"http://{before}{SECRET}@{place}?{query}{SECRET}")
    assert SECRET not in told


def test_one_place_has_many_spellings() -> None:
    """Letter case of scheme and host, the default port and slashes at the end make no other place; other parts do."""
    place = "https://llm.example/v1"
    for other, same in (
        ("https://LLM.example/v1", True), ("HTTPS://llm.example:443/v1/", True), ("https://u:p@llm.example/v1//", True),
        ("https://llm.example./v1", True), ("http://llm.example/v1", False), ("https://llm.example:80/v1", False),
        ("https://llm.example/V1", False), ("https://[::1", False), ("", False),
    ):  # fmt: skip
        assert same_place(place, other) is same_place(other, place) is same, other


def test_a_password_is_known_as_it_is_spelt_and_as_it_is_meant() -> None:
    """A server may repeat either."""
    assert secrets_of("http://u:p%40ss@a.example/") == ("p%40ss", "p@ss")
    assert secrets_of("http://a.example/") == secrets_of("http://[::1") == ()


def test_a_clients_words_lose_the_place() -> None:
    """Host, port, address and password go; other hosts and words stay."""
    for said, kept in (
        ("cannot reach llm.example:8080.", "cannot reach the endpoint."),
        ("for 'LLM.example'", "for 'the endpoint'"),
        ("http://u:p%40ss@llm.example:8080/v1 failed", "the endpoint failed"),
        ("word p@ss word", "word the endpoint word"),
        ("my-llm.example.com and llm.example.com", "my-llm.example.com and llm.example.com"),
        ("Connection refused", "Connection refused"),
    ):
        assert without_place(said, "http://u:p%40ss@llm.example:8080/v1") == kept


def retries(waits: list[float], most: int = 6, **bounds: Any) -> Retries:
    return Retries(Patience(sleep=waits.append, **bounds), most)


def test_own_waits_double_up_to_a_bound_and_a_count() -> None:
    """Half a second, one, two; never more than thirty; no more often than allowed."""
    waits: list[float] = []
    trying = retries(waits, most=9, total_s=1_000)
    while trying.again("server"):
        pass
    assert waits == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]


@given(
    st.lists(st.tuples(st.sampled_from(["server", "connection", "timeout"]), st.none() | st.floats(-5, 1e9))),
    st.floats(0, 100),
    st.integers(0, 20),
)
def test_no_server_can_make_us_wait_longer_than_the_budget(
    asked: list[tuple[str, float | None]], total_s: float, most: int
) -> None:
    """Whatever it asks for, the sum of waits, each wait and their number stay within bounds."""
    waits: list[float] = []
    trying = retries(waits, most=most, total_s=total_s, longest_s=20)
    for reason, wait in asked:
        trying.again(reason, wait)
    assert sum(waits) <= total_s + 1e-6 and len(waits) <= most and all(0 <= wait <= 20 for wait in waits)


def test_a_wait_that_is_asked_for_is_kept_or_refused_whole() -> None:
    """Less than was asked for would be no use: either all of it or none; infinity is read as what it says."""
    waits: list[float] = []
    trying = retries(waits, longest_s=60)
    assert trying.again("server", 60) and not trying.again("server", 86_400) and not trying.again("server", 61)
    assert not trying.again("server", retry_after_s({"retry-after": "1e999"})) and waits == [60]


def test_silence_is_tried_once_more() -> None:
    """A second deadline that passes is the last."""
    trying = retries([])
    assert trying.again("timeout") and not trying.again("timeout") and trying.again("connection")


def test_every_form_of_the_header_is_read() -> None:
    """Milliseconds first, then seconds, then a date by the server's own clock, or ours; nonsense is no wait."""
    date, later = "Tue, 24 Nov 2026 00:00:00 GMT", "Tue, 24 Nov 2026 00:01:00"
    for headers, wait in (
        ({}, None), ({"retry-after": "7"}, 7), ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25), ({"retry-after-ms": "soon", "retry-after": "9"}, 9),
        ({"retry-after": "soon"}, None), ({"retry-after": "nan"}, None),
        ({"retry-after": "Mon, 99 Nov 2026 00:00:00 GMT"}, None),
        ({"retry-after": f"{later} GMT", "date": date}, 60), ({"retry-after": f"{later} -0000", "date": date}, 60),
    ):  # fmt: skip
        assert retry_after_s(headers) == wait
    wait = retry_after_s({"retry-after": format_datetime(datetime.now(UTC) + timedelta(days=1), usegmt=True)})
    assert wait is not None and abs(wait - 86_400) < 600


@given(st.builds(RunKey, st.text(), st.text(), st.text(), st.text(), st.integers(0, 10**6)), st.integers(1, 99))
def test_any_run_survives_a_header(key: RunKey, turn: int) -> None:
    """What was written is read, and every header is printable ASCII."""
    text = run_text(key)
    assert text.isascii() and text.isprintable()
    assert read_run({RUN_HEADER: text, TURN_HEADER: str(turn)}) == (key, turn)


REASONED = {"completion_tokens_details": {"reasoning_tokens": 12}}
COUNTS = {"prompt_tokens": 100, "completion_tokens": 20}


def test_vendors_forms_are_read() -> None:
    """Cached and reasoning tokens wherever they stand; reasoning that only the total counts is put back."""
    for extra, usage in (
        ({}, Usage(100, 20)), ({"total_tokens": 120}, Usage(100, 20)), ({"total_tokens": 7}, Usage(100, 20)),
        ({"prompt_tokens": 100.0}, Usage(100, 20)),
        ({"prompt_tokens_details": {"cached_tokens": 64}}, Usage(100, 20, cached_tokens=64)),
        ({"prompt_tokens_details": {"cached_tokens": 640}}, Usage(100, 20, cached_tokens=100)),
        ({"prompt_tokens_details": None, "prompt_cache_hit_tokens": 60}, Usage(100, 20, cached_tokens=60)),
        ({"cached_tokens": 50}, Usage(100, 20, cached_tokens=50)),
        ({"prompt_tokens_details": {"cached_tokens": -1}}, Usage(100, 20)),
        ({"prompt_tokens_details": "none"}, Usage(100, 20)),
        (REASONED, Usage(100, 20, reasoning_tokens=12)),
        (REASONED | {"total_tokens": 120}, Usage(100, 20, reasoning_tokens=12)),
        (REASONED | {"total_tokens": 132}, Usage(100, 32, reasoning_tokens=12)),
        (REASONED | {"total_tokens": 140}, Usage(100, 20, reasoning_tokens=12)),
        ({"total_tokens": 500}, Usage(100, 400, reasoning_tokens=380)),
    ):  # fmt: skip
        assert read_usage(COUNTS | extra, said=True) == usage


def test_nonsense_is_no_report() -> None:
    """Wrong types, absurd counts and silent zeros; an empty message of no tokens is believable."""
    for usage in (
        None, [], "many", {}, {"prompt_tokens": 7}, {"completion_tokens": 7},
        *(COUNTS | {"prompt_tokens": wrong} for wrong in ("100", True, -1, 0)),
        *(COUNTS | {"completion_tokens": wrong} for wrong in (MOST_TOKENS + 1, 1.5, 0, float("inf"))),
    ):  # fmt: skip
        assert read_usage(usage, said=True) is None
    assert read_usage(COUNTS | {"completion_tokens": 0}, said=False) == Usage(100, 0)


@given(st.integers(0, 10**9), st.lists(st.text(max_size=20)))
def test_an_estimate_is_bytes_by_four_rounded_up_and_marked(size: int, said: list[str]) -> None:
    """Never below a quarter of the bytes, never a token more, never zero for something."""
    got = estimated_usage(size, said)
    bytes_said = len("".join(said).encode("utf-8", "replace"))
    assert not got.reported
    assert 0 <= got.prompt_tokens * 4 - size < 4 and 0 <= got.completion_tokens * 4 - bytes_said < 4
