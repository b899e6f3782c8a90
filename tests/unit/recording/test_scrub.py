"""Credentials are taken out of what is recorded, and what is left is the same question."""

from __future__ import annotations

import json
from base64 import b64encode
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.cassette.answer import key_of
from caia_replay.cassette.cassette import Interaction, write_cassette
from caia_replay.cassette.identity import identity
from caia_replay.cassette.secret import SCRUBBED, SCRUBBED_BAD
from caia_replay.errors import BadInput
from caia_replay.recording.scrub import (
    declare_bad,
    find_secrets,
    refuse_leaks,
    scrub,
    scrub_url,
    secrets_of,
    unnamed_secrets,
)

KEY = "Zq81-not-a-real-key"
NAMES = st.sampled_from(["apikey", "x_api_key", "q", "token", "days", "api%6bey"])
VALUES = st.sampled_from(["", KEY, "a b&c", "价", SCRUBBED, SCRUBBED_BAD, f"Bearer {SCRUBBED_BAD}"])


def _item(uri="https://h.example/a", request_body=b"", body=b"{}", request_headers=None, headers=None):
    return Interaction("POST", uri, request_body, request_headers or {}, 200, "OK", headers or {}, body)


def _key(item):
    return identity(item.method, item.uri, item.request_body)


@given(st.lists(st.tuples(NAMES, VALUES), max_size=4), st.sampled_from(["none", "json", "form"]))
def test_scrubbing_keeps_the_identity_and_happens_once(pairs, kind):
    """A scrubbed recording answers the request it was made from, and scrubbing it again changes nothing."""
    text = "&".join(f"{name}={quote(value)}" for name, value in pairs)
    body = {"none": b"", "json": json.dumps(dict(pairs)).encode(), "form": text.encode()}[kind]
    item = _item(f"https://h.example/a?{text}", body)
    clean = scrub(item)
    assert _key(clean) == _key(item) and scrub(clean) == clean
    assert not secrets_of(clean)


def test_every_place_of_a_credential_is_scrubbed():
    """Query, JSON body at any depth, form, headers, user and password, and the address of a redirect."""
    nested = json.dumps({"params": [{"apiKey": KEY}], "n": 2**200}).encode()
    item = _item(
        f"https://me:{KEY}@h.example/a?b=1&apikey={KEY}", nested,
        request_headers={"Authorization": (f"Bearer {KEY}",), "accept": ("*/*",), "user-agent": ("x/1",)},
        headers={"location": (f"https://h.example/b?apikey={KEY}",)},
    )  # fmt: skip
    clean = scrub(item)
    assert KEY not in repr(clean) and KEY in secrets_of(item)
    assert clean.uri == f"https://h.example/a?b=1&apikey={SCRUBBED}"
    assert clean.request_headers == {"accept": ("*/*",), "authorization": (SCRUBBED,)}
    assert json.loads(clean.request_body)["n"] == 2**200
    assert scrub(_item(request_body=f"a=1&password={KEY}".encode())).request_body == f"a=1&password={SCRUBBED}".encode()


def test_a_clean_request_is_left_as_it_was():
    """Order, escapes and white space stay when there is nothing to scrub."""
    item = _item("https://h.example/a%2Fb?z=1&a=%20&&x", b'{ "b": 1, "a": 1.50 }')
    assert (scrub(item).uri, scrub(item).request_body) == (item.uri, item.request_body)
    assert scrub_url("https://h.example/a#f") == "https://h.example/a#f"
    assert scrub_url(f"https://h.example/a#access_token={KEY}&x") == f"https://h.example/a#access_token={SCRUBBED}&x"


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(NAMES, VALUES), max_size=4), st.sampled_from(["none", "json", "form"]), VALUES)
def test_bad_keys_are_another_question_and_stay_it(pairs, kind, header):
    """What was asked with a declared key is what its word asks; nothing else changes, and scrubbing keeps that."""
    text = "&".join(f"{name}={quote(value)}" for name, value in pairs)
    swap = {KEY: SCRUBBED_BAD}
    items = []
    for word in (lambda name, value: value, lambda name, value: swap.get(value, value)):
        mine = [(name, word(name, value) if name not in ("q", "token", "days") else value) for name, value in pairs]
        text = "&".join(f"{name}={quote(value)}" for name, value in mine)
        named = {name: value for name, value in mine if name != "api%6bey"}
        body = {"none": b"", "json": json.dumps(named).encode(), "form": text.encode()}[kind]
        items.append(_item(f"https://h.example/a?{text}", body, request_headers={"x-api-key": (word("", header),)}))
    declared = declare_bad(items[0], {KEY})
    assert _key(declared) == _key(items[1]) and key_of(declared) == key_of(items[1])
    clean = scrub(declared)
    assert _key(clean) == _key(declared) and key_of(clean) == key_of(declared) and scrub(clean) == clean
    assert declare_bad(clean, {KEY}) == clean and not secrets_of(clean)
    assert declare_bad(items[0], ()) == items[0]


