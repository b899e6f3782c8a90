"""Keys: onto the wire to their own host alone, and found in whatever spelling they come back."""

from __future__ import annotations

import base64
import gzip
import json
import random
import string
from base64 import b64encode, urlsafe_b64encode
from html import escape
from urllib.parse import quote, quote_plus

import httpx2
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caia_replay.cassette.cassette import Interaction
from caia_replay.errors import BadInput
from caia_replay.recording.api_key import HOSTS, KEYS, Keys
from caia_replay.recording.scrub import declare_bad, reworded, scrub
from caia_replay.recording.secret_scanner import LONGEST, SHORTEST, key_like, looks_drawn
from caia_replay.recording.spelling import first_spelled

# From six bytes on a value is looked for in every spelling; blanks alone would be found in any form.
VALUES = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn")), min_size=6, max_size=30).filter(
    lambda v: v.strip()
)
BYTES = st.binary(max_size=7)
SPELL = {
    "as it is": str.encode,
    "json": lambda value: json.dumps(value).encode(),
    "json, text kept": lambda value: json.dumps(value, ensure_ascii=False).encode(),
    "json in json": lambda value: json.dumps(json.dumps({"a": value})).encode(),
    "every letter": lambda value: value.encode("utf-16-be").hex(" ", 2).replace(" ", "\\u").join(["\\u", ""]).encode(),
    "percent": lambda value: "".join(f"%{byte:02x}" for byte in value.encode()).encode(),
    "percent, capitals": lambda value: quote(value, "").encode(),
    "percent twice": lambda value: quote(quote(value, ""), "").encode(),
    "form": lambda value: quote_plus(value).encode(),
    "entities": lambda value: "".join(f"&#{ord(letter)};" for letter in value).encode(),
    "html in json": lambda value: json.dumps(escape(value)).encode(),
    "hexadecimal": lambda value: value.encode().hex().encode(),
    "hexadecimal, capitals": lambda value: value.encode().hex().upper().encode(),
    "gzip": lambda value: gzip.compress(value.encode()),
}


@pytest.mark.parametrize("name", SPELL)
@given(value=VALUES)
@example(value="plain-words-0")
@example(value='a"b\\c/d+e f&g=价\U0001f511')
@example(value="000%00")
@example(value="é&amp;%41")
def test_every_spelling_is_found(name, value):
    """A value is found whatever was done to the text that holds it."""
    data = SPELL[name](value)
    assert first_spelled(data, [value]) == value


@given(value=VALUES, before=BYTES, after=BYTES, encode=st.sampled_from([b64encode, urlsafe_b64encode]))
def test_base64_is_found_in_the_middle_of_other_bytes(value, before, after, encode):
    """At each of the three places that a value may begin in a group, as in a user and password."""
    assert first_spelled(b'{"a": "' + encode(before + value.encode() + after) + b'"}', [value]) == value


@given(value=st.text("abcdefXYZ0189", min_size=8, max_size=24), data=st.binary(max_size=200))
def test_nothing_is_found_where_nothing_is(value, data):
    """What has no letter of the value in it, or is random, does not hold it."""
    assert first_spelled(data, [value]) is None
    assert first_spelled(b"-" * 100, [value]) is None


def test_what_is_not_looked_for():
    """An empty value stands nowhere, a short one only as it is; of several the first given is told."""
    assert first_spelled(b"anything", ["", ""]) is None
    assert first_spelled(b"an abc", ["abc"]) == "abc"
    assert first_spelled(b64encode(b"abc"), ["abc"]) is None
    for spelled in ("key-价格-9".encode(), "key-价格-9".encode("utf-16-le")):
        assert first_spelled(b"\x89PNG\xff\x00" + spelled + b"\xfe\xff", ["key-价格-9"]) == "key-价格-9"
    data = b'{"echo": "Bearer key-1234567"}'
    assert first_spelled(data, ["Bearer key-1234567", "key-1234567"]) == "Bearer key-1234567"
    assert first_spelled(data, ["key-1234567", "Bearer key-1234567"]) == "key-1234567"
    assert first_spelled(b"key%2D1234567", ["Bearer key-1234567", "key-1234567"]) == "key-1234567"


@given(
    value=VALUES,
    names=st.lists(st.sampled_from(["json", "percent", "percent, capitals", "form", "html in json"]), max_size=3),
    around=st.text('ab1{}[],:."\\%&+ \n价', max_size=12),
)
@example(value="plain-words-0", names=["percent", "json"], around='\\"')
@example(value="ends-in\\", names=["json"], around='"')
def test_what_stands_around_a_value_hides_it_on_no_layer(value, names, around):
    """Whatever ends a stretch of text, and however many escapes lie over the value."""
    spelled = value
    for name in names:
        spelled = SPELL[name](spelled).decode()
    assert first_spelled(f"{{{around}, {spelled}, {around}}}".encode(), [value]) == value


