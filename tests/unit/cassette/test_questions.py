"""What makes two requests one question: URL, body, JSON-RPC id."""

from __future__ import annotations

import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.canonical import canonical_bytes
from caia_replay.cassette.identity import describe, fields, identify, identity
from caia_replay.cassette.rpc_id import id_slots, rpc_ids
from caia_replay.cassette.url import canonical_pairs, canonical_url, lower_addresses
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


def _key(body):
    return identity("POST", URL, body if isinstance(body, bytes) else json.dumps(body).encode())


def _shuffled(value, shuffler):
    if isinstance(value, dict):
        items = [(name, _shuffled(child, shuffler)) for name, child in value.items()]
        shuffler.shuffle(items)
        return dict(items)
    return [_shuffled(child, shuffler) for child in value] if isinstance(value, list) else value


@given(JSON, st.randoms(use_true_random=False))
def test_a_json_body_is_its_value(value, shuffler):
    """Member order, white space and escapes do not count."""
    other = json.dumps(_shuffled(value, shuffler), indent=2, ensure_ascii=False)
    assert _key(json.dumps(value).encode()) == _key(other.encode())


@given(JSON, JSON)
def test_different_values_are_different_questions(left, right):
    """Two JSON bodies share a key exactly when their canonical bytes are equal."""
    assert (_key(left) == _key(right)) == (canonical_bytes(left) == canonical_bytes(right))


def test_numbers_and_what_json_would_lose_keep_bodies_apart() -> None:
    """uint256 that a float would merge, repeated members, NaN, infinity, endless nesting, kinds of bodies."""
    assert _key({"v": 2**256 - 1}) != _key({"v": 2**256 - 2})
    assert _key(b'{"v":0.1}') != _key(b'{"v":0.10000000000000000001}')
    assert _key(b'{"a":1,"a":2}') != _key(b'{"a":2}')
    assert _key(b'{"a":1e999}') != _key(b'{"a":2e999}')
    assert _key(b"[" * 100_000) != _key(b"[" * 100_001)
    assert _key(b"9" * 5_000) != _key(b"9" * 5_001)
    assert _key(b"\xff") != _key(b"\xfe") != _key(b"")
    assert _key(b'json:{"a":1}') != _key({"a": 1})
    assert _key(b"x") != _key(b"raw:x")


def test_the_json_rpc_id_does_not_count():
    """A client counts its ids up; a notification, which has none, stays another question."""
    call = {"jsonrpc": "2.0", "method": "eth_chainId", "params": []}
    one, two = _key(call | {"id": 1}), _key(call | {"id": "abc"})
    assert one == two != _key(call)
    assert _key([call | {"id": 1}, call | {"id": 2}]) == _key([call | {"id": 8}, call | {"id": 9}])
    assert _key({"id": 1, "q": 1}) != _key({"id": 2, "q": 1})
    assert _key(b'{"jsonrpc":"2.0","id":7}') != _key(b'{"jsonrpc":"2.0","id":007}'), "007 is no JSON"
    assert identify("POST", URL, json.dumps(call | {"id": 7}).encode())[1] == ("7",)


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


def test_forms_credentials_and_methods_compare_by_meaning() -> None:
    """Order and escapes do not count, any key is one key, get is GET."""
    assert _key(b"b=2&a=x%20y") == _key(b"a=x+y&b=2") != _key(b"a=x+z&b=2")
    one, two, blank = ({"api_key": value, "q": 1} for value in ("one", "two", ""))
    assert _key(one) == _key(two) and len({_key(one), _key(blank), _key({"q": 1})}) == 3
    assert _key(b"apikey=one&q=1") == _key(b"apikey=two&q=1") != _key(b"q=1")
    assert identity("get", URL) == identity("GET", URL) != identity("HEAD", URL)
    for method in ("", "GE T", "GET\n", "é"):
        with pytest.raises(BadInput):
            identity(method, URL)


def test_a_key_can_be_read():
    """A miss is told in words that come from the key, without credentials."""
    key = identity("POST", f"{URL}?b=1&apikey=hush", b'{"z":1,\n"a":2}')
    assert describe(key) == 'POST https://h.example/api?apikey=SCRUBBED&b=1 {"a":2,"z":1}'
    assert fields(key)["path"] == "/api"
    assert describe(identity("GET", "https://h:81/")) == "GET https://h:81/"


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
        ("https://h/a%2Fb", "https://h/a/b"), ("https://h/a%2Cb", "https://h/a,b"),
        ("https://h/a%25b", "https://h/a%b0"), ("https://h/?a=b%26c", "https://h/?a=b&c"),
        ("https://h/?a%3Db=c", "https://h/?a=b=c"), ("https://h/?a=%2B", "https://h/?a=+"),
        ("https://h/?a=1", "https://h/?a=1&a=1"), ("https://h/?a=&b=1", "https://h/?b=1"),
        ("https://h/?a=%FF", "https://h/?a=%EF%BF%BD"), ("https://h/a", "https://h/a/"), ("https://h/A", "https://h/a"),
        ("https://h:8443/", "https://h/"), ("http://h/", "https://h/"), ("https://h/?apikey=", "https://h/?apikey=one"),
        ("https://h/", "https://h/?apikey=one"),
        ("https://h/?x=" + ADDRESS + "00", "https://h/?x=" + ADDRESS.lower() + "00"),
    ],
)  # fmt: skip
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


