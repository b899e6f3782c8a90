"""Addresses, hashes, and the chains they are on."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.verifiers import verify
from caia_replay.scoring.verifiers.chain_name import chains_named, same_chain
from caia_replay.scoring.verifiers.hexadecimal import judge_hexadecimal
from caia_replay.scoring.verifiers.known_chain import KNOWN_CHAINS
from tests.labelled_set import misjudged

addresses = st.binary(min_size=20, max_size=20).map(lambda raw: "0x" + raw.hex())
hashes = st.binary(min_size=32, max_size=32).map(lambda raw: "0x" + raw.hex())
RIGHT, WRONG = "0x52908400098527886E0F7030069857D2E4169EE7", "0x8617E340B3D01FA5F11F306F4090FD50E238070D"
SPEC = AnswerSpec("address", (RIGHT,))
PLACED, MINI = (AnswerSpec("address", (RIGHT,), chain=chain) for chain in ("ethereum", "mini"))


@given(addresses, st.sampled_from(["{}", "It is `{}`.", "({})", "address={}", "not 0x" + "00" * 20 + " but {}"]))
def test_case_and_prose_do_not_matter(value: str, form: str) -> None:
    """Checksummed, upper, lower and bare forms inside prose are one address."""
    spellings = (value, value.upper(), value[2:], "0x" + value[2:].upper())
    assert misjudged(AnswerSpec("address", (value,)), True, map(form.format, spellings)) == []


@given(addresses, st.integers(2, 41), st.integers(1, 15))
def test_one_nibble_off_is_wrong(value: str, at: int, step: int) -> None:
    """A look-alike differing in one digit never passes, alone or beside the right one."""
    other = value[:at] + f"{(int(value[at], 16) + step) % 16:x}" + value[at + 1 :]
    spec = AnswerSpec("address", (value,))
    assert misjudged(spec, False, (other, f"{value} or {other}", f"{other}, not {value}")) == []


@given(hashes, hashes)
def test_equal_bytes_and_nothing_else(value: str, other: str) -> None:
    """A hash is right exactly for the same 32 bytes, whatever the case and prose; one digit pair less is none."""
    spec = AnswerSpec("hash", (value,))
    assert verify(spec, f"The transaction is {other.upper()}.").correct is (value == other)
    assert verify(spec, f"tx {value.upper()}").correct is True
    assert verify(spec, value[:-2]).reading is None


def test_a_rejected_address_does_not_count() -> None:
    """Naming the lie it rejects leaves an answer one answer."""
    assert misjudged(SPEC, True, (
        f"{WRONG} is a scam; the real one is {RIGHT}", f"{RIGHT} (not {WRONG})", f"ignore {WRONG}; use {RIGHT}",
        f"Some blogs list {WRONG}, but the official docs list {RIGHT}", f"{WRONG} is not the token; {RIGHT} is",
        f"not 0x8617…070D but {RIGHT}", f"0x5290…9EE7 = {RIGHT}", f"[{RIGHT}](https://etherscan.io/address/{RIGHT})",
    )) == []  # fmt: skip


def test_two_addresses_and_rejected_ones_are_wrong() -> None:
    """A second address is a hedge, shortened or miscopied as well; an ellipsis or a longer word names none."""
    assert misjudged(SPEC, False, (
        f"{RIGHT} or 0x8617…070D", f"{RIGHT} or {WRONG}", f"{WRONG}, not {RIGHT}", f"not {WRONG} or {RIGHT}",
        f"neither {RIGHT} nor {WRONG}", f"{RIGHT} is wrong", f"{RIGHT} is a scam, use {WRONG}", f"{RIGHT} (a fake)",
        f"Etherscan says {RIGHT}, Blockscout says {WRONG}", f"Some blogs list {RIGHT}, but the docs list {WRONG}",
        f"{RIGHT} or {WRONG[:-1]}", RIGHT[:-1], f"{RIGHT}a", "0x5290…9EE7", "0x5290...9EE7", "0x52908400", "none",
        RIGHT + RIGHT[2:26],
    )) == []  # fmt: skip


def test_the_right_chain_or_none_is_right() -> None:
    """An answer need not name the chain; venues, explorers, days and tokens are none."""
    forms = (
        "{}", "eip155:1:{}", "eth:{}", "{} on Ethereum", "{} (mainnet)", "{} on Ethereum, not on Polygon",
        "{} (Ethereum mainnet)", "{} on Uniswap", "The pool on Uniswap V3 is {}", "According to Etherscan, it is {}",
        "{} (USDC)", "Deployed on April 1, 2024: {}", "USDC on Ethereum: {}", "The Kyber Network contract is {}",
        "on-chain, {}",
    )  # fmt: skip
    assert misjudged(PLACED, True, (form.format(RIGHT) for form in forms)) == []


def test_another_chain_is_wrong() -> None:
    """The same twenty bytes elsewhere are another account; so they are on chains nobody listed, forks and testnets."""
    forms = (
        "{} on Polygon", "eip155:137:{}", "matic:{}", "https://polygonscan.com/address/{}", "{} (Polygon)",
        "{} on the Wobble chain", "{} on PulseChain", "{} on Ronin", "{} on Ethereum Classic", "{} on Ethereum Sepolia",
        "{} on the Ethereum testnet", "Ronin: {}", "{} (ETC)", "{} on Zircuit", "The PulseChain contract is {}",
        "chain: Ronin\naddress: {}", "{}, Optimism", "以太坊经典：{}", "{} on Ethereum and PulseChain",
        "{} on Ethereum and Ronin", "{} not on Polygon but on Ronin",
    )  # fmt: skip
    answers = [form.format(RIGHT) for form in forms]
    assert misjudged(PLACED, False, answers) == [] and misjudged(SPEC, True, answers) == []
    assert misjudged(MINI, False, answers[:6]) == []


def test_an_address_in_base_58_is_told_by_its_case() -> None:
    """Solana's addresses are exact."""
    value = "6p6xgHyF7AeE6TZkSmFsko444wqoP15icUSqi2jfGiPN"
    spec = AnswerSpec("address", (value,), chain="solana")
    assert misjudged(spec, True, [f"It is `{value}` on Solana."]) == []
    assert misjudged(spec, False, [value.lower(), value[:-1] + "M"]) == []


