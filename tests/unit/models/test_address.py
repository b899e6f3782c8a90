"""Addresses: what is shown of one, and which are one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.models.address import (
    NO_ADDRESS,
    host_names,
    same_place,
    secrets_of,
    shown_address,
    without_place,
)

SECRET = "sk-0123456789abcdef"


@pytest.mark.parametrize(
    ("address", "told"),
    [
        (f"https://user:{SECRET}@llm.example:8080/v1?api-key={SECRET}#{SECRET}", "https://llm.example:8080/v1"),
        (f"http://{SECRET}@llm.example/v1", "http://llm.example/v1"),
        (f"user:{SECRET}@llm.example/v1", "llm.example/v1"),
        (f"http://user:/{SECRET}@llm.example/v1", "http://llm.example/v1"),
        (f"http://user:?{SECRET}@llm.example/v1", NO_ADDRESS),
        (f"http://user:#{SECRET}@llm.example/v1", NO_ADDRESS),
        (f"{SECRET}@http://llm.example/v1", NO_ADDRESS),
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("localhost:1", "localhost:1"),
        ("", ""),
        ("http://[::1", NO_ADDRESS),
    ],
)
def test_an_address_is_shown_without_what_may_be_a_key(address: str, told: str) -> None:
    """Users, passwords and queries stay in the environment, in an address that is none too."""
    assert shown_address(address) == told


@given(st.text("ab:/?#[].", max_size=6), st.text("cd:/?#[].@", max_size=9), st.text("ef/?#@=", max_size=6))
def test_what_is_shown_holds_nothing_before_an_at_sign(before: str, place: str, query: str) -> None:
    """Whatever stands before the last one, or after a question mark, is not told."""
    told = shown_address(f"http://{before}{SECRET}@{place}?{query}{SECRET}")
    assert SECRET not in told


def test_a_host_is_named_as_it_is_spelt_and_as_it_is_looked_up() -> None:
    """Letters beyond ASCII have a second spelling, which is what leaves the machine."""
    assert host_names("https://LLM.example:1/v1") == {"llm.example"}
    assert host_names("https://b\u00fccher.example/v1") == {"b\u00fccher.example", "xn--bcher-kva.example"}
    assert host_names("nothing") == frozenset()
    for wrong in ("http://\u2603\u200b.example", "http://[::1"):
        with pytest.raises(ValueError):
            host_names(wrong)


@pytest.mark.parametrize(
    "other",
    [
        "https://LLM.example/v1",
        "HTTPS://llm.example:443/v1/",
        "https://u:p@llm.example/v1//",
        "https://llm.example./v1",
    ],
)
def test_one_place_has_many_spellings(other: str) -> None:
    """Letter case of scheme and host, the default port and slashes at the end make no other place."""
    assert same_place("https://llm.example/v1", other) and same_place(other, "https://llm.example/v1")


@pytest.mark.parametrize(
    "other", ["http://llm.example/v1", "https://llm.example:80/v1", "https://llm.example/V1", "https://[::1", ""]
)
def test_other_places_are_others(other: str) -> None:
    """Scheme, port, path and host count."""
    assert not same_place("https://llm.example/v1", other)


def test_a_password_is_known_as_it_is_spelt_and_as_it_is_meant() -> None:
    """A server may repeat either."""
    assert secrets_of("http://u:p%40ss@a.example/") == ("p%40ss", "p@ss")
    assert secrets_of("http://a.example/") == secrets_of("http://[::1") == ()


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("cannot reach llm.example:8080.", "cannot reach the endpoint."),
        ("for 'LLM.example'", "for 'the endpoint'"),
        ("http://u:p%40ss@llm.example:8080/v1 failed", "the endpoint failed"),
        ("word p@ss word", "word the endpoint word"),
        ("my-llm.example.com and llm.example.com", "my-llm.example.com and llm.example.com"),
        ("Connection refused", "Connection refused"),
    ],
)
def test_a_clients_words_lose_the_place(said: str, kept: str) -> None:
    """Host, port, address and password go; other hosts and words stay."""
    assert without_place(said, "http://u:p%40ss@llm.example:8080/v1") == kept