@pytest.mark.parametrize("end", ["\n", "\r\n  ", "\\n", "\\r\\n", "%0A", "&#10;"])
@pytest.mark.parametrize("size", [16, 20, 40])
def test_lines_of_base64_are_one_text(end, size):
    """Broken by white space or by its escapes, the later lines as short as they like."""
    code = b64encode(b"some words before, key-1234567890-key, and after").decode()
    lines = [code[:size], *(code[at : at + 5] for at in range(size, len(code), 5))]
    assert first_spelled(f'{{"a": "{end.join(lines)}"}}'.encode(), ["key-1234567890-key"]) is not None
    far = "     ".join(lines)
    assert first_spelled(f'{{"a": "{far}"}}'.encode(), ["key-1234567890-key"]) is None


@pytest.mark.parametrize("line", [b"a", b"%41", b"\\\\", b"&#65;", b"aaaaaaaaaaaaaaaa ", b"\\u0041", b" "])
def test_a_long_line_takes_time_in_proportion(line):
    """A contract's code is a line of many thousand characters; none of them is begun at anew."""
    assert first_spelled(line * 200_000, ["key-1234567890-key"]) is None


KEY = "q7Zt2LmX9vB4nRk8WcY3pHs6TdJf1GaE"


@pytest.mark.parametrize("case", [string.ascii_letters, string.ascii_uppercase, string.ascii_lowercase])
@pytest.mark.parametrize("characters", [24, 32, 40, 64])
def test_most_random_keys_are_seen(case: str, characters: int) -> None:
    """Of keys drawn from letters and digits, and from base64url, at least 85 in 100 are seen at each length."""
    draw = random.Random(characters)
    for alphabet in (case + string.digits, string.ascii_letters + string.digits + "-_"):
        keys = ["".join(draw.choices(alphabet, k=characters)) for _ in range(500)]
        assert sum(map(looks_drawn, keys)) >= 425


@given(st.text(st.sampled_from("0123456789abcdef"), min_size=1, max_size=200), st.booleans())
def test_hexadecimal_is_never_told(digits: str, prefixed: bool) -> None:
    """Chains are made of it: hashes, addresses, bytecode, with and without 0x, in either case."""
    for word in (digits, digits.upper()):
        assert list(key_like(f"of {'0x' if prefixed else ''}{word}.")) == []


@pytest.mark.parametrize(
    "text",
    [
        "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",  # Bitcoin, bech32
        "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkwyTDt1v",  # Solana
        "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG",  # IPFS
        "123e4567-e89b-12d3-a456-426614174000",
        "sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC",
        "https://drive.example/file/d/1jE3kJkVsFuK0GAysk1yOVeHwu6eFI39L/view",
        "token-Supply_2024-V2_ERC20-audit-MARE", "https:\\/\\/img.example\\/1jE3kJkVsFuK0GAysk1yOVeHwu6eFI39L.png",
        "2024-06-02T06-00-40-a1b2c3", "totalSupplyOfTokensInCirculation2024", "apikey=SCRUBBED&days=30", "",
        f'{{"next_cursor": "{KEY}"}}', f"page_token={KEY}", f"pagination_token={KEY}",
    ],
)  # fmt: skip
def test_public_values_are_not_told(text: str) -> None:
    """Addresses of other chains, content ids, links to files and places in lists are nobody's secret."""
    assert list(key_like(text)) == []


@pytest.mark.parametrize(
    "text",
    [KEY, f"call it with {KEY}, please", json.dumps({"rows": [{"note": f"the value is {KEY}"}]}), json.dumps({KEY: 1}),
     f"https://a.example/x?auth={KEY}&days=1", f"https://rpc.example/v2/{KEY}",
     f"https://rpc.example/v2/{KEY}?x=1 and more", f"{{broken json {KEY}"],
)  # fmt: skip
def test_a_key_is_told_wherever_it_stands(text: str) -> None:
    """In texts, JSON members and names, parameters, and behind an API's version in a path."""
    assert list(key_like(text)) == [KEY]


def test_only_lengths_of_keys_count() -> None:
    """What is shorter occurs by chance, what is longer is content; deep JSON and long runs of links end."""
    draw = random.Random(3)
    long = "".join(draw.choices(string.ascii_letters + string.digits, k=LONGEST + 1))
    assert not looks_drawn(KEY[: SHORTEST - 1]) and not looks_drawn(long)
    assert looks_drawn(KEY[:SHORTEST]) and looks_drawn(long[:LONGEST])
    picture = base64.b64encode(random.Random(1).randbytes(600)).decode()
    short = base64.b64encode(random.Random(2).randbytes(60)).decode()
    assert list(key_like(json.dumps({"a": picture, "b": f"data:image/png;base64,{short}"}))) == []
    assert list(key_like("[" * 100_000)) == []
    assert list(key_like('{"a":' * 5_000 + "1" + "}" * 5_000)) == []


HOST = "api.example"


