"""Credentials and words of others are taken out of what is kept, and nobody is sent anywhere by strangers."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import replace
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.cassette.answer import key_of
from caia_replay.cassette.cassette import Interaction
from caia_replay.cassette.identity import identity
from caia_replay.cassette.secret import SCRUBBED, SCRUBBED_BAD
from caia_replay.core.gold import GoldChain
from caia_replay.core.task import Anchor, AnswerSpec, Column, Task
from caia_replay.errors import BadInput
from caia_replay.interop.caia_format import question_digest
from caia_replay.recording.redactions import Phrases, Words, answer_digest, is_withheld, restore, withhold, words_digest
from caia_replay.recording.request_allowlist import origins_of, refuse_unaskable
from caia_replay.recording.scrub import declare_bad, refuse_leaks, scrub, scrub_url, secrets_of, unnamed_secrets
from caia_replay.world.every_provider import providers_over

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
    """Query, JSON at any depth, form, headers, user and redirect; what has nothing to scrub keeps its every byte."""
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
    item = _item("https://h.example/a%2Fb?z=1&a=%20&&x", b'{ "b": 1, "a": 1.50 }')
    assert (scrub(item).uri, scrub(item).request_body) == (item.uri, item.request_body)
    assert scrub_url("https://h.example/a#f") == "https://h.example/a#f"
    assert scrub_url(f"https://h.example/a#access_token={KEY}&x") == f"https://h.example/a#access_token={SCRUBBED}&x"


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
    """Values drawn at random under any name are known; one left anywhere stops the writing and is not repeated."""
    headers = {
        "x-client": ("Tk9fQ7zLmX4vB2nR8wY3",), "user-agent": ("Tk9fQ7zLmX4vB2nR8wY4",), "x-kind": ("web-client",),
    }  # fmt: skip
    assert unnamed_secrets(_item(request_headers=headers)) == {"Tk9fQ7zLmX4vB2nR8wY3"}
    schema = {"properties": {"password": {"title": "Password", "type": "string"}}, "secret": 1234567890}
    assert secrets_of(_item(request_body=json.dumps(schema).encode())) == {"1234567890"}
    # JSON with repeated members is never rewritten, so its credentials must be found for the leak check.
    twice = _item(request_body=b'{"apikey":"first-of-two-keys","apikey":"other-of-two-keys"}')
    assert secrets_of(twice) == {"first-of-two-keys", "other-of-two-keys"}
    for data in (KEY.encode(), json.dumps({"echo": f'"{KEY}"'}).encode()):
        with pytest.raises(BadInput, match="still in the recording") as caught:
            refuse_leaks(data, {KEY}, "c.json")
        assert KEY not in str(caught.value)
    with pytest.raises(BadInput):
        refuse_leaks(json.dumps('quo"ted-secret').encode(), {'quo"ted-secret'}, "c.json")
    refuse_leaks(b"{}", {KEY}, "c.json")


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


QUESTION = "Which of the twelve lighthouses on the northern coast was painted red after the great storm?"
CHINESE = "截至二零二四年五月十二日该协议的总锁仓量是多少"
ANSWER = AnswerSpec("table", ("Skagen | 12",), aliases=("Grey",), columns=(Column("Tower", "text", True),))
TASK = Task(
    "t", QUESTION, "overlap", "en", "s", Anchor("ethereum", -1, 5), ANSWER, GoldChain((), ""), "0", "-", ("caia",)
)


@given(st.text(max_size=200))
def test_a_question_has_the_digest_that_caias_rows_have(text: str) -> None:
    """Both rooms name a question alike, whatever its white space."""
    assert words_digest(text) == question_digest(text)


@given(st.text(min_size=1, max_size=80), st.lists(st.text(max_size=20), max_size=3), st.lists(st.text(max_size=9)))
def test_what_is_withheld_is_put_back_whole(question: str, values: list[str], aliases: list[str]) -> None:
    """The owner's words give the task that was published, and no other words do."""
    answer = replace(ANSWER, values=tuple(values), aliases=tuple(aliases))
    task = replace(TASK, question=question, answer=answer)
    if is_withheld(task):
        return
    hidden = withhold(task)
    assert restore(hidden, Words(question, answer))[0] == task and not restore(hidden, Words(question, answer))[1]
    other = replace(answer, values=(*answer.values, "more"))
    assert restore(hidden, Words(question, other))[1] and restore(hidden, Words(question + "?", answer))[1]


def test_a_withheld_task_keeps_facts_alone() -> None:
    """Neither question nor answer, alias or column; an edited answer is told, and stands in the task whole."""
    hidden = withhold(TASK)
    assert is_withheld(hidden) and withhold(hidden) == hidden and not is_withheld(TASK)
    assert all(word not in repr(hidden) for word in ("lighthouses", "Skagen", "Grey", "Tower"))
    assert (hidden.anchor, hidden.answer.kind, hidden.tags) == (TASK.anchor, "table", ("caia",))
    # The same answer to two questions has two digests: none can be tried without its question.
    assert answer_digest(QUESTION, ANSWER) != answer_digest("Another question?", ANSWER)
    hidden = withhold(replace(TASK, answer=replace(ANSWER, values=("Skagen | 13",))))
    restored = restore(hidden, Words(QUESTION, ANSWER))
    assert "edited" in restored[1] and restored[0].answer == ANSWER and restored[0].question == QUESTION
    assert "not in the file" in restore(hidden, None)[1] and restore(hidden, None)[0] == hidden


