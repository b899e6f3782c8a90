import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.canonical import canonical_bytes
from caia_replay.cassette.identity import describe, fields, identify, identity
from caia_replay.errors import BadInput

URL = "https://h.example/api"
ADDRESS = "0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B"
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**300), 2**300)
    | st.text(max_size=6)
    | st.sampled_from([0.5, -1e300, 1e-9]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=10,
)


def _key(body, ignored=frozenset()):
    return identity("POST", URL, body if isinstance(body, bytes) else json.dumps(body).encode(), ignored)


def _shuffled(value, shuffler):
    if isinstance(value, dict):
        items = [(name, _shuffled(child, shuffler)) for name, child in value.items()]
        shuffler.shuffle(items)
        return dict(items)
    return [_shuffled(child, shuffler) for child in value] if isinstance(value, list) else value


@settings(max_examples=100, deadline=None)
@given(JSON, st.randoms(use_true_random=False))
def test_a_json_body_is_its_value(value, shuffler):
    """Member order, white space and escapes do not count."""
    other = json.dumps(_shuffled(value, shuffler), indent=2, ensure_ascii=False)
    assert _key(json.dumps(value).encode()) == _key(other.encode())


@settings(max_examples=100, deadline=None)
@given(JSON, JSON)
def test_different_values_are_different_questions(left, right):
    """Two JSON bodies share a key exactly when their canonical bytes are equal."""
    assert (_key(left) == _key(right)) == (canonical_bytes(left) == canonical_bytes(right))


def test_big_integers_are_exact():
    """Two uint256 that a float would merge are two questions."""
    assert _key({"v": 2**256 - 1}) != _key({"v": 2**256 - 2})
    assert _key(b'{"v":0.1}') != _key(b'{"v":0.10000000000000000001}')


def test_what_json_would_lose_keeps_bodies_apart():
    """Repeated members, NaN, infinity and endless nesting are compared as bytes."""
    assert _key(b'{"a":1,"a":2}') != _key(b'{"a":2}')
    assert _key(b'{"a":1e999}') != _key(b'{"a":2e999}')
    assert _key(b"[" * 100_000) != _key(b"[" * 100_001)
    assert _key(b"9" * 5_000) != _key(b"9" * 5_001)
    assert _key(b"\xff") != _key(b"\xfe") != _key(b"")


def test_the_json_rpc_id_does_not_count():
    """A client counts its ids up; a notification, which has none, stays another question."""
    call = {"jsonrpc": "2.0", "method": "eth_chainId", "params": []}
    one, two = _key(call | {"id": 1}), _key(call | {"id": "abc"})
    assert one == two != _key(call)
    assert _key([call | {"id": 1}, call | {"id": 2}]) == _key([call | {"id": 8}, call | {"id": 9}])
    assert _key({"id": 1, "q": 1}) != _key({"id": 2, "q": 1})
    assert _key(b'{"jsonrpc":"2.0","id":7}') != _key(b'{"jsonrpc":"2.0","id":007}'), "007 is no JSON"
    assert identify("POST", URL, json.dumps(call | {"id": 7}).encode())[1] == ("7",)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(["id", "jsonrpc", "params", "x"]), max_size=4, unique=True),
    st.integers(0, 12),
    st.integers(0, 2**70),
    st.sampled_from(["{}", "[{}]", '{{"id": {0}, "jsonrpc": {0}}}', '{{"a": {0}, "id": 3}}', "007{}"]),
)
def test_remembering_changes_no_key(names, one, two, shape):
    """The number of a call, wherever an id may stand, counts as it does for a body too large to be remembered."""

    small = [shape.format(json.dumps({n: "2.0" if n == "jsonrpc" else number for n in names})).encode()
             for number in (one, two)]  # fmt: skip
    remembered = [_key(body) for body in small]
    if shape != "007{}":
        assert remembered == [_key(body + b" " * 4096) for body in small]
    is_call = "jsonrpc" in names and shape in ("{}", "[{}]")
    counting = set(names) - {"jsonrpc"} - ({"id"} if is_call else set())
    assert (remembered[0] == remembered[1]) == (one == two or not counting)


def test_addresses_compare_in_lower_case_everywhere():
    """In path, query and JSON strings, escaped or not; longer hex keeps its case."""
    low = ADDRESS.lower()
    assert identity("GET", f"{URL}/{ADDRESS}?a={ADDRESS}") == identity("GET", f"{URL}/{low}?a={low}")
    assert _key({"to": ADDRESS, "in": [f"of {ADDRESS}"]}) == _key({"to": low, "in": [f"of {low}"]})
    assert _key(b'{"to":"\\u0030x' + ADDRESS[2:].encode() + b'"}') == _key({"to": low})
    assert _key({ADDRESS: 1}) == _key({low: 1})
    assert _key({ADDRESS: 1, low: 2}) != _key({low: 2})
    assert _key({"data": ADDRESS + "AA"}) != _key({"data": low + "aa"})


def test_a_form_is_a_multiset_of_pairs():
    """Order and escaping of a form do not count, its values do."""
    assert _key(b"b=2&a=x%20y") == _key(b"a=x+y&b=2") != _key(b"a=x+z&b=2")


def test_credentials_compare_as_present_blank_or_missing():
    """Any key finds what was recorded with another; an anonymous request is another question."""
    one, two, blank = ({"api_key": value, "q": 1} for value in ("one", "two", ""))
    assert _key(one) == _key(two) and len({_key(one), _key(blank), _key({"q": 1})}) == 3
    assert _key(b"apikey=one&q=1") == _key(b"apikey=two&q=1") != _key(b"q=1")


def test_kinds_of_bodies_never_meet():
    """A raw body cannot pose as the canonical form of another."""
    assert _key(b'json:{"a":1}') != _key({"a": 1})
    assert _key(b"x") != _key(b"raw:x")


def test_methods_compare_in_upper_case():
    """get is GET; what is no method is bad input."""
    assert identity("get", URL) == identity("GET", URL) != identity("HEAD", URL)
    for method in ("", "GE T", "GET\n", "é"):
        with pytest.raises(BadInput):
            identity(method, URL)


def test_ignored_parameters_do_not_count():
    """What a provider declares as ignored is left out of the query."""
    assert identity("GET", f"{URL}?a=1&ts=5", b"", frozenset({"ts"})) == identity("GET", f"{URL}?a=1")


def test_a_key_can_be_read():
    """A miss is told in words that come from the key, without credentials."""
    key = identity("POST", f"{URL}?b=1&apikey=hush", b'{"z":1,\n"a":2}')
    assert describe(key) == 'POST https://h.example/api?apikey=SCRUBBED&b=1 {"a":2,"z":1}'
    assert fields(key)["path"] == "/api"
    assert describe(identity("GET", "https://h:81/")) == "GET https://h:81/"