def item(url: str = f"https://{HOST}/x", body: bytes = b"", **headers: str) -> Interaction:
    told = {name: (value,) for name, value in headers.items()}
    return Interaction("POST", url, body, told, 200, "OK", {}, b"")


def test_only_what_stands_under_a_credentials_name_is_reworded() -> None:
    """In address, body and headers; what reads like the word elsewhere, or cannot be read, stays."""
    word = {"SCRUBBED-BAD": "no-such-key"}.get
    asked = item(f"https://{HOST}/x?q=SCRUBBED-BAD", b'{"q":"SCRUBBED-BAD"}', accept="SCRUBBED-BAD")
    assert reworded(asked, lambda value: word(value, value)) == asked
    broken = item(body=b'{"api_key": SCRUBBED-BAD')
    assert reworded(broken, lambda value: word(value, value)) == broken
    for asked in (
        item(f"https://{HOST}/x?a=1&apikey=SCRUBBED-BAD&b=", authorization="SCRUBBED-BAD"),
        item(body=b'{"q":"SCRUBBED","api_key":"SCRUBBED-BAD","rows":[{"password":"SCRUBBED-BAD"}]}'),
        item(body=b"q=1&access_token=SCRUBBED-BAD"),
        item(body=f'{{"n":{2**256 - 1},"apiKey":"SCRUBBED-BAD"}}'.encode()),
    ):
        sent = reworded(asked, lambda value: word(value, value))
        assert "SCRUBBED-BAD" not in str(sent) and scrub(declare_bad(sent, {"no-such-key"})) == asked


EVERY = {key.variable: f"Key-of-{key.variable.lower()}" for key in KEYS}


def sent(keys: Keys, url: str, **headers: str) -> tuple[httpx2.URL, httpx2.Headers]:
    return keys.dress(httpx2.URL(url), httpx2.Headers(headers))


def test_a_key_goes_where_its_vendor_reads_it() -> None:
    """As a parameter, in the path, as a bearer, or to the pro host; a tool's placeholder is no key and is not sent."""
    keys = Keys(EVERY)
    assert sent(keys, "https://api.etherscan.io/v2/api?chainid=1")[0].params["apikey"] == EVERY["ETHERSCAN_API_KEY"]
    url, _ = sent(keys, "https://pro-api.llama.fi/SCRUBBED/api/emissions")
    assert url.path == f"/{EVERY['DEFILLAMA_API_KEY']}/api/emissions"
    _, headers = sent(keys, "https://api.x.com/2/tweets", authorization="Bearer SCRUBBED")
    assert headers["authorization"] == f"Bearer {EVERY['X_BEARER_TOKEN']}"
    assert (
        "authorization" not in sent(Keys({}), "https://r.jina.ai/https://a.example", authorization="Bearer SCRUBBED")[1]
    )
    url, headers = sent(Keys(EVERY), "https://api.coingecko.com/api/v3/ping")
    assert url.host == "pro-api.coingecko.com" and headers["x-cg-pro-api-key"] == EVERY["COINGECKO_PRO_API_KEY"]
    assert "x-cg-demo-api-key" not in headers
    url, headers = sent(Keys({"COINGECKO_DEMO_API_KEY": "d"}), "https://api.coingecko.com/api/v3/ping")
    assert url.host == "api.coingecko.com" and headers["x-cg-demo-api-key"] == "d"
    assert dict(sent(Keys({}), "https://api.coingecko.com/api/v3/ping")[1]) == {}


@given(
    st.sampled_from(sorted(HOSTS | {"evil.example", "api.x.com.evil.example"})), st.sampled_from(["/", "/a/SCRUBBED/b"])
)
def test_no_key_reaches_a_host_that_it_is_not_of(host: str, path: str) -> None:
    """Law: whatever is asked, only the keys of that host's own rows are on the request."""
    url, headers = sent(Keys(EVERY), f"https://{host}{path}")
    own = {EVERY[key.variable] for key in KEYS if host in (key.host, key.host_with_key)}
    told = f"{url} {dict(headers)}"
    assert not [value for value in EVERY.values() if value in told and value not in own]
    assert url.host in HOSTS or url.host == host


def test_keys_are_read_from_the_environment_and_never_shown() -> None:
    """A missing one names its variable before anything is sent; white space is no part of one, a line break a fault."""
    with pytest.raises(BadInput, match="set SERPER_API_KEY"):
        sent(Keys({}), "https://google.serper.dev/search")
    assert not any(value in repr(Keys(EVERY)) for value in EVERY.values())
    assert Keys(EVERY).values == frozenset(EVERY.values())
    keys = Keys({"SERPER_API_KEY": "abc123\r\n"})
    assert sent(keys, "https://google.serper.dev/search")[1]["x-api-key"] == "abc123"
    with pytest.raises(BadInput, match="X_BEARER_TOKEN holds what is no key") as caught:
        Keys({"X_BEARER_TOKEN": "se\ncret"})
    assert "cret" not in str(caught.value)