@pytest.mark.parametrize("question", [QUESTION, CHINESE])
@pytest.mark.parametrize(
    "spelled",
    [str, str.upper, quote, quote_plus, lambda text: quote(quote(text)), json.dumps, lambda text: f"({text}) and more"],
)
def test_a_question_is_found_however_it_is_spelled(question: str, spelled: object) -> None:
    """In clear, percent-encoded once or twice, or with JSON's escapes; its first half too."""
    phrases = Phrases([TASK.question, CHINESE])
    assert phrases.are_in(spelled(question))  # type: ignore[operator]
    assert phrases.are_in(spelled(question[: len(question) * 2 // 3]))  # type: ignore[operator]


def test_names_of_a_question_may_be_said() -> None:
    """Seven of its words in a row are no sentence, and a question of three words stands everywhere."""
    phrases = Phrases([QUESTION, "What is Aave"])
    assert not phrases.are_in("the twelve lighthouses on the northern coast, they say")
    assert not phrases.are_in("what is aave and what is it good for") and not Phrases([]).are_in(QUESTION)
    assert Phrases(["What is the supply?"]).are_in("q=what+is+the+supply")


LOCAL = "http://127.0.0.1:9"
SOLANA = "https://api.mainnet-beta.solana.com"


def item(url: str, method: str = "GET", body: bytes = b"") -> Interaction:
    return Interaction(method, url, body, {}, 200, "OK", {}, b"")


def check(*items: Interaction, host_map: dict[str, str] | None = None, allow: tuple[str, ...] = ()) -> None:
    refuse_unaskable(items, providers_over({}), host_map=host_map or {}, allow=allow, where="pub")


def rpc(method: str) -> bytes:
    return json.dumps([{"jsonrpc": "2.0", "id": 1, "method": method, "params": []}]).encode()


NODE = "https://api.etherscan.io/v2/api?chainid=1&module=proxy&action="


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        *((item(f"{scheme}://api.llama.fi/protocols"), "only https") for scheme in ("http", "ftp", "file")),
        (item("https://api.llama.fi:8443/protocols"), "usual port"),
        *((item(f"https://{host}/x"), "a number") for host in ("127.0.0.1", "[::1]", "10.0.0.7", "169.254.169.254")),
        *((item(f"https://{host}/x"), "no public name|number")
          for host in ("2130706433", "0x7f.1", "localhost", "db.internal", "router.local.")),
        (item("https://stranger.example/x?apikey=hush-hush"), "no provider speaks"),
        (item("https://api.llama.fi.stranger.example/protocols"), "no provider speaks"),
        (item("https://r.jina.ai/https://a.example/", "DELETE"), "more than read"),
        (item("https://api.github.com/repos/a/b/issues", "POST", b"{}"), "no provider speaks"),
        (item("https://api.dune.com/api/v1/query/7/archive", "POST"), "no provider speaks"),
        (item(SOLANA, "POST", rpc("sendTransaction")), "would change"),
        (item(SOLANA, "POST", b'{"method": "getSlot", "method": "sendTransaction"}'), "would change"),
        (item(f"{NODE}eth_sendRawTransaction&hex=0x1"), "change"),
    ],
)  # fmt: skip
def test_a_stranger_sends_nobody_elsewhere(asked: Interaction, words: str) -> None:
    """Other schemes, ports, numbers, private names, other hosts, and what changes something: nothing is asked."""
    with pytest.raises(BadInput, match=words) as caught:
        check(item("https://r.jina.ai/https://a.example/"), asked, asked)
    assert "nothing was asked" in str(caught.value) and "2 such requests in all" in str(caught.value)
    assert "hush" not in str(caught.value)


def test_a_host_that_is_named_is_asked() -> None:
    """A named host over https alone, a mapped one whatever its scheme."""
    asked = item("https://node.example/v1", "POST", rpc("eth_call"))
    with pytest.raises(BadInput, match="no provider"):
        check(asked)
    check(asked, allow=("Node.example",))
    for bad in (item("http://node.example/v1"), item("https://node.example/v1", "POST", rpc("eth_sendRawTransaction"))):
        with pytest.raises(BadInput):
            check(bad, allow=("node.example",))
    with pytest.raises(BadInput, match="number"):
        check(item("https://127.0.0.1/x"), allow=("127.0.0.1",))
    mapped = {"http://shop.local": LOCAL, "https://API.example/": LOCAL}
    check(item("http://shop.local/x"), item("https://api.example/y"), host_map=mapped)
    assert origins_of(mapped) == {"http://shop.local", "https://api.example"}
    with pytest.raises(BadInput):
        check(item("https://shop.local/x"), host_map=mapped)
