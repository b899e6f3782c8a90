import base64
import json
import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.recording.key_like import LONGEST, SHORTEST, bits_per_character, key_like, looks_drawn

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


@given(st.lists(st.sampled_from(["token", "Supply", "2024", "V2", "ERC20", "audit", "MARE", "v3"]), max_size=12))
def test_words_that_people_join_are_not_told(words: list[str]) -> None:
    """Slugs, file names and names in capitals are words, however long."""
    for joint in ("-", "_"):
        assert list(key_like(joint.join(words))) == []


@pytest.mark.parametrize(
    "text",
    [
        "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",  # Bitcoin, bech32
        "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",  # Bitcoin, with a check
        "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkwyTDt1v",  # Solana
        "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG",  # IPFS
        "SP3K8BC0PPEVCV7NZ6QSRWPQ2JE9E5B6N3PA0KBR9",  # Stacks
        "GAB7STHVD5BDH3EEYXPI3OM7PCS4V443PYB5FNT6CFGJVPDLMKDM24WK",  # Stellar
        "123e4567-e89b-12d3-a456-426614174000",
        "sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC",
        "https://drive.example/file/d/1jE3kJkVsFuK0GAysk1yOVeHwu6eFI39L/view",
        "https:\\/\\/img.example\\/1jE3kJkVsFuK0GAysk1yOVeHwu6eFI39L.png",
        "2024-06-02T06-00-40-a1b2c3",
        '{"next_cursor": "q7Zt2LmX9vB4nRk8WcY3pHs6TdJf1GaE"}',
        "page_token=q7Zt2LmX9vB4nRk8WcY3pHs6TdJf1GaE",
        "pagination_token=q7Zt2LmX9vB4nRk8WcY3pHs6TdJf1GaE",
        "totalSupplyOfTokensInCirculation2024",
        "apikey=SCRUBBED&days=30",
        "",
    ],
)
def test_public_values_are_not_told(text: str) -> None:
    """Addresses of other chains, content ids, links to files and places in lists are nobody's secret."""
    assert list(key_like(text)) == []


def test_an_embedded_picture_is_content() -> None:
    """Long base64, with or without a data URL around it, is no key."""
    picture = base64.b64encode(random.Random(1).randbytes(600)).decode()
    short = base64.b64encode(random.Random(2).randbytes(60)).decode()
    assert list(key_like(json.dumps({"a": picture, "b": f"data:image/png;base64,{short}"}))) == []


@pytest.mark.parametrize(
    "text",
    [
        KEY,
        f"call it with {KEY}, please",
        json.dumps({"rows": [{"note": f"the value is {KEY}"}]}),
        json.dumps({KEY: 1}),
        f"https://a.example/x?auth={KEY}&days=1",
        f"https://rpc.example/v2/{KEY}",
        f"https://rpc.example/v2/{KEY}?x=1 and more",
        f"{{broken json {KEY}",
    ],
)
def test_a_key_is_told_wherever_it_stands(text: str) -> None:
    """In texts, JSON members and names, parameters, and behind an API's version in a path."""
    assert list(key_like(text)) == [KEY]


def test_only_lengths_of_keys_count() -> None:
    """What is shorter occurs by chance, what is longer is content."""
    draw = random.Random(3)
    long = "".join(draw.choices(string.ascii_letters + string.digits, k=LONGEST + 1))
    assert not looks_drawn(KEY[: SHORTEST - 1]) and not looks_drawn(long)
    assert looks_drawn(KEY[:SHORTEST]) and looks_drawn(long[:LONGEST])


def test_entropy_is_counted_in_bits() -> None:
    """Four equally frequent characters have two bits each, one has none."""
    assert (bits_per_character("abcdabcd"), bits_per_character("aaaa"), bits_per_character("")) == (2, 0, 0)


def test_hostile_texts_end() -> None:
    """Deep JSON and long runs of links are read in one pass and raise nothing."""
    assert list(key_like("[" * 100_000)) == []
    assert list(key_like("http://" * 30_000)) == []
    assert list(key_like('{"a":' * 5_000 + "1" + "}" * 5_000)) == []
