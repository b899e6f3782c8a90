"""Every provider there is, in the order in which they are asked whether a request is theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from caia_replay.chain.chain_source import ChainSource
from caia_replay.core.provider import Provider
from caia_replay.providers import binance
from caia_replay.providers.blockscout import BlockscoutProvider
from caia_replay.providers.coingecko import CoinGeckoProvider
from caia_replay.providers.defillama import DefiLlamaProvider
from caia_replay.providers.dune import DuneProvider
from caia_replay.providers.etherscan import EtherscanProvider
from caia_replay.providers.github import GitHubProvider
from caia_replay.providers.reader import ReaderProvider
from caia_replay.providers.search_api import SearchApiProvider
from caia_replay.providers.solana_rpc import SolanaRpcProvider
from caia_replay.providers.web_archive import WebArchiveProvider
from caia_replay.providers.x_api import XApiProvider


def providers_over(
    snapshots: Mapping[str, ChainSource], seen: Callable[[str], int | None] = lambda url: None
) -> tuple[Provider, ...]:
    """Every provider there is; the explorer's answers from recorded chain tables too, by chain id.

    ``seen`` is as the reader has it.
    """
    return (
        ReaderProvider(seen),
        SearchApiProvider(),
        CoinGeckoProvider(),
        binance.spot(),
        binance.futures(),
        DefiLlamaProvider(),
        EtherscanProvider(snapshots),
        GitHubProvider(),
        XApiProvider(),
        WebArchiveProvider(),
        SolanaRpcProvider(),
        DuneProvider(),
        BlockscoutProvider(),
    )
