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
