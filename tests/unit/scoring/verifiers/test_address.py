"""Addresses."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers.address import AddressVerifier

addresses = st.binary(min_size=20, max_size=20).map(lambda raw: "0x" + raw.hex())


def right(value: str, answer: str) -> bool | None:
    """The verdict alone."""
    return AddressVerifier().verify(AnswerSpec("address", (value,)), answer).correct


@settings(max_examples=100)
@given(addresses, st.sampled_from(["{}", "It is `{}`.", "({})", "address={}", "not 0x" + "00" * 20 + " but {}"]))
def test_case_and_prose_do_not_matter(value: str, form: str) -> None:
    """Checksummed, upper, lower and bare forms inside prose are one address."""
    for spelling in (value, value.upper(), value[2:], "0x" + value[2:].upper()):
        assert right(value, form.format(spelling)) is True


@settings(max_examples=100)
@given(addresses, st.integers(2, 41), st.integers(1, 15))
def test_one_nibble_off_is_wrong(value: str, at: int, step: int) -> None:
    """A look-alike differing in one digit never passes, alone or beside the right one."""
    other = value[:at] + f"{(int(value[at], 16) + step) % 16:x}" + value[at + 1 :]
    assert right(value, other) is False
    assert right(value, f"{value} or {other}") is False
    assert right(value, f"{other}, not {value}") is False


@pytest.mark.parametrize("form", ["0x5290…9EE7", "0x5290...9EE7", "0x52908400", "none"])
def test_shortened_addresses_are_not_read(form: str) -> None:
    """An ellipsis names many addresses."""
    assert right("0x52908400098527886E0F7030069857D2E4169EE7", form) is False


RIGHT, WRONG = "0x52908400098527886E0F7030069857D2E4169EE7", "0x8617E340B3D01FA5F11F306F4090FD50E238070D"
SOLANA = "6p6xgHyF7AeE6TZkSmFsko444wqoP15icUSqi2jfGiPN"


@pytest.mark.parametrize(
    "answer",
    [
        *(f"{WRONG} is a scam; the real one is {RIGHT}", f"{RIGHT} (not {WRONG})", f"ignore {WRONG}; use {RIGHT}"),
        *(f"Some blogs list {WRONG}, but the official docs list {RIGHT}", f"{WRONG} is not the token; {RIGHT} is"),
        *(f"not 0x8617…070D but {RIGHT}", f"0x5290…9EE7 = {RIGHT}", f"[{RIGHT}](https://etherscan.io/address/{RIGHT})"),
    ],
)
def test_a_rejected_address_does_not_count(answer: str) -> None:
    """Naming the lie it rejects leaves an answer one answer."""
    assert right(RIGHT, answer) is True


@pytest.mark.parametrize(
    "answer",
    [
        *(f"{RIGHT} or 0x8617…070D", f"{RIGHT} or {WRONG}", f"{WRONG}, not {RIGHT}", f"not {WRONG} or {RIGHT}"),
        *(f"neither {RIGHT} nor {WRONG}", f"{RIGHT} is wrong", f"{RIGHT} is a scam, use {WRONG}", f"{RIGHT} (a fake)"),
        *(f"Etherscan says {RIGHT}, Blockscout says {WRONG}", f"Some blogs list {RIGHT}, but the docs list {WRONG}"),
        *(f"{RIGHT} or {WRONG[:-1]}", f"{RIGHT[:-1]}", f"{RIGHT}a"),
    ],
)
def test_two_addresses_and_rejected_ones_are_wrong(answer: str) -> None:
    """A second address is a hedge, shortened or miscopied as well."""
    assert right(RIGHT, answer) is False


def on(chain: str, answer: str, value: str = RIGHT) -> bool | None:
    """The verdict where the task names a chain."""
    return AddressVerifier().verify(AnswerSpec("address", (value,), chain=chain), answer).correct


@pytest.mark.parametrize(
    "form", ["{}", "eip155:1:{}", "eth:{}", "{} on Ethereum", "{} (mainnet)", "{} on Ethereum, not on Polygon"]
)
def test_the_right_chain_or_none_is_right(form: str) -> None:
    """An answer need not name the chain."""
    assert on("ethereum", form.format(RIGHT)) is True


@pytest.mark.parametrize(
    "form",
    [
        "{} on Polygon",
        "eip155:137:{}",
        "matic:{}",
        "https://polygonscan.com/address/{}",
        "{} (Polygon)",
        "{} on the Wobble chain",
    ],
)
def test_another_chain_is_wrong(form: str) -> None:
    """The same twenty bytes elsewhere are another account."""
    assert on("ethereum", form.format(RIGHT)) is False and on("mini", form.format(RIGHT)) is False
    assert right(RIGHT, form.format(RIGHT)) is True


def test_an_address_in_base_58_is_told_by_its_case() -> None:
    """Solana's addresses are exact."""
    assert on("solana", f"It is `{SOLANA}` on Solana.", SOLANA) is True
    assert on("solana", SOLANA.lower(), SOLANA) is False and on("solana", SOLANA[:-1] + "M", SOLANA) is False


def test_a_hash_is_not_an_address() -> None:
    """Forty digits of a longer word are not an address."""
    assert right("0x" + "ab" * 20, "0x" + "ab" * 32) is False


@pytest.mark.parametrize(
    "form",
    [
        *(
            "{} on PulseChain",
            "{} on Ronin",
            "{} on Ethereum Classic",
            "{} on Ethereum Sepolia",
            "{} on the Ethereum testnet",
        ),
        *(
            "Ronin: {}",
            "{} (ETC)",
            "{} on Zircuit",
            "The PulseChain contract is {}",
            "chain: Ronin\naddress: {}",
            "{}, Optimism",
        ),
        *(
            "以太坊经典：{}",
            "{} on Ethereum and PulseChain",
            "{} on Ethereum and Ronin",
            "{} not on Polygon but on Ronin",
        ),
    ],
)
def test_a_chain_nobody_listed_is_another_chain(form: str) -> None:
    """So are forks and testnets of the wanted one."""
    assert on("ethereum", form.format(RIGHT)) is False and right(RIGHT, form.format(RIGHT)) is True


@pytest.mark.parametrize(
    "form",
    [
        *(
            "{} (Ethereum mainnet)",
            "{} on Uniswap",
            "The pool on Uniswap V3 is {}",
            "According to Etherscan, it is {}",
            "{} (USDC)",
        ),
        *("Deployed on April 1, 2024: {}", "USDC on Ethereum: {}", "The Kyber Network contract is {}", "on-chain, {}"),
    ],
)
def test_what_names_no_other_chain_is_right(form: str) -> None:
    """Venues, explorers, days and tokens."""
    assert on("ethereum", form.format(RIGHT)) is True
