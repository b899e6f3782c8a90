from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.cassette.url import canonical_pairs, canonical_url, lower_addresses
from caia_replay.errors import BadInput

ADDRESS = "0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B"
PAIRS = st.lists(st.tuples(st.text(min_size=1, max_size=4), st.text(max_size=6)), max_size=5)


def _utf8(pairs):
    return [(a.encode("utf-8", "replace").decode(), b.encode("utf-8", "replace").decode()) for a, b in pairs]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("HTTPS://API.Example.com:443", "https://api.example.com/"),
        ("http://h:080/a", "http://h/a"),
        ("https://h/%7Euser/%e4%bd%a0", "https://h/~user/%E4%BD%A0"),
        ("https://h/a b|c", "https://h/a%20b%7Cc"),
        ("https://h/a/./b/../c", "https://h/a/c"),
        ("https://h/a/..", "https://h/"),
        ("https://h/?b=2&a=1&a=0", "https://h/?a=0&a=1&b=2"),
        ("https://h/?q=a+b", "https://h/?q=a%20b"),
        ("https://h/?a", "https://h/?a="),
        ("https://h/?a=1&&b=2#part", "https://h/?b=2&a=1"),
        ("https://user:pass@h/a", "https://h/a"),
        (f"https://h/{ADDRESS}?x={ADDRESS},{ADDRESS}", f"https://h/{ADDRESS.lower()}?x={ADDRESS.lower()}%2C{ADDRESS.lower()}"),
        ("https://你好.example/", "https://xn--6qq79v.example/"),
        ("https://h/?apikey=one", "https://h/?apikey=two"),
        ("https://[2001:DB8::1]:443/", "https://[2001:db8::1]/"),
    ],
)  # fmt: skip
def test_two_spellings_of_one_url(left, right):
    """What no server can tell apart is one URL."""
    assert canonical_url(left) == canonical_url(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("https://h/a%2Fb", "https://h/a/b"),
        ("https://h/a%2Cb", "https://h/a,b"),
        ("https://h/a%25b", "https://h/a%b0"),
        ("https://h/?a=b%26c", "https://h/?a=b&c"),
        ("https://h/?a%3Db=c", "https://h/?a=b=c"),
        ("https://h/?a=%2B", "https://h/?a=+"),
        ("https://h/?a=1", "https://h/?a=1&a=1"),
        ("https://h/?a=&b=1", "https://h/?b=1"),
        ("https://h/?a=%FF", "https://h/?a=%EF%BF%BD"),
        ("https://h/a", "https://h/a/"),
        ("https://h/A", "https://h/a"),
        ("https://h:8443/", "https://h/"),
        ("http://h/", "https://h/"),
        ("https://h/?apikey=", "https://h/?apikey=one"),
        ("https://h/", "https://h/?apikey=one"),
        ("https://h/?x=" + ADDRESS + "00", "https://h/?x=" + ADDRESS.lower() + "00"),
    ],
)
def test_what_a_server_may_tell_apart_stays_apart(left, right):
    """A false hit would be an invented answer."""
    assert canonical_url(left) != canonical_url(right)


@pytest.mark.parametrize(
    "url", ["", "/a", "ftp://h/", "https://", "https://h:99999/", "https://h h/", "https:///a", "mailto:a@b", "https://a\\b/",
            "https://h:x/", "https://\u200b../", "https://h:" + "9" * 5000]
)  # fmt: skip
def test_anything_else_is_bad_input(url):
    """A relative URL, another scheme, a broken host or port: one line, no traceback."""
    with pytest.raises(BadInput):
        canonical_url(url)


@settings(max_examples=150, deadline=None)
@given(PAIRS, st.randoms(use_true_random=False))
def test_pairs_are_a_multiset_whatever_their_order_and_escaping(pairs, shuffler):
    """Two ways of escaping and any order give the same text."""
    pairs = _utf8(pairs)
    one = "&".join(f"{quote(a, safe='')}={quote(b, safe='')}" for a, b in pairs)
    shuffler.shuffle(pairs)
    other = "&".join(f"{quote_plus(a)}={quote_plus(b)}" for a, b in pairs)
    assert canonical_pairs(one) == canonical_pairs(other)


@settings(max_examples=150, deadline=None)
@given(PAIRS, PAIRS)
def test_different_pairs_are_different_text(left, right):
    """Decoded pairs are equal as multisets exactly when their canonical texts are."""
    left, right = _utf8(left), _utf8(right)
    texts = [canonical_pairs("&".join(f"{quote_plus(a)}={quote_plus(b)}" for a, b in pairs)) for pairs in (left, right)]
    assert (sorted(left) == sorted(right)) == (texts[0] == texts[1])


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40))
def test_canonical_text_is_its_own_canonical_form(text):
    """Normalising twice changes nothing, for any path and query."""
    once = canonical_url("https://h/" + text.replace("#", ""))
    assert canonical_url(once.text()) == once


def test_ignored_parameters_are_dropped_by_their_decoded_name():
    """A provider's ignored parameter counts in no spelling."""
    ignored = frozenset({"ts", "a b"})
    assert canonical_pairs("a=1&t%73=5&a+b=2", ignored) == canonical_pairs("ts=9&a=1", ignored) == "a=1"


def test_only_whole_addresses_are_lowered():
    """Longer hex (calldata, hashes) and other words keep their case."""
    assert lower_addresses(f"x={ADDRESS};") == f"x={ADDRESS.lower()};"
    assert lower_addresses(f"{ADDRESS}AB A{ADDRESS}") == f"{ADDRESS}AB A{ADDRESS}"