@given(PAIRS, st.randoms(use_true_random=False))
def test_pairs_are_a_multiset_whatever_their_order_and_escaping(pairs, shuffler):
    """Two ways of escaping and any order give the same text."""
    pairs = _utf8(pairs)
    one = "&".join(f"{quote(a, safe='')}={quote(b, safe='')}" for a, b in pairs)
    shuffler.shuffle(pairs)
    other = "&".join(f"{quote_plus(a)}={quote_plus(b)}" for a, b in pairs)
    assert canonical_pairs(one) == canonical_pairs(other)


@given(PAIRS, PAIRS)
def test_different_pairs_are_different_text(left, right):
    """Decoded pairs are equal as multisets exactly when their canonical texts are."""
    left, right = _utf8(left), _utf8(right)
    texts = [canonical_pairs("&".join(f"{quote_plus(a)}={quote_plus(b)}" for a, b in pairs)) for pairs in (left, right)]
    assert (sorted(left) == sorted(right)) == (texts[0] == texts[1])


@given(st.text(max_size=40))
def test_canonical_text_is_its_own_canonical_form(text):
    """Normalising twice changes nothing, for any path and query."""
    once = canonical_url("https://h/" + text.replace("#", ""))
    assert canonical_url(once.text()) == once


def test_whole_addresses_are_known_in_any_spelling() -> None:
    """Longer hex and other words keep their case."""
    assert lower_addresses(f"x={ADDRESS};") == f"x={ADDRESS.lower()};"
    assert lower_addresses(f"{ADDRESS}AB A{ADDRESS}") == f"{ADDRESS}AB A{ADDRESS}"


IDS = st.integers(0, 2**70) | st.text(max_size=6)
JSON_RPC_ID = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "jsonrpc", "x"]), inner),
    max_leaves=8,
)


def splice_ids(request, reply, recorded=b""):
    """The reply with the ids of the request, as an answer's body is sent."""
    new, slots = identify("POST", URL, request)[1], id_slots(reply)
    if new is None or slots is None:
        return reply
    return slots.filled(new, identify("POST", URL, recorded)[1] if recorded else None)


def _call(number, method="eth_call"):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": []}


@given(IDS, IDS, JSON_RPC_ID, st.booleans(), st.sampled_from([None, 1]))
def test_the_new_id_is_the_only_change(old, new, result, id_first, indent):
    """Whatever the reply holds, inner ids included, only its own id becomes the request's."""
    reply = {"jsonrpc": "2.0", "id": old, "result": result}
    if not id_first:
        reply = {"result": result, "jsonrpc": "2.0", "id": old}
    recorded = json.dumps(reply, indent=indent)
    spliced = splice_ids(json.dumps(_call(new)).encode(), recorded.encode())
    assert spliced.decode() == json.dumps(reply | {"id": new}, indent=indent)


def test_a_batch_goes_by_recorded_ids_or_by_position() -> None:
    """Positions skip notifications, and an error without id keeps its null."""
    reply = b'[{"jsonrpc":"2.0","id":1,"result":1} , {"jsonrpc":"2.0","id":2,"result":2}]'
    request = json.dumps([_call(8), _call(9)]).encode()
    assert splice_ids(request, reply) == reply.replace(b'"id":1', b'"id":8').replace(b'"id":2', b'"id":9')
    reply = b'[{"jsonrpc":"2.0","id":2,"result":"b"},{"jsonrpc":"2.0","id":1,"result":"a"}]'
    recorded, request = (json.dumps([_call(a), _call(b)]).encode() for a, b in ((1, 2), (7, 8)))
    assert [(one["id"], one["result"]) for one in json.loads(splice_ids(request, reply, recorded))] == [
        (8, "b"),
        (7, "a"),
    ]
    request = json.dumps([{"jsonrpc": "2.0", "method": "note"}, _call(5)]).encode()
    assert splice_ids(request, b'[{"jsonrpc":"2.0","id":1,"result":0}]') == b'[{"jsonrpc":"2.0","id":5,"result":0}]'
    reply = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse"}}'
    assert splice_ids(json.dumps(_call(5)).encode(), reply) == reply


def test_what_is_not_json_rpc_is_left_alone_and_ids_are_json_texts() -> None:
    """Broken replies come back byte for byte; a number and the text of its digits are different ids."""
    request = json.dumps(_call(5)).encode()
    for reply in (b"", b"\xff", b"<html>", b"[", b"[1]", b"{", b'{"id":1}', b'{"id":1,"id":2,"jsonrpc":"2.0"}', b"[[]",
                  b'{"jsonrpc":"2.0"', b'{"jsonrpc" 2}', b"[" * 100_000):  # fmt: skip
        assert splice_ids(request, reply) == reply
    assert splice_ids(b"a=1", b'{"jsonrpc":"2.0","id":1}') == b'{"jsonrpc":"2.0","id":1}'
    assert rpc_ids(_call(1)) == ("1",) and rpc_ids(_call("1")) == ('"1"',) and rpc_ids(_call(None)) == ("null",)
    assert rpc_ids([{"jsonrpc": "2.0"}, _call(2)]) == (None, "2")
    assert rpc_ids([]) is None and rpc_ids({"id": 1}) is None and rpc_ids(7) is None


@given(st.binary(max_size=60))
def test_any_bytes_are_safe(data):
    """Neither side can be made to raise."""
    assert isinstance(splice_ids(data, data), bytes)
    slots = id_slots(data)
    assert slots is None or slots.filled(tuple(slots.ids)) == data