SHORT = re.compile(r"(?:0x)?\b([0-9a-f]{4})\b")


def test_words_of_another_pattern_are_judged_alike() -> None:
    """Readings are lower case with a prefix; two words are a hedge, one twice is one; another value is bad."""
    spec = AnswerSpec("hash", ("abcd",))
    assert judge_hexadecimal(spec, "it is abcd", SHORT, "word").reading == "0xabcd"
    assert judge_hexadecimal(spec, "abcd 1234", SHORT, "word").correct is False
    assert judge_hexadecimal(spec, "abcd (abcd)", SHORT, "word").correct is True
    with pytest.raises(BadInput, match="not one word"):
        judge_hexadecimal(AnswerSpec("hash", ("xyz",)), "abcd", SHORT, "word")


NAMED = (
    ("on Polygon", "polygon"), ("on the Base network", "base"), ("(Arbitrum)", "arbitrum"),
    ("eip155:10:0x1", "optimism"), ("eth:0x12", "ethereum"), ("chain ID 56", "bsc"), ("chainId: 137", "polygon"),
    ("polygonscan.com/a", "polygon"), ("https://optimistic.etherscan.io/x", "optimism"),
    ("on the Wobble chain", "wobble"), ("eip155:987654", "eip155:987654"), ("以太坊主网上", "ethereum"),
    ("Polygon zkEVM mainnet", "polygon zkevm"), ("on Ethereum mainnet", "ethereum"),
)  # fmt: skip


def test_a_place_names_its_chain() -> None:
    """Names, prefixes, ids and explorers, whatever the case; a testnet may be any testnet."""
    for text, chain in NAMED:
        assert chains_named(text) == chains_named(text.upper().replace("0X", "0x")) == (chain,), text
    assert chains_named("on Ethereum Sepolia testnet") == ("sepolia",) and chains_named("on a testnet") == ("testnet",)


def test_other_words_name_none() -> None:
    """Units, ordinary words, denied chains, venues, explorers, days and words with "chain" in them place nothing."""
    assert [text for text in (
        "45 ETH and 3 BNB", "the base token", "based on data", "not on Polygon", "on the main chain",
        "an optimism gateway", "on Etherscan", "on Uniswap V3", "on Monday", "on GitHub", "cross-chain", "blockchain",
        "on-chain", "on April 1", "the Kyber Network router",
    ) if chains_named(text)] == []  # fmt: skip


@pytest.mark.parametrize(
    "name", ["PulseChain", "Ronin", "Zircuit", "Harmony One", "X Layer", "Ethereum Classic", "Story"]
)
def test_a_name_where_a_chain_is_named_is_a_chain(name: str) -> None:
    """Listed or not."""
    for form in (
        "on {}", "On {}: x", "(on {})", "deployed to {}", "chain: {}", "Network = {}", "部署在 {}", "在 {} 上",
        "on the {} network",
    ):  # fmt: skip
        (named,) = chains_named(form.format(name))
        assert not same_chain(named, "ethereum") and same_chain(named, name), form


@pytest.mark.parametrize("text", [
    "the Zircuit chain", "a FooChain contract", "On Ethereum PoW", "on the Ethereum testnet", "以太坊测试网",
    "以太坊经典", "位于波场",
])  # fmt: skip
def test_what_is_like_ethereum_is_not_ethereum(text: str) -> None:
    """Forks, testnets and other layers."""
    assert any(not same_chain(named, "ethereum") for named in chains_named(text))


def test_names_of_one_chain_are_the_same() -> None:
    """The task may call it by any of its names; other names are other chains, and a testnet is never a main net."""
    assert all(same_chain("ethereum", name) for name in ("ethereum", "Mainnet", "ETH", "eip155:1"))
    assert same_chain("wobble", "Wobble") and not same_chain("polygon", "ethereum")
    assert same_chain("testnet", "sepolia") and not same_chain("testnet", "ethereum")
    assert not same_chain("arbitrum sepolia", "sepolia")


def test_no_name_id_or_explorer_is_of_two_chains() -> None:
    """Whatever an answer says means one chain; all is looked up in lower case."""
    names = [name for chain, (_, others, _) in KNOWN_CHAINS.items() for name in (chain, *others)]
    hosts = [host for _, _, hosts in KNOWN_CHAINS.values() for host in hosts]
    ids = [id_ for id_, _, _ in KNOWN_CHAINS.values() if id_ is not None]
    for told in (names, hosts, ids):
        assert len(set(told)) == len(told)
    assert all(name == name.lower() for name in (*names, *hosts))
