"""Altered requests: each is another question, and a replay that answers one is caught."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.cassette.identity import identity
from caia_replay.cassette.recordings import Recordings
from caia_replay.cassette.secret import SCRUBBED_BAD
from caia_replay.proxy.alteration import BAD_KEY, alterations
from caia_replay.proxy.exchange import Asked
from caia_replay.proxy.mutate import MutatingAnswerer

HOST = "https://api.example.com"
_TEXT = st.text(st.characters(exclude_categories=("C", "Z")), max_size=8)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=8,
)
_PARTS = st.lists(st.text("abcXYZ019%_-.~", max_size=6).filter(lambda part: part not in (".", "..")), max_size=4)
_PAIRS = st.lists(
    st.tuples(st.sampled_from(["days", "a", "apiKey", "x%20y"]), st.text("ab01%+.", max_size=4)), max_size=4
)
_BODIES = (
    st.just(b"")
    | _JSON.map(lambda value: json.dumps(value).encode())
    | st.just(b"a=1&b=&apikey=k")
    | st.binary(max_size=12)
    | st.just(
        b'{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"0xAbC0000000000000000000000000000000000001"},"0x1"]}'
    )
)


def asked(path: str = "/x", body: bytes = b"", method: str = "GET", lines: Any = ()) -> Asked:
    return Asked(method, f"{HOST}{path}", tuple(lines), body)


def recordings(*items: Asked, kind: Any = Recordings) -> Recordings:
    """A recording of each request."""
    made = [
        Interaction(
            one.method, one.url, one.body, {name: (value,) for name, value in one.lines}, 200, "", {}, b"%d" % number
        )
        for number, one in enumerate(items)
    ]
    found: Recordings = kind([Cassette("made", "", tuple(made))])
    return found


@settings(max_examples=60, deadline=None)
@given(_PARTS, _PAIRS, _BODIES, st.sampled_from(["GET", "POST", "DELETE"]), st.integers(0, 2**32))
def test_an_alteration_is_another_question(parts: Any, pairs: Any, body: bytes, method: str, seed: int) -> None:
    """Whatever the request, every alteration of it but that of the key has another identity, and is noticed."""
    query = "&".join(f"{name}={value}" for name, value in pairs)
    one = asked("/" + "/".join(parts) + (f"?{query}" if query else ""), body, method)
    before, draw = identity(one.method, one.url, one.body), Random(seed)
    for alteration in alterations(one, draw):
        if alteration.field != BAD_KEY:
            other = alteration.make(draw)
            assert identity(other.method, other.url, other.body) != before, (alteration.field, alteration.how, other)
    player = MutatingAnswerer(recordings(one), seed)
    assert player.answer(one).status == 200
    assert player.tried > 5 and player.unnoticed == []


class Careless(Recordings):
    """Recordings that read no query, as a careless matcher would."""

    def find(self, method: str, url: str, body: bytes, cursor: Any, headers: Any = None) -> Any:
        return super().find(method, url.partition("?")[0], body, cursor, headers or {})


def test_a_careless_replay_is_caught() -> None:
    """A store that leaves the query out answers every alteration of it, and each is named."""
    player = MutatingAnswerer(recordings(asked("/x"), kind=Careless), 0)
    assert player.answer(asked("/x?days=7&coin=btc")).status == 200
    assert len(player.unnoticed) == player.altered["query"] == 5 and player.noticed > 5
    assert "GET https://api.example.com/x: query days: another value" in player.unnoticed


def test_another_recording_is_no_fault() -> None:
    """An altered request that was recorded itself is not counted, and a value is drawn again until it was not."""
    every = [asked(f"/x?n={digit}") for digit in range(10)]
    player = MutatingAnswerer(recordings(*every), 0)
    player.answer(every[0])
    assert player.unnoticed == [] and player.recorded_too == 1 and player.altered["query"] == 2


def test_the_answer_of_a_bad_key_is_no_fault() -> None:
    """Where a bad key was recorded, asking with one is another recorded request."""
    bad = asked(lines=[("authorization", f"Bearer {SCRUBBED_BAD}")])
    player = MutatingAnswerer(recordings(asked(), bad), 0)
    player.answer(asked())
    assert player.unnoticed == [] and player.recorded_too == 1 and "header" not in player.altered


def test_a_seed_decides_the_draws() -> None:
    """The same seed alters alike, whatever was asked before; another seed draws other values."""

    def made(seed: int, *before: Asked) -> list[bytes]:
        one, draw = asked("/coins/bitcoin?days=30"), Random(seed)
        return [
            identity(other.method, other.url, other.body) for a in alterations(one, draw) for other in [a.make(draw)]
        ]

    assert made(0) == made(0) != made(1)
    both = [MutatingAnswerer(recordings(asked("/a?n=1"), asked("/b?n=2")), 0) for _ in range(2)]
    for player, order in zip(both, (("/a?n=1", "/b?n=2"), ("/b?n=2", "/a?n=1", "/b?n=2"))):
        for path in order:
            player.answer(asked(path))
    assert both[0].altered == both[1].altered and both[0].tried == both[1].tried


@pytest.mark.parametrize(
    ("body", "kept"),
    [('{"jsonrpc": "2.0", "id": 5, "method": "m"}', "body id"), ('{"apiKey": "abc"}', "body apiKey")],
    ids=["rpc", "key"],
)
def test_what_identity_leaves_out_is_not_altered(body: str, kept: str) -> None:
    """A JSON-RPC id and a key's value are answered whatever they are, so neither is given another value."""
    found = {(one.field, one.how) for one in alterations(asked(body=body.encode()), Random(0))}
    assert (kept, "another value") not in found and len(found) > 5
