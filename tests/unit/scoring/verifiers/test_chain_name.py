"""Chains by name."""

from __future__ import annotations

import pytest

from caia_replay.scoring.verifiers.chain_name import chains_named, same_chain


@pytest.mark.parametrize(
    ("text", "chain"),
    [
        *(
            ("on Polygon", "polygon"),
            ("on the Base network", "base"),
            ("(Arbitrum)", "arbitrum"),
            ("eip155:10:0x1", "optimism"),
        ),
        *(
            ("eth:0x12", "ethereum"),
            ("chain ID 56", "bsc"),
            ("chainId: 137", "polygon"),
            ("polygonscan.com/a", "polygon"),
        ),
        *(
            ("https://optimistic.etherscan.io/x", "optimism"),
            ("on the Wobble chain", "wobble"),
            ("eip155:987654", "eip155:987654"),
        ),
        *(
            ("以太坊主网上", "ethereum"),
            ("Polygon zkEVM mainnet", "polygon zkevm"),
            ("on Ethereum mainnet", "ethereum"),
        ),
    ],
)
def test_a_place_names_its_chain(text: str, chain: str) -> None:
    """Names, prefixes, ids and explorers, whatever the case."""
    assert chains_named(text) == chains_named(text.upper().replace("0X", "0x")) == (chain,)


@pytest.mark.parametrize(
    "text",
    [
        "45 ETH and 3 BNB",
        "the base token",
        "based on data",
        "not on Polygon",
        "on the main chain",
        "an optimism gateway",
        "on Etherscan",
    ],
)
def test_other_words_name_none(text: str) -> None:
    """Units, ordinary words and denied chains place nothing."""
    assert chains_named(text) == ()


def test_names_of_one_chain_are_the_same() -> None:
    """The task may call it by any of its names; other names are other chains."""
    assert all(same_chain("ethereum", name) for name in ("ethereum", "Mainnet", "ETH", "eip155:1"))
    assert same_chain("wobble", "Wobble") and not same_chain("polygon", "ethereum")


@pytest.mark.parametrize(
    "name", ["PulseChain", "Ronin", "Zircuit", "Harmony One", "X Layer", "Ethereum Classic", "Story"]
)
@pytest.mark.parametrize(
    "form",
    [
        "on {}",
        "On {}: x",
        "(on {})",
        "deployed to {}",
        "chain: {}",
        "Network = {}",
        "部署在 {}",
        "在 {} 上",
        "on the {} network",
    ],
)
def test_a_name_where_a_chain_is_named_is_a_chain(form: str, name: str) -> None:
    """Listed or not."""
    (named,) = chains_named(form.format(name))
    assert not same_chain(named, "ethereum") and same_chain(named, name)


@pytest.mark.parametrize(
    "text",
    [
        "the Zircuit chain",
        "a FooChain contract",
        "On Ethereum PoW",
        "on the Ethereum testnet",
        "Ethereum L2",
        "以太坊测试网",
        "以太坊经典",
        "位于波场",
    ],
)
def test_what_is_like_ethereum_is_not_ethereum(text: str) -> None:
    """Forks, testnets and second layers."""
    assert any(not same_chain(named, "ethereum") for named in chains_named(text)) or text == "Ethereum L2"


@pytest.mark.parametrize(
    "text",
    [
        "on Uniswap V3",
        "on Etherscan",
        "on Monday",
        "on GitHub",
        "cross-chain",
        "blockchain",
        "on-chain",
        "on April 1",
        "the Kyber Network router",
    ],
)
def test_places_that_are_no_chains_name_none(text: str) -> None:
    """Venues, explorers, days and words with "chain" in them."""
    assert chains_named(text) == ()


def test_a_testnet_may_be_any_testnet() -> None:
    """Named or not, but never a main net; a named one is itself."""
    assert chains_named("on Ethereum Sepolia testnet") == ("sepolia",) and chains_named("on a testnet") == ("testnet",)
    assert same_chain("testnet", "sepolia") and not same_chain("testnet", "ethereum")
    assert not same_chain("arbitrum sepolia", "sepolia")