@pytest.mark.parametrize(
    ("header", "value"),
    [("authorization", f"Bearer {KEY}"), ("authorization", "Basic " + b64encode(f"me:{KEY}".encode()).decode()),
     ("x-api-key", KEY), ("cookie", f"a=1; key={KEY}")],
)  # fmt: skip
def test_a_bad_key_is_known_in_every_header(header, value):
    """Behind a scheme, in base64 and among cookies; and it is a value to search for."""
    item = _item(request_headers={header: (value,)})
    clean = scrub(declare_bad(item, {KEY}))
    assert clean.request_headers == {header: (SCRUBBED_BAD,)} and key_of(clean) == "bad"
    assert scrub(item).request_headers == {header: (SCRUBBED,)} and KEY in secrets_of(item)


def test_what_other_request_headers_held_is_known():
    """Values drawn at random under any name; what every client sends, and a form's description, is none."""
    headers = {
        "x-client": ("Tk9fQ7zLmX4vB2nR8wY3",), "user-agent": ("Tk9fQ7zLmX4vB2nR8wY4",), "x-kind": ("web-client",),
    }  # fmt: skip
    assert unnamed_secrets(_item(request_headers=headers)) == {"Tk9fQ7zLmX4vB2nR8wY3"}
    schema = {"properties": {"password": {"title": "Password", "type": "string"}}, "secret": 1234567890}
    assert secrets_of(_item(request_body=json.dumps(schema).encode())) == {"1234567890"}
    # JSON with repeated members is never rewritten, so its credentials must be found for the leak check.
    twice = _item(request_body=b'{"apikey":"first-of-two-keys","apikey":"other-of-two-keys"}')
    assert secrets_of(twice) == {"first-of-two-keys", "other-of-two-keys"}


def test_headers_of_the_moment_are_dropped():
    """What tells for whom a reply was made goes; what says something of it, and Date, stay, in lower case, sorted."""
    headers = {
        "Date": ("x",), "Set-Cookie": ("a", "b"), "X-RateLimit-Remaining": ("9",), "Server-Timing": ("z",),
        "X-Vercel-Id": ("v",), "Retry-After": ("3",), "Content-Encoding": ("gzip",), "Link": ("<a>", "<b>"),
        "Content-Type": ("t",),
    }  # fmt: skip
    assert list(scrub(_item(headers=headers)).headers.items()) == [
        ("content-type", ("t",)), ("date", ("x",)), ("link", ("<a>", "<b>")), ("retry-after", ("3",)),
    ]  # fmt: skip


def test_a_leak_is_refused_without_being_repeated():
    """A credential left anywhere, escaped or not, stops the writing; the message does not hold it."""
    for data in (KEY.encode(), json.dumps({"echo": f'"{KEY}"'}).encode()):
        with pytest.raises(BadInput, match="still in the recording") as caught:
            refuse_leaks(data, {KEY}, "c.json")
        assert KEY not in str(caught.value)
    with pytest.raises(BadInput):
        refuse_leaks(json.dumps('quo"ted-secret').encode(), {'quo"ted-secret'}, "c.json")
    refuse_leaks(b"{}", {KEY}, "c.json")


def test_lint_finds_what_looks_like_a_secret(tmp_path):
    """Unscrubbed credentials by name and the shapes of vendors' keys; hashes and addresses are no secrets."""
    path = tmp_path / "c.json"
    honest = _item("https://h.example/a?apikey=SCRUBBED", body=("0x" + "ab" * 32).encode())
    write_cassette(path, [honest])
    assert list(find_secrets(path)) == []
    write_cassette(path, [_item(f"https://h.example/b?apikey={KEY}"), _item(body=b'"sk-' + b"a1" * 12 + b'"')])
    assert sorted(find_secrets(path)) == [
        "an unscrubbed credential in the request POST https://h.example/b",
        "the shape of an API key in POST https://h.example/a",
    ]
